"""What crossing from Python into the engine costs: nothing to do, then messages in two scripts."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import octavo

TEXTS = {
    "ASCII": "The agent read the file and found three failing tests near line 42. ",
    "Korean": "에이전트가 파일을 읽고 실패한 테스트 세 개를 찾았습니다. ",
}
REPEATED = 12
"""A message of about 200 tokens in either script."""


def test_empty_call(benchmark: BenchmarkFixture) -> None:
    empty: list[Any] = []
    context = benchmark(octavo.assemble, empty, budget=1_000, model="gpt-4o")
    assert context.messages == []


@pytest.mark.parametrize("script", TEXTS)
@pytest.mark.parametrize("number", [1, 10, 1_000])
def test_messages(benchmark: BenchmarkFixture, script: str, number: int) -> None:
    messages = [
        {"role": "assistant" if at % 2 else "user", "content": f"{at} {TEXTS[script] * REPEATED}"}
        for at in range(number)
    ]
    transcript = octavo.Transcript("gpt-4o", format="openai")

    def read() -> int:
        # A fork without messages: what is timed reads and counts them all.
        return transcript.fork().extend(messages)

    tokens = benchmark(read)
    assert tokens == octavo.Transcript("gpt-4o").extend(messages)
    assert 100 * number < tokens < 400 * number
