"""Cuts a text to a number of tokens so that its reader can see that, where and how much is missing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

__all__ = ["SHORT_MARK", "cut_text"]

_Ends: TypeAlias = tuple[int, int]
"""Where the kept beginning ends and where the kept end begins."""

SHORT_MARK: Final = "[…]"
"""Stands for what is left out where the mark with the number would take too much of what there is."""

# Room from which a text keeps its last lines too. With less, two pieces of a few words each say less than one.
_TAIL_FROM: Final = 48

# The share of the room that the last lines get. The beginning says what a text is about; results, errors and the
# newest entries of a log stand at the end.
_TAIL_SHARE: Final = 3

# A line that opens or closes a code block: CommonMark 0.31.2 §4.5. Inside lists and quotes it is not looked for.
_FENCE: Final = re.compile(r"^ {0,3}(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>[^\n]*)$", re.MULTILINE)


def cut_text(
    count: Callable[[str], int],
    text: str,
    limit: int,
    *,
    around: Callable[[str], str] = str,
    least: int = 0,
) -> str:
    """Give the text, or its beginning and its last lines with a mark between them, in at most `limit` tokens.

    The mark says how many tokens were left out and counts within the limit. Whole lines are kept where that
    uses half of the room beside the mark, else whole words, else characters. A Markdown code block that is cut
    is closed before the mark and opened again after it.

    Args:
        count: tokens of a text.
        text: what is cut.
        limit: the most tokens.
        around: what will be written around the text (delimiters, escapes): what it makes counts.
        least: lines and words are broken rather than use fewer tokens than this.

    Returns:
        The text itself where it fits; nothing where not even a short mark does.
    """
    if count(around(text)) <= limit:
        return text
    if count(around(SHORT_MARK)) > limit:
        return ""
    return _Cut(count, text, limit, around, least).made()


@dataclass(frozen=True, slots=True)
class _Cut:
    """One text that does not fit."""

    count: Callable[[str], int]
    text: str
    limit: int
    around: Callable[[str], str]
    least: int

    def made(self) -> str:
        """The text cut to a room that shrinks until it fits."""
        longest = _mark(self.count(self.text))
        counted = 2 * self.count(longest) <= self.limit - self._cost("")
        room = self.limit - self._cost(longest if counted else SHORT_MARK)
        enough = max(self.least, self.limit - room // 2)
        step = 1
        while room > 0:
            written = self._within(room, enough, counted=counted)
            if written is not None:
                return written
            # What is put together may have more tokens than its parts: verified, and less taken in doubling
            # steps, so that no counter makes this long.
            room -= step
            step *= 2
        return longest if self._cost(longest) <= self.limit else SHORT_MARK

    def _within(self, room: int, enough: int, *, counted: bool) -> str | None:
        """The text cut to about `room` tokens, if that stays within the limit: in lines where they use enough."""
        reached = self._reached(room)
        if reached[0] >= reached[1]:
            return None
        for whole in (_lines, _words, _characters):
            written = self._written(whole(self.text, reached), counted=counted)
            used = self._cost(written)
            if used <= self.limit and (used >= enough or whole is _characters):
                return written
        return None

    def _cost(self, text: str) -> int:
        return self.count(self.around(text))

    def _reached(self, room: int) -> _Ends:
        """How far the beginning and the end reach in characters."""
        text, length = self.text, len(self.text)
        tail_room = room // _TAIL_SHARE if room >= _TAIL_FROM else 0
        head = _reach(lambda characters: self.count(text[:characters]), length, room - tail_room)
        tail = _reach(lambda characters: self.count(text[length - characters :]), length - head, tail_room)
        return head, length - tail

    def _written(self, ends: _Ends, *, counted: bool) -> str:
        """The kept pieces with the mark between them, every code block closed."""
        head, tail = ends
        kept, rest = self.text[:head], self.text[tail:]
        lines = [kept.removesuffix("\n")] if kept else []
        if (opened := _open_fence(kept, head)) is not None:
            lines.append(opened[0])
        lines.append(_mark(self.count(self.text[head:tail])) if counted else SHORT_MARK)
        if rest:
            if (opened := _open_fence(self.text, tail)) is not None:
                lines.append("".join(opened))
            lines.append(rest)
        written = "\n".join(lines)
        if (opened := _open_fence(written, len(written))) is not None:
            written = f"{written.removesuffix(chr(10))}\n{opened[0]}"
        return written


def _mark(tokens: int) -> str:
    return f"[… {tokens} token{'' if tokens == 1 else 's'} left out]"


def _reach(cost: Callable[[int], int], length: int, room: int) -> int:
    """The most characters whose tokens stay within `room`, to half a per cent: looks at a few times as many at most."""
    low, high = 0, min(length, 4 * room)
    while low < high and cost(high) <= room:
        low, high = high, min(length, 2 * high)
    while high - low > 1 + low // 200:
        middle = (low + high) // 2
        low, high = (middle, high) if cost(middle) <= room else (low, middle)
    return low


def _lines(text: str, reached: _Ends) -> _Ends:
    """Back to where lines end."""
    return _between("\n", text, reached)


def _words(text: str, reached: _Ends) -> _Ends:
    """Back to where words end."""
    return _between(" \n\t", text, reached)


def _between(separators: str, text: str, reached: _Ends) -> _Ends:
    """The ends drawn in to the nearest separators, which belong to what is left out before the rest."""
    head, tail = reached
    before = max(text.rfind(separator, 0, head + 1) for separator in separators)
    after = [at for separator in separators if (at := text.find(separator, max(tail - 1, 0))) >= 0]
    return max(before, 0), min(after) + 1 if after and tail < len(text) else len(text)


def _characters(text: str, reached: _Ends) -> _Ends:
    """As far as it reaches."""
    del text
    return reached


def _open_fence(text: str, end: int) -> tuple[str, str] | None:
    """The fence of the code block in which the first `end` characters leave off, and its info; else nothing."""
    if "```" not in text and "~~~" not in text:
        return None
    opened: tuple[str, str] | None = None
    for line in _FENCE.finditer(text, 0, end):
        fence, info = line["fence"], line["info"]
        if opened is None:
            opened = fence, info
        elif fence.startswith(opened[0]) and not info.strip():
            opened = None
    return opened
