"""Shortening a text by its structure: within the limit, by what the marks say, JSON still JSON, fences closed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import octavo
from octavo.errors import ArgumentError, BudgetError, CounterError
from octavo.pruning import Kind, LeftOut, Shortened, detect, shorten
from shared_data import bug_report, shared
from timing import assert_grows_with_size

KINDS: tuple[Kind, ...] = get_args(Kind)
MARK = re.compile(r"\[… (\d+) (line|character)s? left out\]")
MORE = re.compile(r"… (\d+) more items?")
MORE_KEYS = re.compile(r"(\d+) more keys?")
O200K = octavo.counter_for("gpt-4o")


class Own:
    """A counter of the caller's own."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self.count = count


COUNTERS: dict[str, Any] = {
    "o200k": O200K,
    "claude": octavo.counter_for("claude-sonnet-4-5"),
    "characters": Own(len),
    "bytes": Own(lambda text: len(text.encode())),
    "unsteady": Own(lambda text: len(text) * 7 % 97),
}

LINES = st.sampled_from(
    [
        "", "one", "a line of several words", "줄이 있는 글", "x" * 300, "word " * 60, "- item", "🙂" * 50, "```",
        "```py",
        "~~~", "  ````", "> ```", "- ```js", "# Heading", "## Next", "ERROR db down", "warning: unused", "exit code 1",
        "Traceback (most recent call last):", '  File "a.py", line 1', "ValueError: bad", "diff --git a/x b/x",
        "--- a/x",
        "+++ b/x", "@@ -1,2 +1,2 @@", "+new", "-old", " same", "def run(self):", "    return 1", "class A:", "}", "\t",
        "\0",
        "<div>", "<p>text</p>", "<script>", "10%\r20%\r100%", "\x1b[31mred\x1b[0m", "a\x08b", "e\u0301" * 90, "crlf\r",
        '{"a": 1}', "[1, 2, 3]", "\ud83d", "2026-01-01 10:00:00 INFO ok",
    ]
)  # fmt: skip
TEXTS = st.lists(LINES, max_size=60).map("\n".join) | st.text(max_size=400)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
    | st.sampled_from(["long text " * 40, '🙂"\\\n' * 60, "error: no such table", "…"]),
    lambda inner: st.lists(inner, max_size=30)
    | st.dictionaries(st.text(max_size=6) | st.sampled_from(["…", "……", "error", "id"]), inner, max_size=12),
    max_leaves=120,
)  # fmt: skip
DOCUMENTS = st.lists(VALUES, max_size=40) | st.dictionaries(st.text(max_size=6), VALUES, max_size=20)


def valid(text: str) -> str:
    """What the engine sees: a lone surrogate is U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def laws(text: str, limit: int, counter: Any = O200K, kind: Kind | None = None) -> Shortened:
    """What holds of every answer."""
    seen = valid(text)
    short = shorten(text, limit, counter=counter, kind=kind)
    assert short.changed == (short.text is not text)
    assert len(short.text) <= len(text)
    if counter.count(seen) <= limit:
        assert short.text is text if seen == text else short.text == seen
        assert short.left_out == LeftOut()
        return short
    assert short.tokens == counter.count(short.text)
    assert short.tokens <= limit or (short.text == "" and counter.count("") > limit)
    assert short.left_out.tokens == max(counter.count(seen) - short.tokens, 0)
    again = shorten(short.text, limit, counter=counter, kind=kind)
    assert again.text == short.text
    short.text.encode()
    assert "\ufffd" not in short.text or "\ufffd" in seen or "&#" in seen
    if short.kind == "json":
        if short.text:
            assert short.text == '"…"' or told(json.loads(seen), json.loads(short.text)) == counted(short)
    elif short.text not in {"", "[…]"}:
        said = [(int(mark[1]), mark[2]) for mark in MARK.finditer(short.text)]
        assert sum(count for count, unit in said if unit == "line") == short.left_out.lines
        assert sum(count for count, unit in said if unit == "character") == short.left_out.characters
    return short


def counted(short: Shortened) -> tuple[int, int, int]:
    return short.left_out.items, short.left_out.keys, short.left_out.characters


def told(whole: Any, part: Any) -> tuple[int, int, int]:
    """What the marks say is missing, after a look that this, and nothing else, is: items, keys, characters."""
    if isinstance(whole, dict):
        assert isinstance(part, dict)
        kept = [key for key in part if key in whole]
        marks = [key for key in part if key not in whole]
        assert kept == [key for key in whole if key in part]
        missing = 0
        if marks:
            (mark,) = marks
            assert set(mark) == {"…"}
            found = MORE_KEYS.fullmatch(part[mark])
            assert found
            missing = int(found[1])
        assert len(kept) + missing == len(whole)
        inner = [told(whole[key], part[key]) for key in kept]
        return sum(i for i, _, _ in inner), missing + sum(k for _, k, _ in inner), sum(c for _, _, c in inner)
    if isinstance(whole, list):
        assert isinstance(part, list)
        at, totals = 0, (0, 0, 0)
        for element in part:
            found = MORE.fullmatch(element) if isinstance(element, str) else None
            if found and not (at < len(whole) and whole[at] == element):
                at += int(found[1])
                totals = totals[0] + int(found[1]), totals[1], totals[2]
                continue
            inner_told = told(whole[at], element)
            totals = totals[0] + inner_told[0], totals[1] + inner_told[1], totals[2] + inner_told[2]
            at += 1
        assert at == len(whole)
        return totals
    if isinstance(whole, str) and whole != part:
        found = MARK.search(part)
        assert found
        head, tail = part[: found.start()], part[found.end() :]
        assert whole.startswith(head)
        assert whole.endswith(tail)
        assert len(head) + len(tail) + int(found[1]) == len(whole)
        return 0, 0, int(found[1])
    assert whole == part or (whole != whole and part != part)  # noqa: PLR0124 - NaN
    return 0, 0, 0


def conserved(text: str, short: Shortened) -> None:
    """Walk through the text with the answer: what is kept stands where the marks before it say."""
    at = written = 0
    for mark in MARK.finditer(short.text):
        kept = short.text[written : mark.start()]
        assert text.startswith(kept, at)
        at, written = at + len(kept), mark.end()
        if mark[2] == "character":
            at += int(mark[1])
            continue
        assert at == 0 or text[at - 1] == "\n", "whole lines begin where lines do"
        left_out = text[at:].split("\n", int(mark[1]))[: int(mark[1])]
        assert len(left_out) == int(mark[1])
        at = min(at + sum(len(line) + 1 for line in left_out), len(text))
        # The end of the mark's own line.
        written += short.text.startswith("\n", written)
    assert text[at:] == short.text[written:]


# ---- laws ----


@pytest.mark.parametrize("name", COUNTERS)
@given(text=TEXTS, limit=st.integers(0, 300), kind=st.none() | st.sampled_from(KINDS))
@settings(deadline=None, max_examples=150)
def test_the_laws_of_shortening(name: str, text: str, limit: int, kind: Kind | None) -> None:
    laws(text, limit, COUNTERS[name], kind)


@pytest.mark.parametrize("name", ["o200k", "characters", "bytes"])
@given(value=DOCUMENTS, limit=st.integers(0, 300), indent=st.none() | st.just(2), ascii_only=st.booleans())
@settings(deadline=None, max_examples=200)
def test_json_stays_json(name: str, value: Any, limit: int, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    if valid(text) != text:
        return
    assert laws(text, limit, COUNTERS[name]).kind == "json"


ENDS_OF_LINES = "\r\n\x1b\x08\v\f\x1c\x1d\x1e\x85\u2028\u2029"
UNMARKED = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters=ENDS_OF_LINES), max_size=200)
    | st.sampled_from(["ERROR a", "plain", "warning b", "x" * 500, "def f():", "    y = 1", "@@ -1 +1 @@", "+a", "-b"]),
    max_size=60,
).map("\n".join)


@pytest.mark.parametrize("kind", ["log", "code", "diff", "plain"])
@given(text=UNMARKED, limit=st.integers(20, 200))
@settings(deadline=None, max_examples=150)
def test_the_marks_tell_the_truth(kind: Kind, text: str, limit: int) -> None:
    short = laws(text, limit, kind=kind)
    if short.changed and short.text not in {"", "[…]"} and not MARK.search(text):
        conserved(text, short)


def unclosed(text: str) -> bool:
    """Whether a text leaves off inside of a code block (CommonMark 0.31.2 §4.5, without lists and quotes)."""
    opened = ""
    for line in text.split("\n"):
        found = re.match(r" {0,3}(`{3,}|~{3,})(.*)$", line, re.DOTALL)
        if found is None or (found[1][0] == "`" and "`" in found[2]):
            if MARK.fullmatch(line):
                assert not opened, "a mark stands inside of a code block"
            continue
        if not opened:
            opened = found[1]
        elif found[1][0] == opened[0] and len(found[1]) >= len(opened) and not found[2].strip():
            opened = ""
    return bool(opened)


CONTENT = LINES.filter(lambda line: not re.search("[`~><]|^-|\r|\x08|\x1b|^ {2}", line))
FENCED = st.lists(
    st.tuples(
        st.sampled_from([("```", "```"), ("```py", "```"), ("~~~", "~~~~"), ("````md", "````"), ("  ~~~", " ~~~")]),
        st.lists(CONTENT, max_size=20),
    ).map(lambda block: "\n".join(["text", block[0][0], *block[1], block[0][1]])),
    max_size=6,
).map("\n".join)


@given(text=FENCED, limit=st.integers(8, 200))
@settings(deadline=None, max_examples=300)
def test_fences_stay_closed(text: str, limit: int) -> None:
    assert not unclosed(text)
    assert not unclosed(laws(text, limit, kind="markdown").text)


# ---- recorded outputs and bug reports ----


def outputs() -> list[dict[str, Any]]:
    path = shared("data/text/tool_outputs.jsonl")
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    assert len(found) > 40
    return found


TOLD = {"file_read": {"code", "markdown", "plain"}, "json": {"json"}, "html": {"html"}, "markdown_ko": {"markdown"},
        "build_log": {"log"}, "test_log": {"log"}}  # fmt: skip


def test_recorded_outputs_are_told_apart() -> None:
    wrong = [
        (output["id"], output["kind"], told_kind)
        for output in outputs()
        if (told_kind := detect(output["content"])) not in TOLD.get(output["kind"], KINDS)
    ]
    assert wrong == []


@pytest.mark.parametrize("limit", [50, 200, 1000, 4000])
def test_the_laws_hold_on_recorded_outputs(limit: int) -> None:
    for output in outputs():
        short = laws(output["content"], limit)
        if short.changed:
            assert short.tokens > limit // 2, output["id"]
        if (
            short.changed
            and short.kind in {"log", "code", "plain"}
            and not re.search("[\x1b\x08\r]|\\[…", output["content"])
        ):
            conserved(output["content"], short)


def example(name: str) -> dict[str, Any]:
    """The names that a report's input binds."""
    names: dict[str, Any] = {}
    exec(bug_report(name)["input"], names)  # noqa: S102 - the report's own data
    return names


def test_b016_no_limit_cuts_a_character() -> None:
    names = example("B016")
    for limit in names["limits"]:
        for counter in COUNTERS.values():
            cut = laws(names["text"], limit, counter).text
            assert cut.encode().decode() == cut
            assert cut.count("\ufffd") <= 1


def test_b017_json_parses_and_says_how_many_rows_are_missing() -> None:
    names = example("B017")
    cut = laws(names["text"], names["limit"], COUNTERS["characters"])
    whole, part = json.loads(names["text"]), json.loads(cut.text)
    assert len(cut.text) <= names["limit"]
    assert (part["status"], part["next"]) == ("ok", "page-2")
    rows = [row for row in part["rows"] if not isinstance(row, str)]
    assert all(row in whole["rows"] for row in rows)
    assert len(rows) > 5
    assert rows[0] == whole["rows"][0]
    assert rows[-1] == whole["rows"][-1]
    assert len(rows) + cut.left_out.items == 200


def test_b018_the_last_lines_of_a_log_are_kept() -> None:
    names = example("B018")
    cut = laws(names["text"], names["limit_bytes"], COUNTERS["bytes"])
    lines = cut.text.split("\n")
    assert cut.kind == "log"
    assert lines[-4:] == names["lines"][-4:]
    assert lines[0] == names["lines"][0]
    kept = [line for line in lines if not MARK.fullmatch(line)]
    assert kept == [line for line in names["lines"] if line in set(kept)]
    assert len(kept) + cut.left_out.lines == 1404
    assert len(cut.text.encode()) > 7_000


def test_b019_the_mark_counts() -> None:
    for text, limit in example("B019")["cases"]:
        for kind in (None, *KINDS):
            laws(text, limit, COUNTERS["characters"], kind)


def test_b020_code_blocks_are_closed() -> None:
    names = example("B020")
    for limit in [*range(0, 700, 7), names["limit"]]:
        for counter in ("characters", "o200k"):
            cut = laws(names["text"], limit, COUNTERS[counter], "markdown")
            assert not unclosed(cut.text)
    assert detect(names["text"]) == "markdown"


# ---- what is kept ----


def test_errors_of_a_log_are_kept_first_and_newest() -> None:
    lines = [f"2026-01-01 10:00:{i % 60:02d} INFO request {i} served" for i in range(2000)]
    for at, what in [(300, "disk"), (900, "cache"), (1500, "socket")]:
        lines[at] = f"2026-01-01 10:00:00 ERROR {what} failed"
        lines[at + 1] = f"    at {what}.run(main.py:3)"
    short = laws("\n".join(lines), 400)
    for what in ("disk", "cache", "socket"):
        assert f"ERROR {what} failed\n    at {what}.run" in short.text
    assert lines[0] in short.text
    assert lines[-1] in short.text


def test_signatures_of_code_are_kept() -> None:
    code = "import os\n\n\n" + "\n\n".join(
        f"class C{i}:\n    def method_{i}(self, value: int) -> int:\n" + "        value += 1\n" * 30 for i in range(20)
    )
    short = laws(code, 900)
    assert short.kind == "code"
    assert all(f"class C{i}:" in short.text and f"def method_{i}(self" in short.text for i in range(20))


def test_rows_with_errors_are_kept() -> None:
    rows = [{"id": i, "error": None, "note": "fine " * 8} for i in range(500)]
    rows[250]["error"] = "connection refused"
    short = laws(json.dumps(rows), 600)
    kept = [row["id"] for row in json.loads(short.text) if isinstance(row, dict)]
    assert {0, 250, 499} <= set(kept)


def test_space_in_json_goes_before_anything_else() -> None:
    text = json.dumps({"rows": [{"id": i} for i in range(50)]}, indent=8)
    fits = O200K.count(json.dumps(json.loads(text), separators=(",", ":")))
    short = laws(text, fits)
    assert json.loads(short.text) == json.loads(text)
    assert short.left_out == LeftOut(tokens=O200K.count(text) - fits)


def test_headers_of_a_diff_are_kept() -> None:
    hunk = (
        "@@ -{0},40 +{0},40 @@ def f{0}\n" + " same line of code\n" * 20 + "-old\n+new\n" + " same line of code\n" * 20
    )
    diff = "".join(
        f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n" + hunk.format(i)
        for i, name in enumerate(["one.py", "two.py", "three.py"])
    )
    short = laws(diff, 250)
    assert short.kind == "diff"
    for i, name in enumerate(["one.py", "two.py", "three.py"]):
        assert f"--- a/{name}\n+++ b/{name}\n@@ -{i},40" in short.text
    assert short.text.count("-old\n+new") == 3


def test_html_becomes_its_text() -> None:
    page = "<!doctype html><html><head><style>p{}</style></head><body><h1>Title</h1><p>See "
    page += "<a href='/a?b=1&amp;c=2'>this page</a>.<script>track()</script></p></body></html>"
    short = laws(page, 30)
    assert short.text == "# Title\nSee [this page](/a?b=1&c=2)."
    assert short.kind == "html"


def test_html_that_shows_nothing_is_not_made_nothing() -> None:
    short = laws("<div><script>" + "track(1);" * 200 + "</script></div>", 60)
    assert short.kind == "plain"
    assert short.text.startswith("<div><script>track(1);")


def test_terminal_codes_go_first() -> None:
    text = "\x1b[32m" + "progress 1%\r" * 500 + "done\x1b[0m\nexit code 0\n"
    short = laws(text, 20)
    assert short.text == "done\nexit code 0\n"
    assert short.left_out.lines == 0


# ---- arguments ----


def test_wrong_arguments_are_refused() -> None:
    wrong: Any = None
    for call in (
        lambda: shorten(wrong, 10),
        lambda: shorten("x", "10"),  # type: ignore[arg-type]
        lambda: shorten("x", max_tokens=True),
        lambda: shorten("x", 10, kind="yaml"),  # type: ignore[arg-type]
        lambda: shorten("x", 10, kind=[]),  # type: ignore[arg-type]
        lambda: shorten("x", 10, model=3),  # type: ignore[arg-type]
        lambda: shorten("x", 10, counter=3),  # type: ignore[arg-type]
        lambda: detect(wrong),
    ):
        with pytest.raises(ArgumentError):
            call()
    with pytest.raises(BudgetError, match="max_tokens"):
        shorten("x", -1)
    with pytest.raises(CounterError):
        shorten("x", 1, counter=Own(lambda text: -len(text)))
    assert shorten("x", 10**40).text == "x"


def test_what_a_counter_raises_is_raised() -> None:
    def broken(text: str) -> int:
        raise RuntimeError(f"counter down at {len(text)}")

    with pytest.raises(RuntimeError, match="counter down"):
        shorten("word " * 100, 10, counter=Own(broken))


# ---- time ----

MEGABYTE = 2**20
HOSTILE: dict[str, Callable[[int], str]] = {
    "json rows": lambda size: json.dumps([{"id": i, "name": "row", "error": None} for i in range(size // 40)]),
    "json numbers": lambda size: "[" + "1," * (size // 2) + "1]",
    "json deep": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "json deep open": lambda size: '{"a":' * (size // 5),
    "json string": lambda size: '{"text": "' + "a\\n\\ud83d\\ude42" * (size // 15) + '"}',
    "json marks": lambda size: "{" + ",".join(f'"{"…" * (i % 9 + 1)}{i}":1' for i in range(size // 30)) + "}",
    "json long keys": lambda size: "{" + ",".join(f'"{"…" * i}":1' for i in range(1, int((size / 1.5) ** 0.5))) + "}",
    "log": lambda size: "2026-01-01 10:00:00 ERROR request failed with 5\n" * (size // 48),
    "code": lambda size: "def run(self):\n    return 1\n" * (size // 28),
    "html": lambda size: "<div><p>some <b>text</b> and <a href='/x'>link</a></p>" * (size // 54),
    "html open": lambda size: "<div></div>" + '<a href="' * (size // 9),
    "html comments": lambda size: "<div></div>" + "<!-" * (size // 3),
    "html entities": lambda size: "<p></p>" + "&" * size,
    "html hidden": lambda size: "<p></p><script>" + "</scrip" * (size // 7),
    "diff": lambda size: "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n" * (size // 54),
    "markdown": lambda size: "# Title\n\nSome text with `code`.\n\n```py\nx = 1\n```\n\n" * (size // 52),
    "markdown fences": lambda size: "```\n" * (size // 4),
    "one line": lambda size: "x" * size,
    "newlines": lambda size: "\n" * size,
    "NUL": lambda size: "\0" * size,
    "surrogates": lambda size: "\ud83d" * (size // 3),
    "marks on marks": lambda size: "e" + "\u0301" * (size // 2),
    "escapes": lambda size: "\x1b[" * (size // 2),
    "backspaces": lambda size: "ab\x08" * (size // 3),
    "returns": lambda size: "1%\r" * (size // 3),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_linear(name: str) -> None:
    assert_grows_with_size(MEGABYTE // 2, HOSTILE[name], lambda text: shorten(text, 1000, counter=O200K))
    laws(HOSTILE[name](MEGABYTE // 8), 1000)
