//! Patterns of the caller's own.
//!
//! The engine is that of the `regex` crate: without look-around and back-references, so that one search is linear in
//! the text whatever the pattern, and without the interpreter. It is in the package already, for `tokenizer.json`
//! files. Going through *all* matches is not: `.*x|a` looks for an `x` to the end of the line after each of its `a`s,
//! the square of the line. So the searches of a line that may go to its end are counted.

use std::ops::Range;

use regex_automata::Input;
use regex_automata::meta::Regex;

use crate::error::{Error, Result};

/// Matches of a line that are found whatever their length. No line of ordinary text has more of one pattern; with
/// 1,000 a line of 1 MB took a second for a pattern as above.
const UNBOUNDED: usize = 64;
/// Bytes of a match that is found whole after those. Each search reads at most twice as much.
const WINDOW: usize = 2_048;
/// The size of a compiled pattern: the bound of the `regex` crate.
const SIZE: usize = 10 << 20;

/// A regular expression that is looked for in each line.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

impl Pattern {
    /// Reads a pattern in the syntax of the `regex` crate.
    ///
    /// # Errors
    /// [`Error::Pattern`] where it cannot be read, uses what the crate leaves out, or grows beyond 10 MiB.
    pub fn new(pattern: &str) -> Result<Self> {
        let bounds = Regex::config().nfa_size_limit(Some(SIZE)).hybrid_cache_capacity(SIZE / 5);
        let built = Regex::builder().configure(bounds).build(pattern);
        built.map(Self).map_err(|error| Error::Pattern { reason: reason(&error) })
    }

    /// Every match that is not empty, in bytes. A line at a time: what stands in another line changes nothing, so a
    /// stream may give out its lines one by one.
    ///
    /// Linear in the text: after 64 matches in a line, one of more than 2,048 bytes may be found in pieces, or not
    /// at all where no piece of it matches.
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut start = 0;
        for line in text.split('\n') {
            self.find_in(line, &mut |one| found.push(start + one.start..start + one.end));
            start += line.len() + 1;
        }
        found
    }

    fn find_in(&self, line: &str, found: &mut impl FnMut(Range<usize>)) {
        let (mut at, mut count) = (0, 0);
        while at < line.len() {
            let bounded = count >= UNBOUNDED;
            let end = if bounded { boundary(line, at + 2 * WINDOW) } else { line.len() };
            let one = self.0.find(Input::new(line).range(at..end)).map(|one| one.range());
            let last = boundary(line, at + WINDOW);
            at = match one {
                // So near the end of the window it may be cut: it is looked at once more, from its start.
                Some(one) if end < line.len() && one.start > last => one.start,
                Some(one) if one.is_empty() => boundary(line, one.start + 1),
                Some(one) => {
                    count += 1;
                    let next = one.end;
                    found(one);
                    next
                }
                None if end == line.len() => return,
                None => last,
            };
        }
    }
}

/// The next border of characters at or after `at`.
fn boundary(line: &str, at: usize) -> usize {
    (at..line.len()).find(|&at| line.is_char_boundary(at)).unwrap_or(line.len())
}

/// What is wrong with a pattern, with the place in it where that is known.
fn reason(error: &regex_automata::meta::BuildError) -> String {
    error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string)
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
        assert_eq!(found("", "가나"), []);
    }

    #[test]
    fn what_is_not_linear_is_refused() {
        for pattern in ["(?=a)", r"(a)\1", "(", "(a{1000}){1000}"] {
            assert!(matches!(Pattern::new(pattern), Err(Error::Pattern { .. })), "{pattern}");
        }
    }

    /// The same matches as going through them without a bound, for matches up to the window.
    #[test]
    fn after_many_matches_those_up_to_the_window_are_found_whole() {
        let line = |gap: usize, length: usize| {
            let one = format!("{}<{}>", "가 ".repeat(gap), "x".repeat(length));
            one.repeat(100)
        };
        for (gap, length) in [(0, 10), (3, 2_000), (2_000, 50), (5_000, 2_046), (1, 1)] {
            let text = line(gap, length);
            let found = found(r"<[^>]*>|\bnever$", &text);
            assert_eq!(found.len(), 100, "{gap} {length}");
            assert!(found.iter().all(|(start, end)| end - start == length + 2), "{gap} {length}");
        }
    }

    /// The edges of a window are not those of the line or of a word.
    #[test]
    fn a_window_is_no_line() {
        let text = "ab ".repeat(20_000);
        assert_eq!(found(r"\bab\b", &text).len(), 20_000);
        assert_eq!(found(r"^ab|ab$|b $", &text), [(0, 2), (59_998, 60_000)]);
        let words = format!("{}{}", "a ".repeat(70), "b".repeat(50_000));
        let found = found(r"\ba\b|\bb{3}\b|b+$", &words);
        // Of the 50,000 the piece is found that is near enough to the end.
        assert_eq!(found.len(), 71);
        assert!(
            found.last().is_some_and(|&(start, end)| end == words.len() && (2_048..=4_096).contains(&(end - start)))
        );
    }
}
