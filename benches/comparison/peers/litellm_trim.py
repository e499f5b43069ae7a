"""`litellm.utils.trim_messages` on plain dicts; it counts with tiktoken."""

from __future__ import annotations

import logging
import os
from typing import Any

# Read at import: without it the package asks the network for its price table and waits.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

from litellm.utils import trim_messages

from benches.comparison.peers import Message, Peer

# It logs each history that it gives up on and returns whole: the tables count those as over budget.
logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)

MODEL = "gpt-4o"


def read(messages: list[Message]) -> list[Any]:
    return messages


def trim(own: list[Any], tokens: int) -> list[Any]:
    return trim_messages(own, model=MODEL, max_tokens=tokens)


def write(own: list[Any], _: list[Message]) -> list[Message]:
    return own


LITELLM = Peer("litellm trim_messages", "litellm", read, trim, write, thorough=False)
