"""Half a character in what is given: counted as U+FFFD, and sent as that."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

import octavo
from octavo import _core
from octavo.formats import CLIENT_FORMATS, convert
from octavo.mending import mended
from test_conversion_of_anything import LISTS, places, replaced

HALF: Final = "pdf text \ud83d cut"
WHOLE: Final = "pdf text \ufffd cut"
PAIR: Final = "a \ud83d\ude00 b"

GEMINI: Final[list[dict[str, Any]]] = [
    {"role": "user", "parts": [{"text": "look"}, {"inlineData": {"mimeType": "image/png", "data": "AA=="}}]},
    {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {"a": ["b"]}}, "thoughtSignature": "s"}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"output": "found"}}}]},
]
BEDROCK: Final[list[dict[str, Any]]] = [
    {"role": "user", "content": [{"text": "look"}]},
    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "look", "input": {"a": ["b"]}}}]},
    {"role": "user", "content": [
        {"toolResult": {"toolUseId": "t", "content": [{"text": "found"}, {"json": {"a": "b"}}]}}]},
]  # fmt: skip
ALL: Final[dict[str, list[dict[str, Any]]]] = {**LISTS, "gemini": GEMINI, "bedrock": BEDROCK}


IDS: Final = frozenset({"id", "call_id", "tool_call_id", "tool_use_id", "toolUseId"})


def encoded(value: object) -> bytes:
    """As a client writes it: raises where half a character is in it."""
    return json.dumps(value, ensure_ascii=False).encode()


def texts(value: Any) -> Iterator[tuple[Any, ...]]:
    """The way to every text but those that name a kind."""
    for path in places(value):
        inner = value
        for key in path:
            inner = inner[key]
        if isinstance(inner, str) and path[-1] not in ("role", "type"):
            yield path


@pytest.mark.parametrize("format_name", ALL)
def test_half_a_character_in_any_text_is_sent_as_u_fffd(format_name: Any) -> None:
    done = 0
    for path in texts(ALL[format_name]):
        messages = replaced(ALL[format_name], path, HALF)
        kept = copy.deepcopy(messages)
        context = octavo.assemble(messages, budget=100_000, format=format_name)
        assert encoded(context.messages), path
        assert messages == kept, path
        assert context.report.repairs != (), path
        # With an id that answers no call, or that no provider takes, a repair comes first.
        assert path[-1] in IDS or any("U+FFFD" in line for line in context.report.repairs), path
        if format_name in CLIENT_FORMATS:
            for client in (context.anthropic, context.openai, context.responses):
                assert encoded(client()), path
            for target in CLIENT_FORMATS:
                assert encoded(convert(messages, target, source=format_name).messages), path
        done += 1
    assert done > 5


@pytest.mark.parametrize("format_name", ALL)
def test_the_name_of_an_argument_too(format_name: Any) -> None:
    written = json.dumps(ALL[format_name]).replace('"a": ', json.dumps(HALF) + ": ")
    messages = json.loads(written)
    if format_name in ("openai", "openai-responses"):
        pytest.skip("arguments are one text there")
    context = octavo.assemble(messages, budget=100_000, format=format_name)
    assert WHOLE in encoded(context.messages).decode()
    assert any("U+FFFD" in line for line in context.report.repairs)


def test_untouched_messages_stay_the_same_objects_and_the_report_says_which() -> None:
    messages = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": HALF},
        {"role": "user", "content": PAIR},
        {"role": "assistant", "content": "yes"},
        {"role": "user", "content": "한글 \U0001f600"},
    ]
    context = octavo.assemble(messages, budget=1_000, model="gpt-4o")
    sent = context.messages
    assert [one is given for one, given in zip(sent, messages, strict=True)] == [True, False, False, True, True]
    assert (sent[1]["content"], sent[2]["content"]) == (WHOLE, "a \U0001f600 b")
    assert [line.partition(":")[0] for line in context.report.repairs] == ["message 1", "message 2"]
    assert context.tokens == octavo.counter_for("gpt-4o").count_messages(sent).tokens


def test_the_window_finds_them_wherever_it_stands() -> None:
    transcript = octavo.Transcript("gpt-4o")
    for n in range(200):
        transcript.append(
            {"role": "assistant" if n % 2 else "user", "content": f"{n} {HALF if n % 5 == 3 else 'text'} " * 9}
        )
        assert encoded(transcript.assemble(budget=900).messages)
        assert encoded(transcript.fork().assemble(budget=900).messages)
    context = transcript.assemble(budget=900)
    shown = sum(WHOLE in one["content"] for one in context.messages)
    assert shown > 2
    assert len(context.report.repairs) == shown
    assert context.messages[0]["content"].startswith("0 ")
    transcript.rewind(101)
    assert transcript._engine.garbled == [n for n in range(101) if n % 5 == 3]
    assert encoded(transcript.assemble(budget=900).messages)


def test_a_list_that_is_repaired_is_mended_too() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": json.dumps({"a": "b"}) + "\ud83d"}}
    messages = [
        {"role": "user", "content": HALF},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "user", "content": "next"},
    ]
    context = octavo.assemble(messages, budget=1_000, model="gpt-4o")
    assert len(context.messages) == 4
    assert encoded(context.openai())
    assert encoded(context.anthropic())


def test_a_transcript_that_changes_its_format_still_knows_them() -> None:
    transcript = octavo.Transcript()
    transcript.append({"role": "user", "content": HALF})
    transcript.append({"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "n", "input": {}}]})
    transcript.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": HALF}]})
    assert transcript.format == "anthropic"
    assert transcript._engine.garbled == [0, 2]
    assert encoded(transcript.assemble(budget=1_000).anthropic())


async def test_messages_read_off_the_loop_are_known_too() -> None:
    transcript = octavo.Transcript("gpt-4o")
    await transcript.append_async({"role": "user", "content": "hello"})
    await transcript.append_async({"role": "user", "content": HALF * 20_000})
    assert transcript._engine.garbled == [1]


SYSTEMS: Final[list[Any]] = [HALF, [{"type": "text", "text": HALF}], {"role": "system", "content": HALF}]


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("model", ["gpt-4o", "claude-sonnet-4-6"])
def test_system_tools_and_sections(system: Any, model: str) -> None:
    tools = [{"name": "f", "description": HALF, "input_schema": {"type": "object", "properties": {HALF: {}}}}]
    transcript = octavo.Transcript(model, format="anthropic")
    transcript.append({"role": "user", "content": "hello"})
    sections = [octavo.Section(place, HALF, place=place) for place in ("prefix", "head", "tail")]
    for _ in range(2):
        context = transcript.assemble(budget=2_000, system=system, tools=tools, sections=sections)
        for client in (context.anthropic, context.openai, context.responses):
            assert encoded(client())
        assert [line.partition(":")[0] for line in context.report.repairs] == ["system", "tools"]
    clean = transcript.assemble(budget=2_000, system="policy", tools=[{"name": "f", "input_schema": {}}])
    assert clean.report.repairs == ()
    assert tools[0]["description"] == HALF


def test_objects_are_mended_where_they_hold_half_a_character() -> None:
    class Said(BaseModel):
        role: str
        content: str

    whole, half = Said(role="user", content="hello"), Said(role="user", content=HALF)
    context = octavo.assemble([whole, half], budget=1_000, model="gpt-4o")
    assert context.messages[0] is whole
    assert context.messages[1] == {"role": "user", "content": WHOLE}
    assert half.content == HALF


ANY_TEXT: Final = st.text(st.characters(exclude_categories=()), max_size=5)
VALUES: Final = st.recursive(
    st.one_of(st.none(), st.integers(), ANY_TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(ANY_TEXT, inner, max_size=3)),
    max_leaves=12,
)


@given(value=VALUES)
@settings(deadline=None)
def test_a_mended_value_is_the_same_one_or_can_be_encoded(value: Any) -> None:
    kept = copy.deepcopy(value)
    sent = mended(value)
    assert (sent is value) == (not _core.is_garbled(value))
    assert encoded(sent)
    assert value == kept
    assert mended(sent) is sent


# ---- cutting --------------------------------------------------------------------------------------------------------


@given(text=st.text(st.characters(exclude_categories=()), max_size=40), limit=st.integers(0, 30))
@settings(deadline=None, max_examples=300)
def test_what_is_cut_is_a_beginning_of_the_text_itself(text: str, limit: int) -> None:
    for counter in (
        octavo.counter_for("gpt-4o"),
        octavo.counter_for("claude-sonnet-4-6"),
        _core.Encoding("o200k_base"),
    ):
        left = counter.truncate(text, limit)
        assert text.startswith(left)
        assert counter.count(left) <= limit
        if counter.count(text) <= limit:
            assert left is text


def test_half_a_character_stays_in_what_is_cut() -> None:
    counter = octavo.counter_for("gpt-4o")
    assert counter.truncate("a\ud83db", 10) == "a\ud83db"
    assert counter.truncate("a\ud83d\ude00b", 10) == "a\ud83d\ude00b"
    text = "a\ud83d" * 50
    left = counter.truncate(text, 20)
    assert 5 < len(left) < len(text)
    assert text.startswith(left)
    long = "word \ud83d\ude00 " * 200
    assert long.startswith(counter.truncate(long, 100))
