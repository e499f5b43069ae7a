"""The command line on files that are not what they should be, as a process among others, and its progress bar."""

import io
import json
import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import CALLING, USER, Run, Write, conversation, start
from octavo.command import terminal as command_terminal
from octavo.command.conversations import Lines
from octavo.command.terminal import Progress, json_line

# ---- bad input ------------------------------------------------------------------------------------------------------

NO_ROLE = {"content": "who speaks?"}

BAD_LINES: dict[str, tuple[object, str]] = {
    "not JSON": ("{'id': 1}", "not JSON"),
    "cut off": ('{"id": "x", "messages": [', "not JSON"),
    "two values": ("{} {}", "not JSON"),
    "no object": ([USER], "expected a JSON object with messages, got a list"),
    "null": ("null", "got null"),
    "a text": ('"hello"', "got a text"),
    "a number": ("12", "got a number"),
    "no messages": ({"id": "x", "format": "openai"}, "the object has no messages"),
    "null messages": ({"messages": None}, "messages must be a list, got null"),
    "messages of the wrong kind": ({"messages": {"role": "user"}}, "messages must be a list, got an object"),
    "tools of the wrong kind": (conversation("x", tools="look"), "tools must be a list, got a text"),
    "an id of the wrong kind": (conversation(["x"]), "id must be a text or a number, got a list"),
    "an unknown format": (conversation("x", format="acme"), "unknown format 'acme'"),
    "a format of the wrong kind": (conversation("x", format=["openai"]), "unknown format ['openai']"),
    "a message without role": (conversation("x", USER, NO_ROLE), "message 1: "),
    "a message that is none": (conversation("x", USER, 7), "message 1: "),
    "not UTF-8": (b'{"id": "\xff"}', "not UTF-8 at byte 8"),
    "NaN": ('{"id": NaN, "messages": []}', "NaN is no JSON number"),
    "a huge number": ('{"id": ' + "1" * 10_000 + "}", "not readable"),
    "nested too deeply": ("[" * 100_000, "nested too deeply"),
}


@pytest.mark.parametrize(("line", "words"), BAD_LINES.values(), ids=BAD_LINES)
@pytest.mark.parametrize("command", ["assemble", "validate", "count"])
def test_a_bad_line_is_told_with_its_place_and_the_good_ones_are_kept(
    run_octavo: Run, write_lines: Write, command: str, line: object, words: str
) -> None:
    # Validation speaks only of what is broken, so its good lines are broken conversations.
    good = conversation("good", USER, CALLING, USER)
    file = write_lines(good, "", line, good)
    ran = run_octavo(command, file, *(["--budget", "1000"] if command == "assemble" else []), "--json")
    assert ran.status == 2
    assert [one["id"] for one in ran.lines] == ["good", "good"]
    assert ran.err.startswith(f"{file}:3: ")
    assert words in ran.err
    assert ran.err.count("\n") == 1


def test_what_json_cannot_say_is_told(run_octavo: Run, write_lines: Write) -> None:
    file = write_lines(
        '{"id": "x", "format": "openai", "messages": [{"role": "user", "content": "a", "n": 1e999}]}', conversation()
    )
    ran = run_octavo("assemble", file, "--budget", "100", "--json")
    assert ran.status == 2
    assert [line["id"] for line in ran.lines] == ["one"]
    assert ran.err.startswith(f"{file}:1: cannot be written as JSON")


@pytest.mark.parametrize("format_option", ["--json", None])
@pytest.mark.parametrize("command", [("assemble", "--budget", "9"), ("validate",), ("count",)])
def test_an_infinite_id_is_told_and_the_lines_after_it_are_kept(
    run_octavo: Run, write_lines: Write, command: tuple[str, ...], format_option: str | None
) -> None:
    broken = '{"format": "openai", "messages": [{"role": "user", "content": null}], "id": '
    file = write_lines(broken + "1e999}", broken + '"one"}')
    ran = run_octavo(*command, file, *([] if format_option is None else [format_option]))
    assert ran.status == 2
    assert ran.err.startswith(f"{file}:1: id is a number")
    assert "one" in ran.out


@pytest.mark.parametrize("command", [("assemble", "--budget", "9"), ("validate",), ("count",)])
def test_a_closed_output_is_said_without_a_traceback(write_lines: Write, command: tuple[str, ...]) -> None:
    file = write_lines(conversation())
    arguments = " ".join(map(shlex.quote, (sys.executable, "-m", "octavo", *command, file)))
    closed = subprocess.run(["sh", "-c", f"{arguments} >&-"], capture_output=True, check=False)
    assert closed.returncode == 2
    assert closed.stderr == b"octavo: standard output: it is closed\n"
    deaf = subprocess.run(["sh", "-c", f"{arguments} 2>&-"], capture_output=True, check=False)
    assert deaf.returncode == 0
    assert b"one" in deaf.stdout or command[0] == "validate"
    mute = subprocess.run(
        ["sh", "-c", f"{arguments.replace(shlex.quote(file), '-')} <&-"], capture_output=True, check=False
    )
    assert mute.returncode == 2
    assert mute.stderr == b"octavo: -: it is closed\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full is Linux's")
def test_a_full_output_is_not_blamed_on_the_file(write_lines: Write) -> None:
    file = write_lines(*[conversation("x" * 1000)] * 200)
    for command in (["count", file, "--json"], ["count", file], ["validate", file]):
        with Path("/dev/full").open("wb") as full:
            ran = subprocess.run(
                [sys.executable, "-m", "octavo", *command], stdout=full, stderr=subprocess.PIPE, check=False
            )
        assert ran.returncode == 2
        assert ran.stderr == b"octavo: standard output: No space left on device\n"


@pytest.mark.parametrize("command", [("assemble", "--budget", "9"), ("validate",), ("count",)])
def test_a_file_that_cannot_be_opened_is_an_error(run_octavo: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    missing = str(tmp_path / "nothing.jsonl")
    ran = run_octavo(command[0], missing, *command[1:])
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"octavo: {missing}: No such file or directory\n"
    assert run_octavo(command[0], str(tmp_path), *command[1:]).status == 2


def test_an_empty_file_has_no_conversations(run_octavo: Run, write_lines: Write) -> None:
    file = write_lines(b"", b"  ")
    assert run_octavo("assemble", file, "--budget", "9", "--json").out == ""
    assert run_octavo("validate", file).out.strip() == "0 conversations, 0 violations"
    assert run_octavo("count", file).status == 0


def test_windows_lines_and_a_byte_order_mark_are_read(run_octavo: Run, write_lines: Write) -> None:
    file = write_lines(b"\xef\xbb\xbf" + json.dumps(conversation("a")).encode(), conversation("b"), end=b"\r\n")
    ran = run_octavo("count", file, "--json")
    assert (ran.status, ran.err) == (0, "")
    assert [line["id"] for line in ran.lines] == ["a", "b"]


def test_text_comes_out_as_it_went_in_but_for_half_characters(run_octavo: Run, write_lines: Write) -> None:
    content = '가 \ud800 \udfff 😀 \x00 \u2028 \\ud800 "q"'
    file = write_lines(conversation("\ud83d", {"role": "user", "content": content}))
    (line,) = run_octavo("assemble", file, "--budget", "1000", "--json").lines
    assert line["messages"][0]["content"] == content.replace("\ud800", "\ufffd").replace("\udfff", "\ufffd")
    assert line["report"]["repairs"] != []
    assert line["id"] == "\ud83d"


def test_json_lines_are_utf_8_with_lone_surrogates_escaped() -> None:
    written = json_line({"키": "\ud800 가"})
    assert written == '{"키": "\\ud800 가"}'
    assert json.loads(written.encode()) == {"키": "\ud800 가"}
    with pytest.raises(ValueError, match="JSON"):
        json_line(float("nan"))


# ---- as a process ---------------------------------------------------------------------------------------------------


def test_standard_input_is_read_and_named() -> None:
    lines = b"\n".join([json.dumps(conversation("in")).encode(), b"{"])
    done = start("count", "-", "--model", "gpt-4o", "--json", input=lines)
    assert done.returncode == 2
    assert json.loads(done.stdout)["id"] == "in"
    assert done.stderr.startswith(b"<stdin>:2: not JSON")


def test_output_is_utf_8_whatever_the_locale_says() -> None:
    line = json.dumps(conversation("가\ud800")).encode()
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = start("count", "-", "--json", input=line, env=environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.decode("utf-8"))["id"] == "가\ud800"
    assert "가".encode() in done.stdout
    table = start("count", "-", input=line, env=environment)
    assert table.returncode == 0, table.stderr
    assert "가\\ud800" in table.stdout.decode("utf-8")


def test_a_reader_that_has_enough_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    file.write_text((json.dumps(conversation("x" * 1000)) + "\n") * 2000, encoding="utf-8")
    command = [sys.executable, "-m", "octavo", "count", str(file), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b'{"id": "xxx')
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


WITHOUT_RICH = """
import sys
from octavo.__main__ import main
try:
    main(["--help"])
except SystemExit:
    print("rich" in sys.modules)
"""


def test_help_needs_no_rich() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_RICH], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_a_file_is_read_line_by_line(run_octavo: Run, write_lines: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    happened: list[str] = []

    class Watched(Lines):
        def __iter__(self) -> Iterator[tuple[int, bytes]]:
            for pair in super().__iter__():
                happened.append("read")
                yield pair

    def written(value: object) -> str:
        happened.append("written")
        return json_line(value)

    monkeypatch.setattr("octavo.command.running.Lines", Watched)
    monkeypatch.setattr("octavo.command.counting.json_line", written)
    assert run_octavo("count", write_lines(conversation("a"), conversation("b")), "--json").status == 0
    assert happened == ["read", "written"] * 2


# ---- progress -------------------------------------------------------------------------------------------------------


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_drawn_for_long_files_on_a_terminal(write_lines: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_terminal, "LONG_FILE", 10)
    monkeypatch.setattr(command_terminal, "_EVERY", 0.0)
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    lines = Lines(write_lines("x" * 100, "x" * 100))
    progress = Progress(lines)
    for _ in lines:
        progress.step()
    progress.clear()
    lines.close()
    first, second, erased = screen.getvalue().split("\r")[1:4]
    assert "50%" in first
    assert "100%" in second
    assert erased.strip() == ""
    assert screen.getvalue().endswith("\r")


def test_progress_is_not_drawn_for_short_files_nor_into_a_pipe(
    write_lines: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_terminal, "_EVERY", 0.0)
    for long, screen in ((10, io.StringIO()), (10_000, Screen())):
        monkeypatch.setattr(command_terminal, "LONG_FILE", long)
        monkeypatch.setattr(sys, "stderr", screen)
        lines = Lines(write_lines("x" * 100))
        Progress(lines).step()
        lines.close()
        assert screen.getvalue() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a Unix thing")
def test_progress_shows_on_a_real_terminal_and_leaves_it_clean(tmp_path: Path) -> None:
    file = tmp_path / "long.jsonl"
    long = conversation("x", {"role": "user", "content": "word " * 200_000})
    file.write_text((json.dumps(long) + "\n") * 12, encoding="utf-8")
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "octavo", "count", str(file), "--json"],
            stdout=subprocess.PIPE,
            stderr=theirs,
            check=True,
        )
        os.close(theirs)
        shown = os.read(ours, 100_000).decode()
    finally:
        os.close(ours)
    assert len(done.stdout.splitlines()) == 12
    assert "%" in shown
    assert shown.endswith("\r")
