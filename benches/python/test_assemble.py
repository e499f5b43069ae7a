"""Time of a turn through the package: appending, assembling, and the one call without state."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import octavo
from benches.histories import MODEL, endless, history

BUDGET = 20_000


@pytest.fixture(scope="module", params=[100, 4_000], ids="{} messages".format)
def transcript(request: pytest.FixtureRequest) -> octavo.Transcript:
    made = octavo.Transcript(MODEL)
    made.extend(history(request.param))
    return made


def test_append(benchmark: BenchmarkFixture, transcript: octavo.Transcript) -> None:
    message = next(islice(endless(), 1, None))
    grown = transcript.fork()
    tokens = benchmark(grown.append, message)
    assert tokens == octavo.counter_for(MODEL).count_message(message)
    assert grown.tokens > transcript.tokens


def test_assemble(benchmark: BenchmarkFixture, transcript: octavo.Transcript) -> None:
    context = benchmark(transcript.assemble, budget=BUDGET)
    assert context.fits
    assert octavo.validate(context.messages, model=MODEL) == []


def test_assemble_cold(benchmark: BenchmarkFixture) -> None:
    messages = history(1_000)
    context = benchmark(octavo.assemble, messages, budget=BUDGET, model=MODEL)
    assert context.fits
    assert 30 < len(context.messages) < 90


def test_report(benchmark: BenchmarkFixture, transcript: octavo.Transcript) -> None:
    def read() -> octavo.Report:
        return transcript.assemble(budget=BUDGET).report

    assert benchmark(read).tokens <= BUDGET


def test_reading_plain_dicts_gives_the_same_objects(benchmark: BenchmarkFixture) -> None:
    messages: list[dict[str, Any]] = history(100)
    context = benchmark(octavo.assemble, messages, budget=10**6, model=MODEL)
    assert all(ours is theirs for ours, theirs in zip(context.messages, messages, strict=True))
