"""Results in another dialect's shape, names and lengths of calls, paused turns: judged, repaired and converted."""

from __future__ import annotations

from typing import Any

import pytest

import octavo
from octavo import formats

Messages = list[dict[str, Any]]

USER = {"role": "user", "content": "x"}
CHAT_CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
}
ITEM_CALL = {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"}


def foreign(content: Any = "RESULT", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": "a", "content": content, **more}


def test_a_result_of_anthropic_s_among_chat_messages_answers_its_call() -> None:
    stray = {"role": "user", "content": [foreign(), {"type": "text", "text": "and now?"}]}
    repaired = octavo.repair([USER, CHAT_CALL, stray], "openai")
    assert repaired.messages[1] is CHAT_CALL
    assert repaired.messages[2:] == [
        {"role": "tool", "tool_call_id": "a", "content": "RESULT"},
        {"role": "user", "content": [{"type": "text", "text": "and now?"}]},
    ]
    assert octavo.validate(repaired.messages, "openai") == []
    assert octavo.repair(repaired.messages, "openai").log == ()
    assert {found.rule for found in octavo.validate([USER, CHAT_CALL, stray], "openai")} == {"O1", "O2"}


def test_what_such_a_result_holds_is_kept() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    content = [{"type": "text", "text": "seen"}, {"type": "image", "source": source}]
    stray = {"role": "user", "content": [foreign(content, is_error=True)]}
    (_, _, told) = octavo.repair([USER, CHAT_CALL, stray], "openai").messages
    assert told["content"] == [
        {"type": "text", "text": "[tool error] seen"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]


def test_a_stray_result_survives_every_conversion() -> None:
    lists: list[tuple[Any, Messages]] = [
        ("openai", [USER, CHAT_CALL, {"role": "user", "content": [foreign()]}]),
        ("openai-responses", [USER, ITEM_CALL, {"role": "tool", "tool_call_id": "a", "content": "RESULT"}]),
    ]
    for source, messages in lists:
        targets: list[Any] = ["anthropic", "openai", "openai-responses"]
        for target in targets:
            if target == source:
                continue
            made = formats.convert(messages, target, source=source)
            assert str(made.messages).count("RESULT") == 1, (source, target, made)
            assert octavo.validate(made.messages, target, format=target) == []
        context = octavo.assemble(messages, budget=10_000, format=source)
        for sent in (context.anthropic(), context.openai(), context.responses()):
            assert str(sent).count("RESULT") == 1, (source, sent)
            assert "no result was recorded" not in str(sent)


def test_a_tool_message_among_items_is_the_output_of_its_call() -> None:
    stray = {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "RESULT"}]}
    repaired = octavo.repair([USER, ITEM_CALL, stray], "openai-responses", format="openai-responses")
    assert repaired.messages == [
        USER,
        ITEM_CALL,
        {"type": "function_call_output", "call_id": "a", "output": [{"type": "input_text", "text": "RESULT"}]},
    ]
    custom = {"type": "custom_tool_call", "call_id": "a", "name": "look", "input": "x"}
    repaired = octavo.repair([USER, custom, {**stray, "content": "RESULT"}], "openai-responses")
    assert repaired.messages[2] == {"type": "custom_tool_call_output", "call_id": "a", "output": "RESULT"}


def test_a_stray_without_call_leaves() -> None:
    repaired = octavo.repair([USER, {"role": "user", "content": [foreign()]}], "openai", format="openai")
    assert repaired.messages == [USER]
    assert [change.kind for change in repaired.log] == ["dropped_result"]


REFERENCE = {"type": "item_reference", "id": "fc_1"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "ok"}


@pytest.mark.parametrize("reference", [REFERENCE, {"id": "fc_1"}, {"id": "fc_1", "type": None}])
def test_the_call_of_an_output_may_be_a_reference(reference: dict[str, Any]) -> None:
    items = [{"type": "item_reference", "id": "rs_1"}, reference, OUTPUT, USER]
    stated: dict[str, Any] = {"provider": "openai-responses", "format": "openai-responses"}
    assert octavo.validate(items, **stated) == []
    assert octavo.repair(items, **stated).messages == items
    context = octavo.assemble(items, budget=1_000, model="gpt-5", format="openai-responses")
    assert context.messages == items


def test_a_reference_stands_for_one_call_and_not_for_a_message() -> None:
    stated: dict[str, Any] = {"provider": "openai-responses", "format": "openai-responses"}
    second = {**OUTPUT, "call_id": "c2"}
    assert [found.index for found in octavo.validate([REFERENCE, OUTPUT, second], **stated)] == [2]
    assert octavo.repair([REFERENCE, OUTPUT, second], **stated).messages == [REFERENCE, OUTPUT]
    for other in ({"type": "item_reference", "id": "msg_1"}, {"id": "rs_1"}):
        assert [found.rule for found in octavo.validate([other, OUTPUT], **stated)] == ["R1"]
    assert [found.rule for found in octavo.validate([OUTPUT, REFERENCE], **stated)] == ["R1"]


def test_a_reference_without_type_is_one_in_every_use() -> None:
    items = [USER, {"id": "msg_1"}, {"role": "user", "content": "y"}]
    assert octavo.repair(items, format="openai-responses").messages == items
    made = formats.convert(items, "openai", source="openai-responses")
    assert [message["content"] for message in made.messages] == ["x", "y"]


def test_a_spoken_answer_is_sent_back_by_its_id() -> None:
    spoken = {"role": "assistant", "audio": {"id": "audio_1"}}
    assert octavo.validate([USER, spoken, USER], "openai", format="openai") == []
    without = {"role": "assistant", "audio": {}}
    assert [found.rule for found in octavo.validate([USER, without, USER], "openai", format="openai")] == ["O7"]
    cured = octavo.repair([USER, {**spoken, "tool_calls": []}, USER], "openai", format="openai").messages
    assert cured == [USER, spoken, USER]


SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}


@pytest.mark.parametrize("blocks", [[SEARCH, FOUND], [SEARCH], [{"type": "text", "text": "a "}, SEARCH, FOUND]])
def test_a_paused_turn_is_sent_back_as_it_is(blocks: list[dict[str, Any]]) -> None:
    turn = {"role": "assistant", "content": blocks}
    stated: dict[str, Any] = {"provider": "anthropic", "model": "claude-sonnet-4-6"}
    assert octavo.validate([USER, turn], **stated) == []
    assert octavo.repair([USER, turn], **stated).messages == [USER, turn]
    said = {"role": "assistant", "content": [*blocks, {"type": "text", "text": "b"}]}
    lost = ["A28"] if FOUND not in blocks else []
    assert [found.rule for found in octavo.validate([USER, said], **stated)] == ["A15", *lost]


def test_a_call_without_a_name_gets_a_word_for_one() -> None:
    nameless = {"id": "a", "type": "function", "function": {"arguments": "{}"}}
    untyped = {"id": "a", "function": {"name": "look", "arguments": "{}"}}
    custom = {"id": "a", "custom": {"name": "look", "input": "x"}}
    answer = {"role": "tool", "tool_call_id": "a", "content": "r"}
    for odd, cured in [
        (nameless, {**nameless, "function": {"name": "unknown", "arguments": "{}"}}),
        (untyped, {**untyped, "type": "function"}),
        (custom, {**custom, "type": "custom"}),
    ]:
        messages = [USER, {"role": "assistant", "content": None, "tool_calls": [odd]}, answer]
        assert [found.rule for found in octavo.validate(messages, "openai")] == ["O13"]
        assert octavo.repair(messages, "openai").messages[1]["tool_calls"] == [cured]


def test_a_long_id_of_a_call_is_replaced_on_both_sides() -> None:
    long = "c" * 65
    items = [USER, {**ITEM_CALL, "call_id": long}, {**OUTPUT, "call_id": long}]
    repaired = octavo.repair(items, "openai-responses").messages
    assert repaired[1]["call_id"] == repaired[2]["call_id"] == "call_1_0"
    assert octavo.validate([USER, {**ITEM_CALL, "call_id": "c" * 64}, {**OUTPUT, "call_id": "c" * 64}]) == []


def test_a_made_id_is_not_that_of_an_output_whose_call_the_provider_holds() -> None:
    items = [USER, {**OUTPUT, "call_id": "call_2_0"}, {**ITEM_CALL, "call_id": ""}, {**OUTPUT, "call_id": ""}]
    stated: dict[str, Any] = {"provider": "openai-responses", "format": "openai-responses", "previous_response_id": "r"}
    repaired = octavo.repair(items, **stated).messages
    assert repaired[2]["call_id"] == repaired[3]["call_id"] == "call_2_0_2"
    assert octavo.validate(repaired, **stated) == []


CACHE = {"cache_control": {"type": "ephemeral"}}


@pytest.mark.parametrize(
    ("own", "nested", "before"), [(0, 6, 1), (1, 6, 1), (1, 9, 0), (0, 5, 4), (1, 3, 3), (0, 2, 4)]
)
def test_the_newest_four_breakpoints_stay(own: int, nested: int, before: int) -> None:
    opening = [{"type": "text", "text": str(at), **CACHE} for at in range(before)] or [{"type": "text", "text": "x"}]
    inside = [{"type": "text", "text": f"n{at}", **CACHE} for at in range(nested)]
    use = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
    messages = [
        {"role": "user", "content": opening},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [foreign(inside, **(CACHE if own else {}))]},
    ]
    repaired = octavo.repair(messages, "anthropic").messages
    marks = [bool(block.get("cache_control")) for block in repaired[0]["content"]][:before]
    result = repaired[2]["content"][0]
    marks += [bool(block.get("cache_control")) for block in result["content"]]
    marks += [bool(result.get("cache_control"))] if own else []
    assert marks == [False] * (len(marks) - 4) + [True] * 4
    assert octavo.validate(repaired, "anthropic") == []
    assert octavo.repair(repaired, "anthropic").log == ()
    around = [{"type": "text", "text": "s", **CACHE}] * 3
    left = octavo.repair(messages, "anthropic", system=around).messages
    assert str(left).count("cache_control") == 1


def test_a_failed_result_of_empty_lists_gets_a_word_at_once() -> None:
    use = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
    contents: list[Any] = [[[[]]], [[], [""]], [[{"type": "text", "text": ""}]], [None]]
    for content in contents:
        messages = [
            USER,
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [foreign(content, is_error=True)]},
        ]
        repaired = octavo.repair(messages, "anthropic").messages
        assert octavo.validate(repaired, "anthropic") == [], content
        assert octavo.repair(repaired, "anthropic").log == ()


def test_a_refusal_that_is_no_text_becomes_one() -> None:
    refusals: list[dict[str, Any]] = [{"refusal": 3}, {"text": 3}, {"refusal": {"a": 1}, "text": "x"}, {}]
    for said in refusals:
        item = {"type": "message", "role": "assistant", "content": [{"type": "refusal", **said}]}
        repaired = octavo.repair([USER, item], "openai-responses").messages
        assert octavo.validate(repaired, "openai-responses") == [], said
        assert isinstance(repaired[1]["content"][0]["refusal"], str)
