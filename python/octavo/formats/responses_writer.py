"""Writes turns as OpenAI Responses items: one item a message, a call, a result, a piece of reasoning."""

from __future__ import annotations

from typing import Any

from octavo.formats.arguments import arguments_text
from octavo.formats.media import DEFAULT_FILENAME
from octavo.formats.results import marked
from octavo.formats.turns import Block, Call, Document, Image, Log, Refusal, Result, Text, Thinking, Turn

__all__ = ["write"]


def write(turns: list[Turn], log: Log, *, keep_thinking: bool) -> tuple[list[dict[str, Any]], str | None]:
    """The items and the instructions. A system prompt of several blocks is the first item instead."""
    instructions = None
    if turns and turns[0].separate and turns[0].bare:
        first = turns[0].blocks[0]
        instructions = first.text if isinstance(first, Text) else None
        turns = turns[1:]
    writer = _Writer(log, keep_thinking)
    for turn in turns:
        writer.turn(turn)
    return writer.items, instructions


class _Writer:
    def __init__(self, log: Log, keep_thinking: bool) -> None:
        self.items: list[dict[str, Any]] = []
        self._log = log
        self._keep_thinking = keep_thinking
        self._thoughts = 0
        # Whether the last turn was the model's, without calls: calls right after it read as one turn with it.
        self._after_speech = False

    def turn(self, turn: Turn) -> None:
        """Append one turn and the results of its calls."""
        if turn.same is not None:
            self.items.append(turn.same)
        elif turn.role == "assistant":
            self._assistant(turn)
        elif turn.role == "system":
            self._said("developer" if turn.developer else "system", turn)
        elif len(turn.blocks) == 1 and type(turn.blocks[0]) is Result:
            self._result(turn.blocks[0])
        else:
            self._said("user", turn)
        self._after_speech = turn.role == "assistant" and not turn.calls()
        for result in turn.results:
            self._result(result)

    def _said(self, role: str, turn: Turn) -> None:
        if not turn.blocks:
            return self._log.add(turn.index, "a message without content was left out")
        content: object = [self._part(block, turn.index) for block in turn.blocks]
        if turn.bare and len(turn.blocks) == 1 and isinstance(turn.blocks[0], Text):
            content = turn.blocks[0].text
        self.items.append({"role": role, "content": content})

    def _assistant(self, turn: Turn) -> None:
        """Texts that follow each other are one message item; the order of texts and calls stays."""
        before = len(self.items)
        spoken: list[Text | Refusal] = []
        lone = turn.bare or bool(turn.calls())
        for block in turn.blocks:
            if isinstance(block, (Text, Refusal)):
                spoken.append(block)
            elif (item := self._item(block, turn.index)) is not None:
                self._message(spoken, lone=lone)
                spoken = []
                self.items.append(item)
        self._message(spoken, lone=lone)
        if len(self.items) == before:
            self._log.add(turn.index, "a message without content was left out")
        elif self._after_speech and turn.calls() and type(turn.blocks[0]) is Call:
            self._log.add(turn.index, "the calls follow a message of the model and will read as one turn with it")

    def _message(self, spoken: list[Text | Refusal], *, lone: bool) -> None:
        """A message item of the model. Beside calls a lone text is a plain text, the short form of input."""
        if not spoken:
            return
        if lone and len(spoken) == 1 and isinstance(spoken[0], Text):
            self.items.append({"role": "assistant", "content": spoken[0].text})
            return
        content = [
            {"type": "output_text", "text": part.text, "annotations": []}
            if isinstance(part, Text)
            else {"type": "refusal", "refusal": part.text}
            for part in spoken
        ]
        self.items.append({"type": "message", "role": "assistant", "content": content})

    def _item(self, block: Block, index: int) -> dict[str, Any] | None:
        match block:
            case Call():
                return _call(block, index)
            case Thinking():
                return self._thinking(block, index)
            case Image() | Document():
                self._log.add(index, "media in an assistant message left out")
            case Result():
                self._log.add(index, "a result in an assistant message left out")
            case Text() | Refusal():
                pass
            case _:
                self._log.add(index, f"{block.kind} left out")
        return None

    def _thinking(self, block: Thinking, index: int) -> dict[str, Any] | None:
        """Reasoning as data. The id is this list's own: that of another provider would not be found."""
        if not self._keep_thinking:
            self._log.add(index, "thinking left out: only the provider that made it accepts it")
            return None
        item: dict[str, Any] = {"type": "reasoning", "id": f"rs_{self._thoughts}", "summary": []}
        self._thoughts += 1
        if block.text is not None:
            item["content"] = [{"type": "reasoning_text", "text": block.text}]
        if block.signature is not None:
            item["encrypted_content"] = block.signature
        return item

    def _result(self, result: Result) -> None:
        output = marked(result.content, result.error)
        kind = "custom_tool_call_output" if result.call is not None and result.call.custom else "function_call_output"
        written: Any = output
        if not isinstance(output, str):
            written = [self._part(block, result.index) for block in output]
        self.items.append({"type": kind, "call_id": result.id, "output": written})

    def _part(self, block: Block, index: int) -> dict[str, Any]:
        """A part of an input message or an output. What cannot be shown leaves a short text in its place."""
        written: dict[str, Any] | None = None
        what = type(block).__name__.lower()
        match block:
            case Text(text) | Refusal(text):
                return {"type": "input_text", "text": text}
            case Image():
                written = _image(block)
            case Document():
                written = _file(block)
            case Call() | Thinking() | Result():
                pass
            case _:
                what = block.kind
        if written is None:
            self._log.add(index, f"{what} left out: it has no form in this format")
        return written or {"type": "input_text", "text": f"[{what} left out]"}


def _call(call: Call, index: int) -> dict[str, Any]:
    text = arguments_text(call.arguments, index)
    if call.custom:
        return {"type": "custom_tool_call", "call_id": call.id, "name": call.name, "input": text}
    return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": text}


def _image(image: Image) -> dict[str, Any] | None:
    # `detail` is required; `auto` is what leaving it out means elsewhere.
    written: dict[str, Any] = {"type": "input_image", "detail": image.detail or "auto"}
    if image.url is not None:
        written["image_url"] = image.url
    elif image.file_id is not None:
        written["file_id"] = image.file_id
    else:
        return None
    return written


def _file(document: Document) -> dict[str, Any] | None:
    if document.data is not None:
        filename = document.title or DEFAULT_FILENAME
        return {"type": "input_file", "file_data": document.data, "filename": filename}
    written: dict[str, Any] = {"type": "input_file"}
    if document.url is not None:
        written["file_url"] = document.url
    elif document.file_id is not None:
        written["file_id"] = document.file_id
    else:
        return None
    if document.title is not None:
        written["filename"] = document.title
    return written
