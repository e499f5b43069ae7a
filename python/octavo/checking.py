"""Refuses arguments that are no such thing, where they are given: by name, and with the value."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from reprlib import Repr
from typing import Any, Final

from octavo.errors import ArgumentError, MessageError

__all__ = ["check_blocks", "check_flag", "check_name", "check_position", "check_text", "position_in", "refuse"]

# What stands for nothing that a client sends, alone or in a list. `bool` is an `int`.
_NO_DATA: Final = (str, bytes, bytearray, int, float, type(None))

_SHORT: Final = Repr()
_SHORT.maxother = _SHORT.maxstring = 60
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = _SHORT.maxlevel = 2


def refuse(name: str, takes: str, value: object) -> ArgumentError:
    """The error for a parameter that takes something else; long values are shown shortened."""
    kind = "" if value is None else f" ({type(value).__name__})"
    return ArgumentError(f"{name} must be {takes}, got {_SHORT.repr(value)}{kind}", name=name, got=value)


def check_text(name: str, value: object, *, optional: bool = True) -> None:
    """Refuse what is no text; `None` stands for none where the parameter is optional.

    Raises:
        ArgumentError: it is something else.
    """
    if not isinstance(value, str) and not (value is None and optional):
        raise refuse(name, "a text", value)


def check_name(name: str, value: object) -> None:
    """Refuse what is no text, or one with half a character in it: a name is looked up, never read by a model.

    Raises:
        ArgumentError: it is something else.
    """
    check_text(name, value)
    if isinstance(value, str) and not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise refuse(name, "a text without lone surrogates", value)


def check_flag(name: str, value: object, *, optional: bool = True) -> None:
    """Refuse what is neither true nor false; `None` leaves it open where the parameter is optional.

    Raises:
        ArgumentError: it is something else.
    """
    if not isinstance(value, bool) and not (value is None and optional):
        raise refuse(name, "True or False", value)


def check_position(name: str, value: object) -> None:
    """Refuse what is no whole number.

    Raises:
        ArgumentError: it is something else.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise refuse(name, "a whole number", value)


def check_blocks(name: str, value: Any, *, texts: bool) -> None:
    """Refuse what cannot be tool definitions or a system prompt, whichever provider's.

    They are lists of mappings or objects, or one of those: Bedrock's `toolConfig`, an SDK's object. What is inside
    is the provider's to judge.

    Args:
        name: the parameter.
        value: the argument; `None` is none. A list that can be read more than once: nothing is used up.
        texts: whether a text will do for one, as it does for a system prompt.

    Raises:
        ArgumentError: it is something else, or something in the list is.
    """
    if value is None or (texts and isinstance(value, str)):
        return
    takes = "a text or a list of text blocks" if texts else "a list of tool definitions"
    if isinstance(value, _NO_DATA) or not (isinstance(value, Iterable) or _has_members(value)):
        raise refuse(name, takes, value)
    if isinstance(value, Mapping) or not isinstance(value, Iterable) or hasattr(value, "model_dump"):
        # A table of names and functions is none; one of a provider's own tools says something of them.
        if not texts and isinstance(value, Mapping) and value and all(map(_says_nothing, value.values())):
            raise refuse(name, takes, value)
        return
    one = "a text block" if texts else "a tool definition"
    for at, item in enumerate(value):
        if isinstance(item, _NO_DATA) and not (texts and isinstance(item, str)):
            raise refuse(f"{name}[{at}]", one, item)


def _says_nothing(value: object) -> bool:
    return not isinstance(value, str | Mapping | Iterable)


def _has_members(value: object) -> bool:
    return hasattr(value, "__dict__") or dataclasses.is_dataclass(value)


def position_in(there: int, index: int) -> int:
    """The position of a message, of which there are so many; negative ones count from the end.

    Raises:
        ArgumentError: `index` is no whole number.
        MessageError: there is no such message.
    """
    check_position("index", index)
    position = index + there if index < 0 else index
    if not 0 <= position < there:
        raise MessageError(f"no message {index}: there are {there}", index=index)
    return position
