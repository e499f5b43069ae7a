"""Carries out a plan: the caller's messages in the plan's order, repairs and sections put in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from octavo import _core
from octavo.budget import Budget
from octavo.certainty import Surroundings, surroundings_of
from octavo.clearing import Clearing, Overlaid
from octavo.compaction.summary import Summary
from octavo.frame import Frame
from octavo.mending import mend_messages
from octavo.messages import Format, Provider
from octavo.recipes import CONTINUE, NO_RESULT, START, Recipe, carry_out
from octavo.sections import (
    alternates,
    append_text,
    at_head,
    at_tail,
    into_system,
    joined_by_tail,
    leading_of,
    opens,
    text_message,
)  # fmt: skip
from octavo.shares import Fitted, Placed, ask_of, cut_to, placed_as, share
from octavo.tokens import Counter
from octavo.told import Limits, Telling, Told
from octavo.validity import Mode

__all__ = ["Asked", "Draft", "Sent", "added_by_repair", "plan_of", "planned"]

_NAMED: Final[dict[Format, int]] = {"gemini": 12}
"""Tokens that a placeholder takes more where it carries its function's name and a JSON object around the text."""

_ROUNDS: Final = 4
"""How often a call is planned anew because its repair took more tokens than was set aside for it."""


# Not frozen, as nothing here is changed: a frozen one takes twice as long to make, at each call.
@dataclass(slots=True)
class Sent:
    """What the report of the next context compares with, and what usage is reported for.

    Attributes:
        engine: the rows that the plan was made on.
        plan: what was sent of the history.
        limits: budget, tokens of the frame, tokens kept free for the tail, the basis (a number whose upper half tells
            whether tools and thinking mode are the same, the lower whether system and prefix sections are), tokens of a
            placeholder result, tokens for what is told of messages that were left out, and whether outputs are cleared.
        head_at: how many messages of the history stood before them; where they joined one, before that.
        tail_at: the message of the history that carried the tail's text; `None` where it was its own message.
        counted: tokens of everything that was sent, in the transcript's own count.
        frame: what stood around the history, as counted.
        told: what was told of messages that were left out.
        system: the system prompt without the sections that joined it.
        kind: what tells whether tools and thinking mode were those of another call.
    """

    engine: _core.Transcript
    plan: _core.Plan
    limits: Limits
    head_at: int
    tail_at: int | None
    counted: int
    frame: Frame
    told: Told | None
    system: Any
    kind: tuple[int, bool | None]

    @property
    def head(self) -> tuple[str, ...]:
        """What stood before the history: the head sections, and what was told of messages that were left out."""
        return _head_of(self.frame, self.told)

    def moved_to(self, engine: _core.Transcript) -> Sent:
        """The same for a transcript that goes its own way."""
        return replace(self, engine=engine)

    @property
    def surroundings(self) -> Surroundings:
        """What stood around the history."""
        return surroundings_of(self.frame, self.told, self.system, self.kind)


@dataclass(slots=True)
class Asked:
    """Everything that one call is assembled from.

    `kind` tells whether tools and thinking mode are those of another call; `observed` is what stood around the
    history when usage was reported, by basis.
    """

    engine: _core.Transcript
    counter: Counter
    model: str | None
    format: Format
    provider: Provider
    budget: Budget
    frame: Frame
    limits: Limits
    system: Any
    tools: Any
    mode: Mode
    added: tuple[int, int, int]
    before: Sent | None
    kind: tuple[int, bool | None]
    observed: Mapping[int, Surroundings]
    telling: Telling
    clearing: Clearing
    previous_response_id: str | None = None
    summaries: tuple[Summary, ...] = ()
    """The summaries that were accepted so far, the newest last."""
    summary_room: int | None = None
    """Tokens for one of them, among those for what is told; `None` where the transcript has none."""
    trimmed: bool = False
    """Whether empty text blocks were left out of the system prompt that was given."""
    shortened: tuple[str, ...] = ()
    """Of `system` and `tools` those in which a cache breakpoint of an hour lives five minutes now."""

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
    told: Told | None = None
    """What is told of messages that were left out."""
    mended: tuple[str, ...] = ()
    """What was done about surrogates in messages, in words."""
    section_tokens: int = 0
    head_at: int = 0
    """How many messages of the history stand before the head sections; where they joined one, before that."""
    headed: tuple[int, int] | None = None
    """Where messages of their own hold the head sections, and how many; `None` where they joined one."""
    tail_at: int | None = None
    """The message of the history that carries the tail's text; `None` where it is its own message."""

    @property
    def head(self) -> tuple[str, ...]:
        """What stands before the history: the head sections, and what is told of messages that were left out."""
        return _head_of(self.asked.frame, self.told)

    @property
    def tokens(self) -> int:
        """The provider's tokens for everything that is sent."""
        return self.plan.reported(self.counted)

    @property
    def sent(self) -> Sent:
        """What the next context's report compares with."""
        asked = self.asked
        return Sent(
            asked.engine, self.plan, asked.limits, self.head_at, self.tail_at, self.counted,
            asked.frame, self.told, asked.system, asked.kind,
        )  # fmt: skip


def _head_of(frame: Frame, told: Told | None) -> tuple[str, ...]:
    return frame.head if told is None else (*frame.head, told.text)


def draft_of(asked: Asked, plan: _core.Plan) -> Draft:
    """Carry out `plan` on the caller's own messages."""
    recipes, counted = plan.recipes, plan.tokens
    clears = asked.limits[6] and _core.spared(plan) is not None
    if recipes is None:
        shown = asked.engine.shown(plan)
        if clears:
            asked.clearing.put(asked.engine, plan, shown)
    else:
        source = Overlaid(asked.source, asked.clearing.copies(asked.engine, plan)) if clears else asked.source
        shown = carry_out(source, recipes, asked.format)
        kept, stripped = plan.kept_tokens(asked.engine)
        counted = asked.frame.tokens + kept + _composed_tokens(asked, recipes, shown) - stripped
    system = asked.system
    for block in asked.frame.joined:
        system = into_system(asked.format, system, block)
    draft = Draft(asked, plan, shown, system, asked.frame.placed, counted)
    draft.mended = mend_messages(asked.engine, plan.spans, recipes, shown) if asked.engine.garbled else ()
    if asked.limits[5]:
        _tell(draft)
    if asked.frame.placed or asked.frame.tail:
        _place_sections(draft)
    elif draft.told is not None:
        _place_told(draft, draft.told)
    return draft


def _tell(draft: Draft) -> None:
    """Write what is told of messages that were left out, within what the history leaves over."""
    asked, frame = draft.asked, draft.asked.frame
    left = draft.plan.left + draft.plan.tokens - draft.counted - frame.beside
    most, granted = asked.limits[5], draft.plan.told
    # Where less is kept than asked for, each has its part of it.
    summaries = asked.summaries, (asked.summary_room or 0) * granted // most
    room = min(granted, left)
    draft.told = asked.telling.told(asked.engine, draft.plan, asked.limits, room, frame.framing, asked.tools, summaries)


def plan_of(asked: Asked) -> _core.Plan:
    """Decide what is shown, and how it is repaired."""
    return asked.engine.plan(asked.limits, asked.budget.marks.per_mille, asked.mode, asked.added)


def small_plan_of(asked: Asked) -> _core.Plan | None:
    """The same where little is shown; `None` where so much is that an event loop should not wait for it."""
    return asked.engine.plan_small(asked.limits, asked.budget.marks.per_mille, asked.mode, asked.added)


def made_of(asked: Asked) -> Draft:
    """Plan, and carry out."""
    return planned(asked, plan_of(asked))


def made_before(draft: Draft) -> Draft | None:
    """Make the call before this one, taken to have been asked for the same; `None` for a first call."""

    def plan_before(asked: Asked) -> _core.Plan | None:
        return draft.plan.before(asked.engine, asked.limits, asked.budget.marks.per_mille, asked.mode, asked.added)

    plan = plan_before(draft.asked)
    return None if plan is None else planned(draft.asked, plan, plan_before)


def planned(asked: Asked, plan: _core.Plan, again: Callable[[Asked], _core.Plan | None] = plan_of) -> Draft:
    """A draft that fits with what its repair really takes, where one can; `again` plans it anew."""
    draft = draft_of(asked, plan)
    for _ in range(_ROUNDS):
        if draft.tokens <= asked.budget.tokens or draft.counted <= draft.plan.tokens:
            break
        result, note, framing = asked.added
        asked = replace(asked, added=(result * 2, note * 2, framing * 2))
        plan_again = again(asked)
        smaller = draft if plan_again is None else draft_of(asked, plan_again)
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


def _place_told(draft: Draft, told: Told) -> None:
    """What `_place_sections` comes to where there is nothing else to place: a third of its time, at most calls."""
    asked, messages = draft.asked, draft.messages
    leading = draft.head_at = draft.plan.leading if draft.plan.recipes is None else leading_of(messages)
    placed, tokens, opened = told.placed, told.tokens, opens(messages, leading)
    if not alternates(asked.format):
        draft.head_at += opened
        draft.headed = draft.head_at, 1
        messages.insert(draft.head_at, told.message)
    elif opened:
        messages[leading] = _joined(asked.format, messages[leading], told)
    else:
        draft.headed = leading, 1
        messages.insert(leading, told.message)
        placed = (replace(placed[0], tokens=placed[0].tokens + asked.frame.framing), *placed[1:])
        tokens += asked.frame.framing
    draft.placed, draft.section_tokens = placed, tokens
    draft.counted += tokens


def _joined(format: Format, message: Any, told: Told) -> Any:
    """The message with what is told: the same object as long as both are the same."""
    joined = told.joined
    if joined is None or joined[0] is not message:
        joined = told.joined = message, append_text(format, message, told.text)
    return joined[1]


def _place_sections(draft: Draft) -> None:
    asked, messages = draft.asked, draft.messages
    frame, format = asked.frame, asked.format
    # A repair may have made the leading system messages the user's, or merged them away.
    leading = draft.plan.leading if draft.plan.recipes is None else leading_of(messages)
    draft.head_at = leading
    for block in frame.leading:
        messages.insert(leading, text_message(format, "system", block))
        leading += 1
    draft.headed = at_head(format, messages, leading, draft.head)
    if draft.headed is not None:
        draft.head_at = draft.headed[0] - len(frame.leading)
    placed = list(frame.placed)
    if draft.told is not None:
        placed += draft.told.placed
        draft.counted += draft.told.tokens
    if draft.headed is not None and alternates(format):
        _frame_head(draft, placed)
    tail = _share_tail(draft)
    if any(fitted.block for fitted in tail):
        # What stands at the tail is the user's word: thinking before it is then of an earlier turn.
        draft.counted -= draft.plan.stripped_by_speech(asked.engine, _behind_tail(draft))
    for fitted in tail:
        tokens = _write_tail(draft, fitted) if fitted.block else 0
        placed.append(placed_as(asked.counter, fitted, tokens))
        draft.counted += tokens
    draft.placed = tuple(placed)
    draft.section_tokens = sum(one.tokens for one in placed)


def _frame_head(draft: Draft, placed: list[Placed]) -> None:
    """Count the message that the head's sections are where there is none that they could join."""
    framing = draft.asked.frame.framing
    at = next(at for at, one in enumerate(placed) if one.place == "head" and one.tokens)
    placed[at] = replace(placed[at], tokens=placed[at].tokens + framing)
    draft.counted += framing


def _behind_tail(draft: Draft) -> int:
    """How many messages stand behind the one that the tail's text joins: an answer that the model is to go on with."""
    joined = joined_by_tail(draft.asked.format, draft.messages)
    return 0 if joined is None else len(draft.messages) - 1 - joined


def _write_tail(draft: Draft, fitted: Fitted) -> int:
    """Put a section at the end; its tokens there."""
    there = len(draft.messages)
    at = at_tail(draft.asked.format, draft.messages, fitted.block)
    if len(draft.messages) > there:
        return fitted.tokens + draft.asked.frame.framing
    # A message of the head's own stands before those of the history.
    draft.tail_at = at - 1 if draft.headed is not None and draft.headed[0] < at else at
    return fitted.tokens


def _share_tail(draft: Draft) -> Sequence[Fitted]:
    """What each section at the tail gets of the tokens that the history leaves over, in the order given."""
    counter, frame = draft.asked.counter, draft.asked.frame
    if not frame.tail:
        return ()
    around = frame.framing if joined_by_tail(draft.asked.format, draft.messages) is None else 0
    # What a repair really took may differ from what was set aside for it.
    left = max(0, draft.plan.left + draft.plan.tokens - draft.counted)
    if sum(fitted.tokens + around for fitted in frame.tail) <= left:
        return frame.tail
    asks = [ask_of(counter, fitted, around) for fitted in frame.tail]
    granted = share([fitted.section for fitted in frame.tail], asks, left)
    return [cut_to(counter, fitted, grant, around) for fitted, grant in zip(frame.tail, granted, strict=True)]
