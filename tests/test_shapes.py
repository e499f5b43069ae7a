"""Parts, content and calls in the singular, as text, or in lists too many: read, paired, sent, and never lost."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import octavo
from octavo import repair, validate
from octavo.budget import Section
from octavo.formats import convert
from octavo.messages import Format
from octavo.recipes import NO_RESULT

Messages = list[dict[str, Any]]

WORDS = "the lighthouse keeper counts nine ships before the storm arrives"
USE = {"type": "tool_use", "id": "c1", "name": "look", "input": {"q": "x"}}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": WORDS}
TEXT = {"type": "text", "text": WORDS}
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
TOOL = {"role": "tool", "tool_call_id": "c1", "content": WORDS}
ASK: dict[str, Any] = {"role": "user", "content": "go"}


def repaired(messages: Messages, provider: str, **mode: Any) -> Messages:
    """The repaired list: valid, the same when repaired again, and the input as it was."""
    before = copy.deepcopy(messages)
    mended: Messages = repair(messages, provider, **mode).messages
    assert messages == before
    assert validate(mended, provider, **mode) == []
    again = repair(mended, provider, **mode)
    assert again.log == ()
    assert again.messages == mended
    return mended


# ---- Gemini: parts ----

PARTS: list[Any] = [
    {"text": WORDS},
    WORDS,
    {"functionResponse": {"name": "look", "response": {"result": WORDS}}},
    {"function_response": {"name": "look", "response": {"result": WORDS}}},
    {"functionCall": {"name": "look", "args": {"q": WORDS}}},
]


def listed(part: Any) -> list[Any]:
    return [{"text": part} if isinstance(part, str) else part]


@pytest.mark.parametrize("part", PARTS, ids=repr)
@pytest.mark.parametrize("role", ["user", "model"])
def test_one_part_costs_what_a_list_of_it_does(part: Any, role: str) -> None:
    counter = octavo.counter_for("gemini-3.1-pro")
    whole = counter.count_message({"role": role, "parts": listed(part)}, format="gemini")
    assert counter.count_message({"role": role, "parts": part}, format="gemini") == whole > 10
    assert counter.count_message({"role": role, "parts": [part]}, format="gemini") == whole


@pytest.mark.parametrize("parts", [{"text": WORDS}, WORDS, [WORDS]], ids=repr)
def test_one_part_is_a_part_of_what_is_merged(parts: Any) -> None:
    call = {"functionCall": {"name": "look", "args": {}}}
    contents: Messages = [
        {"role": "user", "parts": {"text": "go"}},
        {"role": "model", "parts": parts},
        {"role": "model", "parts": call},
        {"role": "user", "parts": {"functionResponse": {"name": "look", "response": {"result": 1}}}},
    ]
    mended = repaired(contents, "gemini")
    assert mended[0] is contents[0]
    assert mended[1]["parts"] == [{"text": WORDS}, call]
    assert mended[2] is contents[3]


def test_one_part_of_either_kind_is_left_alone_where_nothing_is_wrong() -> None:
    contents: Messages = [{"role": "user", "parts": WORDS}, {"role": "model", "parts": {"text": WORDS}}]
    assert validate(contents, "gemini") == []
    assert repair(contents, "gemini").messages == contents


@pytest.mark.parametrize("parts", [{"text": WORDS}, WORDS, [WORDS]], ids=repr)
def test_sections_join_one_part(parts: Any) -> None:
    sections = [Section("state", "step 3", place="tail"), Section("ledger", "A-17", place="head")]
    contents = [{"role": "user", "parts": parts}]
    context = octavo.assemble(contents, budget=9_000, model="gemini-3.1-pro", sections=sections)
    assert contents == [{"role": "user", "parts": parts}]
    (sent,) = context.messages
    assert {"text": WORDS} in sent["parts"]
    assert len(sent["parts"]) == 3
    assert all(isinstance(part, dict) for part in sent["parts"])


SYSTEMS: list[Any] = [{"parts": {"text": WORDS}}, {"parts": WORDS}, {"text": WORDS}, {"parts": [WORDS]}]


@pytest.mark.parametrize("system", SYSTEMS, ids=repr)
def test_a_system_prompt_of_one_part_is_counted_and_joined(system: Any) -> None:
    contents = [{"role": "user", "parts": [{"text": "go"}]}]
    options: dict[str, Any] = {"budget": 9_000, "model": "gemini-3.1-pro"}
    counter = octavo.counter_for("gemini-3.1-pro")
    assert counter.count_system(system) == counter.count_system(WORDS)
    section = Section("policy", "be brief", place="prefix")
    joined = octavo.assemble(contents, system=system, sections=[section], **options).system
    assert joined["parts"][0] == {"text": WORDS}
    assert len(joined["parts"]) == 2
    assert "be brief" in joined["parts"][1]["text"]


# ---- One block, one call ----

SINGULAR: list[tuple[Format, Messages]] = [
    ("anthropic", [ASK, {"role": "assistant", "content": USE}, {"role": "user", "content": RESULT}]),
    ("anthropic", [{"role": "user", "content": TEXT}]),
    ("anthropic", [{"role": "user", "content": [["nine", WORDS]]}]),
    ("anthropic", [{"role": "user", "content": [[TEXT], "nine"]}]),
    ("anthropic", [{"role": "user", "content": {"text": WORDS}}]),
    ("anthropic", [{"role": "user", "content": [TEXT, 5]}]),
    (
        "bedrock",
        [
            {"role": "user", "content": {"text": "go"}},
            {"role": "assistant", "content": {"toolUse": {"toolUseId": "c1", "name": "look", "input": {}}}},
            {"role": "user", "content": {"toolResult": {"toolUseId": "c1", "content": [{"text": WORDS}]}}},
        ],
    ),
    ("bedrock", [{"role": "user", "content": [[{"text": WORDS}]]}]),
    ("openai", [ASK, {"role": "assistant", "content": None, "tool_calls": CALL}, TOOL]),
    ("openai", [ASK, {"role": "assistant", "content": None, "tool_calls": json.dumps([CALL])}, TOOL]),
    ("openai", [ASK, {"role": "assistant", "content": None, "tool_calls": json.dumps(CALL)}, TOOL]),
    ("openai", [ASK, {"role": "assistant", "content": None, "tool_calls": [[CALL]]}, TOOL]),
    ("openai", [{"role": "user", "content": TEXT}]),
    ("openai", [{"role": "user", "content": [[TEXT]]}]),
    ("openai", [{"role": "user", "content": [["nine", WORDS]]}]),
    ("openai-responses", [{"type": "message", "role": "user", "content": {"type": "input_text", "text": WORDS}}]),
    ("openai-responses", [{"type": "message", "role": "user", "content": [["nine", WORDS]]}]),
]


@pytest.mark.parametrize(("provider", "messages"), SINGULAR, ids=repr)
def test_what_stands_alone_is_judged_and_put_into_a_list(provider: str, messages: Messages) -> None:
    assert validate(messages, provider, format=provider) != []
    mended = repaired(messages, provider, format=provider)
    assert len(mended) == len(messages)
    written = json.dumps(mended)
    assert WORDS in written
    assert NO_RESULT not in written
    for message in mended:
        content = message.get("content")
        assert isinstance(content, str) or content is None or all(isinstance(block, dict) for block in content)
        assert all(isinstance(call, dict) for call in message.get("tool_calls", []))


@pytest.mark.parametrize(("provider", "messages"), SINGULAR, ids=repr)
def test_what_stands_alone_costs_what_it_does_in_a_list(provider: Format, messages: Messages) -> None:
    counter = octavo.counter_for("gpt-5")
    mended = repaired(messages, provider, format=provider)
    for given, put in zip(messages, mended, strict=True):
        assert counter.count_message(given, format=provider) == counter.count_message(put, format=provider)


EMPTY: list[tuple[str, Any]] = [
    ("assistant", [{"type": "thinking", "thinking": "hm", "signature": "S"}, {"type": "text", "text": None}]),
    ("user", {"type": "text"}),
    ("user", {"type": "text", "text": None}),
    ("user", [[]]),
    ("user", [[""]]),
]


@pytest.mark.parametrize(("role", "content"), EMPTY, ids=repr)
def test_a_message_left_with_nothing_goes(role: str, content: Any) -> None:
    mended = repaired([ASK, {"role": role, "content": content}], "anthropic", format="anthropic")
    assert mended == [ASK]


@pytest.mark.parametrize("calls", [True, 5, "", "[]", "nonsense", '{"id": 1', "null", [5], ["x"]], ids=repr)
def test_what_calls_nothing_leaves(calls: Any) -> None:
    messages: Messages = [ASK, {"role": "assistant", "content": WORDS, "tool_calls": calls}]
    assert validate(messages, "openai") != []
    assert repaired(messages, "openai") == [ASK, {"role": "assistant", "content": WORDS}]
    sent = octavo.assemble(messages, budget=9_000, model="gpt-5").anthropic()
    assert WORDS in json.dumps(sent)
    assert convert(messages, "anthropic", source="openai").messages


# ---- Ids ----

NOTHING: list[dict[str, Any]] = [{}, {"id": None}, {"id": ""}, {"id": 7}]


def chat_call(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": "{}"}, **more}


def chat(calls: list[dict[str, Any]], *results: dict[str, Any]) -> Messages:
    assistant = {"role": "assistant", "content": None, "tool_calls": calls}
    return [ASK, assistant, *({"role": "tool", **result} for result in results)]


@pytest.mark.parametrize("lacks", NOTHING, ids=repr)
@pytest.mark.parametrize(
    "named", [{}, {"tool_call_id": None}, {"tool_call_id": ""}, {"tool_call_id": 7}, {"tool_call_id": "x"}]
)
def test_a_chat_call_without_id_keeps_its_result(lacks: dict[str, Any], named: dict[str, Any]) -> None:
    messages = chat(
        [chat_call("a", **lacks), chat_call("b", **lacks)], {**named, "content": "one"}, {**named, "content": "two"}
    )
    found = {violation.rule for violation in validate(messages, "openai")}
    assert "O11" in found
    mended = repaired(messages, "openai")
    ids = [call["id"] for call in mended[1]["tool_calls"]]
    assert len(set(ids)) == 2
    assert [(result["tool_call_id"], result["content"]) for result in mended[2:]] == list(
        zip(ids, ["one", "two"], strict=True)
    )
    assert repaired(copy.deepcopy(messages), "openai") == mended


def test_the_older_function_call_needs_no_id() -> None:
    messages: Messages = [
        ASK,
        {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}},
        {"role": "function", "name": "look", "content": WORDS},
    ]
    assert validate(messages, "openai") == []


@pytest.mark.parametrize("lacks", [{}, {"call_id": None}, {"call_id": ""}, {"call_id": 7}], ids=repr)
@pytest.mark.parametrize("named", [{}, {"call_id": None}, {"call_id": "x"}], ids=repr)
def test_a_responses_call_without_id_keeps_its_output(lacks: dict[str, Any], named: dict[str, Any]) -> None:
    items: Messages = [
        {"type": "message", "role": "user", "content": "go"},
        {"type": "function_call", "name": "look", "arguments": "{}", **lacks},
        {"type": "function_call_output", "output": WORDS, **named},
    ]
    assert validate(items, "openai-responses") != []
    mended = repaired(items, "openai-responses")
    assert mended[1]["call_id"] == mended[2]["call_id"] != ""
    assert isinstance(mended[1]["call_id"], str)
    assert mended[2]["output"] == WORDS


def test_one_id_twice_in_a_chat_turn_is_told_apart_and_kept_between_turns() -> None:
    turn = chat(
        [chat_call("a", id="c"), chat_call("b", id="c")], *({"tool_call_id": "c", "content": x} for x in ("one", "two"))
    )
    messages = [*turn, *turn[1:]]
    assert [(found.index, found.block, found.rule) for found in validate(messages, "openai")] == [
        (1, 1, "O12"),
        (4, 1, "O12"),
    ]
    mended = repaired(messages, "openai")
    for at in (1, 4):
        ids = [call["id"] for call in mended[at]["tool_calls"]]
        assert ids[0] == "c" != ids[1]
        assert [result["tool_call_id"] for result in mended[at + 1 : at + 3]] == ids
        assert [result["content"] for result in mended[at + 1 : at + 3]] == ["one", "two"]
    once = chat([chat_call("a", id="c")], {"tool_call_id": "c", "content": "one"})
    assert validate([*once, *once[1:]], "openai") == []


def test_one_id_twice_in_a_bedrock_turn_is_told_apart() -> None:
    use = {"toolUse": {"toolUseId": "c", "name": "look", "input": {}}}
    answers = [{"toolResult": {"toolUseId": "c", "content": [{"text": text}]}} for text in ("one", "two")]
    messages: Messages = [
        {"role": "user", "content": [{"text": "go"}]},
        {"role": "assistant", "content": [use, use]},
        {"role": "user", "content": answers},
    ]
    assert {found.rule for found in validate(messages, "bedrock")} == {"B4"}
    mended = repaired(messages, "bedrock")
    ids = [block["toolUse"]["toolUseId"] for block in mended[1]["content"]]
    assert ids[0] == "c" != ids[1]
    assert [block["toolResult"]["toolUseId"] for block in mended[2]["content"]] == ids
    assert [block["toolResult"]["content"][0]["text"] for block in mended[2]["content"]] == ["one", "two"]


@pytest.mark.parametrize("member", ["id", "call_id"])
def test_a_local_shell_output_names_its_call_by_either_member(member: str) -> None:
    action = {"type": "exec", "command": ["ls"], "env": {}}
    items: Messages = [
        {"type": "message", "role": "user", "content": "go"},
        {"type": "local_shell_call", "id": "lsh_1", "call_id": "call_1", "action": action, "status": "completed"},
        {"type": "local_shell_call_output", member: "call_1", "output": WORDS},
    ]
    assert validate(items, "openai-responses") == []
    assert repair(items, "openai-responses").messages == items


# ---- Nothing said ----


@pytest.mark.parametrize(
    "content", [{"parts": []}, {"parts": None}, {}, {"parts": [{}]}, {"parts": {}}, {"parts": [{"text": None}]}]
)
def test_gemini_contents_without_parts_go(content: dict[str, Any]) -> None:
    go = {"role": "user", "parts": [{"text": "go"}]}
    contents: Messages = [go, {"role": "model", **content}, {"role": "user", "parts": [{"text": WORDS}]}]
    assert [(found.index, found.rule) for found in validate(contents, "gemini")] == [(1, "G4")]
    assert repaired(contents, "gemini") == [go, contents[2]]


def test_an_empty_part_goes_and_the_others_stay() -> None:
    contents: Messages = [{"role": "user", "parts": [{"text": "go"}, {}]}]
    assert repaired(contents, "gemini") == [{"role": "user", "parts": [{"text": "go"}]}]


@pytest.mark.parametrize("messages", [[], [{"role": "user", "content": ""}]], ids=repr)
def test_the_report_says_that_no_message_is_left(messages: Messages) -> None:
    context = octavo.assemble(messages, budget=9_000, model="claude-sonnet-4-6")
    assert context.messages == []
    assert "no message is left" in str(context.report)
    said = octavo.assemble([ASK], budget=9_000, model="claude-sonnet-4-6")
    assert "no message is left" not in str(said.report)


# ---- Responses: outputs and texts of the wrong kind ----

OUTPUTS: list[tuple[dict[str, Any], Any]] = [
    ({"output": None}, ""),
    ({}, ""),
    ({"output": {"a": WORDS}}, json.dumps({"a": WORDS}, separators=(",", ":"))),
    ({"output": 5}, "5"),
    ({"output": {"type": "input_text", "text": WORDS}}, [{"type": "input_text", "text": WORDS}]),
    ({"output": [WORDS]}, [{"type": "input_text", "text": WORDS}]),
    ({"output": [[{"type": "input_text", "text": WORDS}]]}, [{"type": "input_text", "text": WORDS}]),
]


@pytest.mark.parametrize(("given", "said"), OUTPUTS, ids=repr)
@pytest.mark.parametrize("kind", ["function_call", "custom_tool_call"])
def test_an_output_is_a_text_or_parts(given: dict[str, Any], said: Any, kind: str) -> None:
    call = {"type": kind, "call_id": "c", "name": "look", "arguments": "{}", "input": "x"}
    items: Messages = [
        {"type": "message", "role": "user", "content": "go"},
        call,
        {"type": f"{kind}_output", "call_id": "c", **given},
    ]
    assert [(found.index, found.rule) for found in validate(items, "openai-responses")] == [(2, "O8")]
    assert repaired(items, "openai-responses")[2]["output"] == said


@pytest.mark.parametrize(
    ("role", "given", "own"),
    [
        ("assistant", "input_text", "output_text"),
        ("assistant", "text", "output_text"),
        ("user", "output_text", "input_text"),
        ("system", "output_text", "input_text"),
        ("user", "text", "input_text"),
    ],
)
def test_a_text_has_the_type_of_its_speaker(role: str, given: str, own: str) -> None:
    items: Messages = [{"type": "message", "role": role, "content": [{"type": given, "text": WORDS}]}]
    assert [found.rule for found in validate(items, "openai-responses")] == ["O8"]
    assert repaired(items, "openai-responses")[0]["content"] == [{"type": own, "text": WORDS}]


# ---- Typed errors ----


@pytest.mark.parametrize("name", ["model", "tokenizer"])
def test_half_a_character_in_a_name_is_refused_by_name(name: str) -> None:
    with pytest.raises(octavo.errors.ArgumentError, match=name):
        octavo.counter_for("\ud800" if name == "model" else None, tokenizer="\ud800" if name == "tokenizer" else None)


def test_a_type_that_is_no_text_is_none() -> None:
    items: Messages = [{"type": [], "role": "user", "content": WORDS}]
    mended = repaired(items, "openai-responses", format="openai-responses")
    assert mended == [{"type": "message", "role": "user", "content": WORDS}]
    assert validate([{"type": [], "role": "user"}], "openai-responses", format="openai-responses") != []
    assert repaired([{"type": [], "role": "user"}], "openai-responses", format="openai-responses")


def test_the_report_of_a_list_in_a_list() -> None:
    messages = [ASK, {"role": "user", "content": [[], {"type": "tool_result"}]}]
    context = octavo.assemble(messages, budget=9_000, model="claude-sonnet-4-6")
    assert context.report.to_dict()["repairs"]


def test_deep_arguments_fail_only_where_they_must_be_written() -> None:
    deep: dict[str, Any] = {}
    for _ in range(1_000):
        deep = {"x": deep}
    use = {**USE, "input": deep}
    messages: Messages = [ASK, {"role": "assistant", "content": [use]}, {"role": "user", "content": [RESULT]}]
    context = octavo.assemble(messages, budget=9_000, model="claude-sonnet-4-6")
    assert context.messages == messages
    call = {**CALL, "function": {"name": "look", "arguments": deep}}
    with pytest.raises(octavo.errors.ConversionError, match="message 1") as caught:
        octavo.assemble(chat([call], TOOL), budget=9_000, model="gpt-5")
    assert caught.value.index == 1


# ---- System prompts given as messages ----

PROMPTS: list[Any] = [
    [{"role": "system", "content": WORDS}],
    [{"role": "system", "content": [{"type": "text", "text": WORDS}]}],
    [{"role": "system", "content": "be brief"}, {"role": "developer", "content": WORDS}],
]


@pytest.mark.parametrize("system", PROMPTS, ids=repr)
@pytest.mark.parametrize("model", ["claude-sonnet-4-6", "gpt-5"])
@pytest.mark.parametrize("target", ["anthropic", "openai", "responses"])
def test_a_system_prompt_of_messages_is_sent(system: Any, model: str, target: str) -> None:
    before = copy.deepcopy(system)
    context = octavo.assemble([ASK], budget=9_000, model=model, system=system)
    sent = getattr(context, target)()
    assert system == before
    assert WORDS in json.dumps(sent)
    blocks: Any = sent["system"] if target == "anthropic" else []
    assert all(block["type"] == "text" for block in blocks)


@pytest.mark.parametrize("system", ["", " ", "\n"])
def test_a_blank_system_prompt_is_left_out(system: str) -> None:
    context = octavo.assemble([ASK], budget=9_000, model="claude-sonnet-4-6", system=system)
    assert context.system is None
    assert "system" not in context.anthropic()
