"""From a snapshot and a text to a summary: checked, with the promises of what it stands for."""

from __future__ import annotations

from collections.abc import Iterable

from octavo.compaction.acceptance import accepted_text
from octavo.compaction.promises import Fact, facts_in, lacking, merged
from octavo.compaction.rendering import untrusted
from octavo.compaction.speech import said_in
from octavo.compaction.summary import Snapshot, Summary, identity, union

__all__ = ["facts_of", "made"]


def facts_of(snapshot: Snapshot, pinned: Iterable[Fact] = ()) -> tuple[Fact, ...]:
    """Everything that must not be lost: pinned texts, what the summary before kept, what the messages promise."""
    before = () if snapshot.previous is None else snapshot.previous.facts
    tainted = snapshot.previous is not None and snapshot.previous.untrusted
    kept = (fact for fact in before if fact.kind != "pinned")
    return merged(pinned, kept, facts_in(snapshot.messages, tainted=tainted))


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
        lacked=lacking(facts, said),
        covers=covers,
        since=snapshot.length + 1,
        untrusted=(previous is not None and previous.untrusted) or _outside(snapshot),
        previous=None if previous is None else previous.id,
        tokens=snapshot.tokens + (0 if previous is None else previous.tokens),
    )


def _outside(snapshot: Snapshot) -> bool:
    """Whether a tool or web page speaks in the messages."""
    return any(untrusted(said) for _, message in snapshot.messages for said in said_in(message))
