"""`octavo bench quality`: how much of what the next call needs is still there, on somebody's own conversations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from octavo.command.conversations import Conversation, Lines
from octavo.command.running import each_conversation
from octavo.command.terminal import Terminal, counted, json_line
from octavo.step_recall import Recall, Steps, interval

__all__ = ["ROOMS", "run"]

ROOMS: Final = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
"""Tokens for the history, beside the fixed parts, where none are asked for."""

_COLUMNS: Final = (
    "room", "calls complete", "95 % within", "without ledger", "values", "lines", "tokens a call", "over",
)  # fmt: skip


def run(file: Sequence[str], *, rooms: Sequence[int] | None, model: str | None, json: bool) -> int:
    """Replay every conversation of every file; what was found is told of all of them together."""
    for name in file:
        # Of many files one that is not there is told before the others are worked on for minutes.
        if name != "-":
            Lines(name).close()
    bench = _Bench(rooms or ROOMS, model, json=json)
    return max(
        each_conversation(
            name,
            bench.conversation,
            model=None if at else model,  # a name that is not known is told once
            last=bench.sum_up if at == len(file) - 1 else None,
        )
        for at, name in enumerate(file)
    )


class _Bench:
    def __init__(self, rooms: Sequence[int], model: str | None, *, json: bool) -> None:
        self.model = model
        self.json = json
        self.found = {room: (Recall(), Recall()) for room in rooms}
        self.conversations = 0

    def conversation(self, conversation: Conversation, terminal: Terminal) -> None:
        steps = Steps(
            conversation.messages,
            format=conversation.format,
            model=self.model,
            tools=conversation.stated_tools,
            system=conversation.system,
        )
        self.conversations += 1
        for room, (told, bare) in self.found.items():
            terminal.working(f"{conversation.title} at {room:,}")
            with_ledger, without = steps.recall(room), steps.recall(room, ledger=0)
            self.found[room] = told + with_ledger, bare + without
            if self.json:
                terminal.line(json_line(_line(conversation, room, steps.fixed + room, with_ledger, without)))

    def sum_up(self, terminal: Terminal) -> None:
        calls = next(iter(self.found.values()))[0].calls
        if not calls:
            terminal.hint("no tool call takes a value that was said before: there is nothing to look up")
        elif not self.json:
            terminal.heading(f"{counted(self.conversations, 'conversation')}, {counted(calls, 'call')} judged")
            rows = [_row(room, *found) for room, found in self.found.items()]
            terminal.table(_COLUMNS, rows, right=frozenset(_COLUMNS))


def _row(room: int, told: Recall, bare: Recall) -> tuple[str, ...]:
    low, high = interval(told.complete, told.calls)
    return (
        f"{room:,}",
        f"{told.complete / told.calls:.1%}",
        f"{low:.0%} to {high:.0%}",
        f"{bare.complete / bare.calls:.1%}",
        _share(told.present, told.values),
        _share(told.lines_present, told.lines),
        f"{told.tokens / told.contexts:,.0f}",
        f"{told.over:,}",
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "none"


def _line(conversation: Conversation, room: int, budget: int, told: Recall, bare: Recall) -> dict[str, object]:
    return {
        "id": conversation.id, "room": room, "budget": budget, "calls": told.calls, "complete": told.complete,
        "complete_without_ledger": bare.complete, "values": told.values, "values_present": told.present,
        "lines": told.lines, "lines_present": told.lines_present, "contexts": told.contexts, "tokens": told.tokens,
        "over": told.over,
    }  # fmt: skip
