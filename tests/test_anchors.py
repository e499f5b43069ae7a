"""What stays whatever the cut, in the shapes that real agents write."""

from __future__ import annotations

from typing import Any

import pytest

import octavo
from octavo.messages import Format
from sessions import ANTHROPIC, OPENAI, RESPONSES, Dialect, Messages


def loop(turns: int, beside: list[Any], *, at: set[int] | None = None, thinks: str = "first") -> Messages:
    """A tool loop of Claude's in which some results have something beside them."""
    messages: Messages = [{"role": "user", "content": "the task"}]
    for turn in range(turns):
        thinking = [{"type": "thinking", "thinking": "plan", "signature": "S"}]
        opens = thinks == "every" or turn == 0
        call = {"type": "tool_use", "id": f"t{turn}", "name": "look", "input": {}}
        messages.append({"role": "assistant", "content": [*(thinking if opens else []), call]})
        result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": "word " * 50}
        messages.append({"role": "user", "content": [result, *(beside if at is None or turn in at else [])]})
    return messages


REMINDER = {"type": "text", "text": "<system-reminder>be careful</system-reminder>"}
SHOT = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


@pytest.mark.parametrize("at", [None, {15}, {29}], ids=["every", "middle", "last"])
@pytest.mark.parametrize("beside", [[REMINDER], [SHOT], [REMINDER, SHOT], []])
@pytest.mark.parametrize("thinks", ["first", "every"])
def test_what_stands_beside_results_does_not_end_the_loop(beside: list[Any], at: set[int] | None, thinks: str) -> None:
    messages = loop(30, beside, at=at, thinks=thinks)
    model, thinking = "claude-sonnet-4-5", True
    assert octavo.validate(messages, "anthropic", model=model, thinking=thinking) == []
    context = octavo.assemble(messages, budget=1_500, model=model, thinking=thinking)
    assert context.report.moved or len(context.messages) < len(messages)
    assert context.messages[0] is messages[0]
    assert octavo.validate(context.messages, "anthropic", model=model, thinking=thinking) == []
    assert "loop_opening" in {span.reason for span in context.report.spans}


def test_a_request_stays_when_reminders_come_with_the_results() -> None:
    messages = [
        *loop(3, []),
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
        {"role": "user", "content": "now fix the other bug"},
        *loop(30, [REMINDER])[1:],
    ]
    context = octavo.assemble(messages, budget=1_500, model="claude-sonnet-4-6")
    assert len(context.messages) < len(messages)
    assert "the task" in str(context.messages[0])
    assert "now fix the other bug" in str(context.messages)


@pytest.mark.parametrize("dialect", [ANTHROPIC, OPENAI, RESPONSES], ids=lambda dialect: dialect.format)
def test_the_task_may_be_several_messages(dialect: Dialect) -> None:
    opening = [dialect.user("instructions of the project"), dialect.user("content of a file"), dialect.user("THE TASK")]
    messages = [
        *opening,
        *dialect.loop(40),
        dialect.reply("done so far"),
        dialect.user("please continue"),
        *dialect.loop(40, start=40),
    ]
    context = octavo.assemble(messages, budget=2_000, model=dialect.model, format=dialect.format)
    assert context.report.moved or len(context.messages) < len(messages)
    said = str(context.messages)
    for text in ("instructions of the project", "content of a file", "THE TASK", "please continue"):
        assert text in said
    reasons = {span.reason for span in context.report.spans if span.end <= 3}
    # Roles that must alternate are merged into one message, for the rule's sake.
    assert reasons <= ({"task"} if dialect is not ANTHROPIC else {"task", "A9"})
    assert reasons


def test_a_long_opening_does_not_crowd_out_the_rest() -> None:
    opening = [OPENAI.user(f"file {at}: " + "word " * 100) for at in range(20)]
    messages = [*opening, OPENAI.user("THE TASK"), *OPENAI.loop(40)]
    context = octavo.assemble(messages, budget=2_000, model=OPENAI.model)
    assert context.fits
    kept = [message for message in context.messages if any(message is said for said in opening)]
    assert kept[0] is opening[0]
    assert kept[-1] is opening[-1]
    assert 2 <= len(kept) <= 6
    assert any(message is messages[20] for message in context.messages)


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
@pytest.mark.parametrize("dialect", [ANTHROPIC, OPENAI], ids=lambda dialect: dialect.format)
def test_a_blank_message_is_not_the_task(dialect: Dialect, blank: str) -> None:
    messages = [dialect.user(blank), dialect.user("THE TASK"), *dialect.loop(60)]
    context = octavo.assemble(messages, budget=1_500, model=dialect.model, format=dialect.format)
    assert "THE TASK" in str(context.messages[:2])
    alone = [dialect.user(blank), dialect.reply("Hello."), dialect.user("THE TASK"), *dialect.loop(60)]
    context = octavo.assemble(alone, budget=1_500, model=dialect.model, format=dialect.format)
    assert "THE TASK" in str(context.messages)


COMPACTIONS: list[tuple[Format, str, Any, Dialect]] = [
    ("openai-responses", "gpt-5", {"type": "compaction", "encrypted_content": "x" * 900}, RESPONSES),
    (
        "anthropic",
        "claude-opus-4-6",
        {"role": "assistant", "content": [{"type": "compaction", "content": "SUMMARY " * 40}]},
        ANTHROPIC,
    ),
]


@pytest.mark.parametrize(("format", "model", "compaction", "dialect"), COMPACTIONS)
def test_the_newest_compaction_stays(format: Format, model: str, compaction: Any, dialect: Dialect) -> None:
    older = {**compaction}
    messages = [dialect.user("task"), *dialect.talk(3), older, *dialect.talk(3), compaction, *dialect.talk(40)]
    context = octavo.assemble(messages, budget=2_000, model=model, format=format)
    assert len(context.messages) < len(messages)
    assert any(message is compaction for message in context.messages)
    assert not any(message is older for message in context.messages)
    assert "compaction" in {span.reason for span in context.report.spans}


def test_parts_add_up_where_a_report_holds_a_constant() -> None:
    tools = [{"name": "f", "description": "d " * 200, "input_schema": {"type": "object", "properties": {}}}]
    section = octavo.Section("state", "state " * 300, "prefix")
    for reported in (100, 300, 700, 50_000):
        transcript = octavo.Transcript("claude-sonnet-4-6")
        transcript.extend([ANTHROPIC.user("task"), ANTHROPIC.reply("ok"), ANTHROPIC.user("more")])
        transcript.assemble(budget=3_000, tools=tools, sections=[section])
        transcript.observe({"input_tokens": reported, "output_tokens": 1})
        report = transcript.assemble(budget=3_000, tools=tools, sections=[section]).report
        assert report.fixed_tokens + report.section_tokens + report.history_tokens == report.tokens
        assert min(report.fixed_tokens, report.section_tokens, report.history_tokens) >= 0
        assert report.fits or sum(report.pinned.values()) == report.tokens
        if reported == 50_000:
            assert report.pinned["fixed"] > 48_000
            assert report.pinned["task"] < 20


def test_what_a_repair_dropped_is_not_to_blame() -> None:
    orphans = [{"type": "tool_result", "tool_use_id": f"c{at}", "content": "word " * 20} for at in range(3)]
    messages = [{"role": "user", "content": "task"}, {"role": "user", "content": orphans}]
    report = octavo.assemble(messages, budget=0, model="claude-sonnet-4-6", format="anthropic").report
    assert sum(report.pinned.values()) == report.tokens == report.over
    assert "newest" not in report.pinned


def test_usage_for_another_conversation_is_refused() -> None:
    ours, theirs = octavo.Transcript("gpt-4o"), octavo.Transcript("gpt-4o")
    ours.extend([OPENAI.user("task"), OPENAI.reply("ok"), OPENAI.user("more")])
    theirs.append(OPENAI.user("another"))
    context = theirs.assemble(budget=1_000)
    with pytest.raises(octavo.errors.OctavoError, match="of another"):
        ours.observe({"prompt_tokens": 3_000, "completion_tokens": 1}, context)
    fork = theirs.fork()
    fork.observe({"prompt_tokens": 30, "completion_tokens": 1}, context)
