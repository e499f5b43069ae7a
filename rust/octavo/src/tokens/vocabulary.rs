//! The vocabularies inside the package.

use super::trie::Trie;
use crate::{Error, Result};

/// A byte-pair vocabulary: every token from 256 on is the merge of two earlier tokens.
///
/// That each token is reached by exactly one merge is proved by `data/pack_vocabulary.py` for every token
/// when the data is packed; the hash of its source is checked there too.
#[derive(Clone, Copy)]
pub(super) struct Vocabulary {
    merges: &'static [[u8; 6]],
    /// Its tokens by their bytes.
    pub(super) trie: Trie,
}

/// Number of single-byte tokens.
pub(super) const SINGLES: usize = 256;

static O200K: &[u8] = include_bytes!("../../data/o200k_base.vocabulary");
static CL100K: &[u8] = include_bytes!("../../data/cl100k_base.vocabulary");
static O200K_TRIE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.trie"));
static CL100K_TRIE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base.trie"));

impl Vocabulary {
    pub(super) fn o200k_base() -> Result<Self> {
        Self::read("o200k_base", O200K, O200K_TRIE)
    }

    pub(super) fn cl100k_base() -> Result<Self> {
        Self::read("cl100k_base", CL100K, CL100K_TRIE)
    }

    fn read(name: &'static str, data: &'static [u8], trie: &'static [u8]) -> Result<Self> {
        let Some((_, rest)) = data.split_first_chunk::<SINGLES>() else {
            return Err(Error::Vocabulary { name, reason: "shorter than its single-byte tokens" });
        };
        let (merges, []) = rest.as_chunks() else {
            return Err(Error::Vocabulary { name, reason: "ends inside a merge" });
        };
        let Some(trie) = Trie::read(trie) else {
            return Err(Error::Vocabulary { name, reason: "the trie does not have the length it states" });
        };
        let vocabulary = Self { merges, trie };
        if vocabulary.merges().any(|merge| merge.left >= merge.token || merge.right >= merge.token) {
            return Err(Error::Vocabulary { name, reason: "a token is made of later tokens" });
        }
        Ok(vocabulary)
    }

    /// Number of tokens.
    pub(super) fn len(&self) -> usize {
        SINGLES + self.merges.len()
    }

    /// The merges in the order of their rank; a token's rank is its number.
    pub(super) fn merges(&self) -> impl Iterator<Item = Merge> {
        (256..).zip(self.merges).map(|(token, packed)| {
            let (left, right) = parts(*packed);
            Merge { left, right, token }
        })
    }

    /// The two tokens that merge into `token`; `None` for a single byte.
    #[inline]
    pub(super) fn parts(&self, token: u32) -> Option<(u32, u32)> {
        self.merges.get((token as usize).checked_sub(SINGLES)?).map(|&packed| parts(packed))
    }
}

/// `left` followed by `right` becomes `token`.
#[derive(Clone, Copy)]
pub(super) struct Merge {
    pub(super) left: u32,
    pub(super) right: u32,
    pub(super) token: u32,
}

/// The two tokens of a packed merge: 24 bits each, little endian.
#[inline]
fn parts(packed: [u8; 6]) -> (u32, u32) {
    let both = packed.iter().rev().fold(0u64, |number, &byte| number << 8 | u64::from(byte));
    #[expect(clippy::cast_possible_truncation, reason = "24 bits each")]
    return ((both & 0xff_ffff) as u32, (both >> 24) as u32);
}
