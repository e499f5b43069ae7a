"""Text that arrives in parts: what is found across their borders is masked as in the whole."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from threading import Lock
from typing import Final, TypeAlias, final

from octavo import _core
from octavo.errors import MaskingError
from octavo.privacy.finding import Match, Span, check_unseen, matches
from octavo.privacy.token import Write, typed, written

__all__ = ["MaskStream"]

Settle: TypeAlias = Callable[[str, list[Match], str], list[Match]]
"""What is masked in a piece of text, given what the engine found in it and the masked text before it."""

_SEEN: Final = 2_048
"""Characters before a piece that are seen when it is read again with tokens in it: thirty words of context would do,
but what stands between may be tokens, each of which counts as one character."""


@final
class MaskStream:
    """Masks a text that arrives in parts; made by :meth:`octavo.privacy.Masker.stream`.

    Everything given out, joined, is the masked whole, wherever the parts were cut. What could still become a part of
    something is held back: some hundred characters, or a private key up to its end or 32 KiB. A masker with recognisers
    of one's own holds back up to the end of the line, because they look at lines. With those, a key or a vault a secret
    of any length is held whole, because all of it is judged, digested or kept.

    Safe to share between threads; the order of the parts is that of the calls.
    """

    __slots__ = ("_before", "_engine", "_lock", "_pending", "_settle", "_write")

    def __init__(self, engine: _core.MaskStream, settle: Settle | None, write: Write, *, whole: bool) -> None:
        """Begin a text; a masker knows what to begin it with.

        Without `settle` what the engine finds is masked; with `whole` each finding is written when all of it is there.
        """
        self._engine: Final = engine
        self._settle: Final = settle
        self._write: Final = write
        self._before = ""
        self._pending: Final = _Pending(lines=settle is not None, whole=whole)
        self._lock: Final = Lock()

    def push(self, chunk: str) -> str:
        """Append to the text; what is certain by now and was not given out yet.

        Raises:
            ArgumentError: `chunk` is no text.
            MaskingError: the stream was finished.
            RecognizerError: a recogniser of the caller's own failed. The text that it failed on is not given out.
        """
        check_unseen("chunk", chunk)
        with self._lock:
            settled = self._engine.push(chunk)
            if settled is None:
                raise MaskingError("the stream was finished: a new text needs a new one", name="chunk")
            piece = self._pending.push(chunk, *settled)
        # Recognisers are called outside the lock.
        return self._masked(*piece)

    def finish(self) -> str:
        """End the text; all that was held back.

        Raises:
            RecognizerError: a recogniser of the caller's own failed.
        """
        with self._lock:
            settled = self._engine.finish()
            piece = self._pending.finish(settled[1]) if settled else ("", [])
        return self._masked(*piece)

    def _masked(self, text: str, built_in: list[Match]) -> str:
        if self._settle is None:
            return written(text, built_in, self._write)
        found = self._settle(text, built_in, self._before)
        # Where threads push at once, whichever is done last is what is seen.
        seen = (self._before + written(text, found, typed))[-_SEEN:]
        self._before = seen if len(seen) < _SEEN else seen[seen.find("\n") + 1 :]
        return written(text, found, self._write)

    def __repr__(self) -> str:
        return "<MaskStream>"


class _Pending:
    """The text that was not given out yet, and what was found in it. Places are counted from the stream's start."""

    __slots__ = ("_base", "_end", "_found", "_line_ends", "_lines", "_parts", "_settled", "_whole")

    def __init__(self, *, lines: bool, whole: bool) -> None:
        self._lines: Final = lines
        self._whole: Final = whole
        self._parts: list[str] = []
        self._base = 0
        self._end = 0
        self._settled = 0
        self._found: list[Match] = []
        self._line_ends: list[int] = []

    def push(self, chunk: str, more: int, spans: list[Span]) -> tuple[str, list[Match]]:
        """Take in a part; what can be given out when the engine is certain of `more` code points."""
        if self._lines:
            at = chunk.find("\n")
            while at >= 0:
                self._line_ends.append(self._end + at + 1)
                at = chunk.find("\n", at + 1)
        self._parts.append(chunk)
        self._end += len(chunk)
        self._find(spans)
        self._settled += more
        closed = self._closed()
        return self._take(self._line_end(closed) if self._lines else closed)

    def finish(self, spans: list[Span]) -> tuple[str, list[Match]]:
        """Everything that is left."""
        self._find(spans)
        return self._take(self._end)

    def _find(self, spans: list[Span]) -> None:
        """Findings in what is certain since the last time."""
        at = self._settled
        for one in matches(spans):
            found = Match(one.kind, at + one.start, at + one.end, one.confidence)
            before = self._found[-1] if self._found and self._whole and not one.confidence else None
            if before is None:
                self._found.append(found)
            else:
                # The rest of one that is longer than the engine holds.
                self._found[-1] = Match(before.kind, before.start, found.end, before.confidence)

    def _closed(self) -> int:
        """Up to where findings are whole: the last one may go on where it ends at what is certain."""
        last = self._found[-1] if self._found and self._whole else None
        return last.start if last and last.end == self._settled else self._settled

    def _line_end(self, settled: int) -> int:
        """The last end of a line that is certain and not inside of what was found."""
        place = bisect_right(self._line_ends, settled)
        while place:
            end = self._line_ends[place - 1]
            before = bisect_right(self._found, end - 1, key=lambda one: one.start)
            over = self._found[before - 1] if before else None
            if over is None or over.end <= end:
                return end
            place = bisect_right(self._line_ends, over.start)
        return self._base

    def _take(self, cut: int) -> tuple[str, list[Match]]:
        if cut <= self._base:
            return "", []
        text, base = "".join(self._parts), self._base
        ready = bisect_right(self._found, cut - 1, key=lambda one: one.start)
        found = [Match(one.kind, one.start - base, one.end - base, one.confidence) for one in self._found[:ready]]
        del self._found[:ready], self._line_ends[: bisect_right(self._line_ends, cut)]
        self._parts = [text[cut - base :]]
        self._base = cut
        return text[: cut - base], found
