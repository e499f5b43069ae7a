"""One call from messages to a context: what is kept, in whose form, and never at the caller's expense."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest
from anthropic.types import Message as AnthropicMessage
from openai.types.chat import ChatCompletionMessage
from pydantic import BaseModel

import octavo
from octavo.errors import BudgetError, FormatError, MessageError, UnknownModelError
from sessions import ANTHROPIC, BEDROCK, DIALECTS, GEMINI, OPENAI, RESPONSES, Dialect, calls_at, tools_of

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.format)
three_dialects = pytest.mark.parametrize("dialect", [ANTHROPIC, OPENAI, RESPONSES], ids=lambda dialect: dialect.format)


def bare(tokens: int) -> octavo.Budget:
    """A budget of which nothing goes to what is told of messages that were left out."""
    return octavo.Budget(tokens, ledger=0)


def assembled(dialect: Dialect, messages: list[Any], budget: int | octavo.Budget, **options: Any) -> octavo.Context:
    context = octavo.assemble(messages, budget=budget, model=dialect.model, **options)
    assert context.format == dialect.format
    assert octavo.validate(context.messages, model=dialect.model, format=dialect.format) == []
    return context


# ---- the caller's own ----


@every_dialect
@pytest.mark.parametrize("budget", [0, 700, 1_500, 100_000])
def test_untouched_messages_are_the_same_objects(dialect: Dialect, budget: int) -> None:
    messages = [dialect.user("Fix the build"), *dialect.loop(20, parallel=2)]
    before = copy.deepcopy(messages)
    context = assembled(dialect, messages, bare(budget))
    own = {id(message) for message in messages}
    assert all(id(message) in own for message in context.messages)
    assert context.messages[0] is messages[0]
    assert context.messages[-1] is messages[-1]
    assert messages == before
    assert context.messages is not messages


@every_dialect
def test_what_is_told_of_messages_left_out_touches_one_message(dialect: Dialect) -> None:
    messages = [dialect.user("Fix the build")]
    for step in range(20):
        messages += dialect.calls(f"c{step}") + dialect.results(f"c{step}", text=f"build ABC-{step} broke " * 12)
    before = copy.deepcopy(messages)
    context = assembled(dialect, messages, 1_500)
    assert [section.name for section in context.report.sections] == ["ledger"]
    own = {id(message) for message in messages}
    new = [message for message in context.messages if id(message) not in own]
    assert len(new) == 1
    assert any(message is new[0] for message in context.messages[:2])
    assert "<ledger>" in json.dumps(new)
    assert messages == before


def test_broken_input_is_repaired_in_the_context_only() -> None:
    messages = [OPENAI.user("hi"), *OPENAI.calls("a", "b"), *OPENAI.results("b"), OPENAI.user("go on")]
    before = copy.deepcopy(messages)
    context = assembled(OPENAI, messages, 10_000)
    assert messages == before
    assert context.report.repairs
    assert context.messages[1] is messages[1]
    assert {message.get("tool_call_id") for message in context.messages if message["role"] == "tool"} == {"a", "b"}


class OwnMessage(BaseModel):
    role: str
    content: Any


@dataclass
class SlottedMessage:
    role: str
    content: Any


@pytest.mark.parametrize("form", [OwnMessage, SlottedMessage], ids=["pydantic", "dataclass"])
def test_models_and_dataclasses_assemble_like_dicts(form: Any) -> None:
    dicts = [ANTHROPIC.user("Fix the build"), *ANTHROPIC.loop(20), ANTHROPIC.reply("done"), *ANTHROPIC.talk(3)]
    objects = [form(**message) for message in dicts]
    for budget in (700, 100_000):
        plain = assembled(ANTHROPIC, dicts, bare(budget))
        given = assembled(ANTHROPIC, objects, bare(budget))
        assert given.report == plain.report
        own = {id(message) for message in objects}
        assert all(id(message) in own for message in given.messages)
        assert [{"role": m.role, "content": m.content} for m in given.messages] == plain.messages


def test_sdk_objects_come_back_as_themselves() -> None:
    block = {"type": "tool_use", "id": "t1", "name": "look", "input": {"q": "t1"}}
    answer = AnthropicMessage.model_validate(
        {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": [block],
            "stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 5, "output_tokens": 5},
        }
    )  # fmt: skip
    context = assembled(ANTHROPIC, [ANTHROPIC.user("hi"), answer, *ANTHROPIC.results("t1")], 5_000)
    assert context.messages[1] is answer
    function = {"name": "look", "arguments": "{}"}
    chat = ChatCompletionMessage.model_validate(
        {"role": "assistant", "content": None, "tool_calls": [{"id": "t1", "type": "function", "function": function}]}
    )
    context = assembled(OPENAI, [OPENAI.user("hi"), chat, *OPENAI.results("t1")], 5_000)
    assert context.messages[1] is chat
    assert (
        context.tokens
        == assembled(
            OPENAI, [OPENAI.user("hi"), chat.model_dump(exclude_none=True), *OPENAI.results("t1")], 5_000
        ).tokens
    )


def test_any_iterable_is_taken_once() -> None:
    messages = [OPENAI.user("hi"), *OPENAI.loop(3)]
    assert octavo.assemble(iter(messages), budget=5_000, model="gpt-4o").messages == messages
    assert octavo.assemble(tuple(messages), budget=5_000, model="gpt-4o").messages == messages
    assert octavo.assemble([], budget=10, model="gpt-4o").messages == []


# ---- what stays ----


@every_dialect
@pytest.mark.parametrize("parallel", [1, 3])
def test_one_user_message_then_a_long_tool_loop(dialect: Dialect, parallel: int) -> None:
    messages = [dialect.user("Fix the build"), *dialect.loop(60, parallel=parallel)]
    shown = set()
    for budget in range(600, 6_000, 150):
        context = assembled(dialect, messages, bare(budget), tools=tools_of(dialect))
        shown.add(len(context.messages))
        assert context.messages[0] is messages[0]
        assert context.messages[-1] is messages[-1]
        assert context.fits or context.report.over
    assert len(shown) > 5


@three_dialects
def test_a_leading_system_message_and_the_task_stay(dialect: Dialect) -> None:
    if dialect is ANTHROPIC:
        context = assembled(dialect, [dialect.user("Task"), *dialect.loop(40)], 1_200, system="Be kind")
        assert context.system == "Be kind"
        return
    system = {"role": "system", "content": "Be kind"}
    messages = [system, dialect.user("Task"), *dialect.loop(40)]
    context = assembled(dialect, messages, 500)
    assert context.messages[0] is system
    assert context.system is None
    assert context.messages[1] is messages[1]
    assert len(context.messages) < len(messages)


def test_the_five_message_trap() -> None:
    system = {"role": "system", "content": "Be kind"}
    task = OPENAI.user("Find the bug")
    messages = [
        system, task,
        *OPENAI.calls("a", "b", "c"), *OPENAI.results("a", "b", "c", text="long " * 100),
        *OPENAI.calls("d"), *OPENAI.results("d"),
    ]  # fmt: skip
    last_three = octavo.counter_for("gpt-4o").count_messages([system, task, *messages[-2:]]).tokens
    context = assembled(OPENAI, messages, last_three + 10)
    assert context.messages == [system, task, *messages[-2:]]
    assert context.fits


@every_dialect
def test_the_current_request_stays_through_its_own_loop(dialect: Dialect) -> None:
    request = dialect.user("now deploy to staging")
    messages = [dialect.user("Task"), *dialect.talk(6), request, *dialect.loop(40)]
    context = assembled(dialect, messages, 1_500)
    assert len(context.messages) < len(messages)
    assert "now deploy to staging" in json.dumps(context.messages)
    spans = {at: span for span in context.report.spans for at in range(span.start, span.end)}
    stays = {spans[0].reason, spans[messages.index(request)].reason}
    # Where two of the user's messages that meet are sent as one, the rule for that is told.
    assert stays in ({"task", "request"}, {"A9"})


@pytest.mark.parametrize("dialect", [OPENAI, RESPONSES], ids=lambda dialect: dialect.format)
def test_a_confirmation_may_come_ten_turns_later(dialect: Dialect) -> None:
    pending = dialect.calls("confirm")
    messages = [dialect.user("Task"), *pending, *dialect.talk(10)]
    waiting = assembled(dialect, messages, 400)
    assert any(message is pending[0] for message in waiting.messages)
    assert "obligation" in {span.reason for span in waiting.report.spans}
    answered = assembled(dialect, [*messages, *dialect.results("confirm", text="yes, do it")], 400)
    assert any(message is pending[0] for message in answered.messages)
    assert "yes, do it" in json.dumps(answered.messages)


@three_dialects
def test_a_lost_result_does_not_stay_for_ever(dialect: Dialect) -> None:
    lost = dialect.calls("lost")
    messages = [dialect.user("Task"), *lost, *dialect.talk(120)]
    context = assembled(dialect, messages, 1_000)
    assert not any(message is lost[0] for message in context.messages)
    assert context.fits
    assert len(context.messages) > 4


@every_dialect
def test_the_last_question_is_there_even_when_nothing_fits(dialect: Dialect) -> None:
    messages = [dialect.user("Task"), *dialect.talk(5), dialect.user("and now?")]
    context = assembled(dialect, messages, 0, format=dialect.format)
    assert not context.fits
    assert "and now?" in json.dumps(context.messages)


# ---- over budget ----


@every_dialect
def test_over_budget_is_a_value(dialect: Dialect) -> None:
    messages = [dialect.user("Task " * 500), *dialect.loop(1)]
    context = assembled(dialect, messages, 100)
    report = context.report
    assert (context.fits, report.fits) == (False, False)
    assert report.over == context.tokens - 100 > 0
    assert set(report.pinned) >= {"task", "newest", "fixed"} or set(report.pinned) >= {"newest", "fixed"}
    assert sum(report.pinned.values()) == context.tokens
    assert "OVER by" in str(report)


# ---- other clients ----


@three_dialects
def test_arguments_for_each_client(dialect: Dialect) -> None:
    messages = [dialect.user("Task"), *dialect.loop(8, parallel=2), *dialect.talk(2), dialect.user("go on")]
    context = assembled(dialect, messages, 100_000, system="Be kind", tools=tools_of(dialect))
    anthropic, openai, responses = context.anthropic(), context.openai(), context.responses()
    assert octavo.validate(anthropic["messages"], "anthropic", format="anthropic") == []
    assert octavo.validate(openai["messages"], "openai", format="openai") == []
    assert octavo.validate(responses["input"], "openai-responses", format="openai-responses") == []
    assert anthropic["system"] == "Be kind"
    assert openai["messages"][0]["content"] == "Be kind"
    assert responses["instructions"] == "Be kind"
    assert anthropic["tools"][0]["name"] == "look"
    assert openai["tools"][0]["function"]["name"] == "look"
    assert responses["tools"][0]["name"] == "look"
    for arguments in (anthropic, openai, responses):
        assert json.dumps(arguments).count("result 7:") == 2


# ---- names and options ----


def test_an_unknown_model_is_counted_and_marked_or_refused() -> None:
    messages = [{"role": "user", "content": "hi"}]
    context = octavo.assemble(messages, budget=100, model="house-model-7")
    assert context.report.method == "estimated"
    assert context.report.error_bound > 0
    with pytest.raises(UnknownModelError, match="house-model-7"):
        octavo.assemble(messages, budget=100, model="house-model-7", strict=True)
    octavo.assemble(messages, budget=100, model="gpt-4o", strict=True)


def test_a_counter_of_one_s_own_decides() -> None:
    class Words:
        def count(self, text: str, /) -> int:
            return len(text.split())

    messages = [OPENAI.user("one two three " * 10), *OPENAI.talk(30)]
    context = octavo.assemble(messages, budget=300, model="gpt-4o", counter=Words())
    counter = octavo.counter_for("gpt-4o", counter=Words())
    assert context.tokens == counter.count_messages(context.messages).tokens <= 300
    assert len(context.messages) < len(messages)


@pytest.mark.parametrize("budget", [-1, 1.5, True, "8000", None])
def test_a_budget_that_is_none_is_a_typed_error(budget: Any) -> None:
    with pytest.raises(BudgetError, match="whole number"):
        octavo.assemble([{"role": "user", "content": "hi"}], budget=budget)


def test_wrong_names_and_messages_are_typed_errors() -> None:
    hello: list[Any] = [{"role": "user", "content": "hi"}]
    with pytest.raises(FormatError, match="cohere"):
        octavo.assemble(hello, budget=10, format="cohere")  # type: ignore[arg-type]
    with pytest.raises(FormatError, match="azure"):
        octavo.assemble(hello, budget=10, provider="azure")  # type: ignore[arg-type]
    for wrong in (7, None, "text", object()):
        with pytest.raises(MessageError) as caught:
            octavo.assemble([*hello, wrong], budget=10)
        assert caught.value.index == 1
        assert "1" in str(caught.value)


@every_dialect
def test_the_format_is_told_from_the_messages(dialect: Dialect) -> None:
    context = octavo.assemble([dialect.user("Task"), *dialect.loop(2)], budget=10_000)
    assert context.format == dialect.format
    assert context.provider == dialect.format


def test_a_provider_may_be_stated_apart_from_the_format() -> None:
    messages = [ANTHROPIC.reply("hello"), ANTHROPIC.user("hi")]
    strict = octavo.assemble(messages, budget=10_000, format="anthropic", provider="anthropic")
    assert strict.report.repairs
    assert strict.messages[0]["role"] == "user"
    loose = octavo.assemble(messages, budget=10_000, format="anthropic", provider="openai")
    assert loose.messages == messages


# ---- the same every time ----

_PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
import octavo
from sessions import DIALECTS, tools_of
for dialect in DIALECTS:
    messages = [dialect.user("Task"), *dialect.calls("p"), *dialect.talk(4), *dialect.loop(30, parallel=2)]
    sections = [octavo.Section(name, name * 9, place="tail", priority=1) for name in ("a", "b", "c")]
    for budget in (0, 500, 900, 2000, 9000):
        options = {"model": dialect.model, "tools": tools_of(dialect), "sections": sections}
        context = octavo.assemble(messages, budget=budget, **options)
        print(json.dumps(context.messages), context.report.to_json())
"""


def test_the_same_bytes_in_every_process() -> None:
    outputs = set()
    for seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", _PROGRAM, os.path.dirname(__file__)]  # noqa: PTH120 (an argument, not a path)
        outputs.add(subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout)
    assert len(outputs) == 1
    assert outputs.pop().count("\n") == 25


# ---- consecutive calls ----


@every_dialect
def test_consecutive_calls_share_their_prefix(dialect: Dialect) -> None:
    messages = [dialect.user("Task"), *dialect.loop(80)]
    before: octavo.Context | None = None
    moves = 0
    calls = calls_at(messages)
    for cut in calls:
        context = assembled(dialect, messages[:cut], 1_600, format=dialect.format)
        if before is not None and context.report.moved:
            moves += 1
        elif before is not None:
            assert all(ours == theirs for ours, theirs in zip(context.messages, before.messages, strict=False))
            assert context.report.first_changed_index == len(before.messages)
            assert context.report.stable_prefix_tokens == before.tokens
        before = context
    assert 2 < moves < len(calls) / 4, "shrinking is rare, and happens"


def test_gemini_and_bedrock_keep_their_own_shapes() -> None:
    for dialect in (GEMINI, BEDROCK):
        messages = [dialect.user("Task"), *dialect.loop(30, parallel=2)]
        context = assembled(dialect, messages, 1_500)
        assert set(map(tuple, context.messages)) == {tuple(messages[0])}
        assert len(context.messages) < len(messages)


@every_dialect
def test_system_tools_and_sections_may_be_generators(dialect: Dialect) -> None:
    messages = [dialect.user("Task"), *dialect.loop(3)]
    system = [{"text": "be"}] if dialect.format == "bedrock" else [{"type": "text", "text": "be"}]
    if dialect.format == "gemini":
        system = []
    sections = [octavo.Section("state", "s")]
    settled = octavo.assemble(
        messages, budget=9_000, model=dialect.model, system=system, tools=tools_of(dialect), sections=sections
    )

    def once() -> dict[str, Any]:
        return {"system": iter(system), "tools": iter(tools_of(dialect)), "sections": iter(sections)}

    fed = octavo.assemble(messages, budget=9_000, model=dialect.model, **once())
    apart = asyncio.run(octavo.assemble_async(messages, budget=9_000, model=dialect.model, **once()))
    for context in (fed, apart):
        assert context.report == settled.report
        assert context.tools == tools_of(dialect)
        assert context.system == system


def test_the_async_forms_take_what_the_plain_ones_take() -> None:
    for plain, apart in (
        (octavo.assemble, octavo.assemble_async),
        (octavo.Transcript.assemble, octavo.Transcript.assemble_async),
    ):
        assert inspect.signature(plain).parameters == inspect.signature(apart).parameters
