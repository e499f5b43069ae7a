"""What LangChain's package for Claude passes on and the API refuses.

Source: `_format_messages` of langchain-anthropic 1.7.10. It cures itself, so that nothing is done about it here: blank
text blocks, empty answers, call ids (langchain-ai/langchain#37756), runs of one role, blanks at the end, failed
results. It passes on blank texts that are no blocks (langchain-ai/langchain#35081, open), those of the system prompt,
and messages of which nothing is left. For a system message amid the others that the model does not take, or not where
it stands, it raises, or moves it to the front with a warning (langchain-ai/langchain#40622).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import octavo

__all__ = ["SYSTEM", "cleaned", "may_stand", "said_by_user", "says_nothing", "takes_system"]

SYSTEM: Final = ("system", "developer")
"""The roles of a system message."""


def says_nothing(content: Any) -> bool:
    """Whether content is no more than blank texts."""
    if content is None or isinstance(content, str):
        return not (content or "").strip()
    return isinstance(content, list | tuple) and all(_is_blank(block) for block in content)


def cleaned(content: Any, role: object) -> Any:
    """Content without the blank texts that would be refused; the same object where there are none."""
    if isinstance(content, str):
        # A result may be blank; a message of the others that is has been left out, unless it calls.
        return "" if role == "assistant" and not content.strip() else content
    if not isinstance(content, list | tuple):
        return content
    kept = [block for block in content if not ((isinstance(block, str) or role in SYSTEM) and _is_blank(block))]
    return kept if len(kept) < len(content) else content


def said_by_user(content: Any) -> str | None:
    """What the user says in the place of a system message, as :func:`octavo.formats.convert` writes it.

    `None` where it holds something else than texts, which cannot be said.
    """
    blocks = [content] if isinstance(content, str) else content
    texts = [_text(block) for block in blocks] if isinstance(blocks, list | tuple) else []
    if not texts or None in texts:
        return None
    joined = "\n".join(text for text in texts if text)
    return f"<system>\n{joined}\n</system>"


def takes_system(model: str | None) -> bool:
    """Whether a model is known to take a system message behind a user's."""
    asked = [{"role": "user", "content": "?"}, {"role": "system", "content": "!"}]
    known = model is not None and octavo.counter_for(model).known
    return known and not octavo.validate(asked, "anthropic", format="anthropic", model=model)


def may_stand(roles: Sequence[object]) -> list[bool]:
    """Say of each message whether a system message may stand there.

    It may behind the user's or a result, last or before an answer. System messages in a row are one.
    """
    behind = [before in ("user", "tool") for before in _nearest(roles, None)]
    ahead = [after == "assistant" for after in _nearest(roles[::-1], "assistant")]
    return [one and other for one, other in zip(behind, reversed(ahead), strict=True)]


def _nearest(roles: Sequence[object], role: object) -> Iterator[object]:
    """For each role the last one before it that is no system message's; at first `role`."""
    for next_role in roles:
        yield role
        role = role if next_role in SYSTEM else next_role


def _is_blank(block: Any) -> bool:
    text = _text(block)
    return text is not None and not text.strip()


def _text(block: Any) -> str | None:
    """The text that a block is; `None` for a block of another kind."""
    if isinstance(block, Mapping) and block.get("type") == "text":
        block = block.get("text") or ""
    return block if isinstance(block, str) else None
