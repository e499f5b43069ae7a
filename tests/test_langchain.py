"""LangChain messages: written as Chat messages and back, and refused by name where they are given as they are."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

import octavo
from octavo.errors import MessageError
from octavo.formats import ERROR_MARK, convert
from octavo.integrations.langchain import from_messages, to_messages, trim
from octavo.messages import FORMATS, infer_format


@dataclass
class Message:
    """What LangChain's messages have in common, without LangChain."""

    type: str
    content: Any
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    tool_call_id: str | None = None
    status: str = "success"
    additional_kwargs: dict[str, Any] = field(default_factory=dict)


CALL = {"name": "look", "args": {"곳": "서울"}, "id": "c1", "type": "tool_call"}
SESSION = [
    Message("system", "policy"),
    Message("human", "look it up"),
    Message("ai", "", tool_calls=[CALL]),
    Message("tool", "found", tool_call_id="c1"),
    Message("AIMessageChunk", "done"),
]
WRITTEN = [
    {"role": "system", "content": "policy"},
    {"role": "user", "content": "look it up"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"곳":"서울"}'}}],
    },
    {"role": "tool", "content": "found", "tool_call_id": "c1"},
    {"role": "assistant", "content": "done"},
]


def test_objects_and_dumps_are_written_alike() -> None:
    dumps = [{"type": one.type, "data": vars(one)} for one in SESSION]
    assert to_messages(SESSION) == WRITTEN
    assert to_messages(dumps) == WRITTEN
    assert to_messages([vars(one) for one in SESSION]) == WRITTEN
    assert octavo.validate(WRITTEN, "openai") == []


def test_chat_messages_pairs_and_texts_are_taken_too() -> None:
    given = [WRITTEN[0], ("human", "hello"), "more"]
    written = to_messages(given)
    assert written[0] is WRITTEN[0]
    assert written[1:] == [{"role": "user", "content": "hello"}, {"role": "user", "content": "more"}]


def test_blocks_of_an_answer_become_members() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "I look"},
        {"type": "tool_use", "id": "c1", "name": "look", "input": {}},
    ]
    (written,) = to_messages([Message("ai", blocks, tool_calls=[CALL])])
    assert written["content"] == [{"type": "text", "text": "I look"}]
    assert written["reasoning_content"] == "hm"
    assert [call["id"] for call in written["tool_calls"]] == ["c1"]


@pytest.mark.parametrize(
    "block, part",
    [
        ({"type": "image", "url": "https://x/a.png"}, {"type": "image_url", "image_url": {"url": "https://x/a.png"}}),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
        ),
        (
            {"type": "file", "base64": "AA==", "mime_type": "application/pdf", "filename": "a.pdf"},
            {"type": "file", "file": {"file_data": "data:application/pdf;base64,AA==", "filename": "a.pdf"}},
        ),
        (
            {"type": "audio", "base64": "AA==", "mime_type": "audio/wav"},
            {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}},
        ),
        ({"type": "image_url", "image_url": {"url": "u"}}, {"type": "image_url", "image_url": {"url": "u"}}),
    ],
)
def test_media_become_parts(block: dict[str, Any], part: dict[str, Any]) -> None:
    assert to_messages([Message("human", [block])]) == [{"role": "user", "content": [part]}]


def test_a_failed_result_carries_the_mark_of_the_formats() -> None:
    (written,) = to_messages([Message("tool", "no such file", tool_call_id="c1", status="error")])
    assert written["content"] == f"{ERROR_MARK}no such file"


@pytest.mark.parametrize(
    "wrong",
    [
        Message("remove", ""),
        Message("human", 7),
        Message("human", [{"type": "hologram"}]),
        Message("human", [7]),
        Message("ai", [{"type": "tool_use", "id": "c9", "name": "look", "input": {}}]),
        Message("ai", "", tool_calls=[{"name": "look", "args": {"a": float("nan")}, "id": "c1"}]),
        ("nobody", "hello"),
        {"type": "human", "data": None},
        object(),
        7,
        None,
    ],
)
def test_what_chat_cannot_say_is_refused_with_its_place(wrong: Any) -> None:
    with pytest.raises(MessageError, match="message 1: ") as caught:
        to_messages([SESSION[0], wrong])
    assert caught.value.index == 1


def test_trim_gives_the_caller_s_own_messages() -> None:
    said = [Message("human" if n % 2 == 0 else "ai", f"text {n} " * 40) for n in range(40)]
    kept = trim([SESSION[0], *said, Message("human", "and now?")], budget=1_000, model="gpt-5.6")
    assert kept[0] is SESSION[0]
    assert 3 < len(kept) < len(said)
    own = {id(one) for one in (*SESSION, *said)}
    assert all(id(one) in own for one in kept[:-1])
    assert kept[-1].content == "and now?"


SEARCHED: list[dict[str, Any]] = [
    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "octavo"}},
    {
        "type": "web_search_tool_result",
        "tool_use_id": "s1",
        "content": [{"type": "web_search_result", "url": "https://x/y", "title": "t", "encrypted_content": "RW5j" * 9}],
    },
    {"type": "text", "text": "found it", "citations": [{"type": "web_search_result_location", "url": "https://x/y"}]},
]
STRANGE: list[tuple[str, list[dict[str, Any]]]] = [
    ("ai", SEARCHED),
    ("ai", [{"type": "redacted_thinking", "data": "RW5j"}, {"type": "text", "text": "so"}]),
    ("ai", [{"type": "executable_code", "executable_code": "print(1)", "language": 1}]),
    ("ai", [{"type": "mcp_tool_use", "id": "m1", "name": "f", "server_name": "s", "input": {}, "index": 0}]),
    ("ai", [{"type": "non_standard", "value": {"a": 1}}]),
    ("human", [{"type": "media", "data": "AA==", "mime_type": "audio/mp3"}, {"type": "text", "text": "hear"}]),
    ("human", [{"type": "video", "base64": "AA==", "mime_type": "video/mp4"}]),
    ("human", [{"type": "document", "source": {"type": "url", "url": "https://x/y.pdf"}}]),
    ("human", [{"type": "hologram"}]),
    ("tool", [{"type": "search_result", "source": "x", "title": "t", "content": []}]),
]


@pytest.mark.parametrize("model", ["gpt-5.6", "claude-sonnet-4-6", "gemini-2.5-pro", "unheard-of"])
@pytest.mark.parametrize("kind, blocks", STRANGE)
def test_trim_gives_back_a_message_with_blocks_that_it_does_not_know(
    kind: str, blocks: list[dict[str, Any]], model: str
) -> None:
    strange = Message(kind, blocks, tool_call_id="c1" if kind == "tool" else None)
    before = SESSION[1:3] if kind == "tool" else SESSION[1:2]
    given = [*before, strange, Message("human", "and now?")]
    copy = json.dumps(blocks)
    kept = trim(given, budget=20_000, model=model)
    assert len(kept) == len(given)
    assert all(one is own for one, own in zip(kept, given, strict=True))
    assert json.dumps(blocks) == copy


def test_what_trim_cannot_read_is_counted_as_its_json() -> None:
    old = Message("ai", [{"type": "hologram", "beams": "wide and bright " * 400}])
    given = [Message("human", "show it"), old, *(Message("human" if n % 2 else "ai", f"n {n}") for n in range(1, 9))]
    assert any(one is old for one in trim(given, budget=3_000, model="gpt-5.6"))
    kept = trim(given, budget=600, model="gpt-5.6")
    assert not any(one is old for one in kept)
    assert kept[-1] is given[-1]


def test_what_only_a_provider_can_read_is_not_counted_as_text() -> None:
    thought = Message("ai", [{"type": "redacted_thinking", "data": "QUJD" * 2_000}, {"type": "text", "text": "so"}])
    given = [Message("human", "think"), thought, Message("human", "and now?")]
    assert trim(given, budget=100, model="claude-sonnet-4-6") == given
    assert to_messages([thought]) == [{"role": "assistant", "content": [{"type": "text", "text": "so"}]}]


def test_a_streamed_call_of_the_server_s_is_counted_once() -> None:
    query = "wide and bright " * 100
    streamed = {"partial_json": json.dumps({"query": query}), "index": 1}
    call = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": query}, **streamed}
    given = [Message("human", "search"), Message("ai", [call]), *SESSION[4:], Message("human", "and now?")]
    assert trim(given, budget=600, model="claude-sonnet-4-6") == given


def test_a_block_that_is_unknown_stays_in_a_message_that_is_edited() -> None:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    call = {"name": "look", "args": {}, "id": "", "type": "tool_call"}
    given = [SESSION[1], Message("ai", SEARCHED, tool_calls=[call]), Message("tool", "found", tool_call_id="")]
    _, edited, result = trim(given, budget=2_000, model="claude-sonnet-4-6")
    assert edited is not given[1]
    assert edited.content[:2] == SEARCHED[:2]
    assert edited.tool_calls[0]["id"] == result.tool_call_id != ""


# ---- given as they are ----------------------------------------------------------------------------------------------

NAMED = r"octavo\.integrations\.langchain\.to_messages"
CHUNKS = ("AI", "Human", "System", "Tool", "Function", "Chat")
RAW: list[list[Any]] = [
    [SESSION[1]],
    [SESSION[1], SESSION[4]],
    SESSION,
    [{"type": "human", "data": {"content": "hello"}}],
    [{"type": "ai", "content": "", "tool_calls": []}, {"type": "human", "content": "hello"}],
    [{"role": "user", "content": "hello"}, SESSION[2]],
    *([{"role": "user", "content": "hello"}, Message(f"{kind}MessageChunk", "lost words")] for kind in CHUNKS),
]


@pytest.mark.parametrize("format_name", [None, *FORMATS])
@pytest.mark.parametrize("messages", RAW)
def test_raw_langchain_messages_are_refused_by_name_everywhere(messages: list[Any], format_name: Any) -> None:
    stated = {} if format_name is None else {"format": format_name}
    counter = octavo.counter_for("gpt-5.6")
    for read in (
        lambda: octavo.assemble(messages, budget=1_000, **stated),
        lambda: octavo.validate(messages, **stated),
        lambda: octavo.repair(messages, **stated),
        lambda: counter.count_messages(messages, **stated),
        lambda: [octavo.Transcript(**stated).append(one) for one in messages],
    ):
        with pytest.raises(MessageError, match=NAMED):
            read()


@pytest.mark.parametrize("target", ["anthropic", "openai", "openai-responses"])
@pytest.mark.parametrize("source", [None, "anthropic", "openai", "openai-responses"])
@pytest.mark.parametrize("messages", RAW)
def test_no_conversion_loses_them(messages: list[Any], source: Any, target: Any) -> None:
    with pytest.raises(MessageError, match=NAMED):
        convert(messages, target, source=source)


@pytest.mark.parametrize(
    "unknown", [{"type": "hologram"}, {"type": "hologram", "content": "x"}, Message("hologram", "x")]
)
def test_an_unknown_object_is_no_item(unknown: Any) -> None:
    messages = [unknown, {"role": "user", "content": "hello"}]
    assert infer_format(messages) == "openai"
    for read in (octavo.validate, octavo.repair, lambda given: octavo.assemble(given, budget=100)):
        with pytest.raises(MessageError, match="message 0: it has no role"):
            read(messages)


def test_among_items_an_unknown_object_is_one_of_another_version() -> None:
    items = [{"type": "reasoning", "summary": []}, {"type": "hologram", "content": "x"}]
    assert infer_format(items) == "openai-responses"
    assert octavo.assemble([{"role": "user", "content": "x"}, *items], budget=1_000).format == "openai-responses"


# ---- with LangChain -------------------------------------------------------------------------------------------------


def test_langchain_s_own_messages_go_there_and_back() -> None:
    kinds: Any = pytest.importorskip("langchain_core.messages")
    given = [
        kinds.SystemMessage("policy"),
        kinds.HumanMessage([{"type": "text", "text": "look"}], name="kim"),
        kinds.AIMessage("", tool_calls=[{"name": "look", "args": {"q": 1}, "id": "c1"}]),
        kinds.ToolMessage("found", tool_call_id="c1", status="error"),
        kinds.AIMessage("done", additional_kwargs={"reasoning_content": "hm"}),
        kinds.FunctionMessage("x", name="f"),
    ]
    written = to_messages(given)
    assert written == to_messages([kinds.message_to_dict(one) for one in given])
    assert to_messages(from_messages(written)) == written
    assert from_messages(written) == given
    with pytest.raises(MessageError, match=NAMED):
        octavo.assemble(given, budget=1_000)
    assert trim(given[:3], budget=1_000)[:3] == given[:3]
    assert json.dumps(written)


@pytest.mark.parametrize("status", ["success", "error"])
@pytest.mark.parametrize("first", [{"type": "image_url", "image_url": {"url": "u"}}, {"type": "text", "text": "no"}])
def test_a_result_of_blocks_stays_failed_there_and_back(status: str, first: dict[str, Any]) -> None:
    kinds: Any = pytest.importorskip("langchain_core.messages")
    given = kinds.ToolMessage([first, {"type": "text", "text": "more"}], tool_call_id="c1", status=status)
    assert from_messages(to_messages([given])) == [given]


def test_a_mark_in_a_result_s_first_text_says_that_it_failed() -> None:
    kinds: Any = pytest.importorskip("langchain_core.messages")
    parts = [{"type": "text", "text": f"{ERROR_MARK}no such file"}]
    (made,) = from_messages([{"role": "tool", "tool_call_id": "c1", "content": parts}])
    assert made == kinds.ToolMessage([{"type": "text", "text": "no such file"}], tool_call_id="c1", status="error")
    assert parts[0]["text"].startswith(ERROR_MARK)


def test_trim_keeps_a_system_prompt_that_is_given_apart() -> None:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    kept = trim(SESSION[1:], budget=1_000, model="gpt-5.6", system="RULES")
    assert kept[0].content == "RULES"
    assert kept[1:] == SESSION[1:]


def test_trim_takes_no_format() -> None:
    with pytest.raises(octavo.errors.ArgumentError, match="format"):
        trim(SESSION, budget=1_000, format="openai")
