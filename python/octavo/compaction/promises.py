"""What a summary must not lose: found in the messages that it stands for, word for word, and looked for in its text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from octavo.compaction.cues import asks, cue_in, found, sentences
from octavo.compaction.speech import Said, said_in
from octavo.ledger import Ledger

__all__ = ["Fact", "FactKind", "facts_in", "lacking", "merged", "pinned_facts"]

FactKind: TypeAlias = Literal["pinned", "marked", "correction", "constraint", "decision", "open", "amount", "date"]
"""What a fact is. `constraint`: a limit or a negation; `open`: a question or request without an answer; `amount` and
`date`: a sentence that has one."""

_RANKS: Final[dict[str, int]] = {
    "pinned": 0, "marked": 1, "correction": 2, "constraint": 3, "decision": 4, "amount": 5, "date": 6, "open": 7,
}  # fmt: skip
_VALUES: Final[dict[str, FactKind]] = {"amount": "amount", "date": "date"}
_LEAST: Final = 5
"""A sentence of fewer characters (`No.`, `네.`) says nothing by itself."""

_MOST: Final = 600
"""A longer sentence is a paste, not a promise."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One sentence that must survive as it was said.

    Attributes:
        kind: why.
        text: the sentence, as it was written.
        message: position of the message that it was first said in; `None` for a text that the caller pinned.
        role: who said it: `user` or `assistant`.
        untrusted: whether a tool or web page may have had a hand in it: the assistant said it after it had read one.
    """

    kind: FactKind
    text: str
    message: int | None
    role: str
    untrusted: bool = False

    @property
    def rank(self) -> tuple[bool, int, int]:
        """What goes first where there is not room for all: the user's before the model's, by kind, the newest first."""
        newest = 0 if self.message is None else -self.message
        return self.role != "user", _RANKS[self.kind], newest


@dataclass(frozen=True, slots=True)
class _Spoken:
    """One sentence and where it was said."""

    text: str
    message: int
    role: str
    untrusted: bool
    question: bool


def pinned_facts(texts: Iterable[str]) -> tuple[Fact, ...]:
    """The texts that the caller pinned, each once."""
    return merged(Fact("pinned", text, None, "user") for text in texts if text.strip())


def facts_in(messages: Sequence[tuple[int, Any]], *, tainted: bool = False) -> tuple[Fact, ...]:
    """The promises of messages: what user and assistant said that must not be lost.

    What tools printed is none: its values are the ledger's. A summary is never read for promises.

    Args:
        messages: messages with their positions.
        tainted: whether the model had read something untrusted before them.
    """
    spoken = list(_spoken(messages, tainted=tainted))
    values, answers = _valued(spoken), _answers(spoken)
    facts = []
    for at, one in enumerate(spoken):
        open_ = one.question and _unanswered(spoken, answers[at])
        kind = _kind(one, values.get(at), unanswered=open_)
        if kind is not None and _LEAST <= len(one.text) <= _MOST:
            facts.append(Fact(kind, one.text, one.message, one.role, one.untrusted))
    return merged(facts)


def merged(*groups: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts, each once: of the same words the one that came first, and none that is a part of a pinned one."""
    known: dict[str, Fact] = {}
    pinned: list[str] = []
    for fact in (fact for group in groups for fact in group):
        words = _normal(fact.text)
        if fact.kind == "pinned":
            pinned.append(words)
        elif any(words in one for one in pinned):
            continue
        known.setdefault(words, fact)
    return tuple(known.values())


def lacking(facts: Iterable[Fact], text: str) -> tuple[Fact, ...]:
    """The facts that a text does not have word for word; white space and letter case aside."""
    there = _normal(text)
    return tuple(fact for fact in facts if _normal(fact.text) not in there)


def _normal(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip().casefold()


def _spoken(messages: Sequence[tuple[int, Any]], *, tainted: bool) -> Iterator[_Spoken]:
    for number, message in messages:
        for said in said_in(message):
            tainted = tainted or said.kind == "result"
            if said.kind == "text" and said.role in ("user", "assistant"):
                yield from _sentences(said, number, tainted=tainted and said.role == "assistant")


def _sentences(said: Said, number: int, *, tainted: bool) -> Iterator[_Spoken]:
    for sentence in sentences(said.text):
        yield _Spoken(sentence, number, said.role, tainted, asks(sentence))


def _valued(spoken: Sequence[_Spoken]) -> dict[int, FactKind]:
    """The sentences in which an amount or a date is said first or last, by the ledger's reading."""
    ledger = Ledger(format="openai")
    for one in spoken:
        ledger.append({"role": one.role, "content": one.text})
    found_in: dict[int, FactKind] = {}
    for entry in ledger.entries():
        kind = _VALUES.get(entry.kind)
        if kind is not None:
            found_in.setdefault(entry.first, kind)
            found_in.setdefault(entry.last, kind)
    return found_in


def _kind(one: _Spoken, value: FactKind | None, *, unanswered: bool) -> FactKind | None:
    """Why a sentence is a fact; `None` where it is none."""
    cue = cue_in(one.text)
    if one.question and cue not in ("marked", "correction"):
        return "open" if unanswered else value
    # What a model says it must, must not or is about to do binds nobody: its decisions, amounts and dates do.
    if cue is None or cue == "error" or (one.role != "user" and cue not in ("decision", "unsettled")):
        return value
    if cue == "unsettled":
        return "open"
    return "decision" if cue == "intent" else cue


def _answers(spoken: Sequence[_Spoken]) -> list[int | None]:
    """For each sentence the next one that somebody else says."""
    following: list[int | None] = [None] * len(spoken)
    for at in range(len(spoken) - 2, -1, -1):
        same = spoken[at + 1].role == spoken[at].role
        following[at] = following[at + 1] if same else at + 1
    return following


def _unanswered(spoken: Sequence[_Spoken], answer: int | None) -> bool:
    """Whether nobody has answered a question by the end, or the answer puts it off."""
    return answer is None or found("unanswered", spoken[answer].text)
