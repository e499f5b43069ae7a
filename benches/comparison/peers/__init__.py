"""Libraries that people trim histories with today, each behind the same three steps: read, trim, write.

All take messages in OpenAI's Chat form. Reading into a peer's own types and writing back are never timed with its
trimming. What a peer kept is told by the marks it carries along, so that what is judged are the original messages
and only what the peer itself made or changed is new.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Message", "Peer", "marked", "text_of"]

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Peer:
    """One way to trim a history.

    Attributes:
        name: library, function and settings.
        package: what it is installed as.
        read: Chat messages as the peer's own.
        trim: own messages and a number of tokens; own messages. The number is for all messages, system included.
        write: own messages and the original list; Chat messages.
        thorough: whether it is fast enough for every cut of every conversation.
    """

    name: str
    package: str
    read: Callable[[list[Message]], list[Any]]
    trim: Callable[[list[Any], int], list[Any]]
    write: Callable[[list[Any], list[Message]], list[Message]]
    thorough: bool = True


def marked(marks: Sequence[str | None], originals: list[Message], made: Callable[[int], Message]) -> list[Message]:
    """The original of every mark; what has none was made by the peer."""
    return [made(at) if mark is None else originals[int(mark)] for at, mark in enumerate(marks)]


def text_of(message: Message) -> str:
    """The text of a message; parts are joined as the providers join them. Images have none."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content if "text" in part)
