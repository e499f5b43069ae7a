"""Recorded conversations, cut before every model call, at eight budgets: what each library would send.

    python -m benches.comparison.validity

Writes benches/results/validity.json and validity_tools.json for docs/reference/validity.md. Every answer is judged
twice, by `octavo.validate` and by the plain restatement of the rules that the tests hold the engine against.

A budget is the fixed parts (system and tools) and H tokens for the history, in o200k. Octavo gets the whole budget
and the conversation in the format it was recorded in. The others take Chat messages and do not count tools, so they
get the tokens of the system message and H; Anthropic sessions are converted for them, which leaves thinking behind.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import octavo
from benches import results
from benches.comparison.peers import Peer
from benches.recorded import Conversation, Message, conversations, said, task_of
from octavo.formats import client_arguments
from octavo.messages import Format

sys.path.insert(0, str(results.ROOT / "tests"))

from reference_rules import Request, broken_rules

HISTORY = (500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000)

REFERENCE = octavo.counter_for("gpt-4o")
MODELS = {"openai": "gpt-4o", "anthropic": "claude-sonnet-4-5"}

SAMPLED, LONGEST = 10, 300
"""Libraries that take seconds a call are asked at every tenth cut, up to this many messages."""


@dataclass(slots=True)
class Tally:
    """What one library sent, counted."""

    name: str
    note: str = ""
    cuts: int = 0
    made_invalid: int = 0
    broken_before: int = 0
    left_broken: int = 0
    silent: int = 0
    no_history: int = 0
    task: int = 0
    user_first: int = 0
    disagreements: int = 0

    def add(self, sent: list[Message], provider: Format, call: Call, *, silent: bool) -> None:
        """Judge one answer; `silent`: it is over its budget and does not say so."""
        self.cuts += 1
        invalid, again = (
            octavo.validate(sent, provider=provider, format=provider),
            broken_rules(provider, sent, Request()),
        )
        self.disagreements += bool(invalid) != bool(again)
        # Called invalid when either judge says so.
        self.made_invalid += bool(invalid or again) and not call.broken
        self.left_broken += bool(invalid or again) and call.broken
        self.broken_before += call.broken
        self.silent += silent
        spoken = [message for message in sent if message["role"] not in ("system", "developer")]
        self.no_history += not spoken
        self.user_first += bool(spoken) and spoken[0]["role"] == "user"
        users = [said(message) for message in spoken if message["role"] == "user"]
        self.task += call.task is None or any(said(call.task) in text for text in users)

    def row(self) -> list[str]:
        shares = (self.silent, self.no_history, self.task, self.user_first)
        return [
            self.name + self.note,
            f"{self.cuts:,}",
            _share(self.made_invalid, self.cuts - self.broken_before),
            _share(self.left_broken, self.broken_before) if self.broken_before else "none",
            *(_share(number, self.cuts) for number in shares),
        ]


def _share(number: int, total: int) -> str:
    """A share that is called nothing only when it is nothing."""
    if number in (0, total):
        return f"{100 * number // total} %"
    return f"{min(max(100 * number / total, 0.1), 99.9):.1f} %"


COLUMNS = (
    "what sends",
    "calls",
    "made invalid",
    "broken history left broken",
    "over budget unsaid",
    "nothing but system",
    "task kept",
    "user first",
)


@dataclass(frozen=True, slots=True)
class Call:
    """One recorded model call: what the peers get, and what is judged.

    Attributes:
        cut: how many messages there were.
        chat: the same in Chat form.
        broken: whether the whole history breaks a rule.
        task: the user's first words.
    """

    cut: int
    chat: list[Message]
    broken: bool
    task: Message | None


_calls: dict[str, list[Call]] = {}


def calls_of(one: Conversation) -> list[Call]:
    """The calls of a conversation, prepared once."""
    if one.id not in _calls:
        _calls[one.id] = [_call(one, cut) for cut in one.calls]
    return _calls[one.id]


def _call(one: Conversation, cut: int) -> Call:
    messages = one.messages[:cut]
    converted = one.format != "openai"
    chat = client_arguments(messages, "openai", source=one.format)["messages"] if converted else messages
    return Call(cut, chat, bool(octavo.validate(messages, provider=one.format, format=one.format)), task_of(messages))


def by_octavo(one: Conversation, tally: Tally) -> None:
    """One transcript a budget, fed step by step."""
    system = [message for message in one.messages[:1] if message["role"] == "system"]
    fixed = REFERENCE.count_messages(system, one.tools or None, format=one.format).tokens
    for tokens in HISTORY:
        transcript = octavo.Transcript(MODELS[one.format], format=one.format, counter=REFERENCE)
        done = 0
        for call in calls_of(one):
            transcript.extend(one.messages[done : call.cut])
            done = call.cut
            context = transcript.assemble(budget=fixed + tokens, tools=one.tools or None)
            recount = REFERENCE.count_messages(context.messages, context.tools, format=one.format).tokens
            over = recount > fixed + tokens
            tally.add(context.messages, one.format, call, silent=over and context.fits)


def by_peer(one: Conversation, peer: Peer, tally: Tally) -> None:
    for number, call in enumerate(calls_of(one)):
        chat = call.chat
        if not peer.thorough and (number % SAMPLED or len(chat) > LONGEST):
            continue
        system = [message for message in chat[:1] if message["role"] == "system"]
        fixed = REFERENCE.count_messages(system, format="openai").tokens if system else REFERENCE.fixed
        for tokens in HISTORY:
            sent = peer.write(peer.trim(peer.read(chat), fixed + tokens), chat)
            over = REFERENCE.count_messages(sent, format="openai").tokens > fixed + tokens
            tally.add(sent, "openai", call, silent=over)


def untrimmed() -> Peer:
    """Sends everything: what was broken before anybody trimmed, and how often there was nothing to do."""
    return Peer("the whole history, untrimmed", "", list, lambda own, _: own, lambda own, _: own)


def peers() -> Iterator[Peer]:
    from benches.comparison.peers import agent_framework_window, haystack_window, langchain, litellm_trim

    yield untrimmed()
    yield langchain.DEFAULTS
    yield langchain.ADVISED
    yield litellm_trim.LITELLM
    yield haystack_window.HAYSTACK
    yield agent_framework_window.AGENT_FRAMEWORK


def tallies(found: list[Conversation]) -> list[Tally]:
    ours = Tally("**octavo**")
    for one in found:
        by_octavo(one, ours)
    everyone = [ours]
    for peer in peers():
        tally = Tally(peer.name, "" if peer.thorough else f" (every {SAMPLED}th call up to {LONGEST} messages)")
        for one in found:
            by_peer(one, peer, tally)
        everyone.append(tally)
        print(tally, file=sys.stderr)
    return everyone


def has_calls(one: Conversation) -> bool:
    def calls(message: Message) -> Any:
        content = message.get("content")
        blocks: list[Any] = content if isinstance(content, list) else []
        return message.get("tool_calls") or any(block.get("type") == "tool_use" for block in blocks)

    return any(map(calls, one.messages))


def main() -> None:
    """Judge everything and write the tables."""
    found = conversations()
    packages = results.versions("langchain-core", "litellm", "haystack-ai", "agent-framework-core")
    groups = {
        "validity": [one for one in found if not has_calls(one)],
        "validity_tools": list(filter(has_calls, found)),
    }
    for name, group in groups.items():
        everyone = tallies(group)
        disagreed = sum(tally.disagreements for tally in everyone)
        agreement = f"the two judges disagree on {disagreed:,} of {sum(tally.cuts for tally in everyone):,} answers"
        said_ = f"{packages}; {agreement}"
        results.write(name, "make bench-validity", COLUMNS, [tally.row() for tally in everyone], said=said_)


if __name__ == "__main__":
    main()
