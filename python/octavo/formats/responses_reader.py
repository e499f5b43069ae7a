"""Reads OpenAI Responses items into turns. A model's turn is several items there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

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
from octavo.messages import member, plain
from octavo.spread import is_object

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["read"]

_ROLES: Final = frozenset({"user", "assistant", "system", "developer"})
_MESSAGE_KEYS: Final = frozenset({"type", "role", "content"})
_CALL_KEYS: Final = frozenset({"type", "call_id", "name", "arguments", "input"})
_OUTPUT_KEYS: Final = frozenset({"type", "call_id", "output", "name"})
_REASONING_KEYS: Final = frozenset({"type", "summary", "content", "encrypted_content"})
_IMAGE_KEYS: Final = frozenset({"type", "image_url", "file_id", "detail"})
_FILE_KEYS: Final = frozenset({"type", "file_data", "file_id", "file_url", "filename"})


def read(messages: Iterable[object], system: System, log: Log) -> list[Turn]:
    """Turn items and the instructions into turns."""
    reader = _Reader(log)
    if (prompt := system_turn(system, log)) is not None:
        reader.turns.add(prompt)
    for index, item in enumerate(messages):
        reader.item(plain(item, index), index)
    return reader.turns.turns


class _Reader:
    """Gathers neighbouring items of the model into one turn.

    A message item opens a new turn only after another message without calls: then both could have
    been turns of their own. Whatever follows a call belongs to its turn until the results come.
    """

    def __init__(self, log: Log) -> None:
        self.turns = Turns(log)
        self._log = log
        self._spoke = False
        self._called = False
        self._assistant = False

    def item(self, item: dict[str, Any], index: int) -> None:
        """Read one item."""
        match item.get("type"):
            case None if item.get("role") is None and isinstance(item.get("id"), str):
                # The one type that may be left out is that of a reference.
                self._log.add(index, "item_reference item left out")
            case None | "message" if item.get("role") in ("tool", "function") and item.get("tool_call_id"):
                # A message of Chat Completions, which strayed into this format.
                self._output({"call_id": item["tool_call_id"], "output": item.get("content")}, index)
            case None | "message":
                self._message(item, index)
            case "function_call" | "custom_tool_call":
                self._called |= self._model([_call(item, index, self._log)], index)
            case "function_call_output" | "custom_tool_call_output":
                self._output(item, index)
            case "reasoning":
                self._reasoning(item, index)
            case kind:
                self._log.add(index, f"{kind} item left out")

    def _message(self, item: dict[str, Any], index: int) -> None:
        role = role_of(item, index, _ROLES)
        if len(item) > 2:
            self._log.left_out(index, item, _MESSAGE_KEYS)
        turn = spoken(role, item, index)
        if turn is None:
            content = item.get("content")
            blocks = (
                [] if content is None else [_part(part, index, self._log) for part in content_parts(content, index)]
            )
            turn = Turn(_neutral(role), blocks, index, developer=role == "developer")
        if role != "assistant":
            self._assistant = False
            self.turns.add(turn)
            return
        if self._spoke and not self._called:
            self._assistant = False
        if not self._assistant:
            self._open(turn)
        else:
            last = self.turns.turns[-1]
            last.bare = turn.bare
            self.turns.extend(turn.blocks)
        self._spoke = True

    def _reasoning(self, item: dict[str, Any], index: int) -> None:
        if self._spoke and not self._called:
            self._assistant = False
        self._model([_thinking(item, index, self._log)], index)

    def _model(self, blocks: list[Block], index: int) -> bool:
        """Add blocks to the model's turn, opening one where there is none."""
        if self._assistant:
            self.turns.turns[-1].same = None
            self.turns.extend(blocks)
        else:
            self._open(Turn("assistant", blocks, index))
        return True

    def _open(self, turn: Turn) -> None:
        self.turns.add(turn)
        self._assistant = True
        self._spoke = False
        self._called = False

    def _output(self, item: dict[str, Any], index: int) -> None:
        self._assistant = False
        self._log.left_out(index, item, _OUTPUT_KEYS)
        content, error = unmarked(_output_content(item.get("output"), index, self._log))
        call = self.turns.answer(Result(str(item.get("call_id") or ""), content, index, error=error))
        name = item.get("name")
        if name and (call is None or call.name != name):
            self._log.add(index, "name of a result left out: it is not that of the call")


def _neutral(role: str) -> Any:
    return "system" if role == "developer" else role


def _call(item: dict[str, Any], index: int, log: Log) -> Call:
    log.left_out(index, item, _CALL_KEYS)
    given = item.get("call_id")
    if not given:
        log.add(index, "a call without an id was given one")
    custom = item["type"] == "custom_tool_call"
    arguments = item.get("input" if custom else "arguments")
    if not isinstance(arguments, (str, dict)):
        arguments = "" if arguments is None else json_text(arguments, index)
    return Call(str(given or f"call_{index}"), str(item.get("name") or ""), arguments, custom=custom)


def _output_content(output: object, index: int, log: Log) -> str | list[Block]:
    if output is None or isinstance(output, str):
        return output or ""
    if isinstance(output, dict):
        return json_text(output, index)
    blocks: list[Block] = []
    for part in content_parts(output, index):
        block = _part(part, index, log)
        if isinstance(block, Unknown):
            log.add(index, f"a {block.kind} part in a result became its JSON text")
            block = Text(json_text(block.raw, index))
        blocks.append(block)
    return blocks


def _thinking(item: dict[str, Any], index: int, log: Log) -> Thinking:
    """Reasoning: its own text where there is one, else the summary."""
    log.left_out(index, item, _REASONING_KEYS)
    parts = list(content_parts(item.get("content") or [], index)) or list(
        content_parts(item.get("summary") or [], index)
    )
    text = "\n\n".join(str(part.get("text") or "") for part in parts) if parts else None
    return Thinking(text, text_or_none(item.get("encrypted_content")))


def _part(part: dict[str, Any], index: int, log: Log) -> Block:
    match part.get("type"):
        case "input_text" | "output_text" | "text":
            return text_of(part, index, log)
        case "refusal":
            return Refusal(str(part.get("refusal") or ""))
        case "input_image":
            log.left_out(index, part, _IMAGE_KEYS)
            return _image(part)
        case "input_file":
            return _file(part, index, log)
        case kind:
            return Unknown(str(kind), part)


def _file(part: dict[str, Any], index: int, log: Log) -> Document:
    log.left_out(index, part, _FILE_KEYS)
    return document_of_members(part)


def _image(part: dict[str, Any]) -> Image:
    """A picture; also with the address in an object, as Chat has it."""
    address, detail = part.get("image_url"), part.get("detail")
    if is_object(address):
        address, detail = member(address, "url"), detail or member(address, "detail")
    return Image(
        text_or_none(address), text_or_none(part.get("file_id")), None if detail == "auto" else text_or_none(detail)
    )
