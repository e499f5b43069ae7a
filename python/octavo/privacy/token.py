"""What stands in the place of a value: a typed token, a stable pseudonym, or a reference into a vault."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias, cast, final

from octavo import _core
from octavo.checking import refuse
from octavo.errors import MaskingError
from octavo.privacy.finding import Match
from octavo.privacy.vault import Vault

__all__ = ["Pseudonyms", "Vaulted", "Write", "outside_tokens", "token_spans", "typed", "unmasked", "written"]

Write: TypeAlias = Callable[[str, str], str]
"""Gives the token for a kind and a value."""

_PAYLOAD: Final = "(?=[0-9]*[a-z])[0-9a-z]{16,128}|(?=[0-9]*[a-z])[0-9a-z]{1,128}:[0-9]{1,9}|[0-9]{1,7}"
"""What can stand after a kind: a pseudonym, a vault's tag with a number, or a short number. The engine knows the same
forms (`mask/token.rs`) and finds nothing in them; none of them is long enough, and digits alone, to be somebody's."""

TOKEN: Final = re.compile(rf"\[([A-Z][A-Z0-9_]{{1,47}})(?::({_PAYLOAD}))?\]")
"""A token of any of the three forms: `[KR_RRN]`, `[KR_RRN:9f3a6c0d5e8b7142]`, `[KR_RRN:qhzkfmwtbdrx:1]`."""

_REFERENCE: Final = re.compile(_PAYLOAD)

_SAME_AS: Final = {"URL_PASSWORD": "SECRET"}
"""Kinds whose values are those of another in another place: one password has one digest wherever it stood."""

_LEAST_KEY: Final = 16
"""Bytes of a key: fewer than 128 bits can be tried out, and with them every phone number there is."""

_DIGEST: Final = 8
"""Bytes of a pseudonym: 64 bits, so that among 2**24 values two share one with a chance of 1 in 2**17."""


def typed(kind: str, _value: str) -> str:
    """`[KR_RRN]`: says what stood there and nothing else."""
    return f"[{kind}]"


@final
class Pseudonyms:
    """Writes `[KR_RRN:9f3a6c0d5e8b7142]`: one value, one token, and nobody without the key can tell which value.

    The digest is HMAC-SHA-256 over kind and canonical value (separators, full-width digits and invisible characters
    make no difference), cut to 64 bits.
    """

    __slots__ = ("_key",)

    def __init__(self, key: object) -> None:
        """Take the tenant's key.

        Raises:
            ArgumentError: it is no bytes.
            MaskingError: it has fewer than 16 bytes.
        """
        if not isinstance(key, bytes | bytearray | memoryview):
            # The value may be a key all the same: only its class is told.
            raise refuse("pseudonym_key", "bytes", type(key))
        self._key: Final = bytes(key)
        if len(self._key) < _LEAST_KEY:
            raise MaskingError(
                f"pseudonym_key must have at least {_LEAST_KEY} bytes, got {len(self._key)}", name="pseudonym_key"
            )

    def __call__(self, kind: str, value: str) -> str:
        """The token of a value."""
        from hmac import digest

        said = f"{_SAME_AS.get(kind, kind)}\0{_core.canonical(kind, value)}".encode("utf-8", "surrogatepass")
        made = digest(self._key, said, "sha256")[:_DIGEST].hex()
        while made.isdigit():  # once in 1,800 values; digits alone could be a card and are no token
            said = made.encode()
            made = digest(self._key, said, "sha256")[:_DIGEST].hex()
        return f"[{kind}:{made}]"

    def __repr__(self) -> str:
        return "<Pseudonyms>"


@final
class Vaulted:
    """Writes `[KR_RRN:<reference>]` with a vault's reference."""

    __slots__ = ("vault",)

    def __init__(self, vault: object) -> None:
        """Keep what is masked in `vault`.

        Raises:
            ArgumentError: it is no vault.
        """
        if isinstance(vault, type) or not isinstance(vault, Vault):
            raise refuse("vault", "an object with put(kind, value) and get(kind, reference)", vault)
        self.vault: Final = vault

    def __call__(self, kind: str, value: str) -> str:
        """The token of a value, which is kept from now on.

        Raises:
            MaskingError: the vault's reference cannot stand in a token.
        """
        reference = cast("object", self.vault.put(kind, value))
        if not isinstance(reference, str) or not _REFERENCE.fullmatch(reference):
            # What it answered is not shown: it may be the value.
            raise MaskingError(
                f"{type(self.vault).__name__}.put must give a reference such as `abcdefghijkl:1`: 1 to 7 digits, "
                "16 to 128 small letters and digits, or such a tag of any length, a colon and 1 to 9 digits",
                name="vault",
            )
        return f"[{kind}:{reference}]"

    def __repr__(self) -> str:
        return f"<Vaulted: {self.vault!r}>"


def unmasked(text: str, vault: Vault) -> str:
    """The text with every token that the vault knows turned back; the same object where there is none.

    Raises:
        MaskingError: the vault gives something else than texts.
    """

    def original(found: re.Match[str]) -> str:
        kind, reference = found[1], found[2]
        value = None if reference is None else cast("object", vault.get(kind, reference))
        if value is not None and not isinstance(value, str):
            raise MaskingError(f"{type(vault).__name__}.get must give a text or None", name="vault")
        return found[0] if value is None else value

    turned = TOKEN.sub(original, text)
    return text if turned == text else turned


def written(text: str, found: Sequence[Match], write: Write) -> str:
    """The text with everything that was found replaced; the same object where that is nothing."""
    return "".join(_pieces(text, found, write)) if found else text


def _pieces(text: str, found: Iterable[Match], write: Write) -> Iterator[str]:
    at = 0
    for one in found:
        yield text[at : one.start]
        # The rest of a finding that a stream could not hold: its token is written already.
        yield write(one.kind, text[one.start : one.end]) if one.confidence else ""
        at = one.end
    yield text[at:]


def token_spans(text: str) -> list[tuple[int, int]]:
    """Where tokens stand."""
    return [found.span() for found in TOKEN.finditer(text)]


def outside_tokens(text: str, found: list[Match]) -> list[Match]:
    """What was found, without what is part of a token: masking twice is masking once."""
    spans = token_spans(text) if found else []
    kept: list[Match] = []
    place = 0
    for one in found:
        while place < len(spans) and spans[place][1] < one.end:
            place += 1
        if place == len(spans) or one.start < spans[place][0]:
            kept.append(one)
    return kept
