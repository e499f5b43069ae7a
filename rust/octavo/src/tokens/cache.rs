//! The memory of counts: what a pretoken came to last time.
//!
//! Count-only: an entry is the pretoken itself, its length and its count, nothing else, 16 bytes for the nine
//! pretokens in ten that have at most 15 bytes. Shared by all threads without a lock, bounded in bytes, and
//! exact: the whole pretoken is compared, never a hash of it.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};

/// A pretoken of at most `8 * WORDS - 2` bytes (15 for two words) packed into words, zero padded, its length in
/// the last word.
#[derive(Clone, Copy)]
pub(super) struct Key<const WORDS: usize>([u64; WORDS]);

/// In the last word of an entry: 8 bits below the length tag hold the count (4 of them in entries of two words,
/// where the length takes the other 4).
const fn tag_bits(words: usize) -> u32 {
    if words == 2 { 4 } else { 8 }
}

impl<const WORDS: usize> Key<WORDS> {
    const BITS: u32 = tag_bits(WORDS);
    /// Longest pretoken that fits.
    pub(super) const CAPACITY: usize = 8 * WORDS - (2 * Self::BITS / 8) as usize;
    const COUNT: u64 = (1 << Self::BITS) - 1;
    const COUNT_SHIFT: u32 = 64 - 2 * Self::BITS;

    /// Key of `piece`, which has at most `CAPACITY` bytes.
    #[inline]
    pub(super) fn new(piece: &[u8]) -> Self {
        let mut words = [0; WORDS];
        for (word, bytes) in words.iter_mut().zip(piece.chunks(8)) {
            *word = little_endian(bytes);
        }
        if let Some(last) = words.last_mut() {
            *last |= (piece.len() as u64 & Self::COUNT) << (64 - Self::BITS);
        }
        Self(words)
    }

    #[inline]
    fn hash(&self) -> u64 {
        self.0.iter().fold(0, |hash, &word| fold(hash ^ word))
    }
}

impl Key<2> {
    /// Key of the first `length` (1..=15) of 16 bytes.
    #[inline]
    pub(super) fn masked(bytes: u128, length: usize) -> Self {
        let kept = bytes & (u128::MAX >> (128 - 8 * length));
        #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
        Self([kept as u64, (kept >> 64) as u64 | (length as u64) << 60])
    }
}

/// Folded 64 x 64 multiply: every bit of the word moves every bit of the result.
#[inline]
fn fold(word: u64) -> u64 {
    let product = u128::from(word ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
    #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
    return (product as u64) ^ (product >> 64) as u64;
}

#[inline]
fn little_endian(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(&whole) => u64::from_le_bytes(whole),
        None => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// Entries of `WORDS` words in lines of `WAYS`; a line is what the processor fetches at once.
///
/// Concurrency. A slot is empty (its last word 0), being written (`BUSY`), or an entry. Only the thread that moved the
/// last word from 0 to `BUSY` writes the others, and it stores the last word last, with `Release`; an entry never
/// changes. So a reader that finds the tag of its key in the last word (`Acquire`) sees the words that belong to it.
/// Only [`Table::clear`] empties slots, and it makes `generation` odd first and even again afterwards: a
/// reader that saw the same even generation before and after its look-ups saw no slot change hands. A slot left `BUSY` by
/// a process that forked in the middle of a write is lost, nothing more.
pub(super) struct Table<const WORDS: usize> {
    lines: Box<[Line<WORDS>]>,
    shift: u32,
    used: AtomicUsize,
}

struct Line<const WORDS: usize>([[AtomicU64; WORDS]; WAYS]);

const WAYS: usize = 4;
/// No key has this last word: its length would be 15 or 255 with a count of as many, which is never stored.
const BUSY: u64 = u64::MAX;

impl<const WORDS: usize> Table<WORDS> {
    /// A table of about `bytes` bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let lines = (bytes / size_of::<Line<WORDS>>()).next_power_of_two().max(2);
        let line = || Line(std::array::from_fn(|_| std::array::from_fn(|_| AtomicU64::new(0))));
        Self {
            lines: std::iter::repeat_with(line).take(lines).collect(),
            shift: 64 - lines.trailing_zeros(),
            used: AtomicUsize::new(0),
        }
    }

    #[inline]
    fn line(&self, key: &Key<WORDS>) -> Option<&Line<WORDS>> {
        #[expect(clippy::cast_possible_truncation, reason = "at most log2(lines) bits are left")]
        self.lines.get((key.hash() >> self.shift) as usize)
    }

    /// The count stored for `key`, or 0.
    #[inline]
    pub(super) fn get(&self, key: &Key<WORDS>) -> usize {
        let Some(line) = self.line(key) else { return 0 };
        for slot in &line.0 {
            let Some((last, rest)) = slot.split_last() else { return 0 };
            let Some((tagged, key)) = key.0.split_last() else { return 0 };
            let tag = last.load(Ordering::Acquire);
            let counted = Key::<WORDS>::COUNT << Key::<WORDS>::COUNT_SHIFT;
            if tag & !counted == *tagged
                && rest.iter().zip(key).all(|(slot, &word)| slot.load(Ordering::Relaxed) == word)
            {
                #[expect(clippy::cast_possible_truncation, reason = "at most 8 bits")]
                return ((tag & counted) >> Key::<WORDS>::COUNT_SHIFT) as usize;
            }
        }
        0
    }

    /// Stores a count (1 or more) where there is room. True when the table has become too full to be of use.
    pub(super) fn insert(&self, key: &Key<WORDS>, count: usize) -> bool {
        let count = count as u64;
        let Some((line, (tagged, words))) = self.line(key).zip(key.0.split_last()) else { return false };
        if count >= Key::<WORDS>::COUNT {
            return false;
        }
        for slot in &line.0 {
            let Some((last, rest)) = slot.split_last() else { break };
            if last.compare_exchange(0, BUSY, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                for (slot, &word) in rest.iter().zip(words) {
                    slot.store(word, Ordering::Relaxed);
                }
                last.store(tagged | count << Key::<WORDS>::COUNT_SHIFT, Ordering::Release);
                self.used.fetch_add(1, Ordering::Relaxed);
                return false;
            }
        }
        // A full line. Lines fill up evenly, so by then the table is fuller than it should be.
        self.used.load(Ordering::Relaxed) > self.lines.len() * WAYS / 2
    }

    fn clear(&self) {
        for last in self.lines.iter().flat_map(|line| &line.0).filter_map(|slot| slot.last()) {
            let tag = last.load(Ordering::Relaxed);
            if tag != BUSY && tag != 0 {
                // Only this thread clears, and nobody else changes an entry: the store cannot lose a write.
                last.store(0, Ordering::Relaxed);
            }
        }
        self.used.store(0, Ordering::Relaxed);
    }
}

/// Counts of pretokens of up to 126 bytes. What is longer is counted anew each time.
pub(super) struct Cache {
    short: Table<2>,
    middle: Table<4>,
    long: Table<8>,
    longest: Table<16>,
    generation: AtomicUsize,
}

impl Cache {
    /// A cache of about `bytes` bytes: two thirds for pretokens of up to 15 bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            short: Table::new(bytes * 2 / 3),
            middle: Table::new(bytes / 12),
            long: Table::new(bytes / 6),
            longest: Table::new(bytes / 12),
            generation: AtomicUsize::new(0),
        }
    }

    /// What is stored may be trusted between two equal, even generations.
    #[inline]
    pub(super) fn generation(&self) -> usize {
        let generation = self.generation.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        generation
    }

    /// Whether look-ups since `before` may be trusted.
    #[inline]
    pub(super) fn unchanged_since(&self, before: usize) -> bool {
        fence(Ordering::Acquire);
        before & 1 == 0 && self.generation.load(Ordering::Relaxed) == before
    }

    /// Empties the cache, unless somebody is doing so.
    #[cold]
    fn clear(&self) {
        let before = self.generation.load(Ordering::Relaxed);
        let odd = before | 1;
        if before & 1 == 1
            || self.generation.compare_exchange(before, odd, Ordering::AcqRel, Ordering::Relaxed).is_err()
        {
            return;
        }
        fence(Ordering::SeqCst);
        self.short.clear();
        self.middle.clear();
        self.long.clear();
        self.longest.clear();
        self.generation.store(odd.wrapping_add(1), Ordering::Release);
    }

    /// The count stored for a piece of up to 15 bytes, or what `count` says, which is then stored.
    #[inline]
    pub(super) fn short(&self, key: Key<2>, count: impl FnOnce() -> usize) -> usize {
        self.through(&self.short, &key, count)
    }

    /// The same for a piece of any length.
    #[inline]
    pub(super) fn any(&self, piece: &[u8], count: impl FnOnce() -> usize) -> usize {
        let length = piece.len();
        if length <= Key::<2>::CAPACITY {
            self.through(&self.short, &Key::new(piece), count)
        } else if length <= Key::<4>::CAPACITY {
            self.through(&self.middle, &Key::new(piece), count)
        } else if length <= Key::<8>::CAPACITY {
            self.through(&self.long, &Key::new(piece), count)
        } else if length <= Key::<16>::CAPACITY {
            self.through(&self.longest, &Key::new(piece), count)
        } else {
            count()
        }
    }

    #[inline]
    fn through<const WORDS: usize>(
        &self,
        table: &Table<WORDS>,
        key: &Key<WORDS>,
        count: impl FnOnce() -> usize,
    ) -> usize {
        match table.get(key) {
            0 => {
                let count = count();
                if table.insert(key, count) {
                    self.clear();
                }
                count
            }
            known => known,
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop")]

    use super::*;

    fn piece(number: usize, length: usize) -> Vec<u8> {
        format!("{number:0length$}").into_bytes()
    }

    #[test]
    fn gives_back_what_was_stored_and_nothing_else() {
        let cache = Cache::new(16 << 20);
        for length in 5..140 {
            for number in 0..4 {
                let piece = piece(number, length);
                let count = 1 + (number + length) % 14;
                assert_eq!(cache.any(&piece, || count), count);
                let known = cache.any(&piece, || 0);
                assert_eq!(known, if length <= Key::<16>::CAPACITY { count } else { 0 }, "{length}");
            }
        }
    }

    #[test]
    fn the_two_ways_to_a_key_agree() {
        for length in 1..=Key::<2>::CAPACITY {
            let text = *b"abcdefghijklmnop";
            let key = Key::<2>::new(text.get(..length).unwrap());
            assert_eq!(Key::masked(u128::from_le_bytes(text), length).0, key.0, "{length}");
        }
    }

    #[test]
    fn a_piece_with_zero_bytes_is_not_its_beginning() {
        let cache = Cache::new(1 << 16);
        for length in 1..130 {
            assert_eq!(cache.any(&vec![0; length], || 1 + length % 14), 1 + length % 14);
        }
    }

    #[test]
    fn a_full_cache_empties_itself_and_says_so() {
        let cache = Cache::new(1 << 14);
        let before = cache.generation();
        assert!(cache.unchanged_since(before));
        for number in 0..100_000 {
            cache.any(&piece(number, 8), || 3);
        }
        assert!(!cache.unchanged_since(before));
        assert!(cache.unchanged_since(cache.generation()));
        assert_eq!(cache.any(b"fresh", || 2), 2);
    }

    #[test]
    fn threads_never_see_a_wrong_count() {
        let cache = Cache::new(1 << 14);
        let truth = |number: usize| 1 + number % 13;
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let cache = &cache;
                scope.spawn(move || {
                    let mut trusted = 0;
                    for step in 0..60_000 {
                        let number = (step * 7 + thread) % 3_000;
                        let before = cache.generation();
                        let count = cache.any(&piece(number, 8 + number % 30), || truth(number));
                        if cache.unchanged_since(before) {
                            trusted += 1;
                            assert_eq!(count, truth(number), "{number}");
                        }
                    }
                    assert!(trusted > 0);
                });
            }
        });
    }
}
