"""Inference of format and provider, and the plain form of a message."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import octavo
from octavo.errors import FormatError, MessageError, OctavoError
from octavo.messages import FORMATS, infer_format, infer_provider, plain
from shared_data import conversations
from timing import assert_within, spent

DECISIVE: list[tuple[str, dict[str, Any]]] = [
    ("anthropic", {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "n", "input": {}}]}),
    ("anthropic", {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]}),
    ("anthropic", {"role": "assistant", "content": [{"type": "thinking", "thinking": "t", "signature": "s"}]}),
    ("anthropic", {"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "u"}}]}),
    ("anthropic", {"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]}),
    ("openai", {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function"}]}),
    ("openai", {"role": "tool", "tool_call_id": "c", "content": "x"}),
    ("openai", {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]}),
    ("openai", {"role": "assistant", "content": None, "function_call": {"name": "n", "arguments": "{}"}}),
    ("openai", {"role": "assistant", "content": "x", "reasoning_content": "y"}),
    ("openai-responses", {"type": "function_call", "call_id": "c", "name": "n", "arguments": "{}"}),
    ("openai-responses", {"type": "function_call_output", "call_id": "c", "output": "x"}),
    ("openai-responses", {"type": "reasoning", "summary": []}),
    ("openai-responses", {"role": "user", "content": [{"type": "input_text", "text": "x"}]}),
    ("openai-responses", {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]}),
    ("openai-responses", {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "x"}]}),
    ("gemini", {"role": "user", "parts": [{"text": "x"}]}),
    ("bedrock", {"role": "user", "content": [{"text": "x"}]}),
    ("bedrock", {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "n", "input": {}}}]}),
]


@pytest.mark.parametrize("plain_before", [0, 3, 100])
@pytest.mark.parametrize("expected, message", DECISIVE)
def test_one_decisive_message_decides(expected: str, message: dict[str, Any], plain_before: int) -> None:
    said = [{"role": "user" if n % 2 else "assistant", "content": "hello"} for n in range(plain_before)]
    assert infer_format([*said, message, {"role": "user", "content": "more"}]) == expected


def test_every_format_is_told() -> None:
    assert {expected for expected, _ in DECISIVE} == set(FORMATS)


def test_a_list_of_texts_is_told_by_system_message_then_model() -> None:
    said = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
    assert infer_format(said) == "openai"
    assert infer_format(said, "claude-sonnet-4-6") == "anthropic"
    assert infer_format(said, "gpt-5.6") == "openai"
    assert infer_format([{"role": "system", "content": "s"}, *said], "claude-sonnet-4-6") == "openai"
    assert infer_format([]) == "openai"
    assert infer_format(iter(said), "claude-sonnet-4-6") == "anthropic"


def test_answers_in_blocks_lean_to_anthropic() -> None:
    said = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}]
    assert infer_format(said) == "anthropic"
    assert infer_format(said, "gpt-5.6") == "openai"


CACHED: dict[str, Any] = {
    "role": "user",
    "content": [{"type": "text", "text": "go", "cache_control": {"type": "ephemeral"}}],
}
CHAT_CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
}
CHAT_RESULT = {"role": "tool", "tool_call_id": "c1", "content": "found"}
OLD_CHAT_CALL = {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}}
USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "look", "input": {}}]}
USE_RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "found"}]}
POLICY = {"role": "system", "content": "policy"}
CACHED_POLICY = {"role": "system", "content": [{**CACHED["content"][0], "text": "policy"}]}

# Anthropic's `cache_control` on a text is also what Chat clients of routers write.
CACHED_LISTS: list[tuple[str, str | None, list[dict[str, Any]]]] = [
    ("openai", "claude-sonnet-4-5", [POLICY, CACHED, CHAT_CALL, CHAT_RESULT]),
    ("openai", None, [CACHED, CHAT_CALL, CHAT_RESULT]),
    ("openai", "claude-sonnet-4-5", [CACHED, OLD_CHAT_CALL]),
    ("openai", "claude-sonnet-4-5", [CACHED, CHAT_RESULT]),
    ("openai", "claude-sonnet-4-5", [CACHED, {"role": "function", "name": "look", "content": "found"}]),
    ("openai", "claude-sonnet-4-5", [CACHED_POLICY, {"role": "user", "content": "go"}]),
    ("openai", None, [{"role": "developer", "content": "policy"}, CACHED]),
    ("openai", "gpt-5.6", [CACHED]),
    ("anthropic", "claude-sonnet-4-5", [CACHED]),
    ("anthropic", None, [CACHED]),
    ("anthropic", "glm-4.6", [{"role": "user", "content": "hello"}, CACHED]),
    ("anthropic", "gpt-5.6", [CACHED, USE, USE_RESULT]),
    ("anthropic", None, [CACHED_POLICY, CACHED, USE, USE_RESULT]),
]


@pytest.mark.parametrize("between", [0, 3, 100])
@pytest.mark.parametrize("expected, model, messages", CACHED_LISTS)
def test_cache_control_on_a_text_decides_only_where_nothing_else_does(
    expected: str, model: str | None, messages: list[dict[str, Any]], between: int
) -> None:
    said = [{"role": "assistant" if n % 2 else "user", "content": "hello"} for n in range(between)]
    whole = [*messages[:1], *said, *messages[1:]]
    assert infer_format(whole, model) == expected
    stepped = octavo.Transcript(model)
    for message in whole:
        stepped.append(message)
    assert stepped.format == expected


def test_cached_chat_keeps_its_policy_and_its_calls() -> None:
    messages = [POLICY, CACHED, CHAT_CALL, CHAT_RESULT]
    context = octavo.assemble(messages, budget=5_000, model="claude-sonnet-4-5")
    assert context.messages == messages
    arguments = context.anthropic()
    assert "policy" in json.dumps(arguments["system"])
    assert [block["type"] for message in arguments["messages"] for block in message["content"]] == [
        "text", "tool_use", "tool_result",
    ]  # fmt: skip


ANY_MESSAGES = st.lists(
    st.sampled_from(
        [
            CACHED, CHAT_CALL, CHAT_RESULT, OLD_CHAT_CALL, USE, USE_RESULT, POLICY, CACHED_POLICY,
            {"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"},
            {"role": "assistant", "content": [{"type": "text", "text": "hi"}]},
            {"role": "assistant", "content": CACHED["content"]},
        ]
    ),
    max_size=7,
)  # fmt: skip


@given(messages=ANY_MESSAGES, model=st.sampled_from([None, "claude-sonnet-4-5", "gpt-5.6", "glm-4.6"]), data=st.data())
@settings(deadline=None, max_examples=300)
def test_a_format_is_told_alike_step_by_step(
    messages: list[dict[str, Any]], model: str | None, data: st.DataObject
) -> None:
    stepped = octavo.Transcript(model)
    done = 0
    while done < len(messages):
        more = data.draw(st.integers(1, len(messages) - done))
        stepped.extend(messages[done : done + more])
        done += more
        assert stepped.format == infer_format(messages[:done], model)
        whole = octavo.Transcript(model)
        whole.extend(messages[:done])
        assert whole.tokens == stepped.tokens
    assert done == len(messages)


def test_inference_of_a_long_plain_list_costs_well_under_a_millisecond() -> None:
    said = [{"role": "user" if n % 2 else "assistant", "content": f"text {n}"} for n in range(4_000)]
    assert_within(1e-3, lambda: spent(lambda: infer_format(said)))


@pytest.mark.parametrize(
    "format_name, model, expected",
    [
        ("anthropic", None, "anthropic"),
        ("openai", "claude-sonnet-4-6", "anthropic"),
        ("openai", "gpt-5.6", "openai"),
        ("openai", "deepseek-chat", "openai"),
        ("anthropic", "glm-4.6", "anthropic"),
        ("anthropic", "gpt-5.6", "openai"),
        ("anthropic", "openai/o3", "openai"),
        ("openai-responses", "gpt-5.6", "openai-responses"),
        ("bedrock", "anthropic.claude-sonnet-4-20250514-v1:0", "bedrock"),
        ("gemini", "gemini-3-pro", "gemini"),
    ],
)
def test_provider(format_name: Any, model: str | None, expected: str) -> None:
    assert infer_provider(format_name, model) == expected


def test_an_unknown_format_is_a_typed_error() -> None:
    with pytest.raises(FormatError, match="cohere") as caught:
        infer_provider("cohere")  # type: ignore[arg-type]
    assert caught.value.got == "cohere"
    assert isinstance(caught.value, OctavoError)
    assert isinstance(caught.value, ValueError)


def test_a_dict_is_the_same_object() -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "x"}], "odd": None}
    before = copy.deepcopy(message)
    assert plain(message) is message
    assert message == before


def test_mappings_and_dataclasses_become_dicts() -> None:
    @dataclass
    class Said:
        role: str
        content: str
        name: str | None = None

    assert plain(MappingProxyType({"role": "user", "content": "x"})) == {"role": "user", "content": "x"}
    assert plain(Said("user", "x")) == {"role": "user", "content": "x"}


@pytest.mark.parametrize("wrong", ["text", 3, None, ["role", "user"], dict])
def test_what_is_no_message_is_a_typed_error(wrong: object) -> None:
    with pytest.raises(MessageError, match="message 7") as caught:
        plain(wrong, 7)
    assert caught.value.index == 7


def test_a_pydantic_model_keeps_defaults_and_nulls_inside_data() -> None:
    pydantic = pytest.importorskip("pydantic")

    class Said(pydantic.BaseModel):  # type: ignore[misc, name-defined]
        role: str = "user"
        content: list[dict[str, Any]]
        name: str | None = None

    said = Said(content=[{"type": "tool_result", "tool_use_id": "t", "content": None}])
    assert plain(said) == {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": None}]}


def test_an_anthropic_answer_becomes_a_message_that_is_accepted_back() -> None:
    types = pytest.importorskip("anthropic.types")
    answer = types.Message(
        id="msg_1",
        type="message",
        role="assistant",
        model="claude-sonnet-4-6",
        stop_reason="tool_use",
        stop_sequence=None,
        usage=types.Usage(input_tokens=1, output_tokens=1),
        content=[
            types.TextBlock(type="text", text="a", citations=None),
            types.ToolUseBlock(type="tool_use", id="t", name="n", input={"a": None}),
        ],
    )
    assert infer_format([answer]) == "anthropic"
    assert plain(answer) == {
        "role": "assistant",
        "content": [{"type": "text", "text": "a"}, {"type": "tool_use", "id": "t", "name": "n", "input": {"a": None}}],
    }


def test_an_openai_answer_becomes_a_message_that_is_accepted_back() -> None:
    chat = pytest.importorskip("openai.types.chat")
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    raw = {"role": "assistant", "content": None, "refusal": None, "annotations": [], "tool_calls": [call]}
    answer = chat.ChatCompletionMessage.model_validate(raw)
    assert infer_format([answer]) == "openai"
    assert plain(answer) == {"role": "assistant", "tool_calls": [call]}


def test_a_responses_item_becomes_an_item_that_is_accepted_back() -> None:
    responses = pytest.importorskip("openai.types.responses")
    raw = {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}", "status": "completed"}
    item = responses.ResponseFunctionToolCall.model_validate(raw)
    assert infer_format([item]) == "openai-responses"
    assert plain(item) == raw


def test_a_whole_response_is_refused_with_the_place_of_its_message() -> None:
    chat = pytest.importorskip("openai.types.chat")
    raw = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []}
    with pytest.raises(MessageError, match=r"choices\[0\]\.message"):
        plain(chat.ChatCompletion.model_validate(raw))


def test_real_conversations_are_told_by_their_messages() -> None:
    looked_at = 0
    for conversation in conversations():
        assert infer_format(conversation["messages"]) == conversation["format"], conversation["id"]
        looked_at += 1
    assert looked_at > 200
