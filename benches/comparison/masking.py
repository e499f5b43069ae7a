"""Masking by rules: what each library hides of the recorded vectors, what it breaks, and how fast it is.

    python -m benches.comparison.masking

Writes benches/results/masking.json for docs/reference/masking.md. A value counts as hidden when every letter and digit
of it is inside of what was found, under whatever name; a text without personal data counts as damaged when anything in
it was found.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from benches import results
from benches.comparison.peers.maskers import PEERS, Find
from benches.recorded import SHARED

MIXED, SHORT = 2_000_000, 60_000
"""Bytes of mixed text that a library is timed on; the second for those slower than a megabyte a second."""


def main() -> None:
    """Measure every library and write the result."""
    path = SHARED / "cases/pii_vectors.jsonl"
    if not path.exists():
        sys.exit(f"skipped: no {path.name} (set OCTAVO_SHARED)")
    vectors = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    mixed, yardstick = mixed_text(), results.Yardstick()
    rows = []
    for name, (_, make) in PEERS.items():
        find = make()
        yardstick.tick()
        rows.append([name, *shares(find, vectors), speed(find, mixed)])
    packages = results.versions(*(package for package, _ in PEERS.values() if package != "octavo"))
    columns = ["by rules, without a model", "Korean", "e-mail, cards, IBAN", "secrets", "evasions", "damaged", "MB/s"]
    command = "make bench-masking"
    results.write("masking", command, columns, rows, said=f"{packages}; {yardstick}")


def shares(find: Find, vectors: list[dict[str, Any]]) -> list[str]:
    """The shares of hidden values by what they are, and of damaged texts."""
    plain = [one for one in vectors if one["tier"] in ("core", "ctx")]
    return [
        hidden(find, plain, lambda kind: kind.startswith("KR_")),
        hidden(find, plain, lambda kind: kind in ("EMAIL", "CREDIT_CARD", "IBAN")),
        hidden(find, plain, lambda kind: not kind.startswith("KR_") and kind not in ("EMAIL", "CREDIT_CARD", "IBAN")),
        hidden(find, [one for one in vectors if one["tier"] == "evade"], lambda _: True),
        damaged(find, [one for one in vectors if one["tier"] == "neg"]),
    ]


def hidden(find: Find, vectors: list[dict[str, Any]], wanted: Callable[[str], bool]) -> str:
    values = [(one["text"], span) for one in vectors for span in one["spans"] if wanted(span["type"])]
    caught = sum(covers(find(text), text, span["start"], span["end"]) for text, span in values)
    return f"{caught} of {len(values)}"


def covers(found: list[tuple[int, int]], text: str, start: int, end: int) -> bool:
    """Whether every letter and digit of a value is inside of what was found."""
    inside = {at for first, last in found for at in range(first, last)}
    return all(at in inside for at in range(start, end) if text[at].isalnum())


def damaged(find: Find, vectors: list[dict[str, Any]]) -> str:
    return f"{sum(bool(find(one['text'])) for one in vectors)} of {len(vectors)}"


def mixed_text() -> str:
    """English, Korean, JSON, logs and code, in the order of the files."""
    parts: list[str] = []
    for path in sorted((SHARED / "data/text").glob("*.jsonl")):
        parts += path.read_text(encoding="utf-8").splitlines()[:400]
    text = "\n".join(parts)
    if len(text.encode()) < MIXED:
        raise ValueError("too little text to measure on")
    return text.encode()[:MIXED].decode(errors="ignore")


def speed(find: Find, text: str) -> str:
    """Megabytes a second on text in paragraphs of about four kilobytes, the best of three runs."""

    def run(size: int) -> float:
        chunks = [text[at : at + 4_000] for at in range(0, len(text[:size]), 4_000)]
        seconds = min(results.timed(lambda: [find(chunk) for chunk in chunks]) for _ in range(3))
        return sum(len(chunk.encode()) for chunk in chunks) / seconds / 1e6

    quick = run(SHORT)
    found = run(MIXED) if quick > 1 else quick
    return f"{found:,.0f}" if found >= 10 else f"{found:.2g}"


if __name__ == "__main__":
    main()
