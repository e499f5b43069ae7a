"""What a summary must not lose: found in the messages that it stands for, word for word, and looked for in its text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from octavo.compaction.cues import asks, cue_in, found, sentences
from octavo.compaction.speech import Said, said_in
from octavo.ledger import Ledger

__all__ = ["Fact", "FactKind", "current", "facts_in", "lacking", "merged", "pinned_facts", "said_besides", "speech_of"]

FactKind: TypeAlias = Literal[
    "pinned", "marked", "correction", "constraint", "decision", "open", "amount", "date", "said"
]
"""What a fact is. `constraint`: a limit or a negation; `open`: a question or request without an answer; `amount` and
`date`: a sentence that has one; `said`: any other sentence, which is no promise as far as its words tell."""

_RANKS: Final[dict[str, int]] = {
    "pinned": 0, "marked": 1, "correction": 2, "constraint": 3, "decision": 4, "amount": 5, "date": 6, "open": 7,
    "said": 8,
}  # fmt: skip
_VALUES: Final[dict[str, FactKind]] = {"amount": "amount", "date": "date"}
_LEAST: Final = 5
"""A sentence of fewer characters (`No.`, `네.`) says nothing by itself."""

_MOST: Final = 600
"""A longer sentence is a paste, not a promise."""

_VALUE: Final = re.compile(r"\d(?:[\d.,:/-]*\d)?")
_WORD: Final = re.compile(r"[^\W\d_]{4,}|[가-힣]{2}")
"""A word that says what a sentence is about: long enough to be none of grammar; of Korean words how they begin."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One sentence that must survive as it was said.

    Attributes:
        kind: why.
        text: the sentence, as it was written.
        message: position of the message that it was first said in; `None` for a text that the caller pinned.
        role: who said it: `user` or `assistant`.
        untrusted: whether a tool or web page may have had a hand in it: the assistant said it after it had read one.
        place: the how manieth sentence it is of what was read together: those of a message are in their order.
    """

    kind: FactKind
    text: str
    message: int | None
    role: str
    untrusted: bool = False
    place: int = field(default=0, compare=False)

    @property
    def rank(self) -> tuple[bool, bool, int, int]:
        """What goes first where there is not room for all: promises before what else was said.

        Of each the user's before the model's, by kind, the newest first.
        """
        newest = 0 if self.message is None else -self.message
        return self.kind == "said", self.role != "user", _RANKS[self.kind], newest


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
    return merged(fact for fact in _told_in(messages, tainted=tainted) if fact.kind != "said")


def said_besides(
    facts: Iterable[Fact], messages: Sequence[tuple[int, Any]], *, tainted: bool = False
) -> Iterator[Fact]:
    """All other sentences that user and assistant said: words are data in two languages, and nobody has all of them."""
    known = {_normal(fact.text) for fact in facts}
    for fact in _told_in(messages, tainted=tainted):
        words = _normal(fact.text)
        if words not in known:
            known.add(words)
            yield replace(fact, kind="said")


def _told_in(messages: Sequence[tuple[int, Any]], *, tainted: bool) -> Iterator[Fact]:
    """Every sentence that is neither too short nor too long, and what it is."""
    spoken = list(_spoken(messages, tainted=tainted))
    values, answers = _valued(spoken), _answers(spoken)
    for at, one in enumerate(spoken):
        if _LEAST <= len(one.text) <= _MOST:
            open_ = one.question and _unanswered(spoken, answers[at])
            kind = _kind(one, values.get(at), unanswered=open_)
            yield Fact(kind, one.text, one.message, one.role, one.untrusted, at)


def current(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts without those that a later correction has taken the place of.

    It has where it names every value of the other one, has a value more, and they share a word: who reads it knows
    what was said before as well.
    """
    there = tuple(facts)
    corrections = [(fact, _values(fact), _words(fact)) for fact in there if fact.kind == "correction"]
    return tuple(fact for fact in there if not _corrected(fact, corrections))


def _corrected(fact: Fact, corrections: Sequence[tuple[Fact, set[str], set[str]]]) -> bool:
    if fact.message is None or not corrections or not (values := _values(fact)):
        return False
    words = _words(fact)
    return any(
        other.message is not None and other.message > fact.message and values < named and words & told
        for other, named, told in corrections
        if other.role == "user" or fact.role != "user"
    )


def _values(fact: Fact) -> set[str]:
    return {value.replace(",", "") for value in _VALUE.findall(fact.text)}


def _words(fact: Fact) -> set[str]:
    return set(_WORD.findall(fact.text.casefold()))


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


def speech_of(message: Any) -> str:
    """What somebody says in a message, calls and results aside."""
    return "\n".join(said.text for said in said_in(message) if said.kind == "text")


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


def _kind(one: _Spoken, value: FactKind | None, *, unanswered: bool) -> FactKind:
    """Why a sentence is a fact."""
    value, cue = value or "said", cue_in(one.text)
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
