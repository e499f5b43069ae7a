"""`octavo mask`: text and JSON Lines, bad lines, options, and the summary."""

import io
import json
import os
import pty
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from command_line import Run, Write, start
from octavo import privacy
from personal_texts import CARD, EMAIL, MANY, MANY_MASKED, PEM, PHONE, RRN

# ---- text -----------------------------------------------------------------------------------------------------------


def test_a_text_is_masked_line_by_line(run_octavo: Run, write_lines: Write) -> None:
    file = write_lines(MANY, "", "none of it", MANY)
    ran = run_octavo("mask", file)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == f"{MANY_MASKED}\n\nnone of it\n{MANY_MASKED}\n"


def test_what_takes_several_lines_is_masked_whole(run_octavo: Run, write_lines: Write) -> None:
    assert run_octavo("mask", write_lines(f"a\n{PEM}\nb")).out == "a\n[PRIVATE_KEY]\nb\n"


def test_what_is_longer_than_a_stream_holds_is_masked_whole(run_octavo: Run, write_lines: Write) -> None:
    key = PEM.replace("\n-----END", "\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC/MIIEvQIBADANBgkqhkiG9w" * 1_800 + "\n-----END")
    secret = "aB3dE5fG7hJ9kL2m" * 6_000
    assert min(len(key), len(secret)) > 64 * 1024
    ran = run_octavo("mask", write_lines("a", key, f"password={secret} b", f"c {PHONE}"))
    assert (ran.status, ran.out) == (0, "a\n[PRIVATE_KEY]\npassword=[SECRET] b\nc [KR_PHONE]\n")


@pytest.mark.parametrize("end", [b"\r\n", b"\n", b"", b"\x0c\xe2\x80\xa8\n"])
def test_everything_else_comes_out_as_it_went_in(tmp_path: Path, end: bytes) -> None:
    lines = ["\ufeffnone", f"전화 {PHONE}", "\x00\x1b[2J", ""]
    file = tmp_path / "file.txt"
    file.write_bytes(end.join(line.encode() for line in lines))
    done = start("mask", str(file))
    assert done.returncode == 0, done.stderr
    assert done.stdout == file.read_bytes().replace(PHONE.encode(), b"[KR_PHONE]")


def test_a_line_that_is_no_utf_8_is_told_and_left_out(run_octavo: Run, write_lines: Write) -> None:
    file = write_lines(MANY, b"caf\xe9 " + RRN.encode(), MANY)
    ran = run_octavo("mask", file)
    assert ran.status == 2
    assert ran.out == f"{MANY_MASKED}\n{MANY_MASKED}\n"
    assert ran.err == f"{file}:2: not UTF-8 at byte 3 of the line: it is left out\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_file_of_wide_characters_is_refused(run_octavo: Run, tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "wide.txt"
    file.write_bytes(f"{MANY}\n{MANY}".encode(encoding))
    for options in ((), ("--json",)):
        ran = run_octavo("mask", str(file), *options)
        assert (ran.status, ran.out) == (2, "")
        assert ran.err.endswith("not UTF-8 but UTF-16 or UTF-32: convert it first\n")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", [f"{RRN}\n{RRN}\n", f"주민 {RRN} {EMAIL}", f'{{"a": "{RRN}"}}\n'])
def test_wide_characters_without_a_mark_are_refused(encoding: str, text: str) -> None:
    for options in ((), ("--json",)):
        done = start("mask", "-", *options, input=text.encode(encoding))
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr


@pytest.mark.parametrize("line", [b"a\0b\n", b"\0" * 40 + b"log line\n", b"name=kim\0home=/\0x\0y=1\0", b"\0\0\0\n"])
def test_a_nul_here_and_there_is_text(line: bytes) -> None:
    done = start("mask", "-", input=line)
    assert (done.returncode, done.stdout) == (0, line)


# ---- JSON Lines -----------------------------------------------------------------------------------------------------


def test_json_lines_stay_json_lines(run_octavo: Run, write_lines: Write) -> None:
    value = {"id": 1, EMAIL: [{"password": "hunter2Zq9xK"}, int(CARD)], "text": f"\ud800 {MANY}"}
    ran = run_octavo("mask", write_lines(value, [RRN], json.dumps(PHONE)), "--json")
    assert ran.status == 0, ran.err
    assert [json.loads(line) for line in ran.out.splitlines()] == [
        {"id": 1, "[EMAIL]": [{"password": "[SECRET]"}, "[CREDIT_CARD]"], "text": f"\ud800 {MANY_MASKED}"},
        ["[KR_RRN]"],
        "[KR_PHONE]",
    ]


def test_a_line_without_findings_comes_out_byte_for_byte(run_octavo: Run, write_lines: Write) -> None:
    lines = ['{"a":1.10,  "b":"\\u00e9"}', "", "  [1e3]", "null", '"가"', '{"n": 1e999}']
    assert run_octavo("mask", write_lines(*lines), "--json").out == "\n".join(lines) + "\n"


def test_a_value_under_a_repeated_key_does_not_slip_through(run_octavo: Run, write_lines: Write) -> None:
    ran = run_octavo("mask", write_lines(f'{{"a": "{RRN}", "a": "x"}}'), "--json")
    assert ran.status == 0
    assert ran.lines == [{"a": "x"}]


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        (f'["{RRN}", 1.10, 1e400, -0, -0.0, 1E+2]', '["[KR_RRN]", 1.10, 1e400, -0, -0.0, 1E+2]'),
        (f'["{RRN}", {"7" * 5000}, -{"7" * 31}]', f'["[KR_RRN]", {"7" * 5000}, -{"7" * 31}]'),
        (f'{{"a": "{RRN}", "a": 1, "a": [true, null]}}', '{"a": "[KR_RRN]", "a": 1, "a": [true, null]}'),
        (f'{{"a": 1, "a": {{"b": "{RRN}"}}}}', '{"a": 1, "a": {"b": "[KR_RRN]"}}'),
        (f'{{"{EMAIL}": 1, "{EMAIL}": 2, "a": {{}}}}', '{"[EMAIL]": 1, "[EMAIL] 2": 2, "a": {}}'),
        ('{"password": "hunter2Zq9xK", "password": "x"}', '{"password": "[SECRET]", "password": "x"}'),
        (f"[{int(CARD)}, {CARD}.0, 1]", '["[CREDIT_CARD]", "[CREDIT_CARD]", 1]'),
    ],
    ids=range(7),
)
def test_what_is_not_masked_is_written_as_it_was(run_octavo: Run, write_lines: Write, line: str, masked: str) -> None:
    ran = run_octavo("mask", write_lines(line), "--json")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == masked + "\n"


@pytest.mark.parametrize("end", [b"\r\n", b"\n", b""])
def test_lines_keep_their_end(end: bytes) -> None:
    done = start("mask", "-", "--json", input=f'["{RRN}"]'.encode() + end)
    assert (done.returncode, done.stdout) == (0, b'["[KR_RRN]"]' + end)


def test_a_value_written_with_escapes_does_not_slip_through(run_octavo: Run, write_lines: Write) -> None:
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in RRN)
    assert run_octavo("mask", write_lines(f'["{escaped}"]'), "--json").out == '["[KR_RRN]"]\n'


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{'id': 1}", "not JSON"),
        (b'"\xff"', "not UTF-8 at byte 1"),
        ("NaN", "NaN is no JSON number"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_bad_line_is_told_and_the_good_ones_are_kept(
    run_octavo: Run, write_lines: Write, line: object, words: str
) -> None:
    file = write_lines([PHONE], line, [PHONE])
    ran = run_octavo("mask", file, "--json")
    assert ran.status == 2
    assert ran.out == '["[KR_PHONE]"]\n' * 2
    assert ran.err.startswith(f"{file}:2: ")
    assert words in ran.err
    assert RRN not in ran.err


def test_standard_input_is_read() -> None:
    done = start("mask", "-", input=f"{PHONE}\n".encode())
    assert (done.returncode, done.stdout) == (0, b"[KR_PHONE]\n")
    done = start("mask", "-", "--json", input=b'["x"]\n{')
    assert (done.returncode, done.stdout) == (2, b'["x"]\n')
    assert done.stderr.startswith(b"<stdin>:2: not JSON")


# ---- options --------------------------------------------------------------------------------------------------------


def test_kinds_and_strict(run_octavo: Run, write_lines: Write) -> None:
    file = write_lines(MANY, "8502281234560")
    only = run_octavo("mask", file, "--kinds", "EMAIL,CREDIT_CARD")
    assert only.out.splitlines() == [MANY.replace(EMAIL, "[EMAIL]").replace(CARD, "[CREDIT_CARD]"), "8502281234560"]
    assert run_octavo("mask", file, "--strict").out.splitlines()[1] == "[KR_RRN]"
    refused = run_octavo("mask", file, "--kinds", "EMAIL,NAME")
    assert (refused.status, refused.out) == (2, "")
    assert "unknown kind 'NAME'" in refused.err


def test_a_file_that_is_not_there_is_an_error(run_octavo: Run, tmp_path: Path) -> None:
    ran = run_octavo("mask", str(tmp_path / "nothing"))
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.endswith("No such file or directory\n")


def test_help_says_what_is_not_found(run_octavo: Run) -> None:
    text = run_octavo("mask", "--help").out
    assert all(word in text for word in ("--kinds", "--strict", "--json", "need a model", "KR_RRN", "exit status"))
    assert all(kind in text.replace("\n", " ") for kind in privacy.KINDS)


# ---- summary and size -----------------------------------------------------------------------------------------------


def on_a_terminal(*arguments: str) -> str:
    """What a run writes on standard error where that is a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "octavo", *arguments], stdout=subprocess.DEVNULL, stderr=theirs
    ) as run:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            if not part:
                break
            shown += part
        run.wait()
    os.close(ours)
    return shown.decode()


def test_a_terminal_is_shown_what_was_found(write_lines: Write) -> None:
    shown = on_a_terminal("mask", write_lines(MANY, f"{PHONE} {PHONE}"))
    rows = [line.split() for line in shown.replace("│", " ").splitlines()]
    assert ["KR_PHONE", "3"] in rows
    assert ["EMAIL", "1"] in rows
    assert ["total", "6"] in rows
    assert PHONE not in shown


def test_a_long_file_shows_progress(write_lines: Write) -> None:
    shown = on_a_terminal("mask", write_lines(*[MANY] * 30_000))
    assert "% of " in shown
    assert ["KR_RRN", "30,000"] in [line.split() for line in shown.replace("│", " ").splitlines()]


def test_a_pipe_is_not_shown_it(run_octavo: Run, write_lines: Write) -> None:
    assert run_octavo("mask", write_lines(MANY)).err == ""


def test_without_rich_the_summary_is_plain(
    run_octavo: Run, write_lines: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    shown = Terminal()
    monkeypatch.setitem(sys.modules, "rich.console", None)
    file = write_lines(MANY)
    monkeypatch.setattr(sys, "stderr", shown)
    run_octavo("mask", file)
    assert shown.getvalue().splitlines()[0].split() == ["kind", "masked"]
    assert shown.getvalue().splitlines()[-1].split() == ["total", "4"]


def test_a_long_file_takes_little_memory(run_octavo: Run, write_lines: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_lines(*["word " * 20] * 50_000)
    assert Path(file).stat().st_size > 5_000_000
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        monkeypatch.setattr(sys, "stdout", nowhere)
        tracemalloc.start()
        run_octavo("mask", file)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert most < 2_000_000
