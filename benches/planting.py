"""Sentences that must not be lost, and long sessions to plant them in: recorded ones, and dialogues written for it.

The sentences and dialogues of `quality/data` were written by somebody who had not seen the words by which Octavo tells
what a sentence is (`octavo/compaction/cues.json`): see `quality/data/README.md`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benches.quality.step_recall import fixed_of, is_result, leading_of, tokens_of
from benches.recorded import Conversation, Message, conversations, said

DATA = Path(__file__).parent / "quality/data"

KINDS = ("decision", "amount", "date", "negation", "correction")

CHAINED = 6
"""Airline conversations, of 500 to 7,000 tokens, in a session: one matter after the other, with the same service."""

AIRLINE_SESSIONS, PI_PARTS = 4, 3

SHORTEST, FEWEST = 10_000, 40
"""Tokens and calls of a session that is long enough for five rounds of compaction."""

PLANTED_WITHIN = 2 / 3
"""Items are planted in this part of a session, from its start: the rest is there for them to leave the window."""


@dataclass(frozen=True, slots=True)
class Item:
    """A sentence and what of it must survive.

    Attributes:
        id: its name.
        language: `en` or `ko`.
        kind: one of `KINDS`.
        role: who says it.
        text: all that is said; of an item of a dialogue its whole message.
        needles: the parts of it that must survive, word for word.
        message: where it stands in its session.
    """

    id: str
    language: str
    kind: str
    role: str
    text: str
    needles: tuple[str, ...]
    message: int = -1


@dataclass(slots=True)
class Session:
    """A conversation with items in it."""

    source: str
    conversation: Conversation
    items: list[Item] = field(default_factory=list)

    @property
    def history(self) -> int:
        """Tokens of all that is said after the system prompt."""
        messages = self.conversation.messages
        return sum(map(tokens_of, messages)) - sum(map(tokens_of, leading_of(self.conversation)))

    @property
    def fixed(self) -> int:
        """Tokens of system prompt and tools."""
        return fixed_of(self.conversation)


def planted_items() -> list[Item]:
    """The sentences that are planted into recordings."""
    lines = (DATA / "planted.jsonl").read_text(encoding="utf-8").splitlines()
    return [_item(json.loads(line)) for line in lines if line.strip()]


def _item(held: dict[str, Any]) -> Item:
    item = Item(held["id"], held["language"], held["kind"], held["role"], held["text"], tuple(held["needles"]))
    if item.kind not in KINDS or not item.needles or any(needle not in item.text for needle in item.needles):
        raise ValueError(f"item {item.id} is not as it must be: {item}")
    return item


def dialogues() -> Iterator[Session]:
    """The dialogues of 60 turns, with the items that they were written with."""
    for language in ("en", "ko"):
        messages = json.loads((DATA / f"dialogue_{language}.json").read_text(encoding="utf-8"))
        held = json.loads((DATA / f"dialogue_{language}.items.json").read_text(encoding="utf-8"))
        items = []
        for one in held:
            message = messages[one["message"]]
            told = {**one, "language": language, "role": message["role"], "text": message["content"]}
            items.append(replace(_item(told), message=one["message"]))
        name = f"dialogue, {language}"
        yield Session(name, Conversation(name, name, "openai", [], messages), items)


def recorded_sessions() -> list[Session]:
    """Recorded sessions that are long enough, without items."""
    airline = conversations("tau_airline")
    chained = [_chained(airline[at : at + CHAINED]) for at in range(0, len(airline), CHAINED)]
    (pi,) = conversations("pi_coding_agent")
    parts = list(_parts(pi, PI_PARTS))
    return [
        *_long("airline", chained)[:AIRLINE_SESSIONS],
        *_long("Claude Code", conversations("claude_code_spotter")),
        *_long("pi", parts),
    ]


def _long(source: str, found: Sequence[Conversation]) -> list[Session]:
    sessions = [Session(source, one) for one in found if len(one.calls) >= FEWEST]
    return [one for one in sessions if one.history >= SHORTEST]


def _chained(found: Sequence[Conversation]) -> Conversation:
    """Conversations with the same system prompt, one after the other."""
    messages = list(found[0].messages)
    for one in found[1:]:
        messages += one.messages[len(leading_of(one)) :]
    return replace(found[0], id=f"{found[0].id} and {len(found) - 1} more", messages=messages)


def _parts(one: Conversation, number: int) -> Iterator[Conversation]:
    """A long conversation in parts of about one length, each of which begins with what a user says."""
    starts = [at for at, message in enumerate(one.messages) if message["role"] == "user" and said(message)]
    length = len(one.messages) / number
    edges = [min(starts, key=lambda at, part=part: abs(at - part * length)) for part in range(number)]
    for at, (start, end) in enumerate(zip(edges, [*edges[1:], len(one.messages)], strict=True)):
        yield replace(one, id=f"{one.id}, part {at + 1}", messages=one.messages[start:end])


def plant(sessions: Sequence[Session], items: Sequence[Item], seed: int) -> list[Session]:
    """The items dealt out to sessions, each once, at places that the seed says."""
    draw = random.Random(seed)
    order = list(items)
    draw.shuffle(order)
    return [_planted(one, order[at :: len(sessions)], draw) for at, one in enumerate(sessions)]


def _planted(session: Session, items: Sequence[Item], draw: random.Random) -> Session:
    one = session.conversation
    last = int(len(one.messages) * PLANTED_WITHIN)
    places = {role: [at for at in range(1, last) if _takes(one, at, role)] for role in ("user", "assistant")}
    chosen = {}
    for role, there in places.items():
        of_role = [item for item in items if item.role == role]
        chosen |= dict(zip(draw.sample(there, len(of_role)), of_role, strict=True))
    messages: list[Message] = []
    planted = []
    for at, message in enumerate(one.messages):
        item = chosen.get(at)
        if item is None:
            messages.append(message)
            continue
        messages += _with(message, item)
        planted.append(replace(item, message=len(messages) - 1))
    return Session(session.source, replace(one, messages=messages), planted)


def _takes(one: Conversation, at: int, role: str) -> bool:
    """Whether somebody may say something more in a message or, of a user, behind the results of a tool loop."""
    message = one.messages[at]
    if role == "assistant":
        return message["role"] == "assistant"
    following = one.messages[at + 1 : at + 2]
    behind = message["role"] == "tool" and any(then["role"] == "assistant" for then in following)
    return message["role"] == "user" or behind


def _with(message: Message, item: Item) -> list[Message]:
    """A message that says an item as well; in Chat a user's word behind a result is a message of its own."""
    content = message.get("content")
    if message["role"] == "tool":
        return [message, {"role": "user", "content": item.text}]
    if content is None or isinstance(content, str):
        return [{**message, "content": f"{content} {item.text}" if content else item.text}]
    block = {"type": "text", "text": item.text}
    if message["role"] == "user" and is_result(message):
        return [{**message, "content": [*content, block]}]
    return [{**message, "content": _before_calls(content, block)}]


def _before_calls(content: Sequence[Message], block: Message) -> list[Message]:
    """The blocks with another text behind what is said, before the first call."""
    first = next((at for at, one in enumerate(content) if one["type"] == "tool_use"), len(content))
    return [*content[:first], block, *content[first:]]
