"""Conversion between formats: the rules of the target, there and back, and nothing lost without a note."""

from __future__ import annotations

import copy
import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.errors import ConversionError, FormatError, MessageError
from octavo.formats import CLIENT_FORMATS, ERROR_MARK, RAW_ARGUMENTS, client_arguments, convert
from octavo.formats.arguments import json_text
from shared_data import conversations
from timing import assert_grows_with_size

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def chat_call(call_id: str, arguments: str = '{"q":"x"}', name: str = "look") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


PARALLEL: list[dict[str, Any]] = [
    {"role": "user", "content": "check both"},
    {"role": "assistant", "content": None, "tool_calls": [chat_call("c1"), chat_call("c2")]},
    {"role": "tool", "tool_call_id": "c1", "content": "one"},
    {"role": "tool", "tool_call_id": "c2", "content": "two"},
    {"role": "user", "content": "go on"},
]


def test_parallel_results_stand_in_one_user_message_ahead_of_text_and_come_back() -> None:
    converted = convert(PARALLEL, "anthropic")
    assert converted.messages == [
        {"role": "user", "content": "check both"},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "c1", "name": "look", "input": {"q": "x"}},
                {"type": "tool_use", "id": "c2", "name": "look", "input": {"q": "x"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "one"},
                {"type": "tool_result", "tool_use_id": "c2", "content": "two"},
                {"type": "text", "text": "go on"},
            ],
        },
    ]
    assert converted.notes == ()
    assert convert(converted.messages, "openai").messages == PARALLEL


def test_a_result_after_interleaved_text_goes_to_its_call() -> None:
    moved = [PARALLEL[0], PARALLEL[1], PARALLEL[2], PARALLEL[4], PARALLEL[3]]
    converted = convert(moved, "anthropic")
    kinds = [block["type"] for block in converted.messages[2]["content"]]
    assert kinds == ["tool_result", "tool_result", "text"]
    assert [note.indices for note in converted.notes] == [(4,)]


def test_results_whose_call_is_gone_stay_first_and_in_order() -> None:
    said = [{"role": "user", "content": "x"}, *PARALLEL[2:], {"role": "tool", "tool_call_id": "c3", "content": "three"}]
    converted = convert(said, "anthropic", source="openai")
    (message,) = converted.messages
    assert [block.get("tool_use_id") for block in message["content"]] == ["c1", "c2", "c3", None, None]


def test_blocks_of_an_sdk_inside_a_dict_are_read() -> None:
    types = pytest.importorskip("anthropic.types")
    block = types.ToolUseBlock(type="tool_use", id="t", name="n", input={"a": None})
    converted = convert([{"role": "assistant", "content": [block]}], "openai")
    assert converted.messages[0]["tool_calls"][0]["function"] == {"name": "n", "arguments": '{"a":null}'}


# The worst shapes for joining, pairing and renaming: one role only, and one id only.
@pytest.mark.parametrize(
    "history", [[{"role": "tool", "tool_call_id": "c", "content": "x"}, {"role": "user", "content": "y"}], PARALLEL]
)
def test_the_time_grows_with_the_messages_alone(history: list[dict[str, Any]]) -> None:
    assert_grows_with_size(
        500, lambda times: history * times, lambda messages: convert(messages, "anthropic", source="openai")
    )


def test_neighbours_of_one_role_are_joined_with_a_note() -> None:
    said = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}, {"role": "assistant", "content": "c"}]
    before = copy.deepcopy(said)
    converted = convert(said, "anthropic")
    assert [message["role"] for message in converted.messages] == ["user", "assistant"]
    assert converted.messages[0]["content"] == [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert [(note.indices, "joined" in note.message) for note in converted.notes] == [((1,), True)]
    assert said == before


def test_neighbouring_answers_stay_apart_between_the_openai_formats() -> None:
    said = [{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}]
    items = convert(said, "openai-responses", source="openai")
    assert items.messages == said
    assert convert(items.messages, "openai", source="openai-responses").messages == said


def test_the_items_of_one_answer_become_one_message() -> None:
    items: list[dict[str, Any]] = [
        {"role": "user", "content": "q"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "E"},
        {
            "type": "message",
            "id": "msg_1",
            "status": "completed",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "a", "annotations": []}],
        },
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "E"},
        {"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "one"},
        {"type": "function_call_output", "call_id": "c2", "output": "two"},
    ]
    chat = convert(items, "openai")
    calls = [chat_call("c1", "{}"), chat_call("c2", "{}")]
    assert chat.messages == [
        items[0],
        {"role": "assistant", "content": "a", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
        {"role": "tool", "tool_call_id": "c2", "content": "two"},
    ]
    assert {note.message.split()[0]: note.indices for note in chat.notes} == {
        "id": (1, 2, 3, 4, 5),
        "status": (2,),
        "thinking": (1,),
    }
    anthropic = convert(items, "anthropic")
    assert [message["role"] for message in anthropic.messages] == ["user", "assistant", "user"]
    assert [block["type"] for block in anthropic.messages[1]["content"]] == ["text", "tool_use", "tool_use"]


def test_a_message_that_means_the_same_is_the_same_object() -> None:
    for target in ("anthropic", "openai-responses"):
        converted = convert(PARALLEL, target)
        assert converted.messages[0] is PARALLEL[0]


def test_calls_that_reuse_an_id_get_new_ones_on_both_sides() -> None:
    repeated = [*PARALLEL, *PARALLEL[1:]]
    messages = convert(repeated, "anthropic").messages
    calls = [b["id"] for m in messages if m["role"] == "assistant" for b in m["content"]]
    results = [
        b["tool_use_id"]
        for m in messages[1:]
        if m["role"] == "user"
        for b in m["content"]
        if b["type"] == "tool_result"
    ]
    assert calls == results
    assert len(set(calls)) == 4
    assert calls[:2] == ["c1", "c2"]


def test_ids_that_anthropic_refuses_are_rewritten_with_a_note() -> None:
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [chat_call("functions.look:0")]},
        {"role": "tool", "tool_call_id": "functions.look:0", "content": "x"},
    ]
    converted = convert(messages, "anthropic")
    assert converted.messages[0]["content"][0]["id"] == "functions_look_0"
    assert converted.messages[1]["content"][0]["tool_use_id"] == "functions_look_0"
    assert len(converted.notes) == 1


@pytest.mark.parametrize("broken", ['{"a": 1', "[1]", '"text"', '{"a": NaN}', '{"a": 1e999}', "[" * 100_000, "plain"])
def test_arguments_that_are_no_object_are_kept(broken: str) -> None:
    messages = [{"role": "assistant", "content": None, "tool_calls": [chat_call("c1", broken)]}]
    converted = convert(messages, "anthropic")
    assert converted.messages[0]["content"][0]["input"] == {RAW_ARGUMENTS: broken}
    assert convert(converted.messages, "openai").messages == messages


def test_arguments_are_compact_and_keep_letters_and_order() -> None:
    call = {"type": "tool_use", "id": "t", "name": "n", "input": {"나": "한국어", "a": [1, 2.5, None]}}
    for target, path in (("openai", ("tool_calls", 0, "function", "arguments")), ("openai-responses", ("arguments",))):
        held: Any = convert([{"role": "assistant", "content": [call]}], target).messages[0]  # type: ignore[arg-type]
        for step in path:
            held = held[step]
        assert held == '{"나":"한국어","a":[1,2.5,null]}'


def test_blank_arguments_mean_none() -> None:
    messages = [{"role": "assistant", "content": None, "tool_calls": [chat_call("c1", "")]}]
    assert convert(messages, "anthropic").messages[0]["content"][0]["input"] == {}


def test_what_json_cannot_say_is_a_typed_error() -> None:
    call = {"type": "tool_use", "id": "t", "name": "n", "input": {"a": object()}}
    with pytest.raises(ConversionError, match="message 1") as caught:
        convert([{"role": "user", "content": "x"}, {"role": "assistant", "content": [call]}], "openai")
    assert caught.value.index == 1


@pytest.mark.parametrize("content", ["boom", [{"type": "text", "text": "boom"}], ""])
@pytest.mark.parametrize("target", ["openai", "openai-responses"])
def test_a_failed_result_is_marked_and_comes_back(content: Any, target: Any) -> None:
    messages = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "n", "input": {}}]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t", "content": content, "is_error": True}],
        },
    ]
    converted = convert(messages, target)
    assert ERROR_MARK in json.dumps(converted.messages)
    assert convert(converted.messages, "anthropic", source=target).messages == messages


def test_thinking_is_dropped_with_a_note_or_kept_as_data() -> None:
    messages = [
        {"role": "user", "content": "q"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "need both  ", "signature": "SIG"},
                {"type": "redacted_thinking", "data": "XYZ"},
                {"type": "text", "text": "a"},
            ],
        },
    ]
    for target in ("openai", "openai-responses"):
        dropped = convert(messages, target)
        assert "need both" not in json.dumps(dropped.messages)
        assert [note.indices for note in dropped.notes] == [(1,)]
    kept = convert(messages, "openai", thinking="keep")
    assert kept.messages[1]["reasoning_content"] == "need both  "
    items = convert(messages, "openai-responses", thinking="keep").messages
    assert [item.get("type") for item in items] == [None, "reasoning", "reasoning", "message"]
    back = convert(items, "anthropic", thinking="keep").messages
    assert back == messages


def test_system_prompts_find_their_place() -> None:
    said = [{"role": "user", "content": "q"}]
    blocks = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    chat = convert(said, "openai", source="anthropic", system="s")
    assert chat.messages == [{"role": "system", "content": "s"}, *said]
    assert chat.system is None
    assert convert(chat.messages, "anthropic").system == "s"
    listed = convert(said, "openai", source="anthropic", system=blocks)
    assert convert(listed.messages, "anthropic", source="openai").system == blocks
    items = convert(said, "openai-responses", source="anthropic", system="s")
    assert (items.system, items.messages) == ("s", said)
    first = convert(said, "openai-responses", source="anthropic", system=blocks)
    assert first.system is None
    assert convert(first.messages, "anthropic", source="openai-responses").system == blocks
    two = convert([{"role": "system", "content": "a"}, {"role": "developer", "content": "b"}, *said], "anthropic")
    assert two.system == blocks
    assert len(two.notes) == 2


def test_a_system_message_in_mid_conversation() -> None:
    messages = [
        {"role": "user", "content": "q"},
        {"role": "system", "content": "be brief"},
        {"role": "assistant", "content": "a"},
    ]
    marked = convert(messages, "anthropic")
    assert marked.messages[0]["content"][1] == {"type": "text", "text": "<system>\nbe brief\n</system>"}
    assert any("mid-conversation" in note.message for note in marked.notes)
    # What a user wrote must never become a system message: the mark is not read back.
    assert all(m["role"] != "system" for m in convert(marked.messages, "openai", source="anthropic").messages)
    own = convert(messages, "anthropic", mid_system="system")
    assert own.messages == messages
    assert convert(own.messages, "openai", source="anthropic").messages == messages


def test_images_and_files_in_every_direction() -> None:
    content = [
        {"type": "text", "text": "see"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"}},
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"},
            "title": "t",
        },
    ]
    messages = [{"role": "user", "content": content}]
    for target in ("openai", "openai-responses"):
        converted = convert(messages, target)
        assert converted.notes == ()
        assert convert(converted.messages, "anthropic", source=target).messages == messages
    chat = convert(messages, "openai").messages
    assert convert(convert(chat, "openai-responses").messages, "openai").messages == chat


def test_an_image_in_a_result_moves_to_a_user_message_in_chat() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    messages = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "n", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [image]}]},
    ]
    chat = convert(messages, "openai")
    assert [message["role"] for message in chat.messages] == ["assistant", "tool", "user"]
    assert chat.messages[2]["content"][1]["type"] == "image_url"
    assert [note.indices for note in chat.notes] == [(1,)]
    items = convert(messages, "openai-responses")
    assert items.notes == ()
    assert convert(items.messages, "anthropic").messages == messages


def test_what_is_left_out_is_noted() -> None:
    messages = [
        {
            "role": "user",
            "name": "ann",
            "content": [{"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}],
        },
        {"role": "assistant", "content": None, "refusal": "no"},
        {"role": "user", "content": [{"type": "file", "file": {"file_id": "file-1"}}]},
    ]
    converted = convert(messages, "anthropic")
    assert {index for note in converted.notes for index in note.indices} == {0, 1, 2}
    assert any("name" in note.message for note in converted.notes)
    cached = [{"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]}]
    assert [str(note) for note in convert(cached, "openai").notes] == ["messages[0]: cache_control left out"]
    server = [{"role": "assistant", "content": [{"type": "server_tool_use", "id": "s", "name": "web", "input": {}}]}]
    assert any("server_tool_use" in note.message for note in convert(server, "openai").notes)


def test_a_refusal_is_carried_between_the_openai_formats() -> None:
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": None, "refusal": "no"}]
    items = convert(messages, "openai-responses")
    assert items.messages[1]["content"] == [{"type": "refusal", "refusal": "no"}]
    assert convert(items.messages, "openai").messages == messages


def test_custom_tools_are_carried_between_the_openai_formats() -> None:
    call = {"id": "c", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    grammar: dict[str, Any] = {"type": "grammar", "grammar": {"syntax": "lark", "definition": "x"}}
    tools = [{"type": "custom", "custom": {"name": "sql", "format": grammar}}]
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "1"},
    ]
    items = convert(messages, "openai-responses", tools=tools)
    assert [item["type"] for item in items.messages] == ["custom_tool_call", "custom_tool_call_output"]
    assert items.tools == [{"type": "custom", "name": "sql", "format": {"type": "grammar", **grammar["grammar"]}}]
    back = convert(items.messages, "openai", tools=items.tools)
    assert (back.messages, back.tools) == (messages, tools)
    assert convert(messages, "anthropic", tools=tools).messages[0]["content"][0]["input"] == {"input": "select 1"}


def test_a_function_call_without_an_id_is_paired() -> None:
    messages = [
        {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}},
        {"role": "function", "name": "look", "content": "x"},
    ]
    made = convert(messages, "anthropic").messages
    assert made[1]["content"][0]["tool_use_id"] == made[0]["content"][0]["id"]


SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
TOOLS: dict[str, list[dict[str, Any]]] = {
    "anthropic": [{"name": "look", "description": "d", "input_schema": SCHEMA, "strict": True}],
    "openai": [
        {"type": "function", "function": {"name": "look", "description": "d", "parameters": SCHEMA, "strict": True}}
    ],
    "openai-responses": [
        {"type": "function", "name": "look", "description": "d", "parameters": SCHEMA, "strict": True}
    ],
}


@pytest.mark.parametrize("source", CLIENT_FORMATS)
@pytest.mark.parametrize("target", CLIENT_FORMATS)
def test_tools_in_every_direction(source: Any, target: Any) -> None:
    converted = convert([], target, source=source, tools=TOOLS[source])
    assert converted.tools == TOOLS[target]
    assert converted.notes == ()


def test_a_tool_that_says_nothing_of_strictness_stays_lax_in_responses() -> None:
    tool = {"type": "function", "function": {"name": "look", "parameters": SCHEMA}}
    converted = convert([], "openai-responses", source="openai", tools=[tool])
    assert converted.tools is not None
    assert converted.tools[0]["strict"] is False
    assert convert([], "openai", source="openai-responses", tools=converted.tools).tools == [tool]


def test_a_tool_of_the_provider_is_left_out_with_a_note() -> None:
    tools = [*TOOLS["anthropic"], {"type": "web_search_20250305", "name": "web_search"}]
    converted = convert([], "openai", source="anthropic", tools=tools)
    assert converted.tools == TOOLS["openai"]
    assert [(note.where, note.indices) for note in converted.notes] == [("tools", (1,))]


def test_client_arguments_hold_only_what_there_is() -> None:
    said = [{"role": "user", "content": "q"}]
    assert client_arguments(said, "anthropic", source="anthropic") == {"messages": said}
    assert client_arguments(said, "anthropic", source="anthropic", system="s", tools=TOOLS["anthropic"]) == {
        "messages": said,
        "system": "s",
        "tools": TOOLS["anthropic"],
    }
    assert client_arguments(said, "openai", source="anthropic", system="s", tools=[]) == {
        "messages": [{"role": "system", "content": "s"}, *said]
    }
    assert client_arguments(said, "openai-responses", source="anthropic", system="s") == {
        "input": said,
        "instructions": "s",
    }


@pytest.mark.parametrize("target", CLIENT_FORMATS)
def test_a_message_that_cannot_be_read_names_its_position(target: Any) -> None:
    for source in CLIENT_FORMATS:
        if source == target:
            continue
        for wrong in ({"role": "wizard", "content": "x"}, {"content": "x"}, {"role": "user", "content": 3}, "x"):
            with pytest.raises(MessageError, match="message 1") as caught:
                convert([{"role": "user", "content": "x"}, wrong], target, source=source)
            assert caught.value.index == 1


def test_a_system_prompt_of_no_known_form_is_a_typed_error() -> None:
    with pytest.raises(MessageError, match="system must be"):
        convert([], "openai", source="anthropic", system={"text": "s"})  # type: ignore[arg-type]


def test_formats_that_are_not_converted_are_typed_errors() -> None:
    with pytest.raises(ConversionError, match="gemini"):
        convert([{"role": "user", "parts": [{"text": "x"}]}], "openai")
    with pytest.raises(FormatError, match="cohere"):
        convert([], "cohere")  # type: ignore[arg-type]
    with pytest.raises(FormatError, match="cohere"):
        convert([], "openai", source="cohere")  # type: ignore[arg-type]


# --- generated histories -------------------------------------------------------------------------------------

texts = st.text(min_size=1, max_size=20).filter(lambda text: not text.startswith(ERROR_MARK))
# Anthropic takes no system prompt of white space alone, so it cannot come back.
prompts = texts.filter(str.strip)
numbers = st.integers(-(10**12), 10**12) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
inputs = st.dictionaries(texts, values, max_size=3)
images = st.sampled_from(
    [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
    ]
)
text_blocks = texts.map(lambda text: {"type": "text", "text": text})


@st.composite
def anthropic_exchange(draw: st.DrawFn, number: int, *, pictures: bool) -> list[dict[str, Any]]:
    """An assistant message, its results if it calls, and the text that may follow them."""
    calls = draw(st.integers(0, 3))
    said = draw(st.lists(text_blocks, min_size=0 if calls else 1, max_size=2))
    if not calls:
        return [{"role": "assistant", "content": draw(st.just(said) | texts)}]
    uses = [{"type": "tool_use", "id": f"t{number}_{n}", "name": "look", "input": draw(inputs)} for n in range(calls)]
    inner = st.lists(text_blocks | images if pictures else text_blocks, min_size=1, max_size=2)
    results: list[dict[str, Any]] = []
    for use in draw(st.permutations(uses)):
        result = {"type": "tool_result", "tool_use_id": use["id"], "content": draw(texts | inner)}
        results.append({**result, "is_error": True} if draw(st.booleans()) else result)
    after = draw(st.lists(text_blocks | images, max_size=2))
    return [{"role": "assistant", "content": [*said, *uses]}, {"role": "user", "content": [*results, *after]}]


@st.composite
def anthropic_histories(draw: st.DrawFn, *, pictures: bool = True) -> list[dict[str, Any]]:
    history: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 5))):
        if not history or history[-1]["role"] == "assistant":
            content = draw(texts | st.lists(text_blocks | images, min_size=1, max_size=3))
            history.append({"role": "user", "content": content})
        history.extend(draw(anthropic_exchange(number, pictures=pictures)))
    return history


@st.composite
def chat_histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """What Anthropic can say too: one user message at a time, lone texts beside calls as plain texts."""
    history: list[dict[str, Any]] = []
    if draw(st.booleans()):
        history.append({"role": "system", "content": draw(prompts)})
    for number in range(draw(st.integers(1, 5))):
        if not history or history[-1]["role"] in ("system", "assistant") or draw(st.booleans()):
            history.append({"role": "user", "content": draw(texts)})
        arguments = draw(st.lists(inputs, max_size=3))
        message: dict[str, Any] = {"role": "assistant", "content": draw(texts if not arguments else texts | st.none())}
        if arguments:
            compact = [json.dumps(a, ensure_ascii=False, separators=(",", ":")) for a in arguments]
            message["tool_calls"] = [chat_call(f"c{number}_{n}", text) for n, text in enumerate(compact)]
        history.append(message)
        history.extend(
            {"role": "tool", "tool_call_id": f"c{number}_{n}", "content": draw(texts)} for n in range(len(arguments))
        )
    return history


@settings(max_examples=150, deadline=None)
@given(anthropic_histories(pictures=False), st.none() | prompts)
def test_anthropic_to_chat_and_back(history: list[dict[str, Any]], system: str | None) -> None:
    there_and_back(history, "anthropic", "openai", system)


@settings(max_examples=150, deadline=None)
@given(anthropic_histories(), st.none() | prompts)
def test_anthropic_to_responses_and_back(history: list[dict[str, Any]], system: str | None) -> None:
    there_and_back(history, "anthropic", "openai-responses", system)


@settings(max_examples=150, deadline=None)
@given(chat_histories())
def test_chat_to_anthropic_and_back(history: list[dict[str, Any]]) -> None:
    there_and_back(history, "openai", "anthropic", None)


@settings(max_examples=150, deadline=None)
@given(chat_histories())
def test_chat_to_responses_and_back(history: list[dict[str, Any]]) -> None:
    there_and_back(history, "openai", "openai-responses", None)


@settings(max_examples=100, deadline=None)
@given(chat_histories(), st.sampled_from(["openai", "anthropic"]))
def test_responses_to_the_others_and_back(history: list[dict[str, Any]], target: Any) -> None:
    items = convert([m for m in history if m["role"] != "system"], "openai-responses", source="openai").messages
    there_and_back(items, "openai-responses", target, None)


def there_and_back(history: list[dict[str, Any]], source: Any, target: Any, system: str | None) -> None:
    before = copy.deepcopy(history)
    there = convert(history, target, source=source, system=system)
    assert there.notes == ()
    back = convert(there.messages, source, source=target, system=there.system)
    assert back.notes == ()
    assert back.messages == history
    assert back.system == system
    assert history == before


blocks_of_any_kind = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "tool_use", "tool_result", "thinking", "image", "odd", "input_text", "file"])},
    optional={
        "text": texts | st.none(),
        "id": texts,
        "tool_use_id": texts,
        "name": texts,
        "input": inputs | texts | st.none(),
        "content": texts | st.none() | st.lists(text_blocks, max_size=2),
        "source": st.just({"type": "odd"}),
    },
)
messages_of_any_kind = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"]), "content": texts | st.lists(blocks_of_any_kind, max_size=4)},
    optional={
        "tool_calls": st.lists(st.fixed_dictionaries({}, optional={"id": texts, "function": inputs}), max_size=2),
        "name": texts,
    },
)


@settings(max_examples=200, deadline=None)
@given(st.lists(messages_of_any_kind, max_size=6), st.sampled_from(CLIENT_FORMATS), st.sampled_from(CLIENT_FORMATS))
def test_broken_histories_convert_without_other_errors(history: list[dict[str, Any]], source: Any, target: Any) -> None:
    before = copy.deepcopy(history)
    messages = convert(history, target, source=source).messages
    assert history == before
    if target == "anthropic" and source != target:
        roles = [message["role"] for message in messages]
        assert all(left != right for left, right in pairwise(roles))
        for message in messages:
            if isinstance(message["content"], list):
                kinds = [block["type"] == "tool_result" for block in message["content"]]
                assert kinds == sorted(kinds, reverse=True)


def marked_part(source: str, kind: str, mark: str) -> dict[str, Any]:
    """A part of a message of `source`, with `mark` as what it says."""
    images: dict[str, dict[str, Any]] = {
        "anthropic": {"type": "image", "source": {"type": "url", "url": mark}},
        "openai": {"type": "image_url", "image_url": {"url": mark}},
        "openai-responses": {"type": "input_image", "image_url": mark},
    }
    files: dict[str, dict[str, Any]] = {
        "anthropic": {"type": "document", "source": {"type": "file", "file_id": mark}},
        "openai": {"type": "file", "file": {"file_id": mark}},
        "openai-responses": {"type": "input_file", "file_id": mark},
    }
    parts: dict[str, dict[str, Any]] = {
        "text": {"type": "input_text" if source == "openai-responses" else "text", "text": mark},
        "refusal": {"type": "refusal", "refusal": mark},
        "odd": {"type": "odd", "odd": mark},
        "image": images[source],
        "file": files[source],
        "more": {"type": "text", "text": "x", "more": mark},
    }
    return parts[kind]


kinds_of_part = st.lists(st.sampled_from(["text", "refusal", "odd", "image", "file", "more"]), min_size=1, max_size=3)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant", "system"]), kinds_of_part, st.booleans()), max_size=5),
    st.sampled_from(CLIENT_FORMATS),
    st.sampled_from(CLIENT_FORMATS),
)
def test_nothing_is_lost_without_a_note(shapes: list[tuple[str, list[str], bool]], source: Any, target: Any) -> None:
    history: list[dict[str, Any]] = []
    marks: list[tuple[int, str]] = []
    for index, (role, kinds, extra) in enumerate(shapes):
        names = [f"<<{index}.{place}>>" for place in range(len(kinds))]
        content = [marked_part(source, kind, name) for kind, name in zip(kinds, names, strict=True)]
        history.append({"role": role, "content": content})
        if extra:
            names.append(f"<<{index}.name>>")
            history[-1]["name"] = names[-1]
        marks.extend((index, name) for name in names)
    converted = convert(history, target, source=source)
    shown = json.dumps([converted.messages, converted.system])
    noted = {index for note in converted.notes for index in note.indices}
    assert all(name in shown or index in noted for index, name in marks)


def test_an_odd_speaker_of_the_same_format_is_untouched() -> None:
    odd = [{"role": "user", "content": [{"type": "odd", "x": 1}]}]
    assert convert(odd, "openai", source="openai").messages[0] is odd[0]


# --- shapes that the clients' own types accept ---------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(anthropic_histories())
def test_output_has_the_shapes_of_the_clients_types(history: list[dict[str, Any]]) -> None:
    pydantic = pytest.importorskip("pydantic")
    anthropic = pytest.importorskip("anthropic.types")
    chat = pytest.importorskip("openai.types.chat")
    responses = pytest.importorskip("openai.types.responses")
    made = convert(history, "openai", source="anthropic").messages
    adapter = pydantic.TypeAdapter(chat.ChatCompletionMessageParam)
    for message in made:
        adapter.validate_python(message)
    adapter = pydantic.TypeAdapter(responses.ResponseInputItemParam)
    for item in convert(history, "openai-responses", source="anthropic").messages:
        # The type asks for an id and a status, which only the API gives; the API itself does not ask for them.
        given_by_api = {"id": "msg_1", "status": "completed"} if item.get("type") == "message" else {}
        adapter.validate_python({**item, **given_by_api})
    adapter = pydantic.TypeAdapter(anthropic.MessageParam)
    for message in convert(made, "anthropic", source="openai").messages:
        adapter.validate_python(message)


# --- real conversations --------------------------------------------------------------------------------------


def as_comparable(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without what the other formats have no word for: thinking, explicit defaults, redundant and unknown members."""
    compared = []
    for message in copy.deepcopy(messages):
        kept: dict[str, Any] = {
            key: message[key] for key in ("role", "content", "tool_calls", "tool_call_id") if key in message
        }
        for call in kept.get("tool_calls", ()):
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        if isinstance(kept["content"], list):
            kept["content"] = [block for block in kept["content"] if block["type"] != "thinking"]
            for block in kept["content"]:
                if block.get("is_error") is False:
                    del block["is_error"]
        if kept.get("tool_calls") and not kept["content"]:
            kept["content"] = None
        if kept["content"] != []:
            compared.append(kept)
    return compared


def test_real_conversations_go_there_and_back() -> None:
    compared = 0
    for conversation in conversations():
        source = conversation["format"]
        for target in CLIENT_FORMATS:
            if target == source:
                continue
            there = convert(conversation["messages"], target, source=source, tools=conversation["tools"])
            back = convert(there.messages, source, source=target, system=there.system, tools=there.tools)
            assert back.tools == conversation["tools"]
            # Joined messages and repeated ids cannot come back as they were; the notes say where.
            if any(
                ("joined" in n.message or "id was rewritten" in n.message or "one turn" in n.message)
                for n in there.notes
            ):
                continue
            assert as_comparable(back.messages) == as_comparable(conversation["messages"]), conversation["id"]
            compared += 1
    assert compared > 400


@given(
    st.dictionaries(texts | st.integers() | st.none() | st.booleans(), values, min_size=60, max_size=80)
    | st.lists(values, min_size=60, max_size=80)
)
def test_what_is_written_in_parts_is_what_is_written_at_once(value: Any) -> None:
    assert json_text(value, 0) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
