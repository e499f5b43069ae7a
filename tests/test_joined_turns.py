"""Turns that clients store block by block: what goes on with a turn of thinking is joined to it, without a note."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import octavo
from octavo.recipes import CONTINUE

Messages = list[dict[str, Any]]

TASK = {"role": "user", "content": "task"}
THINKING = {"type": "thinking", "thinking": "hm  ", "signature": "S"}
SECRET = {"type": "redacted_thinking", "data": "x"}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "look", "input": {}}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def results(*names: str) -> dict[str, Any]:
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": name, "content": f"out {name}"} for name in names],
    }


def notes(messages: Messages) -> int:
    return str(messages).count(CONTINUE)


TURNS = [
    [THINKING, call("a")],
    [THINKING, text("say"), call("a")],
    [SECRET, THINKING, text(""), text("say"), call("a")],
    [THINKING, text("say"), call("a"), call("b")],
]


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "claude-opus-4-8", None])
def test_a_turn_stored_block_by_block_is_the_turn_again(turn: list[dict[str, Any]], model: str | None) -> None:
    thoughts = sum(block["type"].endswith("thinking") for block in turn)
    names = [block["id"] for block in turn if block["type"] == "tool_use"]
    heads = [turn[:thoughts], *([block] for block in turn[thoughts : len(turn) - len(names)])]
    stored = [TASK, *(assistant(*blocks) for blocks in heads), assistant(*turn[-len(names) :]), results(*names)]
    repaired = octavo.repair(stored, "anthropic", model=model, thinking=True)
    assert repaired.messages == [TASK, assistant(*turn), results(*names)]
    assert all(kept is block for kept, block in zip(repaired.messages[1]["content"], turn, strict=True))
    assert octavo.validate(repaired.messages, "anthropic", model=model, thinking=True) == []
    assert octavo.repair(repaired.messages, "anthropic", model=model, thinking=True).log == ()
    assert {change.kind for change in repaired.log} <= {"merged", "told"}


@pytest.mark.parametrize("thinking", [None, True, False])
def test_assembling_such_a_turn_says_nothing_that_nobody_said(thinking: bool | None) -> None:
    stored = [TASK, assistant(THINKING), assistant(text("say")), assistant(call("a")), results("a")]
    model = "claude-sonnet-4-5"
    context = octavo.assemble(stored, budget=10_000, model=model, thinking=thinking, format="anthropic")
    assert notes(context.messages) == 0
    assert octavo.validate(context.messages, "anthropic", model=model, thinking=thinking) == []
    assert [message["role"] for message in context.messages] == ["user", "assistant", "user"]


def test_a_second_turn_with_thinking_of_its_own_is_parted() -> None:
    stored = [TASK, assistant(THINKING, text("done")), assistant(THINKING, call("a")), results("a")]
    repaired = octavo.repair(stored, "anthropic", thinking=True)
    assert repaired.messages[1] is stored[1]
    assert repaired.messages[3] is stored[2]
    assert notes(repaired.messages) == 1


def test_no_note_stays_where_the_thinking_that_it_parted_leaves() -> None:
    lists = [
        [TASK, assistant(THINKING), assistant(call("a")), results("a")],
        [TASK, assistant(THINKING), assistant(THINKING, call("a")), results("a")],
        [TASK, assistant(THINKING, text("x")), assistant(THINKING, call("a")), results("a")],
        [assistant(THINKING), TASK],
    ]
    for stored in lists:
        repaired = octavo.repair(stored, "anthropic", thinking=False)
        assert notes(repaired.messages) == 0, repaired
        assert repaired.messages[0] == TASK, repaired
        assert "thinking" not in str(repaired.messages)
        assert octavo.repair(repaired.messages, "anthropic", thinking=False).log == ()
        assert not {change.kind for change in repaired.log} & {"parted", "opened"}


def test_a_call_that_must_be_edited_takes_the_thinking_of_its_turn_with_it() -> None:
    bad = {**call("a b"), "id": "a b"}
    stored = [TASK, assistant(THINKING), assistant(text("say")), assistant(bad), results("a b")]
    repaired = octavo.repair(stored, "anthropic")
    assert [block["type"] for block in repaired.messages[1]["content"]] == ["text", "tool_use"]
    assert octavo.validate(repaired.messages, "anthropic") == []
    assert "dropped_thinking" in {change.kind for change in repaired.log}


def test_any_split_of_a_turn_comes_to_the_same_list() -> None:
    turn = [THINKING, text("one"), text("two"), call("a")]
    seen = 0
    for cuts in itertools.product([False, True], repeat=len(turn) - 1):
        pieces = [[turn[0]]]
        for cut, block in zip(cuts, turn[1:], strict=True):
            if cut:
                pieces.append([block])
            else:
                pieces[-1].append(block)
        stored = [TASK, *(assistant(*blocks) for blocks in pieces), results("a")]
        for thinking in (None, True, False):
            told = octavo.repair(stored, "anthropic", thinking=thinking).messages
            whole = octavo.repair([TASK, assistant(*turn), results("a")], "anthropic", thinking=thinking).messages
            assert told == whole
            seen += 1
    assert seen == 24


def test_bedrock_joins_them_too() -> None:
    thought = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "S"}}}
    use = {"toolUse": {"toolUseId": "a", "name": "look", "input": {}}}
    answer = {"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": "out"}]}}]}
    asked = {"role": "user", "content": [{"text": "task"}]}
    stored = [asked, assistant(thought), assistant(use), answer]
    assert octavo.repair(stored, "bedrock").messages == [asked, assistant(thought, use), answer]
