"""Objects of other libraries that stand where a message should: what they are, and what to give instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["is_foreign_type", "known"]

# The types of LangChain's messages; those of a streamed part end in `MessageChunk`.
_LANGCHAIN: Final = frozenset({"human", "ai", "system", "tool", "function", "chat", "remove"})


def known(value: object) -> str | None:
    """Say what to give instead of an object that is no message; `None` where it is not known."""
    if _member(value, "role") is not None:
        return None
    kind = _member(value, "type")
    if is_foreign_type(kind):
        return (
            "it is a LangChain message: give octavo.integrations.langchain.to_messages(messages), "
            "or call its trim(messages, budget=…)"
        )
    if kind is None:
        for name, inside in (("choices", "choices[0].message"), ("output", "output")):
            if isinstance(_member(value, name), list | tuple):
                return f"this is a whole response: give its `{inside}`"
    return None


def is_foreign_type(kind: object) -> bool:
    """Tell whether a member `type` says that an object is a message of LangChain's."""
    return isinstance(kind, str) and (kind in _LANGCHAIN or kind.endswith("MessageChunk"))


def _member(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
