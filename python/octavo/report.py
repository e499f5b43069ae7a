"""What was decided for one call, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from octavo.recipes.wording import changes_of
from octavo.sections import Placed
from octavo.tokens import Method

if TYPE_CHECKING:
    from rich.table import Table

    from octavo.drafting import Draft

__all__ = ["Report", "Span", "printable", "report_of"]

ANCHORED_ERROR: Final = 0.027
"""How far a total may be off once the provider has reported usage: the 95th percentile over mixed content
(measured on 300 simulated conversations, TOKENS §4, 2026-11-30)."""


@dataclass(frozen=True, slots=True)
class Span:
    """A run of messages that share one verdict.

    Attributes:
        start: the first message, as a position in the caller's list.
        end: one past the last message.
        tokens: their tokens, framing included.
        method: how they were counted: as texts are, or `estimated` where media are among them.
        verdict: `kept`, `edited` or `dropped`.
        reason: why: `leading`, `task`, `request`, `obligation`, `pinned`, `answered_late`, `window`,
            `before_cut`, or the rule that asked for an edit.
    """

    start: int
    end: int
    tokens: int
    method: Method
    verdict: str
    reason: str


@dataclass(frozen=True, slots=True)
class Report:
    """What one context consists of, what it leaves out, and what that costs.

    Attributes:
        format: the format of the messages.
        provider: whose rules they obey.
        model: the model it was counted for, if one was named.
        method: how the tokens were counted: `exact`, `calibrated` or `estimated`. Media, and content that only the
            provider can read, make it an estimate until the provider has reported what they cost.
        error_bound: how far `tokens` may be off, as a share of it (95 % of cases); 0.0 when all of it is text and
            counted exactly. Tool definitions bring a bound of their own: providers call what they add an estimate.
        tokens: input tokens that are sent.
        budget: the most that may be sent.
        fits: whether `tokens` is within `budget`.
        over: by how much it is not.
        pinned: what could not be left out, with its tokens, when it does not fit.
        fixed_tokens: system, tools and framing.
        history_tokens: messages, after repairs.
        section_tokens: sections of every place.
        stable_prefix_tokens: tokens at the start that the call before sent as well, what stood at its tail
            aside; 0 for a first call.
        first_changed_index: the first position in the context's messages that the call before did not send
            at that place; `None` for a first call.
        moved: whether the history's cut moved at this call.
        spans: every message of the conversation, in runs.
        sections: the sections, kept or not.
        repairs: what was changed to obey the provider's rules, in plain words.
    """

    format: str
    provider: str
    model: str | None
    method: Method
    error_bound: float
    tokens: int
    budget: int
    fits: bool
    over: int
    pinned: dict[str, int]
    fixed_tokens: int
    history_tokens: int
    section_tokens: int
    stable_prefix_tokens: int
    first_changed_index: int | None
    moved: bool
    spans: tuple[Span, ...]
    sections: tuple[Placed, ...]
    repairs: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that `json.dumps` takes."""
        return asdict(self)

    def to_json(self, *, indent: int | None = None) -> str:
        """Everything as JSON; the same report gives the same bytes."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def __str__(self) -> str:
        """A plain table for a terminal; `rich.print(report)` shows it in colour."""
        rows = [("part", "what", "tokens", "why"), *self._rows()]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        lines = [self._headline()]
        for part, what, tokens, why in rows:
            lines.append(f"  {part:<{widths[0]}}  {what:<{widths[1]}}  {tokens:>{widths[2]}}  {why}".rstrip())
        return "\n".join([*lines, *(f"  repaired: {printable(line)}" for line in self.repairs)])

    def __rich__(self) -> Table:
        """A table for `rich`, which must be installed (`octavo[cli]`)."""
        from rich.table import Table
        from rich.text import Text

        # `Text`, because ids and sources are data: brackets in them are no markup.
        table = Table(title=Text(self._headline()), title_justify="left", caption_justify="left")
        for name in ("part", "what", "tokens", "why"):
            table.add_column(name, justify="right" if name == "tokens" else "left")
        styles = {"dropped": "dim", "edited": "yellow", "cut": "yellow"}
        for row in self._rows():
            table.add_row(*map(Text, row), style=styles.get(row[0]))
        if self.repairs:
            table.caption = Text("\n".join(f"repaired: {printable(line)}" for line in self.repairs))
        return table

    def _headline(self) -> str:
        verdict = "fits" if self.fits else f"OVER by {self.over:,}, because of {self._pinned_words()}"
        bound = f" ±{self.error_bound:.1%}" if self.error_bound else ""
        prefix = f"{self.stable_prefix_tokens:,} tokens as in the call before"
        return f"{self.tokens:,} of {self.budget:,} tokens ({self.method}{bound}), {verdict}; {prefix}"

    def _pinned_words(self) -> str:
        return ", ".join(f"{name} {tokens:,}" for name, tokens in self.pinned.items()) or "nothing that can be left out"

    def _rows(self) -> list[tuple[str, str, str, str]]:
        fixed = [("fixed", "system, tools, framing", f"{self.fixed_tokens:,}", "never shrinks")]
        sections = [
            (placed.verdict, f"section {placed.name}", f"{placed.tokens:,}", printable(placed.source or placed.place))
            for placed in self.sections
        ]
        return fixed + sections + [_span_row(span) for span in self.spans]


def printable(text: str) -> str:
    """A text for a terminal: control characters are written as escapes, so that data cannot steer the terminal."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escape(character) for character in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def report_of(draft: Draft) -> Report:
    """Explain a draft: everything here is worked out when somebody reads it, not when the context is made."""
    asked, plan = draft.asked, draft.plan
    tail = draft.section_tokens - sum(placed.tokens for placed in asked.frame.placed)
    fixed = plan.reported(asked.frame.tokens - (draft.section_tokens - tail))
    sections = plan.reported(draft.section_tokens)
    over = max(0, draft.tokens - asked.budget.tokens)
    shared = _shared(draft)
    method, bound = _certainty(draft)
    return Report(
        format=asked.format,
        provider=asked.provider,
        model=asked.model,
        method=method,
        error_bound=bound,
        tokens=draft.tokens,
        budget=asked.budget.tokens,
        fits=over == 0,
        over=over,
        pinned=_pinned(draft) if over else {},
        fixed_tokens=fixed,
        history_tokens=max(0, draft.tokens - fixed - sections),
        section_tokens=sections,
        stable_prefix_tokens=0 if shared is None else shared[1],
        first_changed_index=None if shared is None else shared[0],
        moved=plan.moved,
        spans=tuple(_spans(draft)),
        sections=draft.placed,
        repairs=tuple(_repairs(draft)),
    )


def _repairs(draft: Draft) -> Iterator[str]:
    asked = draft.asked
    if asked.trimmed:
        yield "system: left out empty text blocks"
    yield from (change.message for change in changes_of(asked.source, draft.plan.changes, asked.format))


def _certainty(draft: Draft) -> tuple[Method, float]:
    """How the tokens were counted, and how far they may be off, as a share of them."""
    plan, engine = draft.plan, draft.asked.engine
    around = draft.asked.frame.around
    estimated, off = plan.estimated(engine)
    method, error = _counted(draft, estimated, off + around.error)
    bound: float = error
    if plan.anchored:
        # What was reported is known, whatever was estimated for it; what came after is not, nor what is left of it
        # once a part was dropped. And no total is surer than its own count, but for what the report makes of that.
        at, whole = plan.reported_to
        fresh = plan.estimated(engine, at if whole else 0)
        apart = abs(draft.tokens - draft.counted)
        if fresh[0]:
            method = "estimated"
        elif error or apart:
            method = "calibrated"
        bound = error + apart
        if whole:
            bound = min(bound, draft.tokens * ANCHORED_ERROR + fresh[1])
    return method, bound / draft.tokens if draft.tokens else 0.0


def _counted(draft: Draft, estimated: int, error: int) -> tuple[Method, int]:
    """The counter's word on what is sent, of whose messages so many tokens are no text."""
    counter, around = draft.asked.counter, draft.asked.frame.around
    text = max(0, draft.counted - counter.fixed - around.tools - around.system_estimated - estimated)
    tools = around.tools - around.tools_estimated
    return counter.core.certainty(text, tools, estimated + around.system_estimated + around.tools_estimated, error)


def _shared(draft: Draft) -> tuple[int, int] | None:
    """Where this context leaves what the call before sent, and the tokens up to there; `None` for a first call.

    Without a context before it (a call without state), or with one for the same limits, the call before is the
    last one that the model answered, taken to have been made for these limits. Tools and system come first in a
    prompt: where they changed, nothing is as before.
    """
    plan, asked, before = draft.plan, draft.asked, draft.asked.before
    fixed = asked.frame.tokens
    if before is not None and before.engine is asked.engine and before.limits[3] != asked.limits[3]:
        return 0, 0
    if before is None or before.engine is not asked.engine or before.limits == asked.limits:
        tokens = plan.shared_prefix(asked.engine)
    else:
        tokens = plan.shared_with(asked.engine, before.plan)
    if tokens is None:
        return None
    if before is not None:
        tokens = tokens[: before.tail_at]
        if before.head != asked.frame.head:
            tokens = tokens[: plan.leading]
            fixed -= sum(placed.tokens for placed in asked.frame.placed if placed.place == "head")
    return _index_of(draft, len(tokens)), plan.reported(fixed + sum(tokens))


def _index_of(draft: Draft, shared: int) -> int:
    """The position in the context's messages: sections that are messages of their own shift it."""
    index = shared + len(draft.asked.frame.leading)
    if draft.headed is not None and index >= draft.headed[0]:
        index += draft.headed[1]
    return index


def _pinned(draft: Draft) -> dict[str, int]:
    """What could not be left out, by reason, in tokens."""
    plan, engine = draft.plan, draft.asked.engine
    pinned = {"fixed": plan.reported(draft.asked.frame.tokens)}
    if plan.leading:
        pinned["leading"] = plan.reported(engine.tokens_in(0, plan.leading))
    for reason, tokens in plan.pinned(engine):
        pinned[reason] = plan.reported(tokens)
    return pinned


def _spans(draft: Draft) -> Iterator[Span]:
    """Every message in runs; where repairs edited some, runs are split at them."""
    plan = draft.plan
    untouched = plan.untouched
    kept = None if untouched is None else set(untouched)
    for start, end, reason in plan.verdicts(draft.asked.engine):
        if reason == "before_cut":
            yield _span(draft, start, end, "dropped", reason)
        elif kept is None:
            yield _span(draft, start, end, "kept", reason)
        else:
            for edited, run in groupby(range(start, end), key=lambda index: index not in kept):
                indices = list(run)
                yield _span(draft, indices[0], indices[-1] + 1, "edited" if edited else "kept", reason)


def _span(draft: Draft, start: int, end: int, verdict: str, reason: str) -> Span:
    engine, counter = draft.asked.engine, draft.asked.counter
    method: Method = "estimated" if engine.estimated_in(start, end)[0] else counter.method
    return Span(start, end, engine.tokens_in(start, end), method, verdict, reason)


def _span_row(span: Span) -> tuple[str, str, str, str]:
    count = span.end - span.start
    what = f"message {span.start}" if count == 1 else f"messages {span.start}–{span.end - 1}"
    return span.verdict, what, f"{span.tokens:,}", span.reason.replace("_", " ")
