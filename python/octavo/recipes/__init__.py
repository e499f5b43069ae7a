"""Carrying out what the engine decided: recipes of numbers become a list of messages.

A recipe is the number of a message that is kept, which is then the caller's own object, or
`(role, source, pieces, add_reasoning)` for a message that is put together anew. The input is never
changed: what is edited is copied first, blocks that are not edited are shared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from octavo.errors import ConversionError
from octavo.recipes.chat import Chat
from octavo.recipes.items import Items
from octavo.recipes.packed import Anthropic, Bedrock, Gemini
from octavo.recipes.shape import CONTINUE, DUMMY_SIGNATURE, NO_RESULT, START, Block, Composed, Recipe, Shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from octavo.messages import Format

__all__ = ["CONTINUE", "DUMMY_SIGNATURE", "NO_RESULT", "START", "Recipe", "carry_out", "shape_of"]

_SHAPES: Final[dict[Format, type[Shape]]] = {
    "anthropic": Anthropic,
    "openai": Chat,
    "openai-responses": Items,
    "gemini": Gemini,
    "bedrock": Bedrock,
}


def carry_out(messages: Sequence[object], recipes: Sequence[Recipe], format: Format) -> list[object]:
    """Make the list that the recipes describe.

    Args:
        messages: the list that the recipes were made for. Never changed.
        recipes: what `repair_messages` of the engine (or a plan) answered.
        format: the shape that the messages are written in.

    Returns:
        A new list: kept messages are the very same objects, composed ones are plain dicts.
    """
    shape = shape_of(messages, format)
    return [messages[recipe] if isinstance(recipe, int) else _composed(shape, recipe) for recipe in recipes]


def _composed(shape: Shape, recipe: Composed) -> Block:
    role, source, pieces, add_reasoning = recipe
    try:
        message = shape.compose(role, source, pieces)
    except ConversionError as error:
        # What cannot be written stands in a block: only here is it known of which message.
        at = next((piece[1] for piece in pieces if len(piece) > 1), source)
        raise ConversionError(f"message {at}: {str(error).partition(': ')[2]}", index=at) from error
    # Kimi refuses an empty text and takes a space (charmbracelet/crush #2696, 2026-05).
    return {**message, "reasoning_content": " "} if add_reasoning else message


def shape_of(messages: Sequence[object], format: Format) -> Shape:
    """Give what finds the blocks of these messages; each message is read once however often it is asked for."""
    return _SHAPES[format](messages)
