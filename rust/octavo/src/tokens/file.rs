//! Counting with any Hugging Face `tokenizer.json`.
//!
//! The work is done by the `tokenizers` crate, without its download, progress and C++ parts: exact by definition,
//! at its speed (a hundredth of the embedded encodings'). It remembers up to 10,000 words of less than 256 bytes a file
//! and thread (version 0.23.2, `models/bpe/model.rs`), which SECURITY.md says.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use tokenizers::Tokenizer;

use super::CountTokens;
use crate::{Error, Result};

/// A tokenizer read from a `tokenizer.json`.
///
/// Counts ordinary text: spellings of special tokens have no special meaning, nothing is added at beginning or end,
/// and the truncation and padding that the file may ask for are off.
pub struct TokenizerFile {
    tokenizer: Tokenizer,
}

/// Reads a `tokenizer.json`. Loading takes 0.1 to 2 s for large vocabularies: keep what you get.
///
/// # Errors
/// [`Error::TokenizerFile`] when there is no such file or it does not describe a tokenizer.
pub fn file(path: &Path) -> Result<Arc<dyn CountTokens>> {
    Ok(Arc::new(TokenizerFile::read(path)?))
}

impl TokenizerFile {
    /// Reads the file.
    ///
    /// # Errors
    /// [`Error::TokenizerFile`], naming path and reason.
    pub fn read(path: &Path) -> Result<Self> {
        let failed = |reason: String| Error::TokenizerFile { path: path.display().to_string(), reason };
        let bytes = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
        // The reader of the library meets a few malformed files with a panic.
        // Some editors put a byte order mark before the JSON.
        let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let read = catch_unwind(|| Tokenizer::from_bytes(json).map_err(|error| error.to_string()));
        let mut tokenizer = read.unwrap_or_else(|_| Err("the description is malformed".into())).map_err(failed)?;
        tokenizer.with_truncation(None).map_err(|error| failed(error.to_string()))?;
        tokenizer.with_padding(None);
        tokenizer.set_encode_special_tokens(true);
        Ok(Self { tokenizer })
    }

    fn encode(&self, text: &str) -> Option<usize> {
        // A pattern of the file can exceed the limits of the regex engine on long runs: an error, in places a panic.
        let encoded = catch_unwind(AssertUnwindSafe(|| self.tokenizer.encode_fast(text, false)));
        encoded.ok()?.ok().map(|encoding| encoding.len())
    }
}

impl CountTokens for TokenizerFile {
    /// Where the file's own pattern gives up on a text, its halves are counted: a little too much, never too little
    /// and never an error in the middle of a turn.
    fn count(&self, text: &str) -> usize {
        if let Some(tokens) = self.encode(text) {
            return tokens;
        }
        match text.split_at_checked(text.floor_char_boundary(text.len() / 2)) {
            Some((left, right)) if !left.is_empty() => self.count(left) + self.count(right),
            _ => text.len(),
        }
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        Some(self.count(text)).filter(|&tokens| tokens <= limit)
    }

    /// Halves the distance, then tries every place of the runs that follow: a longer beginning can have fewer tokens
    /// where a word or a run is completed, and nothing is known of the file's tokens but their number.
    fn truncate<'text>(&self, text: &'text str, limit: usize) -> &'text str {
        if self.count(text) <= limit {
            return text;
        }
        let fits = |end: usize| text.get(..end).is_some_and(|cut| self.count(cut) <= limit);
        let (mut low, mut high) = (0usize, text.len());
        while let middle = text.floor_char_boundary(low.midpoint(high))
            && middle > low
        {
            if fits(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        let end = places_behind(text, low).rev().find(|&end| fits(end)).unwrap_or(low);
        text.get(..end).unwrap_or_default()
    }
}

/// How many runs of one kind of character are looked at behind the place where halving ended, and how many of their
/// characters. A token is part of a word with the blank before it in nearly every file, and seldom longer than that.
const RUNS_BEHIND: usize = 3;
const MOST_BEHIND: usize = 256;

/// What trying those places may count again, in bytes: fewer of them are tried behind a long beginning.
const COUNTED_AGAIN: usize = 4 * 1024 * 1024;

/// The ends of the characters behind `from`, up to the end of the third run of letters, blanks or other characters.
fn places_behind(text: &str, from: usize) -> impl DoubleEndedIterator<Item = usize> {
    let rest = text.get(from..).unwrap_or_default();
    let most = (COUNTED_AGAIN / from.max(1)).clamp(8, MOST_BEHIND);
    let (mut runs, mut last) = (0, None);
    let near = rest.char_indices().take(most).take_while(|&(_, character)| {
        let kind = Some((character.is_alphanumeric(), character.is_whitespace()));
        runs += usize::from(kind != last);
        last = kind;
        runs <= RUNS_BEHIND
    });
    near.map(|(at, character)| from + at + character.len_utf8()).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop")]

    use super::*;

    const WORDS: &str = r#"{"version": "1.0", "truncation": {"direction": "Right", "max_length": 2,
        "strategy": "LongestFirst", "stride": 0}, "padding": null, "added_tokens": [{"id": 3, "content": "<end>",
        "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
        "normalizer": null, "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "hello": 1, "world": 2}, "unk_token": "[UNK]"}}"#;

    fn written(name: &str, content: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("octavo-{}-{name}", std::process::id()));
        std::fs::write(&path, content).unwrap();
        path
    }

    #[test]
    fn counts_as_ordinary_text() {
        let path = written("words.json", WORDS);
        let counter = file(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(counter.count("hello world hello"), 3);
        assert_eq!(counter.count("<end>"), 3);
        assert_eq!(counter.count_up_to("hello world", 1), None);
        assert_eq!(counter.truncate("hello world hello", 2), "hello world ");
        assert_eq!(counter.truncate("hello", 0), "");
    }

    /// Merges of letters in pairs, so that `abcdefgh` is one token and most of its beginnings are several.
    const PAIRS: &str = r#"{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": null, "pre_tokenizer": null, "post_processor": null, "decoder": null,
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "d": 3, "e": 4, "f": 5, "g": 6, "h": 7, " ": 8,
        "ab": 9, "cd": 10, "ef": 11, "gh": 12, "abcd": 13, "efgh": 14, "abcdefgh": 15, "abcdefghabcdefgh": 16},
        "merges": ["a b", "c d", "e f", "g h", "ab cd", "ef gh", "abcd efgh", "abcdefgh abcdefgh"]}}"#;

    #[test]
    fn the_longest_beginning_is_found_where_counts_fall() {
        let path = written("pairs.json", PAIRS);
        let counter = file(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let word = "abcdefgh".repeat(2);
        assert_eq!((counter.count(&word), counter.count("abcdefghabcdefg")), (1, 4));
        let text = format!("{word} {word} {word}");
        for limit in 0..8 {
            let longest = (0..=text.len()).rev().find(|&end| counter.count(&text[..end]) <= limit).unwrap();
            assert_eq!(counter.truncate(&text, limit).len(), longest, "{limit}");
        }
    }

    #[test]
    fn says_which_file_and_why() {
        let path = written("broken.json", r#"{"version": "1.0""#);
        for path in [path.as_path(), Path::new("/nowhere/tokenizer.json")] {
            let error = file(path).err();
            let named = error.as_ref().map(|error| matches!(error, Error::TokenizerFile { path: named, .. } if *named == path.display().to_string()));
            assert_eq!(named, Some(true), "{error:?}");
        }
        std::fs::remove_file(&path).unwrap();
    }
}
