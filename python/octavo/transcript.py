"""One conversation, counted once and assembled before every call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final, Self, TypeAlias, TypeVar

from octavo import _core
from octavo.budget import Budget, Section
from octavo.context import Context
from octavo.drafting import Draft, Frame, draft_of, frame_of
from octavo.errors import FormatError, MessageError, OctavoError
from octavo.messages import (
    FORMATS,
    Format,
    Provider,
    answers_in_blocks,
    decided_format,
    infer_format,
    infer_provider,
    listed,
)  # fmt: skip
from octavo.recipes import CONTINUE, NO_RESULT
from octavo.tokens import Counter, TokenCounter, Usage, counter_for
from octavo.validity import Mode, mode_of

__all__ = ["Transcript"]

_T = TypeVar("_T")

OFF_LOOP_CHARACTERS: Final = 64 * 1024
"""Text of more characters is counted on a worker thread by the `_async` forms: about half a millisecond of work,
below which the hand-over costs more than it saves."""

_BATCH: Final = 16
"""Messages that a worker thread reads at a time: between batches the event loop gets the interpreter."""

_MODES: Final = 8
"""Modes that are kept: one for each way to call in use, until system or tools change."""


_Framed: TypeAlias = tuple[tuple[tuple[Section, ...], str | None, int], Frame]
"""A frame and what it was counted for: sections, a text of system, and the fingerprint of everything else."""

_Decided: TypeAlias = tuple[
    bool,
    Format,
    Provider,
    _core.Transcript,
    _Framed | None,
    tuple[int, int, int] | None,
    list[tuple[int, Callable[[_core.Transcript], object]]],
]


class Transcript:
    """The append-only messages of one conversation.

    Each message is read and counted once, when it is appended; assembling a context then costs a search on
    running sums and a list of the shown messages. What has been decided (the cut, its anchors) sticks: the
    next call sends the same prefix, byte for byte, until a mark is passed.

    A message must not be changed in place once it is appended: its count would no longer be true.
    Methods may be called from several threads.

    Args:
        model: the model's name; it decides the counter, the provider and, for plain texts, the format.
        format: the messages' format; told from the messages when not given.
        provider: whose rules contexts obey; told from format and model when not given.
        counter: a counter from :func:`octavo.counter_for`, or anything with `count(text) -> int`.
        strict: refuse a model that is not in the model table instead of falling back.

    Raises:
        FormatError: `format` or `provider` is not a known name.
        UnknownModelError: `strict`, and the model is not in the table.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        format: Format | None = None,
        provider: Provider | None = None,
        counter: Counter | TokenCounter | None = None,
        strict: bool = False,
    ) -> None:
        """Start an empty conversation."""
        for name in (format, provider):
            if name is not None and name not in FORMATS:
                raise FormatError(
                    f"unknown format or provider {name!r}: expected one of {', '.join(FORMATS)}", got=name
                )
        self._model = model
        self._given_provider: Provider | None = provider
        self._counter = counter if isinstance(counter, Counter) else counter_for(model, strict=strict, counter=counter)
        self._settled = format is not None
        self._format: Format = format or infer_format((), model)
        self._provider: Provider = provider or infer_provider(self._format, model)
        self._engine = _core.Transcript(self._format, self._counter.core)
        self._messages: list[Any] = []
        self._framed: _Framed | None = None
        self._modes: dict[tuple[Any, ...], Mode] = {}
        self._added: tuple[int, int, int] | None = None
        self._last: tuple[int, int] | None = None
        # Pins and reports, each with the number of messages at its time, for as long as the format may change.
        self._told: list[tuple[int, Callable[[_core.Transcript], object]]] = []
        self._lock = threading.RLock()

    @property
    def model(self) -> str | None:
        """The model's name, as it was given."""
        return self._model

    @property
    def format(self) -> Format:
        """The messages' format, as far as it is known by now."""
        return self._format

    @property
    def provider(self) -> Provider:
        """Whose rules contexts obey."""
        return self._provider

    @property
    def counter(self) -> Counter:
        """What counts the tokens."""
        return self._counter

    @property
    def messages(self) -> Sequence[Any]:
        """The messages as they were appended: the caller's own objects, in a list of their own."""
        with self._lock:
            return list(self._messages)

    @property
    def tokens(self) -> int:
        """Tokens of all messages, framing included. O(1)."""
        return self._engine.tokens

    @property
    def row_bytes(self) -> int:
        """Bytes that the engine's rows of this conversation take."""
        return self._engine.row_bytes

    def __len__(self) -> int:
        """How many messages there are."""
        return len(self._messages)

    def append(self, message: Any) -> int:
        """Read, count and keep one message.

        Args:
            message: a dict, Pydantic model or SDK object in the transcript's format.

        Returns:
            Its tokens, framing included.

        Raises:
            MessageError: there is no message here: no object, or no known role. Nothing was appended.
        """
        with self._lock:
            tokens = self._engine.append(message) if self._settled else self._read_unsettled((message,))
            self._messages.append(message)
            return tokens

    def extend(self, messages: Iterable[Any]) -> int:
        """Read, count and keep messages: all of them, or none where one cannot be read.

        Returns:
            Their tokens, framing included.

        Raises:
            MessageError: one is no message; its `index` counts from the start of the transcript.
        """
        # A list of its own: what the caller does to theirs meanwhile cannot part messages from their counts.
        fresh = listed(messages)
        with self._lock:
            tokens = self._engine.extend(fresh) if self._settled else self._read_unsettled(fresh)
            self._messages += fresh
            return tokens

    def assemble(
        self,
        *,
        budget: int | Budget,
        system: Any = None,
        tools: Any = None,
        query: str | None = None,
        sections: Sequence[Section] = (),
        now: datetime | None = None,
        thinking: bool | None = None,
        previous_response_id: str | None = None,
    ) -> Context:
        """Decide what goes into the call that is made now.

        Args:
            budget: the most input tokens that may be sent, or a :class:`Budget`.
            system: the system parameter of clients that take one.
            tools: tool definitions, in the client's own form.
            query: what the call is about. Recall and the ledger rank by it; the window does not depend on it.
            sections: texts beside the history.
            now: the time of the call. Nothing in a window depends on it; recall and expiry will.
            thinking: whether the call asks for thinking; rules about it hold only when it is said.
            previous_response_id: the stored response that a Responses request continues.

        Returns:
            A context that is valid for the provider. Where what must stay does not fit, `context.fits` is
            false and the report says by how much and because of what.

        Raises:
            BudgetError: the budget is negative or not a whole number.
        """
        del query, now
        limit = Budget.of(budget)
        with self._lock:
            frame = self._frame(system, tools, tuple(sections))
            mode = self._mode(thinking, previous_response_id, tools, system)
            plan = self._engine.plan(
                limit.tokens, frame.tokens, frame.beside, limit.marks.per_mille, mode, self._costs()
            )
            draft = draft_of(
                self._engine, plan, self._messages, counter=self._counter, model=self._model,
                format=self._format, provider=self._provider, budget=limit, frame=frame,
                system=system, tools=tools, mode=mode,
            )  # fmt: skip
            self._last = (plan.end, plan.tokens + _spent(draft))
        return Context(draft)

    async def append_async(self, message: Any) -> int:
        """Like :meth:`append`, off the event loop when the message is long."""
        return await self.extend_async([message])

    async def extend_async(self, messages: Iterable[Any]) -> int:
        """Like :meth:`extend`, off the event loop when there is much to read.

        The messages are read and counted on a worker thread and taken in at once when all of them have
        been. Cancelling the task returns at once and appends nothing.
        """
        fresh = listed(messages)
        if _core.weigh(fresh, OFF_LOOP_CHARACTERS) <= OFF_LOOP_CHARACTERS:
            return self.extend(fresh)
        with self._lock:
            before = self._decided()
            with self._undone_on_failure(before):
                if not self._settled:
                    self._settle(fresh)
            format, engine, length = self._format, self._engine, len(self._messages)
        try:
            counted = await _off_loop(self._count_apart, fresh, format)
        except BaseException:
            with self._lock:
                if self._engine is engine and len(self._messages) == length:
                    self._undo(before)
            raise
        with self._lock:
            if format != self._format:
                # Another task's messages decided the format meanwhile: read under what holds now.
                return self.extend(fresh)
            self._engine.take_in(counted)
            self._messages += fresh
            return counted.tokens

    def _count_apart(self, messages: list[Any], format: Format) -> _core.Transcript:
        """Rows of messages that belong to no transcript yet."""
        rows = _core.Transcript(format, self._counter.core)
        for start in range(0, len(messages), _BATCH):
            rows.extend(messages[start : start + _BATCH])
        return rows

    async def assemble_async(
        self, *, budget: int | Budget, system: Any = None, tools: Any = None, **options: Any
    ) -> Context:
        """Like :meth:`assemble`, off the event loop when system, tools and sections are long and not yet counted."""
        around = (system, tools, [section.text for section in options.get("sections", ())])
        if _core.weigh(around, OFF_LOOP_CHARACTERS) <= OFF_LOOP_CHARACTERS:
            return self.assemble(budget=budget, system=system, tools=tools, **options)
        return await _off_loop(self.assemble, budget=budget, system=system, tools=tools, **options)

    def observe(self, usage: Any) -> None:
        """Learn from what the provider reported for the last assembled context.

        Its input tokens, cached ones included, are set against the count of the same content; the ratio,
        unclamped, corrects every later count (TOKENS §4).

        Args:
            usage: the `usage` of the response: Anthropic, OpenAI or Gemini, dict or SDK object.

        Raises:
            OctavoError: no context was assembled yet.
            BudgetError: there is no number of input tokens in it.
        """
        reported = Usage.read(usage).input
        with self._lock:
            if self._last is None:
                raise OctavoError("observe needs a context that was assembled before: there is none yet")
            at, counted = self._last
            self._tell(lambda engine: engine.observe(at, reported, counted))

    def pin(self, index: int) -> None:
        """Never leave out the message at `index`, nor the exchange it belongs to.

        Raises:
            MessageError: there is no such message.
        """
        self._pin(index, pinned=True)

    def unpin(self, index: int) -> None:
        """Let the message at `index` leave the window again.

        Raises:
            MessageError: there is no such message.
        """
        self._pin(index, pinned=False)

    def original(self, index: int) -> Any:
        """The message at `index` as it was appended, whatever contexts show of it.

        Raises:
            MessageError: there is no such message.
        """
        with self._lock:
            return self._messages[self._position(index)]

    def fork(self) -> Self:
        """A transcript with the same messages and decisions that goes its own way from here."""
        with self._lock:
            return self._with(self._engine.fork(), self._messages)

    def rewind(self, length: int) -> None:
        """Go back to the first `length` messages, for a retry or an edit; decisions are as they were then.

        Raises:
            MessageError: `length` is negative or more than there are.
        """
        with self._lock:
            if not 0 <= length <= len(self._messages):
                raise MessageError(f"rewind to {length}: there are {len(self._messages)} messages", index=length)
            # Contexts made before keep the engine they were made from.
            self._engine = self._engine.truncated(length)
            self._messages = self._messages[:length]
            self._told = [told for told in self._told if told[0] <= length]
            self._last = None

    def _with(self, engine: _core.Transcript, messages: list[Any]) -> Self:
        other = type(self)(self._model, format=self._format, provider=self._given_provider, counter=self._counter)
        other._settled = self._settled
        other._engine, other._messages, other._last = engine, list(messages), self._last
        other._told = list(self._told)
        return other

    def _pin(self, index: int, *, pinned: bool) -> None:
        with self._lock:
            position = self._position(index)
            self._tell(lambda engine: engine.pin(position, pinned))

    def _tell(self, said: Callable[[_core.Transcript], object]) -> None:
        """Let the engine know what a caller said, and whichever engine takes its place."""
        said(self._engine)
        if not self._settled:
            self._told.append((len(self._messages), said))

    def _position(self, index: int) -> int:
        position = index + len(self._messages) if index < 0 else index
        if not 0 <= position < len(self._messages):
            raise MessageError(f"no message {index}: there are {len(self._messages)}", index=index)
        return position

    def _read_unsettled(self, fresh: Sequence[Any]) -> int:
        """Read messages that may decide the format; where they cannot be read they decide nothing."""
        with self._undone_on_failure(self._decided()):
            self._settle(fresh)
            return self._engine.extend(fresh)

    @contextmanager
    def _undone_on_failure(self, before: _Decided) -> Generator[None, None, None]:
        try:
            yield
        except BaseException:
            self._undo(before)
            raise

    def _decided(self) -> _Decided:
        """Everything that follows from the format."""
        return (
            self._settled, self._format, self._provider, self._engine, self._framed, self._added, list(self._told),
        )  # fmt: skip

    def _undo(self, before: _Decided) -> None:
        (self._settled, self._format, self._provider, self._engine, self._framed, self._added, self._told) = before
        self._modes.clear()

    def _settle(self, fresh: Sequence[Any]) -> None:
        """Tell the format from the new messages; what was read as plain text before is read again if it was wrong."""
        decided = decided_format(fresh)
        if decided is None and not self._messages:
            decided_now: Format = infer_format(fresh, self._model)
        elif decided is None:
            if not any(map(answers_in_blocks, fresh)):
                return
            # As the one-call form tells it from the whole list.
            decided_now = infer_format([self._messages[0], *fresh], self._model)
        else:
            decided_now = decided
        self._settled = decided is not None
        if decided_now == self._format:
            return
        engine = self._read_again(decided_now)
        self._format = decided_now
        self._provider = self._given_provider or infer_provider(decided_now, self._model)
        self._engine, self._framed, self._added = engine, None, None
        if self._settled:
            self._told.clear()
        self._modes.clear()

    def _read_again(self, format: Format) -> _core.Transcript:
        """The conversation so far in another format, with what callers said about it."""
        engine = _core.Transcript(format, self._counter.core)
        read = 0
        for at, said in self._told:
            engine.extend(self._messages[read:at])
            read = at
            said(engine)
        engine.extend(self._messages[read:])
        return engine

    def _frame(self, system: Any, tools: Any, sections: tuple[Section, ...]) -> Frame:
        """The counted frame; counted anew when anything in it changed, also deep inside.

        A text cannot change, and comparing it with itself costs nothing however long it is; what can change
        in place is read for its fingerprint.
        """
        text = system if isinstance(system, str) else None
        mark = (sections, text, _core.fingerprint((None if text is not None else system, tools)))
        if self._framed is None or self._framed[0] != mark:
            self._framed = (mark, frame_of(self._counter, self._format, system, tools, sections))
        return self._framed[1]

    def _mode(self, thinking: bool | None, previous_response_id: str | None, tools: Any, system: Any) -> Mode:
        """What the rules must know of the request; the same for most calls of a conversation.

        The frame's fingerprint stands for what is read of system and tools: their cache breakpoints.
        """
        mark = None if self._framed is None else self._framed[0][2]
        key = (thinking, previous_response_id is None, None if tools is None else bool(tools), self._provider, mark)
        mode = self._modes.get(key)
        if mode is None:
            if len(self._modes) >= _MODES:
                self._modes.clear()
            mode = self._modes[key] = mode_of(
                self._messages, self._provider, format=self._format, model=self._model, thinking=thinking,
                previous_response_id=previous_response_id, tools=tools, system=system, every_turn=True,
            )  # fmt: skip
        return mode

    def _costs(self) -> tuple[int, int, int]:
        """Tokens of what a repair may add: a placeholder result, a note, the framing of a new message."""
        if self._added is None:
            # Framing is the model's, not the format's: any format's message of that kind will do.
            counter = self._counter
            result = {"role": "tool", "tool_call_id": "", "content": NO_RESULT}
            framing = counter.count_message({"role": "user", "content": ""}, format="openai")
            self._added = (counter.count_message(result, format="openai") - framing, counter.count(CONTINUE), framing)
        return self._added


def _spent(draft: Draft) -> int:
    """Tokens of the sections at the tail."""
    return draft.section_tokens - sum(placed.tokens for placed in draft.frame.placed)


async def _off_loop(work: Callable[..., _T], *arguments: Any, **options: Any) -> _T:
    """Run `work` on a worker thread. asyncio is imported here: it is a third of the package's import time."""
    import asyncio

    return await asyncio.to_thread(work, *arguments, **options)
