"""Whether a provider takes a list of messages, why not, and how the list is made valid.

The rules are one table in the engine (:func:`rules` lists it); this module says them in words, tells
what a model's name says about a request, and carries repairs out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from octavo._core import judge_messages, repair_messages
from octavo.budget import whole_number
from octavo.checking import check_blocks, check_flag, check_name, check_text
from octavo.lifetimes import in_order, lifetimes
from octavo.messages import Format, Provider, infer_format, infer_provider, known_format, listed, plain, reread
from octavo.model_facts import facts_of
from octavo.recipes import carry_out
from octavo.recipes.wording import Change, Rule, changes_of, rules, said
from octavo.system import fitting_system

__all__ = ["Change", "Mode", "Repaired", "Rule", "Violation", "mode_of", "repair", "repaired_in", "rules", "validate"]


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule."""

    index: int
    """The message, from 0."""
    rule: str
    """The id of the rule."""
    message: str
    """What is wrong, in plain words, with the ids in it."""
    block: int | None = None
    """The block within the message, from 0, where one is to blame."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """A valid list in place of a broken one."""

    messages: list[Any]
    """The list to send: untouched messages are the same objects that were given."""
    log: tuple[Change, ...]
    """What was changed; empty when nothing was."""


@dataclass(frozen=True, slots=True)
class Mode:
    """What is known about a request beside its messages. The engine reads it by its names."""

    provider: Provider
    """Whose rules hold."""
    format: Format
    """The shape that the messages are written in."""
    thinking: bool | None = None
    """Whether thinking is on; `None` leaves the rules about it unjudged."""
    previous_response: bool = False
    """Whether the request continues a stored response."""
    prefill: bool | None = None
    """Whether the model takes an assistant message at the end; `None` is not judged."""
    system_messages: bool | None = None
    """Whether the model takes system messages amid the others; `None`: only their place is judged."""
    has_tools: bool | None = None
    """Whether the request defines tools; `None` is not judged."""
    thinking_first: bool = True
    """Whether a tool loop must start with thinking while it is on."""
    signed_calls: bool = False
    """Whether calls of the current turn must carry a thought signature."""
    reasoning_content: bool | None = False
    """Whether assistant messages with calls must carry `reasoning_content` unless thinking is off; `None`: with
    thinking on, where another assistant message of the list carries it."""
    every_turn: bool = False
    """Whether what holds for the newest turn (A8, G2) is done to every turn, so that a message is not edited while
    it is the newest and given back later: :meth:`Transcript.assemble` asks for it, to keep the prefix."""
    breakpoints: int = 0
    """Cache breakpoints in system and tools."""
    short_breakpoints: bool = False
    """Whether one of them lives five minutes: none of an hour may follow."""
    mixed_breakpoints: bool = False
    """Whether one of an hour follows one of five minutes among them already."""
    empty_system: bool = False
    """Whether the system prompt holds an empty text block, and the provider refuses it."""
    size: tuple[int, int] | None = None
    """Tokens of the input plus the reserve, and the most that the model takes."""


def mode_of(
    messages: Sequence[object],
    provider: str | None = None,
    *,
    format: str | None = None,
    model: str | None = None,
    thinking: bool | None = None,
    previous_response_id: str | None = None,
    prefill: bool | None = None,
    system_messages: bool | None = None,
    tools: Iterable[object] | None = None,
    system: object = None,
    tokens: int | None = None,
    limit: int | None = None,
    every_turn: bool = False,
) -> Mode:
    """Gather what is stated about a request, and what its model's name says. See :func:`validate`.

    Of the messages nothing but their format is read, so that the answer holds for all of a conversation.
    """
    tools, system = reread(tools), reread(system)
    check_blocks("tools", tools, texts=False)
    check_blocks("system", system, texts=True)
    check_name("model", model)
    check_text("previous_response_id", previous_response_id)
    for name, flag in (("thinking", thinking), ("prefill", prefill), ("system_messages", system_messages)):
        check_flag(name, flag)
    form = known_format(format) if format is not None else infer_format(messages, model, provider)
    whose = known_format(provider) if provider is not None else infer_provider(form, model)
    facts = facts_of(model)
    lives = lifetimes(tools, system) if whose == "anthropic" else []
    return Mode(
        provider=whose,
        format=form,
        thinking=thinking,
        previous_response=previous_response_id is not None,
        prefill=prefill if prefill is not None else facts.prefill,
        system_messages=system_messages if system_messages is not None else facts.system_messages,
        has_tools=None if tools is None else bool(tools),
        thinking_first=facts.thinking_first,
        signed_calls=facts.signed_calls or (model is None and thinking is True),
        reasoning_content=facts.reasoning_content if thinking is True else False,
        every_turn=every_turn,
        breakpoints=len(lives),
        short_breakpoints=not all(lives),
        mixed_breakpoints=not in_order(lives),
        empty_system=fitting_system(system, whose) is not system,
        size=_size(tokens, limit),
    )


def validate(
    messages: Iterable[object],
    provider: str | None = None,
    *,
    format: str | None = None,
    model: str | None = None,
    thinking: bool | None = None,
    previous_response_id: str | None = None,
    prefill: bool | None = None,
    system_messages: bool | None = None,
    tools: Iterable[object] | None = None,
    system: object = None,
    tokens: int | None = None,
    limit: int | None = None,
    original: Sequence[object] | None = None,
) -> list[Violation]:
    """Say every rule of the provider that the messages break.

    Args:
        messages: dicts, Pydantic models or SDK objects, in any of the five formats. Never changed.
        provider: `anthropic`, `openai`, `openai-responses`, `gemini` or `bedrock`; told from the messages
            and the model where it is not given.
        format: the shape that the messages are written in, where it should not be told from them.
        model: its name says what it takes (prefill, signatures…); unknown names say nothing.
        thinking: whether thinking is on; rules about it are judged only when it is said.
        previous_response_id: the stored response that the request continues: its calls may be answered.
        prefill: whether the model takes an assistant message at the end.
        system_messages: whether the model takes system messages amid the others.
        tools: the request's tools. `[]` says that there are none; `None` leaves it open.
        system: the request's system blocks; their cache breakpoints count towards the limit, and none may be an
            empty text.
        tokens: input tokens plus the reserve for the answer, judged against `limit`.
        limit: the most tokens that the model takes.
        original: the messages as they were recorded. Then thinking of the latest assistant message must
            stand in them, unchanged and in the same place (rule A6).

    Returns:
        The violations in order of message and block; an empty list when the messages are valid.

    Raises:
        BudgetError: `tokens` or `limit` is negative or not a whole number.
        ArgumentError: an argument is of a kind that its parameter does not take.
        MessageError: something in the list is no message at all.
        FormatError: provider or format is not one of the five.
    """
    whole = listed(messages)
    mode = mode_of(
        whole,
        provider,
        format=format,
        model=model,
        thinking=thinking,
        previous_response_id=previous_response_id,
        prefill=prefill,
        system_messages=system_messages,
        tools=tools,
        system=system,
        tokens=tokens,
        limit=limit,
    )
    found = judge_messages(whole, mode)
    if original is not None and mode.provider == "anthropic" == mode.format:
        found.extend(_changed_thinking(whole, original))
        found.sort(key=lambda violation: (violation[0], -1 if violation[1] is None else violation[1]))
    words = said(whole, mode.format, found)
    return [Violation(index, rule, message, block) for (index, block, rule), message in zip(found, words, strict=True)]


def repair(
    messages: Iterable[object],
    provider: str | None = None,
    *,
    format: str | None = None,
    model: str | None = None,
    thinking: bool | None = None,
    previous_response_id: str | None = None,
    prefill: bool | None = None,
    system_messages: bool | None = None,
    tools: Iterable[object] | None = None,
    system: object = None,
    tokens: int | None = None,
    limit: int | None = None,
) -> Repaired:
    """Make a list that the provider takes; the one that was given stays as it is.

    The parameters are those of :func:`validate`. Untouched messages come back as the same objects, in
    their order, except that results move next to their calls. Calls without result get a marked error
    result, results without call leave. An assistant turn with thinking is never edited inside: it stays
    as it is, or loses all its thinking where it cannot stand. Repairing twice is repairing once.

    Rules that only the request can meet (A7, A18, A26, B2, R6) are told in the log, and left.
    """
    whole = listed(messages)
    mode = mode_of(
        whole,
        provider,
        format=format,
        model=model,
        thinking=thinking,
        previous_response_id=previous_response_id,
        prefill=prefill,
        system_messages=system_messages,
        tools=tools,
        system=system,
        tokens=tokens,
        limit=limit,
    )
    return repaired_in(whole, mode)


def repaired_in(messages: list[Any], mode: Mode) -> Repaired:
    """Make a list that the provider takes, with everything known about the request. See :func:`repair`."""
    repaired = repair_messages(messages, mode)
    if repaired is None:
        return Repaired(list(messages), ())
    recipes, changes = repaired
    return Repaired(carry_out(messages, recipes, mode.format), changes_of(messages, changes, mode.format))


def _size(tokens: int | None, limit: int | None) -> tuple[int, int] | None:
    """What A18 and R6 judge; each number is checked even where the other is missing."""
    tokens = None if tokens is None else whole_number("tokens", tokens)
    limit = None if limit is None else whole_number("limit", limit)
    return None if tokens is None or limit is None else (tokens, limit)


def _changed_thinking(messages: Sequence[object], original: Sequence[object]) -> list[tuple[int, int | None, str]]:
    """Rule A6: thinking of the latest assistant message stands in the recorded ones as it does here."""
    for index in range(len(messages) - 1, -1, -1):
        message = plain(messages[index], index)
        if message.get("role") != "assistant":
            continue
        here = _thinking_of(message)
        recorded = (_thinking_of(plain(one, at)) for at, one in enumerate(original))
        return [] if not here or any(here == there for there in recorded) else [(index, here[0][0], "A6")]
    return []


def _thinking_of(message: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    content = message.get("content")
    blocks = [plain(block) for block in content if not isinstance(block, str)] if isinstance(content, list) else []
    types = ("thinking", "redacted_thinking")
    # The caller's mark is no part of it, and may not stand there at all (A24).
    return [
        (at, {name: value for name, value in block.items() if name != "cache_control"})
        for at, block in enumerate(blocks)
        if block.get("type") in types
    ]
