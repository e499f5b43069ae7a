"""What is masked in a text: the engine's findings and those of recognisers, until masking again would find nothing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, final

from octavo import _core
from octavo.privacy.finding import Match, matches
from octavo.privacy.recognizer import Recognizer, Recognizes, joined, merged
from octavo.privacy.token import outside_tokens, typed, written

__all__ = ["Around", "Settling"]

_ROUNDS: Final = 8
"""Each takes a chance that is rarer than the one before, and time in proportion to the text. No text was seen that
needs a third; one that is made to need more than these is masked as far as they go."""


_LONGEST_VALUE: Final = 256
"""Characters of a value that may be a secret of several lines: longer ones are texts."""

_LINE_ENDS: Final = str.maketrans("\n\r\0", "   ")


class Around(NamedTuple):
    """What stands around a text and is read, but not masked here. Its own findings are tokens already."""

    before: str = ""
    after: str = ""

    @classmethod
    def member(cls, name: str) -> Around:
        """The text is the value under a name in JSON."""
        return cls(f'"{_unquoted(name)}": "', '"') if name else cls()

    def around(self, text: str) -> str:
        """The text where it stands, letter for letter: a quote in a JSON value would end it for a reader."""
        return f"{self.before}{_unquoted(text) if self.after else text}{self.after}"

    def on_one_line(self, text: str) -> str | None:
        """A value as one line without blanks around it: what people paste. `None` where it is one, or is a text."""
        if not self.after or len(text) > _LONGEST_VALUE:
            return None
        line = text.strip().translate(_LINE_ENDS)
        return line if line and line != text else None

    def inside(self, found: Iterable[Match], text: str) -> list[Match]:
        """What was found in :meth:`around`, as places in the text; what reaches over is cut to what stands in it."""
        start, length = len(self.before), len(text)
        return [
            Match(one.kind, max(0, one.start - start), min(length, one.end - start), one.confidence)
            for one in found
            if one.end > start and one.start < start + length
        ]


def _unquoted(text: str) -> str:
    return text.replace('"', "'")


@final
class Settling:
    """Joins findings of the engine and of recognisers. Never changes."""

    __slots__ = ("_engine", "_patterns", "_recognizers")

    def __init__(self, engine: _core.Detector, recognizers: Sequence[Recognizes]) -> None:
        """Settle with these."""
        self._engine: Final = engine
        self._recognizers: Final = recognizers
        # A model is asked once: it takes long, and what it says of a text with tokens is not what it said before.
        self._patterns: Final = [one for one in recognizers if isinstance(one, Recognizer)]

    def settled(self, text: str, built_in: list[Match], around: Around) -> list[Match]:
        """What is masked in a text, given what the engine found in it.

        A token is shorter than what it stands for and ends words: it may bring a word such as `bank` nearer to what
        follows, and part a number from the letter that hid it. What would be found then is masked now, so that
        masking twice is masking once.
        """
        if not self._recognizers:
            return built_in
        found = outside_tokens(text, joined(text, built_in, self._recognizers, around.before))
        if found == built_in and "[" not in around.before:
            return found
        for _ in range(_ROUNDS):
            masked = written(text, found, typed)
            seen = around.inside(matches(self._engine.find(around.around(masked))), masked)
            more = outside_tokens(masked, joined(masked, seen, self._patterns, around.before))
            if not more:
                break
            found = merged(found, _original_places(more, found))
        return found


def _original_places(found: Iterable[Match], masked: Iterable[Match]) -> list[Match]:
    """Matches in a text that was masked with typed tokens as matches in the text before; both are in order.

    What begins or ends inside a token begins or ends where the value does that it stands for.
    """
    tokens: list[tuple[int, int, Match]] = []
    grown = 0
    for one in masked:
        start = one.start + grown
        grown += len(f"[{one.kind}]") - (one.end - one.start)
        tokens.append((start, one.end + grown, one))

    def original(place: int, *, last: bool) -> int:
        before = bisect_right(tokens, place, key=lambda token: token[0]) - 1
        if before < 0:
            return place
        start, end, one = tokens[before]
        if place >= end:
            return one.end + place - end
        return one.end if last and place > start else one.start

    return [
        Match(one.kind, original(one.start, last=False), original(one.end, last=True), one.confidence) for one in found
    ]
