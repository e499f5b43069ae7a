"""Tool definitions: Anthropic's `input_schema`, OpenAI Chat's `function.parameters`, Responses' flat form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from octavo.errors import ConversionError
from octavo.messages import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from octavo.formats.turns import Log

__all__ = ["convert_tools"]

_ANTHROPIC_KEYS: Final = frozenset({"type", "name", "description", "input_schema", "strict"})
_FUNCTION_KEYS: Final = frozenset({"type", "name", "description", "parameters", "strict"})
_CUSTOM_KEYS: Final = frozenset({"type", "name", "description", "format"})
_NO_PARAMETERS: Final[dict[str, Any]] = {"type": "object", "properties": {}}


@dataclass(slots=True)
class _Tool:
    """A tool that the caller carries out."""

    name: str
    description: str | None
    schema: dict[str, Any] | None
    strict: bool = False
    custom: bool = False
    grammar: dict[str, Any] | None = None


def convert_tools(
    tools: Iterable[object] | None,
    source: Literal["anthropic", "openai", "openai-responses"],
    target: Literal["anthropic", "openai", "openai-responses"],
    log: Log,
) -> list[dict[str, Any]] | None:
    """Write definitions in another format. Tools that the provider itself carries out are left out and noted."""
    if tools is None:
        return None
    converted: list[dict[str, Any]] = []
    for index, tool in enumerate(tools):
        read = _read(plain(tool), source, index, log)
        if read is not None:
            converted.append(_WRITERS[target](read, index, log))
    return converted


def _read(tool: dict[str, Any], source: str, index: int, log: Log) -> _Tool | None:
    kind = tool.get("type")
    if source == "anthropic":
        if kind in (None, "custom"):
            log.left_out(index, tool, _ANTHROPIC_KEYS, "tools")
            return _Tool(
                _name(tool, index), tool.get("description"), tool.get("input_schema"), bool(tool.get("strict"))
            )
    elif kind == "custom":
        return _custom(tool, index, log)
    elif kind in (None, "function"):
        inner = tool.get("function")
        inner = plain(inner) if inner is not None else tool
        log.left_out(index, inner, _FUNCTION_KEYS, "tools")
        return _Tool(_name(inner, index), inner.get("description"), inner.get("parameters"), bool(inner.get("strict")))
    log.add(index, f"the {kind} tool left out: its provider carries it out itself", "tools")
    return None


def _custom(tool: dict[str, Any], index: int, log: Log) -> _Tool:
    """A tool whose input is free text. Chat nests the grammar one level deeper than Responses."""
    inner = tool.get("custom")
    inner = plain(inner) if inner is not None else tool
    log.left_out(index, inner, _CUSTOM_KEYS, "tools")
    form = inner.get("format")
    if isinstance(form, dict) and isinstance(nested := form.get("grammar"), dict):
        form = {"type": form.get("type"), **nested}
    return _Tool(
        _name(inner, index),
        inner.get("description"),
        None,
        custom=True,
        grammar=form if isinstance(form, dict) else None,
    )


def _name(tool: dict[str, Any], index: int) -> str:
    name = tool.get("name")
    if not isinstance(name, str) or not name:
        raise ConversionError(f"tool {index} has no name", index=index)
    return name


def _described(tool: _Tool) -> dict[str, Any]:
    return {"name": tool.name} if tool.description is None else {"name": tool.name, "description": tool.description}


def _anthropic(tool: _Tool, index: int, log: Log) -> dict[str, Any]:
    schema = _NO_PARAMETERS if tool.schema is None else tool.schema
    if tool.custom:
        log.add(index, "a custom tool became one with its text under `input`", "tools")
        schema = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
        if tool.grammar is not None:
            log.add(index, "a custom tool's format left out", "tools")
    written = {**_described(tool), "input_schema": schema}
    return {**written, "strict": True} if tool.strict else written


def _openai(tool: _Tool, _index: int, _log: Log) -> dict[str, Any]:
    inner = _described(tool)
    if tool.custom:
        if tool.grammar is not None:
            inner["format"] = _nested(tool.grammar)
        return {"type": "custom", "custom": inner}
    if tool.schema is not None:
        inner["parameters"] = tool.schema
    if tool.strict:
        inner["strict"] = True
    return {"type": "function", "function": inner}


def _nested(grammar: dict[str, Any]) -> dict[str, Any]:
    if grammar.get("type") != "grammar":
        return grammar
    return {"type": "grammar", "grammar": {key: value for key, value in grammar.items() if key != "type"}}


def _responses(tool: _Tool, _index: int, _log: Log) -> dict[str, Any]:
    if tool.custom:
        written = {"type": "custom", **_described(tool)}
        return {**written, "format": tool.grammar} if tool.grammar is not None else written
    # `strict` is always written: left out it means true here and false in the other two formats.
    return {"type": "function", **_described(tool), "parameters": tool.schema, "strict": tool.strict}


_WRITERS: Final = {"anthropic": _anthropic, "openai": _openai, "openai-responses": _responses}
