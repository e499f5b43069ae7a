"""What stays in the window, whatever happens: found by people who tried to break it."""

from __future__ import annotations

import os
import threading
from typing import Any

import pytest

import octavo
from sessions import ANTHROPIC, OPENAI


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


def test_usage_of_another_system_prompt_says_nothing() -> None:
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
    assert plain < after.tokens < plain + 20
    assert after.report.method == "calibrated"
    assert after.report.error_bound == pytest.approx(bound, abs=0.01)


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
