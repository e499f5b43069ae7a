"""Well-formed agent sessions in every format, built message by message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from octavo.messages import Format

Message = dict[str, Any]
Messages = list[Message]

FILLER = "The quick brown fox jumps over the lazy dog near the river bank."


@dataclass(frozen=True)
class Dialect:
    """How one format says the five things that a session is made of."""

    format: Format
    model: str

    def user(self, text: str) -> Message:
        if self.format == "gemini":
            return {"role": "user", "parts": [{"text": text}]}
        if self.format == "bedrock":
            return {"role": "user", "content": [{"text": text}]}
        return {"role": "user", "content": text}

    def reply(self, text: str) -> Message:
        if self.format == "gemini":
            return {"role": "model", "parts": [{"text": text}]}
        if self.format == "bedrock":
            return {"role": "assistant", "content": [{"text": text}]}
        if self.format == "anthropic":
            return {"role": "assistant", "content": [{"type": "text", "text": text}]}
        return {"role": "assistant", "content": text}

    def calls(self, *ids: str) -> Messages:
        """An assistant turn that makes these calls."""
        if self.format == "anthropic":
            uses = [{"type": "tool_use", "id": name, "name": "look", "input": {"q": name}} for name in ids]
            return [{"role": "assistant", "content": uses}]
        if self.format == "openai":
            function = {"name": "look", "arguments": '{"q": 1}'}
            calls = [{"id": name, "type": "function", "function": function} for name in ids]
            return [{"role": "assistant", "content": None, "tool_calls": calls}]
        if self.format == "openai-responses":
            return [{"type": "function_call", "call_id": name, "name": "look", "arguments": "{}"} for name in ids]
        if self.format == "gemini":
            parts = [{"functionCall": {"id": name, "name": "look", "args": {"q": name}}} for name in ids]
            return [{"role": "model", "parts": parts}]
        uses = [{"toolUse": {"toolUseId": name, "name": "look", "input": {"q": name}}} for name in ids]
        return [{"role": "assistant", "content": uses}]

    def results(self, *ids: str, text: str = "out") -> Messages:
        """The results of these calls, as the provider wants them."""
        if self.format == "anthropic":
            content: list[Any] = [{"type": "tool_result", "tool_use_id": name, "content": text} for name in ids]
            return [{"role": "user", "content": content}]
        if self.format == "openai":
            return [{"role": "tool", "tool_call_id": name, "content": text} for name in ids]
        if self.format == "openai-responses":
            return [{"type": "function_call_output", "call_id": name, "output": text} for name in ids]
        if self.format == "gemini":
            response = {"result": text}
            parts = [{"functionResponse": {"id": name, "name": "look", "response": response}} for name in ids]
            return [{"role": "user", "parts": parts}]
        content = [{"toolResult": {"toolUseId": name, "content": [{"text": text}]}} for name in ids]
        return [{"role": "user", "content": content}]

    def loop(self, turns: int, *, parallel: int = 1, lines: int = 4, start: int = 0) -> Messages:
        """Call and result, over and over: the part of a session in which no user speaks."""
        messages: Messages = []
        for turn in range(start, start + turns):
            ids = [f"c{turn}x{branch}" for branch in range(parallel)]
            messages += self.calls(*ids) + self.results(*ids, text=f"result {turn}: " + FILLER * lines)
        return messages

    def talk(self, turns: int, *, lines: int = 2, start: int = 0) -> Messages:
        """Question and answer, over and over, ending with an answer."""
        messages: Messages = []
        for turn in range(start, start + turns):
            messages += [self.user(f"question {turn}: " + FILLER * lines), self.reply(f"answer {turn}: " + FILLER)]
        return messages


ANTHROPIC = Dialect("anthropic", "claude-sonnet-4-5")
OPENAI = Dialect("openai", "gpt-4o")
RESPONSES = Dialect("openai-responses", "gpt-5.1")
GEMINI = Dialect("gemini", "gemini-2.5-pro")
BEDROCK = Dialect("bedrock", "anthropic.claude-sonnet-4-5")

DIALECTS: tuple[Dialect, ...] = (ANTHROPIC, OPENAI, RESPONSES, GEMINI, BEDROCK)

TOOLS: list[Message] = [
    {
        "type": "function",
        "function": {
            "name": "look",
            "description": "Looks something up.",
            "parameters": {"type": "object", "properties": {"q": {"type": "string"}}},
        },
    }
]


def tools_of(dialect: Dialect) -> list[Message]:
    """The one tool, in the dialect's own form."""
    function = TOOLS[0]["function"]
    name, description, schema = function["name"], function["description"], function["parameters"]
    if dialect.format == "openai":
        return TOOLS
    if dialect.format == "openai-responses":
        return [{"type": "function", **function}]
    if dialect.format == "anthropic":
        return [{"name": name, "description": description, "input_schema": schema}]
    if dialect.format == "gemini":
        return [{"functionDeclarations": [function]}]
    return [{"toolSpec": {"name": name, "description": description, "inputSchema": {"json": schema}}}]


def calls_at(messages: Sequence[Any]) -> list[int]:
    """Where model calls were made: before the first message of each assistant turn."""

    def by_model(message: Any) -> bool:
        if message.get("role") is None:
            return message.get("type") in ("function_call", "reasoning")
        return message["role"] in ("assistant", "model")

    return [at for at in range(len(messages)) if by_model(messages[at]) and (not at or not by_model(messages[at - 1]))]
