//! The counting loop: splits a text, looks each pretoken up, sums.
#![expect(clippy::inline_always, reason = "a part of the counting loop, compiled for the instructions of its caller")]

use std::marker::PhantomData;

use super::block::{self, Block, Masks, SplitBlocks};
use super::bpe::{Bpe, Scratch};
use super::cache::{Cache, Ticket};
use super::classify::{self, Classify, Work};
use super::key::Key;
use super::truncate::is_safe;

/// Bytes that the keys of a block are made from: the block, and the rest of a key behind its last start.
const WINDOW: usize = 64 + 16;

/// How far a count went.
pub(super) enum Counted {
    /// To the end: tokens.
    All(usize),
    /// Over the limit. The last place before that where a cut leaves everything before it as it is
    /// (`truncate::is_safe`), and the tokens before it.
    Over(usize, usize),
}

/// Tokens of `text`, or as many of them as show that there are more than `limit`.
pub(super) fn count<S: SplitBlocks>(text: &[u8], limit: usize, bpe: &Bpe, cache: &Cache) -> Counted {
    let scan = Scan { text, limit, bpe, cache, scratch: Scratch::default(), pattern: PhantomData::<S> };
    classify::with_widest(scan)
}

struct Scan<'a, S> {
    text: &'a [u8],
    limit: usize,
    bpe: &'a Bpe,
    cache: &'a Cache,
    scratch: Scratch,
    pattern: PhantomData<S>,
}

/// Pretokens that are looked up together: the first of them asks memory for its part of the cache, the others follow,
/// and by the time that all have asked, memory has answered the first.
const BATCH: usize = 48;
/// Places for them: a batch ends with the block in which it is full, or where the places are.
const PLACES: usize = 64;

/// A pretoken whose count is being fetched. It ends where the next one starts.
#[derive(Clone, Copy, Default)]
struct Waiting<'a> {
    ticket: Ticket<'a>,
    start: usize,
}

impl<S: SplitBlocks> Work for Scan<'_, S> {
    type Output = Counted;

    #[inline(always)]
    fn run<C: Classify>(mut self) -> Counted {
        let mut waiting = [Waiting::default(); PLACES];
        let (mut at, mut total) = (0, 0);
        let mut safe = (0, 0);
        while at < self.text.len() {
            let generation = self.cache.generation();
            let (end, mut tokens) = self.batch::<C>(at, &mut waiting);
            if !self.cache.unchanged_since(generation) {
                tokens = self.recount(at, end);
            }
            if total + tokens > self.limit {
                return Counted::Over(safe.0, safe.1);
            }
            (at, total) = (end, total + tokens);
            if self.limit != usize::MAX && is_safe(self.text, at) {
                safe = (at, total);
            }
        }
        Counted::All(total)
    }
}

impl<'a, S: SplitBlocks> Scan<'a, S> {
    /// Counts some pretokens from `at` on: end of the last, tokens.
    #[inline(always)]
    fn batch<C: Classify>(&mut self, mut at: usize, waiting: &mut [Waiting<'a>; PLACES]) -> (usize, usize) {
        // A limit is noticed a block late, not a batch.
        let enough = if self.limit == usize::MAX { BATCH } else { 1 };
        let mut found = 0;
        while found < enough && at < self.text.len() {
            let masks = self.masks::<C>(at);
            let ends = block::ends::<S>(Block { text: self.text, at, masks });
            let places = waiting.get_mut(found..).unwrap_or_default();
            if ends == 0 {
                let end = S::end(self.text, at);
                self.fetch_one(at, end, places.first_mut());
                (at, found) = (end, found + 1);
            } else {
                let (end, filled) = self.fetch(at, ends, places);
                (at, found) = (end, found + filled);
            }
        }
        (at, self.collect(waiting.get(..found).unwrap_or_default(), at))
    }

    /// Tokens of the pretokens that are waiting; the last one ends at `end`.
    #[inline(always)]
    fn collect(&mut self, waiting: &[Waiting<'a>], end: usize) -> usize {
        let mut total = 0;
        for (number, it) in waiting.iter().enumerate() {
            total += match it.ticket.count() {
                0 => self.piece(it.start, waiting.get(number + 1).map_or(end, |next| next.start)),
                known => known,
            };
        }
        total
    }

    /// Fetches the counts of the pretokens that end where `ends` says, in bytes from `at` on, while there are places:
    /// end of the last, how many.
    #[inline(always)]
    fn fetch(&self, at: usize, mut ends: u64, places: &mut [Waiting<'a>]) -> (usize, usize) {
        let (mut start, mut filled) = (at, 0);
        let cache = self.cache.short();
        let window = self.text.get(at..).and_then(|rest| rest.first_chunk::<WINDOW>());
        for place in places {
            if ends == 0 {
                break;
            }
            let end = at + ends.trailing_zeros() as usize;
            ends &= ends - 1;
            match window.and_then(|window| window.get(start - at..)?.first_chunk()) {
                Some(bytes) => *place = Waiting { ticket: cache.ticket(Key::short(bytes, end - start)), start },
                None => self.fetch_one(start, end, Some(place)),
            }
            (start, filled) = (end, filled + 1);
        }
        (start, filled)
    }

    /// Fetches the count of one pretoken, wherever it lies.
    #[inline(never)]
    fn fetch_one(&self, start: usize, end: usize, place: Option<&mut Waiting<'a>>) {
        let rest = self.text.get(start..).unwrap_or_default();
        let mut copy = [0; 16];
        let bytes = rest.first_chunk().unwrap_or_else(|| {
            // Near the end of the text.
            for (to, &from) in copy.iter_mut().zip(rest) {
                *to = from;
            }
            &copy
        });
        if let Some(place) = place {
            *place = Waiting { ticket: self.cache.short().ticket(Key::short(bytes, end - start)), start };
        }
    }

    #[inline(always)]
    fn masks<C: Classify>(&self, at: usize) -> Masks {
        if let Some(bytes) = self.text.get(at..).and_then(|rest| rest.first_chunk()) {
            return C::classify(bytes);
        }
        self.last_masks::<C>(at)
    }

    /// Near the end of the text.
    #[inline]
    fn last_masks<C: Classify>(&self, at: usize) -> Masks {
        let left = self.text.len() - at;
        if let Some(bytes) = self.text.last_chunk() {
            // The last 64 bytes, shifted so that `at` comes first.
            return C::classify(bytes).map(|mask| mask >> (64 - left));
        }
        let mut bytes = [0; 64];
        for (to, &from) in bytes.iter_mut().zip(self.text.get(at..).unwrap_or_default()) {
            *to = from;
        }
        C::classify(&bytes)
    }

    #[inline(never)]
    fn piece(&mut self, start: usize, end: usize) -> usize {
        let piece = self.text.get(start..end).unwrap_or_default();
        self.cache.any(piece, || self.bpe.count(piece, &mut self.scratch))
    }

    /// The same without the cache, which somebody emptied in the meantime.
    #[cold]
    fn recount(&mut self, mut at: usize, end: usize) -> usize {
        let mut total = 0;
        while at < end {
            let next = S::end(self.text, at);
            total += self.bpe.count(self.text.get(at..next).unwrap_or_default(), &mut self.scratch);
            at = next;
        }
        total
    }
}
