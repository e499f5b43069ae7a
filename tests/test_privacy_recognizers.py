"""Recognisers of one's own: patterns, validators, context words, other finders, and how they join what is built in."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import ArgumentError, MaskingError, RecognizerError
from octavo.privacy import Masker, Match, Recognizer
from personal_texts import CARD, EMAIL, PHONE, RRN, texts

BADGE = Recognizer("BADGE", r"\bB-[0-9]{4}\b")


def masked(text: str, *recognizers: Any) -> str:
    return Masker(recognizers=recognizers).mask(text)


# ---- patterns and validators ----------------------------------------------------------------------------------------


def test_a_pattern_finds_beside_the_built_in_kinds() -> None:
    text = f"😀 B-1234가, {PHONE}, B-12345"
    masker = Masker(recognizers=[Recognizer("BADGE", r"(?-u:\b)B-[0-9]{4}(?-u:\b)", confidence=70)])
    assert masker.mask(text) == "😀 [BADGE]가, [KR_PHONE], B-12345"
    first, _ = masker.find(text)
    assert (first.kind, first.start, first.end, first.bytes, first.utf16) == ("BADGE", 2, 8, (5, 11), (3, 9))
    assert first.confidence == 70


def test_a_validator_has_the_last_word() -> None:
    even = Recognizer("EVEN", r"\b[0-9]{4}\b", validator=lambda value: int(value) % 2 == 0)
    assert masked("1234 1235 \ud800 1236", even) == "[EVEN] 1235 \ud800 [EVEN]"


def failing(value: str) -> bool:
    raise ZeroDivisionError(f"with {value}")


class Awkward:
    def __bool__(self) -> bool:
        raise ValueError("neither")


@pytest.mark.parametrize("validator", [failing, lambda _: Awkward(), lambda: True])
def test_a_validator_that_raises_is_named_and_the_value_is_not(validator: Callable[..., object]) -> None:
    masker = Masker(recognizers=[BADGE, Recognizer("ODD", "[0-9]{4}", validator=validator)])
    for work in (masker.mask, masker.find, lambda text: masker.mask_all([text]), masker.mask_json):
        with pytest.raises(RecognizerError, match="the validator of the recogniser ODD raised") as caught:
            work("a 1234")
        assert caught.value.kind == "ODD"
        assert "1234" not in str(caught.value)
        assert ".py:" in str(caught.value)
        assert caught.value.__cause__ is caught.value.__context__ is None, "a log would write it out"


def test_a_validator_may_mask() -> None:
    nested = Masker(recognizers=[BADGE])
    asks = Recognizer("ID", "[A-Z]-[0-9]{4}", validator=lambda value: nested.mask(value) == value)
    assert masked("B-1234 C-1234", asks) == "B-1234 [ID]"


def test_patterns_look_at_lines() -> None:
    assert masked("ab\nb\nab", Recognizer("ID", "^ab$")) == "[ID]\nb\n[ID]"
    assert masked("a\nb", Recognizer("ID", r"(?s)a.b|a\sb")) == "a\nb"


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("id", "x"), MaskingError, "kind must be 2 to 48 capitals"),
        (("K" * 49, "x"), MaskingError, "kind must be 2 to 48 capitals"),
        (("", "x"), MaskingError, "kind must be"),
        ((7, "x"), ArgumentError, "kind must be a text"),
        (("ID", "("), MaskingError, "pattern cannot be used"),
        (("ID", "(?=x)"), MaskingError, "look-around"),
        (("ID", r"(a)\1"), MaskingError, "backreferences"),
        (("ID", b"x"), ArgumentError, "pattern must be a text"),
    ],
)
def test_what_cannot_be_used_is_refused(arguments: tuple[Any, ...], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Recognizer(*arguments)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"validator": 7}, ArgumentError, "validator must be a function"),
        ({"context": "word"}, ArgumentError, "context must be a list of words"),
        ({"context": [7]}, ArgumentError, r"context\[0\] must be a text"),
        ({"context": [""]}, MaskingError, r"context\[0\] must have 1 to 30 characters"),
        ({"context": ["x" * 31]}, MaskingError, "got 31"),
        ({"confidence": 0}, MaskingError, "confidence must be from 1 to 100, got 0"),
        ({"confidence": 101}, MaskingError, "confidence must be from 1 to 100"),
        ({"confidence": 0.5}, ArgumentError, "confidence must be a whole number"),
        ({"confidence": True}, ArgumentError, "confidence must be a whole number"),
    ],
)
def test_options_that_cannot_be_used_are_refused(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Recognizer("ID", "x", **options)


def test_no_pattern_stalls_on_any_text() -> None:
    assert masked("a" * 200_000, Recognizer("ID", "(a*)*b|(a|aa)+$b|(.*)(.*)(.*)c")) == "a" * 200_000


# ---- context --------------------------------------------------------------------------------------------------------

STAFF = Recognizer("STAFF", r"\b[0-9]{6}\b", context=["사번", "Badge"])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("사번 123456", True),
        ("123456 (badge)", True),
        ("BADGE: 123456", True),
        ("123456", False),
        ("사번" + "." * 27 + " 123456", True),
        ("사번" + "." * 28 + " 123456", False),
        ("사번\n123456", False),
        ("123456\nbadge", False),
    ],
)
def test_context_words_count_within_30_characters_of_the_line(text: str, *, found: bool) -> None:
    assert masked(text, STAFF) == (text.replace("123456", "[STAFF]") if found else text)


def test_what_is_masked_in_between_is_no_distance() -> None:
    masker = Masker(recognizers=[STAFF], pseudonym_key=b"0123456789abcdef")
    text = f"사번 {RRN} {PHONE} {EMAIL} {CARD} 123456"
    once = masker.mask(text)
    assert "[STAFF:" in once
    assert masker.mask(once) is once
    far = f"사번 {'.' * 20} {RRN} {'.' * 10} 123456"
    once = Masker(recognizers=[STAFF]).mask(far)
    assert Masker(recognizers=[STAFF]).mask(once) is once


@given(texts)
def test_masking_twice_is_masking_once(text: str) -> None:
    word = Recognizer("WORD", "[A-Z]{4}|[0-9]{3}", context=["계좌", "a"])
    for masker in (
        Masker(recognizers=[word, STAFF]),
        Masker(recognizers=[STAFF, word], pseudonym_key=b"0123456789abcdef"),
    ):
        once = masker.mask(text)
        assert masker.mask(once) == once


def test_the_key_of_a_value_is_context() -> None:
    assert Masker(recognizers=[STAFF]).mask_json({"사번": "123456", "n": "123456", "badge": [123456, "123456"]}) == {
        "사번": "[STAFF]",
        "n": "123456",
        "badge": [123456, "[STAFF]"],
    }


# ---- joining --------------------------------------------------------------------------------------------------------


def test_overlapping_findings_are_masked_as_one_named_by_the_longest() -> None:
    longer = Recognizer("CONTACT", r"tel [0-9-]+ ext [0-9]+")
    assert masked(f"x tel {PHONE} ext 12 y", longer) == "x [CONTACT] y"
    shorter = Recognizer("PART", r"1234-5678 e")
    assert masked(f"x {PHONE} ext", shorter) == "x [KR_PHONE]xt", "nothing of either is left"


def test_of_two_that_are_as_long_the_more_confident_names_it_then_the_caller_s_own() -> None:
    assert masked(EMAIL, Recognizer("LOW", r"\S+@\S+", confidence=1)) == "[EMAIL]"
    assert masked(EMAIL, Recognizer("OWN", r"\S+@\S+", confidence=100)) == "[OWN]"


def test_a_built_in_kind_may_be_given_more_patterns() -> None:
    assert masked("내선 1234", Recognizer("KR_PHONE", r"내선 [0-9]{4}")) == "[KR_PHONE]"


# ---- other finders --------------------------------------------------------------------------------------------------


class Names:
    """A stand-in for a model: knows two names."""

    def __init__(self, *matches: Any) -> None:
        self.matches = matches

    def find(self, text: str, /) -> Iterable[Match]:
        yield from self.matches
        for name in ("김철수", "Kim"):
            if name in text:
                yield Match("PERSON", text.index(name), text.index(name) + len(name), 85)


def test_any_finder_takes_part() -> None:
    masker = Masker(recognizers=[Names(), BADGE])
    assert masker.mask(f"Kim, 김철수 B-1234 {PHONE}") == "[PERSON], [PERSON] [BADGE] [KR_PHONE]"
    assert [one.kind for one in masker.find("김철수 Kim")] == ["PERSON", "PERSON"]


@pytest.mark.parametrize(
    "match", ["PERSON", (0, 1), Match("PERSON", -1, 1), Match("PERSON", 1, 1), Match("XX", 0, 99), None]
)
def test_what_is_no_match_inside_the_text_is_refused(match: object) -> None:
    with pytest.raises(RecognizerError, match="the recogniser Names must find a Match inside the text"):
        masked("abc", Names(match))


def test_a_kind_that_cannot_stand_in_a_token_is_refused() -> None:
    with pytest.raises(RecognizerError, match="the recogniser Names must give a kind of 2 to 48 capitals"):
        masked("abc", Names(Match("per son]", 0, 1)))


class Broken:
    def find(self, text: str, /) -> Iterable[Match]:
        raise MemoryError


def test_a_finder_that_raises_is_named() -> None:
    with pytest.raises(RecognizerError, match="the recogniser Broken raised MemoryError") as caught:
        masked("abc", Broken())
    assert caught.value.kind == "Broken"


# ---- what they are shown --------------------------------------------------------------------------------------------


class Listens:
    """A finder that finds nothing, and remembers what it was shown."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def find(self, text: str, /) -> Iterable[Match]:
        self.shown.append(text)
        return ()


def test_a_recogniser_is_shown_values_as_they_are() -> None:
    listens = Listens()
    masker = Masker(recognizers=[listens])
    masker.mask_json({"id": 'x "abc" y', "사번 a": ["123456", {"k": 4111111111111111}]})
    assert sorted(listens.shown) == sorted(['x "abc" y', "id", "사번 a", "123456", "k", "4111111111111111"])


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("^[0-9]{6}$", "123456"), ('"[a-z]+"', 'x "abc" y'), ('"[a-z]+"', "abc"), ("^a.c$", "abc"), ("id|:", "abc")],
)
def test_a_pattern_finds_in_a_value_what_it_finds_in_the_text(pattern: str, text: str) -> None:
    masker = Masker(recognizers=[Recognizer("OWN", pattern)])
    for key in ("id", "", "k"):
        assert masker.mask_json({key: text}).popitem()[1] == masker.mask(text)
    assert masker.mask_json([text]) == [masker.mask(text)]


def test_context_in_a_key_counts_as_if_it_stood_before() -> None:
    far = "사번" + "." * 40
    assert Masker(recognizers=[STAFF]).mask_json({"사번": "no. 123456\n123456", far: "123456"}) == {
        "사번": "no. [STAFF]\n123456",
        far: "123456",
    }


# ---- again and again ------------------------------------------------------------------------------------------------

WORDY = Recognizer("WORDY", "[a-z]{3}[0-9]{2,}")
LETTERED = Recognizer("LETTERED", r"\b[A-Z]{3}\b")
GLUED = (
    "567810abc23사번",
    "사번 567810abc23",
    "은행\ncom11-1212345678",
    "법인\n3333-01-1234567abc23",
    "은행 abc2345678901234567890123456\n110-123-456789",
    f"ABCabc23{PHONE}",
    f"{PHONE}abc23{PHONE}\nABCabc23DEF사번abc23123456",
    "계좌 abc23abc23abc23 110123456789abc23\nabc23-110123456789",
)
GLUED_MASKER = Masker(recognizers=[WORDY, STAFF, LETTERED])


@pytest.mark.parametrize("text", GLUED, ids=range(len(GLUED)))
def test_what_hung_on_a_finding_is_found_the_first_time(text: str) -> None:
    once = GLUED_MASKER.mask(text)
    assert once != text
    assert GLUED_MASKER.mask(once) == once
    for at in range(len(text) + 1):
        assert "".join(GLUED_MASKER.mask_stream([text[:at], text[at:]])) == once, at
    value = GLUED_MASKER.mask_json({"사번": text, text: [text]})
    assert GLUED_MASKER.mask_json(value) == value


def test_a_number_that_only_a_letter_hid_is_masked_with_it() -> None:
    assert GLUED_MASKER.mask("567810abc23사번") == "[STAFF][WORDY]사번"


glued = st.lists(
    st.sampled_from([*GLUED, "abc23", "사번 ", "567810", "\n", "은행", "ABC", " ", "-", "110-123-456789", PHONE, RRN]),
    max_size=8,
).map("".join)


@given(glued, st.integers(0, 200))
def test_glued_texts_are_masked_once_and_the_same_in_a_stream(text: str, at: int) -> None:
    once = GLUED_MASKER.mask(text)
    assert GLUED_MASKER.mask(once) == once
    assert "".join(GLUED_MASKER.mask_stream([text[:at], text[at:]])) == once
    expected, place = "", 0
    for one in GLUED_MASKER.find(text):
        assert place <= one.start < one.end
        expected += f"{text[place : one.start]}[{one.kind}]"
        place = one.end
    assert expected + text[place:] == once


def test_a_model_is_asked_once() -> None:
    listens = Listens()
    assert Masker(recognizers=[listens, WORDY]).mask(f"abc23 {PHONE}") == "[WORDY] [KR_PHONE]"
    assert listens.shown == [f"abc23 {PHONE}"]
