"""The system prompt that is given beside the messages, in whatever form its client takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from octavo.messages import Provider, plain

__all__ = ["fitting_system", "member", "without_empty_texts"]

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


def member(value: object, name: str) -> Any:
    """A member of a mapping, or an attribute of an SDK's or Pydantic object; `None` where there is none."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


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
