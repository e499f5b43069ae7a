"""What says nothing where something must be said: empty lists of calls, empty texts, errors without a word."""

from __future__ import annotations

import copy
from typing import Any

import pydantic
import pytest

import octavo

CACHE = {"type": "ephemeral"}
THINKING = {"type": "thinking", "thinking": "hm", "signature": "S"}

Messages = list[dict[str, Any]]


def rules_of(messages: Messages, provider: str = "anthropic", **stated: Any) -> list[str]:
    return [found.rule for found in octavo.validate(messages, provider, format=provider, **stated)]


def text(said: str | None, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def answered(content: Any, **more: Any) -> Messages:
    """An Anthropic exchange with this content as its result."""
    return [
        {"role": "user", "content": "task"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "look", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": content, **more}]},
    ]


def repaired_result(messages: Messages, provider: str = "anthropic") -> Any:
    before = copy.deepcopy(messages)
    repaired = octavo.repair(messages, provider, format=provider).messages
    assert messages == before
    assert rules_of(repaired, provider) == []
    assert octavo.repair(repaired, provider, format=provider).log == ()
    return repaired[2]["content"][0]


# ---- O10: an empty list of calls ----


class Answer(pydantic.BaseModel):
    """What an SDK's parsed answer looks like."""

    role: str = "assistant"
    content: str | None = None
    tool_calls: list[Any] | None = None
    refusal: str | None = None


def chat(*answers: Any) -> list[Any]:
    spoken = [one for answer in answers for one in ({"role": "user", "content": "q"}, answer)]
    return [*spoken, {"role": "user", "content": "and?"}]


def test_an_empty_list_of_calls_leaves_its_message() -> None:
    hollow = {"role": "assistant", "content": "a", "name": "helper", "tool_calls": [], "x_trace": 7}
    messages = chat(hollow)
    (found,) = octavo.validate(messages, "openai")
    assert (found.index, found.rule, found.block) == (1, "O10", None)
    repaired = octavo.repair(messages, "openai")
    assert repaired.messages[1] == {"role": "assistant", "content": "a", "name": "helper", "x_trace": 7}
    assert [repaired.messages[at] is messages[at] for at in (0, 2)] == [True, True]
    assert [(change.kind, change.index, change.rule) for change in repaired.log] == [("dropped_call_list", 1, "O10")]
    assert hollow["tool_calls"] == []
    assert octavo.validate(repaired.messages, "openai") == []
    assert octavo.repair(repaired.messages, "openai").log == ()


@pytest.mark.parametrize("calls", [None, "missing"])
def test_no_list_of_calls_is_fine(calls: Any) -> None:
    answer = {"role": "assistant", "content": "a", **({} if calls == "missing" else {"tool_calls": calls})}
    messages = chat(answer)
    assert octavo.validate(messages, "openai") == []
    assert octavo.repair(messages, "openai").messages[1] is answer


def test_an_answer_of_an_sdk_with_an_empty_list_is_sent_without_it() -> None:
    messages = chat(Answer(content="a", tool_calls=[]), Answer(content="b").model_dump(), Answer(tool_calls=[]))
    assert [found.rule for found in octavo.validate(messages, "openai")] == ["O10", "O7", "O10"]
    context = octavo.assemble(messages, budget=1_000, model="gpt-5")
    for sent in (context.messages, context.openai()["messages"]):
        assert len(sent) == len(messages)
        assert all(message.get("tool_calls", None) is None for message in sent)
        assert [message["content"] for message in sent if message["role"] == "assistant"] == ["a", "b", ""]
    assert octavo.validate(context.messages, "openai") == []


def test_a_gateway_s_list_is_judged_by_its_own_format() -> None:
    messages = chat({"role": "assistant", "content": "a", "tool_calls": []})
    assert [found.rule for found in octavo.validate(messages, "anthropic", format="openai")] == ["O10"]
    assert "tool_calls" not in octavo.repair(messages, "anthropic", format="openai").messages[1]


# ---- A10, A11: empty texts inside a result ----


def test_an_empty_text_leaves_a_result_and_the_rest_stays() -> None:
    image = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    messages = answered([text(""), text("out"), image, text("")], is_error=False)
    assert rules_of(messages) == ["A10"]
    result = repaired_result(messages)
    assert result == {"type": "tool_result", "tool_use_id": "t1", "content": [text("out"), image], "is_error": False}
    assert result["content"][1] is image
    log = octavo.repair(messages, "anthropic").log
    assert [(change.kind, change.index, change.block, change.rule) for change in log] == [("dropped_text", 2, 0, "A10")]


@pytest.mark.parametrize("empty", [text(""), text(None), {"type": "text"}])
def test_a_result_of_nothing_but_empty_texts_becomes_empty(empty: dict[str, Any]) -> None:
    messages = answered([empty, empty])
    assert rules_of(messages) == ["A10"]
    assert repaired_result(messages)["content"] == []


def test_an_empty_text_with_a_breakpoint_in_a_result_breaks_both_rules() -> None:
    messages = answered([text("out"), text("", cache_control=CACHE)], cache_control=CACHE)
    assert rules_of(messages) == ["A10", "A11"]
    assert repaired_result(messages) == {**answered([text("out")])[2]["content"][0], "cache_control": CACHE}
    # What leaves does not count towards the four breakpoints.
    marked = [text("out", cache_control=CACHE) for _ in range(4)]
    crowded = answered([text("", cache_control=CACHE), *marked])
    assert rules_of(crowded) == ["A10", "A11"]
    assert repaired_result(crowded)["content"] == marked


@pytest.mark.parametrize("content", ["", [], None, " ", [text("\n")], [{"type": "image", "source": {}}], [text("x")]])
def test_a_result_may_be_empty_or_hold_white_space(content: Any) -> None:
    assert rules_of(answered(content)) == []


def test_a_bare_empty_text_in_a_result_leaves_too() -> None:
    messages = answered(["", "out"])
    assert rules_of(messages) == ["A10", "A22"]
    assert repaired_result(messages)["content"] == [text("out")]


def test_assemble_sends_no_empty_text_of_a_result() -> None:
    messages = answered([text("", cache_control=CACHE), text("out")])
    context = octavo.assemble(messages, budget=1_000, model="claude-sonnet-4-5")
    assert context.anthropic()["messages"][2] == answered([text("out")])[2]
    chat_list: Messages = [
        {"role": "user", "content": "task"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "t1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "t1", "content": [text(""), text("out")]},
    ]
    converted = octavo.assemble(chat_list, budget=1_000, model="claude-sonnet-4-5", format="openai").anthropic()
    assert octavo.validate(converted["messages"], "anthropic") == []
    assert '"text": ""' not in str(converted).replace("'", '"')


# ---- A25: an error that says nothing ----


@pytest.mark.parametrize("content", ["", [], [text("")], [text("", cache_control=CACHE)]])
def test_an_error_without_a_word_says_so(content: Any) -> None:
    messages = answered(content, is_error=True)
    assert "A25" in rules_of(messages)
    result = repaired_result(messages)
    assert result["is_error"] is True
    assert result["content"]
    assert rules_of(answered("it broke", is_error=True)) == rules_of(answered([text(" ")], is_error=True)) == []


def test_a_missing_content_of_an_error_is_filled() -> None:
    messages = answered("", is_error=True)
    del messages[2]["content"][0]["content"]
    assert rules_of(messages) == ["A25"]
    assert repaired_result(messages)["content"]


def test_bedrock_wants_the_same() -> None:
    def exchange(content: Any, status: str) -> Messages:
        return [
            {"role": "user", "content": [{"text": "task"}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "look", "input": {}}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": content, "status": status}}]},
        ]

    contents: list[list[dict[str, Any]]] = [[], [{"text": ""}]]
    for content in contents:
        assert rules_of(exchange(content, "success"), "bedrock") == []
        assert rules_of(exchange(content, "error"), "bedrock") == ["A25"]
        result = repaired_result(exchange(content, "error"), "bedrock")["toolResult"]
        assert result["status"] == "error"
        assert result["content"][0]["text"]
    assert rules_of(exchange([{"json": {}}], "error"), "bedrock") == []


def test_a_filled_result_is_counted() -> None:
    messages = answered("", is_error=True)
    context = octavo.assemble(messages, budget=1_000, model="claude-sonnet-4-5")
    counter = octavo.counter_for("claude-sonnet-4-5")
    assert context.tokens == counter.count_messages(context.messages).tokens > counter.count_messages(messages).tokens


# ---- A24: a breakpoint on thinking ----


@pytest.mark.parametrize("thinking", [THINKING, {"type": "redacted_thinking", "data": "x"}])
def test_a_breakpoint_leaves_thinking_and_nothing_else_does(thinking: dict[str, Any]) -> None:
    marked = {**thinking, "cache_control": CACHE}
    said = {"role": "assistant", "content": [marked, text("a", cache_control=CACHE)]}
    messages = [{"role": "user", "content": "q"}, said, {"role": "user", "content": "and?"}]
    (found,) = octavo.validate(messages, "anthropic")
    assert (found.index, found.block, found.rule) == (1, 0, "A24")
    repaired = octavo.repair(messages, "anthropic")
    assert repaired.messages[1]["content"] == [thinking, text("a", cache_control=CACHE)]
    assert said["content"][0] is marked
    assert marked["cache_control"] == CACHE
    assert [(change.kind, change.block, change.rule) for change in repaired.log] == [("dropped_breakpoint", 0, "A24")]
    assert octavo.validate(repaired.messages, "anthropic", original=messages) == []
    context = octavo.assemble(messages, budget=1_000, model="claude-sonnet-4-5", thinking=True)
    assert context.anthropic()["messages"] == repaired.messages


def test_a_breakpoint_on_thinking_takes_no_place_among_the_four() -> None:
    said = {"role": "assistant", "content": [{**THINKING, "cache_control": CACHE}, text("a", cache_control=CACHE)]}
    marked = {"role": "user", "content": [text(str(at), cache_control=CACHE) for at in range(3)]}
    repaired = octavo.repair([marked, said, {"role": "user", "content": "and?"}], "anthropic")
    assert repaired.messages[0] is marked
    assert repaired.messages[1]["content"] == [THINKING, text("a", cache_control=CACHE)]


# ---- A26: empty texts of the system prompt ----

USER: Messages = [{"role": "user", "content": "q"}]


class Block(pydantic.BaseModel):
    """A text block of an SDK."""

    type: str = "text"
    text: str


@pytest.mark.parametrize(
    "system",
    [
        [text("policy"), text("")],
        [text("policy"), text("", cache_control=CACHE)],
        [text(" \n"), text("policy")],
        [Block(text=""), text("policy")],
        ("", text("policy")),
    ],
)
def test_an_empty_text_of_the_system_prompt_is_told_and_not_sent(system: Any) -> None:
    before = copy.deepcopy(system)
    (found,) = octavo.validate(USER, "anthropic", system=system)
    assert (found.index, found.rule) == (0, "A26")
    repaired = octavo.repair(USER, "anthropic", system=system)
    assert repaired.messages[0] is USER[0]
    assert [(change.kind, change.rule) for change in repaired.log] == [("told", "A26")]
    context = octavo.assemble(USER, budget=1_000, model="claude-sonnet-4-5", system=system)
    assert context.system == context.anthropic()["system"] == [text("policy")]
    assert system == before
    assert context.report.repairs == ("system: left out empty text blocks",)
    assert octavo.validate(context.messages, "anthropic", system=context.system) == []
    bare = octavo.assemble(USER, budget=1_000, model="claude-sonnet-4-5", system=[text("policy")])
    assert context.tokens == bare.tokens


def test_a_system_prompt_that_says_nothing_is_not_sent() -> None:
    for system in ([text("")], [], text(""), {"role": "system", "content": [text("")]}):
        context = octavo.assemble(USER, budget=1_000, model="claude-sonnet-4-5", system=system)
        assert "system" not in context.anthropic()
        if system:
            assert context.system is None
    bedrock = octavo.assemble(
        [{"role": "user", "content": [{"text": "q"}]}], budget=1_000, provider="bedrock", format="bedrock",
        system=[{"text": ""}, {"cachePoint": {"type": "default"}}],
    )  # fmt: skip
    assert bedrock.system == [{"cachePoint": {"type": "default"}}]


def test_a_system_prompt_without_empty_texts_is_the_caller_s_own_object() -> None:
    for system in ([text("policy", cache_control=CACHE)], "policy", text("policy"), {"content": [text("policy")]}):
        assert octavo.validate(USER, "anthropic", system=system) == []
        context = octavo.assemble(USER, budget=1_000, model="claude-sonnet-4-5", system=system)
        assert context.system is system
    # The others take an empty text.
    empty = [text("")]
    assert octavo.assemble(USER, budget=1_000, model="gpt-5", system=empty).system is empty


def test_a_section_joins_what_is_left_of_the_system_prompt() -> None:
    context = octavo.assemble(
        USER, budget=1_000, model="claude-sonnet-4-5", system=[text(""), text("policy")],
        sections=[octavo.Section("rules", "Be brief.", place="prefix")],
    )  # fmt: skip
    assert len(context.system) == 2
    assert all(block["text"].strip() for block in context.system)
