"""The summaries of one conversation, which go with the messages that they cover."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from octavo import _core
from octavo.compaction.making import facts_of, made
from octavo.compaction.promises import Fact
from octavo.compaction.summary import Snapshot, Summary, without
from octavo.errors import CompactionError, StaleSummaryError

__all__ = ["Kept"]

_OFF: Final = "the transcript was made without compaction=True"


class Kept:
    """What was accepted so far, the newest last; a compare-and-swap on both the messages and the newest summary.

    A lock tells an engine that takes another's place from a summary that comes in; under it no code of the
    caller's runs.
    """

    __slots__ = ("_lock", "_summaries")

    def __init__(self, summaries: tuple[Summary, ...] | None) -> None:
        """Start with these; `None` for a conversation that has none."""
        self._summaries = summaries
        self._lock = threading.Lock()

    @property
    def summaries(self) -> tuple[Summary, ...] | None:
        """The summaries; `None` where there never are any."""
        return self._summaries

    def snapshot(self, engine: Callable[[], _core.Transcript], ranges: Sequence[tuple[int, int]]) -> Snapshot:
        """What is to be summarised of these messages: those that the newest summary does not stand for.

        Raises:
            CompactionError: the conversation has no summaries.
            StaleSummaryError: there are fewer messages.
        """
        with self._lock:
            there, summaries = engine(), self._summaries
        if summaries is None:
            raise CompactionError(_OFF, reason="switched_off")
        previous = summaries[-1] if summaries else None
        fresh = without(ranges, () if previous is None else previous.covers)
        length = len(there)
        if fresh and fresh[-1][1] > length:
            raise StaleSummaryError(
                f"messages up to {fresh[-1][1]} are due, and there are {length}", reason="messages_changed"
            )
        messages = tuple((at, there[at]) for start, end in fresh for at in range(start, end))
        tokens = sum(there.tokens_in(start, end) for start, end in fresh)
        return Snapshot(fresh, messages, tokens, previous, length)

    def accept(
        self,
        engine: Callable[[], _core.Transcript],
        snapshot: Snapshot,
        text: str,
        facts: Iterable[Fact] | None,
        *,
        at_once: bool,
    ) -> Summary:
        """Take in a summary, provided that its messages are still there, and that no other one came between.

        Raises:
            CompactionError: the conversation has no summaries.
            StaleSummaryError: a message is another one, or another summary was accepted.
            SummaryError: the text is no summary.
        """
        summary = made(snapshot, text, facts_of(snapshot) if facts is None else tuple(facts))
        with self._lock:
            summaries = self._summaries
            if summaries is None:
                raise CompactionError(_OFF, reason="switched_off")
            there = engine()
            _check_fresh(there, snapshot, summaries)
            summary = replace(summary, since=0 if at_once else len(there) + 1)
            self._summaries = (*summaries, summary)
        return summary

    def shortened(self, length: int, swap: Callable[[], bool]) -> bool:
        """Go back to so many messages where `swap` does: summaries that cover more are dropped."""
        with self._lock:
            swapped = swap()
            if swapped and self._summaries is not None:
                self._summaries = tuple(
                    summary for summary in self._summaries if not summary.covers or summary.covers[-1][1] <= length
                )
        return swapped

    def forked(self, engine: Callable[[], _core.Transcript]) -> tuple[_core.Transcript, Kept]:
        """A conversation that goes its own way, with the same summaries."""
        with self._lock:
            return engine().fork(), Kept(self._summaries)


def _check_fresh(engine: _core.Transcript, snapshot: Snapshot, summaries: Sequence[Summary]) -> None:
    """Refuse what was made for another conversation than there is now.

    Raises:
        StaleSummaryError: a message is another one, or another summary was accepted.
    """
    previous = summaries[-1] if summaries else None
    if previous is not snapshot.previous:
        raise StaleSummaryError("another summary was accepted meanwhile", reason="summary_changed")
    there = len(engine)
    changed = next((at for at, message in snapshot.messages if at >= there or engine[at] is not message), None)
    if changed is not None:
        raise StaleSummaryError(f"message {changed} was taken back since", reason="messages_changed")
