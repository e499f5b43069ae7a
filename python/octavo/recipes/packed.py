"""Anthropic, Gemini and Bedrock: a message is a list of blocks, and results are blocks of the user's."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Final

from octavo.messages import plain
from octavo.recipes.shape import (
    DUMMY_SIGNATURE,
    NO_DETAILS,
    NO_RESULT,
    NOTES,
    Block,
    Edits,
    Piece,
    Shape,
    as_block,
    name_in,
    object_of,
    parted,
    renames,
    spoken,
    text_of,
)
from octavo.spread import is_list, is_object, spread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Anthropic", "Bedrock", "Gemini", "Packed"]

_TOOL_ROLES: Final = ("tool", "function")
"""Roles of Chat Completions that Anthropic does not have."""


class Packed(Shape):
    """What the three formats share."""

    content: ClassVar[str] = "content"
    text_type: ClassVar[str | None] = None

    @abstractmethod
    def with_id(self, block: Block, new: object) -> Block:
        """Give a copy of a call or result with another id."""

    @abstractmethod
    def no_result(self, call: Block, call_id: object) -> Block:
        """Make the error result of a call that has none."""

    def role_name(self, role: str) -> str:
        """Give the format's name of a role."""
        return role

    def blocks(self, message: Block) -> list[Block]:
        """Give the blocks of a message."""
        content = message.get(self.content)
        return [] if content is None else [as_block(block, self.text_type) for block in spread(content)]

    def compose(self, role: str, source: int | None, pieces: Sequence[Piece]) -> Block:
        """Put a message together; members other than role and content come from its source."""
        composed = {} if source is None else self.members(self.message(source))
        composed["role"] = self.role_name(role)
        composed[self.content] = [block for piece in pieces for block in self._pieces(piece)]
        return composed

    def members(self, message: Block) -> Block:
        """Give what a message made of this one takes over, in a dict of its own."""
        return dict(message)

    @abstractmethod
    def arguments(self, block: Block) -> Block:
        """Give a copy of a call with an object as its arguments."""

    def reshaped(self, block: Block) -> Block:
        """Give a copy of a block in the shape that the format has; most are so once they are plain."""
        return block

    def _pieces(self, piece: Piece) -> list[Block]:
        if piece[0] == "block" and piece[4] & Edits.AS_TEXT:
            text, rest = self.told(piece)
            return [as_block(text, self.text_type), *rest]
        return [self._piece(piece)]

    def filled(self, block: Block) -> Block:
        """Give a copy of a result without empty texts in it; an error that says nothing then says so."""
        return block

    def _piece(self, piece: Piece) -> Block:
        if piece[0] in NOTES:
            return as_block(NOTES[piece[0]], self.text_type)
        if piece[0] == "no_result":
            _, index, number, made = piece
            return self.no_result(self.block(index, number), self.final_id(index, number, made))
        return self._taken(piece)

    def _taken(self, piece: Piece) -> Block:
        _, index, number, _, edits, _ = piece
        block = self.block(index, number)
        if renames(piece):
            block = self.with_id(block, self.new_id(piece))
        if edits & Edits.RESHAPE:
            block = self.reshaped(block)
        if edits & Edits.MEND_RESULT:
            block = self.filled(block)
        if edits & Edits.MEND_ARGUMENTS:
            block = self.arguments(block)
        if edits & Edits.STRIP_END:
            block = {**block, "text": block["text"].rstrip()}
        if kept := edits >> Edits.KEEP_BREAKPOINTS_AT:
            return _with_newest_breakpoints(block, kept)
        if edits & (Edits.DROP_BREAKPOINT | Edits.SHORTEN_BREAKPOINT):
            block = _without_breakpoint(block, shorten=not edits & Edits.DROP_BREAKPOINT)
        return block


def _without_breakpoint(block: Block, *, shorten: bool) -> Block:
    """A copy whose breakpoints, those inside a result included, are gone or live five minutes."""
    changed = {key: value for key, value in block.items() if key != "cache_control"}
    control = block.get("cache_control")
    if shorten and control is not None:
        changed["cache_control"] = {key: value for key, value in plain(control).items() if key != "ttl"}
    content = block.get("content")
    if is_list(content) and content:
        changed["content"] = [_without_breakpoint(as_block(item), shorten=shorten) for item in content]
    return changed


def _with_newest_breakpoints(block: Block, kept: int) -> Block:
    """A copy of a result with the last breakpoints of it: its own stands behind those of its content."""
    content = block.get("content")
    items = spread(content) if is_list(content) else []
    if block.get("cache_control") is not None:
        kept -= 1
    marked = [at for at, item in enumerate(items) if as_block(item).get("cache_control") is not None]
    for at in marked[: len(marked) - kept]:
        items[at] = _without_breakpoint(as_block(items[at]), shorten=False)
    return {**block, "content": items} if marked else block


class Anthropic(Packed):
    """Anthropic Messages."""

    text_type = "text"

    def members(self, message: Block) -> Block:
        """Give what a message made of this one takes over: nothing of a tool message of Chat Completions."""
        return {} if message.get("role") in _TOOL_ROLES else dict(message)

    def arguments(self, block: Block) -> Block:
        """Give a copy of a call with an object as its input."""
        return {**block, "input": object_of(block.get("input"))}

    def reshaped(self, block: Block) -> Block:
        """Give a text with its type, and a result with a text, or with blocks, as its content."""
        if block.get("type") in (None, "", "text") and block.get("text") is not None:
            return {**block, "type": "text", "text": text_of(block["text"])}
        if not isinstance(block.get("type"), str) or not block["type"]:
            return as_block(text_of(block))
        content = block.get("content")
        if block["type"] == "text":
            return {**block, "text": ""}
        if block["type"] == "tool_use":
            return {**block, "name": name_in(block)}
        if block.get("type") != "tool_result" or isinstance(content, str):
            return block
        items = [as_block(item) for item in spread(content)] if is_list(content) else text_of(content)
        return {**block, "content": items}

    def filled(self, block: Block) -> Block:
        """Give a copy of a result without empty texts in it; an error that says nothing then says so."""
        content = block.get("content")
        said = [item for item in content if not _is_empty(as_block(item))] if is_list(content) else content
        return {**block, "content": NO_DETAILS if block.get("is_error") is True and not said else said}

    def blocks(self, message: Block) -> list[Block]:
        """Give the blocks; a content that is a text is one block, and so is a tool message of Chat Completions."""
        content = message.get("content")
        if message.get("role") in _TOOL_ROLES and not _holds_results(content):
            named = message.get("tool_call_id") or message.get("tool_use_id")
            return [{"type": "tool_result", **({"tool_use_id": named} if named else {}), **_said(content)}]
        return super().blocks(message)

    def id_of(self, block: Block) -> object:
        """Give the id of a call, or the one that a result names."""
        return block.get("tool_use_id") if block.get("type") == "tool_result" else block.get("id")

    def with_id(self, block: Block, new: object) -> Block:
        """Give a copy of a call or result with another id."""
        return {**block, "tool_use_id" if block.get("type") == "tool_result" else "id": new}

    def name_of(self, call: Block) -> object:
        """Give the name of the tool that a call calls."""
        return call.get("name")

    def output_of(self, result: Block) -> tuple[list[str], list[Block]]:
        """Give the texts of a result, and its pictures and documents, without breakpoints of their own."""
        return parted(result.get("content"), _shown)

    def is_error(self, result: Block) -> bool:
        """Tell whether a result says that the call failed."""
        return result.get("is_error") is True

    def no_result(self, call: Block, call_id: object) -> Block:
        """Make an error result."""
        named = {} if call_id is None else {"tool_use_id": call_id}
        return {"type": "tool_result", **named, "content": NO_RESULT, "is_error": True}


def _shown(item: Block) -> Block | None:
    kept = item.get("type") in ("image", "document", "search_result")
    return _without_breakpoint(item, shorten=False) if kept else None


def _is_empty(item: Block) -> bool:
    return item.get("type") == "text" and item.get("text") in (None, "")


def _holds_results(content: object) -> bool:
    return any(as_block(item).get("type") == "tool_result" for item in spread(content))


def _said(content: object) -> Block:
    if content is None:
        return {}
    return {"content": content if isinstance(content, str) or is_list(content) else text_of(content)}


class Bedrock(Packed):
    """Bedrock Converse."""

    def reshaped(self, block: Block) -> Block:
        """Give a text that is one, and a result whose content is a list of blocks."""
        if block.get("text") is not None:
            return {**block, "text": text_of(block["text"])}
        key, inside = self._inside(block)
        if key != "toolResult":
            return {**block, key: {**inside, "name": name_in(inside)}} if key in block else block
        return {**block, key: {**inside, "content": [as_block(item, None) for item in spread(inside.get("content"))]}}

    def arguments(self, block: Block) -> Block:
        """Give a copy of a call with an object as its input."""
        key, inside = self._inside(block)
        return {**block, key: {**inside, "input": object_of(inside.get("input"))}}

    def filled(self, block: Block) -> Block:
        """Give a copy of an error result that says nothing with a text that says so."""
        key, inside = self._inside(block)
        return {**block, key: {**inside, "content": [{"text": NO_DETAILS}]}}

    def id_of(self, block: Block) -> object:
        """Give the id of a call or result."""
        return self._inside(block)[1].get("toolUseId")

    def with_id(self, block: Block, new: object) -> Block:
        """Give a copy of a call or result with another id."""
        key, inside = self._inside(block)
        return {**block, key: {**inside, "toolUseId": new}}

    def name_of(self, call: Block) -> object:
        """Give the name of the tool that a call calls."""
        return self._inside(call)[1].get("name")

    def output_of(self, result: Block) -> tuple[list[str], list[Block]]:
        """Give the texts of a result, and its pictures and documents."""
        media = ("image", "document", "video")
        return parted(self._inside(result)[1].get("content"), lambda item: item if set(media) & set(item) else None)

    def is_error(self, result: Block) -> bool:
        """Tell whether a result says that the call failed."""
        return self._inside(result)[1].get("status") == "error"

    def no_result(self, call: Block, call_id: object) -> Block:
        """Make an error result."""
        named = {} if call_id is None else {"toolUseId": call_id}
        return {"toolResult": {**named, "content": [{"text": NO_RESULT}], "status": "error"}}

    @staticmethod
    def _inside(block: Block) -> tuple[str, Block]:
        # The engine looks for a call first.
        key = "toolResult" if block.get("toolUse") is None and block.get("toolResult") is not None else "toolUse"
        inside = block.get(key)
        return key, plain(inside) if is_object(inside) else {}


# The members of Gemini's parts that repairs touch, as the Python client spells them where it differs from the API.
_SNAKE: Final[Mapping[str, str]] = {
    "functionCall": "function_call",
    "functionResponse": "function_response",
    "thoughtSignature": "thought_signature",
}


class Gemini(Packed):
    """Gemini `contents`: ids are optional, names pair, and members have two spellings, which stay as they came."""

    content = "parts"

    def arguments(self, block: Block) -> Block:
        """Give a copy of a call with an object as its arguments."""
        key, inside = self._inside(block)
        return {**block, key: {**inside, "args": object_of(inside.get("args"))}}

    def role_name(self, role: str) -> str:
        """Give the format's name of a role."""
        return "model" if role == "assistant" else role

    def id_of(self, block: Block) -> object:
        """Give the id of a call or response, or its function's name."""
        _, inside = self._inside(block)
        return inside.get("id") or inside.get("name")

    def with_id(self, block: Block, new: object) -> Block:
        """Give a copy of a call or response with another id."""
        key, inside = self._inside(block)
        return {**block, key: {**inside, "id": new}}

    def name_of(self, call: Block) -> object:
        """Give the name of the function that a call calls."""
        return self._inside(call)[1].get("name")

    def output_of(self, result: Block) -> tuple[list[str], list[Block]]:
        """Give a response as JSON, and the parts with media that it has beside it."""
        _, inside = self._inside(result)
        parts = inside.get("parts")
        return [spoken(inside.get("response"))], [as_block(part, None) for part in parts] if is_list(parts) else []

    def no_result(self, call: Block, call_id: object) -> Block:
        """Make a response that reports an error, under the call's id where it has one."""
        key, inside = self._inside(call)
        named = {"id": call_id} if inside.get("id") else {}
        response = {**named, "name": inside.get("name"), "response": {"error": NO_RESULT}}
        return {_spelled_like(key, "functionResponse"): response}

    def _taken(self, piece: Piece) -> Block:
        block = super()._taken(piece)
        if piece[4] & Edits.SIGN:
            key, _ = self._inside(block)
            return {**block, _spelled_like(key, "thoughtSignature"): DUMMY_SIGNATURE}
        return block

    @staticmethod
    def _inside(block: Block) -> tuple[str, Block]:
        spellings = (spelled for name in ("functionResponse", "functionCall") for spelled in (name, _SNAKE[name]))
        key = next((spelled for spelled in spellings if block.get(spelled) is not None), "functionCall")
        return key, as_block(block.get(key) or {}, None)


def _spelled_like(key: str, name: str) -> str:
    """The member's name in the spelling that its neighbour has."""
    return _SNAKE[name] if key in _SNAKE.values() else name
