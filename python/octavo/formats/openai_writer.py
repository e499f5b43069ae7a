"""Writes turns as OpenAI Chat Completions messages.

Tool messages stand directly after the assistant message whose calls they answer (O1, O2).
"""

from __future__ import annotations

from typing import Any, TypeVar

from octavo.formats.arguments import arguments_text
from octavo.formats.media import DEFAULT_FILENAME
from octavo.formats.results import marked
from octavo.formats.turns import Block, Call, Document, Image, Log, Refusal, Result, Text, Thinking, Turn

__all__ = ["write"]

_Kind = TypeVar("_Kind", bound=Block)


def write(turns: list[Turn], log: Log, *, keep_thinking: bool) -> list[dict[str, Any]]:
    """The messages, the system prompt first among them."""
    writer = _Writer(log, keep_thinking)
    for turn in turns:
        writer.turn(turn)
    return writer.messages


class _Writer:
    def __init__(self, log: Log, keep_thinking: bool) -> None:
        self.messages: list[dict[str, Any]] = []
        self._log = log
        self._keep_thinking = keep_thinking

    def turn(self, turn: Turn) -> None:
        """Append one turn and the results of its calls."""
        if turn.same is not None:
            self.messages.append(turn.same)
        elif turn.role == "assistant":
            self._assistant(turn)
        elif turn.role == "system":
            self._said("developer" if turn.developer else "system", turn)
        elif len(turn.blocks) == 1 and type(turn.blocks[0]) is Result:
            self._results([turn.blocks[0]])
        else:
            self._said("user", turn)
        if turn.results:
            self._results(turn.results)

    def _said(self, role: str, turn: Turn) -> None:
        if not turn.blocks:
            return self._log.add(turn.index, "a message without content was left out")
        content: object = [self._part(block, turn.index) for block in turn.blocks]
        if turn.bare and len(turn.blocks) == 1 and isinstance(turn.blocks[0], Text):
            content = turn.blocks[0].text
        self.messages.append({"role": role, "content": content})

    def _assistant(self, turn: Turn) -> None:
        texts = _of(turn.blocks, Text)
        refusals = _of(turn.blocks, Refusal)
        calls = _of(turn.blocks, Call)
        self._note_what_is_lost(turn, calls)
        message: dict[str, Any] = {"role": "assistant", "content": _assistant_content(turn, texts, bool(calls))}
        if self._keep_thinking and (thoughts := [t.text for t in _of(turn.blocks, Thinking) if t.text is not None]):
            message["reasoning_content"] = "\n\n".join(thoughts)
        if refusals:
            message["refusal"] = "\n".join(refusal.text for refusal in refusals)
        if calls:
            message["tool_calls"] = [_call(call, turn.index) for call in calls]
        if message["content"] is None and len(message) == 2:
            return self._log.add(turn.index, "a message without content was left out")
        self.messages.append(message)

    def _note_what_is_lost(self, turn: Turn, calls: list[Call]) -> None:
        called = False
        for block in turn.blocks:
            match block:
                case Call():
                    called = True
                case Text():
                    if called:
                        self._log.add(turn.index, "a text between calls now stands ahead of them")
                case Thinking():
                    if not self._keep_thinking:
                        self._log.add(turn.index, "thinking left out: only the provider that made it accepts it")
                    elif block.signature is not None:
                        self._log.add(turn.index, "a thinking block's signature left out")
                case Image() | Document():
                    self._log.add(turn.index, "media in an assistant message left out")
                case Refusal():
                    pass
                case Result():
                    self._log.add(turn.index, "a result in an assistant message left out")
                case _:
                    self._log.add(turn.index, f"{block.kind} left out")

    def _results(self, results: list[Result]) -> None:
        """Tool messages, and after them one user message with the media that a tool message cannot hold."""
        shown: list[dict[str, Any]] = []
        for result in results:
            content = marked(result.content, result.error)
            if not isinstance(content, str):
                content = self._texts_of(content, result, shown)
            self.messages.append({"role": "tool", "tool_call_id": result.id, "content": content})
        if shown:
            self.messages.append({"role": "user", "content": shown})

    def _texts_of(self, blocks: list[Block], result: Result, shown: list[dict[str, Any]]) -> Any:
        parts: list[dict[str, Any]] = []
        for block in blocks:
            if isinstance(block, (Image, Document)):
                what = type(block).__name__.lower()
                self._log.add(result.index, f"{what} in a result moved to a user message after the results")
                parts.append({"type": "text", "text": f"[{what}: see the user message below]"})
                shown.append({"type": "text", "text": f"[{what} of the result of call {result.id}]"})
                shown.append(self._part(block, result.index))
            else:
                parts.append(self._part(block, result.index))
        return parts

    def _part(self, block: Block, index: int) -> dict[str, Any]:
        """A part of a user message. What cannot be shown leaves a short text in its place."""
        written: dict[str, Any] | None = None
        what = type(block).__name__.lower()
        match block:
            case Text(text) | Refusal(text):
                return {"type": "text", "text": text}
            case Image():
                written = _image(block)
            case Document():
                written = _file(block)
                if block.url is not None:
                    self._log.add(index, "a document's address became a text")
                    return {"type": "text", "text": f"[document: {block.url}]"}
            case Call() | Thinking() | Result():
                pass
            case _:
                what = block.kind
        if written is None:
            self._log.add(index, f"{what} left out: it has no form in this format")
        return written or {"type": "text", "text": f"[{what} left out]"}


def _of(blocks: list[Block], kind: type[_Kind]) -> list[_Kind]:
    return [block for block in blocks if type(block) is kind]


def _assistant_content(turn: Turn, texts: list[Text], calls: bool) -> str | list[dict[str, Any]] | None:
    """None, a text, or parts. Beside calls a lone text is always a plain text: that is how the API answers."""
    if not texts:
        return None
    if len(texts) == 1 and (turn.bare or calls):
        return texts[0].text
    return [{"type": "text", "text": text.text} for text in texts]


def _call(call: Call, index: int) -> dict[str, Any]:
    text = arguments_text(call.arguments, index)
    if call.custom:
        return {"id": call.id, "type": "custom", "custom": {"name": call.name, "input": text}}
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": text}}


def _image(image: Image) -> dict[str, Any] | None:
    if image.url is None:
        return None
    held: dict[str, Any] = {"url": image.url}
    if image.detail is not None:
        held["detail"] = image.detail
    return {"type": "image_url", "image_url": held}


def _file(document: Document) -> dict[str, Any] | None:
    if document.data is not None:
        held = {"file_data": document.data, "filename": document.title or DEFAULT_FILENAME}
    elif document.file_id is not None:
        held = {"file_id": document.file_id}
    else:
        return None
    return {"type": "file", "file": held}
