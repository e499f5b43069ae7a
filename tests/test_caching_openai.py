"""OpenAI's explicit cache breakpoints, for the models that take them."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import octavo
from generated_histories import HISTORIES
from octavo.caching import lint_prefix
from octavo.caching.openai_breakpoints import Target, with_prompt_cache_breakpoints
from octavo.errors import ArgumentError
from sessions import OPENAI, RESPONSES, Dialect

MARK = {"mode": "explicit"}
NEW, OLD = "gpt-5.6", "gpt-5.5"
TAIL = octavo.Section("time", "It is 20:15.", place="tail")


def marks(arguments: dict[str, Any]) -> list[int]:
    """The messages that carry a breakpoint on their last part."""
    found: list[int] = []
    items: list[Any] = arguments.get("messages") or arguments.get("input") or []
    for at, item in enumerate(items):
        content = item.get("content", item.get("output"))
        if isinstance(content, list) and content and content[-1].get("prompt_cache_breakpoint") == MARK:
            found.append(at)
    return found


def sent(dialect: Dialect, model: str, *, cache: bool = True, tail: bool = True) -> dict[str, Any]:
    transcript = octavo.Transcript(model, format=dialect.format)
    transcript.extend([{"role": "system", "content": "Be brief."}, dialect.user("task"), *dialect.loop(2)])
    transcript.assemble(budget=9_000)
    transcript.extend(dialect.loop(1, start=2))
    context = transcript.assemble(budget=9_000, sections=[TAIL] if tail else [])
    return context.openai(cache=cache) if dialect.format == "openai" else context.responses(cache=cache)


@pytest.mark.parametrize("dialect", [OPENAI, RESPONSES], ids=lambda dialect: dialect.format)
def test_breakpoints_stand_where_the_prefix_ends_and_never_at_the_tail(dialect: Dialect) -> None:
    assert marks(sent(dialect, NEW)) == [0, 5, 7]
    assert marks(sent(dialect, NEW, tail=False)) == [0, 5, 7]
    assert lint_prefix(sent(dialect, NEW, cache=False), sent(dialect, NEW)) is None


@pytest.mark.parametrize("dialect", [OPENAI, RESPONSES], ids=lambda dialect: dialect.format)
@pytest.mark.parametrize("model", [OLD, "gpt-4o", "gpt-9", "mistral-large"])
def test_a_model_that_refuses_them_or_may_do_so_gets_none(dialect: Dialect, model: str) -> None:
    assert sent(dialect, model) == sent(dialect, model, cache=False)


def test_breakpoints_of_the_caller_s_stay_and_count() -> None:
    part = {"type": "text", "text": "task", "prompt_cache_breakpoint": MARK}
    messages = [{"role": "user", "content": [part, part]}, OPENAI.reply("ok"), OPENAI.user("a"), OPENAI.user("b")]
    arguments = {"messages": messages}
    kept = copy.deepcopy(arguments)
    assert marks(with_prompt_cache_breakpoints(arguments, "openai", shared=3)) == [0, 3]
    assert arguments == kept


def test_an_answer_takes_none() -> None:
    assert marks(with_prompt_cache_breakpoints({"messages": [OPENAI.user("q"), OPENAI.reply("a")]}, "openai")) == [0]


def test_what_is_no_flag_is_refused() -> None:
    wrong: Any = "5m"
    context = octavo.assemble([OPENAI.user("q")], budget=900, model=NEW)
    with pytest.raises(ArgumentError, match="cache must be True or False"):
        context.openai(cache=wrong)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.data(), st.sampled_from(["openai", "openai-responses"]), st.integers(0, 2), st.none() | st.integers(0, 9))
def test_a_breakpoint_never_breaks_a_rule_nor_changes_a_prompt(
    data: st.DataObject, target: Target, tail: int, shared: int | None
) -> None:
    messages = data.draw(HISTORIES[target])
    name = "messages" if target == "openai" else "input"
    asked = {name: messages}
    kept = copy.deepcopy(asked)
    marked = with_prompt_cache_breakpoints(asked, target, tail=tail, shared=shared)

    def broken(request: dict[str, Any]) -> list[tuple[int, str]]:
        return [(one.index, one.rule) for one in octavo.validate(request[name], target, format=target)]

    assert broken(marked) == broken(asked)
    assert asked == kept
    assert len(marks(marked)) <= 3
    assert lint_prefix(asked, marked) is None
