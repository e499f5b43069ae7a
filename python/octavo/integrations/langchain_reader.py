"""LangChain's messages, read by their members: as objects, or as the dicts that it dumps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import octavo
from octavo.formats import DEFAULT_FILENAME, ERROR_MARK, address_of, source_address

__all__ = ["THOUGHTS", "as_chat", "content_of", "held_in", "member"]

_ROLES: Final[Mapping[str, str]] = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "system": "system",
    "developer": "developer",
    "tool": "tool",
    "function": "function",
}
# Blocks of content that repeat what `tool_calls` says.
_CALLS: Final = frozenset({"tool_use", "tool_call", "function_call", "tool_call_chunk", "invalid_tool_call"})
THOUGHTS: Final = frozenset({"thinking", "reasoning", "reasoning_content", "redacted_thinking"})
"""The types of blocks that hold thinking."""
# Parts of Chat, taken as they are.
_CHAT: Final = frozenset({"text", "image_url", "input_audio", "refusal"})
# The media type of what neither states nor shows one, by the type of its block.
_USUAL: Final[Mapping[object, str]] = {"image": "image/png", "audio": "audio/wav"}


def as_chat(message: Any, index: int, *, keep: bool = False) -> dict[str, Any]:
    """Write a message as one of Chat; `keep`: with the blocks that Chat has no form for, as they are."""
    if isinstance(message, str):
        return {"role": "user", "content": message}
    if isinstance(message, tuple) and len(message) == 2 and message[0] in _ROLES:
        return {"role": _ROLES[message[0]], "content": message[1]}
    if isinstance(message, Mapping) and "role" in message and "additional_kwargs" not in message:
        return message if type(message) is dict else dict(message)
    held = held_in(message)
    role = _role(message, held)
    if role is None or held is None:
        raise octavo.errors.MessageError(
            f"message {index}: it is no LangChain message, got {type(message).__name__}", index=index
        )
    return _Reading(held, index, keep=keep).message(role)


def content_of(message: Any) -> Any:
    """Give the content of whatever :func:`as_chat` takes."""
    if isinstance(message, str):
        return message
    return message[1] if isinstance(message, tuple) else member(held_in(message), "content")


def held_in(message: Any) -> Any:
    """Give what has a message's members: itself, or what it holds where it was dumped."""
    return message.get("data", message) if isinstance(message, Mapping) else message


def _role(message: Any, held: Any) -> str | None:
    kind = member(message, "type")
    if not isinstance(kind, str):
        return None
    kind = kind.removesuffix("MessageChunk").lower()
    if kind == "chat":
        said = member(held, "role")
        return _ROLES.get(said, said) if isinstance(said, str) else None
    if kind == "system" and member(_extra(held), "__openai_role__") == "developer":
        return "developer"
    return _ROLES.get(kind)


class _Reading:
    """One LangChain message as it is being read."""

    def __init__(self, held: Any, index: int, *, keep: bool) -> None:
        self._held = held
        self._index = index
        self._keep = keep
        self._thoughts: list[str] = []

    def message(self, role: str) -> dict[str, Any]:
        written: dict[str, Any] = {"role": role, "content": self._content()}
        if role == "tool":
            written["tool_call_id"] = member(self._held, "tool_call_id") or ""
            if member(self._held, "status") == "error":
                written["content"] = _failed(written["content"])
        elif name := member(self._held, "name"):
            written["name"] = name
        if role == "assistant":
            self._answer(written)
        return written

    def _answer(self, written: dict[str, Any]) -> None:
        extra = _extra(self._held)
        calls = [*self._calls("tool_calls"), *self._calls("invalid_tool_calls")] or member(extra, "tool_calls")
        if calls:
            written["tool_calls"] = calls
        elif old := member(extra, "function_call"):
            written["function_call"] = old
        if (calls or "function_call" in written) and not written["content"]:
            written["content"] = None
        for name in ("refusal", "reasoning_content"):
            if said := member(extra, name):
                written[name] = said
        if self._thoughts:
            written.setdefault("reasoning_content", "\n\n".join(self._thoughts))

    def _calls(self, name: str) -> list[dict[str, Any]]:
        calls: list[dict[str, Any]] = []
        for call in member(self._held, name) or ():
            given = member(call, "args")
            arguments = given if isinstance(given, str) else self._json({} if given is None else given)
            function = {"name": member(call, "name") or "", "arguments": arguments}
            calls.append({"id": member(call, "id") or "", "type": "function", "function": function})
        return calls

    def _json(self, value: Any) -> str:
        try:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise self._refuse(f"arguments of a call are no JSON: {error}") from error

    def _content(self) -> Any:
        content = member(self._held, "content")
        if isinstance(content, str) or content is None:
            return content or ""
        if not isinstance(content, list | tuple):
            raise self._refuse(f"content must be a text or a list, got {type(content).__name__}")
        parts = [part for block in content if (part := self._part(block)) is not None]
        return parts or ""

    def _part(self, block: Any) -> dict[str, Any] | None:
        """A part of Chat; nothing for what stands in another member of the message."""
        if isinstance(block, str):
            return {"type": "text", "text": block}
        kind = member(block, "type")
        if kind in _CALLS:
            self._known_call(block)
            return None
        if kind in THOUGHTS:
            said = member(block, "thinking") or member(block, "reasoning")
            self._thoughts.extend([said] if isinstance(said, str) else [])
            return None
        if not isinstance(block, Mapping):
            raise self._refuse(f"a block must be an object, got {type(block).__name__}")
        if kind == "text":
            return {key: value for key, value in block.items() if key in ("type", "text", "cache_control")}
        if kind in _CHAT or (kind == "file" and "file" in block):
            return dict(block)
        if (part := _medium(kind, block)) is not None:
            return part
        if self._keep:
            return _unknown(block)
        raise self._refuse(f"a block of type {kind!r} has no form in Chat messages")

    def _known_call(self, block: Any) -> None:
        """A block that repeats a call. One that only stands here is refused: its result would answer nothing."""
        name = member(block, "call_id") or member(block, "id")
        calls = [*(member(self._held, "tool_calls") or ()), *(member(self._held, "invalid_tool_calls") or ())]
        if not any(member(call, "id") == name for call in calls):
            raise self._refuse(f"its block calls {name!r}, which is not among its tool_calls")

    def _refuse(self, reason: str) -> octavo.errors.MessageError:
        return octavo.errors.MessageError(f"message {self._index}: {reason}", index=self._index)


def _failed(content: Any) -> Any:
    return ERROR_MARK + content if isinstance(content, str) else [{"type": "text", "text": ERROR_MARK}, *content]


def _unknown(block: Mapping[str, Any]) -> dict[str, Any]:
    """A block as it is, but for what a stream left in a call beside what it was parsed to: it is sent once."""
    return {name: value for name, value in block.items() if name != "partial_json" or not block.get("input")}


def _medium(kind: object, block: Mapping[str, Any]) -> dict[str, Any] | None:
    """A picture, sound or file in LangChain's own form or in Anthropic's; `None` where Chat cannot hold it."""
    address = _address(block, _USUAL.get(kind, "application/pdf"))
    if address is None:
        return None
    if kind == "image":
        return {"type": "image_url", "image_url": {"url": address}}
    media, held, data = address.removeprefix("data:").partition(";base64,")
    if not held:
        return None
    if kind == "audio":
        sound = media.rpartition("/")[2]
        return {"type": "input_audio", "input_audio": {"data": data, "format": "mp3" if sound == "mpeg" else sound}}
    if kind in ("file", "document"):
        name = block.get("filename") or block.get("title") or DEFAULT_FILENAME
        return {"type": "file", "file": {"file_data": address, "filename": name}}
    return None


def _address(block: Mapping[str, Any], usual: str) -> str | None:
    source = block.get("source")
    if isinstance(source, Mapping):
        return source_address(source, usual)
    data, media_type = block.get("base64") or block.get("data"), block.get("mime_type") or block.get("media_type")
    return address_of(data, block.get("url"), media_type, usual)


def _extra(held: Any) -> Any:
    return member(held, "additional_kwargs") or {}


def member(value: Any, name: str) -> Any:
    """A member of a dump, or an attribute of an object; `None` where there is none."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
