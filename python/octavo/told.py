"""What a context tells of the messages that the cut left out: the ledger's section, the same until the next cut."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from octavo import _core
from octavo.budget import Budget
from octavo.ledger import DEFAULT_BYTES, LedgerSection, argument_names
from octavo.sections import alternates, text_message
from octavo.shares import Placed
from octavo.tokens import Counter

__all__ = ["Telling", "Told", "room_for"]

_LEAST: Final = 64
"""Fewer tokens hold the section's own two lines and hardly a value."""

_STRETCH: Final = 4
"""Values are taken from so many rooms of history at least, and less than twice as many, counted back from the cut.

Fewer would forget what is still asked for; more would make a call without state read a long conversation twice."""

_SHORTEST, _LONGEST = 40 << 10, 1 << 17
"""Tokens of that stretch at least, so that a small room remembers too, and at most: about 10 to 30 ms of reading."""

_KEPT: Final = 4
"""So many sections are remembered: as many as views of a conversation."""


_Limits: TypeAlias = tuple[int, int, int, int, int, int]
"""What `Transcript.plan` takes as limits."""

_Key: TypeAlias = tuple[_core.Transcript, tuple[int, int, int], _Limits, int]
"""What a section hangs on: the conversation, the cut, limits and room."""


@dataclass(slots=True)
class Told:
    """What is told at one cut.

    Attributes:
        section: the text, with what it shows.
        placed: its line in the report.
        message: the message that it is where roles do not alternate.
        joined: the message that it joined last where they do, and what came of it: the same object at the next call.
    """

    section: LedgerSection
    placed: Placed
    message: dict[str, Any]
    joined: tuple[Any, Any] | None = None


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
        self._written: deque[tuple[_Key, Told]] = deque(maxlen=_KEPT)

    def unread(self, engine: _core.Transcript, plan: _core.Plan, limits: _Limits) -> int:
        """Tokens of the messages that must be read before the section of a plan can be written."""
        cut = plan.cut_key
        if cut is None or not limits[5]:
            return 0
        if any(key[:3] == (engine, cut, limits) for key, _ in tuple(self._written)):
            return 0
        base = _base(engine, cut[0], limits)
        idle = next(iter(tuple(self._idle)), None)
        known = idle is not None and idle.engine is engine and idle.base == base and idle.end <= cut[0]
        return engine.tokens_in(idle.end if known and idle is not None else base, cut[0])

    def told(
        self, engine: _core.Transcript, plan: _core.Plan, limits: _Limits, room: int, framing: int, tools: Any
    ) -> Told | None:
        """What is told with a plan; `None` where nothing was left out, or nothing is to be told of it.

        Args:
            engine: the conversation.
            plan: what is shown of it.
            limits: those that the plan was made with; the basis in them tells whether the tools changed.
            room: tokens that it may take, `framing` included.
            framing: what a message takes beside its text.
            tools: the tool definitions: values under names that they take come first.
        """
        cut = plan.cut_key
        if cut is None or room - framing < _LEAST:
            return None
        key = (engine, cut, limits, room)
        for known, told in tuple(self._written):
            if known == key:
                return told if told.section.text else None
        section = self._section(engine, plan, limits, room - framing, tools)
        verdict, reason = ("cut", "room") if section.left else ("kept", "whole")
        tokens = section.tokens + (0 if alternates(engine.format) else framing)
        placed = Placed("ledger", "head", tokens, self._counter.method, verdict, reason, "messages left out")
        told = Told(section, placed, text_message(engine.format, "user", section.text))
        self._written.append((key, told))
        return told if section.text else None

    def _section(
        self, engine: _core.Transcript, plan: _core.Plan, limits: _Limits, room: int, tools: Any
    ) -> LedgerSection:
        at, spans, prompt = plan.left_out(engine)
        reading = self._read(engine, _base(engine, at, limits), at)
        within = [(max(start - reading.base, 0), end - reading.base) for start, end in spans if end > reading.base]
        request = "" if prompt is None else _core.said(engine[prompt], engine.format)
        names = sorted(argument_names(tools))
        section = LedgerSection(*reading.ledger.render(within, request, names, room, self._counter.core))
        self._idle.append(reading)
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
