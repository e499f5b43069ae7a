"""What stands beside the messages of a request, and what later messages may not change in earlier ones."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

import octavo
from octavo.messages import FORMATS, infer_provider
from octavo.model_facts import facts_of
from octavo.recipes import NO_RESULT
from timing import assert_grows_with_size

Messages = list[dict[str, Any]]

FIVE = {"type": "ephemeral"}
HOUR = {"type": "ephemeral", "ttl": "1h"}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def cached(said: str, control: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"role": "user", "content": [text(said, cache_control=control or FIVE)]}


def answer(said: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [text(said)]}


def use(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "look", "input": {"q": name}, **more}


def result(name: str, content: Any = "out") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": content}


THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "S"}


def rules_of(messages: Messages, **stated: Any) -> list[str]:
    return [found.rule for found in octavo.validate(messages, "anthropic", format="anthropic", **stated)]


def marks(messages: Messages) -> list[Any]:
    return [
        (block["cache_control"].get("ttl"))
        for message in messages
        for block in (message["content"] if isinstance(message["content"], list) else [])
        if "cache_control" in block
    ]


# ---- cache breakpoints of system and tools ----


def turns(controls: list[dict[str, Any]]) -> Messages:
    return [one for n, control in enumerate(controls) for one in (cached(str(n), control), answer("x"))]


def test_assemble_counts_the_breakpoints_of_system_and_tools() -> None:
    messages = [*turns([FIVE] * 4), user("go")]
    system = [text("s", cache_control=FIVE)]
    tools = [{"name": "look", "input_schema": {"type": "object"}, "cache_control": FIVE}]
    for given in (messages, [*messages, answer("y"), user("more")]):
        context = octavo.assemble(given, budget=10_000, format="anthropic", system=system, tools=tools)
        assert len(marks(context.messages)) == 2
        assert octavo.validate(context.messages, "anthropic", format="anthropic", system=system, tools=tools) == []


def test_breakpoints_are_counted_anew_when_system_or_tools_change() -> None:
    transcript = octavo.Transcript(format="anthropic")
    transcript.extend([*turns([FIVE] * 4), user("go")])
    tools = [{"name": "look", "input_schema": {"type": "object"}}]
    assert len(marks(transcript.assemble(budget=10_000, tools=tools).messages)) == 4
    tools[0]["cache_control"] = FIVE
    assert len(marks(transcript.assemble(budget=10_000, tools=tools).messages)) == 3
    system = [text("s", cache_control=FIVE)]
    assert len(marks(transcript.assemble(budget=10_000, tools=tools, system=system).messages)) == 2
    assert len(marks(transcript.assemble(budget=10_000).messages)) == 4


def test_an_hour_may_not_follow_the_five_minutes_of_the_system() -> None:
    messages = [*turns([HOUR, FIVE]), user("go")]
    system = [text("s", cache_control=FIVE)]
    assert rules_of(messages) == []
    assert rules_of(messages, system=system) == ["A13"]
    assert rules_of(messages, system=[text("s", cache_control=HOUR)]) == []
    repaired = octavo.repair(messages, "anthropic", format="anthropic", system=system)
    assert [change.kind for change in repaired.log] == ["shortened_breakpoint"]
    assert marks(repaired.messages) == [None, None]
    assert messages[0] == cached("0", HOUR)
    assert rules_of(repaired.messages, system=system) == []
    context = octavo.assemble(messages, budget=10_000, format="anthropic", system=system)
    assert marks(context.messages) == [None, None]


def test_what_is_wrong_in_system_and_tools_themselves_is_told() -> None:
    five = [text("s", cache_control=FIVE)]
    hour = [text("s", cache_control=HOUR)]
    tool = {"name": "look", "input_schema": {}, "cache_control": FIVE}
    assert rules_of([user("a")], system=five * 5) == ["A12"]
    assert rules_of([user("a")], system=five * 3, tools=[tool, tool]) == ["A12"]
    assert rules_of([user("a")], system=hour, tools=[tool]) == ["A13"]
    assert rules_of([user("a")], system=five + hour) == ["A13"]
    assert rules_of([user("a")], system=hour + five) == []
    repaired = octavo.repair([user("a")], "anthropic", format="anthropic", system=five * 5)
    assert [change.kind for change in repaired.log] == ["told"]


def test_breakpoints_of_objects_count() -> None:
    pydantic = pytest.importorskip("pydantic")
    block = pydantic.create_model("Block", type=(str, ...), text=(str, ...), cache_control=(Any, ...))
    system = [block(**text("s", cache_control=FIVE))]
    assert rules_of([*turns([FIVE] * 4), user("go")], system=system) == ["A12"]


def test_breakpoints_inside_a_result_count() -> None:
    inside = [text(str(n), cache_control=FIVE) for n in range(6)]
    messages = [user("a"), {"role": "assistant", "content": [use("t1")]}, {"role": "user", "content": []}]
    messages[2]["content"] = [result("t1", inside)]
    assert rules_of(messages) == ["A12"]
    repaired = octavo.repair(messages, "anthropic", format="anthropic").messages
    assert rules_of(repaired) == []
    kept = [text(str(n), cache_control=FIVE) for n in range(2, 6)]
    assert repaired[2]["content"][0]["content"] == [text("0"), text("1"), *kept]
    assert messages[2]["content"][0]["content"] == inside
    messages[2]["content"] = [result("t1", inside[:2]), text("b", cache_control=FIVE), text("c", cache_control=FIVE)]
    assert rules_of(messages) == []
    assert rules_of(messages, system=inside[:1]) == ["A12"]


# ---- what later messages may not change ----


def shared(before: octavo.Context, after: octavo.Context) -> bool:
    """Whether the later context starts with all of the earlier one but its tail, which may have been mended."""
    return before.messages[:-1] == after.messages[: len(before.messages) - 1]


def steps(messages: Messages, **options: Any) -> list[octavo.Context]:
    cuts = [end for end, message in enumerate(messages, 1) if message["role"] in ("user", "tool")]
    return [octavo.assemble(messages[:cut], budget=10**6, **options) for cut in cuts]


def loop(turn: int, name: str) -> Messages:
    return [
        user(f"q{turn}"),
        {"role": "assistant", "content": [THOUGHT, use(name)]},
        {"role": "user", "content": [result(name)]},
        {"role": "assistant", "content": [THOUGHT, text(f"a{turn}")]},
    ]


def test_thinking_that_is_off_leaves_every_turn_at_once() -> None:
    messages = [one for turn in range(5) for one in loop(turn, f"t{turn}")]
    contexts = steps(messages, format="anthropic", thinking=False)
    assert len(contexts) == 10
    for before, after in itertools.pairwise(contexts):
        assert after.messages[: len(before.messages)] == before.messages
        assert after.report.first_changed_index == len(before.messages)
    assert "thinking" not in json.dumps(contexts[-1].messages)


@pytest.mark.parametrize("thinking", [None, True])
def test_a_repeated_id_is_renamed_where_it_comes_again(thinking: bool | None) -> None:
    messages = [one for turn in range(5) for one in loop(turn, "t1")]
    contexts = steps(messages, format="anthropic", thinking=thinking)
    for before, after in itertools.pairwise(contexts):
        assert after.messages[: len(before.messages)] == before.messages
    assert contexts[-1].messages[1] is messages[1]
    ids = [block["id"] for message in contexts[-1].messages for block in message["content"] if "id" in block]
    assert ids == ["t1", "call_5_1", "call_9_1", "call_13_1", "call_17_1"]


def test_a_signature_that_was_put_in_stays_in() -> None:
    messages: Messages = []
    for turn in range(4):
        call = {"functionCall": {"name": "look", "args": {"turn": turn}}}
        response = {"functionResponse": {"name": "look", "response": {}}}
        messages += [
            {"role": "user", "parts": [{"text": f"q{turn}"}]},
            {"role": "model", "parts": [call]},
            {"role": "user", "parts": [response]},
            {"role": "model", "parts": [{"text": "done"}]},
        ]
    contexts = steps(messages, format="gemini", model="gemini-3-pro")
    for before, after in itertools.pairwise(contexts):
        assert after.messages[: len(before.messages)] == before.messages


def chat_call(name: str, **more: Any) -> dict[str, Any]:
    call = {"id": name, "type": "function", "function": {"name": "look", "arguments": "{}"}}
    return {"role": "assistant", "content": None, "tool_calls": [call], **more}


def tool(name: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": "out"}


def test_reasoning_content_is_asked_for_by_what_is_sent_stepwise_and_at_once() -> None:
    messages = [
        user("a"), chat_call("c1", reasoning_content="think"), tool("c1"), chat_call("c2"), tool("c2"),
    ]  # fmt: skip
    stepped = octavo.Transcript(format="openai")
    sent: list[Any] = []
    for end, message in enumerate(messages, 1):
        stepped.append(message)
        sent = list(stepped.assemble(budget=1_000, thinking=True).messages)
        alone = octavo.assemble(messages[:end], budget=1_000, format="openai", thinking=True).messages
        assert sent == alone
    assert [message.get("reasoning_content") for message in sent] == [None, "think", None, " ", None]
    assert octavo.validate(sent, "openai", thinking=True) == []
    assert [found.rule for found in octavo.validate(messages, "openai", thinking=True)] == ["D1"]


@pytest.mark.parametrize("blank", ["", " "])
def test_a_blank_reasoning_content_asks_for_nothing(blank: str) -> None:
    messages = [user("a"), chat_call("c1", reasoning_content=blank), tool("c1"), chat_call("c2"), tool("c2")]
    assert octavo.validate(messages, "openai", thinking=True) == []


# ---- roles, arguments and ids that a provider refuses ----


def test_tool_messages_among_anthropic_ones_become_results() -> None:
    messages = [
        user("a"), {"role": "assistant", "content": [use("t1"), use("t2")]}, tool("t1"), tool("t2"), answer("done"),
        user("b"),
    ]  # fmt: skip
    assert set(rules_of(messages)) == {"A19", "A9", "A1", "A2"}
    repaired = octavo.repair(messages, "anthropic", format="anthropic")
    assert repaired.messages == [
        messages[0], messages[1], {"role": "user", "content": [result("t1"), result("t2")]}, *messages[4:],
    ]  # fmt: skip
    assert "changed_role" in {change.kind for change in repaired.log}
    context = octavo.assemble(messages, budget=10_000, format="anthropic")
    assert context.messages == repaired.messages


def test_a_tool_message_that_holds_results_becomes_the_user_s() -> None:
    messages = [
        user("a"),
        {"role": "assistant", "content": [use("t1")]},
        {"role": "tool", "content": [result("t1"), text("b")]},
    ]
    assert rules_of(messages) == ["A19"]
    repaired = octavo.repair(messages, "anthropic", format="anthropic").messages
    assert repaired[2] == {"role": "user", "content": [result("t1"), text("b")]}


def test_developer_messages_among_anthropic_ones_become_the_user_s() -> None:
    messages = [user("a"), {"role": "developer", "content": "be brief"}, answer("b"), user("c")]
    assert rules_of(messages, model="claude-opus-4-8") == ["A16"]
    repaired = octavo.repair(messages, "anthropic", format="anthropic", model="claude-opus-4-8").messages
    assert repaired[0]["content"] == [text("a"), text("be brief")]


@pytest.mark.parametrize(
    ("format", "role", "right", "rule"),
    [
        ("anthropic", "model", "assistant", "A19"),
        ("bedrock", "model", "assistant", "A19"),
        ("openai", "model", "assistant", "O5"),
        ("openai-responses", "model", "assistant", "O5"),
        ("openai-responses", "tool", "user", "O5"),
        ("bedrock", "tool", "user", "A19"),
        ("gemini", "assistant", "model", "A19"),
    ],
)
def test_a_role_of_another_format_gets_its_own_name(format: Any, role: str, right: str, rule: str) -> None:
    said = [{"text": "x"}]
    content: Any = {"parts": said} if format == "gemini" else {"content": said if format == "bedrock" else "x"}
    other = "user" if right != "user" else "assistant"
    messages = [{"role": role, **content}, {"role": other, **content}]
    if right != "user":
        messages.insert(0, {"role": "user", **content})
    assert rule in [found.rule for found in octavo.validate(messages, format, format=format)]
    repaired = octavo.repair(messages, format, format=format).messages
    assert right in [message["role"] for message in repaired]
    assert role not in [message["role"] for message in repaired]
    assert octavo.validate(repaired, format, format=format) == []


@pytest.mark.parametrize(("given", "sent"), [(None, {}), ("", {}), ('{"q":1}', {"q": 1}), ([1], {"value": [1]})])
def test_anthropic_arguments_become_an_object(given: Any, sent: Any) -> None:
    messages = [
        user("a"),
        {"role": "assistant", "content": [use("t1", input=given)]},
        {"role": "user", "content": [result("t1")]},
    ]
    assert rules_of(messages) == ["A20"]
    repaired = octavo.repair(messages, "anthropic", format="anthropic")
    assert repaired.messages[1]["content"][0]["input"] == sent
    assert repaired.messages[2] is messages[2]
    assert [change.kind for change in repaired.log] == ["mended_arguments"]
    assert rules_of(repaired.messages) == []


@pytest.mark.parametrize(("given", "sent"), [(None, "{}"), ({"q": "é"}, '{"q":"é"}'), ([1], "[1]")])
@pytest.mark.parametrize("format", ["openai", "openai-responses"])
def test_openai_arguments_become_a_text(format: Any, given: Any, sent: str) -> None:
    chat = {**chat_call("c1")}
    chat["tool_calls"] = [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": given}}]
    item = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": given}
    output = {"type": "function_call_output", "call_id": "c1", "output": "out"}
    messages = [user("a"), chat, tool("c1")] if format == "openai" else [user("a"), item, output]
    assert [found.rule for found in octavo.validate(messages, format, format=format)] == ["O6"]
    repaired = octavo.repair(messages, format, format=format).messages
    call: Any = repaired[1]["tool_calls"][0]["function"] if format == "openai" else repaired[1]
    assert call["arguments"] == sent
    assert octavo.validate(repaired, format, format=format) == []


def test_a_call_id_gets_characters_that_the_provider_takes() -> None:
    messages = [
        user("a"), {"role": "assistant", "content": [use("a b"), use("a_b")]},
        {"role": "user", "content": [result("a b"), result("a_b")]},
    ]  # fmt: skip
    assert rules_of(messages) == ["A21"]
    repaired = octavo.repair(messages, "anthropic", format="anthropic")
    ids = [block["id"] for block in repaired.messages[1]["content"]]
    assert ids == [block["tool_use_id"] for block in repaired.messages[2]["content"]]
    assert len(set(ids)) == 2
    assert ids[1] == "a_b"
    assert rules_of(repaired.messages) == []


def test_a_call_without_id_gets_one_and_so_does_its_result() -> None:
    nameless = {key: value for key, value in use("t").items() if key != "id"}
    messages = [user("a"), {"role": "assistant", "content": [nameless]}]
    assert rules_of(messages) == ["A1", "A21"]
    repaired = octavo.repair(messages, "anthropic", format="anthropic").messages
    (made,) = repaired[1]["content"]
    assert repaired[2]["content"] == [{**result(made["id"], NO_RESULT), "is_error": True}]
    assert rules_of(repaired) == []


@pytest.mark.parametrize("content", [None, []])
@pytest.mark.parametrize("role", ["user", "system", "assistant", "tool"])
def test_chat_messages_without_content_get_an_empty_one(role: str, content: Any) -> None:
    messages: Messages = [user("a"), chat_call("c1"), tool("c1"), answer("b")]
    changed = {"user": 0, "tool": 2, "assistant": 3}.get(role, 0)
    messages[changed] = {**messages[changed], "role": role, "content": content}
    found = octavo.validate(messages, "openai", format="openai")
    assert [(one.index, one.rule) for one in found] == [(changed, "O7")]
    repaired = octavo.repair(messages, "openai", format="openai").messages
    assert repaired[changed]["content"] == ""
    assert octavo.validate(repaired, "openai", format="openai") == []


@pytest.mark.parametrize(
    ("content", "sent"),
    [
        ({"ok": True}, '{"ok":true}'),
        (7, "7"),
        (["bare", text("x")], [text("bare"), text("x")]),
        ([{"type": "text", "text": None}, text("x")], [text(""), text("x")]),
    ],
)
def test_chat_content_of_no_known_shape_is_written_as_text(content: Any, sent: Any) -> None:
    messages = [user("a"), chat_call("c1"), {**tool("c1"), "content": content}]
    assert [found.rule for found in octavo.validate(messages, "openai", format="openai")] == ["O8"]
    repaired = octavo.repair(messages, "openai", format="openai").messages
    assert repaired[2]["content"] == sent
    said = [{"role": "user", "content": content}]
    assert [found.rule for found in octavo.validate(said, "openai", format="openai")] == ["O8"]
    assert octavo.repair(said, "openai", format="openai").messages[0]["content"] == sent


# ---- cost ----


def test_repairing_many_blocks_is_linear() -> None:
    def blocks(count: int) -> Messages:
        return [user("a"), {"role": "assistant", "content": [text("x")] * count + [text("")]}, user("b")]

    assert_grows_with_size(400, blocks, lambda messages: octavo.repair(messages, "anthropic", format="anthropic"))


def test_answering_many_calls_is_linear() -> None:
    def calls(count: int) -> Messages:
        call = chat_call("c")["tool_calls"][0]
        return [user("a"), {**chat_call("c"), "tool_calls": [{**call, "id": f"c{n}"} for n in range(count)]}, user("b")]

    def assembled(messages: Messages) -> None:
        assert octavo.assemble(messages, budget=10**7, format="openai").report.repairs

    assert_grows_with_size(400, calls, assembled)
    assert_grows_with_size(400, calls, lambda messages: octavo.validate(messages, "openai"))


def test_an_object_is_dumped_once() -> None:
    pydantic = pytest.importorskip("pydantic")
    dumps = 0

    class Said(pydantic.BaseModel):  # type: ignore[name-defined,misc]
        role: str
        content: Any

        def model_dump(self, **options: Any) -> dict[str, Any]:
            nonlocal dumps
            dumps += 1
            return super().model_dump(**options)  # type: ignore[no-any-return]

    turn = Said(role="assistant", content=[use(f"t{n}") for n in range(50)])
    repaired = octavo.repair([Said(**user("a")), turn, Said(**user("b"))], "anthropic", format="anthropic")
    assert len(repaired.log) == 51
    assert dumps <= 2 * 3  # once for the list, once for the log


# ---- one table of models ----


def test_the_model_table_and_the_facts_are_one() -> None:
    table = json.loads(
        (Path(__file__).parents[1] / "rust" / "octavo" / "data" / "models.json").read_text(encoding="utf-8")
    )
    names = [row["prefix"] for group in table["groups"] for row in group["models"]]
    assert len(names) > 80
    for name in names:
        model = octavo.counter_for(name).model
        assert model.known
        assert facts_of(name).prefill == model.prefill, name
        assert model.provider in FORMATS
        assert infer_provider(model.format, name) == model.provider, name


@pytest.mark.parametrize(
    ("name", "prefill", "system", "first"),
    [
        ("claude-mythos-5", False, True, False),
        ("claude-fable-5", False, True, False),
        ("claude-opus-4-8", False, True, False),
        ("claude-opus-4-9", False, True, False),
        ("claude-opus-4-6", False, False, False),
        ("claude-sonnet-4-6", False, False, False),
        ("claude-sonnet-4-8", False, False, False),
        ("claude-sonnet-5", False, True, False),
        ("claude-haiku-4-5-20251001", True, False, True),
        ("claude-haiku-5", False, False, False),
        ("claude-haiku-5-5", False, True, False),
        ("claude-3-7-sonnet-20250219", True, False, True),
        ("bedrock/us.anthropic.claude-opus-4-20250514-v1:0", True, False, True),
        ("some-other-model", None, None, True),
    ],
)
def test_what_claude_names_say(name: str, prefill: bool | None, system: bool | None, first: bool) -> None:
    facts = facts_of(name)
    assert (facts.prefill, facts.system_messages, facts.thinking_first) == (prefill, system, first)


def test_what_other_names_say() -> None:
    assert facts_of("gemini-3.1-pro").signed_calls
    assert facts_of("models/gemini-3-flash").signed_calls
    assert not facts_of("gemini-3-pro-image").signed_calls
    assert not facts_of("gemini-3-pro-image-preview").signed_calls
    assert not facts_of("gemini-2.5-pro").signed_calls
    for name in ("deepseek-reasoner", "openrouter/deepseek/deepseek-v4", "kimi-k2.5", "moonshot-v1-8k"):
        assert facts_of(name).reasoning_content is True
    assert facts_of("gpt-5").reasoning_content is False
    assert facts_of("house-model").reasoning_content is None
    assert facts_of(None).reasoning_content is None
