"""Explicit cache breakpoints for OpenAI's models since GPT-5.6, which find an entry again exactly where one stands.

By itself the provider puts one at the end of the newest message; where that is a text which changes at every call, no
entry is found again. Older models refuse a request that has any (400), so that a model must be known to take them.
Sources, read 2026-11-30: the openai Python package (3.57), `prompt_cache_breakpoint` and `prompt_cache_options`; the
guide of prompt caching.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

from octavo.messages import plain
from octavo.sections import leading_of

__all__ = ["with_prompt_cache_breakpoints"]

Target: TypeAlias = Literal["openai", "openai-responses"]

MOST: Final = 3
"""Explicit breakpoints that a request writes beside the one of the provider's own."""

_MARK: Final = {"mode": "explicit"}

# An answer's blocks take none.
_ROLES: Final = frozenset({"system", "developer", "user", "tool"})
_PARTS: Final = frozenset({"text", "input_text", "image_url", "input_image", "file", "input_file", "input_audio"})


def with_prompt_cache_breakpoints(
    arguments: dict[str, Any], target: Target, *, tail: int = 0, shared: int | None = None
) -> dict[str, Any]:
    """Give the arguments of a call with breakpoints beside those that they have.

    By need: at the end of what will be sent again, at the end of the leading system messages, where the call before
    ended.

    Args:
        arguments: what the client is called with. Never changed.
        target: whose client it is: Chat Completions' or Responses'.
        tail: messages at the end that will be others at the next call.
        shared: how many messages the call before sent as well; `None` where that is not known.
    """
    name, kind = ("messages", "text") if target == "openai" else ("input", "input_text")
    messages: list[Any] = list(arguments.get(name) or ())
    free = MOST - sum(map(_marks, messages))
    for at in dict.fromkeys(_wanted(messages, tail, shared)):
        if free > 0 and not _marks(messages[at]):
            messages[at] = _marked(plain(messages[at]), kind)
            free -= 1
    return {**arguments, name: messages}


def _wanted(messages: list[Any], tail: int, shared: int | None) -> Iterator[int]:
    for end in (len(messages) - tail, leading_of(messages), 0 if shared is None else min(shared, len(messages) - tail)):
        found = next((at for at in reversed(range(max(0, end))) if _takes(messages[at])), None)
        if found is not None:
            yield found


def _role(item: Any) -> str | None:
    held = plain(item)
    role = held.get("role")
    return "tool" if held.get("type") == "function_call_output" else role if isinstance(role, str) else None


def _content(held: Mapping[str, Any]) -> Any:
    return held.get("output" if held.get("type") == "function_call_output" else "content")


def _takes(item: Any) -> bool:
    """Whether the last part of a message may carry a breakpoint."""
    content = _content(plain(item)) if _role(item) in _ROLES else None
    if isinstance(content, str):
        return bool(content)
    last = content[-1] if isinstance(content, list) and content else None
    return isinstance(last, dict) and last.get("type") in _PARTS and last.get("text") != ""


def _marks(item: Any) -> int:
    """How many parts of a message carry a breakpoint."""
    content = _content(plain(item))
    parts = content if isinstance(content, list) else []
    return sum(isinstance(part, dict) and part.get("prompt_cache_breakpoint") is not None for part in parts)


def _marked(held: dict[str, Any], kind: str) -> dict[str, Any]:
    """A copy whose last part carries a breakpoint; a text becomes a part of its own."""
    name = "output" if held.get("type") == "function_call_output" else "content"
    content = held[name]
    parts: list[Any] = [{"type": kind, "text": content}] if isinstance(content, str) else list(content)
    parts[-1] = {**parts[-1], "prompt_cache_breakpoint": dict(_MARK)}
    return {**held, name: parts}
