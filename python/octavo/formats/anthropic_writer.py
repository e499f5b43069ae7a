"""Writes turns as Anthropic Messages.

What the provider asks for holds by construction (the letters are those of the validity rules): roles
alternate (A9), all results of a turn's calls stand in the one user message after it, ahead of any text
(A3), call ids are unique and of the characters it accepts (A5).
"""

from __future__ import annotations

import re
from typing import Any, Final, Literal, TypeAlias

from octavo.formats.arguments import arguments_object
from octavo.formats.media import anthropic_document, anthropic_image
from octavo.formats.turns import Block, Call, Document, Image, Log, Refusal, Result, Text, Thinking, Turn

__all__ = ["MidSystem", "write"]

MidSystem: TypeAlias = Literal["user", "system"]
"""How a system message in mid-conversation is written: as a marked user text, or as `role: system` (A16)."""

# The provider's own words: "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'".
_ID: Final = re.compile(r"[a-zA-Z0-9_-]+")
_NOT_ID: Final = re.compile(r"[^a-zA-Z0-9_-]")


def write(
    turns: list[Turn], log: Log, *, keep_thinking: bool, mid_system: MidSystem
) -> tuple[list[dict[str, Any]], str | list[dict[str, Any]] | None]:
    """The messages and the system prompt."""
    leading = 0
    while leading < len(turns) and turns[leading].role == "system":
        leading += 1
    writer = _Writer(log, keep_thinking=keep_thinking, mid_system=mid_system)
    for turn in turns[leading:]:
        writer.turn(turn)
    return writer.messages, _system(turns[:leading], log)


def _system(turns: list[Turn], log: Log) -> str | list[dict[str, Any]] | None:
    """A lone text stays a text; anything else becomes one list of blocks."""
    for turn in turns:
        if turn.developer:
            log.add(turn.index, "a developer message became part of the system prompt")
    if len(turns) > 1:
        log.add(turns[1].index, "several system messages became one system prompt of several blocks")
    blocks = [block for turn in turns for block in _spoken(turn, log)]
    if len(turns) == 1 and turns[0].bare and blocks:
        text: str = blocks[0]["text"]
        return text
    return blocks or None


def _spoken(turn: Turn, log: Log) -> list[dict[str, Any]]:
    """The texts that say something: the rule about empty texts (A10) holds for the system prompt's blocks as well."""
    texts = _texts(turn, log)
    if any(block["text"] and not block["text"].strip() for block in texts):
        log.add(turn.index, "white space alone in a system prompt left out")
    return [block for block in texts if block["text"].strip()]


def _texts(turn: Turn, log: Log) -> list[dict[str, Any]]:
    kept = [block for block in turn.blocks if isinstance(block, Text)]
    if len(kept) < len(turn.blocks):
        log.add(turn.index, "something other than text in a system message left out")
    return [{"type": "text", "text": block.text} for block in kept]


class _Writer:
    """Appends messages so that no two neighbours have the same role."""

    def __init__(self, log: Log, *, keep_thinking: bool, mid_system: MidSystem) -> None:
        self.messages: list[dict[str, Any]] = []
        self._log = log
        self._keep_thinking = keep_thinking
        self._mid_system = mid_system
        self._ids: set[str] = set()
        # Whether the last message's content is a list of this writer's own, which may grow.
        self._grows = False
        # How many results stand first in the last message. Where there is nothing else, text joins it without loss.
        self._results = 0

    def turn(self, turn: Turn) -> None:
        """Append one turn and the results of its calls."""
        if turn.role == "system":
            self._mid(turn)
            return
        last = self.messages[-1]["role"] if self.messages else ""
        if turn.same is not None and last != turn.role:
            self._append(turn.same, grows=False)
            return
        if turn.role == "user":
            self._user(turn)
            return
        renamed: dict[int, str] = {}
        self._push("assistant", self._assistant(turn, renamed), turn)
        if turn.results:
            self._push("user", [self._result(result, renamed) for result in turn.results], turn, results=True)

    def _user(self, turn: Turn) -> None:
        if len(turn.blocks) == 1 and type(turn.blocks[0]) is Result:
            self._push("user", [self._result(turn.blocks[0], {})], turn, results=True)
            return
        self._push("user", [self._said(block, turn.index) for block in turn.blocks], turn)

    def _mid(self, turn: Turn) -> None:
        texts = _texts(turn, self._log)
        joined = "\n".join(block["text"] for block in texts)
        if not joined.strip():
            self._log.add(turn.index, "a message without content was left out")
            return
        if self._mid_system == "system" and self.messages and self.messages[-1]["role"] == "user":
            same = turn.same if turn.same is not None and not turn.developer else None
            content = texts[0]["text"] if turn.bare else texts
            self._append(same or {"role": "system", "content": content}, grows=False)
            return
        self._log.add(turn.index, "a system message in mid-conversation became a user text between <system> marks")
        self._push("user", [{"type": "text", "text": f"<system>\n{joined}\n</system>"}], turn)

    def _append(self, message: dict[str, Any], *, grows: bool, results: int = 0) -> None:
        self.messages.append(message)
        self._grows = grows
        self._results = results

    def _push(self, role: str, blocks: list[dict[str, Any]], turn: Turn, *, results: bool = False) -> None:
        """Append blocks as a message of `role`, or to the last message if that has the same role."""
        if not blocks:
            self._log.add(turn.index, "a message without content was left out")
        elif self.messages and self.messages[-1]["role"] == role:
            self._join(blocks, turn, results=results)
        elif turn.bare and len(blocks) == 1 and blocks[0]["type"] == "text":
            self._append({"role": role, "content": blocks[0]["text"]}, grows=False)
        else:
            self._append({"role": role, "content": blocks}, grows=True, results=len(blocks) if results else 0)

    def _join(self, blocks: list[dict[str, Any]], turn: Turn, *, results: bool) -> None:
        """Add blocks to the last message: results behind its results, anything else at its end."""
        if not self._grows:
            self._open_last()
        content = self.messages[-1]["content"]
        if not self._results or self._results < len(content):
            self._log.add(turn.index, "joined with the message before it, which has the same role")
        if results:
            content[self._results : self._results] = blocks
            self._results += len(blocks)
        else:
            content.extend(block for block in blocks if _says_something(block))

    def _open_last(self) -> None:
        """Replace the last message, which may be the caller's own, by one whose content may grow."""
        last = self.messages[-1]
        content = last["content"]
        held = [{"type": "text", "text": content}] if isinstance(content, str) else content
        self.messages[-1] = {"role": last["role"], "content": [part for part in held if _says_something(part)]}
        self._grows = True

    def _assistant(self, turn: Turn, renamed: dict[int, str]) -> list[dict[str, Any]]:
        blocks: list[dict[str, Any]] = []
        several = len(turn.blocks) > 1
        for block in turn.blocks:
            written = self._block(block, turn.index, renamed)
            if written is not None and not (several and not _says_something(written)):
                blocks.append(written)
        return blocks

    def _block(self, block: Block, index: int, renamed: dict[int, str]) -> dict[str, Any] | None:
        match block:
            case Text(text):
                return {"type": "text", "text": text}
            case Call():
                return self._call(block, index, renamed)
            case Thinking():
                return self._thinking(block, index)
            case Refusal(text):
                self._log.add(index, "a refusal became a text")
                return {"type": "text", "text": text}
            case Image() | Document():
                self._log.add(index, "media in an assistant message left out")
            case Result():
                self._log.add(index, "a result in an assistant message left out")
            case _:
                self._log.add(index, f"{block.kind} left out")
        return None

    def _call(self, call: Call, index: int, renamed: dict[int, str]) -> dict[str, Any]:
        arguments: dict[str, Any] = {"input": call.arguments} if call.custom else arguments_object(call.arguments)
        if call.custom:
            self._log.add(index, "a custom tool call became a call with its text under `input`")
        return {"type": "tool_use", "id": self._new_id(call, index, renamed), "name": call.name, "input": arguments}

    def _new_id(self, call: Call, index: int, renamed: dict[int, str]) -> str:
        """The call's own id, or one made from it where the provider would refuse that."""
        new = call.id if _ID.fullmatch(call.id) else _NOT_ID.sub("_", call.id) or "call"
        if new in self._ids:
            stem, count = new, len(self._ids)
            while new in self._ids:
                new = f"{stem}_{count}"
                count += 1
        self._ids.add(new)
        renamed[id(call)] = new
        if new != call.id:
            self._log.add(index, "a call's id was rewritten: it was used before or has characters that are refused")
        return new

    def _thinking(self, block: Thinking, index: int) -> dict[str, Any] | None:
        if not self._keep_thinking:
            self._log.add(index, "thinking left out: only the provider that made it accepts it")
            return None
        if block.text is None:
            return {"type": "redacted_thinking", "data": block.signature or ""}
        written: dict[str, Any] = {"type": "thinking", "thinking": block.text}
        if block.signature is not None:
            written["signature"] = block.signature
        return written

    def _result(self, result: Result, renamed: dict[int, str]) -> dict[str, Any]:
        answers = renamed.get(id(result.call), result.id)
        content: str | list[dict[str, Any]]
        if isinstance(result.content, str):
            content = result.content
        else:
            content = [self._said(block, result.index) for block in result.content]
        written: dict[str, Any] = {"type": "tool_result", "tool_use_id": answers, "content": content}
        if result.error:
            written["is_error"] = True
        return written

    def _said(self, block: Block, index: int) -> dict[str, Any]:
        """A block of a user message or a result. What cannot be shown leaves a short text in its place."""
        written: dict[str, Any] | None = None
        what = type(block).__name__.lower()
        match block:
            case Text(text) | Refusal(text):
                return {"type": "text", "text": text}
            case Image():
                if block.detail not in (None, "auto"):
                    self._log.add(index, "an image's detail left out")
                written = anthropic_image(block)
            case Document():
                written = anthropic_document(block)
            case Result():
                return self._result(block, {})
            case Call() | Thinking():
                pass
            case _:
                what = block.kind
        if written is None:
            self._log.add(index, f"{what} left out: it has no form in this format")
        return written or {"type": "text", "text": f"[{what} left out]"}


def _says_something(block: dict[str, Any]) -> bool:
    """Whether a block may stand beside others: the provider refuses empty texts (A10)."""
    return block["type"] != "text" or bool(block["text"])
