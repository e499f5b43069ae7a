"""Result files: what a bench measured, in the form that `docs/generate.py` turns into a table."""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def machine() -> str:
    """The machine and the interpreter, without names."""
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"


def write(
    name: str, command: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, said: str = "", **more: str
) -> None:
    """Write benches/results/NAME.json and print the table; `said` joins the machine: yardsticks, versions.

    `more` are members beside them.
    """
    if not rows:
        raise ValueError(f"{name}: nothing was measured")
    result = {
        "command": command,
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "machine": machine() + (f"; {said}" if said else ""),
        **more,
        "columns": list(columns),
        "rows": [list(row) for row in rows],
    }
    target = ROOT / "benches/results" / f"{name}.json"
    target.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"\n{name}")
    for row in [columns, *rows]:
        print("  " + " | ".join(row))


def versions(*packages: str) -> str:
    """The versions of the packages that were compared."""
    return ", ".join(f"{package} {version(package)}" for package in packages)


def percent(part: float, whole: float) -> str:
    """A share, in whole percent."""
    return f"{100 * part / whole:.0f} %"


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of all are not above."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def microseconds(seconds: float) -> str:
    """A time in the unit that reads best."""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} µs"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


class Yardstick:
    """Two fixed pieces of work, timed between the rounds of a bench: how busy the machine was meanwhile."""

    def __init__(self) -> None:
        self._document = [{"role": "user", "content": f"message {number} " * 20} for number in range(100)]
        self._loops: list[float] = []
        self._dumps: list[float] = []

    def tick(self) -> None:
        """Time both once."""
        self._loops.append(timed(self._loop))
        self._dumps.append(timed(lambda: json.dumps(self._document)))

    @staticmethod
    def _loop() -> None:
        total = 0
        for number in range(10_000):
            total += number * number

    def __str__(self) -> str:
        loops, dumps = statistics.median(self._loops), statistics.median(self._dumps)
        return (
            f"yardstick: 10,000 turns of a Python loop {microseconds(loops)}, "
            f"`json.dumps` of 100 messages {microseconds(dumps)}"
        )


def timed(work: Callable[[], object]) -> float:
    """Seconds that one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
