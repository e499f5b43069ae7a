//! The longest beginning of a text within a number of calibrated tokens.
//!
//! A longer beginning can have fewer tokens: every character changes the mean of the ratios a little, and at a
//! threshold the class of all that is ASCII. So the search goes from the far end, past which even the smallest
//! ratio is over the limit, and weighs every place. What a place has at least is known from the parts that count
//! for themselves whatever follows, so that few places need a count of their own: of at most a few words.
//!
//! Halving over the base's own beginnings was tried first. It took twenty counts of everything, and missed the
//! longest one wherever the ratio moved.

use super::{Calibration, Content};
use crate::tokens::CountTokens;

/// Bytes that are asked at a time where a beginning of them counts for itself: short, because they are counted
/// anew for the places behind it.
const STEP: usize = 64;

/// Parts longer than this do not count for themselves anywhere: a run of one kind of character. Not every place of
/// them is tried.
const LONG: usize = 1024;

/// How many tokens fewer a longer beginning may have while a part does not count for itself.
const SLACK: usize = 64;

/// Rounds in which a long part is cut exactly as the last ratio says; past them it is cut by an eighth at least.
const ROUNDS: u32 = 8;

/// What the first `at` bytes have, for every beginning of at least `from` bytes.
#[derive(Debug, Clone, Copy)]
struct Mark {
    at: usize,
    from: usize,
    tokens: u64,
}

/// Length of the longest beginning of `text` with at most `limit` tokens. Exactly the longest, but inside a run of
/// more than 1,024 bytes that does not count for itself, where it is one that fits.
pub(super) fn length(text: &str, limit: u64, base: &dyn CountTokens, ratios: &Calibration) -> usize {
    let most = most(limit, ratios.least());
    let (marks, end) = marks(text, most, base);
    let mut search =
        Search { text, limit, base, ratios, end, content: Content::of(text.get(..end).unwrap_or_default()) };
    marks.into_iter().rev().find_map(|mark| search.within(mark)).unwrap_or(0)
}

/// The most base tokens that are within `limit` at a ratio: [`super::scale`] rounds half up.
fn most(limit: u64, permille: u64) -> u64 {
    limit.saturating_mul(1000).saturating_add(499) / permille.max(1)
}

/// The parts that count for themselves, as far as there can be at most `most` tokens, and where that ends.
fn marks(text: &str, most: u64, base: &dyn CountTokens) -> (Vec<Mark>, usize) {
    let mut last = Mark { at: 0, from: 0, tokens: 0 };
    let mut marks = vec![last];
    let mut width = STEP;
    loop {
        let end = text.ceil_char_boundary(last.at.saturating_add(width));
        let part = text.get(last.at..end).unwrap_or_default();
        let settled = base.settled(part);
        if settled > 0 {
            let tokens = base.count(part.get(..settled).unwrap_or_default()) as u64;
            last = Mark { at: last.at + settled, from: end, tokens: last.tokens.saturating_add(tokens) };
            marks.push(last);
            width = STEP;
        } else {
            width = width.saturating_mul(2);
        }
        let over = last.tokens > most || (settled == 0 && is_over(part, most - last.tokens, base));
        if over || end == text.len() && settled == 0 {
            return (marks, end);
        }
    }
}

fn is_over(part: &str, left: u64, base: &dyn CountTokens) -> bool {
    let left = usize::try_from(left).unwrap_or(usize::MAX).saturating_add(SLACK);
    // No token is shorter than a byte.
    part.len() > left && base.count_up_to(part, left).is_none()
}

struct Search<'a> {
    text: &'a str,
    limit: u64,
    base: &'a dyn CountTokens,
    ratios: &'a Calibration,
    /// Everything from here on is over the limit.
    end: usize,
    /// Content of everything before.
    content: Content,
}

impl Search<'_> {
    /// The longest beginning within the limit among those for which the mark holds.
    fn within(&mut self, mark: Mark) -> Option<usize> {
        if self.end.saturating_sub(mark.at) > LONG {
            return self.within_run(mark);
        }
        loop {
            // The least it can have; a count is worth its time only where that fits.
            let may_fit = self.ratios.tokens(&self.content, mark.tokens) <= self.limit;
            if may_fit && self.fits(mark) {
                return Some(self.end);
            }
            let before = self.text.get(mark.from..self.end)?.chars().next_back()?.len_utf8();
            self.shorten_to(self.end - before);
        }
    }

    fn within_run(&mut self, mark: Mark) -> Option<usize> {
        let mut most = most(self.limit, self.ratios.least());
        let mut round = 0;
        loop {
            let left = usize::try_from(most.checked_sub(mark.tokens)?).unwrap_or(usize::MAX);
            let part = self.text.get(mark.at..self.end)?;
            let end = mark.at + self.base.truncate(part, left).len();
            self.shorten_to(end.max(mark.from));
            if self.fits(mark) {
                return Some(self.end);
            }
            if end <= mark.from {
                return None;
            }
            round += 1;
            let slower = if round > ROUNDS { most - most / 8 } else { most };
            most = self::most(self.limit, self.ratios.permille(&self.content)).min(slower.checked_sub(1)?);
        }
    }

    fn fits(&self, mark: Mark) -> bool {
        let rest = self.text.get(mark.at..self.end).unwrap_or_default();
        let tokens = mark.tokens.saturating_add(self.base.count(rest) as u64);
        self.ratios.tokens(&self.content, tokens) <= self.limit
    }

    fn shorten_to(&mut self, end: usize) {
        self.content.remove(self.text.get(end..self.end).unwrap_or_default());
        self.end = end;
    }
}
