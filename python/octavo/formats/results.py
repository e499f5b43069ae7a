"""What a tool answered: whether it failed, in formats that have no field for that."""

from __future__ import annotations

from typing import Final

from octavo.formats.turns import Block, Text

__all__ = ["ERROR_MARK", "marked", "unmarked"]

ERROR_MARK: Final = "[tool error] "
"""Stands ahead of a failed result's text in OpenAI's formats, which have no `is_error`.

The model reads it, and reading the message back makes `is_error` of it again.
"""


def marked(content: str | list[Block], error: bool) -> str | list[Block]:
    """The content with the mark ahead of it, if it reports an error."""
    if not error:
        return content
    if isinstance(content, str):
        return ERROR_MARK + content
    if content and isinstance(content[0], Text):
        return [Text(ERROR_MARK + content[0].text), *content[1:]]
    return [Text(ERROR_MARK), *content]


def unmarked(content: str | list[Block]) -> tuple[str | list[Block], bool]:
    """The content without the mark, and whether it had one."""
    if isinstance(content, str):
        return (content[len(ERROR_MARK) :], True) if content.startswith(ERROR_MARK) else (content, False)
    if not content or not isinstance(content[0], Text) or not content[0].text.startswith(ERROR_MARK):
        return content, False
    rest = content[0].text[len(ERROR_MARK) :]
    return ([Text(rest), *content[1:]] if rest else content[1:]), True
