"""Recorded data that lies beside the project, and what a test does where it is absent.

Nobody is told nothing: pytest's first lines and its last say that tests were left out. A folder that was named
(`OCTAVO_SHARED`), or that is there, is a promise: a test fails where it lacks what the test reads.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

import pytest

from project_tree import ROOT

NAMED: Final = os.environ.get("OCTAVO_SHARED")
SHARED: Final = Path(NAMED) if NAMED else ROOT.parent / "shared"

MISSING: Final = "is absent: set OCTAVO_SHARED"
"""Stands in the reason of every test that was left out for want of recorded data."""

Conversation = dict[str, Any]


def shared(name: str) -> Path:
    """A file or folder of the recorded data. The test fails where the folder lacks it, and is left out without one."""
    path = SHARED / name
    if not path.exists():
        absent(name)
    return path


def absent(name: str) -> None:
    """End the test: it cannot run without this data."""
    if NAMED or SHARED.exists():
        pytest.fail(f"{SHARED} is there to be read, and has no {name}")
    pytest.skip(f"{name} {MISSING} to the folder that has it")


def bug_report(name: str) -> dict[str, Any]:
    """One recorded bug report."""
    cases = _lines(shared("cases/bug_reports.jsonl"))
    found: dict[str, Any] = next(case for case in cases if case["id"] == name)
    return found


def conversations() -> list[Conversation]:
    """Every recorded conversation."""
    files = sorted(shared("data/transcripts").glob("*.jsonl"))
    found = [conversation for path in files for conversation in _lines(path)]
    assert len(found) > 100, "hardly any conversation was found"
    return found


def shipped() -> list[Conversation]:
    """The conversations that the project has with it."""
    found = _lines(ROOT / "docs/demo/session.jsonl")
    assert found
    return found


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
