"""The tool with which a model gets an output back that was left out of its context."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from octavo.clearing import text_in
from octavo.errors import MessageError
from octavo.messages import Format, known_format

if TYPE_CHECKING:
    from octavo.transcript import Transcript

__all__ = ["RECALL_OUTPUT", "recall_output", "recall_output_tool"]

RECALL_OUTPUT: Final = "recall_output"
"""The tool's name."""

_DESCRIPTION: Final = (
    "Gives back an output of a tool that was left out of this conversation to save room. Where one was, it says "
    "'[output left out: 1,234 tokens; ref abcd1234]'. Call this with that ref when you need what it said; only then."
)

_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"ref": {"type": "string", "description": "The ref, as it stands in the output's place."}},
    "required": ["ref"],
    "additionalProperties": False,
}


def recall_output_tool(format: Format = "anthropic") -> dict[str, Any]:
    """Give the tool's definition as one of a client's `tools`.

    Args:
        format: the client's format; for Gemini it is a tool with one function declaration.

    Returns:
        A dict of the caller's own.

    Raises:
        FormatError: `format` is not a known name.
    """
    # Through JSON, so that nothing of it is shared.
    schema = cast("dict[str, Any]", json.loads(json.dumps(_SCHEMA)))
    named: dict[str, Any] = {"name": RECALL_OUTPUT, "description": _DESCRIPTION}
    match known_format(format):
        case "anthropic":
            return {**named, "input_schema": schema}
        case "openai":
            return {"type": "function", "function": {**named, "parameters": schema}}
        case "openai-responses":
            return {"type": "function", **named, "parameters": schema}
        case "gemini":
            # Gemini's schemas have no such member.
            schema.pop("additionalProperties")
            return {"functionDeclarations": [{**named, "parameters": schema}]}
        case "bedrock":
            return {"toolSpec": {**named, "inputSchema": {"json": schema}}}


def recall_output(transcript: Transcript, arguments: Any) -> str:
    """Answer a call of the tool: the output's text, or words that say why there is none.

    What a model asks for is never an error of the caller's: nothing is raised for it.

    Args:
        transcript: the conversation that the call belongs to.
        arguments: the call's arguments, as an object or as JSON text; or the ref alone.
    """
    ref = _ref_in(arguments)
    if ref is None:
        return (
            f"{RECALL_OUTPUT} takes one argument, the ref of an output that was left out, as a text: nothing was found."
        )
    try:
        content = transcript.original(ref)
    except MessageError:
        return f"There is no output with the ref {ref[:64]!r} in this conversation. Call the tool again that gave it."
    return text_in(content, transcript.format)


def _ref_in(arguments: Any) -> str | None:
    given = arguments
    if isinstance(given, str) and given.lstrip().startswith(("{", '"')):
        try:
            given = json.loads(given)
        except ValueError:
            return None
    if isinstance(given, Mapping):
        given = cast("Mapping[str, Any]", given).get("ref")
    return given.strip() if isinstance(given, str) else None
