"""Cache breakpoints on what a client is called with: where they may stand, in which order, and how many.

The request that is given stays as it is: what carries a breakpoint is a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, cast

from octavo.checking import refuse
from octavo.messages import member, plain

__all__ = ["CacheLifetime", "Reach", "with_cache_control"]

CacheLifetime: TypeAlias = Literal["5m", "1h"]
"""How long an entry that a breakpoint writes is to live: Anthropic's `ttl`."""

MOST: Final = 4
"""Blocks of one request that may carry `cache_control` (rule A12)."""

LOOKBACK: Final = 20
"""Blocks before a breakpoint that are searched for an earlier entry (docs of prompt caching, read 2026-11-30): a turn
that adds more needs another breakpoint in between, or it misses without a word."""

# Blocks that take `cache_control`; thinking does not (rule A24), and what is not listed here is not relied on.
_CACHEABLE: Final = frozenset({"text", "image", "document", "tool_use", "tool_result"})

Place: TypeAlias = tuple[int, int, int]
"""Where a block stands in a prompt: 0 in tools, 1 in system, 2 in messages; message (0 outside of them); block."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What is known of the messages, so that breakpoints stand where the prefix will end.

    Attributes:
        tail: text blocks at the end of the last user message that will be others at the next call.
        head: whether the first message ends with sections that stay as long as the cut does.
        shared: how many messages the call before sent as well; `None` where that is not known.
    """

    tail: int = 0
    head: bool = False
    shared: int | None = None


def with_cache_control(
    arguments: dict[str, Any], lifetime: CacheLifetime, reach: Reach | None = None
) -> dict[str, Any]:
    """Give the arguments of `client.messages.create` with cache breakpoints beside those that they have.

    By need: at the end of what stays (the newest text that will be sent again), at the end of the system prompt, within
    the look-back of the call before, at the end of the head, at the end of the tools. Where an entry of that lifetime
    may not stand (rule A13: an hour never after five minutes) it gets the other one, or none.

    Args:
        arguments: `messages`, `system` and `tools`. Never changed.
        lifetime: what entries are asked to live.
        reach: what is known of the messages.

    Raises:
        ArgumentError: `lifetime` is neither `5m` nor `1h`.
    """
    given = cast("object", lifetime)
    if given not in ("5m", "1h"):
        raise refuse("cache", "'5m' or '1h'", given)
    request = _Request(arguments)
    wanted = list(dict.fromkeys(request.wanted(reach or Reach())))
    for place in wanted:
        request.mark(place, lifetime)
    return request.written()


class _Request:
    """A request whose breakpoints are being chosen."""

    def __init__(self, arguments: dict[str, Any]) -> None:
        self.arguments = arguments
        self.tools: list[Any] = list(arguments.get("tools") or ())
        self.system = _blocks(arguments.get("system"))
        self.messages = [_blocks(message.get("content")) for message in arguments.get("messages") or ()]
        self.given = [(place, _life(control)) for place, control in self._controls()]
        self.added: dict[Place, str] = {}

    def _controls(self) -> Iterator[tuple[Place, Any]]:
        """Every breakpoint of the caller's, in the order of the prompt: those inside a result stand before its own."""
        for place, block in self._all():
            inner = member(block, "content") if member(block, "type") == "tool_result" else None
            for each in (*(inner if isinstance(inner, (list, tuple)) else ()), block):
                if not isinstance(each, str) and (control := member(each, "cache_control")) is not None:
                    yield place, control

    def _all(self) -> Iterator[tuple[Place, Any]]:
        parts = [(0, 0, self.tools), (1, 0, self.system)]
        parts += [(2, index, blocks) for index, blocks in enumerate(self.messages)]
        for part, index, blocks in parts:
            yield from (((part, index, at), block) for at, block in enumerate(blocks) if not isinstance(block, str))

    def wanted(self, reach: Reach) -> Iterator[Place]:
        """Where breakpoints are of use, what matters most first."""
        end = self._end(reach.tail)
        system = _last(self.system, (1, 0), _is_cacheable)
        tools = _last(self.tools, (0, 0), _is_tool)
        around = system or tools
        if end is not None:
            yield end
        if around is not None:
            yield around
        if end is not None and (between := self._between(end, reach.shared)) is not None:
            yield between
        if reach.head and self.messages and (head := _last(self.messages[0], (2, 0), _is_cacheable)) is not None:
            yield head
        if tools is not None:
            yield tools

    def _end(self, tail: int) -> Place | None:
        """The last block that will be sent again: what stands at the tail, and an answer that is begun, will not."""
        roles = [message.get("role") for message in self.arguments.get("messages") or ()]
        last = next((at for at in reversed(range(len(roles))) if roles[at] == "user"), None)
        if last is None:
            return None
        kept = self.messages[last][: len(self.messages[last]) - tail] if tail else self.messages[last]
        return _last(kept, (2, last), _is_cacheable) or self._before(last)

    def _before(self, index: int) -> Place | None:
        """The last block before a message that takes a breakpoint."""
        found = (_last(self.messages[at], (2, at), _is_cacheable) for at in reversed(range(index)))
        return next((place for place in found if place is not None), None)

    def _between(self, end: Place, shared: int | None) -> Place | None:
        """Where the call before ended, if the look-back from `end` does not get there; `None` where it does."""
        every = [(place, block) for place, block in self._all() if place[0] == 2 and place <= end]
        if len(every) <= LOOKBACK:
            return None
        if shared is not None:
            before = self._before(min(self._ended(shared), len(self.messages)))
            added = sum(1 for place, _ in every if before is None or place > before)
            return before if before is not None and added >= LOOKBACK else None
        # Not known: twice as far back is searched as from one.
        reached = every[: len(every) - LOOKBACK + 1]
        return next((place for place, block in reversed(reached) if _is_cacheable(block)), None)

    def _ended(self, shared: int) -> int:
        """How many messages to look at for where the call before ended, which sent so many of them as they are.

        A text at its tail had joined the user's message after these: what stands in that now, it sent as well.
        """
        messages = self.arguments["messages"]
        return shared + (shared < len(messages) and messages[shared].get("role") == "user")

    def mark(self, place: Place, lifetime: CacheLifetime) -> None:
        """Put a breakpoint there, if one may stand there."""
        known = [*self.given, *self.added.items()]
        if len(known) >= MOST or any(other == place for other, _ in known):
            return
        may_hour = all(life == "1h" for other, life in known if other < place)
        may_short = all(life == "5m" for other, life in known if other > place)
        allowed = {"1h": may_hour, "5m": may_short}
        life = lifetime if allowed[lifetime] else "5m" if lifetime == "1h" else "1h"
        if allowed[life]:
            self.added[place] = life

    def written(self) -> dict[str, Any]:
        """The arguments with what was added; what carries nothing new is the caller's own object."""
        if not self.added:
            return self.arguments
        changed = dict(self.arguments)
        for part, name, blocks in ((0, "tools", self.tools), (1, "system", self.system)):
            if any(place[0] == part for place in self.added):
                changed[name] = self._marked(part, 0, blocks)
        touched = {place[1] for place in self.added if place[0] == 2}
        changed["messages"] = [
            {**message, "content": self._marked(2, index, self.messages[index])} if index in touched else message
            for index, message in enumerate(self.arguments["messages"])
        ]
        return changed

    def _marked(self, part: int, index: int, blocks: Sequence[Any]) -> list[Any]:
        marked = list(blocks)
        for place, life in self.added.items():
            if place[:2] == (part, index):
                marked[place[2]] = {**plain(marked[place[2]]), "cache_control": _control(life)}
        return marked


def _blocks(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content) if isinstance(content, (list, tuple)) else []


def _last(blocks: Sequence[Any], where: tuple[int, int], fits: Callable[[Any], bool]) -> Place | None:
    return next(((*where, at) for at in reversed(range(len(blocks))) if fits(blocks[at])), None)


def _is_cacheable(block: Any) -> bool:
    kind = None if isinstance(block, str) else member(block, "type")
    if not isinstance(kind, str) or kind not in _CACHEABLE:
        return False
    text = member(block, "text")
    return kind != "text" or (isinstance(text, str) and bool(text.strip()))


def _is_tool(tool: Any) -> bool:
    """Whether a tool takes a breakpoint: one that is loaded later is no part of the prefix."""
    return not isinstance(tool, str) and not member(tool, "defer_loading")


def _life(control: Any) -> str:
    return "1h" if member(control, "ttl") == "1h" else "5m"


def _control(life: str) -> dict[str, str]:
    return {"type": "ephemeral"} if life == "5m" else {"type": "ephemeral", "ttl": "1h"}
