"""One call from a list of messages to a context, without any state."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from octavo.budget import Budget, Section
from octavo.context import Context
from octavo.messages import Format, Provider
from octavo.tokens import Counter, TokenCounter
from octavo.transcript import Transcript

__all__ = ["assemble", "assemble_async"]


def assemble(
    messages: Iterable[Any],
    *,
    budget: int | Budget,
    model: str | None = None,
    system: Any = None,
    tools: Any = None,
    query: str | None = None,
    provider: Provider | None = None,
    format: Format | None = None,
    counter: Counter | TokenCounter | None = None,
    now: datetime | None = None,
    sections: Iterable[Section] = (),
    thinking: bool | None = None,
    previous_response_id: str | None = None,
    strict: bool = False,
) -> Context:
    """Decide what goes into the model call that is made after `messages`.

    The list is folded as if every earlier call had been assembled as well, so that consecutive calls share
    their prefix: the result equals that of a :class:`Transcript` that was fed step by step.

    Args:
        messages: the whole conversation: dicts, Pydantic models or SDK objects, of one format. Never changed.
        budget: the most input tokens that may be sent (system, tools, framing and messages), or a `Budget`.
        model: the model's name; it decides the counter, the provider and, for plain texts, the format.
        system: the system parameter of clients that take one.
        tools: tool definitions, in the client's own form.
        query: what the call is about. Recall and the ledger rank by it; the window does not depend on it.
        provider: whose rules the context obeys; told from format and model when not given.
        format: the messages' format; told from them when not given.
        counter: a counter from `counter_for`, or anything with `count(text) -> int`.
        now: the time of the call. Nothing in a window depends on it; recall and expiry will.
        sections: texts beside the history.
        thinking: whether the call asks for thinking; rules about it hold only when it is said.
        previous_response_id: the stored response that a Responses request continues; `context.responses()` has it.
        strict: refuse a model that is not in the model table.

    Returns:
        A context that is valid for the provider. Where what must stay does not fit, `context.fits` is false
        and the report says by how much and because of what.

    Raises:
        ArgumentError: an argument is of a kind that its parameter does not take.
        MessageError: something in the list is no message; `index` says where.
        BudgetError: the budget is negative or not a whole number.
        FormatError: `format` or `provider` is not a known name.
        UnknownModelError: `strict`, and the model is not in the table.
    """
    limit = Budget.of(budget)
    transcript = Transcript(model, format=format, provider=provider, counter=counter, strict=strict)
    transcript.extend(messages)
    return transcript.assemble(
        budget=limit, system=system, tools=tools, query=query, sections=sections, now=now,
        thinking=thinking, previous_response_id=previous_response_id,
    )  # fmt: skip


async def assemble_async(
    messages: Iterable[Any],
    *,
    budget: int | Budget,
    model: str | None = None,
    system: Any = None,
    tools: Any = None,
    query: str | None = None,
    provider: Provider | None = None,
    format: Format | None = None,
    counter: Counter | TokenCounter | None = None,
    now: datetime | None = None,
    sections: Iterable[Section] = (),
    thinking: bool | None = None,
    previous_response_id: str | None = None,
    strict: bool = False,
) -> Context:
    """Like :func:`assemble`, on a worker thread when there is much to read: the event loop is not blocked.

    Arguments, result and errors are those of :func:`assemble`.
    """
    limit = Budget.of(budget)
    transcript = Transcript(model, format=format, provider=provider, counter=counter, strict=strict)
    await transcript.extend_async(messages)
    return await transcript.assemble_async(
        budget=limit, system=system, tools=tools, query=query, sections=sections, now=now,
        thinking=thinking, previous_response_id=previous_response_id,
    )  # fmt: skip
