"""What holds for every history, budget, mark and provider: found by search, not by example."""

from __future__ import annotations

import copy
import json
from collections import UserDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pydantic
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import octavo
from generated_histories import HISTORIES
from octavo.budget import Place
from octavo.formats import ClientFormat
from octavo.messages import Format, infer_provider, plain
from sessions import DIALECTS, OPENAI, RESPONSES, Dialect, Messages, calls_at

FORMATS: list[Format] = ["anthropic", "openai", "openai-responses", "gemini", "bedrock"]

searched = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)

MARKS = st.sampled_from(
    [octavo.Marks(), octavo.Marks(0.9, 1.0, 0.8), octavo.Marks(0.2, 0.3, 0.1), octavo.Marks(0.5, 0.501, 0.5)]
)

# What only the request can put right (tools not given, thinking that was never made, its size).
THE_REQUEST_S = ("A7", "A18", "B2", "R6")


class Said(pydantic.BaseModel):
    """A message as somebody's own Pydantic model."""

    model_config = pydantic.ConfigDict(extra="allow")


class Had(UserDict[str, Any]):
    """A message as somebody's own mapping."""


Form = Callable[[dict[str, Any]], Any]

FORMS: list[Form] = [lambda message: message, lambda message: Said(**message), Had]


@st.composite
def well_formed(draw: st.DrawFn, dialect: Dialect) -> Messages:
    """A session as an agent loop writes it, ending before a model call."""
    messages: Messages = [dialect.user("the task: " + "word " * draw(st.integers(1, 40)))]
    for turn in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from(["calls", "calls", "calls", "talk"]))
        if kind == "calls":
            ids = [f"c{turn}x{branch}" for branch in range(draw(st.integers(1, 3)))]
            messages += dialect.calls(*ids) + dialect.results(*ids, text="out " * draw(st.integers(1, 80)))
        else:
            messages.append(dialect.reply(f"{turn} is " + "done " * draw(st.integers(1, 20))))
            messages.append(dialect.user(f"and {turn}? " + "more " * draw(st.integers(1, 20))))
    return messages


@st.composite
def histories(draw: st.DrawFn, formats: Sequence[Format] = FORMATS) -> tuple[Format, Messages]:
    """A history of one of the formats, well-formed or badly broken."""
    dialect = draw(st.sampled_from([dialect for dialect in DIALECTS if dialect.format in formats]))
    broken = HISTORIES[dialect.format]
    messages = draw(st.one_of(broken, well_formed(dialect), st.tuples(broken, broken).map(lambda two: two[0] + two[1])))
    # Strategies may hand out one object twice; a conversation has its own for each message.
    return dialect.format, [copy.deepcopy(message) for message in messages]


def texts_in(value: Any) -> list[str]:
    """Every text in a message that is content: not its role, not the names of its parts."""
    if isinstance(value, dict):
        content = ((key, inside) for key, inside in value.items() if key not in ("role", "type", "name"))
        return [text for _, inside in content for text in texts_in(inside)]
    if isinstance(value, list):
        return [text for inside in value for text in texts_in(inside)]
    return [value] if isinstance(value, str) else []


PLACES: st.SearchStrategy[Place] = st.sampled_from(["prefix", "head", "tail"])


@st.composite
def section_lists(draw: st.DrawFn) -> list[octavo.Section]:
    """Sections of every place, with minima, maxima and priorities."""
    sections = []
    for at in range(draw(st.integers(0, 3))):
        minimum, more = draw(st.sampled_from([0, 0, 20, 60])), draw(st.sampled_from([None, 0, 15, 200]))
        text = draw(st.sampled_from(["", "a line\n" * 3, "some words here " * 30]))
        most = None if more is None else minimum + more
        sections.append(octavo.Section(f"s{at}", text, draw(PLACES), draw(st.integers(-2, 2)), minimum, most))
    return sections


budgets = st.one_of(st.integers(0, 60), st.integers(0, 2_000), st.sampled_from([10**9]))


def test_the_generator_reaches_what_matters() -> None:
    seen: set[str] = set()

    @settings(max_examples=300, deadline=None, database=None, derandomize=True)
    @given(histories())
    def look(history: tuple[Format, Messages]) -> None:
        format, messages = history
        seen.add(format)
        valid = not octavo.validate(messages, format=format, provider=format)
        seen.add(f"{format} {'valid' if valid else 'broken'}")

    look()
    assert seen >= {f"{format} {kind}" for format in FORMATS for kind in ("valid", "broken")}


def test_the_sessions_move_their_cut_and_keep_it() -> None:
    """Else the law about the prefix would have nothing to look at."""
    moved: set[bool] = set()

    @settings(max_examples=60, deadline=None, database=None, derandomize=True)
    @given(st.data(), st.integers(0, 3_000))
    def look(data: st.DataObject, budget: int) -> None:
        messages = data.draw(well_formed(OPENAI))
        for cut in calls_at(messages)[1:]:
            context = octavo.assemble(messages[:cut], budget=budget, model=OPENAI.model, format="openai")
            moved.add(context.report.moved)

    look()
    assert moved == {True, False}


@searched
@given(
    history=histories(),
    budget=budgets,
    marks=MARKS,
    thinking=st.sampled_from([None, True, False]),
    model=st.sampled_from([None, "claude-sonnet-4-5"]),
)
def test_the_result_is_valid_whatever_the_budget(
    history: tuple[Format, Messages], budget: int, marks: octavo.Marks, thinking: bool | None, model: str | None
) -> None:
    format, messages = history
    untouched = copy.deepcopy(messages)
    limit = octavo.Budget(budget, marks=marks)
    context = octavo.assemble(messages, budget=limit, model=model, format=format, provider=format, thinking=thinking)
    broken = octavo.validate(context.messages, model=model, format=format, provider=format, thinking=thinking)
    assert [one for one in broken if one.rule not in THE_REQUEST_S] == []
    # What is sent is counted once more, by another way than the running sums.
    counter = octavo.counter_for(model)
    counted = counter.count_messages(context.messages, context.tools, context.system, format=format).tokens
    # A repair's notes are reckoned at the longest: never under what is sent, and exact where nothing was repaired.
    assert context.report.tokens == context.tokens >= counted
    assert context.tokens == counted or context.report.repairs
    assert counted <= budget or not context.fits
    assert context.fits == context.report.fits == (context.report.over == 0)
    assert context.report.over == max(0, context.tokens - budget)
    assert context.fits or context.report.pinned
    assert messages == untouched


@searched
@given(
    history=histories(),
    budget=budgets,
    places=st.lists(PLACES, min_size=1, max_size=3),
    form=st.sampled_from(FORMS),
    model=st.sampled_from([None, "claude-sonnet-4-6"]),
)
def test_sections_keep_the_result_valid(
    history: tuple[Format, Messages], budget: int, places: list[Place], form: Form, model: str | None
) -> None:
    format, messages = history
    given_form = list(map(form, messages))
    before = list(map(plain, given_form))
    sections = [octavo.Section(f"s{at}", "text", place) for at, place in enumerate(places)]
    plain_one = octavo.assemble(given_form, budget=budget, format=format, provider=format, model=model)
    context = octavo.assemble(given_form, budget=budget, format=format, provider=format, model=model, sections=sections)
    allowed = {
        (one.rule, one.message) for one in octavo.validate(plain_one.messages, format, format=format, model=model)
    }
    broken = octavo.validate(context.messages, format, format=format, model=model)
    assert [one for one in broken if (one.rule, one.message) not in allowed] == []
    sent = str([context.system, list(map(plain, context.messages))])
    verdicts = {placed.name: placed.verdict for placed in context.report.sections}
    assert set(verdicts) - {"ledger"} == {section.name for section in sections}
    for name, verdict in verdicts.items():
        assert sent.count(f"<{name}>") == (verdict != "dropped")
    assert list(map(plain, given_form)) == before


@searched
@given(data=st.data(), dialect=st.sampled_from(DIALECTS), budget=st.integers(0, 1_500), marks=MARKS)
def test_over_only_where_nothing_more_can_go(
    data: st.DataObject, dialect: Dialect, budget: int, marks: octavo.Marks
) -> None:
    messages = data.draw(well_formed(dialect))
    limit = octavo.Budget(budget, marks=marks)
    context = octavo.assemble(messages, budget=limit, model=dialect.model, format=dialect.format)
    if not context.fits:
        least = octavo.assemble(messages, budget=0, model=dialect.model, format=dialect.format)
        assert context.tokens <= least.tokens


@searched
@given(history=histories(), budget=budgets)
def test_order_is_kept_and_whole_messages_are_the_caller_s_own(history: tuple[Format, Messages], budget: int) -> None:
    format, messages = history
    context = octavo.assemble(messages, budget=budget, format=format, provider=format)
    place = {id(message): index for index, message in enumerate(messages)}
    own = [place[id(message)] for message in context.messages if id(message) in place]
    if not context.report.repairs:
        assert len(own) == len(context.messages)
        assert own == sorted(set(own))
    spans = context.report.spans
    covered = [index for span in spans for index in range(span.start, span.end)]
    assert covered == list(range(len(messages)))
    kept = {index for span in spans if span.verdict == "kept" for index in range(span.start, span.end)}
    if not context.report.repairs:
        assert kept == set(own)
    assert kept <= set(own)


@searched
@given(data=st.data(), dialect=st.sampled_from(DIALECTS), budget=st.integers(0, 1_500))
def test_what_is_pinned_is_kept(data: st.DataObject, dialect: Dialect, budget: int) -> None:
    messages = data.draw(well_formed(dialect))
    chosen = data.draw(st.lists(st.integers(0, len(messages) - 1), min_size=1, max_size=3))
    transcript = octavo.Transcript(dialect.model, format=dialect.format)
    transcript.extend(messages)
    for index in chosen:
        transcript.pin(index)
    context = transcript.assemble(budget=budget)
    shown = json.dumps(context.messages)
    for index in (0, *chosen):
        # Two user messages that meet are sent as one, so a message's texts are looked for, not the object.
        for text in texts_in(messages[index]):
            assert json.dumps(text) in shown, (index, context.report)
        own = context.report.repairs or any(message is messages[index] for message in context.messages)
        # What is told of messages left out joins the first one where roles alternate.
        assert own or (index == 0 and context.report.sections)
    assert octavo.validate(context.messages, format=dialect.format, model=dialect.model) == []


@searched
@given(history=histories(), budget=budgets, marks=MARKS, sections=section_lists())
def test_a_replay_is_the_same_as_steps(
    history: tuple[Format, Messages], budget: int, marks: octavo.Marks, sections: list[octavo.Section]
) -> None:
    format, messages = history
    limit = octavo.Budget(budget, marks=marks)
    transcript = octavo.Transcript(format=format, provider=format)
    for cut, message in enumerate(messages, 1):
        transcript.append(message)
        stepped = transcript.assemble(budget=limit, sections=sections)
        alone = octavo.assemble(messages[:cut], budget=limit, format=format, provider=format, sections=sections)
        assert alone.messages == stepped.messages
        assert alone.system == stepped.system
        # Which calls were made is known to the transcript alone, where two messages of the model's meet.
        told: dict[str, Any] = {"stable_prefix_tokens": 0, "first_changed_index": None, "moved": False}
        assert replace(alone.report, **told) == replace(stepped.report, **told)


@searched
@given(
    data=st.data(),
    dialect=st.sampled_from(DIALECTS),
    budget=st.integers(0, 3_000),
    marks=MARKS,
    sections=section_lists(),
)
def test_the_prefix_stays_unless_it_is_said_to_move(
    data: st.DataObject, dialect: Dialect, budget: int, marks: octavo.Marks, sections: list[octavo.Section]
) -> None:
    messages = data.draw(well_formed(dialect))
    limit = octavo.Budget(budget, marks=marks)
    counter = octavo.counter_for(dialect.model)
    transcript, last = octavo.Transcript(dialect.model, format=dialect.format), 0
    before: octavo.Context | None = None
    for cut in [*calls_at(messages), len(messages)]:
        transcript.extend(messages[last:cut])
        last = cut
        stepped = transcript.assemble(budget=limit, sections=sections)
        context = octavo.assemble(
            messages[:cut], budget=limit, model=dialect.model, format=dialect.format, sections=sections
        )
        assert (context.messages, context.report) == (stepped.messages, stepped.report)
        if before is not None:
            shared = context.report.first_changed_index
            assert shared is not None
            assert context.messages[:shared] == before.messages[:shared]
            follows = context.messages[shared : shared + 1]
            assert not follows or follows != before.messages[shared : shared + 1]
            counted = counter.count_messages(context.messages[:shared], None, context.system, format=dialect.format)
            assert context.report.stable_prefix_tokens == counted.tokens
            assert context.system == before.system
            if not context.report.moved and not context.report.repairs:
                assert shared >= still_there(before)
        before = context


def still_there(context: octavo.Context) -> int:
    """How many messages the next call sends again where nothing had to change: all but what the tail stands in."""
    tails = [f"<{placed.name}>" for placed in context.report.sections if placed.place == "tail"]
    carries = (at for at, message in enumerate(context.messages) if any(tail in str(message) for tail in tails))
    return next(carries, len(context.messages))


@searched
@given(data=st.data(), dialect=st.sampled_from([OPENAI, RESPONSES]), budget=budgets)
def test_the_total_is_what_a_recount_gives(data: st.DataObject, dialect: Dialect, budget: int) -> None:
    messages = data.draw(st.one_of(well_formed(dialect), HISTORIES[dialect.format]))
    context = octavo.assemble(messages, budget=budget, model=dialect.model, format=dialect.format, system="be brief")
    counter = octavo.counter_for(dialect.model)
    counted = counter.count_messages(context.messages, context.tools, context.system, format=dialect.format)
    assert context.tokens == counted.tokens, context.report


CLIENTS: tuple[ClientFormat, ...] = ("anthropic", "openai", "openai-responses")
MODELS = [None, "claude-sonnet-4-6", "claude-sonnet-4-5", "gpt-5", "deepseek-chat"]


def said_to(context: octavo.Context, client: ClientFormat) -> list[Any]:
    """The messages that a client is called with."""
    sent: list[Any]
    if client == "openai-responses":
        sent = context.responses()["input"]
    else:
        sent = (context.anthropic() if client == "anthropic" else context.openai())["messages"]
    return sent


@pytest.mark.parametrize("client", CLIENTS)
@searched
@given(
    history=histories(CLIENTS),
    budget=budgets,
    model=st.sampled_from(MODELS),
    thinking=st.sampled_from([None, True, False]),
)
def test_arguments_for_every_client_are_valid(
    client: ClientFormat, history: tuple[Format, Messages], budget: int, model: str | None, thinking: bool | None
) -> None:
    format, messages = history
    untouched = copy.deepcopy(messages)
    context = octavo.assemble(messages, budget=budget, model=model, format=format, thinking=thinking)
    sent = said_to(context, client)
    for provider in {client, infer_provider(client, model)}:
        broken = octavo.validate(sent, provider, format=client, model=model, thinking=thinking)
        assert [one for one in broken if one.rule not in THE_REQUEST_S] == [], context.notes(client)
    own = [plain(message) for message in context.messages]
    assert context.notes(client) or format != client or sent == own
    assert messages == untouched


@searched
@given(history=histories(), budget=budgets)
@example(history=("openai", []), budget=0)
def test_the_report_is_written_as_json_and_text(history: tuple[Format, Messages], budget: int) -> None:
    format, messages = history
    report = octavo.assemble(messages, budget=budget, format=format, provider=format).report
    written = json.loads(report.to_json())
    assert written["tokens"] == report.tokens
    assert written["fits"] == report.fits
    assert str(report).startswith(f"{report.tokens:,} of {report.budget:,} tokens")


@searched
@given(history=histories(), keep=st.integers(0, 30), budget=budgets)
def test_rewinding_is_never_having_gone_on(history: tuple[Format, Messages], keep: int, budget: int) -> None:
    format, messages = history
    keep = min(keep, len(messages))
    gone = octavo.Transcript(format=format, provider=format)
    gone.extend(messages)
    gone.assemble(budget=budget)
    branch = gone.fork()
    gone.rewind(keep)
    fresh = octavo.Transcript(format=format, provider=format)
    fresh.extend(messages[:keep])
    assert gone.assemble(budget=budget).messages == fresh.assemble(budget=budget).messages
    whole = octavo.assemble(messages, budget=budget, format=format, provider=format)
    assert branch.assemble(budget=budget).messages == whole.messages
