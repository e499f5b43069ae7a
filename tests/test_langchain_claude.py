"""LangChain messages that are trimmed for Claude: what its provider package passes on, and the API refuses."""

from __future__ import annotations

import random
from copy import deepcopy
from typing import Any

import pytest

import octavo
from octavo.errors import MessageError
from octavo.integrations.langchain import trim

kinds: Any = pytest.importorskip("langchain_core.messages", reason="langchain-core is not installed")

MARKED = "claude-sonnet-4-6"  # takes no system messages amid the others
IN_PLACE = "claude-opus-4-8"  # takes them behind a user's message
BLANK = " \n"
CALL = {"name": "look", "args": {}, "id": "c1", "type": "tool_call"}
QUESTION, ANSWER, MORE = kinds.HumanMessage("a"), kinds.AIMessage("b"), kinds.HumanMessage("c")


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def trimmed(messages: list[Any], model: str = MARKED, budget: int = 5_000, **options: Any) -> list[Any]:
    copies = deepcopy(messages)
    kept = trim(messages, budget=budget, model=model, **options)
    assert messages == copies
    return kept


# ---- blank texts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "blank",
    [
        kinds.HumanMessage(BLANK),
        kinds.HumanMessage(""),
        kinds.HumanMessage([BLANK]),
        kinds.HumanMessage([text(BLANK)]),
        kinds.HumanMessage([]),
        kinds.AIMessage(BLANK),
        kinds.AIMessage([text(BLANK)]),
        kinds.SystemMessage(BLANK),
        kinds.message_to_dict(kinds.HumanMessage(BLANK)),
        {"role": "user", "content": BLANK},
        ("human", BLANK),
        BLANK,
    ],
)
def test_a_message_that_says_nothing_is_left_out(blank: Any) -> None:
    said = [kinds.HumanMessage("a"), kinds.AIMessage("b"), kinds.HumanMessage("c")]
    given = [said[0], blank, *said[1:]]
    kept = trimmed(given)
    assert kept == said
    assert all(one is own for one, own in zip(kept, said, strict=True))
    assert len(trimmed(given, "gpt-5.6")) == 4, "other providers take it"


@pytest.mark.parametrize("role", [kinds.HumanMessage, kinds.SystemMessage])
def test_a_blank_opening_is_left_out(role: Any) -> None:
    kept = trimmed([role(BLANK), kinds.HumanMessage("a")])
    assert [one.content for one in kept] == ["a"]


@pytest.mark.parametrize("kind", [kinds.AIMessage, kinds.AIMessageChunk])
def test_a_blank_text_beside_a_call_goes_and_the_copy_keeps_the_rest(kind: Any) -> None:
    usage = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
    extra = {"id": "run-1", "usage_metadata": usage, "response_metadata": {"model_provider": "anthropic"}}
    given = [
        kinds.HumanMessage("a"),
        kind(BLANK, tool_calls=[CALL], **extra),
        kinds.ToolMessage("r", tool_call_id="c1"),
    ]
    _, answer, _ = trimmed(given)
    assert answer == kind("", tool_calls=[CALL], **extra)
    assert type(answer) is kind


@pytest.mark.parametrize(
    "message, content",
    [
        (kinds.HumanMessage(["", "a", text(BLANK)]), ["a", text(BLANK)]),
        (kinds.SystemMessage(["", "a", text(BLANK), text("b")]), ["a", text("b")]),
        (kinds.AIMessage([BLANK, {"type": "thinking", "thinking": "hm", "signature": "s"}]), None),
    ],
)
def test_blank_texts_amid_others_go(message: Any, content: list[Any] | None) -> None:
    before = [] if message.type == "system" else [kinds.HumanMessage("q")]
    given = [*before, message, kinds.HumanMessage("z")]
    edited = trimmed(given)[len(before)]
    assert type(edited) is type(message)
    assert edited.content == (message.content[1:] if content is None else content)


def test_blank_texts_of_dumps_pairs_and_results_go() -> None:
    dump = kinds.message_to_dict(kinds.HumanMessage(["", "a"], id="1"))
    answer = kinds.AIMessage("", tool_calls=[CALL, {**CALL, "id": "c2"}])
    result = kinds.ToolMessage(["", "found"], tool_call_id="c1", artifact=7, status="error")
    silent = kinds.ToolMessage("", tool_call_id="c2")
    kept = trimmed([dump, ("human", ["", text("b")]), answer, result, silent])
    assert kept[0] == {"type": "human", "data": {**dump["data"], "content": ["a"]}}
    assert kept[1] == ("human", [text("b")])
    assert kept[2] is answer
    assert kept[3] == kinds.ToolMessage(["found"], tool_call_id="c1", artifact=7, status="error")
    assert kept[4] is silent


def test_what_says_something_without_a_text_stays() -> None:
    seen = {"type": "image_url", "image_url": {"url": "https://x/y.png"}}
    given = [
        kinds.HumanMessage([seen]),
        kinds.AIMessage([{"type": "redacted_thinking", "data": "RW5j"}]),
        kinds.HumanMessage([{"type": "hologram"}]),
    ]
    assert all(one is own for one, own in zip(trimmed(given), given, strict=True))


def test_an_error_names_the_place_in_what_was_given() -> None:
    given = [kinds.HumanMessage(BLANK), kinds.HumanMessage("a"), {"role": "nobody", "content": "x"}]
    with pytest.raises(MessageError, match="message 2: ") as caught:
        trim(given, budget=1_000, model=MARKED)
    assert caught.value.index == 2


# ---- thinking of an answer that is edited ---------------------------------------------------------------------------

THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
NO_ID = {**CALL, "id": ""}


@pytest.mark.parametrize(
    "content, edited",
    [
        ([THOUGHT, text("I look"), {"type": "tool_use", "id": "", "name": "look", "input": {}}], [text("I look")]),
        ([THOUGHT, {"type": "redacted_thinking", "data": "RW5j"}], [{"type": "redacted_thinking", "data": "RW5j"}]),
        ([THOUGHT], []),
    ],
)
def test_an_answer_that_is_edited_keeps_its_thinking(content: list[Any], edited: list[Any]) -> None:
    answer = kinds.AIMessage(content, tool_calls=[NO_ID])
    _, new, result = trimmed([QUESTION, answer, kinds.ToolMessage("r", tool_call_id="")], thinking=True)
    assert new.content == [THOUGHT, *edited]
    assert new.additional_kwargs == {}
    assert new.tool_calls[0]["id"] == result.tool_call_id != ""


def test_thinking_that_stood_amid_the_rest_is_not_moved() -> None:
    answer = kinds.AIMessage([text("I look"), THOUGHT], tool_calls=[NO_ID])
    _, new, _ = trimmed([QUESTION, answer, kinds.ToolMessage("r", tool_call_id="")])
    assert new.content == [text("I look")]


# ---- system messages amid the others --------------------------------------------------------------------------------

MID = kinds.SystemMessage("be brief")
SAID = kinds.HumanMessage("<system>\nbe brief\n</system>")
LEAD = kinds.SystemMessage("policy")


@pytest.mark.parametrize("lead", [[], [LEAD], [LEAD, kinds.SystemMessage("more policy")]])
def test_a_system_message_amid_the_others_becomes_the_user_s(lead: list[Any]) -> None:
    kept = trimmed([*lead, QUESTION, ANSWER, MID, MORE])
    assert kept == [*lead, QUESTION, ANSWER, SAID, MORE]
    assert all(one is own for one, own in zip(kept, [*lead, QUESTION, ANSWER], strict=False))


@pytest.mark.parametrize(
    "messages, own",
    [
        ([QUESTION, MID, ANSWER, MORE], True),
        ([QUESTION, MID], True),
        ([LEAD, QUESTION, MID, MID], True),
        ([QUESTION, ANSWER, MID], False),
        ([QUESTION, MID, MORE], False),
        ([QUESTION, ANSWER, MID, MORE], False),
    ],
)
def test_a_model_that_takes_it_gets_it_where_it_may_stand(messages: list[Any], own: bool) -> None:
    kept = trimmed(messages, IN_PLACE)
    assert kept == [SAID if one is MID and not own else one for one in messages]
    assert [SAID if one is MID else one for one in messages] == trimmed(messages)


def test_a_developer_s_message_and_one_of_blocks_are_said_too() -> None:
    developer = kinds.SystemMessage("x", additional_kwargs={"__openai_role__": "developer"})
    blocks = kinds.SystemMessage([text("be"), "brief"])
    kept = trimmed([QUESTION, developer, ANSWER, blocks, MORE])
    assert [one.content for one in kept] == ["a", "<system>\nx\n</system>", "b", "<system>\nbe\nbrief\n</system>", "c"]


def test_what_changes_the_tools_is_no_text_to_be_said() -> None:
    change = kinds.SystemMessage([{"type": "tool_addition", "tool": {"type": "tool_reference", "name": "f"}}])
    assert trimmed([QUESTION, change, ANSWER, MORE], IN_PLACE)[1] is change


def test_what_it_becomes_is_within_the_budget() -> None:
    counter = octavo.counter_for(MARKED)
    given = [one for n in range(60) for one in (kinds.HumanMessage(f"q {n}"), kinds.SystemMessage(f"s {n}"), ANSWER)]
    for budget in range(80, 200, 7):
        kept = trimmed([*given, MORE], budget=budget)
        written = [{"role": "assistant" if one.type == "ai" else "user", "content": one.content} for one in kept]
        assert counter.count_messages(written, format="openai").tokens <= budget


# ---- what the provider package makes of it --------------------------------------------------------------------------


def history(seed: int) -> list[Any]:
    pick = random.Random(seed)
    made: list[Any] = [kinds.SystemMessage(pick.choice(["policy", "", [text(""), text("b")]]))] * pick.randrange(3)
    for turn in range(pick.randrange(1, 9)):
        made.append(kinds.HumanMessage(pick.choice(["q", " ", "", [], ["", "q"], [text(" ")], [text("q"), text("")]])))
        if pick.random() < 0.3:
            made.append(kinds.SystemMessage(pick.choice(["mid", " ", ["", "mid"]])))
        ids = [pick.choice([f"call.{turn}:{n}", f"toolu_{turn}_{n}"]) for n in range(pick.randrange(3))]
        calls = [{"name": "f", "args": {"n": turn}, "id": one, "type": "tool_call"} for one in ids]
        blocks = [{"type": "tool_use", "id": one, "name": "f", "input": {"n": turn}} for one in ids]
        thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
        content = pick.choice(["", " ", "a", [text("")], ["", "a"], blocks, [thought, text("a"), *blocks], [text("a")]])
        made.append(kinds.AIMessage(content, tool_calls=calls))
        results = pick.choice(["r", "", [text("r"), text("")], ["", "r"], [" "]])
        made += [kinds.ToolMessage(results, tool_call_id=one) for one in ids if pick.random() < 0.9]
        if pick.random() < 0.2:
            made.append(kinds.SystemMessage("after"))
    return [*made, kinds.HumanMessage("and now?")][: pick.choice([None, len(made) or None])]


@pytest.mark.parametrize("model", [MARKED, IN_PLACE])
def test_the_provider_takes_what_its_package_makes_of_it(model: str) -> None:
    package: Any = pytest.importorskip("langchain_anthropic", reason="langchain-anthropic is not installed")
    client = package.ChatAnthropic(model=model, api_key="none", max_tokens=16)
    looked = 0
    for seed in range(100):
        for budget in (60, 150, 4_000):
            kept = trim(history(seed), budget=budget, model=model)
            if not any(one.type == "human" for one in kept):
                continue  # nothing was asked
            # A system message that it moves to the front is a warning, which fails the test.
            payload = client._get_request_payload(kept)
            system = payload.get("system")
            found = octavo.validate(
                payload["messages"], "anthropic", format="anthropic", model=model, system=system or None
            )
            # The API itself joins a run of one role (Messages, `messages`); it may only not begin with an answer.
            assert [one for one in found if one.rule != "A9"] == [], (seed, budget)
            assert payload["messages"][0]["role"] == "user"
            looked += 1
    assert looked > 200
