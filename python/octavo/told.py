"""What a context tells of the messages that the cut left out: a summary and the ledger, the same until the next cut."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from octavo import _core
from octavo.budget import Budget
from octavo.compaction.standing import standing
from octavo.compaction.summary import Ranges, Summary, Written, shown_at, written
from octavo.ledger import DEFAULT_BYTES, LedgerSection, argument_names
from octavo.sections import alternates, text_message
from octavo.shares import Placed
from octavo.tokens import Counter

__all__ = ["Limits", "Telling", "Told", "room_for"]

_LEAST: Final = 64
"""Fewer tokens hold the section's own two lines and hardly a value."""

_STRETCH: Final = 4
"""Values are taken from so many rooms of history at least, and less than twice as many, counted back from the cut.

Fewer would forget what is still asked for; more would make a call without state read a long conversation twice."""

_SHORTEST, _LONGEST = 40 << 10, 1 << 17
"""Tokens of that stretch at least, so that a small room remembers too, and at most: about 10 to 30 ms of reading."""

_MESSAGES: Final = 16
"""Of so many messages at least, and less than twice as many, values are taken however long they are.

One huge result must not push out what was said right before it; only the beginning and end of a long text are read."""

_KEPT: Final = 4
"""So many sections are remembered: as many as views of a conversation."""


Limits: TypeAlias = tuple[int, int, int, int, int, int, bool]
"""What `Transcript.plan` takes as limits."""

_Key: TypeAlias = tuple[_core.Transcript, tuple[int, int, int], Limits, int, str | None, int, Ranges]
"""What a section hangs on: the conversation, the cut, limits, room, the summary with its room, what stays beside it."""


@dataclass(slots=True)
class Told:
    """What is told at one cut.

    Attributes:
        text: the summary's block and the ledger's section, as far as there are any.
        placed: their lines in the report.
        tokens: of the text.
        summary: the summary that is shown.
        message: the message that it is where roles do not alternate.
        joined: the message that it joined last where they do, and what came of it: the same object at the next call.
    """

    text: str
    placed: tuple[Placed, ...]
    tokens: int
    summary: Summary | None
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


def room_for(budget: Budget, fixed: int, *, compaction: bool = False) -> tuple[int, int]:
    """The most tokens kept once messages are left out: for the ledger's section, and for a summary.

    Each is its share of what `fixed` leaves; the summary's in a transcript that has summaries. Both are at most half of
    it together: what is asked for the ledger goes first. A cut keeps less where what stays in any case leaves less.
    """
    left = max(0, budget.tokens - fixed)
    told = round(budget.ledger * left)
    if not compaction:
        return told if told >= _LEAST else 0, 0
    summary = min(round(budget.summary * left), left // 2 - told)
    return told if told >= _LEAST else 0, summary if summary >= _LEAST else 0


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

    def carry(self, old: _core.Transcript, new: _core.Transcript, to: Telling) -> None:
        """Let `to` tell of `new`, a fork of `old` or its beginning, what was told of `old`: nothing is read again."""
        known = min(len(old), len(new))

        def is_same(at: int) -> bool:
            return 0 < at <= known and old[at - 1] is new[at - 1]

        for key, told in tuple(self._written):
            if key[0] is old and is_same(key[1][0]):
                to._written.append(((new, *key[1:]), told))
        try:
            reading = self._idle.pop()
        except IndexError:
            return
        self._idle.append(reading)
        if reading.engine is old and is_same(reading.end):
            to._idle.append(_Reading(new, reading.base, reading.ledger.fork()))

    def unread(self, engine: _core.Transcript, plan: _core.Plan, limits: Limits) -> int:
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
        self,
        engine: _core.Transcript,
        plan: _core.Plan,
        limits: Limits,
        room: int,
        framing: int,
        tools: Any,
        summaries: tuple[tuple[Summary, ...], int] = ((), 0),
    ) -> Told | None:
        """What is told with a plan; `None` where nothing was left out, or nothing is to be told of it.

        Args:
            engine: the conversation.
            plan: what is shown of it.
            limits: those that the plan was made with; the basis in them tells whether the tools changed.
            room: tokens that it may take, `framing` included.
            framing: what a message takes beside its text.
            tools: the tool definitions: values under names that they take come first.
            summaries: those that were accepted, and how much of the room is theirs.
        """
        cut = plan.cut_key
        if cut is None:
            return None
        summary = shown_at(summaries[0], cut[0]) if summaries[0] else None
        if room - framing < _LEAST and summary is None:
            return None
        shown = _before(plan, cut[0]) if summary is not None else ()
        key = (engine, cut, limits, room, None if summary is None else summary.id, summaries[1], shown)
        for known, told in reversed(tuple(self._written)):
            if known == key:
                return told if told.text else None
        block = None
        if summary is not None:
            due = standing(summary, engine, plan.left_out(engine), shown)
            block = written(due, self._counter, min(summaries[1], room - framing))
        told = self._told(engine, plan, limits, (room - framing, summaries[1]), tools, block)
        if not alternates(engine.format):
            first, *others = told.placed
            told.placed = (replace(first, tokens=first.tokens + framing), *others)
            told.tokens += framing
        self._written.append((key, told))
        return told if told.text else None

    def _told(
        self,
        engine: _core.Transcript,
        plan: _core.Plan,
        limits: Limits,
        rooms: tuple[int, int],
        tools: Any,
        block: Written | None,
    ) -> Told:
        """The texts of one cut, without what frames them."""
        # What the summary leaves of its own room is not the ledger's: with and without one, that says the same.
        left = rooms[0] - (0 if block is None else block.tokens + 1)
        room = max(0, min(left, plan.told - rooms[1]))
        section = self._section(engine, plan, limits, room, tools, "" if block is None else block.text)
        text, tokens, placed = section.text, section.tokens, list[Placed]()
        method = self._counter.method
        if block is not None:
            text = f"{block.text}\n\n{section.text}" if section.text else block.text
            tokens = self._counter.count(text) if section.text else block.tokens
            kept = ("cut", "room") if block.cut or block.left else ("kept", "whole")
            placed.append(Placed("summary", "head", tokens - section.tokens, method, *kept, block.summary.id))
        if section.text or block is None:
            kept = ("cut", "room") if section.left else ("kept", "whole")
            placed.append(Placed("ledger", "head", section.tokens, method, *kept, "messages left out"))
        summary = None if block is None else block.summary
        return Told(text, tuple(placed), tokens, summary, text_message(engine.format, "user", text))

    def _section(
        self, engine: _core.Transcript, plan: _core.Plan, limits: Limits, room: int, tools: Any, beside: str
    ) -> LedgerSection:
        """The values of what was left out, but for those that stand in the summary `beside` it."""
        at, spans, prompt = plan.left_out(engine)
        reading = self._read(engine, _base(engine, at, limits), at)
        within = [(max(start - reading.base, 0), end - reading.base) for start, end in spans if end > reading.base]
        request = "" if prompt is None else _core.said(engine[prompt], engine.format)
        names = sorted(argument_names(tools))
        ledger, read = reading.ledger, len(reading.ledger)
        if beside:
            # As a message that is shown: a value in it is not told again.
            ledger.append({"role": "user", "content": beside}, "openai")
        section = LedgerSection(*ledger.render(within, request, names, room, self._counter.core))
        if not beside or ledger.truncate(read):
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


def _before(plan: _core.Plan, at: int) -> Ranges:
    """What is shown of the messages before the call at which the cut moved."""
    return tuple((start, min(end, at)) for start, end in plan.spans if start < at)


def _base(engine: _core.Transcript, at: int, limits: Limits) -> int:
    """The first message whose values are told at a cut before message `at`: on a grid, so that it moves rarely."""
    room = max(1, limits[0] - limits[1])
    stretch = min(max(_STRETCH << (room.bit_length() - 1), _SHORTEST), _LONGEST)
    least = (engine.tokens_in(0, at) // stretch - 1) * stretch
    by_tokens = bisect_left(range(at), least, key=lambda message: engine.tokens_in(0, message))
    return min(by_tokens, max(0, (at // _MESSAGES - 1) * _MESSAGES))
