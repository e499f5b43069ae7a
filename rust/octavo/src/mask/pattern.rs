//! Patterns of the caller's own.
//!
//! The engine is the `regex` crate: without look-around and back-references, so that each search is linear in the text
//! whatever the pattern, and without the interpreter. It is in the package already, for `tokenizer.json` files.

use std::ops::Range;

use regex::Regex;

use crate::error::{Error, Result};

/// A regular expression that is looked for in each line.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

impl Pattern {
    /// Reads a pattern in the syntax of the `regex` crate.
    ///
    /// # Errors
    /// [`Error::Pattern`] where it cannot be read, uses what the crate leaves out, or grows beyond 10 MiB.
    pub fn new(pattern: &str) -> Result<Self> {
        Regex::new(pattern).map(Self).map_err(|error| Error::Pattern { reason: error.to_string() })
    }

    /// Every match that is not empty, in bytes. A line at a time: what stands in another line changes nothing, so a
    /// stream may give out its lines one by one.
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut start = 0;
        for line in text.split('\n') {
            let matches = self.0.find_iter(line).filter(|one| !one.is_empty());
            found.extend(matches.map(|one| start + one.start()..start + one.end()));
            start += line.len() + 1;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, text: &str) -> Vec<(usize, usize)> {
        let found = Pattern::new(pattern).map(|pattern| pattern.find(text)).unwrap_or_default();
        found.into_iter().map(|one| (one.start, one.end)).collect()
    }

    #[test]
    fn a_line_is_looked_at_by_itself() {
        assert_eq!(found("^a.*b$|(?s)x.y", "a1b\nz\na가b\nx\ny"), [(0, 3), (6, 11)]);
        assert_eq!(found("^a", ""), []);
    }

    #[test]
    fn empty_matches_are_none() {
        assert_eq!(found("a*", "baab"), [(1, 3)]);
    }

    #[test]
    fn what_is_not_linear_is_refused() {
        for pattern in ["(?=a)", r"(a)\1", "(", "(a{1000}){1000}"] {
            assert!(matches!(Pattern::new(pattern), Err(Error::Pattern { .. })), "{pattern}");
        }
    }
}
