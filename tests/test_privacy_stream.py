"""Streams of text: wherever they are cut, what comes out is the masked whole."""

import random
import tracemalloc
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import privacy
from octavo.errors import ArgumentError, MaskingError, RecognizerError
from octavo.privacy import Masker, Recognizer
from personal_texts import CARD, MANY, PEM, PHONE, RRN, texts, vectors

OWN = Recognizer("EMPLOYEE_ID", r"\bE[0-9]{4}\b", context=["사번"])
KEYED = Masker(pseudonym_key=b"0123456789abcdef", recognizers=[OWN])
MASKERS = {"default": Masker(), "keyed": Masker(pseudonym_key=b"0123456789abcdef"), "own recogniser": KEYED}

TEXTS = {
    "many": f"{MANY}\n다음 줄 사번 E1234, E99\n{MANY}",
    "private key": f"key:\n{PEM}\n끝 {PHONE}",
    "private key without an end": f"key: {PEM[:120]}",
    "surrogates": f"\ud800{RRN}\ud83d\ude00 {CARD}\udc80",
    "no end of line": f"사번 E1234 {PHONE}",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("masker", MASKERS.values(), ids=MASKERS)
def test_a_stream_cut_anywhere_gives_the_masked_whole(masker: Masker, text: str) -> None:
    whole = masker.mask(text)
    assert whole != text
    for at in range(len(text) + 1):
        assert "".join(masker.mask_stream([text[:at], text[at:]])) == whole, at
    assert "".join(masker.mask_stream(text)) == whole, "a character at a time"


def test_the_recorded_vectors_cut_anywhere() -> None:
    for case in vectors():
        text, whole = case["text"], privacy.mask(case["text"])
        for at in range(len(text) + 1):
            assert "".join(privacy.mask_stream([text[:at], text[at:]])) == whole, (case["id"], at)


@given(st.lists(texts, max_size=5))
def test_random_parts_give_the_masked_whole(parts: list[str]) -> None:
    for masker in MASKERS.values():
        assert "".join(masker.mask_stream(parts)) == masker.mask("".join(parts))


def test_what_is_certain_is_given_out_early() -> None:
    stream = Masker().stream()
    given_out = [stream.push("word " * 20) for _ in range(50)]
    assert len("".join(given_out)) >= 5000 - 1000, "too much is held back"
    assert "".join(given_out) + stream.finish() == "word " * 1000


def test_a_masker_with_recognisers_gives_out_whole_lines() -> None:
    stream = KEYED.stream()
    assert stream.push("사번 E12") == ""
    first = stream.push("34\n" + "word " * 500)
    assert first.startswith("사번 [EMPLOYEE_ID:")
    assert first.endswith("]\n")
    assert stream.finish() == "word " * 500


def test_many_small_parts_take_time_in_proportion() -> None:
    # 400,000 parts, none of which ends a line: were all of them joined for each, this would take hours.
    stream = KEYED.stream()
    for _ in range(400_000):
        assert stream.push("a ") == ""
    assert stream.finish() == "a " * 400_000


def test_a_finished_stream_takes_nothing_more() -> None:
    stream = Masker().stream()
    stream.push(PHONE)
    assert stream.finish() == "[KR_PHONE]"
    assert stream.finish() == ""
    with pytest.raises(MaskingError, match="the stream was finished"):
        stream.push("x")


def test_what_is_no_text_is_refused() -> None:
    stream: Any = Masker().stream()
    for chunk in (None, b"x", 7):
        with pytest.raises(ArgumentError, match="chunk must be a text"):
            stream.push(chunk)
    assert stream.push(f"{PHONE} ") + stream.finish() == "[KR_PHONE] "


def test_text_that_a_recogniser_failed_on_is_not_given_out() -> None:
    def fails(value: str) -> bool:
        raise LookupError(value)

    stream = Masker(recognizers=[Recognizer("ID", "E[0-9]{4}", validator=fails)]).stream()
    assert stream.push("good\nE1") == "good\n"
    with pytest.raises(RecognizerError, match="ID"):
        stream.push("234\n")
    assert "E1234" not in stream.finish()


def test_a_validator_may_use_the_stream_that_it_works_for() -> None:
    streams: list[privacy.MaskStream] = []

    def pushes(value: str) -> bool:
        return streams[0].push("") == "" != value

    streams.append(Masker(recognizers=[Recognizer("ID", "E[0-9]{4}", validator=pushes)]).stream())
    assert streams[0].push("E1234\n") == "[ID]\n"


def test_random_cuts_of_a_long_text() -> None:
    rng = random.Random(7)
    text = "\n".join(rng.choice([MANY, PEM, "log line 2026-05-21T10:20:30", "사번 E1234", ""]) for _ in range(60))
    for masker in MASKERS.values():
        whole = masker.mask(text)
        for _ in range(5):
            cuts = sorted(rng.sample(range(len(text)), 40))
            parts = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
            assert "".join(masker.mask_stream(parts)) == whole


# ---- longer than what the engine holds -------------------------------------------------------------------------------

LONG_SECRET = "aB3dE5fG7hJ9kL2m" * 6_000
LONG_KEY = PEM.replace(
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n" * 4, "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC/MIIEvQIBADANBgkqhkiG9w\n" * 1_800
)
LONG = {
    "SECRET": f"first {PHONE}\npassword={LONG_SECRET} and {PHONE}\n",
    "PRIVATE_KEY": f"first {PHONE}\n{LONG_KEY}\nand {PHONE}\n",
}


def _streamed(masker: Masker, text: str, size: int) -> str:
    return "".join(masker.mask_stream([text[at : at + size] for at in range(0, len(text), size)]))


@pytest.mark.parametrize("size", [997, 4_096, 40_000])
@pytest.mark.parametrize(("kind", "text"), LONG.items(), ids=LONG)
def test_what_is_longer_than_the_engine_holds_is_masked_as_in_the_whole(kind: str, text: str, size: int) -> None:
    assert len(text) > 64 * 1024
    for masker in MASKERS.values():
        assert _streamed(masker, text, size) == masker.mask(text)
    plain = _streamed(Masker(), text, size)
    assert plain.count(f"[{kind}]") == 1
    assert plain.count("[KR_PHONE]") == 2
    assert len(plain) < 100


@pytest.mark.parametrize(("kind", "text"), LONG.items(), ids=LONG)
def test_one_long_finding_is_counted_once(kind: str, text: str) -> None:
    counts: Counter[str] = Counter()
    counting = Masker().counting(lambda kind, times: counts.update({kind: times}))
    _streamed(counting, text, 1_000)
    assert counts == {kind: 1, "KR_PHONE": 2}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_vault_keeps_all_of_a_long_finding(text: str) -> None:
    masker = Masker(vault=privacy.MemoryVault())
    masked = _streamed(masker, text, 1_000)
    assert len(masked) < 200
    assert masker.unmask(masked) == text


def test_without_key_vault_and_recognisers_no_long_secret_is_held() -> None:
    stream = Masker().stream()
    assert "".join(stream.push(part) for part in ("password=", LONG_SECRET, LONG_SECRET)) == "password=[SECRET]"
    tracemalloc.start()
    try:
        for _ in range(200):
            assert stream.push(LONG_SECRET) == ""
        held, _peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 1_000_000, "of 19 MB"
    assert stream.push(" end") + stream.finish() == " end"
