"""What reported usage teaches about the counts that follow, whatever stands around the history."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

import octavo
from octavo.certainty import differing
from octavo.tokens import Counter
from sessions import ANTHROPIC, OPENAI

MODEL = "claude-sonnet-4-6"
POLICY = "\n".join(f"Rule {at}: " + "answer in the user's own language " * 3 for at in range(12))
WORDS = [
    "order",
    "ship",
    "refund",
    "customer",
    "the",
    "of",
    "and",
    "to",
    "invoice",
    "parcel",
    "street",
    "reply",
    "window",
]


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

    def tokens(self, context: octavo.Context, counter: Counter, dice: random.Random) -> int:
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


def test_past_misses_widen_the_bound() -> None:
    dice, transcript = random.Random(1), octavo.Transcript(MODEL, format="anthropic")
    transcript.append(ANTHROPIC.user("task"))
    outside, context = list[int](), transcript.assemble(budget=20_000)
    for call in range(120):
        transcript.extend(ANTHROPIC.loop(1, start=call))
        context = transcript.assemble(budget=20_000, system=POLICY)
        # Two routes to the model, one of which adds a prompt of its own.
        true = Provider(1.2, dice.choice([0, 3_000])).tokens(context, transcript.counter, dice)
        if not Seen(context.report, true).inside:
            outside.append(call)
        transcript.observe({"input_tokens": true, "output_tokens": 1}, context)
    assert len(outside) <= 6, outside
    assert 0.1 < context.report.error_bound < 0.6


def test_another_order_of_words_is_no_other_text() -> None:
    assert differing(("one two", "three"), ("three", "two one")) == (0.0, 0.0)
    gone, come = differing((POLICY + "\nat 10:15",), (POLICY + "\nat 10:16",))
    assert 0 < gone == come < 0.01
    assert differing(("old words only",), ("quite new text",)) == (1.0, 1.0)
    assert differing((), ("new",)) == (0.0, 1.0)
    assert differing(("",), ("\n",)) == (0.0, 0.0)


def talk(**more: Any) -> tuple[octavo.Transcript, octavo.Report]:
    """A conversation of which one call was reported, and that call's report."""
    transcript = octavo.Transcript(MODEL, format="anthropic")
    transcript.extend([ANTHROPIC.user("task " * 400), *ANTHROPIC.loop(4)])
    context = transcript.assemble(budget=50_000, **more)
    transcript.observe({"input_tokens": round(context.tokens * 1.1) + 30, "output_tokens": 1}, context)
    return transcript, context.report


def tool(name: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"where": {"type": "string", "description": "a place " * 30}}}
    return {"name": name, "description": f"{name} things " * 20, "input_schema": schema}


def test_what_changed_widens_the_bound() -> None:
    transcript, first = talk(system=POLICY, tools=[tool("look")], thinking=False)
    same: dict[str, Any] = {"system": POLICY, "tools": [tool("look")], "thinking": False}

    def after(**changed: Any) -> octavo.Report:
        return transcript.assemble(budget=50_000, **{**same, **changed}).report

    assert first.usage == "none"
    known = after()
    assert known.usage == "anchored"
    changes: list[dict[str, Any]] = [
        {"system": POLICY + " It is 10:15."},
        {"system": [{"type": "text", "text": POLICY}, {"type": "text", "text": "It is 10:15."}]},
        {"system": another(1)},
        {"system": None},
        {"tools": [tool("look"), tool("go")]},
        {"tools": [tool("gone")]},
        {"tools": None},
        {"thinking": True},
        {"thinking": None},
    ]
    for changed in changes:
        assert after(**changed).usage == "learnt", changed
        asked: dict[str, Any] = {**same, **changed}
        plain = octavo.assemble(transcript.messages, budget=50_000, model=MODEL, format="anthropic", **asked)
        assert after(**changed).tokens > 1.05 * plain.tokens, "the ratio outlives what changed"
    clocked, exchanged = after(system=POLICY + " It is 10:15."), after(system=another(1))
    assert known.error_bound <= clocked.error_bound < known.error_bound + 0.005 < exchanged.error_bound
    renamed, spelt = after(tools=[tool("gone")]), after(tools=[tool("look"), tool("go")])
    assert known.error_bound < renamed.error_bound
    assert known.error_bound < spelt.error_bound


def test_another_thinking_mode_leaves_all_reasoning_in_doubt() -> None:
    bounds: dict[bool, dict[bool | None, float]] = {}
    for thought in (False, True):
        transcript = octavo.Transcript("claude-opus-4-8", format="anthropic")
        block = {"type": "thinking", "thinking": "hm " * 300, "signature": "S"}
        answer = [*([block] if thought else []), {"type": "text", "text": "so " * 300}]
        transcript.extend([ANTHROPIC.user("task"), {"role": "assistant", "content": answer}, ANTHROPIC.user("go on")])
        context = transcript.assemble(budget=50_000, thinking=True)
        transcript.observe({"input_tokens": round(context.tokens * 1.1), "output_tokens": 1}, context)
        bounds[thought] = {
            mode: transcript.assemble(budget=50_000, thinking=mode).report.error_bound for mode in (True, None)
        }
    assert bounds[False][True] == pytest.approx(bounds[False][None])
    assert bounds[True][None] > bounds[True][True] + 0.1


def test_a_section_that_is_exchanged_is_in_doubt() -> None:
    def section(text: str, place: Any) -> list[octavo.Section]:
        return [octavo.Section("recall", text, place=place)]

    for place in ("prefix", "head", "tail"):
        transcript, _ = talk(sections=section(another(1), place))
        same = transcript.assemble(budget=50_000, sections=section(another(1), place)).report
        other = transcript.assemble(budget=50_000, sections=section(another(2), place)).report
        assert other.error_bound > same.error_bound + 0.005, place
        assert other.usage == ("learnt" if place == "prefix" else "anchored")


def test_a_side_call_does_not_disturb_the_main_one() -> None:
    transcript = octavo.Transcript(MODEL, format="anthropic")
    transcript.append(ANTHROPIC.user("task"))
    main, side = Provider(1.1, 20_000), Provider(1.1, 0)
    dice, errors = random.Random(1), list[float]()
    for call in range(60):
        transcript.extend(ANTHROPIC.loop(1, start=call))
        context = transcript.assemble(budget=40_000, system=clock(call), tools=[tool("look")])
        true = main.tokens(context, transcript.counter, dice)
        errors.append(abs(context.tokens - true) / true)
        transcript.observe({"input_tokens": true, "output_tokens": 1}, context)
        look = transcript.assemble(budget=2_000, system="Write a title.")
        title = side.tokens(look, transcript.counter, dice)
        if call > 2:
            assert abs(look.tokens - title) <= look.report.error_bound * look.tokens
        transcript.observe({"input_tokens": title, "output_tokens": 1}, look)
    assert errors[0] > 0.5
    assert max(errors[3:]) < 0.01


def test_a_context_keeps_the_report_that_it_was_made_with() -> None:
    transcript, _ = talk(system=POLICY)
    kept, read = (transcript.assemble(budget=50_000, system=clock(1)) for _ in range(2))
    bound, context = read.report.error_bound, read
    for call in range(2, 30):
        context = transcript.assemble(budget=50_000, system=clock(call))
        transcript.observe({"input_tokens": 5_000, "output_tokens": 1}, context)
    assert kept.report.error_bound == bound
    assert "learnt from usage" in str(kept.report)
    assert "anchored on usage" in str(context.report) or "learnt from usage" in str(context.report)


def test_a_fork_and_a_rewind_know_what_was_reported() -> None:
    transcript, _ = talk(system=POLICY)
    fork = transcript.fork()
    assert (
        fork.assemble(budget=50_000, system=clock(1)).report
        == transcript.assemble(budget=50_000, system=clock(1)).report
    )
    length = len(transcript)
    transcript.extend(ANTHROPIC.loop(1, start=50))
    transcript.rewind(length)
    assert transcript.assemble(budget=50_000, system=POLICY).report.usage == "anchored"
    transcript.rewind(1)
    assert transcript.assemble(budget=50_000, system=POLICY).report.usage == "none"


def test_an_exact_counter_that_is_right_stays_sure() -> None:
    transcript = octavo.Transcript("gpt-4o")
    transcript.append(OPENAI.user("task"))
    for call in range(20):
        transcript.extend(OPENAI.loop(1, start=call))
        context = transcript.assemble(budget=3_000, sections=[octavo.Section("clock", clock(call), "prefix")])
        assert context.report.error_bound == 0
        transcript.observe({"prompt_tokens": context.tokens, "completion_tokens": 1}, context)
