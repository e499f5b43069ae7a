//! Counting a text that is still being written.

use std::sync::Arc;

use super::CountTokens;
use super::split::Split;
use super::truncate::is_safe;

/// Counts a text that arrives in parts. The total is at every moment the count of everything pushed so far as
/// one text; adding up the counts of the parts would be too much, by up to 83 % for parts of a few characters.
pub struct StreamCounter {
    counter: Arc<dyn CountTokens>,
    settled: usize,
    /// What the next part may still change, and what has come since that was last looked for.
    tail: String,
    /// Length at which the tail is looked through again. Grows with the tail, so that one long run that arrives in
    /// small parts is not looked through at each of them.
    due: usize,
}

const DUE: usize = 64;

impl StreamCounter {
    /// A counter of an empty text.
    pub fn new(counter: Arc<dyn CountTokens>) -> Self {
        Self { counter, settled: 0, tail: String::new(), due: DUE }
    }

    /// Appends to the text.
    pub fn push(&mut self, part: &str) {
        self.tail.push_str(part);
        if self.tail.len() < self.due {
            return;
        }
        let end = self.counter.settled(&self.tail);
        if let Some(settled) = self.tail.get(..end) {
            self.settled += self.counter.count(settled);
            self.tail.drain(..end);
        }
        self.due = self.tail.len() * 2 + DUE;
    }

    /// Tokens of everything pushed so far.
    pub fn total(&self) -> usize {
        self.settled + self.counter.count(&self.tail)
    }

    /// Tokens of everything pushed so far with `more` behind it, which is not pushed.
    pub fn total_with(&self, more: &str) -> usize {
        self.settled + self.counter.count(&[&self.tail, more].concat())
    }
}

/// End of the last pretoken that nothing appended can change.
///
/// A pretoken and the place where it ends depend on what was read to find them: at most the pretoken that follows
/// it and three bytes more (the rest of a run of letters, the character behind a run of whitespace, a contraction).
/// Where all of that is inside the text, more text changes nothing. And it must count the same by itself, which a
/// beginning that ends in whitespace may not.
pub(super) fn settled<S: Split>(text: &[u8]) -> usize {
    let (mut settled, mut at) = (0, 0);
    while at < text.len() {
        let end = S::end(text, at);
        if end + 3 >= text.len() {
            break;
        }
        if is_safe(text, at) {
            settled = at;
        }
        at = end;
    }
    settled
}
