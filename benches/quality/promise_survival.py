"""What is left of a promise after five rounds of compaction: whether it is still sent, and how often it stands there.

    python -m benches.quality.promise_survival

Writes benches/results/promise_survival.json and promise_kinds.json for docs/reference/quality.md. Decisions, amounts,
dates, negations and corrections are planted into recorded sessions (`benches/planting.py`); each session is replayed
call by call, its history held to a part of its length, and what leaves is summarised at every call at which it is
due. After the last call, five rounds of summaries later or more, is looked up what is sent: summary, ledger and shown
messages. Two settings: a quarter of the length and Octavo's defaults, which was measured first and is kept as it was in
promise_survival_first.json; and half of the length, with 35 % of the room for the summary.

Three summarisers: Octavo's own, which needs no model, and two that lose what they should keep, as models do.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.resources import files
from itertools import product

import octavo
from benches import results
from benches.planting import Item, Session, dialogues, plant, planted_items, recorded_sessions
from benches.quality.step_recall import MODELS, REFERENCE, text_of
from octavo.budget import SUMMARY_SHARE
from octavo.compaction import Compactor, ExtractiveSummariser, Summariser

ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Setting:
    """A budget.

    Attributes:
        share: H, the budget without system prompt and tools, of the history's length.
        summary: the summary's share of the room.
    """

    share: float
    summary: float

    @property
    def name(self) -> str:
        return f"{self.share:.0%}, {self.summary:.0%}"


SETTINGS = (Setting(1 / 4, SUMMARY_SHARE), Setting(1 / 2, 0.35))

SEEDS = (1, 2, 3)


class FirstSentence:
    """Loses all but the first sentence of what it is given."""

    def summarise(self, text: str, *, max_tokens: int, previous: str | None) -> str:
        first = re.split(r"(?<=[.!?。])\s", _plain(previous or text).strip(), maxsplit=1)[0]
        return REFERENCE.truncate(first, max_tokens)


class Vague:
    """Says what was said, but for every number."""

    def summarise(self, text: str, *, max_tokens: int, previous: str | None) -> str:
        told = re.sub(r"\d[\d.,:/-]*", "some", _plain(f"{previous or ''}\n{text}")).strip()
        return REFERENCE.truncate(told, max_tokens)


def _plain(text: str) -> str:
    return re.sub(r"</?message[^>]*>\n?", "", text)


SUMMARISERS: dict[str, Callable[[], Summariser]] = {
    "extractive": lambda: ExtractiveSummariser(counter=REFERENCE),
    "first sentence only": FirstSentence,
    "no numbers": Vague,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one item.

    Attributes:
        left: whether its message is no longer shown.
        present: whether all its needles are sent.
        times: how often they stand together, as they were said.
        repeated: whether a needle stands more often in what is sent than in all that was said.
    """

    item: Item
    left: bool
    present: bool
    times: int
    repeated: bool


def replay(session: Session, summariser: Summariser, setting: Setting) -> tuple[list[Outcome], int]:
    """Run a session with compaction; the outcome of each item, and the rounds behind the summary that is shown."""
    one = session.conversation
    transcript = octavo.Transcript(MODELS[one.format], format=one.format, counter=REFERENCE, compaction=True)
    compactor = Compactor(transcript, summariser)
    tokens, tools = session.fixed + int(session.history * setting.share), one.tools or None
    budget = octavo.Budget(tokens, summary=setting.summary)
    done = 0
    for cut in one.calls:
        transcript.extend(one.messages[done:cut])
        done = cut
        compactor.run(transcript.assemble(budget=budget, tools=tools))
    transcript.extend(one.messages[done:])
    context = transcript.assemble(budget=budget, tools=tools)
    sent = plain("\n".join(map(text_of, context.messages)))
    history = plain("\n".join(map(text_of, one.messages)))
    shown = {id(message) for message in context.messages}
    outcomes = [judged(item, sent, history, left=id(one.messages[item.message]) not in shown) for item in session.items]
    source = next((part.source for part in context.report.sections if part.name == "summary"), None)
    chain = [summary.id for summary in transcript.summaries]
    return outcomes, 0 if source is None else chain.index(source) + 1


def judged(item: Item, sent: str, history: str, *, left: bool) -> Outcome:
    """Look an item up in what is sent."""
    needles = [plain(needle) for needle in item.needles]
    repeated = any(sent.count(needle) > history.count(needle) for needle in needles)
    return Outcome(item, left, all(needle in sent for needle in needles), _standing(item, needles, sent), repeated)


def _standing(item: Item, needles: list[str], sent: str) -> int:
    """How often all needles stand within a stretch of text that is not longer than what was said, to both sides."""
    reach, first = len(item.text) if item.message < 0 else min(len(item.text), 400), needles[0]
    places = [found.start() for found in re.finditer(re.escape(first), sent)]
    around = [sent[max(0, at - reach) : at + len(first) + reach] for at in places]
    standing = sum(all(needle in stretch for needle in needles) for stretch in around)
    return -(-standing // max(1, plain(item.text).count(first)))


def plain(text: str) -> str:
    """A text as it is compared: one form of each character, one blank for white space, tags as they were."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", text.replace("&lt;", "<")))


def sessions() -> list[Session]:
    """Every session with items, each item once for every seed."""
    bare, items = recorded_sessions(), planted_items()
    return [*(one for seed in SEEDS for one in plant(bare, items, seed)), *dialogues()]


def cues() -> str:
    """The digest of the words by which Octavo tells what a sentence is."""
    return hashlib.sha256(files("octavo.compaction").joinpath("cues.json").read_bytes()).hexdigest()


def measure(found: Iterable[Session]) -> dict[tuple[str, str, str], list[tuple[list[Outcome], int]]]:
    """The outcomes by setting, where sessions come from and who summarised."""
    measured: dict[tuple[str, str, str], list[tuple[list[Outcome], int]]] = {}
    for setting, session, (name, make) in product(SETTINGS, list(found), SUMMARISERS.items()):
        outcomes, rounds = replay(session, make(), setting)
        if rounds < ROUNDS:
            raise ValueError(f"{session.conversation.id}: {rounds} rounds of compaction, {ROUNDS} are needed")
        measured.setdefault((setting.name, session.source, name), []).append((outcomes, rounds))
    return measured


COLUMNS = ("items", "left the window", "all there", "said once", "said again", "a value repeated")


def cells(outcomes: list[Outcome]) -> list[str]:
    """What became of some items, in numbers."""
    whole = len(outcomes)
    shares = (
        sum(one.present for one in outcomes), sum(one.times == 1 for one in outcomes),
        sum(one.times > 1 for one in outcomes), sum(one.repeated for one in outcomes),
    )  # fmt: skip
    left = sum(one.left for one in outcomes)
    return [f"{whole:,}", results.percent(left, whole), *(results.percent(part, whole) for part in shares)]


def main() -> None:
    """Measure, and write both tables."""
    measured = measure(sessions())
    said = f"cues.json of sha256 {cues()[:16]}…"
    rows = []
    kinds: dict[tuple[str, str, str, str], list[Outcome]] = {}
    for setting in SETTINGS:
        everything = []
        for (_, source, name), found in ((key, found) for key, found in measured.items() if key[0] == setting.name):
            outcomes = [one for each, _ in found for one in each]
            rounds = [number for _, number in found]
            rows.append([setting.name, source, name, f"{min(rounds)} to {max(rounds)}", *cells(outcomes)])
            everything += outcomes
        rows.append([setting.name, "all", "all", "", *cells(everything)])
        for one in everything:
            kinds.setdefault((setting.name, one.item.kind, one.item.language, one.item.role), []).append(one)
    columns = ("H, summary", "sessions from", "summariser", "rounds", *COLUMNS)
    results.write("promise_survival", "make bench-quality", columns, rows, said=said, cues=cues())
    rows = [[*key, *cells(kinds[key])] for key in sorted(kinds)]
    columns = ("H, summary", "kind", "language", "said by", *COLUMNS)
    results.write("promise_kinds", "make bench-quality", columns, rows, said=said)


if __name__ == "__main__":
    main()
