"""LangChain messages: written as Chat messages for Octavo, and made of them again.

`trim` stands where `langchain_core.messages.trim_messages` does. LangChain itself is imported only where its
objects are made; its messages are read by their members, as objects or as the dicts that it dumps.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import octavo
from octavo.formats import DEFAULT_FILENAME, ERROR_MARK, address_of, source_address
from octavo.integrations import langchain_claude as claude

if TYPE_CHECKING:
    from octavo import Budget

__all__ = ["from_messages", "to_messages", "trim"]

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
_SPEAKERS: Final = frozenset({"user", "assistant", "system", "developer"})
# Blocks of content that repeat what `tool_calls` says.
_CALLS: Final = frozenset({"tool_use", "tool_call", "function_call", "tool_call_chunk", "invalid_tool_call"})
_THOUGHTS: Final = frozenset({"thinking", "reasoning", "reasoning_content", "redacted_thinking"})
# Parts of Chat, taken as they are.
_CHAT: Final = frozenset({"text", "image_url", "input_audio", "refusal"})
# The media type of what neither states nor shows one, by the type of its block.
_USUAL: Final[Mapping[object, str]] = {"image": "image/png", "audio": "audio/wav"}


def to_messages(messages: Iterable[Any]) -> list[dict[str, Any]]:
    """Write LangChain messages as OpenAI Chat messages, one for each.

    Args:
        messages: LangChain messages (`HumanMessage`, `AIMessageChunk`, …), the dicts that `message_to_dict` or
            `model_dump` makes of them, pairs of role and text, texts, and Chat messages, which stay the same objects.

    Returns:
        A new list. Calls stand in `tool_calls`, also those that could not be parsed; reasoning becomes
        `reasoning_content`, without its signature and without what only its provider can read; ids of messages and
        what a provider reported are left out.

    Raises:
        MessageError: one is none of these, or has a block that Chat has no form for; its `index` says which.
    """
    return [_written(message, index) for index, message in enumerate(messages)]


def from_messages(messages: Iterable[Mapping[str, Any]]) -> list[Any]:
    """Make LangChain messages of Chat messages.

    Raises:
        ImportError: LangChain (`langchain-core`) is not installed.
        MessageError: one has a role that LangChain has no message for.
    """
    return [_made(message, index) for index, message in enumerate(messages)]


def trim(messages: Iterable[Any], *, budget: int | Budget, model: str | None = None, **options: Any) -> list[Any]:
    """Give what of LangChain messages fits a budget, valid for the provider: :func:`octavo.assemble` for them.

    For Claude they are valid as `langchain-anthropic` 1.7.10 converts them. Call ids that Claude refuses and blank text
    blocks stay as they are: it cures those. What it would pass on or stumble over does not: messages that say nothing
    are left out, blank texts beside something else are taken away, and a system message amid the others becomes the
    user's, between `<system>` marks, unless the model takes it where it stands. Other packages for Claude are sent the
    same. For every other provider the rules are those of Chat messages.

    Args:
        messages: as of :func:`to_messages`, and with blocks that Chat has no form for (a search that the server made,
            a provider's own kinds): those stay in their messages, and are counted as their JSON. Never changed.
        budget: the most input tokens that are sent, or an :class:`octavo.Budget`.
        model: the model's name.
        options: the other parameters of :func:`octavo.assemble`, but for `format`.

    Returns:
        A `SystemMessage` of `system` where that was given. The caller's own messages where they are sent as they are;
        new LangChain messages where they had to be edited, with the blocks of thinking that they began with; and copies
        of the caller's class without blank texts.

    Raises:
        ImportError: a message had to be edited, and LangChain is not installed.
        OctavoError: as of :func:`octavo.assemble` and :func:`to_messages`.
    """
    if "format" in options:
        raise octavo.errors.ArgumentError(
            "format is left out here: LangChain messages are written as Chat", name="format", got=options["format"]
        )
    read = [_Read(_written(message, at, keep=True), message) for at, message in enumerate(messages)]
    whose = octavo.Transcript(model, format="openai", provider=options.get("provider")).provider
    sent = _for_claude(read) if whose == "anthropic" else read
    try:
        context = octavo.assemble([one.written for one in sent], budget=budget, model=model, format="openai", **options)
    except octavo.errors.MessageError:
        if len(sent) < len(read):
            # Raises it with the place in what was given.
            octavo.assemble([one.written for one in read], budget=budget, model=model, format="openai", **options)
        raise
    # A list of messages has no other place for a system prompt that was given apart.
    system = [] if context.system is None else [{"role": "system", "content": context.system}]
    return _as_given([*system, *context.messages], {id(one.written): one for one in sent}, model)


@dataclass(slots=True)
class _Read:
    """A message that was read."""

    written: dict[str, Any]
    """As Chat, to be counted and chosen."""
    own: Any
    """The caller's, or a copy of it without blank texts."""
    said: str | None = None
    """Of a system message amid the others: what the user says in its place."""


def _for_claude(read: Iterable[_Read]) -> list[_Read]:
    """What is left to be sent to Claude, without what its package does not cure."""
    fitting: list[_Read] = []
    leading = True
    for at, one in enumerate(read):
        role, content = one.written.get("role"), _content_of(one.own)
        if role in _SPEAKERS and _is_bare(one.written) and claude.says_nothing(content):
            continue
        left = claude.cleaned(content, role)
        own = one.own if left is content else _with_content(one.own, left)
        written = one.written if left is content else _written(own, at, keep=True)
        leading = leading and role in claude.SYSTEM
        amid = role in claude.SYSTEM and not leading
        said = claude.said_by_user(written.get("content")) if amid else None
        # Counted as the user would say it, and still chosen as what it is.
        fitting.append(_Read(written if said is None else {**written, "content": said}, own, said))
    return fitting


def _is_bare(written: Mapping[str, Any]) -> bool:
    """Whether a message has nothing but its content: what it has beside that, it says."""
    return not any(value for name, value in written.items() if name not in ("role", "content", "name"))


def _content_of(message: Any) -> Any:
    if isinstance(message, str):
        return message
    return message[1] if isinstance(message, tuple) else _member(_held(message), "content")


def _with_content(message: Any, content: Any) -> Any:
    """A copy of the caller's message with another content."""
    if isinstance(message, tuple):
        return (message[0], content)
    if isinstance(message, Mapping):
        held = _held(message)
        changed = {**held, "content": content}
        return changed if held is message else {**message, "data": changed}
    other = copy(message)
    other.content = content
    return other


def _as_given(sent: Iterable[Mapping[str, Any]], read: Mapping[int, _Read], model: str | None) -> list[Any]:
    """The caller's messages for those of Chat, and new ones for what had to be edited."""
    sent = list(sent)
    edited = [message for message in sent if id(message) not in read]
    thoughts = _thoughts_of(read.values()) if any(_thought(message) for message in edited) else {}
    takes = any(one.said is not None for one in read.values()) and claude.takes_system(model)
    stands = claude.may_stand([message["role"] for message in sent])
    given: list[Any] = []
    for at, message in enumerate(sent):
        one = read.get(id(message))
        if one is None:
            given.append(_made(_with_thoughts(message, thoughts), at))
        elif one.said is None or (takes and stands[at]):
            given.append(one.own)
        else:
            given.append(_made({"role": "user", "content": one.said}, at))
    return given


def _thoughts_of(read: Iterable[_Read]) -> dict[str, list[Any]]:
    """The blocks of thinking that messages begin with, by the text that Chat has of them.

    Chat has no place for their signatures, which Claude asks for. Thinking amid other blocks may not be moved.
    """
    thoughts: dict[str, list[Any]] = {}
    for one in read:
        content = _content_of(one.own)
        if (text := _thought(one.written)) and isinstance(content, list | tuple):
            blocks = [block for block in content if _member(block, "type") in _THOUGHTS]
            if blocks and blocks == list(content[: len(blocks)]):
                thoughts.setdefault(text, blocks)
    return thoughts


def _with_thoughts(message: Mapping[str, Any], thoughts: Mapping[str, list[Any]]) -> Mapping[str, Any]:
    """A message of Chat that was edited, with its thinking as the blocks that it was."""
    blocks = thoughts.get(_thought(message))
    if blocks is None:
        return message
    content = message.get("content") or []
    spoken = [{"type": "text", "text": content}] if isinstance(content, str) else content
    others = {name: value for name, value in message.items() if name != "reasoning_content"}
    return {**others, "content": [*blocks, *spoken]}


def _thought(message: Mapping[str, Any]) -> str:
    text = message.get("reasoning_content")
    return text if isinstance(text, str) else ""


def _written(message: Any, index: int, *, keep: bool = False) -> dict[str, Any]:
    """A message of Chat; `keep`: with the blocks that Chat has no form for, as they are."""
    if isinstance(message, str):
        return {"role": "user", "content": message}
    if isinstance(message, tuple) and len(message) == 2 and message[0] in _ROLES:
        return {"role": _ROLES[message[0]], "content": message[1]}
    if isinstance(message, Mapping) and "role" in message and "additional_kwargs" not in message:
        return message if type(message) is dict else dict(message)
    held = _held(message)
    role = _role(message, held)
    if role is None or held is None:
        raise octavo.errors.MessageError(
            f"message {index}: it is no LangChain message, got {type(message).__name__}", index=index
        )
    return _Reading(held, index, keep=keep).message(role)


def _held(message: Any) -> Any:
    """What has a message's members: itself, or what it holds where it was dumped."""
    return message.get("data", message) if isinstance(message, Mapping) else message


def _role(message: Any, held: Any) -> str | None:
    kind = _member(message, "type")
    if not isinstance(kind, str):
        return None
    kind = kind.removesuffix("MessageChunk").lower()
    if kind == "chat":
        said = _member(held, "role")
        return _ROLES.get(said, said) if isinstance(said, str) else None
    if kind == "system" and _member(_extra(held), "__openai_role__") == "developer":
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
            written["tool_call_id"] = _member(self._held, "tool_call_id") or ""
            if _member(self._held, "status") == "error":
                written["content"] = _failed(written["content"])
        elif name := _member(self._held, "name"):
            written["name"] = name
        if role == "assistant":
            self._answer(written)
        return written

    def _answer(self, written: dict[str, Any]) -> None:
        extra = _extra(self._held)
        calls = [*self._calls("tool_calls"), *self._calls("invalid_tool_calls")] or _member(extra, "tool_calls")
        if calls:
            written["tool_calls"] = calls
        elif old := _member(extra, "function_call"):
            written["function_call"] = old
        if (calls or "function_call" in written) and not written["content"]:
            written["content"] = None
        for name in ("refusal", "reasoning_content"):
            if said := _member(extra, name):
                written[name] = said
        if self._thoughts:
            written.setdefault("reasoning_content", "\n\n".join(self._thoughts))

    def _calls(self, name: str) -> list[dict[str, Any]]:
        calls: list[dict[str, Any]] = []
        for call in _member(self._held, name) or ():
            given = _member(call, "args")
            arguments = given if isinstance(given, str) else self._json({} if given is None else given)
            function = {"name": _member(call, "name") or "", "arguments": arguments}
            calls.append({"id": _member(call, "id") or "", "type": "function", "function": function})
        return calls

    def _json(self, value: Any) -> str:
        try:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise self._refuse(f"arguments of a call are no JSON: {error}") from error

    def _content(self) -> Any:
        content = _member(self._held, "content")
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
        kind = _member(block, "type")
        if kind in _CALLS:
            self._known_call(block)
            return None
        if kind in _THOUGHTS:
            said = _member(block, "thinking") or _member(block, "reasoning")
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
        name = _member(block, "call_id") or _member(block, "id")
        calls = [*(_member(self._held, "tool_calls") or ()), *(_member(self._held, "invalid_tool_calls") or ())]
        if not any(_member(call, "id") == name for call in calls):
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


def _made(message: Mapping[str, Any], index: int) -> Any:
    # By name: who checks the types of this package need not have LangChain.
    kinds: Any = import_module("langchain_core.messages")
    content: Any = message.get("content")
    content = "" if content is None else content
    named = {"name": message["name"]} if message.get("name") else {}
    match message.get("role"):
        case "user":
            return kinds.HumanMessage(content, **named)
        case "assistant":
            return kinds.AIMessage(content, **_answered(message), **named)
        case "system":
            return kinds.SystemMessage(content, **named)
        case "developer":
            return kinds.SystemMessage(content, additional_kwargs={"__openai_role__": "developer"}, **named)
        case "tool":
            content, status = _outcome(content)
            return kinds.ToolMessage(content, tool_call_id=message.get("tool_call_id") or "", status=status, **named)
        case "function":
            return kinds.FunctionMessage(content=content, name=message.get("name") or "")
        case role:
            raise octavo.errors.MessageError(
                f"message {index}: LangChain has no message of the role {role!r}", index=index
            )


def _outcome(content: Any) -> tuple[Any, str]:
    """A result's content without the mark, and the status that it told."""
    if isinstance(content, str):
        return content.removeprefix(ERROR_MARK), "error" if content.startswith(ERROR_MARK) else "success"
    first = content[0] if isinstance(content, list) and content else None
    text = first.get("text") if isinstance(first, Mapping) else None
    if first is None or not isinstance(text, str) or not text.startswith(ERROR_MARK):
        return content, "success"
    rest = text.removeprefix(ERROR_MARK)
    return [*([{**first, "text": rest}] if rest else []), *content[1:]], "error"


def _answered(message: Mapping[str, Any]) -> dict[str, Any]:
    calls: list[dict[str, Any]] = []
    broken: list[dict[str, Any]] = []
    for call in message.get("tool_calls") or ():
        function: Mapping[str, Any] = call.get("function") or {}
        arguments = function.get("arguments") or "{}"
        named = {"name": function.get("name") or "", "id": call.get("id")}
        try:
            held = json.loads(arguments)
        except ValueError:
            held = None
        if isinstance(held, dict):
            calls.append({**named, "args": held, "type": "tool_call"})
        else:
            broken.append({**named, "args": arguments, "error": None, "type": "invalid_tool_call"})
    extra = {name: message[name] for name in ("refusal", "reasoning_content", "function_call") if message.get(name)}
    return {"tool_calls": calls, "invalid_tool_calls": broken, "additional_kwargs": extra}


def _extra(held: Any) -> Any:
    return _member(held, "additional_kwargs") or {}


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
