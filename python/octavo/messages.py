"""What a list of messages is: the format it is written in, whose rules it must obey, and its plain form.

The three questions are asked once a call, of lists with thousands of messages, so each stops at the
first message that decides it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any, Final, Literal, TypeAlias, cast

from octavo.checking import check_name
from octavo.errors import FormatError, MessageError

__all__ = [
    "FORMATS",
    "Format",
    "Message",
    "Provider",
    "decided_format",
    "infer_format",
    "infer_provider",
    "known_format",
    "leans_to_anthropic",
    "listed",
    "member",
    "plain",
    "reread",
]

Format: TypeAlias = Literal["anthropic", "openai", "openai-responses", "gemini", "bedrock"]
"""The shape that messages are written in."""

Provider: TypeAlias = Literal["anthropic", "openai", "openai-responses", "gemini", "bedrock"]
"""Whose rules a list of messages must obey. Named like the formats: each provider has its own one."""

Message: TypeAlias = Mapping[str, Any]
"""One message in the provider's own form."""

FORMATS: Final[tuple[Format, ...]] = ("anthropic", "openai", "openai-responses", "gemini", "bedrock")
"""Every format, in the order in which the documentation names them."""

# What a content block's `type` says of the format. `text` is missing: both Anthropic and OpenAI Chat use it,
# with `cache_control` or without.
# Sources: the block and item types of the anthropic (2.14) and openai (3.57) Python packages.
_BLOCK_FORMATS: Final[Mapping[str, Format]] = {
    **dict.fromkeys(
        (
            "tool_use",
            "tool_result",
            "thinking",
            "redacted_thinking",
            "image",
            "document",
            "search_result",
            "server_tool_use",
            "mcp_tool_use",
            "mcp_tool_result",
            "compaction",
            "container_upload",
            "web_search_tool_result",
            "web_fetch_tool_result",
            "code_execution_tool_result",
        ),
        "anthropic",
    ),
    **dict.fromkeys(("image_url", "input_audio", "file", "refusal"), "openai"),
    **dict.fromkeys(
        ("input_text", "output_text", "input_image", "input_file"),
        "openai-responses",
    ),
}

# Types of Responses items beside those that end in `_call` or `_call_output`.
# Source: the item types of the openai (3.57) Python package.
_ITEMS: Final = frozenset(
    {
        "message",
        "reasoning",
        "item_reference",
        "compaction",
        "mcp_list_tools",
        "mcp_approval_request",
        "mcp_approval_response",
    }
)

_CLAUDE: Final = re.compile(r"claude|anthropic", re.IGNORECASE)
_OPENAI: Final = re.compile(r"(?:^|[/:.])(?:gpt-|o[1-9](?:-|$)|chatgpt|codex|ft:gpt)", re.IGNORECASE)

# The members of a message that :func:`_decide` asks for beside its role and content.
_DECIDING_KEYS: Final = frozenset(
    {"type", "parts", "tool_calls", "tool_call_id", "function_call", "reasoning_content", "refusal"}
)

# How many messages are looked at one by one before the rest is asked in bulk whether it is all plain text.
_LOOKED_AT_SINGLY: Final = 32


def infer_format(messages: Iterable[object], model: str | None = None, provider: str | None = None) -> Format:
    """Tell the format of a list of messages from the messages themselves.

    The first message that only one format can write decides. A list of texts could be any: then a leading
    `system` or `developer` message means OpenAI Chat, unless Responses is stated, whose items it may be too;
    else the stated provider decides, whose own format it is; else the model's provider does where it is
    Anthropic or OpenAI; else Anthropic's habits, which Chat clients of routers have too: a `cache_control` on
    a text, or an assistant message whose content is a list of text blocks. Everything else is OpenAI Chat.

    Args:
        messages: dicts, Pydantic models or SDK objects, in any of the five formats.
        model: name of the model that the list is meant for, used only where the messages decide nothing.
        provider: whose rules the list is to obey, where that is stated; used only where the messages decide
            nothing. For Gemini a message with `content` is Chat, as its compatible endpoint takes it: its own
            format has no such member.

    Returns:
        The name of the format. Never raises for a message that it cannot make out: reading it will.

    Raises:
        ArgumentError: `model` is no text.
        FormatError: `provider` is not a known name.
    """
    check_name("model", model)
    stated = None if provider is None else known_format(provider)
    known = messages if isinstance(messages, Sequence) else list(messages)
    decided = _first_decided(islice(known, _LOOKED_AT_SINGLY))
    texts_only = decided is None and _all_plain_text(known)
    if decided is None and not texts_only:
        decided = _first_decided(islice(known, _LOOKED_AT_SINGLY, None))
    if decided is not None:
        return decided
    if stated != "openai-responses" and known and _field(known[0], "role") in ("system", "developer"):
        return "openai"
    if stated is not None:
        return "openai" if stated == "gemini" and known and _field(known[0], "content") is not None else stated
    if model is not None and (_CLAUDE.search(model) or _OPENAI.search(model)):
        return "anthropic" if _CLAUDE.search(model) else "openai"
    return "anthropic" if not texts_only and any(map(leans_to_anthropic, known)) else "openai"


def decided_format(messages: Sequence[object]) -> Format | None:
    """Tell the format that only one format's writer could have used; `None` where the messages decide nothing."""
    decided = _first_decided(islice(messages, _LOOKED_AT_SINGLY))
    if decided is not None or len(messages) <= _LOOKED_AT_SINGLY or _all_plain_text(messages):
        return decided
    return _first_decided(islice(messages, _LOOKED_AT_SINGLY, None))


def infer_provider(format: Format, model: str | None = None) -> Provider:
    """Tell whose rules a list must obey, from its format and the model it is meant for.

    A format of its own (Gemini, Bedrock, Responses) is that provider's. Chat and Anthropic messages are
    written for many servers: a Claude model makes it Anthropic, an OpenAI model OpenAI, and any other
    model leaves the rules of the format. Claude behind Responses items is judged as Anthropic too, since
    that is where the items will arrive.

    Raises:
        ArgumentError: `model` is no text.
        FormatError: `format` is not a known name.
    """
    check_name("model", model)
    known_format(format)
    if model is None or format in ("gemini", "bedrock"):
        return format
    if _CLAUDE.search(model):
        return "anthropic"
    if format == "anthropic" and _OPENAI.search(model):
        return "openai"
    return format


def known_format(name: str) -> Format:
    """Give the name of a format or provider as it was given.

    Raises:
        FormatError: it is none.
    """
    if name not in FORMATS:
        raise FormatError(f"unknown format or provider {name!r}: expected one of {', '.join(FORMATS)}", got=name)
    return name


def listed(messages: Iterable[object]) -> list[Any]:
    """Give messages as a new list.

    Raises:
        MessageError: there is nothing to iterate over. What an iterator itself raises goes through.
    """
    try:
        each = iter(messages)
    except TypeError as error:
        raise MessageError(f"expected a list of messages, got {type(messages).__name__}") from error
    return list(each)


def member(value: object, name: str) -> Any:
    """A member of a mapping, or an attribute of an SDK's or Pydantic object; `None` where there is none."""
    # Nearly all are dicts, and asking an abstract class costs more than the look-up.
    if type(value) is dict or isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value).get(name)
    return getattr(value, name, None)


def reread(value: Any) -> Any:
    """Give a value that can be read more than once: a generator as a list, anything else as it is."""
    return list(value) if value is not None and isinstance(value, Iterator) else value


def _first_decided(messages: Iterable[object]) -> Format | None:
    return next((decided for decided in map(_decide, messages) if decided is not None), None)


def _all_plain_text(messages: Sequence[object]) -> bool:
    """Whether every message is a dict with a text as content and no member that decides.

    Asked with C loops (0.1 µs a message); asking 4,000 messages one by one takes ten times as long.
    """
    if set(map(type, messages)) != {dict}:
        return False
    dicts = cast("Sequence[dict[str, object]]", messages)
    if not _DECIDING_KEYS.isdisjoint(set[str]().union(*dicts)):
        return False
    try:
        return set(map(type, map(itemgetter("content"), dicts))) == {str}
    except KeyError:
        return False


def _decide(message: object) -> Format | None:
    """The format that this message can only be of, if there is just one."""
    if type(message) is dict and "content" in message and len(message) == 2 and type(message["content"]) is str:
        return "openai" if message.get("role") in ("tool", "function") else None
    if _field(message, "parts") is not None:
        return "gemini"
    if _field(message, "role") is None:
        return "openai-responses" if _is_item(_field(message, "type")) else None
    if _field(message, "type") == "message":
        # A Responses item; or an Anthropic answer as it was received, which says what it cost.
        return "openai-responses" if _field(message, "usage") is None else "anthropic"
    if _field(message, "tool_calls") or _field(message, "function_call") or _field(message, "tool_call_id"):
        return "openai"
    if _field(message, "role") in ("tool", "function"):
        return "openai"
    if (decided := _by_blocks(_field(message, "content"))) is not None:
        return decided
    if _field(message, "reasoning_content") is not None or _field(message, "refusal") is not None:
        return "openai"
    return None


def _is_item(kind: object) -> bool:
    """Whether a type is that of a Responses item.

    Objects of other types decide nothing: a LangChain message has a type and no role as well, and would be left out of
    every conversion.
    """
    return isinstance(kind, str) and (kind in _ITEMS or kind.endswith(("_call", "_call_output")))


def leans_to_anthropic(message: object) -> bool:
    """Whether a message that decides nothing has a habit of Anthropic's.

    Its answers are lists of blocks where Chat's are texts; and its texts carry cache breakpoints. Chat has
    neither by itself, but routers (OpenRouter, LiteLLM) take both in Chat messages for Claude, so that neither
    may outweigh what only Chat can write.
    """
    content = _field(message, "content")
    if not isinstance(content, (list, tuple)):
        return False
    return _field(message, "role") == "assistant" or any(
        _field(block, "cache_control") is not None for block in cast("Sequence[object]", content)
    )


def _by_blocks(content: object) -> Format | None:
    if isinstance(content, Mapping):
        # A lone block; data of other kinds decides nothing.
        kind = content.get("type")
        told = _BLOCK_FORMATS.get(kind) if isinstance(kind, str) else None
        return told or ("bedrock" if "toolUse" in content or "toolResult" in content else None)
    if not isinstance(content, (list, tuple)):
        return None
    for block in cast("Sequence[object]", content):
        # Once, and never deeper: what is no list of blocks is the reader's to refuse.
        inner = block if isinstance(block, (list, tuple)) else (block,)
        for one in cast("Sequence[object]", inner):
            if (decided := _block_format(one)) is not None:
                return decided
    return None


def _block_format(block: object) -> Format | None:
    kind = _field(block, "type")
    if isinstance(kind, str):
        return _BLOCK_FORMATS.get(kind)
    # A block of Bedrock Converse is an object whose single key names its kind.
    return "bedrock" if isinstance(block, Mapping) and block and kind is None else None


def _field(value: object, name: str) -> Any:
    """A member of a mapping or an attribute of an object; `None` where there is none."""
    if type(value) is dict or isinstance(value, Mapping):
        return value.get(name)
    return getattr(value, name, None)


# What an SDK adds to a message that it received, and no provider accepts back.
_ANSWER_ONLY: Final = frozenset({"annotations", "parsed", "audio", "parsed_arguments", "parsed_output"})


def plain(message: object, index: int | None = None) -> dict[str, Any]:
    """Give a message or item as a plain dict that its provider accepts back.

    A dict is returned as the same object, untouched. Pydantic models (Anthropic's `Message`, OpenAI's
    `ChatCompletionMessage` and Responses items, one's own) are dumped without unset optional fields and
    without what an SDK adds to an answer (`id`, `usage` and `stop_reason` of an Anthropic message;
    `annotations` and parsed values of an OpenAI one). Dataclasses and other mappings become dicts.

    Args:
        message: the message, in any of these forms. It is never changed.
        index: its position, for the error.

    Raises:
        MessageError: it is none of these, or a whole response instead of the message inside it.
    """
    if type(message) is dict:
        return cast("dict[str, Any]", message)
    if isinstance(message, Mapping):
        return {str(key): value for key, value in message.items()}
    dumped = _dumped(message, index)
    if not isinstance(dumped, dict):
        raise MessageError(
            f"{_at(index)}expected a dict or a message object, got {type(message).__name__}", index=index
        )
    for key, inside in (("choices", "choices[0].message"), ("output", "output")):
        if key in dumped and "role" not in dumped and "type" not in dumped:
            raise MessageError(f"{_at(index)}this is a whole response: give its `{inside}`", index=index)
    if "stop_reason" in dumped and "role" in dumped:
        return {"role": dumped["role"], "content": dumped["content"]}
    return _without_answer_fields(dumped)


def _dumped(value: object, index: int | None) -> object:
    """A Pydantic model's or dataclass's fields without those that are `None`."""
    try:
        return _fields(value)
    except RecursionError as error:
        raise MessageError(f"{_at(index)}it contains itself, or is nested too deeply", index=index) from error


def _fields(value: object) -> object:
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dump(mode="json", exclude_none=True, by_alias=True)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {key: item for key, item in dataclasses.asdict(value).items() if item is not None}
    return None


def _without_answer_fields(message: dict[str, Any]) -> dict[str, Any]:
    if isinstance(audio := message.get("audio"), dict) and "id" in audio:
        message = {**message, "audio": {"id": audio["id"]}}
        dropped = _ANSWER_ONLY - {"audio"}
    else:
        dropped = _ANSWER_ONLY
    kept = {key: value for key, value in message.items() if key not in dropped}
    if isinstance(calls := kept.get("tool_calls"), list):
        kept["tool_calls"] = [_plain_call(call) for call in calls]
    return kept


def _plain_call(call: dict[str, Any]) -> dict[str, Any]:
    function = call.get("function")
    if not isinstance(function, dict) or "parsed_arguments" not in function:
        return call
    return {**call, "function": {key: value for key, value in function.items() if key != "parsed_arguments"}}


def _at(index: int | None) -> str:
    return "" if index is None else f"message {index}: "
