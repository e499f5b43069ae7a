"""What a report says of the call before is what really was sent before."""

from __future__ import annotations

import random
from typing import Any

import pytest

import octavo
from octavo.errors import OctavoError

Messages = list[Any]

CACHED = {"cache_control": {"type": "ephemeral"}}


def call(name: str) -> dict[str, Any]:
    function = {"name": "look", "arguments": "{}"}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": name, "type": "function", "function": function}],
    }


def result(name: str, words: int = 1) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": f"{name} " * words}


def session(turns: int, lost: float, seed: int) -> Messages:
    """A tool loop that loses so many of its results."""
    drawn = random.Random(seed)
    messages: Messages = [{"role": "user", "content": "task"}]
    for turn in range(turns):
        messages.append(call(f"c{turn}"))
        if drawn.random() >= lost:
            messages.append(result(f"c{turn}", drawn.randrange(1, 9)))
    return messages


def first_difference(now: Messages, before: Messages) -> int:
    pairs = enumerate(zip(now, before, strict=False))
    return next((at for at, (ours, theirs) in pairs if ours != theirs), min(len(now), len(before)))


def kept(context: octavo.Context, end: int) -> list[int]:
    """The messages of the first `end` that are shown."""
    spans = (span for span in context.report.spans if span.verdict != "dropped")
    return [at for span in spans for at in range(span.start, span.end) if at < end]


def test_a_placeholder_that_is_sent_again_is_as_before() -> None:
    transcript = octavo.Transcript("gpt-4o", format="openai")
    transcript.extend([{"role": "user", "content": "task"}, call("a"), result("a"), call("b")])
    before = transcript.assemble(budget=1_500)
    transcript.extend([call("c"), result("c")])
    report = transcript.assemble(budget=1_500).report
    assert (report.first_changed_index, report.stable_prefix_tokens) == (len(before.messages), before.tokens)


def test_what_is_told_of_the_call_before_is_what_was_sent() -> None:
    looked = changed = moves = 0
    counter = octavo.counter_for("gpt-4o")
    for seed, (lost, budget) in enumerate([(0.0, 500), (0.6, 400), (0.6, 250), (0.3, 300)]):
        transcript, before, there = octavo.Transcript("gpt-4o", format="openai"), None, 0
        for message in session(220, lost, seed):
            if message["role"] == "assistant":
                context = transcript.assemble(budget=budget)
                report = context.report
                if before is not None:
                    first = first_difference(context.messages, before.messages)
                    assert report.first_changed_index == first, (seed, len(transcript))
                    told = counter.count_messages(context.messages[:first], format="openai").tokens
                    assert report.stable_prefix_tokens == told
                    assert report.moved == (kept(context, there) != kept(before, there)), (seed, len(transcript))
                    looked, changed = looked + 1, changed + (first < len(before.messages))
                    moves += report.moved
                before, there = context, len(transcript)
            transcript.append(message)
    assert looked > 800
    assert 20 < moves <= changed < looked / 3


def test_a_look_between_two_calls_is_no_call() -> None:
    transcript = octavo.Transcript("gpt-4o", format="openai")
    transcript.extend(session(10, 0.0, 1))
    sent = transcript.assemble(budget=5_000)
    transcript.append(call("x"))
    transcript.assemble(budget=5_000)
    transcript.append(result("x"))
    transcript.assemble(budget=300)
    report = transcript.assemble(budget=5_000).report
    assert (report.first_changed_index, report.moved) == (len(sent.messages), False)


def test_other_limits_are_told_from_what_was_sent() -> None:
    transcript = octavo.Transcript("gpt-4o", format="openai")
    transcript.extend(session(80, 0.0, 2))
    moving = (budget for budget in range(250, 450, 10) if transcript.fork().assemble(budget=budget).report.moved)
    assert transcript.assemble(budget=next(moving)).report.moved, "without a call before: the cut is at this call"
    transcript.extend([call("x"), result("x")])
    assert transcript.assemble(budget=5_000).report.moved
    transcript.extend([call("y"), result("y")])
    assert not transcript.assemble(budget=6_000).report.moved


def test_a_breakpoint_that_leaves_changes_nothing_of_the_prefix() -> None:
    transcript = octavo.Transcript("claude-sonnet-4-6")
    before: octavo.Context | None = None
    dropped = 0
    for turn in range(9):
        transcript.append({"role": "user", "content": [{"type": "text", "text": f"q{turn}", **CACHED}]})
        context = transcript.assemble(budget=5_000)
        if before is not None:
            assert context.report.first_changed_index == len(before.messages)
            assert context.report.stable_prefix_tokens == before.tokens
            dropped += context.messages[0] != before.messages[0]
        before = context
        transcript.append({"role": "assistant", "content": f"a{turn}"})
    assert dropped, "no breakpoint had to leave"


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def told(context: octavo.Context) -> tuple[int, int | None, bool, int]:
    """What a context's report and cost say of the call before."""
    report = context.report
    return report.stable_prefix_tokens, report.first_changed_index, report.moved, context.cost().read


def branched(transcript: octavo.Transcript, way: str) -> octavo.Transcript:
    """The same conversation, gone back to or gone on with in some way."""
    there = len(transcript)
    if way == "retry":
        transcript.append(said("assistant", "bad"))
    elif way == "another word":
        transcript.append(said("user", "or rather"))
        transcript.assemble(budget=5_000, system="of no call")
    elif way == "two turns":
        transcript.extend([said("assistant", "bad"), said("user", "again")])
        transcript.assemble(budget=5_000, system="of a call that is taken back")
        transcript.extend([said("assistant", "bad"), said("user", "again")])
        transcript.assemble(budget=5_000, system="and of another")
    elif way == "fork":
        transcript = transcript.fork()
    transcript.rewind(there)
    return transcript


WAYS = ["retry", "another word", "two turns", "fork"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("systems", "budgets"), [(("ONE", "TWO"), (5_000, 5_000)), (("ONE", "ONE"), (5_000, 600))])
def test_a_branch_goes_on_from_the_call_that_was_made(
    way: str, systems: tuple[str, str], budgets: tuple[int, int]
) -> None:
    answers: list[Any] = []
    for branch in ("none", way):
        transcript = octavo.Transcript("gpt-4o", format="openai")
        transcript.append(said("user", "task"))
        for turn in range(9):
            transcript.extend([said("assistant", f"a{turn} " * 40), said("user", f"u{turn} " * 40)])
        transcript.assemble(budget=budgets[0], system=systems[0])
        transcript = branched(transcript, branch)
        transcript.extend([said("assistant", "ok"), said("user", "next")])
        answers.append(told(transcript.assemble(budget=budgets[1], system=systems[1])))
    assert answers[0] == answers[1]
    assert answers[0][:2] == (0, 0) if systems[0] != systems[1] else answers[0][2]


def test_a_fork_behind_an_answer_keeps_the_call_before_it() -> None:
    answers: list[Any] = []
    for fork in (False, True):
        transcript = octavo.Transcript("gpt-4o", format="openai")
        transcript.append(said("user", "task"))
        transcript.assemble(budget=5_000, system="ONE")
        transcript.append(said("assistant", "a"))
        transcript.assemble(budget=5_000, system="of no call")
        transcript = transcript.fork() if fork else transcript
        transcript.append(said("user", "next"))
        answers.append(told(transcript.assemble(budget=5_000, system="TWO")))
    assert answers[0] == answers[1] == (0, 0, False, 0)


def test_a_long_way_back_the_call_is_still_known() -> None:
    """Looks at every message put out no call."""
    transcript, quiet = (octavo.Transcript("gpt-4o", format="openai") for _ in range(2))
    for turn in range(12):
        for one in (transcript, quiet):
            one.append(said("user", f"u{turn}"))
            one.assemble(budget=5_000, system=f"S{turn}")
        if turn < 11:
            transcript.append(said("assistant", f"a{turn}"))
            transcript.assemble(budget=5_000, system="of no call")
            quiet.append(said("assistant", f"a{turn}"))
    for one in (transcript, quiet):
        one.rewind(13)
        one.extend([said("assistant", "another"), said("user", "next")])
        assert told(one.assemble(budget=5_000, system="S11"))[:2] == (0, 0)
        one.rewind(13)
        one.extend([said("assistant", "another"), said("user", "next")])
        assert told(one.assemble(budget=5_000, system="S6"))[1] == 13


def test_usage_is_reported_for_the_context_that_is_answered_anew() -> None:
    transcript = octavo.Transcript("gpt-4o", format="openai")
    transcript.append(said("user", "task"))
    context = transcript.assemble(budget=5_000)
    transcript.append(said("assistant", "bad"))
    transcript.rewind(1)
    transcript.observe({"prompt_tokens": context.tokens + 70, "completion_tokens": 1})
    assert transcript.assemble(budget=5_000).tokens == context.tokens + 70
    transcript.rewind(0)
    with pytest.raises(OctavoError, match="assembled before"):
        transcript.observe({"prompt_tokens": 5, "completion_tokens": 1})
