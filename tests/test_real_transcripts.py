"""Recorded conversations, cut before every model call, at eight budgets: always valid, never silently over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import octavo
from sessions import calls_at
from shared_data import Conversation, conversations, shipped

BUDGETS = (0, 400, 1_000, 2_000, 4_000, 8_000, 16_000, 64_000)
MODELS = {"openai": "gpt-4o", "anthropic": "claude-sonnet-4-5"}

# Every so many-th cut is assembled once more from the bare list: reading it anew costs as much as all steps before.
SAMPLED = 11


@pytest.fixture(scope="module", params=["shipped", "recorded"])
def recorded(request: pytest.FixtureRequest) -> list[Conversation]:
    """The conversation that the project has with it, which is there on every machine; and the recorded ones."""
    return shipped() if request.param == "shipped" else conversations()


def looked_at(recorded: list[Conversation], found: int, least: int, least_shipped: int = 1) -> None:
    """Fail where a test has hardly looked at anything."""
    assert found >= (least_shipped if len(recorded) == 1 else least), found


def says_something(message: Any) -> bool:
    """Whether there is something beside tool results in it."""
    content = message["content"]
    return isinstance(content, str) or any(block["type"] == "text" for block in content)


def task_of(messages: list[Any]) -> Any:
    """The first message of a user that says something."""
    return next((one for one in messages if one["role"] == "user" and says_something(one)), None)


def said(message: Any) -> str:
    content = message["content"]
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block["type"] == "text")


def steps(one: Conversation, budget: int) -> Iterator[tuple[int, octavo.Context]]:
    """The context of every model call, from one transcript that is fed step by step."""
    transcript = octavo.Transcript(MODELS[one["format"]])
    done = 0
    for cut in [*calls_at(one["messages"]), len(one["messages"])]:
        transcript.extend(one["messages"][done:cut])
        done = cut
        if cut:
            yield cut, transcript.assemble(budget=budget, tools=one["tools"] or None)


@pytest.mark.parametrize("budget", BUDGETS)
def test_every_cut_is_valid_and_within_the_budget_or_says_so(recorded: list[Conversation], budget: int) -> None:
    cuts = 0
    faults: list[str] = []
    for one in recorded:
        counter = octavo.counter_for(MODELS[one["format"]])
        before = json.dumps(one["messages"])
        for cut, context in steps(one, budget):
            cuts += 1
            where = f"{one['id']} before message {cut}"
            broken = octavo.validate(context.messages, format=one["format"], model=MODELS[one["format"]])
            faults += [f"{where}: {violation.rule} {violation.message}" for violation in broken]
            task = task_of(one["messages"][:cut])
            if task is not None and not any(said(task) in said(m) for m in context.messages if m["role"] == "user"):
                faults.append(f"{where}: the task is gone")
            if cuts % SAMPLED == 0:
                counted = counter.count_messages(context.messages, context.tools, context.system, format=one["format"])
                if counted.tokens != context.tokens and not context.report.repairs:
                    faults.append(f"{where}: says {context.tokens} tokens, has {counted.tokens}")
                if context.fits and counted.tokens > budget:
                    faults.append(f"{where}: {counted.tokens} tokens, budget {budget}, and it says that it fits")
        assert json.dumps(one["messages"]) == before
    looked_at(recorded, cuts, 2_000, 20)
    assert not faults, f"{len(faults)} of {cuts}:\n" + "\n".join(faults[:20])


def must_stay(messages: list[Any], cut: int) -> set[int]:
    """What no budget takes away before a call: what leads, the task, the newest request, and the newest turn.

    The task may be several messages before the first answer. A tool loop begins behind what the user says without
    results, and its first turn stays where it thinks: the provider wants it to.
    """
    leading = next((at for at in range(cut) if messages[at]["role"] != "system"), cut)
    asked = [at for at in range(leading, cut) if messages[at]["role"] == "user" and says_something(messages[at])]
    turn = next((at for at in range(cut - 1, -1, -1) if messages[at]["role"] == "assistant"), leading)
    # A request that came in one message with results stays with the calls that they answer.
    called = [at - 1 for at in asked[-1:] if holds_results(messages[at])]
    answers = [at for at in range(cut) if of_model(messages[at])]
    task = [at for at in asked if at < min(answers, default=cut)]
    prompts = [at for at in range(leading, cut) if messages[at]["role"] == "user" and not holds_results(messages[at])]
    opening = next((at for at in answers if prompts and at > prompts[-1]), cut)
    follows = range(opening, next((at for at in answers if at > opening), cut))
    loop = follows if opening < cut and thinks(messages[opening]) else ()
    return {*range(leading), *task, *called, *asked[-1:], *prompts[-1:], *loop, *range(turn, cut)}


def of_model(message: Any) -> bool:
    return bool(message["role"] == "assistant")


def thinks(message: Any) -> bool:
    content = message["content"]
    return isinstance(content, list) and any(block["type"] in ("thinking", "redacted_thinking") for block in content)


def holds_results(message: Any) -> bool:
    content = message["content"]
    return not isinstance(content, str) and any(block["type"] == "tool_result" for block in content)


def test_over_budget_only_by_what_must_stay(recorded: list[Conversation]) -> None:
    """Where it does not fit, nothing is shown but what must stay by an independent reading, and the report adds up."""
    over = added_up = 0
    for one in recorded:
        counter = octavo.counter_for(MODELS[one["format"]])
        place = {id(message): at for at, message in enumerate(one["messages"])}
        for cut, context in steps(one, 1_000):
            if context.fits:
                continue
            over += 1
            where = (one["id"], cut)
            if context.report.repairs:
                continue  # what a repair made new is nobody's own message
            shown = {place[id(message)] for message in context.messages}
            assert shown <= must_stay(one["messages"], cut), (where, context.report)
            counted = counter.count_messages(context.messages, context.tools, context.system, format=one["format"])
            assert context.report.over == counted.tokens - 1_000, where
            assert sum(context.report.pinned.values()) == counted.tokens, where
            added_up += 1
    looked_at(recorded, over, 50)
    looked_at(recorded, added_up, 50)


def test_the_stateless_form_equals_steps(recorded: list[Conversation]) -> None:
    compared = 0
    for budget in (1_000, 4_000):
        for one in recorded:
            for number, (cut, context) in enumerate(steps(one, budget)):
                if number % SAMPLED:
                    continue
                model, tools = MODELS[one["format"]], one["tools"] or None
                alone = octavo.assemble(one["messages"][:cut], budget=budget, model=model, tools=tools)
                assert alone.messages == context.messages, (one["id"], cut, budget)
                assert alone.report == context.report, (one["id"], cut, budget)
                compared += 1
    looked_at(recorded, compared, 500, 4)


def test_the_prefix_is_sent_again_unless_the_cut_moved(recorded: list[Conversation]) -> None:
    stayed = moved = 0
    for one in recorded:
        before: octavo.Context | None = None
        for cut, context in steps(one, 4_000):
            if before is not None and not context.report.moved:
                shared = context.report.first_changed_index
                assert shared is not None
                assert context.messages[:shared] == before.messages[:shared]
                if not before.report.repairs and not context.report.repairs:
                    stayed += 1
                    assert context.messages[: len(before.messages)] == before.messages, (one["id"], cut)
            moved += context.report.moved
            before = context
    looked_at(recorded, stayed, 1_000, 10)
    looked_at(recorded, moved, 20)
