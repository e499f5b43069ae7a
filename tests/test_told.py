"""What a context tells of messages that the cut left out: sticky, bounded, the same for whoever asks."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

import octavo
from octavo.errors import BudgetError
from octavo.told import Telling
from sessions import ANTHROPIC, DIALECTS, FILLER, OPENAI, Dialect, calls_at

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.format)


def order(dialect: Dialect, steps: int) -> list[Any]:
    """A task, then steps that each bring a number of their own, which no later step repeats."""
    messages = [dialect.user("Refund what is broken")]
    for step in range(steps):
        messages += dialect.calls(f"c{step}")
        messages += dialect.results(f"c{step}", text=f"order_id: ORD-{7000 + step}\n" + FILLER * 3)
    return messages


def told_in(context: octavo.Context) -> str:
    """The ledger's section of a context."""
    shown = json.dumps(context.messages)
    start, end = shown.find("<ledger>"), shown.find("</ledger>")
    return shown[start:end] if start >= 0 else ""


def steps_of(dialect: Dialect, messages: list[Any], budget: int | octavo.Budget) -> list[octavo.Context]:
    transcript, done, contexts = octavo.Transcript(dialect.model, format=dialect.format), 0, list[octavo.Context]()
    for cut in [*calls_at(messages), len(messages)]:
        transcript.extend(messages[done:cut])
        done = cut
        contexts.append(transcript.assemble(budget=budget))
    return contexts


@every_dialect
def test_what_left_the_window_is_told_and_stays_until_the_next_cut(dialect: Dialect) -> None:
    messages = order(dialect, 80)
    contexts = steps_of(dialect, messages, 2_000)
    told = [told_in(context) for context in contexts]
    assert told[0] == ""
    assert "ORD-7001" in " ".join(told)
    moved = kept = 0
    for before, after, context in zip(told, told[1:], contexts[1:], strict=False):
        if context.report.moved:
            moved += before != after
        else:
            kept += 1
            assert before == after
    assert moved > 3
    assert kept > 30


@every_dialect
def test_a_call_without_state_tells_the_same(dialect: Dialect) -> None:
    messages = order(dialect, 60)
    ends = [*calls_at(messages), len(messages)]
    said = 0
    for budget in (900, 2_500):
        for cut, context in zip(ends, steps_of(dialect, messages, budget), strict=True):
            alone = octavo.assemble(messages[:cut], budget=budget, model=dialect.model, format=dialect.format)
            assert alone.messages == context.messages
            assert alone.report == context.report
            said += bool(told_in(alone))
    assert said > 20


@every_dialect
def test_it_stays_within_its_share_and_the_budget(dialect: Dialect) -> None:
    messages = order(dialect, 120)
    seen = 0
    for budget in (700, 1_000, 2_000, 5_000):
        for share in (0.05, 0.15, 0.4):
            limit = octavo.Budget(budget, ledger=share)
            report = octavo.assemble(messages, budget=limit, model=dialect.model, format=dialect.format).report
            assert report.fits
            assert report.tokens <= budget
            for section in report.sections:
                assert section.name == "ledger"
                assert 0 < section.tokens <= share * budget
                seen += 1
    assert seen > 5


def test_no_share_tells_nothing() -> None:
    messages = order(OPENAI, 80)
    context = octavo.assemble(messages, budget=octavo.Budget(1_500, ledger=0), model=OPENAI.model)
    assert told_in(context) == ""
    assert context.report.sections == ()
    assert told_in(octavo.assemble(messages, budget=1_500, model=OPENAI.model))


@pytest.mark.parametrize("share", [-0.1, 0.6, float("nan"), True, "0.1", None])
def test_a_share_out_of_range_is_refused(share: Any) -> None:
    with pytest.raises(BudgetError, match="ledger must be a share"):
        octavo.Budget(1_000, ledger=share)


def test_secrets_of_what_was_left_out_are_not_told() -> None:
    messages = order(OPENAI, 2)
    messages += [OPENAI.user("password: hunter2-Blue9, and my order is ORD-9999"), OPENAI.reply("Thanks.")]
    messages += [OPENAI.user("go on"), *order(OPENAI, 40)[1:]]
    told = told_in(octavo.assemble(messages, budget=1_500, model=OPENAI.model))
    assert "ORD-9999" in told
    assert "hunter2" not in told


def test_names_of_arguments_that_tools_take_come_first() -> None:
    messages: list[Any] = [OPENAI.user("Go")]
    for step in range(60):
        text = json.dumps({"seat": f"S-{step}A", "colour_code": f"C-{step}B", "note": FILLER})
        messages += OPENAI.calls(f"c{step}") + OPENAI.results(f"c{step}", text=text)

    def shown(name: str) -> list[int]:
        schema = {"type": "object", "properties": {name: {"type": "string"}}}
        tools = [{"type": "function", "function": {"name": "look", "description": "d", "parameters": schema}}]
        limit = octavo.Budget(1_600, ledger=0.07)
        told = told_in(octavo.assemble(messages, budget=limit, model=OPENAI.model, tools=tools))
        return [told.count("S-"), told.count("C-")]

    seats, colours = shown("seat"), shown("colour_code")
    assert seats[0] > seats[1]
    assert colours[1] > colours[0]


def test_going_back_and_going_apart_tell_what_they_would_have() -> None:
    messages = order(ANTHROPIC, 60)
    transcript = octavo.Transcript(ANTHROPIC.model)
    transcript.extend(messages)
    whole = transcript.assemble(budget=1_500)
    other = transcript.fork()
    other.extend(order(ANTHROPIC, 20)[1:])
    assert transcript.assemble(budget=1_500).messages == whole.messages
    other.rewind(len(messages))
    assert other.assemble(budget=1_500).messages == whole.messages
    transcript.rewind(61)
    fresh = octavo.assemble(messages[:61], budget=1_500, model=ANTHROPIC.model)
    assert transcript.assemble(budget=1_500).messages == fresh.messages
    assert told_in(fresh)


def test_usage_of_a_context_counts_what_is_told() -> None:
    transcript = octavo.Transcript(ANTHROPIC.model)
    transcript.extend(order(ANTHROPIC, 60))
    context = transcript.assemble(budget=2_000)
    assert told_in(context)
    counted = octavo.counter_for(ANTHROPIC.model).count_messages(context.messages)
    assert counted.tokens == context.tokens
    transcript.observe({"input_tokens": context.tokens * 2}, context)
    assert transcript.assemble(budget=4_000).tokens <= 4_000


def test_threads_and_tasks_are_told_the_same() -> None:
    messages = order(OPENAI, 120)
    transcript = octavo.Transcript(OPENAI.model)
    transcript.extend(messages)
    expected = {
        budget: octavo.assemble(messages, budget=budget, model=OPENAI.model).messages for budget in (900, 1_500)
    }
    wrong: list[int] = []

    def look(budget: int) -> None:
        wrong.extend(budget for _ in range(20) if transcript.assemble(budget=budget).messages != expected[budget])

    threads = [threading.Thread(target=look, args=(budget,)) for budget in (900, 1_500) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []

    async def gathered() -> list[octavo.Context]:
        return await asyncio.gather(*(transcript.assemble_async(budget=budget) for budget in (900, 1_500)))

    assert [context.messages for context in asyncio.run(gathered())] == list(expected.values())


def test_a_fork_and_a_rewind_read_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = octavo.Transcript(ANTHROPIC.model)
    transcript.extend(order(ANTHROPIC, 60))
    whole = transcript.assemble(budget=1_500)
    read: list[int] = []
    section = Telling._section

    def counted(telling: Telling, *given: Any) -> Any:
        read.append(1)
        return section(telling, *given)

    monkeypatch.setattr(Telling, "_section", counted)
    other = transcript.fork()
    assert other.assemble(budget=1_500).messages == whole.messages
    other.append(ANTHROPIC.user("and?"))
    other.rewind(len(transcript))
    assert other.assemble(budget=1_500).messages == whole.messages
    assert read == []
    assert octavo.assemble(transcript.messages, budget=1_500, model=ANTHROPIC.model).messages == whole.messages
    assert read == [1]


def test_a_long_task_leaves_the_conversation_its_room() -> None:
    messages: list[Any] = [OPENAI.user("Refund what is broken. " + FILLER * 300), *order(OPENAI, 120)[1:]]
    task = octavo.counter_for(OPENAI.model).count_message(messages[0])
    budget = round(task * 1.4)
    contexts = steps_of(OPENAI, messages, budget)
    moved = sum(context.report.moved for context in contexts)
    bare = sum(context.report.moved for context in steps_of(OPENAI, messages, octavo.Budget(budget, ledger=0)))
    assert bare > 2
    assert moved < 2 * bare + 4
    told = [section.tokens for context in contexts for section in context.report.sections]
    assert told
    assert max(told) <= min(0.15 * budget, 0.5 * (budget - task))


def test_what_must_stay_does_not_move_the_cut_at_each_call() -> None:
    def moves(budget: octavo.Budget, opening: list[Any], *, pin: bool = False, constant: int = 0) -> int:
        transcript, moved = octavo.Transcript(OPENAI.model, format="openai"), 0
        transcript.extend(opening)
        if pin:
            transcript.pin(2)
        for turn in range(150):
            transcript.extend([OPENAI.reply("a"), OPENAI.user(f"order_id: ORD-{turn} " + "word " * (turn * 7 % 60))])
            context = transcript.assemble(budget=budget)
            moved += context.report.moved
            if constant:
                transcript.observe({"prompt_tokens": context.tokens + constant, "completion_tokens": 1}, context)
        return moved

    long = [OPENAI.user("Refund. " + "word " * 8_000)]
    pinned = [OPENAI.user("Refund."), OPENAI.reply("Yes."), *long]
    kinds: list[tuple[list[Any], dict[str, Any]]] = [
        (long, {}),
        (pinned, {"pin": True}),
        ([OPENAI.user("Refund.")], {"constant": 8_000}),
    ]
    for opening, options in kinds:
        bare = moves(octavo.Budget(10_000, ledger=0), opening, **options)
        told = moves(octavo.Budget(10_000), opening, **options)
        assert 1 < bare <= told < 3 * bare + 4, options


def test_one_huge_result_does_not_push_out_what_was_said_before_it() -> None:
    messages = [
        OPENAI.user("Look after booking XEWRD9."), *OPENAI.calls("c1"), *OPENAI.results("c1", text="order_id: ORD-55"),
        *OPENAI.calls("c2"), *OPENAI.results("c2", text="word " * 100_000), OPENAI.reply("done"), OPENAI.user("and?"),
    ]  # fmt: skip
    assert "ORD-55" in told_in(octavo.assemble(messages, budget=4_000, model=OPENAI.model))
