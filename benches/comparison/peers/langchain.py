"""`langchain_core.messages.trim_messages`, with its defaults and as its documentation advises for chat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tiktoken
from langchain_core.messages import BaseMessage, convert_to_messages, convert_to_openai_messages, trim_messages
from langchain_core.messages.utils import count_tokens_approximately

from benches.comparison.peers import Message, Peer, marked

PER_MESSAGE = 3
"""Tokens of framing that OpenAI's cookbook adds for each message."""


def read(messages: list[Message]) -> list[Any]:
    own = convert_to_messages(messages)
    for at, message in enumerate(own):
        message.id = str(at)
    return own


def write(own: list[Any], originals: list[Message]) -> list[Message]:
    def made(at: int) -> Message:
        message = convert_to_openai_messages(own[at])
        assert isinstance(message, dict)
        return message

    return marked([message.id for message in own], originals, made)


def approximately(own: list[Any], tokens: int) -> list[Any]:
    """The settings of the documentation's chat example."""
    return trim_messages(
        own, max_tokens=tokens, token_counter=count_tokens_approximately, strategy="last",
        start_on="human", include_system=True,
    )  # fmt: skip


def defaults(own: list[Any], tokens: int) -> list[Any]:
    return trim_messages(own, max_tokens=tokens, token_counter=count_tokens_approximately)


def _exact() -> Callable[[list[BaseMessage]], int]:
    """A counter as the documentation shows how to write one: text with tiktoken, a constant for framing."""
    encode = tiktoken.get_encoding("o200k_base").encode_ordinary

    def count(messages: list[BaseMessage]) -> int:
        total = 0
        for message in messages:
            total += PER_MESSAGE + len(encode(message.text))
            for call in getattr(message, "tool_calls", ()):
                total += len(encode(call["name"])) + len(encode(str(call["args"])))
        return total

    return count


def exactly() -> Callable[[list[Any], int], list[Any]]:
    count = _exact()

    def trim(own: list[Any], tokens: int) -> list[Any]:
        return trim_messages(
            own, max_tokens=tokens, token_counter=count, strategy="last", start_on="human", include_system=True
        )

    return trim


DEFAULTS = Peer("langchain trim_messages, defaults", "langchain-core", read, defaults, write)
ADVISED = Peer("langchain trim_messages, start_on human, system kept", "langchain-core", read, approximately, write)
