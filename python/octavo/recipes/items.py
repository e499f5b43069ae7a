"""OpenAI Responses: each call, result and reasoning is an item of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from octavo.recipes.shape import NO_RESULT, NOTES, Block, Edits, Piece, Shape, as_block, is_list

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Items"]

# A picture of one transparent pixel: the only output that a `computer_call` takes is a screenshot.
_NO_SCREENSHOT: Final = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="
)

# The member that pairs an item, where it is not `call_id`.
_PAIRING_MEMBERS: Final = {"mcp_approval_request": "id", "mcp_approval_response": "approval_request_id"}


class Items(Shape):
    """Responses items."""

    def blocks(self, message: Block) -> list[Block]:
        """Give the blocks: the parts of a message, or the item itself."""
        if message.get("type") not in (None, "", "message"):
            return [message]
        content = message.get("content")
        if content is None:
            return []
        return [as_block(part) for part in content] if is_list(content) else [as_block(content)]

    def id_of(self, block: Block) -> object:
        """Give the id that pairs a call with its output."""
        return block.get(_PAIRING_MEMBERS.get(str(block.get("type")), "call_id"))

    def compose(self, role: str, source: int | None, pieces: Sequence[Piece]) -> Block:
        """Put an item together: a note, an output, or an edited copy."""
        tag = pieces[0][0] if pieces else "block"
        if tag in NOTES:
            return {"type": "message", "role": role, "content": NOTES[tag]}
        if tag == "no_result":
            _, index, number, copy = pieces[0]
            return _no_output(self.block(index, number), self.final_id(index, number, copy))
        index = source if source is not None else pieces[0][1]
        item = self.message(index)
        if item.get("type") in (None, "", "message"):
            return self._edited_message(item, pieces)
        return self._edited_item(item, pieces[0])

    def _edited_item(self, item: Block, piece: Piece) -> Block:
        _, index, number, copy, edits, call = piece
        if not (copy or edits & Edits.TAKE_ID):
            return dict(item)
        new = self.result_id(piece) if call is not None else self.final_id(index, number, copy)
        return {**item, _PAIRING_MEMBERS.get(str(item.get("type")), "call_id"): new}

    def _edited_message(self, item: Block, pieces: Sequence[Piece]) -> Block:
        parts = [_stripped(self.block(piece[1], piece[2]), piece) for piece in pieces]
        content = item.get("content")
        if isinstance(content, str):
            return {**item, "content": parts[0]["text"] if parts else ""}
        return {**item, "content": parts}


def _stripped(part: Block, piece: Piece) -> Block:
    if not piece[4] & Edits.STRIP_END:
        return part
    member = "text" if isinstance(part.get("text"), str) else "refusal"
    return {**part, member: part[member].rstrip()}


def _no_output(call: Block, call_id: object) -> Block:
    """Make an output that reports an error, of the kind that the call wants."""
    kind = str(call.get("type"))
    named = {} if call_id is None else {"call_id": call_id}
    match kind:
        case "computer_call":
            screenshot = {"type": "computer_screenshot", "image_url": _NO_SCREENSHOT}
            return {"type": "computer_call_output", **named, "output": screenshot}
        case "shell_call":
            failed = {"stdout": "", "stderr": NO_RESULT, "outcome": {"type": "exit", "exit_code": 1}}
            return {"type": "shell_call_output", **named, "output": [failed]}
        case "apply_patch_call":
            return {"type": "apply_patch_call_output", **named, "status": "failed", "output": NO_RESULT}
        case _:
            return {"type": f"{kind}_output", **named, "output": NO_RESULT}
