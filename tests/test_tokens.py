"""Counting for models: texts, messages, tools, media, and the recorded bug reports about them."""

from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

import octavo
from octavo.errors import BudgetError, CounterError, MessageError, UnknownModelError
from octavo.tokens import Counter, TokenCounter, Usage, counter_for
from shared_data import bug_report
from timing import assert_grows_with_size, assert_within, spent

MODELS = ["gpt-4o", "gpt-4", "claude-sonnet-4-5", "claude-opus-4-8", "gemini-2.5-pro", "qwen3-32b", "house-model"]


@pytest.fixture(params=MODELS)
def counter(request: pytest.FixtureRequest) -> Counter:
    return counter_for(request.param)


# ---- models ----


def test_an_unknown_model_is_marked_or_raises() -> None:
    counter = counter_for("house-model-7")
    assert (counter.known, counter.method, counter.model.encoding) == (False, "estimated", "o200k_base")
    assert counter.count("Hello, world") == counter_for("gpt-4o").count("Hello, world")
    with pytest.raises(UnknownModelError, match="house-model-7") as caught:
        counter_for("house-model-7", strict=True)
    assert caught.value.model == "house-model-7"
    assert not counter_for().known


def test_the_table_speaks_of_a_model() -> None:
    model = counter_for("us.anthropic.claude-opus-4-6-20260205-v1:0", strict=True).model
    assert (model.provider, model.format, model.method) == ("anthropic", "anthropic", "calibrated")
    assert (model.window, model.prefill, model.keeps_thinking, model.cache_minimum) == (1_000_000, False, True, 4096)


def test_methods_and_bounds() -> None:
    bounds = {name: (counter_for(name).method, counter_for(name).error_bound) for name in MODELS}
    assert bounds["gpt-4o"] == ("exact", 0.0)
    assert bounds["claude-opus-4-8"] == ("calibrated", 0.137)
    assert bounds["house-model"] == ("estimated", 0.4)


def test_a_calibrated_count_is_near_the_recorded_ratio() -> None:
    korean = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. " * 20
    english = "All human beings are born free and equal in dignity and rights. " * 20
    base = counter_for("gpt-4o")
    for text, model, ratio in [
        (korean, "claude-sonnet-4-5", 1.78),
        (korean, "claude-opus-4-8", 1.78),
        (english, "claude-sonnet-4-5", 1.08),
        (english, "claude-opus-4-8", 1.57),
        (korean, "gemini-2.5-pro", 0.96),
    ]:
        assert counter_for(model).count(text) / base.count(text) == pytest.approx(ratio, rel=0.06), model


def test_limits(counter: Counter) -> None:
    text = 'The quick brown fox. 다람쥐 헌 쳇바퀴에 타고파. {"a": [1, 2]} 🎉 ' * 30
    total = counter.count(text)
    assert counter.count_up_to(text, total) == total
    assert counter.count_up_to(text, total - 1) is None
    assert counter.truncate(text, total) == text
    for limit in (0, 1, 7, 100):
        cut = counter.truncate(text, limit)
        assert text.startswith(cut)
        assert counter.count(cut) <= limit
        assert limit < 7 or counter.count(cut) >= limit - 6


# ---- counters of one's own ----


class Words:
    def count(self, text: str, /) -> int:
        return len(text.split())


class Broken:
    def count(self, text: str, /) -> int:
        raise ConnectionError(f"the service is away: {len(text)} characters uncounted")


def test_a_counter_of_one_s_own() -> None:
    counter = counter_for("claude-opus-4-8", counter=Words())
    assert isinstance(Words(), TokenCounter)
    assert isinstance(counter, TokenCounter)
    assert (counter.count("one two three"), counter.method) == (3, "exact")
    assert counter.truncate("one two three", 2) == "one two "
    plain = counter_for("claude-opus-4-8", counter=Words()).count_message({"role": "user", "content": ""})
    assert counter.count_message({"role": "user", "content": "one two"}) == plain + 2


def test_what_one_s_own_counter_raises_is_raised() -> None:
    counter = counter_for("gpt-4o", counter=Broken())
    message = {"role": "user", "content": "hello"}
    calls: list[Any] = [
        lambda: counter.count("hello"),
        lambda: counter.count_up_to("hello", 3),
        lambda: counter.truncate("hello", 3),
        lambda: counter.count_message(message),
        lambda: counter.count_messages([message]),
        lambda: counter.count_system("hello"),
        lambda: counter.count_tools([{"name": "f", "description": "d"}]),
    ]
    for call in calls:
        with pytest.raises(ConnectionError, match="away"):
            call()


@pytest.mark.parametrize("answer", [-1, 2**31, 2**64, 1.5, None, "3"])
def test_a_counter_that_gives_no_number_of_tokens_is_a_typed_error(answer: Any) -> None:
    class Odd:
        def count(self, text: str, /) -> int:
            return len(text) if text == "fine" else answer

    counter = counter_for("gpt-4o", counter=Odd())
    assert counter.count("fine") == 4
    transcript = octavo.Transcript("gpt-4o", counter=counter)
    for asked in (
        lambda: counter.count("odd"),
        lambda: counter.truncate("odd", 2),
        lambda: counter.count_messages([{"role": "user", "content": "odd"}]),
        lambda: transcript.append({"role": "user", "content": "odd"}),
    ):
        with pytest.raises(CounterError, match=r"Odd\.count must give a number of tokens") as caught:
            asked()
        assert caught.value.got == answer
    assert len(transcript) == transcript.tokens == 0


def test_a_counter_may_answer_with_what_counts_as_a_whole_number() -> None:
    class Whole:
        def __index__(self) -> int:
            return 3

    class Odd:
        def count(self, text: str, /) -> Any:
            return Whole()

    assert counter_for("gpt-4o", counter=Odd()).count("x") == 3


# ---- messages ----


class Part(BaseModel):
    type: str = "text"
    text: str


class Message(BaseModel):
    role: str
    content: list[Part] | str
    name: str | None = None


def test_dicts_models_and_objects_count_alike(counter: Counter) -> None:
    as_dict = {"role": "user", "content": [{"type": "text", "text": "What is the weather in Seoul?"}]}
    as_model = Message(role="user", content=[Part(text="What is the weather in Seoul?")])
    as_object = SimpleNamespace(
        role="user", content=[SimpleNamespace(type="text", text="What is the weather in Seoul?")]
    )
    assert counter.count_message(as_dict) > counter.count("What is the weather in Seoul?")
    assert counter.count_message(as_dict) == counter.count_message(as_model) == counter.count_message(as_object)


def test_names_and_framing() -> None:
    counter = counter_for("gpt-4o")
    message = {"role": "user", "content": "hello"}
    assert counter.count_message(message) == 3 + 1 + 1
    named = counter.count_message({**message, "name": "kim"})
    assert named == counter.count_message(message) + 1 + counter.count("kim")
    assert counter.count_messages([message]).tokens == counter.count_message(message) + 3


def test_a_request_adds_up(counter: Counter) -> None:
    messages = [{"role": "user", "content": f"question {n}"} for n in range(20)]
    tools = [{"name": "f", "description": "Finds things.", "input_schema": {"type": "object", "properties": {}}}]
    whole = counter.count_messages(messages, tools=tools, system="You help.")
    parts = sum(counter.count_message(message) for message in messages)
    assert whole.tokens == parts + counter.fixed + counter.count_tools(tools) + counter.count_system("You help.")


def test_no_message_is_a_typed_error(counter: Counter) -> None:
    with pytest.raises(MessageError):
        counter.count_message("hello")
    with pytest.raises(MessageError, match="message 1"):
        counter.count_messages([{"role": "user", "content": "a"}, {"role": "wizard", "content": "b"}])


def test_an_object_s_own_error_comes_through() -> None:
    class Lazy:
        role = "user"

        @property
        def content(self) -> str:
            raise TimeoutError("not loaded")

    with pytest.raises(TimeoutError, match="not loaded"):
        counter_for("gpt-4o").count_message(Lazy(), format="openai")


# ---- recorded bug reports ----


def test_b008_special_tokens_are_ordinary_text(counter: Counter) -> None:
    for text in ["the marker <|endoftext|> ends a document", "<|im_start|>system", "<|endoftext|>"]:
        assert counter.count(text) > 1
        message = {"role": "user", "content": text}
        empty = counter.count_message({"role": "user", "content": ""})
        assert counter.count_message(message) == empty + counter.count(text)
        assert counter.count_messages([message]).tokens == counter.count_message(message) + counter.fixed


def test_b009_lone_surrogates(counter: Counter) -> None:
    assert counter.count("\udbc0") == counter.count("\ufffd")
    assert counter.count("a\ud83db") == counter.count("a\ufffdb")
    assert counter.count("\ud83d\udc4d") == counter.count("👍")
    assert counter.truncate("a\ud83db", 50) in ("a\ud83db", "a\ufffdb")
    message = {"role": "user", "content": "x\ud83d" * 90}
    assert counter.count_message(message) == counter.count_message({"role": "user", "content": "x\ufffd" * 90})


@pytest.mark.parametrize("model", ["gpt-4o", "claude-opus-4-8"])
@pytest.mark.parametrize("character", ["^", "a", " ", "\n", "あ"])
def test_b010_a_million_times_one_character(character: str, model: str) -> None:
    counter, million = counter_for(model), character * 1_000_000
    assert counter.count(million) > 1000
    assert_within(10, lambda: spent(lambda: counter.count(million)), tries=2)
    assert_grows_with_size(250_000, lambda size: character * size, counter.count)


def test_b011_odd_fields(counter: Counter) -> None:
    messages = bug_report("B011")["input"]["messages"]
    assert len(messages) == 6
    each = [counter.count_message(message, format="openai") for message in messages]
    assert counter.count_messages(messages, format="openai").tokens == sum(each) + counter.fixed

    def call(arguments: object) -> int:
        function = {"name": "f", "arguments": arguments}
        message = {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": function}]}
        return counter.count_message(message, format="openai")

    assert call({"path": "a.txt"}) == call('{"path":"a.txt"}')
    assert call(None) == call("")


def test_b012_arguments_reasoning_and_tools(counter: Counter) -> None:
    body, thought, description = '{"body": "' + "word " * 8000 + '"}', "think " * 4000, "long text " * 1000
    function = {"name": "write", "arguments": body}
    call = {"id": "c1", "type": "function", "function": function}
    messages = [{"role": "assistant", "content": None, "reasoning_content": thought, "tool_calls": [call]}]
    parameters = {"type": "object", "properties": {}}
    tools = [{"type": "function", "function": {"name": "write", "description": description, "parameters": parameters}}]
    alone = counter.count_messages(messages).tokens
    assert alone >= counter.count(body) + counter.count(thought)
    assert counter.count_messages(messages, tools=tools).tokens - alone >= counter.count(description)


def picture(length: int) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * length}}


def test_b013_pictures_by_size(counter: Counter) -> None:
    def said(*pictures: dict[str, Any]) -> dict[str, Any]:
        return {"role": "user", "content": [{"type": "text", "text": "see"}, *pictures]}

    small, big = said(picture(4_000)), said(picture(4_000_000))
    cost = counter.count_message(big, format="openai")
    assert_within(0.05, lambda: spent(lambda: counter.count_message(big, format="openai")))
    assert counter.count_message(small, format="openai") == cost
    one = cost - counter.count_message(said(), format="openai")
    assert one > 0
    assert counter.count_message(said(picture(4_000), picture(9_000)), format="openai") == cost + one
    result = {"role": "tool", "tool_call_id": "c", "content": [picture(4_000)]}
    bigger = {"role": "tool", "tool_call_id": "c", "content": [picture(4_000_000)]}
    assert counter.count_message(result, format="openai") == counter.count_message(bigger, format="openai") > one
    assert counter.count_messages([small], format="openai").method == "estimated"


# ---- usage ----


def test_usage_of_dicts_and_objects() -> None:
    anthropic = SimpleNamespace(
        input_tokens=3, cache_read_input_tokens=17_842, cache_creation_input_tokens=8037, output_tokens=441
    )
    assert Usage.read(anthropic) == Usage(input=25_882, output=441)
    assert Usage.read({"usage": {"prompt_tokens": 100, "completion_tokens": 20}}) == Usage(input=100, output=20)
    assert Usage.read({"promptTokenCount": 7, "thoughtsTokenCount": 4}) == Usage(input=7, output=4)
    for wrong in ({}, {"input_tokens": -1}, None, "12"):
        with pytest.raises(BudgetError, match="usage"):
            Usage.read(wrong)
