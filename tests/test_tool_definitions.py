"""Tool definitions of every shape: exact where a formula is published, an estimate with a bound where none is."""

from __future__ import annotations

from typing import Any

import pytest

import octavo
from octavo.tokens import Count, counter_for
from sessions import DIALECTS, OPENAI, Dialect, Message, tools_of

LONG = "Sorts the rows by the day on which they were first seen, newest first, and leaves out what was withdrawn."
MODELS = ["gpt-4o", "gpt-4", "claude-opus-4-8", "gemini-2.5-pro", "qwen3-32b", "house-model"]

every_model = pytest.mark.parametrize("model", MODELS)


def chat(parameters: Any, **members: Any) -> list[Message]:
    return [
        {"type": "function", "function": {"name": "find", "description": "Finds.", "parameters": parameters, **members}}
    ]


def object_of(**properties: Any) -> Message:
    return {"type": "object", "properties": properties}


def shapes(parameters: Any) -> dict[str, Any]:
    """One tool, in every shape that providers have."""
    own = {"name": "find", "description": "Finds."}
    return {
        "chat": [{"type": "function", "function": {**own, "parameters": parameters}}],
        "responses": [{"type": "function", **own, "parameters": parameters}],
        "anthropic": [{**own, "input_schema": parameters}],
        "anthropic, typed": [
            {"type": "custom", **own, "input_schema": parameters, "cache_control": {"type": "ephemeral"}}
        ],
        "gemini": [{"functionDeclarations": [{**own, "parameters": parameters}]}],
        "gemini, snake": [{"function_declarations": [{**own, "parameters_json_schema": parameters}]}],
        "gemini, json schema": {"functionDeclarations": [{**own, "parametersJsonSchema": parameters}]},
        "bedrock": {"tools": [{"toolSpec": {**own, "inputSchema": {"json": parameters}}}], "toolChoice": {"auto": {}}},
    }


def tokens(tools: Any, model: str = "gpt-4o") -> int:
    return counter_for(model).count_tools(tools)


def counted(tools: Any, model: str = "gpt-4o") -> Count:
    return counter_for(model).count_messages([OPENAI.user("hi")], tools, format="openai")


FLAT = object_of(q={"type": "string", "description": "What."}, kind={"type": "string", "enum": ["old", "new"]})

# Each adds something that a model reads to the flat schema, on some level.
DEEPER: dict[str, Message] = {
    "anyOf": object_of(q={"anyOf": [{"type": "string", "description": LONG}, {"type": "null"}]}),
    "oneOf": object_of(q={"oneOf": [{"type": "string", "description": LONG}, {"type": "integer"}]}),
    "allOf": object_of(q={"allOf": [{"type": "string", "description": LONG}]}),
    "anyOf at the top": {**FLAT, "anyOf": [{"required": ["q"], "description": LONG}]},
    "$defs": {
        **object_of(q={"$ref": "#/$defs/Q"}),
        "$defs": {"Q": object_of(r={"type": "string", "description": LONG})},
    },
    "definitions": {**FLAT, "definitions": {"Q": {"type": "string", "description": LONG}}},
    "items": object_of(q={"type": "array", "items": {"type": "string", "description": LONG}}),
    "items of values": object_of(q={"type": "array", "items": {"enum": LONG.split()}}),
    "items of objects": object_of(q={"type": "array", "items": object_of(r={"type": "string", "description": LONG})}),
    "items in a list": object_of(q={"type": "array", "items": [{"type": "string", "description": LONG}]}),
    "prefixItems": object_of(q={"type": "array", "prefixItems": [{"type": "string", "description": LONG}]}),
    "an object inside": object_of(q=object_of(r={"type": "string", "description": LONG})),
    "values of an object inside": object_of(q=object_of(r={"type": "string", "enum": LONG.split()})),
    "const": object_of(q={"const": LONG}),
    "default": object_of(q={"type": "string", "default": LONG}),
    "default of an object": object_of(q={"type": "object", "default": {"r": LONG}}),
    "examples": object_of(q={"type": "string", "examples": [LONG]}),
    "pattern": object_of(q={"type": "string", "pattern": LONG}),
    "title": object_of(q={"type": "string", "title": LONG}),
    "additionalProperties": object_of(
        q={"type": "object", "additionalProperties": {"type": "string", "description": LONG}}
    ),
    "additionalProperties at the top": {**FLAT, "additionalProperties": {"type": "string", "description": LONG}},
    "description of the whole": {**FLAT, "description": LONG},
    "not": object_of(q={"not": {"const": LONG}}),
    "types in a list": object_of(q={"type": LONG.split()}),
    "values that are no texts": object_of(q={"enum": [1, None, {"r": LONG}]}),
    "no object at all": {"type": "array", "items": {"type": "string", "description": LONG}},
}

deeper = pytest.mark.parametrize("parameters", DEEPER.values(), ids=DEEPER.keys())


@every_model
@deeper
def test_nothing_that_a_model_reads_counts_nothing(parameters: Message, model: str) -> None:
    words = counter_for(model).count(LONG)
    assert tokens(chat(parameters), model) - tokens(chat(object_of()), model) >= words * 0.9


@every_model
@deeper
def test_every_shape_of_the_same_tool_counts_alike(parameters: Message, model: str) -> None:
    each = {name: tokens(tools, model) for name, tools in shapes(parameters).items()}
    assert len(each) == 8
    assert set(each.values()) == {each["chat"]}, each


@pytest.mark.parametrize("name", DEEPER.keys() - {"values that are no texts"})
def test_what_the_published_rule_does_not_speak_of_is_an_estimate(name: str) -> None:
    parameters = DEEPER[name]
    plain, estimated = counted(chat(FLAT)), counted(chat(parameters))
    assert (plain.method, estimated.method) == ("exact", "estimated")
    assert estimated.error_bound >= counter_for("gpt-4o").count(LONG) * 0.4
    assert estimated.error_bound < estimated.tokens


def test_the_published_rule_is_kept_to_the_token() -> None:
    """OpenAI's cookbook: 7 and a line for the function, 3 and a line for each property, 3 for each value, 12 once."""
    counter = counter_for("gpt-4o")
    lines = sum(counter.count(line) for line in ("find:Finds", "q:string:What", "kind:string:", "old", "new"))
    assert tokens(chat(FLAT)) == 7 + 3 + 3 + 3 - 3 + 3 + 3 + 12 + lines
    assert tokens(chat({**FLAT, "required": ["q"]})) == tokens(chat(FLAT)), "as in the cookbook's own example"
    assert counted(chat({**FLAT, "required": ["q"]})).method == "exact"


@pytest.mark.parametrize(
    "tools",
    [
        chat(FLAT, strict=True),
        chat({**FLAT, "additionalProperties": False}),
        [{"type": "function", "name": "find", "description": "Finds.", "parameters": FLAT, "strict": True}],
        [{"name": "find", "description": "Finds.", "input_schema": FLAT, "input_examples": [{"q": "x"}]}],
        [
            {
                "type": "function",
                "function": {"name": "find", "description": "Finds.", "parameters": FLAT},
                "strict": True,
            }
        ],
    ],
    ids=["strict", "closed", "strict, flat", "examples", "strict beside"],
)
def test_flags_count_a_little(tools: Any) -> None:
    for model in MODELS:
        assert 1 <= tokens(tools, model) - tokens(chat(FLAT), model) <= 25
    assert counted(tools).method == "estimated"


GRAMMAR = "start: word+\nword: /[a-z]+/\n" * 40


@pytest.mark.parametrize(
    "tool",
    [
        {
            "type": "custom",
            "name": "c",
            "description": "d",
            "format": {"type": "grammar", "syntax": "lark", "definition": GRAMMAR},
        },
        {"type": "custom", "name": "c", "format": {"type": "grammar", "syntax": "lark", "definition": GRAMMAR}},
        {
            "type": "custom",
            "custom": {
                "name": "c",
                "format": {"type": "grammar", "grammar": {"syntax": "lark", "definition": GRAMMAR}},
            },
        },
        {
            "type": "custom",
            "custom": {
                "name": "c",
                "description": "d",
                "format": {"type": "grammar", "grammar": {"syntax": "lark", "definition": GRAMMAR}},
            },
        },
    ],
    ids=["flat", "flat, bare", "chat, bare", "chat"],
)
def test_a_grammar_is_counted(tool: Message) -> None:
    for model in MODELS:
        assert tokens([tool], model) >= counter_for(model).count(GRAMMAR) * 0.9
    assert counted([tool]).method == "estimated"


BUILT_IN: dict[str, Any] = {
    "web search": [{"type": "web_search_preview", "user_location": {"type": "approximate", "country": "KR"}}],
    "file search": [{"type": "file_search", "vector_store_ids": ["vs_1"]}],
    "mcp": [
        {"type": "mcp", "server_label": "deepwiki", "server_url": "https://x.test/mcp", "require_approval": "never"}
    ],
    "code interpreter": [{"type": "code_interpreter", "container": {"type": "auto"}}],
    "computer": [{"type": "computer_20250124", "name": "computer", "display_width_px": 1024, "display_height_px": 768}],
    "bash": [{"type": "bash_20250124", "name": "bash"}],
    "gemini": [{"googleSearch": {}}],
    "gemini, snake": [{"code_execution": {}}],
    "bedrock": {"tools": [{"systemTool": {"name": "nova_grounding"}}]},
}


@every_model
@pytest.mark.parametrize("tools", BUILT_IN.values(), ids=BUILT_IN.keys())
def test_a_tool_of_the_providers_own_is_counted(tools: Any, model: str) -> None:
    assert tokens(tools, model) >= 8
    assert counted(tools, model).method == "estimated"


@every_model
def test_what_stands_beside_a_list_of_functions_is_counted(model: str) -> None:
    declared = {"functionDeclarations": [{"name": "find", "description": "Finds.", "parameters": FLAT}]}
    alone = tokens([declared], model)
    assert 1 <= tokens([{**declared, "googleSearch": {}, "codeExecution": None}], model) - alone <= 8
    namespace = {
        "type": "namespace",
        "name": "crm",
        "description": LONG,
        "tools": [{"type": "function", **declared["functionDeclarations"][0]}],
    }
    assert tokens([namespace], model) - alone >= counter_for(model).count(LONG)
    cached = {
        "tools": [
            {"toolSpec": {"name": "find", "description": "Finds.", "inputSchema": {"json": FLAT}}},
            {"cachePoint": {"type": "default"}},
        ]
    }
    assert tokens(cached, model) == alone


def test_a_picture_in_a_definition_is_no_text() -> None:
    short, long = (tokens(chat(FLAT, icon="data:image/png;base64," + "A" * length)) for length in (2_000, 2_000_000))
    assert short == long < 2_000


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.format)
def test_a_report_says_of_tools_what_the_counter_says(dialect: Dialect) -> None:
    tools = tools_of(dialect)
    odd = [*tools, {"type": "hologram_20260101", "name": "hologram", "notes": LONG * 20}]
    messages = [dialect.user("Task"), dialect.reply("so"), dialect.user("go on")]
    counter = counter_for(dialect.model)
    for given, method in ((tools, counter.method), (odd, "estimated")):
        report = octavo.assemble(messages, budget=90_000, model=dialect.model, tools=given).report
        expected = counter.count_messages(messages, given, format=dialect.format)
        assert (report.tokens, report.method) == (expected.tokens, method)
        assert report.error_bound == pytest.approx(expected.error_bound / expected.tokens)


def test_a_report_says_of_the_system_prompt_what_the_counter_says() -> None:
    system = [{"type": "text", "text": "You help."}, {"type": "hologram", "words": LONG * 20}]
    messages = [{"role": "user", "content": "hi"}]
    report = octavo.assemble(messages, budget=90_000, model="claude-opus-4-8", system=system, format="anthropic").report
    expected = counter_for("claude-opus-4-8").count_messages(messages, system=system, format="anthropic")
    assert (report.tokens, report.method) == (expected.tokens, "estimated")
    assert report.error_bound == pytest.approx(expected.error_bound / expected.tokens)
    assert expected.error_bound >= counter_for("claude-opus-4-8").count(LONG * 20) // 2


@every_model
def test_hostile_schemas_end(model: str) -> None:
    deep: Any = {"type": "string"}
    for _ in range(120):
        deep = object_of(q=deep, r={"type": "array", "items": {"anyOf": [deep]}}) if _ < 8 else object_of(q=deep)
    assert tokens(chat(deep), model) > 100
    for odd in (None, 7, "x", [], {}, [None], {"properties": 7}, {"properties": {"q": 7}}, {"properties": {"q": None}}):
        assert tokens(chat(odd), model) > 0
    wrapped: Any = chat(FLAT)
    for _ in range(40):
        wrapped = {"tools": wrapped}
    assert tokens(wrapped, model) >= 0
