"""Summarisers that ask a model: Anthropic's, and any that speaks OpenAI's Chat Completions."""

from __future__ import annotations

from typing import Any, Final

from octavo.budget import whole_number
from octavo.checking import check_text, refuse
from octavo.compaction.summariser import INSTRUCTION, asked

__all__ = ["AnthropicSummariser", "OpenAISummariser"]

_WINDOW: Final = 100_000
"""Half of what the small models read: a summary of more than that at once leaves out what stands in the middle."""


class _Asking:
    """What all who ask a model have in common, whoever serves it."""

    def __init__(self, model: str, client: Any, window: int, instruction: str, *, stream: bool) -> None:
        check_text("model", model, optional=False)
        check_text("instruction", instruction, optional=False)
        self._model = model
        self._client: Any = _sync(client)
        self._stream = stream
        self._instruction = instruction
        self.window = whole_number("window", window, 1_000)


class AnthropicSummariser(_Asking):
    """Asks a model of Anthropic's (extra package `anthropic`).

    The instruction is marked for the prompt cache. A provider caches it where it is long enough for its model.

    Args:
        model: the model: a small one by default.
        client: an `anthropic.Anthropic`; made on first use when not given, as the SDK reads its environment.
        window: tokens that are read and written at once.
        stream: take the answer as it is written: for models that take minutes.
        instruction: what the model is told instead of :data:`INSTRUCTION`.

    Raises:
        ArgumentError: an argument is of a kind that its parameter does not take.
        BudgetError: `window` is no whole number from 1,000.
    """

    def __init__(
        self,
        model: str = "claude-haiku-4-5",
        *,
        client: Any = None,
        window: int = _WINDOW,
        stream: bool = False,
        instruction: str = INSTRUCTION,
    ) -> None:
        """Take a model and a client."""
        super().__init__(model, client, window, instruction, stream=stream)

    def summarise(self, text: str, *, max_tokens: int, previous: str | None) -> str:
        """The text of the answer, all its text blocks; empty where it has none. See :class:`Summariser`."""
        if self._client is None:
            from anthropic import Anthropic

            self._client = Anthropic()
        told = [{"type": "text", "text": self._instruction, "cache_control": {"type": "ephemeral"}}]
        request: dict[str, Any] = {
            "model": self._model,
            "max_tokens": _answer(max_tokens),
            "system": told,
            "messages": [{"role": "user", "content": asked(text, previous, max_tokens)}],
        }
        if self._stream:
            with self._client.messages.stream(**request) as stream:
                answer = stream.get_final_message()
        else:
            answer = self._client.messages.create(**request)
        return "".join(block.text for block in answer.content if block.type == "text")


class OpenAISummariser(_Asking):
    """Asks any model that is served as OpenAI's Chat Completions are (extra package `openai`).

    Args:
        model: the model.
        client: an `openai.OpenAI`; made on first use when not given, as the SDK reads its environment.
        base_url: where the model is served, for a client that is made here.
        window: tokens that are read and written at once.
        stream: take the answer as it is written.
        instruction: what the model is told instead of :data:`INSTRUCTION`: the first message, so that a provider's
            prompt cache holds it.

    Raises:
        ArgumentError: an argument is of a kind that its parameter does not take.
        BudgetError: `window` is no whole number from 1,000.
    """

    def __init__(
        self,
        model: str = "gpt-5-mini",
        *,
        client: Any = None,
        base_url: str | None = None,
        window: int = _WINDOW,
        stream: bool = False,
        instruction: str = INSTRUCTION,
    ) -> None:
        """Take a model, and a client or where there is one."""
        super().__init__(model, client, window, instruction, stream=stream)
        check_text("base_url", base_url)
        self._base_url = base_url

    def summarise(self, text: str, *, max_tokens: int, previous: str | None) -> str:
        """The content of the answer; empty where it has none, as of a refusal. See :class:`Summariser`."""
        if self._client is None:
            from openai import OpenAI

            self._client = OpenAI(base_url=self._base_url)
        # No limit is sent: servers call it `max_tokens` or `max_completion_tokens` and refuse the other. The request
        # says how long the answer should be, and what is longer is cut.
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": self._instruction},
                {"role": "user", "content": asked(text, previous, max_tokens)},
            ],
        }
        if self._stream:
            with self._client.chat.completions.create(**request, stream=True) as chunks:
                return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        answer = self._client.chat.completions.create(**request)
        return (answer.choices[0].message.content or "") if answer.choices else ""


def _answer(max_tokens: int) -> int:
    """The limit that a provider is given: above what is asked for, so that the last line is seldom cut off."""
    return max_tokens + max_tokens // 2 + 64


def _sync(client: Any) -> Any:
    """The client, which must answer and not give something to await: it is called in a worker thread.

    Raises:
        ArgumentError: it is one for asyncio.
    """
    if client is not None and type(client).__name__.startswith("Async"):
        raise refuse("client", "a client without asyncio, which is called in a worker thread", client)
    return client
