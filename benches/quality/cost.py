"""What a session costs by the prompt cache: every recorded transcript with tool calls, replayed call by call.

    python -m benches.quality.cost

Writes benches/results/cost.json and cost_beside.json for docs/reference/quality.md.
A budget is the fixed parts (system and tools) and H
tokens for the history, in o200k; H is a quarter or a half of the transcript's own history. Of each call is counted what
is sent, and how much of its beginning the call before sent as well, to the block. Nothing else is known of a cache: the
calls follow one another in time, and breakpoints stand where the prefix ends.

Other libraries take Chat messages and do not count tools, so they get the tokens of the system message and H; Anthropic
sessions are converted for them, which leaves thinking behind: they send less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from importlib.util import find_spec

import octavo
from benches import results
from benches.quality import step_recall
from benches.quality.step_recall import (
    Contexts,
    by_everything,
    by_octavo,
    by_suffix,
    calls_in,
    fixed_of,
    is_result,
    leading_of,
    shared_with,
    suffix,
    text_of,
    tokens_of,
    without_ledger,
)
from benches.recorded import Conversation, Message, conversations
from octavo.caching import cost_of, prices_for
from octavo.formats import client_arguments
from octavo.messages import Format

SHARES = (0.25, 0.5)
SETS = {"tau_airline": "airline", "claude_code_spotter": "Claude Code", "pi_coding_agent": "pi"}
OTHERS = "five others"
ANTHROPIC, OPENAI = prices_for("claude-sonnet-4-5"), prices_for("gpt-5.1")

NEWEST = 10
"""Results that observation masking leaves as they are."""

MASK = "[Old tool result content cleared]"

SUFFIX = "pair-safe suffix, each turn"

LONGEST = 300
"""Messages of the longest session for libraries that take seconds a call."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to assemble.

    Attributes:
        run: what is sent at each call of a conversation.
        longest: messages of the longest session that it is fast enough for.
        peer: whether Octavo is held against it: it keeps to a budget, and is not Octavo.
        converted: whether it takes Chat messages only.
    """

    run: Callable[[Conversation, int], Contexts]
    longest: int | None = None
    peer: bool = True
    converted: bool = False


def by_masking(one: Conversation, room: int, newest: int = NEWEST) -> Contexts:
    """All results but the newest masked, anew at each call; where that does not fit, the newest that does."""
    leading = leading_of(one)
    masked: dict[int, Message] = {}
    for cut in one.calls:
        places = [at for at in range(len(leading), cut) if is_result(one.messages[at])]
        for at in places[:-newest]:
            masked.setdefault(at, _masked(one.messages[at]))
        sent = [masked.get(at, one.messages[at]) for at in range(len(leading), cut)]
        yield cut, [*leading, *suffix(sent, room)]


def _masked(message: Message) -> Message:
    if message["role"] == "tool":
        return {**message, "content": MASK}
    blocks = [{**one, "content": MASK} if one["type"] == "tool_result" else one for one in message["content"]]
    return {**message, "content": blocks}


def peers() -> Iterator[tuple[str, Way]]:
    """The libraries that are installed."""
    if find_spec("langchain_core"):
        from benches.comparison.peers import langchain

        for peer in (langchain.ADVISED, langchain.DEFAULTS):
            yield peer.name, Way(_by(peer), converted=True)
    if find_spec("haystack"):
        from benches.comparison.peers.haystack_window import HAYSTACK

        yield HAYSTACK.name, Way(_by(HAYSTACK), converted=True)
    if find_spec("agent_framework"):
        from benches.comparison.peers.agent_framework_window import AGENT_FRAMEWORK

        yield AGENT_FRAMEWORK.name, Way(_by(AGENT_FRAMEWORK), LONGEST, converted=True)


def _by(peer: object) -> Callable[[Conversation, int], Contexts]:
    from benches.comparison.peers import Peer

    assert isinstance(peer, Peer)

    def run(one: Conversation, room: int) -> Contexts:
        system = sum(map(tokens_of, leading_of(one)))
        own = peer.read(one.messages)
        for cut in one.calls:
            yield cut, peer.write(peer.trim(own[:cut], system + room), one.messages[:cut])

    return run


def as_chat(one: Conversation) -> Conversation:
    """The conversation for libraries that take Chat messages."""
    if one.format == "openai":
        return one
    told = client_arguments(one.messages, "openai", source=one.format, tools=one.tools or None)
    chat: Format = "openai"
    return Conversation(one.source, one.id, chat, told.get("tools", []), told["messages"])


@dataclass(slots=True)
class Tally:
    """One way on one set of conversations."""

    calls: int = 0
    sent: int = 0
    read: int = 0
    breaks: int = 0
    invalid: int = 0
    over: int = 0
    anthropic: Decimal = Decimal(0)
    openai: Decimal = Decimal(0)
    skipped: int = 0
    before: list[Message] = field(default_factory=list)
    recall: step_recall.Tally = field(default_factory=step_recall.Tally)

    @property
    def complete(self) -> float:
        """Share of the judged calls for which all values are there."""
        return self.recall.complete / self.recall.calls if self.recall.calls else 1.0

    def replay(self, one: Conversation, way: Way, room: int) -> None:
        """Account for every call of a conversation."""
        fixed = fixed_of(one)
        around = fixed - sum(map(tokens_of, leading_of(one)))
        spoken, texts = len(leading_of(one)), [text_of(message) for message in one.messages]
        self.before = []
        for cut, sent in way.run(one, room):
            self._send(sent, around, fixed + room)
            shown = "\n".join(text_of(message) for message in sent if message["role"] != "system")
            earlier = "\n".join(texts[spoken:cut])
            for call in calls_in(one.messages[cut]):
                self.recall.look_up(call, earlier, shown)
            self.invalid += bool(octavo.validate(sent, one.format, format=one.format))

    def _send(self, sent: list[Message], around: int, limit: int) -> None:
        total = around + sum(map(tokens_of, sent))
        shared, whole = shared_with(self.before, sent, around)
        self.breaks += bool(self.before) and not whole
        self.anthropic += cost_of(ANTHROPIC, total, shared).money
        self.openai += cost_of(OPENAI, total, shared).money
        self.read += cost_of(ANTHROPIC, total, shared).read
        self.sent += total
        self.over += total > limit
        self.calls += 1
        self.before = sent


def measure(found: list[Conversation], way: Way, share: float) -> Tally:
    """Replay every conversation that the way is fast enough for."""
    tally = Tally()
    for one in found:
        if way.longest is not None and len(one.messages) > way.longest:
            tally.skipped += 1
            continue
        told = as_chat(one) if way.converted else one
        spoken = sum(map(tokens_of, one.messages)) - sum(map(tokens_of, leading_of(one)))
        tally.replay(told, way, int(spoken * share))
    return tally


def sets() -> Iterator[tuple[str, list[Conversation]]]:
    """The conversations with tool calls, by where they come from."""
    found = [one for one in conversations() if any(map(calls_in, one.messages))]
    for source, name in SETS.items():
        yield name, [one for one in found if one.source == source]
    yield OTHERS, [one for one in found if one.source not in SETS]


def ways() -> dict[str, Way]:
    """Everything that is compared."""
    return {
        "**octavo**, defaults": Way(by_octavo, peer=False),
        "octavo without its ledger": Way(without_ledger, peer=False),
        SUFFIX: Way(by_suffix),
        f"results masked but {NEWEST}, then suffix": Way(by_masking),
        **dict(peers()),
        "everything, no budget": Way(by_everything, peer=False),
    }


def row(where: str, name: str, tally: Tally, ours: Tally) -> list[str]:
    """The cells of one way."""
    if not tally.calls:
        return [where, name, "skipped: too slow for sessions of this length", *[""] * 9]
    note = f", without {tally.skipped} long ones" if tally.skipped else ""
    pairs = ((tally.anthropic, ours.anthropic), (tally.openai, ours.openai))
    beside = ["" if tally.skipped else f"{theirs / own:.2f}×" for theirs, own in pairs]
    return [
        where, name + note, f"{tally.sent / tally.calls:,.0f}", f"{tally.read / tally.sent:.0%}",
        f"${tally.anthropic:.3f}", beside[0], f"${tally.openai:.3f}", beside[1],
        f"{tally.breaks:,} of {tally.calls:,}", f"{tally.complete:.0%}", f"{tally.invalid:,}", f"{tally.over:,}",
    ]  # fmt: skip


def beside(where: str, tallies: dict[str, Tally], ours: Tally) -> list[str]:
    """Octavo beside the cheapest and the best of the others whose contexts were all valid, and the sliding window."""
    found = ways()
    others = {
        name: tally
        for name, tally in tallies.items()
        if found[name].peer and tally.calls and not tally.skipped and not tally.invalid
    }
    window = tallies[SUFFIX]
    breaks = f"{ours.breaks:,} of {window.breaks:,}"
    if not others:
        return [where, "none of them", "", "", f"{ours.complete:.0%}", "", "", breaks]
    cheapest = min(others, key=lambda name: others[name].anthropic)
    best = max(others, key=lambda name: others[name].complete)
    return [
        where, f"{cheapest} ({others[cheapest].complete:.0%} complete)",
        *(f"{own / theirs:.2f}×" for own, theirs in ((ours.anthropic, others[cheapest].anthropic),
                                                    (ours.openai, others[cheapest].openai))),
        f"{ours.complete:.0%}", f"{others[best].complete:.0%} ({best})",
        f"{ours.anthropic / others[best].anthropic:.2f}×", breaks,
    ]  # fmt: skip


COLUMNS = (
    "recordings", "what assembles", "tokens a call", "read from the cache", "Anthropic", "of Octavo's", "OpenAI",
    "of Octavo's", "prefix breaks", "calls complete", "invalid", "over",
)  # fmt: skip
BESIDE = (
    "recordings", "cheapest other, all valid", "Octavo's cost of its, Anthropic", "OpenAI", "Octavo, calls complete",
    "best other, all valid", "Octavo's cost of its, Anthropic", "Octavo's breaks of the suffix's",
)  # fmt: skip


def main() -> None:
    """Measure every way on every set, and write the table."""
    rows: list[list[str]] = []
    compared: list[list[str]] = []
    for name, found in sets():
        if not found:
            raise ValueError(f"no conversation with tool calls in {name}")
        for share in SHARES:
            tallies = {label: measure(found, way, share) for label, way in ways().items()}
            ours = tallies["**octavo**, defaults"]
            where = f"{name}, H = {share:.0%}"
            rows += [row(where, label, tally, ours) for label, tally in tallies.items()]
            compared.append(beside(where, tallies, ours))
    packages = [one for one in ("langchain-core", "haystack-ai", "agent-framework-core") if find_spec(MODULES[one])]
    absent = [one for one in MODULES if one not in packages]
    said = ", ".join([results.versions(*packages), *(f"{one} not installed" for one in absent)])
    said += f"; prices of {ANTHROPIC.model} and {OPENAI.model} of {ANTHROPIC.date}"
    results.write("cost", "make bench-quality", COLUMNS, rows, said=said.lstrip(", "))
    results.write("cost_beside", "make bench-quality", BESIDE, compared, said=said.lstrip(", "))


MODULES = {"langchain-core": "langchain_core", "haystack-ai": "haystack", "agent-framework-core": "agent_framework"}


if __name__ == "__main__":
    main()
