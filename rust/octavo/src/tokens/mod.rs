//! Counting tokens.

/// Counts the tokens of texts. Implemented by the exact encodings and by loaded tokenizer files.
pub trait CountTokens: Send + Sync {
    /// Tokens of `text` as ordinary text (special-token spellings have no special meaning).
    fn count(&self, text: &str) -> usize;

    /// Tokens of `text`, or `None` as soon as there are more than `limit`.
    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize>;

    /// The longest prefix of whole characters that has at most `limit` tokens.
    fn truncate<'text>(&self, text: &'text str, limit: usize) -> &'text str;
}
