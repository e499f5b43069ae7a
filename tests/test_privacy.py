"""Masking texts: the recorded vectors, places in three encodings, identity, arguments, threads."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from hypothesis import given

from octavo import privacy
from octavo.errors import ArgumentError, MaskingError
from octavo.privacy import Finding, Masker
from personal_texts import CARD, EMAIL, MANY, MANY_MASKED, PHONE, RRN, Vector, texts, vectors

# ---- recorded vectors -----------------------------------------------------------------------------------------------

EVASIONS_CAUGHT = 0.95


def wrong(tier: str) -> list[str]:
    cases = [case for case in vectors() if case["tier"] == tier]
    assert cases
    return [case["id"] for case in cases if not right(case)]


def right(case: Vector) -> bool:
    text, found = case["text"], privacy.find(case["text"])
    spans = [(one.kind, one.start, one.end) for one in found]
    return privacy.mask(text) == case["redacted"] and spans == [
        (span["type"], span["start"], span["end"]) for span in case["spans"]
    ]


@pytest.mark.parametrize("tier", ["core", "ctx", "neg"])
def test_the_recorded_vectors_are_masked_exactly(tier: str) -> None:
    assert wrong(tier) == []


def test_nearly_every_recorded_evasion_is_caught() -> None:
    missed = wrong("evade")
    cases = [case for case in vectors() if case["tier"] == "evade"]
    assert len(missed) <= (1 - EVASIONS_CAUGHT) * len(cases), missed


def test_what_is_left_alone_comes_back_as_the_same_object() -> None:
    for case in vectors():
        if not case["spans"]:
            assert privacy.mask(case["text"]) is case["text"]


def test_recorded_vectors_masked_stay_as_they_are() -> None:
    for case in vectors():
        assert privacy.mask(case["redacted"]) is case["redacted"], case["id"]


# ---- places ---------------------------------------------------------------------------------------------------------


def test_places_are_right_in_every_encoding() -> None:
    text = f"😀가é\n{RRN} 😀{PHONE}\U0001d11e끝"
    found = privacy.find(text)
    assert [one.kind for one in found] == ["KR_RRN", "KR_PHONE"]
    assert [text[one.start : one.end] for one in found] == [RRN, PHONE]
    for one in found:
        assert text.encode()[slice(*one.bytes)] == text[one.start : one.end].encode()
        units = text.encode("utf-16-le")
        assert units[2 * one.utf16[0] : 2 * one.utf16[1]] == text[one.start : one.end].encode("utf-16-le")
    assert found[0].utf16[0] != found[0].start != found[0].bytes[0], "the text tells the encodings apart"


@given(texts)
def test_places_agree_with_python_s_own_encoders(text: str) -> None:
    end = 0
    for one in privacy.find(text):
        assert end <= one.start < one.end <= len(text)
        end = one.end
        for places, encoding, width in ((one.bytes, "utf-8", 1), (one.utf16, "utf-16-le", 2)):
            before, inside = text[: one.start], text[one.start : one.end]
            start = len(before.encode(encoding, "surrogatepass")) // width
            assert places == (start, start + len(inside.encode(encoding, "surrogatepass")) // width)
        assert 1 <= one.confidence <= 100
        assert one.kind in privacy.KINDS


@given(texts)
def test_masking_replaces_what_is_found_and_nothing_else(text: str) -> None:
    expected, at = "", 0
    for one in privacy.find(text):
        expected += text[at : one.start] + f"[{one.kind}]"
        at = one.end
    assert privacy.mask(text) == expected + text[at:]


@given(texts)
def test_masking_twice_is_masking_once(text: str) -> None:
    once = privacy.mask(text)
    assert privacy.mask(once) is once
    assert privacy.find(once) == ()


# ---- lone surrogates and other strings ------------------------------------------------------------------------------


# Texts of lone surrogates all look alike to the lint, hence the numbers.
HALVES = {1: "\ud800", 2: "\udfff", 3: "\udc80\ud83d", 4: "\ud83d\ude00", 5: "\ufffd\ud800\ufffd"}


@pytest.mark.parametrize("number", HALVES)
def test_lone_surrogates_are_masked_around_and_given_back(number: int) -> None:
    half = HALVES[number]
    text = f"{half}{RRN}{half} 가{half}{EMAIL} {half}"
    assert privacy.mask(text) == f"{half}[KR_RRN]{half} 가{half}[EMAIL] {half}"
    assert [text[one.start : one.end] for one in privacy.find(text)] == [RRN, EMAIL]
    assert privacy.mask(half) is half
    long = half * 70_000 + RRN + half
    assert privacy.mask(long) == half * 70_000 + "[KR_RRN]" + half


class Name(str):
    __slots__ = ()


@pytest.mark.parametrize("text", ["", "nothing here", "가" * 1000, "a" * 200_000, "\ud800", Name("x")])
def test_the_same_object_comes_back_where_nothing_is_found(text: str) -> None:
    for masker in (privacy, Masker(), Masker(pseudonym_key=b"k" * 16), Masker(vault=privacy.MemoryVault())):
        assert masker.mask(text) is text
        assert masker.mask_all([text])[0] is text
        assert masker.mask_json(text) is text


def test_long_texts_are_masked_like_short_ones() -> None:
    filler = "로그 2026-05-21T10:20:30 GET /index.html 200\n" * 3000
    assert privacy.mask(filler + MANY + filler) == filler + MANY_MASKED + filler


def test_a_finding_can_be_logged() -> None:
    (found,) = privacy.find(f"카드 {CARD}")
    assert CARD not in repr(found)
    with pytest.raises(FrozenInstanceError):
        found.kind = "EMAIL"  # type: ignore[misc]
    assert found == Finding("CREDIT_CARD", 3, 19, (7, 23), (3, 19), found.confidence)
    assert len({found, found}) == 1


# ---- many texts -----------------------------------------------------------------------------------------------------


def test_many_texts_are_masked_like_each() -> None:
    given_texts = [MANY, "none", f"\ud800{RRN}", "", "가" * 100_000 + PHONE]
    assert privacy.mask_all(given_texts) == [privacy.mask(text) for text in given_texts]
    assert privacy.mask_all(iter(given_texts)) == privacy.mask_all(tuple(given_texts))
    assert privacy.mask_all([]) == []
    keyed = Masker(pseudonym_key=b"0123456789abcdef")
    assert keyed.mask_all(given_texts) == [keyed.mask(text) for text in given_texts]


# ---- options --------------------------------------------------------------------------------------------------------


def test_kinds_are_those_that_are_asked_for() -> None:
    masker = Masker(kinds=["EMAIL"])
    assert masker.mask(MANY) == MANY.replace(EMAIL, "[EMAIL]")
    assert masker.kinds == ("EMAIL",)
    assert Masker().kinds == privacy.DEFAULT_KINDS
    assert set(privacy.DEFAULT_KINDS) < set(privacy.KINDS)
    assert {"KR_RRN", "KR_PHONE", "EMAIL", "CREDIT_CARD", "PRIVATE_KEY", "SECRET"} <= set(privacy.DEFAULT_KINDS)
    assert "KR_BRN" not in privacy.DEFAULT_KINDS
    assert Masker(kinds=[]).mask(MANY) is MANY


def test_strict_masks_bare_numbers_with_a_possible_date() -> None:
    number = "8502281234560"  # its check digit does not fit
    assert Masker().mask(number) is number
    assert Masker(strict=True).mask(number) == "[KR_RRN]"
    assert Masker(strict=True).strict


BAD_TEXTS: tuple[object, ...] = (None, 7, b"bytes", ["x"])


@pytest.mark.parametrize("value", BAD_TEXTS, ids=repr)
def test_what_is_no_text_is_refused_by_name(value: Any) -> None:
    for masker in (privacy, Masker(pseudonym_key=b"k" * 16)):
        for work in (masker.mask, masker.find):
            with pytest.raises(ArgumentError, match="text must be a text"):
                work(value)
        with pytest.raises(ArgumentError, match=r"texts\[1\] must be a text"):
            masker.mask_all(["x", value])
    with pytest.raises(ArgumentError, match="texts must be a list of texts"):
        privacy.mask_all("one")


BAD_OPTIONS: tuple[tuple[dict[str, Any], type[Exception], str], ...] = (
    ({"kinds": ["KR_NAME"]}, MaskingError, "unknown kind 'KR_NAME': expected some of KR_RRN, "),
    ({"kinds": "EMAIL"}, ArgumentError, "kinds must be a list of names"),
    ({"kinds": [7]}, ArgumentError, r"kinds\[0\] must be a text"),
    ({"kinds": 7}, ArgumentError, "kinds must be a list of names"),
    ({"strict": 1}, ArgumentError, "strict must be True or False"),
    ({"recognizers": [object()]}, ArgumentError, r"recognizers\[0\] must be an object with find"),
    ({"recognizers": ["text"]}, ArgumentError, r"recognizers\[0\] must be"),
    ({"recognizers": 7}, ArgumentError, "recognizers must be a list"),
    ({"vault": {}}, ArgumentError, "vault must be an object with put"),
    ({"vault": privacy.MemoryVault}, ArgumentError, "vault must be an object with put"),
)


@pytest.mark.parametrize(("options", "error", "words"), BAD_OPTIONS, ids=str)
def test_an_option_that_cannot_be_used_is_refused_by_name(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words) as caught:
        Masker(**options)
    assert caught.value.name.split("[")[0] in options  # type: ignore[attr-defined]


def test_a_masker_never_changes() -> None:
    masker: Any = Masker()
    for name in ("kinds", "strict", "more"):
        with pytest.raises(AttributeError):
            setattr(masker, name, ())
    assert repr(masker) == f"<Masker: {len(privacy.DEFAULT_KINDS)} kinds, 0 recognisers, typed>"


# ---- threads --------------------------------------------------------------------------------------------------------


def test_one_masker_serves_many_threads() -> None:
    vault = privacy.MemoryVault()
    maskers = [Masker(), Masker(pseudonym_key=b"k" * 16), Masker(vault=vault)]
    long = MANY + " x" * 50_000
    expected = [masker.mask(long) for masker in maskers]

    def work(number: int) -> bool:
        masker = maskers[number % 3]
        joined = "".join(masker.mask_stream([long[:50], long[50:]]))
        return masker.mask(long) == joined == expected[number % 3] == masker.mask_all([long])[0]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(60)))
    assert len(vault) == 4
