//! The classes of 64 bytes as bit masks, with the widest instructions that the processor has.

use super::block::Masks;

/// Turns 64 bytes into masks. Every implementation gives the same as [`Portable`].
pub(super) trait Classify {
    fn classify(bytes: &[u8; 64]) -> Masks;
}

/// A table look-up a byte.
pub(super) struct Portable;

/// Bits of a class in the byte tables.
const LOWER: u8 = 1;
const UPPER: u8 = 1 << 1;
const DIGIT: u8 = 1 << 2;
const SPACE: u8 = 1 << 3;
const BLANK: u8 = 1 << 4;
const NEWLINE: u8 = 1 << 5;
const OTHER: u8 = 1 << 6;
const SLASH: u8 = 1 << 7;

const fn class(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => LOWER,
        b'A'..=b'Z' => UPPER,
        b'0'..=b'9' => DIGIT,
        b' ' => SPACE,
        b'\t' | 0x0b | 0x0c => BLANK,
        b'\r' | b'\n' => NEWLINE,
        b'/' => OTHER | SLASH,
        ..0x80 => OTHER,
        0x80.. => 0,
    }
}

static CLASSES: [u8; 256] = table();

const fn table() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "const evaluation, below 256")]
        {
            classes[byte] = class(byte as u8);
        }
        byte += 1;
    }
    classes
}

impl Classify for Portable {
    #[inline]
    fn classify(bytes: &[u8; 64]) -> Masks {
        let mut masks = Masks::default();
        for (at, &byte) in bytes.iter().enumerate() {
            let class = CLASSES.get(usize::from(byte)).copied().unwrap_or_default();
            let bit = |of: u8| u64::from(class & of != 0) << at;
            masks.lower |= bit(LOWER);
            masks.upper |= bit(UPPER);
            masks.digit |= bit(DIGIT);
            masks.space |= bit(SPACE);
            masks.blank |= bit(BLANK);
            masks.newline |= bit(NEWLINE);
            masks.other |= bit(OTHER);
            masks.slash |= bit(SLASH);
            masks.quote |= u64::from(byte == b'\'') << at;
            masks.wide |= u64::from(byte >= 0x80) << at;
        }
        masks
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    //! Unsafe for one reason only: the intrinsics need instructions that not every processor has.
    //!
    //! Invariant: `classify` of these two types runs only where `Avx512::supported` / `Avx2::supported` have said
    //! yes, which the only caller (`scan`) checks before it picks the type.
    #![expect(unsafe_code, reason = "vector intrinsics; see the invariant above")]
    #![expect(clippy::inline_always, reason = "a call for each 64 bytes would cost more than the work in it")]

    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8, _mm256_loadu_si256,
        _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8, _mm512_cmpeq_epi8_mask, _mm512_loadu_si512,
        _mm512_maskz_permutex2var_epi8, _mm512_movepi8_mask, _mm512_set1_epi8, _mm512_test_epi8_mask,
    };

    use super::{BLANK, CLASSES, Classify, DIGIT, LOWER, Masks, NEWLINE, OTHER, SLASH, SPACE, UPPER};

    /// One permutation looks up the class of 64 bytes.
    pub(in super::super) struct Avx512;

    /// Comparisons on twice 32 bytes.
    pub(in super::super) struct Avx2;

    impl Avx512 {
        pub(in super::super) fn supported() -> bool {
            is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vbmi")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
        }
    }

    impl Avx2 {
        pub(in super::super) fn supported() -> bool {
            is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
        }
    }

    impl Classify for Avx512 {
        #[inline(always)]
        fn classify(bytes: &[u8; 64]) -> Masks {
            // SAFETY: the processor has the instructions, by the invariant of this module.
            unsafe { classify_512(bytes) }
        }
    }

    impl Classify for Avx2 {
        #[inline(always)]
        fn classify(bytes: &[u8; 64]) -> Masks {
            // SAFETY: the processor has the instructions, by the invariant of this module.
            unsafe { classify_256(bytes) }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn classify_512(bytes: &[u8; 64]) -> Masks {
        let (low, high) = CLASSES.split_at(64);
        // SAFETY: 64 readable bytes each; unaligned loads.
        let (block, low, high) = unsafe {
            (
                _mm512_loadu_si512(bytes.as_ptr().cast()),
                _mm512_loadu_si512(low.as_ptr().cast()),
                _mm512_loadu_si512(high.as_ptr().cast()),
            )
        };
        let wide = _mm512_movepi8_mask(block);
        let classes = _mm512_maskz_permutex2var_epi8(!wide, low, block, high);
        let of = |class: u8| test_512(classes, class);
        Masks {
            lower: of(LOWER),
            upper: of(UPPER),
            digit: of(DIGIT),
            space: of(SPACE),
            blank: of(BLANK),
            newline: of(NEWLINE),
            other: of(OTHER),
            slash: of(SLASH),
            quote: _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(b'\''.cast_signed())),
            wide,
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn test_512(classes: __m512i, class: u8) -> u64 {
        _mm512_test_epi8_mask(classes, _mm512_set1_epi8(class.cast_signed()))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn classify_256(bytes: &[u8; 64]) -> Masks {
        let (low, high) = bytes.split_at(32);
        // SAFETY: 32 readable bytes each; unaligned loads.
        let (low, high) =
            unsafe { (_mm256_loadu_si256(low.as_ptr().cast()), _mm256_loadu_si256(high.as_ptr().cast())) };
        let (low, high) = (half_256(low), half_256(high));
        Masks {
            lower: low.lower | high.lower << 32,
            upper: low.upper | high.upper << 32,
            digit: low.digit | high.digit << 32,
            space: low.space | high.space << 32,
            blank: low.blank | high.blank << 32,
            newline: low.newline | high.newline << 32,
            other: low.other | high.other << 32,
            slash: low.slash | high.slash << 32,
            quote: low.quote | high.quote << 32,
            wide: low.wide | high.wide << 32,
        }
    }

    /// Masks of 32 bytes in the low halves.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn half_256(bytes: __m256i) -> Masks {
        let mut masks = Masks {
            lower: range_256(bytes, b'a', b'z'),
            upper: range_256(bytes, b'A', b'Z'),
            digit: range_256(bytes, b'0', b'9'),
            space: range_256(bytes, b' ', b' '),
            blank: range_256(bytes, b'\t', b'\t') | range_256(bytes, 0x0b, 0x0c),
            newline: either_256(bytes, b'\n', b'\r'),
            other: 0,
            slash: range_256(bytes, b'/', b'/'),
            quote: range_256(bytes, b'\'', b'\''),
            wide: mask_256(bytes),
        };
        let named = masks.lower | masks.upper | masks.digit | masks.space | masks.blank | masks.newline | masks.wide;
        masks.other = !named & u64::from(u32::MAX);
        masks
    }

    /// Bytes in `first..=last`, both ASCII. Signed comparison: bytes that are not ASCII are negative.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn range_256(bytes: __m256i, first: u8, last: u8) -> u64 {
        let above = _mm256_cmpgt_epi8(bytes, _mm256_set1_epi8(first.cast_signed() - 1));
        let below = _mm256_cmpgt_epi8(_mm256_set1_epi8(last.cast_signed() + 1), bytes);
        mask_256(_mm256_and_si256(above, below))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn either_256(bytes: __m256i, one: u8, other: u8) -> u64 {
        let is = |byte: u8| _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte.cast_signed()));
        mask_256(_mm256_or_si256(is(one), is(other)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn mask_256(bytes: __m256i) -> u64 {
        u64::from(_mm256_movemask_epi8(bytes).cast_unsigned())
    }
}
