"""`octavo mask`: personal data and secrets out of a file, on the way to standard output."""

from __future__ import annotations

import codecs
import io
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Final

from octavo.command.conversations import Lines
from octavo.command.json_lines import JsonLine
from octavo.command.running import BROKEN
from octavo.command.terminal import Progress, Terminal
from octavo.errors import ConversationError, OctavoError
from octavo.privacy import Masker

__all__ = ["run"]

_WIDE: Final = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How files begin in which every character takes two or four bytes: no line of them could be read."""

_FEW: Final = 8
"""Bytes of a line that is too short to tell: fewer characters than anybody's number has."""


_MANY: Final = 65_536
"""Characters of a file that are masked at once."""


def run(file: str, *, kinds: Sequence[str] | None, strict: bool, json: bool) -> int:
    """Mask a text, or with `json` every value of a file of JSON Lines."""
    found: Counter[str] = Counter()
    masker = Masker(kinds=kinds, strict=strict).counting(lambda kind, times: found.update({kind: times}))
    lines = Lines(file)
    progress = Progress(lines)
    terminal = Terminal(progress)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Ends of lines are the file's.
        sys.stdout.reconfigure(newline="")
    work = _Json(masker, terminal) if json else _Text(masker, terminal, at_once=_MANY if lines.size else 0)
    try:
        for number, line in lines.whole():
            progress.step()
            if _is_wide(line) or (number == 1 and line.startswith(_WIDE)):
                terminal.complain(lines.name, "not UTF-8 but UTF-16 or UTF-32: convert it first")
                break
            try:
                work.line(line)
            except OctavoError as error:
                terminal.complain(f"{lines.name}:{number}", str(error))
        work.finish()
    finally:
        progress.clear()
        lines.close()
    _sum_up(found, terminal)
    return BROKEN if terminal.complaints else 0


class _Text:
    """Lines of text as one stream: a private key takes many of them.

    Lines of a file are masked many at once: each step of a stream costs as much as hundreds of characters. Those that
    somebody is still writing are given out one by one.
    """

    def __init__(self, masker: Masker, terminal: Terminal, *, at_once: int) -> None:
        self._stream = masker.stream()
        self._terminal = terminal
        self._at_once = at_once
        self._lines: list[str] = []
        self._characters = 0

    def line(self, line: bytes) -> None:
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ConversationError(f"not UTF-8 at byte {error.start} of the line: it is left out") from error
        self._lines.append(text)
        self._characters += len(text)
        if self._characters >= self._at_once:
            self._mask()

    def _mask(self) -> None:
        lines = "".join(self._lines)
        self._lines.clear()
        self._characters = 0
        self._terminal.text(self._stream.push(lines))

    def finish(self) -> None:
        self._mask()
        self._terminal.text(self._stream.finish())


class _Json:
    """One JSON value a line. A line in which nothing is found comes out as it went in, byte for byte."""

    def __init__(self, masker: Masker, terminal: Terminal) -> None:
        self._masker = masker
        self._terminal = terminal

    def line(self, line: bytes) -> None:
        if not line.strip():
            self._terminal.text(line.decode("utf-8", "replace"))
            return
        read = JsonLine(line)
        masked = self._masker.mask_json(read.value)
        self._terminal.text(line.decode("utf-8") if masked is read.value else read.written(masked))

    def finish(self) -> None:
        """Nothing is held back."""


def _is_wide(line: bytes) -> bool:
    """Whether a line seems to be UTF-16 or UTF-32 without a mark: NUL in every other place, and not everywhere.

    It would be valid UTF-8 all the same, in which no number is found.
    """
    if b"\0" not in line:
        return False
    least, most = sorted(part.count(0) / max(1, len(part)) for part in (line[::2], line[1::2]))
    return len(line) >= _FEW and most >= 0.5 and least < 0.75


def _sum_up(found: Counter[str], terminal: Terminal) -> None:
    """Say what was masked, where somebody can see it: standard output holds the file and nothing else."""
    if not sys.stderr.isatty():
        return
    rows = [(kind, f"{number:,}") for kind, number in sorted(found.items(), key=lambda one: (-one[1], one[0]))]
    terminal.summary(("kind", "masked"), [*rows, ("total", f"{found.total():,}")], right=frozenset({"masked"}))
