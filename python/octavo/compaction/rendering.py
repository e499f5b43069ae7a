"""Messages as text for a summariser: who said what, delimiters that no content can forge, in parts of a given size."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from octavo.compaction.speech import Said, said_in
from octavo.tokens import Counter

__all__ = ["chunks", "escaped", "rendered", "untrusted"]

_TAGS: Final = re.compile(
    r"<(?=\s*/?\s*(?:message|call|conversation|previous|summary|facts|ledger|system|instructions?)\b)", re.IGNORECASE
)
_NOT_IN_NAMES: Final = re.compile(r"[^\w.:/-]+")
_LONGEST_NAME: Final = 80

_SPACES: Final = 200
"""A long text is parted at white space where there is some within so many characters before the limit."""


@dataclass(slots=True)
class _Unit:
    """A message with the results of its calls: it stays in one part where that holds it."""

    texts: list[str] = field(default_factory=list)
    open: set[str] = field(default_factory=set)


def escaped(text: str) -> str:
    """The text with no tag in it that the rendering, or what a context is made of, has."""
    return _TAGS.sub("&lt;", text)


def untrusted(said: Said) -> bool:
    """Whether something comes from outside: what tools and web pages print is nobody's instruction."""
    return said.kind == "result"


def rendered(said: Iterable[Said], number: int, names: dict[str, str]) -> str:
    """One message as text; nothing of one that says nothing.

    Args:
        said: what it says.
        number: its position in the conversation.
        names: the tools of calls by id, which are added to: a result often has the id only.
    """
    return "\n".join(_element(one, number, names) for one in said if one.text.strip())


def _element(said: Said, number: int, names: dict[str, str]) -> str:
    if said.kind == "call" and said.id:
        names[said.id] = said.tool
    tool = said.tool or names.get(said.id, "")
    named = f' {said.kind}="{_NOT_IN_NAMES.sub("_", tool)[:_LONGEST_NAME] or "unnamed"}"' if said.id or tool else ""
    marked = ' untrusted="yes"' if untrusted(said) else ""
    return f'<message number="{number}" role="{said.role}"{named}{marked}>\n{escaped(said.text)}\n</message>'


def chunks(messages: Sequence[tuple[int, Any]], counter: Counter, limit: int) -> Iterator[str]:
    """The messages as texts of at most `limit` tokens each, in order; every part of every message is in one.

    A call and its results stay together where they fit. What is larger than the limit is parted.
    """
    pending, tokens = list[str](), 0
    for unit in _units(messages):
        text = "\n".join(unit.texts)
        taken = counter.count(text) + 2
        if pending and tokens + taken > limit:
            yield "\n".join(pending)
            pending, tokens = [], 0
        if taken > limit:
            yield from _parted(unit.texts, counter, limit)
        else:
            pending.append(text)
            tokens += taken
    if pending:
        yield "\n".join(pending)


def _units(messages: Sequence[tuple[int, Any]]) -> Iterator[_Unit]:
    names: dict[str, str] = {}
    unit = _Unit()
    for number, message in messages:
        said = list(said_in(message))
        if unit.texts and not unit.open:
            yield unit
            unit = _Unit()
        unit.open |= {one.id for one in said if one.kind == "call" and one.id}
        unit.open -= {one.id for one in said if one.kind == "result"}
        if not any(one.kind in ("call", "result") for one in said):
            # Somebody speaks: calls without results so far have none that belong here.
            unit.open.clear()
        text = rendered(said, number, names)
        if text:
            unit.texts.append(text)
    if unit.texts:
        yield unit


def _parted(texts: Iterable[str], counter: Counter, limit: int) -> Iterator[str]:
    """Each text in as many parts as it takes, each with the head and the end of its element."""
    for text in texts:
        if counter.count(text) <= limit:
            yield text
            continue
        head, _, body = text.partition("\n")
        around = counter.count(f"{head}\n\n</message>") + 4
        body = body.removesuffix("\n</message>")
        at = 0
        while at < len(body):
            end = at + _reach(body, at, counter, max(1, limit - around))
            yield f"{head}\n{body[at:end]}\n</message>"
            at = end


def _reach(body: str, at: int, counter: Counter, limit: int) -> int:
    """Characters from `at` on that are within the limit: up to white space where that is near; at least one."""
    # A token has hardly ever more than sixteen characters: what is looked at stays in proportion to the limit.
    piece = body[at : at + limit * 16]
    kept = counter.truncate(piece, limit)
    if len(kept) == len(piece) or not kept:
        return max(1, len(kept))
    near = max(kept.rfind(" ", -_SPACES), kept.rfind("\n", -_SPACES))
    return near + 1 if near > 0 else len(kept)
