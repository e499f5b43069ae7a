"""The calls that a conversation has made, as far as contexts were assembled for them: what came before a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from octavo import _core
    from octavo.drafting import Sent

__all__ = ["Calls"]

_CALLS: Final = 8
"""Calls that are remembered: a conversation goes back by a few, and each holds the plan of its repair."""

_LOOKS: Final = 4
"""Looks that are remembered: after a rewind to one of them it may become a call."""


class Calls:
    """What was assembled last at each length of a conversation, the newest of them.

    A context is a call where the model answered it: where a message of its own came next. All others were looks, or
    are not answered yet. What is held is never changed in place: many threads may look.
    """

    __slots__ = ("_calls", "_looks", "_newest", "last")

    def __init__(self) -> None:
        """Nothing has been assembled."""
        self._calls: tuple[Sent, ...] = ()
        self._looks: tuple[Sent, ...] = ()
        self._newest: Sent | None = None
        """The one that is not known yet to be a call or a look."""
        self.last: Sent | None = None
        """What was assembled last, whatever became of it."""

    def before(self, engine: _core.Transcript, end: int) -> Sent | None:
        """The last context that the model answered before there were `end` messages."""
        newest = self._newest
        if newest is not None and newest.engine is engine and newest.plan.end < end and newest.plan.answered(engine):
            return newest
        # What has a message behind it stays the call that it is: messages are only added.
        return next((one for one in reversed(self._calls) if one.engine is engine and one.plan.end < end), None)

    def add(self, sent: Sent) -> None:
        """Remember a context. Of those made for as many messages it is the one that counts."""
        # At each turn: sorting what is kept, or looking at all of it, took 2.5 µs of some 20.
        newest, self._newest, self.last = self._newest, sent, sent
        engine, end = sent.engine, sent.plan.end
        if newest is None or newest.plan.end == end:
            return
        if newest.engine is not engine:
            self._calls = self._looks = ()
        elif newest.plan.end > end:
            # Two threads: what was made for more messages is the newer one.
            self._newest = newest
            if sent.plan.answered(engine):
                self._calls = tuple(sorted((*self._calls, sent), key=lambda one: one.plan.end))[-_CALLS:]
        elif newest.plan.answered(engine):
            self._calls = (*self._calls[1 - _CALLS :], newest)
        else:
            self._looks = (*self._looks[1 - _LOOKS :], newest)

    def carried(self, engine: _core.Transcript, other: _core.Transcript) -> Calls:
        """The same for another transcript that has the first messages of this one, or all of them."""
        carried, length, last = Calls(), len(other), self.last
        last = None if last is None or last.plan.end > length else last.moved_to(other)
        newest = () if self._newest is None else (self._newest,)
        made = sorted((*self._calls, *self._looks, *newest), key=lambda sent: sent.plan.end)
        for sent in (one.moved_to(other) for one in made if one.engine is engine and one.plan.end <= length):
            carried.add(sent)
        carried.last = last
        return carried
