"""What broke a prefix: the first place where two requests differ, and why it most likely does.

Requests are compared as they are sent: JSON in the order of its members. Cache breakpoints are no part of a prompt.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any, Final, Literal, TypeAlias, cast

from octavo.checking import refuse
from octavo.messages import plain

__all__ = ["Cause", "PrefixBreak", "lint_prefix"]

Cause: TypeAlias = Literal[
    "tools_reordered", "tools_changed", "members_reordered", "clock", "random_id", "system_changed",
    "messages_left", "message_edited", "setting_changed",
]  # fmt: skip
"""Why two requests differ: what a program can go by."""

_LONGEST: Final = 60
"""Characters of the longest difference that is looked at for a clock or an id: neither is longer, and to look costs the
square of it."""

_SHOWN: Final = 60
"""Characters of a difference that are shown."""

# Parts of one date and time, with what joins them: the whole of it is one find, whichever part of it differs.
_TIME: Final = (
    r"\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?|\b1[6-9]\d{8}(?:\d{3})?\b"
    r"|\d{4}년|\d{1,2}월|\d{1,2}일|(?:오전|오후)|\d{1,2}시|\d{1,2}분"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}(?:, \d{4})?"
    r"|\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?: \d{4})?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|[ap]m\b|z\b|utc"
)
_CLOCK: Final = re.compile(rf"(?:{_TIME})(?:(?:,? |t|, at )?(?:{_TIME}))*", re.IGNORECASE)
_RANDOM: Final = re.compile(r"(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[A-Za-z0-9_-]{8,}")

_WORDS: Final[Mapping[Cause, str]] = {
    "tools_reordered": "the same tools stand in another order: give them in a fixed one, sorted by name",
    "tools_changed": "the tool definitions are others: all that follows them is written anew",
    "members_reordered": "the same members stand in another order: write JSON with a fixed one",
    "clock": "a date or time stands in the prefix: put it in a section with place='tail', or round it to the day",
    "random_id": "an id that is made for each call stands in the prefix: leave it out, or put it at the end",
    "system_changed": "the text of the system prompt is another: put what changes in a section with place='tail'",
    "messages_left": "messages that were sent before have left: let many leave at once, not one each turn",
    "message_edited": "a message that was sent before is another now: edit many at once, when the cache is cold",
    "setting_changed": "a setting that is part of the prompt is another",
}

_BREAKPOINTS: Final = ("cache_control", "prompt_cache_breakpoint")
_TEXTS: Final = ("text", "input_text", "output_text")

# In the order in which they stand in a prompt (docs of prompt caching: tools, system, messages).
_SETTINGS: Final = ("model",)
_LATE_SETTINGS: Final = ("tool_choice", "thinking")


@dataclass(frozen=True, slots=True)
class PrefixBreak:
    """The first place where a request leaves the one before it.

    Attributes:
        where: `tools[2]`, `system`, `messages[4].content[1]`.
        cause: why, as one of few words.
        message: why, in plain words, and what to do about it.
        before: the text around the first difference, as it was; shortened.
        after: the same as it is now.
    """

    where: str
    cause: Cause
    message: str
    before: str
    after: str

    def __str__(self) -> str:
        """One line for the place and the cause, and one for each text."""
        return f"{self.where}: {self.message}\n  before: {self.before}\n  after:  {self.after}"


def lint_prefix(before: Mapping[str, Any], after: Mapping[str, Any]) -> PrefixBreak | None:
    """Name the first thing that keeps a request from beginning with all of the one before it.

    Args:
        before: the arguments of the call before, as `Context.anthropic()`, `.openai()` or `.responses()` gives them.
        after: those of this call.

    Returns:
        The place, the likely cause and the texts; `None` where everything that was sent is sent again at its place,
        and new messages follow.

    Raises:
        ArgumentError: one is no mapping, or contains itself, or its tools or messages are no list.
        MessageError: something in the list is no message.
    """
    for name, given in (("before", cast("object", before)), ("after", cast("object", after))):
        if not isinstance(given, Mapping):
            raise refuse(name, "the arguments of a call", given)
    return next(_breaks(_readable("before", before), _readable("after", after)), None)


def _readable(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as plain values without breakpoints."""
    try:
        return cast("dict[str, Any]", _bare(arguments))
    except RecursionError as error:
        raise refuse(name, "arguments that do not contain themselves", arguments) from error


def _breaks(before: dict[str, Any], after: dict[str, Any]) -> Iterator[PrefixBreak]:
    yield from _settings(before, after, _SETTINGS)
    yield from _tools(_listed(before, "tools"), _listed(after, "tools"))
    for name in ("system", "instructions"):
        yield from _texts(name, _parts(before.get(name)), _parts(after.get(name)), "system_changed")
    yield from _settings(before, after, _LATE_SETTINGS)
    for name in ("messages", "input"):
        yield from _messages(name, _listed(before, name), _listed(after, name))


def _settings(before: dict[str, Any], after: dict[str, Any], names: Sequence[str]) -> Iterator[PrefixBreak]:
    for name in names:
        if before.get(name) != after.get(name):
            yield _found(name, "setting_changed", str(before.get(name)), str(after.get(name)))


def _tools(before: list[Any], after: list[Any]) -> Iterator[PrefixBreak]:
    was, now = [_sent(tool) for tool in before], [_sent(tool) for tool in after]
    if was == now:
        return
    at = _first_difference(was, now)
    theirs, ours = (each[at] if at < len(each) else "" for each in (was, now))
    if sorted(was) == sorted(now):
        yield _found(f"tools[{at}]", "tools_reordered", _name(before[at]), _name(after[at]))
    else:
        yield _found(f"tools[{at}]", _cause(theirs, ours, "tools_changed"), theirs, ours)


def _messages(name: str, before: list[Any], after: list[Any]) -> Iterator[PrefixBreak]:
    was, now = [_sent(message) for message in before], [_sent(message) for message in after]
    at = _first_difference(was, now)
    if at == len(was):
        return
    where = f"{name}[{at}]"
    ours = now[at] if at < len(now) else ""
    if ours == "" or ours in was[at + 1 :]:
        yield _found(where, "messages_left", was[at], ours)
        return
    leads = plain(before[at]).get("role") in ("system", "developer")
    other: Cause = "system_changed" if leads else "message_edited"
    yield from _texts(where, _parts(before[at]), _parts(after[at]), other)
    yield _found(where, _cause(was[at], ours, other), was[at], ours)


def _texts(
    where: str, before: list[tuple[str, str]], after: list[tuple[str, str]], other: Cause
) -> Iterator[PrefixBreak]:
    """The first part of a message or system prompt that differs. New parts behind all others break nothing before."""
    # A lone text is the same prompt as a block of it: where they stand is not compared.
    at = _first_difference([text for _, text in before], [text for _, text in after])
    if at == len(before) == len(after):
        return
    path, theirs = before[at] if at < len(before) else (after[at][0], "")
    ours = after[at][1] if at < len(after) else ""
    yield _found(where + path, _cause(theirs, ours, other), theirs, ours)


def _parts(value: Any) -> list[tuple[str, str]]:
    """What a message or system prompt is sent as: its parts, each with where it stands."""
    if value is None:
        return []
    if isinstance(value, str):
        return [("", value)]
    content = value if isinstance(value, (list, tuple)) else plain(value).get("content")
    path = "" if isinstance(value, (list, tuple)) else ".content"
    if not isinstance(content, (list, tuple)):
        return [(path, content if isinstance(content, str) else _sent(value))]
    return [(f"{path}[{at}]", _text_or_sent(part)) for at, part in enumerate(content)]


def _text_or_sent(part: Any) -> str:
    held = part if isinstance(part, str) else plain(part)
    if isinstance(held, str):
        return held
    bare = isinstance(held.get("text"), str) and set(held) <= {"type", "text"}
    return held["text"] if bare and held.get("type") in _TEXTS else _sent(held)


def _listed(arguments: dict[str, Any], name: str) -> list[dict[str, Any]]:
    value = arguments.get(name)
    if value is None:
        return []
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    if isinstance(value, dict):
        return [value]
    if not isinstance(value, list):
        raise refuse(name, "a list", value)
    return [plain(item, at) for at, item in enumerate(value)]


def _sent(value: Any) -> str:
    """The value as its client sends it."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _bare(value: Any) -> Any:
    """The value as plain ones, without cache breakpoints."""
    if isinstance(value, Mapping):
        held = {str(key): _bare(item) for key, item in value.items() if key not in _BREAKPOINTS}
        return held | {key: _lone_text(held[key]) for key in ("content", "output") if isinstance(held.get(key), list)}
    if isinstance(value, (list, tuple)):
        return [_bare(item) for item in value]
    is_model = not isinstance(value, type) and (hasattr(value, "model_dump") or is_dataclass(value))
    return _bare(plain(value)) if is_model else value


def _lone_text(content: list[Any]) -> Any:
    """A text by itself is sent as one either way: a breakpoint needs it as a block."""
    if len(content) == 1 and isinstance(content[0], dict) and set(content[0]) == {"type", "text"}:
        return content[0]["text"] if content[0]["type"] in _TEXTS else content
    return content


def _name(tool: Any) -> str:
    held = plain(tool)
    inner = held.get("function")
    return str(held.get("name") or (inner.get("name") if isinstance(inner, Mapping) else None) or _sent(tool))


def _first_difference(before: Sequence[Any], after: Sequence[Any]) -> int:
    pairs = enumerate(zip(before, after, strict=False))
    return next((at for at, (theirs, ours) in pairs if theirs != ours), min(len(before), len(after)))


def _cause(before: str, after: str, other: Cause) -> Cause:
    if _sorted(before) == _sorted(after):
        return "members_reordered"
    start = _first_difference(before, after)
    same = _first_difference(before[start:][::-1], after[start:][::-1])
    looked_for: tuple[tuple[Cause, re.Pattern[str]], ...] = (("clock", _CLOCK), ("random_id", _RANDOM))
    for cause, pattern in looked_for:
        if max(len(before), len(after)) - same - start <= _LONGEST and all(
            _says(pattern, text, start, len(text) - same) for text in (before, after)
        ):
            return cause
    return other


def _says(pattern: re.Pattern[str], text: str, start: int, end: int) -> bool:
    """Whether one of these stands where the text differs: of a clock only the minutes may."""
    around = slice(max(0, start - _SHOWN), end + _SHOWN)
    found = pattern.finditer(text[around])
    return any(one.start() + around.start <= start and one.end() + around.start >= end for one in found)


def _sorted(text: str) -> str:
    """JSON with sorted members; what is no object or list as it is."""
    if text[:1] not in "{[":
        return text
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except ValueError:
        return text


def _found(where: str, cause: Cause, before: str, after: str) -> PrefixBreak:
    start = max(0, _first_difference(before, after) - _SHOWN // 3)
    return PrefixBreak(where, cause, _WORDS[cause], before[start : start + _SHOWN], after[start : start + _SHOWN])
