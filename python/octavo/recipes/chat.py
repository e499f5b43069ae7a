"""OpenAI Chat Completions: calls are members of an assistant message, each result is a message of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from octavo.formats.media import source_address
from octavo.formats.results import ERROR_MARK
from octavo.recipes.shape import NO_RESULT, NOTES, Block, Edits, Piece, Shape, as_block, name_in, parted, text_of
from octavo.spread import calls_in, is_list, is_object, spread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Chat"]

_REASONING: Final = ("reasoning_content", "reasoning", "thinking_blocks", "reasoning_details")
"""Members that hold an assistant's reasoning, in the engine's order: all of them are one block."""

_Place: TypeAlias = tuple[str, int | None]
"""The member that holds a block, and its number there where the member is a list."""


class Chat(Shape):
    """Chat Completions messages."""

    def message(self, index: int) -> Block:
        """Give a message as a plain dict, with the lists of it that the engine reads."""
        if index not in self._plain:
            found = super().message(index)
            if found.get("role") not in ("tool", "function") and _is_odd(found):
                self._plain[index] = _in_lists(found)
        return self._plain[index]

    def blocks(self, message: Block) -> list[Block]:
        """Give the blocks; a `tool` message is one."""
        if message.get("role") in ("tool", "function"):
            return [message]
        return [self._at(message, place) for place in _places(message)]

    def id_of(self, block: Block) -> object:
        """Give the id of a call, or the one that a tool message names."""
        if block.get("type") == "tool_result":
            return block.get("tool_use_id")
        return block.get("tool_call_id") if block.get("role") in ("tool", "function") else block.get("id")

    def pair_id(self, index: int, number: int) -> object:
        """Give the id that pairs a block: none for the member `function_call`, whatever members it has itself."""
        return None if self._is_idless(index, number) else super().pair_id(index, number)

    def _is_idless(self, index: int, number: int) -> bool:
        """Whether a block is the call of older clients, which is the last of its message."""
        message = self.message(index)
        called = message.get("role") not in ("tool", "function") and message.get("function_call") is not None
        return called and number + 1 == len(self.blocks_of(index))

    def name_of(self, call: Block) -> object:
        """Give the name of the tool that a call calls."""
        return as_block(call.get("function") or call.get("custom") or call, None).get("name")

    def output_of(self, result: Block) -> tuple[list[str], list[Block]]:
        """Give the texts of a tool message, and its other parts."""
        return parted(result.get("content"), _picture if result.get("type") == "tool_result" else _no_text)

    def compose(self, role: str, source: int | None, pieces: Sequence[Piece]) -> Block:
        """Put a message together: a note, a tool message, or a copy of its source without what left."""
        tag = pieces[0][0] if pieces else "block"
        if tag in NOTES:
            return {"role": role, "content": NOTES[tag]}
        if tag == "no_result":
            return self._no_result(pieces[0])
        if role == "tool":
            return self._tool_message(pieces[0])
        if tag == "block" and pieces and pieces[0][4] & Edits.AS_TEXT:
            text, rest = self.told(pieces[0])
            return {"role": role, "content": [{"type": "text", "text": text}, *rest] if rest else text}
        edited = self._joined(source, pieces) if role == "assistant" else self._edited(source, pieces)
        # Calls that stood in somebody else's message: all that the assistant takes over of it.
        return edited if source is not None or role == edited.get("role") else _of_assistant(edited)

    def _no_result(self, piece: Piece) -> Block:
        _, index, number, made = piece
        call = self.block(index, number)
        if self._is_idless(index, number):
            # Its result has a name and no id.
            return {"role": "function", "name": name_in(call), "content": NO_RESULT}
        call_id = self.final_id(index, number, made)
        return {"role": "tool", **({"tool_call_id": call_id} if call_id else {}), "content": NO_RESULT}

    def _tool_message(self, piece: Piece) -> Block:
        message = dict(self.message(piece[1]))
        block = self.block(piece[1], piece[2])
        if block.get("type") == "tool_result":
            return {"role": "tool", "tool_call_id": self.result_id(piece), "content": _foreign_content(block)}
        if message.get("role") != "function" or piece[4] & Edits.TAKE_ID:
            message["role"] = "tool"
            message["tool_call_id"] = self.result_id(piece)
        message["content"] = _content(message.get("content"))
        return message

    def _joined(self, source: int | None, pieces: Sequence[Piece]) -> Block:
        """One message of the assistant's; where its blocks stand in several, with the texts and calls of all."""
        apart: dict[int, list[Piece]] = {}
        for piece in pieces:
            apart.setdefault(piece[1], []).append(piece)
        if len(apart) < 2:
            return self._edited(source, pieces)
        messages = [self._edited(index, each) for index, each in apart.items()]
        joined: Block = {}
        for message in messages:
            for member, value in message.items():
                joined.setdefault(member, value)
        joined["content"] = _together([message.get("content") for message in messages])
        calls = [call for message in messages for call in calls_in(message.get("tool_calls"))]
        return {**joined, "tool_calls": calls} if calls else joined

    def _edited(self, source: int | None, pieces: Sequence[Piece]) -> Block:
        message = dict(self.message(source if source is not None else pieces[0][1]))
        places = _places(message)
        kept: dict[_Place, Piece] = {places[piece[2]]: piece for piece in pieces}
        values: dict[str, list[Any]] = {member: [] for member, _ in places}
        for place in places:
            if place in kept:
                values[place[0]].append(self._value(message, place, kept[place]))
        for member, left in values.items():
            self._put(message, member, left)
        if message.get("role") == "model":
            message["role"] = "assistant"
        if is_list(message.get("tool_calls")) and not message["tool_calls"]:
            del message["tool_calls"]
        says = (
            message.get("tool_calls")
            or any(message.get(member) is not None for member in ("function_call", "refusal"))
            or _is_spoken(message.get("audio"))
        )
        if not (says and message.get("role") == "assistant") or message.get("content") is not None:
            message["content"] = _content(message.get("content"))
        return message

    @staticmethod
    def _put(message: Block, member: str, values: list[Any]) -> None:
        if member in _REASONING:
            # They say the same thing, and stay or leave together.
            for name in () if values else _REASONING:
                message.pop(name, None)
        elif is_list(message[member]) and (values or member == "content"):
            message[member] = values
        elif values:
            message[member] = values[0]
        elif member == "content":
            message[member] = None
        else:
            del message[member]

    def _value(self, message: Block, place: _Place, piece: Piece) -> object:
        member, number = place
        _, index, block, made, edits, _ = piece
        value = message[member] if number is None else message[member][number]
        if made and member == "tool_calls":
            value = {**as_block(value), "id": self.final_id(index, block, made)}
        if edits & (Edits.MEND_ARGUMENTS | Edits.RESHAPE) and member in ("tool_calls", "function_call"):
            return _mended_call(as_block(value), member)
        return _stripped(value) if edits & Edits.STRIP_END else value

    @staticmethod
    def _at(message: Block, place: _Place) -> Block:
        member, number = place
        if member in _REASONING:
            return {"type": "reasoning"}
        return as_block(message[member] if number is None else message[member][number])


def _is_spoken(audio: object) -> bool:
    """Whether it names an answer that was spoken, which then needs no content."""
    return is_object(audio) and as_block(audio).get("id") is not None


def _of_assistant(message: Block) -> Block:
    calls = {member: message[member] for member in ("tool_calls", "function_call") if message.get(member)}
    return {"role": "assistant", "content": None, **calls}


def _together(contents: Sequence[object]) -> object:
    """Contents as one: a text alone stays one, several are parts."""
    said = [content for content in contents if content]
    if len(said) < 2:
        return said[0] if said else None
    parts = [spread(each) if is_list(each) else [{"type": "text", "text": text_of(each)}] for each in said]
    return [part for each in parts for part in each]


def _content(content: object) -> object:
    """The content in the shape that the format has: a text, or parts with a text each."""
    if not is_list(content):
        return text_of(content)
    return [_part(item) for item in spread(content)] or ""


def _is_odd(message: Block) -> bool:
    """Whether content or calls stand in anything but one list of objects, or a text."""
    content, calls = message.get("content"), message.get("tool_calls")
    nested = is_list(content) and any(is_list(part) for part in content)
    in_list = calls is None or (is_list(calls) and all(is_object(call) for call in calls))
    return _is_lone(content) or nested or not in_list


def _is_lone(content: object) -> bool:
    """Whether it is a part without its list; an object of no type is data."""
    return isinstance(content, Mapping) and content.get("type") is not None


def _in_lists(message: Block) -> Block:
    content = message.get("content")
    in_parts = is_list(content) or _is_lone(content)
    listed = {**message, "content": spread(content)} if in_parts else dict(message)
    calls = calls_in(listed.pop("tool_calls", None))
    return {**listed, "tool_calls": calls} if calls else listed


def _part(item: object) -> object:
    part = as_block(item) if not isinstance(item, Mapping) else item
    if part.get("type") == "text" and not isinstance(part.get("text"), str):
        return {**part, "text": text_of(part.get("text"))}
    return item if isinstance(item, Mapping) else part


def _no_text(part: Block) -> Block | None:
    """A part of a stated kind other than a text; a text that is none is told as its JSON."""
    return part if isinstance(part.get("type"), str) and part["type"] not in ("", "text") else None


def _foreign_content(result: Block) -> object:
    """What a result in Anthropic's shape says, as a tool message has it; a failed one says so in its text."""
    texts, pictures = parted(result.get("content"), _picture)
    mark = ERROR_MARK if result.get("is_error") is True else ""
    said = mark + "\n".join(texts)
    if not pictures:
        return said
    return [*([{"type": "text", "text": said}] if said else []), *pictures]


def _picture(block: Block) -> Block | None:
    """A picture in Anthropic's shape as a part of Chat's; nothing else can be one."""
    source = block.get("source")
    if block.get("type") != "image" or not isinstance(source, Mapping):
        return None
    address = source_address(source, "image/png")
    return None if address is None else {"type": "image_url", "image_url": {"url": address}}


def _mended_call(call: Block, member: str) -> Block:
    """A call with its type, its name and a text as its arguments.

    One without `function` has its name and arguments beside the id.
    """
    if member == "function_call":
        return {**call, "name": name_in(call), "arguments": text_of(call.get("arguments")) or "{}"}
    if call.get("function") is None and call.get("custom") is not None:
        custom = as_block(call["custom"])
        return {**call, "type": "custom", "custom": {**custom, "name": name_in(custom)}}
    function = as_block(call.get("function") or {"name": call.get("name"), **_arguments(call)})
    kept = {key: value for key, value in call.items() if key not in ("name", "arguments", "input")}
    return {
        **kept,
        "type": "function",
        "function": {**function, "name": name_in(function), "arguments": text_of(function.get("arguments")) or "{}"},
    }


def _arguments(call: Block) -> Block:
    found = call.get("arguments", call.get("input"))
    return {} if found is None else {"arguments": found}


def _stripped(value: object) -> object:
    if isinstance(value, str):
        return value.rstrip()
    block = as_block(value)
    member = "text" if isinstance(block.get("text"), str) else "refusal"
    return {**block, member: block[member].rstrip()}


def _places(message: Block) -> list[_Place]:
    """Give where each block of a message stands, in the order in which the engine reads them."""
    return list(_walk(message))


def _walk(message: Block) -> Iterator[_Place]:
    if message.get("role") in ("assistant", "model"):
        yield from ((member, None) for member in _first_reasoning(message))
    yield from _members(message, "content")
    if message.get("refusal") is not None:
        yield "refusal", None
    if is_list(message.get("tool_calls")):
        yield from _members(message, "tool_calls")
    if message.get("function_call") is not None:
        yield "function_call", None


def _first_reasoning(message: Block) -> list[str]:
    return [member for member in _REASONING if message.get(member) is not None][:1]


def _members(message: Block, member: str) -> Iterator[_Place]:
    value = message.get(member)
    if isinstance(value, list | tuple):
        yield from ((member, number) for number in range(len(value)))
    elif value is not None:
        yield member, None
