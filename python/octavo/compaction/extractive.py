"""A summariser without a model: the sentences that matter, by their words, as they were said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from unicodedata import category

from octavo.compaction.cues import asks, cue_in, found, sentences
from octavo.tokens import Counter, TokenCounter, counter_for

__all__ = ["ExtractiveSummariser"]

_ELEMENT: Final = re.compile(
    r'<message number="(?P<number>\d+)" role="(?P<role>\w+)"(?P<rest>[^>]*)>\n(?P<text>.*?)\n</message>', re.DOTALL
)
_TOOL: Final = re.compile(r'(?:call|result)="([^"]*)"')
_NUMBERS: Final = re.compile(r"\d")
_HEADING: Final = re.compile(r"([A-Z][a-z ]+):")
_HEADINGS: Final = {
    "marked": "Constraints", "correction": "Corrections", "constraint": "Constraints", "decision": "Decisions",
    "intent": "Decisions", "open": "Open", "unsettled": "Open", "error": "Errors and fixes",
    "number": "Numbers", "task": "Task",
}  # fmt: skip
_ORDER: Final = ("Task", "Corrections", "Constraints", "Decisions", "Open", "Errors and fixes", "Numbers", "Before")
_JOINER: Final = "\u200d"
_UNSEEN: Final = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs", "Co"})
"""Categories of signs that a summary has none of: control and format signs, line ends, surrogates, private use."""
_ENDS: Final = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029")
_LONGEST: Final = 300
"""Characters of a line that is taken over; longer ones are pastes."""


@dataclass(frozen=True, slots=True)
class _Line:
    heading: str
    text: str


class ExtractiveSummariser:
    """Takes over the sentences with decisions, requests, limits, corrections, numbers, errors and fixes.

    It needs no model and no network, and gives the same text for the same messages. English and Korean words tell what
    a sentence is (`cues.json`).

    Args:
        model: whose tokens are counted.
        counter: a counter to count with instead, as `counter_for` takes it.
    """

    __slots__ = ("_counter",)

    def __init__(self, model: str | None = None, *, counter: Counter | TokenCounter | None = None) -> None:
        """Take a counter."""
        self._counter = counter if isinstance(counter, Counter) else counter_for(model, counter=counter)

    def summarise(self, text: str, *, max_tokens: int, previous: str | None) -> str:
        """The lines that matter, of both texts, in at most `max_tokens` tokens; see :class:`Summariser`."""
        lines = list(dict.fromkeys([*_taken_over(previous or ""), *_lines(text)]))
        if not lines:
            lines = [_Line("Task", said) for said in _anything(text)]
        return self._within(lines, max_tokens)

    def _within(self, lines: list[_Line], max_tokens: int) -> str:
        """The lines that fit, those first that matter most; the newest of each heading before older ones."""
        costs = [self._counter.count(line.text) + 3 for line in lines]
        by_weight = sorted(range(len(lines)), key=lambda at: (_ORDER.index(lines[at].heading), -at))
        kept = set[int]()
        left = max_tokens - sum(self._counter.count(f"{heading}:\n") for heading in {line.heading for line in lines})
        for at in by_weight:
            if costs[at] <= left:
                kept.add(at)
                left -= costs[at]
        if not kept:
            return self._counter.truncate(lines[by_weight[0]].text, max(1, max_tokens)) if lines else ""
        return _written([lines[at] for at in sorted(kept)])


def _written(lines: list[_Line]) -> str:
    parts = []
    for heading in _ORDER:
        under = [f"- {line.text}" for line in lines if line.heading == heading]
        if under:
            parts.append("\n".join([f"{heading}:", *under]))
    return "\n".join(parts)


def _taken_over(previous: str) -> Iterator[_Line]:
    """The lines of a summary before: under their headings where it has these, else as they are."""
    heading = "Before"
    for line in previous.splitlines():
        named = _HEADING.fullmatch(line.strip())
        if named and named[1] in _ORDER:
            heading = named[1]
        elif line.strip():
            yield _Line(heading, _plain(line.strip().removeprefix("- "))[:_LONGEST])


def _lines(text: str) -> Iterator[_Line]:
    """What is taken of each message: of speech what its words tell, of a tool's output what went wrong."""
    for element in _ELEMENT.finditer(text):
        role, body = element["role"], element["text"]
        if 'call="' in element["rest"]:
            continue
        for sentence in sentences(body):
            heading = _heading(sentence, role)
            if heading and len(sentence) <= _LONGEST:
                yield _Line(heading, f"({_source(role, element['rest'])}) {_plain(sentence)}")


def _plain(text: str) -> str:
    """The text without signs that nobody sees and that turn or end a line; an emoji's joiner stays."""
    return "".join(
        sign if sign == _JOINER or category(sign) not in _UNSEEN else " " if sign in _ENDS else "" for sign in text
    ).strip()


def _heading(sentence: str, role: str) -> str | None:
    cue = cue_in(sentence)
    if role == "tool":
        return _HEADINGS["error"] if found("error", sentence) else None
    if cue is not None:
        return _HEADINGS[cue]
    if asks(sentence):
        return _HEADINGS["open"]
    return _HEADINGS["number"] if _NUMBERS.search(sentence) else None


def _source(role: str, rest: str) -> str:
    tool = _TOOL.search(rest)
    return f"tool {tool[1]}" if tool else role


def _anything(text: str) -> Iterator[str]:
    """The first words of what the user said, else of the first message: nothing told what matters."""
    elements = list(_ELEMENT.finditer(text))
    chosen = next((one for one in elements if one["role"] == "user"), elements[0] if elements else None)
    body = text if chosen is None else chosen["text"]
    yield from (_plain(sentence)[:_LONGEST] for sentence in list(sentences(body))[:1])
