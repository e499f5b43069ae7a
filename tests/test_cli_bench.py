"""`octavo bench quality`: what it prints, for people and for programs, and what it says of files that are wrong."""

import json
from pathlib import Path

import pytest

from command_line import CALLING, DEMO, USER, Run, Write, conversation
from octavo.command import recalling

ASKED = {"role": "user", "content": "Cancel KX-48213, please."}
CALL = {"id": "c1", "type": "function", "function": {"name": "cancel", "arguments": json.dumps({"id": "KX-48213"})}}
CANCELLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
FIELDS = [
    "id", "room", "budget", "calls", "complete", "complete_without_ledger", "values", "values_present", "lines",
    "lines_present", "contexts", "tokens", "over",
]  # fmt: skip


def test_json_has_one_line_a_conversation_and_room(run_octavo: Run, write_lines: Write) -> None:
    file = write_lines(conversation("a", ASKED, CANCELLING), conversation("b"))
    ran = run_octavo("bench", "quality", file, "--rooms", "100,2_000", "--json")
    assert (ran.status, ran.err) == (0, "")
    assert [(line["id"], line["room"]) for line in ran.lines] == [("a", 100), ("a", 2000), ("b", 100), ("b", 2000)]
    assert all(list(line) == FIELDS for line in ran.lines)
    first = ran.lines[0]
    assert (first["calls"], first["complete"], first["values"], first["values_present"]) == (1, 1, 1, 1)
    assert 0 < first["tokens"] <= first["budget"]
    assert first["over"] == 0
    assert ran.lines[2]["calls"] == 0


def test_people_get_a_row_a_room_over_all_files(run_octavo: Run, write_lines: Write, tmp_path: Path) -> None:
    one = write_lines(conversation("a", ASKED, CANCELLING))
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps(conversation("b", USER, CALLING)) + "\n", encoding="utf-8")
    ran = run_octavo("bench", "quality", one, str(other), "--rooms", "500")
    assert (ran.status, ran.err) == (0, "")
    assert "2 conversations, 1 call judged" in ran.out
    assert "calls complete" in ran.out
    assert "100.0%" in ran.out
    assert next(line for line in ran.out.splitlines() if "500" in line).count("%") == 5


def test_the_rooms_are_sensible_where_none_are_asked_for(run_octavo: Run, write_lines: Write) -> None:
    filling = [{"role": role, "content": "On and on. " * 300} for _ in range(8) for role in ("assistant", "user")]
    file = write_lines(conversation("a", USER, {"role": "assistant", "content": "?"}, ASKED, *filling, CANCELLING))
    ran = run_octavo("bench", "quality", file, "--json")
    assert [line["room"] for line in ran.lines] == list(recalling.ROOMS) == [1000, 2000, 4000, 8000, 16000, 32000]
    assert [line["complete_without_ledger"] for line in ran.lines] == [0, 0, 0, 0, 0, 1]
    assert ran.lines[-1]["complete"] == ran.lines[-1]["calls"] == 1
    table = run_octavo("bench", "quality", file)
    assert [line for line in ran.lines if f"{line['room']:,}" not in table.out] == []


def test_nothing_to_look_up_is_said(run_octavo: Run, write_lines: Write) -> None:
    ran = run_octavo("bench", "quality", write_lines(conversation("a")))
    assert (ran.status, ran.out) == (0, "")
    assert ran.err == "octavo: no tool call takes a value that was said before: there is nothing to look up\n"


def test_a_broken_line_is_told_with_its_place_and_the_others_count(run_octavo: Run, write_lines: Write) -> None:
    file = write_lines("{", conversation("a", ASKED, CANCELLING), conversation("c", {"content": "no role"}))
    ran = run_octavo("bench", "quality", file, "--rooms", "500", "--json")
    assert ran.status == 2
    assert [line["id"] for line in ran.lines] == ["a"]
    told = ran.err.splitlines()
    assert [line.split(": ")[0] for line in told] == [f"{file}:1", f"{file}:3"]


def test_a_file_that_is_not_there_is_told_before_work_begins(run_octavo: Run, write_lines: Write) -> None:
    ran = run_octavo("bench", "quality", write_lines(conversation("a", ASKED, CANCELLING)), "nowhere.jsonl", "--json")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "octavo: nowhere.jsonl: No such file or directory\n"


@pytest.mark.parametrize("rooms", ["", "1000,", "-5", "x", "1e3"])
def test_rooms_that_are_none_are_refused(run_octavo: Run, rooms: str) -> None:
    ran = run_octavo("bench", "quality", DEMO, f"--rooms={rooms}")
    assert ran.status == 2
    assert "usage: octavo bench quality" in ran.err
    assert "--rooms" in ran.err


def test_a_bench_must_be_named(run_octavo: Run) -> None:
    ran = run_octavo("bench")
    assert ran.status == 2
    assert "BENCH" in ran.err


def test_an_unknown_model_is_told_once(run_octavo: Run, write_lines: Write) -> None:
    one = write_lines(conversation("a", ASKED, CANCELLING))
    ran = run_octavo("bench", "quality", one, one, "--model", "gpt4o", "--rooms", "500")
    assert ran.status == 0
    assert ran.err.count("unknown model 'gpt4o'") == 1
