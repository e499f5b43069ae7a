"""How far Claude counts are off on recorded sessions, before and after anchoring on reported usage.

The logs hold no system prompt and no tools, which the reported numbers include. "plain" therefore takes
what the first call had beyond its messages as known; from there on everything is estimated. "anchored" has,
before each call, the report of the call before, and estimates only what was added since.

    python benches/quality/calibration.py [--shared DIR]
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from octavo import _core
from octavo.tokens import Usage, counter_for

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = (
    "transcript",
    "calls",
    "growth",
    "plain p50",
    "plain p95",
    "anchored p50",
    "anchored p95",
    "tail p50",
    "tail p95",
    "ratio",
)


@dataclass(frozen=True, slots=True)
class Call:
    """One model call: tokens that were reported for its input, and the estimate of its messages."""

    reported: int
    estimated: int


def transcripts(shared: Path) -> Iterator[dict[str, Any]]:
    for path in sorted((shared / "data/transcripts").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            if one["meta"].get("usage"):
                yield one


def calls(one: dict[str, Any]) -> list[Call]:
    """The calls whose usage is usable, in order, each once."""
    usages = [usage for usage in one["meta"]["usage"] if Usage.read({"input_tokens": 1, **usage}).input > 1]
    counter = counter_for(usages[0]["model"], strict=True)
    sums = [counter.fixed]
    for message in one["messages"]:
        sums.append(sums[-1] + counter.count_message(message, one["format"]))
    found: list[Call] = []
    for usage in usages:
        call = Call(Usage.read(usage).input, sums[usage["message_index"]])
        # A report that is not larger than the one before belongs to an edited context.
        if usage["model"] == usages[0]["model"] and (not found or call.reported > found[-1].reported):
            found.append(call)
    return found


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def row(name: str, found: list[Call]) -> tuple[str, ...]:
    hidden = found[0].reported - found[0].estimated
    anchor = _core.Anchor(found[0].reported, found[0].estimated)
    plain, anchored, tail = [], [], []
    for before, call in itertools.pairwise(found):
        plain.append(abs(call.estimated + hidden - call.reported) / call.reported)
        total = anchor.total(call.estimated - before.estimated)
        anchored.append(abs(total - call.reported) / call.reported)
        tail.append(abs(total - call.reported) / (call.reported - before.reported))
        anchor = anchor.grown(call.reported, call.estimated)
    growth = found[-1].reported - found[0].reported
    shares = [percentile(values, share) for values in (plain, anchored, tail) for share in (0.5, 0.95)]
    return (
        name,
        str(len(found)),
        f"{growth:,}",
        *(f"{100 * value:.1f} %" for value in shares),
        f"{anchor.permille / 1000:.2f}",
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--shared", type=Path, default=Path(os.environ.get("OCTAVO_SHARED", Path(__file__).parents[3] / "shared"))
    )
    shared = parser.parse_args().shared
    if not (shared / "data/transcripts").is_dir():
        print(f"skipped: {shared / 'data/transcripts'} is absent (set OCTAVO_SHARED)")
        return 0
    print("| " + " | ".join(HEADER) + " |")
    print("|" + "---|" * len(HEADER))
    seen = 0
    for one in transcripts(shared):
        found = calls(one)
        if len(found) < 3:
            continue
        seen += 1
        print("| " + " | ".join(row(one["id"], found)) + " |")
    if not seen:
        print("no transcript with usage was found", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
