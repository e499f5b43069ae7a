"""What a model's name says about the messages that it takes: the model table, read for the rules that ask.

An unknown name says nothing: what depends on it is then not judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from octavo._core import model_profile

__all__ = ["Facts", "facts_of"]


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a model, for the rules that depend on it."""

    prefill: bool | None = None
    """Whether it takes an assistant message at the end of the list."""
    system_messages: bool | None = None
    """Whether it takes system messages amid the others."""
    thinking_first: bool = True
    """Whether a tool loop must start with thinking while thinking is on."""
    signed_calls: bool = False
    """Whether calls of the current turn must carry a thought signature."""
    reasoning_content: bool | None = None
    """Whether assistant messages with calls must carry `reasoning_content` while thinking is on."""


@lru_cache(maxsize=256)
def facts_of(model: str | None) -> Facts:
    """Say what the name of a model tells. Names of clouds around it (`bedrock/anthropic.claude-…`) do not matter."""
    if model is None:
        return Facts()
    row = model_profile(model)
    if not row.known:
        return Facts()
    return Facts(row.prefill, row.system_messages, row.thinking_first, row.signed_calls, row.reasoning_content)
