"""Texts with something in them that must not be kept, none of it real, for the tests of masking."""

from __future__ import annotations

import json
from typing import Final, TypedDict

from hypothesis import strategies as st

from shared_data import shared

RRN: Final = "850228-1234567"
PHONE: Final = "010-1234-5678"
EMAIL: Final = "kim@example.com"
CARD: Final = "4111111111111111"
SECRET: Final = "password: hunter2Zq9xK"  # noqa: S105 - invented

MANY: Final = f"주민번호 {RRN}, {PHONE}로 연락. mail {EMAIL}, card {CARD}."
MANY_MASKED: Final = "주민번호 [KR_RRN], [KR_PHONE]로 연락. mail [EMAIL], card [CREDIT_CARD]."

# In pieces, so that no scanner takes this file for one that holds a key.
PEM: Final = (
    "-----BEGIN " + "PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n" * 4 + "-----END " + "PRIVATE KEY-----"
)


class Span(TypedDict):
    type: str
    start: int
    end: int


class Vector(TypedDict):
    id: str
    tier: str
    text: str
    spans: list[Span]
    redacted: str


def vectors() -> list[Vector]:
    """The recorded vectors: texts, what is in them, and what they become."""
    lines = shared("cases/pii_vectors.jsonl").read_text(encoding="utf-8").split("\n")
    found: list[Vector] = [json.loads(line) for line in lines if line]
    assert len(found) > 100
    return found


_pieces = st.one_of(
    st.sampled_from(
        [RRN, PHONE, EMAIL, CARD, SECRET, "0101234", "5678", "-", "@", "[", "]", ":", "[EMAIL]", "계좌 ", "은행"]
    ),
    st.text(max_size=6),
    st.text("0123456789-. ", max_size=9),
)

texts = st.lists(_pieces, max_size=8).map("".join)
"""Random texts of every script, lone surrogates included, with findings and halves of findings among them."""
