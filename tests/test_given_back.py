"""What of its own turns the assistant may give back: no call of the server's without its result, no pictures."""

from __future__ import annotations

from typing import Any

import pytest

from octavo.validity import repair, validate

Messages = list[dict[str, Any]]

THINKING = {"type": "thinking", "thinking": "need both  ", "signature": "SIG-1"}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def call(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "look", "input": {}}


def result(name: str, text: str | None = None) -> dict[str, Any]:
    answer: list[dict[str, Any]] = [{"type": "tool_result", "tool_use_id": name, "content": "out"}]
    return {"role": "user", "content": answer + ([{"type": "text", "text": text}] if text else [])}


def b_said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": [{"text": text}]}


def server(kind: str, name: str = "w") -> dict[str, Any]:
    """A block of a search that the server makes: its call, or the result."""
    if kind == "call":
        return {"type": "server_tool_use", "id": name, "name": "web_search", "input": {"query": "q"}}
    return {"type": "web_search_tool_result", "tool_use_id": name, "content": []}


def spoken(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


TEXT = {"type": "text", "text": "x"}
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
B_PICTURE = {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}
B_FILE = {"document": {"format": "txt", "name": "d", "source": {"bytes": "eA=="}}}

# rule, provider, a list that breaks it (and nothing else), a list that obeys it
CASES: list[tuple[str, str, Messages, Messages]] = [
    (
        "A28",
        "anthropic",
        [user("a"), spoken(server("call"), TEXT), user("b")],
        [user("a"), spoken(server("call"), server("result"), TEXT), user("b")],
    ),
    (
        "A28",
        "anthropic",
        [user("a"), spoken(server("call"), call("t1")), result("t1", "and b")],
        [user("a"), spoken(server("call"), call("t1")), result("t1")],
    ),
    (
        "A28",
        "anthropic",
        [user("a"), spoken(TEXT, server("call", "v"), server("call")), user("b"), spoken(server("result"), TEXT)],
        [user("a"), spoken(TEXT, server("call", "v"), server("call"))],
    ),
    (
        "A28",
        "anthropic",
        [user("a"), spoken(server("call"), call("t1")), result("t1"), spoken(TEXT), user("b")],
        [
            *(user("a"), spoken(server("call"), call("t1")), result("t1")),
            *(spoken(server("result"), TEXT), user("b")),
        ],
    ),
    (
        "A29",
        "anthropic",
        [user("a"), spoken(TEXT, PICTURE), user("b")],
        [{"role": "user", "content": [PICTURE, TEXT]}, spoken(TEXT), user("b")],
    ),
    (
        "A29",
        "bedrock",
        [b_said("user", "a"), {"role": "assistant", "content": [{"text": "x"}, B_PICTURE, B_FILE]}],
        [{"role": "user", "content": [{"text": "x"}, B_PICTURE, B_FILE]}, b_said("assistant", "a")],
    ),
]


@pytest.mark.parametrize(("rule", "provider", "broken", "sound"), CASES)
def test_each_rule_fails_and_passes(rule: str, provider: Any, broken: Messages, sound: Messages) -> None:
    assert {found.rule for found in validate(broken, provider, format=provider)} == {rule}
    assert validate(sound, provider, format=provider) == []
    repaired = repair(broken, provider, format=provider)
    assert validate(repaired.messages, provider, format=provider) == []


def test_what_the_assistant_may_not_give_back_leaves() -> None:
    turn = spoken(THINKING, server("call"), TEXT)
    repaired = repair([user("a"), turn, user("b")], "anthropic")
    assert repaired.messages == [user("a"), spoken(TEXT), user("b")]
    assert [(one.kind, one.rule) for one in repaired.log] == [
        ("dropped_server_call", "A28"),
        ("dropped_thinking", "A28"),
    ]
    assert "w" in repaired.log[0].message
    repaired = repair([user("a"), spoken(PICTURE), user("b")], "anthropic")
    assert next((one.kind, one.index, one.block) for one in repaired.log) == ("dropped_file", 1, 0)
    assert [block["text"] for block in repaired.messages[0]["content"]] == ["a", "b"]


def test_a_turn_that_the_server_goes_on_with_is_sent_back_as_it_is() -> None:
    for turn in (spoken(THINKING, server("call")), spoken(THINKING, server("call"), call("t1"))):
        answered = [result("t1")] if len(turn["content"]) > 2 else []
        messages = [user("a"), turn, *answered]
        assert validate(messages, "anthropic") == []
        assert repair(messages, "anthropic").messages[1] is turn
