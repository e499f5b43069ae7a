"""Thinking of turns that are over: counted only where the provider keeps it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import octavo
from octavo.messages import Format
from sessions import Message, Messages

STRIPS: list[tuple[Format, str]] = [
    ("anthropic", "claude-sonnet-4-5"),
    ("bedrock", "anthropic.claude-haiku-4-5"),
    ("openai", "qwen3-32b"),
]
KEEPS: list[tuple[Format, str]] = [
    ("anthropic", "claude-opus-4-6"),
    ("bedrock", "anthropic.claude-opus-4-6"),
    ("openai", "deepseek-chat"),
]
WORDS = "let me think about this for a while "


def user(format: Format, text: str) -> Message:
    return {"role": "user", "content": [{"text": text}] if format == "bedrock" else text}


def thought(format: Format, thinking: str, text: str, call: str | None = None) -> Message:
    """An assistant turn that thinks, speaks, and may call."""
    if format == "openai":
        made = {"id": call, "type": "function", "function": {"name": "look", "arguments": "{}"}}
        calls: dict[str, Any] = {"tool_calls": [made]} if call else {}
        return {"role": "assistant", "content": text, **({"reasoning_content": thinking} if thinking else {}), **calls}
    if format == "bedrock":
        block: Any = {"reasoningContent": {"reasoningText": {"text": thinking, "signature": "S"}}}
        use: Any = {"toolUse": {"toolUseId": call, "name": "look", "input": {}}}
        blocks = [{"text": text}]
    else:
        block = {"type": "thinking", "thinking": thinking, "signature": "S"}
        use = {"type": "tool_use", "id": call, "name": "look", "input": {}}
        blocks = [{"type": "text", "text": text}]
    return {"role": "assistant", "content": [*([block] if thinking else []), *blocks, *([use] if call else [])]}


def result(format: Format, call: str, text: str) -> Message:
    if format == "openai":
        return {"role": "tool", "tool_call_id": call, "content": text}
    if format == "bedrock":
        return {"role": "user", "content": [{"toolResult": {"toolUseId": call, "content": [{"text": text}]}}]}
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": text}]}


def session(format: Format, thinking: str, loops: int = 2, turns: int = 3) -> Messages:
    """Turns of some calls each; the last one is not over."""
    messages: Messages = []
    for turn in range(turns):
        messages.append(user(format, f"question {turn}"))
        for step in range(loops):
            call = f"c{turn}x{step}"
            messages += [thought(format, thinking, "I look.", call), result(format, call, f"found {step}")]
        if turn < turns - 1:
            messages.append(thought(format, thinking, "That is so."))
    return messages


def counted(model: str, format: Format, messages: Messages) -> int:
    return octavo.counter_for(model).count_messages(messages, format=format).tokens


@pytest.mark.parametrize(("format", "model"), STRIPS)
def test_thinking_counts_until_the_user_speaks_again(format: Format, model: str) -> None:
    asked, said = [user(format, "why?")], [user(format, "and?")]
    turn, bare = thought(format, WORDS * 20, "So."), thought(format, "", "So.")
    assert counted(model, format, [*asked, turn, *said]) == counted(model, format, [*asked, bare, *said])
    assert counted(model, format, [*asked, turn]) > counted(model, format, [*asked, bare]) + 50
    loop = [*asked, thought(format, WORDS * 20, "I look.", "c1"), result(format, "c1", "found")]
    without = [*asked, thought(format, "", "I look.", "c1"), result(format, "c1", "found")]
    assert counted(model, format, loop) > counted(model, format, without) + 50
    assert counted(model, format, [*loop, *said]) == counted(model, format, [*without, *said])


@pytest.mark.parametrize(("format", "model"), KEEPS)
def test_thinking_counts_for_ever_where_it_is_kept(format: Format, model: str) -> None:
    asked, said = [user(format, "why?")], [user(format, "and?")]
    turn, bare = thought(format, WORDS * 20, "So."), thought(format, "", "So.")
    assert counted(model, format, [*asked, turn, *said]) > counted(model, format, [*asked, bare, *said]) + 50


def test_what_is_no_text_goes_with_the_thinking() -> None:
    thinking, said = {"type": "redacted_thinking", "data": "x" * 4_000}, {"type": "text", "text": "So."}
    redacted = {"role": "assistant", "content": [thinking, said]}
    messages = [user("anthropic", "why?"), redacted]
    counter = octavo.counter_for("claude-sonnet-4-5")
    assert counter.count_messages(messages, format="anthropic").method == "estimated"
    assert counter.count_messages([*messages, user("anthropic", "and?")], format="anthropic").method == "calibrated"
    transcript = octavo.Transcript("claude-sonnet-4-5", format="anthropic")
    transcript.extend([*messages, user("anthropic", "and?")])
    assert transcript.assemble(budget=5_000, thinking=True).report.method == "calibrated"


@pytest.mark.parametrize(("format", "model"), STRIPS)
def test_thinking_of_earlier_turns_takes_no_room(format: Format, model: str) -> None:
    heavy, light = session(format, WORDS * 50, turns=6), session(format, "", turns=6)
    heavy += [thought(format, WORDS * 50, "That is so."), user(format, "and now?")]
    light += [thought(format, "", "That is so."), user(format, "and now?")]
    # Room for the thinking of one turn: in its calls it counted.
    budget = int((counted(model, format, light) + counted(model, format, session(format, WORDS * 50, turns=1))) * 1.3)
    assert counted(KEEPS[STRIPS.index((format, model))][1], format, heavy) > budget * 2
    context = octavo.assemble(heavy, budget=budget, model=model, format=format)
    assert context.fits
    assert not context.report.moved
    assert context.messages == heavy
    assert context.tokens == counted(model, format, light)
    transcript = octavo.Transcript(model, format=format)
    transcript.extend(heavy)
    fixed = octavo.counter_for(model).fixed
    assert transcript.tokens == counted(model, format, light) - fixed


@pytest.mark.parametrize(("format", "model"), [*STRIPS, *KEEPS])
@pytest.mark.parametrize("place", ["prefix", "head", "tail"])
@settings(max_examples=60, deadline=None)
@given(data=st.data(), budget=st.integers(40, 3_000), thinking=st.sampled_from([None, True]))
def test_the_total_is_what_a_recount_gives(
    format: Format, model: str, place: Any, data: st.DataObject, budget: int, thinking: bool | None
) -> None:
    messages = session(format, WORDS * data.draw(st.integers(0, 9)), data.draw(st.integers(0, 3)))
    messages = messages[: data.draw(st.integers(1, len(messages)))]
    sections = [octavo.Section("state", "the state is good", place)] if data.draw(st.booleans()) else []
    context = octavo.assemble(messages, budget=budget, model=model, format=format, thinking=thinking, sections=sections)
    counter = octavo.counter_for(model)
    recount = counter.count_messages(context.messages, context.tools, context.system, format=format)
    assert context.tokens == recount.tokens, context.report
    assert context.report.tokens == recount.tokens
    assert context.fits == (recount.tokens <= budget)
    parts = context.report.fixed_tokens + context.report.section_tokens
    shown = sum(span.tokens for span in context.report.spans if span.verdict != "dropped")
    assert context.report.repairs or sections or parts + shown == context.tokens


def test_steps_and_a_replay_agree() -> None:
    messages = [*session("anthropic", WORDS * 9, 3, 6), user("anthropic", "and now?")]
    transcript, moved = octavo.Transcript("claude-sonnet-4-5", format="anthropic"), 0
    for cut, message in enumerate(messages, 1):
        transcript.append(message)
        stepped = transcript.assemble(budget=700)
        alone = octavo.assemble(messages[:cut], budget=700, model="claude-sonnet-4-5", format="anthropic")
        assert (alone.messages, alone.report) == (stepped.messages, stepped.report)
        moved += stepped.report.moved
    assert moved
    transcript.rewind(len(messages) - 3)
    again = octavo.assemble(messages[:-3], budget=700, model="claude-sonnet-4-5", format="anthropic")
    assert transcript.assemble(budget=700).report == again.report
