"""What was decided for one call, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from octavo.certainty import Correction, certainty_of
from octavo.lifetimes import SHORTENED
from octavo.mending import MENDED
from octavo.prefix import call_before, shared_with_before
from octavo.recipes.wording import changes_of
from octavo.shares import Placed
from octavo.spans import Span, spans_of
from octavo.tokens import Method

if TYPE_CHECKING:
    from rich.table import Table

    from octavo.drafting import Draft

__all__ = ["Report", "Span", "printable", "report_of"]

_Row: TypeAlias = tuple[str, str, str, str, str, str]
_COLUMNS: Final[_Row] = ("part", "what", "tokens", "method", "why", "source")


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
        pinned: what could not be left out, with its tokens, when it does not fit: `fixed` (system, tools, framing),
            `sections`, messages by their span's reason (the newest exchange, which the call is about to answer, is
            `newest`), and what `repairs` added. The sum is `tokens`.
        fixed_tokens: system, tools and framing, with what a provider reports beside what was counted.
        history_tokens: messages, after repairs.
        section_tokens: sections of every place.
        stable_prefix_tokens: tokens at the start that the call before sent as well, what stood at its tail
            aside; 0 for a first call. The call before is what this transcript, or the one that it was forked from,
            assembled for the last message of the model's, a `rewind` or not; where it did not, or more than eight
            contexts ago, that call is taken to have been made as this one is. Cache breakpoints are not compared: a
            provider does not cache them.
        first_changed_index: the first position in the context's messages that the call before did not send
            at that place; `None` for a first call.
        moved: whether other messages of the history are shown than at the call before, of those that were there then;
            for a first call, whether any is left out. What else changed, `first_changed_index` tells.
        spans: every message of the conversation, in runs.
        sections: the sections that have a text, kept or not: first those before the history, then the tail's.
        repairs: what was changed to obey the provider's rules, in plain words.
        usage: what reported usage has to do with `tokens`. `none`: they are a first guess. `anchored`: all that a
            report covers is sent again, and only what came since is counted. `learnt`: a part of that was cut or
            changed (history, system prompt, tools, thinking mode); the ratio and the constant that reports have shown
            correct the count.
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
    usage: Correction

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that `json.dumps` takes."""
        return asdict(self)

    def to_json(self, *, indent: int | None = None) -> str:
        """Everything as JSON; the same report gives the same bytes."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def __str__(self) -> str:
        """A plain table for a terminal; `rich.print(report)` shows it in colour."""
        rows = [_COLUMNS, *self._rows()]
        widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
        lines = [self._headline()]
        for row in rows:
            cells = (
                f"{cell:{'>' if name == 'tokens' else '<'}{width}}"
                for name, cell, width in zip(_COLUMNS, row, widths, strict=True)
            )
            lines.append(f"  {'  '.join(cells)}".rstrip())
        return "\n".join([*lines, *(f"  repaired: {printable(line)}" for line in self.repairs)])

    def __rich__(self) -> Table:
        """A table for `rich`, which must be installed (`octavo[cli]`)."""
        from rich.table import Table
        from rich.text import Text

        # `Text`, because ids and sources are data: brackets in them are no markup.
        table = Table(title=Text(self._headline()), title_justify="left", caption_justify="left")
        for name in _COLUMNS:
            table.add_column(name, justify="right" if name == "tokens" else "left")
        styles = {"dropped": "dim", "summarised": "dim", "edited": "yellow", "cleared": "yellow", "cut": "yellow"}
        for row in self._rows():
            table.add_row(*map(Text, row), style=styles.get(row[0]))
        if self.repairs:
            table.caption = Text("\n".join(f"repaired: {printable(line)}" for line in self.repairs))
        return table

    def _headline(self) -> str:
        verdict = "fits" if self.fits else f"OVER by {self.over:,}, because of {self._pinned_words()}"
        bound = f" ±{self.error_bound:.1%}" if self.error_bound else ""
        known = "" if self.usage == "none" else f", {self.usage} {'on' if self.usage == 'anchored' else 'from'} usage"
        first = self.first_changed_index is None
        prefix = "" if first else f"; {self.stable_prefix_tokens:,} tokens as in the call before"
        return f"{self.tokens:,} of {self.budget:,} tokens ({self.method}{bound}{known}), {verdict}{prefix}"

    def _pinned_words(self) -> str:
        return ", ".join(f"{name} {tokens:,}" for name, tokens in self.pinned.items()) or "nothing that can be left out"

    def _rows(self) -> list[_Row]:
        fixed = [("fixed", "system, tools, framing", f"{self.fixed_tokens:,}", self.method, "never shrinks", "call")]
        rows = fixed + [_section_row(placed) for placed in self.sections] + [_span_row(span) for span in self.spans]
        return rows + self._rest()

    def _rest(self) -> list[_Row]:
        """What the other rows, each counted on its own, do not add up to."""
        sections = sum(placed.tokens for placed in self.sections)
        shown = sum(span.tokens for span in self.spans if span.verdict not in ("dropped", "summarised"))
        rest = self.tokens - self.fixed_tokens - sections - shown
        names = {"repairs": bool(self.repairs), "usage": self.usage != "none"}
        found = [name for name, there in names.items() if there]
        what = " and ".join("reported usage" if name == "usage" else name for name in found)
        part, why = ", ".join(found) or "rest", "not in the rows above"
        return (
            [(part, f"what {what or 'else'} add and take away", f"{rest:+,}", self.method, why, "call")] if rest else []
        )


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
    own = asked.frame.tokens - sum(placed.tokens for placed in asked.frame.placed)
    fixed, sections = _shares(draft, [own, draft.section_tokens])
    over = max(0, draft.tokens - asked.budget.tokens)
    before = call_before(draft)
    shared = None if before is None else shared_with_before(draft, before)
    certainty = certainty_of(draft)
    return Report(
        format=asked.format,
        provider=asked.provider,
        model=asked.model,
        method=certainty.method,
        error_bound=certainty.error_bound,
        tokens=draft.tokens,
        budget=asked.budget.tokens,
        fits=over == 0,
        over=over,
        pinned=_pinned(draft) if over else {},
        fixed_tokens=fixed,
        history_tokens=draft.tokens - fixed - sections,
        section_tokens=sections,
        stable_prefix_tokens=0 if shared is None else shared[1],
        first_changed_index=None if shared is None else shared[0],
        moved=plan.moved_since(None if before is None else before.plan),
        spans=tuple(spans_of(draft)),
        sections=draft.placed,
        repairs=tuple(_repairs(draft)),
        usage=certainty.usage,
    )


def _repairs(draft: Draft) -> Iterator[str]:
    asked = draft.asked
    if asked.trimmed:
        yield "system: left out empty text blocks"
    yield from (f"{what}: {MENDED}" for what in asked.frame.garbled)
    yield from (f"{what}: {SHORTENED}" for what in asked.shortened)
    yield from draft.mended
    yield from (change.message for change in changes_of(asked.source, draft.plan.changes, asked.format))
    if not draft.messages:
        yield "no message is left, and no provider takes a request without one"


def _pinned(draft: Draft) -> dict[str, int]:
    """What could not be left out, by reason, in tokens that add up to the context's."""
    plan, frame = draft.plan, draft.asked.frame
    fixed = frame.tokens - sum(placed.tokens for placed in frame.placed)
    parts = [("fixed", fixed), ("sections", draft.section_tokens), *plan.pinned(draft.asked.engine)]
    # What a placeholder and a tail really take may differ from what was set aside for them.
    parts.append(("repairs", draft.counted))
    pinned: dict[str, int] = {}
    for (name, _), tokens in zip(parts, _shares(draft, [tokens for _, tokens in parts]), strict=True):
        if tokens or name == "fixed":
            pinned[name] = pinned.get(name, 0) + tokens
    return pinned


def _shares(draft: Draft, parts: list[int]) -> list[int]:
    """The provider's tokens for consecutive parts of what is sent.

    What a count cannot see (a system prompt that a proxy adds) is in the first part, once.
    """
    reached = accumulate(parts, lambda sum_, tokens: min(sum_ + tokens, draft.counted), initial=0)
    reported = [draft.plan.reported(sum_) if at else 0 for at, sum_ in enumerate(reached)]
    return [after - before for before, after in pairwise(reported)]


def _section_row(placed: Placed) -> _Row:
    why = f"{placed.place}, {placed.reason.replace('_', ' ')}"
    source = printable(placed.source or "")
    return placed.verdict, f"section {placed.name}", f"{placed.tokens:,}", placed.method, why, source


def _span_row(span: Span) -> _Row:
    count = span.end - span.start
    what = f"message {span.start}" if count == 1 else f"messages {span.start}–{span.end - 1}"
    why = span.reason.replace("_", " ") + (f", saves {span.saved:,}" if span.saved else "")
    return span.verdict, what, f"{span.tokens:,}", span.method, why, span.source
