"""What the rules must know of a request and may add to it, worked out once for each way in which calls are made."""

from __future__ import annotations

from typing import Any, Final

from octavo import _core
from octavo.drafting import added_by_repair
from octavo.frame import Mark
from octavo.messages import Format, Provider, infer_provider
from octavo.tokens import Counter
from octavo.validity import Mode, mode_of

__all__ = ["Modes"]

_MOST: Final = 8
"""Modes that are kept: one for each way to call in use, until system or tools change."""


class Modes:
    """Providers by format, and modes by everything that they depend on."""

    __slots__ = ("_costs", "_counter", "_given", "_model", "_modes", "_providers")

    def __init__(self, model: str | None, given: Provider | None, counter: Counter) -> None:
        """Take the model's name, the provider where one was given, and what counts."""
        self._counter = counter
        self._costs: dict[Format, tuple[int, int, int]] = {}
        self._model = model
        self._given: Provider | None = given
        self._providers: dict[Format, Provider] = {}
        self._modes: dict[tuple[Any, ...], Mode] = {}

    def provider(self, engine: _core.Transcript) -> Provider:
        """Whose rules hold for messages in the format of `engine`."""
        format = engine.format
        provider = self._providers.get(format)
        if provider is None:
            provider = self._providers[format] = self._given or infer_provider(format, self._model)
        return provider

    def mode(
        self,
        engine: _core.Transcript,
        mark: Mark,
        thinking: bool | None,
        previous_response_id: str | None,
        system: Any,
        tools: Any,
    ) -> Mode:
        """What the rules must know of the request; the same for most calls of a conversation."""
        provider = self.provider(engine)
        key = (
            thinking,
            previous_response_id is None,
            None if tools is None else bool(tools),
            engine.format,
            provider,
            mark,
        )
        mode = self._modes.get(key)
        if mode is None:
            if len(self._modes) >= _MOST:
                self._modes.clear()
            mode = self._modes[key] = mode_of(
                (), provider, format=engine.format, model=self._model, thinking=thinking,
                previous_response_id=previous_response_id, tools=tools, system=system, every_turn=True,
            )  # fmt: skip
        return mode

    def added(self, format: Format) -> tuple[int, int, int]:
        """Tokens set aside for what a repair may add: a placeholder result, a note, the framing of a message."""
        costs = self._costs.get(format)
        if costs is None:
            costs = self._costs[format] = added_by_repair(self._counter, format)
        return costs
