"""Haystack's sliding window compactor, in the hook's default fractions, with its default counter."""

from __future__ import annotations

import json
import logging
import warnings
from typing import Any

from haystack.dataclasses import ChatMessage, ToolCall
from haystack.hooks.compaction import SlidingWindowCompactor
from haystack.token_counters import ApproximateTokenCounter

from benches.comparison.peers import Message, Peer, marked, text_of

# It warns that the compactor is experimental, and at each run that a target cannot be met.
logging.getLogger("haystack").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", message=".*experimental component")

COMPACT_AT, COMPACT_TO = 0.7, 0.4
"""The defaults of `CompactionHook`, as shares of the window."""

_counter = ApproximateTokenCounter()
_compactor = SlidingWindowCompactor()


def read(messages: list[Message]) -> list[Any]:
    return [_read(at, message) for at, message in enumerate(messages)]


def _read(at: int, message: Message) -> ChatMessage:
    text, meta = text_of(message), {"mark": str(at)}
    if message["role"] == "system":
        return ChatMessage.from_system(text, meta=meta)
    if message["role"] == "user":
        return ChatMessage.from_user(text, meta=meta)
    if message["role"] == "tool":
        origin = ToolCall(tool_name=message.get("name") or "tool", arguments={}, id=message["tool_call_id"])
        return ChatMessage.from_tool(text, origin=origin, meta=meta)
    return ChatMessage.from_assistant(text or None, tool_calls=_calls(message), meta=meta)


def _calls(message: Message) -> list[ToolCall]:
    return [
        ToolCall(tool_name=call["function"]["name"], arguments=_arguments(call["function"]["arguments"]), id=call["id"])
        for call in message.get("tool_calls") or ()
    ]


def _arguments(written: str) -> dict[str, Any]:
    """The arguments as an object; a model's broken JSON stays a text."""
    try:
        value = json.loads(written)
    except ValueError:
        value = written
    return value if isinstance(value, dict) else {"raw": value}


def trim(own: list[Any], tokens: int) -> list[Any]:
    if _counter.count(messages=own) < tokens * COMPACT_AT:
        return own
    kept = _compactor.compact(messages=own, target_tokens=int(tokens * COMPACT_TO), token_counter=_counter)
    return own if kept is None else kept


def write(own: list[Any], originals: list[Message]) -> list[Message]:
    def made(at: int) -> Message:
        return {"role": own[at].role.value, "content": own[at].text}

    return marked([message.meta.get("mark") for message in own], originals, made)


HAYSTACK = Peer("Haystack SlidingWindowCompactor, hook defaults", "haystack-ai", read, trim, write)
