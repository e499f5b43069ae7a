"""What a context tells of the messages that the cut left out: the ledger's section, the same until the next cut."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from octavo import _core
from octavo.budget import Budget
from octavo.ledger import DEFAULT_BYTES, LedgerSection, argument_names
from octavo.tokens import Counter

__all__ = ["Telling", "room_for"]

_LEAST: Final = 64
"""Fewer tokens hold the section's own two lines and hardly a value."""

_STRETCH: Final = 4
"""Values are taken from so many rooms of history at least, and less than twice as many, counted back from the cut.

Fewer would forget what is still asked for; more would make a call without state read a long conversation twice."""

_SHORTEST, _LONGEST = 1 << 16, 1 << 17
"""Tokens of that stretch at least, so that a small room remembers too, and at most: half a second of typing, and about
10 ms of reading."""

_KEPT: Final = 4
"""So many sections are remembered: as many as views of a conversation."""


_Limits: TypeAlias = tuple[int, int, int, int, int, int]
"""What `Transcript.plan` takes as limits."""

_Key: TypeAlias = tuple[_core.Transcript, int, tuple[tuple[int, int], ...], _Limits, int]
"""What a section hangs on: the conversation, the cut, what it left out, limits and room."""


@dataclass(slots=True)
class _Reading:
    """A ledger of the messages from `base` on, as far as it has been read."""

    engine: _core.Transcript
    base: int
    ledger: _core.Ledger

    @property
    def end(self) -> int:
        return self.base + len(self.ledger)


def room_for(budget: Budget, fixed: int) -> int:
    """Tokens kept for the section once messages are left out: the ledger's share of what `fixed` leaves."""
    told = round(budget.ledger * max(0, budget.tokens - fixed))
    return told if told >= _LEAST else 0


class Telling:
    """Writes the section of each cut of one conversation.

    What is written depends on the messages before the cut, what the cut left out of them, the tools and the room. So it
    is the same for a transcript that was fed step by step and for a call without state. May be called from several
    threads: a ledger is in one hand at a time, and who finds none reads one of its own.
    """

    __slots__ = ("_counter", "_idle", "_written")

    def __init__(self, counter: Counter) -> None:
        """Nothing has been read yet."""
        self._counter = counter
        self._idle: deque[_Reading] = deque(maxlen=1)
        self._written: deque[tuple[_Key, LedgerSection]] = deque(maxlen=_KEPT)

    def unread(self, engine: _core.Transcript, plan: _core.Plan, limits: _Limits) -> int:
        """Tokens of the messages that must be read before the section of a plan can be written."""
        found = plan.left_out(engine)
        if found is None or not limits[5]:
            return 0
        at, spans, _ = found
        if any(key[:4] == (engine, at, tuple(spans), limits) for key, _ in tuple(self._written)):
            return 0
        base = _base(engine, at, limits)
        idle = next(iter(tuple(self._idle)), None)
        known = idle is not None and idle.engine is engine and idle.base == base and idle.end <= at
        return engine.tokens_in(idle.end if known and idle is not None else base, at)

    def section(
        self, engine: _core.Transcript, plan: _core.Plan, limits: _Limits, room: int, tools: Any
    ) -> LedgerSection | None:
        """The section for a plan; `None` where nothing was left out, or nothing is to be told of it.

        Args:
            engine: the conversation.
            plan: what is shown of it.
            limits: those that the plan was made with; the basis in them tells whether the tools changed.
            room: tokens that the section may take.
            tools: the tool definitions: values under names that they take come first.
        """
        found = plan.left_out(engine)
        if found is None or room < _LEAST:
            return None
        at, spans, prompt = found
        key = (engine, at, tuple(spans), limits, room)
        for known, section in tuple(self._written):
            if known == key:
                return section
        reading = self._read(engine, _base(engine, at, limits), at)
        within = [(max(start - reading.base, 0), end - reading.base) for start, end in spans if end > reading.base]
        request = "" if prompt is None else _core.said(engine[prompt], engine.format)
        section = LedgerSection(
            *reading.ledger.render(within, request, sorted(argument_names(tools)), room, self._counter.core)
        )
        self._idle.append(reading)
        self._written.append((key, section))
        return section

    def _read(self, engine: _core.Transcript, base: int, at: int) -> _Reading:
        """A ledger of the messages from `base` up to `at`, which is nobody else's meanwhile."""
        try:
            reading = self._idle.pop()
        except IndexError:
            reading = None
        if reading is None or reading.engine is not engine or reading.base != base or reading.end > at:
            reading = _Reading(engine, base, _core.Ledger([], DEFAULT_BYTES))
        for index in range(reading.end, at):
            reading.ledger.append(engine[index], engine.format)
        return reading


def _base(engine: _core.Transcript, at: int, limits: _Limits) -> int:
    """The first message whose values are told at a cut before message `at`: on a grid, so that it moves rarely."""
    room = max(1, limits[0] - limits[1])
    stretch = min(max(_STRETCH << (room.bit_length() - 1), _SHORTEST), _LONGEST)
    least = (engine.tokens_in(0, at) // stretch - 1) * stretch
    return bisect_left(range(at), least, key=lambda message: engine.tokens_in(0, message))
