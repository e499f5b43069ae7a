"""Where commands write: results on standard output, complaints and progress on standard error."""

from __future__ import annotations

import json
import math
import re
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from octavo.command.conversations import Lines
from octavo.errors import ConversationError
from octavo.report import Report, printable

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Progress", "Terminal", "counted", "json_line"]

LONG_FILE: Final = 1_000_000
"""Bytes above which progress is shown: less is read before one looks up."""

_WIDTH: Final = 30
_EVERY: Final = 0.1
"""Seconds between two drawings of the bar."""

_WIDE: Final = 200
"""Columns of a table that goes into a file or a pipe, where nothing has to wrap."""

_ESCAPED: Final = re.compile("[\ud800-\udfff\x85\u2028\u2029]")
"""What UTF-8 cannot hold, and what some readers take for the end of a line."""


def json_line(value: object) -> str:
    """Write a value as one line of JSON in UTF-8: lone surrogates and foreign line ends as escapes, all else as it is.

    Raises:
        ConversationError: there is something in it that JSON has no word for.
    """
    try:
        written = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
    except (ValueError, RecursionError) as error:
        # A number such as 1e999, which Python reads as infinite; or nesting at the limit of what is read.
        raise ConversationError(f"cannot be written as JSON: {error}") from error
    # These can only stand inside a string, where their escapes mean the same.
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def counted(number: int, noun: str) -> str:
    """A number and what it counts: `1 message`, `2 messages`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


class Progress:
    """A bar on standard error, for long files and only where somebody can see it."""

    def __init__(self, lines: Lines) -> None:
        """Watch how far `lines` have been read."""
        self._lines = lines
        long = lines.size is None or lines.size > LONG_FILE
        self._shown = long and sys.stderr.isatty()
        self._next = -math.inf
        self._drawn = 0
        self._doing = ""

    def step(self, doing: str = "") -> None:
        """Draw the bar, unless it was drawn just now.

        Args:
            doing: what takes long of the line that was read last.
        """
        self._doing = doing
        if not self._shown or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _EVERY
        text = self._text()
        sys.stderr.write(f"\r{text:<{self._drawn}}")
        sys.stderr.flush()
        self._drawn = len(text)

    def clear(self) -> None:
        """Take the bar away, before anything else is written."""
        if self._drawn:
            sys.stderr.write(f"\r{'':<{self._drawn}}\r")
            sys.stderr.flush()
            self._drawn = 0

    def _text(self) -> str:
        return f"{self._place()}, {self._doing}" if self._doing else self._place()

    def _place(self) -> str:
        megabytes = f"{self._lines.read / 1e6:,.1f} MB"
        if not self._lines.size:
            return f"{self._lines.name}: {megabytes}"
        share = min(1.0, self._lines.read / self._lines.size)
        bar = "#" * round(share * _WIDTH)
        return f"{self._lines.name}: [{bar:<{_WIDTH}}] {share:4.0%} of {self._lines.size / 1e6:,.1f} MB"


class Terminal:
    """Writes results and complaints without one tearing the other, and counts the complaints.

    Attributes:
        complaints: how many there were.
    """

    def __init__(self, progress: Progress) -> None:
        """Write around the bar of `progress`."""
        self._progress = progress
        self._console = _console()
        self.complaints = 0

    def complain(self, where: str, what: str) -> None:
        """Say on standard error what is wrong, and where."""
        self._progress.clear()
        self.complaints += 1
        print(f"{printable(where)}: {printable(what)}", file=sys.stderr)

    def working(self, doing: str) -> None:
        """Say on the bar, where there is one, what takes long."""
        self._progress.step(doing)

    def hint(self, text: str) -> None:
        """Say on standard error what somebody may want to know; nothing is wrong."""
        self._progress.clear()
        print(f"octavo: {printable(text)}", file=sys.stderr)

    def line(self, text: str) -> None:
        """Write one line, just as it is."""
        self._progress.clear()
        print(text)

    def text(self, text: str) -> None:
        """Write a piece of text, just as it is."""
        if text:
            self._progress.clear()
            sys.stdout.write(text)

    def summary(self, names: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[str] = frozenset()) -> None:
        """Write a table on standard error, beside an output that is somebody's file."""
        self._progress.clear()
        cells = [[printable(cell) for cell in row] for row in rows]
        console = _console(stderr=True)
        if console is None:
            print(plain_table(names, cells, right), file=sys.stderr)
        else:
            console.print(_rich_table(names, cells, right))

    def heading(self, text: str) -> None:
        """Write a line that stands above something."""
        self._progress.clear()
        if self._console is None:
            print(printable(text))
        else:
            self._console.print(printable(text), style="bold", soft_wrap=True)

    def report(self, report: Report) -> None:
        """Write a report as a table: in colour where `rich` is installed."""
        self._progress.clear()
        if self._console is None:
            print(report)
        else:
            self._console.print(report)

    def table(self, names: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[str] = frozenset()) -> None:
        """Write rows under their names; the columns named in `right` are numbers."""
        self._progress.clear()
        cells = [[printable(cell) for cell in row] for row in rows]
        if self._console is None:
            print(plain_table(names, cells, right))
        else:
            self._console.print(_rich_table(names, cells, right))


def plain_table(names: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[str]) -> str:
    """Rows under their names, in columns parted by two spaces."""
    widths = [max(len(row[column]) for row in (names, *rows)) for column in range(len(names))]
    return "\n".join(_aligned(names, row, widths, right) for row in (names, *rows))


def _aligned(names: Sequence[str], row: Sequence[str], widths: Sequence[int], right: frozenset[str]) -> str:
    cells = zip(names, row, widths, strict=True)
    return "  ".join(
        f"{cell:>{width}}" if name in right else f"{cell:<{width}}" for name, cell, width in cells
    ).rstrip()


def _console(*, stderr: bool = False) -> Console | None:
    """Rich's console; `None` where rich is not installed."""
    try:
        from rich.console import Console
    except ImportError:
        return None
    # Data is no markup: brackets and colons in it mean nothing.
    width = None if (sys.stderr if stderr else sys.stdout).isatty() else _WIDE
    return Console(markup=False, emoji=False, highlight=False, width=width, stderr=stderr)


def _rich_table(names: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[str]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for name in names:
        table.add_column(name, justify="right" if name in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table
