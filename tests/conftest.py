"""Fixtures that more than one file of tests uses."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from command_line import Ran, Run, Write, encoded
from shared_data import MISSING, SHARED

# How long an example takes says how busy the machine is: tests that measure time do it with `timing`.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Whoever works on the code searches at random; a release stands or falls with the same examples each time.
settings.register_profile("ci", settings.get_profile("any machine"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "any machine")


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


def pytest_report_header() -> str:
    """Say at once whether the recorded data is there: without it the run proves less."""
    found = (SHARED / "data/transcripts").is_dir()
    return f"recorded data: {SHARED}" if found else f"recorded data: NONE at {SHARED}: tests that read it are left out"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say at the end how many tests were left out for want of it."""
    left_out = [one for one in terminalreporter.stats.get("skipped", []) if MISSING in str(one.longrepr)]
    if left_out:
        terminalreporter.section("recorded data is missing", red=True)
        terminalreporter.line(f"{len(left_out)} tests did not run: OCTAVO_SHARED names the folder that they read")
