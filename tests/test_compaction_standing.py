"""What stands in a summary's block at one cut: each thing once in all that is sent, and nothing in between is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

import octavo
from octavo import Budget
from octavo.compaction import Compactor, ExtractiveSummariser
from octavo.compaction.making import facts_of
from octavo.compaction.promises import Fact, current, facts_in, said_besides
from octavo.compaction.summary import Snapshot, Summary, written
from sessions import DIALECTS, FILLER, OPENAI, Dialect

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.format)
COUNTER = octavo.counter_for("gpt-4o")
PINNED = "Do NOT push to main."


class Says:
    def summarise(self, text: str, *, max_tokens: int, previous: str | None) -> str:
        return "Work went on."


def begun(dialect: Dialect, *messages: Any) -> octavo.Transcript:
    transcript = octavo.Transcript(dialect.model, format=dialect.format, compaction=True)
    transcript.extend([dialect.user("Begin."), dialect.reply("Yes."), *messages])
    return transcript


def talk(dialect: Dialect, turns: int) -> list[Any]:
    return [one for turn in range(turns) for one in (dialect.user(f"turn {turn} {FILLER * 3}"), dialect.reply("ok"))]


def held(text: str, facts: tuple[Fact, ...] = (), besides: tuple[Fact, ...] = ()) -> Summary:
    """A summary of the first hundred messages."""
    return Summary(
        "a", text, facts, (), ((0, 100),), since=0, untrusted=False, previous=None, tokens=900, besides=besides
    )


def sent(transcript: octavo.Transcript, budget: Budget) -> str:
    return json.dumps(transcript.assemble(budget=budget).messages, ensure_ascii=False)


@every_dialect
def test_a_pinned_text_in_a_message_that_stays_is_not_said_twice(dialect: Dialect) -> None:
    transcript = begun(dialect, dialect.user(PINNED), dialect.reply("Noted."), *talk(dialect, 60))
    transcript.append(dialect.user("next"))
    stays = transcript.fork()
    stays.pin(2)
    for one, inside in ((transcript, 1), (stays, 0)):
        compactor = Compactor(one, Says(), pinned=[PINNED], min_tokens=10)
        assert compactor.run(one.assemble(budget=2_000), at_once=True).status == "accepted"
        told = sent(one, Budget(2_000))
        assert told.count(PINNED) == 1
        assert told.split("<summary>")[1].split("</summary>")[0].count(PINNED) == inside


@every_dialect
def test_a_value_of_a_promise_is_not_told_once_more_by_the_ledger(dialect: Dialect) -> None:
    promise = "We decided to book KX-48213 for 1,250 EUR on 2025-03-14."
    transcript = begun(
        dialect, dialect.user(promise), dialect.reply("Fine."), dialect.user("Not ZZ-99117 at all, but AB-555.")
    )
    transcript.extend([dialect.reply("Yes."), dialect.user("Look at /srv/data/plan-7.csv then"), *talk(dialect, 60)])
    transcript.append(dialect.user("next"))
    budget = Budget(2_000, summary=0.3)
    before = sent(transcript, budget)
    assert "KX-48213" in before, "the ledger tells it"
    compactor = Compactor(transcript, Says(), min_tokens=10)
    assert compactor.run(transcript.assemble(budget=budget), at_once=True).status == "accepted"
    after = sent(transcript, budget)
    assert after.count(promise) == 1
    assert [after.count(value) for value in ("KX-48213", "1,250 EUR", "2025-03-14")] == [1, 1, 1]
    again = octavo.Transcript(dialect.model, format=dialect.format)
    again.extend(transcript.messages)
    assert "plan-7.csv" in after, "what no sentence of the summary has is told still"


def test_what_left_the_window_after_the_summary_was_made_stands_in_its_block() -> None:
    transcript = begun(OPENAI, *talk(OPENAI, 60), OPENAI.user("next"))
    compactor = Compactor(transcript, Says(), min_tokens=10)
    assert compactor.run(transcript.assemble(budget=2_000), at_once=True).status == "accepted"
    covered = transcript.summaries[-1]
    promise = "Never call customers before 9 am."
    transcript.extend([OPENAI.reply("ok"), OPENAI.user(promise), OPENAI.reply("ok"), *talk(OPENAI, 40)])
    transcript.append(OPENAI.user("next"))
    context = transcript.assemble(budget=2_000)
    assert transcript.summaries[-1] is covered
    assert not covered.covered(len(transcript) - 83)
    assert json.dumps(context.messages).count(promise) == 1
    assert all(promise != message["content"] for message in context.messages)


def test_the_block_is_the_same_at_each_call_until_the_next_cut() -> None:
    transcript = begun(OPENAI, *talk(OPENAI, 60), OPENAI.user("next"))
    compactor = Compactor(transcript, Says(), min_tokens=10)
    compactor.run(transcript.assemble(budget=2_000), at_once=True)
    first = transcript.assemble(budget=2_000)
    seen = 0
    for _ in range(3):
        transcript.extend([OPENAI.reply("ok"), OPENAI.user("Never call before 9 am.")])
        later = transcript.assemble(budget=2_000)
        if later.messages[0] is first.messages[0] and len(later.messages) > len(first.messages):
            assert later.messages[: len(first.messages)] == first.messages
            seen += 1
    assert seen == 3


# ---- what a correction takes the place of ----


@pytest.mark.parametrize(
    ("said", "correction", "gone"),
    [
        ("The budget is at most 500 EUR.", "Actually, the budget is 700 EUR, not 500.", True),
        ("예산은 500만 원 이내입니다.", "정정할게요, 예산은 500이 아니라 700만 원이에요.", True),
        ("The budget is at most 500 EUR, due on 2025-03-14.", "Actually, the budget is 700 EUR, not 500.", False),
        ("The budget is at most 500 EUR.", "Actually, the deposit is 700 pounds, not 500.", False),
        ("The budget is at most 500 EUR.", "Actually, the budget is 700 EUR.", False),
        ("Never go over the budget.", "Actually, the budget is 700 EUR, not 500.", False),
    ],
)
def test_a_correction_retires_what_it_names_and_gives_another_value_for(said: str, correction: str, gone: bool) -> None:
    facts = facts_in([(0, OPENAI.user(said)), (1, OPENAI.user(correction))])
    assert [fact.text for fact in facts] == [said, correction]
    assert [fact.text for fact in current(facts)] == [correction] if gone else [said, correction]
    assert current(reversed(facts)) == current(facts)[::-1], "the order in which they are given says nothing"


def test_a_model_does_not_correct_its_user() -> None:
    facts = facts_in(
        [
            (0, OPENAI.user("The budget is at most 500 EUR.")),
            (1, OPENAI.reply("Actually, the budget is 700 EUR, not 500: I decided.")),
        ]
    )
    assert current(facts) == facts


def test_what_is_retired_does_not_come_back_in_the_next_round() -> None:
    old, new = OPENAI.user("The budget is at most 500 EUR."), OPENAI.user("Actually, the budget is 700 EUR, not 500.")
    first = Snapshot(((0, 1),), ((0, old),), 10, None, 1)
    summary = held("x", facts_of(first))
    second = Snapshot(((1, 2),), ((1, new),), 10, summary, 2)
    assert [fact.text for fact in facts_of(second)] == [new["content"]]


# ---- what else was said ----


def test_other_sentences_stand_in_the_block_as_far_as_there_is_room_promises_first() -> None:
    messages = [
        (0, OPENAI.user("The blue one suits us well. Never deploy on Fridays.")),
        (2, OPENAI.reply("Blue it is then.")),
    ]
    facts = facts_in(messages)
    besides = tuple(said_besides(facts, messages))
    assert [fact.text for fact in facts] == ["Never deploy on Fridays."]
    assert [fact.text for fact in besides] == ["The blue one suits us well.", "Blue it is then."]
    summary = held("Work.", facts, besides)
    wide = written(summary, COUNTER, 400)
    assert wide is not None
    assert (
        "- (user 0) The blue one suits us well. Never deploy on Fridays.\n- (assistant 2) Blue it is then." in wide.text
    )
    assert (wide.left, wide.cut) == (0, False)
    narrow = [block.text for room in range(20, wide.tokens) if (block := written(summary, COUNTER, room))]
    promised = [text for text in narrow if "Never deploy on Fridays." in text]
    assert any("Blue it is then." not in text for text in promised)
    assert all("Never deploy on Fridays." in text for text in narrow if "Blue it is then." in text)
    assert all("more had no room" not in text for text in promised), "what had no room was no promise"


def test_a_word_that_was_said_is_not_cut_out_of_the_generated_text() -> None:
    messages = [(0, OPENAI.reply("fixed"))]
    besides = tuple(said_besides((), messages))
    assert [fact.text for fact in besides] == ["fixed"]
    block = written(held("We fixed it.\n- (assistant) fixed", (), besides), COUNTER, 200)
    assert block is not None
    assert "We fixed it.\n" in block.text
    assert block.text.count("(assistant") == 1


def test_a_text_that_is_nothing_but_facts_leaves_nothing_over() -> None:
    facts = facts_in([(0, OPENAI.user("Never deploy on Fridays."))])
    block = written(held("Never deploy on Fridays.", facts), COUNTER, 200)
    assert block is not None
    assert block.text.count("Never deploy on Fridays.") == 1


def test_the_text_keeps_what_has_no_room_beside_it() -> None:
    said = [f"Never call customer {at} before 9 am on any day." for at in range(30)]
    facts = facts_in([(at, OPENAI.user(text)) for at, text in enumerate(said)])
    text = "\n".join(f"- {one}" for one in said)
    block = written(held(text, facts), COUNTER, 300)
    assert block is not None
    assert block.left > 0
    assert max(block.text.count(one) for one in said) == 1
    beside = block.text.split("Word for word")[0]
    assert sum(one in beside for one in said) > 0


def test_what_else_was_said_goes_on_from_round_to_round_once() -> None:
    transcript = begun(OPENAI, OPENAI.user("The blue one suits us well."), OPENAI.reply("Fine."))
    compactor = Compactor(transcript, ExtractiveSummariser("gpt-4o"), min_tokens=10)
    for _ in range(5):
        transcript.extend([*talk(OPENAI, 12), OPENAI.user("next")])
        compactor.run(transcript.assemble(budget=1_500), at_once=True)
        transcript.append(OPENAI.reply("ok"))
    assert len(transcript.summaries) >= 3
    besides = [fact.text for fact in transcript.summaries[-1].besides]
    assert besides.count("The blue one suits us well.") == 1
    assert len(besides) == len(set(besides))
