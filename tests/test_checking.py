"""Arguments that are no such thing: an error of Octavo's that names the argument and shows the value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

import octavo
from octavo import Budget, Section
from octavo.errors import ArgumentError, BudgetError, CounterError, FormatError, MessageError, OctavoError
from octavo.formats import convert
from octavo.messages import infer_format, infer_provider

MESSAGES: list[dict[str, Any]] = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
COUNTER = octavo.counter_for("gpt-4o")


def transcript() -> octavo.Transcript:
    made = octavo.Transcript("gpt-4o")
    made.extend(MESSAGES)
    return made


def assembled(**options: Any) -> octavo.Context:
    return octavo.assemble(MESSAGES, budget=100, **options)


Call = Callable[[Any], object]

# What takes an argument of each name.
MODEL: list[Call] = [
    lambda model: assembled(model=model),
    lambda model: assembled(model=model, counter=COUNTER),
    octavo.Transcript,
    octavo.counter_for,
    lambda model: octavo.validate(MESSAGES, model=model),
    lambda model: octavo.validate(MESSAGES, "openai", format="openai", model=model),
    lambda model: octavo.repair(MESSAGES, model=model),
    lambda model: infer_format(MESSAGES, model),
    lambda model: infer_format([{"role": "tool", "content": "x"}], model),
    lambda model: infer_provider("anthropic", model),
]
TOOLS: list[Call] = [
    lambda tools: assembled(tools=tools),
    lambda tools: assembled(tools=tools, model="gemini-2.5-pro"),
    lambda tools: octavo.validate(MESSAGES, tools=tools),
    lambda tools: octavo.repair(MESSAGES, tools=tools),
]
SYSTEM: list[Call] = [
    lambda system: assembled(system=system),
    lambda system: octavo.validate(MESSAGES, system=system),
]
SECTIONS: list[Call] = [lambda sections: assembled(sections=sections)]
OWN_COUNTER: list[Call] = [
    lambda counter: assembled(counter=counter),
    lambda counter: octavo.counter_for("gpt-4o", counter=counter),
    lambda counter: octavo.Transcript(counter=counter),
]
LIMIT: list[Call] = [
    lambda limit: COUNTER.truncate("hello world", limit),
    lambda limit: COUNTER.count_up_to("hello world", limit),
]
TEXT: list[Call] = [
    COUNTER.count,
    lambda text: COUNTER.truncate(text, 5),
    lambda text: COUNTER.count_up_to(text, 5),
]
FORMAT: list[Call] = [
    lambda format: COUNTER.count_message(MESSAGES[0], format),
    lambda format: COUNTER.count_messages(MESSAGES, format=format),
    lambda format: assembled(format=format),
    lambda format: assembled(provider=format),
    lambda format: octavo.validate(MESSAGES, format=format),
    lambda format: octavo.validate(MESSAGES, format),
]
INDEX: list[Call] = [
    lambda index: transcript().pin(index),
    lambda index: transcript().unpin(index),
]
FLAG: dict[str, list[Call]] = {
    "thinking": [
        lambda thinking: assembled(thinking=thinking),
        lambda thinking: octavo.validate(MESSAGES, thinking=thinking),
    ],
    "prefill": [lambda prefill: octavo.validate(MESSAGES, prefill=prefill)],
    "system_messages": [lambda taken: octavo.repair(MESSAGES, system_messages=taken)],
    "strict": [lambda strict: assembled(strict=strict), lambda strict: octavo.counter_for("gpt-4o", strict=strict)],
}

NO_TEXT: list[Any] = [5, b"gpt", ["gpt"], object(), 1.5, {}]
WRONG: list[tuple[str, type[OctavoError], list[Call], list[Any]]] = [
    ("model", ArgumentError, MODEL, NO_TEXT),
    ("tools", ArgumentError, TOOLS, [5, "tool", b"tool", True, 1.5, object()]),
    ("tools[0]", ArgumentError, TOOLS, [[5], ["tool"], [None], [True], (b"x",)]),
    ("tools[1]", ArgumentError, TOOLS, [[{"name": "look"}, 5]]),
    ("system", ArgumentError, SYSTEM, [5, b"policy", True, object()]),
    ("system[0]", ArgumentError, SYSTEM, [[5], [None], (True,)]),
    ("sections", ArgumentError, SECTIONS, [5, None, Section("a", "b"), object()]),
    ("sections[0]", ArgumentError, SECTIONS, [["x"], "x", [None], [{"name": "a", "text": "b"}]]),
    ("sections[1]", ArgumentError, SECTIONS, [[Section("a", "b"), 5]]),
    ("counter", ArgumentError, OWN_COUNTER, [object(), 5, "o200k", len]),
    ("limit", BudgetError, LIMIT, [-1, 10**20, 2**63, "5", None, 1.5, True]),
    ("text", ArgumentError, TEXT, [5, None, b"x", ["a"]]),
    ("index", ArgumentError, INDEX, ["x", None, 1.5]),
    ("index", ArgumentError, [lambda index: transcript().original(index)], [b"x", None, 1.5]),
    ("length", ArgumentError, [lambda length: transcript().rewind(length)], ["x", None, 1.5]),
    ("tokenizer", ArgumentError, [lambda path: octavo.counter_for(tokenizer=path)], [5, object()]),
    (
        "previous_response_id",
        ArgumentError,
        [
            lambda stored: assembled(previous_response_id=stored),
            lambda stored: octavo.validate(MESSAGES, previous_response_id=stored),
        ],
        [5, True, ["resp_1"]],
    ),
    ("marks", BudgetError, [lambda marks: Budget(100, marks=marks)], [5, None, (0.6, 0.8, 0.5)]),
    ("source", BudgetError, [lambda source: Section("a", "b", source=source)], [5, b"x"]),
    *((name, ArgumentError, calls, [5, "yes", [], 0.0]) for name, calls in FLAG.items()),
]


@pytest.mark.parametrize(
    "name, error, call, value",
    [
        pytest.param(name, error, call, value, id=f"{name}-{at}-{type(value).__name__}")
        for name, error, calls, values in WRONG
        for at, call in enumerate(calls)
        for value in values
    ],
)
def test_a_wrong_argument_is_named_and_shown(name: str, error: type[OctavoError], call: Call, value: Any) -> None:
    with pytest.raises(error) as caught:
        call(value)
    assert caught.value.__dict__["name"] == name
    assert name in str(caught.value)
    at = int(name[-2]) if name.endswith("]") else None
    assert caught.value.__dict__["got"] is (value if at is None else value[at])


@pytest.mark.parametrize("call", FORMAT)
@pytest.mark.parametrize("value", [5, "cohere", b"openai", ["openai"], ""])
def test_a_wrong_format_is_told(call: Call, value: Any) -> None:
    with pytest.raises(FormatError) as caught:
        call(value)
    assert caught.value.got == value


@pytest.mark.parametrize("answer", [-1, 2**31, 2**70, "3", None, 1.5])
@pytest.mark.parametrize(
    "use", [*OWN_COUNTER[:1], lambda counter: octavo.counter_for(counter=counter).truncate("x", 1)]
)
def test_what_a_counter_answers_is_told(use: Call, answer: Any) -> None:
    class Own:
        def count(self, text: str, /) -> Any:
            del text
            return answer

    with pytest.raises(CounterError) as caught:
        use(Own())
    assert caught.value.got == answer


def test_a_wrong_type_is_a_type_error_too_and_a_long_value_is_shown_short() -> None:
    with pytest.raises(TypeError) as caught:
        assembled(model=["x" * 10_000] * 1_000)
    assert len(str(caught.value)) < 300


class Tool(BaseModel):
    name: str
    description: str = "Looks something up."


@dataclass(frozen=True, slots=True)
class Declared:
    name: str


def look(q: str) -> str:
    return q


@pytest.mark.parametrize(
    "tools",
    [
        None, [], (), [{"name": "look"}], {"tools": [{"toolSpec": {"name": "look"}}]}, [Tool(name="look")],
        Tool(name="look"), [Declared("look")], [look], ({"name": "look"},),
    ],
)  # fmt: skip
def test_tools_of_every_shape_are_taken(tools: Any) -> None:
    assert assembled(tools=tools).fits is not None
    assert octavo.validate(MESSAGES, tools=tools) == []


def test_tools_and_sections_may_come_from_a_generator() -> None:
    context = assembled(tools=(tool for tool in [{"name": "look"}]), sections=(each for each in [Section("a", "b")]))
    assert context.tools == [{"name": "look"}]
    assert [section.name for section in context.report.sections] == ["a"]


@pytest.mark.parametrize(
    "system",
    [None, "", "policy", [], [{"type": "text", "text": "policy"}], ["policy"], {"parts": [{"text": "policy"}]}],
)
def test_a_system_of_every_shape_is_taken(system: Any) -> None:
    assert assembled(system=system).system == system
    assert octavo.validate(MESSAGES, system=system) == []


def test_a_refused_argument_leaves_the_transcript_as_it_was() -> None:
    made = transcript()
    before = made.assemble(budget=100).report.to_json()
    wrongs: list[dict[str, Any]] = [{"tools": 5}, {"system": 5}, {"sections": ["x"]}, {"thinking": "yes"}]
    for wrong in wrongs:
        with pytest.raises(ArgumentError):
            made.assemble(budget=100, **wrong)
    assert made.assemble(budget=100).report.to_json() == before


@pytest.mark.parametrize("wrong", [{"tools": 5}, {"system": 5}, {"sections": ["x"]}, {"sections": 5}, {"model": 5}])
async def test_the_asynchronous_forms_refuse_alike(wrong: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        await octavo.assemble_async(MESSAGES, budget=100, **wrong)


def test_a_table_of_names_is_no_tool_definition() -> None:
    for call in TOOLS:
        with pytest.raises(ArgumentError, match="tools must be a list of tool definitions") as caught:
            call({"f": 1})
        assert caught.value.name == "tools"
    context = assembled(tools={"tools": [{"toolSpec": {"name": "f"}}]}, model="claude-sonnet-4-6")
    assert context.tools == {"tools": [{"toolSpec": {"name": "f"}}]}


def test_a_lone_definition_is_a_list_of_one() -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    assert assembled(tools=tool).openai()["tools"] == [tool]
    assert assembled(tools=tool).anthropic()["tools"][0]["name"] == "f"


def test_what_is_no_tool_is_named_where_a_client_is_called() -> None:
    with pytest.raises(ArgumentError, match=r"tools\[1\] must be a tool definition"):
        convert(MESSAGES, "anthropic", tools=[{"name": "f"}, object()])


@pytest.mark.parametrize("budget", [2**63, -1, 2**70])
def test_a_budget_out_of_range_says_the_range(budget: int) -> None:
    with pytest.raises(BudgetError, match=r"from 0 to 2\*\*63 - 1 tokens"):
        octavo.assemble(MESSAGES, budget=budget)


@dataclass
class Whole:
    choices: list[Any]


@dataclass
class Response:
    output: list[Any]


@pytest.mark.parametrize(
    "whole, inside", [(Whole([1]), r"choices\[0\]\.message"), ({"choices": [1]}, "choices"), (Response([]), "`output`")]
)
def test_a_whole_response_in_a_list_is_named(whole: object, inside: str) -> None:
    messages = [*MESSAGES, whole]
    for call in (octavo.validate, octavo.repair, COUNTER.count_messages, lambda given: convert(given, "anthropic")):
        with pytest.raises(MessageError, match=rf"message 2: this is a whole response: give its .*{inside}") as caught:
            call(messages)
        assert caught.value.index == 2
    with pytest.raises(MessageError, match=inside):
        octavo.assemble(messages, budget=100)
