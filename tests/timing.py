"""How tests measure time, on machines that do other things as well.

What else runs only ever adds to a measurement. So a bound that was met once is met, and one that was missed says
nothing yet: the measurement goes on until the bound is met or patience ends, and only then the test fails, saying what
it saw. A machine that is busy takes longer to say yes; code that is too slow cannot say it, however often it is asked.

Two sizes lie a factor of four apart. What grows with the size takes four times as long then, what grows with its square
sixteen times: a bound of eight is far from both. A factor of two leaves 2 and 4, which caches alone blur.
"""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Final, TypeVar

Given = TypeVar("Given")

FACTOR: Final = 4
"""How many times larger the larger size is."""

ROUNDS: Final = 3
"""Rounds that are run in any case: the least of one round is a single measurement."""

PATIENCE: Final = 20.0
"""Seconds after which a bound that was never met is missed."""

TRIES: Final = 15
"""Times that an absolute bound may be missed before it is."""

PAUSE: Final = 0.2
"""Seconds between two tries, in which what disturbed the first may end."""

FEWEST_BEATS: Final = 1
"""Beats of a heart without which nothing was measured."""


def spent(work: Callable[[], object]) -> float:
    """Seconds for which processors worked for this process meanwhile: what others do is no part of them."""
    started = time.process_time()
    work()
    return time.process_time() - started


def passed(work: Callable[[], object]) -> float:
    """Seconds that passed meanwhile. Only for what is about waiting; else :func:`spent`."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


_TASKS: Final = Path("/proc/self/task")
"""The threads of this process, where the system is Linux; elsewhere a gap is all the time that passed."""


def _wait_of(task: Path) -> float:
    """Seconds for which a thread was ready and had no processor (the second number of its `schedstat`)."""
    with suppress(OSError):  # it has ended
        return int((task / "schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    return 0.0


@contextmanager
def without_old_garbage() -> Generator[None, None, None]:
    """Keep what thousands of tests before left on the heap from the garbage collector: it would walk through it all."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


# ---- one time against another ---------------------------------------------------------------------------------------


def assert_grows_with_size(
    small: int,
    build: Callable[[int], Given],
    work: Callable[[Given], object],
    *,
    patience: float = PATIENCE,
) -> None:
    """The time of the work grows with the size, and not with its square. Building is not measured."""
    one, many = build(small), build(FACTOR * small)
    with without_old_garbage():
        assert_at_most(2 * FACTOR, lambda: spent(lambda: work(one)), lambda: spent(lambda: work(many)), patience)


def assert_at_most(
    times: float, small: Callable[[], float], large: Callable[[], float], patience: float = PATIENCE
) -> None:
    """The one measurement is at most so many times the other: the least of each, of rounds in which both are taken."""
    least = Least()
    give_up = time.monotonic() + patience
    while True:
        least.add(small(), large())
        if least.rounds >= ROUNDS and least.large <= times * least.small:
            return
        if least.rounds >= ROUNDS and time.monotonic() >= give_up:
            raise AssertionError(f"{least}: more than {times:g} times")


class Least:
    """The least of each of two measurements."""

    def __init__(self) -> None:
        self.rounds = 0
        self.small = self.large = inf

    def add(self, small: float, large: float) -> None:
        """One more round."""
        assert small > 0, "nothing was measured"
        self.rounds += 1
        self.small, self.large = min(self.small, small), min(self.large, large)

    def __str__(self) -> str:
        return (
            f"{self.large * 1e3:.3f} ms and {self.small * 1e3:.3f} ms at the least, in {self.rounds} rounds: "
            f"{self.large / self.small:.2f} times"
        )


# ---- a time by itself -----------------------------------------------------------------------------------------------


def assert_within(limit: float, measure: Callable[[], float], *, tries: int = TRIES, pause: float = PAUSE) -> None:
    """One of several measurements is at most so many seconds."""
    seen: list[float] = []
    while not is_met(limit, seen, tries):
        time.sleep(pause if seen else 0)
        seen.append(measure())


async def assert_within_async(
    limit: float, measure: Callable[[], Awaitable[float]], *, tries: int = TRIES, pause: float = PAUSE
) -> None:
    """One of several measurements on the event loop is at most so many seconds."""
    seen: list[float] = []
    while not is_met(limit, seen, tries):
        await asyncio.sleep(pause if seen else 0)
        seen.append(await measure())


def is_met(limit: float, seen: list[float], tries: int) -> bool:
    """Whether the last measurement met the limit. Raises where it was the last that there is."""
    assert all(one > 0 for one in seen), f"nothing was measured: {seen}"
    met = bool(seen) and seen[-1] <= limit
    if not met and len(seen) >= tries:
        took = ", ".join(f"{one * 1e3:.1f}" for one in seen)
        raise AssertionError(f"none of {tries} tries took at most {limit * 1e3:g} ms, but {took}")
    return met


@dataclass(frozen=True, slots=True)
class Beat:
    """When a heart beat, and what had happened until then, in seconds."""

    passed: float
    spent: float
    own_wait: float
    """For which the loop's thread was ready and had no processor."""
    other_waits: float
    """For which the other threads of this process had none, all together."""

    @classmethod
    def now(cls) -> Beat:
        """Read the clocks of this thread and of the others."""
        waits = {task.name: _wait_of(task) for task in _TASKS.iterdir()} if _TASKS.is_dir() else {}
        own = waits.pop(str(threading.get_native_id()), 0.0)
        return cls(time.perf_counter(), time.process_time(), own, sum(waits.values()))

    def since(self, last: Beat) -> float:
        """The part of a gap that this process has to answer for.

        Not the wait for a processor that others had: neither the loop's own, nor that of a thread which held the
        interpreter meanwhile. Blocking by work costs processor time; blocking by a sleep has no thread wait.
        """
        here = self.passed - last.passed - (self.own_wait - last.own_wait)
        return max(min(here, self.spent - last.spent), here - max(self.other_waits - last.other_waits, 0.0))


async def heartbeats(work: Awaitable[object]) -> list[float]:
    """For how long this process let nothing else run on the event loop while the work did: gaps between heartbeats."""
    gaps: list[float] = []
    beating = True

    async def heart() -> None:
        last = Beat.now()
        while beating:
            await asyncio.sleep(0.001)
            now = Beat.now()
            gaps.append(now.since(last))
            last = now

    with without_old_garbage():
        heard = asyncio.create_task(heart())
        await asyncio.sleep(0.01)
        before = len(gaps)
        await work
    beating = False
    await heard
    return gaps[before:]


async def widest_gap(work: Awaitable[object]) -> float:
    """The longest time for which nothing else ran on the loop; endless where the heart hardly beat."""
    gaps = await heartbeats(work)
    return max(gaps) if len(gaps) > FEWEST_BEATS else inf
