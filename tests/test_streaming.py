"""Counting a text that is still being written."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import octavo
from octavo.errors import ArgumentError

TEXT = "The order 4711, 서울 was shipped…  it's DONE!\n\n" * 40


class Own:
    def count(self, text: str, /) -> int:
        return len(text.split())


COUNTERS: list[Any] = [
    octavo.counter_for("gpt-5.6"),
    octavo.counter_for("claude-sonnet-4-6"),
    octavo.counter_for("unheard-of"),
    octavo.counter_for("gpt-4o", counter=Own()),
]


@pytest.mark.parametrize("counter", COUNTERS)
@pytest.mark.parametrize("step", [1, 3, 17, 400])
def test_the_total_is_that_of_the_whole_text_at_every_moment(counter: octavo.Counter, step: int) -> None:
    stream = counter.stream()
    assert stream.total == 0
    for at in range(0, len(TEXT), step):
        stream.push(TEXT[at : at + step])
        if at % 7 == 0:
            assert stream.total == counter.count(TEXT[: at + step])
    assert stream.total == counter.count(TEXT)


@pytest.mark.parametrize("look", [False, True])
@pytest.mark.parametrize(
    "parts",
    [
        ("\ud83d", "\ude00"),
        ("a \ud83d", "\ude00b"),
        ("!\ud83d", "", "\ude00!"),
        ("\ud83d", "\ud83d", "\ude00"),
        ("\ud83d\ude00\ud83d", "\ude00\ude00"),
        ("\ud83d", "y"),
        ("\ude00", "\ud83d", "\ud83d", " "),
        ("word\ud83d",),
    ],
)
@pytest.mark.parametrize("counter", [*COUNTERS, octavo.counter_for("gpt-4")])
def test_a_character_parted_over_two_pushes_is_one(counter: octavo.Counter, parts: tuple[str, ...], look: bool) -> None:
    stream = counter.stream()
    for part in parts:
        stream.push(part)
        assert not look or stream.total >= 0
    assert stream.total == counter.count("".join(parts))


def test_half_a_character_that_still_waits_is_counted_by_itself() -> None:
    counter = octavo.counter_for("gpt-4o")
    stream = counter.stream()
    stream.push("!!!\ud83d")
    assert stream.total == counter.count("!!!") + counter.count("\ufffd")
    stream.push("\ude00")
    assert stream.total == counter.count("!!!\U0001f600")


@pytest.mark.parametrize("counter", COUNTERS)
def test_only_texts_are_pushed(counter: octavo.Counter) -> None:
    with pytest.raises(ArgumentError):
        counter.stream().push(b"x")  # type: ignore[arg-type]


def test_threads_push_and_look_without_waiting_for_each_other_for_ever() -> None:
    counter = octavo.counter_for("claude-sonnet-4-6")
    stream = counter.stream()
    part = "words and words " * 6_000

    def work() -> None:
        for _ in range(3):
            stream.push(part)
            assert stream.total > 0

    threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert stream.total == counter.count(part * 12)


# ---- tokenizer files ------------------------------------------------------------------------------------------------

BROKEN = (
    '{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null, '
    '"pre_tokenizer": null, "post_processor": null, "decoder": null, "model": {"type": "BPE", "dropout": null, '
    '"unk_token": null, "continuing_subword_prefix": null, "end_of_word_suffix": null, "fuse_unk": false, '
    '"byte_fallback": false, "ignore_merges": false, "vocab": {"a": 0}, "merges": MERGES}}'
)


def test_a_malformed_file_prints_nothing(tmp_path: Path, capfd: Any) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text(BROKEN.replace("MERGES", '[["a", "b"]]'), encoding="utf-8")
    for _ in range(2):
        with pytest.raises(octavo.errors.TokenizerFileError):
            octavo.counter_for(tokenizer=str(file))
    assert capfd.readouterr().err == ""


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_bytes(b"\xef\xbb\xbf" + BROKEN.replace("MERGES", "[]").encode())
    assert octavo.counter_for(tokenizer=str(file)).count("aaa") == 3
