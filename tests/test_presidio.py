"""Presidio as a recogniser: with a double of its result's shape, and with the package itself where it is installed."""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from octavo.errors import RecognizerError
from octavo.integrations.presidio import PresidioRecognizer
from octavo.privacy import Masker
from personal_texts import EMAIL, PHONE


@dataclass
class Result:
    """What is read of `presidio_analyzer.RecognizerResult`."""

    entity_type: str
    start: int
    end: int
    score: float


class Analyzer:
    """An analyzer that knows one name and one kind of address, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, dict[str, Any]]] = []

    def analyze(self, text: str, language: str, **options: Any) -> Sequence[Result]:
        text.encode()
        self.asked.append((text, language, options))
        known = {
            "김철수": ("PERSON", 0.85),
            "Seoul": ("LOCATION", 0.6),
            EMAIL: ("EMAIL_ADDRESS", 1.0),
            "may": ("DATE", 0.1),
        }
        return [
            Result(kind, text.index(word), text.index(word) + len(word), score)
            for word, (kind, score) in known.items()
            if word in text
        ]


def test_names_and_places_join_what_is_built_in() -> None:
    analyzer = Analyzer()
    masker = Masker(recognizers=[PresidioRecognizer(analyzer, language="ko", entities=["PERSON", "LOCATION"])])
    text = f"김철수, Seoul, {PHONE}, {EMAIL}, may"
    assert masker.mask(text) == "[PERSON], [LOCATION], [KR_PHONE], [EMAIL], may"
    assert [one.confidence for one in masker.find(text)][:2] == [85, 60]
    asked, language, options = analyzer.asked[0]
    assert (asked, language) == (text, "ko")
    assert options["entities"] == ["PERSON", "LOCATION"]
    once = masker.mask(text)
    assert masker.mask(once) == once


def test_lone_surrogates_do_not_reach_the_model() -> None:
    masker = Masker(recognizers=[PresidioRecognizer(Analyzer())])
    assert masker.mask("\ud800김철수\udfff") == "\ud800[PERSON]\udfff"


def test_an_analyzer_that_fails_is_named() -> None:
    class Fails(Analyzer):
        def analyze(self, text: str, language: str, **options: Any) -> Sequence[Result]:
            raise RuntimeError("no model for ko")

    with pytest.raises(RecognizerError, match="PresidioRecognizer raised RuntimeError"):
        Masker(recognizers=[PresidioRecognizer(Fails())]).mask("x")


def test_the_package_itself() -> None:
    presidio = pytest.importorskip(
        "presidio_analyzer", reason="presidio-analyzer is not installed (the extra presidio)"
    )
    peers = importlib.import_module("benches.comparison.peers.maskers")
    registry = presidio.RecognizerRegistry(recognizers=[], supported_languages=["en"])
    pattern = presidio.Pattern(name="ward", regex=r"\bward [0-9]+\b", score=0.8)
    registry.add_recognizer(presidio.PatternRecognizer(supported_entity="WARD", patterns=[pattern]))
    analyzer = presidio.AnalyzerEngine(registry=registry, nlp_engine=peers.no_model(), supported_languages=["en"])
    masker = Masker(recognizers=[PresidioRecognizer(analyzer)])
    assert masker.mask(f"in ward 12, {PHONE}") == "in [WARD], [KR_PHONE]"
