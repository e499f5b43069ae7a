"""Reads Anthropic Messages into turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from octavo.formats.arguments import json_text
from octavo.formats.media import document_of_source, image_of_source
from octavo.formats.reading import System, content_parts, role_of, spoken, system_turn, text_of
from octavo.formats.turns import Block, Call, Log, Result, Text, Thinking, Turn, Turns, Unknown, text_or_none
from octavo.messages import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["read", "result_of"]

# The format has no "developer", but lists are written with it for gateways that take one.
_ROLES: Final = frozenset({"user", "assistant", "system", "developer"})
_MESSAGE_KEYS: Final = frozenset({"role", "content"})
_CALL_KEYS: Final = frozenset({"type", "id", "name", "input"})
_RESULT_KEYS: Final = frozenset({"type", "tool_use_id", "content", "is_error"})
_THINKING_KEYS: Final = frozenset({"type", "thinking", "signature"})
_MEDIA_KEYS: Final = frozenset({"type", "source", "title", "context"})


def read(messages: Iterable[object], system: System, log: Log) -> list[Turn]:
    """Turn messages and the system prompt into turns."""
    turns = Turns(log)
    if (prompt := system_turn(system, log)) is not None:
        turns.add(prompt)
    for index, message in enumerate(messages):
        _read_message(plain(message, index), index, turns)
    return turns.turns


def _read_message(message: dict[str, Any], index: int, turns: Turns) -> None:
    role = role_of(message, index, _ROLES)
    if len(message) > 2:
        turns.log.left_out(index, message, _MESSAGE_KEYS)
    if (turn := spoken(role, message, index)) is not None:
        turns.add(turn)
        return
    content = message.get("content")
    if content is None:
        turns.log.add(index, "the message has no content and was left out")
        return
    if role == "user":
        _read_user(content, index, turns)
        return
    blocks = [_block(part, index, turns.log) for part in content_parts(content, index)]
    turns.add(Turn("assistant" if role == "assistant" else "system", blocks, index, developer=role == "developer"))


def _read_user(content: object, index: int, turns: Turns) -> None:
    """Results go to their calls. A lone text beside them is a message of its own: a bare text again."""
    blocks: list[Block] = []
    answered = False
    for part in content_parts(content, index):
        if part.get("type") == "tool_result":
            if blocks and not answered:
                turns.log.add(index, "what stood ahead of the results now stands after them")
            turns.answer(result_of(part, index, turns.log))
            answered = True
        else:
            blocks.append(_block(part, index, turns.log))
    if blocks or not answered:
        bare = answered and len(blocks) == 1 and type(blocks[0]) is Text
        turns.add(Turn("user", blocks, index, bare=bare))


def _block(part: dict[str, Any], index: int, log: Log) -> Block:
    match part.get("type"):
        case "text":
            return text_of(part, index, log)
        case "tool_use":
            return _call(part, index, log)
        case "thinking":
            log.left_out(index, part, _THINKING_KEYS)
            return Thinking(text_or_none(part.get("thinking")) or "", text_or_none(part.get("signature")))
        case "redacted_thinking":
            return Thinking(None, text_or_none(part.get("data")))
        case "image" | "document":
            return _media(part, index, log)
        case "compaction":
            log.add(index, "a compaction block became its text")
            return Text(str(part.get("content") or ""))
        case "search_result":
            log.add(index, "a search_result block became its JSON text")
            return Text(json_text(part, index))
        case kind:
            return Unknown(str(kind), part)


def _call(part: dict[str, Any], index: int, log: Log) -> Call:
    log.left_out(index, part, _CALL_KEYS)
    arguments = part.get("input")
    if not isinstance(arguments, (dict, str)):
        arguments = {} if arguments is None else json_text(arguments, index)
    return Call(str(part.get("id") or ""), str(part.get("name") or ""), arguments)


def result_of(part: dict[str, Any], index: int, log: Log) -> Result:
    """The result that a `tool_result` block gives."""
    log.left_out(index, part, _RESULT_KEYS)
    content = part.get("content")
    read: str | list[Block]
    if content is None or isinstance(content, str):
        read = content or ""
    else:
        read = [_result_block(_block(item, index, log), index, log) for item in content_parts(content, index)]
    return Result(str(part.get("tool_use_id") or ""), read, index, error=bool(part.get("is_error")))


def _result_block(block: Block, index: int, log: Log) -> Block:
    """A block that no other format knows is still what the tool said: it stays as its JSON."""
    if not isinstance(block, Unknown):
        return block
    log.add(index, f"a {block.kind} block in a result became its JSON text")
    return Text(json_text(block.raw, index))


def _media(part: dict[str, Any], index: int, log: Log) -> Block:
    kind = str(part["type"])
    log.left_out(index, part, _MEDIA_KEYS)
    source = part.get("source")
    source = plain(source, index) if source is not None else {}
    if part.get("context"):
        log.add(index, "a document's context left out")
    if kind == "image":
        return image_of_source(source) or Unknown(kind, part)
    title = part.get("title")
    block = document_of_source(source, title)
    if isinstance(block, Text):
        log.add(index, "a text document became a text")
        return Text(f"{title}\n{block.text}") if title else block
    if block is None and source.get("type") == "content":
        return _content_document(source, title, index, log)
    return block or Unknown(kind, part)


def _content_document(source: dict[str, Any], title: str | None, index: int, log: Log) -> Block:
    """A document made of blocks: its texts; pictures in it are left out."""
    content = source.get("content")
    blocks = (
        [Text(content)] if isinstance(content, str) else [_block(p, index, log) for p in content_parts(content, index)]
    )
    texts = [block.text for block in blocks if isinstance(block, Text)]
    log.add(index, "a document of blocks became a text")
    if len(texts) < len(blocks):
        log.add(index, "pictures in a document of blocks left out")
    return Text("\n".join([*([title] if title else []), *texts]))
