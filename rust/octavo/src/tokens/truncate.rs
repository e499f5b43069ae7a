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

/// Windows up to this many bytes are searched place by place, from what the encoding says; longer ones in longer and
/// longer steps, since each place is counted.
const STEPPED: usize = 4096;

/// Bytes of the longest blank, and some.
const LAST_BLANK: usize = 8;

/// Windows up to this many bytes are searched byte by byte. Only a single pretoken makes a longer one.
const NEAR: usize = 256;

/// Length of the longest beginning of `text` with at most `limit` tokens. `start` is a place to begin from, and the
/// number of tokens before it: a safe one, see [`is_safe`].
pub(super) fn length<S: Split>(text: &str, limit: usize, start: (usize, usize), bpe: &Bpe) -> usize {
    let mut search = Search { text: text.as_bytes(), bpe, scratch: Scratch::default() };
    let Some(window) = search.window::<S>(start, limit) else { return text.len() };
    let left = limit - window.tokens;
    let fits = |search: &mut Search<'_>, end: usize| search.count::<S>(window.from, end) <= left;
    let size = window.to - window.from;
    let mut end = match size {
        ..=NEAR => window.to,
        // The last blank of a run belongs to the word behind it, and to the run where that is cut off.
        size if size <= STEPPED => window.to.min(search.far_end::<S>(&window, left) + LAST_BLANK),
        _ => search.far_end::<S>(&window, left),
    };
    let mut step = 1;
    while end > window.from && !(text.is_char_boundary(end) && fits(&mut search, end)) {
        // Byte by byte where it is near; faster and faster through a run that is split otherwise than expected.
        if size > STEPPED && text.is_char_boundary(end) {
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

    /// The longest that can fit, for a pretoken too long to count every beginning of it.
    fn far_end<S: Split>(&mut self, window: &Window, left: usize) -> usize {
        let (from, to) = window.over;
        let fitting = left.saturating_sub(self.count::<S>(window.from, from));
        let piece = self.text.get(from..to).unwrap_or_default();
        let (head, kept) = self.head(piece, fitting);
        let rest = piece.get(head..).unwrap_or_default();
        from + head + longest(rest, kept, fitting.saturating_sub(kept.map_or(0, |(_, tokens)| tokens)), self.bpe)
    }

    /// Where the search for the longest beginning starts: at the front, or, past [`FAR`], so many tokens before the cut.
    /// Cut between two of its tokens, a pretoken keeps the encoding before the cut.
    fn head(&mut self, piece: &[u8], fitting: usize) -> (usize, Option<(u32, usize)>) {
        let tokens = self.bpe.encode(piece, &mut self.scratch);
        let sure: usize = tokens.iter().take(fitting).map(|&(_, length)| length as usize).sum();
        let kept = if sure > FAR { fitting.saturating_sub(KEPT_BACK) } else { 0 };
        let head = tokens.iter().take(kept).map(|&(_, length)| length as usize).sum();
        (head, kept.checked_sub(1).and_then(|at| tokens.get(at)).map(|&(token, _)| (token, kept)))
    }
}

/// Length of the longest beginning of `rest` that has at most `limit` tokens and ends with a character, where `last` is
/// the token before it.
///
/// Every beginning has one encoding, and that is the encoding of a shorter beginning with one token more. So each place
/// is reached from exactly one place before it; places that take too many tokens lead nowhere.
fn longest(rest: &[u8], last: Option<(u32, usize)>, limit: usize, bpe: &Bpe) -> usize {
    let mut reached: Vec<Option<(u32, u32)>> = vec![None];
    let (mut at, mut end, mut best) = (0, 0, 0);
    while at <= end {
        let (before, used) = match reached.get(at).copied().flatten() {
            Some((token, tokens)) => (Some(token), tokens as usize),
            None => (last.map(|(token, _)| token).filter(|_| at == 0), 0),
        };
        let known = at == 0 || before.is_some();
        if known && rest.get(at).is_none_or(|byte| byte & 0xc0 != 0x80) {
            best = at;
        }
        if known && used < limit {
            for (token, length) in bpe.tokens_at(rest.get(at..).unwrap_or_default()) {
                if reached.len() <= at + length {
                    reached.resize(at + length + 1, None);
                }
                let Some(place) = reached.get_mut(at + length) else { continue };
                if place.is_none() && before.is_none_or(|before| bpe.compatible(before, token)) {
                    *place = Some((token, u32::try_from(used + 1).unwrap_or(u32::MAX)));
                    end = end.max(at + length);
                }
            }
        }
        at += 1;
    }
    best
}

/// Beginnings up to so many bytes are searched from the front. The search of a megabyte of dashes, of which 28 tokens
/// start at every place, would take a second.
const FAR: usize = 64 * 1024;

/// Tokens before the cut that are tried anew in a beginning longer than [`FAR`].
const KEPT_BACK: usize = 256;
