"""What the next call needs and the context still holds; how much of the prefix stays; what a session costs.

    python -m benches.quality.step_recall

Writes benches/results/step_recall.json and prefix.json for docs/reference/quality.md. No model is needed: before each
recorded tool call, the values of its arguments (4 to 200 characters, one line) that stand earlier in the conversation,
outside the system prompt, are looked up in what would be sent. A budget is the fixed parts (system and tools) and H.

Cost is in input tokens at base price, at Anthropic's prices of the five-minute cache (write 1.25, read 0.1;
docs of prompt caching, 2026-10): the messages that the call before sent as well are read, the rest is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

import octavo
from benches import results
from benches.recorded import Conversation, Message, conversations
from octavo import step_recall
from octavo.step_recall import arguments_in as calls_in
from octavo.step_recall import leaves, values_of

REFERENCE = octavo.counter_for("gpt-4o")
MODELS = {"openai": "gpt-4o", "anthropic": "claude-sonnet-4-5"}

BUDGETS = {
    "tau_airline": (1_000, 2_000),
    "claude_code_spotter": (8_000, 32_000),
    "pi_coding_agent": (8_000, 32_000),
}
NAMES = {"tau_airline": "airline", "claude_code_spotter": "Claude Code", "pi_coding_agent": "pi"}

WRITE, READ = 1.25, 0.1

Contexts = Iterator[tuple[int, list[Message]]]
Assembling = Callable[[Conversation, int], Contexts]
"""A conversation and H; at each call the messages that are sent."""


# --- texts and values ---------------------------------------------------------------------------------------------


def text_of(message: Message) -> str:
    """All that a model reads in a message, escapes of JSON undone; no recording has structured results."""
    return step_recall.text_of(message, "openai")


# --- ways to assemble ---------------------------------------------------------------------------------------------


def by_octavo(one: Conversation, room: int) -> Contexts:
    """Octavo with its defaults, one transcript a session."""
    return within(one, octavo.Budget(fixed_of(one) + room))


def without_ledger(one: Conversation, room: int) -> Contexts:
    """Octavo that tells nothing of what it left out."""
    return within(one, octavo.Budget(fixed_of(one) + room, ledger=0))


def within(one: Conversation, budget: octavo.Budget) -> Contexts:
    transcript = octavo.Transcript(MODELS[one.format], format=one.format, counter=REFERENCE)
    done = 0
    for cut in one.calls:
        transcript.extend(one.messages[done:cut])
        done = cut
        yield cut, transcript.assemble(budget=budget, tools=one.tools or None).messages


def by_suffix(one: Conversation, room: int) -> Contexts:
    """The system prompt and as many of the newest whole exchanges as fit."""
    leading = leading_of(one)
    for cut in one.calls:
        yield cut, [*leading, *suffix(one.messages[len(leading) : cut], room)]


TOOL_CHARACTERS, RECENT, LINE, TRIGGER = 150, 3, 50, 0.8
"""Of the pipeline that is commonly sketched for agent memory: old tool results are cut to 150 characters, the newest
three messages excepted; above 0.8 of the budget the rest becomes a summary of the first 50 characters of each text."""


def by_pipeline(one: Conversation, room: int) -> Contexts:
    """Prune old tool results, then window and "summarise"; here the window is pair-safe and the result fits."""
    leading = leading_of(one)
    for cut in one.calls:
        messages = one.messages[len(leading) : cut]
        pruned = [_pruned(message, len(messages) - at > RECENT) for at, message in enumerate(messages)]
        limit = int(room * TRIGGER)
        if sum(map(tokens_of, pruned)) <= limit:
            yield cut, [*leading, *pruned]
            continue
        kept = suffix(pruned, limit)
        lines = [
            f"- {m['role']}: {text_of(m)[:LINE]}..." for m in pruned[: len(pruned) - len(kept)] if m["role"] != "tool"
        ]
        summary = REFERENCE.truncate("\n".join(reversed(lines)), room - limit)
        yield cut, [*leading, {"role": "user", "content": summary}, *kept]


def by_everything(one: Conversation, _: int) -> Contexts:
    """No budget."""
    for cut in one.calls:
        yield cut, one.messages[:cut]


def leading_of(one: Conversation) -> list[Message]:
    return [message for message in one.messages[:1] if message["role"] == "system"]


def suffix(messages: list[Message], room: int) -> list[Message]:
    """The newest messages that fit and begin with no result of a call before them; the newest exchange always."""
    start, spent = len(messages), 0
    for at in reversed(range(len(messages))):
        spent += tokens_of(messages[at])
        if spent > room and start < len(messages):
            break
        if not is_result(messages[at]):
            start = at
    return messages[start:]


def is_result(message: Message) -> bool:
    content = message.get("content")
    blocks: list[Any] = content if isinstance(content, list) else []
    return message["role"] == "tool" or any(block["type"] == "tool_result" for block in blocks)


def _pruned(message: Message, old: bool) -> Message:
    if not old or not is_result(message):
        return message
    if message["role"] == "tool":
        return {**message, "content": _shortened(message["content"])}
    blocks = [
        {**block, "content": _shortened("\n".join(leaves(_texts(block["content"]))))}
        if block["type"] == "tool_result"
        else block
        for block in message["content"]
    ]
    return {**message, "content": blocks}


def _texts(content: Any) -> Any:
    return content if isinstance(content, str) else [part.get("text", "") for part in content or ()]


def _shortened(text: str) -> str:
    if len(text) <= TOOL_CHARACTERS:
        return text
    return f"{text[:TOOL_CHARACTERS]}\n... [Tool Output Truncated: Total Length {len(text)} chars]"


_counted: dict[int, tuple[Message, int]] = {}


def tokens_of(message: Message) -> int:
    """Tokens of a message; the messages of the recordings live as long as the bench and are counted once."""
    known = _counted.get(id(message))
    if known is None or known[0] is not message:
        known = _counted[id(message)] = (message, REFERENCE.count_message(message))
    return known[1]


WAYS: dict[str, Assembling] = {
    "**octavo**, defaults": by_octavo,
    "octavo without its ledger": without_ledger,
    "pair-safe suffix": by_suffix,
    "prune, window, summarise": by_pipeline,
    "everything, no budget": by_everything,
}


# --- what is measured ---------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Tally:
    """One way on one set of conversations at one budget."""

    values: int = 0
    present: int = 0
    calls: int = 0
    complete: int = 0
    sent: int = 0
    read: int = 0
    steps: int = 0
    over: int = 0
    before: list[Message] = field(default_factory=list)

    def look_up(self, call: object, earlier: str, shown: str) -> None:
        """Judge one tool call."""
        sought = {value for value in values_of(call) if value in earlier}
        if not sought:
            return
        found = sum(value in shown for value in sought)
        self.values += len(sought)
        self.present += found
        self.calls += 1
        self.complete += found == len(sought)

    def send(self, sent: list[Message], fixed: int, limit: int) -> None:
        """Account for one model call: tokens that are sent, and read from the cache."""
        around = fixed - sum(tokens_of(message) for message in sent[:1] if message["role"] == "system")
        self.read += shared_with(self.before, sent, around)[0]
        total = around + sum(map(tokens_of, sent))
        self.sent += total
        self.over += total > limit
        self.steps += 1
        self.before = sent

    @property
    def cost(self) -> float:
        """Input tokens at base price."""
        return self.read * READ + (self.sent - self.read) * WRITE


def shared_with(before: list[Message], sent: list[Message], around: int) -> tuple[int, bool]:
    """Tokens that the call before sent as well, `around` the messages and in them, and whether that is all it sent."""
    shared = around if before else 0
    for then, now in zip(before, sent, strict=False):
        if then is not now and then != now:
            return shared + shared_blocks(then, now), False
        shared += tokens_of(now)
    return shared, len(sent) >= len(before)


def shared_blocks(before: Message, now: Message) -> int:
    """Tokens of the blocks that two messages begin with alike: a cache's prefix may end inside a message."""
    if before["role"] != now["role"]:
        return 0
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(blocks_of(before), blocks_of(now), strict=False))
    return sum(REFERENCE.count(block["text"]) for block, _ in pairs if block.get("type") == "text")


def blocks_of(message: Message) -> list[Any]:
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())


def fixed_of(one: Conversation) -> int:
    return REFERENCE.count_messages(leading_of(one), one.tools or None, format=one.format).tokens


def measure(found: list[Conversation], assembling: Assembling, room: int) -> Tally:
    """Replay every conversation."""
    tally = Tally()
    for one in found:
        fixed, spoken = fixed_of(one), len(leading_of(one))
        texts = [text_of(message) for message in one.messages]
        tally.before = []
        for cut, sent in assembling(one, room):
            tally.send(sent, fixed, fixed + room)
            shown = "\n".join(text_of(message) for message in sent if not any(message is m for m in leading_of(one)))
            earlier = "\n".join(texts[spoken:cut])
            for call in calls_in(one.messages[cut]):
                tally.look_up(call, earlier, shown)
    if not tally.calls:
        raise ValueError("no tool call was looked at")
    return tally


def main() -> None:
    """Measure every way on every set, and write the tables."""
    recall: list[list[str]] = []
    prefix: list[list[str]] = []
    for source, rooms in BUDGETS.items():
        found = conversations(source)
        for room in rooms:
            tallies = {name: measure(found, way, room) for name, way in WAYS.items()}
            base = tallies["pair-safe suffix"].cost
            for name, tally in tallies.items():
                where = f"{NAMES[source]}, H = {room:,}"
                complete, over = results.percent(tally.complete, tally.calls), results.percent(tally.over, tally.steps)
                recall.append(
                    [where, name, f"{tally.calls:,}", complete, results.percent(tally.present, tally.values), over]
                )
                each = [f"{number / tally.steps:,.0f}" for number in (tally.sent, tally.cost)]
                prefix.append(
                    [
                        where,
                        name,
                        each[0],
                        results.percent(tally.read, tally.sent),
                        each[1],
                        f"{tally.cost / base:.2f}×",
                    ]
                )
    columns = ("recordings", "what assembles", "calls judged", "calls complete", "values present", "contexts over")
    results.write("step_recall", "make bench-quality", columns, recall)
    columns = ("recordings", "what assembles", "tokens a call", "prefix as before", "cost a call", "of the suffix's")
    results.write("prefix", "make bench-quality", columns, prefix)


if __name__ == "__main__":
    main()
