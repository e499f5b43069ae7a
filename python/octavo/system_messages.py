"""System prompts that are given as chat messages: read as the texts of those messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from octavo.messages import Format, plain

__all__ = ["as_blocks"]


def as_blocks(system: Any, format: Format | None = None) -> Any:
    """Give a list of system messages as the list of their text blocks.

    Clients of Chat Completions keep the system prompt as messages, and hand the leading ones over as `system`: a
    message among blocks would be refused, or lost where the list is converted.

    Args:
        system: a system prompt in any form. Never changed.
        format: the format of the conversation; Bedrock's and Gemini's blocks have no type.

    Returns:
        The same object where no message is in it.
    """
    if isinstance(system, (str, Mapping)) or not isinstance(system, Sequence):
        return system
    if not any(_is_message(item) for item in system):
        return system
    return [block for item in system for block in _blocks_of(item, format)]


def _is_message(item: Any) -> bool:
    return _member(item, "role") is not None and _member(item, "content") is not None


def _blocks_of(item: Any, format: Format | None) -> list[Any]:
    if not _is_message(item):
        return [item]
    content = plain(item)["content"]
    if isinstance(content, str):
        return [{"text": content} if format in ("bedrock", "gemini") else {"type": "text", "text": content}]
    return list(content) if isinstance(content, (list, tuple)) else [content]


def _member(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
