//! What the memory of counts compares: a pretoken packed into words.
#![expect(clippy::inline_always, reason = "a part of the counting loop, compiled for the instructions of its caller")]

/// A pretoken packed into words, zero padded. The lowest bits of the last word are kept for the count, those above
/// them hold the length, and the rest of it is text; so an entry and its key differ in nothing but the count.
#[derive(Clone, Copy)]
pub(super) struct Key<const WORDS: usize>(pub(super) [u64; WORDS]);

impl<const WORDS: usize> Default for Key<WORDS> {
    fn default() -> Self {
        Self([0; WORDS])
    }
}

/// Bits that a count takes in an entry, and as many again for the length.
const fn count_bits(words: usize) -> u32 {
    if words == 2 { 4 } else { 8 }
}

impl<const WORDS: usize> Key<WORDS> {
    pub(super) const BITS: u32 = count_bits(WORDS);
    /// Longest pretoken that fits: 15, 30, 62, 126 bytes.
    pub(super) const CAPACITY: usize = 8 * WORDS - (2 * Self::BITS / 8) as usize;
    /// The largest number that fits into the bits of a count.
    pub(super) const FULL: u64 = (1 << Self::BITS) - 1;

    /// Key of `piece`, which has at most `CAPACITY` bytes.
    #[inline]
    pub(super) fn new(piece: &[u8]) -> Self {
        let mut words = [0; WORDS];
        for (word, bytes) in words.iter_mut().zip(piece.chunks(8)) {
            *word = little_endian(bytes);
        }
        Self::tagged(words, piece.len())
    }

    #[inline]
    fn tagged(mut words: [u64; WORDS], length: usize) -> Self {
        if let Some(last) = words.last_mut() {
            *last = *last << (2 * Self::BITS) | (length as u64) << Self::BITS;
        }
        Self(words)
    }

    /// Its place among so many, a power of two.
    #[inline(always)]
    pub(super) fn place(&self, places: usize) -> usize {
        let (pairs, _) = self.0.as_chunks();
        let hash = pairs.iter().fold(0, |hash, &[left, right]| fold(hash ^ left, right));
        #[expect(clippy::cast_possible_truncation, reason = "the lowest bits are wanted")]
        return hash as usize & places.wrapping_sub(1);
    }
}

impl Key<2> {
    /// Key of the first `length` of 16 bytes; of more than 15 a key that no entry has.
    #[inline(always)]
    pub(super) fn short(bytes: &[u8; 16], length: usize) -> Self {
        let length = if length <= Self::CAPACITY { length } else { 0 };
        let [keep_left, keep_right] = SHORT.get(length & 15).copied().unwrap_or_default();
        let ([left, _], _) = bytes.as_chunks() else { return Self::default() };
        // One byte early: where the text of the last word begins.
        let [_, _, _, _, _, _, _, right @ .., _] = *bytes;
        let right = u64::from_le_bytes(right) & keep_right;
        Self([u64::from_le_bytes(*left) & keep_left, right | (length as u64) << 4])
    }
}

/// Masks of the first 0 to 15 of 16 bytes as they stand in a key.
static SHORT: [[u64; 2]; 16] = short_masks();

const fn short_masks() -> [[u64; 2]; 16] {
    let mut masks = [[0; 2]; 16];
    let mut length = 1;
    while length < 16 {
        let mask = u128::MAX >> (128 - 8 * length);
        #[expect(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "const evaluation; two halves")]
        {
            masks[length] = [mask as u64, (mask >> 64) as u64];
            masks[length][1] <<= 8;
        }
        length += 1;
    }
    masks
}

/// Folded 64 x 64 multiply, one for two words: the look-up waits for it.
#[inline]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right ^ 0xd6e8_feb8_6659_fd93);
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

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop")]

    use super::*;

    #[test]
    fn the_two_ways_to_a_key_agree() {
        let bytes = b"abcdefghijklmnop";
        for length in 1..=Key::<2>::CAPACITY {
            assert_eq!(Key::short(bytes, length).0, Key::<2>::new(bytes.get(..length).unwrap()).0, "{length}");
        }
        assert_eq!(Key::short(bytes, 16).0, [0, 0]);
    }
}
