"""Summaries of what leaves the window: who writes them, what they must keep, and when one is shown."""

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
