"""Runs the command line inside the test's own process, and writes files for it to read."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import pytest

from octavo.__main__ import main
from project_tree import ROOT

DEMO = str(ROOT / "docs/demo/session.jsonl")
USER = {"role": "user", "content": "안녕, how are you?"}
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}


def encoded(line: object) -> bytes:
    """A line as bytes: bytes and texts as they are, anything else as JSON."""
    if isinstance(line, bytes):
        return line
    return (line if isinstance(line, str) else json.dumps(line)).encode()


def conversation(id: Any = "one", *messages: object, **members: object) -> dict[str, object]:
    return {"id": id, "format": "openai", "tools": [], "messages": list(messages or (USER,)), **members}


class Ran:
    """What a run in this process answered."""

    def __init__(self, capsys: pytest.CaptureFixture[str], arguments: Sequence[str]) -> None:
        capsys.readouterr()
        try:
            self.status = main(arguments)
        except SystemExit as end:
            self.status = end.code if isinstance(end.code, int) else 1
        self.out, self.err = capsys.readouterr()

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Run: TypeAlias = Callable[..., Ran]
Write: TypeAlias = Callable[..., str]


def start(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """A run in a process of its own."""
    return subprocess.run([sys.executable, "-m", "octavo", *arguments], capture_output=True, check=False, **options)
