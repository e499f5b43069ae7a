"""A snapshot in parts that the summariser can read, each answer checked and handed on to the next part."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Final, TypeAlias

from octavo.compaction.acceptance import accepted_text, shorter
from octavo.compaction.promises import Fact
from octavo.compaction.rendering import chunks
from octavo.compaction.summary import Snapshot, fact_tokens
from octavo.errors import PinnedTextError, SummaryError
from octavo.tokens import Counter

__all__ = ["Folding", "Part", "folded"]

_OVERHEAD: Final = 400
"""Tokens of what a summariser says around its input: :data:`octavo.compaction.INSTRUCTION` has about 230."""

_LEAST: Final = 32
"""A shorter target leaves no room for a sentence."""


@dataclass(frozen=True, slots=True)
class Part:
    """One question to the summariser."""

    text: str
    max_tokens: int
    previous: str | None


Folding: TypeAlias = Generator[Part, object, str]
"""Gives parts, is sent what the summariser answered, and returns the last answer."""


def folded(snapshot: Snapshot, counter: Counter, facts: tuple[Fact, ...], *, window: int, room: int) -> Folding:
    """Summarise a snapshot part by part.

    Args:
        snapshot: what is summarised.
        counter: counts tokens.
        facts: what will stand beside the text.
        window: tokens that the summariser can read and write at once.
        room: tokens that the summary has in a context.

    Raises:
        PinnedTextError: what is pinned is larger than the room.
        SummaryError: an answer is no summary, or longer than what it stands for.
    """
    target = _target(facts, counter, window, room)
    text = None if snapshot.previous is None else counter.truncate(snapshot.previous.text, target)
    limit = max(1, window - _OVERHEAD - 2 * target)
    for chunk in chunks(snapshot.messages, counter, limit):
        given = counter.count(chunk) + (counter.count(text) if text else 0)
        answer = accepted_text((yield Part(chunk, min(target, given), text)))
        shorter(answer, counter, given)
        text = counter.truncate(answer, target) if counter.count(answer) > target else answer
    if text is None:
        raise SummaryError("there is no text in the messages", reason="no_progress")
    _progressed(text, counter, snapshot)
    return text


def _target(facts: tuple[Fact, ...], counter: Counter, window: int, room: int) -> int:
    """How long the text should be: half of what promises leave of the room, a third of it at least, within the window.

    The other half is for what else was said, word for word.
    """
    pinned = fact_tokens([fact for fact in facts if fact.kind == "pinned"], counter)
    if pinned > room - _LEAST:
        raise PinnedTextError(
            f"what is pinned takes {pinned} tokens, and a summary has room for {room}", tokens=pinned, room=room
        )
    left = room - fact_tokens(facts, counter)
    return max(_LEAST, min(max(left // 2, (room - pinned) // 3), window // 4))


def _progressed(text: str, counter: Counter, snapshot: Snapshot) -> None:
    """Refuse what takes as much as the messages that it stands for."""
    there = snapshot.tokens + (0 if snapshot.previous is None else snapshot.previous.tokens)
    tokens = counter.count(text)
    if tokens >= there:
        raise SummaryError(f"the summary has {tokens} tokens, what it stands for {there}", reason="no_progress")
