"""Ids that a server uses again: each use gets a name of its own that nothing later changes, at the same cost."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

import octavo
from sessions import ANTHROPIC, FILLER, Messages
from timing import assert_at_most, spent


def turns(ids: list[str], *, text: str = FILLER) -> Messages:
    """A call and its result for each id, after the task."""
    loop = (one for name in ids for one in (*ANTHROPIC.calls(name), *ANTHROPIC.results(name, text=text)))
    return [ANTHROPIC.user("task"), *loop]


def called(messages: list[Any]) -> list[str]:
    return [block["id"] for message in messages for block in message["content"] if "id" in block]


def answered(messages: list[Any]) -> list[str]:
    return [block["tool_use_id"] for message in messages for block in message["content"] if "tool_use_id" in block]


def test_each_further_use_is_named_by_its_place() -> None:
    messages = turns(["t1", "t1", "t2", "t1"])
    repaired = octavo.repair(messages, "anthropic").messages
    assert called(repaired) == answered(repaired) == ["t1", "call_3_0", "t2", "call_7_0"]
    assert repaired[1] is messages[1]
    assert octavo.validate(repaired, "anthropic") == []
    again = octavo.repair(repaired, "anthropic")
    assert again.log == ()
    assert all(one is other for one, other in zip(again.messages, repaired, strict=True))


def test_an_id_that_looks_made_is_one_more_use_wherever_it_stands() -> None:
    # Before the call whose place it names, and after it.
    before = octavo.repair(turns(["call_5_0", "t1", "t1"]), "anthropic").messages
    assert called(before) == answered(before) == ["call_5_0", "t1", "call_5_0_2"]
    after = octavo.repair(turns(["t1", "t1", "call_3_0", "call_3_0_2"]), "anthropic").messages
    assert called(after) == answered(after) == ["t1", "call_3_0", "call_5_0", "call_3_0_2"]
    for repaired in (before, after):
        assert octavo.validate(repaired, "anthropic") == []


def test_what_was_repaired_may_go_on_with_the_same_ids() -> None:
    # A caller who keeps what was sent: places move, and made ids are as good as any.
    kept: list[Any] = turns(["t1"])
    for _ in range(6):
        kept = octavo.repair([kept[0], *kept[3:], *turns(["t1", "t1", "t1"])[1:]], "anthropic").messages
        assert octavo.validate(kept, "anthropic") == []
        assert len(set(called(kept))) == len(called(kept)) > 0
        assert called(kept) == answered(kept)


def test_a_refused_id_gets_a_made_one_that_is_nobody_s() -> None:
    uses: list[dict[str, Any]] = [
        {"toolUse": {"toolUseId": name, "name": "look", "input": {}}} for name in ("a.b", "call_1_0", "a:b")
    ]
    results = [
        {"toolResult": {"toolUseId": one["toolUse"]["toolUseId"], "content": [{"text": str(at)}]}}
        for at, one in enumerate(uses)
    ]
    messages = [
        {"role": "user", "content": [{"text": "task"}]},
        {"role": "assistant", "content": uses},
        {"role": "user", "content": results},
    ]
    repaired = octavo.repair(messages, "bedrock", format="bedrock").messages
    ids = [block["toolUse"]["toolUseId"] for block in repaired[1]["content"]]
    said = {block["toolResult"]["toolUseId"]: block["toolResult"]["content"] for block in repaired[2]["content"]}
    assert len(set(ids)) == 3
    assert [said[name] for name in ids] == [[{"text": "0"}], [{"text": "1"}], [{"text": "2"}]]
    assert octavo.validate(repaired, "bedrock", format="bedrock") == []


@pytest.mark.parametrize("thinking", [None, True])
def test_names_that_were_sent_stay_whatever_comes_later(thinking: bool | None) -> None:
    # Genuine ids of every form that a name may have, after the use that they could be taken for and before it.
    ids = [name for turn in range(20) for name in ("t1", f"t1-{turn + 1}", f"call_{1 + 6 * (turn + turn % 2)}_0")]
    transcript = octavo.Transcript("claude-sonnet-4-5", format="anthropic")
    sent: list[list[Any]] = []
    for at, message in enumerate(turns(ids)):
        transcript.append(message)
        if at % 2 == 0:
            context = transcript.assemble(budget=100_000, thinking=thinking)
            assert octavo.validate(context.messages, "anthropic", thinking=False if thinking is None else None) == []
            sent.append(context.messages)
    assert len(sent) == 61
    for before, after in itertools.pairwise(sent):
        assert after[: len(before)] == before
    names = called(sent[-1])
    assert names == answered(sent[-1])
    assert len(set(names)) == len(names) == 60
    assert len([name for name in names if name not in ids]) >= 20
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names)


def test_b067_repeated_ids_cost_what_is_shown_not_what_there_is() -> None:
    def grown(exchanges: int) -> octavo.Transcript:
        transcript = octavo.Transcript("claude-sonnet-4-5", format="anthropic")
        transcript.extend(turns([f"call_{at % 3}" for at in range(exchanges)]))
        transcript.assemble(budget=8_000)
        return transcript

    def cost(transcript: octavo.Transcript) -> float:
        grows, took = transcript.fork(), 0.0
        for turn in range(30):
            for one in turns([f"call_{turn % 3}"])[1:]:
                grows.append(one)
            took += spent(lambda: sent.append(called(grows.assemble(budget=8_000).messages)))
            assert len(set(sent[-1])) == len(sent[-1]) > 20
        return took

    sent: list[list[Any]] = []
    short, long = grown(1_000), grown(20_000)
    assert_at_most(2, lambda: cost(short), lambda: cost(long))
