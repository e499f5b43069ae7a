"""The same conversation in each of the five formats: what is said, called and answered."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from octavo import messages

Message = dict[str, Any]


@dataclass(frozen=True)
class Format:
    """Builds the messages of one format, one call or result a message."""

    name: messages.Format

    def said(self, role: str, text: str) -> Message:
        """Somebody says something."""
        return self._message(role, [self._text(text)], text)

    def call(self, *ids: str) -> Message:
        """The assistant calls `look`, once with each id."""
        if self.name == "openai-responses":
            (only,) = ids
            return {"type": "function_call", "call_id": only, "name": "look", "arguments": "{}"}
        if self.name == "openai":
            function = {"name": "look", "arguments": "{}"}
            return {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": one, "type": "function", "function": function} for one in ids],
            }
        return self._message("assistant", [self.call_block(one) for one in ids])

    def result(self, id: str, output: str) -> Message:
        """The call with that id gives an output."""
        if self.name == "openai-responses":
            return {"type": "function_call_output", "call_id": id, "output": output}
        if self.name == "openai":
            return {"role": "tool", "tool_call_id": id, "content": output}
        return self._message("user", [self.result_block(id, output)])

    def call_block(self, id: str) -> Message:
        """A call as a block of a message."""
        match self.name:
            case "anthropic":
                return {"type": "tool_use", "id": id, "name": "look", "input": {}}
            case "gemini":
                return {"functionCall": {"id": id, "name": "look", "args": {}}}
            case _:
                return {"toolUse": {"toolUseId": id, "name": "look", "input": {}}}

    def result_block(self, id: str, output: str) -> Message:
        """A result as a block of a message."""
        match self.name:
            case "anthropic":
                return {"type": "tool_result", "tool_use_id": id, "content": output}
            case "gemini":
                return {"functionResponse": {"id": id, "name": "look", "response": {"output": output}}}
            case _:
                return {"toolResult": {"toolUseId": id, "content": [{"text": output}]}}

    def mixed(self, role: str, *blocks: Message | str) -> Message:
        """A message that holds any blocks; texts are given as they are."""
        return self._message(role, [self._text(one) if isinstance(one, str) else one for one in blocks])

    def _text(self, text: str) -> Message:
        return {"type": "text", "text": text} if self.name == "anthropic" else {"text": text}

    def _message(self, role: str, blocks: Sequence[Message], text: str | None = None) -> Message:
        if self.name == "gemini":
            return {"role": "model" if role == "assistant" else role, "parts": list(blocks)}
        if self.name in ("openai", "openai-responses"):
            return {"role": role, "content": text, **({"type": "message"} if "-" in self.name else {})}
        return {"role": role, "content": list(blocks)}


FORMATS: Final = (
    Format("anthropic"),
    Format("openai"),
    Format("openai-responses"),
    Format("gemini"),
    Format("bedrock"),
)
PACKED: Final = tuple(form for form in FORMATS if form.name in ("anthropic", "gemini", "bedrock"))
"""Those in which a message holds blocks, calls and results among them."""


def outline(messages: Sequence[Message]) -> list[str]:
    """Who calls, answers and speaks, in order: `call c1`, `result c1 out`, `user hello`."""
    return [line for message in messages for line in _lines(message)]


def _lines(message: Message) -> list[str]:
    if message.get("type") == "function_call":
        return [f"call {message['call_id']}"]
    if message.get("type") == "function_call_output":
        return [f"result {message['call_id']} {message['output']}"]
    if message["role"] == "tool":
        return [f"result {message['tool_call_id']} {message['content']}"]
    content = message["parts"] if "parts" in message else message.get("content")
    blocks = [{"text": content}] if isinstance(content, str) else content or []
    calls = [f"call {call['id']}" for call in message.get("tool_calls", ())]
    role = "assistant" if message["role"] == "model" else message["role"]
    return [_line(role, block) for block in blocks] + calls


def _line(role: str, block: Message) -> str:
    if block.get("type") == "tool_use":
        return f"call {block['id']}"
    if block.get("type") == "tool_result":
        return f"result {block['tool_use_id']} {block['content']}"
    if "toolUse" in block:
        return f"call {block['toolUse']['toolUseId']}"
    if "toolResult" in block:
        inside = block["toolResult"]
        return f"result {inside['toolUseId']} {inside['content'][0]['text']}"
    if "functionCall" in block:
        return f"call {block['functionCall'].get('id')}"
    if "functionResponse" in block:
        inside = block["functionResponse"]
        return f"result {inside.get('id')} {inside['response'].get('output', json.dumps(inside['response']))}"
    return f"{role} {block.get('text')}"
