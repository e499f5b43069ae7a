"""OpenAI Responses: each call, result and reasoning is an item of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from octavo.recipes.shape import (
    NO_RESULT,
    NOTES,
    Block,
    Edits,
    Piece,
    Shape,
    as_block,
    name_in,
    parted,
    renames,
    spoken,
    text_of,
)
from octavo.spread import is_list, spread
from octavo.strangers import is_foreign_type

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Items"]

# A picture of one transparent pixel: the only output that a `computer_call` takes is a screenshot.
_NO_SCREENSHOT: Final = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="
)

# Types of the parts that an output may consist of.
_OUTPUT_PARTS: Final = ("input_text", "input_image", "input_file")

# Roles that messages of other formats have, and what they are called here.
_ROLES: Final = {"model": "assistant", "tool": "user", "function": "user"}

# The member that pairs an item, where it is not `call_id`.
_PAIRING_MEMBERS: Final = {"mcp_approval_request": "id", "mcp_approval_response": "approval_request_id"}


def _is_message(item: Block) -> bool:
    """Whether an item is a message: of that type, of none, or of one that another library's messages have.

    A type that is no text is none.
    """
    return _may_be_message(item) and not (_is_tool_message(item) or _is_reference(item))


def _may_be_message(item: Block) -> bool:
    kind = item.get("type")
    return not isinstance(kind, str) or kind in ("", "message") or is_foreign_type(kind)


def _is_tool_message(item: Block) -> bool:
    """Whether an item is a message of Chat Completions that answers a call."""
    answers = item.get("role") in ("tool", "function") and item.get("tool_call_id") is not None
    return answers and _may_be_message(item)


def _is_reference(item: Block) -> bool:
    """Whether an item without a type points to one that the provider holds."""
    bare = item.get("role") is None and item.get("content") is None and item.get("type") != "message"
    return bare and isinstance(item.get("id"), str)


def _pairing_member(item: Block) -> str:
    kind = str(item.get("type"))
    if _is_tool_message(item):
        return "tool_call_id"
    if kind == "local_shell_call_output" and item.get("call_id") is None:
        return "id"
    return _PAIRING_MEMBERS.get(kind, "call_id")


class Items(Shape):
    """Responses items."""

    def blocks(self, message: Block) -> list[Block]:
        """Give the blocks: the parts of a message, or the item itself."""
        if not _is_message(message):
            return [message]
        content = message.get("content")
        if content is None:
            return []
        return [as_block(part) for part in spread(content)]

    def id_of(self, block: Block) -> object:
        """Give the id that pairs a call with its output."""
        return block.get(_pairing_member(block))

    def name_of(self, call: Block) -> object:
        """Give the name of the tool that a call calls; a call of a built-in tool has only its type."""
        return call.get("name") or call.get("type")

    def output_of(self, result: Block) -> tuple[list[str], list[Block]]:
        """Give the texts of an output, and its pictures and files."""
        if _is_tool_message(result):
            return parted(result.get("content"), _input_part)
        if result.get("output") is None:
            # An answer to a request for approval.
            left = {key: value for key, value in result.items() if key not in ("type", "id", "approval_request_id")}
            return [spoken(left)], []
        return parted(result["output"], _input_part)

    def compose(self, role: str, source: int | None, pieces: Sequence[Piece]) -> Block:
        """Put an item together: a note, an output, or an edited copy."""
        tag = pieces[0][0] if pieces else "block"
        if tag in NOTES:
            return {"type": "message", "role": role, "content": NOTES[tag]}
        if tag == "no_result":
            _, index, number, made = pieces[0]
            return _no_output(self.block(index, number), self.final_id(index, number, made))
        if pieces and pieces[0][4] & Edits.AS_TEXT:
            text, rest = self.told(pieces[0])
            return {
                "type": "message",
                "role": role,
                "content": [{"type": "input_text", "text": text}, *rest] if rest else text,
            }
        index = source if source is not None else pieces[0][1]
        item = self.message(index)
        if _is_tool_message(item) and pieces:
            return self._output(item, pieces[0])
        if _is_message(item):
            if item.get("type", "") not in ("", "message"):
                item = {**item, "type": "message"}
            return {**self._edited_message(item, pieces), "role": _ROLES.get(str(item.get("role")), item.get("role"))}
        return self._edited_item(item, pieces[0])

    def _output(self, message: Block, piece: Piece) -> Block:
        """Give a tool message of Chat Completions as the output of its call, of the kind that the call wants."""
        call = self.block(*piece[5]) if piece[5] is not None else {}
        kind = "custom_tool_call" if call.get("type") == "custom_tool_call" else "function_call"
        output = _said(message.get("content"))
        return {"type": f"{kind}_output", "call_id": self.result_id(piece), "output": output}

    def _edited_item(self, item: Block, piece: Piece) -> Block:
        edited = dict(item)
        if renames(piece):
            edited[_pairing_member(item)] = self.new_id(piece)
        if piece[4] & Edits.RESHAPE:
            if item.get("type") in ("function_call", "custom_tool_call"):
                edited["name"] = name_in(item)
            else:
                edited["output"] = _said(item.get("output"))
        if piece[4] & Edits.MEND_ARGUMENTS:
            edited["arguments"] = text_of(item.get("arguments")) or "{}"
        return edited

    def _edited_message(self, item: Block, pieces: Sequence[Piece]) -> Block:
        parts = [_stripped(self.block(piece[1], piece[2]), piece) for piece in pieces]
        content = item.get("content")
        if isinstance(content, str) or not parts:
            return {**item, "content": parts[0]["text"] if parts else ""}
        typed = [_typed(part, spoken=item.get("role") in ("assistant", "model")) for part in parts]
        in_parts = is_list(content) or (isinstance(content, Mapping) and content.get("type") is not None)
        return {**item, "content": [_with_text(part) for part in typed] if in_parts else text_of(content)}


def _typed(part: Block, *, spoken: bool) -> Block:
    """A part with the type that its speaker's texts have; a refusal in another's message is a text of it."""
    kind = part.get("type")
    if kind not in ("text", "input_text", "output_text", "refusal") or (spoken and kind == "refusal"):
        return part
    if spoken:
        return {**part, "type": "output_text"}
    first, other = ("refusal", "text") if kind == "refusal" else ("text", "refusal")
    said = part.get(other) if part.get(first) is None else part[first]
    kept = {key: value for key, value in part.items() if key not in ("refusal", "annotations", "logprobs")}
    return {**kept, "type": "input_text", "text": said}


def _said(output: object) -> object:
    """An output as a text or a list of parts; data of any other kind is its JSON."""
    if isinstance(output, Mapping) and output.get("type") in _OUTPUT_PARTS:
        return [output]
    return [_typed(as_block(part), spoken=False) for part in spread(output)] if is_list(output) else text_of(output)


def _input_part(item: Block) -> Block | None:
    """A part of an output as one of a user's message; `None` for what no such message holds."""
    if item.get("type") == "computer_screenshot":
        return {**item, "type": "input_image"}
    return item if item.get("type") in ("input_image", "input_file") else None


def _with_text(part: Block) -> Block:
    if part.get("type") == "refusal" and not isinstance(part.get("refusal"), str):
        said = part.get("text") if part.get("refusal") is None else part["refusal"]
        return {**{key: value for key, value in part.items() if key != "text"}, "refusal": text_of(said)}
    if part.get("type") not in ("input_text", "output_text") or isinstance(part.get("text"), str):
        return part
    return {**part, "text": text_of(part.get("text"))}


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
