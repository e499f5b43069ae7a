"""Outputs of tools that are cleared: copies of their messages with a placeholder in the output's place."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from octavo import _core
from octavo.errors import MessageError
from octavo.mending import places_in
from octavo.messages import Format, plain
from octavo.recipes import shape_of

__all__ = ["Clearing", "Overlaid", "original_output", "text_in"]

_Block: TypeAlias = dict[str, Any]

_Key: TypeAlias = tuple[_core.Transcript, tuple[int, int, int] | None, tuple[int, ...]]
"""What tells one set of copies from another: the conversation, the cut, and what is pinned of what it clears."""

_KEPT: Final = 4
"""So many sets of copies are remembered: as many as views of a conversation."""


class Clearing:
    """Makes the copies of one conversation: the same objects at each call until something else is cleared.

    May be called from several threads: what two make at once is alike.
    """

    __slots__ = ("_made", "_placed")

    def __init__(self) -> None:
        """Nothing has been cleared yet."""
        self._made: deque[tuple[_Key, dict[int, tuple[dict[int, str], Any]]]] = deque(maxlen=_KEPT)
        self._placed: deque[tuple[Any, list[tuple[int, Any]]]] = deque(maxlen=_KEPT)

    def copies(self, engine: _core.Transcript, plan: _core.Plan) -> Mapping[int, Any]:
        """Give the copies that a plan sends, by message."""
        return {message: copy for message, (_, copy) in self._copies(engine, plan).items()}

    def _copies(self, engine: _core.Transcript, plan: _core.Plan) -> dict[int, tuple[dict[int, str], Any]]:
        key: _Key = (engine, plan.cut_key, tuple(_core.spared(plan) or ()))
        known = next((made for known, made in tuple(self._made) if known == key), None)
        if known is not None:
            return known
        texts: dict[int, dict[int, str]] = {}
        for message, block, text, *_ in _core.cleared_outputs(plan, engine):
            texts.setdefault(message, {})[block] = text
        before = [made for known, made in tuple(self._made) if known[0] is engine]
        made = {
            message: _known(before, message, each) or _made(engine, message, each) for message, each in texts.items()
        }
        self._made.append((key, made))
        return made

    def put(self, engine: _core.Transcript, plan: _core.Plan, shown: list[Any]) -> None:
        """Put the copies into the list of the messages that a plan shows as they are."""
        spans = plan.spans
        key = (engine, plan.cut_key, _core.spared(plan), [*spans[:-1], spans[-1][:1]] if spans else [])
        placed = next((placed for known, placed in tuple(self._placed) if known == key), None)
        if placed is None:
            made = self._copies(engine, plan)
            placed = [(at, made[message][1]) for message, at in places_in(sorted(made), spans)]
            self._placed.append((key, placed))
        for at, copy in placed:
            shown[at] = copy


def _known(
    before: Sequence[dict[int, tuple[dict[int, str], Any]]], message: int, texts: dict[int, str]
) -> tuple[dict[int, str], Any] | None:
    found = (made[message] for made in before if message in made and made[message][0] == texts)
    return next(found, None)


def _made(engine: _core.Transcript, message: int, texts: dict[int, str]) -> tuple[dict[int, str], Any]:
    return texts, _copy(engine[message], engine.format, texts)


class Overlaid(Sequence[Any]):
    """The messages of a conversation, some of them in copies."""

    def __init__(self, messages: Sequence[Any], copies: Mapping[int, Any]) -> None:
        """Take both as they are."""
        self._messages, self._copies = messages, copies

    def __getitem__(self, index: Any) -> Any:
        """The copy of a message, or the message."""
        copy = self._copies.get(index)
        return self._messages[index] if copy is None else copy

    def __len__(self) -> int:
        """How many messages there are."""
        return len(self._messages)


def original_output(engine: _core.Transcript, ref: str) -> Any:
    """Give the content of an output, as it was appended: a text, a list of blocks, or Gemini's object.

    Raises:
        MessageError: the conversation has none with this ref.
    """
    found = _core.output_named(engine, ref)
    if found is None:
        raise MessageError(f"there is no output with the ref {ref!r}")
    format, (message, number) = engine.format, found
    block = _result_in(shape_of((engine[message],), format).block(0, number), format)[1]
    return block.get(_content_key(block, format))


def text_in(content: Any, format: Format) -> str:
    """Give the texts of an output's content."""
    if isinstance(content, str):
        return content
    block = {_content_key({"output": None}, format): content}
    inside = {"bedrock": {"toolResult": block}, "gemini": {"functionResponse": block}}.get(format, block)
    return "\n".join(shape_of((), format).output_of(inside)[0])


def _copy(message: Any, format: Format, texts: Mapping[int, str]) -> _Block:
    """A copy of a message with placeholders as outputs, by the number of their block."""
    whole = plain(message)
    if format in ("openai", "openai-responses"):
        # There an output is a message of its own.
        return {**whole, _content_key(whole, format): texts[0]}
    blocks = shape_of((whole,), format).blocks_of(0)
    member = "parts" if format == "gemini" else "content"
    cleared = [_CLEARED[format](block, texts[at]) if at in texts else block for at, block in enumerate(blocks)]
    return {**whole, member: cleared}


def _content_key(block: _Block, format: Format) -> str:
    if format == "gemini":
        return "response"
    return "output" if format == "openai-responses" and "output" in block else "content"


def _result_in(block: _Block, format: Format) -> tuple[str, _Block]:
    """The member that holds a result where it is not the block itself, and the result."""
    if format == "bedrock":
        return "toolResult", plain(block["toolResult"])
    if format == "gemini":
        key = next(key for key in ("functionResponse", "function_response") if block.get(key) is not None)
        return key, plain(block[key])
    return "", block


def _of_anthropic(block: _Block, text: str) -> _Block:
    return {**block, "content": text}


def _of_gemini(block: _Block, text: str) -> _Block:
    key, inside = _result_in(block, "gemini")
    kept = {name: value for name, value in inside.items() if name != "parts"}
    return {**block, key: {**kept, "response": {"output": text}}}


def _of_bedrock(block: _Block, text: str) -> _Block:
    key, inside = _result_in(block, "bedrock")
    return {**block, key: {**inside, "content": [{"text": text}]}}


_CLEARED: Final[Mapping[str, Callable[[_Block, str], _Block]]] = {
    "anthropic": _of_anthropic,
    "gemini": _of_gemini,
    "bedrock": _of_bedrock,
}
