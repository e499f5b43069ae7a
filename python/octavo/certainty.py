"""How sure a context's count is, and what reported usage has to do with it."""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from octavo.frame import Frame
from octavo.messages import member
from octavo.tokens import Method
from octavo.told import Told

if TYPE_CHECKING:
    from octavo.drafting import Draft

__all__ = ["Certainty", "Correction", "Surroundings", "certainty_of", "surroundings_of"]

Correction: TypeAlias = Literal["none", "learnt", "anchored"]
"""What reported usage has to do with a count: nothing yet; its line (a ratio and a constant) corrects a context that
lacks or changed a part of what was reported; or all that was reported for is sent again, and only the rest is counted.
"""

ANCHORED_ERROR: Final = 0.027
"""How far a total may be off once the provider has reported usage: the 95th percentile over mixed content
(measured on 300 simulated conversations, 2026-11)."""

TAIL_ERROR: Final = 0.23
"""How far a few messages may be off that came after a report: the 95th percentile (as above)."""

SPREAD: Final = 0.4
"""How far a text's count may be off, at most, where reports have shown a counter to be off: as a stand-in vocabulary
(the error of `estimated` counts)."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stood around the history when usage was reported.

    Attributes:
        texts: of the system prompt and the sections, in order.
        tokens: of them.
        tools: tokens of the tool definitions.
        mode: what tells whether tools and thinking mode are the same.
    """

    texts: tuple[str, ...]
    tokens: int
    tools: int
    mode: tuple[int, bool | None]


@dataclass(frozen=True, slots=True)
class Certainty:
    """How a context's tokens were counted.

    Attributes:
        method: `exact`, `calibrated` or `estimated`.
        error_bound: how far they may be off, as a share of them.
        usage: what reported usage has to do with them.
    """

    method: Method
    error_bound: float
    usage: Correction


def surroundings_of(frame: Frame, told: Told | None, system: Any, mode: tuple[int, bool | None]) -> Surroundings:
    """What stands around the history of a context."""
    blocks = [fitted.block for fitted in frame.tail]
    around = frame.tokens - frame.around.tools + sum(fitted.tokens for fitted in frame.tail)
    if told is not None:
        blocks.append(told.text)
        around += told.tokens
    texts = (*_texts(system), *frame.joined, *frame.leading, *frame.head, *blocks)
    return Surroundings(texts, around, frame.around.tools, mode)


def _texts(system: Any) -> Iterable[str]:
    """The texts of a system prompt: a string, or blocks that hold one each."""
    if isinstance(system, str):
        yield system
    elif isinstance(system, list | tuple):
        for block in system:
            text = member(block, "text")
            if isinstance(text, str):
                yield text


def certainty_of(draft: Draft) -> Certainty:
    """Say how sure the tokens of a context are."""
    plan, asked = draft.plan, draft.asked
    estimated, off = plan.estimated(asked.engine)
    method, error = _counted(draft, estimated, off + asked.frame.around.error)
    if plan.reported_for is None:
        return Certainty(method, _share(error, draft.tokens), "none")
    basis, whole = plan.reported_for
    added, thinking, fresh = plan.since_report(asked.engine)
    # Its own count bounds a total as well, but for what the report makes of that, and what past counts were off by.
    apart = abs(draft.tokens - draft.counted)
    if fresh[0]:
        method = "estimated"
    elif error or apart:
        method = "calibrated"
    grown = _grown(draft, added)
    known, missed = max(ANCHORED_ERROR * draft.tokens, grown), plan.learnt(0)[1]
    bound = max(
        missed + grown if missed else 0.0, min(error + apart, known + _unknown(draft, added, thinking) + fresh[1])
    )
    usage: Correction = "anchored" if whole and basis == asked.limits[3] else "learnt"
    return Certainty(method, _share(bound, draft.tokens), usage)


def _share(error: float, tokens: int) -> float:
    return error / tokens if tokens else 0.0


def _counted(draft: Draft, estimated: int, error: int) -> tuple[Method, int]:
    """The counter's word on what is sent, of whose messages so many tokens are no text."""
    counter, around = draft.asked.counter, draft.asked.frame.around
    text = max(0, draft.counted - counter.fixed - around.tools - around.system_estimated - estimated)
    tools = around.tools - around.tools_estimated
    return counter.core.certainty(text, tools, estimated + around.system_estimated + around.tools_estimated, error)


def _grown(draft: Draft, added: int) -> float:
    """What is off by the texts that came since, and by the ratio that corrects every difference from the report."""
    claimed = draft.asked.counter.error_bound
    counted, _, doubt = draft.plan.learnt(round(claimed * 1000))
    tail = TAIL_ERROR * added * _ratio(draft) if claimed else 0.0
    return tail + abs(draft.counted - counted) * doubt / 1000


def _unknown(draft: Draft, added: int, thinking: int) -> float:
    """What the report leaves open: what it covers and is not sent, and what came back or was exchanged around it."""
    ratio = _ratio(draft)
    counted, _, _ = draft.plan.learnt(0)
    turned = abs(draft.counted - added - counted)
    spread = max(draft.asked.counter.error_bound, min(SPREAD, abs(ratio - 1)))
    changed, tools, thought = _changed(draft, thinking)
    return ratio * (spread * (turned + changed) + tools + thought)


def _ratio(draft: Draft) -> float:
    """The provider's tokens for one of the transcript's own, at the margin."""
    return (draft.plan.reported(draft.counted + 1000) - draft.tokens) / 1000


def _changed(draft: Draft, thinking: int) -> tuple[float, float, float]:
    """Tokens of texts around the history that are others now than at the report; and in doubt of tools and thinking."""
    asked = draft.asked
    basis, _ = draft.plan.reported_for or (0, False)
    now = surroundings_of(asked.frame, draft.told, asked.system, asked.kind)
    then = asked.observed.get(basis, now if basis == asked.limits[3] else None)
    if then is None:
        # Too long ago to be known: all of it may have been another.
        everything = 2.0 * now.tokens
        return everything, 2.0 * _tools_error(draft, now.tools), float(thinking)
    gone, come = differing(then.texts, now.texts)
    tools = _tools_error(draft, then.tools + now.tools) if then.mode[0] != now.mode[0] else 0.0
    return gone * then.tokens + come * now.tokens, tools, thinking if then.mode[1] != now.mode[1] else 0.0


def _tools_error(draft: Draft, tokens: int) -> float:
    """How far the count of tool definitions can be off: of lists that differ nothing is known together."""
    return float(draft.asked.counter.core.certainty(0, tokens, 0, 0)[1])


def differing(then: tuple[str, ...], now: tuple[str, ...]) -> tuple[float, float]:
    """The share of `then` that is not in `now`, and of `now` that is not in `then`: by lines, and in these by words.

    The order does not matter: what tokens a text costs is nearly all said by its words.
    """
    if then == now:
        return 0.0, 0.0
    one, other = (Multiset(line for text in texts for line in text.splitlines()) for texts in (then, now))
    gone, come = _words(one - other), _words(other - one)
    return _part(gone - come, then), _part(come - gone, now)


def _words(lines: Multiset[str]) -> Multiset[str]:
    return Multiset(word for line in lines.elements() for word in line.split())


def _part(words: Multiset[str], texts: tuple[str, ...]) -> float:
    """The share of the texts that these words of theirs are, with the blank that each brings."""
    characters = sum((len(word) + 1) * times for word, times in words.items())
    return min(1.0, characters / max(1, sum(map(len, texts)))) if characters else 0.0
