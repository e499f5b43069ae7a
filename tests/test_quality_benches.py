"""The benches of quality: what they plant is there and judged by what is sent, and their page shows their numbers."""

import json
import re
from collections import Counter
from importlib import import_module
from itertools import product
from typing import Any

import pytest

import octavo
from project_tree import ROOT
from shared_data import shared

planting: Any = import_module("benches.planting")
survival: Any = import_module("benches.quality.promise_survival")
DATA = ROOT / "benches/quality/data"


def item(text: str, *needles: str) -> Any:
    return planting.Item("x", "en", "amount", "user", text, needles)


def test_the_planted_sentences_are_as_many_of_each_kind_and_hold_their_needles() -> None:
    found = planting.planted_items()
    assert len({one.id for one in found}) == len(found) == 120
    assert Counter((one.language, one.kind) for one in found) == Counter(
        dict.fromkeys(product(("en", "ko"), planting.KINDS), 12)
    )
    for session in planting.dialogues():
        assert len(session.conversation.messages) == 120
        assert Counter(one.kind for one in session.items) == dict.fromkeys(planting.KINDS, 4)
        for one in session.items:
            said = session.conversation.messages[one.message]["content"]
            assert all(needle in said for needle in one.needles)


def test_a_needle_that_is_not_in_its_sentence_is_refused() -> None:
    held = {"id": "x", "language": "en", "kind": "amount", "role": "user", "text": "Five.", "needles": ["six"]}
    with pytest.raises(ValueError, match="not as it must be"):
        planting._item(held)


def test_items_are_planted_each_once_where_the_seed_says_and_break_no_rule() -> None:
    shared("data/transcripts")
    bare = planting.recorded_sessions()
    assert Counter(one.source for one in bare) == {"airline": 4, "Claude Code": 2, "pi": 3}
    items = planting.planted_items()
    planted = planting.plant(bare, items, 1)
    assert sorted(one.id for session in planted for one in session.items) == sorted(one.id for one in items)
    for before, after in zip(bare, planted, strict=True):
        rules = Counter(one.rule for one in octavo.validate(before.conversation.messages))
        assert Counter(one.rule for one in octavo.validate(after.conversation.messages)) == rules
        for one in after.items:
            message = after.conversation.messages[one.message]
            assert message["role"] == one.role
            assert one.text in survival.text_of(message)
    again = planting.plant(bare, items, 1)
    assert [one.message for session in again for one in session.items] == [
        one.message for session in planted for one in session.items
    ]


@pytest.mark.parametrize(
    ("sent", "present", "times"),
    [
        ("We pay at most 250 EUR a month, said he.", True, 1),
        ("We pay at most\n250 EUR a month. Again: at most 250 EUR." + "x" * 99, True, 2),
        ("250 EUR" + " filler" * 99 + " at most", True, 0),
        ("We pay 250 EUR.", False, 0),
    ],
)
def test_an_item_is_there_with_all_needles_and_stands_where_they_stand_together(
    sent: str, present: bool, times: int
) -> None:
    judged = survival.judged(item("at most 250 EUR", "250 EUR", "at most"), survival.plain(sent), sent, left=True)
    assert (judged.present, judged.times) == (present, times)


def test_a_value_that_is_sent_more_often_than_it_was_said_is_told() -> None:
    one = item("at most 250 EUR", "250 EUR")
    assert survival.judged(one, "250 EUR 250 EUR", "at most 250 EUR", left=True).repeated
    assert not survival.judged(one, "250 EUR 250 EUR", "250 EUR or 250 EUR", left=True).repeated


def test_the_lossy_summarisers_lose_what_they_say() -> None:
    text = '<message number="1" role="user">\nPay 250 EUR on 2025-03-14. And more.\n</message>'
    given = {"max_tokens": 100, "previous": None}
    assert survival.FirstSentence().summarise(text, **given) == "Pay 250 EUR on 2025-03-14."
    assert not re.search(r"\d", survival.Vague().summarise(text, **given))


def test_the_first_measurement_stands_with_the_digest_of_the_words_it_was_made_with() -> None:
    held = json.loads((ROOT / "benches/results/promise_survival_first.json").read_text(encoding="utf-8"))
    assert re.fullmatch("[0-9a-f]{64}", held["cues"])
    assert held["rows"][-1][:2] == ["all", "all"]
    assert held["rows"][-1][6] == "37 %"


def test_the_page_shows_the_results_and_loads_nothing() -> None:
    pytest.importorskip("altair", reason="charts need the group bench")
    page: Any = import_module("benches.quality.page")
    written = page.page()
    assert written.count("<svg") == written.count("</svg>") == len(page.PARTS) == 5
    links = set(re.findall(r"https?://[^\"' <)]+", written))
    assert links <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert not re.search("<script|<link|<img", written)
    for name in {part.name for part in page.PARTS}:
        rows = json.loads((ROOT / f"benches/results/{name}.json").read_text(encoding="utf-8"))["rows"]
        assert all(page.html.escape(page.plain(cell)) in written for row in rows for cell in row)
    assert page.number("299 of 553") == 299
    with pytest.raises(ValueError, match="no number"):
        page.number("skipped")
