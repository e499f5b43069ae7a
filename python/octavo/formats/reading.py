"""What all three readers do alike: messages made plain, text parts, and the system prompt given apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from octavo.errors import MessageError
from octavo.formats.turns import Block, Log, Text, Turn
from octavo.messages import plain
from octavo.spread import is_list, is_object, spread
from octavo.system import as_blocks

__all__ = ["System", "content_parts", "role_of", "spoken", "system_given", "system_turn", "text_of"]

System: TypeAlias = str | Sequence[object] | None
"""A system prompt that is given apart from the messages: a text, or a list of text blocks."""

_TEXT_KEYS: Final = frozenset({"type", "text"})


def role_of(message: dict[str, Any], index: int, known: frozenset[str]) -> str:
    """The role of a message.

    Raises:
        MessageError: there is none, or it is not among those of the format.
    """
    role = message.get("role")
    if not isinstance(role, str) or role not in known:
        said = "it has no role" if role is None else f"unknown role {role!r}"
        raise MessageError(f"message {index}: {said}: expected one of {', '.join(sorted(known))}", index=index)
    return role


def content_parts(content: object, index: int) -> Iterator[dict[str, Any]]:
    """The parts of a content list as plain dicts. A bare text among them is read as a text part.

    Raises:
        MessageError: the content is neither a text nor a part, nor a list.
    """
    if not is_list(content) and not is_object(content):
        raise MessageError(
            f"message {index}: content must be a text or a list, got {type(content).__name__}", index=index
        )
    for part in spread(content):
        if type(part) is dict:
            yield part
        elif isinstance(part, str):
            yield {"type": "text", "text": part}
        elif part is not None:
            yield plain(part, index)


def text_of(part: dict[str, Any], index: int, log: Log) -> Text:
    """A text part, with a note of what stands in it beside the text."""
    if len(part) > 2:
        log.left_out(index, part, _TEXT_KEYS)
    text = part.get("text")
    return Text(text if isinstance(text, str) else "")


def spoken(role: str, message: dict[str, Any], index: int) -> Turn | None:
    """A turn whose content is one text; `None` for any other content."""
    content = message.get("content")
    if not isinstance(content, str):
        return None
    neutral = cast("Any", "system" if role == "developer" else role)
    same = message if len(message) == 2 else None
    return Turn(neutral, [Text(content)], index, bare=True, developer=role == "developer", same=same)


def system_given(system: Any) -> System:
    """The system prompt as a text or a list of plain blocks, whatever object it was given as.

    Raises:
        MessageError: it is none of a text, a block, a message, or a list of blocks.
    """
    if system is None or isinstance(system, str):
        return system
    if isinstance(system, Mapping) or not isinstance(system, Iterable) or hasattr(system, "model_dump"):
        held = plain(system)
        if "type" not in held and "content" not in held:
            raise MessageError(f"system must be a text or a list of text blocks, got {type(system).__name__}")
        return system_given(held["content"]) if "content" in held else [held]
    return [block if isinstance(block, str) else plain(block) for block in as_blocks(list(system))]


def system_turn(system: System, log: Log) -> Turn | None:
    """The system prompt that was given apart, as a turn; `None` where it is empty.

    Raises:
        MessageError: it is neither a text nor a list of text blocks.
    """
    if not system:
        return None
    if not isinstance(system, (str, list, tuple)):
        raise MessageError(f"system must be a text or a list of text blocks, got {type(system).__name__}")
    if isinstance(system, str):
        return Turn("system", [Text(system)], -1, bare=True, separate=True)
    blocks: list[Block] = [text_of(part, -1, log) for part in content_parts(system, -1)]
    return Turn("system", blocks, -1, separate=True)
