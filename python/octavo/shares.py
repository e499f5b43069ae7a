"""What each section gets: its block within its own maximum, and cut to its share of what there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from octavo import _core
from octavo.budget import Section
from octavo.cutting import SHORT_MARK, cut_text
from octavo.tokens import Counter, Method

__all__ = ["Ask", "Fitted", "Placed", "ask_of", "cut_to", "kept_for", "placed_as", "share", "share_fixed", "whole"]

Ask: TypeAlias = tuple[int, int, int]
"""Tokens that a section would take, what is set aside for it, and what it is not worth having below."""

_CONVERSATION: Final = 2
"""Extras leave one part in so many of the room to the conversation."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A section's block as it will be written.

    Attributes:
        section: the section.
        block: the text with its delimiters; empty where the section is left out.
        tokens: of the block alone.
        verdict: `kept`, `cut` or `dropped`.
        reason: why: `whole`, `max_tokens` or `room`.
    """

    section: Section
    block: str
    tokens: int
    verdict: str
    reason: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A section as it stands in a context.

    Attributes:
        name: the section's name.
        place: where it stands.
        tokens: what it takes, framing included where it is a message of its own; 0 when it was left out.
        method: how they were counted.
        verdict: `kept`, `cut` or `dropped`.
        reason: why: `whole`, `max_tokens` (its own maximum) or `room` (what the budget left for it).
        source: where it comes from, as the caller said.
    """

    name: str
    place: str
    tokens: int
    method: Method
    verdict: str
    reason: str
    source: str | None


def whole(counter: Counter, section: Section) -> Fitted:
    """The section within its own maximum; nothing of one without text."""
    if not section.text:
        return Fitted(section, "", 0, "dropped", "whole")
    block = section.block()
    tokens = counter.count(block)
    if section.max_tokens is None or tokens <= section.max_tokens:
        return Fitted(section, block, tokens, "kept", "whole")
    return _within(counter, section, section.max_tokens, "max_tokens")


def cut_to(counter: Counter, fitted: Fitted, grant: int, around: int) -> Fitted:
    """The section as it is where it was granted all that it asked for, else cut to its grant or left out.

    Args:
        counter: counts the tokens.
        fitted: the section within its own maximum.
        grant: tokens that it may take.
        around: tokens of what frames the block, which the grant includes.
    """
    if not fitted.block or grant >= fitted.tokens + around:
        return fitted
    return _within(counter, fitted.section, max(0, grant - around), "room")


def _within(counter: Counter, section: Section, limit: int, reason: str) -> Fitted:
    """The block cut to `limit` tokens, delimiters included; nothing when not even they and a short mark fit."""
    text = cut_text(counter.count, section.text, limit, around=section.block, least=section.min_tokens)
    if not text:
        return Fitted(section, "", 0, "dropped", reason)
    block = section.block(text)
    return Fitted(section, block, counter.count(block), "cut", reason)


def ask_of(counter: Counter, fitted: Fitted, around: int) -> Ask:
    """What a section asks for: all of it, its minimum for sure, and never less than can be read."""
    section = fitted.section
    if not fitted.block:
        return 0, 0, 0
    least = max(section.min_tokens, counter.count(section.block(SHORT_MARK)))
    return fitted.tokens + around, kept_for(section, around), least + around


def kept_for(section: Section, around: int) -> int:
    """Tokens set aside for a section whatever its text: its minimum with what frames it."""
    return section.min_tokens + around if section.min_tokens else 0


def share(sections: Sequence[Section], asks: Sequence[Ask], room: int) -> list[int]:
    """What each section is granted of `room` tokens: first the minima by priority, then the rest by priority."""
    # The engine wants to know the order only, and any number may say it.
    rank = {priority: at for at, priority in enumerate(sorted({section.priority for section in sections}))}
    requests = [(*ask, rank[section.priority]) for section, ask in zip(sections, asks, strict=True)]
    return _core.allocate(requests, room)


def share_fixed(sections: Sequence[Section], asks: Sequence[Ask], room: int) -> list[int]:
    """The same for what does not change from call to call: what stands before the history, and the tail's minima.

    Extras, which are the sections before the history below priority 0, leave half of the room to the conversation:
    how much it needs is not known here, since what stands before it must not depend on how far it has come. Their
    minima are a promise and stay.
    """
    granted = share(sections, asks, room)
    extras = [at for at, section in enumerate(sections) if section.priority < 0 and section.place != "tail"]
    extras = [at for at in extras if granted[at]]
    taken = sum(granted[at] for at in extras)
    most = max(sum(asks[at][1] for at in extras), room // _CONVERSATION - (sum(granted) - taken))
    if taken > most:
        again = share([sections[at] for at in extras], [asks[at] for at in extras], most)
        for at, grant in zip(extras, again, strict=True):
            granted[at] = grant
    return granted


def placed_as(counter: Counter, fitted: Fitted, tokens: int) -> Placed:
    """The report's line for a section that takes so many tokens."""
    section = fitted.section
    return Placed(section.name, section.place, tokens, counter.method, fitted.verdict, fitted.reason, section.source)
