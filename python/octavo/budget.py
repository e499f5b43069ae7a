"""Budgets and sections: how many tokens there are, and who asks for them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal, TypeAlias, cast

from octavo import _core
from octavo.errors import BudgetError

__all__ = ["Budget", "Marks", "Place", "Section", "whole_number"]

Place: TypeAlias = Literal["prefix", "head", "tail"]
"""Where a section stands: `prefix` never changes within a session, `head` changes only with a planned change
of the history, `tail` is volatile and stands after everything that the prompt cache may hold."""

_LARGEST: Final = 2**63 - 1
LEDGER_SHARE: Final = 0.15
"""The ledger's share of the room, unless the caller says otherwise."""

SUMMARY_SHARE: Final = 0.10
"""A summary's share of the room, unless the caller says otherwise: where a transcript has summaries."""

_MOST_TOLD: Final = 0.5
"""The low mark: a larger share would leave nothing of the history itself. Ledger and summary have it together."""
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")


def whole_number(name: str, value: object, least: int = 0) -> int:
    """The value, if it is a whole number of tokens.

    Raises:
        BudgetError: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _LARGEST:
        raise BudgetError(
            f"{name} must be a whole number from {least} to 2**63 - 1 tokens, got {value!r}", name=name, got=value
        )
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


@dataclass(frozen=True, slots=True)
class Marks:
    """When shrinking starts and where it goes, as shares of the room.

    The *room* is what can shrink: the budget less the fixed parts (system, tools, framing, sections of fixed
    place).

    Attributes:
        soft: from here on a summary in the background is worth starting, 0 to 1.
        high: above this, shrinking is due, 0 to 1.
        low: shrinking goes down to this, so that the next calls keep their prefix, 0 to 1.

    Raises:
        BudgetError: unless `0 < low <= soft <= high <= 1` and `low < high`, in thousandths: the engine reckons
            in whole numbers, so that every machine cuts alike, and finer marks would be one.
    """

    soft: float = 0.60
    high: float = 0.80
    low: float = 0.50

    def __post_init__(self) -> None:
        """Refuse marks that are out of order."""
        if not all(map(_is_number, (self.low, self.soft, self.high))):
            raise BudgetError(f"marks must be numbers, got {self!r}", name="marks", got=self)
        ordered = 0 < self.low <= self.soft <= self.high <= 1
        _, high, low = self.per_mille
        if not (ordered and 0 < low < high):
            raise BudgetError(
                f"marks must be 0 < low <= soft <= high <= 1 with low < high, in thousandths, got {self!r}",
                name="marks",
                got=self,
            )

    @property
    def per_mille(self) -> tuple[int, int, int]:
        """Soft, high and low in thousandths, as the engine takes them."""
        return round(self.soft * 1000), round(self.high * 1000), round(self.low * 1000)


@dataclass(frozen=True, slots=True)
class Budget:
    """The most input tokens that are sent: system, tools, framing and messages together.

    Attributes:
        window: the model's context window in tokens, or simply the number to stay within.
        reserve: tokens kept free of the window for the answer and its reasoning.
        marks: when shrinking starts and where it goes.
        ledger: share of the room, 0 to 0.5, for a section with values of the messages that were left out
            (docs/guide/ledger.md); 0 writes none.
        summary: share of the room, 0 to 0.5 together with the ledger's, for a summary of the messages that were left
            out, of a transcript that has summaries (docs/guide/compaction.md); 0 shows none.
        clear: whether old outputs of tools are cleared, a placeholder in their place, before exchanges are left out
            (docs/guide/clearing.md). `Transcript.original` and :func:`octavo.recall_output` give them back.

    Raises:
        BudgetError: a number is negative or not whole, a share is out of range, or the reserve leaves nothing of
            the window.
    """

    window: int
    reserve: int = 0
    marks: Marks = field(default_factory=Marks)
    ledger: float = LEDGER_SHARE
    summary: float = SUMMARY_SHARE
    clear: bool = False

    def __post_init__(self) -> None:
        """Refuse a reserve that leaves nothing."""
        whole_number("window", self.window)
        whole_number("reserve", self.reserve)
        given = cast("object", self.marks)
        if not isinstance(given, Marks):
            raise BudgetError(f"marks must be Marks, got {given!r}", name="marks", got=given)
        _check_share("ledger", self.ledger)
        _check_share("summary", self.summary)
        if not isinstance(cast("object", self.clear), bool):
            raise BudgetError(f"clear must be true or false, got {self.clear!r}", name="clear", got=self.clear)
        if self.summary != SUMMARY_SHARE and self.ledger + self.summary > _MOST_TOLD:
            raise BudgetError(
                f"ledger and summary must be {_MOST_TOLD} together at most, got {self.ledger!r} and {self.summary!r}",
                name="summary",
                got=self.summary,
            )
        if self.reserve and self.reserve >= self.window:
            raise BudgetError(
                f"reserve must be smaller than the window of {self.window} tokens, got {self.reserve}",
                name="reserve",
                got=self.reserve,
            )

    @property
    def tokens(self) -> int:
        """The most input tokens that are sent."""
        return self.window - self.reserve

    @classmethod
    def of(cls, budget: int | Budget) -> Budget:
        """Take a plain number as a budget without reserve."""
        if type(budget) is int:
            return _plain(budget)
        return budget if isinstance(budget, Budget) else cls(window=whole_number("budget", budget))


@lru_cache(maxsize=64)
def _plain(tokens: int) -> Budget:
    """The budget of a plain number: the same few come at every call, and checking one is a third of a warm assemble."""
    return Budget(window=whole_number("budget", tokens))


def _check_share(name: str, share: object) -> None:
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= _MOST_TOLD:
        raise BudgetError(f"{name} must be a share from 0 to {_MOST_TOLD}, got {share!r}", name=name, got=share)


def _check_section(name: object, text: object, priority: object, source: object) -> None:
    """Refuse what the annotations do not allow: a section may come from a file."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BudgetError(f"section name must be a tag name, got {name!r}", name="name", got=name)
    if not isinstance(text, str):
        raise BudgetError(f"section text must be a text, got {type(text).__name__}", name="text", got=text)
    if isinstance(priority, bool) or not isinstance(priority, int):
        raise BudgetError(f"priority must be a whole number, got {priority!r}", name="priority", got=priority)
    if source is not None and not isinstance(source, str):
        raise BudgetError(f"section source must be a text, got {source!r}", name="source", got=source)


@dataclass(frozen=True, slots=True)
class Section:
    """A named text beside the history: a procedure, a profile, the state of a task, what was recalled.

    It is written as one delimited block, `<name>` … `</name>`; its own closing tag inside the text is escaped,
    so that the block has one end.

    Attributes:
        name: a tag name: a letter, then letters, digits, `_`, `-` or `.`.
        text: what the model reads; a lone surrogate in it becomes U+FFFD.
        place: where it stands (see :data:`Place`).
        priority: who is served first, higher before lower; any whole number. What there is is shared out in two
            rounds: first the minima, then the rest. Sections of `prefix` and `head` share what budget, system, tools,
            leading system messages and the task leave, however far the history has come, so that the prefix stays;
            below priority 0 they are extras, which leave half of it to the conversation. Those of `tail` share what
            the history leaves over.
        min_tokens: set aside for it, delimiters included, before any section gets more; with a smaller share it is
            left out rather than cut. What is cut may use a few tokens less than its share. At the tail it is kept
            free of history at every call, whether the section has a text at that call or not: else a text that
            comes and goes would move the cut.
        max_tokens: it is cut to this many tokens, delimiters included, with a mark that says how much is left out
            (see :func:`octavo.cutting.cut_text`), and left out where not even they and a short mark fit; `None` is
            no limit.
        source: where it comes from, for the report.

    Raises:
        BudgetError: the name is no tag name, a number is negative or not whole, or the minimum is above the maximum.
    """

    name: str
    text: str
    place: Place = "tail"
    priority: int = 0
    min_tokens: int = 0
    max_tokens: int | None = None
    source: str | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be placed."""
        _check_section(self.name, self.text, self.priority, self.source)
        # Sent as it is counted: U+FFFD in the place of a lone surrogate.
        object.__setattr__(self, "text", _core.mended(self.text))
        if self.place not in ("prefix", "head", "tail"):
            raise BudgetError(
                f"section place must be prefix, head or tail, got {self.place!r}", name="place", got=self.place
            )
        whole_number("min_tokens", self.min_tokens)
        if self.max_tokens is not None and whole_number("max_tokens", self.max_tokens) < self.min_tokens:
            raise BudgetError(
                f"max_tokens {self.max_tokens} is below min_tokens {self.min_tokens}",
                name="max_tokens",
                got=self.max_tokens,
            )

    def block(self, text: str | None = None) -> str:
        """The delimited block, of the whole text or of a cut one."""
        inner = self.text if text is None else text
        closing = re.compile(rf"</(?=\s*{re.escape(self.name)}\s*>)", re.IGNORECASE)
        escaped = closing.sub(r"<\\/", inner)
        return f"<{self.name}>\n{escaped}\n</{self.name}>"
