"""One line of JSON read and written again, with everything in it as it was written: numbers, repeated keys, its end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Self

from octavo.command.conversations import parse_json
from octavo.command.terminal import json_line
from octavo.errors import ConversationError

__all__ = ["JsonLine"]

_WHOLE: Final = 30
"""Digits of the longest integer that is read as one. Longer ones are nobody's, and take Python quadratic time."""


class JsonLine:
    """A line with its value, which may be written again with other texts in it."""

    def __init__(self, line: bytes) -> None:
        """Read a line; a mark of UTF-8 before it and blanks around it are none of the value.

        Raises:
            ConversationError: it is no JSON.
        """
        self._end: Final = line[len(line.rstrip(b"\r\n")) :].decode()
        self.value: Final = parse_json(
            line.removeprefix(b"\xef\xbb\xbf").strip(),
            object_pairs_hook=_members,
            parse_float=_Number,
            parse_int=_number,
        )

    def written(self, value: Any) -> str:
        """The line with another value in it.

        Raises:
            ConversationError: it is nested at the limit of what Python can read.
        """
        try:
            return "".join(_written(value)) + self._end
        except RecursionError as error:
            raise ConversationError(f"cannot be written as JSON: {error}") from error


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    return value if len(value) == len(pairs) else {_Key(key): member for key, member in pairs}


class _Key(str):
    """A key that is equal to itself alone, so that an object can hold it twice."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__


class _Number(float):
    """A number that remembers how it was written: `1.10`, `1e400`."""

    __slots__ = ("written",)

    written: str

    def __new__(cls, written: str) -> Self:
        number = super().__new__(cls, written)
        number.written = written
        return number


def _number(written: str) -> int | _Number:
    return int(written) if len(written) <= _WHOLE and written != "-0" else _Number(written)


def _written(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield "{"
        for at, (key, member) in enumerate(value.items()):
            yield f"{', ' if at else ''}{json_line(str.__str__(key))}: "
            yield from _written(member)
        yield "}"
    elif isinstance(value, list):
        yield "["
        for at, item in enumerate(value):
            yield ", " if at else ""
            yield from _written(item)
        yield "]"
    else:
        yield value.written if isinstance(value, _Number) else json_line(value)
