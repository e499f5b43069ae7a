"""Summaries of what leaves the window: who writes them, what they must keep, and when one is shown."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from octavo.compaction.compactor import Compactor, Outcome
    from octavo.compaction.extractive import ExtractiveSummariser
    from octavo.compaction.promises import Fact, facts_in, lacking
    from octavo.compaction.providers import AnthropicSummariser, OpenAISummariser
    from octavo.compaction.summariser import INSTRUCTION, Summariser
    from octavo.compaction.summary import Snapshot, Summary

__all__ = [
    "INSTRUCTION",
    "AnthropicSummariser",
    "Compactor",
    "ExtractiveSummariser",
    "Fact",
    "OpenAISummariser",
    "Outcome",
    "Snapshot",
    "Summariser",
    "Summary",
    "facts_in",
    "lacking",
]

# Loaded when they are asked for: a conversation needs of all this the shape of a summary, and imports in half the time.
_HOMES: Final = {
    "compactor": ("Compactor", "Outcome"),
    "extractive": ("ExtractiveSummariser",),
    "promises": ("Fact", "facts_in", "lacking"),
    "providers": ("AnthropicSummariser", "OpenAISummariser"),
    "summariser": ("INSTRUCTION", "Summariser"),
    "summary": ("Snapshot", "Summary"),
}


def __getattr__(name: str) -> Any:
    """Load the module that a public name stands in."""
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
