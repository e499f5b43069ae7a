//! The counting loop: splits a text, looks each pretoken up, sums.

use super::block::{self, Block, Masks, Starts};
use super::bpe::{Bpe, Scratch};
use super::cache::{Cache, Key};
use super::classify::{Classify, Portable};
use super::split::Split;
use super::truncate::is_safe;

/// A split pattern that also knows its arithmetic on blocks.
pub(super) trait SplitBlocks: Split {
    fn starts(block: &Block<'_>) -> Starts;
}

impl SplitBlocks for super::split::O200k {
    #[inline]
    fn starts(block: &Block<'_>) -> Starts {
        block::o200k(block)
    }
}

impl SplitBlocks for super::split::Cl100k {
    #[inline]
    fn starts(block: &Block<'_>) -> Starts {
        block::cl100k(block)
    }
}

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
    let scan = Scan { text, limit, bpe, cache, scratch: Scratch::default() };
    #[cfg(target_arch = "x86_64")]
    {
        use super::classify::{Avx2, Avx512};
        if Avx512::supported() {
            return scan.run::<S, Avx512>();
        }
        if Avx2::supported() {
            return scan.run::<S, Avx2>();
        }
    }
    scan.run::<S, Portable>()
}

struct Scan<'a> {
    text: &'a [u8],
    limit: usize,
    bpe: &'a Bpe,
    cache: &'a Cache,
    scratch: Scratch,
}

impl Scan<'_> {
    fn run<S: SplitBlocks, C: Classify>(mut self) -> Counted {
        let (mut at, mut total) = (0, 0);
        let mut safe = (0, 0);
        while at < self.text.len() {
            let generation = self.cache.generation();
            let (end, mut tokens) = self.step::<S, C>(at);
            if !self.cache.unchanged_since(generation) {
                tokens = self.recount::<S>(at, end);
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

    /// Counts some pretokens from `at` on: end of the last, tokens.
    #[inline]
    fn step<S: SplitBlocks, C: Classify>(&mut self, at: usize) -> (usize, usize) {
        let ascii = |at: usize| self.text.get(at).is_none_or(u8::is_ascii);
        if ascii(at) && ascii(at + 1) {
            let masks = self.masks::<C>(at);
            let ends = block::ends(Block { text: self.text, at, masks }, S::starts);
            if ends != 0 {
                return self.pretokens(at, ends);
            }
        }
        let end = S::end(self.text, at);
        (end, self.piece(at, end))
    }

    #[inline]
    fn masks<C: Classify>(&self, at: usize) -> Masks {
        if let Some(bytes) = self.text.get(at..).and_then(|rest| rest.first_chunk()) {
            return C::classify(bytes);
        }
        // Near the end: the last 64 bytes, shifted so that `at` comes first.
        let left = self.text.len() - at;
        if let Some(bytes) = self.text.last_chunk() {
            return C::classify(bytes).map(|mask| mask >> (64 - left));
        }
        let mut bytes = [0; 64];
        for (to, &from) in bytes.iter_mut().zip(self.text.get(at..).unwrap_or_default()) {
            *to = from;
        }
        C::classify(&bytes)
    }

    /// Counts the pretokens that end where `ends` says, in bytes from `at` on.
    #[inline]
    fn pretokens(&mut self, at: usize, mut ends: u64) -> (usize, usize) {
        let (mut start, mut total) = (at, 0);
        while ends != 0 {
            let end = at + ends.trailing_zeros() as usize;
            ends &= ends - 1;
            total += self.piece(start, end);
            start = end;
        }
        (start, total)
    }

    #[inline]
    fn piece(&mut self, start: usize, end: usize) -> usize {
        let length = end - start;
        if length <= Key::<2>::CAPACITY
            && let Some(&bytes) = self.text.get(start..).and_then(|rest| rest.first_chunk())
        {
            let key = Key::masked(u128::from_le_bytes(bytes), length);
            return self
                .cache
                .short(key, || self.bpe.count(self.text.get(start..end).unwrap_or_default(), &mut self.scratch));
        }
        let piece = self.text.get(start..end).unwrap_or_default();
        self.cache.any(piece, || self.bpe.count(piece, &mut self.scratch))
    }

    /// The same without the cache, which somebody emptied in the meantime.
    #[cold]
    fn recount<S: Split>(&mut self, mut at: usize, end: usize) -> usize {
        let mut total = 0;
        while at < end {
            let next = S::end(self.text, at);
            total += self.bpe.count(self.text.get(at..next).unwrap_or_default(), &mut self.scratch);
            at = next;
        }
        total
    }
}
