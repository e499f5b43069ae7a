"""Stops what fails again and again, and says why in numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["Breaker"]


@dataclass(slots=True)
class Breaker:
    """Pauses after so many failures in a row; after the pause one attempt is let through.

    Attributes:
        most: failures in a row that lead to a pause.
        pause: seconds of the first pause; each further failure doubles it, to a day at most.
        clock: the time in seconds.
        failures: failures in a row so far.
        until: when the pause ends; `None` while there is none.
        last: why the last attempt failed.
    """

    most: int
    pause: float
    clock: Callable[[], float]
    failures: int = 0
    until: float | None = None
    last: str = ""
    _waited: float = field(default=0.0, repr=False)

    @property
    def paused(self) -> str:
        """Why nothing is attempted now, in words and numbers; empty where an attempt may be made."""
        left = 0.0 if self.until is None else self.until - self.clock()
        if left <= 0:
            return ""
        return (
            f"{self.failures} failures in a row, at most {self.most}: paused for {left:.0f} s more; last: {self.last}"
        )

    def failed(self, why: str) -> None:
        """Count a failure."""
        self.failures += 1
        self.last = why
        if self.failures >= self.most:
            self._waited = min(max(self.pause, self._waited * 2), 86_400.0)
            self.until = self.clock() + self._waited

    def succeeded(self) -> None:
        """Start anew."""
        self.failures, self.until, self.last, self._waited = 0, None, "", 0.0
