"""Fixtures that more than one file of tests uses."""

from pathlib import Path

import pytest

from command_line import Ran, Run, Write, encoded


@pytest.fixture
def run_octavo(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command line in this process."""
    return lambda *arguments: Ran(capsys, arguments)


@pytest.fixture
def write_lines(tmp_path: Path) -> Write:
    """Writes a file of lines and gives its name."""

    def written(*lines: object, end: bytes = b"\n") -> str:
        path = tmp_path / "file.jsonl"
        path.write_bytes(b"".join(encoded(line) + end for line in lines))
        return str(path)

    return written
