"""Step recall at a budget: of what a recorded tool call was given, how much the context before it still held.

No model is asked. The values of a call's arguments (4 to 200 characters, one line) that stand earlier in the
conversation, outside the system prompt, are looked up in what would be sent before it; and so are the lines of longer
arguments. A budget is the fixed parts (system and tools) and a room for the history.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from octavo.budget import LEDGER_SHARE, Budget
from octavo.compaction.speech import said_in
from octavo.messages import Format, plain
from octavo.tokens import Counter
from octavo.transcript import Transcript

__all__ = [
    "LONGEST",
    "SHORTEST",
    "Recall",
    "Steps",
    "arguments_in",
    "interval",
    "leaves",
    "lines_of",
    "text_of",
    "values_of",
]

SHORTEST: Final = 4
LONGEST: Final = 200
"""Characters of a value that is looked up: shorter ones stand anywhere, longer ones are texts of their own."""

_STRUCTURED: Final = frozenset({"gemini", "bedrock"})
"""Formats whose results may be objects: what the model reads of them is the values, not JSON's escapes."""


@dataclass(frozen=True, slots=True)
class Recall:
    """What a conversation's calls found, or those of many.

    Attributes:
        calls: tool calls with something to look up.
        complete: those of them of which all values were there.
        values: values that stand earlier in the conversation.
        present: those of them that were there.
        lines: lines of longer arguments that stand earlier.
        lines_present: those of them that were there.
        contexts: model calls that were looked at.
        tokens: of what they would be sent, together.
        over: those whose context is over its budget, since what must stay does not fit.
    """

    calls: int = 0
    complete: int = 0
    values: int = 0
    present: int = 0
    lines: int = 0
    lines_present: int = 0
    contexts: int = 0
    tokens: int = 0
    over: int = 0

    def __add__(self, other: Recall) -> Recall:
        """Both together."""
        return Recall(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class _Sought:
    """What one tool call needs of what was said before it."""

    values: frozenset[str]
    lines: frozenset[str]


class Steps:
    """The tool calls of one recorded conversation, and what of their arguments was said before.

    Args:
        messages: the messages, in any format.
        format: their format; told from them when not given.
        model: whose tokens are counted and whose rules hold, as for a :class:`octavo.Transcript`.
        tools: the tool definitions.
        system: the system parameter, where it stands apart.
        counter: counts tokens instead of the model's.

    Raises:
        FormatError: the format cannot be told.
        MessageError: one is no message.
    """

    def __init__(
        self,
        messages: Sequence[Any],
        *,
        format: Format | None = None,
        model: str | None = None,
        tools: Any = None,
        system: Any = None,
        counter: Counter | None = None,
    ) -> None:
        """Read the messages."""
        read = Transcript(model, format=format, counter=counter)
        read.extend(messages)
        self._messages = read.messages
        self._format: Format = read.format
        self._model, self._counter = model, read.counter
        self._around = {"tools": tools, "system": system}
        self._texts = [text_of(message, self._format) for message in self._messages]
        self._by_id = {id(message): text for message, text in zip(self._messages, self._texts, strict=True)}
        self._leading = next((at for at, one in enumerate(self._messages) if _speaker(one) != "system"), 0)

    @cached_property
    def fixed(self) -> int:
        """Tokens of the fixed parts: system and tools."""
        leading = self._messages[: self._leading]
        return self._counter.count_messages(leading, format=self._format, **self._around).tokens

    @cached_property
    def _judged(self) -> dict[int, list[_Sought]]:
        """By the message before which the model was called: what each of its tool calls needs."""
        whole = "\n".join(self._texts[self._leading :])
        ends, at = [0] * (self._leading + 1), 0
        for text in self._texts[self._leading :]:
            at += len(text) + 1
            ends.append(at)
        # Where a value stands first is looked up once: the history is not searched anew at every call.
        first: dict[str, int] = {}

        def earlier(sought: set[str], cut: int) -> frozenset[str]:
            for value in sought - first.keys():
                place = whole.find(value)
                first[value] = len(whole) + 1 if place < 0 else place + len(value)
            return frozenset(value for value in sought if first[value] < ends[cut])

        judged: dict[int, list[_Sought]] = {}
        for cut, turn in _turns(self._messages):
            for arguments in (found for message in turn for found in arguments_in(message)):
                needed = _Sought(earlier(values_of(arguments), cut), earlier(lines_of(arguments), cut))
                if needed.values or needed.lines:
                    judged.setdefault(cut, []).append(needed)
        return judged

    def recall(self, room: int, *, ledger: float = LEDGER_SHARE) -> Recall:
        """Assemble a context before each call, and look up what the call needs.

        Args:
            room: tokens for the history, beside the fixed parts.
            ledger: share of the room for the values of what was left out; 0 tells none.
        """
        transcript = Transcript(self._model, format=self._format, counter=self._counter)
        budget, found, done = Budget(self.fixed + room, ledger=ledger), Recall(), 0
        for cut, needed in self._judged.items():
            transcript.extend(self._messages[done:cut])
            done = cut
            context = transcript.assemble(budget=budget, **self._around)
            shown = "\n".join(self._text(one) for one in context.messages if _speaker(one) != "system")
            found += Recall(contexts=1, tokens=context.tokens, over=int(not context.fits))
            found += sum((_looked_up(one, shown) for one in needed), Recall())
        return found

    def _text(self, message: Any) -> str:
        known = self._by_id.get(id(message))
        return text_of(message, self._format) if known is None else known


def _looked_up(needed: _Sought, shown: str) -> Recall:
    present = sum(value in shown for value in needed.values)
    return Recall(
        calls=int(bool(needed.values)),
        complete=int(bool(needed.values) and present == len(needed.values)),
        values=len(needed.values),
        present=present,
        lines=len(needed.lines),
        lines_present=sum(line in shown for line in needed.lines),
    )


def _turns(messages: Sequence[Any]) -> Iterator[tuple[int, Sequence[Any]]]:
    """The turns of the model: where each begins, and its messages."""
    start = None
    for at, message in enumerate(messages):
        if _speaker(message) == "assistant":
            start = at if start is None else start
        elif start is not None:
            yield start, messages[start:at]
            start = None
    if start is not None:
        yield start, messages[start:]


def _speaker(message: Any) -> str:
    """Who a message is from: `system`, `assistant`, or anybody else."""
    held = plain(message)
    role = held.get("role")
    if role is None:
        kind = str(held.get("type", ""))
        return "tool" if kind.endswith(("_output", "_result")) else "assistant"
    return {"model": "assistant", "developer": "system"}.get(str(role), str(role))


def leaves(value: object) -> Iterator[str]:
    """Every string and number inside a value, as text."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting.extend(reversed(item.values()))
        elif isinstance(item, list):
            waiting.extend(reversed(item))
        elif isinstance(item, int | float) and not isinstance(item, bool):
            yield str(item)


def arguments_in(message: Any) -> list[object]:
    """The arguments of each call in a message of the model's."""
    return [_parsed(said.text) for said in said_in(message) if said.kind == "call" and _speaker(message) == "assistant"]


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def text_of(message: Any, format: Format) -> str:
    """All that a model reads in a message, reasoning aside; escapes of JSON undone in arguments."""
    texts: list[str] = []
    for said in said_in(message):
        parsed = said.kind == "call" or (said.kind == "result" and format in _STRUCTURED)
        texts.extend(leaves(_parsed(said.text)) if parsed else [said.text])
    return "\n".join(texts)


def values_of(arguments: object) -> set[str]:
    """The values of a call that can be looked up."""
    return {leaf for leaf in leaves(arguments) if SHORTEST <= len(leaf) <= LONGEST and "\n" not in leaf}


def lines_of(arguments: object) -> set[str]:
    """The lines of a call's longer arguments that can be looked up."""
    longer = (leaf for leaf in leaves(arguments) if len(leaf) > LONGEST or "\n" in leaf)
    lines = (line.strip() for leaf in longer for line in leaf.splitlines())
    return {line for line in lines if SHORTEST <= len(line) <= LONGEST}


def interval(part: int, whole: int) -> tuple[float, float]:
    """Where a share that was found to be `part` of `whole` lies with 95 % confidence: Wilson's score interval."""
    if not whole:
        return 0.0, 1.0
    share, z = part / whole, 1.959964
    middle, spread = share + z * z / (2 * whole), z * math.sqrt(share * (1 - share) / whole + (z / (2 * whole)) ** 2)
    scale = 1 + z * z / whole
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)
