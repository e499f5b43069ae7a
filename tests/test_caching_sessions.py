"""A cache as the provider has it, played along whole sessions: what breakpoints let it find is what could be found."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

import octavo
from octavo.caching.breakpoints import LOOKBACK
from sessions import ANTHROPIC, Message, tools_of
from shared_data import conversations


def blocks(arguments: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """The blocks of a prompt in its order, each as it is sent, and whether it carries a breakpoint."""
    system = arguments.get("system") or []
    parts: list[tuple[str, list[Any]]] = [("tool", arguments.get("tools") or [])]
    parts.append(("system", [{"type": "text", "text": system}] if isinstance(system, str) else system))
    for message in arguments["messages"]:
        content = message["content"]
        parts.append((message["role"], [{"type": "text", "text": content}] if isinstance(content, str) else content))
    for role, each in parts:
        for block in each:
            bare = {key: value for key, value in block.items() if key != "cache_control"}
            yield role + json.dumps(bare, ensure_ascii=False), "cache_control" in block


@dataclass
class Cache:
    """Entries by all that stands before their end; a breakpoint finds those that end few blocks before it."""

    entries: set[bytes] = field(default_factory=set)
    before: list[str] = field(default_factory=list)

    def call(self, arguments: dict[str, Any]) -> tuple[int, int, int]:
        """Blocks that are found, blocks that the call before sent as well, and blocks of tools and system."""
        prompt = list(blocks(arguments))
        keys = list(self._keys(text for text, _ in prompt))
        marked = [at for at, (_, marks) in enumerate(prompt) if marks]
        searched = (at - back for at in marked for back in range(LOOKBACK) if at - back >= 0)
        found = max((at + 1 for at in searched if keys[at] in self.entries), default=0)
        texts = [text for text, _ in prompt]
        pairs = enumerate(zip(self.before, texts, strict=False))
        shared = next((at for at, (one, other) in pairs if one != other), min(len(self.before), len(texts)))
        self.before = texts
        self.entries |= {keys[at] for at in marked}
        return found, shared, sum(text.startswith(("tool{", "system{")) for text in texts)

    @staticmethod
    def _keys(texts: Iterator[str]) -> Iterator[bytes]:
        digest = hashlib.blake2b()
        for text in texts:
            digest.update(text.encode("utf-8", "replace") + b"\0")
            yield digest.digest()


def played(messages: list[Message], format: Any, budget: int, **around: Any) -> Iterator[tuple[int, int, int, bool]]:
    """At each call after the first: found, shared, fixed, and whether all that was sent before was sent again."""
    transcript = octavo.Transcript(ANTHROPIC.model, format=format)
    cache, done, sent = Cache(), 0, 0
    roles = [message["role"] for message in messages]
    cuts = [at for at in range(1, len(roles)) if roles[at] == "assistant" and roles[at - 1] != "assistant"]
    for number, cut in enumerate(cuts):
        transcript.extend(messages[done:cut])
        done = cut
        found, shared, fixed = cache.call(transcript.assemble(budget=budget, **around).anthropic(cache="5m"))
        if number:
            yield found, shared, fixed, shared == sent
        sent = len(cache.before)


@pytest.mark.parametrize("parallel", [1, 4, 11, 25])
@pytest.mark.parametrize("tail", [False, True])
def test_nothing_that_was_sent_before_is_missed(parallel: int, tail: bool) -> None:
    messages = [ANTHROPIC.user("task"), *ANTHROPIC.loop(12, parallel=parallel)]
    sections = [octavo.Section("time", "It is 20:15.", place="tail")] if tail else []
    calls = list(
        played(messages, "anthropic", 1_000_000, tools=tools_of(ANTHROPIC), system="Be brief.", sections=sections)
    )
    assert len(calls) == 11
    for found, shared, _, _ in calls:
        # What stood at the tail was never to be found again, nor is it shared.
        assert found == shared > 2


def test_where_the_cut_moves_tools_and_system_are_found() -> None:
    messages = [ANTHROPIC.user("task"), *ANTHROPIC.loop(60)]
    calls = list(played(messages, "anthropic", 3_000, tools=tools_of(ANTHROPIC), system="Be brief."))
    moved = [call for call in calls if not call[3]]
    assert moved
    assert len(moved) < len(calls) / 2
    for found, shared, fixed, whole in calls:
        assert fixed == 2
        assert found == shared if whole else fixed <= found <= shared


@pytest.mark.parametrize("format", ["anthropic", "openai"])
def test_recorded_sessions_find_what_they_sent_before(format: str) -> None:
    seen = missed = 0
    for one in conversations():
        if one["format"] != format:
            continue
        for found, shared, fixed, whole in played(
            one["messages"], one["format"], 20_000, system=None, tools=one["tools"] or None
        ):
            seen += 1
            missed += whole and found < shared
            assert found >= min(fixed, shared)
    assert seen > 50
    assert missed == 0
