"""Cache breakpoints of tools, system and messages: an hour never stands behind five minutes in what is sent."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import pytest

import octavo
from octavo.lifetimes import lifetimes, shortened

CLAUDE = "claude-sonnet-4-6"
LIVES = {"5m": {"type": "ephemeral", "ttl": "5m"}, "1h": {"type": "ephemeral", "ttl": "1h"}, "": {"type": "ephemeral"}}


def marked(block: dict[str, Any], life: str | None) -> dict[str, Any]:
    return block if life is None else {**block, "cache_control": dict(LIVES[life])}


def text(said: str, life: str | None = None) -> dict[str, Any]:
    return marked({"type": "text", "text": said}, life)


def tool(name: str, life: str | None = None) -> dict[str, Any]:
    return marked({"name": name, "input_schema": {"type": "object"}}, life)


def lives_in(arguments: dict[str, Any]) -> list[bool]:
    """Of every breakpoint of a request, in order, whether it lives an hour."""
    content = [message["content"] for message in arguments["messages"]]
    blocks = itertools.chain(arguments.get("tools") or (), arguments.get("system") or (), *content)
    marks = [block["cache_control"] for block in blocks if "cache_control" in block]
    return [mark.get("ttl") == "1h" for mark in marks]


@pytest.mark.parametrize("first", [None, "5m", "1h", ""])
@pytest.mark.parametrize("second", [None, "5m", "1h"])
@pytest.mark.parametrize("third", [None, "5m", "1h"])
@pytest.mark.parametrize("fourth", [None, "1h"])
def test_no_hour_stands_behind_five_minutes(
    first: str | None, second: str | None, third: str | None, fourth: str | None
) -> None:
    tools, system = [tool("f", first), tool("g")], [text("s", second), text("t", third)]
    given = copy.deepcopy((tools, system))
    context = octavo.assemble(
        [{"role": "user", "content": [text("q", fourth)]}], budget=9_000, model=CLAUDE, system=system, tools=tools
    )
    wanted = [life for life in (first, second, third, fourth) if life is not None]
    for cache in (None, "5m", "1h"):
        arguments = context.anthropic() if cache is None else context.anthropic(cache=cache)
        lives = lives_in(arguments)
        assert lives == sorted(lives, reverse=True)
        assert len(lives) == len(wanted) if cache is None else len(lives) > 0
        left = octavo.validate(
            arguments["messages"], "anthropic", model=CLAUDE, system=arguments["system"], tools=arguments["tools"]
        )
        assert left == []
    assert (tools, system) == given
    mixed = [life for life in (first, second, third) if life is not None]
    hours = [life == "1h" for life in mixed]
    told = [line for line in context.report.repairs if line.startswith(("tools:", "system:"))]
    assert bool(told) == (hours != sorted(hours, reverse=True))
    if not told:
        assert context.tools is tools
        assert context.system is system


@pytest.mark.parametrize(
    ("tools", "system", "names"),
    [
        ([tool("f", "5m"), tool("g", "1h")], None, ("tools",)),
        ([tool("f", "5m")], [text("s", "1h")], ("system",)),
        (None, [text("s", ""), text("t", "1h")], ("system",)),
        ([tool("f", "5m"), tool("g", "1h")], [text("s", "1h")], ("tools", "system")),
        ([tool("f", "5m")], {"role": "system", "content": [text("s", "1h")]}, ("system",)),
        ([tool("f", "5m")], text("s", "1h"), ("system",)),
        ([tool("f", "1h")], [text("s", "1h"), "bare", text("t", "5m")], ()),
        ([tool("f", "1h")], "a text", ()),
    ],
)
def test_what_had_to_change_is_named(tools: Any, system: Any, names: tuple[str, ...]) -> None:
    given = copy.deepcopy((tools, system))
    fitted_tools, fitted_system, changed = shortened(tools, system)
    assert changed == names
    assert (fitted_tools is tools, fitted_system is system) == ("tools" not in names, "system" not in names)
    lives = lifetimes(fitted_tools, fitted_system)
    assert lives == sorted(lives, reverse=True)
    assert len(lives) == len(lifetimes(tools, system)) > 0
    assert (tools, system) == given


def test_the_report_says_where_it_was_changed() -> None:
    context = octavo.assemble(
        [{"role": "user", "content": "q"}], budget=900, model=CLAUDE, system=[text("s", "1h")], tools=[tool("f", "5m")]
    )
    (line,) = context.report.repairs
    assert line.startswith("system: made cache breakpoints of an hour ones of five minutes")


def test_a_prompt_for_another_provider_s_model_is_put_in_order_for_the_client() -> None:
    system = [text("s", "5m"), text("t", "1h")]
    context = octavo.assemble(
        [{"role": "user", "content": [text("q")]}], budget=900, model="gpt-4o", format="anthropic", system=system
    )
    assert context.system is system
    assert lives_in(context.anthropic()) == [False, False]
    assert [note.where for note in context.notes("anthropic")] == ["system"]


def test_what_only_the_request_can_meet_is_blamed_on_it() -> None:
    tools = [tool(str(number), "5m") for number in range(5)]
    messages = [{"role": "user", "content": "q"}]
    (found,) = octavo.validate(messages, "anthropic", model=CLAUDE, tools=tools)
    assert (found.rule, found.message.partition(":")[0]) == ("A12", "tools and system")
    (line,) = octavo.assemble(messages, budget=900, model=CLAUDE, tools=tools).report.repairs
    assert line.startswith("tools and system: not cured: ")
    (found,) = octavo.validate(messages, "anthropic", model=CLAUDE, system=[text("")])
    assert (found.rule, found.message.partition(":")[0]) == ("A26", "system")


def test_a_lifetime_that_changes_in_place_is_seen() -> None:
    transcript = octavo.Transcript(CLAUDE)
    transcript.append({"role": "user", "content": "q"})
    tools, system = [tool("f", "1h")], [text("s", "1h")]
    assert transcript.assemble(budget=900, system=system, tools=tools).system is system
    tools[0]["cache_control"]["ttl"] = "5m"
    assert lives_in(transcript.assemble(budget=900, system=system, tools=tools).anthropic()) == [False, False]
    assert system[0]["cache_control"]["ttl"] == "1h"
