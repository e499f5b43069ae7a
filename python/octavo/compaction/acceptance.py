"""What a summariser gave is a summary, or says why it is none."""

from __future__ import annotations

import re
from typing import Final

from octavo.compaction.cues import begins, sentences
from octavo.errors import SummaryError
from octavo.tokens import Counter

__all__ = ["accepted_text", "shorter"]

_THOUGHTS: Final = re.compile(r"<(think|thinking|thought|reasoning)>.*?(?:</\1>|\Z)", re.IGNORECASE | re.DOTALL)
_SORRY: Final = re.compile(
    r"(?:\W|(?:i'm|i am|i apologi[sz]e|apologies|sorry|so|very|but|unfortunately|however)\b|"
    r"죄송합니다|죄송하지만|죄송해요|미안하지만|유감이지만|저는|하지만|이 대화는|이 내용은|이 요청은)*",
    re.IGNORECASE,
)
"""What may stand before a refusal."""

_LONGEST_REFUSAL: Final = 4
"""A refusal says so in a few sentences; what goes on is a summary that tells of one."""


def accepted_text(given: object) -> str:
    """The text of a summary, without what a model thought aloud. Any text is taken that is not blank.

    Raises:
        SummaryError: there is none: no text at all, a blank one, thoughts only, or a refusal and nothing else.
    """
    if not isinstance(given, str):
        raise SummaryError(f"the summariser gave {type(given).__name__}, no text", reason="no_text")
    if not given.strip():
        raise SummaryError("the summariser gave a blank text", reason="empty")
    text = _THOUGHTS.sub("", given).strip()
    if not text:
        raise SummaryError(f"the summariser gave its thoughts only, {len(given)} characters", reason="thinking_only")
    if _refuses(text):
        raise SummaryError(f"the summariser refused, in {len(text)} characters", reason="refusal")
    return text


def shorter(text: str, counter: Counter, given: int) -> None:
    """Refuse a summary that is as long as what it stands for.

    Args:
        text: the summary.
        counter: counts its tokens.
        given: tokens of the input.

    Raises:
        SummaryError: it is not shorter.
    """
    tokens = counter.count(text)
    if tokens > given:
        raise SummaryError(f"the summary has {tokens} tokens, its input {given}", reason="longer_than_input")


def _refuses(text: str) -> bool:
    """Whether a text is a refusal and nothing else: it begins with one, and has few sentences."""
    if len(list(sentences(text))) > _LONGEST_REFUSAL:
        return False
    plain = text.replace("’", "'")
    before = _SORRY.match(plain)
    # An apology may begin with the words of the refusal: "I'm sorry" and "I'm unable to help".
    return begins("refusal", plain) or (before is not None and begins("refusal", plain[before.end() :]))
