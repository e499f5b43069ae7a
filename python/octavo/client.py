"""What a client is called with: a context in the client's own format, made valid there.

A context obeys the rules of its own provider in its own format. Another format has rules that could not be
judged before (empty texts, alternating roles, how the list ends), so a converted list is repaired once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from octavo.formats import ClientFormat, Converted, Note
from octavo.formats.conversion import converted as converted_to
from octavo.lifetimes import SHORTENED, shortened
from octavo.messages import Provider, infer_provider
from octavo.system import without_empty_texts
from octavo.validity import Change, Mode, mode_of, repaired_in

if TYPE_CHECKING:
    from octavo.drafting import Draft

__all__ = ["written_for"]


def written_for(draft: Draft, target: ClientFormat, messages: list[Any], system: Any, tools: Any) -> Converted:
    """The messages in the format `target`, valid for its provider and for the one that the model's name tells.

    A list that is in that format and obeys those rules already is only made plain.

    Raises:
        ConversionError: the context is in Gemini's or Bedrock's format, or a value cannot be written as JSON.
        MessageError: a message cannot be read.
    """
    # Chat servers that want reasoning back get the model's own; everybody else refuses another's.
    keep = draft.asked.mode.reasoning_content and target == "openai" != draft.asked.format
    converted = converted_to(
        messages, target, source=draft.asked.format, system=system, tools=tools, thinking="keep" if keep else "drop"
    )
    if target == "anthropic":
        converted = _in_order(replace(converted, system=without_empty_texts(converted.system)))
    for provider in _unmet(draft, target):
        converted = _repaired(converted, _mode(draft, target, provider, converted))
    return converted


def _unmet(draft: Draft, target: ClientFormat) -> list[Provider]:
    """Whose rules the list may still break in that format: the client's own provider, and the model's behind it."""
    whose: dict[Provider, None] = dict.fromkeys((target, infer_provider(target, draft.asked.model)))
    return [provider for provider in whose if draft.asked.format != target or provider != draft.asked.provider]


def _mode(draft: Draft, target: ClientFormat, provider: Provider, converted: Converted) -> Mode:
    mode = mode_of(
        converted.messages, provider, format=target, model=draft.asked.model, thinking=draft.asked.mode.thinking,
        tools=converted.tools, system=converted.system,
    )  # fmt: skip
    return replace(mode, previous_response=draft.asked.mode.previous_response)


def _in_order(converted: Converted) -> Converted:
    """The same, with no cache breakpoint of an hour behind one of five minutes in tools and system."""
    tools, system, changed = shortened(converted.tools, converted.system)
    notes = (Note(SHORTENED, "tools" if name == "tools" else "system") for name in changed)
    return replace(converted, tools=tools, system=system, notes=(*converted.notes, *notes)) if changed else converted


def _repaired(converted: Converted, mode: Mode) -> Converted:
    repaired = repaired_in(converted.messages, mode)
    if not repaired.log:
        return converted
    return replace(converted, messages=repaired.messages, notes=(*converted.notes, *_notes(repaired.log)))


def _notes(log: Sequence[Change]) -> Iterable[Note]:
    """Each change once, with every place where it was made: positions in the list as it was converted."""
    places: dict[str, dict[int, None]] = {}
    for change in log:
        places.setdefault(change.message.removeprefix(f"message {change.index}: "), {})[change.index] = None
    return (Note(message, "converted", tuple(sorted(at))) for message, at in places.items())
