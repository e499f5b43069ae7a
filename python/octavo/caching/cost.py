"""What the input of one call costs, split into what a cache gives, what is written to it, and the rest."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from octavo.budget import whole_number
from octavo.caching.prices import Lifetime, Prices

__all__ = ["Cost", "cost_of", "dollars", "money_of", "split"]

_MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Cost:
    """The input cost of one call; exact for the token counts that it was made from.

    Attributes:
        uncached: tokens at the price of input.
        written: tokens that are written to the cache, where writing is billed apart.
        read: tokens that the cache gives.
        money: US dollars for all of them.
        without_cache: US dollars if there were no cache.
        prices: what they were priced with.
        lifetime: the name of the lifetime that was assumed.
        assumed: what the figure rests on beside the token counts, in words.
    """

    uncached: int
    written: int
    read: int
    money: Decimal
    without_cache: Decimal
    prices: Prices
    lifetime: str
    assumed: tuple[str, ...]

    @property
    def tokens(self) -> int:
        """All input tokens."""
        return self.uncached + self.written + self.read

    @property
    def saved(self) -> Decimal:
        """US dollars that the cache saves at this call; negative where writing costs more than reading saves."""
        return self.without_cache - self.money

    def __str__(self) -> str:
        """One line for each thing to know."""
        parts = f"{self.uncached:,} uncached, {self.written:,} written, {self.read:,} read"
        money, bare = dollars(self.money), dollars(self.without_cache)
        head = f"{money} for {self.tokens:,} input tokens ({parts}); {bare} without cache"
        return "\n".join([head, *(f"  assumed: {line}" for line in self.assumed)])


def dollars(money: Decimal) -> str:
    """A sum without zeros at its end."""
    return f"{'-' if money < 0 else ''}${abs(money).normalize():f}"


def cost_of(prices: Prices, tokens: int, shared: int = 0, *, tail: int = 0, lifetime: str | None = None) -> Cost:
    """Price one call.

    Args:
        prices: what tokens cost.
        tokens: input tokens of the call.
        shared: of these, how many at the start a warm cache holds.
        tail: of these, how many at the end are not to be cached: they will be others at the next call.
        lifetime: what entries are asked to live, as the prices name it; the shortest where it is not given.

    Raises:
        BudgetError: a number is negative or not whole.
        ArgumentError: the prices have no such lifetime.
    """
    for name, number in (("tokens", tokens), ("shared", shared), ("tail", tail)):
        whole_number(name, number)
    life = prices.lifetime(lifetime)
    parts = split(prices, life, tokens, shared, tail)
    assumed = tuple(_assumed(prices, life, tokens))
    return Cost(*parts, money_of(prices, life, parts), tokens * prices.input / _MILLION, prices, life.name, assumed)


def split(prices: Prices, life: Lifetime, tokens: int, shared: int, tail: int = 0) -> tuple[int, int, int]:
    """Tokens uncached, written and read."""
    cacheable = max(0, tokens - tail)
    read = min(shared, cacheable) // prices.step * prices.step
    if read < prices.minimum:
        read = 0
    if life.write is None or cacheable < prices.minimum:
        return tokens - read, 0, read
    return tokens - cacheable, cacheable - read, read


def money_of(prices: Prices, life: Lifetime, parts: tuple[int, int, int]) -> Decimal:
    """US dollars for tokens uncached, written and read."""
    uncached, written, read = parts
    write = prices.input if life.write is None else life.write
    return (uncached * prices.input + written * write + read * prices.read) / _MILLION


def _assumed(prices: Prices, life: Lifetime, tokens: int) -> list[str]:
    said = [f"prices of {prices.date}: {prices.source}", f"the call before was at most {life.seconds} seconds ago"]
    if not prices.known:
        said.append(
            "the model is not in the price table" + (f", the row {prices.model} stands in" if prices.model else "")
        )
    if prices.explicit and life.write is not None:
        said.append("breakpoints stand where the prefix ends, here and at the call before")
    if prices.holds_to is not None and tokens > prices.holds_to:
        said.append(f"prompts of more than {prices.holds_to:,} tokens cost more than is counted here")
    return said
