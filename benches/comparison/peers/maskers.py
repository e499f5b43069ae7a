"""Libraries that people mask texts with today, by rules alone, each as one function from a text to spans."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, Final, TypeAlias

from octavo import privacy

__all__ = ["PEERS", "Find", "Span", "no_model"]

Span: TypeAlias = tuple[int, int]
Find: TypeAlias = Callable[[str], list[Span]]

SEED_PATTERNS: Final = (r"\d{6}-?[1-4]\d{6}", r"01[0-9]-?\d{3,4}-?\d{4}", r"\d{2,6}-\d{2,6}-\d{2,6}")
"""Resident number, phone and bank account in the notes that Octavo was begun from: the seeds."""


def octavo() -> Find:
    return lambda text: [(one.start, one.end) for one in privacy.find(text)]


def seed_patterns() -> Find:
    patterns = [re.compile(pattern) for pattern in SEED_PATTERNS]
    return lambda text: [found.span() for pattern in patterns for found in pattern.finditer(text)]


def no_model() -> Any:
    """What Presidio runs on where no language model is wanted."""
    from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine

    class NoModel(NlpEngine):
        def load(self) -> None: ...

        def is_loaded(self) -> bool:
            return True

        def process_text(self, text: str, language: str) -> Any:
            return NlpArtifacts([], [], [], [], self, language)

        def process_batch(self, texts: Any, language: str, **_: Any) -> Iterator[Any]:
            return ((text, self.process_text(text, language)) for text in texts)

        def is_stopword(self, word: str, language: str) -> bool:
            return False

        def is_punct(self, word: str, language: str) -> bool:
            return False

        def get_supported_entities(self) -> list[str]:
            return []

        def get_supported_languages(self) -> list[str]:
            return ["en"]

    return NoModel()


def presidio() -> Find:
    """The default recognisers of English and all Korean ones, without a language model, as they are rules too."""
    import tldextract
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry, predefined_recognizers

    # Its recogniser of e-mail asks for a list on the network at every text; the one in the package serves.
    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=())
    registry = RecognizerRegistry(supported_languages=["en"])
    registry.load_predefined_recognizers(languages=["en"])
    for name in ("Brn", "DriverLicense", "Frn", "Passport", "Rrn"):
        registry.add_recognizer(getattr(predefined_recognizers, f"Kr{name}Recognizer")(supported_language="en"))
    analyzer = AnalyzerEngine(registry=registry, nlp_engine=no_model(), supported_languages=["en"])
    # Dates and web addresses are no personal data by themselves; masking them would break every log.
    entities = sorted(set(analyzer.get_supported_entities("en")) - {"DATE_TIME", "URL", "IP_ADDRESS", "MAC_ADDRESS"})

    def find(text: str) -> list[Span]:
        return [(one.start, one.end) for one in analyzer.analyze(text, language="en", entities=entities)]

    return find


def langchain() -> Find:
    """The detectors of PIIMiddleware for e-mail and cards: those of its five that Octavo looks for by default too."""
    from langchain.agents.middleware._redaction import detect_credit_card, detect_email

    return lambda text: [(one["start"], one["end"]) for one in (*detect_email(text), *detect_credit_card(text))]


def scrubadub() -> Find:
    import scrubadub as library

    scrubber = library.Scrubber()
    scrubber.remove_detector("url")
    return lambda text: [(one.beg, one.end) for one in scrubber.iter_filth(text)]


def detect_secrets() -> Find:
    """Secrets only, a line at a time, with its default plugins and filters."""
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import default_settings

    settings = ExitStack()
    settings.enter_context(default_settings())

    def find(text: str, _: ExitStack = settings) -> list[Span]:
        spans: list[Span] = []
        at = 0
        for line in text.split("\n"):
            for secret in scan_line(line):
                start = line.find(secret.secret_value or "\0")
                if start >= 0:
                    spans.append((at + start, at + start + len(secret.secret_value or "")))
            at += len(line) + 1
        return spans

    return find


PEERS: Final[dict[str, tuple[str, Callable[[], Find]]]] = {
    "**octavo**": ("octavo", octavo),
    "the seeds' three patterns": ("octavo", seed_patterns),
    "Presidio, rules without a model": ("presidio-analyzer", presidio),
    "LangChain PIIMiddleware": ("langchain", langchain),
    "scrubadub": ("scrubadub", scrubadub),
    "detect-secrets": ("detect-secrets", detect_secrets),
}
"""Name, package and what makes the function."""
