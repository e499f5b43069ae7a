"""What composing a message needs to know of a format, and what is the same in all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from octavo.errors import ConversionError
from octavo.formats.arguments import arguments_object, json_text
from octavo.formats.results import ERROR_MARK
from octavo.messages import plain
from octavo.spread import spread

__all__ = [
    "CONTINUE",
    "DUMMY_SIGNATURE",
    "LATER",
    "NOTES",
    "NO_DETAILS",
    "NO_RESULT",
    "START",
    "Block",
    "Composed",
    "Edits",
    "Piece",
    "Recipe",
    "Shape",
]

Block: TypeAlias = dict[str, Any]
"""A content block, part or item as a plain dict."""

Piece: TypeAlias = tuple[Any, ...]
"""`("block", message, block, made, edits, call)`, `("no_result", message, block, made)`, or `(note,)`.

`made` is 0 where the call keeps its id, and else the try of :meth:`Shape.final_id`.
"""

Composed: TypeAlias = tuple[str, int | None, Sequence[Piece], bool]
"""Role, source and pieces of a composed message, and whether it gets a blank `reasoning_content`."""

Recipe: TypeAlias = int | Composed
"""A kept message's number, or what a composed one is made of."""

NO_RESULT: Final = "Error: no result was recorded for this call."
"""Stands as the error result of a call that has none."""

NO_DETAILS: Final = "Error: the tool gave no details."
"""Stands in a result that reports an error without a word, which Anthropic and Bedrock refuse."""

START: Final = "(The conversation is shown from here on.)"
"""Said by the user before an assistant message that would open the list."""

CONTINUE: Final = "Continue."
"""Said by the user after an assistant message that may not end the list, and between two that may not be merged."""

UNKNOWN_NAME: Final = "unknown"
"""Stands as the name of a call whose own was lost."""

DUMMY_SIGNATURE: Final = "skip_thought_signature_validator"
"""What Gemini takes in place of a thought signature that was lost (ai.google.dev, thought signatures, 2026-11)."""

LATER: Final = "A later result of {call}:\n"
"""Said by the user ahead of what a tool answered once more, after the model had read its first answer."""

NOTES: Final[Mapping[str, str]] = {"start": START, "continue": CONTINUE}
"""The texts of the notes, by their tags."""


class Edits:
    """The bits of a piece that say what changes in its block."""

    TAKE_ID: Final = 1
    STRIP_END: Final = 2
    DROP_BREAKPOINT: Final = 4
    SIGN: Final = 8
    SHORTEN_BREAKPOINT: Final = 16
    MEND_RESULT: Final = 32
    MEND_ARGUMENTS: Final = 64
    RESHAPE: Final = 128
    AS_TEXT: Final = 256
    KEEP_BREAKPOINTS_AT: Final = 9
    """From this bit on stands how many of the breakpoints stay, where the oldest of them leave."""


class Shape(ABC):
    """One list of messages in one format, and how its blocks are found and put together.

    Each message is made plain, and its blocks are listed, once: a repair asks for them block by block.
    """

    def __init__(self, messages: Sequence[object]) -> None:
        """Take the list as it is; nothing is read before it is needed."""
        self._messages = messages
        self._plain: dict[int, Block] = {}
        self._blocks: dict[int, list[Block]] = {}

    @abstractmethod
    def blocks(self, message: Block) -> list[Block]:
        """Give the blocks of a message in the order and number in which the engine reads them."""

    @abstractmethod
    def id_of(self, block: Block) -> object:
        """Give the id that pairs the block with another, if it has one."""

    @abstractmethod
    def compose(self, role: str, source: int | None, pieces: Sequence[Piece]) -> Block:
        """Put a message together."""

    @abstractmethod
    def name_of(self, call: Block) -> object:
        """Give the name of the tool that a call calls."""

    @abstractmethod
    def output_of(self, result: Block) -> tuple[list[str], list[Block]]:
        """Give the texts of a result, and what else of it a user's message may hold."""

    def is_error(self, result: Block) -> bool:
        """Tell whether a result says, beside its texts, that the call failed."""
        return False

    def told(self, piece: Piece) -> tuple[str, list[Block]]:
        """Give a result as what the user says of it: a text that names the tool and its call, and the rest."""
        _, index, number, _, _, call = piece
        result = self.block(index, number)
        texts, rest = self.output_of(result)
        name = self.name_of(self.block(*call)) if call is not None else None
        call_id = self.result_id(piece)
        named = name if isinstance(name, str) and name else "a tool"
        if isinstance(call_id, str) and call_id not in ("", name):
            named += f" (call {call_id})"
        mark = ERROR_MARK if self.is_error(result) else ""
        return LATER.format(call=named) + mark + "\n".join(texts), rest

    def message(self, index: int) -> Block:
        """Give a message as a plain dict. It may be the caller's own."""
        found = self._plain.get(index)
        if found is None:
            found = self._plain[index] = plain(self._messages[index], index)
        return found

    def block(self, index: int, number: int) -> Block:
        """Give a block. It may be the caller's own."""
        return self.blocks_of(index)[number]

    def blocks_of(self, index: int) -> list[Block]:
        """Give the blocks of the message at `index`."""
        found = self._blocks.get(index)
        if found is None:
            found = self._blocks[index] = self.blocks(self.message(index))
        return found

    def pair_id(self, index: int, number: int) -> object:
        """Give the id (or name) that pairs a block."""
        return self.id_of(self.block(index, number))

    def final_id(self, index: int, number: int, made: int) -> object:
        """Give the id that a call ends up with: its own, or the one that is made from its place.

        The engine has seen to it that no other call of the list has that one: it makes the same text
        (`made_id` in `rules/recipe.rs`), so that no message must be read for it here.
        """
        if not made:
            return self.pair_id(index, number)
        return f"call_{index}_{number}" if made == 1 else f"call_{index}_{number}_{made}"

    def result_id(self, piece: Piece) -> object:
        """Give the id that a result ends up with: that of its call where it follows one."""
        _, index, number, made, edits, call = piece
        if call is None or not (made or edits & Edits.TAKE_ID):
            return self.pair_id(index, number)
        return self.final_id(call[0], call[1], made)

    def new_id(self, piece: Piece) -> object:
        """Give the id that a call or result ends up with."""
        _, index, number, made, _, call = piece
        return self.result_id(piece) if call is not None else self.final_id(index, number, made)


def as_block(value: object, text_type: str | None = "text") -> Block:
    """Give a content item as a plain block; a bare text becomes a text block of that type."""
    if value is None or isinstance(value, str | int | float):
        text = text_of(value)
        return {"text": text} if text_type is None else {"type": text_type, "text": text}
    return plain(value)


def name_in(call: Mapping[str, Any]) -> str:
    """Give the name of what is called. Every format requires one: where it was lost, a word says so."""
    name = call.get("name")
    return name if isinstance(name, str) and name else UNKNOWN_NAME


def renames(piece: Piece) -> bool:
    """Tell whether a block gets another id."""
    return bool(piece[3] or piece[4] & Edits.TAKE_ID)


def object_of(arguments: object) -> Block:
    """Give a call's arguments as an object, with nothing of them lost."""
    if isinstance(arguments, str) or arguments is None:
        return arguments_object(arguments or "")
    return plain(arguments) if isinstance(arguments, Mapping) else {"value": arguments}


def text_of(value: object) -> str:
    """Give any value as a text: itself, or its JSON. Nothing is the empty text."""
    return value if isinstance(value, str) else "" if value is None else json_text(value, 0)


def text_item(item: object) -> str | None:
    """Give the text of a content item; `None` where it is something else."""
    if item is None or isinstance(item, str | int | float):
        return text_of(item)
    text = as_block(item).get("text")
    return text if isinstance(text, str) else None


def parted(content: object, kept: Callable[[Block], Block | None]) -> tuple[list[str], list[Block]]:
    """Give the texts of a result's content, and the items that `kept` gives back; what is neither is told as JSON."""
    texts: list[str] = []
    rest: list[Block] = []
    for item in spread(content):
        text = text_item(item)
        other = None if text is not None else kept(as_block(item))
        if other is None:
            texts.append(text if text is not None else spoken(as_block(item)))
        else:
            rest.append(other)
    return texts, rest


def spoken(value: object) -> str:
    """Give any value as a text; what JSON cannot say is told as Python does, since a repair raises for no content."""
    try:
        return text_of(value)
    except ConversionError:
        return str(value)
