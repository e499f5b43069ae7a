"""Outputs of tools that are cleared before exchanges leave: valid, exact, sticky, never lost."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import octavo
from generated_histories import HISTORIES
from octavo.errors import BudgetError, FormatError, MessageError
from octavo.messages import plain
from sessions import ANTHROPIC, DIALECTS, OPENAI, RESPONSES, Dialect, Messages, calls_at

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.format)

searched = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)

PLACEHOLDER = re.compile(r"\[output left out: ([\d,]+) tokens; ref ([0-9a-z]{8})\]")

# What only the request can put right (tools not given, thinking that was never made, its size).
THE_REQUEST_S = ("A7", "A18", "B2", "R6")


def cleared(budget: int, **options: Any) -> octavo.Budget:
    return octavo.Budget(budget, clear=True, **options)


def session(dialect: Dialect, steps: int, *, lines: int = 12) -> Messages:
    """A task, then steps that each bring a long output of their own and a few words."""
    messages: Messages = [dialect.user("Find what is broken")]
    for step in range(steps):
        messages += dialect.calls(f"c{step}") + dialect.results(
            f"c{step}", text=f"finding {step}: " + "all is well " * lines * 5
        )
    return messages


@st.composite
def sessions(draw: st.DrawFn, dialect: Dialect) -> Messages:
    """Outputs of every length, several to a turn, repeated ones, and talk between them."""
    messages: Messages = [dialect.user("the task: " + "word " * draw(st.integers(1, 40)))]
    for turn in range(draw(st.integers(0, 14))):
        if draw(st.integers(0, 4)):
            ids = [f"c{turn}x{branch}" for branch in range(draw(st.integers(1, 3)))]
            text = f"{draw(st.integers(0, 5))} out " * draw(st.integers(1, 200))
            messages += dialect.calls(*ids) + dialect.results(*ids, text=text)
        else:
            messages.append(dialect.reply(f"{turn} is " + "done " * draw(st.integers(1, 20))))
            messages.append(dialect.user(f"and {turn}? " + "more " * draw(st.integers(1, 20))))
    return messages


@st.composite
def histories(draw: st.DrawFn) -> tuple[Dialect, Messages]:
    dialect = draw(st.sampled_from(DIALECTS))
    broken = HISTORIES[dialect.format]
    both = st.tuples(sessions(dialect), broken, sessions(dialect)).map(lambda three: three[0] + three[1] + three[2])
    return dialect, [copy.deepcopy(message) for message in draw(st.one_of(sessions(dialect), both))]


def refs_in(messages: Sequence[Any]) -> list[str]:
    return [ref for _, ref in PLACEHOLDER.findall(json.dumps(messages, default=str))]


def steps_of(dialect: Dialect, messages: Messages, budget: octavo.Budget) -> list[octavo.Context]:
    transcript, done, contexts = octavo.Transcript(dialect.model, format=dialect.format), 0, list[octavo.Context]()
    for cut in [*calls_at(messages), len(messages)]:
        transcript.extend(messages[done:cut])
        done = cut
        contexts.append(transcript.assemble(budget=budget))
    return contexts


@every_dialect
def test_outputs_are_cleared_before_an_exchange_leaves(dialect: Dialect) -> None:
    messages = session(dialect, 12)
    contexts = steps_of(dialect, messages, cleared(2_400, ledger=0))
    first = next(context for context in contexts if refs_in(context.messages))
    assert {span.verdict for span in first.report.spans} >= {"kept", "cleared"}
    assert all(span.verdict != "dropped" for span in first.report.spans)
    assert first.report.tokens < 1_300


@every_dialect
def test_an_output_comes_back_byte_for_byte(dialect: Dialect) -> None:
    messages = session(dialect, 30)
    transcript = octavo.Transcript(dialect.model, format=dialect.format)
    transcript.extend(messages)
    before = copy.deepcopy(messages)
    refs = refs_in(transcript.assemble(budget=cleared(4_000)).messages)
    assert refs
    texts: list[str] = re.findall(r'"(finding \d+: [^"]*)"', json.dumps(messages))
    for holder in (transcript, transcript.fork()):
        for ref in refs:
            content = holder.original(ref)
            told = json.dumps(content)
            assert sum(text in told for text in texts) == 1
            answer = octavo.recall_output(holder, {"ref": ref})
            assert answer == octavo.recall_output(holder, json.dumps({"ref": ref})) == octavo.recall_output(holder, ref)
            assert sum(text in answer for text in texts) == 1
    assert messages == before
    transcript.rewind(len(messages) - 4)
    assert all(octavo.recall_output(transcript, ref) == octavo.recall_output(transcript.fork(), ref) for ref in refs)


@pytest.mark.parametrize("asked", [None, 7, "no such", {"ref": "no such"}, {"ref": 1}, {}, "{", [], {"ref": None}])
def test_what_a_model_asks_for_in_vain_is_answered_in_words(asked: Any) -> None:
    transcript = octavo.Transcript("gpt-4o")
    transcript.extend(session(OPENAI, 3))
    assert len(octavo.recall_output(transcript, asked)) > 20
    with pytest.raises(MessageError):
        transcript.original("no such")


def test_the_tool_has_the_shape_of_every_client() -> None:
    shapes = [json.dumps(octavo.recall_output_tool(dialect.format)) for dialect in DIALECTS]
    assert len(set(shapes)) == len(DIALECTS)
    assert all('"recall_output"' in shape and '"ref"' in shape for shape in shapes)
    with pytest.raises(FormatError):
        octavo.recall_output_tool("cobol")  # type: ignore[arg-type]


def test_only_true_and_false_turn_it_on_and_off() -> None:
    with pytest.raises(BudgetError):
        octavo.Budget(1_000, clear=1)  # type: ignore[arg-type]


@searched
@given(history=histories(), budget=st.integers(0, 4_000), ledger=st.sampled_from([0, 0.15]))
def test_what_is_sent_is_valid_exact_and_within(history: tuple[Dialect, Messages], budget: int, ledger: float) -> None:
    dialect, messages = history
    untouched = copy.deepcopy(messages)
    format: Any = dialect.format
    context = octavo.assemble(messages, budget=cleared(budget, ledger=ledger), format=format, provider=format)
    broken = octavo.validate(context.messages, format=format, provider=format)
    assert [one for one in broken if one.rule not in THE_REQUEST_S] == []
    counted = octavo.counter_for(None).count_messages(context.messages, format=format).tokens
    assert context.report.tokens == context.tokens >= counted
    assert context.tokens == counted or context.report.repairs
    assert counted <= budget or not context.fits
    assert messages == untouched
    saved = sum(span.saved for span in context.report.spans)
    assert bool(saved) == bool(refs_in(context.messages))
    json.loads(context.report.to_json())


def test_the_laws_have_something_to_look_at() -> None:
    seen = {"cleared": 0, "repaired": 0, "repeated": 0, "cut": 0}

    @settings(max_examples=200, deadline=None, database=None, derandomize=True)
    @given(histories(), st.integers(500, 4_000))
    def look(history: tuple[Dialect, Messages], budget: int) -> None:
        dialect, messages = history
        context = octavo.assemble(messages, budget=cleared(budget), format=dialect.format, provider=dialect.format)
        if refs_in(context.messages):
            spans = context.report.spans
            seen["cleared"] += 1
            seen["repaired"] += bool(context.report.repairs)
            seen["repeated"] += any(span.reason == "repeated" for span in spans)
            seen["cut"] += any(span.verdict == "dropped" for span in spans)

    look()
    assert min(seen.values()) > 2, seen


@searched
@given(data=st.data(), dialect=st.sampled_from(DIALECTS), budget=st.integers(300, 4_000))
def test_a_call_without_state_clears_the_same(data: st.DataObject, dialect: Dialect, budget: int) -> None:
    messages = data.draw(sessions(dialect))
    ends = [*calls_at(messages), len(messages)]
    for cut, context in zip(ends, steps_of(dialect, messages, cleared(budget)), strict=True):
        alone = octavo.assemble(messages[:cut], budget=cleared(budget), model=dialect.model, format=dialect.format)
        assert alone.messages == context.messages
        assert alone.report == context.report


@every_dialect
def test_what_is_cleared_stays_so_until_the_next_shrink(dialect: Dialect) -> None:
    contexts = steps_of(dialect, session(dialect, 60), cleared(4_000, ledger=0))
    kept = broken = 0
    for before, after in pairwise(contexts):
        same = after.messages[: len(before.messages)]
        if all(ours is theirs for ours, theirs in zip(same, before.messages, strict=True)):
            kept += 1
            assert refs_in(same) == refs_in(before.messages)
        else:
            broken += 1
            # Nothing breaks the prefix but what makes room for several calls.
            assert after.tokens < before.tokens
    assert broken >= 3
    assert kept > 3 * broken
    assert sum(bool(refs_in(context.messages)) for context in contexts) > 20


@every_dialect
def test_what_is_pinned_is_never_cleared(dialect: Dialect) -> None:
    messages = session(dialect, 40)
    transcript = octavo.Transcript(dialect.model, format=dialect.format)
    at = next(at for at, message in enumerate(messages) if "finding 1:" in json.dumps(message))
    for cut, message in enumerate(messages):
        transcript.append(message)
        if cut == at + 6:
            transcript.pin(at)
        if cut > at + 6:
            sent = transcript.assemble(budget=cleared(5_000))
            assert "finding 1:" in json.dumps(sent.messages), cut
            recount = octavo.counter_for(dialect.model).count_messages(sent.messages, format=dialect.format).tokens
            assert sent.tokens == recount


@searched
@given(data=st.data(), dialect=st.sampled_from(DIALECTS), budget=st.integers(300, 4_000))
def test_pins_that_come_and_go_keep_the_count(data: st.DataObject, dialect: Dialect, budget: int) -> None:
    messages = data.draw(sessions(dialect))
    transcript = octavo.Transcript(dialect.model, format=dialect.format)
    counter = octavo.counter_for(dialect.model)
    for message in messages:
        transcript.append(message)
        at = data.draw(st.integers(0, len(transcript) - 1))
        (transcript.pin if data.draw(st.booleans()) else transcript.unpin)(at)
        sent = transcript.assemble(budget=cleared(budget))
        assert sent.tokens == counter.count_messages(sent.messages, format=dialect.format).tokens or sent.report.repairs


@every_dialect
def test_without_it_nothing_is_cleared(dialect: Dialect) -> None:
    messages = session(dialect, 40)
    off = octavo.assemble(
        messages, budget=octavo.Budget(4_000, clear=False), model=dialect.model, format=dialect.format
    )
    usual = octavo.assemble(messages, budget=4_000, model=dialect.model, format=dialect.format)
    assert off.messages == usual.messages
    assert not refs_in(off.messages)


def test_a_repeated_output_goes_first_and_says_by_which() -> None:
    messages: Messages = [ANTHROPIC.user("Watch it")]
    for step in range(14):
        text = "the same long status " * 60 if step in (0, 1, 2, 9) else f"step {step}"
        messages += ANTHROPIC.calls(f"c{step}") + ANTHROPIC.results(f"c{step}", text=text)
    context = next(one for one in steps_of(ANTHROPIC, messages, cleared(1_350, ledger=0)) if refs_in(one.messages))
    gone = [span for span in context.report.spans if span.verdict == "cleared"]
    assert {(span.reason, span.source) for span in gone} <= {("repeated", "message 4"), ("repeated", "message 6")}
    assert gone
    assert all(span.saved > 100 for span in gone)
    assert "repeated, saves" in str(context.report)


def test_a_newer_look_at_the_same_thing_supersedes() -> None:
    def look(name: str, text: str) -> Messages:
        call = {"id": name, "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a.py"}'}}
        return [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": name, "content": text},
        ]

    messages: Messages = [OPENAI.user("Mend it"), *look("a", "old content " * 270), *look("b", "new content " * 100)]
    messages += OPENAI.loop(3, lines=1)
    context = octavo.assemble(messages, budget=cleared(1_050, ledger=0), model="gpt-4o")
    gone = [span for span in context.report.spans if span.verdict == "cleared"]
    assert [(span.start, span.reason, span.source) for span in gone] == [(2, "superseded", "message 4")]


def test_objects_of_a_client_are_cleared_in_a_copy() -> None:
    import pydantic

    class Said(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(extra="allow")

    for dialect in (RESPONSES, ANTHROPIC):
        given_form = [Said(**message) for message in session(dialect, 20)]
        context = octavo.assemble(given_form, budget=cleared(4_000), model=dialect.model, format=dialect.format)
        plain_form = octavo.assemble(
            session(dialect, 20), budget=cleared(4_000), model=dialect.model, format=dialect.format
        )
        assert list(map(plain, context.messages)) == plain_form.messages
        assert refs_in(plain_form.messages)


def test_what_was_cleared_is_told() -> None:
    messages: Messages = [OPENAI.user("Refund what is broken")]
    for step in range(10):
        text = f"order_id: ORD-{7000 + step}\n" + "nothing else to see here\n" * 40
        messages += OPENAI.calls(f"c{step}") + OPENAI.results(f"c{step}", text=text)
    context = octavo.assemble(messages, budget=cleared(3_000), model="gpt-4o")
    assert all(span.verdict != "dropped" for span in context.report.spans)
    sent = json.dumps(context.messages)
    assert refs_in(context.messages)
    assert "ORD-7000" in sent[sent.find("<ledger>") : sent.find("</ledger>")]
