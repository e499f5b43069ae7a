"""`octavo assemble`: the context of the call before a message, for every conversation."""

from __future__ import annotations

from functools import partial

from octavo.assemble import assemble
from octavo.command.conversations import Conversation
from octavo.command.running import each_conversation
from octavo.command.terminal import Terminal, counted, json_line
from octavo.context import Context
from octavo.errors import ConversationError

__all__ = ["run"]


def run(file: str, *, budget: int, model: str | None, at: int | None, id: str | None, json: bool) -> int:
    """Assemble every conversation of a file, or the one called `id`, as it stood just before message `at`."""
    work = partial(_show, budget=budget, model=model, at=at, json=json)
    return each_conversation(file, work, model=model, wanted=id)


def _show(
    conversation: Conversation, terminal: Terminal, *, budget: int, model: str | None, at: int | None, json: bool
) -> None:
    context = assemble(
        _before(conversation, at),
        budget=budget,
        model=model,
        system=conversation.system,
        tools=conversation.stated_tools,
        format=conversation.format,
    )
    if json:
        terminal.line(_line(conversation, context))
        return
    terminal.heading(f"{conversation.title}, {counted(len(context.messages), 'message')}")
    terminal.report(context.report)


def _before(conversation: Conversation, at: int | None) -> list[object]:
    messages = conversation.messages
    if at is not None and at > len(messages):
        raise ConversationError(f"--at {at} is past the end: the conversation has {len(messages)} messages")
    return messages[:at]


def _line(conversation: Conversation, context: Context) -> str:
    shown = {
        "id": conversation.id,
        "system": context.system,
        "messages": context.messages,
        "tools": conversation.tools if context.tools is None else context.tools,
        "report": context.report.to_dict(),
    }
    return json_line(shown)
