"""The report: every number in it is recounted, and it can be printed and stored."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest
from rich.console import Console

import octavo
from octavo import Section
from sessions import ANTHROPIC, DIALECTS, OPENAI, RESPONSES, Dialect, calls_at, tools_of

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.format)
exact_dialects = pytest.mark.parametrize("dialect", [OPENAI, RESPONSES], ids=lambda dialect: dialect.format)

SECTIONS = (
    Section("policy", "be kind to people", "prefix", source="handbook"),
    Section("summary", "so far nothing", "head"),
    Section("state", "step 4 of 9", source="task"),
    Section("recall", "lorem ipsum " * 90, priority=-1, min_tokens=20),
)


@exact_dialects
@pytest.mark.parametrize("budget", [0, 150, 400, 700, 1_500, 50_000])
@pytest.mark.parametrize("sections", [(), SECTIONS], ids=["plain", "sections"])
@pytest.mark.parametrize("system", [None, "You are an agent. " * 5])
def test_every_number_is_true(dialect: Dialect, budget: int, sections: tuple[Section, ...], system: str | None) -> None:
    messages = [dialect.user("Task"), *dialect.loop(20, parallel=2), dialect.reply("ok"), dialect.user("go on")]
    tools = tools_of(dialect)
    context = octavo.assemble(
        messages, budget=budget, model=dialect.model, system=system, tools=tools, sections=sections
    )
    report, counter = context.report, octavo.counter_for(dialect.model)
    counted = counter.count_messages(context.messages, context.tools, context.system, format=dialect.format)
    assert report.tokens == context.tokens == counted.tokens
    assert report.method == counted.method == "exact"
    assert report.error_bound == counted.error_bound / counted.tokens > 0, "tool definitions are never sure"
    assert report.budget == context.budget == budget
    assert report.fits == context.fits == (counted.tokens <= budget)
    assert report.over == max(0, counted.tokens - budget)
    own = {id(message): index for index, message in enumerate(messages)}
    shown = [own[id(message)] for message in context.messages if id(message) in own]
    kept = [index for span in report.spans if span.verdict == "kept" for index in range(span.start, span.end)]
    assert kept == shown
    for span in report.spans:
        each = [counter.count_message(message, dialect.format) for message in messages[span.start : span.end]]
        assert span.tokens == sum(each)
    assert report.history_tokens == sum(span.tokens for span in report.spans if span.verdict == "kept")
    added = [message for message in context.messages if id(message) not in own]
    in_system = counter.count_system(context.system) - counter.count_system(system)
    in_messages = sum(counter.count_message(message, dialect.format) for message in added)
    assert report.section_tokens == in_system + in_messages
    assert report.fixed_tokens == counter.fixed + counter.count_tools(tools) + counter.count_system(system)
    assert report.fixed_tokens + report.history_tokens + report.section_tokens == report.tokens
    assert [section.name for section in report.sections] == [section.name for section in sections]
    assert [section.source for section in report.sections] == [section.source for section in sections]


@exact_dialects
def test_repairs_are_counted_and_told(dialect: Dialect) -> None:
    messages = [
        dialect.user("Task"), *dialect.calls("a", "b"), *dialect.results("a"), *dialect.results("stray"),
        dialect.reply("hm"), dialect.user("and?"), *dialect.calls("c"),
    ]  # fmt: skip
    context = octavo.assemble(messages, budget=5_000, model=dialect.model)
    report = context.report
    counted = octavo.counter_for(dialect.model).count_messages(context.messages, format=dialect.format)
    assert report.tokens == counted.tokens
    assert len(report.repairs) >= 2
    assert any("stray" in line for line in report.repairs)
    stray = len([dialect.user("Task"), *dialect.calls("a", "b"), *dialect.results("a")])
    assert [span.verdict for span in report.spans if span.start <= stray < span.end] == ["dropped"]
    assert all(f"repaired: {line}" in str(report) for line in report.repairs)


@exact_dialects
def test_what_a_repair_removes_is_dropped_and_the_rest_is_edited_for_its_rule(dialect: Dialect) -> None:
    messages = [
        dialect.user("Task"), *dialect.results("stray"), *dialect.calls("a"), *dialect.results("a"),
        dialect.reply("hm"), dialect.user("and?"), *dialect.calls("lost"), dialect.user("go on"),
    ]  # fmt: skip
    context = octavo.assemble(messages, budget=5_000, model=dialect.model)
    log = octavo.repair(messages, provider=dialect.format, format=dialect.format).log
    rules = {change.index: change.rule for change in log}
    spans = {at: span for span in context.report.spans for at in range(span.start, span.end)}
    assert set(spans) == set(range(len(messages)))
    assert (spans[1].verdict, spans[1].reason) == ("dropped", rules[1])
    own = {id(message) for message in context.messages}
    for at, message in enumerate(messages):
        assert (spans[at].verdict == "kept") == (id(message) in own)
        if spans[at].verdict == "kept":
            assert spans[at].reason in ("task", "window", "request")
    assert rules[1] in {rule.id for rule in octavo.rules()}


def test_what_is_merged_is_edited_for_the_rule_that_asks_for_it() -> None:
    messages = [
        {"role": "user", "content": "Task"}, {"role": "user", "content": "more"}, {"role": "user", "content": " "},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "look", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "zz", "content": "stray"}]},
        {"role": "assistant", "content": "done"}, {"role": "user", "content": "go on"},
    ]  # fmt: skip
    report = octavo.assemble(messages, budget=5_000, model="claude-sonnet-4-5").report
    log = octavo.repair(messages, provider="anthropic").log
    merged = next(change.rule for change in log if change.kind == "merged")
    seen = [(at, span.verdict, span.reason) for span in report.spans for at in range(span.start, span.end)]
    verdicts = {at: (verdict, reason) for at, verdict, reason in seen}
    # The first has another merged into it; its own words stay.
    assert verdicts[0] == verdicts[1] == ("edited", merged)
    for at in (2, 4):
        assert verdicts[at] == ("dropped", next(change.rule for change in log if change.index == at))
    assert verdicts[6] == ("kept", "window")


def test_the_opening_of_the_tool_loop_is_told() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "S"}
    messages: list[Any] = [ANTHROPIC.user("Task"), *ANTHROPIC.loop(40)]
    messages[1] = {"role": "assistant", "content": [thinking, *messages[1]["content"]]}
    report = octavo.assemble(messages, budget=900, model=ANTHROPIC.model, thinking=True).report
    reasons = {span.reason for span in report.spans}
    assert {"task", "loop_opening", "window", "before_cut"} <= reasons
    told = str(octavo.Span.__doc__)
    assert all(f"`{reason}`" in told for reason in reasons)


@every_dialect
@pytest.mark.parametrize("budget", [0, 150, 700, 50_000])
def test_everything_says_its_method_reason_and_source(dialect: Dialect, budget: int) -> None:
    messages = [dialect.user("Task"), *dialect.loop(20)]
    report = octavo.assemble(messages, budget=budget, model=dialect.model, sections=SECTIONS).report
    counter = octavo.counter_for(dialect.model)
    assert {span.source for span in report.spans} == {"history"}
    given = [section for section in report.sections if section.name != "ledger"]
    assert [section.source for section in given] == [section.source for section in SECTIONS]
    methods = {span.method for span in report.spans} | {section.method for section in report.sections}
    assert methods == {counter.method}
    written = report.to_dict()
    for section in written["sections"]:
        assert section["reason"] in ("whole", "max_tokens", "room")
        assert section["method"] == counter.method
    assert all(span["source"] == "history" for span in written["spans"])
    assert report.fits or report.pinned.keys() >= {"fixed", "newest" if budget else "task"}
    stream = io.StringIO()
    Console(file=stream, width=200).print(report)
    for text in (str(report), stream.getvalue()):
        assert {"part", "what", "tokens", "method", "why", "source"} <= set(text.replace("┃", " ").split())
        assert text.count(counter.method) > len(report.spans)


@every_dialect
def test_the_stable_prefix_is_what_was_sent_before(dialect: Dialect) -> None:
    counter = octavo.counter_for(dialect.model)
    messages = [dialect.user("Task"), *dialect.loop(60)]
    before: octavo.Context | None = None
    for cut in calls_at(messages):
        context = octavo.assemble(
            messages[:cut], budget=1_500, model=dialect.model, format=dialect.format, tools=tools_of(dialect)
        )
        report = context.report
        if before is None:
            assert (report.stable_prefix_tokens, report.first_changed_index) == (0, None)
        else:
            pairs = zip(context.messages, before.messages, strict=False)
            same = next((at for at, (ours, theirs) in enumerate(pairs) if ours != theirs), None)
            assert report.first_changed_index == (len(before.messages) if same is None else same)
            shared = context.messages[: report.first_changed_index]
            counted = counter.count_messages(shared, context.tools, context.system, format=dialect.format)
            assert report.stable_prefix_tokens == counted.tokens
        before = context


def test_what_is_left_out_is_told_with_its_reason() -> None:
    transcript = octavo.Transcript("gpt-4o")
    system = {"role": "system", "content": "You are an agent."}
    # A reply ends the loop; then the last request and its own loop.
    transcript.extend([system, OPENAI.user("Task"), *OPENAI.loop(10), OPENAI.reply("ok"), OPENAI.user("and now")])
    transcript.extend(OPENAI.loop(30, start=50))
    transcript.pin(4)
    report = transcript.assemble(budget=900).report
    reasons = {span.reason: span.verdict for span in report.spans}
    assert reasons == {
        "leading": "kept", "task": "kept", "pinned": "kept", "request": "kept", "window": "kept",
        "before_cut": "dropped",
    }  # fmt: skip
    assert [span.start for span in report.spans] == [0, *(span.end for span in report.spans[:-1])]


@every_dialect
@pytest.mark.parametrize("budget", [0, 900, 50_000])
def test_it_is_printed_and_stored(dialect: Dialect, budget: int) -> None:
    messages = [dialect.user("Task"), *dialect.calls("lost"), *dialect.loop(30)]
    report = octavo.assemble(messages, budget=budget, model=dialect.model, sections=SECTIONS[:1]).report
    written = json.loads(report.to_json())
    assert written == json.loads(json.dumps(report.to_dict()))
    assert json.loads(report.to_json(indent=2)) == written
    numbers = ("tokens", "budget", "over", "stable_prefix_tokens", "first_changed_index")
    for name in (*numbers, "fits", "method", "provider"):
        assert written[name] == getattr(report, name)
    assert len(written["spans"]) == len(report.spans)
    stream = io.StringIO()
    Console(file=stream, width=200).print(report)
    for text in (str(report), stream.getvalue()):
        assert f"{report.tokens:,} of {budget:,} tokens" in text
        assert ("OVER by" in text) == (not report.fits)
        assert "section policy" in text
        assert "handbook" in text
        assert all(f"{span.tokens:,}" in text for span in report.spans)


def test_it_is_built_when_read_and_stays_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    import octavo.report as module

    built: list[Any] = []
    original = module.report_of

    def listening(draft: Any) -> octavo.Report:
        built.append(draft)
        return original(draft)

    monkeypatch.setattr(module, "report_of", listening)
    transcript = octavo.Transcript("gpt-4o")
    transcript.extend([OPENAI.user("Task"), *OPENAI.loop(20)])
    context = transcript.assemble(budget=900)
    assert built == []
    unread = transcript.assemble(budget=900)
    transcript.extend(OPENAI.loop(20, start=100))
    transcript.assemble(budget=900)
    transcript.rewind(3)
    assert context.report is context.report
    assert context.report == unread.report
    assert len(built) == 2
    assert context.report.spans[-1].end == 41


def table_tokens(report: octavo.Report) -> int:
    rows = [
        re.split(r"  +", line.strip()) for line in str(report).splitlines()[2:] if not line.startswith("  repaired:")
    ]
    return sum(int(row[2].replace(",", "")) for row in rows if row[0] != "dropped")


def test_the_rows_add_up_after_repairs_and_reported_usage() -> None:
    transcript = octavo.Transcript("claude-sonnet-4-6", format="anthropic")
    transcript.extend([{"role": "user", "content": "word " * 50}])
    sections = [octavo.Section("state", "all is well", place="tail")]
    first = transcript.assemble(budget=1_000, system="be brief", sections=sections)
    assert "as in the call before" not in str(first.report)
    assert table_tokens(first.report) == first.tokens
    transcript.observe({"input_tokens": first.tokens * 2, "output_tokens": 3}, first)
    call = {"type": "tool_use", "id": "c", "name": "look", "input": {}}
    transcript.extend([{"role": "assistant", "content": [call]}, {"role": "user", "content": "well?"}])
    second = transcript.assemble(budget=1_000, system="be brief", sections=sections)
    assert second.report.repairs
    assert re.search(r"(?m)^  repairs, usage  what repairs and reported usage add and take away ", str(second.report))
    assert "as in the call before" in str(second.report)
    assert table_tokens(second.report) == second.tokens
