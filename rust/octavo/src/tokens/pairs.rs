//! Which two adjacent tokens merge into which token.

use super::vocabulary::Vocabulary;

/// Hash table from a pair of tokens to the token they merge into.
///
/// Keyed by the two token numbers rather than by the bytes of both: exact because every token of the
/// vocabulary is reached by one merge only, so two adjacent tokens that spell a token but are not its pair
/// can never stand beside each other while merging (proved token by token in `data/pack_vocabulary.py`).
///
/// One `u64` a slot: 20 bits left, 20 bits right, 20 bits token. Open addressing, linear probing, at most
/// half full. In front of it stands one bit for each of 16 places a token: most pairs do not merge, and that is
/// mostly known from a table that stays in the processor's cache, without a branch that waits for memory.
pub(super) struct Pairs {
    slots: Vec<u64>,
    shift: u32,
    /// Whether any pair with this hash merges.
    present: Vec<u64>,
    present_shift: u32,
}

const TOKEN_BITS: u32 = 20;
const TOKEN_MASK: u64 = (1 << TOKEN_BITS) - 1;
const EMPTY: u64 = u64::MAX;

impl Pairs {
    pub(super) fn new(vocabulary: &Vocabulary) -> Self {
        let size = (vocabulary.len() * 2).next_power_of_two();
        let bits = size * 4;
        let mut pairs = Self {
            slots: vec![EMPTY; size],
            shift: 64 - size.trailing_zeros(),
            present: vec![0; bits / 64],
            present_shift: 64 - bits.trailing_zeros(),
        };
        for merge in vocabulary.merges() {
            pairs.insert(key(merge.left, merge.right) << TOKEN_BITS | u64::from(merge.token));
        }
        pairs
    }

    fn insert(&mut self, entry: u64) {
        let bit = hash(entry >> TOKEN_BITS) >> self.present_shift;
        if let Some(word) = usize::try_from(bit / 64).ok().and_then(|at| self.present.get_mut(at)) {
            *word |= 1 << (bit % 64);
        }
        let mask = self.slots.len() - 1;
        let mut at = self.home(entry >> TOKEN_BITS);
        while let Some(slot) = self.slots.get_mut(at) {
            if *slot == EMPTY {
                *slot = entry;
                return;
            }
            at = (at + 1) & mask;
        }
    }

    /// The token that `left` and `right` merge into.
    #[inline]
    pub(super) fn merged(&self, left: u32, right: u32) -> Option<u32> {
        let key = key(left, right);
        if !self.may_merge(key) {
            return None;
        }
        let mut at = self.home(key);
        loop {
            let &entry = self.slots.get(at)?;
            if entry >> TOKEN_BITS == key {
                return Some((entry & TOKEN_MASK) as u32);
            }
            if entry == EMPTY {
                return None;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    #[inline]
    fn may_merge(&self, key: u64) -> bool {
        let bit = hash(key) >> self.present_shift;
        self.present.get((bit / 64) as usize).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    #[inline]
    fn home(&self, key: u64) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "at most log2(slots) bits are left")]
        return (hash(key) >> self.shift) as usize;
    }
}

/// Fibonacci hashing: the top bits of the product depend on every bit of the key.
#[inline]
fn hash(key: u64) -> u64 {
    key.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[inline]
fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << TOKEN_BITS | u64::from(right)
}
