"""Shortens one text by its structure: a tool's output to what its reader needs, in a number of tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, cast, get_args

from octavo import _core
from octavo.checking import check_name, refuse
from octavo.errors import BudgetError
from octavo.tokens import Counter, TokenCounter, counter_for

__all__ = ["Kind", "LeftOut", "Shortened", "detect", "shorten"]

Kind: TypeAlias = Literal["json", "log", "code", "html", "diff", "markdown", "plain"]
"""What a text is, which decides what of it is kept."""

_KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How much was left out. All but `tokens` are the sums of what the marks in the text say.

    Attributes:
        tokens: tokens of the text that was given less tokens of the text that was made.
        lines: whole lines; of HTML, lines of the text that it became.
        items: elements of JSON arrays that are shown.
        keys: members of JSON objects that are shown.
        characters: code points of lines, or of strings in JSON, that are shown in part.
    """

    tokens: int = 0
    lines: int = 0
    items: int = 0
    keys: int = 0
    characters: int = 0


@dataclass(frozen=True, slots=True)
class Shortened:
    """A text within a number of tokens.

    Attributes:
        text: the text; the very object that was given, where that fits.
        tokens: its tokens.
        kind: by which structure it was shortened.
        left_out: what is missing in it.
        changed: whether it differs from what was given.
    """

    text: str
    tokens: int
    kind: Kind
    left_out: LeftOut
    changed: bool


def shorten(
    text: str,
    max_tokens: int,
    *,
    model: str | None = None,
    counter: TokenCounter | None = None,
    kind: Kind | None = None,
) -> Shortened:
    """Shorten a text to at most so many tokens, by the structure that it has.

    A text that fits is given back as it is. The answer is never longer than the text, marks included.

    Args:
        text: what is shortened. A lone surrogate counts, and is written, as U+FFFD.
        max_tokens: the most tokens, from 0.
        model: whose tokens are counted; `None` is the fallback of `counter_for`.
        counter: a counter to count with instead, as `counter_for` takes it.
        kind: what the text is, where the caller knows; else it is told from the text. JSON that does not parse
            is taken as `plain`.

    Raises:
        ArgumentError: an argument is of a kind that its parameter does not take.
        BudgetError: `max_tokens` is below 0.
        CounterError: the counter answers something else than a number of tokens.
    """
    if not isinstance(cast("object", text), str):
        raise refuse("text", "a text", text)
    limit = _limit(max_tokens)
    check_name("model", model)
    if kind is not None and kind not in _KINDS:
        raise refuse("kind", f"one of {', '.join(_KINDS)}", kind)
    counting = counter if isinstance(counter, Counter) else counter_for(model, counter=counter)
    made, tokens, told, left_out = _core.shorten_text(text, limit, counting.core, kind)
    return Shortened(made, tokens, cast("Kind", told), LeftOut(*left_out), made is not text)


def detect(text: str) -> Kind:
    """Say what a text is. JSON is read to its end; of everything else, at most 200 lines are looked at."""
    if not isinstance(cast("object", text), str):
        raise refuse("text", "a text", text)
    return cast("Kind", _core.detect_kind(text))


def _limit(max_tokens: int) -> int:
    """The limit, if it is one; above what any text can have, all are the same."""
    given = cast("object", max_tokens)
    if isinstance(given, bool) or not isinstance(given, int):
        raise refuse("max_tokens", "a number of tokens", given)
    if given < 0:
        raise BudgetError(f"max_tokens must be 0 or more, got {given}", name="max_tokens", got=given)
    return min(given, 2**62)
