"""One conversation over time: appended, assembled, observed, pinned, forked and rewound."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import octavo
from octavo.errors import BudgetError, MessageError, OctavoError, UnknownModelError
from sessions import ANTHROPIC, DIALECTS, OPENAI, Dialect, calls_at, tools_of

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.format)


def filled(dialect: Dialect, messages: list[Any]) -> octavo.Transcript:
    transcript = octavo.Transcript(dialect.model, format=dialect.format)
    transcript.extend(messages)
    return transcript


# ---- appending ----


def test_append_returns_what_the_counter_counts() -> None:
    counter = octavo.counter_for("gpt-4o")
    transcript = octavo.Transcript("gpt-4o")
    messages = [OPENAI.user("Task"), *OPENAI.loop(4, parallel=2)]
    for message in messages:
        assert transcript.append(message) == counter.count_message(message, "openai")
    assert transcript.tokens == counter.count_messages(messages).tokens - counter.fixed
    assert len(transcript) == len(messages)
    assert list(transcript.messages) == messages
    assert transcript.original(-1) is messages[-1]
    assert 0 < transcript.row_bytes <= 128 * len(messages)


def test_a_message_that_cannot_be_read_changes_nothing() -> None:
    transcript = filled(OPENAI, [OPENAI.user("Task")])
    with pytest.raises(MessageError):
        transcript.append({"role": "nobody", "content": "x"})
    with pytest.raises(MessageError) as caught:
        transcript.extend([OPENAI.user("more"), 7])
    assert caught.value.index == 2
    assert len(transcript) == 1
    assert transcript.assemble(budget=1_000).messages == [OPENAI.user("Task")]


def test_the_callers_list_is_not_the_transcripts() -> None:
    messages = [OPENAI.user("Task")]
    transcript = filled(OPENAI, messages)
    messages.append(OPENAI.user("not appended"))
    listed = transcript.messages
    assert isinstance(listed, list)
    listed.clear()
    assert len(transcript) == 1
    assert len(transcript.assemble(budget=100).messages) == 1


@every_dialect
def test_the_format_may_show_late(dialect: Dialect) -> None:
    messages = [{"role": "user", "content": "Task"}, *dialect.loop(3)]
    if dialect.format in ("gemini", "bedrock"):  # their texts have a shape of their own
        messages[0] = dialect.user("Task")
    transcript = octavo.Transcript(dialect.model)
    for message in messages:
        transcript.append(message)
    assert transcript.format == dialect.format
    alone = octavo.assemble(messages, budget=5_000, model=dialect.model)
    stepped = transcript.assemble(budget=5_000)
    assert stepped.messages == alone.messages == messages
    assert stepped.report == alone.report


def test_answers_in_blocks_tell_the_format_step_by_step_too() -> None:
    messages: list[Any] = []
    for turn in range(4):
        messages += [{"role": "user", "content": f"question {turn}"}, ANTHROPIC.reply(f"answer {turn}")]
    transcript = octavo.Transcript()
    for message in messages:
        transcript.append(message)
    alone = octavo.assemble(messages, budget=5_000)
    assert transcript.format == alone.format == "anthropic"
    assert transcript.assemble(budget=5_000).report == alone.report


def test_a_format_that_shows_late_keeps_pins() -> None:
    """Plain texts are taken for Chat until a block says otherwise; what the caller asked for survives that."""
    transcript = octavo.Transcript()
    texts = [{"role": "user", "content": "Task"}]
    for turn in range(6):
        texts += [{"role": "assistant", "content": f"answer {turn} " * 30}, {"role": "user", "content": f"q{turn}"}]
    transcript.extend(texts)
    transcript.pin(4)
    transcript.extend(ANTHROPIC.loop(20))
    assert transcript.format == "anthropic"
    assert transcript.original(4)["content"] in json.dumps(transcript.assemble(budget=900).messages)
    branch = transcript.fork()
    branch.rewind(4)
    branch.extend([{"role": "user", "content": "another way"}])
    assert branch.assemble(budget=900).report.spans[-1].end == 5


def test_a_format_that_shows_late_keeps_what_was_reported() -> None:
    transcript = octavo.Transcript()
    transcript.extend([{"role": "user", "content": "Task " * 200}])
    first = transcript.assemble(budget=50_000)
    transcript.observe({"input_tokens": first.tokens * 5, "output_tokens": 1})
    transcript.extend(ANTHROPIC.loop(2))
    later = transcript.assemble(budget=50_000)
    assert later.format == "anthropic"
    assert later.tokens > first.tokens * 5


def test_an_unknown_model_may_be_refused() -> None:
    assert octavo.Transcript("house-model").counter.known is False
    with pytest.raises(UnknownModelError):
        octavo.Transcript("house-model", strict=True)


# ---- step by step ----


@every_dialect
@pytest.mark.parametrize("budget", [300, 1_000, 1_600, 4_000])
def test_steps_equal_the_one_call_form(dialect: Dialect, budget: int) -> None:
    messages = [dialect.user("Task"), *dialect.loop(25, parallel=2), *dialect.talk(4), dialect.user("go on")]
    messages += dialect.loop(25, start=100)
    transcript = octavo.Transcript(dialect.model)
    done = 0
    moves = 0
    for cut in [*calls_at(messages), len(messages)]:
        transcript.extend(messages[done:cut])
        done = cut
        stepped = transcript.assemble(budget=budget, tools=tools_of(dialect))
        alone = octavo.assemble(messages[:cut], budget=budget, model=dialect.model, tools=tools_of(dialect))
        assert alone.report == stepped.report
        assert alone.messages == stepped.messages
        moves += stepped.report.moved
    assert moves > 0


def test_assembling_is_not_an_event() -> None:
    """Looking twice, at other budgets, or not at all between steps decides nothing."""
    messages = [OPENAI.user("Task"), *OPENAI.loop(60)]
    looked, quiet = octavo.Transcript("gpt-4o"), octavo.Transcript("gpt-4o")
    for message in messages:
        looked.append(message)
        quiet.append(message)
        for budget in (200, 500, 900, 1_500, 3_000, 6_000):
            looked.assemble(budget=budget)
    ours, theirs = looked.assemble(budget=900), quiet.assemble(budget=900)
    assert ours.messages == theirs.messages
    # What is as in the call before is told from what was assembled before, where something was.
    told: dict[str, Any] = {"stable_prefix_tokens": 0, "first_changed_index": 0, "moved": False}
    assert replace(ours.report, **told) == replace(theirs.report, **told)


# ---- pins ----


@every_dialect
def test_a_pin_keeps_the_whole_exchange(dialect: Dialect) -> None:
    messages = [dialect.user("Task"), *dialect.loop(40, parallel=2)]
    transcript = filled(dialect, messages)
    at = next(index for index, message in enumerate(messages) if "result 3:" in json.dumps(message))
    assert "result 3:" not in json.dumps(transcript.assemble(budget=1_500).messages)
    transcript.pin(at)
    kept = transcript.assemble(budget=1_500)
    assert json.dumps(kept.messages).count("result 3:") == 2
    assert octavo.validate(kept.messages, format=dialect.format, model=dialect.model) == []
    assert "pinned" in {span.reason for span in kept.report.spans}
    transcript.unpin(at)
    assert "result 3:" not in json.dumps(transcript.assemble(budget=1_500).messages)


def test_a_pin_needs_a_message() -> None:
    transcript = filled(OPENAI, [OPENAI.user("Task")])
    for wrong in (1, -2, 99):
        with pytest.raises(MessageError, match="no message"):
            transcript.pin(wrong)
    transcript.pin(-1)


# ---- observed usage ----


def test_what_the_provider_reports_corrects_the_count() -> None:
    messages = [ANTHROPIC.user("Task"), *ANTHROPIC.loop(10)]
    transcript = filled(ANTHROPIC, messages)
    first = transcript.assemble(budget=50_000)
    transcript.observe({"input_tokens": first.tokens * 3, "output_tokens": 9})
    transcript.extend(ANTHROPIC.loop(1, start=50))
    later = transcript.assemble(budget=50_000)
    assert later.tokens > first.tokens * 3, "the ratio is not clamped, and the tail is added"
    assert later.report.method == "calibrated"
    assert later.report.usage == "anchored"
    assert 0.03 < later.report.error_bound < 0.15, "one report may be a ratio, or a constant that nobody counted"
    for turn in range(60, 90):
        transcript.observe({"input_tokens": transcript.assemble(budget=50_000).tokens, "output_tokens": 9})
        transcript.extend(ANTHROPIC.loop(1, start=turn))
    assert transcript.assemble(budget=50_000).report.error_bound <= 0.03
    plain = octavo.assemble(transcript.messages, budget=50_000, model=ANTHROPIC.model)
    assert transcript.assemble(budget=50_000).tokens > plain.tokens * 2.5


def test_a_small_report_corrects_downwards() -> None:
    transcript = filled(OPENAI, [OPENAI.user("Task"), *OPENAI.loop(10)])
    first = transcript.assemble(budget=50_000)
    transcript.observe(SimpleNamespace(prompt_tokens=first.tokens // 4, completion_tokens=1))
    transcript.extend(OPENAI.loop(1, start=50))
    assert transcript.assemble(budget=50_000).tokens < first.tokens // 2


def test_cached_input_counts_as_input() -> None:
    whole, split = (filled(ANTHROPIC, [ANTHROPIC.user("Task"), *ANTHROPIC.loop(5)]) for _ in range(2))
    for transcript in (whole, split):
        transcript.assemble(budget=50_000)
    whole.observe({"input_tokens": 5_000, "output_tokens": 1})
    usage = {
        "input_tokens": 1_000,
        "cache_read_input_tokens": 3_500,
        "cache_creation_input_tokens": 500,
        "output_tokens": 1,
    }
    split.observe(usage)
    for transcript in (whole, split):
        transcript.extend(ANTHROPIC.loop(1, start=9))
    assert whole.assemble(budget=50_000).tokens == split.assemble(budget=50_000).tokens


def test_a_report_shrinks_the_window() -> None:
    messages = [ANTHROPIC.user("Task"), *ANTHROPIC.loop(20)]
    transcript = filled(ANTHROPIC, messages)
    first = transcript.assemble(budget=5_000)
    assert len(first.messages) == len(messages)
    transcript.observe({"input_tokens": first.tokens * 4, "output_tokens": 1})
    transcript.extend(ANTHROPIC.loop(1, start=50))
    later = transcript.assemble(budget=5_000)
    assert len(later.messages) < len(messages)
    assert later.tokens <= 5_000
    assert octavo.validate(later.messages, model=ANTHROPIC.model) == []


def test_rewinding_drops_what_was_reported_later() -> None:
    messages = [ANTHROPIC.user("Task"), *ANTHROPIC.loop(10)]
    transcript = filled(ANTHROPIC, messages)
    before = transcript.assemble(budget=50_000)
    transcript.extend(ANTHROPIC.loop(1, start=20))
    transcript.assemble(budget=50_000)
    transcript.observe({"input_tokens": 90_000, "output_tokens": 1})
    transcript.rewind(len(messages))
    assert transcript.assemble(budget=50_000).tokens == before.tokens
    with_new = filled(ANTHROPIC, [*messages, *ANTHROPIC.loop(1, start=30)])
    transcript.extend(ANTHROPIC.loop(1, start=30))
    assert transcript.assemble(budget=50_000).tokens == with_new.assemble(budget=50_000).tokens


def test_observing_needs_a_context_and_a_number() -> None:
    transcript = filled(OPENAI, [OPENAI.user("Task")])
    with pytest.raises(OctavoError, match="assembled before"):
        transcript.observe({"input_tokens": 5, "output_tokens": 1})
    transcript.assemble(budget=100)
    for wrong in ({}, {"output_tokens": 4}, 7, None):
        with pytest.raises(BudgetError):
            transcript.observe(wrong)


# ---- branches ----


@every_dialect
def test_a_fork_goes_its_own_way(dialect: Dialect) -> None:
    messages = [dialect.user("Task"), *dialect.loop(40)]
    transcript = filled(dialect, messages)
    before = transcript.assemble(budget=1_500)
    branch = transcript.fork()
    assert branch.assemble(budget=1_500).report == before.report
    branch.extend(dialect.loop(40, start=100))
    assert "result 139:" in json.dumps(branch.assemble(budget=1_500).messages)
    assert len(transcript) == len(messages)
    assert transcript.assemble(budget=1_500).report == before.report
    transcript.pin(2)
    assert "pinned" not in {span.reason for span in branch.assemble(budget=1_500).report.spans}


@every_dialect
def test_rewinding_restores_the_view(dialect: Dialect) -> None:
    messages = [dialect.user("Task"), *dialect.loop(80)]
    transcript = octavo.Transcript(dialect.model, format=dialect.format)
    seen: dict[int, octavo.Report] = {}
    done = 0
    for cut in calls_at(messages):
        transcript.extend(messages[done:cut])
        done = cut
        seen[cut] = transcript.assemble(budget=1_500).report
    kept = transcript.assemble(budget=1_500)
    for cut in sorted(seen, reverse=True)[::9]:
        transcript.rewind(cut)
        assert len(transcript) == cut
        assert transcript.assemble(budget=1_500).report == seen[cut]
    assert kept.report == seen[max(seen)], "a context made before is as it was"


def test_rewinding_needs_a_length_that_was() -> None:
    transcript = filled(OPENAI, [OPENAI.user("Task")])
    for wrong in (-1, 2):
        with pytest.raises(MessageError, match="rewind"):
            transcript.rewind(wrong)
    transcript.rewind(0)
    assert transcript.assemble(budget=10).messages == []
    transcript.append(OPENAI.user("again"))
    assert len(transcript) == 1


# ---- what is due ----


def test_a_summary_is_due_before_and_after_the_cut() -> None:
    transcript = octavo.Transcript("gpt-4o")
    transcript.append(OPENAI.user("Task"))
    reasons: list[str] = []
    for turn in range(40):
        transcript.extend(OPENAI.loop(1, start=turn))
        context = transcript.assemble(budget=1_000)
        for due in context.due:
            reasons.append(due.reason)
            assert due.kind == "summary"
            shown = {id(message) for message in context.messages}
            covered = [transcript.original(index) for start, end in due.ranges for index in range(start, end)]
            assert covered
            assert due.tokens == sum(transcript.counter.count_message(message, "openai") for message in covered)
            if due.reason == "left_window":
                assert not any(id(message) in shown for message in covered)
    assert reasons[0] == "soft_mark"
    assert "left_window" in reasons


def test_tools_changed_in_place_are_counted_anew_and_the_newest_are_sent() -> None:
    transcript = octavo.Transcript("gpt-4o")
    transcript.append({"role": "user", "content": "hello"})
    first: list[dict[str, Any]] = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    second = json.loads(json.dumps(first))
    before = transcript.assemble(budget=1_000, tools=first)
    first[0]["function"]["description"] = "a description that was not there when it was counted"
    equal = transcript.assemble(budget=1_000, tools=second)
    assert equal.tools is second
    assert equal.tokens == before.tokens
    assert transcript.assemble(budget=1_000, tools=first).tokens > before.tokens
