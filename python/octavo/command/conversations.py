"""Reads files of conversations: JSON Lines, one conversation a line, one line in memory at a time."""

from __future__ import annotations

import errno
import json
import math
import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, NoReturn, TextIO, cast

from octavo.errors import ConversationError
from octavo.messages import FORMATS, Format

__all__ = ["Conversation", "InputError", "Lines", "parse_conversation", "parse_json"]

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class InputError(OSError):
    """The file of conversations cannot be opened or read: what goes wrong with the output is no fault of it.

    Attributes:
        file: its name, as it was given.
    """

    def __init__(self, file: str, error: OSError) -> None:
        """Say of a file what went wrong."""
        super().__init__(*error.args)
        self.file = file


@dataclass(frozen=True, slots=True)
class Conversation:
    """One line of a file of conversations.

    Attributes:
        id: its name: a text or a number; `None` where the line has none.
        format: the format of the messages; `None` leaves it to be told from them.
        system: the system parameter, for formats that take one apart from the messages.
        tools: the tool definitions, as they stand in the line.
        messages: the messages, not looked into yet.
        line: the number of its line in the file, from 1.
    """

    id: str | int | float | None
    format: Format | None
    system: Any
    tools: list[Any] | None
    messages: list[Any]
    line: int

    @property
    def title(self) -> str:
        """What people know it by: its id or, where it has none, its line."""
        return f"line {self.line}" if self.id is None else str(self.id)

    @property
    def stated_tools(self) -> list[Any] | None:
        """The tools where there are any: many logs record none, so an empty list does not say that there were none."""
        return self.tools or None


class Lines:
    """The lines of a file, or of standard input where the file is `-`, with their numbers.

    Bytes, because a line that is no UTF-8 must not end the reading of those after it.

    Attributes:
        name: what to call the file in messages.
        size: its length in bytes where that is known.
        read: how many bytes have been read.
    """

    def __init__(self, file: str) -> None:
        """Open the file.

        Raises:
            InputError: it cannot be opened.
        """
        self.name = "<stdin>" if file == "-" else file
        try:
            # A file that is not read to the end is closed by `close`.
            self._stream: IO[bytes] = _standard_input() if file == "-" else Path(file).open("rb")  # noqa: SIM115
        except OSError as error:
            raise InputError(file, error) from error
        self._file = file
        self._own = file != "-"
        self.size = _size(self._stream)
        self.read = 0

    def whole(self) -> Iterator[tuple[int, bytes]]:
        """Number every line from 1, with all that is in it and its end.

        Raises:
            InputError: it cannot be read.
        """
        for number, line in enumerate(self._each(), start=1):
            self.read += len(line)
            yield number, line

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """Number every line from 1, and leave out blank ones."""
        for number, line in self.whole():
            stripped = (line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line).strip()
            if stripped:
                yield number, stripped

    def _each(self) -> Iterator[bytes]:
        while True:
            try:
                line = self._stream.readline()
            except OSError as error:
                raise InputError(self._file, error) from error
            if not line:
                return
            yield line

    def close(self) -> None:
        """Close the file; standard input stays open, since others may read on."""
        if self._own:
            self._stream.close()


def _standard_input() -> IO[bytes]:
    if (stream := cast("TextIO | None", sys.stdin)) is None:
        raise OSError(errno.EBADF, "it is closed")
    return stream.buffer


def _size(stream: IO[bytes]) -> int | None:
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):  # a stream without a file, as in a notebook
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def parse_conversation(line: bytes, number: int, *, wanted: str | None = None) -> Conversation | None:
    """Read one line.

    Args:
        line: the bytes of the line.
        number: its number in the file, from 1.
        wanted: the id that is asked for; a conversation with another one is not looked at.

    Returns:
        The conversation, or `None` where its id is not the wanted one.

    Raises:
        ConversationError: the line holds no conversation.
    """
    value = parse_json(line)
    if not isinstance(value, dict):
        raise ConversationError(f"expected a JSON object with messages, got {_kind(value)}")
    name = value.get("id")
    if wanted is not None and str(name) != wanted:
        return None
    if isinstance(name, float) and not math.isfinite(name):
        raise ConversationError("id is a number that JSON has no word for: it is out of range")
    if isinstance(name, (bool, dict, list)):
        raise ConversationError(f"id must be a text or a number, got {_kind(name)}")
    return Conversation(name, _format(value), value.get("system"), _list(value, "tools"), _messages(value), number)


def parse_json(line: bytes, **hooks: Any) -> Any:
    """Read one line of JSON Lines; `hooks` are those of `json.loads`.

    Raises:
        ConversationError: it is none; it says where.
    """
    try:
        return json.loads(line.decode("utf-8"), parse_constant=_refuse, **hooks)
    except UnicodeDecodeError as error:
        raise ConversationError(f"not UTF-8 at byte {error.start} of the line") from error
    except json.JSONDecodeError as error:
        raise ConversationError(f"not JSON: {error.msg} at column {error.colno}") from error
    except RecursionError as error:
        raise ConversationError("nested too deeply to be read") from error
    except ValueError as error:  # a number with more digits than Python reads
        raise ConversationError(f"not readable: {error}") from error


def _refuse(constant: str) -> NoReturn:
    raise ConversationError(f"not JSON: {constant} is no JSON number")


def _format(value: dict[str, Any]) -> Format | None:
    name = value.get("format")
    known: Format | None = next((one for one in FORMATS if name == one), None)
    if known is None and name is not None:
        raise ConversationError(f"unknown format {name!r}: expected one of {', '.join(FORMATS)}")
    return known


def _messages(value: dict[str, Any]) -> list[Any]:
    if "messages" not in value:
        raise ConversationError("the object has no messages")
    messages = _list(value, "messages")
    if messages is None:
        raise ConversationError("messages must be a list, got null")
    return messages


def _list(value: dict[str, Any], name: str) -> list[Any] | None:
    member = value.get(name)
    if member is not None and not isinstance(member, list):
        raise ConversationError(f"{name} must be a list, got {_kind(member)}")
    return member


def _kind(value: object) -> str:
    """A JSON value's kind, in JSON's own words."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    kinds = ((str, "a text"), (list, "a list"), (dict, "an object"))
    return next((words for kind, words in kinds if isinstance(value, kind)), "a number")
