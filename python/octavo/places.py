"""Where messages of a conversation stand in the list of those that are shown."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

__all__ = ["places_in"]


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
