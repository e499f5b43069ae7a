"""How long the cache breakpoints of tools and system live: an hour never stands behind five minutes (rule A13)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from octavo.messages import member, plain

__all__ = ["SHORTENED", "in_order", "lifetimes", "shortened"]

SHORTENED: Final = (
    "made cache breakpoints of an hour ones of five minutes, since one of five minutes stands before them"
)
"""What was done, in words for a report."""


def lifetimes(tools: Any, system: Any) -> list[bool]:
    """Of each cache breakpoint, in the order of the prompt, whether it lives an hour."""
    controls = (member(block, "cache_control") for block in (*_blocks(tools), *_blocks(system)))
    return [_is_hour(control) for control in controls if control is not None]


def in_order(lives: Sequence[bool]) -> bool:
    """Whether no breakpoint of an hour stands behind one of five minutes."""
    return list(lives) == sorted(lives, reverse=True)


def shortened(tools: Any, system: Any) -> tuple[Any, Any, tuple[str, ...]]:
    """Let what may not live an hour live five minutes, as rules in the messages have it.

    Args:
        tools: the tool definitions. Never changed.
        system: a system prompt in any form. Never changed.

    Returns:
        Both, as the same object where nothing of it had to change, and the names of those in which something did.
    """
    lives = iter(_allowed(lifetimes(tools, system)))
    fitting = {"tools": _fitted(tools, lives), "system": _fitted(system, lives)}
    given = {"tools": tools, "system": system}
    return fitting["tools"], fitting["system"], tuple(name for name in given if fitting[name] is not given[name])


def _allowed(lives: Sequence[bool]) -> list[bool]:
    """Whether each may live an hour: those before the first of five minutes."""
    long = lives.index(False) if False in lives else len(lives)
    return [at < long for at in range(len(lives))]


def _fitted(part: Any, allowed: Iterator[bool]) -> Any:
    """The part with the lives that its breakpoints may have; the same object where they have them."""
    blocks = _blocks(part)
    fitted = [block if member(block, "cache_control") is None else _living(block, next(allowed)) for block in blocks]
    if all(one is other for one, other in zip(fitted, blocks, strict=True)):
        return part
    if part is not blocks:
        # A message, or one block by itself.
        return fitted[0] if blocks[0] is part else {**plain(part), "content": fitted}
    return fitted


def _living(block: Any, hour: bool) -> Any:
    control = member(block, "cache_control")
    if hour or not _is_hour(control):
        return block
    return {**plain(block), "cache_control": {name: value for name, value in plain(control).items() if name != "ttl"}}


def _is_hour(control: Any) -> bool:
    return bool(member(control, "ttl") == "1h")


def _blocks(part: Any) -> Sequence[Any]:
    """Tools, blocks of a system prompt, or of a message that is one."""
    if part is None or isinstance(part, str):
        return ()
    if isinstance(part, Sequence):
        return part
    content = member(part, "content")
    if content is None:
        return (part,)
    return content if isinstance(content, Sequence) and not isinstance(content, str) else ()
