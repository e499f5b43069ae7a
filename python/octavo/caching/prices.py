"""What input tokens cost, and what a provider's prompt cache asks for: dated data, a row a model or family."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast

from octavo._core import model_profile
from octavo.budget import whole_number
from octavo.checking import check_name, refuse
from octavo.errors import BudgetError

__all__ = ["Lifetime", "Prices", "prices_for"]

_TABLE: Final = Path(__file__).with_name("prices.json")

# Where a name may begin inside the one that a cloud or a router gives: `bedrock/us.anthropic.claude-…`, `ft:gpt-…`.
_BEGIN: Final = re.compile(r"(?:^|(?<=[/.:]))(?=[a-z])")

# What may follow a prefix: nothing, or a further word. `-9` is another version, `-20250514` and `-0613` are dates.
_END: Final = re.compile(r"$|[-_:@/](?!\d{1,2}(?!\d))")

_ANYTHING: Final = re.compile("")

# Routers write `claude-opus-4.5` where Anthropic has `claude-opus-4-5`.
_DOTTED: Final = re.compile(r"(?<=\d)\.(?=\d)")

_MINIMUM: Final = 1024
"""The shortest prefix that is cached where the model table states none: Anthropic's and OpenAI's usual one."""


@dataclass(frozen=True, slots=True)
class Lifetime:
    """How long a cache entry lives, and what it costs to write.

    Attributes:
        name: as the provider calls it: `5m`, `1h`, `30m`.
        seconds: how long it lives after it was written or read last. Where a provider promises a range, its beginning.
        write: US dollars for a million tokens that are written; `None` where writing is not billed apart.
    """

    name: str
    seconds: int
    write: Decimal | None


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of input in US dollars for a million tokens, and the limits of the cache.

    `dataclasses.replace` makes those of your own contract.

    Attributes:
        model: the beginning of the names that they hold for; empty for the fallback.
        known: whether they are those of the model; false for the row of a family and for the fallback.
        input: a million tokens that the cache has no part in.
        read: a million tokens that the cache gives.
        lifetimes: what an entry can be asked to live, the shortest first.
        minimum: the shortest prefix that is cached, in tokens. Nothing tells a caller that a prompt is below.
        step: hits are rounded down to a multiple of so many tokens.
        lookback: how many content blocks before a breakpoint are searched for an earlier entry; `None`: all.
        breakpoints: how many a request may set; 0 where it can set none.
        explicit: whether a request can set breakpoints.
        holds_to: prompts of more tokens cost more than is said here; `None` where all cost the same.
        source: where the row comes from.
        date: when it was read.

    Raises:
        BudgetError: a price is negative or no number, or a limit is out of range.
        ArgumentError: a price is no `Decimal`, or there is no lifetime.
    """

    model: str
    known: bool
    input: Decimal
    read: Decimal
    lifetimes: tuple[Lifetime, ...]
    minimum: int
    step: int
    lookback: int | None
    breakpoints: int
    explicit: bool
    holds_to: int | None
    source: str
    date: str

    def __post_init__(self) -> None:
        """Refuse what would make every sum wrong."""
        if not self.lifetimes:
            raise refuse("lifetimes", "at least one Lifetime", self.lifetimes)
        writes = [(f"lifetimes[{at}].write", life.write) for at, life in enumerate(self.lifetimes)]
        for name, price in (("input", self.input), ("read", self.read), *writes):
            if price is not None:
                _check_price(name, price)
        for name in ("minimum", "step", "breakpoints"):
            whole_number(name, getattr(self, name))
        if self.step < 1:
            raise BudgetError(f"step must be at least 1, got {self.step}", name="step", got=self.step)

    def lifetime(self, name: str | None = None) -> Lifetime:
        """The lifetime of that name, the shortest where none is named.

        Raises:
            ArgumentError: there is none of that name.
        """
        for life in self.lifetimes:
            if name is None or life.name == name:
                return life
        raise refuse("lifetime", f"one of {', '.join(life.name for life in self.lifetimes)}", name)


def _check_price(name: str, price: object) -> None:
    if not isinstance(price, Decimal):
        raise refuse(name, "a Decimal", price)
    if not price.is_finite() or price < 0:
        raise BudgetError(f"{name} must be a price, got {price}", name=name, got=price)


def prices_for(model: str | None) -> Prices:
    """The prices of a model by its name, in whatever form clouds and routers write it.

    A name that no row matches gets its family's row, or the fallback: one dollar for a million tokens, with no
    discount. Neither is `known`.

    Raises:
        ArgumentError: `model` is no text.
    """
    check_name("model", model)
    return _prices_for(model or "")


@lru_cache(maxsize=256)
def _prices_for(model: str) -> Prices:
    row = max(_matching(model.lower()), key=lambda each: len(each["prefix"]), default=_table()["fallback"])
    return _prices(row, model)


def _matching(name: str) -> Iterator[dict[str, Any]]:
    if "claude" in name:
        name = _DOTTED.sub("-", name)
    begins = [found.start() for found in _BEGIN.finditer(name)]
    for row in _rows():
        prefix = row["prefix"]
        # The row of a family stands in for every version.
        ends = _END if row.get("known", True) else _ANYTHING
        if any(name.startswith(prefix, at) and ends.match(name, at + len(prefix)) for at in begins):
            yield row


def _prices(row: dict[str, Any], model: str) -> Prices:
    price = Decimal(row["input"])
    minimum = model_profile(model).cache_minimum if model else None
    return Prices(
        model=row["prefix"],
        known=row.get("known", True),
        input=price,
        read=Decimal(row["read"]),
        lifetimes=tuple(
            Lifetime(name, seconds, None if factor is None else price * Decimal(factor))
            for name, seconds, factor in row["lifetimes"]
        ),
        minimum=_MINIMUM if minimum is None else minimum,
        step=row["step"],
        lookback=row["lookback"],
        breakpoints=row["breakpoints"],
        explicit=row["explicit"],
        holds_to=row.get("holds_to"),
        source=row["source"],
        date=row["date"],
    )


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads(_TABLE.read_text(encoding="utf-8")))


@lru_cache(maxsize=1)
def _rows() -> tuple[dict[str, Any], ...]:
    """Every row, with what it does not state from its group."""
    return tuple(
        {**{key: value for key, value in group.items() if key != "models"}, **row}
        for group in _table()["groups"]
        for row in group["models"]
    )
