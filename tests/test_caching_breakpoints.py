"""Cache breakpoints on what a client is called with, and what a lint says of two requests."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import generated_histories
import octavo
from octavo.caching import CacheLifetime, lint_prefix
from octavo.caching.breakpoints import LOOKBACK, Reach, with_cache_control
from octavo.errors import ArgumentError, MessageError
from sessions import ANTHROPIC, OPENAI, tools_of
from timing import assert_within, spent

SHORT, HOUR = {"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}
SYSTEM = "You are an agent."


def marks(arguments: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Where breakpoints stand, in the order of the prompt."""
    found: list[tuple[Any, ...]] = [
        ("tools", at) for at, tool in enumerate(arguments.get("tools") or ()) if "cache_control" in tool
    ]
    system = arguments.get("system")
    found += [
        ("system", at) for at, one in enumerate(system if isinstance(system, list) else ()) if "cache_control" in one
    ]
    for index, message in enumerate(arguments["messages"]):
        content = message["content"]
        if isinstance(content, list):
            found += [(index, at) for at, one in enumerate(content) if isinstance(one, dict) and "cache_control" in one]
    return found


def placed(
    arguments: dict[str, Any], lifetime: CacheLifetime = "5m", reach: Reach | None = None
) -> list[tuple[Any, ...]]:
    return marks(with_cache_control(arguments, lifetime, reach))


def request(messages: list[Any], **around: Any) -> dict[str, Any]:
    return {"messages": messages, "system": SYSTEM, "tools": tools_of(ANTHROPIC), **around}


def test_breakpoints_stand_at_the_end_of_tools_system_and_history() -> None:
    messages = [ANTHROPIC.user("task"), *ANTHROPIC.loop(2)]
    assert placed(request(messages)) == [("tools", 0), ("system", 0), (4, 0)]
    assert placed(request(messages), reach=Reach(head=True)) == [("tools", 0), ("system", 0), (0, 0), (4, 0)]
    assert placed({"messages": messages}) == [(4, 0)]


def test_what_stands_at_the_tail_is_not_cached() -> None:
    last = {"role": "user", "content": [{"type": "text", "text": "q"}, {"type": "text", "text": "It is 20:15."}]}
    assert placed({"messages": [last]}, reach=Reach(tail=1)) == [(0, 0)]
    alone = {"role": "user", "content": [{"type": "text", "text": "It is 20:15."}]}
    answered = [ANTHROPIC.user("task"), ANTHROPIC.reply("done"), alone]
    assert placed({"messages": answered}, reach=Reach(tail=1)) == [(1, 0)]
    assert placed({"messages": [alone]}, reach=Reach(tail=1)) == []


def test_an_answer_that_is_begun_is_not_cached() -> None:
    assert placed({"messages": [ANTHROPIC.user("task"), ANTHROPIC.reply("{")]}) == [(0, 0)]


def test_thinking_and_empty_texts_take_none() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "S"}
    content = [{"type": "text", "text": "q"}, {"type": "text", "text": " "}, thinking]
    assert placed({"messages": [{"role": "user", "content": content}]}) == [(0, 0)]


def test_a_tool_that_is_loaded_later_takes_none() -> None:
    tools = [*tools_of(ANTHROPIC), {**tools_of(ANTHROPIC)[0], "name": "later", "defer_loading": True}]
    assert placed(request([ANTHROPIC.user("q")], tools=tools))[0] == ("tools", 0)


@pytest.mark.parametrize("parallel", [9, 10, 11, 30])
def test_a_turn_of_many_blocks_still_finds_the_call_before(parallel: int) -> None:
    """From every breakpoint 20 blocks are searched backwards for what the call before wrote."""
    before = [ANTHROPIC.user("task"), *ANTHROPIC.loop(1)]
    after = [*before, *ANTHROPIC.loop(1, parallel=parallel, start=1)]
    written = placed({"messages": before})
    now = placed({"messages": after}, reach=Reach(shared=len(before)))
    flat = [(index, at) for index, message in enumerate(after) for at, _ in enumerate(message["content"])]
    at = {place: number for number, place in enumerate(flat)}
    assert any(0 <= at[mark] - at[entry] < LOOKBACK for mark in now for entry in written), (now, written)
    assert len(now) == (2 if 2 * parallel >= LOOKBACK else 1)


def test_where_the_call_before_ended_is_not_known_twice_as_far_is_searched() -> None:
    messages = [ANTHROPIC.user("task"), *ANTHROPIC.loop(1), *ANTHROPIC.loop(1, parallel=15, start=1)]
    found = placed({"messages": messages})
    flat = [(index, at) for index, message in enumerate(messages) for at, _ in enumerate(message["content"])]
    assert flat.index(found[1]) - flat.index(found[0]) == LOOKBACK - 1


def test_breakpoints_of_the_caller_s_stay_and_count() -> None:
    system = [{"type": "text", "text": SYSTEM, "cache_control": SHORT}]
    result = {"type": "text", "text": "out", "cache_control": SHORT}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "task", "cache_control": SHORT}]},
        *ANTHROPIC.calls("c1"),
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [result]}]},
        ANTHROPIC.reply("done"),
        ANTHROPIC.user("go on"),
    ]
    given_ = request(messages, system=system)
    kept = copy.deepcopy(given_)
    sent = with_cache_control(given_, "5m")
    assert marks(sent) == [("system", 0), (0, 0), (4, 0)]
    assert given_ == kept
    assert sent["messages"][1] is messages[1]


def test_an_hour_never_stands_behind_five_minutes() -> None:
    short = [{"type": "text", "text": SYSTEM, "cache_control": SHORT}]
    sent = with_cache_control(request([ANTHROPIC.user("q")], system=short), "1h")
    assert sent["tools"][0]["cache_control"] == HOUR
    assert sent["messages"][0]["content"][0]["cache_control"] == SHORT
    hour = [{"role": "user", "content": [{"type": "text", "text": "q", "cache_control": HOUR}]}]
    sent = with_cache_control(request(hour), "5m")
    assert sent["system"][0]["cache_control"] == HOUR
    assert octavo.validate(sent["messages"], "anthropic", tools=sent["tools"], system=sent["system"]) == []


def test_what_is_no_lifetime_is_refused() -> None:
    context = octavo.assemble([ANTHROPIC.user("q")], budget=900, model=ANTHROPIC.model)
    wrong: Any = "2h"
    with pytest.raises(ArgumentError, match="cache must be '5m' or '1h'"):
        context.anthropic(cache=wrong)


@pytest.mark.parametrize("dialect", [ANTHROPIC, OPENAI], ids=lambda dialect: dialect.format)
def test_a_context_gives_its_arguments_with_breakpoints(dialect: Any) -> None:
    transcript = octavo.Transcript(ANTHROPIC.model, format=dialect.format)
    messages = [dialect.user("task"), *dialect.loop(3)]
    tail = octavo.Section("time", "It is 20:15.", place="tail")
    transcript.extend(messages)
    context = transcript.assemble(budget=9_000, tools=tools_of(dialect), sections=[tail])
    plain, marked = context.anthropic(), context.anthropic(cache="5m")
    assert marks(plain) == []
    assert marks(marked) == [("tools", 0), (6, 0)]
    assert "It is 20:15." in marked["messages"][6]["content"][1]["text"]
    assert lint_prefix(plain, marked) is None


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    control = st.sampled_from([{}, {}, {"cache_control": SHORT}, {"cache_control": HOUR}])
    tools = [{**tools_of(ANTHROPIC)[0], "name": f"t{at}", **draw(control)} for at in range(draw(st.integers(0, 3)))]
    texts = st.sampled_from([SYSTEM, "more", "0"])
    system = [{"type": "text", "text": draw(texts), **draw(control)} for _ in range(draw(st.integers(0, 2)))]
    prompt = draw(st.sampled_from([system or None, SYSTEM]))
    return {"messages": draw(generated_histories.anthropic()), "system": prompt, "tools": tools or None}


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(requests(), st.sampled_from(["5m", "1h"]), st.integers(0, 2), st.booleans(), st.none() | st.integers(0, 9))
def test_a_breakpoint_never_breaks_a_rule_nor_changes_a_prompt(
    asked: dict[str, Any], lifetime: CacheLifetime, tail: int, head: bool, shared: int | None
) -> None:
    kept = copy.deepcopy(asked)
    sent = with_cache_control(asked, lifetime, Reach(tail, head, shared))

    def broken(request_: dict[str, Any]) -> list[tuple[int, str]]:
        found = octavo.validate(
            request_["messages"],
            "anthropic",
            format="anthropic",
            system=request_["system"],
            tools=request_["tools"] or [],
        )
        return [(one.index, one.rule) for one in found]

    assert broken(sent) == broken(asked)
    assert asked == kept
    assert len(marks(sent)) <= max(4, len(marks(asked)))
    assert set(marks(asked)) <= set(marks(sent))
    assert lint_prefix(asked, sent) is None


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(
    generated_histories.anthropic(),
    st.integers(200, 3_000),
    st.sampled_from(["5m", "1h"]),
    st.booleans(),
    st.booleans(),
)
def test_what_a_context_gives_with_breakpoints_is_valid(
    messages: list[Any], budget: int, cache: CacheLifetime, tail: bool, system: bool
) -> None:
    sections = [octavo.Section("time", "It is 20:15.", place="tail")] if tail else []
    context = octavo.assemble(
        messages, budget=budget, model=ANTHROPIC.model, format="anthropic", sections=sections,
        system=SYSTEM if system else None,
    )  # fmt: skip
    plain, marked = context.anthropic(), context.anthropic(cache=cache)

    def broken(arguments: dict[str, Any]) -> list[Any]:
        found = octavo.validate(arguments["messages"], "anthropic", format="anthropic", system=arguments.get("system"))
        return [(one.index, one.rule) for one in found]

    assert broken(marked) == broken(plain)
    if any(message["role"] == "user" for message in plain["messages"]):
        assert len(marks(marked)) <= max(4, len(marks(plain)))


# ---- what broke a prefix --------------------------------------------------------------------------------------------


def found(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, str] | None:
    broken = lint_prefix(before, after)
    return None if broken is None else (broken.where, broken.cause)


TASK = [ANTHROPIC.user("task"), *ANTHROPIC.loop(2)]


def test_a_request_that_grew_breaks_nothing() -> None:
    assert found(request(TASK), request([*TASK, ANTHROPIC.reply("done"), ANTHROPIC.user("go on")])) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("It is 2026-11-30T20:15:01Z.", "It is 2026-11-30T20:15:02Z."),
        ("It is 20:15 now", "It is 20:16 now"),
        ("Today is Monday, November 30, 2026.", "Today is Tuesday, December 1, 2026."),
        ("now=1764533701", "now=1764533702"),
        ("오늘은 2026년 11월 30일 오후 3시입니다", "오늘은 2026년 12월 1일 오후 3시입니다"),
    ],
)
def test_a_clock_in_the_system_prompt_is_named(before: str, after: str) -> None:
    assert found(request(TASK, system=before), request(TASK, system=after)) == ("system", "clock")


def test_a_random_id_is_named() -> None:
    before, after = ("session 5f0c1b7e-0000-4000-8000-1234567890ab", "session 6a0c1b7e-0000-4000-8000-1234567890ac")
    assert found(request(TASK, system=before), request(TASK, system=after)) == ("system", "random_id")


def test_another_text_of_the_system_prompt_is_named() -> None:
    broken = lint_prefix(request(TASK, system="Be brief."), request(TASK, system="Be thorough."))
    assert broken is not None
    assert (broken.where, broken.cause, broken.before, broken.after) == (
        "system", "system_changed", "Be brief.", "Be thorough.",
    )  # fmt: skip
    assert "place='tail'" in str(broken)
    chat = [{"role": "system", "content": "Be brief."}, OPENAI.user("q")]
    other = [{"role": "system", "content": "Be thorough."}, OPENAI.user("q")]
    assert found({"messages": chat}, {"messages": other}) == ("messages[0].content", "system_changed")


def test_tools_that_changed_come_first() -> None:
    look = tools_of(ANTHROPIC)[0]
    find = {**look, "name": "find"}
    assert found(request(TASK, tools=[look, find]), request(TASK, tools=[find, look])) == (
        "tools[0]",
        "tools_reordered",
    )
    assert found(request(TASK, tools=[look]), request(TASK, tools=[look, find], system="x")) == (
        "tools[1]",
        "tools_changed",
    )
    turned = dict(reversed(look.items()))
    assert turned == look
    assert found(request(TASK, tools=[look]), request(TASK, tools=[turned])) == ("tools[0]", "members_reordered")


def test_messages_that_left_and_messages_that_were_edited_are_told_apart() -> None:
    assert found(request(TASK), request([TASK[0], *TASK[3:]])) == ("messages[1]", "messages_left")
    edited = copy.deepcopy(TASK)
    edited[2]["content"][0]["content"] = "[cleared]"
    assert found(request(TASK), request(edited)) == ("messages[2].content[0]", "message_edited")
    assert found(request(TASK), request(TASK[:2])) == ("messages[2]", "messages_left")


def test_a_model_that_changed_is_another_cache() -> None:
    assert found(request(TASK, model="a"), request(TASK, model="b")) == ("model", "setting_changed")
    assert found(request(TASK, tool_choice=1), request(TASK, tool_choice=2)) == ("tool_choice", "setting_changed")


def test_what_is_no_request_is_refused() -> None:
    wrong: Any = [ANTHROPIC.user("q")]
    with pytest.raises(ArgumentError, match="before must be the arguments of a call"):
        lint_prefix(wrong, request(TASK))


def steps() -> Iterator[octavo.Context]:
    transcript = octavo.Transcript(ANTHROPIC.model, format="anthropic")
    transcript.append(ANTHROPIC.user("task"))
    for turn in range(40):
        transcript.extend(ANTHROPIC.loop(1, start=turn))
        yield transcript.assemble(budget=1_500, system=SYSTEM)


def test_it_agrees_with_the_report_of_a_transcript() -> None:
    broke = kept = 0
    for before, after in itertools.pairwise(steps()):
        broken = lint_prefix(before.anthropic(), after.anthropic())
        shared = after.report.first_changed_index
        whole = shared == len(before.messages)
        assert (broken is None) == whole, (broken, shared)
        broke += broken is not None
        kept += broken is None
    assert broke
    assert kept


@pytest.mark.parametrize("wrong", [{"tools": 5}, {"messages": 5}, {"messages": [5]}, {"input": [None]}])
def test_what_cannot_be_read_is_refused_by_name(wrong: dict[str, Any]) -> None:
    with pytest.raises((ArgumentError, MessageError)):
        lint_prefix(wrong, {})


def test_what_contains_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ArgumentError, match="before must be"):
        lint_prefix(request([{"role": "user", "content": endless}]), request(TASK))


def test_a_long_difference_is_looked_at_in_linear_time() -> None:
    before, after = request(TASK, system="a" * 200_000), request(TASK, system="b" * 200_000)
    assert_within(0.5, lambda: spent(lambda: found(before, after)))
    assert found(before, after) == ("system", "system_changed")
