"""One conversation, counted once and assembled before every call."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final, NoReturn, Self

from octavo import _core
from octavo.budget import Budget, Section
from octavo.calls import Calls
from octavo.certainty import Surroundings
from octavo.checking import check_flag, check_name, check_position, check_text, position_in
from octavo.clearing import Clearing, original_output
from octavo.compaction.kept import Kept
from octavo.compaction.promises import Fact
from octavo.compaction.summary import Snapshot, Summary
from octavo.context import Context, Due, sent_in
from octavo.drafting import Asked, Draft, made_of, planned, small_plan_of
from octavo.errors import MessageError, OctavoError
from octavo.frame import Frames, mark_of
from octavo.lifetimes import shortened
from octavo.mending import mended
from octavo.messages import Format, Provider, decided_format, infer_format, known_format, listed, reread
from octavo.modes import Modes
from octavo.reading import Read, likely_format, off_loop, read_apart
from octavo.sections import placeable
from octavo.system import as_blocks, fitting_system
from octavo.tokens import Counter, TokenCounter, Usage, counter_for
from octavo.told import Telling

__all__ = ["Transcript"]

OFF_LOOP_CHARACTERS: Final = 64 * 1024
"""Text of more characters is counted on a worker thread by the `_async` forms: about half a millisecond of work,
below which the hand-over costs more than it saves."""

OFF_LOOP_TOKENS: Final = 16 * 1024
"""A list of more tokens that must be repaired is repaired on a worker thread: that takes about a millisecond."""

_OBSERVED: Final = 8
"""How often what stood around the history is remembered when usage was reported for it."""


class Transcript:
    """The append-only messages of one conversation.

    Each message is read and counted once, when it is appended; assembling a context then costs a search on
    running sums and a list of the shown messages. What has been decided (the cut, its anchors) sticks: the
    next call sends the same prefix, byte for byte, until a mark is passed.

    A message must not be changed in place once it is appended: its count would no longer be true.
    Methods may be called from several threads.

    Args:
        model: the model's name; it decides the counter and, where not stated, the provider and plain texts' format.
        format: the messages' format; told from the messages when not given.
        provider: whose rules contexts obey, and whose format plain texts are; told from the others when not given.
        counter: a counter from :func:`octavo.counter_for`, or anything with `count(text) -> int`.
        strict: refuse a model that is not in the model table instead of falling back.
        compaction: keep room for summaries of what was left out, and show what :meth:`compact` accepts.

    Raises:
        ArgumentError: an argument is of a kind that its parameter does not take.
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
        compaction: bool = False,
    ) -> None:
        """Start an empty conversation."""
        check_name("model", model)
        for name in (format, provider):
            if name is not None:
                known_format(name)
        self._model = model
        self._given_provider: Provider | None = provider
        self._counter = counter if isinstance(counter, Counter) else counter_for(model, strict=strict, counter=counter)
        # Everything that must change together stands in the engine's transcript: the messages, their rows, and
        # whether they have decided the format. Another format or a rewind puts a new one in its place, after the
        # old one has been retired; whoever read messages for the old one then reads them for the new. So no lock
        # is held here, least of all while Python code of the caller's runs.
        self._engine = _core.Transcript(
            format or infer_format((), model, provider), self._counter.core, format is not None
        )
        self._frames = Frames(self._counter)
        self._modes = Modes(model, provider, self._counter)
        # By basis, the newest last; another dict at each report, so that a context keeps the one it was made with.
        self._observed: dict[int, Surroundings] = {}
        self._calls = Calls()
        self._telling = Telling(self._counter)
        self._clearing = Clearing()
        check_flag("compaction", compaction, optional=False)
        self._kept = Kept(() if compaction else None)

    @property
    def compaction(self) -> bool:
        """Whether it has summaries."""
        return self._kept.summaries is not None

    @property
    def summaries(self) -> tuple[Summary, ...]:
        """The summaries that were accepted, the newest last: each stands for all that those before it stood for."""
        return self._kept.summaries or ()

    @property
    def model(self) -> str | None:
        """The model's name, as it was given."""
        return self._model

    @property
    def format(self) -> Format:
        """The messages' format, as far as it is known by now."""
        return self._engine.format

    @property
    def provider(self) -> Provider:
        """Whose rules contexts obey."""
        return self._modes.provider(self._engine)

    @property
    def counter(self) -> Counter:
        """What counts the tokens."""
        return self._counter

    @property
    def messages(self) -> Sequence[Any]:
        """The messages as they were appended: the caller's own objects, in a list of their own."""
        return self._engine.messages()

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
        return len(self._engine)

    def __repr__(self) -> str:
        """Say what it holds."""
        return f"<Transcript {self.format}: {len(self)} messages, {self.tokens} tokens, model {self._model!r}>"

    def append(self, message: Any) -> int:
        """Read, count and keep one message.

        Args:
            message: a dict, Pydantic model or SDK object in the transcript's format.

        Returns:
            Its tokens, framing included.

        Raises:
            MessageError: there is no message here: no object, or no known role. Nothing was appended.
        """
        engine = self._engine
        tokens = engine.append(message) if engine.settled else None
        return self.extend((message,)) if tokens is None else tokens

    def extend(self, messages: Iterable[Any]) -> int:
        """Read, count and keep messages: all of them, or none where one cannot be read.

        Returns:
            Their tokens, framing included.

        Raises:
            MessageError: one is no message; its `index` counts from the start of the transcript.
        """
        # A list of its own: what the caller does to theirs meanwhile cannot part messages from their counts.
        fresh = listed(messages)
        while True:
            engine = self._engine
            tokens = engine.extend(fresh) if engine.settled else self._extend_unsettled(engine, fresh)
            if tokens is not None:
                return tokens
            # Retired meanwhile: its successor is there at the next look.
            time.sleep(0)

    def assemble(
        self,
        *,
        budget: int | Budget,
        system: Any = None,
        tools: Any = None,
        query: str | None = None,
        sections: Iterable[Section] = (),
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
            previous_response_id: the stored response that a Responses request continues; `context.responses()` has it.

        Returns:
            A context that is valid for the provider. Where what must stay does not fit, `context.fits` is
            false and the report says by how much and because of what.

        Raises:
            ArgumentError: an argument is of a kind that its parameter does not take.
            BudgetError: the budget is negative or not a whole number.
        """
        del query, now
        asked = self._asked(budget, system, tools, placeable(sections), thinking, previous_response_id)
        return self._concluded(made_of(asked))

    def _asked(
        self,
        budget: int | Budget,
        system: Any,
        tools: Any,
        sections: tuple[Section, ...],
        thinking: bool | None,
        previous_response_id: str | None,
    ) -> Asked:
        """What is asked for, with everything counted that does not depend on the history."""
        limit = Budget.of(budget)
        check_flag("thinking", thinking)
        check_text("previous_response_id", previous_response_id)
        engine, tools = self._engine, reread(tools)
        provider = self._modes.provider(engine)
        given = as_blocks(reread(system), engine.format)
        system = fitting_system(given, provider)
        trimmed, mark = system is not given, mark_of(system, tools)
        added = self._modes.added(engine.format)
        opening = self._modes.opening(engine, added[2])
        frame = self._frames.frame(engine, mark, system, tools, sections, (limit.tokens, opening))
        for what in frame.garbled:
            system, tools = (mended(system), tools) if what == "system" else (system, mended(tools))
        summaries = self._kept.summaries
        call = (mark, thinking, previous_response_id, system, tools)
        settled = self._modes.settled(engine, frame, limit, *call, compaction=summaries is not None)
        tools, system, shorter = shortened(tools, system) if settled.mixed else (tools, system, ())
        return Asked(
            engine=engine, counter=self._counter, model=self._model, format=engine.format,
            provider=provider, budget=limit, frame=frame, system=system, tools=tools,
            limits=settled.limits, mode=settled.mode, added=added, before=self._calls.before(engine, len(engine)),
            kind=settled.kind, observed=self._observed, summaries=summaries or (),
            summary_room=None if summaries is None else settled.summary_room,
            telling=self._telling, clearing=self._clearing, trimmed=trimmed, shortened=shorter,
            previous_response_id=previous_response_id,
        )  # fmt: skip

    def _concluded(self, draft: Draft) -> Context:
        self._calls.add(draft.sent)
        return Context(draft)

    async def append_async(self, message: Any) -> int:
        """Like :meth:`append`, off the loop for a long message; of calls made at once a short one may land first."""
        return await self.extend_async([message])

    async def extend_async(self, messages: Iterable[Any]) -> int:
        """Like :meth:`extend`, off the event loop when there is much to read.

        The messages are read and counted on a worker thread and taken in at once when all of them have
        been. Cancelling the task returns at once and appends nothing.
        """
        fresh = listed(messages)
        if _core.weigh(fresh, OFF_LOOP_CHARACTERS) <= OFF_LOOP_CHARACTERS:
            return self.extend(fresh)
        while True:
            tokens = self._take(await off_loop(self._read_apart, self._engine, fresh))
            if tokens is not None:
                return tokens

    async def assemble_async(
        self,
        *,
        budget: int | Budget,
        system: Any = None,
        tools: Any = None,
        query: str | None = None,
        sections: Iterable[Section] = (),
        now: datetime | None = None,
        thinking: bool | None = None,
        previous_response_id: str | None = None,
    ) -> Context:
        """Like :meth:`assemble`, off the event loop when there is much to do.

        System, tools and sections are counted on a worker thread when they are long and not yet counted; and
        so is a long list planned, and repaired where it breaks rules.
        """
        del query, now
        placed, system, tools = placeable(sections), reread(system), reread(tools)
        ask = partial(self._asked, budget, system, tools, placed, thinking, previous_response_id)
        around = (system, tools, [section.text for section in placed])
        if _core.weigh(around, OFF_LOOP_CHARACTERS) > OFF_LOOP_CHARACTERS:
            asked = await off_loop(ask)
            # Sections at the tail are counted and cut when it is known what the history leaves over.
            return self._concluded(await off_loop(made_of, asked))
        asked = ask()
        plan = small_plan_of(asked)
        if plan is None:
            return self._concluded(await off_loop(made_of, asked))
        long = plan.repaired and plan.tokens > OFF_LOOP_TOKENS
        long = long or self._telling.unread(asked.engine, plan, asked.limits) > OFF_LOOP_TOKENS
        return self._concluded(await off_loop(planned, asked, plan) if long else planned(asked, plan))

    def observe(self, usage: Any, context: Context | None = None) -> None:
        """Learn from what the provider reported for a context.

        Its input tokens, cached ones included, are set against the count of the same content. Later counts are
        corrected by it: exactly what is sent again as it was, by the ratio and the constant that reports have shown
        what differs, be it another system prompt. `report.usage` and `report.error_bound` say how sure that is
        (docs/guide/tokens.md).

        Args:
            usage: the `usage` of the response: Anthropic, OpenAI or Gemini, dict or SDK object.
            context: what was sent; the last assembled one by default. Say it where others are assembled before
                the response is there: a look, a side call, a second call at the same time.

        Raises:
            ArgumentError: `context` is no context.
            OctavoError: no context was assembled yet, or this one has messages that were taken back since, or is
                of another conversation.
            BudgetError: there is no number of input tokens in it.
        """
        reported = Usage.read(usage).input
        while True:
            engine = self._engine
            sent = self._calls.last if context is None else sent_in(context)
            if sent is None:
                raise OctavoError("observe needs a context that was assembled before: there is none yet")
            end = sent.plan.end
            if end > len(engine):
                raise OctavoError("observe needs a context whose messages are there: this one has been taken back")
            if sent.engine is not engine and end and sent.engine[end - 1] is not engine[end - 1]:
                raise OctavoError("observe needs a context of this conversation: this one is of another")
            basis = sent.limits[3]
            if engine.observe(end, basis, reported, sent.counted):
                others = [known for known in self._observed.items() if known[0] != basis]
                self._observed = dict([*others[1 - _OBSERVED :], (basis, sent.surroundings)])
                return
            time.sleep(0)

    def pin(self, index: int) -> None:
        """Never leave out the message at `index`, nor the exchange it belongs to.

        Raises:
            ArgumentError: `index` is no whole number.
            MessageError: there is no such message.
        """
        self._pin(index, pinned=True)

    def unpin(self, index: int) -> None:
        """Let the message at `index` leave the window again.

        Raises:
            ArgumentError: `index` is no whole number.
            MessageError: there is no such message.
        """
        self._pin(index, pinned=False)

    def original(self, index: int | str) -> Any:
        """The message at `index` as it was appended; or, by its ref, the content of an output that was cleared.

        Raises:
            ArgumentError: `index` is no whole number and no text.
            MessageError: there is no such message or output.
        """
        engine = self._engine
        return original_output(engine, index) if isinstance(index, str) else engine[position_in(len(engine), index)]

    def snapshot(self, due: Due) -> Snapshot:
        """What is to be summarised, as it is now: the messages of a context's `due` that no summary stands for.

        Raises:
            CompactionError: the transcript was made without `compaction=True`.
            StaleSummaryError: messages that are due have been taken back.
        """
        return self._kept.snapshot(lambda: self._engine, due.ranges)

    def compact(
        self, snapshot: Snapshot, text: str, *, facts: Iterable[Fact] | None = None, at_once: bool = False
    ) -> Summary:
        """Accept a summary, provided that its messages are still the snapshot's. The next cut shows it.

        Args:
            snapshot: what was summarised.
            text: what the summariser wrote.
            facts: what stands beside the text; by default what the messages promise and the summary before had.
            at_once: show it in the next context, for the price of writing the prompt cache anew behind the task.

        Raises:
            CompactionError: the transcript was made without `compaction=True`.
            StaleSummaryError: messages were taken back since, or another summary was accepted; nothing has changed.
            SummaryError: the text is no summary; nothing has changed.
        """
        return self._kept.accept(lambda: self._engine, snapshot, text, facts, at_once=at_once)

    def fork(self) -> Self:
        """A transcript with the same messages and decisions that goes its own way from here."""
        other = type(self)(self._model, provider=self._given_provider, counter=self._counter)
        other._engine, other._kept = self._kept.forked(lambda: self._engine)
        self._telling.carry(self._engine, other._engine, other._telling)
        other._observed = self._observed
        other._calls = self._calls.carried(self._engine, other._engine)
        return other

    def __copy__(self) -> Self:
        """A fork: what shared its rows would be the same conversation under two names."""
        return self.fork()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A fork: it has the same messages, which are never changed in place."""
        return self.fork()

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled, by saying what to keep."""
        raise TypeError("a Transcript cannot be pickled: save list(transcript.messages), and extend a new one with it")

    def rewind(self, length: int) -> None:
        """Go back to the first `length` messages, for a retry or an edit; decisions are as they were then.

        Raises:
            ArgumentError: `length` is no whole number.
            MessageError: `length` is negative or more than there are.
        """
        check_position("length", length)
        while not self._kept.shortened(length, partial(self._shorten, length)):
            time.sleep(0)

    def _shorten(self, length: int) -> bool:
        """Put a shorter engine in the place of the one that there is; false where somebody else was first."""
        engine = self._engine
        there = len(engine)
        if not 0 <= length <= there:
            raise MessageError(f"rewind to {length}: there are {there} messages", index=length)
        if length < there:
            # Contexts made before keep the engine they were made from.
            shorter = engine.truncated(length)
            if not engine.retire(there):
                return False
            self._telling.carry(engine, shorter, self._telling)
            self._engine, self._calls = shorter, self._calls.carried(engine, shorter)
        return True

    def _pin(self, index: int, *, pinned: bool) -> None:
        while True:
            engine = self._engine
            if engine.pin(position_in(len(engine), index), pinned):
                return
            # Retired meanwhile: its successor is there at the next look.
            time.sleep(0)

    def _extend_unsettled(self, engine: _core.Transcript, fresh: list[Any]) -> int | None:
        """Read messages that may decide the format; where they cannot be read they decide nothing."""
        decided = decided_format(fresh)
        if (decided or likely_format(engine, fresh, self._model, self._given_provider)) != engine.format:
            return self._take(self._read_apart(engine, fresh))
        tokens = engine.extend(fresh)
        if tokens is not None and decided is not None:
            engine.settle()
        return tokens

    def _read_apart(self, engine: _core.Transcript, fresh: list[Any]) -> Read:
        return read_apart(engine, fresh, self._counter, self._model, self._given_provider)

    def _take(self, read: Read) -> int | None:
        """Take in what was read; `None` where the conversation has become another one meanwhile."""
        engine, rows, decided, before = read
        if before is None:
            if not engine.take_in(rows):
                return None
            if decided is not None:
                engine.settle()
            return rows.tokens
        if decided is not None:
            rows.settle()
        if not engine.retire(before):
            return None
        # Pins and usage do not change any more in what is retired.
        rows.inherit(engine)
        self._engine = rows
        return rows.tokens_in(before, len(rows))
