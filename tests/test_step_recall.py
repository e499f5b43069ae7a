"""What is looked up before each call of a recorded conversation: found where it is sent, and only there."""

import json
from importlib import import_module
from typing import Any

import pytest

import octavo
from exchanges import FORMATS, Format
from octavo.messages import Format as Name
from octavo.step_recall import Recall, Steps, arguments_in, interval, leaves, lines_of, text_of, values_of
from shared_data import conversations

FILLER = "Nothing of it matters, and it goes on and on. " * 40


def calling(form: Format, id: str, arguments: dict[str, object]) -> dict[str, Any]:
    """A call with arguments."""
    made = json.loads(json.dumps(form.call(id)))
    written: object = json.dumps(arguments) if form.name.startswith("openai") else arguments
    names = {"openai-responses": ("arguments",), "openai": ("tool_calls", 0, "function", "arguments")}
    blocks = {"anthropic": ("content", 0, "input"), "gemini": ("parts", 0, "functionCall", "args")}
    way = {**names, **blocks}.get(form.name, ("content", 0, "toolUse", "input"))
    inner: Any = made
    for step in way[:-1]:
        inner = inner[step]
    inner[way[-1]] = written
    return dict(made)


def recorded(form: Format) -> list[dict[str, Any]]:
    """A booking is told early, forgotten by a small window, and asked for at the end with what was never said."""
    filling = [form.said(role, FILLER) for _ in range(4) for role in ("assistant", "user")]
    return [
        form.said("user", "Look after my booking."),
        form.said("assistant", "Which one?"),
        form.said("user", "Mine is KX-48213 in row 7."),
        *filling,
        calling(form, "c1", {"booking": "KX-48213", "row": 7, "seat": "unheard-of"}),
        form.result("c1", "done"),
        form.said("assistant", "It is done."),
    ]


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_a_value_is_found_where_its_message_is_sent_and_not_where_it_was_dropped(form: Format) -> None:
    steps = Steps(recorded(form), format=form.name)
    wide, narrow, told = steps.recall(100_000), steps.recall(900, ledger=0), steps.recall(900)
    # `7` is too short, `unheard-of` was never said: there is one value to look up.
    assert (wide.calls, wide.complete, wide.values, wide.present) == (1, 1, 1, 1)
    assert (narrow.calls, narrow.complete, narrow.present) == (1, 0, 0)
    assert (told.complete, told.present) == (1, 1), "the ledger tells it"
    assert wide.contexts == narrow.contexts == 1
    assert narrow.tokens <= steps.fixed + 900 < wide.tokens


def test_what_stands_in_the_system_prompt_alone_is_not_looked_up() -> None:
    messages = [
        {"role": "system", "content": "Bookings look like KX-48213."},
        {"role": "user", "content": "Look."},
        calling(FORMATS[1], "c1", {"booking": "KX-48213"}),
    ]
    assert Steps(messages).recall(1_000) == Recall()
    assert Steps([*messages[:1], {"role": "user", "content": "KX-48213"}, messages[2]]).recall(1_000).complete == 1


def test_what_is_said_at_the_call_or_later_is_not_looked_up() -> None:
    call = calling(FORMATS[1], "c1", {"booking": "KX-48213"})
    messages = [{"role": "user", "content": "Look."}, call, FORMATS[1].result("c1", "KX-48213")]
    assert Steps(messages).recall(1_000) == Recall()


def test_a_call_to_be_complete_needs_all_its_values() -> None:
    messages = [
        {"role": "user", "content": "Begin."},
        {"role": "assistant", "content": "I begin."},
        {"role": "user", "content": f"It is called alpha-beta-gamma. {FILLER}"},
        {"role": "assistant", "content": FILLER},
        {"role": "user", "content": "And this one delta-epsilon."},
        calling(FORMATS[1], "c1", {"a": "alpha-beta-gamma", "b": "delta-epsilon"}),
    ]
    found = Steps(messages).recall(300, ledger=0)
    assert (found.values, found.present, found.calls, found.complete) == (2, 1, 1, 0)


def test_lines_of_longer_arguments_are_looked_up_apart() -> None:
    written = "first line of it\n  second line of it\nno\n" + "x" * 201
    assert values_of({"text": written}) == set()
    assert lines_of({"text": written}) == {"first line of it", "second line of it"}
    messages = [{"role": "user", "content": "second line of it"}, calling(FORMATS[1], "c1", {"text": written})]
    found = Steps(messages).recall(1_000)
    assert (found.calls, found.lines, found.lines_present) == (0, 1, 1)


def test_leaves_are_texts_and_numbers_in_their_order_however_deep() -> None:
    assert list(leaves({"a": ["x", 1, True, None], "b": {"c": 2.5, "d": "y"}})) == ["x", "1", "2.5", "y"]
    deep: object = "z"
    for _ in range(5_000):
        deep = [deep]
    assert list(leaves(deep)) == ["z"]


def test_arguments_that_are_no_json_are_one_text() -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [octavo_call("not {json")]}
    assert arguments_in(call) == ["not {json"]
    assert arguments_in({"role": "user", "content": "hello"}) == []


def octavo_call(arguments: str) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": "look", "arguments": arguments}}


@pytest.mark.parametrize("name", ["gemini", "bedrock"])
def test_results_that_are_objects_are_read_without_escapes(name: Name) -> None:
    response = {"path": 'C:\\notes "new"'}
    block = {
        "gemini": {"functionResponse": {"name": "look", "response": response}},
        "bedrock": {"toolResult": {"toolUseId": "c1", "content": [{"json": response}]}},
    }[name]
    message = {"role": "user", "parts" if name == "gemini" else "content": [block]}
    assert text_of(message, name) == 'C:\\notes "new"'


def test_intervals_are_wilsons() -> None:
    # Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3.
    for part, whole, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)):
        assert list(interval(part, whole)) == pytest.approx([low, high], abs=5e-5)
    assert interval(1, 29)[0] == pytest.approx(0.0061, abs=5e-5)
    assert interval(0, 0) == (0.0, 1.0)


def test_a_replay_finds_what_the_bench_finds() -> None:
    """Step by step with a context at every call as the bench has it, and with those alone that are looked at."""
    bench: Any = import_module("benches.quality.step_recall")
    read: Any = import_module("benches.recorded").Conversation
    told = [one for one in conversations() if one["id"].startswith("tau-airline")][:8]
    recorded = [read("", one["id"], "openai", one["tools"], one["messages"]) for one in told]
    theirs = bench.measure(recorded, bench.by_octavo, 900)
    ours = Recall()
    for one in told:
        steps = Steps(one["messages"], tools=one["tools"], model="gpt-4o", counter=octavo.counter_for("gpt-4o"))
        ours += steps.recall(900)
    assert ours.calls > 20
    assert (ours.calls, ours.complete, ours.values, ours.present) == (
        theirs.calls, theirs.complete, theirs.values, theirs.present,
    )  # fmt: skip
