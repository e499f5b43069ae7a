"""What is said when masking cannot be done: never a value that was to be masked, wherever an error ends up."""

import io
import logging
import traceback
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from octavo import privacy
from octavo.errors import ArgumentError, MaskingError, OctavoError, RecognizerError
from octavo.privacy import Masker, Match, MemoryVault, Recognizer
from personal_texts import EMAIL, PHONE, RRN

SECRET = "hunter2Zq9xK"  # noqa: S105 - invented


def everything_said(error: BaseException) -> str:
    """All that a log or a report of errors shows of an exception, and of those that it names."""
    stream = io.StringIO()
    logger = logging.getLogger("octavo.tests")
    handler = logging.StreamHandler(stream)
    logger.addHandler(handler)
    logger.error("failed", exc_info=error)
    logger.removeHandler(handler)
    said = [stream.getvalue(), *traceback.format_exception(error)]
    one: BaseException | None = error
    while one is not None:
        said += [str(one), repr(one), repr(one.args), repr(vars(one))]
        one = one.__cause__ or one.__context__
    return "\n".join(said)


def said_by(work: Callable[[], object], error: type[OctavoError] = ArgumentError) -> str:
    with pytest.raises(error) as caught:
        work()
    return everything_said(caught.value)


BYTES = RRN.encode()

NO_TEXTS: dict[str, Callable[[Any], object]] = {
    "mask": lambda masker: masker.mask(BYTES),
    "find": lambda masker: masker.find(BYTES),
    "a list as text": lambda masker: masker.mask([RRN]),
    "an item": lambda masker: masker.mask_all(["a", {"rrn": RRN}]),
    "a text as list": lambda masker: masker.mask_all(RRN),
    "bytes as list": lambda masker: masker.mask_all(BYTES),
    "a chunk": lambda masker: masker.stream().push(BYTES),
    "chunks": lambda masker: list(masker.mask_stream([BYTES])),
    "unmask": lambda masker: masker.unmask(BYTES),
}


@pytest.mark.parametrize("work", NO_TEXTS.values(), ids=NO_TEXTS)
def test_what_is_no_text_is_told_by_its_class_alone(work: Callable[[Any], object]) -> None:
    for masker in (Masker(vault=MemoryVault()), Masker(vault=MemoryVault(), recognizers=[Recognizer("ID", "x")])):
        said = said_by(lambda masker=masker: work(masker))  # type: ignore[misc]
        assert "must be a" in said
        assert any(name in said for name in ("bytes", "str", "dict", "list"))
        assert RRN not in said


def test_the_class_is_what_was_got() -> None:
    with pytest.raises(ArgumentError, match=r"^text must be a text, got bytes$") as caught:
        privacy.mask(BYTES)  # type: ignore[arg-type]
    assert caught.value.got is bytes


BLANKS = ("\u200b", "\u00a0", "\u00ad", "\u2003", "\t", "\u202e", "\ud800", "'", "\\", "\n")


@pytest.mark.parametrize("blank", BLANKS, ids=ascii)
def test_the_place_of_a_bad_value_shows_keys_as_they_are_masked(blank: str) -> None:
    key = f"{blank}850228{blank if blank in BLANKS[:3] else ''}-1234567{blank}"
    assert privacy.mask(key) != key
    said = said_by(lambda: privacy.mask_json({key: object()}))
    assert "value['" in said or 'value["' in said
    assert "1234567" not in said
    assert "850228" not in said


def test_a_key_that_is_cut_is_masked_before() -> None:
    for filler in range(60, 82):
        said = said_by(lambda filler=filler: privacy.mask_json({"x" * filler + f" {RRN}": object()}))  # type: ignore[misc]
        assert "850228" not in said


def test_a_key_below_a_key_is_shown_in_the_light_of_it() -> None:
    said = said_by(lambda: privacy.mask_json({"password": {SECRET: object()}}))
    assert SECRET not in said
    assert "password" in said


def fails(value: str) -> bool:
    return int(value.removeprefix("x")) > 3


class Fails:
    def find(self, text: str, /) -> Iterable[Match]:
        raise ValueError(f"cannot read {text}")


class Answers:
    """A finder that answers what it is told to."""

    def __init__(self, *answers: Any) -> None:
        self.answers = answers

    def find(self, text: str, /) -> Iterable[Any]:
        return self.answers


def test_what_a_recogniser_raises_is_told_by_class_and_place() -> None:
    recognizers = (Recognizer("ID", "x.*", validator=fails), Fails())
    for recognizer in recognizers:
        masker = Masker(recognizers=[recognizer])
        said = said_by(lambda masker=masker: masker.mask(f"x{SECRET}"), RecognizerError)  # type: ignore[misc]
        assert "raised ValueError" in said
        assert "test_privacy_errors.py:" in said
        assert SECRET not in said


NO_MATCHES: tuple[Any, ...] = (
    Match(f"홍길동 call {RRN}", 0, 2),
    Match("PERSON", 0.0, 2.0),  # type: ignore[arg-type]
    Match("PERSON", "0", 2),  # type: ignore[arg-type]
    Match("PERSON", start=True, end=2),
    Match("PERSON", 0, 2, 999),
    Match("PERSON", 0, 2, 0),
    Match("PERSON", 0, 2, "hi"),  # type: ignore[arg-type]
    Match(None, 0, 2),  # type: ignore[arg-type]
    None,
)


@pytest.mark.parametrize("answer", NO_MATCHES, ids=range(len(NO_MATCHES)))
def test_an_answer_that_cannot_be_used_is_the_recogniser_s_fault(answer: object) -> None:
    masker = Masker(recognizers=[Answers(answer)])
    for work in (masker.mask, masker.find):
        said = said_by(lambda work=work: work(f"홍길동 {PHONE}"), RecognizerError)  # type: ignore[misc]
        assert "the recogniser Answers" in said
        assert RRN not in said
        assert "홍길동 call" not in said


def test_an_answer_that_is_no_list_is_the_recogniser_s_fault() -> None:
    class Nothing:
        def find(self, text: str, /) -> Any:
            return None

    with pytest.raises(RecognizerError, match="the recogniser Nothing"):
        Masker(recognizers=[Nothing()]).mask("x")


@pytest.mark.parametrize("value", [7, RRN.encode(), [EMAIL]])
def test_a_vault_that_gives_no_text_back_is_told(value: Any) -> None:
    class Numbers:
        def put(self, kind: str, value: str, /) -> str:
            return "abcdefghijkl:1"

        def get(self, kind: str, reference: str, /) -> Any:
            return value

    masker = Masker(vault=Numbers())
    said = said_by(lambda: masker.unmask(masker.mask(PHONE)), MaskingError)
    assert "Numbers.get must give a text or None" in said
    assert RRN not in said
    assert EMAIL not in said


@pytest.mark.parametrize("chunks", [None, 7, object()])
def test_chunks_that_cannot_be_read_are_refused_at_once(chunks: Any) -> None:
    for stream in (privacy.mask_stream, Masker().mask_stream):
        with pytest.raises(ArgumentError, match="chunks must be texts in order"):
            stream(chunks)
