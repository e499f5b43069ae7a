"""Generated agent sessions of any length whose messages have about 200 tokens each, with real text.

The text is the source of Python's own standard library: the same on every machine with that version, long-tailed as
prose and code are, and large enough that 4,000 messages share no line of any length.
"""

from __future__ import annotations

import json
import sysconfig
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import octavo

Message = dict[str, Any]

TOKENS = 200
"""Tokens of a message, framing included, to within a few."""

STEPS = 4
"""Calls between one word of the user and the next."""

MODEL = "gpt-4o"

SYSTEM: Message = {"role": "system", "content": "You are a careful software engineer. Read before you change anything."}


@cache
def passages() -> list[str]:
    """Passages of the standard library, each of about the tokens that leave a message at 200."""
    counter = octavo.counter_for(MODEL)
    text = "".join(
        path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    )
    found: list[str] = []
    at = 0
    while at < len(text):
        passage = counter.truncate(text[at : at + 8 * TOKENS], TOKENS - 20)
        found.append(passage)
        at += len(passage)
    return found


def endless() -> Iterator[Message]:
    """A session in Chat form without an end: a question, calls with their results, an answer, and again."""
    texts = passages()
    number = 0

    def text() -> str:
        nonlocal number
        number += 1
        return texts[number % len(texts)]

    yield SYSTEM
    while True:
        yield {"role": "user", "content": text()}
        for _ in range(STEPS):
            name = f"call_{number}"
            arguments = json.dumps({"path": f"lib/{number}.py", "content": text()})
            call = {"id": name, "type": "function", "function": {"name": "write_file", "arguments": arguments}}
            yield {"role": "assistant", "content": None, "tool_calls": [call]}
            yield {"role": "tool", "tool_call_id": name, "content": text()}
        yield {"role": "assistant", "content": text()}


def history(length: int) -> list[Message]:
    """The first messages of the session."""
    return list(islice(endless(), length))
