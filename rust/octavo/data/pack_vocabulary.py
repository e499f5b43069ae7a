"""Packs a published `*.tiktoken` vocabulary into the layout that `src/tokens/vocabulary.rs` reads.

    python rust/octavo/data/pack_vocabulary.py o200k_base path/to/o200k_base.tiktoken[.gz]

A token is stored as the pair of earlier tokens whose merge it is, not as its bytes: 6 bytes a token, no
text to parse at load, and the pair table of the merge loop falls out directly. This is lossless only when
*every* token is reached by exactly one merge of two earlier tokens; the script proves that for each token
and refuses a vocabulary where it does not hold.

Layout, little endian:
    256 bytes            the byte that token 0..255 stands for
    (n - 256) x 6 bytes  left and right token of token 256.., 24 bits each
"""

import base64
import gzip
import hashlib
import sys
from pathlib import Path

# The hashes that tiktoken itself checks after a download (tiktoken_ext/openai_public.py, tiktoken 0.14.0).
SHA256 = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}


def read_ranks(name: str, path: Path) -> dict[bytes, int]:
    """Token bytes -> rank, after the hash of the file has been checked."""
    raw = path.read_bytes()
    if path.suffix == ".gz":
        raw = gzip.decompress(raw)
    digest = hashlib.sha256(raw).hexdigest()
    if digest != SHA256[name]:
        raise SystemExit(f"{path}: sha256 {digest}, expected {SHA256[name]}")
    ranks: dict[bytes, int] = {}
    for line in raw.splitlines():
        token, rank = line.split()
        ranks[base64.b64decode(token)] = int(rank)
    if sorted(ranks.values()) != list(range(len(ranks))):
        raise SystemExit(f"{path}: ranks are not 0..n-1")
    return ranks


def last_merge(token: bytes, rank: int, ranks: dict[bytes, int]) -> tuple[int, int]:
    """The two tokens that are left when `token` is merged with earlier ranks only."""
    parts = [token[i : i + 1] for i in range(len(token))]
    while len(parts) > 2:
        candidates = ((ranks.get(a + b, rank), i) for i, (a, b) in enumerate(zip(parts, parts[1:], strict=False)))
        best, at = min(candidates)
        if best >= rank:
            raise SystemExit(f"token {rank} {token!r} is not reached by merging: {parts}")
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    left, right = (ranks[part] for part in parts)
    if max(left, right) >= rank:
        raise SystemExit(f"token {rank} {token!r} is made of later tokens")
    return left, right


def pack(ranks: dict[bytes, int]) -> bytes:
    """The packed vocabulary."""
    tokens = sorted(ranks, key=ranks.__getitem__)
    if any(len(token) != 1 for token in tokens[:256]) or any(len(token) == 1 for token in tokens[256:]):
        raise SystemExit("the first 256 tokens must be the single bytes, and no others")
    pairs = [last_merge(token, rank, ranks) for rank, token in enumerate(tokens) if rank >= 256]
    if len(set(pairs)) != len(pairs):
        raise SystemExit("two tokens share one pair")
    body = b"".join(left.to_bytes(3, "little") + right.to_bytes(3, "little") for left, right in pairs)
    return b"".join(tokens[:256]) + body


def main() -> None:
    """Writes `<name>.vocabulary` beside this script."""
    name, path = sys.argv[1], Path(sys.argv[2])
    out = Path(__file__).with_name(f"{name}.vocabulary")
    out.write_bytes(pack(read_ranks(name, path)))
    print(f"{out}: {out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
