"""The values that matter in a conversation, and a section of those that left the window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Self, TypeAlias, cast, final

from octavo import _core
from octavo.budget import LEDGER_SHARE, whole_number
from octavo.checking import check_blocks, check_name, check_position, check_text, refuse
from octavo.errors import MessageError, OctavoError
from octavo.messages import Format, infer_format, known_format, listed
from octavo.tokens import Counter, TokenCounter, counter_for

__all__ = ["SHARE", "Entry", "Ledger", "LedgerSection", "Origin", "ValueKind", "argument_names"]

ValueKind: TypeAlias = Literal["identifier", "path", "url", "handle", "date", "amount", "version", "name", "value"]
"""What a value is. `value` is any other scalar that stood under a key: of an argument, of a JSON result."""

Origin: TypeAlias = Literal["user", "assistant", "tool"]
"""Who brought a value in."""

SHARE: Final = LEDGER_SHARE
"""The section's share of a budget, unless the caller says otherwise."""

DEFAULT_BYTES: Final = 8 << 20

_DEEPEST: Final = 64


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """One value and where it was seen. Messages are told by their position from 0.

    Attributes:
        value: the value as it was written.
        kind: what it is.
        name: what it is called: the last keys it stood under (`flights.date`), or the word before it; may be empty.
        tool: the tool that it was last given to or came from; empty where there was none.
        origin: who brought it in first.
        first: the first message that holds it.
        last: the last message that holds it.
        times: how often it was seen.
        uses: in how many messages it was an argument of a call.
        last_use: the last message in which it was one.
    """

    value: str
    kind: ValueKind
    name: str
    tool: str
    origin: Origin
    first: int
    last: int
    times: int
    uses: int
    last_use: int | None


@final
@dataclass(frozen=True, slots=True)
class LedgerSection:
    """The most needed values, written out.

    Attributes:
        text: the section; empty where there is nothing to write, or no room for a single value.
        tokens: its tokens, counted as it stands.
        shown: how many values it shows.
        left: how many more values there are for which it has no room.
    """

    text: str
    tokens: int
    shown: int
    left: int


@final
class Ledger:
    """The values of one conversation: identifiers, paths, URLs, handles, dates, amounts, versions, names, arguments.

    Each message is read once, when it is appended. Secrets (keys, tokens, passwords, private keys, resident and card
    numbers, as `octavo.privacy` finds them) never enter. Methods may be called from several threads.

    Args:
        model: whose tokens are counted, and the format of plain texts; `None` is the fallback of `counter_for`.
        format: the messages' format; told from each message when not given.
        counter: a counter to count with instead, as `counter_for` takes it.
        deny: patterns of Rust's `regex`: a value in which one is found never enters.
        max_bytes: memory that values and sightings may take, about. When it is full, of each value the first and
            the newest sightings stay; then values go that were never an argument nor said by the user, those first
            that were seen last longest ago.

    Raises:
        ArgumentError: an argument is of a kind that its parameter does not take.
        FormatError: `format` is not a known name.
        MaskingError: a pattern cannot be read.
    """

    __slots__ = ("_core", "_counter", "_format", "_model")

    def __init__(
        self,
        model: str | None = None,
        *,
        format: Format | None = None,
        counter: Counter | TokenCounter | None = None,
        deny: Iterable[str] = (),
        max_bytes: int = DEFAULT_BYTES,
    ) -> None:
        """Start with no message."""
        check_name("model", model)
        self._model = model
        self._format: Format | None = None if format is None else known_format(format)
        self._counter = counter if isinstance(counter, Counter) else counter_for(model, counter=counter)
        if isinstance(deny, str):
            raise refuse("deny", "a list of patterns", deny)
        patterns = list(deny)
        for at, pattern in enumerate(patterns):
            check_text(f"deny[{at}]", pattern, optional=False)
        self._core = _core.Ledger(patterns, min(whole_number("max_bytes", max_bytes), 2**62))

    def append(self, message: Any) -> None:
        """Read the values of the next message.

        Raises:
            MessageError: there is no message here. Nothing was appended.
        """
        self._core.append(message, self._format or infer_format((message,), self._model))

    def extend(self, messages: Iterable[Any]) -> None:
        """Append each message. Those before one that cannot be read have been appended.

        Raises:
            MessageError: one is no message; its `index` counts from the start of the ledger.
        """
        for message in listed(messages):
            self.append(message)

    def rewind(self, length: int) -> None:
        """Go back to the first `length` messages: everything is as it was then.

        Raises:
            ArgumentError: `length` is no whole number.
            MessageError: `length` is negative or more than there are.
            OctavoError: something was let go of since, because the ledger was full. Nothing has changed; the first
                messages must be appended to a new ledger.
        """
        check_position("length", length)
        there = len(self)
        if not 0 <= length <= there:
            raise MessageError(f"rewind to {length}: there are {there} messages", index=length)
        if not self._core.truncate(length):
            raise OctavoError(f"rewind to {length}: values were let go of since; append the messages to a new ledger")

    def fork(self) -> Self:
        """A ledger with the same values that goes its own way from here."""
        other = type(self).__new__(type(self))
        other._core, other._counter = self._core.fork(), self._counter
        other._format, other._model = self._format, self._model
        return other

    def entries(self) -> list[Entry]:
        """Every value, in the order in which they were first seen."""
        return [Entry(*row) for row in self._core.entries()]

    def section(
        self,
        *,
        max_tokens: int,
        left_out: Iterable[range | int] | None = None,
        request: str = "",
        tools: Any = None,
    ) -> LedgerSection:
        """Write the values that the next call is most likely to need and that stand in no message that is shown.

        Ranked by: use as an argument, names that arguments have, what the user said, how long ago and how often it was
        seen, words shared with the request, and what it is. Ties go to what was seen last.

        Args:
            max_tokens: the most tokens of the text. `SHARE` of the budget is a good default.
            left_out: positions of the messages that are not shown, or ranges of them; all when not given.
            request: what the call is about: usually the last thing that the user said.
            tools: tool definitions of any provider: values under names that they take come first.

        Raises:
            ArgumentError: an argument is of a kind that its parameter does not take.
            BudgetError: `max_tokens` is no whole number from 0.
            CounterError: the counter answers something else than a number of tokens.
        """
        limit = whole_number("max_tokens", max_tokens)
        check_text("request", request, optional=False)
        check_blocks("tools", tools, texts=False)
        spans = [(0, len(self))] if left_out is None else [_span(item) for item in left_out]
        names = sorted(argument_names(tools))
        return LedgerSection(*self._core.render(spans, request, names, min(limit, 2**31 - 1), self._counter.core))

    @property
    def values(self) -> int:
        """How many values are kept."""
        return self._core.values

    @property
    def bytes(self) -> int:
        """Bytes that values and sightings take, about. The rows of a `Transcript` are not among them."""
        return self._core.bytes

    def __len__(self) -> int:
        """How many messages were appended."""
        return len(self._core)

    def __repr__(self) -> str:
        """Say how much it holds, not what."""
        return f"<Ledger: {len(self)} messages, {self.values} values>"


def _span(item: object) -> tuple[int, int]:
    if isinstance(item, range):
        if item.step != 1 or (item and item.start < 0):
            raise refuse("left_out", "positions of messages, or ranges of them in steps of 1", item)
        return (item.start, item.stop) if item else (0, 0)
    if isinstance(item, bool) or not isinstance(item, int) or item < 0:
        raise refuse("left_out", "positions of messages, or ranges of them in steps of 1", item)
    return item, item + 1


def argument_names(tools: Any) -> set[str]:
    """The names of the arguments that tools take: every member of `properties` in their definitions, however deep."""
    return set(_names_in(tools, 0))


def _names_in(value: Any, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        value = dump(mode="json")
    if isinstance(value, Mapping):
        properties = value.get("properties")
        if isinstance(properties, Mapping):
            yield from (name for name in cast("Mapping[object, object]", properties) if isinstance(name, str))
        for item in value.values():
            yield from _names_in(item, depth + 1)
    elif isinstance(value, list | tuple):
        for item in cast("list[Any]", value):
            yield from _names_in(item, depth + 1)
