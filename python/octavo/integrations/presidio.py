"""Presidio beside the built-in rules: its models find names and addresses, which have no form that a rule could know.

The extra `octavo[presidio]` installs the analyzer; models are chosen and loaded by whoever makes it. This module does
not import it: an analyzer is whatever has its `analyze`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, final

from octavo import privacy

__all__ = ["PresidioRecognizer"]

KINDS: Final[Mapping[str, str]] = {
    "EMAIL_ADDRESS": "EMAIL",
    "IBAN_CODE": "IBAN",
}
"""Presidio's names for what is built in under another; all others stay as they are."""

_HALF: Final = re.compile("[\ud800-\udfff]")


class Analyzer(Protocol):
    """What is used of `presidio_analyzer.AnalyzerEngine`."""

    def analyze(self, text: str, language: str, **options: Any) -> Sequence[Any]:
        """Results with `entity_type`, `start`, `end` in code points, and `score` from 0 to 1."""
        ...


@final
class PresidioRecognizer:
    """Lets a Presidio analyzer take part in a masker: `Masker(recognizers=[PresidioRecognizer(analyzer)])`.

    Its results are joined with the built-in findings: what overlaps is masked as one. It runs where the masker runs,
    as long as its model takes; in a stream it sees one line at a time.
    """

    __slots__ = ("_analyzer", "_entities", "_language", "_threshold")

    def __init__(
        self,
        analyzer: Analyzer,
        *,
        language: str = "en",
        entities: Sequence[str] | None = None,
        score_threshold: float = 0.5,
    ) -> None:
        """Use an analyzer.

        Args:
            analyzer: a `presidio_analyzer.AnalyzerEngine`, with the models that it needs.
            language: the language of the texts, as the analyzer names it.
            entities: what it looks for, such as `["PERSON", "LOCATION"]`; `None` is all that it knows, which includes
                dates and web addresses.
            score_threshold: results below are left out.
        """
        self._analyzer: Final = analyzer
        self._language: Final = language
        self._entities: Final = None if entities is None else list(entities)
        self._threshold: Final = score_threshold

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that can be found, where the entities were named."""
        return tuple(KINDS.get(name, name) for name in self._entities or ())

    def find(self, text: str, /) -> Iterable[privacy.Match]:
        """What the analyzer finds."""
        # Models encode the text, which lone surrogates break; the replacement is as long.
        readable = _HALF.sub("\ufffd", text)
        results = self._analyzer.analyze(
            text=readable, language=self._language, entities=self._entities, score_threshold=self._threshold
        )
        for result in results:
            if result.end > result.start and result.score >= self._threshold:
                name: str = result.entity_type
                kind = KINDS.get(name, name)
                yield privacy.Match(kind, result.start, result.end, max(1, min(100, round(result.score * 100))))

    def __repr__(self) -> str:
        return f"<PresidioRecognizer: {type(self._analyzer).__name__}, {self._language}>"
