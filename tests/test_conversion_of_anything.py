"""Whatever stands in a member of a message, a conversion answers or raises an error of Octavo's."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from octavo.errors import OctavoError
from octavo.formats import CLIENT_FORMATS, convert

PNG: Final = "data:image/png;base64,iVBORw0KGgo="
PDF: Final = "data:application/pdf;base64,JVBERi0="

ANTHROPIC: Final[list[dict[str, Any]]] = [
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "look", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
            {"type": "image", "source": {"type": "url", "url": "https://x/a.png"}},
            {"type": "document", "title": "t",
             "source": {"type": "base64", "media_type": "application/pdf", "data": "A="}},
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "said"}},
            {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "said"}]}},
        ],
    },
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "redacted_thinking", "data": "x"},
            {"type": "text", "text": "I look", "citations": [{"type": "char_location"}]},
            {"type": "tool_use", "id": "t1", "name": "look", "input": {"a": {"b": [1]}}},
        ],
    },
    {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "t1",
                "is_error": True,
                "content": [
                    {"type": "text", "text": "found"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
                    {"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "x"}]},
                ],
            },
            {"type": "text", "text": "and?"},
        ],
    },
]  # fmt: skip
CHAT: Final[list[dict[str, Any]]] = [
    {"role": "developer", "content": [{"type": "text", "text": "policy"}], "name": "n"},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": PNG, "detail": "low"}},
            {"type": "file", "file": {"file_data": PDF, "filename": "a.pdf"}},
            {"type": "file", "file": {"file_id": "f1"}},
            {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}},
        ],
    },
    {
        "role": "assistant",
        "content": [{"type": "text", "text": "I look"}, {"type": "refusal", "refusal": "no"}],
        "refusal": "no",
        "reasoning_content": "hm",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"a":1}'}},
            {"id": "c2", "type": "custom", "custom": {"name": "draw", "input": "x"}},
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "found"}], "name": "look"},
    {"role": "tool", "tool_call_id": "c2", "content": "drawn"},
    {"role": "assistant", "content": None, "function_call": {"name": "old", "arguments": "{}"}},
    {"role": "function", "name": "old", "content": "x"},
]
ITEMS: Final[list[dict[str, Any]]] = [
    {"role": "developer", "content": [{"type": "input_text", "text": "policy"}]},
    {
        "role": "user",
        "content": [
            {"type": "input_text", "text": "look"},
            {"type": "input_image", "image_url": PNG, "detail": "low"},
            {"type": "input_image", "file_id": "f1"},
            {"type": "input_file", "file_data": PDF, "filename": "a.pdf"},
            {"type": "input_file", "file_url": "https://x/a.pdf"},
        ],
    },
    {"type": "reasoning", "id": "r1", "encrypted_content": "e", "summary": [{"type": "summary_text", "text": "hm"}],
     "content": [{"type": "reasoning_text", "text": "hm"}]},
    {"type": "message", "role": "assistant", "content": [
        {"type": "output_text", "text": "I look", "annotations": []}, {"type": "refusal", "refusal": "no"}]},
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"a":1}'},
    {"type": "custom_tool_call", "call_id": "c2", "name": "draw", "input": "x"},
    {"type": "function_call_output", "call_id": "c1", "output": [
        {"type": "input_text", "text": "found"}, {"type": "input_image", "image_url": PNG},
        {"type": "input_file", "file_data": PDF, "filename": "a.pdf"}]},
    {"type": "custom_tool_call_output", "call_id": "c2", "output": "drawn"},
    {"type": "web_search_call", "id": "w1", "status": "completed"},
]  # fmt: skip
LISTS: Final[dict[str, list[dict[str, Any]]]] = {"anthropic": ANTHROPIC, "openai": CHAT, "openai-responses": ITEMS}

WRONG: Final[tuple[Any, ...]] = (
    None, 7, 1.5, True, "", "x", b"x", [], [7], ["x"], [None], [[]], {}, {"x": 1}, {"type": "text"}, {"url": PNG},
    {1: 2}, [{"type": "text", "text": 7}], object(), float("nan"),
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every member and item."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield (*path, key)
        yield from places(item, (*path, key))


def replaced(messages: list[Any], path: tuple[Any, ...], wrong: Any) -> list[Any]:
    copied: Any = copy.deepcopy(messages)
    holder = copied
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = wrong
    return list(copied)


@pytest.mark.parametrize("thinking", ["drop", "keep"])
@pytest.mark.parametrize("target", CLIENT_FORMATS)
@pytest.mark.parametrize("source", CLIENT_FORMATS)
def test_any_value_in_any_place_is_converted_or_refused(source: Any, target: Any, thinking: Any) -> None:
    answered = refused = 0
    for path in places(LISTS[source]):
        for wrong in WRONG:
            messages = replaced(LISTS[source], path, wrong)
            try:
                written = convert(messages, target, source=source, thinking=thinking)
            except OctavoError:
                refused += 1
                continue
            except Exception as error:  # noqa: BLE001 - what this test is about
                pytest.fail(f"{path} = {wrong!r}: {type(error).__name__}: {error}")
            answered += 1
            for one in written.notes:
                assert str(one)
    assert answered > 500
    assert refused > 5 or source == target


def test_the_lists_themselves_are_read_whole() -> None:
    for source, messages in LISTS.items():
        for target in CLIENT_FORMATS:
            assert json.dumps(convert(messages, target, source=source).messages)  # type: ignore[arg-type]


@pytest.mark.parametrize("target", CLIENT_FORMATS)
def test_a_picture_as_chat_writes_it_is_read_among_items(target: Any) -> None:
    picture = {"type": "input_image", "image_url": {"url": PNG, "detail": "low"}}
    written = convert([{"role": "user", "content": [picture]}], target, source="openai-responses").messages
    expected = {
        "anthropic": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
        "openai": {"type": "image_url", "image_url": {"url": PNG, "detail": "low"}},
        "openai-responses": picture,
    }
    assert written == [{"role": "user", "content": [expected[target]]}]


TOOL: Final[dict[str, Any]] = {"type": "function", "function": {"name": "f", "description": "d", "parameters": {}}}


@pytest.mark.parametrize("source", CLIENT_FORMATS)
@pytest.mark.parametrize("target", CLIENT_FORMATS)
def test_any_value_in_any_place_of_a_tool_or_system_prompt(source: Any, target: Any) -> None:
    tools = [
        TOOL,
        {"name": "g", "input_schema": {}},
        {"type": "custom", "custom": {"name": "h", "format": {"type": "text"}}},
    ]
    system = [{"type": "text", "text": "policy", "cache_control": {"type": "ephemeral"}}]
    done = 0
    for name, given in (("tools", tools), ("system", system)):
        for path in places(given):
            for wrong in WRONG:
                try:
                    convert([], target, source=source, **{name: replaced(given, path, wrong)})  # type: ignore[arg-type]
                except OctavoError:
                    pass
                except Exception as error:  # noqa: BLE001 - what this test is about
                    pytest.fail(f"{name} {path} = {wrong!r}: {type(error).__name__}: {error}")
                done += 1
    assert done > 300
