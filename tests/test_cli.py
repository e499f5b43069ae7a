"""The command line: its options, the fields of what it writes, its exit statuses, and its tables."""

import json
import os
import sys
from pathlib import Path

import pytest

import octavo
from command_line import CALL, CALLING, DEMO, USER, Run, Write, conversation
from octavo.report import printable

TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}

# ---- assemble -------------------------------------------------------------------------------------------------------


def test_assemble_writes_one_line_a_conversation_with_these_fields(run_octavo: Run, write_lines: Write) -> None:
    ran = run_octavo("assemble", write_lines(conversation("a"), conversation("b")), "--budget", "1000", "--json")
    assert ran.status == 0
    assert [line["id"] for line in ran.lines] == ["a", "b"]
    for line in ran.lines:
        assert list(line) == ["id", "system", "messages", "tools", "report"]
        assert line["messages"] == [USER]
        assert line["tools"] == []
        assert line["system"] is None
        assert line["report"]["fits"] is True
        assert 0 < line["report"]["tokens"] <= line["report"]["budget"] == 1000
        assert line["report"]["stable_prefix_tokens"] >= 0
    assert ran.err == ""


def test_assemble_gives_what_the_call_gives(run_octavo: Run) -> None:
    (line,) = run_octavo("assemble", DEMO, "--budget", "8000", "--model", "claude-sonnet-4-6", "--json").lines
    session = json.loads(Path(DEMO).read_text(encoding="utf-8"))
    context = octavo.assemble(
        session["messages"], budget=8000, tools=session["tools"], model="claude-sonnet-4-6", format="anthropic"
    )
    assert len(context.messages) < len(session["messages"]), "the budget cuts nothing: this compares too little"
    assert line["messages"] == context.messages
    assert line["tools"] == context.tools == session["tools"]
    assert line["report"] == json.loads(context.report.to_json())
    assert line["report"]["model"] == "claude-sonnet-4-6"
    assert line["report"]["method"] == "calibrated"


def test_at_gives_the_context_just_before_that_message(run_octavo: Run) -> None:
    session = json.loads(Path(DEMO).read_text(encoding="utf-8"))
    for at in (0, 1, 7, len(session["messages"])):
        ran = run_octavo("assemble", DEMO, "--budget", "100000", "--at", str(at), "--json")
        assert ran.status == 0, ran.err
        assert ran.lines[0]["messages"] == session["messages"][:at]
    whole = run_octavo("assemble", DEMO, "--budget", "100000", "--json")
    assert whole.lines[0]["messages"] == session["messages"]


def test_at_past_the_end_is_said_of_the_line(run_octavo: Run, write_lines: Write) -> None:
    file = write_lines(conversation("short"), conversation("long", USER, {"role": "assistant", "content": "x"}, USER))
    ran = run_octavo("assemble", file, "--budget", "1000", "--at", "2", "--json")
    assert ran.status == 2
    assert [line["id"] for line in ran.lines] == ["long"]
    assert ran.err == f"{file}:1: --at 2 is past the end: the conversation has 1 messages\n"


def test_id_picks_one_conversation(run_octavo: Run, write_lines: Write) -> None:
    file = write_lines(conversation("a"), conversation(7), {"id": "broken"}, conversation("b"))
    assert [line["id"] for line in run_octavo("assemble", file, "--budget", "100", "--id", "b", "--json").lines] == [
        "b"
    ]
    ran = run_octavo("assemble", file, "--budget", "100", "--id", "7", "--json")
    assert (ran.status, [line["id"] for line in ran.lines], ran.err) == (0, [7], "")


def test_an_id_that_is_not_there_is_an_error(run_octavo: Run, write_lines: Write) -> None:
    file = write_lines(conversation("a"))
    ran = run_octavo("assemble", file, "--budget", "100", "--id", "z", "--json")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"{file}: no conversation has the id 'z'\n"


def test_a_context_that_cannot_fit_is_written_and_says_so(run_octavo: Run, write_lines: Write) -> None:
    ran = run_octavo("assemble", write_lines(conversation()), "--budget", "1", "--json")
    assert ran.status == 0
    assert ran.lines[0]["messages"] == [USER]
    assert ran.lines[0]["report"]["fits"] is False
    assert ran.lines[0]["report"]["over"] == ran.lines[0]["report"]["tokens"] - 1


def test_system_and_tools_are_handed_on(run_octavo: Run, write_lines: Write) -> None:
    tool = {"name": "look", "input_schema": {"type": "object", "properties": {}}}
    line = conversation("a", USER, format="anthropic", tools=[tool], system="Be brief.")
    shown = run_octavo("assemble", write_lines(line), "--budget", "1000", "--json").lines[0]
    assert shown["system"] == "Be brief."
    assert shown["tools"] == [tool]
    without = run_octavo(
        "assemble", write_lines(conversation("a", USER, format="anthropic")), "--budget", "1000", "--json"
    ).lines[0]
    assert without["report"]["fixed_tokens"] < shown["report"]["fixed_tokens"]


def test_without_a_model_the_fallback_counts_and_the_format_rules(run_octavo: Run) -> None:
    report = run_octavo("assemble", DEMO, "--budget", "8000", "--json").lines[0]["report"]
    assert (report["model"], report["method"], report["provider"]) == (None, "estimated", "anthropic")


@pytest.mark.parametrize("budget", ["-1", "eight", "1.5", "", "9" * 10_000, str(2**63), "１２"])
def test_a_budget_must_be_a_whole_number(run_octavo: Run, budget: str) -> None:
    ran = run_octavo("assemble", DEMO, f"--budget={budget}")
    assert (ran.status, ran.out) == (2, "")
    assert "--budget" in ran.err


def test_underscores_part_the_digits_of_a_number_as_in_python(run_octavo: Run) -> None:
    plain = run_octavo("assemble", DEMO, "--budget", "8000", "--at", "10", "--json")
    parted = run_octavo("assemble", DEMO, "--budget", "8_000", "--at", "1_0", "--json")
    assert (parted.status, parted.out) == (0, plain.out)
    for wrong in ("_8", "8_", "8__0", "_"):
        assert run_octavo("assemble", DEMO, "--budget", wrong).status == 2


@pytest.mark.parametrize("at", ["-1", "x"])
def test_at_must_be_a_whole_number(run_octavo: Run, at: str) -> None:
    ran = run_octavo("assemble", DEMO, "--budget", "100", f"--at={at}")
    assert (ran.status, ran.out) == (2, "")
    assert "--at" in ran.err


def test_a_budget_must_be_given(run_octavo: Run) -> None:
    ran = run_octavo("assemble", DEMO)
    assert ran.status == 2
    assert "--budget" in ran.err


# ---- validate -------------------------------------------------------------------------------------------------------


def test_validate_writes_one_line_a_violation_with_these_fields(run_octavo: Run, write_lines: Write) -> None:
    ran = run_octavo("validate", write_lines(conversation("good"), conversation("bad", USER, CALLING, USER)), "--json")
    assert ran.status == 1
    found = octavo.validate([USER, CALLING, USER], provider="openai")
    assert len(found) >= 1
    assert ran.lines == [{"id": "bad", "index": one.index, "rule": one.rule, "message": one.message} for one in found]
    assert "c1" in ran.lines[0]["message"]


def test_validate_is_silent_and_content_where_all_is_valid(run_octavo: Run, write_lines: Write) -> None:
    ran = run_octavo("validate", write_lines(conversation(), conversation()), "--json")
    assert (ran.status, ran.out, ran.err) == (0, "", "")


def test_validate_judges_by_the_provider_that_is_named(run_octavo: Run, write_lines: Write) -> None:
    file = write_lines(conversation("a", {"role": "assistant", "content": "I begin."}, USER))
    assert run_octavo("validate", file, "--json").status == 0
    ran = run_octavo("validate", file, "--provider", "anthropic", "--json")
    expected = octavo.validate([{"role": "assistant", "content": "I begin."}, USER], "anthropic", format="openai")
    assert ran.status == 1
    assert [line["rule"] for line in ran.lines] == [one.rule for one in expected]


@pytest.mark.parametrize("provider", ["anthropic", "openai", "openai-responses", "gemini", "bedrock"])
def test_every_provider_can_be_named(run_octavo: Run, provider: str) -> None:
    shape = {
        "gemini": {"role": "user", "parts": [{"text": "hi"}]},
        "bedrock": {"role": "user", "content": [{"text": "hi"}]},
    }
    file = Path(os.devnull)
    assert run_octavo("validate", str(file), "--provider", provider, "--json").status == 0
    assert octavo.validate([shape.get(provider, USER)], provider) == []


def test_an_unknown_provider_is_refused_with_the_known_ones(run_octavo: Run) -> None:
    ran = run_octavo("validate", DEMO, "--provider", "acme")
    assert ran.status == 2
    assert "openai-responses" in ran.err


def test_violations_and_bad_lines_together_are_a_2(run_octavo: Run, write_lines: Write) -> None:
    ran = run_octavo("validate", write_lines(conversation("bad", USER, CALLING, USER), "{"), "--json")
    assert ran.status == 2
    assert len(ran.lines) >= 1


# ---- count ----------------------------------------------------------------------------------------------------------


def test_count_writes_one_line_a_conversation_with_these_fields(run_octavo: Run, write_lines: Write) -> None:
    ran = run_octavo(
        "count",
        write_lines(conversation("a"), conversation("b", USER, USER, tools=[TOOL])),
        "--model",
        "gpt-4o",
        "--json",
    )
    counter = octavo.counter_for("gpt-4o")
    one, two = counter.count_messages([USER]), counter.count_messages([USER, USER], tools=[TOOL])
    assert ran.status == 0
    assert ran.lines == [
        {"id": "a", "tokens": one.tokens, "method": "exact"},
        {"id": "b", "tokens": two.tokens, "method": "exact"},
    ]
    assert two.tokens > 2 * one.tokens - counter.fixed, "the tools were counted"


@pytest.mark.parametrize(
    ("model", "method"),
    [("gpt-4o", "exact"), ("claude-sonnet-4-6", "calibrated"), ("house-model", "estimated"), (None, "estimated")],
)
def test_count_says_how_it_counted(run_octavo: Run, write_lines: Write, model: str | None, method: str) -> None:
    ran = run_octavo("count", write_lines(conversation()), *(["--model", model] if model else []), "--json")
    assert ran.lines[0]["method"] == method
    assert ran.lines[0]["tokens"] == octavo.counter_for(model).count_messages([USER]).tokens


# ---- a model that is not known --------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [("count",), ("assemble", "--budget", "100")])
def test_an_unknown_model_is_told_once_and_changes_nothing(
    run_octavo: Run, write_lines: Write, command: tuple[str, ...]
) -> None:
    name, *options = command
    file = write_lines(conversation("a"), conversation("b"))
    with_it = run_octavo(name, file, *options, "--model", "house\x1b", "--json")
    assert with_it.err == "octavo: unknown model 'house\\x1b', counted as o200k_base counts (estimated)\n"
    without = run_octavo(name, file, *options, "--json")
    assert without.err == ""
    assert with_it.status == without.status == 0
    assert [line["id"] for line in with_it.lines] == ["a", "b"]
    if name == "count":
        assert with_it.out == without.out


@pytest.mark.parametrize(
    ("model", "told"),
    [("gpt4o", "gpt (estimated)"), ("claude-sonet-4-6", "claude (calibrated)"), ("gemini-9", "gemini (calibrated)")],
)
def test_a_name_of_which_only_the_maker_is_known_is_told(
    run_octavo: Run, write_lines: Write, model: str, told: str
) -> None:
    ran = run_octavo("count", write_lines(conversation()), "--model", model, "--json")
    assert ran.status == 0
    assert ran.err == f"octavo: unknown model {model!r}, counted as any other {told}\n"


@pytest.mark.parametrize(
    "model", ["gpt-4o", "claude-sonnet-4-6", "openrouter/anthropic/claude-opus-4.6:thinking", "llama-3.3-70b", "o3"]
)
def test_a_known_model_is_not_talked_about(run_octavo: Run, write_lines: Write, model: str) -> None:
    assert run_octavo("count", write_lines(conversation()), "--model", model).err == ""


# ---- for people -----------------------------------------------------------------------------------------------------


def test_people_get_tables_where_rich_is_installed(run_octavo: Run, write_lines: Write) -> None:
    file = write_lines(conversation("a[red]:smile:[/nothing]", USER, CALLING, USER))
    for command in (("assemble", file, "--budget", "1000"), ("validate", file), ("count", file)):
        ran = run_octavo(*command)
        assert ran.err == ""
        assert "━" in ran.out
        assert "a[red]:smile:[/nothing]" in ran.out, "data is no markup"


def test_people_get_plain_text_where_rich_is_not(
    run_octavo: Run, write_lines: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rich.console", None)
    file = write_lines(conversation("a", USER, CALLING, USER), conversation("b"))
    shown = run_octavo("assemble", file, "--budget", "1000")
    assert shown.status == 0
    assert shown.out.startswith("a, 4 messages\n")
    assert "fits" in shown.out
    judged = run_octavo("validate", file)
    assert judged.status == 1
    assert "a, 1 violation\nmessage  rule" in judged.out
    assert judged.out.endswith("2 conversations, 1 violation\n")
    counted = run_octavo("count", file, "--model", "gpt-4o")
    assert counted.status == 0
    assert [line.split()[0] for line in counted.out.splitlines()] == ["id", "a", "b", "total"]
    assert not any("━" in ran.out for ran in (shown, judged, counted))


def test_a_conversation_without_an_id_is_called_by_its_line(run_octavo: Run, write_lines: Write) -> None:
    file = write_lines(conversation("a"), "", conversation(None, USER, CALLING, USER), conversation(None))
    for command in (("assemble", file, "--budget", "1000"), ("validate", file), ("count", file)):
        shown = run_octavo(*command).out
        assert "line 3" in shown
        assert "None" not in shown
    assert [line["id"] for line in run_octavo("count", file, "--json").lines] == ["a", None, None]
    assert run_octavo("assemble", file, "--budget", "1000", "--id", "line 3").status == 2, "it is no id"


def test_the_last_row_of_a_report_says_what_it_is(run_octavo: Run, write_lines: Write) -> None:
    file = write_lines(conversation("a", USER, CALLING, USER))
    shown = run_octavo("assemble", file, "--budget", "1000").out
    assert "repaired: message 1" in shown
    assert "what repairs add and take away" in shown
    assert "usage" not in shown


def test_repairs_with_brackets_in_an_id_are_shown(run_octavo: Run, write_lines: Write) -> None:
    calling = {**CALLING, "tool_calls": [{**CALL, "id": "[/c1]"}]}
    ran = run_octavo("assemble", write_lines(conversation("a", USER, calling, USER)), "--budget", "1000")
    assert ran.status == 0, ran.err
    assert "[/c1]" in ran.out


def test_data_cannot_steer_the_terminal(run_octavo: Run, write_lines: Write) -> None:
    calling = {**CALLING, "tool_calls": [{**CALL, "id": "c\x1b[2J\x07"}]}
    file = write_lines(conversation("evil\x1b]0;title\x07\n", USER, calling, USER), {"format": "\x1b[2J"})
    for command in (("assemble", file, "--budget", "1000"), ("validate", file), ("count", file)):
        ran = run_octavo(*command)
        assert "evil\\x1b" in ran.out
        assert not {"\x1b", "\x07"} & set(ran.out + ran.err)
    assert printable("a\u202eb\ud800c") == "a\\u202eb\\ud800c"


def test_help_is_a_manual(run_octavo: Run) -> None:
    ran = run_octavo("--help")
    assert ran.status == 0
    assert all(word in ran.out for word in ("assemble", "validate", "count", "--version", "JSON Lines", "FILE:LINE"))
    options = {
        "assemble": ("--budget N", "--model NAME", "--at K", "--id ID", "--json"),
        "validate": ("--provider NAME", "--json"),
        "count": ("--model NAME", "--json"),
    }
    for command, expected in options.items():
        text = run_octavo(command, "--help").out
        offered = [word for word in text.split() if word.startswith("--") and word.strip("-,[]") not in ("help", "")]
        assert {word.strip("[],") for word in offered} - {"--id", "--at"} <= {one.split()[0] for one in expected}
        assert all(one in text for one in expected)
        assert "exit status" in text


def test_help_says_what_comes_out(run_octavo: Run) -> None:
    assemble, count = (" ".join(run_octavo(command, "--help").out.split()) for command in ("assemble", "count"))
    assert "Without --json the report is printed, and not the messages" in assemble
    assert "rules" in assemble
    assert "rules" not in count, "counting asks for no rules"


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (("assemble", DEMO), "assemble"),
        (("assemble", DEMO, "--budget", "8", "--foo"), "assemble"),
        (("count", DEMO, "--budget", "8000"), "count"),
        (("validate", DEMO, "--provider", "acme"), "validate"),
        (("mask", DEMO, "extra"), "mask"),
    ],
)
def test_a_wrong_use_is_answered_with_the_usage_of_the_command(
    run_octavo: Run, arguments: tuple[str, ...], command: str
) -> None:
    ran = run_octavo(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"usage: octavo {command} ")
    assert f"octavo {command}: error: " in ran.err


def test_version(run_octavo: Run) -> None:
    ran = run_octavo("--version")
    assert (ran.status, ran.out) == (0, f"octavo {octavo.__version__}\n")


def test_a_command_must_be_named(run_octavo: Run) -> None:
    assert run_octavo().status == 2
    assert run_octavo("fold", DEMO).status == 2
