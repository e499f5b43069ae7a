"""A JSON value as the text that it would be written as: what is found in that, by the values that it stands in."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate
from json.encoder import encode_basestring
from typing import Any, Final, TypeAlias

from octavo.privacy.finding import Match

__all__ = ["Document", "FindIn", "Known", "Named", "short_of", "text_of"]

Named: TypeAlias = tuple[str, str]
"""A text and, before it, the key that it stands under: `("password", "…")`; an empty name where there is none."""

Known: TypeAlias = dict[Named, list[Match]]
"""What was found in texts by what stands around them."""

FindIn: TypeAlias = Callable[[str], list[Match]]
"""Finds in a whole text, in order and apart from one another."""


_LEAST: Final = 10**8
"""Numbers of fewer than nine digits are nobody's: the shortest that is looked for is a phone number."""

_MOST: Final = 10**30
"""Numbers from here on are longer than any; Python would need quadratic time to write out the largest."""

_EXACT: Final = 2.0**63
"""Floats from here on are not written as whole numbers: their last digits are nobody's."""


class Document:
    """Writes a value as `json.dumps` does, and knows where each text of it stands.

    Tables have their heads elsewhere than over the value: whatever the rules see in the text is seen in the value.
    """

    def __init__(self) -> None:
        """Nothing is written yet."""
        self._parts: list[str] = []
        self._length = 0
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._named: list[Named] = []
        self._before = ""
        """What parts the next from what stands before it."""
        self._keys: dict[str, str] = {}

    def open(self, mark: str) -> None:
        """`[` or `{`."""
        self._write(self._before + mark, "")

    def close(self, mark: str) -> None:
        """`]` or `}`."""
        self._write(mark, ", ")

    def key(self, text: str | None) -> None:
        """A key, before its value; `None` for one in which nothing is looked for."""
        key = text or ""
        written = self._keys.get(key)
        if written is None:
            written = self._keys[key] = encode_basestring(key)
        self._place(written, 1, ("", key))
        self._before = ": "

    def text(self, name: str, text: str) -> None:
        """A text under its name."""
        self._place(encode_basestring(text), 1, (name, text))

    def number(self, name: str, digits: str) -> None:
        """A number under its name."""
        self._place(digits, 0, (name, digits))

    def constant(self) -> None:
        """`null`: for what has no text, and what is not written again."""
        self._write(self._before + "null", ", ")

    def known(self, find: FindIn) -> Known:
        """What is found in the whole text, cut to each text that it stands in."""
        known: Known = {}
        at, offsets = -1, list[int]()
        for one in find("".join(self._parts)):
            for place in self._touched(one):
                start, (name, text) = self._starts[place], self._named[place]
                begin, end = max(one.start, start) - start, min(one.end, self._ends[place]) - start
                if self._ends[place] - start != len(text):
                    # Once for each text: one with many findings must not be read for each of them.
                    at, offsets = (at, offsets) if at == place else (place, _offsets(text))
                    begin, end = bisect_right(offsets, begin) - 1, bisect_left(offsets, end)
                if begin < end:
                    known.setdefault((name, text), []).append(Match(one.kind, begin, end, one.confidence))
        return known

    def _touched(self, one: Match) -> Iterator[int]:
        place = bisect_right(self._ends, one.start)
        while place < len(self._starts) and self._starts[place] < one.end:
            yield place
            place += 1

    def _place(self, written: str, quotes: int, named: Named) -> None:
        before = self._before
        start = self._length + len(before) + quotes
        end = start + len(written) - 2 * quotes
        self._starts.append(start)
        self._ends.append(end)
        self._named.append(named)
        self._parts.append(before + written)
        self._length = end + quotes
        self._before = ", "

    def _write(self, part: str, before: str) -> None:
        self._parts.append(part)
        self._length += len(part)
        self._before = before


def _offsets(text: str) -> list[int]:
    """Where each character of a text begins in what is written of it, and where that ends."""
    escaped: Final = (len(encode_basestring(one)) - 2 for one in text)
    return list(accumulate(escaped, initial=0))


def text_of(value: Any) -> str | None:
    """The text in which something may be found: of numbers the digits; `None` where nothing can be."""
    if isinstance(value, str):
        # The characters alone: a class of the caller's may compare them otherwise.
        return str.__str__(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float):
        return str(int(value)) if _LEAST <= abs(value) < _EXACT and value.is_integer() else None
    return int.__repr__(value) if _LEAST <= abs(value) < _MOST else None


def short_of(number: Any) -> str:
    """What is written of a number in which nothing is looked for by itself."""
    if isinstance(number, float):
        return float.__repr__(number)
    return int.__repr__(number) if abs(number) < _MOST else "0"
