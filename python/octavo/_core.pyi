"""The compiled engine. Everything public is re-exported by `octavo`; this stub is checked against the extension."""

import os
from typing import Literal, final

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
    def provider(self) -> str:
        """Whose rules apply."""
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

@final
class StreamCounter:
    """Counts a text that arrives in parts; made by `Encoding.stream`."""

    def push(self, part: str, /) -> None:
        """Append to the text."""
    @property
    def total(self) -> int:
        """Tokens of everything pushed so far, as one text."""
