"""Carries out a plan: the caller's messages in the plan's order, repairs and sections put in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from octavo import _core
from octavo.budget import Budget, Section
from octavo.cutting import cut_text
from octavo.messages import Format, Provider
from octavo.recipes import CONTINUE, NO_RESULT, START, Recipe, carry_out
from octavo.sections import Placed, at_head, at_tail, into_system, leading_of, text_message
from octavo.tokens import Counter
from octavo.validity import Mode

__all__ = ["Around", "Asked", "Draft", "Frame", "Sent", "added_by_repair", "frame_of", "plan_of", "planned"]

_NAMED: Final[dict[Format, int]] = {"gemini": 12}
"""Tokens that a placeholder takes more where it carries its function's name and a JSON object around the text."""

_ROUNDS: Final = 4
"""How often a call is planned anew because its repair took more tokens than was set aside for it."""


@dataclass(frozen=True, slots=True)
class Around:
    """Tokens of system and tools, and how sure they are.

    Attributes:
        system: tokens of the system prompt that is given apart.
        tools: tokens of the tool definitions.
        system_estimated: of `system`, what is no plain text.
        tools_estimated: of `tools`, what no published rule speaks of.
        error: how far the estimated tokens can be off together.
    """

    system: int
    tools: int
    system_estimated: int
    tools_estimated: int
    error: int


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
        around: of those, system and tools.
        beside: tokens that the tail's sections need at least.
    """

    joined: tuple[str, ...]
    leading: tuple[str, ...]
    head: tuple[str, ...]
    tail: tuple[Section, ...]
    placed: tuple[Placed, ...]
    tokens: int
    around: Around
    beside: int


@dataclass(frozen=True, slots=True)
class Sent:
    """What the report of the next context compares with, and what usage is reported for.

    Attributes:
        engine: the rows that the plan was made on.
        plan: what was sent of the history.
        limits: budget, tokens of the frame, tokens kept free for the tail, the basis (a number that tells
            whether system, tools, prefix sections and thinking are the same), and tokens of a placeholder result.
        head: the head sections.
        tail_at: the message of the history that carried the tail's text; `None` where it was its own message.
        counted: tokens of everything that was sent, in the transcript's own count.
    """

    engine: _core.Transcript
    plan: _core.Plan
    limits: tuple[int, int, int, int, int]
    head: tuple[str, ...]
    tail_at: int | None
    counted: int

    def moved_to(self, engine: _core.Transcript) -> Sent:
        """The same for a transcript that goes its own way."""
        return replace(self, engine=engine)


@dataclass(frozen=True, slots=True)
class Asked:
    """Everything that one call is assembled from."""

    engine: _core.Transcript
    counter: Counter
    model: str | None
    format: Format
    provider: Provider
    budget: Budget
    frame: Frame
    limits: tuple[int, int, int, int, int]
    system: Any
    tools: Any
    mode: Mode
    added: tuple[int, int, int]
    before: Sent | None
    previous_response_id: str | None = None
    trimmed: bool = False
    """Whether empty text blocks were left out of the system prompt that was given."""

    @property
    def source(self) -> Sequence[Any]:
        """The caller's messages by position: of a sequence nothing else is asked for."""
        return cast("Sequence[Any]", self.engine)


@dataclass(slots=True)
class Draft:
    """A context as it is being made, and all that its report needs."""

    asked: Asked
    plan: _core.Plan
    messages: list[Any]
    system: Any
    placed: tuple[Placed, ...]
    counted: int
    """Tokens of everything that is sent, in the transcript's own count."""
    section_tokens: int = 0
    headed: tuple[int, int] | None = None
    """Where messages of their own hold the head sections, and how many; `None` where they joined one."""
    tail_at: int | None = None
    """The message of the history that carries the tail's text; `None` where it is its own message."""

    @property
    def tokens(self) -> int:
        """The provider's tokens for everything that is sent."""
        return self.plan.reported(self.counted)

    @property
    def sent(self) -> Sent:
        """What the next context's report compares with."""
        asked = self.asked
        return Sent(asked.engine, self.plan, asked.limits, asked.frame.head, self.tail_at, self.counted)


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
        if not block:
            tokens = 0
        elif section.place == "head":
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
    around = Around(*counter.core.count_frame(system, tools))
    tokens = counter.fixed + around.system + around.tools + in_messages
    beside = sum(min(section.min_tokens, counter.count(section.block())) for section in tail)
    return Frame(tuple(joined), tuple(leading), tuple(head), tail, tuple(placed), tokens, around, beside)


def _cut(counter: Counter, section: Section) -> tuple[str, str]:
    """The section's block within its maximum, and what was done to it."""
    whole = section.block()
    if section.max_tokens is None or counter.count(whole) <= section.max_tokens:
        return whole, "kept"
    return _within(counter, section, section.max_tokens)


def _within(counter: Counter, section: Section, limit: int) -> tuple[str, str]:
    """The block cut to `limit` tokens, delimiters included; nothing when not even they and a short mark fit."""
    text = cut_text(counter.count, section.text, limit, around=section.block, least=section.min_tokens)
    return (section.block(text), "cut") if text else ("", "dropped")


def _message_tokens(counter: Counter, format: Format, text: str) -> int:
    return counter.count_message(text_message(format, "user", text), format=format)


def draft_of(asked: Asked, plan: _core.Plan) -> Draft:
    """Carry out `plan` on the caller's own messages."""
    recipes, counted = plan.recipes, plan.tokens
    if recipes is None:
        shown = asked.engine.shown(plan)
    else:
        shown = carry_out(asked.source, recipes, asked.format)
        counted = asked.frame.tokens + plan.kept_tokens(asked.engine) + _composed_tokens(asked, recipes, shown)
    system = asked.system
    for block in asked.frame.joined:
        system = into_system(asked.format, system, block)
    draft = Draft(asked, plan, shown, system, asked.frame.placed, counted)
    if asked.frame.placed or asked.frame.tail:
        _place_sections(draft)
    return draft


def plan_of(asked: Asked) -> _core.Plan:
    """Decide what is shown, and how it is repaired."""
    return asked.engine.plan(asked.limits, asked.budget.marks.per_mille, asked.mode, asked.added)


def planned(asked: Asked, plan: _core.Plan) -> Draft:
    """A draft that fits with what its repair really takes, where one can."""
    draft = draft_of(asked, plan)
    for _ in range(_ROUNDS):
        if draft.tokens <= asked.budget.tokens or draft.counted <= draft.plan.tokens:
            break
        result, note, framing = asked.added
        asked = replace(asked, added=(result * 2, note * 2, framing * 2))
        smaller = draft_of(asked, plan_of(asked))
        if smaller.tokens >= draft.tokens:
            break
        draft = smaller
    return draft


def added_by_repair(counter: Counter, format: Format) -> tuple[int, int, int]:
    """Tokens to set aside for what a repair may add: a placeholder result, a note, the framing of a message."""
    # Framing is the model's, not the format's: any format's message of that kind will do.
    result = {"role": "tool", "tool_call_id": "", "content": NO_RESULT}
    framing = counter.count_message({"role": "user", "content": ""}, format="openai")
    placeholder = counter.count_message(result, format="openai") - framing
    note = max(counter.count(START), counter.count(CONTINUE))
    return placeholder + _NAMED.get(format, 0), note, framing


def _composed_tokens(asked: Asked, recipes: Sequence[Recipe], shown: Sequence[Any]) -> int:
    """Tokens of the messages that a repair put together: what it added is known only when it is written."""
    made = (message for recipe, message in zip(recipes, shown, strict=True) if not isinstance(recipe, int))
    return sum(asked.counter.count_message(message, format=asked.format) for message in made)


def _place_sections(draft: Draft) -> None:
    asked, messages = draft.asked, draft.messages
    frame, format = asked.frame, asked.format
    # A repair may have made the leading system messages the user's, or merged them away.
    leading = draft.plan.leading if draft.plan.recipes is None else leading_of(messages)
    for block in frame.leading:
        messages.insert(leading, text_message(format, "system", block))
        leading += 1
    draft.headed = at_head(format, messages, leading, frame.head)
    placed = list(frame.placed)
    for section, block, verdict in _share_tail(draft):
        tokens = _message_tokens(asked.counter, format, block) if block else 0
        placed.append(Placed(section.name, section.place, tokens, verdict, section.source))
        draft.counted += tokens
        if block:
            there = len(messages)
            at = at_tail(format, messages, block)
            draft.tail_at = at if len(messages) == there else draft.tail_at
    draft.placed = tuple(placed)
    draft.section_tokens = sum(one.tokens for one in placed)


def _share_tail(draft: Draft) -> list[tuple[Section, str, str]]:
    """What each section at the tail gets of the tokens that the history leaves over, in the order given."""
    counter, format, tail = draft.asked.counter, draft.asked.format, draft.asked.frame.tail
    whole = [_cut(counter, section) for section in tail]
    asked = [_message_tokens(counter, format, block) if block else 0 for block, _ in whole]
    framing = _message_tokens(counter, format, "")
    # The engine wants to know the order only, and any number may say it.
    rank = {priority: at for at, priority in enumerate(sorted({section.priority for section in tail}))}
    requests = [
        (tokens, section.min_tokens + framing if section.min_tokens else framing + 1, tokens, rank[section.priority])
        for section, tokens in zip(tail, asked, strict=True)
    ]
    # What a repair really took may differ from what was set aside for it.
    left = max(0, draft.plan.left + draft.plan.tokens - draft.counted)
    granted = _core.allocate(requests, left)
    return [
        _fitted(counter, section, cut, tokens, grant, framing)
        for section, cut, tokens, grant in zip(tail, whole, asked, granted, strict=True)
    ]


def _fitted(
    counter: Counter, section: Section, cut: tuple[str, str], tokens: int, grant: int, framing: int
) -> tuple[Section, str, str]:
    """The section as it is where it was granted all that it asked for, else cut to its grant or left out."""
    if grant >= tokens:
        return section, *cut
    return section, *_within(counter, section, max(0, grant - framing))
