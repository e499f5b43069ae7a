"""Every message of a conversation in runs, with what was decided about it and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from octavo import _core
from octavo.compaction.summary import without
from octavo.tokens import Method

if TYPE_CHECKING:
    from octavo.drafting import Draft
    from octavo.recipes import Recipe

__all__ = ["Span", "spans_of"]


@dataclass(frozen=True, slots=True)
class Span:
    """A run of messages that share one verdict.

    Attributes:
        start: the first message, as a position in the caller's list.
        end: one past the last message.
        tokens: their tokens, framing included.
        method: how they were counted: as texts are, or `estimated` where media are among them.
        verdict: `kept`, `edited`, `cleared` (outputs of tools in it are left out), `dropped` or `summarised`: left out,
            and in the summary that is shown.
        reason: why. What is kept is a `leading` system message, the `task`, the `request`, an `obligation` (a call
            that may still be answered), `pinned`, `answered_late`, the `loop_opening` (which must start with
            thinking), a `compaction` (the provider's summary of what stood before), or in the `window`. What is dropped
            was `before_cut`. What a repair edited or dropped has the id of the rule that asked for it (see
            :func:`octavo.rules`). What is cleared is `repeated` or `superseded` by a newer output, or `old`.
        source: where it comes from: `history`, the conversation itself. Of what is summarised the summary's id; of what
            is repeated or superseded the message with the newer output.
        saved: tokens that its cleared outputs would take beside.
    """

    start: int
    end: int
    tokens: int
    method: Method
    verdict: str
    reason: str
    source: str = "history"
    saved: int = 0


def spans_of(draft: Draft) -> Iterator[Span]:
    """Every message in runs of one verdict and one reason."""
    plan = draft.plan
    repaired = None if plan.recipes is None else _Repaired.of(plan.recipes, plan.changes)
    cleared = _cleared(draft) if _core.spared(plan) is not None else {}
    for start, end, reason in plan.verdicts(draft.asked.engine):
        if reason == "before_cut":
            yield from _left_out_spans(draft, start, end, reason)
        elif any(start <= message < end for message in cleared):
            yield from _cleared_spans(draft, range(start, end), reason, repaired, cleared)
        elif repaired is None:
            yield _span(draft, start, end, "kept", reason)
        else:
            yield from _repaired_spans(draft, range(start, end), reason, repaired)


def _cleared(draft: Draft) -> dict[int, tuple[str, str, int]]:
    """Of each message with cleared outputs that is sent: why, what replaced them, and tokens saved."""
    cleared: dict[int, tuple[str, str, int]] = {}
    for message, _, _, saved, reason, by in _core.cleared_outputs(draft.plan, draft.asked.engine):
        first = cleared.get(message, (reason, "history" if by is None else f"message {by}", 0))
        cleared[message] = (*first[:2], first[2] + saved)
    return cleared


def _cleared_spans(
    draft: Draft, shown: range, reason: str, repaired: _Repaired | None, cleared: Mapping[int, tuple[str, str, int]]
) -> Iterator[Span]:
    def verdict(message: int) -> tuple[str, str, str]:
        done, why = ("kept", reason) if repaired is None else repaired.verdict(message, reason)
        found = cleared.get(message)
        return (done, why, "history") if found is None or done == "dropped" else ("cleared", found[0], found[1])

    for (done, why, source), run in groupby(shown, key=verdict):
        indices = list(run)
        saved = sum(cleared[message][2] for message in indices) if done == "cleared" else 0
        yield replace(_span(draft, indices[0], indices[-1] + 1, done, why), source=source, saved=saved)


def _left_out_spans(draft: Draft, start: int, end: int, reason: str) -> Iterator[Span]:
    """What the cut left out: what the shown summary covers of it, and the rest."""
    summary = None if draft.told is None else draft.told.summary
    if summary is None:
        yield _span(draft, start, end, "dropped", reason)
        return
    rest = without([(start, end)], summary.covers)
    within = without([(start, end)], rest)
    for first, last in sorted([*rest, *within]):
        if (first, last) in rest:
            yield _span(draft, first, last, "dropped", reason)
        else:
            yield replace(_span(draft, first, last, "summarised", reason), source=summary.id)


def _repaired_spans(draft: Draft, shown: range, reason: str, repaired: _Repaired) -> Iterator[Span]:
    for (verdict, why), run in groupby(shown, key=lambda message: repaired.verdict(message, reason)):
        indices = list(run)
        yield _span(draft, indices[0], indices[-1] + 1, verdict, why)


def _span(draft: Draft, start: int, end: int, verdict: str, reason: str) -> Span:
    engine, counter = draft.asked.engine, draft.asked.counter
    method: Method = "estimated" if engine.estimated_in(start, end)[0] else counter.method
    return Span(start, end, draft.plan.tokens_in(engine, start, end), method, verdict, reason)


@dataclass(frozen=True, slots=True)
class _Repaired:
    """What a repair left of the messages, and the rules that it followed.

    Attributes:
        kept: messages that are sent as they are.
        edited: messages of which a part is sent, with the rule; the empty text where none is known.
        rules: the first rule that asked for a change of a message.
    """

    kept: frozenset[int]
    edited: Mapping[int, str]
    rules: Mapping[int, str]

    @classmethod
    def of(cls, recipes: Sequence[Recipe], changes: Iterable[tuple[str, int, int | None, str]]) -> _Repaired:
        rules: dict[int, str] = {}
        for kind, message, _, rule in changes:
            # What was told only is still wrong: nothing was changed for it.
            if kind != "told":
                rules.setdefault(message, rule)
        edited: dict[int, str] = {}
        for recipe in recipes:
            if isinstance(recipe, int):
                continue
            parts = _parts(recipe)
            # A message that another is merged into, or whose call gets a result, has changed for the other's rule.
            shared = next((rules[message] for message in parts if message in rules), "")
            for message in parts:
                edited.setdefault(message, rules.get(message, shared))
        return cls(frozenset(recipe for recipe in recipes if isinstance(recipe, int)), edited, rules)

    def verdict(self, message: int, reason: str) -> tuple[str, str]:
        """What became of a message that the window shows for this reason, and why."""
        if message in self.kept:
            return "kept", reason
        if message in self.edited:
            return "edited", self.edited[message] or reason
        return "dropped", self.rules.get(message, reason)


def _parts(recipe: Recipe) -> list[int]:
    """The messages that something of is in a composed one; of one without blocks, whose members it has."""
    if isinstance(recipe, int):
        return [recipe]
    _, source, pieces, _ = recipe
    parts = [piece[1] for piece in pieces if piece[0] == "block"]
    return parts if parts or source is None else [source]
