"""Words that tell what a sentence is (a decision, a limit, a correction, an open matter), as data, in two languages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Final, Literal, TypeAlias

__all__ = ["CUED", "Cue", "asks", "begins", "cue_in", "found", "sentences"]

Cue: TypeAlias = Literal["marked", "correction", "unsettled", "constraint", "decision", "intent", "open", "error"]
"""What a sentence is by its words. `constraint` has negations as well; `intent` is what somebody is about to do."""

CUED: Final[tuple[Cue, ...]] = (
    "marked",
    "correction",
    "unsettled",
    "constraint",
    "decision",
    "intent",
    "open",
    "error",
)
"""The order in which cues are looked for: a sentence is what it is first."""

_END: Final = re.compile(r"(?<=[.!?。！？…])[\"'”’)\]]*\s+|\n+")
_NOT_AN_END: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|mr|mrs|ms|dr|no|approx|st)\.|(?<!\w)\d+\.)\s+$", re.IGNORECASE
)
_MARKUP: Final = re.compile(r"^(?:[-*•>#]+|\d+[.)])\s+")
_ASKS: Final = re.compile(r"[?？][\"'”’)\]]*$|(?:까요|나요|습니까|인가요|을까|ㄹ까|는지요)[.~]*$")


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """The tables, read once: English words whole, Korean ones anywhere, since endings and particles touch them."""
    from importlib.resources import files

    text = files("octavo.compaction").joinpath("cues.json").read_text(encoding="utf-8")
    tables: dict[str, dict[str, list[str]]] = json.loads(text)
    return {name: _pattern(table) for name, table in tables.items()}


def _pattern(table: dict[str, list[str]]) -> re.Pattern[str]:
    whole = "|".join(re.escape(word) for word in sorted(table["en"], key=len, reverse=True))
    anywhere = "|".join(re.escape(word) for word in table["ko"])
    return re.compile(rf"(?<!\w)(?:{whole})(?!\w)|{anywhere}", re.IGNORECASE)


def found(table: str, text: str) -> bool:
    """Whether one of a table's words is in a text."""
    return _patterns()[table].search(text.replace("’", "'")) is not None


def begins(table: str, text: str) -> bool:
    """Whether a text begins with one of a table's words."""
    return _patterns()[table].match(text.replace("’", "'")) is not None


def cue_in(sentence: str) -> Cue | None:
    """What a sentence is by its words; `None` where they tell nothing."""
    return next((cue for cue in CUED if found(cue, sentence)), None)


def asks(sentence: str) -> bool:
    """Whether a sentence is a question."""
    return _ASKS.search(sentence) is not None


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text as they are written, list marks aside; a line end ends one."""
    start = 0
    for end in _END.finditer(text):
        if "\n" not in end[0] and _NOT_AN_END.search(text, max(start, end.start() - 8), end.end()):
            continue
        yield from _said(text[start : end.end()])
        start = end.end()
    yield from _said(text[start:])


def _said(piece: str) -> Iterator[str]:
    stripped = _MARKUP.sub("", piece.strip())
    if stripped:
        yield stripped
