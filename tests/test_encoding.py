"""Exact counts: equal to the reference's on generated, adversarial and real text; fast on any input."""

import asyncio
import base64
import importlib.util
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from math import inf
from pathlib import Path
from types import ModuleType

import pytest
import tiktoken
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo import counter_for
from octavo._core import Encoding, build_info
from octavo.errors import TokenizerFileError, UnknownEncodingError
from project_tree import ROOT
from shared_data import bug_report, shared
from timing import assert_grows_with_size, assert_within, assert_within_async, heartbeats, spent

NAMES = ["o200k_base", "cl100k_base"]

# What the split patterns treat apart: cases, marks, contractions, newlines, slashes, other scripts and spaces.
PARTS = [
    *"abAB12 \t\n\r/.('_-^",
    *[
        "é",
        "É",
        "가",
        "あ",
        "漢",
        "\u0301",
        "٣",
        "½",
        "'s",
        "'S",
        "'re",
        "'LL",
        "'ſ",
        "ſ",
        "’",
        "\u00a0",
        "\u3000",
        "\x85",
    ],
    *[
        "\u2028",
        "🙂",
        "\x00",
        "the",
        " Hello",
        "ʰ",
        "ǅ",
        "\u200b",
        "\ufeff",
        "\x0b",
        "\x1c",
        "𝟘",
        "   ",
        "\n\n",
        ";\n/",
    ],
    *["<|endoftext|>", "<|im_start|>", "-----", "0123456789"],
]


def load_comparison() -> ModuleType:
    """The comparison program: it knows real documents, and how to feed tiktoken without a network."""
    spec = importlib.util.spec_from_file_location("comparison_tokens", ROOT / "benches/comparison/tokens.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


comparison = load_comparison()


@pytest.fixture(scope="module")
def references(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tiktoken.Encoding]]:
    """tiktoken with the vocabularies that Octavo carries; it checks their hashes itself."""
    folder = tmp_path_factory.mktemp("tiktoken")
    comparison.prepare_tiktoken(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        yield {name: tiktoken.get_encoding(name) for name in NAMES}


def reference_count(reference: tiktoken.Encoding, text: str) -> int:
    return len(reference.encode_ordinary(text))


# ---- equality ----


@settings(max_examples=1_500, deadline=None)
@given(text=st.lists(st.sampled_from(PARTS), max_size=60).map("".join) | st.text(max_size=80))
def test_generated_text_counts_like_the_reference(references: dict[str, tiktoken.Encoding], text: str) -> None:
    for name in NAMES:
        assert Encoding(name).count(text) == reference_count(references[name], text)


@settings(max_examples=300, deadline=None)
@given(few=st.lists(st.sampled_from(PARTS), min_size=1, max_size=4), seed=st.integers(0, 2**32))
def test_long_text_of_few_parts_counts_like_the_reference(
    references: dict[str, tiktoken.Encoding], few: list[str], seed: int
) -> None:
    text = "".join(random.Random(seed).choices(few, k=400))
    for name in NAMES:
        assert Encoding(name).count(text) == reference_count(references[name], text)


@pytest.mark.parametrize("name", NAMES)
def test_every_character_counts_like_the_reference(references: dict[str, tiktoken.Encoding], name: str) -> None:
    """Each in the places where its class decides: by itself, after a space, between letters of both cases, in a run."""
    encoding, reference = Encoding(name), references[name]
    codes = [code for code in range(0x32400) if not 0xD800 <= code < 0xE000] + list(range(0xE0000, 0xE0200))
    blocks = [codes[at : at + 64] for at in range(0, len(codes), 64)]
    wrong = []
    for block in blocks:
        text = "\n;\n".join(f"{c} {c}a{c}A{c}{c}1{c}'s{c}  {c}\n{c}." for c in map(chr, block))
        if encoding.count(text) != reference_count(reference, text):
            wrong.append(block[0])
    assert not wrong
    assert len(codes) > 200_000


@pytest.mark.parametrize("name", NAMES)
def test_real_documents_count_like_the_reference(references: dict[str, tiktoken.Encoding], name: str) -> None:
    shared("data/transcripts")
    documents = comparison.documents(1_000_000)
    kinds = {document.kind for document in documents}
    encoding = Encoding(name)
    wrong = [d.text[:80] for d in documents if encoding.count(d.text) != reference_count(references[name], d.text)]
    assert not wrong
    assert len(documents) >= 4_000
    assert len(kinds) >= 10


def test_batch_counts_each_text() -> None:
    texts = ["", "Hello, world", "안녕하세요", "x\ud83dy"]
    encoding = Encoding("o200k_base")
    assert encoding.count_batch(texts) == [encoding.count(text) for text in texts]


def test_counts_are_ints_of_positional_text() -> None:
    encoding = Encoding("o200k_base")
    assert (encoding.count(""), encoding.count("Hello")) == (0, 1)
    with pytest.raises(TypeError):
        encoding.count(b"Hello")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        encoding.count(None)  # type: ignore[arg-type]


def test_an_unknown_encoding_is_a_typed_error() -> None:
    with pytest.raises(UnknownEncodingError, match="gpt2") as caught:
        Encoding("gpt2")
    assert caught.value.encoding == "gpt2"


@pytest.mark.parametrize("length", [1, 255, 256, 257, 5_000])
def test_strings_of_every_length_and_width_count_as_their_text(length: int) -> None:
    """Short strings, long ones, and those that are not ASCII are read in different ways."""
    encoding = Encoding("o200k_base")
    for char in ("a", "é", "가", "🙂", "\ud83d"):
        text = (char + "bc ")[:4] * (length // 4) + char * (length % 4)
        assert len(text) == length
        repaired = text.replace("\ud83d", "\ufffd")
        assert encoding.count(text) == encoding.count(repaired) == encoding.count_up_to(repaired, length * 4)
        assert encoding.truncate(text, length * 4) is text


def test_a_long_string_is_not_made_larger_by_counting_it() -> None:
    encoding = Encoding("o200k_base")
    long, short = "가나다" * 100, "가나다" * 20
    sizes = [sys.getsizeof(text) for text in (long, short)]
    for text in (long, short):
        encoding.count(text)
    kept = [sys.getsizeof(text) - size for text, size in zip((long, short), sizes, strict=True)]
    assert kept[0] == 0
    assert kept[1] <= 1_024


# ---- limits ----


@settings(max_examples=300, deadline=None)
@given(text=st.lists(st.sampled_from(PARTS), max_size=40).map("".join), limit=st.integers(0, 40))
def test_truncation_keeps_the_longest_beginning(text: str, limit: int) -> None:
    for name in NAMES:
        encoding = Encoding(name)
        right = next(end for end in range(len(text), -1, -1) if encoding.count(text[:end]) <= limit)
        assert encoding.truncate(text, limit) == text[:right]
        count = encoding.count(text)
        assert encoding.count_up_to(text, limit) == (count if count <= limit else None)


@settings(max_examples=200, deadline=None)
@given(parts=st.lists(st.lists(st.sampled_from(PARTS), max_size=6).map("".join), max_size=30))
def test_a_stream_counts_everything_so_far(parts: list[str]) -> None:
    for name in NAMES:
        encoding = Encoding(name)
        stream, whole = encoding.stream(), ""
        for part in parts:
            stream.push(part)
            whole += part
            assert stream.total == encoding.count(whole)


HALVES = ["\ud83d", "\ude00", "\udbc0", "\udc4d", "\ufffd", "😀", "a", " b", "\n", "한", "!"]


@settings(max_examples=150, deadline=None)
@given(text=st.lists(st.sampled_from(HALVES), max_size=12).map("".join), data=st.data())
def test_halves_count_as_the_whole_text_would_wherever_it_is_parted(text: str, data: st.DataObject) -> None:
    own = counter_for(counter=Encoding("cl100k_base"))
    for counter in (*map(counter_for, ("gpt-4", "gpt-4o", "claude-sonnet-4-6")), own):
        for end in range(len(text) + 1):
            stream = counter.stream()
            for part in (text[:end], "", text[end:]):
                stream.push(part)
            assert stream.total == counter.count(text)
        stream = counter.stream()
        for end, half in enumerate(text, start=1):
            stream.push(half)
            if data.draw(st.booleans()):
                assert stream.total == counter.count(text[:end])
        assert stream.total == counter.count(text)


def test_a_stream_costs_no_more_than_its_text() -> None:
    if not build_info().optimised:
        pytest.skip("built without optimisation")
    encoding = Encoding("o200k_base")

    def pushed(parts: int) -> None:
        stream = encoding.stream()
        for _ in range(parts):
            stream.push("word ")
            assert stream.total > 0

    assert_grows_with_size(10_000, int, pushed)


# ---- any input, in linear time ----

MEGABYTE = 1_000_000


def pathological() -> dict[str, Callable[[int], str]]:
    rng = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    hangul = [chr(code) for code in range(0xAC00, 0xD7A4)]
    chinese = [chr(code) for code in range(0x4E00, 0x9FFF)]
    runs = {f"{char!r} repeated": char for char in ("a", " ", "\n", "_", "^", "あ", "A", "/", "-")}
    return {name: (lambda n, char=char: char * (n // len(char.encode()))) for name, char in runs.items()} | {
        "digits": lambda n: "".join(rng.choices("0123456789", k=n)),
        "base64": lambda n: base64.b64encode(rng.randbytes(n * 3 // 4)).decode(),
        "random letters": lambda n: "".join(rng.choices(letters, k=n)),
        "Hangul": lambda n: "".join(rng.choices(hangul, k=n // 3)),
        "Chinese": lambda n: "".join(rng.choices(chinese, k=n // 3)),
        "caseless before upper case": lambda n: ("あ" + "A" * 997) * (n // 1000),
        "spaces and newlines": lambda n: (" " * 999 + "\n") * (n // 1000),
    }


@pytest.mark.parametrize("kind", pathological())
@pytest.mark.parametrize("name", NAMES)
def test_a_megabyte_of_anything_is_counted_in_linear_time(name: str, kind: str) -> None:
    if not build_info().optimised:
        pytest.skip("built without optimisation")
    encoding, make = Encoding(name), pathological()[kind]
    megabyte = make(MEGABYTE)
    assert encoding.count(megabyte) > 0
    assert_within(0.5, lambda: spent(lambda: encoding.count(megabyte)))
    assert_grows_with_size(MEGABYTE // 4, make, encoding.count)


@pytest.mark.parametrize("kind", pathological())
def test_a_megabyte_of_anything_counts_like_the_reference(references: dict[str, tiktoken.Encoding], kind: str) -> None:
    text = pathological()[kind](60_000)  # the reference's regex engine gives up on longer runs of blanks
    for name in NAMES:
        assert Encoding(name).count(text) == reference_count(references[name], text)


@pytest.mark.parametrize("kind", pathological())
def test_truncating_a_megabyte_is_quick(kind: str) -> None:
    encoding, text = Encoding("o200k_base"), pathological()[kind](MEGABYTE)
    total = encoding.count(text)

    def truncated() -> None:
        for limit in (0, 1, 1_000, total - 1):
            kept = encoding.truncate(text, limit)
            assert text.startswith(kept)
            assert encoding.count(kept) <= limit

    assert_within(8.0 if build_info().optimised else 120, lambda: spent(truncated), tries=2)


def test_the_first_count_is_early() -> None:
    if not build_info().optimised:
        pytest.skip("built without optimisation")
    code = (
        "import time; from octavo._core import Encoding; start = time.process_time();"
        "Encoding('o200k_base').count('Hello, world'); print(time.process_time() - start)"
    )

    def first() -> float:
        return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)

    assert_within(0.060, first)


def test_the_cache_is_limited_once_before_the_first_count() -> None:
    code = (
        "from octavo.errors import BudgetError; from octavo.tokens import counter_for, limit_cache\n"
        "def refused(bytes):\n"
        "    try: limit_cache(bytes)\n"
        "    except BudgetError as error: return str(error)\n"
        "print(refused(65_535), refused(-1), refused(2**30 + 1), refused(2**70), sep='|')\n"
        "limit_cache(65_536)\n"
        "text = ' '.join(f'word{n}x' for n in range(30_000))\n"
        "print(counter_for('gpt-4o').count(text), counter_for('gpt-4o').count(text))\n"
        "print(refused(1 << 20))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ranges, counts, late = run.stdout.splitlines()
    assert [part.split(", got ")[0] for part in ranges.split("|")] == [
        "cache bytes must be from 65,536 to 1,073,741,824"
    ] * 4
    right = Encoding("o200k_base").count(" ".join(f"word{n}x" for n in range(30_000)))
    assert counts.split() == [str(right)] * 2
    assert late.startswith("cache bytes must be set once, before the first count")


# ---- threads and processes ----


def test_threads_agree_while_the_cache_turns_over() -> None:
    encoding = Encoding("cl100k_base")
    rng = random.Random(2)
    texts = ["".join(rng.choices("abcdefghij", k=9)) + " tail" for _ in range(3_000)]
    right = [encoding.count(text) for text in texts]

    def work(seed: int) -> int:
        noise = random.Random(seed)
        wrong = 0
        for text, count in zip(texts, right, strict=True):
            encoding.count("".join(noise.choices("klmnopqrst0", k=200)))
            wrong += encoding.count(text) != count
        return wrong

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(work, range(4))) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_counts_after_fork() -> None:
    code = (
        "import os, warnings; warnings.simplefilter('ignore');"
        "from octavo._core import Encoding; e = Encoding('o200k_base'); n = e.count('Hello, world');"
        "pid = os.fork();"
        "ok = e.count('Hello, world') == n and Encoding('cl100k_base').count('Hello') == 1;"
        "os._exit(not ok) if pid == 0 else None;"
        "raise SystemExit(not ok or os.waitpid(pid, 0)[1] != 0)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


# ---- tokenizer files ----


@pytest.fixture(scope="module")
def tokenizer_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A byte-level tokenizer trained on a few lines, with a special token that adds itself."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<s>"],
        show_progress=False,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
    )
    lines = ["The quick brown fox jumps over the lazy dog.", "안녕하세요 세계", "def main() -> None: ..."] * 8
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing("<s> $A", special_tokens=[("<s>", 0)])
    tokenizer.enable_truncation(5)
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    tokenizer.save(str(path))
    return path


@settings(max_examples=200, deadline=None)
@given(text=st.lists(st.sampled_from([*PARTS, "fox", "lazy ", "안녕"]), max_size=30).map("".join))
def test_a_tokenizer_file_counts_like_its_library(tokenizer_file: Path, text: str) -> None:
    reference = tokenizers.Tokenizer.from_file(str(tokenizer_file))
    reference.no_truncation()
    assert Encoding.from_file(tokenizer_file).count(text) == len(reference.encode(text, add_special_tokens=False).ids)


def test_a_models_counter_takes_a_tokenizer_file(tokenizer_file: Path) -> None:
    text = "The quick brown fox 안녕 🙂"
    counter = counter_for(tokenizer=tokenizer_file)
    assert counter.count(text) == Encoding.from_file(tokenizer_file).count(text) != counter_for().count(text)
    message = {"role": "user", "content": text}
    assert counter.count_message(message, "openai") > counter.count(text)


def test_a_tokenizer_file_counts_ordinary_text(tokenizer_file: Path) -> None:
    encoding = Encoding.from_file(str(tokenizer_file))
    assert encoding.count("<s>") == 3
    text = "The quick brown fox " * 20 + "안녕 🙂"
    total = encoding.count(text)
    assert total > 5
    assert encoding.count_up_to(text, total - 1) is None
    for limit in (0, 1, 7, total - 1, total):
        kept = encoding.truncate(text, limit)
        assert text.startswith(kept)
        assert encoding.count(kept) <= limit
    stream = encoding.stream()
    for char in text:
        stream.push(char)
    assert stream.total == total


@pytest.mark.parametrize("content", [None, "", "{}", "[]", '{"version": "1.0", "model": {"type": "BPE"}}'])
def test_a_broken_tokenizer_file_is_a_typed_error(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(TokenizerFileError) as caught:
        Encoding.from_file(path)
    assert caught.value.path == str(path)


# ---- recorded bug reports ----


def inputs(name: str) -> dict[str, object]:
    """The variables that the report's input line sets."""
    scope: dict[str, object] = {}
    exec(bug_report(name)["input"], scope)  # noqa: S102 - a line of the repository's own test data
    return scope


def strings_of(name: str) -> list[str]:
    found = inputs(name)["texts"]
    assert isinstance(found, list)
    assert found
    return found


def test_b008_a_control_token_is_ordinary_text(references: dict[str, tiktoken.Encoding]) -> None:
    encoding = Encoding("o200k_base")
    texts = strings_of("B008")
    counts = [encoding.count(text) for text in texts]
    assert counts == encoding.count_batch(texts) == [reference_count(references["o200k_base"], text) for text in texts]
    assert encoding.count("<|endoftext|>") > 1


def test_b009_surrogates() -> None:
    lone, inside, pair = strings_of("B009")
    encoding = Encoding("o200k_base")
    assert encoding.count(lone) == encoding.count("\ufffd")
    assert encoding.count(inside) == encoding.count("a\ufffdb")
    assert encoding.count(pair) == encoding.count("👍")
    long = "가나다라 " * 50
    assert encoding.count(long + inside) == encoding.count(long + "a\ufffdb")
    for text in (lone, inside, pair):
        for limit in range(4):
            kept = encoding.truncate(text, limit)
            # Of the caller's own string: whoever sends it mends it then.
            assert text.startswith(kept)
            assert encoding.count(kept) <= limit


@pytest.mark.parametrize("name", NAMES)
def test_b010_a_million_characters(name: str) -> None:
    encoding = Encoding(name)

    def is_quick(text: str) -> None:
        assert encoding.count(text) > 0
        assert_within(10, lambda: spent(lambda: encoding.count(text)), tries=2)
        assert_grows_with_size(len(text) // 4, lambda size: text[:size], encoding.count)

    for text in strings_of("B010"):
        is_quick(text)


def test_b016_limits_inside_a_character() -> None:
    found = inputs("B016")
    text, limits = found["text"], found["limits"]
    assert isinstance(text, str)
    assert isinstance(limits, list)
    encoding = Encoding("o200k_base")
    for limit in [*limits, encoding.count(text), encoding.count(text) - 1, 3_750, 3_751]:
        kept = encoding.truncate(text, limit)
        assert text.startswith(kept)
        assert encoding.count(kept) <= limit


async def test_b068_the_loop_goes_on_while_megabytes_are_counted() -> None:
    if not build_info().optimised:
        pytest.skip("built without optimisation")
    text = inputs("B068")["text"]
    assert isinstance(text, str)
    encoding = Encoding("o200k_base")

    async def four_counts() -> None:
        counts = await asyncio.gather(*(asyncio.to_thread(encoding.count, text) for _ in range(4)))
        assert len(set(counts)) == 1

    async def usual_gap() -> float:
        # Four counts share the cores with the loop and with whatever else runs: the median is the loop's own.
        gaps = sorted(await heartbeats(four_counts()))
        return gaps[len(gaps) // 2] if len(gaps) > 3 else inf

    await assert_within_async(0.05, usual_gap)
