"""The context of one model call: what is sent, and the report that says why."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, cast

from octavo.checking import check_flag, refuse
from octavo.compaction.summary import union, without
from octavo.messages import Format, Provider

if TYPE_CHECKING:
    from octavo.caching import CacheLifetime, Cost, Prices
    from octavo.caching.breakpoints import Reach
    from octavo.drafting import Draft, Sent
    from octavo.formats import ClientFormat, Converted, Note
    from octavo.report import Report

__all__ = ["Context", "Due", "sent_in"]


@dataclass(frozen=True, slots=True)
class Due:
    """Work that would make the next contexts better, for the caller to run in its own time.

    Attributes:
        kind: what to do; `summary`: summarise these messages.
        ranges: the messages, as half-open ranges of positions in the caller's list.
        tokens: their tokens.
        reason: `left_window`: they are no longer shown; `soft_mark`: they will leave at the next cut.
    """

    kind: str
    ranges: tuple[tuple[int, int], ...]
    tokens: int
    reason: str


class Context:
    """Messages, system and tools ready for the client.

    Messages that needed no change are the caller's own objects. The report is built when it is first read.

    Attributes:
        messages: what to send, in the format that came in.
        system: the system parameter with prefix sections, `None` where the system message leads `messages`. Text
            blocks that say nothing are left out where the provider refuses them.
        tools: the tool definitions, as they were given, but that in these and in `system` no cache breakpoint of an
            hour stands behind one of five minutes: there it lives five minutes as well (rule A13).
        format: the format of `messages`.
        provider: whose rules they obey.
        tokens: input tokens that are sent, counted as the report's `method` says.
        budget: the most input tokens that may be sent.
    """

    def __init__(self, draft: Draft) -> None:
        """Take over a draft: contexts are made by `assemble`, not by hand."""
        self._draft = draft
        self.messages: list[Any] = draft.messages
        self.system: Any = draft.system
        self.tools: Any = draft.asked.tools
        self.format: Format = draft.asked.format
        self.provider: Provider = draft.asked.provider
        self.tokens: int = draft.tokens
        self.budget: int = draft.asked.budget.tokens

    def __copy__(self) -> Self:
        """A context with the same messages, in a list of its own."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, messages=list(self.messages))
        return other

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled: it hangs on its conversation, for the report and for what usage is reported for.

        Raises:
            TypeError: always; says what to pass on.
        """
        raise TypeError(
            "a Context cannot be pickled: pass on what its client is called with (context.anthropic(), .openai(), "
            ".responses()), or its messages, system and tools, and context.report"
        )

    @property
    def fits(self) -> bool:
        """Whether `tokens` is within `budget`."""
        return self.tokens <= self.budget

    @cached_property
    def report(self) -> Report:
        """What was kept, edited and left out, and why."""
        from octavo.report import report_of

        return report_of(self._draft)

    @cached_property
    def due(self) -> tuple[Due, ...]:
        """What should be summarised: nothing waits for it, and this context does not depend on it."""
        return due_of(self._draft)

    @property
    def summary_room(self) -> int:
        """Tokens that a summary of what was left out has in contexts like this one; 0 where none is shown."""
        return self._draft.asked.summary_room or 0

    def cost(self, prices: Prices | None = None, *, lifetime: str | None = None, cold: bool = False) -> Cost:
        """What the input of this call costs, split into what the cache gives, what is written to it, and the rest.

        Reckoned from the report: `stable_prefix_tokens` are read, sections at the tail are not cached, all else is
        written. The money is exact for these counts; the answer says what it assumes.

        Args:
            prices: what tokens cost; those of the model in the price table where they are not given.
            lifetime: what entries are asked to live (`5m`, `1h`); the shortest of the prices where it is not given.
            cold: whether the call before is too long ago for the cache to hold anything.

        Raises:
            ArgumentError: an argument is of a kind that its parameter does not take, or there is no such lifetime.
        """
        from octavo.caching import cost_of, prices_for

        if prices is None:
            prices = prices_for(self._draft.asked.model)
        check_flag("cold", cold, optional=False)
        tail = sum(placed.tokens for placed in self._draft.placed if placed.place == "tail")
        shared = 0 if cold else self.report.stable_prefix_tokens
        return cost_of(prices, self.tokens, shared, tail=min(tail, self.tokens), lifetime=lifetime)

    def anthropic(self, *, cache: CacheLifetime | None = None) -> dict[str, Any]:
        """Keyword arguments for `client.messages.create`.

        Messages in another format are converted, and the converted list is made valid for the client: `notes`
        tells what that changed. `tokens` remains the count of the context's own list.

        Args:
            cache: `5m` or `1h` puts cache breakpoints of that lifetime beside your own, four in all: at the end of
                what will be sent again, of the system prompt, of the head and of the tools, and where the call before
                ended if that is farther back than the provider searches. What carries one is a copy.

        Raises:
            ConversionError: the messages are in Gemini's or Bedrock's format, or cannot be written as JSON.
            ArgumentError: `cache` is something else.
        """
        arguments = self._arguments("anthropic")
        if cache is None:
            return arguments
        from octavo.caching.breakpoints import with_cache_control

        return with_cache_control(arguments, cache, self._reach(arguments["messages"]))

    def _reach(self, written: list[Any]) -> Reach:
        """Where the prefix of the next call will end, in messages that may have been converted."""
        from octavo.caching.breakpoints import Reach

        draft = self._draft
        same = self.format == "anthropic" and len(written) == len(draft.messages)
        return Reach(self._tails(), bool(draft.head), self.report.first_changed_index if same else None)

    def openai(self, *, cache: bool = False) -> dict[str, Any]:
        """Keyword arguments for `client.chat.completions.create`. See :meth:`anthropic`.

        Args:
            cache: whether to put `prompt_cache_breakpoint` where the prefix ends, three at most, for a model that the
                price table knows to take them (GPT-5.6 and later); others get none, since they refuse them.

        Raises:
            ConversionError: as of :meth:`anthropic`.
            ArgumentError: `cache` is neither true nor false.
        """
        return self._marked("openai", self._arguments("openai"), cache=cache)

    def responses(self, *, cache: bool = False) -> dict[str, Any]:
        """Keyword arguments for `client.responses.create`. See :meth:`openai`.

        With the `previous_response_id` that the context was assembled for: outputs may answer calls that stand there.
        """
        stored = self._draft.asked.previous_response_id
        continued = {} if stored is None else {"previous_response_id": stored}
        arguments = self._marked("openai-responses", self._arguments("openai-responses"), cache=cache)
        return {**arguments, **continued}

    def _marked(
        self, target: Literal["openai", "openai-responses"], arguments: dict[str, Any], *, cache: bool
    ) -> dict[str, Any]:
        check_flag("cache", cache, optional=False)
        if not cache:
            return arguments
        from octavo.caching import prices_for
        from octavo.caching.openai_breakpoints import with_prompt_cache_breakpoints

        prices = prices_for(self._draft.asked.model)
        if not (prices.known and prices.explicit and prices.model.startswith("gpt")):
            return arguments
        same = self.format == target and len(arguments.get("messages", arguments.get("input", ()))) == len(
            self.messages
        )
        tail = self._tails()
        # In a converted list the texts of the tail may have joined the user's last message.
        return with_prompt_cache_breakpoints(
            arguments, target, tail=tail if same else min(tail, 1),
            shared=self.report.first_changed_index if same else None,
        )  # fmt: skip

    def _tails(self) -> int:
        return sum(1 for placed in self._draft.placed if placed.place == "tail" and placed.verdict != "dropped")

    def notes(self, target: ClientFormat) -> tuple[Note, ...]:
        """What the arguments for a client say otherwise than the context; empty where nothing was lost or added.

        Args:
            target: `anthropic`, `openai` or `openai-responses`.

        Returns:
            What the format cannot say, and what was changed to obey the client's rules, as :class:`Note`.

        Raises:
            ConversionError: as of :meth:`anthropic`.
            FormatError: `target` is none of the three.
        """
        return self._written(target).notes

    def _arguments(self, target: ClientFormat) -> dict[str, Any]:
        from octavo.formats import arguments_of

        return arguments_of(self._written(target), target)

    def _written(self, target: ClientFormat) -> Converted:
        # Not kept: the caller may have added to `messages` since.
        from octavo.client import written_for

        return written_for(self._draft, target, self.messages, self.system, self.tools)

    def __repr__(self) -> str:
        verdict = "fits" if self.fits else f"over by {self.tokens - self.budget}"
        return (
            f"<Context {self.format}: {len(self.messages)} messages, {self.tokens} of {self.budget} tokens, {verdict}>"
        )


def due_of(draft: Draft) -> tuple[Due, ...]:
    """What a draft leaves to be summarised: what it does not show and, past the soft mark, says so early."""
    if draft.asked.summary_room is not None:
        return _due_beside(draft)
    left = [(start, end) for start, end, reason in draft.plan.verdicts(draft.asked.engine) if reason == "before_cut"]
    if left:
        tokens = sum(draft.asked.engine.tokens_in(start, end) for start, end in left)
        return (Due("summary", tuple(left), tokens, "left_window"),)
    if not draft.plan.past_soft:
        return ()
    leaving = draft.plan.leaving(draft.asked.engine)
    if not leaving:
        return ()
    tokens = sum(draft.asked.engine.tokens_in(start, end) for start, end in leaving)
    return (Due("summary", tuple(leaving), tokens, "soft_mark"),)


def _due_beside(draft: Draft) -> tuple[Due, ...]:
    """The same for a transcript that has summaries: nothing that the newest one stands for.

    A summary is shown at the next cut. So past the soft mark it takes in what is about to leave as well.
    """
    asked, plan = draft.asked, draft.plan
    if not asked.summary_room:
        return ()
    newest = asked.summaries[-1] if asked.summaries else None
    covered = () if newest is None else newest.covers
    left = [(start, end) for start, end, reason in plan.verdicts(asked.engine) if reason == "before_cut"]
    gone = without(left, covered)
    leaving = plan.leaving(asked.engine) if plan.past_soft else []
    ranges = without(union(left, leaving), covered)
    if not ranges:
        return ()
    tokens = sum(asked.engine.tokens_in(start, end) for start, end in ranges)
    return (Due("summary", ranges, tokens, "left_window" if gone else "soft_mark"),)


def sent_in(context: Context) -> Sent:
    """What usage is reported for: of a context that was sent.

    Raises:
        ArgumentError: it is no context.
    """
    given = cast("object", context)
    if not isinstance(given, Context):
        raise refuse("context", "a Context", given)
    return given._draft.sent  # pyright: ignore[reportPrivateUsage] - of the same module
