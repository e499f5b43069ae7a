"""Calls and results that were torn apart, written too early, too late, twice, or by the wrong role."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import octavo
from exchanges import FORMATS, PACKED, Format, Message, outline
from generated_histories import HISTORIES
from octavo.recipes import NO_RESULT
from octavo.validity import Repaired

every_format = pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
packed_formats = pytest.mark.parametrize("form", PACKED, ids=lambda form: form.name)


def mended(form: Format, messages: list[Message]) -> Repaired:
    """The repair of a broken list, which must be valid and need no second one."""
    assert octavo.validate(messages, form.name, format=form.name), "nothing to repair"
    repaired = octavo.repair(messages, form.name, format=form.name)
    assert octavo.validate(repaired.messages, form.name, format=form.name) == []
    assert octavo.repair(repaired.messages, form.name, format=form.name).log == ()
    return repaired


def kinds(repaired: Repaired) -> list[str]:
    """What was done, but for messages that became one."""
    return [change.kind for change in repaired.log if change.kind != "merged"]


@every_format
def test_a_result_that_stands_before_its_call_moves_behind_it(form: Format) -> None:
    messages = [form.said("user", "q"), form.result("c1", "real"), form.call("c1"), form.said("assistant", "done")]
    repaired = mended(form, messages)
    assert outline(repaired.messages) == ["user q", "call c1", "result c1 real", "assistant done"]
    assert repaired.messages[2] is messages[1]
    assert kinds(repaired) == ["moved_result"]


@every_format
def test_parallel_results_that_stand_before_their_calls_move_behind_them(form: Format) -> None:
    calls = [form.call("c1"), form.call("c2")] if form.name == "openai-responses" else [form.call("c1", "c2")]
    messages = [form.said("user", "q"), form.result("c2", "two"), form.result("c1", "one"), *calls]
    repaired = mended(form, messages)
    assert outline(repaired.messages) == ["user q", "call c1", "call c2", "result c2 two", "result c1 one"]
    assert kinds(repaired) == ["moved_result"] * 2


@packed_formats
def test_what_is_said_beside_a_result_that_stands_before_its_call_keeps_its_place(form: Format) -> None:
    early = form.mixed("user", form.result_block("c1", "real"), "by the way")
    repaired = mended(form, [form.said("user", "q"), early, form.call("c1"), form.said("assistant", "done")])
    lines = ["user q", "user by the way", "call c1", "result c1 real", "assistant done"]
    assert outline(repaired.messages) == lines


@every_format
def test_a_result_never_moves_across_what_the_user_says(form: Format) -> None:
    messages = [form.said("user", "q"), form.result("c1", "stale"), form.said("user", "again"), form.call("c1")]
    repaired = mended(form, messages)
    assert outline(repaired.messages) == ["user q", "user again", "call c1", f"result c1 {_placeholder(form)}"]
    assert kinds(repaired) == ["dropped_result", "added_pending_result"]


def _placeholder(form: Format) -> str:
    return json.dumps({"error": NO_RESULT}) if form.name == "gemini" else NO_RESULT


@every_format
def test_of_two_results_before_a_call_neither_is_guessed(form: Format) -> None:
    messages = [form.said("user", "q"), form.result("c1", "a"), form.result("c1", "b"), form.call("c1")]
    repaired = mended(form, messages)
    assert outline(repaired.messages) == ["user q", "call c1", f"result c1 {_placeholder(form)}"]
    assert kinds(repaired) == ["dropped_result", "dropped_result", "added_pending_result"]


@every_format
def test_a_result_behind_its_call_goes_before_one_ahead_of_it(form: Format) -> None:
    messages = [form.said("user", "q"), form.result("c1", "stale"), form.call("c1"), form.result("c1", "real")]
    repaired = mended(form, messages)
    assert outline(repaired.messages) == ["user q", "call c1", "result c1 real"]
    assert kinds(repaired) == ["dropped_result"]


@every_format
def test_a_result_for_an_id_that_was_called_is_not_a_later_call_s(form: Format) -> None:
    said = form.said("assistant", "hm")
    called = [form.said("user", "q"), form.call("c1"), form.result("c1", "one"), said]
    repaired = mended(form, [*called, form.result("c1", "two"), form.call("c1")])
    first = octavo.repair(called, form.name, format=form.name).messages
    assert repaired.messages[: len(first)] == first
    assert f"user {_told('c1', 'two', form)}" in outline(repaired.messages)
    assert outline(repaired.messages)[-1].endswith(_placeholder(form))


def _told(id: str, output: str, form: Format) -> str:
    said = json.dumps({"output": output}, separators=(",", ":")) if form.name == "gemini" else output
    return f"A later result of look (call {id}):\n{said}"


@every_format
def test_of_two_results_before_the_model_was_called_the_last_stays(form: Format) -> None:
    messages = [form.said("user", "q"), form.call("c1"), form.result("c1", "pending"), form.result("c1", "real")]
    repaired = mended(form, messages)
    assert outline(repaired.messages) == ["user q", "call c1", "result c1 real"]
    assert "replaced_result" in kinds(repaired)


def test_the_last_of_two_results_stands_where_the_first_stood() -> None:
    (form,) = (one for one in FORMATS if one.name == "openai")
    called = [form.said("user", "q"), form.call("c1", "c2"), form.result("c1", "pending"), form.result("c2", "two")]
    repaired = mended(form, [*called, form.result("c1", "real")])
    assert outline(repaired.messages)[-2:] == ["result c1 real", "result c2 two"]


@every_format
def test_a_result_that_comes_after_the_model_read_another_is_told(form: Format) -> None:
    read = [form.said("user", "q"), form.call("c1"), form.result("c1", "pending"), form.said("assistant", "waiting")]
    messages = [*read, form.result("c1", "real"), form.said("assistant", "done")]
    repaired = mended(form, messages)
    assert all(one is other for one, other in zip(repaired.messages, read, strict=False)), "what was sent stays"
    assert outline(repaired.messages)[-2:] == [f"user {_told('c1', 'real', form)}", "assistant done"]
    assert kinds(repaired) == ["result_to_text"]


@every_format
def test_a_transcript_sends_its_prefix_again_whatever_comes_later(form: Format) -> None:
    transcript = octavo.Transcript(model="gpt-5", format=form.name, provider=form.name)
    steps = [
        [form.said("user", "q"), form.call("c1"), form.result("c1", "pending")],
        [form.said("assistant", "waiting"), form.said("user", "well?")],
        [form.said("assistant", "still"), form.result("c1", "real")],
        [form.said("assistant", "done"), form.result("c1", "once more"), form.said("user", "thanks")],
    ]
    sent: list[Any] = []
    for step in steps:
        transcript.extend(step)
        now = transcript.assemble(budget=100_000).messages
        assert now[: len(sent)] == sent
        sent = now
    told = "\n".join(outline(sent))
    assert all(output in told for output in ("pending", "real", "once more"))


@st.composite
def torn(draw: st.DrawFn, form: Format) -> list[Message]:
    """A conversation in which results stand before their calls, and come again at any time."""
    messages, called = [form.said("user", "q")], 0
    for number in range(draw(st.integers(1, 8))):
        kind = draw(st.sampled_from(["call", "call", "early", "say", "ask", "again", "again"]))
        if kind in ("say", "ask"):
            messages.append(form.said("user" if kind == "ask" else "assistant", f"said {number}"))
        elif kind == "again" and called:
            messages.append(form.result(f"c{draw(st.integers(1, called))}", f"again {number}"))
        elif kind in ("call", "early"):
            called += 1
            call, result = form.call(f"c{called}"), form.result(f"c{called}", f"out {number}")
            # Where the assistant goes on in one turn, its next message changes the one before it.
            early = [form.said("user", "?"), result, call, form.said("user", "!")]
            messages += [call, result] if kind == "call" else early
    return messages


def _speaks(message: Message) -> bool:
    return message.get("role") in ("assistant", "model") or message.get("type") == "function_call"


@every_format
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_what_was_sent_is_sent_again(form: Format, data: st.DataObject) -> None:
    messages = data.draw(torn(form))
    called = [at for at in range(1, len(messages)) if _speaks(messages[at]) and not _speaks(messages[at - 1])]
    sent: list[Any] = []
    for end in [*called, len(messages)]:
        part = messages[:end]
        now = octavo.assemble(part, budget=100_000, model="gpt-5", format=form.name, provider=form.name).messages
        assert now[: len(sent)] == sent
        sent = now


@packed_formats
def test_a_result_that_the_assistant_says_goes_to_the_user(form: Format) -> None:
    squashed = form.mixed("assistant", "x", form.call_block("c1"), form.result_block("c1", "real"), "y")
    repaired = mended(form, [form.said("user", "q"), squashed, form.said("user", "go")])
    lines = ["user q", "assistant x", "call c1", "assistant y", "result c1 real", "user go"]
    assert outline(repaired.messages) == lines
    assert kinds(repaired) == ["moved_result"]


@packed_formats
def test_a_result_that_a_later_assistant_message_says_moves_back(form: Format) -> None:
    messages = [form.said("user", "q"), form.call("c1"), form.said("user", "hm")]
    repaired = mended(form, [*messages, form.mixed("assistant", form.result_block("c1", "real"), "so")])
    assert outline(repaired.messages) == ["user q", "call c1", "result c1 real", "user hm", "assistant so"]


@packed_formats
def test_a_result_of_the_assistant_s_that_answers_nothing_leaves(form: Format) -> None:
    messages = [form.said("user", "q"), form.mixed("assistant", form.result_block("c9", "lost"), "so")]
    assert kinds(mended(form, messages)) == ["dropped_result"]


@packed_formats
def test_a_call_that_the_user_makes_is_the_assistant_s(form: Format) -> None:
    wrong = form.mixed("user", "q", form.call_block("c1"), "and", form.call_block("c2"), form.result_block("c1", "one"))
    repaired = mended(form, [wrong, form.result("c2", "two")])
    # Only Gemini lets texts stand before results: there they keep the order that they had in their message.
    between = ["result c1 one", "user and"] if form.name != "gemini" else ["user and", "result c1 one"]
    assert outline(repaired.messages) == ["user q", "call c1", *between, "call c2", "result c2 two"]
    assert kinds(repaired).count("moved_call") == 2


def test_calls_in_a_chat_user_message_are_the_assistant_s() -> None:
    (form,) = (one for one in FORMATS if one.name == "openai")
    wrong = {**form.call("c1"), **form.said("user", "q"), "name": "ada"}
    repaired = mended(form, [wrong, form.result("c1", "one")])
    assert repaired.messages == [
        {"role": "user", "name": "ada", "content": "q"},
        form.call("c1"),
        form.result("c1", "one"),
    ]


def test_a_late_response_without_id_goes_to_the_oldest_call_of_its_name() -> None:
    (form,) = (one for one in FORMATS if one.name == "gemini")

    def call(name: str) -> Message:
        return form.mixed("assistant", {"functionCall": {"name": name, "args": {}}})

    def response(name: str, output: str) -> Message:
        return form.mixed("user", {"functionResponse": {"name": name, "response": {"output": output}}})

    asked = [form.said("user", "q"), call("look"), form.said("user", "wait"), call("look"), form.said("user", "hm")]
    other = [call("find"), response("find", "found"), response("look", "first")]
    repaired = mended(form, [*asked, *other, form.said("assistant", "ok"), response("look", "second")])
    lines = [line for line in outline(repaired.messages) if line.startswith("result")]
    assert lines == ["result None first", "result None second", "result None found"]
    # Where none of its name waits, it is a later word on the newest.
    again = mended(form, [*repaired.messages, response("look", "third")])
    assert outline(again.messages)[-1].startswith("user A later result of look:")


@every_format
def test_results_of_another_order_are_left_alone(form: Format) -> None:
    if form.name == "openai-responses":
        messages = [form.call("c1"), form.call("c2"), form.result("c2", "two"), form.result("c1", "one")]
    elif form in PACKED:
        answer = form.mixed("user", form.result_block("c2", "two"), form.result_block("c1", "one"))
        messages = [form.call("c1", "c2"), answer]
    else:
        messages = [form.call("c1", "c2"), form.result("c2", "two"), form.result("c1", "one")]
    assert octavo.validate([form.said("user", "q"), *messages], form.name, format=form.name) == []


@every_format
@pytest.mark.parametrize("asked", [octavo.validate, octavo.repair])
def test_an_empty_list_breaks_no_rule(form: Format, asked: Any) -> None:
    assert asked([], form.name, format=form.name) in ([], Repaired([], ()))
    assert octavo.assemble([], budget=100, model="gpt-5", format=form.name, provider=form.name).messages == []


@pytest.mark.parametrize("content", [[], "", None])
def test_an_empty_output_is_an_output(content: Any) -> None:
    (form,) = (one for one in FORMATS if one.name == "anthropic")
    called = [form.said("user", "q"), form.call("c1")]
    answer = {"role": "user", "content": [{**form.result_block("c1", ""), "content": content}]}
    if content is not None:
        assert octavo.validate([*called, answer], form.name) == []
    tool = mended(form, [*called, {"role": "tool", "tool_call_id": "c1", "content": content}])
    assert [block["type"] for block in tool.messages[2]["content"]] == ["tool_result"]
    assert not tool.messages[2]["content"][0].get("is_error")


@pytest.mark.parametrize(
    "block", [{"type": "image", "source": {"type": "url", "url": "u"}}, {"type": "tool_reference"}]
)
def test_what_is_told_of_a_result_holds_its_pictures(block: Message) -> None:
    (form,) = (one for one in FORMATS if one.name == "anthropic")
    cached = {"type": "text", "text": "seen", "cache_control": {"type": "ephemeral"}}
    later = {**form.result_block("c1", ""), "content": [cached, block], "is_error": True}
    read = [form.said("user", "q"), form.call("c1"), form.result("c1", "x"), form.said("assistant", "hm")]
    repaired = mended(form, [*read, {"role": "user", "content": [later]}])
    text, *rest = repaired.messages[-1]["content"]
    assert text["text"].startswith("A later result of look (call c1):\n[tool error] seen")
    assert "cache_control" not in text
    assert rest == ([block] if block["type"] == "image" else [])
    assert (json.dumps(block, separators=(",", ":")) in text["text"]) == (block["type"] != "image")


@every_format
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_no_output_is_lost_without_a_word(form: Format, data: st.DataObject) -> None:
    messages = data.draw(HISTORIES[form.name])
    repaired = octavo.repair(messages, form.name, format=form.name)
    left = {change.index for change in repaired.log if change.kind in ("dropped_result", "replaced_result")}
    sent = json.dumps(repaired.messages)
    for index, message in enumerate(messages):
        for output in _outputs(message):
            assert (output in sent) or index in left, (output, repaired)


def _outputs(message: Message) -> list[str]:
    """The numbered outputs in a message."""
    words = json.dumps(message).replace('"', " ").split("out ")[1:]
    return [f"out {word.split('.')[0]}." for word in words if word[0].isdigit()]
