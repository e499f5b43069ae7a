"""Step recall of every recording with tool calls, at six rooms, beside other libraries and Octavo without its parts.

    python -m benches.quality.recall_grid

Writes benches/results/recall_grid.json (calls complete) and recall_lines.json (lines of longer arguments that stand
earlier and are there) for docs/reference/quality.md: a row is a set of recordings and H, a column a way to assemble.
What is looked up is told in `octavo.step_recall`. Libraries that are too slow for a set's sessions are left out there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

from rich.progress import track

import octavo
from benches import results
from benches.quality import cost
from benches.quality.step_recall import (
    Contexts,
    by_octavo,
    by_pipeline,
    by_suffix,
    calls_in,
    fixed_of,
    leading_of,
    text_of,
    tokens_of,
    within,
    without_ledger,
)
from benches.recorded import Conversation, Message
from octavo.step_recall import Recall, interval, lines_of, values_of

ROOMS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)

OURS = "**octavo**"


def clearing(one: Conversation, room: int, *, ledger: float) -> Contexts:
    """Octavo that clears old outputs first."""
    return within(one, octavo.Budget(fixed_of(one) + room, clear=True, ledger=ledger))


def masking(newest: int) -> Callable[[Conversation, int], Contexts]:
    """Results but the newest masked, then the suffix."""
    return partial(cost.by_masking, newest=newest)


def ways() -> dict[str, cost.Way]:
    """Everything that is compared; of Octavo also without its parts."""
    return {
        OURS: cost.Way(by_octavo),
        "with clearing": cost.Way(partial(clearing, ledger=octavo.budget.LEDGER_SHARE)),
        "clearing, no ledger": cost.Way(partial(clearing, ledger=0)),
        "no ledger": cost.Way(without_ledger),
        "pair-safe suffix": cost.Way(by_suffix),
        "masked but 3": cost.Way(masking(3)),
        "masked but 10": cost.Way(masking(10)),
        "prune, window, summarise": cost.Way(by_pipeline),
        **dict(cost.peers()),
    }


class Looked:
    """What is looked up in a conversation: for each call its values and lines that stand earlier; read once."""

    def __init__(self, one: Conversation) -> None:
        self._texts: dict[int, tuple[Message, str]] = {}
        self.needed: dict[int, list[tuple[set[str], set[str]]]] = {}
        texts = [text_of(message) for message in one.messages]
        for cut in one.calls:
            earlier = "\n".join(texts[len(leading_of(one)) : cut])
            found = [
                ({value for value in values_of(call) if value in earlier},
                 {line for line in lines_of(call) if line in earlier})
                for call in calls_in(one.messages[cut])
            ]  # fmt: skip
            self.needed[cut] = [needed for needed in found if any(needed)]

    def shown(self, sent: list[Message]) -> str:
        """What can be read in the messages that are sent, the system prompt aside."""
        return "\n".join(self._text(message) for message in sent if message["role"] != "system")

    def _text(self, message: Message) -> str:
        known = self._texts.get(id(message))
        if known is None or known[0] is not message:
            known = self._texts[id(message)] = message, text_of(message)
        return known[1]

    def recall(self, sent: Contexts, limit: int, around: int) -> Recall:
        """How much of it is there."""
        found = Recall()
        for cut, messages in sent:
            shown, tokens = self.shown(messages), around + sum(map(tokens_of, messages))
            found += Recall(contexts=1, tokens=tokens, over=int(tokens > limit))
            for values, lines in self.needed[cut]:
                present = sum(value in shown for value in values)
                found += Recall(
                    calls=int(bool(values)), complete=int(bool(values) and present == len(values)),
                    values=len(values), present=present,
                    lines=len(lines), lines_present=sum(line in shown for line in lines),
                )  # fmt: skip
        return found


def measure(found: list[Conversation], looked: dict[str, Looked], way: cost.Way, room: int) -> Recall | None:
    """Replay every conversation; nothing where the way is too slow for one of them."""
    if way.longest is not None and any(len(one.messages) > way.longest for one in found):
        return None
    total = Recall()
    for one in found:
        told = cost.as_chat(one) if way.converted else one
        fixed = fixed_of(told)
        around = fixed - sum(map(tokens_of, leading_of(told)))
        # What a conversion leaves of the messages is looked up for the calls as they were recorded.
        total += looked[f"{told.format} {one.source} {one.id}"].recall(way.run(told, room), fixed + room, around)
    return total


def shares(tally: Recall | None) -> tuple[str, str]:
    """Cells of calls and of lines: the share, its interval at 95 %, mean tokens."""
    if tally is None:
        return "too slow", "too slow"

    def cell(part: int, whole: int) -> str:
        low, high = interval(part, whole)
        return f"{part / whole:.1%} ({low:.0%}-{high:.0%})" if whole else "none"  # fmt: skip

    tokens = f"{tally.tokens / tally.contexts:,.0f}" + (f", {tally.over} over" if tally.over else "")
    return f"{cell(tally.complete, tally.calls)}; {tokens}", cell(tally.lines_present, tally.lines)


def main() -> None:
    """Measure every way on every set at every room."""
    found, labels = {name: each for name, each in cost.sets() if each}, ways()
    looked = {
        f"{told.format} {one.source} {one.id}": Looked(told)
        for each in found.values()
        for one in each
        for told in (one, cost.as_chat(one))
    }
    complete: list[list[str]] = []
    lines: list[list[str]] = []
    cells = [(name, room) for name in found for room in ROOMS]
    for name, room in track(cells, "recordings and H"):
        tallies = {label: measure(found[name], looked, way, room) for label, way in labels.items()}
        ours = tallies[OURS]
        if ours is None or not ours.calls:
            raise ValueError(f"no tool call was looked at in {name}")
        pairs = [shares(tally) for tally in tallies.values()]
        where = [name, f"{room:,}"]
        complete.append([*where, f"{ours.calls:,}", *(first for first, _ in pairs)])
        lines.append([*where, f"{ours.lines:,}", *(second for _, second in pairs)])
    packages = [one for one, module in cost.MODULES.items() if find_spec(module)]
    said = results.versions(*packages) if packages else "no other library installed"
    results.write("recall_grid", "make bench-quality", ("recordings", "H", "calls", *labels), complete, said=said)
    results.write("recall_lines", "make bench-quality", ("recordings", "H", "lines", *labels), lines, said=said)


if __name__ == "__main__":
    main()
