"""Where masked values are kept when they must come back."""

from __future__ import annotations

from threading import Lock
from typing import Any, Final, Protocol, final, runtime_checkable

__all__ = ["MemoryVault", "Vault"]

_TAG_LETTERS: Final = 12
"""Letters of a vault's tag: 56 bits, so that no text has a token of it by chance or by guess."""


@runtime_checkable
class Vault(Protocol):
    """Keeps values under references, so that :meth:`octavo.privacy.Masker.unmask` can bring them back.

    A reference stands in the token, `[KR_RRN:<reference>]`. It is a random tag with a number (`qhzkfmwtbdrx:1`), or 16
    to 128 small letters and digits. Two rules keep one person's text from being turned into another's value: a
    reference cannot be guessed, and one vault serves one session or one person, never all of them.

    Methods may be called from several threads. What they raise is not caught: nothing is masked by halves.
    """

    def put(self, kind: str, value: str, /) -> str:
        """Keep a value; the reference, the same one for the same kind and value."""
        ...

    def get(self, kind: str, reference: str, /) -> str | None:
        """The value under a reference of that kind; `None` where there is none."""
        ...


@final
class MemoryVault:
    """A vault in the memory of this process: gone with it, and never written anywhere."""

    __slots__ = ("_lock", "_references", "_tag", "_values")

    def __init__(self) -> None:
        """Make an empty vault with a random tag."""
        self._tag = _tag()
        self._lock: Final = Lock()
        self._references: Final[dict[tuple[str, str], str]] = {}
        self._values: Final[dict[tuple[str, str], str]] = {}

    def put(self, kind: str, value: str, /) -> str:
        """Keep a value; its reference, the same one for the same kind and value."""
        with self._lock:
            known = self._references.get((kind, value))
            if known is not None:
                return known
            reference = f"{self._tag}:{len(self._references) + 1}"
            self._references[kind, value] = reference
            self._values[kind, reference] = value
            return reference

    def get(self, kind: str, reference: str, /) -> str | None:
        """The value under a reference of that kind; `None` where there is none."""
        return self._values.get((kind, reference))

    def clear(self) -> None:
        """Forget every value; tokens that were given out stay tokens, and are never given out again."""
        with self._lock:
            self._values.clear()
            self._references.clear()
            self._tag = _tag()

    def __copy__(self) -> MemoryVault:
        return self

    def __deepcopy__(self, _memo: object) -> MemoryVault:
        # There is one of each: two with the same tag would give the same token to different values.
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a MemoryVault cannot be pickled: its values stay in this process")

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<MemoryVault: {len(self)} values>"


def _tag() -> str:
    from secrets import choice

    return "".join(choice("abcdefghijklmnopqrstuvwxyz") for _ in range(_TAG_LETTERS))
