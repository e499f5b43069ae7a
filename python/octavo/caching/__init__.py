"""The prompt cache of a provider: what it saves, when a change pays, where breakpoints stand, what breaks a prefix."""

from octavo.caching.breakpoints import CacheLifetime
from octavo.caching.cost import Cost, cost_of
from octavo.caching.lint import Cause, PrefixBreak, lint_prefix
from octavo.caching.prices import Lifetime, Prices, prices_for
from octavo.caching.timing import Action, Change, Timing, when_to_change

__all__ = [
    "Action",
    "CacheLifetime",
    "Cause",
    "Change",
    "Cost",
    "Lifetime",
    "PrefixBreak",
    "Prices",
    "Timing",
    "cost_of",
    "lint_prefix",
    "prices_for",
    "when_to_change",
]
