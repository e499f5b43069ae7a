"""Blocks and calls in whatever stands for the list of them: one alone, lists in a list, a list as JSON text.

The engine reads and numbers them by the same walk, so that its numbers fit here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, TypeGuard

from octavo import _core

__all__ = ["calls_in", "is_list", "is_object", "spread"]

_NO_OBJECT: Final = (str, int, float, list, tuple, type(None))


def is_list(value: object) -> TypeGuard[Sequence[Any]]:
    """Tell whether the engine walks the value as a list."""
    return isinstance(value, list | tuple)


def is_object(value: object) -> bool:
    """Tell whether the engine reads the value as an object with members, which may be a block or a call."""
    return not isinstance(value, _NO_OBJECT)


def spread(value: object) -> list[Any]:
    """Give the items of a list and of the lists in it; what is no list is one item.

    The engine has read the value, so that it does not contain itself.
    """
    if not is_list(value):
        return [value]
    items: list[Any] = []
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop()
        if is_list(item):
            waiting.extend(reversed(item))
        else:
            items.append(item)
    return items


def calls_in(calls: object) -> list[Any]:
    """Give the objects in the member `tool_calls`, those that a text holds as JSON included. Nothing else calls."""
    return [call for one in spread(calls) for call in ([one] if is_object(one) else _written(one))]


def _written(value: object) -> list[Any]:
    held = json.loads(value) if isinstance(value, str) and _core.is_json(value) else None
    return [call for call in spread(held) if is_object(call)]
