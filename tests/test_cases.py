"""Recorded bug reports about windows, overhead and deployment: each as it was told, then its whole kind.

The reports about counting are proven beside the counters (test_tokens, test_encoding), those about what an import
and an install need beside those (test_import, test_wheel).
"""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import octavo
from sessions import ANTHROPIC, DIALECTS, OPENAI, Dialect
from shared_data import bug_report
from timing import assert_at_most, spent

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.format)


def reported(name: str) -> dict[str, Any]:
    """The input of one recorded bug report."""
    found: dict[str, Any] = bug_report(name)["input"]
    return found


def budgets(messages: list[Any], model: str) -> list[int]:
    """Every size from nothing to more than the high mark leaves room for all."""
    most = octavo.assemble(messages, budget=10**6, model=model).tokens
    return list(range(0, most * 3 // 2, max(1, most // 120)))


def whole_exchanges(messages: list[Any]) -> None:
    """As an independent reader of Chat messages sees it: each run of results answers just the calls before it."""
    at = 0
    while at < len(messages):
        assert messages[at]["role"] != "tool", f"message {at} answers nothing"
        calls = [call["id"] for call in messages[at].get("tool_calls") or ()]
        results = [message["tool_call_id"] for message in messages[at + 1 : at + 1 + len(calls)]]
        assert sorted(calls) == sorted(results)
        at += 1 + len(calls)


# ---- B001: parallel calls and their results are kept or left out together ----


def test_b001_parallel_results_are_not_orphaned() -> None:
    parallel_results_are_not_orphaned(reported("B001")["messages"])


@pytest.mark.parametrize("parallel", [2, 3, 7])
def test_b001_of_any_width(parallel: int) -> None:
    parallel_results_are_not_orphaned(
        [OPENAI.user("compare"), *OPENAI.loop(5, parallel=parallel, lines=1), OPENAI.reply("B"), OPENAI.user("and C?")]
    )


def parallel_results_are_not_orphaned(messages: list[Any]) -> None:
    place = {id(message): at for at, message in enumerate(messages)}
    lengths = set()
    for budget in budgets(messages, OPENAI.model):
        shown = octavo.assemble(messages, budget=budget, model=OPENAI.model).messages
        whole_exchanges(shown)
        order = [place[id(message)] for message in shown]
        assert order == sorted(order)
        lengths.add(len(shown))
    assert len(lengths) > 1
    assert max(lengths) == len(messages)


# ---- B002: one request, then nothing but calls and results ----


def test_b002_a_loop_without_a_user_is_cut() -> None:
    case = reported("B002")
    messages = case["messages"]
    shown_sizes = set()
    for budget in budgets(messages, ANTHROPIC.model):
        context = octavo.assemble(messages, budget=budget, model=ANTHROPIC.model)
        assert context.messages[0] is messages[0]
        assert context.messages[-2:] == messages[-2:]
        assert octavo.validate(context.messages, "anthropic") == []
        shown_sizes.add(len(context.messages))
    assert min(shown_sizes) <= case["max_messages"]


@every_dialect
def test_b002_in_every_format(dialect: Dialect) -> None:
    messages = [dialect.user("Review change 12"), *dialect.loop(30)]
    least = octavo.assemble(messages, budget=0, model=dialect.model)
    assert least.messages == [messages[0], *messages[-2:]]
    fitting = octavo.assemble(messages, budget=least.tokens, model=dialect.model)
    assert fitting.fits
    assert fitting.messages == least.messages


# ---- B003: results of parallel calls stand in the one user message after the calls ----


def test_b003_chat_becomes_valid_anthropic() -> None:
    chat_becomes_anthropic(reported("B003")["messages"], calls=2)


@pytest.mark.parametrize("parallel", [2, 5])
def test_b003_of_any_width(parallel: int) -> None:
    messages = [OPENAI.user("check"), *OPENAI.loop(1, parallel=parallel), OPENAI.user("go on")]
    chat_becomes_anthropic(messages, calls=parallel)


def chat_becomes_anthropic(messages: list[Any], calls: int) -> None:
    converted = octavo.assemble(messages, budget=10**6, model=OPENAI.model).anthropic()["messages"]
    assert octavo.validate(converted, "anthropic", format="anthropic") == []
    assert [message["role"] for message in converted] == ["user", "assistant", "user"]
    types = [block["type"] for block in converted[2]["content"]]
    assert types == ["tool_result"] * calls + ["text"]
    back = octavo.assemble(converted, budget=10**6, model=OPENAI.model, format="anthropic").openai()["messages"]
    assert [message["role"] for message in back] == [message["role"] for message in messages]
    assert [message.get("tool_call_id") for message in back] == [message.get("tool_call_id") for message in messages]
    assert [message["content"] for message in back if message["role"] != "assistant"] == [
        message["content"] for message in messages if message["role"] != "assistant"
    ]


# ---- B004: a user who spoke while a call was running ----


def test_b004_a_result_moves_next_to_its_call() -> None:
    a_result_moves_next_to_its_call(reported("B004")["messages"])


@pytest.mark.parametrize("between", [1, 2, 5])
def test_b004_however_much_was_said(between: int) -> None:
    said = [OPENAI.user(f"meanwhile {number}") for number in range(between)]
    a_result_moves_next_to_its_call(
        [OPENAI.user("build"), *OPENAI.calls("c1"), *said, *OPENAI.results("c1"), OPENAI.reply("ok")]
    )


def a_result_moves_next_to_its_call(messages: list[Any]) -> None:
    before = copy.deepcopy(messages)
    context = octavo.assemble(messages, budget=10**6, model=OPENAI.model)
    assert messages == before
    result = messages[-2]
    expected = [*messages[:2], result, *messages[2:-2], messages[-1]]
    assert len(context.messages) == len(expected)
    assert all(ours is theirs for ours, theirs in zip(context.messages, expected, strict=True))
    again = octavo.assemble(context.messages, budget=10**6, model=OPENAI.model)
    assert again.messages == context.messages
    assert again.report.repairs == ()


# ---- B005: a lost result beside signed thinking ----


def test_b005_thinking_stays_as_it_was_or_goes() -> None:
    thinking_stays_or_goes(reported("B005")["messages"])


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_b005_whichever_result_is_lost(lost: int) -> None:
    thinking = [
        {"type": "thinking", "thinking": "need all  ", "signature": "SIG-1"},
        {"type": "redacted_thinking", "data": "opaque=="},
    ]
    turn = ANTHROPIC.calls("t0", "t1", "t2")[0]
    answered = [name for at, name in enumerate(("t0", "t1", "t2")) if at != lost]
    messages = [
        ANTHROPIC.user("start"), {**turn, "content": [*thinking, *turn["content"]]},
        *ANTHROPIC.results(*answered), ANTHROPIC.user("continue"),
    ]  # fmt: skip
    thinking_stays_or_goes(messages)


def thinking_stays_or_goes(messages: list[Any]) -> None:
    for on in (None, True):
        context = octavo.assemble(messages, budget=10**6, model=ANTHROPIC.model, thinking=on)
        assert octavo.validate(context.messages, "anthropic", thinking=on, original=messages) == []
        turn = next(message for message in context.messages if message["role"] == "assistant")
        assert json.dumps(turn) == json.dumps(messages[1])
        results = [block for block in context.messages[2]["content"] if block["type"] == "tool_result"]
        calls = [block["id"] for block in turn["content"] if block["type"] == "tool_use"]
        assert sorted(block["tool_use_id"] for block in results) == sorted(calls)
        assert sum(bool(block.get("is_error")) for block in results) == 1


# ---- B012: the numbers that are counted are the numbers that decide ----


def test_b012_arguments_and_reasoning_fill_the_window() -> None:
    messages: list[Any] = [OPENAI.user("write")]
    for turn in range(6):
        arguments = json.dumps({"body": f"{turn} " + "word " * 800})
        function = {"name": "write", "arguments": arguments}
        call = {"id": f"c{turn}", "type": "function", "function": function}
        messages.append(
            {"role": "assistant", "content": None, "reasoning_content": "think " * 400, "tool_calls": [call]}
        )
        messages += OPENAI.results(f"c{turn}", text="ok")
    context = octavo.assemble(messages, budget=4_000, model=OPENAI.model)
    counted = octavo.counter_for(OPENAI.model).count_messages(context.messages).tokens
    assert context.tokens == counted <= 4_000
    assert len(context.messages) < len(messages)


# ---- B067: a turn costs the same, however long the conversation ----


class Listening:
    """A counter that knows how much it was asked to read."""

    def __init__(self) -> None:
        self.characters = 0

    def count(self, text: str, /) -> int:
        self.characters += len(text)
        return len(text) // 4


def test_b067_each_text_is_read_once_and_turns_do_not_grow() -> None:
    def message(turn: int) -> dict[str, str]:
        return {"role": "assistant" if turn % 2 else "user", "content": f"{turn} " + "word " * 400}

    turns = 2_000
    listening = Listening()
    heard = octavo.Transcript("gpt-4o", counter=listening)
    transcript = octavo.Transcript("gpt-4o")
    aged: dict[int, octavo.Transcript] = {}
    total = 0
    for turn in range(turns):
        if turn in (100, 1_900):
            aged[turn] = transcript.fork()
        fresh = message(turn)
        total += len(fresh["content"])
        heard.append(fresh)
        heard.assemble(budget=50_000)
        transcript.append(fresh)
        transcript.assemble(budget=20_000)
    # Framing and roles are counted too, once a message.
    assert total <= listening.characters <= 1.1 * total
    counter = transcript.counter
    assert transcript.tokens == counter.count_messages(transcript.messages).tokens - counter.fixed

    def cost(age: int) -> float:
        grows = aged[age].fork()
        return spent(lambda: [taken(grows, message(turn)) for turn in range(age, age + 100)])

    def taken(grows: octavo.Transcript, fresh: dict[str, str]) -> int:
        grows.append(fresh)
        assert grows.tokens > 0
        return len(grows.assemble(budget=20_000).messages)

    assert_at_most(2, lambda: cost(100), lambda: cost(1_900))


def test_b067_a_view_of_any_age_costs_the_same() -> None:
    def grown(turns: int) -> octavo.Transcript:
        transcript = octavo.Transcript("gpt-4o")
        transcript.extend([OPENAI.user("Task"), *OPENAI.loop(turns)])
        transcript.assemble(budget=3_000)
        return transcript

    fresh = [OPENAI.loop(1, start=10**6 + turn) for turn in range(200)]

    def turns_of(grows: octavo.Transcript) -> None:
        for turn in fresh:
            for one in turn:
                grows.append(one)
            grows.assemble(budget=3_000)

    def cost(transcript: octavo.Transcript) -> float:
        grows = transcript.fork()
        return spent(lambda: turns_of(grows))

    short, long = grown(100), grown(20_000)
    assert_at_most(2, lambda: cost(short), lambda: cost(long))
