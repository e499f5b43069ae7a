"""The calls that a conversation has made, as far as contexts were assembled for them: what came before a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from octavo import _core
    from octavo.drafting import Sent

__all__ = ["Calls"]

_MOST: Final = 8
"""Contexts that are remembered: a conversation goes back by a few calls, and each holds the plan of its repair."""


class Calls:
    """What was assembled last at each length of a conversation, the newest of them.

    A context is a call where the model answered it: where a message of its own came next. All others were looks, or
    are not answered yet. What is held is never changed in place: many threads may look.
    """

    __slots__ = ("_made", "last")

    def __init__(self) -> None:
        """Nothing has been assembled."""
        self._made: tuple[Sent, ...] = ()
        self.last: Sent | None = None
        """What was assembled last, whatever became of it."""

    def before(self, engine: _core.Transcript, end: int) -> Sent | None:
        """The last context that the model answered before there were `end` messages."""
        return next((sent for sent in reversed(self._made) if _is_call(sent, engine, end)), None)

    def add(self, sent: Sent) -> None:
        """Remember a context. Of those made for as many messages it is the one that counts."""
        engine, end = sent.engine, sent.plan.end
        others = [one for one in self._made if one.engine is not engine or one.plan.end != end]
        at = next((at for at in range(len(others), 0, -1) if others[at - 1].plan.end < end), 0)
        others.insert(at, sent)
        self.last = sent
        self._made = tuple(others if len(others) <= _MOST else _thinned(others, engine))

    def carried(self, engine: _core.Transcript, other: _core.Transcript) -> Calls:
        """The same for another transcript that has the first messages of this one, or all of them."""
        carried, length = Calls(), len(other)
        if self.last is not None and self.last.plan.end <= length:
            carried.last = self.last.moved_to(other)
        made = (sent for sent in self._made if sent.engine is engine and sent.plan.end <= length)
        carried._made = tuple(sent.moved_to(other) for sent in made)
        return carried


def _is_call(sent: Sent, engine: _core.Transcript, end: int) -> bool:
    return sent.engine is engine and sent.plan.end < end and sent.plan.answered(engine)


def _thinned(made: list[Sent], engine: _core.Transcript) -> list[Sent]:
    """One less: the oldest that was no call, so that looks put out no call; else the oldest."""
    looks = (at for at, sent in enumerate(made[:-2]) if sent.engine is not engine or not sent.plan.answered(engine))
    gone = next(looks, 0)
    return [*made[:gone], *made[gone + 1 :]]
