//! The memory of counts: what a pretoken came to last time.
//!
//! Count-only: an entry is the pretoken itself, its length and its count, nothing else, 16 bytes for the nine
//! pretokens in ten that have at most 15 bytes. Shared by all threads without a lock, bounded in bytes, and
//! exact: the whole pretoken is compared, never a hash of it. So words of counted texts stay in the process, as
//! SECURITY.md says, until the memory is full and empties itself.
#![expect(clippy::inline_always, reason = "a part of the counting loop, compiled for the instructions of its caller")]

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};

use super::classify::prefetch;
use super::key::Key;

/// Entries of `WORDS` words in groups of `WAYS`, two groups a line of the processor's cache. A key belongs to one group,
/// and where that is full to the other of the line, which has come from memory with it.
///
/// Concurrency. A slot is empty (its last word 0), being written (`BUSY`), or an entry. Only the thread that moved the
/// last word from 0 to `BUSY` writes the others, and it stores the last word last, with `Release`; an entry never
/// changes. So a reader that finds the tag of its key in the last word (`Acquire`) sees the words that belong to it.
/// Only [`Table::clear`] empties slots, and it makes `generation` odd first and even again afterwards: a
/// reader that saw the same even generation before and after its look-ups saw no slot change hands. A slot left `BUSY` by
/// a process that forked in the middle of a write is lost, nothing more.
pub(super) struct Table<const WORDS: usize> {
    words: Box<[AtomicU64]>,
    /// The words from the first that begins a line on: a power of two of groups.
    aligned: Range<usize>,
    used: AtomicUsize,
}

type Group<const WORDS: usize> = [[AtomicU64; WORDS]; WAYS];

/// Words in a line of the processor's cache.
const LINE: usize = 8;

const WAYS: usize = 2;
/// No key has this last word: no text is so many bytes of 255, and no count that fills its bits is stored.
const BUSY: u64 = u64::MAX;

/// The count stored for `key`, or 0.
///
/// Both ways are compared and nothing branches on what was found: which way holds a key cannot be predicted.
#[inline(always)]
fn get<const WORDS: usize>(group: &Group<WORDS>, key: &Key<WORDS>) -> usize {
    let Some((tagged, words)) = key.0.split_last() else { return 0 };
    let mut found = 0;
    for slot in group {
        let Some((last, rest)) = slot.split_last() else { continue };
        let count = last.load(Ordering::Acquire) ^ tagged;
        let mut different = count >> Key::<WORDS>::BITS;
        for (slot, word) in rest.iter().zip(words) {
            different |= slot.load(Ordering::Relaxed) ^ word;
        }
        found |= if different == 0 { count } else { 0 };
    }
    #[expect(clippy::cast_possible_truncation, reason = "at most 8 bits")]
    return found as usize;
}

/// Stores a count where there is room; whether there was.
fn insert<const WORDS: usize>(group: &Group<WORDS>, key: &Key<WORDS>, count: u64) -> bool {
    let Some((tagged, words)) = key.0.split_last() else { return false };
    for slot in group {
        let Some((last, rest)) = slot.split_last() else { break };
        if last.compare_exchange(0, BUSY, Ordering::Acquire, Ordering::Relaxed).is_ok() {
            for (slot, &word) in rest.iter().zip(words) {
                slot.store(word, Ordering::Relaxed);
            }
            last.store(tagged | count, Ordering::Release);
            return true;
        }
    }
    false
}

impl<const WORDS: usize> Table<WORDS> {
    /// A table of the largest power of two that `bytes` bytes have room for.
    pub(super) fn new(bytes: usize) -> Self {
        let room = (bytes / size_of::<u64>()).max(4 * WORDS);
        let length = 1 << room.ilog2();
        // Plain words, aligned by hand: for these the compiler asks the system for zeros, which costs nothing until they
        // are used; for a type with an alignment of its own it writes them, 4 ms of the first count.
        let words: Box<[_]> = std::iter::repeat_with(|| AtomicU64::new(0)).take(length + LINE).collect();
        let first = words.as_ptr().align_offset(LINE * size_of::<u64>()).min(LINE);
        Self { words, aligned: first..first + length, used: AtomicUsize::new(0) }
    }

    #[inline]
    fn groups(&self) -> &[Group<WORDS>] {
        self.words.get(self.aligned.clone()).unwrap_or_default().as_chunks().0.as_chunks().0
    }

    /// The group that `key` belongs to, and the other one of its line.
    #[inline]
    fn line(&self, key: &Key<WORDS>) -> Option<[&Group<WORDS>; 2]> {
        let groups = self.groups();
        let place = key.place(groups.len());
        Some([groups.get(place)?, groups.get(place ^ 1)?])
    }

    /// The count stored for `key`, or 0.
    #[inline]
    fn get(&self, key: &Key<WORDS>) -> usize {
        let Some([first, second]) = self.line(key) else { return 0 };
        match get(first, key) {
            0 => get(second, key),
            count => count,
        }
    }

    /// Stores a count (1 or more) where there is room. True when the table has become too full to be of use.
    fn insert(&self, key: &Key<WORDS>, count: usize) -> bool {
        let count = count as u64;
        if count >= Key::<WORDS>::FULL {
            return false;
        }
        if self.line(key).is_some_and(|groups| groups.iter().any(|group| insert(group, key, count))) {
            self.used.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        // A full line. Lines fill up evenly, so by then the table is fuller than it should be.
        self.used.load(Ordering::Relaxed) > self.groups().len() * WAYS / 2
    }

    fn clear(&self) {
        for last in self.groups().iter().flatten().filter_map(|slot| slot.last()) {
            let tag = last.load(Ordering::Relaxed);
            if tag != BUSY && tag != 0 {
                // Only this thread clears, and nobody else changes an entry: the store cannot lose a write.
                last.store(0, Ordering::Relaxed);
            }
        }
        self.used.store(0, Ordering::Relaxed);
    }
}

/// A key of a short pretoken and where its count would be, which memory has been asked for.
#[derive(Clone, Copy, Default)]
pub(super) struct Ticket<'a> {
    group: Option<&'a Group<2>>,
    left: u64,
    right: u64,
}

impl Ticket<'_> {
    /// The count, or 0 where it is not known here: [`Cache::any`] is to be asked then.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.group.map_or(0, |group| get(group, &Key([self.left, self.right])))
    }
}

/// The table of short pretokens, for a loop over many of them.
#[derive(Clone, Copy)]
pub(super) struct Short<'a>(&'a [Group<2>]);

impl<'a> Short<'a> {
    /// Asks memory for the count of a short pretoken.
    #[inline(always)]
    pub(super) fn ticket(self, key: Key<2>) -> Ticket<'a> {
        let group = self.0.get(key.place(self.0.len()));
        if let Some(group) = group {
            prefetch(group);
        }
        let Key([left, right]) = key;
        Ticket { group, left, right }
    }
}

/// The smallest cache: below this the look-ups find nothing but cost their time.
pub(super) const LEAST_BYTES: usize = 64 << 10;

/// Counts of pretokens of up to 126 bytes. What is longer is counted anew each time.
pub(super) struct Cache {
    short: Table<2>,
    middle: Table<4>,
    long: Table<8>,
    longest: Table<16>,
    generation: AtomicUsize,
}

impl Cache {
    /// A cache of at most `bytes` bytes (and 256, which align it): two thirds for pretokens of up to 15 bytes.
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

    /// The short pretokens.
    #[inline]
    pub(super) fn short(&self) -> Short<'_> {
        Short(self.short.groups())
    }

    /// The count stored for a piece of any length, or what `count` says, which is then stored.
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
    fn what_fits_is_kept() {
        let cache = Cache::new(1 << 20);
        let entries = cache.short.words.len() / 2;
        let stored = entries / 4;
        for number in 0..stored {
            cache.any(&piece(number, 8), || 3);
        }
        let kept = (0..stored).filter(|&number| cache.any(&piece(number, 8), || 0) == 3).count();
        assert!(stored > 5_000 && kept * 100 > stored * 99, "{kept} of {stored}");
    }

    #[test]
    fn the_bound_is_kept() {
        for bytes in [LEAST_BYTES, 1 << 20, 5_000_000, 6 << 20, 48 << 20] {
            let cache = Cache::new(bytes);
            let words =
                cache.short.words.len() + cache.middle.words.len() + cache.long.words.len() + cache.longest.words.len();
            assert!(words * 8 <= bytes + 4 * LINE * 8 && words * 8 > bytes / 3, "{bytes}: {words} words");
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
