"""What a model's name says about the messages that it takes. Data with dates and sources, not guesses.

An unknown name says nothing: what depends on it is then not judged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

__all__ = ["Facts", "facts_of"]

_Version: TypeAlias = tuple[int, int]


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
    reasoning_content: bool = False
    """Whether assistant messages with calls must carry `reasoning_content` while thinking is on."""


# Claude names put the family before or after the version: claude-3-7-sonnet-20250219, claude-opus-4-6.
_CLAUDE: Final = re.compile(
    r"claude-(?:(?P<family>opus|sonnet|haiku|fable|mythos)-)?(?P<major>\d+)(?:[-.](?P<minor>\d{1,2})(?!\d))?"
    r"(?:-(?P<late>opus|sonnet|haiku))?",
    re.IGNORECASE,
)

# First version of each family that refuses prefill: opencode-dynamic-context-pruning #520, magic-context #512
# (Opus 4.6, Sonnet 4.6, Fable 5); later families follow them. Gathered 2026-11.
_NO_PREFILL_FROM: Final[dict[str, _Version]] = {
    "opus": (4, 6),
    "sonnet": (4, 6),
    "haiku": (5, 0),
    "fable": (5, 0),
    "mythos": (5, 0),
}

# First version that takes system messages amid the others: langchainjs release @langchain/anthropic@1.5.13
# (2026-10), which lists Opus 4.8 and 5, Sonnet 5, Haiku 5.5, Fable 5, Mythos 5.
_SYSTEM_FROM: Final[dict[str, _Version]] = {
    "opus": (4, 8),
    "sonnet": (5, 0),
    "haiku": (5, 5),
    "fable": (5, 0),
    "mythos": (5, 0),
}

# Gemini 3 and later refuse unsigned calls, its image model excepted (ai.google.dev and docs.cloud.google.com,
# thought signatures, 2026-11).
_GEMINI: Final = re.compile(r"gemini-(?P<major>\d+)(?!.*image)", re.IGNORECASE)

# openclaw #70996, agentscope QwenPaw #433, crush #2696 (2026).
_REASONING_CONTENT: Final = re.compile(r"deepseek|kimi|moonshot", re.IGNORECASE)


@lru_cache(maxsize=256)
def facts_of(model: str | None) -> Facts:
    """Say what the name of a model tells. Names of clouds around it (`bedrock/anthropic.claude-…`) do not matter."""
    if model is None:
        return Facts()
    claude = _CLAUDE.search(model)
    if claude:
        return _claude(claude)
    gemini = _GEMINI.search(model)
    return Facts(
        signed_calls=gemini is not None and int(gemini["major"]) >= 3,
        reasoning_content=_REASONING_CONTENT.search(model) is not None,
    )


def _claude(name: re.Match[str]) -> Facts:
    family = (name["family"] or name["late"] or "sonnet").lower()
    version = (int(name["major"]), int(name["minor"] or 0))
    refuses_prefill = version >= _NO_PREFILL_FROM[family]
    # The models that refuse prefill think adaptively: a turn of theirs may start without thinking.
    return Facts(
        prefill=not refuses_prefill,
        system_messages=version >= _SYSTEM_FROM[family],
        thinking_first=not refuses_prefill,
    )
