"""Writes `character_classes.bin`: the class of every code point, as tiktoken's own regex engine sees it.

    python rust/octavo/data/classify_characters.py        (needs tiktoken; run with 0.14.0)

The Unicode version of `\\p{L}` and its like is the one of the reference's regex crate, not Python's. So the
reference is asked itself: a 256-token byte vocabulary with the class as its pattern gives back exactly the
characters that the class matches.

Layout: one byte a block of 128 code points (8,704 bytes: which block to use), then the distinct blocks, one
byte a code point: the one-hot class that `src/tokens/character.rs` names.
"""

from pathlib import Path

import tiktoken

BLOCK = 128
OTHER, UPPER, LOWER, BOTH, MARK, NUMBER, SPACE, NEWLINE = (1 << bit for bit in range(8))
PATTERNS = {
    UPPER: r"[\p{Lu}\p{Lt}]",
    LOWER: r"\p{Ll}",
    BOTH: r"[\p{Lm}\p{Lo}]",
    MARK: r"\p{M}",
    NUMBER: r"\p{N}",
    SPACE: r"[^\S\r\n]",
    NEWLINE: r"[\r\n]",
}


def matched(pattern: str, text: str) -> str:
    """The characters of `text` that `pattern` matches."""
    single_bytes = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("probe", pat_str=pattern, mergeable_ranks=single_bytes, special_tokens={})
    return bytes(encoding.encode_ordinary(text)).decode()


def classify() -> bytearray:
    """One class for each of the 0x110000 code points; surrogates, which no text holds, are OTHER."""
    everything = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    classes = bytearray([0]) * 0x110000
    for class_, pattern in PATTERNS.items():
        for char in matched(pattern, everything):
            if classes[ord(char)]:
                raise SystemExit(f"U+{ord(char):04X} is in two classes")
            classes[ord(char)] = class_
    return bytearray(class_ or OTHER for class_ in classes)


def main() -> None:
    """Writes the table beside this script."""
    classes = classify()
    blocks: dict[bytes, int] = {}
    index = bytes(
        blocks.setdefault(bytes(classes[at : at + BLOCK]), len(blocks)) for at in range(0, len(classes), BLOCK)
    )
    out = Path(__file__).with_name("character_classes.bin")
    out.write_bytes(index + b"".join(blocks))
    print(f"{out}: {len(blocks)} blocks, {out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
