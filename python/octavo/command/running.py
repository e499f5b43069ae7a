"""What every command does: take a file's conversations one by one, and go on where one is broken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from octavo.command.conversations import Conversation, Lines, parse_conversation
from octavo.command.terminal import Progress, Terminal
from octavo.errors import OctavoError
from octavo.tokens import counter_for

__all__ = ["BROKEN", "FOUND", "Work", "each_conversation"]

FOUND: Final = 1
"""Exit status of `validate` where messages break rules."""

BROKEN: Final = 2
"""Exit status where something could not be read or was asked for wrongly; stronger than `FOUND`."""

_FAMILIES: Final = frozenset({"claude", "gemini", "gpt"})
"""Rows of the model table that stand for names to come. Of a name that none but these fits, only the maker is known."""

Work: TypeAlias = Callable[[Conversation, Terminal], None]
"""What a command does with one conversation."""


def each_conversation(
    file: str,
    work: Work,
    *,
    model: str | None = None,
    wanted: str | None = None,
    last: Callable[[Terminal], None] | None = None,
) -> int:
    """Do `work` with every conversation of a file.

    Args:
        file: its name; `-` is standard input.
        work: called once a conversation. What it raises about one is told with its line, and the next one follows.
        model: whose tokens `work` counts. A name that the model table does not know is told: it may be misspelt.
        wanted: the id of the only conversation that is asked for.
        last: called when all conversations are through.

    Returns:
        0, or `BROKEN` where a line could not be read or worked on.

    Raises:
        OSError: the file cannot be opened or read.
    """
    lines = Lines(file)
    progress = Progress(lines)
    terminal = Terminal(progress)
    if model is not None:
        _tell_unknown(model, terminal)
    try:
        met = sum(_one(lines.name, number, line, work, terminal, progress, wanted) for number, line in lines)
    finally:
        progress.clear()
        lines.close()
    if wanted is not None and not met:
        terminal.complain(lines.name, f"no conversation has the id {wanted!r}")
    if last is not None:
        last(terminal)
    return BROKEN if terminal.complaints else 0


def _tell_unknown(model: str, terminal: Terminal) -> None:
    """Say that a name is not in the model table, as a misspelt one is not, and what it is counted as instead."""
    counter = counter_for(model)
    family = counter.core.profile.prefix
    if not counter.known:
        terminal.hint(f"unknown model {model!r}, counted as {counter.model.encoding} counts ({counter.method})")
    elif family in _FAMILIES:
        terminal.hint(f"unknown model {model!r}, counted as any other {family} ({counter.method})")


def _one(
    name: str, number: int, line: bytes, work: Work, terminal: Terminal, progress: Progress, wanted: str | None
) -> bool:
    """Work on one line; whether it held a conversation that was asked for."""
    progress.step()
    try:
        conversation = parse_conversation(line, number, wanted=wanted)
        if conversation is not None:
            work(conversation, terminal)
    except OctavoError as error:
        terminal.complain(f"{name}:{number}", str(error))
        return False
    return conversation is not None
