"""What stands around the history: system, tools and the sections before it, counted once for many calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

from octavo import _core
from octavo.budget import Section
from octavo.checking import check_blocks
from octavo.messages import Format
from octavo.sections import alternates, declared, into_system, leading_of, opens, text_message
from octavo.shares import Ask, Fitted, Placed, ask_of, cut_to, kept_for, placed_as, share_fixed, whole
from octavo.tokens import Counter

__all__ = ["Around", "Frame", "Frames", "Mark", "mark_of"]

Mark: TypeAlias = tuple[str | None, int, int]
"""A text of system, the fingerprint of a system prompt that is no text, and that of the tools."""

_Known: TypeAlias = tuple[Format, tuple[Section, ...], tuple[int, int], Mark]
"""What a frame is counted for: format, sections, room, system and tools."""


@dataclass(frozen=True, slots=True)
class Around:
    """Tokens of system and tools, and how sure they are.

    Attributes:
        system: tokens of the system prompt that is given apart.
        tools: tokens of the tool definitions.
        system_estimated: of `system`, what is no plain text.
        tools_estimated: of `tools`, what no published rule speaks of.
        error: how far the estimated tokens can be off together.
    """

    system: int
    tools: int
    system_estimated: int
    tools_estimated: int
    error: int


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around the history and never shrinks, as counted: it holds nothing that a caller may change.

    Attributes:
        joined: prefix sections that join the system parameter.
        leading: prefix sections for formats whose system message is one of the messages.
        head: sections that stand before the history, as blocks.
        tail: sections that stand at the end, within their own maxima, not yet cut to what is left.
        placed: the fixed sections, for the report.
        tokens: system, tools, framing and fixed sections together.
        around: of those, system and tools as they were given.
        framing: what a message takes beside its text.
        beside: tokens set aside for the tail: its sections' minima, and their framing where they are messages. They
            hang on what the sections declare, never on their texts: what is set aside decides where the history is
            cut, and a text that grows would move the cut.
    """

    joined: tuple[str, ...]
    leading: tuple[str, ...]
    head: tuple[str, ...]
    tail: tuple[Fitted, ...]
    placed: tuple[Placed, ...]
    tokens: int
    around: Around
    framing: int
    beside: int
    garbled: tuple[str, ...] = ()
    """Of `system` and `tools` those in which a text holds surrogates: they are not sent as they are."""


def frame_of(
    counter: Counter,
    format: Format,
    system: Any,
    tools: Any,
    sections: Sequence[Section],
    room: tuple[int, int] = (0, 0),
) -> Frame:
    """Count and place everything that does not depend on how far the history has come.

    Args:
        counter: counts the tokens.
        format: the format of the messages.
        system: the system parameter.
        tools: the tool definitions.
        sections: the sections. The tail's texts are not looked at.
        room: the budget, and what the opening of the conversation takes of it; without sections it plays no part.
    """
    around = Around(*counter.core.count_frame(system, tools))
    budget, opening = room
    left = max(0, budget - counter.fixed - around.system - around.tools - opening)
    bare = _Placing(counter, format, system, _framing(counter, format), around.system)
    placing, beside = _placed_within(bare, [whole(counter, section) for section in sections], left)
    return Frame(
        joined=tuple(placing.joined), leading=tuple(placing.leading), head=tuple(placing.head), tail=(),
        placed=tuple(placing.placed), tokens=counter.fixed + around.system + around.tools + placing.tokens,
        around=around, framing=placing.framing, beside=beside,
        garbled=tuple(name for name, given in (("system", system), ("tools", tools)) if _core.is_garbled(given)),
    )  # fmt: skip


def _placed_within(bare: _Placing, sections: Sequence[Fitted], room: int) -> tuple[_Placing, int]:
    """The fixed sections in at most `room` tokens, and of these what is set aside for the tail."""
    left, less = room, 1
    while True:
        placing, beside = _placed_by(bare, sections, left)
        over = placing.tokens + beside - room
        if over <= 0 or left == 0:
            return placing, beside
        # A text that joins another may cost more than the two alone, above all where counts are calibrated by what
        # is in a text: verified, and less shared out in doubling steps, so that no counter makes this long.
        less = max(over, 2 * less)
        left = max(0, left - less)


def _placed_by(bare: _Placing, sections: Sequence[Fitted], room: int) -> tuple[_Placing, int]:
    """The fixed sections cut to their shares of `room`, and the tail's shares."""
    placing = replace(bare, joined=[], leading=[], head=[], placed=[])
    given, arounds = [fitted.section for fitted in sections], bare.arounds(sections)
    asks = [_asked(bare.counter, one, around) for one, around in zip(sections, arounds, strict=True)]
    beside = 0
    for fitted, around, grant in zip(sections, arounds, share_fixed(given, asks, room), strict=True):
        if fitted.section.place == "tail":
            beside += grant
        elif fitted.section.text:
            placing.place(cut_to(bare.counter, fitted, grant, around))
    return placing, beside


def _asked(counter: Counter, fitted: Fitted, around: int) -> Ask:
    """What a section asks for here: of the tail only what is set aside."""
    if fitted.section.place != "tail":
        return ask_of(counter, fitted, around)
    kept = kept_for(fitted.section, around)
    return kept, kept, kept


@dataclass(slots=True)
class _Placing:
    """The fixed sections as they are being placed."""

    counter: Counter
    format: Format
    system: Any
    framing: int
    system_tokens: int
    tokens: int = 0
    joined: list[str] = field(default_factory=list)
    leading: list[str] = field(default_factory=list)
    head: list[str] = field(default_factory=list)
    placed: list[Placed] = field(default_factory=list)

    def arounds(self, sections: Sequence[Fitted]) -> list[int]:
        """What frames each section, about: what joins a text costs what their seam turns out to be."""
        message = 0 if alternates(self.format) else self.framing
        opened = self.counter.count_system("") if self.system is None else 0
        seam = self.counter.count("\n\n") if self.system is None or isinstance(self.system, str) else 0
        arounds: list[int] = []
        for fitted in sections:
            if fitted.section.place != "prefix" or self._leads:
                arounds.append(message)
            else:
                arounds.append(opened or seam)
                opened = 0
        return arounds

    @property
    def _leads(self) -> bool:
        """Whether the system message is one of the messages."""
        return self.system is None and self.format in ("openai", "openai-responses")

    def place(self, fitted: Fitted) -> None:
        """Put a section where it belongs, and count what it adds."""
        tokens = self._added(fitted) if fitted.block else 0
        self.tokens += tokens
        self.placed.append(placed_as(self.counter, fitted, tokens))

    def _added(self, fitted: Fitted) -> int:
        place = fitted.section.place
        if place == "prefix" and not self._leads:
            self.joined.append(fitted.block)
            self.system = into_system(self.format, self.system, fitted.block)
            before, self.system_tokens = self.system_tokens, self.counter.count_system(self.system)
            return self.system_tokens - before
        (self.head if place == "head" else self.leading).append(fitted.block)
        return fitted.tokens + (0 if place == "head" and alternates(self.format) else self.framing)


def _framing(counter: Counter, format: Format) -> int:
    return counter.count_message(text_message(format, "user", ""), format=format)


def with_tail(counter: Counter, frame: Frame, sections: Sequence[Section]) -> Frame:
    """The frame with the tail's sections as they are at this call."""
    tail = tuple(whole(counter, section) for section in sections if section.place == "tail" and section.text)
    return frame if not tail and not frame.tail else replace(frame, tail=tail)


def opening_tokens(engine: _core.Transcript, framing: int) -> int:
    """Tokens of what stays as long as the conversation goes on: the leading system messages and the task.

    Args:
        engine: the conversation.
        framing: what a message takes that must be made where there is none yet.
    """
    messages = cast("Sequence[Any]", engine)
    leading = leading_of(messages)
    opened = opens(messages, leading)
    return engine.tokens_in(0, leading + opened) + (0 if opened else framing)


def mark_of(system: Any, tools: Any) -> Mark:
    """What tells whether system or tools changed.

    A text cannot change, and comparing it with itself costs nothing however long it is; what can change in place
    is read for its fingerprint.
    """
    if isinstance(system, str):
        return system, 0, 0 if tools is None else _core.fingerprint(tools)
    rest = 0 if system is None else _core.fingerprint(system)
    return None, rest, 0 if tools is None else _core.fingerprint(tools)


class Frames:
    """The frame of one conversation, counted anew only when anything in it changed, also deep inside."""

    def __init__(self, counter: Counter) -> None:
        """Nothing has been framed yet."""
        self._counter = counter
        self._last: tuple[_Known, _Known, Frame] | None = None

    def frame(
        self,
        engine: _core.Transcript,
        mark: Mark,
        system: Any,
        tools: Any,
        sections: tuple[Section, ...],
        budget: tuple[int, int],
    ) -> Frame:
        """The frame of one call; `budget` is its tokens, and those of what the conversation opens with.

        Raises:
            ArgumentError: system or tools are of a kind that no client takes.
        """
        room = budget if sections else (0, 0)
        asked = (engine.format, sections, room, mark)
        last = self._last
        if last is not None and last[0] == asked:
            return last[2]
        known = (engine.format, declared(sections), room, mark)
        if last is not None and last[1] == known:
            frame = last[2]
        else:
            check_blocks("system", system, texts=True)
            check_blocks("tools", tools, texts=False)
            frame = frame_of(self._counter, engine.format, system, tools, known[1], room)
        frame = with_tail(self._counter, frame, sections)
        self._last = (asked, known, frame)
        return frame
