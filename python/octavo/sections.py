"""Where a section's text goes in each format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from octavo.budget import Section
from octavo.checking import refuse
from octavo.messages import Format, member, plain
from octavo.spread import spread

__all__ = [
    "alternates",
    "append_text",
    "at_head",
    "at_tail",
    "declared",
    "into_system",
    "joined_by_tail",
    "leading_of",
    "opens",
    "placeable",
    "text_message",
]

# In these formats roles alternate, so text joins the user message that is there instead of a new one.
_ALTERNATING: Final = frozenset({"anthropic", "bedrock", "gemini"})
_SYSTEM: Final = ("system", "developer")


def placeable(sections: Iterable[Section]) -> tuple[Section, ...]:
    """The sections, read once.

    Raises:
        ArgumentError: it is no list of sections.
    """
    given = cast("object", sections)
    if isinstance(given, tuple) and not given:
        return ()
    if isinstance(given, Section) or not isinstance(given, Iterable):
        raise refuse("sections", "a list of sections", given)
    each: tuple[Any, ...] = tuple(given)
    for at, section in enumerate(each):
        if not isinstance(section, Section):
            raise refuse(f"sections[{at}]", "a Section", section)
    return each


def declared(sections: tuple[Section, ...]) -> tuple[Section, ...]:
    """The sections with nothing in them that may change at every call: without the texts of the tail."""
    if all(section.place != "tail" for section in sections):
        return sections
    return tuple(replace(section, text="") if section.place == "tail" else section for section in sections)


def alternates(format: Format) -> bool:
    """Whether roles alternate, so that a text joins a message of the user's."""
    return format in _ALTERNATING


def text_message(format: Format, role: str, text: str) -> dict[str, Any]:
    """A message of one text, in the form of `format`."""
    if format == "gemini":
        return {"role": role, "parts": [{"text": text}]}
    if format == "bedrock":
        return {"role": role, "content": [{"text": text}]}
    return {"role": role, "content": text}


def append_text(format: Format, message: Any, text: str) -> dict[str, Any]:
    """A copy of a user message with a text block after its content; the message itself stays as it is."""
    held = plain(message)
    if format == "gemini":
        parts = held.get("parts")
        each = [] if parts is None else spread(parts)
        said = [{"text": part} if isinstance(part, str) else part for part in each]
        return {**held, "parts": [*said, {"text": text}]}
    block = _text_block(format, text)
    content = held.get("content")
    if isinstance(content, str):
        before: list[Any] = [_text_block(format, content)] if content else []
    else:
        before = [] if content is None else spread(content)
    return {**held, "content": [*before, block]}


def into_system(format: Format, system: Any, text: str) -> Any:
    """The system parameter with a text after it, in the kind that it was given in."""
    if system is None or system == "":
        if format == "gemini":
            return {"parts": [{"text": text}]}
        return [_text_block(format, text)] if format == "bedrock" else text
    if isinstance(system, str):
        return f"{system}\n\n{text}"
    if isinstance(system, Sequence):
        return [*system, _text_block(format, text)]
    held = plain(system)
    if format == "gemini" and "parts" not in held:
        # A lone part.
        held = {"parts": held}
    if "parts" in held:
        return append_text("gemini", held, text)
    # A whole message, or a lone block.
    return append_text(format, held, text) if "content" in held else [held, _text_block(format, text)]


def _text_block(format: Format, text: str) -> dict[str, Any]:
    return {"text": text} if format in ("bedrock", "gemini") else {"type": "text", "text": text}


def leading_of(messages: Sequence[Any]) -> int:
    """How many system messages lead the list."""
    return next((at for at, message in enumerate(messages) if _role(message) not in _SYSTEM), len(messages))


def at_head(format: Format, messages: list[Any], leading: int, texts: Sequence[str]) -> tuple[int, int] | None:
    """Put texts before the history, after the task: in their order.

    Where roles alternate they join the task's message, a new object taking that message's place in the list; where
    there is none they are one message.

    Args:
        format: the format of `messages`.
        messages: the list, which is changed.
        leading: how many system messages lead it.
        texts: the texts.

    Returns:
        Where they stand as messages of their own, and how many; `None` where they joined one, or there are none.
    """
    if not texts:
        return None
    opened = opens(messages, leading)
    if not alternates(format):
        at = leading + 1 if opened else leading
        messages[at:at] = [text_message(format, "user", text) for text in texts]
        return at, len(texts)
    if not opened:
        messages.insert(leading, text_message(format, "user", texts[0]))
    for text in texts if opened else texts[1:]:
        messages[leading] = append_text(format, messages[leading], text)
    return None if opened else (leading, 1)


def opens(messages: Sequence[Any], leading: int) -> bool:
    """Whether the user speaks first after the leading system messages: that is the task."""
    return leading < len(messages) and _role(messages[leading]) == "user"


def at_tail(format: Format, messages: list[Any], text: str) -> int:
    """Put a text after everything that the prompt cache may hold; the position that changed.

    Where roles alternate it joins the last user message, behind its tool results; a new object takes that
    message's place in the list.
    """
    last = joined_by_tail(format, messages)
    if last is None:
        messages.append(text_message(format, "user", text))
        return len(messages) - 1
    messages[last] = append_text(format, messages[last], text)
    return last


def joined_by_tail(format: Format, messages: Sequence[Any]) -> int | None:
    """The message that a text at the tail joins; `None` where it is a message of its own."""
    if not alternates(format):
        return None
    return next((at for at in range(len(messages) - 1, -1, -1) if _role(messages[at]) == "user"), None)


def _role(message: Any) -> Any:
    return member(message, "role")
