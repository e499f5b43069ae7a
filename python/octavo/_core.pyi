"""The compiled engine. Everything public is re-exported by `octavo`; this stub is checked against the extension."""

import os
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, final

# ---- build_info ----

@final
class BuildInfo:
    """What this build of the extension is: for bug reports, benches and the warning at import."""

    @property
    def version(self) -> str:
        """Version of Octavo."""
    @property
    def profile(self) -> str:
        """Cargo's family of the profile: `debug` or `release`."""
    @property
    def opt_level(self) -> str:
        """Cargo's `opt-level`: `0` to `3`, `s` or `z`."""
    @property
    def target(self) -> str:
        """Target triple."""
    @property
    def abi3(self) -> bool:
        """Whether the stable interface of CPython is used."""
    @property
    def optimised(self) -> bool:
        """Whether the code was optimised. Times measured on any other build mean nothing."""

def build_info() -> BuildInfo:
    """Say what this build of the extension is."""

# ---- ledger ----

def said(message: object, format: str, /) -> str:
    """What is said in a message, to about 4,096 bytes: no arguments, output or reasoning."""

_ValueKind: TypeAlias = Literal["identifier", "path", "url", "handle", "date", "amount", "version", "name", "value"]
_Origin: TypeAlias = Literal["user", "assistant", "tool"]

@final
class Ledger:
    """The values of one conversation. `octavo.ledger.Ledger` explains the methods."""

    def __new__(cls, deny: Sequence[str], max_bytes: int) -> Ledger:
        """Start with no message. Raises `MaskingError` for a pattern that cannot be read."""
    def append(self, message: object, /, format: str) -> None:
        """Read the values of the next message."""
    def truncate(self, to: int, /) -> bool:
        """Go back to the first messages; false, and nothing changed, where something was let go of since."""
    def fork(self) -> Ledger:
        """A ledger that goes its own way from here."""
    def entries(self) -> list[tuple[str, _ValueKind, str, str, _Origin, int, int, int, int, int | None]]:
        """Value, kind, name, tool, origin, first, last, times, uses and last use of each."""
    def render(
        self,
        left_out: Sequence[tuple[int, int]],
        request: str,
        names: Sequence[str],
        max_tokens: int,
        counter: TokenCounter,
    ) -> tuple[str, int, int, int]:
        """Text, tokens, values shown, values without room."""
    @property
    def values(self) -> int:
        """How many values are kept."""
    @property
    def bytes(self) -> int:
        """Bytes that values and sightings take, about."""
    def __len__(self) -> int:
        """How many messages were appended."""

# ---- mask ----

@final
class Detector:
    """Finds kinds of personal data and secrets by one set of options. `octavo.privacy.Masker` explains the methods.

    A finding is `(kind, start, end, byte start, byte end, UTF-16 start, UTF-16 end, confidence)`, start and end in code
    points. Findings are in order and do not overlap. Lone surrogates count as one character each that is in no finding
    by itself. Long texts are worked on with the interpreter released.
    """

    def __new__(cls, kinds: Sequence[str], strict: bool) -> Detector:
        """Find these kinds. Raises `ValueError` for a name that is none."""
    def find(self, text: str, /) -> list[tuple[str, int, int, int, int, int, int, int]]:
        """Findings in a text."""
    def find_all(self, texts: Sequence[str], /) -> list[list[tuple[str, int, int, int, int, int, int, int]]]:
        """Findings in each text."""
    def mask(self, text: str, /) -> str:
        """The text with tokens in the place of findings; the same object where there are none."""
    def mask_all(self, texts: Sequence[str], /) -> list[str]:
        """Each text masked."""
    def stream(self) -> MaskStream:
        """A text that arrives in parts."""

@final
class MaskStream:
    """Settles a text that arrives in parts; made by `Detector.stream`."""

    def push(self, chunk: str, /) -> tuple[int, list[tuple[str, int, int, int, int, int, int, int]]] | None:
        """Append to the text; `None` after `finish`.

        The answer is about what follows the text that was settled before: how many more code points are, and what is
        found in these, counted from their start. One of confidence 0 goes on with the one before, for which a token
        stands already: of something longer than is held.
        """
    def finish(self) -> tuple[int, list[tuple[str, int, int, int, int, int, int, int]]] | None:
        """Settle the rest; `None` after `finish`."""

@final
class Pattern:
    """A regular expression of Rust's `regex`, looked for in each line."""

    def __new__(cls, pattern: str) -> Pattern:
        """Read a pattern. Raises `MaskingError`."""
    def find(self, text: str, /) -> list[tuple[int, int]]:
        """Give start and end of each match that is not empty, in code points."""

def mask_kinds() -> list[tuple[str, bool]]:
    """Give every kind with whether it is found when none is asked for."""

def canonical(kind: str, value: str) -> str:
    """Give the spelling that all spellings of a value share."""

# ---- model ----

@final
class ModelProfile:
    """What the model table says of a name. `octavo.tokens.Model` explains the members."""

    @property
    def prefix(self) -> str:
        """The beginning of the name that the row matches; empty for the fallback."""
    @property
    def known(self) -> bool:
        """Whether a row matched."""
    @property
    def provider(self) -> Literal["anthropic", "openai", "gemini", "bedrock"]:
        """Whose rules hold for messages in that format."""
    @property
    def format(self) -> Literal["anthropic", "openai", "openai-responses", "gemini", "bedrock"]:
        """The format that messages are usually written in."""
    @property
    def encoding(self) -> str:
        """The encoding that is counted with."""
    @property
    def method(self) -> Literal["exact", "calibrated", "estimated"]:
        """How counts are made."""
    @property
    def window(self) -> int | None:
        """Tokens of the context window."""
    @property
    def prefill(self) -> bool:
        """Whether a conversation may end with the beginning of the answer."""
    @property
    def system_messages(self) -> bool | None:
        """Whether system messages may stand amid the others, where a source says so."""
    @property
    def thinking_first(self) -> bool:
        """Whether a tool loop must start with thinking while thinking is on."""
    @property
    def signed_calls(self) -> bool:
        """Whether calls of the current turn must carry a thought signature."""
    @property
    def reasoning_content(self) -> bool:
        """Whether assistant messages with calls must carry `reasoning_content` while thinking is on."""
    @property
    def keeps_thinking(self) -> bool:
        """Whether reasoning of earlier turns stays in the context."""
    @property
    def cache_minimum(self) -> int | None:
        """The shortest prefix that is cached, in tokens."""
    @property
    def tool_prompt(self) -> tuple[int, int]:
        """Tokens of the system prompt that tools bring: with a free choice, and with a forced one."""
    @property
    def error_bound(self) -> float:
        """How far the count of a text can be off, as a share."""

@final
class TokenCounter:
    """A counter for one model. `octavo.tokens.Counter` explains the methods."""

    def __new__(cls, model: str | None = None, *, strict: bool = False, counter: object = None) -> TokenCounter: ...
    def count(self, text: str, /) -> int:
        """Tokens of a text."""
    def count_up_to(self, text: str, limit: int) -> int | None:
        """Tokens of a text, or `None` above the limit."""
    def truncate(self, text: str, limit: int) -> str:
        """The longest beginning within the limit."""
    def stream(self) -> StreamCounter | None:
        """A counter of a text that arrives in parts; `None` for a counter of the caller's own."""
    def count_message(self, message: object, format: str, index: int = 0) -> int:
        """Tokens of one message with its framing."""
    def count_messages(
        self, messages: object, format: str, system: object = None, tools: object = None
    ) -> tuple[int, Literal["exact", "calibrated", "estimated"], int]:
        """Tokens, method and error bound of a whole request."""
    def count_system(self, system: object) -> int:
        """Tokens of a system prompt that is given apart."""
    def count_tools(self, tools: object) -> int:
        """Tokens of tool definitions."""
    def count_frame(self, system: object, tools: object) -> tuple[int, int, int, int, int]:
        """Tokens of system prompt and tools, what of each is estimated, and how far that can be off together."""
    def certainty(
        self, text: int, tools: int, estimated: int, error: int
    ) -> tuple[Literal["exact", "calibrated", "estimated"], int]:
        """Give method and error bound of a count of these parts; `error` is how far `estimated` can be off."""
    @property
    def fixed(self) -> int:
        """Tokens that a request has once."""
    @property
    def method(self) -> Literal["exact", "calibrated", "estimated"]:
        """How texts are counted."""
    @property
    def error_bound(self) -> float:
        """How far the count of a text can be off, as a share."""
    @property
    def profile(self) -> ModelProfile:
        """What the model table says."""

def model_profile(model: str) -> ModelProfile:
    """Say what the model table says of a name; its fallback where no row matches."""

def read_usage(usage: object) -> tuple[int, int]:
    """Input and output tokens of a reported usage."""

@final
class Anchor:
    """Reported usage beside the estimate of exactly the same content."""

    def __new__(cls, reported: int, estimated: int) -> Anchor: ...
    def grown(self, reported: int, estimated: int) -> Anchor:
        """A later report of the same context, grown."""
    def total(self, tail: int) -> int:
        """Tokens of the anchored content and of a tail after it that was estimated."""
    @property
    def permille(self) -> int:
        """Reported tokens per 1,000 estimated ones."""

# ---- prune ----

def shorten_text(
    text: str, max_tokens: int, counter: TokenCounter, kind: str | None
) -> tuple[str, int, str, tuple[int, int, int, int, int]]:
    """Shorten a text by its structure: text, tokens, kind, and tokens, lines, items, keys, characters left out."""

def detect_kind(text: str, /) -> str:
    """Say what a text is."""

# ---- rules ----

def judge_messages(messages: list[Any], mode: object) -> list[tuple[int, int | None, str]]:
    """Give `(index, block, rule)` for every rule that the messages break; `mode` is an `octavo.validity.Mode`."""

def repair_messages(
    messages: list[Any], mode: object
) -> (
    tuple[list[int | tuple[str, int | None, list[tuple[Any, ...]], bool]], list[tuple[str, int, int | None, str]]]
    | None
):
    """Give the recipes of a valid list and `(kind, message, block, rule)` for every change; `None` if all is valid."""

def rule_table() -> list[tuple[str, list[str], str, str, str, str]]:
    """Give `(id, providers, words, error, source, date)` of every rule."""

# ---- tokens ----

@final
class Encoding:
    """An exact tokenizer: an encoding inside the package, or any `tokenizer.json`.

    Everything is counted as ordinary text: spellings of special tokens have no special meaning. A lone surrogate
    counts as U+FFFD, a surrogate pair as its character. Long texts are counted with the interpreter released.
    """

    def __new__(cls, name: str) -> Encoding:
        """`o200k_base` or `cl100k_base`; loaded once a process. Raises `UnknownEncodingError`."""
    @staticmethod
    def from_file(path: str | os.PathLike[str]) -> Encoding:
        """Read a Hugging Face `tokenizer.json`. Raises `TokenizerFileError`."""
    def count(self, text: str, /) -> int:
        """Tokens of a text."""
    def count_up_to(self, text: str, limit: int) -> int | None:
        """Tokens of a text, or `None` when there are more than `limit`; stops reading there."""
    def truncate(self, text: str, limit: int) -> str:
        """The longest beginning of whole characters with at most `limit` tokens."""
    def count_batch(self, texts: list[str]) -> list[int]:
        """Tokens of each text."""
    def stream(self) -> StreamCounter:
        """A counter of a text that arrives in parts."""

def limit_cache(bytes: int) -> None:
    """Set how many bytes each encoding's memory of counts may take. Raises `BudgetError`: out of range, or too late."""

@final
class StreamCounter:
    """Counts a text that arrives in parts; made by `Encoding.stream` and `TokenCounter.stream`."""

    def push(self, part: str, /) -> None:
        """Append to the text."""
    @property
    def total(self) -> int:
        """Tokens of everything pushed so far, as one text."""
    def total_with(self, more: str, /) -> int:
        """Tokens of everything pushed so far with `more` behind it, which is not pushed."""

# ---- transcript ----

_Limits: TypeAlias = tuple[int, int, int, int, int, int, bool]
_Three: TypeAlias = tuple[int, int, int]

@final
class Transcript:
    """One conversation: rows of numbers, and the caller's own messages beside them.

    No method holds a lock while Python code runs.
    """

    def __new__(
        cls,
        format: Literal["anthropic", "openai", "openai-responses", "gemini", "bedrock"],
        counter: TokenCounter,
        settled: bool = False,
    ) -> Transcript: ...
    def append(self, message: object, /) -> int | None:
        """Read, count and take in one message; its tokens, or `None` where this transcript is retired."""
    def extend(self, messages: object, /, first: int | None = None) -> int | None:
        """Read, count and take in messages, all of them or none; their tokens, or `None` where retired.

        `first` is the position of the first one, for the error; the end by default.
        """
    def take_in(self, other: Transcript, /) -> bool:
        """Take in what another transcript of the same format and counter has read; false where retired."""
    def settle(self) -> None:
        """The format will not change any more."""
    def retire(self, len: int) -> bool:
        """Take in nothing more, provided that there are `len` messages; false where somebody else was first."""
    def inherit(self, other: Transcript, /) -> None:
        """Take over pins and usage of the same messages read in another format."""
    def shown(self, plan: Plan, /) -> list[Any]:
        """Give the messages that a plan shows as they are, in a new list."""
    def messages(self) -> list[Any]:
        """Give all messages, in a new list."""
    def plan(self, limits: _Limits, marks: _Three, mode: object, added: _Three) -> Plan:
        """Plan a call made with all messages.

        `limits`: budget, fixed tokens, tokens kept free for the tail, the basis of usage, tokens of a placeholder
        result, tokens for what is told of messages left out; `mode`: an `octavo.validity.Mode`; `added`: what a
        placeholder, a note and an empty message cost.
        """
    def plan_small(self, limits: _Limits, marks: _Three, mode: object, added: _Three) -> Plan | None:
        """Do the same where little is shown; `None` where much is."""
    def observe(self, at: int, basis: int, reported: int, counted: int) -> bool:
        """Take in what the provider reported for the call before which there were `at` messages; false if retired."""
    @property
    def garbled(self) -> list[int]:
        """The messages in which a text holds surrogates, ascending: hardly ever any."""
    def pin(self, message: int, pinned: bool) -> bool:
        """Never drop the exchange of a message (or drop it again); false where this transcript is retired."""
    def truncated(self, len: int) -> Transcript:
        """Give the transcript as it was with so many messages."""
    def fork(self) -> Transcript:
        """Give a transcript that goes its own way from here."""
    def tokens_in(self, start: int, end: int) -> int:
        """Tokens of the messages in `start..end`, framing included."""
    def estimated_in(self, start: int, end: int) -> tuple[int, int]:
        """Give what is no text among the tokens of the messages in `start..end`, and how far it can be off."""
    @property
    def format(self) -> Literal["anthropic", "openai", "openai-responses", "gemini", "bedrock"]:
        """The format that the messages are read in."""
    @property
    def settled(self) -> bool:
        """Whether the format will not change any more."""
    @property
    def tokens(self) -> int:
        """Tokens of all messages, framing included."""
    @property
    def row_bytes(self) -> int:
        """Bytes that the rows take."""
    def __getitem__(self, index: int, /) -> Any: ...
    def __len__(self) -> int: ...

# ---- plan ----

@final
class Plan:
    """What is sent in one call: numbers and positions."""

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The shown messages, in order, as ranges that do not touch."""
    @property
    def told(self) -> int:
        """Tokens kept for what is told of messages that were left out."""
    @property
    def cut_key(self) -> tuple[int, int, int] | None:
        """What tells the last cut from every other of the same conversation under the same limits, or `None`."""
    def left_out(self, transcript: Transcript, /) -> tuple[int, list[tuple[int, int]], int | None]:
        """Give the call where the history was last cut, what was left out there, and what the user had said last."""
    @property
    def recipes(self) -> list[int | tuple[str, int | None, list[tuple[Any, ...]], bool]] | None:
        """The shown messages made valid, or `None` when they are."""
    @property
    def repaired(self) -> bool:
        """Whether the shown messages must be made valid."""
    @property
    def changes(self) -> list[tuple[str, int, int | None, str]]:
        """What the repair did: `(kind, message, block, rule)`."""
    @property
    def untouched(self) -> list[int] | None:
        """The messages that are sent as they are, though others had to be edited; `None` without a repair."""
    @property
    def end(self) -> int:
        """How many messages there were."""
    @property
    def previous_end(self) -> int | None:
        """How many messages there were at the last call that the model has answered, or `None`."""
    @property
    def leading(self) -> int:
        """How many system messages lead."""
    @property
    def tokens(self) -> int:
        """Tokens of fixed parts and shown messages, in the transcript's own count."""
    @property
    def left(self) -> int:
        """Tokens left for volatile content, in the transcript's own count."""
    @property
    def past_soft(self) -> bool:
        """Whether the history has passed the soft mark."""
    @property
    def reported_for(self) -> tuple[int, bool] | None:
        """The basis of the report that this call goes by, and whether all messages that it covers are sent as then."""
    def learnt(self, claimed: int) -> tuple[int, int, int]:
        """Give what was counted for the report, how far off counts were, and the ratio's doubt per 1,000.

        `claimed` is how far the counter says to be off, per 1,000 tokens of a text.
        """
    def since_report(self, transcript: Transcript) -> tuple[int, int, tuple[int, int]]:
        """Give the tokens that came after the report, those of all reasoning, and what is no text in the fresh ones.

        Of the last the tokens, and how far they can be off.
        """
    def estimated(self, transcript: Transcript) -> tuple[int, int]:
        """Give what is no text among the tokens of the sent messages, and how far it can be off."""
    def reported(self, tokens: int) -> int:
        """Give the provider's tokens for a number of the transcript's own."""
    def verdicts(self, transcript: Transcript) -> list[tuple[int, int, str]]:
        """Give every message in runs: `(start, end, reason)`."""
    def before(
        self, transcript: Transcript, limits: _Limits, marks: _Three, mode: object, added: _Three
    ) -> Plan | None:
        """Plan the last call that the model had answered by then, for these limits; `None` for a first call."""
    def answered(self, transcript: Transcript) -> bool:
        """Whether the model has answered the call since: the message that follows is its own."""
    def moved_since(self, previous: Plan | None, /) -> bool:
        """Whether other messages are shown of those an earlier plan could show; without one, whether any is not."""
    def shared_with(self, transcript: Transcript, previous: Plan) -> list[int]:
        """Give the tokens of each message that an earlier plan sent first as well, cache breakpoints aside."""
    def pinned(self, transcript: Transcript) -> list[tuple[str, int]]:
        """What cannot be left out: `(reason, tokens)`; what a repair added is `repairs`."""
    def kept_tokens(self, transcript: Transcript) -> tuple[int, int]:
        """Tokens of the messages that are sent as they are, and what the provider takes out of the others."""
    def stripped_by_speech(self, transcript: Transcript, behind: int) -> int:
        """What the provider takes out of what is sent once the user speaks before the last `behind` messages."""
    def tokens_in(self, transcript: Transcript, start: int, end: int) -> int:
        """Tokens of the messages in `start..end` as they count at this call, framing included."""
    def leaving(self, transcript: Transcript) -> list[tuple[int, int]]:
        """Give the messages that the next cut would leave out, as ranges that do not touch."""

def spared(plan: Plan, /) -> list[int] | None: ...
def cleared_outputs(plan: Plan, transcript: Transcript, /) -> list[tuple[int, int, str, int, str, int | None]]:
    """Give what is cleared: message, block, what stands there, tokens saved, why, and the message that replaced it."""

def output_named(transcript: Transcript, reference: str, /) -> tuple[int, int] | None: ...
def allocate(requests: list[tuple[int, int, int, int]], available: int) -> list[int]:
    """Share out tokens among `(tokens, min, least, priority)`: what each is granted.

    First the minima by priority, then the rest by priority; nothing to who gets less than `least`.
    """

# ---- node ----

def fingerprint(value: object) -> int:
    """Give a number that changes when anything in a value does, however deep."""

def is_garbled(value: object) -> bool:
    """Tell whether a text somewhere in a value, or the name of a member, holds surrogates."""

def mended(text: str) -> str:
    """Give U+FFFD for each lone surrogate and the character for each pair; the same object where there are none."""

def is_json(text: str) -> bool:
    """Tell whether the engine reads a text as JSON."""

def weigh(value: object, limit: int) -> int:
    """Give the characters of all texts in a value, looked at only until there are more than `limit`."""
