"""What comes back from another process, and what says that it cannot."""

from __future__ import annotations

import copy
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

import octavo
from octavo import errors
from octavo.errors import ArgumentError, MessageError, OctavoError


def there_and_back(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - made here


MADE: list[OctavoError] = [
    errors.ArgumentError("model must be a text, got 3", name="model", got=3),
    errors.MessageError("message 4: it has no role", index=4),
    errors.FormatError("unknown format", got="x"),
    errors.ConversationError("no messages"),
    errors.ConversionError("cannot be written", index=2),
    errors.BudgetError("budget", name="budget", got=-1),
    errors.CounterError("counter", got=[1]),
    errors.UnknownModelError("unknown model", model="m"),
    errors.UnknownEncodingError("unknown encoding", encoding="e"),
    errors.TokenizerFileError("cannot be read", path="p"),
    errors.MaskingError("cannot be done", name="x"),
    errors.RecognizerError("cannot be done", kind="x"),
    errors.CompactionError("cannot be done", reason="switched_off"),
    errors.SummariserError("failed", reason="failed"),
    errors.SummaryError("no summary", reason="empty"),
    errors.StaleSummaryError("changed", reason="messages_changed"),
    errors.PinnedTextError("too large", tokens=9, room=3),
    errors.OctavoError("plain"),
]


def test_every_error_is_here() -> None:
    assert {type(error).__name__ for error in MADE} == set(errors.__all__)


@pytest.mark.parametrize("error", MADE)
@pytest.mark.parametrize("again", [there_and_back, copy.copy, copy.deepcopy])
def test_an_error_is_the_same_in_another_process(error: OctavoError, again: Any) -> None:
    other = again(error)
    assert type(other) is type(error)
    assert str(other) == str(error)
    assert other.args == error.args
    assert vars(other) == vars(error)


def test_notes_come_along_and_what_cannot_be_pickled_comes_as_text() -> None:
    error = ArgumentError("tools must be a list", name="tools", got=threading.Lock())
    error.add_note("in the nightly job")
    other = there_and_back(error)
    assert other.__notes__ == ["in the nightly job"]
    assert "lock" in other.got


def job(model: Any) -> None:
    octavo.assemble([{"role": "user", "content": "hello"}], budget=100, model=model)


def test_a_wrong_argument_does_not_kill_a_pool() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        with pytest.raises(ArgumentError, match="model must be a text") as caught:
            pool.submit(job, 3).result()
        assert (caught.value.name, caught.value.got) == ("model", 3)
        pool.submit(job, "gpt-4o").result()


def transcript() -> octavo.Transcript:
    made = octavo.Transcript("gpt-4o")
    made.extend([{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}])
    return made


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copied_transcript_goes_its_own_way(copied: Any) -> None:
    first = transcript()
    second = copied(first)
    second.append({"role": "user", "content": "more"})
    assert (len(first), len(second)) == (2, 3)
    assert second.messages[0] is first.messages[0]
    assert second.assemble(budget=100).tokens > first.assemble(budget=100).tokens


def test_a_transcript_and_a_context_say_what_to_keep() -> None:
    made = transcript()
    with pytest.raises(TypeError, match=r"save list\(transcript\.messages\)"):
        pickle.dumps(made)
    context = made.assemble(budget=100)
    with pytest.raises(TypeError, match=r"context\.anthropic\(\)"):
        pickle.dumps(context)
    assert there_and_back((context.openai(), context.report))[0] == context.openai()


def test_a_copied_context_has_a_list_of_its_own() -> None:
    context = transcript().assemble(budget=100)
    other = copy.copy(context)
    other.messages.append({"role": "user", "content": "more"})
    assert (len(context.messages), len(other.messages)) == (2, 3)
    assert other.report == context.report


def test_a_message_error_of_the_engine_is_pickled_too() -> None:
    with pytest.raises(MessageError) as caught:
        octavo.validate([{"role": "user", "content": "x"}, {"content": "x"}])
    assert there_and_back(caught.value).index == 1
