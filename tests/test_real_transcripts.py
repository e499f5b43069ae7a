"""Recorded conversations, cut before every model call, at eight budgets: always valid, never silently over."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import octavo
from sessions import calls_at

SHARED = Path(os.environ.get("OCTAVO_SHARED", Path(__file__).parents[2] / "shared"))
FOLDER = SHARED / "data/transcripts"
BUDGETS = (0, 400, 1_000, 2_000, 4_000, 8_000, 16_000, 64_000)
MODELS = {"openai": "gpt-4o", "anthropic": "claude-sonnet-4-5"}

# Every so many-th cut is assembled once more from the bare list: reading it anew costs as much as all steps before.
SAMPLED = 11

Conversation = dict[str, Any]


def conversations() -> Iterator[Conversation]:
    for path in sorted(FOLDER.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


@pytest.fixture(scope="module")
def recorded() -> list[Conversation]:
    if not FOLDER.is_dir():
        pytest.skip(
            f"no recorded conversations at {FOLDER.name}: set OCTAVO_SHARED to the folder that has data/transcripts"
        )
    found = list(conversations())
    assert len(found) > 100
    return found


def task_of(messages: list[Any]) -> Any:
    """The first message of a user that says something beside tool results."""
    for message in messages:
        content = message["content"]
        if message["role"] == "user" and (
            isinstance(content, str) or any(block["type"] == "text" for block in content)
        ):
            return message
    return None


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
            if context.fits != (context.tokens <= budget):
                faults.append(f"{where}: {context.tokens} tokens, budget {budget}, fits {context.fits}")
            task = task_of(one["messages"][:cut])
            if task is not None and not any(said(task) in said(m) for m in context.messages if m["role"] == "user"):
                faults.append(f"{where}: the task is gone")
            if cuts % SAMPLED == 0:
                counted = counter.count_messages(context.messages, context.tools, context.system, format=one["format"])
                if counted.tokens != context.tokens:
                    faults.append(f"{where}: says {context.tokens} tokens, has {counted.tokens}")
        assert json.dumps(one["messages"]) == before
    assert cuts > 2_000, "no model call was looked at"
    assert not faults, f"{len(faults)} of {cuts}:\n" + "\n".join(faults[:20])


def test_over_budget_only_by_what_must_stay(recorded: list[Conversation]) -> None:
    over = 0
    for one in recorded:
        for cut, context in steps(one, 1_000):
            report = context.report
            if not context.fits:
                over += 1
                assert report.over == context.tokens - 1_000
                assert report.pinned, (one["id"], cut)
                assert sum(report.pinned.values()) >= report.over
    assert over > 50


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
    assert compared > 500


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
    assert stayed > 1_000
    assert moved > 20
