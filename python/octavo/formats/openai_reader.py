"""Reads OpenAI Chat Completions messages, and the dialects of compatible servers, into turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from octavo.formats.anthropic_reader import result_of
from octavo.formats.arguments import json_text
from octavo.formats.media import document_of_members
from octavo.formats.reading import System, content_parts, role_of, spoken, system_turn, text_of
from octavo.formats.results import unmarked
from octavo.formats.turns import (
    Block,
    Call,
    Document,
    Image,
    Log,
    Refusal,
    Result,
    Text,
    Thinking,
    Turn,
    Turns,
    Unknown,
    text_or_none,
)
from octavo.messages import plain
from octavo.spread import calls_in

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["read"]

_ROLES: Final = frozenset({"user", "assistant", "system", "developer", "tool", "function"})
_SAID_KEYS: Final = frozenset({"role", "content"})
_ASSISTANT_KEYS: Final = frozenset(
    {"role", "content", "tool_calls", "function_call", "refusal", "reasoning_content", "reasoning"}
)
_TOOL_KEYS: Final = frozenset({"role", "content", "tool_call_id", "name"})
_CALL_KEYS: Final = frozenset({"id", "type", "function", "custom", "index"})


def read(messages: Iterable[object], system: System, log: Log) -> list[Turn]:
    """Turn messages, and a system prompt that was given apart, into turns."""
    turns = Turns(log)
    if (prompt := system_turn(system, log)) is not None:
        turns.add(prompt)
    for index, message in enumerate(messages):
        _read_message(plain(message, index), index, turns)
    return turns.turns


def _read_message(message: dict[str, Any], index: int, turns: Turns) -> None:
    role = role_of(message, index, _ROLES)
    if role == "assistant":
        _read_assistant(message, index, turns)
        return
    if role in ("tool", "function"):
        _read_result(message, index, turns)
        return
    if len(message) > 2:
        turns.log.left_out(index, message, _SAID_KEYS)
    if (turn := spoken(role, message, index)) is not None:
        turns.add(turn)
        return
    content = message.get("content")
    parts = [] if content is None else list(content_parts(content, index))
    strays = [part for part in parts if part.get("type") == "tool_result"]
    for part in strays:
        # A result as Anthropic writes it, which strayed into this format.
        turns.answer(result_of(part, index, turns.log))
    if strays and len(strays) == len(parts):
        return
    blocks = [_part(part, index, turns.log) for part in parts if part.get("type") != "tool_result"]
    turns.add(Turn("user" if role == "user" else "system", blocks, index, developer=role == "developer"))


def _read_assistant(message: dict[str, Any], index: int, turns: Turns) -> None:
    if len(message) > 2:
        turns.log.left_out(index, message, _ASSISTANT_KEYS)
    turn = spoken("assistant", message, index)
    if turn is not None and turn.same is not None:
        turns.add(turn)
        return
    blocks: list[Block] = []
    if (reasoning := message.get("reasoning_content") or message.get("reasoning")) is not None:
        blocks.append(Thinking(str(reasoning)))
    content = message.get("content")
    if isinstance(content, str):
        # An empty text beside calls is a habit of some servers; it says nothing.
        blocks.extend([Text(content)] if content or not message.get("tool_calls") else [])
    elif content is not None:
        blocks.extend(_part(part, index, turns.log) for part in content_parts(content, index))
    if isinstance(refusal := message.get("refusal"), str):
        blocks.append(Refusal(refusal))
    blocks.extend(_calls(message, index, turns.log))
    turns.add(Turn("assistant", blocks, index, bare=isinstance(content, str)))


def _calls(message: dict[str, Any], index: int, log: Log) -> list[Call]:
    calls = [
        _call(plain(call, index), f"call_{index}_{place}", index, log)
        for place, call in enumerate(calls_in(message.get("tool_calls")))
    ]
    if (legacy := message.get("function_call")) is not None:
        calls.append(_function(plain(legacy, index), f"call_{index}", index))
        log.add(index, "a function_call, which has no id, became a tool call with one")
    return calls


def _call(call: dict[str, Any], spare_id: str, index: int, log: Log) -> Call:
    log.left_out(index, call, _CALL_KEYS)
    given = call.get("id")
    if not given:
        log.add(index, "a call without an id was given one")
    if (custom := call.get("custom")) is not None:
        custom = plain(custom, index)
        return Call(str(given or spare_id), str(custom.get("name") or ""), str(custom.get("input") or ""), custom=True)
    return _function(plain(call.get("function") or {}, index), str(given or spare_id), index)


def _function(function: dict[str, Any], call_id: str, index: int) -> Call:
    arguments = function.get("arguments")
    if not isinstance(arguments, (str, dict)):
        arguments = "" if arguments is None else json_text(arguments, index)
    return Call(call_id, str(function.get("name") or ""), arguments)


def _read_result(message: dict[str, Any], index: int, turns: Turns) -> None:
    turns.log.left_out(index, message, _TOOL_KEYS)
    content = message.get("content")
    read: str | list[Block]
    if content is None or isinstance(content, str):
        read = content or ""
    elif isinstance(content, dict):
        # Some frameworks hand the tool's object over as it is.
        read = json_text(content, index)
    else:
        read = [_result_part(_part(part, index, turns.log), index, turns.log) for part in content_parts(content, index)]
    read, error = unmarked(read)
    call = turns.answer(Result(str(message.get("tool_call_id") or ""), read, index, error=error))
    name = message.get("name")
    if name and (call is None or call.name != name):
        turns.log.add(index, "name of a result left out: it is not that of the call")


def _result_part(block: Block, index: int, log: Log) -> Block:
    if not isinstance(block, Unknown):
        return block
    log.add(index, f"a {block.kind} part in a result became its JSON text")
    return Text(json_text(block.raw, index))


def _part(part: dict[str, Any], index: int, log: Log) -> Block:
    match part.get("type"):
        case "text":
            return text_of(part, index, log)
        case "refusal":
            return Refusal(str(part.get("refusal") or ""))
        case "image_url":
            return _image(part, index, log)
        case "file":
            return _file(part, index, log)
        case kind:
            return Unknown(str(kind), part)


def _image(part: dict[str, Any], index: int, log: Log) -> Image:
    log.left_out(index, part, frozenset({"type", "image_url"}))
    image = part.get("image_url")
    if isinstance(image, str):
        return Image(url=image)
    image = plain(image, index) if image is not None else {}
    return Image(url=text_or_none(image.get("url")), detail=text_or_none(image.get("detail")))


def _file(part: dict[str, Any], index: int, log: Log) -> Document:
    log.left_out(index, part, frozenset({"type", "file"}))
    held = part.get("file")
    held = plain(held, index) if held is not None else {}
    return document_of_members(held)
