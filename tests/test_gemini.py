"""Gemini contents in the spelling of its Python client: read, judged, repaired and counted as in the API's own."""

from __future__ import annotations

import base64
import copy
import re
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

import octavo
from generated_histories import Messages, gemini
from octavo import repair, validate
from octavo.recipes import DUMMY_SIGNATURE, NO_RESULT
from sessions import GEMINI, tools_of

MODEL = "gemini-3.1-pro"


def snake(value: Any) -> Any:
    """The value with every member's name spelled as the Python client spells it."""
    if isinstance(value, dict):
        return {re.sub(r"[A-Z]", lambda at: "_" + at.group().lower(), key): snake(item) for key, item in value.items()}
    return [snake(item) for item in value] if isinstance(value, list) else value


def png(width: int, height: int, padding: int) -> str:
    header = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII5x", 13, b"IHDR", width, height)
    return base64.b64encode(header + bytes(padding)).decode()


SIGNED_CALL = {"functionCall": {"name": "look", "args": {"q": "x"}}, "thoughtSignature": "c2ln" * 500}
PARTS: list[dict[str, Any]] = [
    {"functionCall": {"id": "f1", "name": "look", "args": {"q": "the quick brown fox"}}},
    {"functionResponse": {"id": "f1", "name": "look", "response": {"result": "jumps over the lazy dog"}}},
    SIGNED_CALL,
    {"inlineData": {"mimeType": "image/png", "data": png(2_000, 1_500, 9_000)}},
    {"inlineData": {"mimeType": "audio/mp3", "data": "A" * 9_000}},
    {"fileData": {"mimeType": "application/pdf", "fileUri": "gs://bucket/report.pdf"}},
    {"text": "thinking aloud", "thought": True, "thoughtSignature": "c2ln" * 500},
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: next(iter(part)))
@pytest.mark.parametrize("role", ["user", "model"])
def test_a_part_costs_the_same_in_both_spellings(part: dict[str, Any], role: str) -> None:
    assert snake(part) != part or "text" in part
    counter = octavo.counter_for(MODEL)
    camel = counter.count_message({"role": role, "parts": [part]})
    assert counter.count_message({"role": role, "parts": [snake(part)]}) == camel


def test_media_and_signatures_are_no_text() -> None:
    counter = octavo.counter_for(MODEL)
    for spelled in (snake, copy.copy):
        small, large = ({"inlineData": {"mimeType": "image/png", "data": png(800, 600, size)}} for size in (0, 90_000))
        tokens = {counter.count_message({"role": "user", "parts": [spelled(part)]}) for part in (small, large)}
        assert len(tokens) == 1, "an image's tokens follow from its size in pixels, not from its bytes"
        bare = {"executableCode": {"language": "PYTHON", "code": "print(1)"}}
        signed = {**bare, "thoughtSignature": "c2ln" * 5_000}
        cost = [counter.count_message({"role": "model", "parts": [spelled(part)]}) for part in (bare, signed)]
        # An opaque signature may cost something, by a rule of its own; its base64 is not read as text.
        as_text = counter.count("c2ln" * 5_000)
        assert cost[1] - cost[0] < as_text / 2


def test_tools_cost_the_same_in_both_spellings() -> None:
    schema = {"type": "object", "properties": {"q": {"type": "string", "description": "What to look for."}}}
    declared = {"name": "look", "description": "Looks something up.", "parametersJsonSchema": schema}
    counter = octavo.counter_for(MODEL)
    camel: list[Any] = [{"functionDeclarations": [declared]}]
    assert counter.count_tools(snake(camel)) == counter.count_tools(camel)


@given(messages=gemini(), thinking=st.sampled_from([None, True, False]))
@settings(deadline=None, max_examples=150)
def test_snake_case_is_judged_and_repaired_as_camel_case(messages: Messages, thinking: bool | None) -> None:
    spelled = snake(messages)
    before = copy.deepcopy(spelled)
    found = validate(messages, "gemini", format="gemini", model=MODEL, thinking=thinking)
    assert validate(spelled, "gemini", format="gemini", model=MODEL, thinking=thinking) == found
    repaired = repair(messages, "gemini", format="gemini", model=MODEL, thinking=thinking)
    in_snake = repair(spelled, "gemini", format="gemini", model=MODEL, thinking=thinking)
    assert in_snake.messages == snake(repaired.messages)
    assert in_snake.log == repaired.log
    assert spelled == before


def said(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


@pytest.mark.parametrize("spelled", [snake, copy.deepcopy])
def test_what_is_edited_keeps_its_spelling(spelled: Any) -> None:
    call = {"functionCall": {"name": "look", "args": {}}}
    other = {"functionCall": {"id": "f2", "name": "find", "args": {}}}
    answer = {"functionResponse": {"name": "look", "response": {"ok": True}}}
    messages = spelled([said("user", {"text": "go"}), said("model", call, other), said("user", answer)])
    assert validate(messages, model=MODEL) != []
    repaired = repair(messages, model=MODEL).messages
    error = {"functionResponse": {"id": "f2", "name": "find", "response": {"error": NO_RESULT}}}
    assert repaired == spelled(
        [
            said("user", {"text": "go"}),
            said("model", {**call, "thoughtSignature": DUMMY_SIGNATURE}, other),
            said("user", answer, error),
        ]
    )


def test_an_assembled_session_is_the_same_in_both_spellings() -> None:
    messages = [GEMINI.user("Task"), *GEMINI.loop(60, parallel=2)]
    for budget in (500, 1_500, 4_000, 50_000):
        camel, other = (
            octavo.assemble(spelled(messages), budget=budget, model=GEMINI.model, tools=spelled(tools_of(GEMINI)))
            for spelled in (copy.deepcopy, snake)
        )
        assert other.messages == snake(camel.messages)
        assert other.tokens == camel.tokens
        assert validate(other.messages, model=GEMINI.model) == []


class _Sdk(BaseModel):
    """What the objects of Google's client are: snake case attributes, camel case on the wire."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class Call(_Sdk):
    name: str
    args: dict[str, Any]


class Response(_Sdk):
    name: str
    response: dict[str, Any]


class Part(_Sdk):
    text: str | None = None
    function_call: Call | None = None
    function_response: Response | None = None
    thought_signature: bytes | None = None


class Content(_Sdk):
    role: str
    parts: list[Part]


def test_objects_of_the_client_are_read_and_repaired() -> None:
    call = Part(function_call=Call(name="look", args={"q": "x"}), thought_signature=b"sig")
    messages = [
        Content(role="user", parts=[Part(text="go")]),
        Content(role="model", parts=[call]),
        Content(role="user", parts=[Part(text="and?")]),
    ]
    assert [found.rule for found in validate(messages, model=MODEL)] == ["G3"]
    repaired = repair(messages, model=MODEL).messages
    assert repaired[0] is messages[0]
    assert repaired[1] is messages[1]
    error = {"functionResponse": {"name": "look", "response": {"error": NO_RESULT}}}
    assert repaired[2] == {"role": "user", "parts": [error]}
    assert repaired[3] is messages[2]
    answered = [*messages[:2], Content(role="user", parts=[Part(function_response=Response(name="look", response={}))])]
    assert validate(answered, model=MODEL) == []


def test_a_part_with_a_response_and_a_call_is_the_response() -> None:
    call = {"functionCall": {"name": "look", "args": {}, "id": "g1"}}
    response = {"functionResponse": {"name": "look", "response": {"ok": 1}, "id": "g1"}, "functionCall": {"id": "x"}}
    messages = [
        {"role": "user", "parts": [{"text": "a"}]},
        {"role": "model", "parts": [call]},
        {"role": "user", "parts": [response]},
    ]
    assert octavo.validate(messages, "gemini", format="gemini") == []
    repaired = octavo.repair([*messages[:2], messages[2], messages[0]], "gemini", format="gemini").messages
    assert octavo.validate(repaired, "gemini", format="gemini") == []
    assert "no result was recorded" not in str(repaired)
