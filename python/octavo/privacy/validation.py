"""Masking where Pydantic validates: a schema as plain dicts, so that nothing of Pydantic is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from octavo.errors import ArgumentError

__all__ = ["masking_schema"]

_NUMBERS: Final = frozenset({"int", "float", "decimal"})
_TAKES_TEXTS: Final = frozenset({"str", "any"})


def masking_schema(schema: dict[str, Any], mask: Callable[[Any, str], Any]) -> dict[str, Any]:
    """The core schema of a type whose values are masked after they were validated.

    The schema inside decides about JSON Schema and constraints. A value is read in the light of its field's name.

    Args:
        schema: the schema of the type inside.
        mask: masks a JSON value that stands under a name.
    """
    types = set(_types(schema))
    numbers_only = bool(types & _NUMBERS) and not types & _TAKES_TEXTS

    def masked(value: Any, info: Any) -> Any:
        name = getattr(info, "field_name", None) or ""
        try:
            new = mask(value, name)
        except ArgumentError as error:
            # Of what a validator raises, Pydantic takes ValueError as a verdict on the value and nothing else.
            raise ValueError(f"only JSON values can be masked: {error}") from None
        if numbers_only and new is not value:
            raise ValueError("a number that must be masked becomes a text, which does not fit this type")
        return new

    return {"type": "function-after", "function": {"type": "with-info", "function": masked}, "schema": schema}


def _types(schema: object) -> Iterator[str]:
    """The types of all values in a schema; those of keys, which are texts anyhow, are left out."""
    rest = [schema]
    while rest:
        one = rest.pop()
        if isinstance(one, dict):
            kind = one.get("type")
            if isinstance(kind, str):
                yield kind
            rest += [value for name, value in one.items() if name not in ("keys_schema", "metadata", "serialization")]
        elif isinstance(one, list | tuple):
            rest += one
