"""What a call costs by its prompt cache, and when a change of what was sent pays."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import octavo
from octavo.caching import Change, Lifetime, Prices, Timing, cost_of, prices_for, when_to_change
from octavo.errors import ArgumentError, BudgetError
from project_tree import ROOT

TABLE: dict[str, Any] = json.loads((ROOT / "python/octavo/caching/prices.json").read_text(encoding="utf-8"))
SONNET = prices_for("claude-sonnet-4-5")

# ---- prices ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "row", "price"),
    [
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5", "3"),
        ("bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5", "1"),
        ("anthropic/claude-opus-4.5", "claude-opus-4-5", "5"),
        ("claude-opus-4-20250514", "claude-opus-4", "15"),
        ("claude-opus-4-9", "claude", "3"),
        ("gpt-4o-2024-08-06", "gpt-4o", "2.50"),
        ("gpt-4o-mini", "gpt-4o-mini", "0.15"),
        ("GPT-5.6-luna", "gpt-5.6-luna", "0.20"),
        ("gpt-5.9", "gpt", "2"),
        ("gpt-7-sol", "gpt", "2"),
        ("openai/o3-mini", "o3-mini", "1.10"),
        ("llama-3.3-70b", "", "1"),
        (None, "", "1"),
    ],
)
def test_a_name_gets_the_row_of_its_model_and_never_that_of_another_version(
    name: str | None, row: str, price: str
) -> None:
    found = prices_for(name)
    assert (found.model, found.input) == (row, Decimal(price))
    assert found.known == (row not in ("", "claude", "gpt"))


def test_every_row_has_a_source_and_a_date_and_is_found_by_its_own_name() -> None:
    rows = [(group, row) for group in TABLE["groups"] for row in group["models"]]
    assert len(rows) > 50
    for group, row in rows:
        assert group["source"]
        assert date.fromisoformat(group["date"]) >= date(2026, 11, 30)
        found = prices_for(row["prefix"])
        assert (found.model, found.input, found.read) == (row["prefix"], Decimal(row["input"]), Decimal(row["read"]))
        assert found.read <= found.input
        assert found.minimum >= 512


def test_the_fallback_promises_no_discount() -> None:
    unknown = prices_for("some-model-of-mine")
    cost = cost_of(unknown, 10_000, 8_000)
    assert not unknown.known
    assert cost.money == cost.without_cache == Decimal("0.01")
    assert any("not in the price table" in line for line in cost.assumed)


@pytest.mark.parametrize("wrong", [Decimal(-1), Decimal("NaN"), 3.0])
def test_what_is_no_price_is_refused(wrong: Any) -> None:
    with pytest.raises((BudgetError, ArgumentError), match="input must be"):
        replace(SONNET, input=wrong)


# ---- cost -----------------------------------------------------------------------------------------------------------


def test_the_parts_of_a_call_are_what_the_provider_bills() -> None:
    cost = cost_of(SONNET, 100_000, 90_000, tail=1_000)
    assert (cost.uncached, cost.written, cost.read) == (1_000, 9_000, 90_000)
    assert cost.money == Decimal("0.003") + Decimal("0.03375") + Decimal("0.027")
    assert cost.saved == Decimal("0.3") - cost.money
    hour = cost_of(SONNET, 100_000, 90_000, lifetime="1h")
    assert hour.money == Decimal("0.06") + Decimal("0.027")


def test_a_prefix_below_the_minimum_is_neither_written_nor_read() -> None:
    haiku = prices_for("claude-haiku-4-5")
    assert haiku.minimum == 4_096
    below, above = cost_of(haiku, 4_095, 4_000), cost_of(haiku, 4_096, 4_096)
    assert (below.uncached, below.written, below.read) == (4_095, 0, 0)
    assert (above.uncached, above.written, above.read) == (0, 0, 4_096)


def test_openai_reads_in_steps_and_bills_no_write_before_its_newer_models() -> None:
    old, new = prices_for("gpt-4o"), prices_for("gpt-5.6-sol")
    assert (cost_of(old, 3_000, 2_000).uncached, cost_of(old, 3_000, 2_000).read) == (1_080, 1_920)
    assert cost_of(old, 3_000, 1_000).read == 0
    assert (cost_of(new, 3_000, 2_000).written, cost_of(new, 3_000, 2_000).read) == (1_000, 2_000)


@given(
    st.sampled_from(["claude-sonnet-4-5", "claude-opus-4-5", "gpt-4o", "gpt-5.6", "mine"]),
    st.integers(0, 300_000), st.integers(0, 300_000), st.integers(0, 300_000),
)  # fmt: skip
def test_no_token_is_lost_and_none_is_billed_twice(model: str, tokens: int, shared: int, tail: int) -> None:
    prices = prices_for(model)
    cost = cost_of(prices, tokens, shared, tail=tail)
    assert cost.tokens == tokens
    assert min(cost.uncached, cost.written, cost.read) >= 0
    assert cost.read <= shared
    assert cost.read % prices.step == 0
    assert cost.read == 0 or cost.read >= prices.minimum


def test_a_context_says_what_it_costs() -> None:
    transcript = octavo.Transcript("claude-sonnet-4-5", format="anthropic")
    transcript.append({"role": "user", "content": "task " * 3_000})
    first = transcript.assemble(budget=20_000)
    assert (first.cost().written, first.cost().read) == (first.tokens, 0)
    transcript.extend([{"role": "assistant", "content": "done"}, {"role": "user", "content": "and now?"}])
    tail = octavo.Section("time", "It is 20:15.", place="tail")
    second = transcript.assemble(budget=20_000, sections=[tail])
    cost = second.cost()
    assert cost.read == second.report.stable_prefix_tokens > 3_000
    assert 0 < cost.uncached < 20
    assert cost.tokens == second.tokens
    assert second.cost(cold=True).read == 0
    assert second.cost(lifetime="1h").money > cost.money
    assert second.cost(prices_for("gpt-4o")).written == 0
    assert str(cost).startswith(f"${cost.money.normalize():f} for {second.tokens:,} input tokens")


def test_a_lifetime_that_there_is_not_is_refused() -> None:
    context = octavo.assemble([{"role": "user", "content": "hi"}], budget=500, model="claude-sonnet-4-5")
    with pytest.raises(ArgumentError, match="one of 5m, 1h"):
        context.cost(lifetime="2h")


# ---- when a change pays ---------------------------------------------------------------------------------------------


def simulated(prices: Prices, change: Change, calls: int, *, cold_at: int | None, edit_at: int | None) -> Decimal:
    """Play the calls one by one: what is sent, what the cache holds, what each costs."""
    whole = change.before + change.dropped + change.after
    held, total, life = whole, Decimal(0), prices.lifetimes[0]
    for call in range(calls):
        if call == cold_at:
            held = 0
        if call == edit_at:
            held = min(held, change.before)
        tokens = whole if edit_at is None or call < edit_at else whole - change.dropped
        read = min(held, tokens) // prices.step * prices.step
        read = read if read >= prices.minimum else 0
        rest = tokens - read
        write = life.write if life.write is not None and tokens >= prices.minimum else prices.input
        total += (read * prices.read + rest * write) / Decimal(1_000_000)
        held = tokens
    return total


SMALL = st.integers(0, 40).map(lambda number: number * 100)


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from([replace(prices_for(name), minimum=least) for name in ("claude-sonnet-4-5", "gpt-4o", "gpt-5.6")
                     for least in (0, 1_024, 2_000)]),
    SMALL, SMALL, SMALL, st.integers(1, 30), st.none() | st.integers(1, 40),
)  # fmt: skip
def test_the_decision_is_that_of_playing_every_way_to_the_end(
    prices: Prices, before: int, dropped: int, after: int, calls: int, pause: int | None
) -> None:
    change = Change(before, dropped, after)
    timing = when_to_change(prices, change, calls=calls, calls_until_cold=pause)
    cold_at = pause if pause is not None and pause < calls else None
    now = simulated(prices, change, calls, cold_at=cold_at, edit_at=0)
    later = simulated(prices, change, calls, cold_at=cold_at, edit_at=cold_at)
    assert timing.net == later - now
    assert timing.action == ("now" if now < later else "defer")
    if timing.break_even is not None:
        for count, pays in ((timing.break_even, True), (timing.break_even - 1, False)):
            ways = [simulated(prices, change, count, cold_at=None, edit_at=at) for at in (0, None)] if count > 0 else []
            assert not ways or (ways[0] <= ways[1]) == pays
    # Within a warm stretch no call between is better than both: the sum is a straight line.
    warm = timing.calls
    each = [simulated(prices, change, warm, cold_at=None, edit_at=at) for at in (*range(warm), None)]
    assert min(each) == min(each[0], each[-1])


@settings(deadline=None)
@given(SMALL, SMALL, SMALL, st.integers(1, 30))
def test_a_cold_cache_is_the_moment_to_edit(before: int, dropped: int, after: int, calls: int) -> None:
    change = Change(before, dropped, after)
    start = datetime(2026, 11, 30, tzinfo=UTC)
    timing = when_to_change(SONNET, change, calls=calls, last_call=start, now=start + timedelta(seconds=300))
    now = simulated(SONNET, change, calls, cold_at=0, edit_at=0)
    never = simulated(SONNET, change, calls, cold_at=0, edit_at=None)
    assert timing.cold
    assert timing.net == never - now
    assert timing.action == ("now" if now < never else "defer")


def test_the_break_even_is_the_one_that_is_derived_by_hand() -> None:
    """R/D = 2 at 1.25 and 0.1 of the price: 23 calls; at a free write and half the price: 2."""
    change = Change(20_000, 1_024 * 10, 2_048 * 10)
    assert when_to_change(SONNET, change, calls=23).break_even == 23
    assert [when_to_change(SONNET, change, calls=calls).action for calls in (23, 24)] == ["defer", "now"]
    free = replace(prices_for("gpt-4o"), step=1)
    assert when_to_change(free, change, calls=9).break_even == 2
    far = when_to_change(SONNET, Change(0, 500, 100_000), calls=500)
    assert (far.action, far.reason, far.break_even) == ("defer", "too_few_calls", 2_300)


def test_what_does_not_fit_is_forced_whatever_it_costs() -> None:
    timing = when_to_change(SONNET, Change(0, 500, 100_000), calls=1, limit=100_499)
    assert (timing.action, timing.reason) == ("forced", "over_limit")
    assert timing.net < 0
    assert when_to_change(SONNET, Change(0, 500, 100_000), calls=1, limit=100_500).action == "defer"


def test_an_entry_lives_as_long_as_it_was_asked_to() -> None:
    start = datetime(2026, 11, 30, tzinfo=UTC)

    def at(seconds: int, lifetime: str | None) -> Timing:
        return when_to_change(
            SONNET, Change(2_000, 500, 100_000), calls=2, last_call=start, now=start + timedelta(seconds=seconds),
            lifetime=lifetime,
        )  # fmt: skip

    assert [at(seconds, None).action for seconds in (299, 300)] == ["defer", "now"]
    assert [at(seconds, "1h").action for seconds in (3_599, 3_600)] == ["defer", "now"]
    assert at(300, None).reason == "cold"
    assert at(300, None).extra < 0


def test_a_time_zone_on_one_side_only_is_refused() -> None:
    aware = datetime(2026, 11, 30, tzinfo=UTC)
    change = Change(1, 1, 1)
    with pytest.raises(ArgumentError, match="now must be"):
        when_to_change(SONNET, change, calls=1, last_call=aware, now=aware.replace(tzinfo=None))
    with pytest.raises(ArgumentError, match="now must be"):
        when_to_change(SONNET, change, calls=1, last_call=aware)


def test_a_decision_can_be_read() -> None:
    said = str(when_to_change(SONNET, Change(20_000, 10_000, 20_000), calls=30))
    assert said.splitlines() == [
        "now (pays back): 10,000 tokens dropped, 20,000 behind them",
        "  cache warm, idle unknown, entries live 5m",
        "  $0.069 extra at the next call, $0.003 saved at each: pays after 23 calls",
        "  over 30 calls: $0.021",
    ]


def test_prices_of_one_s_own() -> None:
    mine = replace(SONNET, input=Decimal(1), lifetimes=(Lifetime("10m", 600, None),))
    assert [mine.lifetime(name).seconds for name in (None, "10m")] == [600, 600]
    with pytest.raises(ArgumentError, match="at least one Lifetime"):
        replace(SONNET, lifetimes=())
    assert list(itertools.islice((cost_of(mine, 2_000).written,), 1)) == [0]
