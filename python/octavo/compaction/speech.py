"""What one message says, as plain texts: who speaks, what is called, what a tool printed. The same for every format."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from octavo.messages import plain
from octavo.spread import calls_in, is_list, is_object, spread

__all__ = ["Said", "SaidKind", "said_in", "text_in"]

SaidKind: TypeAlias = Literal["text", "call", "result", "media"]
"""`text`: what somebody said; `call`: arguments of a call; `result`: what a tool gave; `media`: a file, named only."""

Role: TypeAlias = Literal["user", "assistant", "system", "tool"]

_ROLES: Final[dict[object, Role]] = {
    "user": "user", "human": "user", "assistant": "assistant", "model": "assistant", "system": "system",
    "developer": "system", "tool": "tool", "function": "tool",
}  # fmt: skip
_TEXT: Final = frozenset({"text", "input_text", "output_text", "refusal"})
_CALLS: Final = ("tool_use", "server_tool_use", "mcp_tool_use", "function_call", "custom_tool_call")
_MEDIA: Final = ("image", "image_url", "input_image", "document", "file", "input_file", "input_audio", "inlineData")
_DEEPEST: Final = 32


@dataclass(frozen=True, slots=True)
class Said:
    """One thing that a message says.

    Attributes:
        role: who says it; `tool` for every result, whoever's message it stands in.
        kind: what it is.
        text: the text; of a call its arguments as JSON.
        tool: the name of the tool, where it is known.
        id: the call's id, on a call and on its result.
    """

    role: Role
    kind: SaidKind
    text: str
    tool: str = ""
    id: str = ""


def said_in(message: Any) -> Iterator[Said]:
    """Everything that a message says, in order. Reasoning is not: it is no part of what was agreed."""
    held = plain(message)
    kind = held.get("type")
    if kind != "message" and "role" not in held:
        yield from _block(held, "assistant")
        return
    role = _ROLES.get(held.get("role"), "user")
    content = held.get("content", held.get("parts"))
    if role == "tool" and "parts" not in held:
        yield _result(content, held.get("name"), held.get("tool_call_id"))
        return
    for part in _parts(content):
        yield from _block(part, role)
    for call in calls_in(held.get("tool_calls")):
        yield from _block({**plain(call), "type": "tool_call"}, role)


def text_in(value: Any, depth: int = 0) -> str:
    """All texts of a content, one below the other; of anything else its JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    if depth > _DEEPEST:
        return ""
    if is_list(value):
        return "\n".join(filter(None, (text_in(item, depth + 1) for item in value)))
    if not is_object(value):
        return str(value)
    held = plain(value)
    for name in ("text", "refusal", "content"):
        if isinstance(held.get(name), str | list):
            return text_in(held[name], depth + 1)
    if held.get("type") in _MEDIA or "image" in held:
        return "[image or file]"
    return _json(held.get("json", held))


def _parts(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [content]
    return [] if content is None else spread(content)


def _block(part: Any, role: Role) -> Iterator[Said]:
    """What one block says."""
    if isinstance(part, str):
        yield Said(role, "text", part)
        return
    if not is_object(part):
        return
    held = plain(part)
    kind = held.get("type")
    said = _called(held, kind) or _answered(held, kind)
    if said is not None:
        yield said
    elif _is_speech(held, kind):
        yield Said(role, "text", text_in(held))
    elif kind in _MEDIA or any(name in held for name in ("image", "document", "inlineData", "fileData")):
        yield Said(role, "media", "[image or file]")


def _is_speech(held: Mapping[str, Any], kind: object) -> bool:
    if kind is not None:
        return kind in _TEXT
    return isinstance(held.get("text"), str) and not held.get("thought")


def _called(held: Mapping[str, Any], kind: object) -> Said | None:
    """A call of any format."""
    for name in ("toolUse", "functionCall"):
        if is_object(held.get(name)):
            inner = plain(held[name])
            id = inner.get("toolUseId", inner.get("id"))
            return _call(inner.get("name"), inner.get("input", inner.get("args")), id)
    if kind == "tool_call":
        inner = held.get("function", held.get("custom"))
        function = plain(inner) if is_object(inner) else {}
        return _call(function.get("name"), function.get("arguments", function.get("input")), held.get("id"))
    if kind in _CALLS:
        given = held.get("arguments", held.get("input"))
        return _call(held.get("name"), given, held.get("call_id", held.get("id")))
    return None


def _answered(held: Mapping[str, Any], kind: object) -> Said | None:
    """A result of any format."""
    for name in ("toolResult", "functionResponse"):
        if is_object(held.get(name)):
            inner = plain(held[name])
            id = inner.get("toolUseId", inner.get("id"))
            return _result(inner.get("content", inner.get("response")), inner.get("name"), id)
    if isinstance(kind, str) and kind.endswith(("_result", "_output")) and kind not in _TEXT:
        id = held.get("tool_use_id", held.get("call_id"))
        return _result(held.get("content", held.get("output")), held.get("name"), id)
    return None


def _call(name: Any, arguments: Any, id: Any) -> Said:
    text = arguments if isinstance(arguments, str) else _json(arguments or {})
    return Said("assistant", "call", text, _name(name), _name(id))


def _result(content: Any, name: Any, id: Any) -> Said:
    return Said("tool", "result", text_in(content), _name(name), _name(id))


def _name(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
