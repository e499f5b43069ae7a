"""Conversion between Anthropic Messages, OpenAI Chat Completions and OpenAI Responses, in all directions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from octavo import _core
from octavo.checking import check_blocks, refuse
from octavo.errors import ConversionError, FormatError, MessageError
from octavo.formats import (
    anthropic_reader,
    anthropic_writer,
    openai_reader,
    openai_writer,
    responses_reader,
    responses_writer,
)
from octavo.formats.reading import System, system_given
from octavo.formats.tools import convert_tools
from octavo.formats.turns import Log, Note
from octavo.mending import MENDED, mended
from octavo.messages import FORMATS, Format, infer_format, listed, plain
from octavo.strangers import known

if TYPE_CHECKING:
    from octavo.formats.anthropic_writer import MidSystem

__all__ = ["CLIENT_FORMATS", "ClientFormat", "Converted", "arguments_of", "client_arguments", "convert"]

ClientFormat: TypeAlias = Literal["anthropic", "openai", "openai-responses"]
"""A format that conversion reads and writes."""

CLIENT_FORMATS: tuple[ClientFormat, ...] = ("anthropic", "openai", "openai-responses")
"""Every format that conversion reads and writes."""


@dataclass(frozen=True, slots=True)
class Converted:
    """Messages in another format, with everything that could not be said there.

    Attributes:
        messages: the messages or items. In OpenAI Chat the system prompt is the first of them.
        system: Anthropic's `system` or Responses' `instructions`; `None` where there is none, and in Chat.
        tools: the tool definitions, or `None` where none were given.
        notes: what was changed or left out, with positions in what was given. Empty: nothing was lost.
    """

    messages: list[dict[str, Any]]
    system: str | list[dict[str, Any]] | None
    tools: list[dict[str, Any]] | None
    notes: tuple[Note, ...]


def convert(
    messages: Iterable[object],
    target: ClientFormat,
    *,
    source: Format | None = None,
    system: System = None,
    tools: Iterable[object] | None = None,
    thinking: Literal["drop", "keep"] = "drop",
    mid_system: MidSystem = "user",
) -> Converted:
    """Write messages, system prompt and tools in the format `target`.

    Args:
        messages: dicts, Pydantic models or SDK objects. Never changed; messages that mean the same in both
            formats come back as the same objects.
        target: the format to write.
        source: the format of `messages`; told from them where it is not given.
        system: a system prompt given apart from the messages: a text, blocks, a block, or a message.
        tools: tool definitions in the format of `messages`.
        thinking: `drop` leaves reasoning out, since no provider accepts another's. `keep` carries it as data
            (Anthropic thinking blocks, Chat's `reasoning_content`, Responses reasoning items), for storage and
            for servers that read it.
        mid_system: how Anthropic output says a system message in mid-conversation: as a `user` text between
            `<system>` marks, or as a message of role `system`, which only newer models accept.

    Raises:
        MessageError: a message cannot be read at all; names its position.
        ConversionError: the source is Gemini or Bedrock, or a value cannot be written as JSON.
        FormatError: `target` or `source` is no known format.
    """
    given = listed(messages)
    for index, message in enumerate(given):
        if (reason := known(message)) is not None:
            raise MessageError(f"message {index}: {reason}", index=index)
    written = converted(
        given, target, source=source, system=system, tools=tools, thinking=thinking, mid_system=mid_system
    )
    if not _core.is_garbled((written.messages, written.system, written.tools)):
        return written
    return replace(
        written,
        messages=mended(written.messages),
        system=mended(written.system),
        tools=mended(written.tools),
        notes=(*written.notes, Note(MENDED, "converted")),
    )


def converted(
    messages: Iterable[object],
    target: ClientFormat,
    *,
    source: Format | None = None,
    system: System = None,
    tools: Iterable[object] | None = None,
    thinking: Literal["drop", "keep"] = "drop",
    mid_system: MidSystem = "user",
) -> Converted:
    """Convert what has no surrogates, as contexts have none: :func:`convert` looks for them in what it wrote."""
    given, tools = listed(messages), _tools_given(tools)
    source = _known(source, target, given)
    system = system_given(system)
    log = Log()
    if source == target:
        return _same(given, source, system, tools)
    turns = _READERS[source](given, system, log)
    written_tools = convert_tools(tools, source, target, log)
    written: list[dict[str, Any]]
    prompt: str | list[dict[str, Any]] | None = None
    keep = thinking == "keep"
    if target == "anthropic":
        written, prompt = anthropic_writer.write(turns, log, keep_thinking=keep, mid_system=mid_system)
    elif target == "openai":
        written = openai_writer.write(turns, log, keep_thinking=keep)
    else:
        written, prompt = responses_writer.write(turns, log, keep_thinking=keep)
    return Converted(written, prompt, written_tools, log.notes())


_READERS = {
    "anthropic": anthropic_reader.read,
    "openai": openai_reader.read,
    "openai-responses": responses_reader.read,
}


def client_arguments(
    messages: Iterable[object],
    target: ClientFormat,
    *,
    source: Format | None = None,
    system: System = None,
    tools: Iterable[object] | None = None,
    thinking: Literal["drop", "keep"] = "drop",
    mid_system: MidSystem = "user",
) -> dict[str, Any]:
    """The keyword arguments for the client of `target`, converted where the messages are in another format.

    Only what there is stands in it: `messages`, `system` and `tools` for Anthropic; `messages` and `tools` for
    OpenAI Chat, the system prompt first among the messages; `input`, `instructions` and `tools` for Responses.

    The options and errors are those of :func:`convert`, which also tells what could not be said. Nothing is
    judged or repaired here: `Context.anthropic()` and its like do that as well.
    """
    converted = convert(
        messages, target, source=source, system=system, tools=tools, thinking=thinking, mid_system=mid_system
    )
    return arguments_of(converted, target)


def arguments_of(converted: Converted, target: ClientFormat) -> dict[str, Any]:
    """The keyword arguments for the client of `target`: of messages, system prompt and tools, what there is."""
    first, second = ("input", "instructions") if target == "openai-responses" else ("messages", "system")
    arguments: dict[str, Any] = {first: converted.messages}
    if converted.system:
        arguments[second] = converted.system
    if converted.tools:
        arguments["tools"] = converted.tools
    return arguments


def _tools_given(tools: Any) -> list[dict[str, Any]] | None:
    """Tool definitions as a list of plain dicts; a lone one, and Bedrock's object around them, too.

    Raises:
        ArgumentError: one is no object; says which.
    """
    if tools is None:
        return None
    inner = tools.get("tools") if isinstance(tools, Mapping) else None
    given = inner if isinstance(inner, list) else [tools] if isinstance(tools, Mapping) else tools
    check_blocks("tools", given, texts=False)
    each: list[dict[str, Any]] = []
    for at, tool in enumerate([given] if not isinstance(given, Iterable) or hasattr(given, "model_dump") else given):
        try:
            each.append(plain(tool))
        except MessageError as error:
            raise refuse(f"tools[{at}]", "a tool definition", tool) from error
    return each


def _known(source: Format | None, target: ClientFormat, messages: list[object]) -> ClientFormat:
    if target not in CLIENT_FORMATS:
        raise FormatError(f"cannot write {target!r}: expected one of {', '.join(CLIENT_FORMATS)}", got=target)
    if source is None:
        source = infer_format(messages)
    if source not in FORMATS:
        raise FormatError(f"unknown format {source!r}: expected one of {', '.join(CLIENT_FORMATS)}", got=source)
    if source not in CLIENT_FORMATS:
        raise ConversionError(f"messages in {source}'s format are validated and assembled in that format only")
    return source


def _same(messages: list[object], target: ClientFormat, system: System, tools: Iterable[object] | None) -> Converted:
    """Messages that are in the right format already: made plain, with the system prompt at its place."""
    listed = [plain(message, index) for index, message in enumerate(messages)]
    written_tools = None if tools is None else [plain(tool) for tool in tools]
    prompt = cast("str | list[dict[str, Any]] | None", system)
    if not prompt:
        return Converted(listed, None, written_tools, ())
    if target == "anthropic" or (target == "openai-responses" and isinstance(prompt, str)):
        return Converted(listed, prompt, written_tools, ())
    if target == "openai-responses":
        prompt = _instruction_parts(prompt)
    return Converted([{"role": "system", "content": prompt}, *listed], None, written_tools, ())


def _instruction_parts(prompt: Any) -> list[dict[str, Any]]:
    """System blocks as the parts of a Responses message."""
    blocks = [{"type": "text", "text": block} if isinstance(block, str) else block for block in prompt]
    return [{**block, "type": "input_text"} if block.get("type") == "text" else block for block in blocks]
