"""Copies of maskers, recognisers and vaults, and what of them goes to another process."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

import pytest

from octavo.privacy import Masker, MemoryVault, Recognizer
from personal_texts import EMAIL, MANY, MANY_MASKED, PHONE

KEY = b"0123456789abcdef"


def even(value: str) -> bool:
    return int(value) % 2 == 0


class Nowhere:
    """A vault that could be opened anywhere."""

    def put(self, kind: str, value: str, /) -> str:
        return "7"

    def get(self, kind: str, reference: str, /) -> str | None:
        return f"{kind} {reference}"


STAFF = Recognizer("STAFF", "[0-9]{4}", validator=even, context=["Badge"], confidence=33)


def there_and_back(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - made here


def test_a_masker_does_the_same_after_pickling() -> None:
    masker = there_and_back(Masker(kinds=["EMAIL"], strict=True, recognizers=[STAFF]))
    text = f"badge 1234 1235 {EMAIL} {PHONE[:3]}"
    assert masker.mask(text) == f"badge [STAFF] 1235 [EMAIL] {PHONE[:3]}"
    assert (masker.kinds, masker.strict) == (("EMAIL",), True)
    assert masker.find(text)[0].confidence == 33
    assert there_and_back(Masker()).mask(MANY) == MANY_MASKED
    assert there_and_back(Masker(vault=Nowhere())).unmask("[EMAIL:7]") == "EMAIL 7"


def test_maskers_work_in_a_pool_of_processes() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(Masker(recognizers=[STAFF]).mask, [MANY, "badge 1234"])) == [MANY_MASKED, "badge [STAFF]"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Masker(pseudonym_key=KEY), "pseudonym key cannot be pickled"),
        (MemoryVault(), "MemoryVault cannot be pickled"),
        (Masker(vault=MemoryVault()), "MemoryVault cannot be pickled"),
        (Masker().counting(lambda _kind, _times: None), "counts cannot be pickled"),
    ],
    ids=["key", "vault", "masker with a vault", "counting"],
)
def test_what_must_not_leave_the_process_says_so(value: object, words: str) -> None:
    with pytest.raises(TypeError, match=words) as caught:
        pickle.dumps(value)
    assert KEY.decode() not in str(caught.value)


@dataclass
class Settings:
    masker: Masker
    vault: MemoryVault
    words: list[str] = field(default_factory=list)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy])
def test_copies_of_settings_keep_what_they_hold(again: Any) -> None:
    vault = MemoryVault()
    settings = again(Settings(Masker(vault=vault, recognizers=[STAFF]), vault))
    masked = settings.masker.mask(PHONE)
    assert settings.vault is vault
    assert len(vault) == 1, "one store, or a token would mean two values"
    assert settings.masker.unmask(masked) == PHONE
    assert again(Masker(pseudonym_key=KEY)).mask(PHONE) == Masker(pseudonym_key=KEY).mask(PHONE)
    assert again(STAFF).find("1234")


def test_counting_leaves_the_masker_alone() -> None:
    counts: list[tuple[str, int]] = []
    masker = Masker()
    counting = masker.counting(lambda kind, times: counts.append((kind, times)))
    assert masker.mask(PHONE) == counting.mask(PHONE)
    assert "".join(counting.mask_stream([PHONE[:5], PHONE[5:]])) == "[KR_PHONE]"
    assert counts == [("KR_PHONE", 1), ("KR_PHONE", 1)]
