"""A turn stays whole however it is stored, and so does what the user asks for."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import octavo
from sessions import FILLER

Message = dict[str, Any]

TASK: Message = {"role": "user", "content": "TASK"}


def thinking(text: str) -> Message:
    return {"type": "thinking", "thinking": text, "signature": f"S{text}"}


def call(name: str) -> Message:
    return {"type": "tool_use", "id": name, "name": "look", "input": {"q": name}}


def spoken(*blocks: Message) -> Message:
    return {"role": "assistant", "content": list(blocks)}


def results(*names: str) -> Message:
    blocks = [{"type": "tool_result", "tool_use_id": name, "content": FILLER} for name in names]
    return {"role": "user", "content": blocks}


def chat_call(*names: str, text: str | None = None) -> Message:
    function = {"name": "look", "arguments": "{}"}
    calls = [{"id": name, "type": "function", "function": function} for name in names]
    return {"role": "assistant", "content": text, "tool_calls": calls}


def chat_result(name: str) -> Message:
    return {"role": "tool", "tool_call_id": name, "content": FILLER}


def blocks_of(messages: list[Message]) -> list[tuple[str, list[Message]]]:
    """Role and blocks of each turn, messages of one role in a row joined."""
    turns: list[tuple[str, list[Message]]] = []
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if turns and turns[-1][0] == message["role"]:
            turns[-1][1].extend(blocks)
        else:
            turns.append((message["role"], list(blocks)))
    return turns


@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "claude-opus-4-8"])
def test_no_turn_is_sent_that_nobody_made(model: str) -> None:
    messages = [TASK]
    for turn in range(30):
        text = {"type": "text", "text": f"say {turn}"}
        messages += [spoken(thinking(f"t{turn}")), spoken(text), spoken(call(f"c{turn}")), results(f"c{turn}")]
    made = {str(blocks) for role, blocks in blocks_of(messages) if role == "assistant"}
    looked = cut = 0
    for budget in (300, 600, 900, 2_000):
        for end in range(4, len(messages) + 1, 4):
            context = octavo.assemble(messages[:end], budget=budget, model=model, thinking=True)
            sent = [str(blocks) for role, blocks in blocks_of(context.messages) if role == "assistant"]
            assert set(sent) <= made
            assert octavo.validate(context.messages, provider="anthropic", thinking=True, model=model) == []
            looked += len(sent)
            cut += len(sent) < end // 4
    assert looked > 200
    assert cut > 50


@pytest.mark.parametrize("opening", [[], [spoken(thinking("hm"))]], ids=["bare", "thinking"])
def test_parallel_calls_in_messages_of_their_own_stay_parallel(opening: list[Message]) -> None:
    messages = [TASK, *opening, spoken(call("a")), spoken(call("b")), results("a", "b")]
    repaired = octavo.repair(messages, provider="anthropic").messages
    assert blocks_of(repaired) == blocks_of(messages)
    assert len(repaired) == 3
    assert octavo.validate(repaired, provider="anthropic") == []
    assert octavo.assemble(messages, budget=10_000, model="claude-sonnet-4-5").messages == repaired


def test_parallel_calls_of_chat_are_one_message_with_all_that_was_said() -> None:
    messages = [TASK, chat_call("a", text="first"), chat_call("b", text="then"), chat_result("a"), chat_result("b")]
    repaired = octavo.repair(messages, provider="openai").messages
    joined = chat_call("a", "b")
    joined["content"] = [{"type": "text", "text": "first"}, {"type": "text", "text": "then"}]
    assert repaired == [TASK, joined, chat_result("a"), chat_result("b")]
    assert octavo.validate(repaired, provider="openai") == []
    assert octavo.repair(repaired, provider="openai").log == ()


def test_calls_that_were_answered_one_after_the_other_stay_apart() -> None:
    messages = [TASK, chat_call("a"), chat_result("a"), chat_call("b"), chat_result("b")]
    assert octavo.repair(messages, provider="openai").messages == messages
    # The first was answered before the second was made, and its result is lost.
    lost = octavo.repair([TASK, chat_call("a"), chat_call("b"), chat_result("b")], provider="openai").messages
    assert [len(message.get("tool_calls", ())) for message in lost] == [0, 1, 0, 1, 0]


def test_a_tool_loop_keeps_its_opening_when_the_user_speaks_behind_results() -> None:
    messages = [TASK, spoken(thinking("plan"), call("c0")), results("c0")]
    for turn in range(1, 40):
        messages += [spoken(call(f"c{turn}")), results(f"c{turn}")]
        if turn == 15:
            messages.append({"role": "user", "content": "STEER"})
    for budget in (900, 1_500, 3_000):
        context = octavo.assemble(messages, budget=budget, model="claude-sonnet-4-5", thinking=True)
        assert context.fits
        assert octavo.validate(context.messages, provider="anthropic", thinking=True, model="claude-sonnet-4-5") == []
        assert "plan" in str(context.messages)
    assert len(context.messages) < len(messages)


@pytest.mark.parametrize("model", ["gpt-4o", "claude-sonnet-4-5"])
def test_a_request_of_several_messages_stays_whole(model: str) -> None:
    chat = model == "gpt-4o"
    messages: list[Message] = [TASK, {"role": "assistant", "content": "done"}]
    messages += [{"role": "user", "content": f"SPEC {FILLER}"}, {"role": "user", "content": "PLEASE"}]
    for turn in range(60):
        name = f"c{turn}"
        pair = [chat_call(name), chat_result(name)] if chat else [spoken(call(name)), results(name)]
        messages += pair
    context = octavo.assemble(messages, budget=1_000, model=model)
    assert context.fits
    assert len(context.messages) < len(messages)
    assert all(word in str(context.messages) for word in ("TASK", "SPEC", "PLEASE"))


def test_nothing_that_was_cut_comes_back_with_a_new_epoch() -> None:
    messages = [TASK]
    for turn in range(60):
        for step in range(5):
            name = f"c{turn}.{step}"
            messages += [spoken(thinking(f"{FILLER * 50}{name}"), call(name)), results(name)]
        messages += [spoken({"type": "text", "text": "done"}), {"role": "user", "content": f"next {turn}"}]
    transcript = octavo.Transcript("claude-sonnet-4-5")
    first_shown = []
    for message in messages:
        if message["role"] == "assistant":
            report = transcript.assemble(budget=4_000).report
            first_shown.append(_history_from(report))
        transcript.append(message)
    assert len(set(first_shown)) > 20
    assert all(before <= after for before, after in pairwise(first_shown))


def _history_from(report: octavo.Report) -> int:
    """Where the history begins: behind the last message that was left out."""
    return max((span.end for span in report.spans if span.reason == "before_cut"), default=0)
