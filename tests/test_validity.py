"""Validation and repair from Python: against an independent statement of the rules, and on real transcripts."""

from __future__ import annotations

from typing import Any

import pytest

from octavo.errors import BudgetError, FormatError, MessageError
from octavo.recipes import CONTINUE, DUMMY_SIGNATURE, NO_RESULT, START
from octavo.validity import repair, rules, validate
from shared_data import conversations

PROVIDERS = ["anthropic", "openai", "openai-responses", "gemini", "bedrock"]
TOLD = {"A7", "A18", "A26", "B2", "R6"}

Messages = list[dict[str, Any]]


def call(*ids: str) -> dict[str, Any]:
    uses = [{"type": "tool_use", "id": name, "name": "look", "input": {"q": name}} for name in ids]
    return {"role": "assistant", "content": uses}


def result(*ids: str, text: str | None = None) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "tool_result", "tool_use_id": i, "content": f"out {i}"} for i in ids]
    return {"role": "user", "content": content + ([{"type": "text", "text": text}] if text else [])}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


THINKING = {"type": "thinking", "thinking": "need both  ", "signature": "SIG-1"}


def thought(message: dict[str, Any]) -> dict[str, Any]:
    return {**message, "content": [THINKING, *message["content"]]}


def cached(text: str, ttl: str | None = None) -> dict[str, Any]:
    control = {"type": "ephemeral", **({"ttl": ttl} if ttl else {})}
    return {"role": "user", "content": [{"type": "text", "text": text, "cache_control": control}]}


def chat_call(*ids: str) -> dict[str, Any]:
    calls = [{"id": i, "type": "function", "function": {"name": "look", "arguments": "{}"}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def tool(name: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": f"out {name}"}


def item_call(name: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": name, "name": "look", "arguments": "{}"}


def output(name: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": name, "output": f"out {name}"}


REASONING = {"type": "reasoning", "id": "rs_1", "summary": []}


def g_call(name: str, **more: str) -> dict[str, Any]:
    return {"role": "model", "parts": [{"functionCall": {"name": name, "args": {}}, **more}]}


def g_result(*names: str) -> dict[str, Any]:
    return {"role": "user", "parts": [{"functionResponse": {"name": n, "response": {"ok": True}}} for n in names]}


def g_said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"text": text}]}


def b_call(*ids: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"toolUse": {"toolUseId": i, "name": "look", "input": {}}} for i in ids]}


def b_result(*ids: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"toolResult": {"toolUseId": i, "content": [{"text": "out"}]}} for i in ids]}


def b_said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": [{"text": text}]}


def nameless(message: dict[str, Any]) -> dict[str, Any]:
    return {**message, "content": [{**block, "name": ""} for block in message["content"]]}


OPUS, SONNET = "claude-opus-4-8", "claude-sonnet-4-6"

# rule, provider, a list that breaks it (and nothing else), a list that obeys it, what is stated
CASES: list[tuple[str, str, Messages, Messages, dict[str, Any]]] = [
    (
        "A1",
        "anthropic",
        [user("a"), call("t1", "t2"), result("t1")],
        [user("a"), call("t1", "t2"), result("t1", "t2")],
        {},
    ),
    ("A2", "anthropic", [user("a"), assistant("b"), result("t9")], [user("a"), call("t9"), result("t9")], {}),
    (
        "A3",
        "anthropic",
        [user("a"), call("t1"), {"role": "user", "content": [{"type": "text", "text": "x"}, *result("t1")["content"]]}],
        [user("a"), call("t1"), result("t1", text="x")],
        {},
    ),
    ("A4", "anthropic", [user("a"), call("t1"), result("t1", "t1")], [user("a"), call("t1"), result("t1")], {}),
    (
        "A5",
        "anthropic",
        [user("a"), call("t1"), result("t1"), call("t1"), result("t1")],
        [user("a"), call("t1"), result("t1"), call("t2"), result("t2")],
        {},
    ),
    (
        "A6",
        "anthropic",
        [
            user("a"),
            {"role": "assistant", "content": [{**THINKING, "thinking": "trimmed"}, *assistant("x")["content"]]},
        ],
        [user("a"), thought(assistant("x"))],
        {"original": [user("a"), thought(assistant("x"))]},
    ),
    (
        "A7",
        "anthropic",
        [user("a"), call("t1"), result("t1")],
        [user("a"), thought(call("t1")), result("t1"), call("t2"), result("t2")],
        {"thinking": True},
    ),
    (
        "A8",
        "anthropic",
        [user("a"), thought(call("t1")), result("t1")],
        [user("a"), thought(assistant("x")), user("b"), call("t1"), result("t1")],
        {"thinking": False},
    ),
    ("A9", "anthropic", [assistant("a"), user("b")], [user("a"), assistant("b")], {}),
    ("A9", "anthropic", [user("a"), user("b")], [user("a")], {}),
    ("A9", "bedrock", [b_said("user", "a"), b_said("user", "b")], [b_said("user", "a")], {}),
    ("A10", "anthropic", [user("a"), assistant("")], [user("a"), assistant("x")], {}),
    ("A10", "anthropic", [user("a"), {"role": "assistant", "content": []}], [user("a")], {}),
    (
        "A12",
        "anthropic",
        [thing for n in range(5) for thing in (cached(str(n)), assistant("x"))],
        [thing for n in range(4) for thing in (cached(str(n)), assistant("x"))],
        {},
    ),
    (
        "A13",
        "anthropic",
        [cached("a"), assistant("x"), cached("b", "1h")],
        [cached("a", "1h"), assistant("x"), cached("b")],
        {},
    ),
    ("A14", "anthropic", [user("a"), assistant("x ")], [user("a"), assistant("x")], {}),
    ("A15", "anthropic", [user("a"), assistant("x")], [user("a"), assistant("x"), user("b")], {"prefill": False}),
    (
        "A16",
        "anthropic",
        [user("a"), {"role": "system", "content": "s"}, assistant("b")],
        [user("a"), assistant("b")],
        {"system_messages": False},
    ),
    (
        "A16",
        "anthropic",
        [{"role": "system", "content": "s"}, user("a")],
        [user("a"), {"role": "system", "content": "s"}, assistant("b")],
        {},
    ),
    ("A18", "anthropic", [user("a")], [], {"tokens": 11, "limit": 10}),
    (
        "A24",
        "anthropic",
        [user("a"), {"role": "assistant", "content": [{**THINKING, "cache_control": {"type": "ephemeral"}}, THINKING]}],
        [user("a"), {"role": "assistant", "content": [THINKING, cached("x")["content"][0]]}],
        {},
    ),
    ("O1", "openai", [user("a"), chat_call("c1")], [user("a"), chat_call("c1"), tool("c1")], {}),
    ("O2", "openai", [user("a"), tool("c1")], [user("a"), chat_call("c1"), tool("c1"), user("b")], {}),
    (
        "O3",
        "openai",
        [user("a"), chat_call("c1"), tool("c1"), tool("c7")],
        [user("a"), chat_call("c1"), tool("c1")],
        {},
    ),
    (
        "O4",
        "openai",
        [user("a"), chat_call("c1"), {"role": "tool", "content": "out"}],
        [user("a"), chat_call("c1"), tool("c1")],
        {},
    ),
    (
        "O11",
        "openai",
        [user("a"), {**chat_call("c1"), "tool_calls": [{**chat_call("c1")["tool_calls"][0], "id": None}]}, tool("")],
        [user("a"), chat_call("c1"), tool("c1")],
        {},
    ),
    (
        "O11",
        "openai-responses",
        [user("a"), item_call(""), output("")],
        [user("a"), item_call("c1"), output("c1")],
        {},
    ),
    (
        "O12",
        "openai",
        [user("a"), chat_call("c1", "c1"), tool("c1"), tool("c1")],
        [user("a"), chat_call("c1"), tool("c1"), chat_call("c1"), tool("c1")],
        {},
    ),
    ("R1", "openai-responses", [user("a"), output("c1")], [user("a"), item_call("c1"), user("b"), output("c1")], {}),
    (
        "R1",
        "openai-responses",
        [item_call("c1"), output("c1"), output("c1")],
        [output("c1")],
        {"previous_response_id": "r"},
    ),
    ("R2", "openai-responses", [user("a"), item_call("c1")], [user("a"), item_call("c1"), output("c1")], {}),
    (
        "R3",
        "openai-responses",
        [user("a"), REASONING, user("b")],
        [user("a"), REASONING, item_call("c1"), output("c1")],
        {},
    ),
    ("R6", "openai-responses", [user("a")], [], {"tokens": 11, "limit": 10}),
    ("G1", "gemini", [g_said("model", "a")], [g_said("user", "a"), g_said("model", "b")], {}),
    (
        "G1",
        "gemini",
        [g_said("user", "a"), g_said("model", "b"), g_call("look"), g_result("look")],
        [g_said("user", "a"), g_call("look"), g_result("look"), g_call("look"), g_result("look")],
        {},
    ),
    (
        "G2",
        "gemini",
        [g_said("user", "a"), g_call("look"), g_result("look")],
        [g_said("user", "a"), g_call("look", thoughtSignature="S"), g_result("look")],
        {"model": "gemini-3-pro"},
    ),
    (
        "G3",
        "gemini",
        [g_said("user", "a"), g_call("look"), g_result("look", "look")],
        [g_said("user", "a"), g_call("look"), g_result("look")],
        {},
    ),
    ("G4", "gemini", [g_said("user", "a"), {"role": "model", "parts": []}], [g_said("user", "a")], {}),
    ("G4", "gemini", [{"role": "user", "parts": [{"text": "a"}, {}]}], [g_said("user", "a")], {}),
    (
        "B1",
        "bedrock",
        [b_said("user", "a"), b_call("t1"), b_result("t1", "t2")],
        [b_said("user", "a"), b_call("t1"), b_result("t1")],
        {},
    ),
    ("B2", "bedrock", [b_said("user", "a"), b_call("t1"), b_result("t1")], [b_said("user", "a")], {"tools": []}),
    ("B3", "bedrock", [b_said("assistant", "a")], [b_said("user", "a")], {}),
    (
        "A23",
        "anthropic",
        [{"role": "user", "content": [{"type": "text", "text": "a"}, *call("t1")["content"]]}],
        [user("a"), call("t1"), result("t1")],
        {},
    ),
    (
        "A23",
        "gemini",
        [{**g_call("look"), "role": "user"}],
        [g_said("user", "a"), g_call("look"), g_result("look")],
        {},
    ),
    ("A23", "bedrock", [{**b_call("t1"), "role": "user"}], [b_said("user", "a"), b_call("t1"), b_result("t1")], {}),
    ("O9", "openai", [{**chat_call("c1"), **user("a")}], [user("a"), chat_call("c1"), tool("c1")], {}),
    (
        "B4",
        "bedrock",
        [b_said("user", "a"), b_call("t1", "t1"), b_result("t1", "t1")],
        [b_said("user", "a"), b_call("t1"), b_result("t1"), b_call("t1"), b_result("t1")],
        {},
    ),
    (
        "A27",
        "anthropic",
        [user("a"), nameless(call("t1")), result("t1")],
        [user("a"), call("t1"), result("t1")],
        {},
    ),
    (
        "A27",
        "bedrock",
        [
            b_said("user", "a"),
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "input": {}}}]},
            b_result("t1"),
        ],
        [b_said("user", "a"), b_call("t1"), b_result("t1")],
        {},
    ),
    (
        "A21",
        "bedrock",
        [b_said("user", "a"), b_call("t" * 65), b_result("t" * 65)],
        [b_said("user", "a"), b_call("t" * 64), b_result("t" * 64)],
        {},
    ),
    (
        "O13",
        "openai",
        [
            user("a"),
            {**chat_call("c1"), "tool_calls": [{**chat_call("c1")["tool_calls"][0], "type": None}]},
            tool("c1"),
        ],
        [user("a"), chat_call("c1"), tool("c1")],
        {},
    ),
    (
        "O13",
        "openai-responses",
        [user("a"), {**item_call("c1"), "name": None}, output("c1")],
        [user("a"), item_call("c1"), output("c1")],
        {},
    ),
    (
        "O14",
        "openai-responses",
        [user("a"), item_call("c" * 65), output("c" * 65)],
        [user("a"), item_call("c" * 64), output("c" * 64)],
        {},
    ),
    (
        "D1",
        "openai",
        [user("a"), chat_call("c1"), tool("c1")],
        [user("a"), {**chat_call("c1"), "reasoning_content": "r"}, tool("c1")],
        {"model": "kimi-k2.5", "thinking": True},
    ),
]


@pytest.mark.parametrize(
    ("rule", "provider", "broken", "sound", "stated"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)
def test_each_rule_fails_and_passes(
    rule: str, provider: str, broken: Messages, sound: Messages, stated: dict[str, Any]
) -> None:
    assert {found.rule for found in validate(broken, provider, format=provider, **stated)} == {rule}
    assert validate(sound, provider, format=provider, **stated) == []
    stated.pop("original", None)
    if rule not in TOLD:
        repaired = repair(broken, provider, format=provider, **stated)
        assert validate(repaired.messages, provider, format=provider, **stated) == []


def test_cache_control_on_an_empty_text_breaks_two_rules() -> None:
    broken = [cached(""), assistant("x")]
    assert [found.rule for found in validate(broken, "anthropic")] == ["A10", "A11"]
    turn = {"role": "assistant", "content": [THINKING, cached("")["content"][0], {"type": "text", "text": "x"}]}
    (found,) = validate([user("a"), turn], "anthropic")
    assert found.rule == "A11"
    repaired = repair([user("a"), turn], "anthropic").messages
    assert repaired[1]["content"] == [THINKING, {"type": "text", "text": ""}, {"type": "text", "text": "x"}]


def test_every_row_of_the_table_is_tested_or_says_why_not() -> None:
    # Roles and shapes have their cases in test_requests.py, what says nothing has them in test_empty_content.py.
    shapes = {"A19", "A20", "A21", "A22", "O5", "O6", "O7", "O8"}
    empty = {"A11", "A25", "A26", "O10"}
    # What the assistant may give back has its cases in test_given_back.py.
    tested = {case[0] for case in CASES} | empty | shapes | {"A28", "A29"}
    silent = {"A17", "R4", "R5"}
    assert {rule.id for rule in rules()} == tested | silent
    assert all(rule.source and rule.error and rule.says and rule.providers for rule in rules())


def test_parallel_calls_are_answered_whole() -> None:
    messages = [user("compare"), chat_call("c1", "c2"), tool("c2"), user("and C?")]
    repaired = repair(messages, "openai")
    assert repaired.messages == [
        messages[0],
        messages[1],
        messages[2],
        {"role": "tool", "tool_call_id": "c1", "content": NO_RESULT},
        messages[3],
    ]
    assert [change.kind for change in repaired.log] == ["added_result"]
    assert "c1" in repaired.log[0].message


def test_a_result_moves_next_to_its_call() -> None:
    messages = [user("build it"), chat_call("c1"), user("(shell) make clean: done"), tool("c1"), assistant_chat("ok")]
    repaired = repair(messages, "openai")
    expected = [messages[0], messages[1], messages[3], messages[2], messages[4]]
    assert len(repaired.messages) == 5
    assert all(one is other for one, other in zip(repaired.messages, expected, strict=True))
    assert repair(repaired.messages, "openai").log == ()


def assistant_chat(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def test_a_turn_with_thinking_stays_byte_for_byte() -> None:
    turn = thought(call("t1", "t2"))
    messages = [user("start"), turn, result("t1"), user("continue")]
    repaired = repair(messages, "anthropic")
    assert repaired.messages[1] is turn
    placeholder = {"type": "tool_result", "tool_use_id": "t2", "content": NO_RESULT, "is_error": True}
    answer = [*messages[2]["content"], placeholder, {"type": "text", "text": "continue"}]
    assert repaired.messages[2:] == [{"role": "user", "content": answer}]
    assert validate(repaired.messages, "anthropic") == []


def test_split_results_are_gathered_first() -> None:
    messages = [user("a"), call("t1", "t2"), user("wait"), result("t2"), result("t1"), assistant("done")]
    repaired = repair(messages, "anthropic").messages
    ids = [block.get("tool_use_id") for block in repaired[2]["content"]]
    assert ids == ["t2", "t1", None]
    assert [message["role"] for message in repaired] == ["user", "assistant", "user", "assistant"]


def test_two_turns_with_thinking_are_parted_not_merged() -> None:
    messages = [user("a"), thought(assistant("x")), thought(assistant("y")), user("b")]
    repaired = repair(messages, "anthropic").messages
    assert repaired == [messages[0], messages[1], user_note(CONTINUE), messages[2], messages[3]]
    assert repaired[1] is messages[1]
    assert repaired[3] is messages[2]


def user_note(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def test_both_sides_of_a_repeated_id_are_renamed() -> None:
    messages = [user("a"), call("t1"), result("t1"), call("t1"), result("t1"), call("t1-2"), result("t1-2")]
    repaired = repair(messages, "anthropic").messages
    assert repaired[3]["content"][0]["id"] == repaired[4]["content"][0]["tool_use_id"] == "call_3_0"
    assert repaired[:3] == messages[:3]
    assert repaired[5] is messages[5]


def test_the_first_use_keeps_a_repeated_id() -> None:
    # Whatever comes later: what was sent before stays as it was.
    messages = [user("a"), call("t1"), result("t1"), thought(call("t1")), result("t1")]
    repaired = repair(messages, "anthropic").messages
    assert repaired[1] is messages[1]
    assert [block["type"] for block in repaired[3]["content"]] == ["tool_use"]
    assert repaired[3]["content"][0]["id"] == repaired[4]["content"][0]["tool_use_id"] == "call_3_1"


def test_servers_that_repeat_ids_are_left_alone() -> None:
    messages = [user("a"), chat_call("c1"), tool("c1"), chat_call("c1"), tool("c1"), user("b")]
    assert validate(messages, "openai") == []
    assert repair(messages, "openai").messages == messages


def test_notes_open_and_close_a_list() -> None:
    repaired = repair([assistant("x")], "anthropic", prefill=False).messages
    assert [message["role"] for message in repaired] == ["user", "assistant", "user"]
    assert repaired[0] == user_note(START)
    assert repaired[2] == user_note(CONTINUE)


def test_a_call_that_still_runs_is_marked_as_pending() -> None:
    log = repair([user("a"), call("t1", "t2"), result("t1")], "anthropic").log
    assert [change.kind for change in log] == ["added_pending_result"]


def test_a_confirmation_may_wait() -> None:
    waiting = {"type": "mcp_approval_request", "id": "m1", "name": "pay", "arguments": "{}", "server_label": "bank"}
    messages = [user("pay"), waiting, user("first tell me more")]
    assert validate(messages, "openai-responses") == []


def test_gemini_gets_the_documented_signature() -> None:
    messages = [g_said("user", "a"), g_call("look"), g_result("look")]
    repaired = repair(messages, "gemini", model="gemini-3.1-pro").messages
    assert repaired[1]["parts"][0]["thoughtSignature"] == DUMMY_SIGNATURE
    assert "thoughtSignature" not in messages[1]["parts"][0]
    assert repaired[2] is messages[2]


def test_kimi_gets_reasoning_content_that_is_not_empty() -> None:
    messages = [user("a"), chat_call("c1"), tool("c1")]
    repaired = repair(messages, "openai", model="kimi-k2.5", thinking=True).messages
    assert repaired[1] == {**messages[1], "reasoning_content": " "}


def test_what_the_request_must_cure_is_told() -> None:
    repaired = repair([b_said("user", "a"), b_call("t1"), b_result("t1")], "bedrock", tools=[])
    assert [change.kind for change in repaired.log] == ["told"]
    assert "toolConfig" in repaired.log[0].message


def test_the_model_says_whether_it_takes_prefill() -> None:
    messages = [user("a"), assistant("x")]
    assert [found.rule for found in validate(messages, model=SONNET)] == ["A15"]
    assert validate(messages, model="claude-sonnet-4-5-20250929") == []
    assert validate(messages, "anthropic", model="some-other-model") == []


def test_system_messages_amid_the_others_depend_on_the_model() -> None:
    messages = [user("a"), {"role": "system", "content": "be brief"}, assistant("b"), user("c")]
    assert validate(messages, "anthropic", format="anthropic", model=OPUS) == []
    repaired = repair(messages, "anthropic", format="anthropic", model=SONNET)
    assert repaired.messages[0]["content"] == [{"type": "text", "text": "a"}, {"type": "text", "text": "be brief"}]
    assert {change.kind for change in repaired.log} == {"system_to_user", "merged"}


def test_cache_breakpoints_of_system_and_tools_count() -> None:
    system = [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}]
    messages = [thing for n in range(4) for thing in (cached(str(n)), assistant("x"))]
    assert [found.rule for found in validate(messages, "anthropic", system=system)] == ["A12"]
    repaired = repair(messages, "anthropic", system=system).messages
    assert ["cache_control" in message["content"][0] for message in repaired[::2]] == [False, True, True, True]


def test_violations_name_ids_and_places() -> None:
    (found,) = validate([user("a"), call("t1", "t2"), result("t1")], "anthropic")
    assert (found.index, found.block, found.rule) == (1, 1, "A1")
    assert found.message == "message 1: the call t2 has no result in the next message"


def test_foreign_formats_are_judged_by_what_survives_conversion() -> None:
    messages = [
        {"role": "system", "content": "s"},
        user("a"),
        {**chat_call("c1"), "content": ""},
        tool("c1"),
        user("b"),
    ]
    assert validate(messages, "anthropic", format="openai") == []
    torn = [messages[1], chat_call("c1"), user("b"), tool("c1")]
    assert {found.rule for found in validate(torn, "anthropic", format="openai")} == {"A1", "A2"}
    assert repair(torn, "anthropic", format="openai").messages == [torn[0], torn[1], torn[3], torn[2]]


def test_legacy_function_messages_pair_without_ids() -> None:
    legacy = {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}}
    answer = {"role": "function", "name": "look", "content": "out"}
    assert validate([user("a"), legacy, answer], "openai") == []
    repaired = repair([user("a"), legacy, user("b")], "openai").messages
    assert repaired[2] == {"role": "function", "name": "look", "content": NO_RESULT}
    assert validate(repaired, "openai") == []


def test_unknown_names_and_unreadable_messages_raise() -> None:
    with pytest.raises(FormatError, match="mistral"):
        validate([user("a")], "mistral")
    with pytest.raises(MessageError, match="message 1") as raised:
        validate([user("a"), 7], "anthropic", format="anthropic")
    assert raised.value.index == 1


def test_pydantic_messages_come_back_as_the_same_objects_or_as_dicts() -> None:
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("Said", role=(str, ...), content=(Any, ...))
    messages = [model(**user("a")), model(**call("t1")), model(**user("b"))]
    repaired = repair(messages, "anthropic", format="anthropic").messages
    assert repaired[0] is messages[0]
    assert repaired[1] is messages[1]
    assert [block["type"] for block in repaired[2]["content"]] == ["tool_result", "text"]
    assert validate(repaired, "anthropic", format="anthropic") == []


def test_real_transcripts_are_valid_after_repair_wherever_they_are_cut() -> None:
    cuts = placeholders = 0
    for conversation in conversations():
        messages, form = conversation["messages"], conversation["format"]
        before = [end for end, message in enumerate(messages) if end and message.get("role") == "assistant"]
        whole = repair(messages, form, format=form)
        for end in [*before, len(messages)]:
            repaired = repair(messages[:end], form, format=form)
            assert validate(repaired.messages, form, format=form) == [], (conversation["id"], end)
            cuts += 1
        placeholders += sum(change.kind.startswith("added") for change in whole.log)
    assert cuts > 1000
    assert placeholders > 10


@pytest.mark.parametrize(
    "wrong", [{"tokens": -1, "limit": 5}, {"tokens": 5, "limit": -1}, {"tokens": 1.5}, {"limit": "9"}]
)
@pytest.mark.parametrize("asked", [validate, repair])
def test_a_size_of_no_sense_is_a_typed_error(asked: Any, wrong: dict[str, Any]) -> None:
    with pytest.raises(BudgetError) as caught:
        asked([{"role": "user", "content": "hi"}], "anthropic", **wrong)
    assert caught.value.name in wrong


def test_tools_may_be_a_generator() -> None:
    messages = [{"role": "user", "content": [{"text": "q"}]}]
    called = [*messages, {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "f", "input": {}}}]}]
    for tools, broken in ((iter([{"name": "f"}]), False), (iter(()), True)):
        rules = {one.rule for one in validate(called, "bedrock", tools=tools)}
        assert ("B2" in rules) == broken
