//! Counting tokens.

mod block;
mod bpe;
mod cache;
pub mod calibration;
mod character;
mod classify;
mod data;
mod encoding;
mod file;
pub mod framing;
pub mod image;
mod key;
mod merge;
pub mod model;
mod pairs;
#[cfg(test)]
mod proofs;
mod scan;
mod split;
mod stream;
pub mod tally;
mod trie;
mod truncate;
mod vocabulary;

use std::sync::Arc;

pub use encoding::{Encoding, limit_cache};
pub use file::{TokenizerFile, file};
pub use stream::StreamCounter;

use crate::Result;

/// Counts the tokens of texts. Implemented by the exact encodings and by loaded tokenizer files.
pub trait CountTokens: Send + Sync {
    /// Tokens of `text` as ordinary text (special-token spellings have no special meaning).
    fn count(&self, text: &str) -> usize;

    /// Tokens of `text`, or `None` as soon as there are more than `limit`.
    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize>;

    /// The longest prefix of whole characters that has at most `limit` tokens.
    fn truncate<'text>(&self, text: &'text str, limit: usize) -> &'text str;

    /// Length of a beginning of `text` that counts for itself: whatever is appended to the text, its count is
    /// that of this beginning plus that of the rest. 0 where nothing is known about that.
    fn settled(&self, text: &str) -> usize {
        let _ = text;
        0
    }
}

/// The exact encoding of that name (`o200k_base`, `cl100k_base`), loaded at the first call and then shared.
///
/// # Errors
/// [`crate::Error::UnknownEncoding`] when the package does not carry it.
pub fn encoding(name: &str) -> Result<Arc<dyn CountTokens>> {
    Ok(Encoding::named(name)?)
}
