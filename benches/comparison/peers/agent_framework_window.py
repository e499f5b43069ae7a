"""Microsoft agent-framework's context window strategy with its defaults: tool results shrink, then groups leave."""

from __future__ import annotations

import asyncio
import logging
import warnings
from typing import Any

from agent_framework import Content, ContextWindowCompactionStrategy, apply_compaction
from agent_framework import Message as OwnMessage

from benches.comparison.peers import Message, Peer, text_of

logging.getLogger("agent_framework").setLevel(logging.CRITICAL)
warnings.filterwarnings("ignore", module="agent_framework")


def read(messages: list[Message]) -> list[Any]:
    return [OwnMessage(role, contents, message_id=str(at)) for at, (role, contents) in enumerate(map(_read, messages))]


def _read(message: Message) -> tuple[str, list[Content]]:
    text = text_of(message)
    if message["role"] == "tool":
        return "tool", [Content.from_function_result(message["tool_call_id"], result=text)]
    contents = [Content.from_text(text)] if text else []
    for call in message.get("tool_calls") or ():
        function = call["function"]
        contents.append(Content.from_function_call(call["id"], function["name"], arguments=function["arguments"]))
    return message["role"], contents


def trim(own: list[Any], tokens: int) -> list[Any]:
    """One call; the annotations that it leaves on the messages make the next call cheaper, as in use."""
    strategy = ContextWindowCompactionStrategy(max_context_window_tokens=tokens, max_output_tokens=0)
    return asyncio.run(apply_compaction(own, strategy=strategy))


def write(own: list[Any], originals: list[Message]) -> list[Message]:
    known = {str(at) for at in range(len(originals))}
    return [originals[int(message.message_id)] if message.message_id in known else _made(message) for message in own]


def _made(message: Any) -> Message:
    return {"role": str(message.role), "content": message.text}


AGENT_FRAMEWORK = Peer(
    "agent-framework ContextWindow, defaults", "agent-framework-core", read, trim, write, thorough=False
)
