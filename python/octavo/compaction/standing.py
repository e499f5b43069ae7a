"""What of a summary is said at one cut: nothing that stands in a shown message, and what it does not cover yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from octavo import _core
from octavo.compaction.promises import Fact, facts_in, lacking, merged, speech_of
from octavo.compaction.summary import Summary, without

__all__ = ["standing"]

_MOST: Final = 64
"""So many messages between summary and window are looked through for promises, the newest: reading them is not free."""


def standing(
    summary: Summary,
    engine: _core.Transcript,
    left_out: tuple[int, Sequence[tuple[int, int]], int | None],
    shown: Sequence[tuple[int, int]],
) -> Summary:
    """The summary with the facts that a cut needs beside it.

    What was pinned or promised in a message that stays is not said twice; and what was promised in messages that left
    the window after the summary was made is added, until the next summary has it. The same at each call until the next
    cut, or until a message before it is pinned: then the prefix is another one anyway.

    Args:
        summary: what was accepted.
        engine: the conversation.
        left_out: as `Plan.left_out` has it: how many messages there were at the cut, and what of them it left out.
        shown: the messages before the cut that are shown, pinned ones among them.
    """
    at, spans, _ = left_out
    there = [*shown, *without([(0, at)], spans)]
    text = "\n".join(speech_of(engine[index]) for start, end in there for index in range(start, end))
    gap = [index for start, end in without(spans, summary.covers) for index in range(start, end)][-_MOST:]
    fresh = facts_in([(index, engine[index]) for index in gap], tainted=summary.untrusted) if gap else ()
    facts = lacking(merged(summary.facts, fresh), text)
    besides: tuple[Fact, ...] = lacking(summary.besides, text)
    return replace(summary, facts=facts, besides=besides)
