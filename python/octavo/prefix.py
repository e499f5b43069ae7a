"""What of a context the call before it sent as well: the prefix that a provider's cache may hold."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from octavo.drafting import made_before
from octavo.sections import alternates

if TYPE_CHECKING:
    from octavo.drafting import Draft, Sent

__all__ = ["call_before", "shared_with_before"]


def call_before(draft: Draft) -> Sent | None:
    """What the call before this one sent; `None` for a first call.

    That is what was assembled for the last call that the model answered. Where nobody knows that (a call without
    state, or one that was assembled elsewhere), the call is assembled again, taken to have been made for these limits
    with what stands around the history now: what it sent hangs on its repairs and on what its tail got.
    """
    asked, before, end = draft.asked, draft.asked.before, draft.plan.previous_end
    if end is None:
        # Whatever was assembled before the model has answered anything was no call.
        return None
    known = before is not None and before.engine is asked.engine
    if before is not None and known and (before.plan.end >= end or before.limits != asked.limits):
        return before
    made = made_before(draft)
    return None if made is None else made.sent


def shared_with_before(draft: Draft, before: Sent) -> tuple[int, int]:
    """Where this context leaves what the call before sent, and the tokens up to there.

    Tools and system come first in a prompt: where they changed, nothing is as before. Cache breakpoints are no part of
    a prompt.
    """
    asked = draft.asked
    if before.limits[3] != asked.limits[3]:
        return 0, 0
    tokens = draft.plan.shared_with(asked.engine, before.plan)
    return _reach(draft, tokens[: before.tail_at], before)


def _reach(draft: Draft, tokens: list[int], before: Sent) -> tuple[int, int]:
    """The same as a position in the context's messages, and with the tokens of what stands around these."""
    frame, told = draft.asked.frame, before.head
    if told != draft.head:
        # What stands after a head that changed is not as before.
        tokens = tokens[: draft.head_at if draft.head else before.head_at]
    index = len(tokens) + len(frame.leading)
    heads, messages = _heads_reached(draft, len(tokens), told)
    fixed = frame.tokens - sum(placed.tokens for placed in frame.placed if placed.place == "head")
    return index + messages, draft.plan.reported(fixed + sum(heads) + sum(tokens))


def _heads_reached(draft: Draft, shared: int, told: tuple[str, ...]) -> tuple[list[int], int]:
    """Tokens of the head sections within so many messages that are as before, and the messages that they are."""
    head = draft.head
    heads = [placed.tokens for placed in draft.placed if placed.place == "head" and placed.verdict != "dropped"]
    # What is told of messages that were left out is one text, whatever lines the report has of it.
    own = len(head) - (draft.told is not None)
    heads[own:] = [sum(heads[own:])] if heads[own:] else []
    if alternates(draft.asked.format):
        # All of them are in one message, which is as before or is not.
        apart = draft.headed is not None
        reached = head == told and (shared >= draft.head_at if apart else shared > draft.head_at)
        return (heads, int(apart)) if reached else ([], 0)
    if shared < draft.head_at:
        return [], 0
    same = takewhile(lambda each: each[1] == each[2], zip(heads, head, told, strict=False))
    tokens = [each[0] for each in same]
    return tokens, len(tokens)
