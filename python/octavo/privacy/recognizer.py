"""Recognisers of one's own: a pattern, a check, words nearby; and how their matches join what is built in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, Protocol, final, runtime_checkable

from octavo import _core
from octavo.checking import check_text, refuse
from octavo.errors import MaskingError, OctavoError, RecognizerError
from octavo.privacy.finding import Match, check_kind, is_kind
from octavo.privacy.token import token_spans

__all__ = ["Recognizer", "Recognizes", "check_recognizers", "joined", "merged"]

_NEARBY: Final = 30
"""Characters before and after a match in which a context word counts: the distance of the built-in kinds."""

_MASKED: Final = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands for what is masked where context words are looked for."""


@runtime_checkable
class Recognizes(Protocol):
    """Finds what no pattern finds: a model for names and addresses, a list of customers, another library."""

    def find(self, text: str, /) -> Iterable[Match]:
        """What stands in the text, in any order."""
        ...


@final
class Recognizer:
    """Finds one kind by a pattern, and what the pattern alone cannot decide by a function and by words nearby.

    The pattern is a regular expression of Rust's `regex`: no look-around and no back-references, in return the time
    is linear in the text whatever the pattern, so that no text can stall the process, and other threads run
    meanwhile. It is looked for within a line: `^` and `$` are the line's ends, and nothing spans two lines.
    """

    __slots__ = ("_confidence", "_context", "_kind", "_pattern", "_source", "_validator")

    def __init__(
        self,
        kind: str,
        pattern: str,
        *,
        validator: Callable[[str], object] | None = None,
        context: Sequence[str] = (),
        confidence: int = 80,
    ) -> None:
        r"""Make a recogniser, for any number of maskers.

        Args:
            kind: the name inside the token, such as `EMPLOYEE_ID`; a built-in kind may be given more patterns.
            pattern: a regular expression such as `\bE-[0-9]{6}\b`; flags stand in it: `(?i)`.
            validator: told the text of each match; what it finds false is left alone. Called outside any lock.
            context: words of which one must stand in the same line, within 30 characters before or after; case makes
                no difference, and what is masked in between counts as one character.
            confidence: 1 to 100.

        Raises:
            ArgumentError: an argument is of a kind that its parameter does not take.
            MaskingError: the kind, the pattern or the confidence cannot be used; the message says why.
        """
        self._kind: Final = check_kind("kind", kind)
        check_text("pattern", pattern, optional=False)
        self._pattern: Final = _core.Pattern(pattern)
        self._source: Final = pattern
        if validator is not None and not callable(validator):
            raise refuse("validator", "a function of a text", validator)
        self._validator: Final = validator
        self._context: Final = _words(context)
        self._confidence: Final = _percent(confidence)

    @property
    def kind(self) -> str:
        """The kind that is found."""
        return self._kind

    @property
    def context(self) -> tuple[str, ...]:
        """The words of which one must be near, in lower case."""
        return self._context

    def find(self, text: str, /) -> list[Match]:
        """Every match that the validator agrees with, whatever stands around it.

        Raises:
            RecognizerError: the validator raised.
        """
        return [
            Match(self._kind, start, end, self._confidence)
            for start, end in self._pattern.find(text)
            if self._agrees(text[start:end])
        ]

    def _agrees(self, value: str) -> bool:
        if self._validator is None:
            return True
        try:
            return bool(self._validator(value))
        except Exception as error:  # noqa: BLE001 - whatever the caller's function raises
            what = _without_values(error)
        raise RecognizerError(f"the validator of the recogniser {self._kind} {what}", kind=self._kind)

    def __copy__(self) -> Recognizer:
        return self

    def __deepcopy__(self, _memo: object) -> Recognizer:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _recognizer, (self._kind, self._source, self._validator, self._context, self._confidence)

    def __repr__(self) -> str:
        return f"<Recognizer {self._kind}>"


def _recognizer(
    kind: str, pattern: str, validator: Callable[[str], object] | None, context: Sequence[str], confidence: int
) -> Recognizer:
    return Recognizer(kind, pattern, validator=validator, context=context, confidence=confidence)


def _words(context: object) -> tuple[str, ...]:
    if isinstance(context, str | bytes) or not isinstance(context, Sequence):
        raise refuse("context", "a list of words", context)
    for at, word in enumerate(context):
        check_text(f"context[{at}]", word, optional=False)
        if not 0 < len(word) <= _NEARBY:
            raise MaskingError(f"context[{at}] must have 1 to {_NEARBY} characters, got {len(word)}", name="context")
    return tuple(word.lower() for word in context)


def _percent(confidence: object) -> int:
    if isinstance(confidence, bool) or not isinstance(confidence, int):
        raise refuse("confidence", "a whole number", confidence)
    if not 1 <= confidence <= 100:
        raise MaskingError(f"confidence must be from 1 to 100, got {confidence!r:.40}", name="confidence")
    return confidence


def check_recognizers(recognizers: object) -> tuple[Recognizes, ...]:
    """The recognisers that were given.

    Raises:
        ArgumentError: one of them has no `find`, or they are no list.
    """
    if isinstance(recognizers, str | bytes) or not isinstance(recognizers, Iterable):
        raise refuse("recognizers", "a list of recognisers", recognizers)
    given = tuple(recognizers)
    for at, one in enumerate(given):
        if isinstance(one, str | bytes | type) or not isinstance(one, Recognizes):
            raise refuse(f"recognizers[{at}]", "an object with find(text)", one)
    return given


def joined(text: str, built_in: Sequence[Match], recognizers: Sequence[Recognizes], before: str) -> list[Match]:
    """What is built in and what recognisers of the caller's own find, in order and apart from one another.

    Where matches overlap, all of what they cover is masked, under the name of the longest; of two that are as long
    the more confident one names it, then the caller's own. Recognisers are shown the text alone; context words count
    in what stands `before` it too.

    Raises:
        RecognizerError: a recogniser raised, or answered something that is no match inside the text.
    """
    asked = [(_context_of(one), _matches(one, text)) for one in recognizers]
    every = [match for _, found in asked for match in found]
    if not every:
        return list(built_in)
    own = every
    if any(words for words, found in asked if found):
        nearby = _Nearby(text, [*built_in, *every], before)
        own = [match for words, found in asked for match in found if not words or nearby.has(match, words)]
    return merged(built_in, own)


def merged(built_in: Sequence[Match], own: Sequence[Match]) -> list[Match]:
    """Both in order, and what overlaps as one."""
    return list(_clusters(built_in, own))


def _context_of(recognizer: Recognizes) -> tuple[str, ...]:
    return recognizer.context if isinstance(recognizer, Recognizer) else ()


def _matches(recognizer: Recognizes, text: str) -> list[Match]:
    if isinstance(recognizer, Recognizer):
        return recognizer.find(text)
    name = type(recognizer).__name__
    what = ""
    matches: list[Any] = []
    try:
        matches = list(recognizer.find(text))
    except OctavoError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever the caller's finder raises
        what = _without_values(error)
    what = what or next((wrong for match in matches if (wrong := _wrong_with(match, len(text)))), "")
    if what:
        raise RecognizerError(f"the recogniser {name} {what}", kind=name)
    return matches


def _without_values(error: Exception) -> str:
    """What an exception is and where it was raised.

    Its message may hold the value, so it is neither repeated nor chained: a log writes the cause of an error with it.
    """
    place = ""
    trace = error.__traceback__
    while trace is not None:
        place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"raised {type(error).__name__} ({place})"


def _wrong_with(match: object, length: int) -> str:
    """What is wrong with an answer to a text of so many characters; nothing where it can be used."""
    if not (
        isinstance(match, Match)
        and _is_whole(match.start)
        and _is_whole(match.end)
        and 0 <= match.start < match.end <= length
    ):
        return "must find a Match inside the text"
    if not is_kind(match.kind):
        return "must give a kind of 2 to 48 capitals, digits and _"
    return "" if _is_whole(match.confidence) and 1 <= match.confidence <= 100 else "must give a confidence of 1 to 100"


def _is_whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


class _Nearby:
    """The text as context words see it.

    Whatever is masked, was masked before or may be masked counts as one character, and no word is looked for in it.
    Else masking would bring words nearer, and a second masking would find what the first did not.
    """

    __slots__ = ("_ends", "_shift", "_starts", "_text", "_to")

    def __init__(self, text: str, marked: Iterable[Match], before: str) -> None:
        line = before.rpartition("\n")[2]
        self._shift: Final = len(line)
        text = line + text
        regions = chain(((one.start + len(line), one.end + len(line)) for one in marked), token_spans(text))
        self._starts: Final[list[int]] = []
        self._ends: Final[list[int]] = []
        for start, end in sorted(regions):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._starts.append(start)
                self._ends.append(end)
        edges = zip([0, *self._ends], [*self._starts, len(text)], strict=True)
        pieces = [text[start:end] for start, end in edges]
        self._text: Final = _MASKED.join(pieces)
        self._to: Final[list[int]] = []
        """Where the mark of each region stands in what is left."""
        at = 0
        for piece in pieces[:-1]:
            self._to.append(at + len(piece))
            at += len(piece) + 1

    def has(self, match: Match, words: Sequence[str]) -> bool:
        """Whether one of the words is near a match, which is one of those that were marked."""
        region = bisect_right(self._starts, match.start + self._shift) - 1
        at = self._to[region]
        # A region of several matches hides what is between them, so both sides begin at its mark.
        before = self._text[max(0, at - _NEARBY) : at].rpartition("\n")[2].lower()
        after = self._text[at + 1 : at + 1 + _NEARBY].partition("\n")[0].lower()
        return any(word in before or word in after for word in words)


def _clusters(built_in: Sequence[Match], own: Sequence[Match]) -> Iterator[Match]:
    """Runs of overlapping matches as one each."""
    mine = set(map(id, own))
    cluster: list[Match] = []
    end = 0
    for one in sorted([*built_in, *own], key=lambda one: one.start):
        if cluster and one.start >= end:
            yield _merged(cluster, end, mine)
            cluster = []
        cluster.append(one)
        end = max(end, one.end)
    if cluster:
        yield _merged(cluster, end, mine)


def _merged(cluster: Sequence[Match], end: int, mine: set[int]) -> Match:
    if len(cluster) == 1:
        return cluster[0]
    best = max(cluster, key=lambda one: (one.end - one.start, one.confidence, id(one) in mine))
    return Match(best.kind, cluster[0].start, end, best.confidence)
