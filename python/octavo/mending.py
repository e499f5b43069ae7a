"""Surrogates in what is sent: no client can encode a lone one, so that U+FFFD is sent in its place.

Half a character is what is left where a text was cut in UTF-16 units, as JavaScript and Java do. Stores give back what
they were given; what is counted, and what is sent, has U+FFFD for it, and the character itself for a surrogate pair.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, Final

from octavo import _core
from octavo.messages import plain

__all__ = ["MENDED", "mend_messages", "mended", "places_in"]

MENDED: Final = "wrote U+FFFD for half a character (a lone surrogate), which cannot be sent"

_DATA: Final = (bytes, bytearray, memoryview, int, float, type(None))


def mended(value: Any) -> Any:
    """Give a value without surrogates in its texts and names, however deep; the same object where there are none.

    What is edited is copied: the caller's own value is never changed. Values that contain themselves are refused
    where they are read, before this.
    """
    if isinstance(value, str):
        return _core.mended(value)
    if isinstance(value, Mapping):
        items = [(mended(key), mended(item)) for key, item in value.items()]
        same = all(key is old and item is value[old] for (key, item), old in zip(items, value, strict=True))
        return value if same else dict(items)
    if isinstance(value, list | tuple):
        each = [mended(item) for item in value]
        return value if all(new is old for new, old in zip(each, value, strict=True)) else each
    if isinstance(value, _DATA) or not _core.is_garbled(value):
        return value
    return mended(plain(value))


def mend_messages(
    engine: _core.Transcript, spans: Sequence[tuple[int, int]], sources: Sequence[Any] | None, shown: list[Any]
) -> tuple[str, ...]:
    """Put a mended message in the place of each that has surrogates.

    Args:
        engine: the conversation: it knows which of its messages have them, hardly ever any.
        spans: the messages that are shown.
        sources: where they were made valid, for each shown one its number, or how it was put together.
        shown: the messages, in a list of its own; changed.

    Returns:
        What was done, in words.
    """
    garbled = engine.garbled
    if not garbled:
        return ()
    if sources is None:
        places: list[tuple[int | None, int]] = [*places_in(garbled, spans)]
    else:
        marked = set(garbled)
        # What a repair put together may be made of any message.
        places = [
            (source if isinstance(source, int) else None, at)
            for at, source in enumerate(sources)
            if not isinstance(source, int) or source in marked
        ]
    told: list[str] = []
    for index, at in places:
        sent = mended(shown[at])
        if sent is not shown[at]:
            shown[at] = sent
            told.append(f"{'a message' if index is None else f'message {index}'}: {MENDED}")
    return tuple(told)


def places_in(messages: Sequence[int], spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of these messages, in order, those that are shown: number and place in the list."""
    before = [0]
    for start, end in spans:
        before.append(before[-1] + end - start)
    starts = [start for start, _ in spans]
    places: list[tuple[int, int]] = []
    for index in messages:
        span = bisect_right(starts, index) - 1
        if span >= 0 and index < spans[span][1]:
            places.append((index, before[span] + index - starts[span]))
    return places
