"""Inference of format and provider, and the plain form of a message."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pytest

from octavo.errors import FormatError, MessageError, OctavoError
from octavo.messages import FORMATS, infer_format, infer_provider, plain
from shared_data import conversations

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


def test_inference_of_a_long_plain_list_costs_well_under_a_millisecond() -> None:
    said = [{"role": "user" if n % 2 else "assistant", "content": f"text {n}"} for n in range(4_000)]
    infer_format(said)
    # The best of several: what else the machine does is not what is measured.
    best = min(_seconds(said) for _ in range(20))
    assert best < 1e-3


def _seconds(messages: list[dict[str, str]]) -> float:
    started = time.perf_counter()
    infer_format(messages)
    return time.perf_counter() - started


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
