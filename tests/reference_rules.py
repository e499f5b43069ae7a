"""The provider rules once more, in plain Python on plain dicts: what the engine is compared with.

Written from the rules as providers state them, message by message and without any of the engine's
shortcuts; slow on purpose. Only lists in a provider's own format are judged here.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Found = list[tuple[int, str]]
"""Index of the message, and the id of the rule that it breaks; one entry a fault."""


@dataclass
class Request:
    """What is stated about the request."""

    thinking: bool | None = None
    previous_response: bool = False
    prefill: bool | None = None
    system_messages: bool | None = None
    has_tools: bool | None = None
    thinking_first: bool = True
    signed_calls: bool = False
    reasoning_content: bool | None = False
    every_turn: bool = False
    empty_system: bool = False
    around: tuple[bool, ...] = ()
    """Of each cache breakpoint of tools and system, in order, whether it lives an hour."""


def broken_rules(provider: str, messages: list[dict[str, Any]], request: Request) -> Found:
    """List what the messages break, sorted."""
    judges: dict[str, Callable[[list[dict[str, Any]], Request], Iterator[tuple[int, str]]]] = {
        "anthropic": anthropic,
        "openai": openai,
        "openai-responses": responses,
        "gemini": gemini,
        "bedrock": bedrock,
    }
    return sorted(judges[provider](messages, request))


# ---- Anthropic ----


def blocks_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    blocks = [content] if isinstance(content, str) else content
    return [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]


def as_the_user_s(message: dict[str, Any]) -> dict[str, Any]:
    """A message with a role of Chat Completions as what is meant by it."""
    if message["role"] == "model":
        return {**message, "role": "assistant"}
    if message["role"] != "tool":
        return message
    if isinstance(message["content"], list) and of_type(message, "tool_result"):
        return {**message, "role": "user"}
    answer = {"type": "tool_result", "tool_use_id": message.get("tool_call_id", ""), "content": message["content"]}
    return {"role": "user", "content": [answer]}


def of_type(message: dict[str, Any], *types: str) -> list[dict[str, Any]]:
    return [block for block in blocks_of(message) if block["type"] in types]


def anthropic(messages: list[dict[str, Any]], request: Request) -> Iterator[tuple[int, str]]:
    for index, message in enumerate(messages):
        if message["role"] not in ("user", "assistant", "system", "developer"):
            yield index, "A19"
        if message["role"] != "tool" and isinstance(message["content"], list):
            yield from [(index, "A22") for block in message["content"] if isinstance(block, str)]
    messages = [as_the_user_s(message) for message in messages]
    yield from anthropic_shapes(messages)
    yield from anthropic_pairs(messages)
    yield from anthropic_order(messages, request)
    yield from anthropic_texts(messages)
    yield from anthropic_cache(messages, request)
    yield from anthropic_thinking(messages, request)
    yield from given_back(messages)
    seen: set[str] = set()
    for index, message in enumerate(messages):
        for call in of_type(message, "tool_use"):
            if message["role"] != "assistant":
                yield index, "A23"
            if call.get("id") in seen:
                yield index, "A5"
            seen |= {call["id"]} if call.get("id") else set()
    if messages and request.empty_system:
        yield len(messages) - 1, "A26"
    if messages and messages[-1]["role"] == "assistant" and not is_paused(messages[-1]):
        content = blocks_of(messages[-1])
        if request.prefill is False:
            yield len(messages) - 1, "A15"
        elif content and content[-1]["type"] == "text" and content[-1]["text"] != content[-1]["text"].rstrip():
            yield len(messages) - 1, "A14"


def is_paused(message: dict[str, Any]) -> bool:
    """The server stopped amid its own work, and goes on when the turn comes back."""
    content = blocks_of(message)
    return bool(content) and content[-1]["type"] in ("server_tool_use", "web_search_tool_result")


def given_back(messages: list[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    """What the assistant says again: pictures, and searches of which nobody knows what they found."""
    for index, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        yield from [(index, "A29")] * len(of_type(message, "image"))
        content, later = blocks_of(message), []
        for other in messages[index + 1 :]:
            if other["role"] != "assistant" and not only_results([other]):
                break
            later += blocks_of(other) if other["role"] == "assistant" else []
        for at, block in enumerate(content):
            if block["type"] != "server_tool_use":
                continue
            after = content[at + 1 :]
            found = {one["tool_use_id"] for one in after + later if one["type"] == "web_search_tool_result"}
            goes_on = all(one["type"] in HOSTED for one in after) and only_results(messages[index + 1 :])
            if block["id"] not in found and not goes_on:
                yield index, "A28"


HOSTED = ("server_tool_use", "web_search_tool_result", "tool_use")


def only_results(messages: list[dict[str, Any]]) -> bool:
    return all(
        message["role"] == "user" and all(block["type"] == "tool_result" for block in blocks_of(message))
        for message in messages
    )


def anthropic_shapes(messages: list[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    for index, message in enumerate(messages):
        for call in of_type(message, "tool_use"):
            if not isinstance(call.get("input"), dict):
                yield index, "A20"
            if not re.fullmatch(r"[a-zA-Z0-9_-]+", call.get("id", "")):
                yield index, "A21"
            if call.get("name") in (None, ""):
                yield index, "A27"
        for result in of_type(message, "tool_result"):
            content = result["content"]
            if result.get("is_error") and (content in ("", []) or (isinstance(content, list) and not said_in(content))):
                yield index, "A25"
            if not isinstance(content, str | list) or (
                isinstance(content, list) and not all(isinstance(one, dict) for one in content)
            ):
                yield index, "A22"


def said_in(content: list[Any]) -> list[Any]:
    """What a result's content holds beside texts without a character."""
    return [one for one in content if one != "" and not (isinstance(one, dict) and one.get("text") == "")]


def anthropic_pairs(messages: list[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    for index, message in enumerate(messages):
        results = [block.get("tool_use_id", "") for block in of_type(message, "tool_result")]
        before = messages[index - 1] if index else None
        asked: Counter[str] = Counter()
        if message["role"] == "user" and before is not None and before["role"] == "assistant":
            asked = Counter(block.get("id", "") for block in of_type(before, "tool_use"))
        if asked:
            given = Counter(results)
            # A result without an id is of the call whose place it has; only its id is missing.
            unanswered = sum(max(0, times - given[call]) for call, times in asked.items())
            yield from [(index - 1, "A1")] * max(0, unanswered - given[""])
            for call, times in asked.items():
                yield from [(index, "A4")] * max(0, given[call] - times)
            yield from [(index, "A2")] * sum(times for call, times in given.items() if call not in asked)
            types = [block["type"] for block in blocks_of(message)]
            if "tool_result" in types[types.count("tool_result") :]:
                yield index, "A3"
        else:
            yield from [(index, "A2")] * len(results)
    for index, message in enumerate(messages):
        after = messages[index + 1] if index + 1 < len(messages) else None
        if message["role"] == "assistant" and (after is None or after["role"] != "user"):
            yield from [(index, "A1")] * len(of_type(message, "tool_use"))


def anthropic_order(messages: list[dict[str, Any]], request: Request) -> Iterator[tuple[int, str]]:
    spoken = [index for index, message in enumerate(messages) if message["role"] not in ("system", "developer")]
    if spoken and messages[spoken[0]]["role"] == "assistant":
        yield spoken[0], "A9"
    for index, message in enumerate(messages):
        before = messages[index - 1] if index else None
        if message["role"] not in ("system", "developer"):
            if before is not None and before["role"] == message["role"]:
                yield index, "A9"
            continue
        after_user = before is not None and before["role"] == "user"
        after_server = before is not None and before["role"] == "assistant" and ends_in_server_result(before)
        text_only = all(block["type"] == "text" for block in blocks_of(message))
        if (
            message["role"] == "developer"
            or request.system_messages is False
            or not text_only
            or not (after_user or after_server)
        ):
            yield index, "A16"


def ends_in_server_result(message: dict[str, Any]) -> bool:
    content = blocks_of(message)
    return bool(content) and content[-1]["type"] == "web_search_tool_result"


def anthropic_texts(messages: list[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    for index, message in enumerate(messages):
        if not blocks_of(message):
            yield index, "A10"
        if not of_type(message, "thinking", "redacted_thinking"):
            yield from [(index, "A10") for block in of_type(message, "text") if not block["text"].strip()]
        for block in of_type(message, "text"):
            if not block["text"] and "cache_control" in block:
                yield index, "A11"
        for result in of_type(message, "tool_result"):
            inside = result["content"] if isinstance(result["content"], list) else []
            empty = [one for one in inside if one not in said_in(inside)]
            if empty:
                yield index, "A10"
            if any("cache_control" in one for one in empty):
                yield index, "A11"


def anthropic_cache(messages: list[dict[str, Any]], request: Request) -> Iterator[tuple[int, str]]:
    around = list(request.around)
    if len(around) > 4 and messages:
        yield len(messages) - 1, "A12"
    if messages and any(hour and not all(around[:at]) for at, hour in enumerate(around)):
        yield len(messages) - 1, "A13"
    for index, message in enumerate(messages):
        thinking = of_type(message, "thinking", "redacted_thinking")
        yield from [(index, "A24") for block in thinking if "cache_control" in block]
    marked = [
        (index, hour) for index, message in enumerate(messages) for block in blocks_of(message) for hour in lives(block)
    ]
    over = max(4 - len(around), 0)
    if len(marked) > over:
        yield marked[over][0], "A12"
    for at, (index, hour) in enumerate(marked):
        if hour and not (all(around) and all(other for _, other in marked[:at])):
            yield index, "A13"
            return


def lives(block: dict[str, Any]) -> list[bool]:
    """Whether each of a block's breakpoints lives an hour; both lives in one result are taken to stand out of order."""
    return sorted(control.get("ttl") == "1h" for control in controls(block))


def controls(block: dict[str, Any]) -> list[dict[str, Any]]:
    """What a block and the content of a result carry; inside first, and not what goes with an empty text there."""
    inside = block["content"] if block["type"] == "tool_result" and isinstance(block["content"], list) else []
    inside = said_in(inside)
    inner = [control for one in inside if isinstance(one, dict) for control in controls(one)]
    return inner + ([block["cache_control"]] if "cache_control" in block else [])


def last_turn(messages: list[dict[str, Any]], is_result: Callable[[dict[str, Any]], bool], role: str) -> list[int]:
    """The assistant's messages since the user last said something that is no answer to a call."""
    turn: list[int] = []
    for index, message in enumerate(messages):
        if message["role"] == "user" and not is_result(message):
            turn = []
        elif message["role"] == role:
            turn.append(index)
    return turn


def anthropic_thinking(messages: list[dict[str, Any]], request: Request) -> Iterator[tuple[int, str]]:
    turn = last_turn(messages, lambda message: bool(of_type(message, "tool_result")), "assistant")
    types = ("thinking", "redacted_thinking")
    if request.thinking is True and request.thinking_first and any(of_type(messages[at], "tool_use") for at in turn):
        content = blocks_of(messages[turn[0]])
        if not content or content[0]["type"] not in types:
            yield turn[0], "A7"
    if request.thinking is False and request.every_turn:
        turn = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
    if request.thinking is False:
        last = [index for index, message in enumerate(messages) if message["role"] == "assistant"][-1:]
        yield from [(at, "A8") for at in sorted({*turn, *last}) if of_type(messages[at], *types)]


# ---- OpenAI Chat Completions ----


def openai(messages: list[dict[str, Any]], request: Request) -> Iterator[tuple[int, str]]:
    wanting = bool(request.reasoning_content) and request.thinking is not False
    if request.reasoning_content is None and request.thinking is True:
        wanting = any(str(message.get("reasoning_content") or "").strip() for message in messages)
    for index, message in enumerate(messages):
        yield from openai_shapes(index, message)
        content = message.get("content")
        # Only messages of the role `tool` answer calls.
        for part in content if isinstance(content, list) else []:
            if isinstance(part, dict) and part.get("type") == "tool_result":
                yield index, "O2"
        if message["role"] not in ("assistant", "model"):
            yield from [(index, "O9") for _ in message.get("tool_calls") or []]
        if message["role"] in ("assistant", "model"):
            calls: list[str] = [call["id"] for call in message.get("tool_calls") or []]
            yield from [(index, "O12")] * (len(calls) - len(set(calls)))
            run = tool_run(messages, index + 1)
            yield from openai_run(index, calls, run) if calls else [(at, "O2") for at, _ in run]
            if calls and wanting and message.get("reasoning_content") is None:
                yield index, "D1"
        elif message["role"] == "tool":
            opener = index
            while opener >= 0 and messages[opener]["role"] == "tool":
                opener -= 1
            if opener < 0 or messages[opener]["role"] not in ("assistant", "model"):
                yield index, "O2"


def openai_shapes(index: int, message: dict[str, Any]) -> Iterator[tuple[int, str]]:
    if message["role"] not in ("system", "developer", "user", "assistant", "tool", "function"):
        yield index, "O5"
    calls = message.get("tool_calls") or []
    yield from [(index, "O6") for call in calls if not isinstance(call["function"].get("arguments"), str)]
    for call in calls:
        if call.get("type") is None or call["function"].get("name") in (None, ""):
            yield index, "O13"
    if message.get("tool_calls") == []:
        yield index, "O10"
    content = message.get("content")
    says_otherwise = bool(calls) or (message.get("audio") or {}).get("id") is not None
    if content in (None, []) and not (says_otherwise and message["role"] in ("assistant", "model")):
        yield index, "O7"
    elif content is not None and not isinstance(content, str | list):
        yield index, "O8"


def tool_run(messages: list[dict[str, Any]], start: int) -> list[tuple[int, str | None]]:
    run = []
    while start < len(messages) and messages[start]["role"] == "tool":
        run.append((start, messages[start].get("tool_call_id")))
        start += 1
    return run


def openai_run(index: int, calls: list[str], run: list[tuple[int, str | None]]) -> Iterator[tuple[int, str]]:
    """Each result takes the call that it names; one that names none takes the first call that is left."""
    waiting = list(calls)
    nameless = []
    for at, named in run:
        if named is None:
            nameless.append(at)
        elif named in waiting:
            waiting.remove(named)
        else:
            yield at, "O3"
    for at in nameless:
        if waiting:
            waiting.pop(0)
            yield at, "O4"
        else:
            yield at, "O3"
    yield from [(index, "O1")] * len(waiting)


# ---- OpenAI Responses ----


def responses(items: list[dict[str, Any]], request: Request) -> Iterator[tuple[int, str]]:
    """An output answers the newest call with its id before it; calls with one id in one turn are taken in order."""
    for index, item in enumerate(items):
        if item.get("role", "user") not in ("user", "assistant", "system", "developer"):
            yield index, "O5"
        if item.get("type") == "function_call":
            yield from item_shapes(index, item)
        if item.get("type") == "message" and item.get("content") in (None, []):
            yield index, "O7"
    # A tool message of Chat Completions says what an output says, under another name.
    items = [
        {"type": "function_call_output", "call_id": item["tool_call_id"]} if "tool_call_id" in item else item
        for item in items
    ]
    held = 0
    waiting: dict[str, list[int]] = {}
    turn_of: dict[str, int] = {}
    turn = 0
    for index, item in enumerate(items):
        turn += of_model(items, index) and not of_model(items, index - 1)
        kind = item.get("type", "item_reference")
        if kind == "item_reference" and item["id"].startswith("fc_"):
            held += 1
        elif kind == "function_call":
            name = item["call_id"]
            if turn_of.get(name) != turn:
                yield from [(lost, "R2") for lost in waiting.get(name, [])]
                waiting[name] = []
            turn_of[name] = turn
            waiting[name].append(index)
        elif kind == "function_call_output":
            name = item["call_id"]
            if waiting.get(name):
                waiting[name].pop(0)
            elif name not in turn_of and held:
                # The provider holds its call.
                held -= 1
            elif name in turn_of or not request.previous_response:
                yield index, "R1"
        elif kind == "reasoning" and lonely(items, index):
            yield index, "R3"
    yield from [(index, "R2") for lost in waiting.values() for index in lost]


def item_shapes(index: int, call: dict[str, Any]) -> Iterator[tuple[int, str]]:
    if not isinstance(call.get("arguments"), str):
        yield index, "O6"
    if call.get("name") in (None, ""):
        yield index, "O13"
    if len(call["call_id"]) > 64:
        yield index, "O14"


def of_model(items: list[dict[str, Any]], index: int) -> bool:
    if index < 0 or index >= len(items):
        return False
    kind = items[index].get("type", "item_reference")
    return kind in ("function_call", "reasoning", "item_reference") or items[index].get("role") in (
        "assistant",
        "model",
    )


def lonely(items: list[dict[str, Any]], index: int) -> bool:
    """A chain of reasoning that leads to nothing is broken in every link."""
    while index < len(items) and items[index].get("type") == "reasoning":
        index += 1
    return not of_model(items, index)


# ---- Gemini ----


def gemini(contents: list[dict[str, Any]], request: Request) -> Iterator[tuple[int, str]]:
    for index, content in enumerate(contents):
        if content["role"] == "assistant":
            yield index, "A19"
        if not content["parts"]:
            yield index, "G4"
        calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        yield from [(index, "A23") for _ in calls if content["role"] == "user"]
        yield from [(index, "A20") for call in calls if not isinstance(call.get("args") or {}, dict)]
    contents = [{**one, "role": "model"} if one["role"] == "assistant" else one for one in contents]
    if contents and contents[0]["role"] == "model":
        yield 0, "G1"
    for index, content in enumerate(contents):
        calls = [part["functionCall"]["name"] for part in content["parts"] if "functionCall" in part]
        answers = [part["functionResponse"]["name"] for part in content["parts"] if "functionResponse" in part]
        before = contents[index - 1] if index else None
        after = contents[index + 1] if index + 1 < len(contents) else None
        if content["role"] == "model":
            if calls and before is not None and before["role"] == "model":
                yield index, "G1"
            yield from [(index, "G3")] * len(answers)
            given = (
                [part["functionResponse"]["name"] for part in after["parts"] if "functionResponse" in part]
                if after is not None and after["role"] == "user"
                else []
            )
            # Without ids a response is told by its name, and else by its place.
            yield from [(index, "G3")] * max(0, len(calls) - len(given))
        else:
            asked = (
                [part for part in before["parts"] if "functionCall" in part]
                if before is not None and before["role"] == "model"
                else []
            )
            yield from [(index, "G3")] * max(0, len(answers) - len(asked))
    if request.signed_calls:
        every = [index for index, content in enumerate(contents) if content["role"] == "model"]
        for index in every if request.every_turn else last_turn(contents, has_responses, "model"):
            first = [part for part in contents[index]["parts"] if "functionCall" in part][:1]
            if first and "thoughtSignature" not in first[0]:
                yield index, "G2"


def has_responses(content: dict[str, Any]) -> bool:
    return any("functionResponse" in part for part in content["parts"])


# ---- Bedrock Converse ----


def bedrock(messages: list[dict[str, Any]], request: Request) -> Iterator[tuple[int, str]]:
    for index, message in enumerate(messages):
        if message["role"] not in ("user", "assistant"):
            yield index, "A19"
        for call in [block["toolUse"] for block in message["content"] if "toolUse" in block]:
            if message["role"] not in ("assistant", "model"):
                yield index, "A23"
            if not isinstance(call.get("input"), dict):
                yield index, "A20"
            if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", call["toolUseId"]):
                yield index, "A21"
            if call.get("name") in (None, ""):
                yield index, "A27"
    names = {"tool": "user", "model": "assistant"}
    messages = [{**one, "role": names.get(one["role"], one["role"])} for one in messages]
    if messages and messages[0]["role"] == "assistant":
        yield 0, "B3"
    using = [
        at
        for at, message in enumerate(messages)
        if bedrock_ids(message, "toolUse") + bedrock_ids(message, "toolResult")
    ]
    if messages and request.empty_system:
        yield len(messages) - 1, "A26"
    if request.has_tools is False and using:
        yield using[0], "B2"
    for index, message in enumerate(messages):
        before: dict[str, Any] = messages[index - 1] if index else {"role": "", "content": []}
        after: dict[str, Any] = messages[index + 1] if index + 1 < len(messages) else {"role": "", "content": []}
        if before["role"] == message["role"]:
            yield index, "A9"
        yield from bedrock_pairs(index, message, before, after)
        used = bedrock_ids(message, "toolUse")
        yield from [(index, "B4")] * (used.total() - len(used))
        if not message["content"]:
            yield index, "A10"
        if not any("reasoningContent" in block for block in message["content"]):
            yield from [(index, "A10") for block in message["content"] if "text" in block and not block["text"].strip()]


def bedrock_ids(message: dict[str, Any], kind: str) -> Counter[str]:
    return Counter(block[kind]["toolUseId"] for block in message["content"] if kind in block)


def bedrock_pairs(
    index: int, message: dict[str, Any], before: dict[str, Any], after: dict[str, Any]
) -> Iterator[tuple[int, str]]:
    results = bedrock_ids(message, "toolResult")
    asked: Counter[str] = Counter()
    given_back = [block["toolResult"] for block in message["content"] if "toolResult" in block]
    silent = [one for one in given_back if one.get("status") == "error" and not said_in(one["content"])]
    yield from [(index, "A25")] * len(silent)
    if message["role"] == "assistant":
        given = bedrock_ids(after, "toolResult") if after["role"] == "user" else Counter[str]()
        yield from [(index, "A1")] * (bedrock_ids(message, "toolUse") - given).total()
    elif before["role"] == "assistant":
        asked = bedrock_ids(before, "toolUse")
    yield from [(index, "B1")] * (results - asked).total()
    if message["role"] == "assistant":
        yield from [(index, "A29") for block in message["content"] if "image" in block or "document" in block]
    kinds = ["toolResult" in block for block in message["content"] if "cachePoint" not in block]
    if asked and any(kinds[sum(kinds) :]):
        yield index, "A3"
