"""Cutting a text: never over the limit, never silently, lines and code blocks whole."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import octavo
from octavo import Section
from octavo.cutting import SHORT_MARK, _open_fence, cut_text
from timing import assert_at_most, spent

Count = Callable[[str], int]

MARK = re.compile(r"\[… (\d+) tokens? left out\]")


def unsteady(text: str) -> int:
    """A counter for which a longer text may have fewer tokens."""
    return len(text) * 7 % 97


COUNTERS: dict[str, Count] = {
    "o200k": octavo.counter_for("gpt-4o").count,
    "claude": octavo.counter_for("claude-sonnet-4-5").count,
    "characters": len,
    "words": lambda text: len(text.split()),
    "bytes": lambda text: len(text.encode(errors="surrogatepass")),
    "unsteady": unsteady,
}

LINES = st.sampled_from(
    [
        "", "one", "a line of several words", "줄이 있는 글", "x" * 300, "word " * 60, "- item", "🙂" * 9, "```",
        "```py", "~~~", "   ````", "````", "    ```", "``` a`b", "code()\r", "[… 7 tokens left out]", "</notes>", "\t",
    ]
)  # fmt: skip
TEXTS = st.lists(LINES, max_size=40).map("\n".join) | st.text(max_size=300)


def fenced(text: str) -> bool:
    """Whether a text leaves off inside a code block, told line by line (CommonMark 0.31.2 §4.5)."""
    opened = ""
    for line in text.split("\n"):
        found = re.match(r" {0,3}(`{3,}|~{3,})(.*)$", line, re.DOTALL)
        if found is None or (found[1][0] == "`" and "`" in found[2]):
            continue
        if not opened:
            opened = found[1]
        elif found[1][0] == opened[0] and len(found[1]) >= len(opened) and not found[2].strip():
            opened = ""
    return bool(opened)


@pytest.mark.parametrize("name", COUNTERS)
@given(text=TEXTS, limit=st.integers(0, 250), least=st.integers(0, 250))
@settings(deadline=None, max_examples=150)
def test_the_laws_of_cutting(name: str, text: str, limit: int, least: int) -> None:
    count = COUNTERS[name]
    cut = cut_text(count, text, limit, least=least)
    assert count(cut) <= limit or (cut == "" and count("") > limit)
    assert cut_text(count, cut, limit, least=least) == cut
    if count(text) <= limit:
        assert cut == text
        return
    if not cut:
        assert count(SHORT_MARK) > limit
        return
    assert not fenced(cut)
    assert SHORT_MARK in cut or MARK.search(cut)
    cut.encode("utf-8", "surrogatepass" if any("\ud800" <= character <= "\udfff" for character in text) else "strict")


@given(text=TEXTS)
@settings(deadline=None)
@example("```py\ncode")
def test_open_code_blocks_are_told(text: str) -> None:
    assert (_open_fence(text, len(text)) is not None) == fenced(text)


@pytest.mark.parametrize("name", ["o200k", "claude", "characters", "bytes"])
@given(
    lines=st.lists(
        st.sampled_from(["one", "a line of several words", "줄이 있는 글", "x" * 300, ""]), min_size=1, max_size=80
    ),
    limit=st.integers(30, 250),
)
@settings(deadline=None, max_examples=150)
def test_the_number_is_what_is_missing(name: str, lines: list[str], limit: int) -> None:
    count, text = COUNTERS[name], "\n".join(lines)
    cut = cut_text(count, text, limit)
    found = MARK.search(cut)
    if found is None:
        assert cut in (text, "") or SHORT_MARK in cut
        return
    before, after = cut[: found.start()], cut[found.end() :].removeprefix("\n")
    assert text.endswith(after)
    missing = {
        text[len(kept) : len(text) - len(after)]
        for kept in (before, before.removesuffix("\n"))
        if text.startswith(kept)
    }
    assert int(found[1]) in {count(left) for left in missing}


def numbered(lines: int) -> str:
    return "\n".join(f"{at:04} the quick brown fox" for at in range(lines))


@pytest.mark.parametrize("limit", [60, 200, 1_000])
def test_a_long_text_keeps_its_first_and_its_last_lines_whole(limit: int) -> None:
    count, text = COUNTERS["o200k"], numbered(1_000)
    cut = cut_text(count, text, limit)
    lines = cut.split("\n")
    at = next(at for at, line in enumerate(lines) if MARK.fullmatch(line))
    assert 0 < at < len(lines) - 1
    whole = text.split("\n")
    assert lines[:at] == whole[:at]
    assert lines[at + 1 :] == whole[-(len(lines) - at - 1) :]
    assert at > len(lines) - at - 1, "the beginning gets more"
    assert count(cut) > limit * 0.75, "what there is is used"


def test_a_short_one_ends_with_the_mark() -> None:
    cut = cut_text(COUNTERS["o200k"], numbered(100), 40)
    assert MARK.fullmatch(cut.split("\n")[-1])
    assert cut.startswith("0000 the quick brown fox\n")


def test_where_lines_are_too_long_words_are_kept_whole() -> None:
    text = "title\n" + " ".join(f"word{at}" for at in range(2_000))
    cut = cut_text(COUNTERS["o200k"], text, 100)
    words = set(text.split())
    assert set(MARK.sub("", cut).split()) <= words
    assert COUNTERS["o200k"](cut) > 75


def test_a_code_block_is_closed_before_the_mark_and_opened_after_it() -> None:
    text = "Do this:\n\n```python\n" + "\n".join(f"step_{at}()" for at in range(300)) + "\n```\n\nThen look."
    cut = cut_text(COUNTERS["o200k"], text, 120)
    assert re.search(r"\nstep_\d+\(\)\n```\n\[… \d+ tokens left out\]\n```python\nstep_\d+\(\)\n", cut)
    assert cut.endswith("\n```\n\nThen look.")


def test_the_least_is_used_where_it_can_be() -> None:
    count = COUNTERS["o200k"]
    text = "title\n" + "\n".join("x y z " * 40 for _ in range(20))
    assert count(cut_text(count, text, 230)) < 200
    assert count(cut_text(count, text, 230, least=200)) >= 200


def test_what_stands_around_it_counts() -> None:
    count = COUNTERS["o200k"]
    section = Section("notes", "</notes> " * 400)
    cuts = [cut_text(count, section.text, limit, around=section.block) for limit in range(80)]
    assert all(not cut or count(section.block(cut)) <= limit for limit, cut in enumerate(cuts))
    assert cuts[-1]


def test_a_long_text_is_cut_in_the_time_that_counting_takes() -> None:
    count, text = COUNTERS["o200k"], numbered(60_000)
    assert_at_most(12, lambda: spent(lambda: count(text)), lambda: spent(lambda: cut_text(count, text, 2_000)))


def test_a_mark_stands_only_where_something_is_missing() -> None:
    text = "abc " * 25
    cut = cut_text(len, text, 200, around=lambda inner: inner if "…" in inner else inner + "!" * 500)
    assert SHORT_MARK in cut
    assert len(cut.replace(SHORT_MARK, "")) < len(text)
