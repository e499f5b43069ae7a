//! The longest beginning of a text within a number of tokens.
//!
//! Counts are not monotone in the length: a longer beginning can have fewer tokens, and cutting a run of blanks
//! changes how it is split. So the place is searched for from the far end, and each candidate is counted.

use super::bpe::{Bpe, Scratch};
use super::character::{NEWLINE, SPACE, class_at};
use super::split::Split;

/// Where the cut lies: some place in `from..=to`; what comes before `from` has `tokens` tokens and is split the
/// same whatever is cut off behind it.
pub(super) struct Window {
    pub(super) from: usize,
    pub(super) to: usize,
    tokens: usize,
    /// The pretoken that goes over the limit.
    over: (usize, usize),
}

/// Windows up to this many bytes are searched byte by byte. Only a single pretoken makes a longer one.
const NEAR: usize = 256;

/// Length of the longest beginning of `text` with at most `limit` tokens. `start` is a place to begin from, and the
/// number of tokens before it: a safe one, see [`is_safe`].
pub(super) fn length<S: Split>(text: &str, limit: usize, start: (usize, usize), bpe: &Bpe) -> usize {
    let mut search = Search { text: text.as_bytes(), bpe, scratch: Scratch::default() };
    let Some(window) = search.window::<S>(start, limit) else { return text.len() };
    let left = limit - window.tokens;
    let fits = |search: &mut Search<'_>, end: usize| search.count::<S>(window.from, end) <= left;
    let mut end = if window.to - window.from <= NEAR { window.to } else { search.far_end::<S>(&window, left) };
    let mut step = 1;
    while end > window.from && !(text.is_char_boundary(end) && fits(&mut search, end)) {
        // Byte by byte where it is near; faster and faster through a run that is split otherwise than expected.
        if window.to - window.from > NEAR && text.is_char_boundary(end) {
            step *= 2;
        }
        end = text.floor_char_boundary(end.saturating_sub(step).max(window.from));
    }
    end.max(window.from)
}

/// Whether what comes before `at`, where a pretoken starts, is split the same whatever text follows `at`: it
/// does not end in whitespace.
pub(super) fn is_safe(text: &[u8], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let width = before.iter().rev().take_while(|&&byte| byte & 0xc0 == 0x80).count() + 1;
    at == 0 || class_at(text, at.saturating_sub(width)).0 & (SPACE | NEWLINE) == 0
}

struct Search<'text> {
    text: &'text [u8],
    bpe: &'text Bpe,
    scratch: Scratch,
}

impl Search<'_> {
    /// Goes on from `start` until a pretoken that is not whitespace is over the limit; `None` when all of the
    /// text is within it.
    fn window<S: Split>(&mut self, (mut at, mut total): (usize, usize), limit: usize) -> Option<Window> {
        let (mut from, mut tokens, mut over) = (at, total, None);
        while at < self.text.len() {
            let end = S::end(self.text, at);
            total += self.piece(at, end);
            if total > limit && over.is_none() {
                over = Some((at, end));
            }
            let solid = is_safe(self.text, end);
            if solid && over.is_none() {
                (from, tokens) = (end, total);
            }
            at = end;
            if solid && total > limit {
                break;
            }
        }
        over.map(|over| Window { from, to: at, tokens, over })
    }

    fn count<S: Split>(&mut self, mut at: usize, end: usize) -> usize {
        let mut total = 0;
        let text = self.text;
        let cut = text.get(..end).unwrap_or_default();
        while at < end {
            let next = S::end(cut, at);
            total += self.piece(at, next);
            at = next;
        }
        total
    }

    fn piece(&mut self, from: usize, to: usize) -> usize {
        self.bpe.count(self.text.get(from..to).unwrap_or_default(), &mut self.scratch)
    }

    /// A little more than what can fit, for a pretoken too long to try every place.
    ///
    /// Cut between two of its tokens, a pretoken keeps the encoding before the cut; so the cut lies near the end of the
    /// last token that fits. Two tokens more, and every place between, are tried from there.
    fn far_end<S: Split>(&mut self, window: &Window, left: usize) -> usize {
        let (from, to) = window.over;
        let before = self.count::<S>(window.from, from);
        let piece = self.text.get(from..to).unwrap_or_default();
        let tokens = self.bpe.encode(piece, &mut self.scratch);
        let fitting = left.saturating_sub(before);
        let sure: usize = tokens.iter().take(fitting).map(|&(_, length)| length as usize).sum();
        let more: usize = tokens.iter().skip(fitting).take(2).map(|&(_, length)| length as usize).sum();
        self.refine(piece, from, (sure, more), fitting)
    }

    /// The longest beginning of the encoded pretoken between `sure` and `sure + more` bytes that has at most
    /// `fitting` tokens; only the last tokens are encoded anew for each place.
    fn refine(&mut self, piece: &[u8], from: usize, (sure, more): (usize, usize), fitting: usize) -> usize {
        let tokens = self.bpe.encode(piece, &mut self.scratch).to_vec();
        let kept = fitting.saturating_sub(KEPT_BACK);
        let head: usize = tokens.iter().take(kept).map(|&(_, length)| length as usize).sum();
        let last = kept.checked_sub(1).and_then(|at| tokens.get(at)).map(|&(token, _)| token);
        let longer =
            (sure + 1..=sure + more).rev().filter(|&end| piece.get(end).is_none_or(|byte| byte & 0xc0 != 0x80));
        for end in longer {
            let tail = self.bpe.encode(piece.get(head..end).unwrap_or_default(), &mut self.scratch);
            let joins = last.zip(tail.first()).is_none_or(|(last, &(first, _))| self.bpe.compatible(last, first));
            if joins && kept + tail.len() <= fitting {
                return from + end;
            }
        }
        from + sure
    }
}

/// Tokens before the cut that are encoded anew when a place near it is tried.
const KEPT_BACK: usize = 16;
