"""Carries out a plan: the caller's messages in the plan's order, repairs and sections put in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from octavo import _core
from octavo.budget import Budget, Section
from octavo.messages import Format, Provider
from octavo.recipes import carry_out
from octavo.sections import Placed, at_head, at_tail, into_system, leading_of, text_message
from octavo.tokens import Counter
from octavo.validity import Mode

__all__ = ["Draft", "Frame", "draft_of", "frame_of"]


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around the history and never shrinks, as counted: it holds nothing that a caller may change.

    Attributes:
        joined: prefix sections that join the system parameter.
        leading: prefix sections for formats whose system message is one of the messages.
        head: sections that stand before the history, as blocks.
        tail: sections that stand at the end, not yet cut to what is left.
        placed: the fixed sections, for the report.
        tokens: system, tools, framing and fixed sections together.
        beside: tokens that the tail's sections need at least.
    """

    joined: tuple[str, ...]
    leading: tuple[str, ...]
    head: tuple[str, ...]
    tail: tuple[Section, ...]
    placed: tuple[Placed, ...]
    tokens: int
    beside: int


@dataclass(slots=True)
class Draft:
    """A context as it is being made, and all that its report needs."""

    engine: _core.Transcript
    plan: _core.Plan
    counter: Counter
    model: str | None
    format: Format
    provider: Provider
    budget: Budget
    frame: Frame
    messages: list[Any]
    system: Any
    tools: Any
    placed: tuple[Placed, ...]
    section_tokens: int
    tokens: int
    source: Sequence[Any]
    mode: Mode
    headed: tuple[int, int] | None = None
    """Where messages of their own hold the head sections, and how many; `None` where they joined one."""


def frame_of(counter: Counter, format: Format, system: Any, tools: Any, sections: Sequence[Section]) -> Frame:
    """Count and place everything that does not depend on the history."""
    placed: list[Placed] = []
    joined: list[str] = []
    leading: list[str] = []
    head: list[str] = []
    for section in sections:
        if section.place == "tail" or not section.text:
            continue
        block, verdict = _cut(counter, section)
        if section.place == "head":
            head.append(block)
            tokens = _message_tokens(counter, format, block)
        elif system is None and format in ("openai", "openai-responses"):
            leading.append(block)
            tokens = _message_tokens(counter, format, block)
        else:
            # What it adds: the system prompt may have been empty, and the text joins what is there.
            joined.append(block)
            without, system = counter.count_system(system), into_system(format, system, block)
            tokens = counter.count_system(system) - without
        placed.append(Placed(section.name, section.place, tokens, verdict, section.source))
    tail = tuple(section for section in sections if section.place == "tail" and section.text)
    in_messages = sum(_message_tokens(counter, format, block) for block in (*leading, *head))
    tokens = counter.fixed + counter.count_system(system) + counter.count_tools(tools) + in_messages
    beside = sum(min(section.min_tokens, counter.count(section.block())) for section in tail)
    return Frame(tuple(joined), tuple(leading), tuple(head), tail, tuple(placed), tokens, beside)


def _cut(counter: Counter, section: Section) -> tuple[str, str]:
    """The section's block within its maximum, and what was done to it."""
    whole = section.block()
    if section.max_tokens is None or counter.count(whole) <= section.max_tokens:
        return whole, "kept"
    return _shortened(counter, section, section.max_tokens), "cut"


def _shortened(counter: Counter, section: Section, limit: int) -> str:
    """The block with as much of the text as stays within `limit` tokens, delimiters included."""
    room = max(0, limit - counter.count(section.block("")))
    while True:
        block = section.block(counter.truncate(section.text, room))
        # The text and its delimiters may share a token or escape longer than they were: verify.
        over = counter.count(block) - limit
        if over <= 0 or room == 0:
            return block
        room = max(0, room - max(over, 1))


def _message_tokens(counter: Counter, format: Format, text: str) -> int:
    return counter.count_message(text_message(format, "user", text), format=format)


def draft_of(
    engine: _core.Transcript,
    plan: _core.Plan,
    messages: Sequence[Any],
    *,
    counter: Counter,
    model: str | None,
    format: Format,
    provider: Provider,
    budget: Budget,
    frame: Frame,
    system: Any,
    tools: Any,
    mode: Mode,
) -> Draft:
    """Carry out `plan` on the caller's own messages."""
    recipes = plan.recipes
    if recipes is None:
        spans = plan.spans
        shown = list(messages[spans[0][0] : spans[0][1]]) if spans else []
        for start, end in spans[1:]:
            shown += messages[start:end]
    else:
        shown = carry_out(messages, recipes, format)
    for block in frame.joined:
        system = into_system(format, system, block)
    draft = Draft(
        engine=engine, plan=plan, counter=counter, model=model, format=format, provider=provider, budget=budget,
        frame=frame, messages=shown, system=system, tools=tools, placed=frame.placed,
        section_tokens=0, tokens=plan.reported(plan.tokens), source=messages, mode=mode,
    )  # fmt: skip
    if frame.placed or frame.tail:
        _place_sections(draft)
    return draft


def _place_sections(draft: Draft) -> None:
    frame, format, messages = draft.frame, draft.format, draft.messages
    # A repair may have made the leading system messages the user's, or merged them away.
    leading = draft.plan.leading if draft.plan.recipes is None else leading_of(messages)
    for block in frame.leading:
        messages.insert(leading, text_message(format, "system", block))
        leading += 1
    draft.headed = at_head(format, messages, leading, frame.head)
    placed = list(frame.placed)
    spent = 0
    for section, block, verdict in _share_tail(draft):
        tokens = _message_tokens(draft.counter, format, block) if block else 0
        placed.append(Placed(section.name, section.place, tokens, verdict, section.source))
        spent += tokens
        if block:
            at_tail(format, messages, block)
    draft.placed = tuple(placed)
    draft.section_tokens = sum(one.tokens for one in placed)
    draft.tokens = draft.plan.reported(draft.plan.tokens + spent)


def _share_tail(draft: Draft) -> list[tuple[Section, str, str]]:
    """What each section at the tail gets of the tokens that the history leaves over, in the order given."""
    counter, format = draft.counter, draft.format
    whole = [_cut(counter, section) for section in draft.frame.tail]
    asked = [_message_tokens(counter, format, block) for block, _ in whole]
    framing = _message_tokens(counter, format, "")
    # The engine wants to know the order only, and any number may say it.
    rank = {priority: at for at, priority in enumerate(sorted({section.priority for section in draft.frame.tail}))}
    requests = [
        (tokens, section.min_tokens + framing if section.min_tokens else framing + 1, tokens, rank[section.priority])
        for section, tokens in zip(draft.frame.tail, asked, strict=True)
    ]
    granted = _core.allocate(requests, draft.plan.left)
    return [
        _fitted(counter, section, cut, tokens, grant, framing)
        for section, cut, tokens, grant in zip(draft.frame.tail, whole, asked, granted, strict=True)
    ]


def _fitted(
    counter: Counter, section: Section, cut: tuple[str, str], tokens: int, grant: int, framing: int
) -> tuple[Section, str, str]:
    """The section as it is where it was granted all that it asked for, else cut to its grant or left out."""
    if grant >= tokens:
        return section, *cut
    limit = replace(section, min_tokens=0, max_tokens=max(0, grant - framing))
    return section, *_within(counter, limit)


def _within(counter: Counter, section: Section) -> tuple[str, str]:
    """The section cut to its maximum; nothing when not even its delimiters fit."""
    if section.max_tokens is None or counter.count(section.block("")) >= section.max_tokens:
        return "", "dropped"
    return _shortened(counter, section, section.max_tokens), "cut"
