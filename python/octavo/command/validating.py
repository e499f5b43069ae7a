"""`octavo validate`: every rule of the provider that the messages break."""

from __future__ import annotations

from octavo.command.conversations import Conversation
from octavo.command.running import FOUND, each_conversation
from octavo.command.terminal import Terminal, counted, json_line
from octavo.validity import validate

__all__ = ["run"]


def run(file: str, *, provider: str | None, json: bool) -> int:
    """Judge every conversation of a file; `FOUND` where rules are broken."""
    judge = _Judge(provider, json=json)
    status = each_conversation(file, judge.conversation, last=judge.sum_up)
    return status or (FOUND if judge.violations else 0)


class _Judge:
    def __init__(self, provider: str | None, *, json: bool) -> None:
        self.provider = provider
        self.json = json
        self.conversations = 0
        self.violations = 0

    def conversation(self, conversation: Conversation, terminal: Terminal) -> None:
        violations = validate(
            conversation.messages,
            self.provider,
            format=conversation.format,
            tools=conversation.stated_tools,
            system=conversation.system,
        )
        self.conversations += 1
        self.violations += len(violations)
        if self.json:
            for one in violations:
                terminal.line(
                    json_line({"id": conversation.id, "index": one.index, "rule": one.rule, "message": one.message})
                )
        elif violations:
            terminal.heading(f"{conversation.title}, {counted(len(violations), 'violation')}")
            rows = [(str(one.index), one.rule, one.message) for one in violations]
            terminal.table(("message", "rule", "what is wrong"), rows, right=frozenset({"message"}))

    def sum_up(self, terminal: Terminal) -> None:
        if not self.json:
            terminal.heading(f"{counted(self.conversations, 'conversation')}, {counted(self.violations, 'violation')}")
