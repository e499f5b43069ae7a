"""Budgets and marks: refused when they make no sense, obeyed when they do."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import octavo
from octavo import Budget, Marks
from octavo.errors import BudgetError
from sessions import DIALECTS, OPENAI, Dialect, calls_at

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.format)


def test_a_reserve_is_taken_off_the_window() -> None:
    assert Budget(1_000, reserve=200).tokens == 800
    assert Budget.of(800) == Budget(800)
    messages = [OPENAI.user("Task"), *OPENAI.loop(40)]
    derived = octavo.assemble(messages, budget=Budget(1_000, reserve=200), model="gpt-4o")
    assert derived.budget == 800
    assert derived.report == octavo.assemble(messages, budget=800, model="gpt-4o").report


@pytest.mark.parametrize(
    "wrong",
    [
        {"window": -1}, {"window": 1.0}, {"window": True}, {"window": None}, {"window": 2**63},
        {"window": 100, "reserve": -1}, {"window": 100, "reserve": 100}, {"window": 100, "reserve": 101},
        {"window": 0, "reserve": 1},
    ],
)  # fmt: skip
def test_a_budget_of_no_sense_is_a_typed_error(wrong: dict[str, Any]) -> None:
    with pytest.raises(BudgetError) as caught:
        Budget(**wrong)
    assert caught.value.name in ("window", "reserve")
    assert str(caught.value.got) in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        (0.6, 0.8, 0.0), (0.6, 0.8, 0.7), (0.9, 0.8, 0.5), (0.6, 1.1, 0.5), (0.5, 0.5, 0.5), (math.nan, 0.8, 0.5),
        (0.6, math.inf, 0.5), (0.6, 0.8, "0.5"), (-0.6, 0.8, -0.7), (0.6, 10**400, 0.5),
        # In thousandths, as the engine takes them, these are out of order too.
        (0.5001, 0.5002, 0.5), (0.6, 0.8, 0.0004),
    ],
)  # fmt: skip
def test_marks_out_of_order_are_a_typed_error(wrong: tuple[Any, Any, Any]) -> None:
    with pytest.raises(BudgetError, match="marks"):
        Marks(*wrong)


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3), st.booleans())
@settings(max_examples=400, deadline=None)
def test_marks_that_are_taken_are_taken_by_the_engine_too(shares: list[float], close: bool) -> None:
    low, soft, high = sorted(one / 500 + 0.4 for one in shares) if close else sorted(shares)
    try:
        marks = Marks(soft, high, low)
    except BudgetError:
        return
    assert octavo.assemble([OPENAI.user("Task")], budget=Budget(1_000, marks=marks)).fits


def test_the_largest_budget_is_taken() -> None:
    messages = [OPENAI.user("Task"), *OPENAI.loop(2)]
    context = octavo.assemble(messages, budget=2**63 - 1, model="gpt-4o")
    assert context.messages == messages
    assert context.fits


@every_dialect
def test_shrinking_starts_at_the_high_mark_and_goes_to_the_low_one(dialect: Dialect) -> None:
    marks = Marks(soft=0.5, high=0.7, low=0.3)
    messages = [dialect.user("Task"), *dialect.loop(150)]
    transcript = octavo.Transcript(dialect.model, format=dialect.format)
    done = 0
    after: list[float] = []
    before: list[float] = []
    for cut in calls_at(messages):
        transcript.extend(messages[done:cut])
        done = cut
        report = transcript.assemble(budget=Budget(4_000, marks=marks, ledger=0)).report
        share = report.history_tokens / (report.budget - report.fixed_tokens)
        (after if report.moved else before).append(share)
    assert len(after) > 2
    assert max(before) <= 0.7
    assert max(before) > 0.6, "nothing is dropped early"
    # Down to the low mark, less what the grid (an eighth of the room at most) and one exchange take off.
    assert all(0.3 - 1 / 8 - 0.05 <= share <= 0.3 for share in after), after


@every_dialect
def test_the_hard_mark_is_never_passed_where_it_can_be_kept(dialect: Dialect) -> None:
    marks = Marks(soft=0.9, high=1.0, low=0.9)
    messages = [dialect.user("Task"), *dialect.loop(60)]
    transcript = octavo.Transcript(dialect.model, format=dialect.format)
    fullest = 0
    done = 0
    for cut in calls_at(messages):
        transcript.extend(messages[done:cut])
        done = cut
        context = transcript.assemble(budget=Budget(2_000, marks=marks))
        assert context.fits
        fullest = max(fullest, context.tokens)
    assert fullest > 1_700


def test_every_budget_is_used_or_told_over() -> None:
    messages = [OPENAI.user("Task"), *OPENAI.loop(10, parallel=2)]
    least = octavo.assemble(messages, budget=0, model="gpt-4o").tokens
    for budget in range(1_500):
        context = octavo.assemble(messages, budget=budget, model="gpt-4o")
        assert context.fits == (budget >= least)
        assert context.report.over == max(0, context.tokens - budget)
