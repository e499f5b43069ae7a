"""From a snapshot and a text to a summary: checked, with the promises of what it stands for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from octavo.compaction.acceptance import accepted_text
from octavo.compaction.promises import Fact, current, facts_in, lacking, merged, said_besides
from octavo.compaction.rendering import untrusted
from octavo.compaction.speech import said_in
from octavo.compaction.summary import Snapshot, Summary, identity, union

__all__ = ["facts_of", "made"]

_SAID: Final = 1_000
"""So many sentences that are no promises go on from summary to summary, the newest: more have no room anywhere."""


def facts_of(snapshot: Snapshot, pinned: Iterable[Fact] = ()) -> tuple[Fact, ...]:
    """Everything that must not be lost: pinned texts, what the summary before kept, what the messages promise."""
    before = () if snapshot.previous is None else snapshot.previous.facts
    tainted = snapshot.previous is not None and snapshot.previous.untrusted
    kept = (fact for fact in before if fact.kind != "pinned")
    return current(merged(pinned, kept, facts_in(snapshot.messages, tainted=tainted)))


def made(snapshot: Snapshot, text: object, facts: tuple[Fact, ...]) -> Summary:
    """A summary of a snapshot.

    Raises:
        SummaryError: the text is none.
    """
    said = accepted_text(text)
    previous = snapshot.previous
    covers = union(snapshot.ranges, () if previous is None else previous.covers)
    return Summary(
        id=identity(said, facts, covers),
        text=said,
        facts=facts,
        besides=_besides(snapshot, facts),
        lacked=lacking(facts, said),
        covers=covers,
        since=snapshot.length + 1,
        untrusted=(previous is not None and previous.untrusted) or _outside(snapshot),
        previous=None if previous is None else previous.id,
        tokens=snapshot.tokens + (0 if previous is None else previous.tokens),
    )


def _besides(snapshot: Snapshot, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """What else was said, up to now: the newest of it."""
    previous = snapshot.previous
    before = () if previous is None else previous.besides
    tainted = previous is not None and previous.untrusted
    fresh = said_besides((*facts, *before), snapshot.messages, tainted=tainted)
    return (*before, *fresh)[-_SAID:]


def _outside(snapshot: Snapshot) -> bool:
    """Whether a tool or web page speaks in the messages."""
    return any(untrusted(said) for _, message in snapshot.messages for said in said_in(message))
