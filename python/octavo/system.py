"""The system prompt that is given beside the messages, in whatever form its client takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from octavo.messages import Format, Provider, member, plain

__all__ = ["as_blocks", "fitting_system", "without_empty_texts"]

# They refuse a request for one empty text block in its system prompt (rule A26).
_REFUSE_EMPTY: Final[frozenset[Provider]] = frozenset({"anthropic", "bedrock"})


def fitting_system(system: Any, provider: Provider) -> Any:
    """The system prompt as the provider takes it; the same object where that is how it was given."""
    if provider not in _REFUSE_EMPTY:
        return system
    return None if isinstance(system, str) and not system.strip() else without_empty_texts(system)


def without_empty_texts(system: Any) -> Any:
    """Leave out the text blocks in which nothing is said, with the cache breakpoints that they carry.

    Args:
        system: a text, a list of blocks, a block, or a message. Never changed.

    Returns:
        The same object where all of its blocks say something, or where it is a text; `None` where nothing is left.
    """
    if isinstance(system, str):
        return system
    if isinstance(system, Sequence):
        return _saying(system)
    content = member(system, "content")
    if content is None:
        return None if _is_empty(system) else system
    said = _saying(content) if isinstance(content, Sequence) and not isinstance(content, str) else content
    return system if said is content else said and {**plain(system), "content": said}


def _saying(blocks: Sequence[Any]) -> Sequence[Any] | None:
    said = [block for block in blocks if not _is_empty(block)]
    return blocks if len(said) == len(blocks) else said or None


def _is_empty(block: Any) -> bool:
    """Whether a block is a text of white space or nothing. Bedrock's have no type, and may be something else."""
    if isinstance(block, str):
        return not block.strip()
    kind, text = member(block, "type"), member(block, "text")
    if isinstance(text, str):
        return kind in (None, "text") and not text.strip()
    return kind == "text" and text is None


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
    return member(item, "role") is not None and member(item, "content") is not None


def _blocks_of(item: Any, format: Format | None) -> list[Any]:
    if not _is_message(item):
        return [item]
    content = plain(item)["content"]
    if isinstance(content, str):
        return [{"text": content} if format in ("bedrock", "gemini") else {"type": "text", "text": content}]
    return list(content) if isinstance(content, (list, tuple)) else [content]
