"""The engine's rules and repairs against an independent statement of the rules, on generated histories."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generated_histories import HISTORIES
from octavo._core import judge_messages, repair_messages
from octavo.recipes import carry_out
from octavo.validity import Mode, repair, validate
from reference_rules import Request, broken_rules

PROVIDERS = ["anthropic", "openai", "openai-responses", "gemini", "bedrock"]
TOLD = {"A7", "A18", "A26", "B2", "R6"}

requests = st.builds(
    Request,
    thinking=st.sampled_from([None, True, False]),
    previous_response=st.booleans(),
    prefill=st.sampled_from([None, True, False]),
    system_messages=st.sampled_from([None, True, False]),
    has_tools=st.sampled_from([None, True, False]),
    thinking_first=st.booleans(),
    signed_calls=st.booleans(),
    reasoning_content=st.sampled_from([None, True, False]),
    every_turn=st.booleans(),
    empty_system=st.booleans(),
    around=st.lists(st.booleans(), max_size=5).map(tuple),
)


def mode_for(provider: Any, request: Request) -> Mode:
    return Mode(
        provider,
        provider,
        thinking=request.thinking,
        previous_response=request.previous_response,
        prefill=request.prefill,
        system_messages=request.system_messages,
        has_tools=request.has_tools,
        thinking_first=request.thinking_first,
        signed_calls=request.signed_calls,
        reasoning_content=request.reasoning_content,
        every_turn=request.every_turn,
        empty_system=request.empty_system,
        breakpoints=len(request.around),
        short_breakpoints=False in request.around,
        mixed_breakpoints=list(request.around) != sorted(request.around, reverse=True),
    )


@pytest.mark.parametrize("provider", PROVIDERS)
@settings(max_examples=400, deadline=None)
@given(data=st.data(), request_=requests)
def test_the_engine_agrees_with_the_reference(provider: str, data: st.DataObject, request_: Request) -> None:
    messages = data.draw(HISTORIES[provider])
    found = judge_messages(messages, mode_for(provider, request_))
    assert sorted((index, rule) for index, _, rule in found) == broken_rules(provider, messages, request_)


@pytest.mark.parametrize("provider", PROVIDERS)
@settings(max_examples=400, deadline=None)
@given(data=st.data(), request_=requests)
def test_a_repaired_list_obeys_the_reference(provider: Any, data: st.DataObject, request_: Request) -> None:
    assert_repaired(provider, data.draw(HISTORIES[provider]), request_)


def turn(role: str, *parts: str) -> dict[str, Any]:
    """A message of Gemini's: `call NAME`, `result NAME`, and all else a text."""
    kinds = {"call": ("functionCall", "args"), "result": ("functionResponse", "response")}
    made: list[dict[str, Any]] = []
    for number, part in enumerate(parts):
        word, _, name = part.partition(" ")
        kind = kinds.get(word)
        made.append({"text": part} if kind is None else {kind[0]: {"name": name, kind[1]: {"n": number}}})
    return {"role": role, "parts": made}


def blocks(role: str, *parts: str) -> dict[str, Any]:
    """The same for Anthropic."""
    made: list[dict[str, Any]] = []
    for part in parts:
        word, _, name = part.partition(" ")
        if word == "call":
            made.append({"type": "tool_use", "id": name, "name": "look", "input": {}})
        elif word == "result":
            made.append({"type": "tool_result", "tool_use_id": name, "content": "out"})
        else:
            made.append({"type": "text", "text": part})
    return {"role": role, "content": made}


FOUND: list[tuple[str, list[dict[str, Any]]]] = [
    # A later word on a call stands beside a call whose turn goes on in the next message.
    (
        "gemini",
        [
            turn("user", "result find", "call find"),
            turn("model"),
            turn("model", "result find", "call look"),
            turn("model", "hello"),
            turn("user", "result look"),
        ],
    ),
    (
        "anthropic",
        [
            blocks("user", "hello"),
            blocks("assistant", "call c1"),
            blocks("user", "result c1"),
            blocks("assistant", "hello"),
            blocks("user", "hello"),
            blocks("assistant", "result c1", "call c2"),
            blocks("assistant", "hello"),
            blocks("user", "result c2"),
        ],
    ),
]
"""Lists that once were left broken, or that a neighbour of such a list was made of."""


@pytest.mark.parametrize(("provider", "messages"), FOUND)
def test_what_was_found_broken_is_repaired(provider: str, messages: list[dict[str, Any]]) -> None:
    assert broken_rules(provider, messages, Request())
    assert_repaired(provider, messages, Request())


def assert_repaired(provider: Any, messages: list[dict[str, Any]], request_: Request) -> None:
    before = copy.deepcopy(messages)
    mode = mode_for(provider, request_)
    repaired = repair_messages(messages, mode)
    sent: Any = messages if repaired is None else carry_out(messages, repaired[0], provider)
    assert messages == before
    left = broken_rules(provider, sent, request_)
    around = broken_rules(provider, [{"role": "user", "content": "x"}], request_) if provider == "anthropic" else []
    assert {rule for _, rule in left} <= TOLD | ({rule for _, rule in around} if sent else set())
    again = repair_messages(sent, mode)
    assert again is None or [sent[at] for at in again[0]] == sent
    for recipe, message in zip(repaired[0] if repaired else [], sent, strict=repaired is not None):
        if isinstance(recipe, int):
            assert message is messages[recipe]
        elif recipe[1] is not None:
            assert message != messages[recipe[1]], "composed anew without need"
    if not broken_rules(provider, messages, request_):
        assert repaired is None


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("form", PROVIDERS)
@settings(max_examples=60, deadline=None)
@given(data=st.data(), thinking=st.sampled_from([None, True, False]))
def test_any_format_is_repaired_for_any_provider(
    provider: str, form: str, data: st.DataObject, *, thinking: bool | None
) -> None:
    messages = data.draw(HISTORIES[form])
    repaired = repair(messages, provider, format=form, thinking=thinking).messages
    left = validate(repaired, provider, format=form, thinking=thinking)
    assert {found.rule for found in left} <= TOLD
