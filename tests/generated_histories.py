"""Hypothesis strategies for message lists of every format, mostly nearly right and sometimes badly broken."""

from __future__ import annotations

import copy
import itertools
from typing import Any

from hypothesis import strategies as st

Messages = list[dict[str, Any]]

_IDS = st.sampled_from(["c1", "c2", "c3", "c1-2", "call_3_0"])
_ODD_IDS = st.sampled_from(["c1", "c2", "c3", "call_1_0", "c 1", "c:1", "c_1"])
_SEARCHES = st.sampled_from(["w", "w", "v"])
_LONG_ID = "c" * 65
_NAMES = st.sampled_from([{"name": "look"}, {"name": "look"}, {"name": "look"}, {"name": "find"}, {"name": ""}, {}])
_ARGUMENTS: st.SearchStrategy[Any] = st.sampled_from([{}, {"q": 1}, {}, {"q": 2}, None, "", '{"q": 3}', "oops", [4]])
_TEXTS = st.sampled_from(["hello", "two words", "", " ", "ends in space ", "줄\n"])
_CACHE = st.sampled_from([None, None, None, None, {"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}])


@st.composite
def anthropic_text(draw: st.DrawFn) -> dict[str, Any]:
    cache = draw(_CACHE)
    return {"type": "text", "text": draw(_TEXTS), **({} if cache is None else {"cache_control": cache})}


def _anthropic_use() -> st.SearchStrategy[dict[str, Any]]:
    return _IDS.map(lambda name: {"type": "tool_use", "id": name, "name": "look", "input": {"q": name}})


def _anthropic_block() -> st.SearchStrategy[dict[str, Any]]:
    return st.one_of(
        anthropic_text(),
        _anthropic_use(),
        st.tuples(_ODD_IDS, _ARGUMENTS, _NAMES).map(
            lambda drawn: {"type": "tool_use", "id": drawn[0], **drawn[2], "input": drawn[1]}
        ),
        st.just("bare"),
        _marked({"type": "thinking", "thinking": "hm  ", "signature": "S"}),
        _marked({"type": "redacted_thinking", "data": "x"}),
        _SEARCHES.map(lambda name: {"type": "web_search_tool_result", "tool_use_id": name, "content": []}),
        _SEARCHES.map(lambda name: {"type": "server_tool_use", "id": name, "name": "web_search", "input": {}}),
        st.just({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}),
    )


def _marked(block: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    return _CACHE.map(lambda cache: block if cache is None else {**block, "cache_control": cache})


def _anthropic_answer() -> st.SearchStrategy[dict[str, Any]]:
    result = _IDS.map(lambda name: {"type": "tool_result", "tool_use_id": name, "content": "out"})
    content = st.lists(anthropic_text() | st.sampled_from(["bare", ""]), max_size=3) | st.sampled_from([{"ok": 1}, ""])
    odd = st.tuples(_ODD_IDS, content, st.booleans()).map(
        lambda drawn: {"type": "tool_result", "tool_use_id": drawn[0], "content": drawn[1], "is_error": drawn[2]}
    )
    return st.one_of(result, result, odd, anthropic_text())


def _tidy(messages: Messages) -> st.SearchStrategy[Messages]:
    """The list as it is, or with what is missing most often put right: results for the calls before them."""
    return st.just(messages) | st.just(_answered(messages))


def _answered(messages: Messages) -> Messages:
    answered: Messages = []
    for message in messages:
        content = message["content"]
        calls = [b for b in content if isinstance(b, dict) and b["type"] == "tool_use"]
        answered.append(message)
        if message["role"] == "assistant" and calls:
            results = [{"type": "tool_result", "tool_use_id": c["id"], "content": "out"} for c in calls]
            answered.append({"role": "user", "content": results})
    return answered


def anthropic() -> st.SearchStrategy[Messages]:
    assistant = st.lists(_anthropic_block(), max_size=4).map(lambda c: {"role": "assistant", "content": c})
    user = st.lists(_anthropic_answer(), max_size=4).map(lambda c: {"role": "user", "content": c})
    # Blocks of the other role: a result that the assistant is made to say, a call of the user's.
    strayed = st.tuples(
        st.sampled_from(["user", "assistant"]), st.lists(_anthropic_answer() | _anthropic_use(), max_size=3)
    )
    said = st.tuples(st.sampled_from(["user", "assistant"]), _TEXTS).map(lambda m: {"role": m[0], "content": m[1]})
    system = anthropic_text().map(lambda block: {"role": "system", "content": [block]})
    tool = _IDS.map(lambda name: {"role": "tool", "tool_call_id": name, "content": "out"})
    holding = user.map(lambda message: {**message, "role": "tool"})
    other = st.sampled_from(["model", "developer"]).map(lambda role: {"role": role, "content": "x"})
    mixed = strayed.map(lambda drawn: {"role": drawn[0], "content": drawn[1]})
    message = st.one_of(assistant, assistant, user, user, said, system, st.one_of(tool, holding, other, mixed))
    return st.lists(message, max_size=10).flatmap(_tidy)


@st.composite
def openai(draw: st.DrawFn) -> Messages:
    messages: Messages = []
    for _ in range(draw(st.integers(0, 8))):
        kind = draw(st.sampled_from(["user", "assistant", "calls", "calls", "stray", "system", "caller", "foreign"]))
        if kind in ("user", "system"):
            messages.append({"role": kind, "content": draw(_TEXTS | st.sampled_from([None, [], {"ok": True}]))})
        elif kind == "caller":
            caller = {**_chat_turn(draw, [draw(_IDS)]), "role": draw(st.sampled_from(["user", "user", "system"]))}
            messages.append({key: value for key, value in caller.items() if key != "reasoning_content"})
        elif kind == "foreign":
            result = {"type": "tool_result", "tool_use_id": draw(_IDS), "content": "out"}
            more = draw(st.sampled_from([[], [{"type": "text", "text": "hello"}]]))
            messages.append({"role": "user", "content": [result, *more]})
        elif kind == "stray":
            messages.append({"role": "tool", "tool_call_id": draw(_IDS), "content": "out"})
        else:
            ids = draw(st.lists(_IDS, min_size=1, max_size=3)) if kind == "calls" else []
            messages.append(_chat_turn(draw, ids))
            for name in ids:
                fate = draw(
                    st.sampled_from(["answered", "answered", "answered", "answered", "lost", "nameless", "late"])
                )
                if fate == "late":
                    messages.append({"role": "user", "content": "meanwhile"})
                named = {} if fate == "nameless" else {"tool_call_id": name}
                if fate != "lost":
                    messages.append({"role": "tool", **named, "content": "out"})
    return messages


def _chat_turn(draw: st.DrawFn, ids: list[str]) -> dict[str, Any]:
    turn: dict[str, Any] = {"role": "assistant", "content": draw(_TEXTS | st.none())}
    if draw(st.integers(0, 4)) == 0:
        turn["tool_calls"] = []
    if ids:
        arguments = draw(st.sampled_from(["{}", "{}", "{}", {"q": 1}, None]))
        function = {**draw(_NAMES), "arguments": arguments}
        typed = draw(st.sampled_from([{"type": "function"}, {"type": "function"}, {"type": "function"}, {}]))
        turn["tool_calls"] = [{"id": name, **typed, "function": function} for name in ids]
    if draw(st.integers(0, 9)) == 0:
        turn["audio"] = draw(st.sampled_from([{"id": "audio_1"}, {"id": "audio_1"}, {}]))
    if draw(st.integers(0, 9)) == 0:
        turn["role"] = "model"
    if draw(st.booleans()):
        turn["reasoning_content"] = "because"
    return turn


def responses() -> st.SearchStrategy[Messages]:
    ids = st.one_of(_IDS, _IDS, _IDS, st.just(_LONG_ID))
    call = st.tuples(ids, st.sampled_from(["{}", "{}", {"q": 1}, None]), _NAMES).map(
        lambda drawn: {"type": "function_call", "call_id": drawn[0], **drawn[2], "arguments": drawn[1]}
    )
    output = ids.map(lambda name: {"type": "function_call_output", "call_id": name, "output": "out"})
    content: st.SearchStrategy[Any] = st.sampled_from(["hello", "hello", None, []])
    said = st.tuples(st.sampled_from(["user", "assistant", "system", "tool", "model"]), content).map(
        lambda drawn: {"type": "message", "role": drawn[0], "content": drawn[1]}
    )
    reasoning = st.just({"type": "reasoning", "id": "rs_1", "summary": []})
    reference: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
        [{"type": "item_reference", "id": "fc_1"}, {"id": "fc_2"}, {"type": "item_reference", "id": "msg_1"}]
    )
    tool = _IDS.map(lambda name: {"type": "message", "role": "tool", "tool_call_id": name, "content": "out"})
    odd = st.one_of(said, said, reasoning, reference, tool)
    return st.lists(st.one_of(call, call, output, output, odd, odd), max_size=14)


def gemini() -> st.SearchStrategy[Messages]:
    names = st.sampled_from(["look", "find"])
    text = st.just({"text": "hello"})
    call = st.tuples(names, st.sampled_from([{}, {"q": 1}, None, [1]])).map(
        lambda drawn: {"functionCall": {"name": drawn[0], "args": drawn[1]}}
    )
    signed = call.map(lambda part: {**part, "thoughtSignature": "S"})
    answer = names.map(lambda name: {"functionResponse": {"name": name, "response": {"ok": True}}})
    model = st.lists(st.one_of(text, call, signed), max_size=3).map(lambda parts: {"role": "model", "parts": parts})
    user = st.lists(st.one_of(text, answer, answer), max_size=3).map(lambda parts: {"role": "user", "parts": parts})
    other = model.map(lambda content: {**content, "role": "assistant"})
    mixed = st.tuples(st.sampled_from(["user", "model"]), st.lists(st.one_of(text, call, answer), max_size=3)).map(
        lambda drawn: {"role": drawn[0], "parts": drawn[1]}
    )
    return st.lists(st.one_of(model, model, user, user, other, mixed), max_size=10)


def bedrock() -> st.SearchStrategy[Messages]:
    text = _TEXTS.map(lambda value: {"text": value})
    ids = st.one_of(_ODD_IDS, _ODD_IDS, st.just(_LONG_ID))
    call = st.tuples(ids, _ARGUMENTS, _NAMES).map(
        lambda drawn: {"toolUse": {"toolUseId": drawn[0], **drawn[2], "input": drawn[1]}}
    )
    content: st.SearchStrategy[Any] = st.lists(st.sampled_from([{"text": "out"}, {"text": ""}]), max_size=2)
    result = st.tuples(_IDS, content, st.sampled_from(["success", "error"])).map(
        lambda drawn: {"toolResult": {"toolUseId": drawn[0], "content": drawn[1], "status": drawn[2]}}
    )
    thinking = st.just({"reasoningContent": {"reasoningText": {"text": "hm", "signature": "S"}}})
    cache = st.just({"cachePoint": {"type": "default"}})
    picture = st.just({"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}})
    assistant = st.lists(st.one_of(text, text, call, call, call, thinking, thinking, picture), max_size=3)
    user = st.lists(st.one_of(text, result, result, cache), max_size=3)
    message = st.one_of(
        assistant.map(lambda content: {"role": "assistant", "content": content}),
        user.map(lambda content: {"role": "user", "content": content}),
        st.tuples(st.sampled_from(["tool", "model", "user", "assistant"]), user).map(
            lambda drawn: {"role": drawn[0], "content": drawn[1]}
        ),
        st.lists(st.one_of(text, call, result), max_size=3).map(lambda content: {"role": "user", "content": content}),
    )
    return st.lists(message, max_size=10)


@st.composite
def _jumbled(draw: st.DrawFn, histories: st.SearchStrategy[Messages]) -> Messages:
    """The list as it was drawn, or with messages that were written too early, too late, or twice."""
    messages = draw(histories)
    for change in draw(st.lists(st.sampled_from(["swap", "again", "later"]), max_size=2)):
        if len(messages) > 1:
            at = draw(st.integers(0, len(messages) - 2))
            to = at + 1 if change == "swap" else draw(st.integers(at + 1, len(messages)))
            moved = copy.deepcopy(messages[at]) if change == "again" else messages.pop(at)
            messages.insert(to, moved)
    return _numbered(messages)


def _numbered(messages: Messages) -> Messages:
    """Copies in which every output is told from the others, so that a test sees which of them stands where."""
    messages = copy.deepcopy(messages)
    numbers = (f"out {number}." for number in itertools.count())
    for message in messages:
        if message.get("content") == "out":
            message["content"] = next(numbers)
        elif message.get("output") == "out":
            message["output"] = next(numbers)
        content = message.get("content")
        for block in content if isinstance(content, list) else message.get("parts", ()):
            if not isinstance(block, dict):
                continue
            if block.get("type") == "tool_result" and block["content"] == "out":
                block["content"] = next(numbers)
            elif "toolResult" in block:
                block["toolResult"]["content"] = [{"text": next(numbers)}]
            elif "functionResponse" in block:
                block["functionResponse"]["response"] = {"ok": next(numbers)}
    return messages


HISTORIES: dict[str, st.SearchStrategy[Messages]] = {
    "anthropic": _jumbled(anthropic()),
    "openai": _jumbled(openai()),
    "openai-responses": _jumbled(responses()),
    "gemini": _jumbled(gemini()),
    "bedrock": _jumbled(bedrock()),
}
"""A strategy for each provider's own format."""
