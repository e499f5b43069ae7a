"""Anything at all in the place of messages: a typed error or an answer, never a crash, a hang or half a change."""

import enum
import subprocess
import sys
from collections import UserDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import octavo
from octavo.messages import FORMATS

PLAIN = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]


class OwnError(Exception):
    """What an object's own code raises."""


class Raising:
    """Every attribute raises."""

    def __getattr__(self, name: str) -> Any:
        raise OwnError(name)


class RaisingContent:
    role = "user"

    @property
    def content(self) -> Any:
        raise OwnError("content")


class Endless:
    """A message whose content is itself, in a fresh list each time."""

    role = "user"

    @property
    def content(self) -> Any:
        return [self]


class Itself:
    """Every attribute is the object itself."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


class Twice:
    """Refers to itself twice: walked without a memory of the way, it never ends."""

    def __init__(self) -> None:
        self.one = self
        self.two = self


class NoDump:
    role = "user"
    content = "x"

    def model_dump(self, **_: Any) -> Any:
        return 5


class RaisingMapping(UserDict[str, Any]):
    def __contains__(self, key: object) -> bool:
        raise OwnError(str(key))


class RaisingDict(dict[str, Any]):
    def get(self, key: str, default: Any = None) -> Any:
        raise OwnError(key, default)


class Text(str):
    __slots__ = ()


class Speaker(enum.StrEnum):
    USER = "user"


@dataclass
class Cyclic:
    role: str = "user"
    content: Any = None


def in_itself() -> list[Any]:
    cycle: list[Any] = []
    cycle.append(cycle)
    return cycle


def fan() -> dict[str, Any]:
    cycle: dict[str, Any] = {}
    cycle.update({str(number): cycle for number in range(10)})
    return cycle


def doubling() -> list[Any]:
    """Sixty lists that are two to the sixtieth when written out."""
    inner: list[Any] = []
    for _ in range(60):
        inner = [inner, inner]
    return inner


def deep(levels: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(levels):
        inner = [inner]
    return inner


def cyclic_dataclass() -> Cyclic:
    message = Cyclic()
    message.content = [message]
    return message


def cyclic_message() -> dict[str, Any]:
    message: dict[str, Any] = {"role": "user"}
    message["content"] = [message]
    return message


ODDITIES: dict[str, Callable[[], Any]] = {
    "NaN": lambda: float("nan"),
    "infinity": lambda: float("-inf"),
    "bytes": lambda: b"\xff",
    "a set": lambda: {1, 2},
    "a generator": lambda: (letter for letter in "abc"),
    "a deque": lambda: deque(["x"]),
    "10,000 digits": lambda: 10**10_000,
    "lone surrogates": lambda: "\ud800 \udfff" * 50,
    "NUL": lambda: "\0",
    "a str of a subclass": lambda: Text("hi"),
    "a dict of a subclass": lambda: RaisingDict(role="user", content="x"),
    "a raising mapping": lambda: RaisingMapping(role="user", content="x"),
    "an enum": lambda: Speaker.USER,
    "a function": lambda: deep,
    "a class": lambda: int,
    "a module": lambda: sys,
    "raising attributes": Raising,
    "a raising property": RaisingContent,
    "an endless property": Endless,
    "itself as attribute": Itself,
    "itself twice": Twice,
    "a list in itself": in_itself,
    "a dict in itself ten times": fan,
    "a deep list": lambda: deep(100_000),
    "a less deep list": lambda: deep(200),
    "a dump that is no dict": NoDump,
    "a cyclic dataclass": cyclic_dataclass,
    "a cyclic message": cyclic_message,
    "a namespace": lambda: SimpleNamespace(role="user", content=SimpleNamespace(text="x")),
    "odd keys": lambda: {5: 1, None: 2, ("a",): 3, "\ud800": 4},
}


def placed(odd: Any) -> list[Any]:
    """The odd thing as message, and in every place of one."""
    return [
        odd,
        {"role": odd, "content": "x"},
        {"role": "user", "content": odd},
        {"role": "user", "content": [odd]},
        {"role": "user", "content": [{"type": odd, "text": odd}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": odd, "name": odd, "input": odd}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": odd}]},
        {"role": "user", "content": [{"type": "image", "source": {"type": "base64", "data": odd, "media_type": odd}}]},
        {"role": "assistant", "content": None, "tool_calls": odd},
        {"role": "assistant", "tool_calls": [{"id": odd, "function": {"name": "f", "arguments": odd}}]},
        {"type": "function_call_output", "call_id": odd, "output": odd},
        {"role": "user", "parts": [{"functionResponse": {"name": odd, "response": odd}}]},
    ]


def survives(work: Callable[[], object]) -> None:
    """Whether it answers, or refuses with an error of Octavo's or of the object's own."""
    try:
        work()
    except (octavo.errors.OctavoError, OwnError):
        return


def everything(message: Any, format: Any = None) -> None:
    """All that reads messages, on one."""
    counter = octavo.counter_for("gpt-4o")
    survives(lambda: str(octavo.assemble([*PLAIN, message], budget=20, format=format).report))
    survives(partial(octavo.validate, [*PLAIN, message], format=format))
    survives(partial(octavo.repair, [*PLAIN, message], format=format))
    survives(partial(counter.count_messages, [message], format=format))


@pytest.mark.timeout(120)
@pytest.mark.parametrize("make", ODDITIES.values(), ids=ODDITIES)
def test_an_oddity_in_any_place_gives_an_answer_or_a_typed_error(make: Callable[[], Any]) -> None:
    for message in placed(make()):
        everything(message)
        check_append(message)


@pytest.mark.parametrize("make", ODDITIES.values(), ids=ODDITIES)
def test_an_oddity_around_the_messages_gives_an_answer_or_a_typed_error(make: Callable[[], Any]) -> None:
    counter = octavo.counter_for("gpt-4o")
    for odd in (make(), [make()], {"parts": make()}, [{"name": "f", "input_schema": make()}]):
        survives(partial(counter.count_system, odd))
        survives(partial(counter.count_tools, odd))
        survives(partial(counter.count_messages, PLAIN, tools=odd, system=odd))
        survives(partial(octavo.Usage.read, odd))


def check_append(message: Any) -> None:
    """After an error the transcript is as it was: length, tokens, format, and the next context."""
    transcript = octavo.Transcript()
    transcript.extend(PLAIN)
    before = state(transcript)
    for fresh in ([message], [*PLAIN, message]):
        try:
            transcript.extend(fresh) if len(fresh) > 1 else transcript.append(message)
        except (octavo.errors.OctavoError, OwnError):
            assert state(transcript) == before
        else:
            transcript.rewind(len(PLAIN))
            before = state(transcript)


def state(transcript: octavo.Transcript) -> tuple[object, ...]:
    context = transcript.assemble(budget=100)
    shown = [id(message) for message in context.messages]
    return len(transcript), transcript.tokens, transcript.format, transcript.provider, shown, context.report.to_json()


def test_messages_that_cannot_be_read_decide_no_format() -> None:
    transcript = octavo.Transcript()
    transcript.extend(PLAIN)
    before = state(transcript)
    with pytest.raises(octavo.errors.MessageError):
        transcript.extend([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]}, 5])
    assert state(transcript) == before
    assert transcript.format == "openai"


async def test_messages_that_cannot_be_read_on_a_thread_decide_no_format() -> None:
    transcript = octavo.Transcript()
    transcript.extend(PLAIN)
    before = state(transcript)
    long = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "word " * 100_000}]}
    with pytest.raises(octavo.errors.MessageError):
        await transcript.extend_async([long, 5])
    assert state(transcript) == before


def test_what_a_counter_raised_is_raised_once() -> None:
    class Counter:
        def count(self, text: str, /) -> int:
            if text == "raise":
                raise OwnError(text)
            return 1

    transcript = octavo.Transcript(counter=Counter(), format="openai")
    with pytest.raises(OwnError):
        transcript.extend([{"role": "user", "content": "raise"}, {"no": "role"}])
    assert len(transcript) == 0
    transcript.append({"role": "user", "content": "fine"})
    assert len(transcript) == 1


def test_a_list_that_changes_while_it_is_read_parts_no_message_from_its_count() -> None:
    messages: list[Any] = []

    class Growing:
        role = "user"

        @property
        def content(self) -> str:
            messages.append({"role": "user", "content": "late"})
            return "x"

    messages.extend([Growing(), PLAIN[0]])
    transcript = octavo.Transcript(format="openai")
    transcript.extend(messages)
    assert len(messages) > 2, "the list did not grow"
    assert len(transcript) == 2
    assert len(transcript.assemble(budget=1000).messages) == 2


@pytest.mark.parametrize("nothing", [5, None, 1.5, len])
def test_what_is_no_list_is_refused(nothing: Any) -> None:
    transcript = octavo.Transcript()
    for call in (
        lambda: octavo.assemble(nothing, budget=9),
        lambda: octavo.validate(nothing),
        lambda: octavo.repair(nothing),
        lambda: transcript.extend(nothing),
        lambda: octavo.counter_for().count_messages(nothing),
    ):
        with pytest.raises(octavo.errors.MessageError, match="expected a list of messages"):
            call()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (in_itself, "contains itself"),
        (lambda: 10**10_000, "too many digits"),
        (lambda: sys, "is no data"),
        (doubling, "more than 10,000,000 values"),
        (NoDump, "gives no mapping"),
    ],
)
def test_the_error_says_what_is_wrong_and_where(make: Callable[[], Any], words: str) -> None:
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {"x": make()}}]}
    with pytest.raises(octavo.errors.MessageError, match=f"message 2: .*{words}") as caught:
        octavo.Transcript(format="anthropic").extend([*PLAIN, call])
    assert caught.value.index == 2


def test_a_hostile_value_cannot_exhaust_a_threads_stack() -> None:
    code = (
        "import threading, octavo\nx = []\nx.append(x)\n"
        "def work():\n"
        "    for odd in (x, [x], {'parts': x}):\n"
        "        for count in (octavo.counter_for().count_system, octavo.counter_for().count_tools):\n"
        "            try: count(odd)\n"
        "            except octavo.errors.MessageError: print('refused')\n"
        "threading.stack_size(256 * 1024)\n"
        "thread = threading.Thread(target=work)\nthread.start()\nthread.join()\nprint('alive')\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "alive"
    assert "refused" in done.stdout


# ---- generated ------------------------------------------------------------------------------------------------------

KEYS = st.sampled_from(
    [
        "role",
        "content",
        "type",
        "text",
        "name",
        "id",
        "tool_use_id",
        "input",
        "is_error",
        "source",
        "media_type",
        "data",
        "url",
        "cache_control",
        "thinking",
        "signature",
        "tool_calls",
        "tool_call_id",
        "function",
        "arguments",
        "function_call",
        "reasoning_content",
        "image_url",
        "call_id",
        "output",
        "summary",
        "parts",
        "functionCall",
        "functionResponse",
        "args",
        "response",
        "toolUse",
        "toolResult",
        "toolUseId",
        "status",
    ]
)
WORDS = st.sampled_from(
    [
        "user",
        "assistant",
        "system",
        "developer",
        "tool",
        "function",
        "model",
        "text",
        "tool_use",
        "tool_result",
        "thinking",
        "image",
        "function_call",
        "function_call_output",
        "message",
        "reasoning",
        "base64",
        "a",
        "b",
    ]
)
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | WORDS
    | st.text(st.characters(codec=None, exclude_categories=()), max_size=8)
    | st.sampled_from(list(ODDITIES.values())).map(lambda make: make())
)  # fmt: skip
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4) | inner.map(lambda one: (one,))
    ),
    max_leaves=10,
)
MESSAGES = st.fixed_dictionaries({"role": WORDS | VALUES}, optional={"content": VALUES, "parts": VALUES}) | VALUES


@settings(deadline=None, max_examples=150)
@given(message=MESSAGES, format=st.sampled_from([None, *FORMATS]))
def test_anything_at_all_gives_an_answer_or_a_typed_error(message: Any, format: Any) -> None:
    everything(message, format)


@settings(deadline=None, max_examples=100)
@given(message=MESSAGES)
def test_a_transcript_is_unchanged_by_what_it_refuses(message: Any) -> None:
    check_append(message)
