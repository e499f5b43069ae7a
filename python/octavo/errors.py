"""Every exception that Octavo raises, as one tree under :class:`OctavoError`.

Each takes one message in plain words that says what was wrong and where; what a program may want to
read from it stands in keyword attributes as well. Where Python already has a word for a mistake (`ValueError`,
`TypeError`, `LookupError`, `RuntimeError`), the exception is one of those too, so that existing handlers catch it.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "ArgumentError",
    "BudgetError",
    "CompactionError",
    "ConversationError",
    "ConversionError",
    "CounterError",
    "FormatError",
    "MaskingError",
    "MessageError",
    "OctavoError",
    "PinnedTextError",
    "RecognizerError",
    "StaleSummaryError",
    "SummariserError",
    "SummaryError",
    "TokenizerFileError",
    "UnknownEncodingError",
    "UnknownModelError",
]


class OctavoError(Exception):
    """Base of every exception that Octavo raises on purpose. Each can be pickled and copied, with its attributes."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Give what makes the same error again, also in another process.

        Python would call the class with the message alone. A value that cannot be pickled (a lock, a client) stands
        there as its text: an error that cannot come back from a worker kills the pool that it worked for.
        """
        held = {name: _portable(value) for name, value in vars(self).items()}
        return _again, (type(self), self.args, held)


def _again(kind: type[OctavoError], arguments: tuple[object, ...], held: dict[str, object]) -> OctavoError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(held)
    return error


def _portable(value: object) -> object:
    import pickle

    try:
        pickle.dumps(value)
    except Exception:  # noqa: BLE001 - whatever the value's own code raises
        return repr(value)
    return value


class ArgumentError(OctavoError, TypeError):
    """An argument is of a kind that its parameter does not take: a number as model, a text as tools.

    Attributes:
        name: the parameter, with the position where one item of a list is wrong (`tools[3]`).
        got: the value that was given.
    """

    def __init__(self, message: str, *, name: str, got: object) -> None:
        """Say which argument is wrong, what it takes, and what was given."""
        super().__init__(message)
        self.name = name
        self.got = got


class MessageError(OctavoError, ValueError):
    """A message cannot be read at all: it is no object, has no known role, or a content of no known shape.

    Attributes:
        index: position in the list that was given, from 0; `None` where there was a single message.
    """

    def __init__(self, message: str, *, index: int | None = None) -> None:
        """Say what is wrong, and with which message."""
        super().__init__(message)
        self.index = index


class FormatError(OctavoError, ValueError):
    """A format or provider name is not one of those that Octavo knows.

    Attributes:
        got: the name that was given.
    """

    def __init__(self, message: str, *, got: object = None) -> None:
        """Say which name was given and which are known."""
        super().__init__(message)
        self.got = got


class ConversationError(OctavoError, ValueError):
    """A line of a file of conversations holds none, or none that can be worked on."""


class ConversionError(OctavoError, ValueError):
    """Messages cannot be written in the format that was asked for.

    Attributes:
        index: position of the message in the list that was given, where one message is the reason.
    """

    def __init__(self, message: str, *, index: int | None = None) -> None:
        """Say what cannot be written, and where it stands."""
        super().__init__(message)
        self.index = index


class BudgetError(OctavoError, ValueError):
    """A budget, share or mark is not in its range.

    Attributes:
        name: the parameter.
        got: the value that was given.
    """

    def __init__(self, message: str, *, name: str | None = None, got: object = None) -> None:
        """Say which number is out of which range."""
        super().__init__(message)
        self.name = name
        self.got = got


class CounterError(OctavoError, ValueError):
    """A counter of one's own answered something that is no number of tokens.

    What the counter itself raises is not caught.

    Attributes:
        got: what it answered.
    """

    def __init__(self, message: str, *, got: object = None) -> None:
        """Say what was answered, and what was expected."""
        super().__init__(message)
        self.got = got


class UnknownModelError(OctavoError, LookupError):
    """A model is not in the model table and only exact names were allowed.

    Attributes:
        model: the name that was given.
    """

    def __init__(self, message: str, *, model: str | None = None) -> None:
        """Say which name was looked for."""
        super().__init__(message)
        self.model = model


class UnknownEncodingError(OctavoError, LookupError):
    """An encoding is not one of those inside the package.

    Attributes:
        encoding: the name that was given.
    """

    def __init__(self, message: str, *, encoding: str | None = None) -> None:
        """Say which name was looked for and which there are."""
        super().__init__(message)
        self.encoding = encoding


class TokenizerFileError(OctavoError, ValueError):
    """A `tokenizer.json` cannot be read or used.

    Attributes:
        path: the file that was given.
    """

    def __init__(self, message: str, *, path: str | None = None) -> None:
        """Say which file, and why it cannot be used."""
        super().__init__(message)
        self.path = path


class MaskingError(OctavoError, ValueError):
    """An option of a masker cannot be used: an unknown kind, a short key, a pattern that cannot be read.

    Attributes:
        name: the parameter.
    """

    def __init__(self, message: str, *, name: str | None = None) -> None:
        """Say which option is wrong, and what it takes; never a key or a value that is to be masked."""
        super().__init__(message)
        self.name = name


class RecognizerError(OctavoError, RuntimeError):
    """A recogniser of the caller's own failed, so that nothing can be said about the text.

    Attributes:
        kind: the kind that it finds, or the name of its class.
    """

    def __init__(self, message: str, *, kind: str) -> None:
        """Say which recogniser failed, how and where; what it raised is not chained, since that may hold the value."""
        super().__init__(message)
        self.kind = kind


class CompactionError(OctavoError, RuntimeError):
    """Messages were not summarised. Nothing has changed: neither the conversation nor the summaries that it had.

    Attributes:
        reason: why, in one word, as each kind of it says; `switched_off` where the transcript was made without
            `compaction=True`.
    """

    def __init__(self, message: str, *, reason: str) -> None:
        """Say what came between, with the numbers that led to it."""
        super().__init__(message)
        self.reason = reason


class SummariserError(CompactionError):
    """The summariser itself failed: what it raised is chained. The reason is `failed`."""


class SummaryError(CompactionError):
    """What the summariser gave is no summary.

    The reason is `empty`, `no_text`, `thinking_only`, `refusal`, `longer_than_input` or `no_progress`.
    """


class StaleSummaryError(CompactionError):
    """The conversation has gone another way since.

    The reason is `messages_changed` (messages that it covers were taken back) or `summary_changed` (another summary was
    accepted meanwhile).
    """


class PinnedTextError(CompactionError):
    """What must be kept word for word is larger than the room for it. The reason is `pinned`.

    Attributes:
        tokens: what it takes.
        room: what there is.
    """

    def __init__(self, message: str, *, reason: str = "pinned", tokens: int, room: int) -> None:
        """Say how large it is, and how much room there is."""
        super().__init__(message, reason=reason)
        self.tokens = tokens
        self.room = room
