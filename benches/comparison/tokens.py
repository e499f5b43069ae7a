"""Token counting against other tokenizers: equality first, then time, in one run.

    python benches/comparison/tokens.py [--rounds 3] [--quick] [--write docs/reference/bench_tokens.md]

Needs tiktoken; toktok-rs, gigatoken, fastokens, bpe-openai and tokenizers are measured where they are installed.
Works offline: tiktoken's vocabulary is written out from the one that Octavo carries.

Every tokenizer runs in a process of its own, on one thread; rounds are interleaved so that a busy machine hits
all alike. Times are process CPU times, the minimum over the rounds. Phases: *cold* is the first pass over half of
the documents, *unseen* one pass over the other half (from other files), *hot* that half again.
"""

from __future__ import annotations

import argparse
import base64
import gc
import hashlib
import importlib
import importlib.metadata
import json
import os
import platform
import random
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("OCTAVO_SHARED", ROOT.parent / "shared"))
ENCODING = "o200k_base"
URL = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"

Count: TypeAlias = Callable[[str], int]


# --- the vocabulary in other people's formats ---------------------------------------------------------------------


def spelling(name: str) -> list[bytes]:
    """The bytes of every token, unpacked from the vocabulary inside the crate."""
    packed = (ROOT / f"rust/octavo/data/{name}.vocabulary").read_bytes()
    tokens = [packed[at : at + 1] for at in range(256)]
    for at in range(256, len(packed), 6):
        left, right = (int.from_bytes(packed[from_ : from_ + 3], "little") for from_ in (at, at + 3))
        tokens.append(tokens[left] + tokens[right])
    return tokens


def prepare_tiktoken(folder: Path) -> None:
    """Fills a folder that `TIKTOKEN_CACHE_DIR` may point at."""
    for name in ("o200k_base", "cl100k_base"):
        lines = (base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(spelling(name)))
        content = b"".join(lines)
        for file in (hashlib.sha1(URL.format(name).encode()).hexdigest(), f"{name}.tiktoken"):
            (folder / file).write_bytes(content)


def byte_alphabet() -> dict[int, str]:
    """The character that a byte is written as in a byte-level `tokenizer.json`."""
    kept = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    alphabet = {byte: chr(byte) for byte in kept}
    moved = (byte for byte in range(256) if byte not in alphabet)
    return alphabet | {byte: chr(256 + at) for at, byte in enumerate(moved)}


def write_tokenizer_json(name: str, path: Path) -> None:
    """The same vocabulary and split pattern as a `tokenizer.json`."""
    import tiktoken

    alphabet = byte_alphabet()
    tokens = ["".join(alphabet[byte] for byte in token) for token in spelling(name)]
    packed = (ROOT / f"rust/octavo/data/{name}.vocabulary").read_bytes()
    merges = [
        [tokens[int.from_bytes(packed[from_ : from_ + 3], "little")] for from_ in (at, at + 3)]
        for at in range(256, len(packed), 6)
    ]
    pattern = tiktoken.get_encoding(name)._pat_str
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    bytes_ = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": "",
        "end_of_word_suffix": "",
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": {token: rank for rank, token in enumerate(tokens)},
        "merges": merges,
    }
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, bytes_]},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": model,
    }
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")


# --- the documents ------------------------------------------------------------------------------------------------


def strings(value: object) -> Iterator[str]:
    """Every string inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def transcript_texts(name: str, least: int = 1) -> Iterator[str]:
    """The texts of one file of real transcripts."""
    path = SHARED / "data" / name
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        yield from (text for text in strings(json.loads(line)) if len(text) >= least)


def files(folder: Path, pattern: str, most: int) -> Iterator[str]:
    """The texts of up to `most` files, spread evenly over the folder."""
    paths = sorted(path for path in folder.rglob(pattern) if path.is_file()) if folder.exists() else []
    for path in paths[:: max(1, len(paths) // most)]:
        try:
            yield path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def sources() -> dict[str, Iterator[str]]:
    """Class of documents -> its texts. What is not on this machine is left out."""
    library = Path(sysconfig.get_path("stdlib"))
    packages = Path(sysconfig.get_path("purelib"))
    crates = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo")) / "registry/src"
    jsonl = (SHARED / "data/transcripts").glob("*.jsonl") if SHARED.exists() else ()
    lines = (line for path in sorted(jsonl) for line in path.read_text(encoding="utf-8").splitlines()[:12])
    return {
        "English chats": transcript_texts("transcripts/memorybank.jsonl", 20),
        "English docs": files(packages, "*METADATA", 200),
        "Python": files(library, "*.py", 400),
        "Rust": files(crates, "*.rs", 400),
        "Markdown": files(crates, "*.md", 200),
        "JSON": lines,
        "agent transcripts": transcript_texts("transcripts/claude_code_spotter.jsonl", 20),
        "tool results, logs": transcript_texts("text/tool_outputs.jsonl", 20),
        "Korean": (
            text
            for name in ("text/text_ko", "transcripts/functionchat_ko")
            for text in transcript_texts(f"{name}.jsonl", 8)
        ),
        "Japanese": (text for text in transcript_texts("transcripts/realpersonachat_ja.jsonl", 4) if text > "~"),
        "Chinese": (text for text in transcript_texts("transcripts/crosswoz_zh.jsonl", 4) if text > "~"),
        "emoji, symbols": files(packages / "pip/_vendor/rich", "_emoji*.py", 4),
        "translations": files(Path("/usr/share"), "*.po", 100),
        "HTML and web": (text for text in transcript_texts("text/tool_outputs.jsonl", 200) if "</" in text),
    }


@dataclass(frozen=True, slots=True)
class Document:
    """A piece of a source; sources alternate between the halves."""

    kind: str
    half: int
    text: str


def pieces(text: str, rng: random.Random) -> Iterator[str]:
    """The text in lengths of 80 to 16,000 characters, log-uniform, cut at newlines where there are some."""
    at = 0
    while at < len(text):
        length = int(80 * 200 ** rng.random())
        newline = text.rfind("\n", at, at + length) + 1
        end = newline if newline > at else at + length
        yield text[at:end]
        at = end


def documents(bytes_per_kind: int) -> list[Document]:
    """The corpus: the same at every call on the same machine."""
    found = []
    for kind, texts in sources().items():
        rng, size = random.Random(kind), 0
        for number, text in enumerate(joined(texts)):
            for piece in pieces(text, rng):
                found.append(Document(kind, number % 2, piece))
                size += len(piece.encode("utf-8", "replace"))
            if size > bytes_per_kind:
                break
    return found


def joined(texts: Iterator[str], least: int = 2_000) -> Iterator[str]:
    """Short texts joined by newlines, so that a document is not a single chat line."""
    waiting: list[str] = []
    size = 0
    for text in texts:
        waiting.append(text)
        size += len(text)
        if size >= least:
            yield "\n".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield "\n".join(waiting)


# --- the tokenizers -----------------------------------------------------------------------------------------------


def load_octavo(_: Path) -> Count:
    """Octavo."""
    return importlib.import_module("octavo._core").Encoding(ENCODING).count


def load_tiktoken(_: Path) -> Count:
    """The reference."""
    import tiktoken

    encode = tiktoken.get_encoding(ENCODING).encode_ordinary
    return lambda text: len(encode(text))


def load_toktok(_: Path) -> Count:
    """Counts without ids."""
    return importlib.import_module("toktok._toktok").Tokenizer(ENCODING, "").count


def load_gigatoken(folder: Path) -> Count:
    """Gives a numpy array."""
    encode = importlib.import_module("gigatoken").Tokenizer.from_tiktoken(folder / f"{ENCODING}.tiktoken").encode
    return lambda text: len(encode(text))


def load_fastokens(folder: Path) -> Count:
    """Gives a list."""
    encode = importlib.import_module("fastokens").Tokenizer.from_file(str(folder / "tokenizer.json")).encode_ordinary
    return lambda text: len(encode(text))


def load_bpe_openai(_: Path) -> Count:
    """The binding of rust-gems' `bpe`."""
    encode = importlib.import_module("bpe_openai").get_encoding(ENCODING).encode_ordinary
    return lambda text: len(encode(text))


def load_tokenizers(folder: Path) -> Count:
    """Hugging Face."""
    encode = importlib.import_module("tokenizers").Tokenizer.from_file(str(folder / "tokenizer.json")).encode
    return lambda text: len(encode(text, add_special_tokens=False).ids)


LOADERS: dict[str, tuple[str, Callable[[Path], Count]]] = {
    "octavo": ("octavo", load_octavo),
    "tiktoken": ("tiktoken", load_tiktoken),
    "toktok-rs": ("toktok-rs", load_toktok),
    "gigatoken": ("gigatoken", load_gigatoken),
    "fastokens": ("fastokens", load_fastokens),
    "bpe-openai": ("bpe-openai", load_bpe_openai),
    "tokenizers": ("tokenizers", load_tokenizers),
}


# --- one process: one tokenizer -----------------------------------------------------------------------------------

SMALL = 10_000
HOT_PASSES = 3


def timed(count: Count, texts: list[str]) -> float:
    """Process CPU seconds of one pass."""
    start = time.process_time()
    for text in texts:
        count(text)
    return time.process_time() - start


def small_messages(docs: list[Document], kinds: set[str]) -> list[str]:
    """Distinct messages of about 200 bytes."""
    found: dict[str, None] = {}
    for doc in docs:
        if doc.kind in kinds:
            step = 200 if doc.text.isascii() else 90
            found.update(dict.fromkeys(doc.text[at : at + step] for at in range(0, len(doc.text) - step, step)))
        if len(found) >= SMALL:
            break
    return list(found)[:SMALL]


def measure(name: str, folder: Path, quick: bool) -> dict[str, object]:
    """Everything about one tokenizer, in this process."""
    docs = documents(quick_or(quick, 60_000, 1_000_000))
    start = time.process_time()
    count = LOADERS[name][1](folder)
    count("Hello, world")
    load = time.process_time() - start
    gc.disable()
    counts = [safe(count, doc.text) for doc in docs] if quick else []
    halves = [[doc.text for doc in docs if doc.half == half] for half in (0, 1)]
    times = {"load": load, "cold": timed(count, halves[0]), "unseen": timed(count, halves[1])}
    times["hot"] = min(timed(count, halves[1]) for _ in range(HOT_PASSES))
    for kind in dict.fromkeys(doc.kind for doc in docs):
        texts = [doc.text for doc in docs if doc.kind == kind and doc.half]
        times[f"hot {kind}"] = min(timed(count, texts) for _ in range(HOT_PASSES))
    english = {"English chats", "English docs", "Python", "Markdown", "agent transcripts"}
    for label, kinds in (("small English", english), ("small Korean", {"Korean"})):
        texts = small_messages(docs, kinds)
        timed(count, texts)
        times[label] = min(timed(count, texts) for _ in range(5)) / max(1, len(texts))
    return {"times": times, "counts": counts}


def quick_or(quick: bool, short: int, long: int) -> int:
    """The size of a run."""
    return short if quick else long


def safe(count: Count, text: str) -> int:
    """A count, or -1 where the tokenizer refuses."""
    try:
        return count(text)
    except (ValueError, TypeError, OverflowError):
        return -1


def child(name: str, folder: Path, quick: bool) -> dict[str, object]:
    """`measure` in a fresh process."""
    environment = os.environ | {
        "TIKTOKEN_CACHE_DIR": str(folder),
        "RAYON_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
    command = [sys.executable, __file__, "--child", name, "--folder", str(folder)]
    done = subprocess.run(command + ["--quick"] * quick, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


# --- equality -----------------------------------------------------------------------------------------------------


def check_equality(folder: Path) -> list[str]:
    """Documents counted differently from tiktoken, one row a tokenizer; ends the run when Octavo has any."""
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    docs = documents(1_000_000)
    kinds = sorted({doc.kind for doc in docs})
    right = [LOADERS["tiktoken"][1](folder)(doc.text) for doc in docs] if docs else []
    tokens = sum(right)
    size = sum(len(doc.text.encode()) for doc in docs)
    rows = [
        f"{len(docs):,} documents, {size / 1e6:.1f} MB, {tokens:,} tokens, {len(kinds)} classes: {', '.join(kinds)}.",
        "",
    ]
    rows += ["| | documents counted differently from tiktoken |", "|---|---|"]
    for name in installed():
        if name in ("tiktoken", "tokenizers"):
            continue
        count = LOADERS[name][1](folder)
        wrong = [doc for doc, tokens in zip(docs, right, strict=True) if safe(count, doc.text) != tokens]
        rows.append(f"| {name} | {len(wrong)} |")
        if name == "octavo" and wrong:
            raise SystemExit(f"octavo counts {len(wrong)} documents differently, first: {wrong[0].text[:200]!r}")
    return rows


def installed() -> list[str]:
    """The tokenizers that can be measured here."""
    found = []
    for name, (distribution, _) in LOADERS.items():
        try:
            version(distribution)
        except importlib.metadata.PackageNotFoundError:
            print(f"{name}: not installed, left out", file=sys.stderr)
        else:
            found.append(name)
    return found


# --- the tables ---------------------------------------------------------------------------------------------------


def tables(results: dict[str, list[dict[str, float]]]) -> list[str]:
    """Throughput by phase, hot throughput by class, small messages; minimum over the rounds."""
    best = {name: {key: min(run[key] for run in runs) for key in runs[0]} for name, runs in results.items()}
    docs = documents(1_000_000)
    megabytes = [sum(len(doc.text.encode()) for doc in docs if doc.half == half) / 1e6 for half in (0, 1)]
    reference = best["tiktoken"]["unseen"] if "tiktoken" in best else float("nan")
    rows = [
        "| MB/s, one thread | cold | unseen | hot | unseen, x tiktoken | load + first count, ms |",
        "|---|---|---|---|---|---|",
    ]
    for name, times in best.items():
        rates = (megabytes[0] / times["cold"], megabytes[1] / times["unseen"], megabytes[1] / times["hot"])
        cells = " | ".join(f"{rate:.0f}" for rate in rates)
        rows.append(f"| {name} | {cells} | {reference / times['unseen']:.1f} | {times['load'] * 1e3:.0f} |")
    rows += ["", "| µs a message of about 200 bytes, 10,000 distinct | English, code | Korean |", "|---|---|---|"]
    rows += [f"| {name} | {t['small English'] * 1e6:.2f} | {t['small Korean'] * 1e6:.2f} |" for name, t in best.items()]
    kinds = [key for key in best["octavo"] if key.startswith("hot ")]
    rows += ["", "| hot MB/s | " + " | ".join(kind[4:] for kind in kinds) + " |", "|---" * (len(kinds) + 1) + "|"]
    sizes = {
        kind: sum(len(d.text.encode()) for d in docs if d.half and "hot " + d.kind == kind) / 1e6 for kind in kinds
    }
    for name, times in best.items():
        rows.append(f"| {name} | " + " | ".join(f"{sizes[kind] / times[kind]:.0f}" for kind in kinds) + " |")
    return rows


def processor() -> str:
    """The processor's name, where the system says it."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), platform.processor())


def compare(rounds: int, skip: list[str]) -> list[str]:
    """The whole run, as Markdown."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        prepare_tiktoken(folder)
        os.environ["TIKTOKEN_CACHE_DIR"] = place
        write_tokenizer_json(ENCODING, folder / "tokenizer.json")
        rows = check_equality(folder)
        names = [name for name in installed() if name not in skip]
        results: dict[str, list[dict[str, float]]] = {name: [] for name in names}
        for _ in range(rounds):
            for name in names:
                results[name].append(child(name, folder, quick=False)["times"])  # type: ignore[arg-type]
        versions = ", ".join(f"{name} {version(LOADERS[name][0])}" for name in names)
        return [*rows, "", *tables(results), "", f"{ENCODING}; {versions}; Python {sys.version.split()[0]}."]


def main() -> None:
    """Reads the options and runs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--skip", action="append", default=[], help="a tokenizer to leave out of the timing")
    parser.add_argument("--quick", action="store_true", help="in a child: a small corpus")
    parser.add_argument("--write", type=Path, help="also write the tables to this Markdown file")
    parser.add_argument("--child", choices=LOADERS)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measure(options.child, options.folder, options.quick)))
        return
    rows = compare(options.rounds, options.skip)
    print("\n".join(rows))
    if options.write:
        command = f"python benches/comparison/tokens.py --rounds {options.rounds} --write {options.write}"
        head = [
            "# Token counting compared",
            "",
            f"Written on {datetime.now(UTC).date().isoformat()} by `{command}`; do not edit.",
            f"One thread, {processor()}; processor time, the shortest of {options.rounds} interleaved runs, each in a",
            "process of its own. Compare the rows, not the numbers: other work ran beside it.",
            "",
        ]
        options.write.parent.mkdir(parents=True, exist_ok=True)
        options.write.write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
