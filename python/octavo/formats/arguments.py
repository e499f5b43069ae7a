"""Arguments of a call: an object in Anthropic's format, JSON text in OpenAI's."""

from __future__ import annotations

import json
import math
from typing import Any, Final, NoReturn

from octavo.errors import ConversionError

__all__ = ["RAW_ARGUMENTS", "arguments_object", "arguments_text", "json_text"]

RAW_ARGUMENTS: Final = "__raw_arguments__"
"""Key under which a text that is no JSON object is kept in Anthropic's `input`, so that nothing is lost.

Models do write broken JSON. An `input` with this key alone becomes that very text again.
"""


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _finite(text: str) -> float:
    """A number that a double can hold: `1e999` would come back as no JSON at all."""
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text} is out of range")
    return value


# Built once: `json.loads` with options builds a decoder a call, which costs more than a short text.
_decode = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite).decode
# Letters stay letters (`ensure_ascii=False`): an escape costs a Korean text three times its tokens. The order of
# the members is the model's own.
_encode_whole = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

_MANY: Final = 64
"""Members above which an object is written one by one. Python's encoder does not let other threads in before it is
done; between members they get their turn."""


def _encode(value: object) -> str:
    if type(value) is dict and len(value) > _MANY:
        return f"{{{','.join([_encode_whole({key: inner})[1:-1] for key, inner in value.items()])}}}"
    if type(value) is list and len(value) > _MANY:
        return f"[{','.join([_encode_whole(inner) for inner in value])}]"
    return _encode_whole(value)


def arguments_object(arguments: dict[str, Any] | str) -> dict[str, Any]:
    """The object for Anthropic's `input`. A blank text means a call without arguments."""
    if isinstance(arguments, dict):
        return arguments
    if not arguments or arguments.isspace():
        return {}
    try:
        value = _decode(arguments)
    except (ValueError, RecursionError):
        return {RAW_ARGUMENTS: arguments}
    return value if type(value) is dict else {RAW_ARGUMENTS: arguments}


def arguments_text(arguments: dict[str, Any] | str, index: int) -> str:
    """The text for OpenAI's `arguments`: compact JSON, or the kept text of :data:`RAW_ARGUMENTS`."""
    if isinstance(arguments, str):
        return arguments
    if len(arguments) == 1 and isinstance(raw := arguments.get(RAW_ARGUMENTS), str):
        return raw
    return json_text(arguments, index)


def json_text(value: object, index: int) -> str:
    """Any value as compact JSON.

    Raises:
        ConversionError: it holds something that JSON cannot say.
    """
    try:
        return _encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConversionError(f"message {index}: cannot be written as JSON: {error}", index=index) from error
