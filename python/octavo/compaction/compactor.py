"""Runs a summariser beside a conversation: in the background or at once, one at a time, and never over and over."""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from octavo.budget import whole_number
from octavo.checking import check_text, refuse
from octavo.compaction.breaker import Breaker
from octavo.compaction.folding import Part, folded
from octavo.compaction.making import facts_of
from octavo.compaction.promises import Fact, pinned_facts
from octavo.compaction.summariser import Summariser
from octavo.compaction.summary import Snapshot, Summary
from octavo.errors import CompactionError, PinnedTextError, StaleSummaryError, SummariserError

if TYPE_CHECKING:
    import asyncio

    from octavo.context import Context
    from octavo.transcript import Transcript

__all__ = ["Compactor", "Outcome", "Status"]

Status: TypeAlias = Literal["accepted", "failed", "nothing", "busy", "paused"]
"""What came of an attempt. `nothing`: too little is due; `busy`: another is under way; `paused`: too many failed."""

WINDOW: Final = 32_000
"""Tokens that a summariser is taken to read and write at once where neither it nor the caller says so."""

LEAST: Final = 1_000
"""Fewer tokens are not worth a model's call."""

_SHARE: Final = 10
"""Nor is less than one part in so many of the budget: between the soft mark and the cut a summary would be made anew
at every call."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an attempt to summarise.

    Attributes:
        status: what came of it.
        summary: what was accepted.
        error: why nothing was; what a summariser raised is its cause.
        reason: the same in words and numbers; empty where a summary was accepted.
        calls: how often the summariser was asked.
    """

    status: Status
    summary: Summary | None = None
    error: CompactionError | None = None
    reason: str = ""
    calls: int = 0


_Made: TypeAlias = tuple[str, tuple[Fact, ...]]
_Work: TypeAlias = Generator[Part, object, _Made]


@dataclass(slots=True)
class _Attempt:
    """One snapshot on its way to a summary."""

    snapshot: Snapshot
    work: _Work
    at_once: bool
    calls: int = 0


class Compactor:
    """Summarises what leaves a transcript's window.

    Nothing starts by itself: :meth:`run` summarises at once, :meth:`start` in a task of the running loop. A failure
    changes nothing, and is told in the :class:`Outcome`. Methods may be called from several threads.

    Args:
        transcript: made with `compaction=True`.
        summariser: who summarises: sync (it is run in a worker thread by the `async` forms) or async.
        window: tokens that the summariser reads and writes at once; its own `window` when not given, else 32,000.
        pinned: texts that every summary has word for word.
        min_tokens: less is not summarised, nor is less than 10 % of the context's budget.
        failures: after so many failures in a row there is a pause.
        pause: seconds of that pause; each further failure doubles it.
        clock: the time in seconds.

    Raises:
        ArgumentError: an argument is of a kind that its parameter does not take.
        BudgetError: a number is out of range.
        CompactionError: the transcript was made without `compaction=True`.
    """

    def __init__(
        self,
        transcript: Transcript,
        summariser: Summariser,
        *,
        window: int | None = None,
        pinned: Iterable[str] = (),
        min_tokens: int = LEAST,
        failures: int = 3,
        pause: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take a transcript and who summarises it."""
        if not transcript.compaction:
            raise CompactionError("the transcript was made without compaction=True", reason="switched_off")
        if not isinstance(cast("object", summariser), Summariser):
            raise refuse("summariser", "an object with a method summarise", summariser)
        self._transcript = transcript
        self._summariser = summariser
        known = getattr(summariser, "window", WINDOW) if window is None else window
        self._window = whole_number("window", known, 1_000)
        self._pinned: tuple[Fact, ...] = ()
        self._least = whole_number("min_tokens", min_tokens)
        self._breaker = Breaker(whole_number("failures", failures, 1), pause, clock)
        self._busy = threading.Lock()
        self._task: asyncio.Task[Outcome] | None = None
        self._last: Outcome | None = None
        if isinstance(pinned, str):
            raise refuse("pinned", "a list of texts", pinned)
        for text in pinned:
            self.pin(text)

    def pin(self, text: str) -> None:
        """Keep a text word for word in every summary from the next on.

        Raises:
            ArgumentError: it is no text.
        """
        check_text("text", text, optional=False)
        self._pinned = pinned_facts([*(fact.text for fact in self._pinned), text])

    @property
    def last(self) -> Outcome | None:
        """What came of the last attempt that was made."""
        return self._last

    @property
    def busy(self) -> bool:
        """Whether an attempt is under way."""
        return self._busy.locked()

    def run(self, context: Context, *, at_once: bool = False) -> Outcome:
        """Summarise what a context says is due, and wait for it.

        An async summariser gets a loop of its own; where one is running already, await :meth:`run_async`.

        Args:
            context: the context, as assembled last.
            at_once: show the summary in the next context, not only when the history is cut next: for a context that
                was not sent, or where that is worth writing the prompt cache anew.

        Raises:
            PinnedTextError: what is pinned is larger than its room.
        """
        attempt = self._attempt(context, at_once=at_once)
        if isinstance(attempt, Outcome):
            return self._told(attempt)
        with self._concluding(attempt) as concluded:
            step = _step(attempt, None)
            while isinstance(step, Part):
                step = _step(attempt, self._asked(attempt, step))
            concluded.append(self._accepted(attempt, step))
        return self._told(concluded[0])

    async def run_async(self, context: Context, *, at_once: bool = False) -> Outcome:
        """Like :meth:`run`, off the event loop. Cancelling it changes nothing."""
        import asyncio

        attempt = self._attempt(context, at_once=at_once)
        if isinstance(attempt, Outcome):
            return self._told(attempt)
        with self._concluding(attempt) as concluded:
            step = await asyncio.to_thread(_step, attempt, None)
            while isinstance(step, Part):
                answer = await self._asked_async(attempt, step)
                step = await asyncio.to_thread(_step, attempt, answer)
            concluded.append(self._accepted(attempt, step))
        return self._told(concluded[0])

    def start(self, context: Context) -> bool:
        """Summarise what a context says is due in a task of the running loop; false where nothing was started.

        The summary is shown when the history is cut next, and not before.
        """
        import asyncio

        if (self._task is not None and not self._task.done()) or self._refused(context) is not None:
            return False
        self._task = asyncio.get_running_loop().create_task(self.run_async(context))
        return True

    async def settled(self, deadline: float | None = None) -> Outcome | None:
        """Wait for what :meth:`start` has started.

        Args:
            deadline: seconds to wait at most; without limit when not given.

        Returns:
            What came of it; `None` where it is not done by then (it goes on), or nothing was started.

        Raises:
            PinnedTextError: what is pinned is larger than its room.
        """
        import asyncio

        if self._task is None:
            return None
        done, _ = await asyncio.wait([self._task], timeout=deadline)
        return self._task.result() if done else None

    def _refused(self, context: Context) -> Outcome | None:
        """Why nothing is attempted now; `None` where something is."""
        if self.busy:
            return Outcome("busy", reason="another summary is being made")
        paused = self._breaker.paused
        if paused:
            return Outcome("paused", error=CompactionError(paused, reason="paused"), reason=paused)
        tokens = sum(due.tokens for due in context.due)
        least = max(self._least, context.budget // _SHARE)
        if not tokens or tokens < least:
            return Outcome("nothing", reason=f"{tokens} tokens are due, less than {least}")
        return None

    def _attempt(self, context: Context, *, at_once: bool) -> _Attempt | Outcome:
        """Take the one place there is, and a snapshot."""
        refused = self._refused(context)
        if refused is not None:
            return refused
        if not self._busy.acquire(blocking=False):
            return Outcome("busy", reason="another summary is being made")
        try:
            snapshot = self._transcript.snapshot(context.due[0])
        except StaleSummaryError as error:
            self._busy.release()
            return Outcome("failed", error=error, reason=str(error))
        except BaseException:
            self._busy.release()
            raise
        if not snapshot.messages:
            self._busy.release()
            return Outcome("nothing", reason="a summary that was accepted meanwhile stands for all that was due")
        return _Attempt(snapshot, self._work(snapshot, context.summary_room), at_once)

    def _work(self, snapshot: Snapshot, room: int) -> _Work:
        counter = self._transcript.counter
        facts = facts_of(snapshot, self._pinned)
        text = yield from folded(snapshot, counter, facts, window=self._window, room=room)
        return text, facts

    def _asked(self, attempt: _Attempt, part: Part) -> object:
        """What the summariser answers; of an async one from a loop of its own.

        Raises:
            SummariserError: it failed.
        """
        import asyncio

        attempt.calls += 1
        with _failing():
            answer: Any = self._summariser.summarise(part.text, max_tokens=part.max_tokens, previous=part.previous)
            return asyncio.run(_awaited(answer)) if isinstance(answer, Awaitable) else answer

    async def _asked_async(self, attempt: _Attempt, part: Part) -> object:
        import asyncio
        import inspect

        attempt.calls += 1
        given = {"max_tokens": part.max_tokens, "previous": part.previous}
        summarise: Any = self._summariser.summarise
        with _failing():
            if inspect.iscoroutinefunction(summarise):
                return await summarise(part.text, **given)
            answer = await asyncio.to_thread(summarise, part.text, **given)
            return await answer if isinstance(answer, Awaitable) else answer

    def _accepted(self, attempt: _Attempt, made: _Made) -> Outcome:
        text, facts = made
        summary = self._transcript.compact(attempt.snapshot, text, facts=facts, at_once=attempt.at_once)
        self._breaker.succeeded()
        return Outcome("accepted", summary=summary, calls=attempt.calls)

    @contextmanager
    def _concluding(self, attempt: _Attempt) -> Generator[list[Outcome]]:
        """Turn what goes wrong into an outcome, and give the place back."""
        concluded: list[Outcome] = []
        try:
            yield concluded
        except PinnedTextError as error:
            self._told(Outcome("failed", error=error, reason=str(error), calls=attempt.calls))
            raise
        except CompactionError as error:
            if not isinstance(error, StaleSummaryError):
                self._breaker.failed(str(error))
            concluded.append(Outcome("failed", error=error, reason=str(error), calls=attempt.calls))
        finally:
            self._busy.release()

    def _told(self, outcome: Outcome) -> Outcome:
        self._last = outcome
        return outcome


def _step(attempt: _Attempt, answer: object) -> Part | _Made:
    """What the summariser is asked next, or what came of all of it."""
    try:
        return attempt.work.send(answer)
    except StopIteration as stop:
        made: _Made = stop.value
        return made


@contextmanager
def _failing() -> Generator[None]:
    """Say of what a summariser raises that it did; what ends the program is let through."""
    try:
        yield
    except Exception as error:
        raise SummariserError(f"the summariser failed: {type(error).__name__}: {error}", reason="failed") from error


async def _awaited(answer: Awaitable[object]) -> object:
    return await answer
