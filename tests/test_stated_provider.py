"""A stated provider decides the format where the messages do not, at every entry point."""

from __future__ import annotations

from typing import Any, Final

import pytest

import octavo
from command_line import Run, Write
from octavo.errors import FormatError
from octavo.messages import FORMATS, Provider, infer_format

USER: Final = {"role": "user", "content": "hello"}
SHAPES: Final[dict[str, list[dict[str, Any]]]] = {
    "nothing": [],
    "text": [USER],
    "empty text": [{"role": "user", "content": ""}],
    "texts": [USER, {"role": "assistant", "content": "hi"}, {"role": "user", "content": "  "}],
    "text block": [{"role": "user", "content": [{"type": "text", "text": ""}]}],
    "answer in blocks": [USER, {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}, USER],
    "marked text": [
        {"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]}
    ],
    "null answer": [
        USER, {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}, {"role": "assistant", "content": None}
    ],
    "later system": [USER, {"role": "system", "content": "s"}, {"role": "assistant", "content": "hi"}, USER],
    "no content": [{"role": "user"}],
}  # fmt: skip
MODELS: Final = (None, "claude-sonnet-4-6", "gpt-5.6", "glm-4.6")


def expected(provider: Provider, messages: list[dict[str, Any]]) -> str:
    """The provider's own format; Gemini's has no `content`, so that a message with one is Chat's."""
    return "openai" if provider == "gemini" and messages and "content" in messages[0] else provider


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("provider", FORMATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_format_is_the_stated_provider_s(shape: str, provider: Provider, model: str | None) -> None:
    messages = SHAPES[shape]
    told: Any = expected(provider, messages)
    assert infer_format(messages, model, provider) == told
    assert octavo.validate(messages, provider, model=model) == octavo.validate(
        messages, provider, model=model, format=told
    )
    assert octavo.repair(messages, provider, model=model) == octavo.repair(messages, provider, model=model, format=told)
    context = octavo.assemble(messages, budget=1_000, provider=provider, model=model)
    assert (context.format, context.provider) == (told, provider)
    assert (
        context.messages
        == octavo.assemble(messages, budget=1_000, provider=provider, model=model, format=told).messages
    )
    stepped = octavo.Transcript(model, provider=provider)
    for message in messages:
        stepped.append(message)
        assert stepped.format == told
    assert stepped.fork().assemble(budget=1_000).messages == context.messages


@pytest.mark.parametrize("provider", FORMATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_command_line_judges_as_the_stated_provider(
    shape: str, provider: Provider, run_octavo: Run, write_lines: Write
) -> None:
    file = write_lines({"id": shape, "messages": SHAPES[shape]})
    found = [
        (line["index"], line["rule"]) for line in run_octavo("validate", file, "--provider", provider, "--json").lines
    ]
    assert found == [(one.index, one.rule) for one in octavo.validate(SHAPES[shape], provider)]


def test_an_empty_text_is_refused_for_anthropic() -> None:
    for shape in ("empty text", "texts", "text block", "null answer"):
        assert "A10" in {one.rule for one in octavo.validate(SHAPES[shape], provider="anthropic")}, shape
    assert octavo.repair(SHAPES["empty text"], provider="anthropic").messages != SHAPES["empty text"]
    assert octavo.assemble(SHAPES["texts"], budget=1_000, provider="anthropic").messages == SHAPES["texts"][:2]


def test_a_null_answer_is_judged_for_openai() -> None:
    assert [one.rule for one in octavo.validate(SHAPES["null answer"], provider="openai")] == ["O7"]


CALL: Final = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": {}}]}
DECISIVE: Final[dict[str, list[dict[str, Any]]]] = {
    "openai": [USER, CALL],
    "anthropic": [USER, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "n", "input": {}}]}],
    "openai-responses": [USER, {"type": "function_call", "call_id": "c", "name": "n", "arguments": "{}"}],
    "gemini": [{"role": "user", "parts": [{"text": "x"}]}],
    "bedrock": [{"role": "user", "content": [{"text": "x"}]}],
}


@pytest.mark.parametrize("provider", FORMATS)
@pytest.mark.parametrize("told", DECISIVE)
def test_what_only_one_format_can_write_outweighs_the_provider(told: str, provider: Provider) -> None:
    assert infer_format(DECISIVE[told], None, provider) == told
    context = octavo.assemble(DECISIVE[told], budget=1_000, provider=provider)
    assert (context.format, context.provider) == (told, provider)


@pytest.mark.parametrize("role", ["system", "developer"])
@pytest.mark.parametrize("provider", FORMATS)
def test_a_leading_system_message_is_chat_s_or_an_item(role: str, provider: Provider) -> None:
    messages = [{"role": role, "content": "policy"}, USER]
    told = "openai-responses" if provider == "openai-responses" else "openai"
    assert infer_format(messages, None, provider) == told
    context = octavo.assemble(messages, budget=1_000, provider=provider)
    assert (context.format, context.messages) == (told, messages)


def test_an_unknown_provider_is_a_typed_error() -> None:
    with pytest.raises(FormatError):
        infer_format([USER], None, "mistral")
