"""What a turn costs against the length of the history, beside the libraries that people trim with today.

    python -m benches.comparison.assembly [turn] [peers] [cold]

Writes benches/results/assembly_{turn,peers,cold}.json for docs/reference/assembly.md. Rounds of everything that is
compared are interleaved in one run, and a yardstick is timed between them. Results are checked before times are
taken: what Octavo sends is recounted, must be within the budget and valid.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import octavo
from benches import results
from benches.comparison.tokens import prepare_tiktoken
from benches.histories import MODEL, TOKENS, endless, history
from benches.results import Yardstick, microseconds, percentile, timed

COMMAND = "make bench-assembly"

LENGTHS = (100, 1_000, 10_000, 100_000)
PEERS_AT = 4_000

WINDOW = 50
"""Messages of the window; between two cuts it grows from the low mark to the high one, 0.50 to 0.80 of the budget, of
which 0.15 are for what is told of the others."""

BUDGET = round(WINDOW * TOKENS / (0.65 - 0.15))

STEPS = 20
"""Turns on one fork, so that the history stays as long as the row says."""

ROUNDS = 60

Turn = Callable[[], Any]


def checked(context: octavo.Context) -> octavo.Context:
    """A context whose count is the recount, within the budget, and that breaks no rule."""
    counted = octavo.counter_for(MODEL).count_messages(context.messages, context.tools, context.system)
    assert counted.tokens == context.tokens <= context.budget, (counted, context)
    assert octavo.validate(context.messages, model=MODEL) == []
    return context


# --- the warm turn ------------------------------------------------------------------------------------------------


class Lane:
    """Turns at one length of history."""

    def __init__(self, length: int) -> None:
        session = endless()
        self.length = length
        self.transcript = octavo.Transcript(MODEL)
        self.transcript.extend(list(islice(session, length)))
        # One message more than is timed: a fork counts its fixed parts anew at its first call.
        self.fresh = list(islice(session, STEPS + 1))
        self.bytes = self.transcript.row_bytes / length
        self.append: list[float] = []
        self.assemble: list[float] = []
        self.shown: list[int] = []
        self.transcript.assemble(budget=BUDGET)

    def round(self) -> None:
        """Some turns on a fork."""
        transcript = self.transcript.fork()
        transcript.append(self.fresh[0])
        transcript.assemble(budget=BUDGET)
        for message in self.fresh[1:]:
            before = time.perf_counter()
            transcript.append(message)
            between = time.perf_counter()
            context = transcript.assemble(budget=BUDGET)
            self.assemble.append(time.perf_counter() - between)
            self.append.append(between - before)
            self.shown.append(len(context.messages))
        checked(context)

    @property
    def turns(self) -> list[float]:
        return [append + assemble for append, assemble in zip(self.append, self.assemble, strict=True)]

    def row(self) -> list[str]:
        return [
            f"{self.length:,}",
            microseconds(statistics.median(self.append)),
            microseconds(statistics.median(self.assemble)),
            microseconds(statistics.median(self.turns)),
            microseconds(percentile(self.turns, 0.99)),
            f"{statistics.median(self.shown):.0f}",
            f"{self.bytes:.0f}",
        ]


def turn() -> None:
    """The table of the warm turn."""
    lanes = [Lane(length) for length in LENGTHS]
    yardstick = Yardstick()
    for _ in range(ROUNDS):
        yardstick.tick()
        for lane in lanes:
            lane.round()
    medians = [statistics.median(lane.turns) for lane in lanes]
    columns = ("messages", "append", "assemble", "turn, median", "turn, p99", "messages sent", "row bytes a message")
    ratio = ["longest / shortest", "", "", f"{medians[-1] / medians[0]:.2f}×", "", "", ""]
    results.write("assembly_turn", COMMAND, columns, [*(lane.row() for lane in lanes), ratio], said=str(yardstick))


# --- peers --------------------------------------------------------------------------------------------------------


class Contender:
    """A peer that is given the same growing history, one message a turn."""

    def __init__(self, name: str, peer: Any, trim: Callable[[list[Any], int], list[Any]], most: int) -> None:
        self.name, self.peer, self.trim, self.most = name, peer, trim, most
        self.originals = history(PEERS_AT)
        self.session = islice(endless(), PEERS_AT, None)
        self.own = peer.read(list(self.originals))
        self.times: list[float] = []
        self.kept: list[Any] = []

    def round(self) -> None:
        """One turn; the peer's own form of the new message is made before the clock starts."""
        if len(self.times) >= self.most:
            return
        self.originals.append(next(self.session))
        added = self.peer.read(self.originals)[-1]

        def work() -> None:
            self.own.append(added)
            self.kept = self.trim(self.own, BUDGET)

        self.times.append(timed(work))

    def measured(self) -> tuple[float, list[str]]:
        """The median, and the cells beside it. The ratio waits for Octavo's own median, which is the whole run's."""
        # Judged where no call waits: the last turn of each contender is chosen so.
        assert "tool_calls" not in self.originals[-1], len(self.times)
        sent = self.peer.write(self.kept, self.originals)
        tokens = octavo.counter_for(MODEL).count_messages(sent, format="openai").tokens
        broken = len(octavo.validate(sent, provider="openai"))
        median = statistics.median(self.times)
        verdict = "valid" if not broken else f"breaks {broken} rule{'s' * (broken > 1)}"
        fits = "within" if tokens <= BUDGET else f"over by {tokens - BUDGET:,}"
        return median, [f"{len(sent)}", f"{tokens:,}", fits, verdict]


def contenders() -> list[Contender]:
    from benches.comparison.peers import agent_framework_window, haystack_window, langchain, litellm_trim

    lang, own = langchain.ADVISED, agent_framework_window.AGENT_FRAMEWORK
    return [
        Contender("langchain trim_messages, approximate counter", lang, langchain.approximately, 8),
        Contender("langchain trim_messages, exact tiktoken counter", lang, langchain.exactly(), 2),
        Contender("litellm trim_messages", litellm_trim.LITELLM, litellm_trim.trim, 2),
        Contender("Haystack SlidingWindowCompactor", haystack_window.HAYSTACK, haystack_window.trim, 6),
        # Its first call annotates the whole history, in quadratic time; the others build on that.
        Contender("agent-framework ContextWindow, first call", own, agent_framework_window.trim, 1),
    ]


def peers() -> None:
    """The table of peers."""
    lane, yardstick, rivals = Lane(PEERS_AT), Yardstick(), contenders()
    for _ in range(max(rival.most for rival in rivals)):
        yardstick.tick()
        for _ in range(5):
            lane.round()
        for rival in rivals:
            rival.round()
    again = rivals[-1]
    measured = [(rival.name, *rival.measured()) for rival in rivals]
    again.name, again.times, again.most = "agent-framework ContextWindow, later calls", [], 5
    for _ in range(again.most):
        lane.round()
        again.round()
    measured.append((again.name, *again.measured()))
    octavo_turn = statistics.median(lane.turns)
    context = checked(octavo.assemble(history(PEERS_AT), budget=BUDGET, model=MODEL))
    ours = [
        "**octavo**, exact counts", microseconds(octavo_turn), "1×", f"{len(context.messages)}",
        f"{context.tokens:,}", "within", "valid",
    ]  # fmt: skip
    rows = [ours]
    for name, median, cells in measured:
        rows.append([name, microseconds(median), f"{median / octavo_turn:,.0f}×", *cells])
    columns = (f"at {PEERS_AT:,} messages", "turn, median", "of Octavo's", "messages sent", "tokens", "budget", "rules")
    packages = results.versions("langchain-core", "litellm", "haystack-ai", "agent-framework-core", "tiktoken")
    results.write("assembly_peers", COMMAND, columns, rows, said=f"{packages}; {yardstick}")


# --- cold ---------------------------------------------------------------------------------------------------------

COLD_ROUNDS = 5
AGAIN = 5


def cold_once(name: str, path: Path) -> None:
    """In a process of its own: the first call on texts that were never seen, then the same call again."""
    messages = json.loads(path.read_text(encoding="utf-8"))
    if name == "octavo":
        octavo.assemble(messages[:1], budget=BUDGET, model=MODEL)  # loads the vocabulary

        def work() -> object:
            return octavo.assemble(messages, budget=BUDGET, model=MODEL)
    else:
        from benches.comparison.peers import langchain

        own = messages if name == "dicts" else langchain.read(messages)
        langchain.approximately(own[:1], BUDGET)

        def work() -> object:
            return langchain.approximately(own, BUDGET)

    times = [timed(work) for _ in range(1 + AGAIN)]
    print(json.dumps([times[0], statistics.median(times[1:])]))


def cold() -> None:
    """The table of one stateless call."""
    messages = history(PEERS_AT)
    checked(octavo.assemble(messages, budget=BUDGET, model=MODEL))
    names = {
        "octavo": "**octavo.assemble**, exact counts, on dicts",
        "messages": "trim_messages, approximate counter, on LangChain's messages",
        "dicts": "trim_messages, approximate counter, on dicts",
    }
    yardstick = Yardstick()
    times: dict[str, list[list[float]]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "messages.json")
        path.write_text(json.dumps(messages), encoding="utf-8")
        for _ in range(COLD_ROUNDS):
            yardstick.tick()
            for name in names:
                command = [sys.executable, "-m", "benches.comparison.assembly", "cold-once", name, str(path)]
                ran = subprocess.run(command, cwd=results.ROOT, capture_output=True, text=True, check=True)
                times[name].append(json.loads(ran.stdout))
    medians = {name: [statistics.median(column) for column in zip(*runs, strict=True)] for name, runs in times.items()}
    rows = [
        [label, *(cell for at in (0, 1) for cell in _beside(medians[name][at], medians["messages"][at]))]
        for name, label in names.items()
    ]
    columns = (f"one call on {PEERS_AT:,} messages", "first", "of trim_messages'", "again", "of trim_messages'")
    said = f"{results.versions('langchain-core')}; {yardstick}"
    results.write("assembly_cold", COMMAND, columns, rows, said=said)


def _beside(time_: float, other: float) -> tuple[str, str]:
    return microseconds(time_), f"{time_ / other:.2f}×"


PARTS: dict[str, Callable[[], None]] = {"turn": turn, "peers": peers, "cold": cold}


def main(arguments: list[str]) -> None:
    """Measure the named parts, or all."""
    if arguments[:1] == ["cold-once"]:
        cold_once(arguments[1], Path(arguments[2]))
        return
    with tempfile.TemporaryDirectory() as folder:
        _tiktoken_offline(Path(folder))
        for part in arguments or PARTS:
            PARTS[part]()


def _tiktoken_offline(folder: Path) -> None:
    import os

    prepare_tiktoken(folder)
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
