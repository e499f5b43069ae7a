"""Counting tokens: of texts, messages, tools and whole requests, for any model."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, Final, Literal, Protocol, TypeAlias, cast, final, runtime_checkable

from octavo import _core
from octavo.budget import whole_number
from octavo.checking import check_flag, check_name, check_text, refuse
from octavo.errors import BudgetError, CounterError
from octavo.messages import Format, Provider, infer_format, known_format, listed

__all__ = ["Count", "Counter", "Method", "Model", "Stream", "TokenCounter", "Usage", "counter_for", "limit_cache"]

Method: TypeAlias = Literal["exact", "calibrated", "estimated"]
"""How a count was made: by the model's vocabulary, by another one times measured ratios, or by a stand-in."""


@runtime_checkable
class TokenCounter(Protocol):
    """A counter of one's own: a house tokenizer, a provider's counting service with a cache, a package."""

    def count(self, text: str, /) -> int:
        """Tokens of `text` as ordinary text."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Count:
    """A number of tokens, how it was made, and how far it can be off.

    Attributes:
        tokens: input tokens.
        method: `exact` only where every part is; media make a count an estimate.
        error_bound: the true number lies within this many tokens, 95 times in 100. What an exact count leaves
            out of its bound is the chat format's framing, which providers publish as an estimate.
    """

    tokens: int
    method: Method
    error_bound: int


@final
@dataclass(frozen=True, slots=True)
class Usage:
    """What a provider reported for a call.

    Attributes:
        input: tokens of everything that was sent, whether read from a cache, written to one, or neither.
        output: tokens of everything that was generated, reasoning included.
    """

    input: int
    output: int

    @classmethod
    def read(cls, usage: object) -> Usage:
        """Read a usage object, or a whole answer, of Anthropic, OpenAI, Gemini or Bedrock: a dict or an SDK object.

        Raises:
            BudgetError: it holds no number of input tokens.
        """
        return cls(*_core.read_usage(usage))


@final
@dataclass(frozen=True, slots=True)
class Model:
    """What the model table says of a model; `known` is false where no row matched and the fallback stands in.

    Attributes:
        name: the name that was asked for.
        known: whether a row of the table matched it.
        provider: whose rules hold for messages in that format: what :func:`octavo.messages.infer_provider` answers
            for it.
        format: the format that its messages are usually written in.
        encoding: the encoding that is counted with.
        method: how texts are counted.
        window: tokens of the context window, where a source states them.
        prefill: whether a conversation may end with the beginning of the answer.
        keeps_thinking: whether reasoning of earlier turns stays in the context, by default.
        cache_minimum: the shortest prefix that the provider caches, in tokens, where a source states it.
    """

    name: str | None
    known: bool
    provider: Provider
    format: Format
    encoding: str
    method: Method
    window: int | None
    prefill: bool
    keeps_thinking: bool
    cache_minimum: int | None


@final
class Stream:
    """Counts a text that arrives in parts; made by :meth:`Counter.stream`.

    The total is at every moment the count of everything pushed so far as one text: the counts of the parts would
    add up to more. A surrogate pair may be parted over two pushes: its first half counts as U+FFFD until then. With an
    exact count a look costs no more for a long text than for a short one; a
    calibrated count, a `tokenizer.json` and a counter of one's own have no place where a text may be parted, and
    count all of it anew at each look.
    """

    __slots__ = ("_core", "_counter", "_half", "_parts")

    def __init__(self, counter: Counter) -> None:
        """Count an empty text."""
        self._counter = counter
        # The first half of a surrogate pair at the end: the engine takes texts, and a half by itself would be U+FFFD.
        self._half = ""
        self._core = counter.core.stream()
        self._parts: list[str] = []

    def push(self, text: str, /) -> None:
        """Append to the text.

        Raises:
            ArgumentError: `text` is none.
        """
        check_text("text", text, optional=False)
        if self._core is None:
            self._parts.append(text)
        elif text:
            whole = self._half + text
            self._half = whole[-1] if "\ud800" <= whole[-1] <= "\udbff" else ""
            self._core.push(whole[:-1] if self._half else whole)

    @property
    def total(self) -> int:
        """Tokens of everything pushed so far, as one text."""
        if self._core is None:
            return self._counter.count("".join(self._parts))
        return self._core.total_with(self._half) if self._half else self._core.total


@final
class Counter:
    """Counts for one model. Made by :func:`counter_for`; cheap to keep, safe to share between threads.

    It satisfies :class:`TokenCounter`.
    """

    __slots__ = ("_core", "model")

    def __init__(self, core: _core.TokenCounter, name: str | None) -> None:
        """Wrap the engine's counter of the model called `name`."""
        profile = core.profile
        self._core = core
        self.model = Model(
            name=name,
            known=profile.known,
            provider=profile.provider,
            format=profile.format,
            encoding=profile.encoding,
            method=profile.method,
            window=profile.window,
            prefill=profile.prefill,
            keeps_thinking=profile.keeps_thinking,
            cache_minimum=profile.cache_minimum,
        )

    @property
    def core(self) -> _core.TokenCounter:
        """The engine's own counter, for a transcript."""
        return self._core

    @property
    def method(self) -> Method:
        """How texts are counted."""
        return self._core.method

    @property
    def known(self) -> bool:
        """Whether the model is in the table."""
        return self.model.known

    @property
    def error_bound(self) -> float:
        """How far the count of a text can be off, as a share of it (95 times in 100); 0.0 when exact."""
        return self._core.error_bound

    @property
    def fixed(self) -> int:
        """Tokens that every request has once: what primes the reply."""
        return self._core.fixed

    def count(self, text: str, /) -> int:
        """Tokens of `text` as ordinary text: spellings of special tokens have no special meaning.

        Raises:
            ArgumentError: `text` is none.
        """
        try:
            return self._core.count(text)
        except TypeError:
            # Looked at only now: a short text is counted in less time than a check would take.
            check_text("text", text, optional=False)
            raise

    def count_up_to(self, text: str, limit: int) -> int | None:
        """Tokens of `text`, or `None` when there are more than `limit`; stops early then.

        Raises:
            ArgumentError: `text` is none.
            BudgetError: `limit` is no whole number from 0 to 2**63 - 1.
        """
        check_text("text", text, optional=False)
        whole_number("limit", limit)
        return self._core.count_up_to(text, limit)

    def truncate(self, text: str, limit: int) -> str:
        """The longest beginning of `text`, in whole characters, with at most `limit` tokens.

        Raises:
            ArgumentError: `text` is none.
            BudgetError: `limit` is no whole number from 0 to 2**63 - 1.
        """
        check_text("text", text, optional=False)
        whole_number("limit", limit)
        return self._core.truncate(text, limit)

    def stream(self) -> Stream:
        """A counter of a text that arrives in parts: of what a model writes, while it writes it."""
        return Stream(self)

    def count_message(self, message: object, format: Format | None = None) -> int:
        """Tokens of one message with its framing; the format is told from the message when it is not stated.

        Raises:
            FormatError: `format` is not a known name.
            MessageError: it is no message.
        """
        kind = infer_format([message], self.model.name) if format is None else known_format(format)
        return self._core.count_message(message, kind)

    def count_messages(
        self,
        messages: Iterable[object],
        tools: object = None,
        system: object = None,
        format: Format | None = None,
    ) -> Count:
        """Tokens of a whole request.

        The total is the sum of the messages, each as :meth:`count_message` counts it, and of `fixed`, the
        system prompt and the tools, each once.

        Args:
            messages: dicts, Pydantic models or SDK objects.
            tools: tool definitions of any provider's shape.
            system: a system prompt that is given apart from the messages.
            format: format of the messages; told from them when it is not stated.

        Raises:
            FormatError: `format` is not a known name.
            MessageError: one of them is no message; it says which.
        """
        whole = listed(messages)
        kind = infer_format(whole, self.model.name) if format is None else known_format(format)
        return Count(*self._core.count_messages(whole, kind, system, tools))

    def count_system(self, system: object) -> int:
        """Tokens of a system prompt that is given apart from the messages, in any provider's shape."""
        return self._core.count_system(system)

    def count_tools(self, tools: object) -> int:
        """Tokens of tool definitions in any provider's shape, with the system prompt that they bring."""
        return self._core.count_tools(tools)

    def __repr__(self) -> str:
        known = "" if self.known else ", not in the model table"
        return f"<Counter {self.model.name or 'default'}: {self.model.encoding}, {self.method}{known}>"


def counter_for(
    model: str | None = None,
    *,
    strict: bool = False,
    counter: TokenCounter | None = None,
    tokenizer: str | os.PathLike[str] | None = None,
) -> Counter:
    """Make the counter of a model.

    A name that the table does not know gets the documented fallback (`o200k_base`, method `estimated`, `known`
    false), never an error, unless `strict` asks for one.

    Args:
        model: a model's name as any host spells it; `None` is the fallback.
        strict: raise for a name that is not in the table.
        counter: a counter of one's own, taken at its word, instead of the model's. Framing, tools and media
            still follow the model.

        tokenizer: path of a Hugging Face `tokenizer.json` to count with, in the place of `counter`.

    Raises:
        ArgumentError: an argument is of a kind that its parameter does not take.
        TokenizerFileError: the file cannot be read or used.
        UnknownModelError: `strict`, and the table does not know the name.

    A `counter` that answers something else than a number of tokens raises `CounterError` where it is asked.
    """
    check_name("model", model)
    check_flag("strict", strict, optional=False)
    file = cast("object", tokenizer)
    if file is not None and not isinstance(file, str | os.PathLike):
        raise refuse("tokenizer", "the path of a file", file)
    if file is not None:
        try:
            os.fsencode(file)
        except UnicodeEncodeError as error:
            raise refuse("tokenizer", "the path of a file", file) from error
    own: Any = _core.Encoding.from_file(tokenizer) if tokenizer is not None else _trusted(counter)
    return Counter(_core.TokenCounter(model, strict=strict, counter=own), model)


_MOST_TOKENS: Final = 2**31 - 1
"""The most that one text can have: a row holds a message's tokens in 32 bits, and several texts add up in it."""


def _trusted(counter: TokenCounter | None) -> TokenCounter | None:
    """The counter as the engine may ask it: what Octavo makes is sure to answer with a number of tokens."""
    # Texts and lists have a `count` too, of another kind.
    if isinstance(counter, Sequence) or (counter is not None and not callable(getattr(counter, "count", None))):
        raise refuse("counter", "an object with count(text) -> int", counter)
    return counter if counter is None or isinstance(counter, Counter | _core.Encoding) else _Checked(counter)


class _Checked:
    """A counter of the caller's own, whose answers are looked at."""

    __slots__ = ("_counter",)

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter

    def count(self, text: str, /) -> int:
        """What the counter answers, if it is a number of tokens."""
        answer: object = self._counter.count(text)
        try:
            tokens = index(answer)  # type: ignore[arg-type]
        except TypeError:
            tokens = -1
        if not 0 <= tokens <= _MOST_TOKENS:
            who = type(self._counter).__name__
            raise CounterError(
                f"{who}.count must give a number of tokens from 0 to 2**31 - 1, got {answer!r}", got=answer
            )
        return tokens


def limit_cache(bytes: int) -> None:
    """Set how much memory each encoding may use to remember the counts of words: 6 MiB unless this is called.

    Once, before the first counter is made. It holds the words themselves (see SECURITY.md). A full memory is emptied
    and fills again; counts are exact whatever its size.

    Args:
        bytes: 65,536 (64 KiB) to 1,073,741,824 (1 GiB).

    Raises:
        BudgetError: `bytes` is out of range, or an encoding has been loaded already.
    """
    if not 0 <= bytes < 2**63:
        raise BudgetError(
            f"cache bytes must be from 65,536 to 1,073,741,824, got {bytes}", name="cache bytes", got=str(bytes)
        )
    _core.limit_cache(bytes)
