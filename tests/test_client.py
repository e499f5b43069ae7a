"""What a client is called with: converted where it must be, valid there, and told."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, cast

import pydantic
import pytest

import octavo
from octavo import client as client_module
from octavo.errors import ConversionError, FormatError, MessageError
from octavo.formats import ClientFormat, Note, convert
from sessions import ANTHROPIC, BEDROCK, GEMINI, OPENAI, RESPONSES, Dialect, tools_of

CLAUDE = "claude-sonnet-4-6"

# Lists that Chat takes and Anthropic refuses, with the rule that it refuses them by.
REFUSED = {
    "A10": [OPENAI.user("hi"), OPENAI.reply(""), OPENAI.user("go on")],
    "A9": [{"role": "user", "content": None}, OPENAI.reply("a"), OPENAI.user("q")],
    "A15": [OPENAI.user("q"), OPENAI.reply("a"), {"role": "user", "content": []}],
    "A14": [OPENAI.user("q"), OPENAI.reply("a ")],
}


def chat(messages: list[Any], model: str | None = CLAUDE, **options: Any) -> octavo.Context:
    return octavo.assemble(messages, budget=9_000, model=model, format="openai", **options)


@pytest.mark.parametrize("rule", REFUSED)
def test_a_converted_list_obeys_the_rules_of_its_new_format(rule: str) -> None:
    messages = copy.deepcopy(REFUSED[rule])
    model = CLAUDE if rule == "A15" else "claude-sonnet-4-5"
    sent = chat(messages, model).anthropic()["messages"]
    assert octavo.validate(sent, "anthropic", format="anthropic", model=model) == []
    assert messages == REFUSED[rule]


def test_what_was_changed_is_told() -> None:
    notes = chat(REFUSED["A10"]).notes("anthropic")
    assert Note("left out an empty text block", "converted", (1,)) in notes
    assert any(str(note).startswith("converted[1]: ") for note in notes)


def test_what_was_lost_is_told_too() -> None:
    thinking = [{"type": "thinking", "thinking": "hm", "signature": "S"}, {"type": "text", "text": "a"}]
    context = octavo.assemble(
        [ANTHROPIC.user("q"), {"role": "assistant", "content": thinking}], budget=9_000, model="claude-sonnet-4-5"
    )
    assert [note.message for note in context.notes("openai")] == [
        "thinking left out: only the provider that made it accepts it"
    ]


def test_the_rules_of_the_client_s_own_provider_hold_in_the_format_that_came_in() -> None:
    """Anthropic's format with an OpenAI model: assembled by that model's rules, sent through Anthropic's client."""
    messages = [ANTHROPIC.user("q"), {"role": "assistant", "content": [{"type": "text", "text": ""}]}]
    context = octavo.assemble(messages, budget=9_000, model="gpt-5", format="anthropic")
    assert context.provider == "openai"
    assert octavo.validate(context.anthropic()["messages"], "anthropic", format="anthropic") == []
    assert context.notes("anthropic") != ()


def test_the_rules_of_the_model_behind_a_gateway_hold_as_well() -> None:
    messages = [RESPONSES.user("q"), *RESPONSES.calls("c1"), *RESPONSES.results("c1")]
    context = octavo.assemble(messages, budget=9_000, model="deepseek-chat", format="openai-responses", thinking=True)
    sent = context.openai()["messages"]
    assert octavo.validate(sent, "openai", format="openai", model="deepseek-chat", thinking=True) == []
    assert sent[1]["reasoning_content"] == " "


def test_reasoning_is_kept_for_servers_that_want_it_back() -> None:
    thought = {"type": "thinking", "thinking": "look first", "signature": "S"}
    call = ANTHROPIC.calls("c1")[0]["content"]
    messages = [ANTHROPIC.user("q"), {"role": "assistant", "content": [thought, *call]}, *ANTHROPIC.results("c1")]
    context = octavo.assemble(messages, budget=9_000, model="deepseek-chat", format="anthropic", thinking=True)
    assert context.openai()["messages"][1]["reasoning_content"] == "look first"


@pytest.mark.parametrize(
    "dialect, client", [(ANTHROPIC, "anthropic"), (OPENAI, "openai"), (RESPONSES, "openai-responses")]
)
def test_the_format_that_came_in_costs_nothing_more(
    dialect: Dialect, client: ClientFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judged(*_: object) -> Any:
        raise AssertionError("the list was judged again")

    monkeypatch.setattr(client_module, "repaired_in", judged)
    messages = [dialect.user("task"), *dialect.loop(3)]
    context = octavo.assemble(messages, budget=9_000, model=dialect.model, format=dialect.format)
    calls: dict[ClientFormat, Callable[[], dict[str, Any]]] = {
        "anthropic": context.anthropic, "openai": context.openai, "openai-responses": context.responses,
    }  # fmt: skip
    arguments = calls[client]()
    sent = arguments["input" if client == "openai-responses" else "messages"]
    assert all(one is another for one, another in zip(sent, messages, strict=True))
    assert context.notes(client) == ()
    other: ClientFormat = "openai" if client != "openai" else "anthropic"
    with pytest.raises(AssertionError, match="judged again"):
        context.notes(other)


def test_what_the_caller_adds_is_sent() -> None:
    context = chat([OPENAI.user("q")])
    context.messages.append(OPENAI.reply("a"))
    context.messages.append(OPENAI.user("and b?"))
    assert [message["role"] for message in context.anthropic()["messages"]] == ["user", "assistant", "user"]


@pytest.mark.parametrize("given", ["", " \n", [{"type": "text", "text": ""}]])
def test_an_empty_system_prompt_is_not_sent_to_anthropic(given: Any) -> None:
    messages = [{"role": "system", "content": given}, OPENAI.user("q")]
    context = octavo.assemble(messages, budget=9_000, model="gpt-5", format="openai")
    assert context.anthropic() == {"messages": [OPENAI.user("q")]}
    assert bool(context.notes("anthropic")) == (given == " \n"), "an empty text says nothing, white space something"
    beside = [{"role": "system", "content": "be brief"}, *messages]
    arguments = octavo.assemble(beside, budget=9_000, model="gpt-5", format="openai").anthropic()
    assert arguments["system"] == [{"type": "text", "text": "be brief"}]


class Block(pydantic.BaseModel):
    type: str = "text"
    text: str


@pytest.mark.parametrize(
    "system",
    [Block(text="be"), [Block(text="be")], (Block(text="be"),), {"role": "system", "content": [Block(text="be")]}],
    ids=["block", "list", "tuple", "message"],
)
@pytest.mark.parametrize("dialect", [ANTHROPIC, OPENAI], ids=lambda dialect: dialect.format)
def test_a_system_prompt_that_is_an_object_is_sent_as_blocks(dialect: Dialect, system: Any) -> None:
    context = octavo.assemble([dialect.user("q")], budget=9_000, model=dialect.model, system=system)
    assert context.anthropic()["system"] == [{"type": "text", "text": "be"}]
    assert context.openai()["messages"][0] == {"role": "system", "content": [{"type": "text", "text": "be"}]}


def test_a_system_prompt_of_no_kind_is_a_typed_error() -> None:
    with pytest.raises(MessageError):
        convert([OPENAI.user("q")], "anthropic", system=cast("Any", 7))


def test_an_empty_system_message_amid_the_others_is_left_out() -> None:
    messages = [OPENAI.user("q"), OPENAI.reply("a"), {"role": "system", "content": " "}, OPENAI.user("r")]
    context = octavo.assemble(messages, budget=9_000, model="gpt-5", format="openai")
    assert [message["content"] for message in context.anthropic()["messages"]] == ["q", "a", "r"]
    assert "left out" in str(context.notes("anthropic")[0])


@pytest.mark.parametrize("dialect", [GEMINI, BEDROCK], ids=lambda dialect: dialect.format)
def test_gemini_and_bedrock_are_not_converted_and_say_so(dialect: Dialect) -> None:
    context = octavo.assemble(
        [dialect.user("q")], budget=9_000, model=dialect.model, format=dialect.format, tools=tools_of(dialect)
    )
    for written in (context.anthropic, context.openai, context.responses):
        with pytest.raises(ConversionError, match=dialect.format):
            written()


def test_an_unknown_client_is_a_typed_error() -> None:
    unknown: Any = "gemini"
    with pytest.raises(FormatError, match="expected one of anthropic, openai, openai-responses"):
        chat([OPENAI.user("q")]).notes(unknown)


def test_the_stored_response_is_named_where_the_client_takes_it() -> None:
    output = {"type": "function_call_output", "call_id": "c1", "output": "out"}
    context = octavo.assemble(
        [output], budget=9_000, model="gpt-5.1", format="openai-responses", previous_response_id="resp_1"
    )
    assert context.responses() == {"input": [output], "previous_response_id": "resp_1"}
    assert "previous_response_id" not in context.openai()
    transcript = octavo.Transcript("gpt-5.1", format="openai-responses")
    transcript.append(output)
    for stored in ("resp_1", "resp_2", None):
        arguments = transcript.assemble(budget=9_000, previous_response_id=stored).responses()
        assert arguments.get("previous_response_id", None) == stored
    # From Chat messages as well: it is the request that continues a response.
    assert chat([OPENAI.user("q")], "gpt-5.1", previous_response_id="resp_1").responses() == {
        "input": [OPENAI.user("q")],
        "previous_response_id": "resp_1",
    }


def test_an_anthropic_client_gets_no_empty_text_of_the_system_prompt() -> None:
    system = [{"type": "text", "text": ""}, {"type": "text", "text": "policy"}]
    context = octavo.assemble([ANTHROPIC.user("q")], budget=9_000, model="gpt-5", format="anthropic", system=system)
    assert context.system is system
    assert context.anthropic()["system"] == [system[1]]
