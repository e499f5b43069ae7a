"""The measuring of time itself: what is too slow fails, what is merely disturbed does not."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from math import inf

import pytest

from project_tree import ROOT, name, tracked
from timing import (
    ROUNDS,
    Beat,
    assert_at_most,
    assert_grows_with_size,
    assert_within,
    assert_within_async,
    heartbeats,
    passed,
    spent,
    widest_gap,
)


def numbers(size: int) -> list[int]:
    return list(range(size))


def in_proportion(given: list[int]) -> None:
    assert [number + 1 for number in given]


def in_a_square(given: list[int]) -> None:
    """Each number is looked for among all that were seen."""
    seen: list[int] = []
    for number in given:
        if number not in seen:
            seen.append(number)


def saying(*measured: float) -> Callable[[], float]:
    """Measurements that were written down; the last one again and again."""
    left: Iterator[float] = chain(measured[:-1], repeat(measured[-1]))
    return lambda: next(left)


# ---- one way for all ------------------------------------------------------------------------------------------------

CLOCKS = {
    ".py": (r"\b(?:process_time|thread_time|perf_counter|monotonic|timeit)\b", "from timing import "),
    ".rs": (r"\bInstant\b|\bSystemTime\b", "mod timing;"),
}


def measuring_alone(suffix: str, test: str) -> bool:
    """Whether a test reads a clock and does not leave to `timing` what that means."""
    clock, judge = CLOCKS[suffix]
    return bool(re.search(clock, test)) and judge not in test


def test_whoever_reads_a_clock_leaves_the_judgement_to_the_one_module() -> None:
    assert measuring_alone(".py", "started = time.perf_counter()")
    assert measuring_alone(".rs", "let start = Instant::now();")
    tests = [path for suffix in CLOCKS for path in tracked(suffix) if "tests" in path.relative_to(ROOT).parts]
    ways = {"tests/timing.py", "rust/octavo/tests/timing/mod.rs"}
    assert ways <= {name(path) for path in tests}
    alone = {name(path) for path in tests if measuring_alone(path.suffix, path.read_text(encoding="utf-8"))}
    assert alone - ways == set()


# ---- growth ---------------------------------------------------------------------------------------------------------


def test_what_grows_with_the_size_passes() -> None:
    assert_grows_with_size(20_000, numbers, in_proportion)


def test_what_grows_with_its_square_fails() -> None:
    with pytest.raises(AssertionError, match=r"in \d+ rounds: \d\d\.\d\d times: more than 8 times"):
        assert_grows_with_size(1_000, numbers, in_a_square, patience=0.5)


def test_a_disturbed_round_spoils_nothing() -> None:
    assert_at_most(8, saying(1, 1, 1), saying(50, 9, 20, 60, 4))


def test_the_first_round_alone_proves_nothing() -> None:
    # A disturbance of the small size would let a square through.
    with pytest.raises(AssertionError, match=r"16\.00 times"):
        assert_at_most(8, saying(5, 1), saying(16), patience=0)


def test_several_rounds_are_run_though_there_is_no_patience() -> None:
    rounds: list[int] = []

    def small() -> float:
        rounds.append(1)
        return 1

    assert_at_most(8, small, saying(4), patience=0)
    assert len(rounds) == ROUNDS >= 3


def test_it_goes_on_no_longer_than_it_has_patience() -> None:
    with pytest.raises(AssertionError, match="more than 8 times"):
        assert_within(5, lambda: passed(lambda: assert_at_most(8, saying(1), saying(16), patience=0.1)))


def test_an_empty_measurement_is_none() -> None:
    with pytest.raises(AssertionError, match="nothing was measured"):
        assert_at_most(8, saying(0), saying(0))
    with pytest.raises(AssertionError, match="nothing was measured"):
        assert_within(1, saying(0))


def test_time_in_which_others_work_is_not_spent() -> None:
    assert passed(lambda: time.sleep(0.05)) >= 0.05
    assert_within(0.02, lambda: spent(lambda: time.sleep(0.05)))


# ---- a time by itself -----------------------------------------------------------------------------------------------


def test_a_bound_that_is_met_once_is_met() -> None:
    assert_within(0.1, saying(0.5, inf, 0.2, 0.1), pause=0)


def test_a_bound_that_is_never_met_fails_and_says_what_was_seen() -> None:
    with pytest.raises(AssertionError, match=r"none of 3 tries took at most 100 ms, but 300\.0, 200\.0, 101\.0"):
        assert_within(0.1, saying(0.3, 0.2, 0.101, 0.1), tries=3, pause=0)


def test_slow_code_fails() -> None:
    with pytest.raises(AssertionError, match="none of 2 tries"):
        assert_within(0.001, lambda: spent(lambda: in_a_square(numbers(1_000))), tries=2, pause=0)


async def test_a_bound_on_the_loop_is_met_or_missed_alike() -> None:
    def waiting(*measured: float) -> Callable[[], asyncio.Future[float]]:
        said = saying(*measured)

        def measure() -> asyncio.Future[float]:
            done: asyncio.Future[float] = asyncio.get_running_loop().create_future()
            done.set_result(said())
            return done

        return measure

    await assert_within_async(0.1, waiting(0.5, 0.1), pause=0)
    with pytest.raises(AssertionError, match=r"none of 2 tries took at most 100 ms, but 500\.0, 200\.0"):
        await assert_within_async(0.1, waiting(0.5, 0.2, 0.1), tries=2, pause=0)


async def test_work_beside_the_loop_leaves_it_free() -> None:
    await assert_within_async(0.05, lambda: widest_gap(asyncio.to_thread(time.sleep, 0.1)))


async def test_work_on_the_loop_blocks_it() -> None:
    async def blocking() -> None:
        for _ in range(10):
            await asyncio.sleep(0.002)
        time.sleep(0.08)  # noqa: ASYNC251 - this is what must be seen

    with pytest.raises(AssertionError, match="none of 3 tries took at most 50 ms"):
        await assert_within_async(0.05, lambda: widest_gap(blocking()), tries=3, pause=0)


async def test_a_thread_that_keeps_the_interpreter_blocks_the_loop() -> None:
    def keeping() -> None:
        for _ in range(10):
            time.sleep(0.002)
        sum(range(20_000_000))  # one call into C

    with pytest.raises(AssertionError, match="none of 3 tries took at most 50 ms"):
        await assert_within_async(0.05, lambda: widest_gap(asyncio.to_thread(keeping)), tries=3, pause=0)


def test_a_wait_for_a_processor_is_no_gap() -> None:
    start = Beat(0, 0, 0, 0)
    assert Beat(0.3, 0.1, 0.28, 0).since(start) == pytest.approx(0.02), "the loop waited for others"
    assert Beat(0.3, 0.02, 0, 0.28).since(start) == pytest.approx(0.02), "who held the interpreter waited for others"
    assert Beat(0.3, 0.3, 0, 0.28).since(start) == pytest.approx(0.3), "the interpreter was held by work"
    assert Beat(0.3, 0.001, 0, 0).since(start) == pytest.approx(0.3), "the loop slept"
    assert Beat(0.3, 0.3, 0, 0).since(start) == pytest.approx(0.3), "the loop worked"


async def test_a_heart_that_hardly_beats_measures_nothing() -> None:
    async def nothing() -> None:
        """Over at once."""

    assert await heartbeats(nothing())
    assert await widest_gap(nothing()) == inf
    assert await widest_gap(asyncio.sleep(0.2)) < inf
