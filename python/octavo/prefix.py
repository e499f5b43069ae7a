"""What of a context the call before it sent as well: the prefix that a provider's cache may hold."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from octavo.drafting import made_of
from octavo.sections import alternates

if TYPE_CHECKING:
    from octavo.drafting import Draft, Sent

__all__ = ["shared_with_before"]


def shared_with_before(draft: Draft) -> tuple[int, int] | None:
    """Where this context leaves what the call before sent, and the tokens up to there; `None` for a first call.

    Without a context before it (a call without state), or with one for the same limits, the call before is the
    last one that the model answered, taken to have been made for these limits. Tools and system come first in a
    prompt: where they changed, nothing is as before.
    """
    plan, asked, before = draft.plan, draft.asked, draft.asked.before
    if plan.previous_end is None:
        # Whatever was assembled before the model has answered anything was no call.
        return None
    if before is not None and before.engine is not asked.engine:
        before = None
    if before is not None and before.limits[3] != asked.limits[3]:
        return 0, 0
    if before is None or before.limits == asked.limits:
        tokens = plan.shared_prefix(asked.engine)
        tail_at = _tail_before(draft, before)
    else:
        tokens = plan.shared_with(asked.engine, before.plan)
        tail_at = before.tail_at
    return None if tokens is None else _reach(draft, tokens[:tail_at], before)


def _tail_before(draft: Draft, before: Sent | None) -> int | None:
    """The message that carried the tail of the last call that the model answered.

    Where that is not the context that was assembled last, or there is none, the call is planned again: what its
    tail got hangs on all that it sent.
    """
    plan, asked = draft.plan, draft.asked
    end = plan.previous_end
    if before is not None and before.plan.end == end:
        return before.tail_at
    if end is None or not asked.frame.tail or not alternates(asked.format):
        return None
    earlier = replace(asked, engine=asked.engine.truncated(end), before=None)
    return made_of(earlier).tail_at


def _reach(draft: Draft, tokens: list[int], before: Sent | None) -> tuple[int, int]:
    """The same as a position in the context's messages, and with the tokens of what stands around these."""
    frame = draft.asked.frame
    # What is told of messages that were left out changes when the cut moves.
    likely = frame.head if draft.plan.moved else draft.head
    told = likely if before is None else before.head
    if told != draft.head:
        # What stands after a head that changed is not as before.
        tokens = tokens[: draft.head_at if draft.head or before is None else before.head_at]
    index = len(tokens) + len(frame.leading)
    heads, messages = _heads_reached(draft, len(tokens), told)
    fixed = frame.tokens - sum(placed.tokens for placed in frame.placed if placed.place == "head")
    return index + messages, draft.plan.reported(fixed + sum(heads) + sum(tokens))


def _heads_reached(draft: Draft, shared: int, told: tuple[str, ...]) -> tuple[list[int], int]:
    """Tokens of the head sections within so many messages that are as before, and the messages that they are."""
    head = draft.head
    heads = [placed.tokens for placed in draft.placed if placed.place == "head" and placed.verdict != "dropped"]
    if alternates(draft.asked.format):
        # All of them are in one message, which is as before or is not.
        own = draft.headed is not None
        reached = head == told and (shared >= draft.head_at if own else shared > draft.head_at)
        return (heads, int(own)) if reached else ([], 0)
    if shared < draft.head_at:
        return [], 0
    same = takewhile(lambda each: each[1] == each[2], zip(heads, head, told, strict=False))
    tokens = [each[0] for each in same]
    return tokens, len(tokens)
