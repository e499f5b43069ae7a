"""Writes docs/demo/session.jsonl: a coding session on this repository; its tool outputs are real, its steps are not.

No model took part: what the user and the assistant say, and which commands are run, was written by hand below. The
commands are run in a throw-away clone at the commit that is checked out, and what they print is written down, paths of
the machine replaced. Run it again and the outputs are those of that day.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 12_000  # characters of one result, as agents cut them
PLACE = "/repo"

TASK = (
    "In this repository, find out how messages are read and how image sizes are found without decoding the image. "
    "GIF headers: check that a truncated file cannot break the reader. Then run the engine's tests, and tell me what "
    "you looked at, what you found and what you would change. Order number for the time sheet: OCT-2026-1130."
)

GIF = "import struct; h = b'GIF89a' + struct.pack('<HH', 640, 480)"

# Each turn: what the assistant says, and the commands it runs in parallel.
TURNS: list[tuple[str, list[str]]] = [
    ("I start with the lie of the land.", ["git log --stat --format='%h %s' -3", "ls -la", "git ls-files | head -80"]),
    ("The workspace has two crates. The manifests first.", ["cat Cargo.toml", "cat rust/octavo/Cargo.toml"]),
    ("Now the crate's own description and its errors.", ["cat rust/octavo/src/lib.rs", "cat rust/octavo/src/error.rs"]),
    ("How large is what I am about to read?", ["find rust -name '*.rs' | sort | xargs wc -l"]),
    ("The reader is the heart of the question.", ["cat rust/octavo/src/message.rs"]),
    (
        "One file a provider. The Anthropic one and the image sizes together.",
        ["cat rust/octavo/src/message/anthropic.rs", "cat rust/octavo/src/message/image_size.rs"],
    ),
    (
        "Who calls the size finder?",
        ["grep -rn 'image_size' rust --include=*.rs", "grep -rn 'fn ' rust/octavo/src/message/image_size.rs"],
    ),
    (
        "I look at how the other formats name their media.",
        ["grep -n 'Media' -r rust/octavo/src/message", "cat rust/octavo/src/message/openai.rs"],
    ),
    (
        "A truncated GIF: six bytes of signature, then two little-endian numbers. I make some by hand to see lengths.",
        [f'python3 -c "{GIF}; print([(n, h[:n].hex()) for n in range(len(h) + 1)])"'],
    ),
    (
        "In base64, as it arrives in a message:",
        [f'python3 -c "{GIF}; import base64; print([base64.b64encode(h[:n]).decode() for n in range(len(h) + 1)])"'],
    ),
    (
        "Is there any indexing that could go out of range? The lints forbid it; I check that nothing opts out.",
        ["grep -rn 'allow(clippy' rust --include=*.rs", "grep -n 'indexing_slicing\\|unwrap_used\\|panic' Cargo.toml"],
    ),
    ("A file that does not exist, on purpose, to see what my tool says.", ["cat rust/octavo/src/message/gif.rs"]),
    (
        "As expected: there is no separate file. The other readers, for the same question.",
        ["cat rust/octavo/src/message/gemini.rs", "cat rust/octavo/src/message/bedrock.rs"],
    ),
    ("The node trait decides what a missing member is.", ["sed -n 1,140p rust/octavo/src/node.rs"]),
    ("The Responses items are the last format.", ["cat rust/octavo/src/message/responses.rs"]),
    ("Now the tests of the engine.", ["cargo test --package octavo --locked 2>&1 | tail -60"]),
    ("Which tests touch images?", ["cargo test --package octavo --locked image 2>&1 | grep -v '^$' | tail -25"]),
    (
        "Formatting as a last check, and that I left nothing behind.",
        ["cargo fmt --all --check && echo formatted", "git status --short"],
    ),
    (
        "What does the tree of dependencies look like, for the note?",
        ["cargo tree --package octavo --edges normal --locked"],
    ),
    ("And the size of the Python side.", ["find python -name '*.py*' | sort | xargs wc -l", "cat pyproject.toml"]),
]

LAST = (
    "What I looked at: `message.rs`, the five readers beside it, `image_size.rs`, `node.rs` and the lints. "
    "What I found: a size is read from the first bytes of the header alone, and every access goes through a checked "
    "`get`, so a truncated GIF has no size rather than a wrong one; the documented default is then counted. The tests "
    "of the engine pass. What I would change: nothing in the reader; one more test with each truncated length would "
    "say in code what I have checked by hand. For order OCT-2026-1130."
)


def run(command: str, clone: Path) -> tuple[str, bool]:
    """What a command prints, with the clone's path replaced, and whether it failed."""
    done = subprocess.run(["bash", "-c", command], cwd=clone, capture_output=True, text=True, check=False)
    printed = (done.stdout + done.stderr).replace(str(clone), PLACE)
    if len(printed) > LONGEST:
        printed = printed[:LONGEST] + f"\n… {len(printed) - LONGEST} more characters"
    return printed or "(no output)", done.returncode != 0


def messages(clone: Path) -> Iterator[dict[str, Any]]:
    """The session, message by message."""
    yield {"role": "user", "content": TASK}
    number = 0
    for said, commands in TURNS:
        calls: list[dict[str, Any]] = []
        results: list[dict[str, Any]] = []
        for command in commands:
            number += 1
            call = f"toolu_{number:04d}"
            calls.append({"type": "tool_use", "id": call, "name": "bash", "input": {"command": command}})
            printed, failed = run(command, clone)
            result = {"type": "tool_result", "tool_use_id": call, "content": printed}
            results.append(result | ({"is_error": True} if failed else {}))
        yield {"role": "assistant", "content": [{"type": "text", "text": said}, *calls]}
        yield {"role": "user", "content": results}
    yield {"role": "assistant", "content": [{"type": "text", "text": LAST}]}
    yield {"role": "user", "content": "Good. Write that one more test, please, and show me its name first."}


TOOLS: list[dict[str, Any]] = [
    {
        "name": "bash",
        "description": "Run a command in the repository and return what it prints.",
        "input_schema": {
            "type": "object",
            "properties": {"command": {"type": "string", "description": "The command line."}},
            "required": ["command"],
        },
    },
]


def main() -> None:
    """Run the commands and write the session into the file beside this one."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "repo"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        session = {"id": "reading-images", "format": "anthropic", "tools": TOOLS, "messages": list(messages(clone))}
    target = Path(__file__).with_name("session.jsonl")
    target.write_text(json.dumps(session, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.stdout.write(f"{target.relative_to(ROOT)}: {len(session['messages'])} messages\n")


if __name__ == "__main__":
    main()
