"""Rules, and what was done for them, in plain words with the ids in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from octavo._core import rule_table
from octavo.recipes import shape_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from octavo.messages import Format
    from octavo.recipes.shape import Shape

__all__ = ["Change", "Rule", "changes_of", "rules", "said"]

_Logged: TypeAlias = tuple[str, int, int | None, str]
"""Kind, message, block and rule of a change, as the engine logs it."""


_Found: TypeAlias = tuple[int, int | None, str]
"""Message, block and rule of a violation."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table of rules."""

    id: str
    """A letter for the document that it comes from, and a number."""
    providers: tuple[str, ...]
    """Whose rule it is."""
    says: str
    """What is wrong with a list that breaks it; `{id}` stands for the call id."""
    error: str
    """The provider's own error text, or what happens instead."""
    source: str
    """Where it was seen."""
    date: str
    """When it was gathered, year and month."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a repair did."""

    kind: str
    """What was done, as a word for programs."""
    index: int
    """The message of the input that it concerns, from 0."""
    rule: str
    """The id of the rule that asked for it."""
    message: str
    """What was done, in plain words."""
    block: int | None = None
    """The block of that message, from 0, where one is concerned."""


# What each kind of change did; `{id}` is the call id of its block, `{rule}` what the broken rule says.
_DONE: Final[Mapping[str, str]] = {
    "moved_result": "moved the result for {id} next to its call",
    "dropped_result": "left out the result for {id}, which answers no call",
    "replaced_result": "left out the result for {id}: a later one took its place",
    "result_to_text": "told a later result for {id} as a text, since the model has read the first one",
    "moved_call": "made the call {id} the assistant's",
    "added_result": "added an error result for the call {id}, which has none",
    "added_pending_result": "added an error result for the call {id}, whose result is still pending",
    "gave_id": "gave a result the id of the call that it answers",
    "dropped_text": "left out an empty text block",
    "dropped_message": "left out a message without content",
    "merged": "merged it into the message before it, which has the same role",
    "opened": "put a note of the user's before it, since the assistant may not open the list",
    "parted": "put a note of the user's before it, since it may not follow an assistant message",
    "continued": "put a note of the user's after it, since it may not end the list",
    "renamed": "gave the call {id} and its result an id of their own",
    "dropped_thinking": "left out its thinking, beside which nothing could be changed",
    "stripped_space": "left out white space at the end of its last text",
    "dropped_breakpoint": "left out a cache breakpoint",
    "system_to_user": "made a system message the user's, since it cannot stand here",
    "dropped_reasoning": "left out a reasoning item whose item is gone",
    "signed": "gave a call the documented stand-in for a thought signature",
    "added_reasoning": "added a blank reasoning_content",
    "changed_role": "gave it the name that the format has for its role",
    "added_content": "gave it an empty content, where it had none",
    "reshaped": "wrote its content in the shape that the format has",
    "mended_arguments": "wrote the arguments of the call {id} as the format has them",
    "mended_id": "gave the call {id} and its result an id that the provider takes",
    "shortened_breakpoint": "made a cache breakpoint of an hour one of five minutes",
    "dropped_call_list": "left out an empty list of calls",
    "filled_result": "put a text into the result for {id}, which reports an error and says nothing",
    "dropped_server_call": "left out the server's call {id}, which has no result",
    "dropped_file": "left out a picture or file, which the assistant may not give back",
    "told": "not cured: {rule}",
}


# Rules that no message breaks where no block is to blame.
_AROUND: Final[Mapping[str, str]] = {"A12": "tools and system", "A13": "tools and system", "A26": "system"}


@cache
def rules() -> tuple[Rule, ...]:
    """List every rule, in the order of its id."""
    return tuple(Rule(row[0], tuple(row[1]), *row[2:]) for row in rule_table())


def said(messages: Sequence[object], format: Format, found: Iterable[_Found]) -> list[str]:
    """Say what is wrong at each place, as the rule has it; `found` holds `(message, block, rule)`."""
    shape = shape_of(messages, format)
    return [
        f"{_blamed(index, block, rule)}: {_with_id(_words()[rule], shape, index, block)}"
        for index, block, rule in found
    ]


def changes_of(messages: Sequence[object], changes: Iterable[_Logged], format: Format) -> tuple[Change, ...]:
    """Put the engine's log, `(kind, message, block, rule)` each, into words."""
    shape = shape_of(messages, format)
    return tuple(
        Change(change[0], change[1], change[3], f"{_blamed(*change[1:])}: {_done(shape, change)}", change[2])
        for change in changes
    )


def _blamed(index: int, block: int | None, rule: str) -> str:
    """Where a rule is broken. What tools and system break, the engine tells of the last message, and of no block."""
    return (None if block is not None else _AROUND.get(rule)) or f"message {index}"


@cache
def _words() -> Mapping[str, str]:
    return {rule.id: rule.says for rule in rules()}


def _done(shape: Shape, change: _Logged) -> str:
    kind, index, block, rule = change
    words = _DONE[kind]
    if "{rule}" in words:
        words = words.replace("{rule}", _words()[rule])
    return _with_id(words, shape, index, block)


def _with_id(words: str, shape: Shape, index: int, block: int | None) -> str:
    if "{id}" not in words:
        return words
    return words.replace("{id}", "it" if block is None else _id(shape, index, block))


def _id(shape: Shape, index: int, block: int) -> str:
    """The call id that a block carries, or its function's name, or a sign that it has none."""
    found = shape.pair_id(index, block)
    return found if isinstance(found, str) and found else "(no id)"
