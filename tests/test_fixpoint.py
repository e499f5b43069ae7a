"""Repairing twice is repairing once, whatever stands in a message: members missing, doubled, or of another kind."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import octavo
from octavo.errors import MessageError

Messages = list[dict[str, Any]]

_SOUND: dict[str, Messages] = {
    "anthropic": [
        {"role": "user", "content": "task"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "S"},
                {"type": "text", "text": "a"},
                {"type": "tool_use", "id": "t1", "name": "look", "input": {"q": 1}},
                {"type": "tool_use", "id": "t2", "name": "look", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "out"}]},
                {"type": "tool_result", "tool_use_id": "t2", "content": "out", "is_error": True},
                {"type": "text", "text": "go", "cache_control": {"type": "ephemeral"}},
            ],
        },
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "", "signature": "T"}]},
        {"role": "assistant", "content": "done"},
    ],
    "openai": [
        {"role": "system", "content": "s"},
        {"role": "user", "content": [{"type": "text", "text": "a"}]},
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "hm",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}},
                {"id": "c2", "type": "custom", "custom": {"name": "find", "input": "x"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "out"},
        {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "out"}]},
        {"role": "assistant", "content": None, "audio": {"id": "audio_1"}},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "again"}]},
    ],
    "openai-responses": [
        {"role": "user", "content": [{"type": "input_text", "text": "a"}]},
        {"type": "item_reference", "id": "fc_1"},
        {"type": "function_call_output", "call_id": "c0", "output": "out"},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "custom_tool_call", "call_id": "c2", "name": "find", "input": "x"},
        {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "out"}]},
        {"role": "tool", "tool_call_id": "c2", "content": "out"},
        {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "a"}]},
        {
            "role": "model",
            "parts": [
                {"text": "hm", "thought": True},
                {"functionCall": {"name": "look", "args": {}, "id": "g1"}, "thoughtSignature": "S"},
                {"functionCall": {"name": "find", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "look", "response": {"ok": 1}, "id": "g1"}},
                {"functionResponse": {"name": "find", "response": {"ok": 2}}},
            ],
        },
    ],
    "bedrock": [
        {"role": "user", "content": [{"text": "a"}]},
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "S"}}},
                {"toolUse": {"toolUseId": "b1", "name": "look", "input": {}}},
            ],
        },
        {
            "role": "user",
            "content": [{"toolResult": {"toolUseId": "b1", "content": [{"text": "out"}], "status": "error"}}],
        },
    ],
}

_MEMBERS = [
    "role",
    "content",
    "type",
    "text",
    "id",
    "tool_use_id",
    "tool_calls",
    "function",
    "name",
    "arguments",
    "input",
    "call_id",
    "output",
    "parts",
    "functionCall",
    "functionResponse",
    "toolUse",
    "toolResult",
    "toolUseId",
    "thinking",
    "cache_control",
    "tool_call_id",
    "reasoning_content",
    "summary",
    "response",
    "args",
    "is_error",
    "status",
    "refusal",
    "audio",
    "custom",
    "function_call",
]

_VALUES: list[Any] = [
    *(
        None,
        "",
        "x",
        " ",
        "user",
        "assistant",
        "tool",
        "system",
        "text",
        "tool_result",
        "tool_use",
        "refusal",
        "c" * 70,
    ),
    *(0, 1, True, 1.5, [], {}, [[[]]], [[""]], [None], [{}], "[", '{"a": 1}', {"a": 1}, {"type": "ephemeral"}),
    *({"type": "text", "text": ""}, {"type": "text", "text": 3}, {"type": "text"}, {"type": "refusal", "refusal": 2}),
    *({"type": "tool_result", "tool_use_id": "c1"}, {"id": "x"}),
]


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at] if at else []
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        found += _places(inner, (*at, key))
    return found


@st.composite
def malformed(draw: st.DrawFn, format: str) -> Messages:
    messages = copy.deepcopy(_SOUND[format])
    for _ in range(draw(st.integers(1, 4))):
        places = _places(messages)
        if not places:
            break
        *path, last = draw(st.sampled_from(places))
        holder: Any = messages
        for key in path:
            holder = holder[key]
        change = draw(st.sampled_from(["put", "put", "leave", "add", "again", "nest"]))
        if change == "put" or (change == "add" and isinstance(holder, list)):
            holder[last] = copy.deepcopy(draw(st.sampled_from(_VALUES)))
        elif change == "leave":
            del holder[last]
        elif change == "add":
            holder[draw(st.sampled_from(_MEMBERS))] = copy.deepcopy(draw(st.sampled_from(_VALUES)))
        elif change == "again" and isinstance(holder, list):
            holder.insert(last, copy.deepcopy(holder[last]))
        else:
            holder[last] = [holder[last]]
    return messages


_KNOWN = st.sampled_from([None, True, False])


@pytest.mark.parametrize("format", list(_SOUND))
def test_the_lists_that_are_spoilt_are_sound_but_for_what_is_joined_or_moved(format: str) -> None:
    expected = {"anthropic": {"A9"}, "openai": {"O2"}, "openai-responses": {"O5"}}
    broken = {found.rule for found in octavo.validate(_SOUND[format], format, format=format)}
    assert broken == expected.get(format, set())


def repaired_or_rejected(messages: list[Any], provider: Any, stated: dict[str, Any]) -> octavo.Repaired:
    """What a repair makes of a list; another list is drawn where there is no message in this one at all."""
    try:
        return octavo.repair(messages, provider, **stated)
    except MessageError:
        reject()


@pytest.mark.parametrize("format", list(_SOUND))
@settings(max_examples=600, deadline=None)
@given(data=st.data(), thinking=_KNOWN, prefill=_KNOWN, foreign=st.booleans())
def test_a_malformed_list_is_repaired_at_once(
    format: str, data: st.DataObject, thinking: bool | None, prefill: bool | None, foreign: bool
) -> None:
    messages = data.draw(malformed(format))
    provider = data.draw(st.sampled_from(["anthropic", "openai"])) if foreign else format
    stated: dict[str, Any] = {"format": format, "thinking": thinking, "prefill": prefill}
    repaired = repaired_or_rejected(messages, provider, stated)
    left = {found.rule for found in octavo.validate(repaired.messages, provider, **stated)}
    assert left <= {change.rule for change in repaired.log if change.kind == "told"}
    assert octavo.repair(repaired.messages, provider, **stated).messages == repaired.messages


@pytest.mark.parametrize("kind", ["tool", "human", "AIMessageChunk", 0, None, ""])
@pytest.mark.parametrize("role", ["tool", "user", "assistant", "model"])
def test_an_item_that_says_it_is_a_message_of_another_library_becomes_one_of_its_own(kind: Any, role: str) -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}
    answer = {"type": kind, "role": role, "content": "out", **({"tool_call_id": "c1"} if role == "tool" else {})}
    repaired = octavo.repair([call, answer], "openai-responses", format="openai-responses").messages
    assert octavo.validate(repaired, "openai-responses", format="openai-responses") == []
    assert "out" in str(repaired[1])
    wrong = [found.index for found in octavo.validate([answer], "openai-responses", format="openai-responses")]
    assert wrong or kind in (None, "")


def test_members_of_an_older_call_are_no_id_of_it() -> None:
    """Whatever else stands in `function_call`: its result has a name and no id."""
    for member in ("id", "function", "custom"):
        call = {"role": "assistant", "content": None, "function_call": {member: "x", "name": "look", "arguments": "{}"}}
        for messages in ([{"role": "user", "content": "a"}, call], [{**call, "role": "system", "content": "s"}]):
            repaired = octavo.repair(messages, "openai", format="openai").messages
            assert octavo.validate(repaired, "openai", format="openai") == []
            assert repaired[-1]["role"] == "function"


def test_a_call_beside_a_text_of_nothing_stays_a_call() -> None:
    messages = [{"role": "user", "content": [{"text": None, "toolUse": ""}, {"text": "x"}]}]
    repaired = octavo.repair(messages, "bedrock", format="bedrock")
    assert octavo.validate(repaired.messages, "bedrock", format="bedrock") == []
