"""The recorded conversations that benches measure on, and where their model calls were made."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from octavo.messages import Format

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("OCTAVO_SHARED", ROOT.parent / "shared"))
FOLDER = SHARED / "data/transcripts"

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One recorded conversation.

    Attributes:
        source: the file it stands in.
        id: its name in the file.
        format: the format of its messages, `openai` or `anthropic`.
        tools: the tool definitions, empty where the log holds none.
        messages: all messages.
    """

    source: str
    id: str
    format: Format
    tools: list[Message]
    messages: list[Message]

    @property
    def calls(self) -> list[int]:
        """Where the model was called: before the first message of each of its turns."""
        roles = [message["role"] for message in self.messages]
        return [at for at in range(1, len(roles)) if roles[at] == "assistant" and roles[at - 1] != "assistant"]


def conversations(*sources: str) -> list[Conversation]:
    """All recorded conversations, or those of some files; ends the bench where they are absent."""
    if not FOLDER.is_dir():
        sys.exit(f"skipped: no recorded conversations in {FOLDER.name}/ (set OCTAVO_SHARED)")
    found = list(_read(sources))
    if not found:
        raise ValueError(f"no conversation in {sources or 'any file'}")
    return found


def _read(sources: tuple[str, ...]) -> Iterator[Conversation]:
    for path in sorted(FOLDER.glob("*.jsonl")):
        if not sources or path.stem in sources:
            for line in path.read_text(encoding="utf-8").splitlines():
                one = json.loads(line)
                yield Conversation(path.stem, one["id"], one["format"], one["tools"] or [], one["messages"])


def said(message: Message) -> str:
    """The text of a message outside of calls and results."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content or () if block.get("type") == "text")


def task_of(messages: list[Message]) -> Message | None:
    """The first message of a user that says something beside tool results."""
    return next((message for message in messages if message["role"] == "user" and said(message)), None)
