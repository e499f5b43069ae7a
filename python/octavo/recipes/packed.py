"""Anthropic, Gemini and Bedrock: a message is a list of blocks, and results are blocks of the user's."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Final

from octavo.recipes.shape import DUMMY_SIGNATURE, NO_RESULT, NOTES, Block, Edits, Piece, Shape, as_block, is_list

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Anthropic", "Bedrock", "Gemini", "Packed"]


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
        if isinstance(content, str) and self.content == "content":
            return [as_block(content, self.text_type)]
        return [as_block(block, self.text_type) for block in content] if is_list(content) and content else []

    def compose(self, role: str, source: int | None, pieces: Sequence[Piece]) -> Block:
        """Put a message together; members other than role and content come from its source."""
        composed = dict(self.message(source)) if source is not None else {}
        composed["role"] = self.role_name(role)
        composed[self.content] = [self._piece(piece) for piece in pieces]
        return composed

    def _piece(self, piece: Piece) -> Block:
        if piece[0] in NOTES:
            return as_block(NOTES[piece[0]], self.text_type)
        if piece[0] == "no_result":
            _, index, number, copy = piece
            return self.no_result(self.block(index, number), self.final_id(index, number, copy))
        return self._taken(piece)

    def _taken(self, piece: Piece) -> Block:
        _, index, number, copy, edits, call = piece
        block = self.block(index, number)
        if copy or edits & Edits.TAKE_ID:
            new = self.result_id(piece) if call is not None else self.final_id(index, number, copy)
            block = self.with_id(block, new)
        if edits & Edits.STRIP_END:
            block = {**block, "text": block["text"].rstrip()}
        if edits & Edits.DROP_BREAKPOINT:
            block = {key: value for key, value in block.items() if key != "cache_control"}
        return block


class Anthropic(Packed):
    """Anthropic Messages."""

    text_type = "text"

    def blocks(self, message: Block) -> list[Block]:
        """Give the blocks; a content that is a text is one block."""
        content = message.get("content")
        if content is None or is_list(content):
            return super().blocks(message)
        return [as_block(content)]

    def id_of(self, block: Block) -> object:
        """Give the id of a call, or the one that a result names."""
        return block.get("tool_use_id") if block.get("type") == "tool_result" else block.get("id")

    def with_id(self, block: Block, new: object) -> Block:
        """Give a copy of a call or result with another id."""
        return {**block, "tool_use_id" if block.get("type") == "tool_result" else "id": new}

    def no_result(self, call: Block, call_id: object) -> Block:
        """Make an error result."""
        named = {} if call_id is None else {"tool_use_id": call_id}
        return {"type": "tool_result", **named, "content": NO_RESULT, "is_error": True}


class Bedrock(Packed):
    """Bedrock Converse."""

    def id_of(self, block: Block) -> object:
        """Give the id of a call or result."""
        return self._inside(block)[1].get("toolUseId")

    def with_id(self, block: Block, new: object) -> Block:
        """Give a copy of a call or result with another id."""
        key, inside = self._inside(block)
        return {**block, key: {**inside, "toolUseId": new}}

    def no_result(self, call: Block, call_id: object) -> Block:
        """Make an error result."""
        named = {} if call_id is None else {"toolUseId": call_id}
        return {"toolResult": {**named, "content": [{"text": NO_RESULT}], "status": "error"}}

    @staticmethod
    def _inside(block: Block) -> tuple[str, Block]:
        key = "toolResult" if block.get("toolResult") is not None else "toolUse"
        return key, as_block(block.get(key) or {}, None)


# The members of Gemini's parts that repairs touch, as the Python client spells them where it differs from the API.
_SNAKE: Final[Mapping[str, str]] = {
    "functionCall": "function_call",
    "functionResponse": "function_response",
    "thoughtSignature": "thought_signature",
}


class Gemini(Packed):
    """Gemini `contents`: ids are optional, names pair, and members have two spellings, which stay as they came."""

    content = "parts"

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
