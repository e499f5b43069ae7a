"""Personal data and secrets, found in one pass in any script and replaced by tokens such as `[KR_RRN]`.

Numbers of Korea (resident, foreigner, phone, bank account, licence, passport), e-mail, cards, IBAN, tokens, private
keys, passwords in URLs, keys of the common providers, and what a name such as `password` is given. Names of people and
postal addresses have no form that a rule could know: they are **not** found without a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, TypeVar

from octavo.privacy.finding import DEFAULT_KINDS, KINDS, Finding, Match
from octavo.privacy.masker import Masker
from octavo.privacy.recognizer import Recognizer, Recognizes
from octavo.privacy.stream import MaskStream
from octavo.privacy.vault import MemoryVault, Vault

__all__ = [
    "DEFAULT_KINDS",
    "KINDS",
    "Finding",
    "MaskStream",
    "Masked",
    "Masker",
    "Match",
    "MemoryVault",
    "Recognizer",
    "Recognizes",
    "Vault",
    "find",
    "mask",
    "mask_all",
    "mask_json",
    "mask_stream",
]

_DEFAULT: Final = Masker()


def mask(text: str) -> str:
    """Replace every finding by a token such as `[KR_RRN]`: :meth:`Masker.mask` with the default rules.

    The same object comes back where nothing was found. Names and addresses need a model: they stay.

    Raises:
        ArgumentError: `text` is none.
    """
    return _DEFAULT.mask(text)


def find(text: str) -> tuple[Finding, ...]:
    """Find what :func:`mask` would replace: :meth:`Masker.find` with the default rules.

    Raises:
        ArgumentError: `text` is none.
    """
    return _DEFAULT.find(text)


def mask_all(texts: Iterable[str]) -> list[str]:
    """Mask many texts in one crossing into the engine: :meth:`Masker.mask_all` with the default rules.

    Raises:
        ArgumentError: they are no list, or one of them is no text; it says which.
    """
    return _DEFAULT.mask_all(texts)


def mask_json(value: Any) -> Any:
    """Mask a JSON value, keys and numbers included: :meth:`Masker.mask_json` with the default rules.

    Raises:
        ArgumentError: it holds something that is no JSON value, or contains itself; it says where.
    """
    return _DEFAULT.mask_json(value)


def mask_stream(chunks: Iterable[str]) -> Iterator[str]:
    """Mask a text that arrives in parts: :meth:`Masker.mask_stream` with the default rules.

    Raises:
        ArgumentError: a chunk is no text.
    """
    return _DEFAULT.mask_stream(chunks)


T = TypeVar("T")

if TYPE_CHECKING:
    Masked: TypeAlias = Annotated[T, _DEFAULT]
else:

    class Masked:
        """Pydantic type: `Masked[str]` is a `str` that is masked when it is validated.

        `Masked[list[str]]` and `Masked[dict[str, str]]` are masked at every depth; JSON Schema stays that of the type
        inside. Pydantic is not imported: the annotation tells it how. For other rules there is
        `Annotated[str, Masker(…)]`.
        """

        def __class_getitem__(cls, item: Any) -> Any:
            """The type, annotated with the default masker."""
            return Annotated[item, _DEFAULT]
