"""What the rules must know of a request and may add to it, worked out once for each way in which calls are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from octavo import _core
from octavo.budget import Budget
from octavo.drafting import added_by_repair
from octavo.frame import Frame, Mark, opening_tokens
from octavo.messages import Format, Provider, infer_provider
from octavo.sections import leading_of
from octavo.tokens import Counter
from octavo.told import Limits, room_for
from octavo.validity import Mode, mode_of

__all__ = ["Modes", "Settled"]

_HALF: Final = 2**32 - 1

_MOST: Final = 8
"""Modes that are kept: one for each way to call in use, until system or tools change."""


@dataclass(slots=True)
class Settled:
    """What of a call hangs on nothing but how it is made, and is the same for most calls of a conversation.

    Attributes:
        asked: how it is made.
        kind: what tells whether tools and thinking mode are those of another call.
        limits: as `drafting.Sent` has them.
        mode: what the rules must know.
        summary_room: tokens that a summary may take.
        mixed: whether a cache breakpoint of an hour stands behind one of five minutes in tools and system. `mode` is
            that of a request in which it lives five minutes as well.
    """

    asked: tuple[Any, ...]
    kind: tuple[int, bool | None]
    limits: Limits
    mode: Mode
    summary_room: int
    mixed: bool


class Modes:
    """Providers by format, and modes by everything that they depend on."""

    __slots__ = ("_costs", "_counter", "_given", "_model", "_modes", "_opened", "_providers", "_settled")

    def __init__(self, model: str | None, given: Provider | None, counter: Counter) -> None:
        """Take the model's name, the provider where one was given, and what counts."""
        self._counter = counter
        self._costs: dict[Format, tuple[int, int, int]] = {}
        self._model = model
        self._given: Provider | None = given
        self._providers: dict[Format, Provider] = {}
        self._modes: dict[tuple[Any, ...], Mode] = {}
        self._settled: Settled | None = None
        self._opened: tuple[_core.Transcript, int] | None = None

    def settled(
        self,
        engine: _core.Transcript,
        frame: Frame,
        budget: Budget,
        mark: Mark,
        thinking: bool | None,
        previous_response_id: str | None,
        system: Any,
        tools: Any,
        *,
        compaction: bool,
    ) -> Settled:
        """What follows from how a call is made; worked out anew when that changed."""
        last, around = self._settled, (engine.format, mark, thinking, previous_response_id, compaction)
        if last is not None and last.asked[0] is frame and last.asked[1] is budget and last.asked[2] == around:
            return last
        kind = (mark[2], thinking)
        basis = (hash(kind) & _HALF) << 32 | (hash((frame.joined, frame.leading, mark)) & _HALF)
        ledger, summary = room_for(budget, frame.tokens, compaction=compaction)
        placeholder = self.added(engine.format)[0]
        limits = (budget.tokens, frame.tokens, frame.beside, basis, placeholder, ledger + summary, budget.clear)
        mode = self.mode(engine, mark, thinking, previous_response_id, system, tools)
        mixed = mode.mixed_breakpoints
        mode = replace(mode, mixed_breakpoints=False) if mixed else mode
        self._settled = settled = Settled((frame, budget, around), kind, limits, mode, summary, mixed)
        return settled

    def opening(self, engine: _core.Transcript, framing: int) -> int:
        """Tokens of what the conversation opens with; they do not change once there is anything but system messages."""
        opened = self._opened
        if opened is not None and opened[0] is engine:
            return opened[1]
        tokens = opening_tokens(engine, framing)
        if leading_of(cast("Sequence[Any]", engine)) < len(engine):
            self._opened = engine, tokens
        return tokens

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
