"""The command line: `octavo assemble`, `validate`, `count` and `bench` on conversations, `octavo mask` on any text."""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, TextIO, cast

from octavo import __version__
from octavo.budget import Budget
from octavo.command import assembling, counting, masking, recalling, validating
from octavo.command.conversations import InputError
from octavo.command.running import BROKEN
from octavo.errors import BudgetError
from octavo.messages import FORMATS
from octavo.privacy import DEFAULT_KINDS, KINDS

__all__ = ["main"]

INPUT: Final = """\
FILE holds JSON Lines: one conversation a line, an object with
  messages  the list of messages, in the provider's own form
  format    anthropic, openai, openai-responses, gemini or bedrock;
            told from the messages where it is missing
  tools     the tool definitions; an empty list says nothing about tools
  system    the system parameter, where it stands apart from the messages
  id        a name for the conversation
Other members are not looked at. `-` is standard input.

A line that cannot be used is told on standard error as FILE:LINE: what is
wrong, and the lines after it are still worked on.
"""

STATUS: Final = """\
exit status:
  0  all went well{found}
  2  a line or the file could not be used, or an option is wrong
"""

COUNTED: Final = """\
Without --model tokens are counted with o200k_base and marked `estimated`,
whatever the format. So they are for a model that is not known, which is told
on standard error.
"""

RULED: Final = """\
Without --model rules are those of the format's own provider.
"""

MASK_INPUT: Final = """\
FILE is a text in UTF-8; with --json it is JSON Lines, any JSON value a line.
`-` is standard input. What was found is counted on standard error, where that
is a terminal.

A line that cannot be used is told on standard error as FILE:LINE: what is
wrong, and left out; the lines after it are still masked.
"""

MODEL_HELP: Final = "model that is called: decides how tokens are counted"
JSON_HELP: Final = "write JSON Lines for programs instead of a table for people"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status."""
    if _without_output():
        return _failed("standard output", OSError(errno.EBADF, "it is closed"))
    options = _options(arguments)
    run: Callable[..., int] = options.pop("run")
    if isinstance(sys.stdout, io.TextIOWrapper):
        # JSON Lines are UTF-8 whatever the locale says; tables show as escapes what no terminal can.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        status = run(**options)
        print(end="", flush=True)
    except BrokenPipeError:
        return _leave_quietly()
    except KeyboardInterrupt:
        return 130  # 128 + SIGINT, as shells report it
    except InputError as error:
        return _failed(error.file, error)
    except OSError as error:
        # What is still buffered would fail once more at exit.
        _leave_quietly()
        return _failed("standard output", error)
    return status


def _options(arguments: Sequence[str] | None) -> dict[str, Any]:
    """What was asked for; ends the process where that cannot be understood, with the usage of the command."""
    read, unknown = _parser().parse_known_args(arguments)
    options = vars(read)
    command: argparse.ArgumentParser = options.pop("command")
    if unknown:
        command.error(f"unrecognized arguments: {' '.join(unknown)}")
    return options


def _failed(what: str, error: OSError) -> int:
    print(f"octavo: {what}: {error.strerror or error}", file=sys.stderr)
    return BROKEN


def _without_output() -> bool:
    """Whether standard output is closed. Where the other one is closed, complaints go nowhere."""
    if cast("TextIO | None", sys.stderr) is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - open as long as the process runs
    return cast("TextIO | None", sys.stdout) is None


def _leave_quietly() -> int:
    """Whoever read the output has enough: nothing is wrong. What is still buffered goes nowhere."""
    # Where standard output is no file, nothing is flushed to it at exit either.
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141  # 128 + SIGPIPE, as shells report it


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="octavo",
        description="Assemble, check, count, mask and measure conversations of LLM agents.",
        epilog=f"{INPUT}\n`octavo COMMAND --help` explains a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"octavo {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_assemble(commands)
    _add_validate(commands)
    _add_count(commands)
    _add_mask(commands)
    _add_bench(commands)
    return parser


def _command(
    commands: Any,
    name: str,
    run: Callable[..., int],
    summary: str,
    explained: str,
    epilog: str,
    input: str = INPUT,
    *,
    many: bool = False,
) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=explained,
        epilog=f"{input}\n{epilog}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    told = "the files" if many else "the file"
    command.add_argument("file", metavar="FILE", nargs="+" if many else None, help=f"{told}, or - for standard input")
    command.set_defaults(run=run, command=command)
    return command


def _add_assemble(commands: Any) -> None:
    command = _command(
        commands,
        "assemble",
        assembling.run,
        "decide what is sent to the model",
        "Decide the context of a model call: the messages that fit the budget, valid\n"
        "for the provider. A context that cannot fit is made all the same; its report\n"
        "says so.\n\n"
        "Without --json the report is printed, and not the messages: what was kept,\n"
        "changed and left out, and why. With --json the context is written, one line a\n"
        "conversation: an object of id, system, messages, tools and report (fits,\n"
        "tokens, budget, stable_prefix_tokens, spans, …).",
        COUNTED + RULED + "\n" + STATUS.format(found=""),
    )
    command.add_argument(
        "--budget",
        type=_budget,
        required=True,
        metavar="N",
        help="most input tokens: system, tools, framing and messages",
    )
    command.add_argument("--model", metavar="NAME", help=f"{MODEL_HELP} and, with the format, whose rules hold")
    command.add_argument(
        "--at", type=_position, metavar="K", help="the context just before message K, counted from 0 (default: the end)"
    )
    command.add_argument("--id", metavar="ID", help="only the conversation with this id")
    command.add_argument("--json", action="store_true", help=JSON_HELP)


def _add_validate(commands: Any) -> None:
    command = _command(
        commands,
        "validate",
        validating.run,
        "say which rules of the provider are broken",
        "Say every rule of the provider that the messages break.\n\n"
        "With --json one line a violation, an object of id, index (the message,\n"
        "counted from 0), rule and message; nothing where all is valid.",
        STATUS.format(found=": every conversation is valid\n  1  rules are broken"),
    )
    command.add_argument(
        "--provider",
        choices=FORMATS,
        metavar="NAME",
        help=f"whose rules: {', '.join(FORMATS)} (default: the format's own)",
    )
    command.add_argument("--json", action="store_true", help=JSON_HELP)


def _add_count(commands: Any) -> None:
    command = _command(
        commands,
        "count",
        counting.run,
        "count tokens",
        "Count the input tokens of every conversation: messages, tools, system and\n"
        "framing.\n\n"
        "With --json one line a conversation, an object of id, tokens and method:\n"
        "exact, calibrated or estimated.",
        COUNTED + "\n" + STATUS.format(found=""),
    )
    command.add_argument("--model", metavar="NAME", help=MODEL_HELP)
    command.add_argument("--json", action="store_true", help=JSON_HELP)


def _add_mask(commands: Any) -> None:
    command = _command(
        commands,
        "mask",
        masking.run,
        "take out personal data and secrets",
        "Write the file with personal data and secrets replaced by tokens such as\n"
        "[KR_RRN]: numbers of Korea, e-mail, cards, keys, passwords. Names of people\n"
        "and addresses are not found: they need a model.\n\n"
        "With --json keys, texts and numbers of each value are masked at every depth;\n"
        "a line in which nothing is found comes out as it went in.",
        STATUS.format(found=""),
        MASK_INPUT,
    )
    off = ", ".join(kind for kind in KINDS if kind not in DEFAULT_KINDS)
    command.add_argument(
        "--kinds",
        type=_kinds,
        metavar="A,B",
        help=f"only these kinds: {', '.join(KINDS)} (default: all but {off})",
    )
    command.add_argument("--strict", action="store_true", help="also mask 13 bare digits with a possible date of birth")
    command.add_argument("--json", action="store_true", help="FILE is JSON Lines, and stays it")


def _add_bench(commands: Any) -> None:
    benches = commands.add_parser("bench", help="measure Octavo on your own conversations", allow_abbrev=False)
    command = _command(
        benches.add_subparsers(title="benches", metavar="BENCH", required=True),
        "quality",
        recalling.run,
        "how much of what the next call needs is kept",
        "Replay recorded conversations and look, before each tool call, whether what\n"
        "the call was given is still in what would be sent. No model is asked.\n\n"
        "Looked up are the values of a call's arguments (4 to 200 characters, one\n"
        "line) that stand earlier in the conversation, outside the system prompt, and\n"
        "the lines of longer arguments. A call is complete where all its values are\n"
        "there. A budget is the fixed parts (system and tools) and a room for the\n"
        "history.\n\n"
        "With --json one line a conversation and room, an object of id, room, budget,\n"
        "calls, complete, complete_without_ledger, values, values_present, lines,\n"
        "lines_present, contexts, tokens and over.",
        COUNTED + RULED + "\n" + STATUS.format(found=""),
        many=True,
    )
    rooms = ",".join(map(str, recalling.ROOMS))
    command.add_argument(
        "--rooms", type=_rooms, metavar="N,N", help=f"tokens for the history, beside the fixed parts (default: {rooms})"
    )
    command.add_argument("--model", metavar="NAME", help=f"{MODEL_HELP} and, with the format, whose rules hold")
    command.add_argument("--json", action="store_true", help=JSON_HELP)


def _rooms(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(_budget(room.strip()) for room in text.split(",")))


def _kinds(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        raise argparse.ArgumentTypeError(f"unknown kind {unknown[0]!r}: expected some of {', '.join(KINDS)}")
    return names


def _budget(text: str) -> int:
    try:
        return Budget.of(_position(text)).tokens
    except BudgetError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _position(text: str) -> int:
    # Underscores part digits as they do in Python.
    if len(text) > 30 or not re.fullmatch("[0-9]+(_[0-9]+)*", text):
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 0, got {text!r}")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
