"""Pseudonyms and vaults: what stands in the place of a value when it must be told apart, or come back."""

import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from hmac import digest
from typing import Any

import pytest
from hypothesis import given

from octavo.errors import ArgumentError, MaskingError, OctavoError
from octavo.privacy import Masker, MemoryVault, Vault
from personal_texts import CARD, EMAIL, MANY, PHONE, RRN, texts

KEY = b"0123456789abcdef"
KEYED = Masker(pseudonym_key=KEY)

# ---- pseudonyms -----------------------------------------------------------------------------------------------------


def test_a_pseudonym_is_the_hmac_of_kind_and_value() -> None:
    expected = digest(KEY, b"KR_PHONE\x0001012345678", "sha256")[:8].hex()
    assert KEYED.mask(f"call {PHONE}") == f"call [KR_PHONE:{expected}]"
    assert sha256(b"01012345678").hexdigest()[:8] not in expected, "without the key it could be tried out"


@pytest.mark.parametrize(
    "spelling", ["010 1234 5678", "010.1234.5678", "01012345678", "０１０-１２３４-５６７８", "010–1234–5678"]
)
def test_every_spelling_of_a_value_has_the_same_pseudonym(spelling: str) -> None:
    assert KEYED.mask(f"전화 {spelling}") == KEYED.mask(f"전화 {PHONE}")


def test_other_values_kinds_and_keys_have_other_pseudonyms() -> None:
    tokens = [KEYED.mask(f"전화 010-1234-{number:04}") for number in range(2000)]
    assert len(set(tokens)) == 2000
    assert Masker(pseudonym_key=KEY + b"x").mask(tokens[0] + PHONE) != KEYED.mask(tokens[0] + PHONE)
    digits = KEYED.mask(CARD)
    assert digits.startswith("[CREDIT_CARD:")
    assert not any(token.split(":")[1].rstrip("]").isdigit() for token in tokens)


@given(texts)
def test_masking_twice_is_masking_once(text: str) -> None:
    once = KEYED.mask(text)
    assert KEYED.mask(once) is once
    assert Masker().mask(once) is once, "another masker leaves pseudonyms alone as well"


def test_a_pseudonym_of_a_secret_stays() -> None:
    once = KEYED.mask("password: hunter2Zq9xK and token=abcDEF123456xyzQ")
    assert once.count("[SECRET:") == 2
    assert KEYED.mask(once) is once


def test_nothing_hides_in_the_form_of_a_token() -> None:
    for text in (f"[KR_RRN:{PHONE}]", f"[EMAIL:{CARD}]", f"[KR_RRN:{PHONE.replace('-', '')}]", f"[EMAIL:x-{PHONE}]"):
        for masker in (KEYED, Masker(), Masker(vault=MemoryVault())):
            masked = masker.mask(text)
            assert "[KR_PHONE" in masked or "[CREDIT_CARD" in masked, text


@pytest.mark.parametrize("key", [b"", b"short", b"0123456789abcde", bytearray(15)])
def test_a_short_key_is_refused(key: bytes) -> None:
    with pytest.raises(MaskingError, match=f"pseudonym_key must have at least 16 bytes, got {len(key)}") as caught:
        Masker(pseudonym_key=key)
    assert caught.value.name == "pseudonym_key"


@pytest.mark.parametrize("key", ["0123456789abcdef-text", 7, ["0123456789abcdef"]])
def test_a_key_that_is_no_bytes_is_refused_and_not_shown(key: Any) -> None:
    with pytest.raises(ArgumentError, match="pseudonym_key must be bytes") as caught:
        Masker(pseudonym_key=key)
    assert "0123456789abcdef" not in f"{caught.value} {caught.value.got!r}"


def test_the_key_is_never_shown() -> None:
    shown = f"{KEYED!r} {KEYED} {KEYED.stream()!r} {dir(KEYED)}"
    assert "0123456789abcdef" not in shown
    assert KEY.hex() not in shown
    with pytest.raises(TypeError):
        pickle.dumps(KEYED)


def test_a_key_may_change_after_it_was_given() -> None:
    key: Any = bytearray(KEY)
    masker = Masker(pseudonym_key=key)
    key[:] = bytes(len(key))
    assert masker.mask(PHONE) == KEYED.mask(PHONE)


# ---- vaults ---------------------------------------------------------------------------------------------------------


@given(texts)
def test_unmasking_gives_back_the_exact_text(text: str) -> None:
    masker = Masker(vault=MemoryVault())
    masked = masker.mask(text)
    assert masker.unmask(masked) == text
    assert masker.mask(masked) is masked
    assert Masker().mask(masked) is masked


def test_the_same_value_has_the_same_token_and_each_spelling_comes_back() -> None:
    masker = Masker(vault=MemoryVault())
    text = f"{PHONE}, {PHONE}, 010 1234 5678, {RRN}"
    masked = masker.mask(text)
    first, second, third, fourth = masked.split(", ")
    assert first == second != third
    assert fourth.startswith("[KR_RRN:")
    assert masker.unmask(f"{fourth} then {first}") == f"{RRN} then {PHONE}"
    assert masker.unmask("none") is not None
    assert masker.unmask(plain := "no token [here]") is plain


def test_a_token_of_another_vault_stays() -> None:
    one, other = Masker(vault=MemoryVault()), Masker(vault=MemoryVault())
    masked = one.mask(MANY)
    other.mask("010-9999-9999")
    assert other.unmask(masked) is masked
    assert one.unmask(masked) == MANY


def test_a_text_with_what_looks_like_a_token_is_not_turned_into_somebody_s_value() -> None:
    masker = Masker(vault=MemoryVault())
    masker.mask(RRN)
    forged = "[KR_RRN:1] [KR_RRN] [KR_RRN:aaaaaaaaaaaa:1] [EMAIL::1]"
    masked = masker.mask(f"{forged} {PHONE}")
    assert masked.startswith(forged)
    assert masker.unmask(masked) == f"{forged} {PHONE}"


def test_a_token_with_another_kind_stays() -> None:
    masker = Masker(vault=MemoryVault())
    forged = masker.mask(EMAIL).replace("EMAIL", "KR_RRN")
    assert masker.unmask(forged) is forged


def test_a_vault_shows_no_value_and_can_be_emptied() -> None:
    vault = MemoryVault()
    masker = Masker(vault=vault)
    masked = masker.mask(MANY)
    assert repr(vault) == "<MemoryVault: 4 values>"
    assert len(vault) == 4
    assert not any(value in repr(masker) for value in (RRN, PHONE, EMAIL, CARD))
    vault.clear()
    assert masker.unmask(masked) is masked
    again = masker.mask(MANY)
    assert again != masked, "a forgotten token is never given out again"


def test_only_a_masker_with_a_vault_can_unmask() -> None:
    with pytest.raises(MaskingError, match="only a masker with a vault"):
        KEYED.unmask("x")
    with pytest.raises(ArgumentError, match="text must be a text"):
        Masker(vault=MemoryVault()).unmask(None)  # type: ignore[arg-type]


def test_a_key_and_a_vault_exclude_each_other() -> None:
    with pytest.raises(MaskingError, match="exclude each other"):
        Masker(pseudonym_key=KEY, vault=MemoryVault())


class Answers:
    """A vault that answers what it is told to."""

    def __init__(self, reference: Any) -> None:
        self.reference = reference

    def put(self, kind: str, value: str, /) -> str:
        if isinstance(self.reference, Exception):
            raise self.reference
        return self.reference  # type: ignore[no-any-return]

    def get(self, kind: str, reference: str, /) -> str | None:
        return None


@pytest.mark.parametrize("reference", ["", "a]b", "가", "x" * 129, "short", "X" * 20, 7, None, RRN, CARD, f"x:{CARD}"])
def test_a_reference_that_cannot_stand_in_a_token_is_refused(reference: object) -> None:
    vault = Answers(reference)
    assert isinstance(vault, Vault)
    with pytest.raises(MaskingError, match=r"Answers.put must give a reference") as caught:
        Masker(vault=vault).mask(PHONE)
    assert RRN not in str(caught.value)


@pytest.mark.parametrize("reference", ["7", "x:1", "0123456789abcdef", "x" * 128])
def test_references_that_are_tokens_are_taken(reference: str) -> None:
    masker = Masker(vault=Answers(reference))
    token = f"[KR_PHONE:{reference}]"
    assert masker.mask(PHONE) == token
    assert masker.mask(f"계좌 {token} password: {token}") == f"계좌 {token} password: {token}"


def test_what_a_vault_raises_comes_through() -> None:
    with pytest.raises(ConnectionError):
        Masker(vault=Answers(ConnectionError("down"))).mask(PHONE)
    assert not issubclass(ConnectionError, OctavoError)


def test_a_vault_serves_many_threads() -> None:
    vault = MemoryVault()
    masker = Masker(vault=vault)
    numbers = [f"010-1234-{number:04}" for number in range(200)]
    with ThreadPoolExecutor(8) as pool:
        masked = list(pool.map(masker.mask, numbers * 5))
    assert len(vault) == 200
    assert [masker.unmask(token) for token in masked] == numbers * 5


# ---- one value, one pseudonym ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2001:db8::1", "2001:0DB8:0:0:0:0:0:1"),
        ("203.0.113.7", "::ffff:203.0.113.7"),
        ("::ffff:203.0.113.7", "::ffff:cb00:7107"),
        ("00:1a:2b:3c:4d:5e", "00:1A:2B:3C:4D:5E"),
    ],
)
def test_addresses_have_one_pseudonym_in_every_spelling(one: str, other: str) -> None:
    masker = Masker(pseudonym_key=KEY, kinds=["IP_ADDRESS", "MAC_ADDRESS"])
    first, second = (masker.mask(f"a {address} b") for address in (one, other))
    assert first == second
    assert ":" in first
    assert masker.mask("a 2001:db8::2 b") != first


@pytest.mark.parametrize(("password", "written"), [("hunter2Zq9xK", "hunter2Zq9xK"), ("p@ss9/Zq", "p%40ss9%2fZq")])
def test_a_password_has_one_digest_wherever_it_stands(password: str, written: str) -> None:
    in_url = KEYED.mask(f"postgres://kim:{written}@db.example/x")
    alone = KEYED.mask(f'password="{password}"')
    digests = [re.findall(r":([0-9a-z]{16})\]", text) for text in (in_url, alone)]
    assert len(digests[0]) == 1
    assert digests[0] == digests[1]
