"""The neutral form between two formats: turns of blocks, and a log of what could not be carried over.

A reader turns one format into turns, a writer turns them into another. A result hangs on the assistant
turn whose call it answers, so each writer can put it where its provider wants it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "Block",
    "Call",
    "Document",
    "Image",
    "Log",
    "Note",
    "Refusal",
    "Result",
    "Text",
    "Thinking",
    "Turn",
    "Turns",
    "Unknown",
    "text_or_none",
]


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that the target's format cannot say or its provider refuses, and what was done instead.

    Attributes:
        message: what was changed or left out, in plain words.
        where: which part it concerns: of the input, or `converted`, the list as it was written in the target's format,
            which was then made valid.
        indices: positions in that part, ascending; empty for the system prompt.
    """

    message: str
    where: Literal["messages", "system", "tools", "converted"] = "messages"
    indices: tuple[int, ...] = ()

    def __str__(self) -> str:
        """The note with its positions, at most five of them."""
        shown = ", ".join(map(str, self.indices[:5])) + (", …" if len(self.indices) > 5 else "")
        return f"{self.where}[{shown}]: {self.message}" if self.indices else f"{self.where}: {self.message}"


def text_or_none(value: object) -> str | None:
    """A member that must be a text, as far as it is one: callers hand over anything."""
    return value if isinstance(value, str) else None


class Log:
    """Collects notes; equal ones become one note with several positions."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        """Start empty."""
        self._seen: dict[tuple[Literal["messages", "system", "tools"], str], dict[int, None]] = {}

    def add(self, index: int, message: str, where: Literal["messages", "tools"] = "messages") -> None:
        """Note `message` for position `index` (below 0: the system prompt that was given apart)."""
        if index < 0:
            self._seen.setdefault(("system", message), {})
        else:
            self._seen.setdefault((where, message), {})[index] = None

    def left_out(
        self,
        index: int,
        part: Mapping[str, Any],
        known: frozenset[str],
        where: Literal["messages", "tools"] = "messages",
    ) -> None:
        """Note each member of `part` that is not `known` and says something."""
        if part.keys() <= known:
            return
        for key in part.keys() - known:
            if part[key] not in (None, False, [], {}):
                self.add(index, f"{key} left out", where)

    def notes(self) -> tuple[Note, ...]:
        """Every note, in the order in which each was first made."""
        return tuple(Note(message, where, tuple(sorted(at))) for (where, message), at in self._seen.items())


@dataclass(slots=True)
class Text:
    """What somebody said."""

    text: str


@dataclass(slots=True)
class Refusal:
    """Why the model declined; a text of its own kind in OpenAI's formats."""

    text: str


@dataclass(slots=True)
class Image:
    """A picture: an address (or a `data:` address with the picture inside), or the id of a file that OpenAI holds."""

    url: str | None = None
    file_id: str | None = None
    detail: str | None = None


@dataclass(slots=True)
class Document:
    """A PDF or other file, as a `data:` address, an address, or the id of a file that OpenAI holds."""

    data: str | None = None
    url: str | None = None
    file_id: str | None = None
    title: str | None = None


@dataclass(slots=True)
class Thinking:
    """Reasoning: its readable text (`None` where it is hidden), and what only its provider can read."""

    text: str | None
    signature: str | None = None


@dataclass(slots=True)
class Call:
    """A call that the caller must answer. `arguments` is an object, or a text where it is not JSON."""

    id: str
    name: str
    arguments: dict[str, Any] | str
    custom: bool = False


@dataclass(slots=True)
class Result:
    """The answer to a call."""

    id: str
    content: str | list[Block]
    index: int
    error: bool = False
    call: Call | None = None


@dataclass(slots=True)
class Unknown:
    """A block that only its own format knows."""

    kind: str
    raw: Mapping[str, Any]


Block: TypeAlias = Text | Refusal | Image | Document | Thinking | Call | Result | Unknown


@dataclass(slots=True)
class Turn:
    """What one role said at one place.

    Attributes:
        role: who speaks.
        blocks: what is said, in order. Results stand here only when no call of theirs is open.
        index: position of the message that it came from.
        bare: the content was one text, not a list with one.
        developer: the role was `developer` (of the kind `system`).
        separate: a system prompt that was given apart from the messages.
        same: the caller's own message, where it means the same in every format and may be used as it is.
        results: for an assistant turn, the answers to its calls, in the order in which they came.
    """

    role: Literal["system", "user", "assistant"]
    blocks: list[Block]
    index: int
    bare: bool = False
    developer: bool = False
    separate: bool = False
    same: dict[str, Any] | None = None
    results: list[Result] = field(default_factory=list)

    def calls(self) -> list[Call]:
        """The calls of the turn."""
        return [block for block in self.blocks if type(block) is Call]


class Turns:
    """The turns read so far. Hangs each result on the turn whose call it answers.

    Ids may repeat between turns (many servers count from 0 in each): a result answers the oldest open
    call of its id in the newest turn that has one. A result without an id answers the oldest open call
    of the newest turn with calls.
    """

    __slots__ = ("_open", "_pending", "log", "turns")

    def __init__(self, log: Log) -> None:
        """Start empty; notes go to `log`."""
        self.turns: list[Turn] = []
        self.log = log
        self._open: dict[str, tuple[Turn, deque[Call]]] = {}
        self._pending: deque[Call] = deque()

    def add(self, turn: Turn) -> None:
        """Append a turn; its calls wait for their results."""
        self.turns.append(turn)
        if turn.role == "assistant":
            calls = turn.calls()
            if calls:
                self._pending.clear()
                self._wait(turn, calls)

    def extend(self, blocks: Iterable[Block]) -> None:
        """Append blocks to the turn that was added last."""
        turn = self.turns[-1]
        for block in blocks:
            turn.blocks.append(block)
            if type(block) is Call:
                self._wait(turn, (block,))

    def answer(self, result: Result) -> Call | None:
        """Hang a result on its call's turn; where no call is open it becomes a turn of its own.

        Returns:
            The call that it answers.
        """
        if not result.id:
            self._name(result)
        turn, waiting = self._open.get(result.id, (None, None))
        if turn is None or not waiting:
            self.add(Turn("user", [result], result.index))
            return None
        result.call = waiting.popleft()
        turn.results.append(result)
        if self._pending and self._pending[0] is result.call:
            self._pending.popleft()
        if self.turns[-1] is not turn:
            self.log.add(result.index, "the result was moved next to its call")
        return result.call

    def _wait(self, turn: Turn, calls: Iterable[Call]) -> None:
        for call in calls:
            known = self._open.get(call.id)
            if known is not None and known[0] is turn:
                known[1].append(call)
            else:
                self._open[call.id] = (turn, deque((call,)))
            self._pending.append(call)

    def _name(self, result: Result) -> None:
        """Give a result without an id that of the oldest open call."""
        while self._pending and not any(call is self._pending[0] for call in self._open[self._pending[0].id][1]):
            self._pending.popleft()
        if self._pending:
            result.id = self._pending[0].id
            self.log.add(result.index, "a result without an id was given that of the oldest open call")
