"""Assembles the context of LLM agents: exact, valid for the provider, stable for the prompt cache."""

from octavo import _build, errors, ledger, privacy, pruning
from octavo._core import BuildInfo, build_info
from octavo.assemble import assemble, assemble_async
from octavo.budget import Budget, Marks, Section
from octavo.context import Context, Due
from octavo.recalling import recall_output, recall_output_tool
from octavo.report import Report, Span
from octavo.tokens import Count, Counter, TokenCounter, Usage, counter_for
from octavo.transcript import Transcript
from octavo.validity import Change, Repaired, Rule, Violation, repair, rules, validate

__all__ = [
    "Budget",
    "BuildInfo",
    "Change",
    "Context",
    "Count",
    "Counter",
    "Due",
    "Marks",
    "Repaired",
    "Report",
    "Rule",
    "Section",
    "Span",
    "TokenCounter",
    "Transcript",
    "Usage",
    "Violation",
    "__version__",
    "assemble",
    "assemble_async",
    "build_info",
    "counter_for",
    "errors",
    "ledger",
    "privacy",
    "pruning",
    "recall_output",
    "recall_output_tool",
    "repair",
    "rules",
    "validate",
]

__version__: str = build_info().version
"""Version of Octavo, the same as of the engine."""

_build.warn_unless_optimised(build_info())
