"""What stays in the window, whatever happens: found by people who tried to break it."""

from __future__ import annotations

import json
import os
import threading
from typing import Any

import pytest

import octavo
from octavo.errors import ArgumentError, OctavoError
from sessions import ANTHROPIC, DIALECTS, OPENAI, Dialect

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.format)


def anthropic_call(*ids: str, thinking: bool = False) -> dict[str, Any]:
    opening = [{"type": "thinking", "thinking": "hm", "signature": "S"}] if thinking else []
    calls = [{"type": "tool_use", "id": each, "name": "look", "input": {"q": each}} for each in ids]
    return {"role": "assistant", "content": [*opening, *calls]}


def anthropic_result(call: str, text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": text}]}


def test_lost_results_do_not_hold_a_context_over_its_budget() -> None:
    messages: list[Any] = [{"role": "user", "content": "task"}]
    for turn in range(3):
        messages += [anthropic_call(f"big{turn}", f"lost{turn}"), anthropic_result(f"big{turn}", "word " * 3_000)]
    for turn in range(40):
        messages += [anthropic_call(f"t{turn}"), anthropic_result(f"t{turn}", "part " * 200)]
    transcript = octavo.Transcript("claude-sonnet-4-5")
    over = calls = 0
    for message in messages:
        if message["role"] == "assistant":
            context = transcript.assemble(budget=8_000)
            calls += 1
            over += not context.fits
        transcript.append(message)
    assert calls == 43
    assert over == 0


def test_the_prefix_stays_though_open_calls_come_and_go() -> None:
    messages: list[Any] = [{"role": "user", "content": "go"}]
    for turn in range(30):
        messages += [anthropic_call(f"t{turn}", f"l{turn}"), anthropic_result(f"t{turn}", "part " * 20)]
    transcript = octavo.Transcript("claude-sonnet-4-5")
    last: list[Any] = []
    calls = 0
    for message in messages:
        if message["role"] == "assistant":
            context = transcript.assemble(budget=1_800)
            common = next(
                (at for at, (a, b) in enumerate(zip(last, context.messages, strict=False)) if a != b), len(last)
            )
            assert context.report.moved or common >= len(last) - 1, f"call {calls}: {common} of {len(last)}"
            last = context.messages
            calls += 1
        transcript.append(message)
    assert calls == 30


def test_a_tool_loop_keeps_the_thinking_that_opens_it() -> None:
    messages: list[Any] = [{"role": "user", "content": "go"}, anthropic_call("t0", thinking=True)]
    messages.append(anthropic_result("t0", "part " * 30))
    for turn in range(1, 30):
        messages += [anthropic_call(f"t{turn}"), anthropic_result(f"t{turn}", "part " * 30)]
    for budget in (900, 1_500, 3_000):
        context = octavo.assemble(messages, budget=budget, model="claude-sonnet-4-5", thinking=True)
        assert context.fits
        assert context.messages[1] is messages[1]
        assert octavo.validate(context.messages, "anthropic", model="claude-sonnet-4-5", thinking=True) == []


@pytest.mark.parametrize(
    ("messages", "format", "model"),
    [
        ([{"role": "assistant", "content": [{"type": "text", "text": "Hello, how can I help?"}]},
          {"role": "user", "content": "go go go"}], "anthropic", None),
        ([{"role": "user", "parts": [{"text": "go"}]},
          *({"role": "model", "parts": [{"functionCall": {"name": f"find_everything_{at}", "args": {}}}]}
            for at in range(20))], "gemini", "gemini-2.5-pro"),
        ([{"type": "message", "role": "user", "content": "go"},
          *({"type": "function_call", "call_id": f"c{at}", "name": "look", "arguments": "{}"} for at in range(20))],
         "openai-responses", "gpt-5"),
    ],
)  # fmt: skip
def test_what_a_repair_adds_is_counted_as_it_is_written(messages: list[Any], format: Any, model: str | None) -> None:
    counter = octavo.counter_for(model)
    for budget in range(5, 1_200, 45):
        context = octavo.assemble(messages, budget=budget, format=format, model=model, counter=counter)
        recounted = counter.count_messages(context.messages, format=format).tokens
        assert context.tokens == recounted
        assert context.fits == (recounted <= budget)


def test_a_small_room_keeps_what_the_newest_answers() -> None:
    messages = [OPENAI.user("task")]
    for turn in range(6):
        messages += [{"role": "assistant", "content": f"{turn} " + "reply " * 20}, OPENAI.user(f"question {turn}")]
    context = octavo.assemble(messages, budget=110, model="gpt-4o")
    assert context.fits
    assert context.messages[-2:] == messages[-2:]


def test_usage_of_another_system_prompt_is_learnt_from_and_said_to_be() -> None:
    transcript = octavo.Transcript("claude-sonnet-4-5")
    for turn in range(6):
        transcript.append({"role": "assistant" if turn % 2 else "user", "content": "word " * 20})
    before = transcript.assemble(budget=10_000)
    plain, bound = before.tokens, before.report.error_bound
    with_system = transcript.assemble(budget=10_000, system="word " * 1_000)
    transcript.observe({"input_tokens": with_system.tokens * 3, "output_tokens": 1})
    transcript.append({"role": "user", "content": "more"})
    assert transcript.assemble(budget=10_000, system="word " * 1_000).tokens > with_system.tokens * 2
    after = transcript.assemble(budget=10_000)
    assert (before.report.usage, after.report.usage) == ("none", "learnt")
    assert after.tokens == pytest.approx(3 * plain, rel=0.1)
    assert after.report.method == "calibrated"
    assert after.report.error_bound > bound
    assert after.tokens * (1 - after.report.error_bound) < plain, "what it is without any report is possible as well"


def test_the_report_knows_that_the_system_prompt_changed() -> None:
    transcript = octavo.Transcript("claude-sonnet-4-5")
    transcript.extend([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}])
    transcript.append({"role": "user", "content": "c"})
    transcript.assemble(budget=5_000, system="A " * 300)
    transcript.extend([{"role": "assistant", "content": "d"}, {"role": "user", "content": "e"}])
    same = transcript.assemble(budget=5_000, system="A " * 300).report
    assert same.stable_prefix_tokens > 300
    transcript.extend([{"role": "assistant", "content": "f"}, {"role": "user", "content": "g"}])
    changed = transcript.assemble(budget=5_000, system="B " * 300).report
    assert (changed.stable_prefix_tokens, changed.first_changed_index) == (0, 0)


def test_a_counter_may_read_the_transcript_from_its_own_thread() -> None:
    class Curious:
        def __init__(self) -> None:
            self.transcript: octavo.Transcript | None = None
            self.seen: list[int] = []

        def count(self, text: str, /) -> int:
            transcript, self.transcript = self.transcript, None  # assembling counts as well
            if transcript is not None:
                worker = threading.Thread(target=self._look, args=(transcript,))
                worker.start()
                worker.join(5)
                assert not worker.is_alive(), "the transcript was locked while Python code ran"
            return len(text)

        def _look(self, transcript: octavo.Transcript) -> None:
            self.seen.append(len(transcript.messages))
            transcript.assemble(budget=1_000)

    counter = Curious()
    transcript = octavo.Transcript("gpt-4o", counter=counter)
    transcript.append(OPENAI.user("first"))
    counter.transcript = transcript
    transcript.append(OPENAI.user("second"))
    assert counter.seen == [1]
    assert len(transcript) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_forked_while_others_append_goes_on() -> None:
    transcript = octavo.Transcript("claude-sonnet-4-5")
    transcript.append(ANTHROPIC.user("go"))
    stop = threading.Event()

    def append() -> None:
        while not stop.is_set():
            transcript.append({"role": "user", "content": "word " * 30})

    workers = [threading.Thread(target=append) for _ in range(3)]
    for worker in workers:
        worker.start()
    try:
        for _ in range(10):
            child = os.fork()
            if child == 0:
                transcript.append({"role": "user", "content": "in the child"})
                os._exit(0 if transcript.assemble(budget=1_000).fits else 1)
            _, status = os.waitpid(child, 0)
            assert os.waitstatus_to_exitcode(status) == 0
    finally:
        stop.set()
        for worker in workers:
            worker.join()


def chat_call(name: str, arguments: str = "{}") -> dict[str, Any]:
    call = {"id": name, "type": "function", "function": {"name": "f", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


@pytest.mark.parametrize(("size", "turns"), [(900, 9), (40, 20), (40, 100)])
def test_a_result_that_comes_late_is_shown_with_its_call(size: int, turns: int) -> None:
    messages: list[Any] = [OPENAI.user("task"), chat_call("slow", json.dumps({"x": "word " * size}))]
    for turn in range(turns):
        messages += [OPENAI.user(f"{turn} " + "u " * 150), {"role": "assistant", "content": "w " * 150}]
    transcript = octavo.Transcript("gpt-5", format="openai")
    transcript.extend(messages)
    assert "slow" not in json.dumps(transcript.assemble(budget=3_000).messages)
    transcript.append({"role": "tool", "tool_call_id": "slow", "content": "THE RESULT"})
    for turn in range(5):
        context = transcript.assemble(budget=3_000)
        names = [call["id"] for message in context.messages for call in message.get("tool_calls", ())]
        at = [message.get("tool_call_id") for message in context.messages].index("slow")
        assert context.messages[at]["content"] == "THE RESULT"
        assert names == ["slow"]
        assert context.messages[at - 1]["tool_calls"][0]["id"] == "slow"
        assert context.fits
        assert octavo.validate(context.messages, "openai") == []
        whole = octavo.assemble(transcript.messages, budget=3_000, model="gpt-5", format="openai")
        assert whole.messages == context.messages
        transcript.extend([{"role": "assistant", "content": f"{turn}"}, OPENAI.user("more")])


def breaks(format: Any, model: str, turn: Any, *, turns: int = 200) -> int:
    """How often what was sent is not the beginning of what is sent next."""
    transcript = octavo.Transcript(model, format=format)
    transcript.append({"role": "user", "content": "task"})
    last: list[Any] = []
    broken = 0
    for at in range(turns):
        transcript.extend(turn(at))
        context = transcript.assemble(budget=3_000)
        assert context.fits
        broken += context.messages[: len(last)] != last
        last = context.messages
    return broken


def test_lost_results_move_the_cut_no_more_often_than_their_tokens() -> None:
    def chat(at: int) -> list[Any]:
        return [chat_call(f"c{at}"), OPENAI.user("go on")]

    def anthropic(at: int) -> list[Any]:
        return [anthropic_call(f"c{at}"), {"role": "user", "content": "go on"}]

    def answered(at: int) -> list[Any]:
        # As long as a placeholder is.
        return [anthropic_call(f"c{at}"), anthropic_result(f"c{at}", "word " * 20)]

    # Some 70 tokens a turn: a cut leaves 1,200 of 2,400 tokens, which is room for about 17 turns.
    assert breaks("openai", "gpt-5", chat) <= 16
    assert breaks("anthropic", "claude-sonnet-4-6", anthropic) <= 16
    assert 0 < breaks("anthropic", "claude-sonnet-4-6", answered) <= 16


def test_a_tool_loop_keeps_its_thinking_though_nobody_says_that_it_is_on() -> None:
    messages: list[Any] = [{"role": "user", "content": "go"}, anthropic_call("t0", thinking=True)]
    messages.append(anthropic_result("t0", "part " * 30))
    for turn in range(1, 30):
        messages += [anthropic_call(f"t{turn}"), anthropic_result(f"t{turn}", "part " * 30)]
    context = octavo.assemble(messages, budget=1_500, model="claude-sonnet-4-5")
    assert context.fits
    assert len(context.messages) < len(messages)
    assert octavo.validate(context.messages, "anthropic", model="claude-sonnet-4-5", thinking=True) == []
    assert any(span.reason == "loop_opening" for span in context.report.spans)


def test_usage_is_learnt_from_for_the_context_that_was_sent() -> None:
    transcript = octavo.Transcript("claude-sonnet-4-5")
    for turn in range(60):
        transcript.append({"role": "assistant" if turn % 2 else "user", "content": f"{turn} " + "word " * 100})
    transcript.append({"role": "user", "content": "now"})
    sent = transcript.assemble(budget=20_000)
    looked = transcript.assemble(budget=2_000)
    assert looked.tokens < sent.tokens / 2
    transcript.observe({"input_tokens": sent.tokens, "output_tokens": 1}, sent)
    transcript.extend([{"role": "assistant", "content": "a"}, {"role": "user", "content": "b"}])
    after = transcript.assemble(budget=20_000)
    assert after.tokens == pytest.approx(sent.tokens, abs=40)
    with pytest.raises(ArgumentError):
        transcript.observe({"input_tokens": 5}, "sent")  # type: ignore[arg-type]
    transcript.rewind(3)
    with pytest.raises(OctavoError, match="taken back"):
        transcript.observe({"input_tokens": 5}, sent)


def test_a_count_is_no_surer_than_its_counter_once_the_reported_prefix_was_cut() -> None:
    transcript = octavo.Transcript("claude-sonnet-4-5")
    sure: list[tuple[bool, float]] = []
    for turn in range(40):
        transcript.append({"role": "user", "content": f"{turn} " + "word " * 100})
        context = transcript.assemble(budget=3_000)
        sure.append((context.report.moved, context.report.error_bound))
        transcript.observe({"input_tokens": round(context.tokens * 1.01), "output_tokens": 1})
        transcript.append({"role": "assistant", "content": "word " * 50})
    moved = [bound for cut, bound in sure[1:] if cut]
    stood = [bound for cut, bound in sure[1:] if not cut]
    assert len(moved) >= 2
    assert min(moved) > 0.1
    assert max(stood[3:]) < 0.1


def test_a_pin_outlives_a_retry_and_leaves_nothing_behind_when_it_is_taken_off() -> None:
    transcript = octavo.Transcript("gpt-5", format="openai")
    for turn in range(40):
        transcript.append({"role": "assistant" if turn % 2 else "user", "content": f"{turn} " + "word " * 50})
    before = transcript.row_bytes
    for _ in range(1_000):
        transcript.pin(4)
        transcript.unpin(4)
    assert transcript.row_bytes == before
    transcript.pin(4)
    transcript.rewind(31)
    context = transcript.assemble(budget=600)
    assert len(context.messages) < 31
    assert any(message is transcript.messages[4] for message in context.messages)
    transcript.unpin(4)
    assert not any(message is transcript.messages[4] for message in transcript.assemble(budget=600).messages)


def test_usage_counts_when_the_same_context_is_assembled_again() -> None:
    transcript = octavo.Transcript("gpt-4o")
    transcript.append(OPENAI.user("word " * 1_000))
    first = transcript.assemble(budget=1_500)
    assert first.fits
    transcript.observe({"input_tokens": 2 * first.tokens, "output_tokens": 0})
    again = transcript.assemble(budget=1_500)
    assert again.tokens == 2 * first.tokens
    assert not again.fits
    assert again.report.error_bound > 0


def test_outputs_for_a_stored_response_are_never_cut() -> None:
    outputs = [{"type": "function_call_output", "call_id": name, "output": "w " * 300} for name in "abc"]
    messages = [*outputs, {"type": "message", "role": "user", "content": "go"}]

    def sent(budget: int, stored: str | None) -> octavo.Context:
        return octavo.assemble(
            messages, budget=budget, format="openai-responses", model="gpt-5", previous_response_id=stored
        )

    over = sent(500, "r1")
    assert over.messages == messages
    assert not over.fits
    assert over.report.pinned["stored_call"] > 850
    assert sent(1_500, "r1").fits
    assert sent(500, None).messages == messages[3:]


def test_a_pin_is_taken_off_alone() -> None:
    transcript = octavo.Transcript("gpt-5", format="openai")
    transcript.append(OPENAI.user("task"))
    transcript.extend([chat_call("c"), {"role": "tool", "tool_call_id": "c", "content": "out"}])
    for turn in range(40):
        transcript.append({"role": "assistant" if turn % 2 else "user", "content": f"{turn} " + "word " * 50})
    transcript.pin(1)
    transcript.pin(2)
    transcript.unpin(2)
    assert transcript.messages[1] in transcript.assemble(budget=600).messages
    transcript.unpin(1)
    assert transcript.messages[1] not in transcript.assemble(budget=600).messages


def test_what_will_leave_at_the_soft_mark_does_not_name_what_stays() -> None:
    messages: list[Any] = [OPENAI.user("task")]
    for turn in range(30):
        messages += [{"role": "assistant", "content": f"{turn} " + "w " * 50}, OPENAI.user(f"{turn} " + "u " * 50)]
    transcript = octavo.Transcript("gpt-5", format="openai")
    transcript.extend(messages)
    transcript.pin(7)
    (due,) = transcript.assemble(budget=round(transcript.tokens / 0.7)).due
    assert due.reason == "soft_mark"
    named = {index for start, end in due.ranges for index in range(start, end)}
    assert {1, 6, 8} <= named
    assert not named & {0, 7}
    assert due.tokens == sum(transcript.counter.count_message(messages[at], format="openai") for at in named)


# ---- examples before the task ----


def assembled(dialect: Dialect, messages: list[Any], budget: int) -> octavo.Context:
    return octavo.assemble(messages, budget=budget, model=dialect.model, format=dialect.format)


def after_examples(dialect: Dialect, task: str, *, worked: int = 4) -> list[Any]:
    """Two examples answered in words, the task and its loop, and a long loop after an answer."""
    messages: list[Any] = []
    for at in range(2):
        messages += [dialect.user(f"EXAMPLE {at}"), dialect.reply(f"answer {at}")]
    messages += [dialect.user(task), *dialect.loop(worked), dialect.reply("q?"), dialect.user("YES")]
    return [*messages, *dialect.loop(40, start=100)]


@every_dialect
@pytest.mark.parametrize("budget", [900, 1_500])
def test_the_task_stays_that_follows_examples(dialect: Dialect, budget: int) -> None:
    messages = after_examples(dialect, "TASK")
    context = assembled(dialect, messages, budget)
    sent = json.dumps(context.messages)
    assert all(word in sent for word in ("EXAMPLE 0", "TASK", "YES"))
    assert "EXAMPLE 1" not in sent
    assert context.fits
    if dialect.format.startswith("openai"):
        # Where roles alternate it is joined to the example that stands before it.
        assert [span.reason for span in context.report.spans if span.start == 4] == ["task"]


@every_dialect
def test_a_task_after_examples_stays_within_its_share(dialect: Dialect) -> None:
    long = "TASK " + "word " * 300
    assert "TASK" in json.dumps(assembled(dialect, after_examples(dialect, long), 4_000).messages)
    assert "TASK" not in json.dumps(assembled(dialect, after_examples(dialect, long), 1_000).messages)


def test_a_task_after_examples_goes_where_there_is_no_room() -> None:
    messages = after_examples(OPENAI, "TASK " + "word " * 200)
    messages += [OPENAI.user("NEXT " + "word " * 740), *OPENAI.loop(1, start=900)]
    context = assembled(OPENAI, messages, 1_000)
    assert context.fits
    assert "TASK" not in json.dumps(context.messages)
    assert "TASK" in json.dumps(assembled(OPENAI, messages, 1_400).messages)
