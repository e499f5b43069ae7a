"""Messages that are read apart from their conversation: off the event loop, or in another format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

from octavo import _core
from octavo.messages import Format, Provider, decided_format, infer_format, leans_to_anthropic
from octavo.tokens import Counter

__all__ = ["Read", "likely_format", "off_loop", "read_apart"]

_T = TypeVar("_T")

_BATCH: Final = 16
"""Messages that are read at a time: between batches the event loop gets the interpreter."""


class Read(NamedTuple):
    """Messages that have been read for a conversation."""

    engine: _core.Transcript
    """The conversation as it was."""
    rows: _core.Transcript
    """The messages read; with all that stood before them where they had to be read in another format."""
    decided: Format | None
    """The format, where they decide it."""
    before: int | None
    """How many stood before them, where those had to be read again."""


def read_apart(
    engine: _core.Transcript, fresh: list[Any], counter: Counter, model: str | None, provider: Provider | None
) -> Read:
    """Read messages into rows of their own, nothing of which is in the conversation yet.

    What was read as plain text before is read again where the format turns out to be another one.

    Raises:
        MessageError: one is no message; its `index` counts from the start of the conversation.
    """
    decided = engine.format if engine.settled else decided_format(fresh)
    format = decided or likely_format(engine, fresh, model, provider)
    if format == engine.format:
        return Read(engine, _rows(counter, format, fresh, len(engine)), decided, None)
    before = engine.messages()
    return Read(engine, _rows(counter, format, before + fresh, 0), decided, len(before))


def likely_format(engine: _core.Transcript, fresh: list[Any], model: str | None, provider: Provider | None) -> Format:
    """The format as the one-call form tells it from the whole list, where no message decides it alone."""
    if not len(engine):
        return infer_format(fresh, model, provider)
    if provider is None and any(map(leans_to_anthropic, fresh)):
        return infer_format([engine[0], *fresh], model)
    return engine.format


def _rows(counter: Counter, format: Format, messages: list[Any], first: int) -> _core.Transcript:
    """Rows of messages, in batches: between them another thread gets the interpreter."""
    rows = _core.Transcript(format, counter.core)
    for start in range(0, len(messages), _BATCH):
        rows.extend(messages[start : start + _BATCH], first + start)
    return rows


async def off_loop(work: Callable[..., _T], *arguments: Any, **options: Any) -> _T:
    """Run `work` on a worker thread. asyncio is imported here: it is a third of the package's import time."""
    import asyncio

    return await asyncio.to_thread(work, *arguments, **options)
