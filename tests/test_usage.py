"""What reported usage teaches about the counts that follow, whatever stands around the history."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

import octavo
from octavo.certainty import differing
from sessions import ANTHROPIC, OPENAI

MODEL = "claude-sonnet-4-6"
POLICY = "\n".join(f"Rule {at}: " + "answer in the user's own language " * 3 for at in range(12))
WORDS = "order ship refund customer the of and to invoice parcel street reply window agent clock paper river".split()


def clock(call: int) -> str:
    return f"{POLICY}\nIt is 2026-11-30 {call // 60 % 24:02}:{call % 60:02}, ticket {call * 7919 % 100_003}."


def memory(call: int) -> str:
    return POLICY + "\n# Memory\n" + "\n".join(f"- fact {at}: the customer likes {at * 31 % 97}" for at in range(call))


def another(call: int) -> str:
    return " ".join(random.Random(call).choices(WORDS, k=250 + call % 50))


SYSTEMS: dict[str, Callable[[int], str]] = {
    "constant": lambda _: POLICY,
    "clock": clock,
    "memory": memory,
    "another": another,
}


@dataclass(frozen=True)
class Provider:
    """Counts as a provider would whose tokenizer and hidden prompt are not known."""

    ratio: float
    constant: int
    noise: float = 0.01

    def tokens(self, context: octavo.Context, counter: octavo.tokens.Counter, dice: random.Random) -> int:
        shown = counter.count_messages(context.messages, system=context.system, tools=context.tools).tokens
        return round(shown * self.ratio * dice.uniform(1 - self.noise, 1 + self.noise)) + self.constant


@dataclass(frozen=True)
class Seen:
    """One call: what was said of it, and what it took."""

    report: octavo.Report
    true: int

    @property
    def inside(self) -> bool:
        return abs(self.report.tokens - self.true) <= self.report.error_bound * self.report.tokens


def agent(
    provider: Provider, system: Callable[[int], str], budget: int, calls: int, *, seed: int = 1, **more: Any
) -> Iterator[Seen]:
    """A tool loop that reports usage after each call."""
    dice, transcript = random.Random(seed), octavo.Transcript(MODEL, format="anthropic")
    transcript.append(ANTHROPIC.user("the task"))
    for call in range(calls):
        given = {name: value(call) for name, value in more.items()}
        context = transcript.assemble(budget=budget, system=system(call), **given)
        true = provider.tokens(context, transcript.counter, dice)
        yield Seen(context.report, true)
        transcript.observe({"input_tokens": true, "output_tokens": 5}, context)
        said = " ".join(dice.choices(WORDS, k=dice.randrange(5, 120)))
        use = {"type": "tool_use", "id": f"t{call}", "name": "look", "input": {}}
        transcript.append({"role": "assistant", "content": [use]})
        result = {"type": "tool_result", "tool_use_id": f"t{call}", "content": said}
        transcript.append({"role": "user", "content": [result]})


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
@pytest.mark.parametrize("constant", [0, 300, 1_500, 20_000])
@pytest.mark.parametrize("ratio", [0.3, 0.7, 1.0, 1.3, 1.6])
def test_the_true_count_lies_within_the_stated_bound(ratio: float, constant: int, system: Callable[[int], str]) -> None:
    budget = round(5_000 * ratio) + constant
    seen = list(agent(Provider(ratio, constant), system, budget, 160))
    assert sum(one.report.moved for one in seen) >= 3, "no cut was looked at"
    assert seen[0].report.usage == "none"
    assert all(one.report.usage != "none" for one in seen[1:]), "a report was ignored"
    later = seen[1:]
    outside = [at for at, one in enumerate(later) if not one.inside]
    assert len(outside) <= len(later) // 20, outside
    over = [at for at, one in enumerate(seen) if one.report.fits and one.true > budget]
    assert len(over) <= 4, over
    errors = sorted(abs(one.report.tokens - one.true) / one.true for one in later[20:])
    bounds = sorted(one.report.error_bound for one in later[20:])
    assert errors[len(errors) // 2] <= 0.02
    assert bounds[len(bounds) // 2] <= (0.7 if system is another else 0.12), "the bound says nothing"
