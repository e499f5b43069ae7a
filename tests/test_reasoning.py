"""Reasoning in Chat messages: servers write it into four members, and it counts once."""

from __future__ import annotations

import base64
from typing import Any

import pytest

import octavo
from octavo.recipes import shape_of
from octavo.tokens import counter_for
from sessions import OPENAI, Message

THOUGHT = "The user wants the weather. I will look it up. " * 20
OTHER = "On second thought, the forecast of tomorrow will do. " * 20
SECRET = base64.b64encode(bytes(range(250)) * 120).decode()  # 7,338 tokens by its length
COUNTER = counter_for("gpt-4o")


def answer(**members: Any) -> Message:
    return {"role": "assistant", "content": "so", **members}


def cost(**members: Any) -> int:
    return COUNTER.count_message(answer(**members), "openai") - COUNTER.count_message(answer(), "openai")


def blocks(*texts: str, **more: str) -> list[Message]:
    return [{"type": "thinking", "thinking": text, "signature": "sig", **more} for text in texts]


def details(*texts: str, **more: str) -> list[Message]:
    return [{"type": "reasoning.text", "text": text, "signature": "sig", **more} for text in texts]


@pytest.mark.parametrize(
    "members",
    [
        {"reasoning_content": THOUGHT},
        {"reasoning": THOUGHT},
        {"thinking_blocks": blocks(THOUGHT)},
        {"reasoning_details": details(THOUGHT)},
        {"reasoning_details": [{"type": "reasoning.summary", "summary": THOUGHT}]},
    ],
    ids=lambda members: next(iter(members)),
)
def test_every_member_is_counted(members: dict[str, Any]) -> None:
    assert cost(**members) == COUNTER.count(THOUGHT)
    assert COUNTER.count_messages([answer(**members)], format="openai").method == "exact"


@pytest.mark.parametrize(
    "members",
    [
        {"reasoning_content": THOUGHT, "thinking_blocks": blocks(THOUGHT)},
        {"reasoning": THOUGHT, "reasoning_details": details(THOUGHT)},
        {"reasoning_content": THOUGHT, "reasoning": THOUGHT, "reasoning_details": details(THOUGHT)},
        {"thinking_blocks": blocks(THOUGHT), "reasoning_details": details(THOUGHT)},
        {"reasoning": f"  {THOUGHT}\n\n", "reasoning_details": details(THOUGHT)},
    ],
    ids="+".join,
)
def test_what_stands_in_two_members_counts_once(members: dict[str, Any]) -> None:
    assert COUNTER.count(THOUGHT) <= cost(**members) <= COUNTER.count(THOUGHT) + 3


def test_the_whole_counts_and_not_its_parts_again() -> None:
    whole = THOUGHT + "\n\n" + OTHER
    assert cost(reasoning_content=whole, thinking_blocks=blocks(THOUGHT, OTHER)) == COUNTER.count(whole)
    assert cost(reasoning_content=whole, thinking_blocks=blocks(OTHER)) == COUNTER.count(whole)
    # The shorter member comes first, and is part of the longer one.
    assert cost(reasoning_content=THOUGHT, reasoning_details=details(THOUGHT, OTHER)) == (
        COUNTER.count(THOUGHT) + COUNTER.count(OTHER)
    )


def test_different_thoughts_in_two_members_both_count() -> None:
    both = COUNTER.count(THOUGHT) + COUNTER.count(OTHER)
    assert cost(reasoning_content=THOUGHT, reasoning=OTHER) == both
    assert cost(reasoning=THOUGHT, reasoning_details=details(OTHER)) == both


@pytest.mark.parametrize(
    "members",
    [
        {"reasoning_details": [{"type": "reasoning.encrypted", "data": SECRET}]},
        {"thinking_blocks": [{"type": "redacted_thinking", "data": SECRET}]},
        {"thinking_blocks": [{"type": "thinking", "thinking": "", "signature": SECRET}]},
    ],
    ids=["details", "redacted", "omitted"],
)
def test_encrypted_reasoning_counts_by_its_length(members: dict[str, Any]) -> None:
    assert cost(**members) == 7_338
    counted = COUNTER.count_messages([answer(**members)], format="openai")
    assert counted.method == "estimated"
    assert counted.error_bound >= 7_338 // 2
    beside = {**members, "reasoning": THOUGHT}
    assert cost(**beside) == 7_338 + COUNTER.count(THOUGHT)


def test_the_same_secret_in_two_members_counts_once() -> None:
    encrypted = [{"type": "reasoning.encrypted", "data": SECRET}]
    redacted = [{"type": "redacted_thinking", "data": SECRET}]
    assert cost(reasoning_details=encrypted, thinking_blocks=redacted) == 7_338
    assert cost(reasoning_details=[*encrypted, {"type": "reasoning.encrypted", "data": SECRET[4:]}]) > 14_000


def test_a_signature_beside_its_words_costs_nothing() -> None:
    assert cost(thinking_blocks=blocks(THOUGHT, signature=SECRET)) == COUNTER.count(THOUGHT)
    assert cost(reasoning_details=details(THOUGHT, signature=SECRET)) == COUNTER.count(THOUGHT)


@pytest.mark.parametrize("odd", [None, "", [], {}, [None], [{}], [[]], 7, ["bare"], {"text": "bare"}])
def test_odd_shapes_are_read(odd: Any) -> None:
    for name in ("reasoning_content", "reasoning", "thinking_blocks", "reasoning_details"):
        assert 0 <= cost(**{name: odd}) <= 3


def test_an_answer_of_nothing_but_reasoning_is_repaired_with_all_of_it() -> None:
    members = {"reasoning": THOUGHT, "reasoning_details": details(THOUGHT), "thinking_blocks": blocks(THOUGHT)}
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": {"q": 1}}}
    messages = [OPENAI.user("Task"), answer(tool_calls=[call], **members), *OPENAI.results("c1"), OPENAI.user("go")]
    before = [dict(message) for message in messages]
    context = octavo.assemble(messages, budget=90_000, model="gpt-4o")
    assert messages == before
    (sent,) = [message for message in context.messages if message["role"] == "assistant"]
    assert sent["tool_calls"][0]["function"]["arguments"] == '{"q":1}', "the repair took place"
    assert {name: sent[name] for name in members} == members
    counted = COUNTER.count_messages(context.messages, format="openai")
    assert context.tokens == counted.tokens


def test_reasoning_that_leaves_takes_every_member_along() -> None:
    message = answer(reasoning=THOUGHT, reasoning_details=details(THOUGHT), thinking_blocks=blocks(THOUGHT))
    shape = shape_of([message], "openai")
    assert len(shape.blocks_of(0)) == 2
    assert shape.compose("assistant", 0, [("block", 0, 1, 0, 0, None)]) == answer()
    assert shape.compose("assistant", 0, [("block", 0, number, 0, 0, None) for number in (0, 1)]) == message
