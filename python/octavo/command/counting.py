"""`octavo count`: the tokens of every conversation."""

from __future__ import annotations

from octavo.command.conversations import Conversation
from octavo.command.running import each_conversation
from octavo.command.terminal import Terminal, json_line
from octavo.tokens import counter_for

__all__ = ["run"]


def run(file: str, *, model: str | None, json: bool) -> int:
    """Count every conversation of a file as `model` would, or as the documented fallback does."""
    count = _Count(model, json=json)
    return each_conversation(file, count.conversation, model=model, last=count.sum_up)


class _Count:
    def __init__(self, model: str | None, *, json: bool) -> None:
        self.counter = counter_for(model)
        self.json = json
        # For people only: three short texts a conversation, shown under one another when all are known.
        self.rows: list[tuple[str, str, str]] = []
        self.total = 0

    def conversation(self, conversation: Conversation, terminal: Terminal) -> None:
        count = self.counter.count_messages(
            conversation.messages,
            tools=conversation.stated_tools,
            system=conversation.system,
            format=conversation.format,
        )
        if self.json:
            terminal.line(json_line({"id": conversation.id, "tokens": count.tokens, "method": count.method}))
            return
        self.total += count.tokens
        self.rows.append((conversation.title, f"{count.tokens:,}", count.method))

    def sum_up(self, terminal: Terminal) -> None:
        if not self.rows:
            return
        total = [("total", f"{self.total:,}", "")] if len(self.rows) > 1 else []
        terminal.table(("id", "tokens", "method"), [*self.rows, *total], right=frozenset({"tokens"}))
