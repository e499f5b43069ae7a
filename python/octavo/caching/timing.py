"""When a change of what was sent pays: now, when the cache is cold anyway, or because the window forces it.

An edit that drops D tokens with R tokens behind it makes these R be written again: it costs R·(write - read) once, and
each call saves D·read from then on. Where the cache is cold everything is written again in any case, and the edit is
free. This is the arithmetic of both, with the provider's minimum and steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal, TypeAlias

from octavo.budget import whole_number
from octavo.caching.cost import dollars, money_of, split
from octavo.caching.prices import Lifetime, Prices
from octavo.checking import refuse

__all__ = ["Action", "Change", "Timing", "when_to_change"]

Action: TypeAlias = Literal["now", "defer", "forced"]
"""`now`: it pays. `defer`: wait until the cache is cold. `forced`: without it the next call does not fit."""


@dataclass(frozen=True, slots=True)
class Change:
    """A planned edit of what the next call sends.

    Attributes:
        before: tokens before the edit's place: they stay as they are.
        dropped: tokens that the edit takes away.
        after: tokens behind it: they stay, and must be written anew.

    Raises:
        BudgetError: a number is negative or not whole.
    """

    before: int
    dropped: int
    after: int

    def __post_init__(self) -> None:
        """Refuse what is no number of tokens."""
        for name in ("before", "dropped", "after"):
            whole_number(name, getattr(self, name))


@dataclass(frozen=True, slots=True)
class Timing:
    """What to do about a change, and the arithmetic that says so.

    Attributes:
        action: `now`, `defer` or `forced`.
        reason: `over_limit`, `cold` (it is free now), `pays_back`, `too_few_calls`, or `no_saving` (no number of calls
            would pay it back).
        cold: whether the cache holds nothing any more.
        calls: the calls that were reckoned with, the next one included: those that are expected, or those until the
            cache gets cold, whichever are fewer.
        extra: US dollars that the next call costs more because of the rewriting; 0 or less where the cache is cold.
        saved_each_call: US dollars that each call saves because less is sent.
        break_even: calls after which the edit has paid for itself; `None` where it never does.
        net: US dollars that the edit saves over those calls; negative where it costs.
        change: what was asked about.
        lifetime: the name of the lifetime that was assumed.
        idle_seconds: how long ago the call before was; `None` where that is not known: the cache was taken for warm.
    """

    action: Action
    reason: str
    cold: bool
    calls: int
    extra: Decimal
    saved_each_call: Decimal
    break_even: int | None
    net: Decimal
    change: Change
    lifetime: str
    idle_seconds: float | None

    def __str__(self) -> str:
        """The decision and its arithmetic in a few lines."""
        change, why = self.change, self.reason.replace("_", " ")
        idle = "unknown" if self.idle_seconds is None else f"{self.idle_seconds:,.0f} s"
        pays = "never" if self.break_even is None else f"after {self.break_even:,} calls"
        extra, saved = dollars(self.extra), dollars(self.saved_each_call)
        return "\n".join(
            [
                f"{self.action} ({why}): {change.dropped:,} tokens dropped, {change.after:,} behind them",
                f"  cache {'cold' if self.cold else 'warm'}, idle {idle}, entries live {self.lifetime}",
                f"  {extra} extra at the next call, {saved} saved at each: pays {pays}",
                f"  over {self.calls:,} calls: {dollars(self.net)}",
            ]
        )


def when_to_change(
    prices: Prices,
    change: Change,
    *,
    calls: int,
    calls_until_cold: int | None = None,
    last_call: datetime | None = None,
    now: datetime | None = None,
    limit: int | None = None,
    lifetime: str | None = None,
) -> Timing:
    """Decide when to make a change: a pure function of its arguments.

    Args:
        prices: what tokens cost, and how long entries live.
        change: what is planned.
        calls: how many calls are expected from now on, the next one included.
        calls_until_cold: how many of them come before a pause that outlives the cache, where one is expected; 0: the
            pause has been.
        last_call: when the call before was made; where it is not given the cache is taken for warm.
        now: when the next call is made.
        limit: the most tokens that the next call may send.
        lifetime: what entries were asked to live; the shortest of the prices where it is not given.

    Returns:
        What to do, with the break-even arithmetic. Where both ways cost the same it says `defer`: what is not dropped
        may still be of use.

    Raises:
        BudgetError: a number is negative or not whole.
        ArgumentError: `last_call` is given without `now` or they cannot be compared, or there is no such lifetime.
    """
    whole_number("calls", calls)
    for name, number in (("calls_until_cold", calls_until_cold), ("limit", limit)):
        if number is not None:
            whole_number(name, number)
    life = prices.lifetime(lifetime)
    idle = _idle(last_call, now)
    cold = calls_until_cold == 0 or (idle is not None and idle >= life.seconds)
    # Behind a pause the edit is free: what it saves from there on, waiting for the pause saves as well.
    reckoned = calls if calls_until_cold is None or cold else min(calls, calls_until_cold)
    extra, saved = _extra(prices, life, change, cold=cold), _saved(prices, life, change)
    net = saved * reckoned - extra if reckoned else Decimal(0)
    break_even = _break_even(extra, saved)
    action, reason = _decided(_is_over(change, limit), net, cold=cold, repays=break_even is not None)
    return Timing(action, reason, cold, reckoned, extra, saved, break_even, net, change, life.name, idle)


def _decided(over: bool, net: Decimal, *, cold: bool, repays: bool) -> tuple[Action, str]:
    if over:
        return "forced", "over_limit"
    if net > 0:
        return "now", "cold" if cold else "pays_back"
    return "defer", "too_few_calls" if repays else "no_saving"


def _is_over(change: Change, limit: int | None) -> bool:
    return limit is not None and change.before + change.dropped + change.after > limit


def _idle(last_call: datetime | None, now: datetime | None) -> float | None:
    """Seconds since the call before."""
    if last_call is None:
        return None
    if now is None:
        raise refuse("now", "a datetime, where last_call is given", now)
    if (last_call.utcoffset() is None) != (now.utcoffset() is None):
        raise refuse("now", "a datetime with a time zone where last_call has one, and else without", now)
    return (now - last_call).total_seconds()


def _saved(prices: Prices, life: Lifetime, change: Change) -> Decimal:
    """What a call costs less when all that it sends is cached, with the edit and without."""
    whole, edited = change.before + change.dropped + change.after, change.before + change.after
    return _cost(prices, life, whole, whole) - _cost(prices, life, edited, edited)


def _extra(prices: Prices, life: Lifetime, change: Change, *, cold: bool) -> Decimal:
    """What the next call costs more than one of those after it, beyond what it would without the edit."""
    whole, edited = change.before + change.dropped + change.after, change.before + change.after
    held = 0 if cold else change.before
    rewriting = _cost(prices, life, edited, held) - _cost(prices, life, edited, edited)
    if not cold:
        return rewriting
    return rewriting - (_cost(prices, life, whole, 0) - _cost(prices, life, whole, whole))


def _cost(prices: Prices, life: Lifetime, tokens: int, shared: int) -> Decimal:
    return money_of(prices, life, split(prices, life, tokens, shared))


def _break_even(extra: Decimal, saved: Decimal) -> int | None:
    """The fewest calls that save what the edit costs."""
    if extra <= 0:
        return 0 if saved >= 0 else None
    if saved <= 0:
        return None
    # `//` of decimals goes towards zero, so that the usual way to round up would round down.
    calls = int(extra // saved)
    return calls if calls * saved == extra else calls + 1
