"""What was found: kinds, findings, and where they stand in every encoding that counts differently."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from octavo import _core
from octavo.checking import check_text, refuse
from octavo.errors import ArgumentError, MaskingError

__all__ = [
    "DEFAULT_KINDS",
    "KINDS",
    "Finding",
    "Match",
    "Span",
    "check_kind",
    "check_unseen",
    "finding",
    "is_kind",
    "known_kinds",
    "located",
    "matches",
    "refuse_unseen",
]

KINDS: Final[tuple[str, ...]] = tuple(kind for kind, _ in _core.mask_kinds())
"""Every kind that is built in, as tokens name it: `KR_RRN`, `EMAIL`, `OPENAI_KEY`, …"""

DEFAULT_KINDS: Final[tuple[str, ...]] = tuple(kind for kind, default in _core.mask_kinds() if default)
"""The kinds that are found when none are named."""

Span: TypeAlias = tuple[str, int, int, int, int, int, int, int]
"""A finding as the engine gives it: kind, code points, bytes, UTF-16 units (each start and end), confidence."""

_KIND: Final = re.compile("[A-Z][A-Z0-9_]{1,47}")


@final
@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that must not be kept. It holds no text: it can be logged.

    Attributes:
        kind: what it is: a name of :data:`KINDS`, or of a recogniser of one's own.
        start: where it begins in the Python string, in code points.
        end: where it ends: `text[start:end]` is what is masked.
        bytes: the same as `(start, end)` in UTF-8.
        utf16: the same in UTF-16 units, as JavaScript, Java and C# count.
        confidence: 1 to 100. A check digit that fits raises it; nothing is left unmasked because of a low one.
    """

    kind: str
    start: int
    end: int
    bytes: tuple[int, int]
    utf16: tuple[int, int]
    confidence: int


@final
@dataclass(frozen=True, slots=True)
class Match:
    """What a recogniser of one's own answers for one place of a text.

    Attributes:
        kind: what it is, in capitals, digits and `_`: the name inside the token.
        start: where it begins, in code points.
        end: where it ends.
        confidence: 1 to 100.
    """

    kind: str
    start: int
    end: int
    confidence: int = 80


def finding(span: Span) -> Finding:
    """The engine's finding as an object."""
    kind, start, end, byte_start, byte_end, utf16_start, utf16_end, confidence = span
    return Finding(kind, start, end, (byte_start, byte_end), (utf16_start, utf16_end), confidence)


def matches(spans: Iterable[Span]) -> list[Match]:
    """The engine's findings as matches: code points only."""
    return [Match(span[0], span[1], span[2], span[7]) for span in spans]


def located(text: str, found: Iterable[Match]) -> Iterator[Finding]:
    """Matches in order and apart from one another, with their places in UTF-8 and UTF-16."""
    at = in_bytes = in_units = 0
    for match in found:
        gap, inside = text[at : match.start], text[match.start : match.end]
        byte_start, unit_start = in_bytes + _bytes(gap), in_units + _units(gap)
        at, in_bytes, in_units = match.end, byte_start + _bytes(inside), unit_start + _units(inside)
        yield Finding(
            match.kind, match.start, match.end, (byte_start, in_bytes), (unit_start, in_units), match.confidence
        )


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def refuse_unseen(name: str, takes: str, value: object) -> ArgumentError:
    """The error for something else than what is masked. Only its class is told: the value may be a number in bytes."""
    return ArgumentError(f"{name} must be {takes}, got {type(value).__name__}", name=name, got=type(value))


def check_unseen(name: str, value: object) -> None:
    """Refuse what is no text, without showing it.

    Raises:
        ArgumentError: it is something else.
    """
    if not isinstance(value, str):
        raise refuse_unseen(name, "a text", value)


def is_kind(kind: object) -> bool:
    """Whether this can stand in a token."""
    return isinstance(kind, str) and _KIND.fullmatch(kind) is not None


def check_kind(name: str, kind: object) -> str:
    """A kind as it can stand in a token.

    Raises:
        ArgumentError: it is no text.
        MaskingError: it has other characters than capitals, digits and `_`, or not 2 to 48 of them.
    """
    check_text(name, kind, optional=False)
    if not isinstance(kind, str) or not is_kind(kind):
        raise MaskingError(
            f"{name} must be 2 to 48 capitals, digits and _, such as EMPLOYEE_ID, got {kind!r:.80}", name=name
        )
    return kind


def known_kinds(kinds: Iterable[str] | None) -> tuple[str, ...]:
    """The kinds that are asked for, each once; :data:`DEFAULT_KINDS` for `None`.

    Raises:
        ArgumentError: a text instead of a list of texts, or something else in the list.
        MaskingError: a name that is not among :data:`KINDS`.
    """
    if kinds is None:
        return DEFAULT_KINDS
    asked = tuple(dict.fromkeys(_each_kind(kinds)))
    for kind in asked:
        if kind not in KINDS:
            raise MaskingError(f"unknown kind {kind!r:.80}: expected some of {', '.join(KINDS)}", name="kinds")
    return asked


def _each_kind(kinds: object) -> Iterator[str]:
    if isinstance(kinds, str | bytes) or not isinstance(kinds, Iterable):
        raise refuse("kinds", "a list of names", kinds)
    for at, kind in enumerate(kinds):
        check_text(f"kinds[{at}]", kind, optional=False)
        yield str(kind)
