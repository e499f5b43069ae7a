//! The classes of 64 bytes as bit masks, with the widest instructions that the processor has.
#![expect(clippy::inline_always, reason = "a part of the counting loop, compiled for the instructions of its caller")]

use super::block::Masks;

/// Turns 64 bytes into masks. Every implementation gives the same as [`Portable`].
pub(super) trait Classify {
    fn classify(bytes: &[u8; 64]) -> Masks;
}

/// What is done with the widest instructions: `run` is compiled once for each kind of them, with all that is inlined
/// into it.
pub(super) trait Work {
    type Output;
    fn run<C: Classify>(self) -> Self::Output;
}

/// Does `work` with the widest instructions that the processor has.
pub(super) fn with_widest<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if Avx512::supported() {
            return Avx512::run(work);
        }
        if Avx2::supported() {
            return Avx2::run(work);
        }
    }
    work.run::<Portable>()
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
            masks.tail |= u64::from(byte & 0xc0 == 0x80) << at;
        }
        let of = |first: u8, last: u8| {
            let within = |byte: &u8| (first..=last).contains(byte);
            bytes.iter().enumerate().fold(0, |mask, (at, byte)| mask | u64::from(within(byte)) << at)
        };
        if masks.wide != 0 {
            masks.find_caseless(of);
        }
        masks
    }
}

impl Masks {
    /// Moves letters without case from `wide` to `caseless`, whole characters only: most of Hangul, kana and the main block
    /// of Chinese characters, which all have three bytes. Others are left to the look-up. `of` gives the bytes in a range.
    #[inline(always)]
    fn find_caseless(&mut self, of: impl Fn(u8, u8) -> u64) {
        let second = |first, last| of(first, last) >> 1;
        let third = |first, last| of(first, last) >> 2;
        // U+4E00..=U+9FFF, U+AC00..=U+D77F
        let chinese = of(0xe4, 0xe4) & second(0xb8, 0xbf) | of(0xe5, 0xe9);
        let hangul = of(0xea, 0xea) & second(0xb0, 0xbf) | of(0xeb, 0xec) | of(0xed, 0xed) & second(0x80, 0x9d);
        // U+3041..=U+307F, U+3080..=U+3096, U+30A1..=U+30FA, U+30FC..=U+30FF
        let kana = of(0xe3, 0xe3)
            & (second(0x81, 0x81) & third(0x81, 0xbf)
                | second(0x82, 0x82) & (third(0x80, 0x96) | third(0xa1, 0xbf))
                | second(0x83, 0x83) & !third(0xbb, 0xbb));
        let first = (chinese | hangul | kana) & (self.tail >> 1) & (self.tail >> 2);
        self.caseless = first | first << 1 | first << 2;
        self.wide &= !self.caseless;
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512, prefetch};

#[cfg(target_arch = "x86_64")]
mod x86 {
    //! Unsafe for one reason only: the intrinsics need instructions that not every processor has.
    //!
    //! Invariant: `classify` of these two types runs only where `Avx512::supported` / `Avx2::supported` have said
    //! yes, which the only caller (`scan`) checks before it picks the type.
    #![expect(unsafe_code, reason = "vector intrinsics; see the invariant above")]
    #![expect(clippy::inline_always, reason = "a call for each 64 bytes would cost more than the work in it")]

    use std::arch::x86_64::{
        __m256i, __m512i, _MM_HINT_T0, _mm_prefetch, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8,
        _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8, _mm512_cmpeq_epi8_mask,
        _mm512_cmple_epu8_mask, _mm512_loadu_si512, _mm512_maskz_permutex2var_epi8, _mm512_movepi8_mask,
        _mm512_set1_epi8, _mm512_sub_epi8, _mm512_test_epi8_mask,
    };

    use super::{BLANK, CLASSES, Classify, DIGIT, LOWER, Masks, NEWLINE, OTHER, SLASH, SPACE, UPPER, Work};

    /// Asks memory for the cache line in which `place` begins.
    #[inline(always)]
    pub(in super::super) fn prefetch<T>(place: &T) {
        // SAFETY: every x86-64 processor has the instruction, and it changes nothing, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) }
    }

    /// One permutation looks up the class of 64 bytes.
    pub(in super::super) struct Avx512;

    /// Comparisons on twice 32 bytes.
    pub(in super::super) struct Avx2;

    impl Avx512 {
        /// Does `work`. Only where `supported`.
        pub(super) fn run<W: Work>(work: W) -> W::Output {
            #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,bmi1,bmi2,lzcnt")]
            fn compiled<W: Work>(work: W) -> W::Output {
                work.run::<Avx512>()
            }
            // SAFETY: the processor has the instructions, by the invariant of this module.
            unsafe { compiled(work) }
        }

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
        /// Does `work`. Only where `supported`.
        pub(super) fn run<W: Work>(work: W) -> W::Output {
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
            fn compiled<W: Work>(work: W) -> W::Output {
                work.run::<Avx2>()
            }
            // SAFETY: the processor has the instructions, by the invariant of this module.
            unsafe { compiled(work) }
        }

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
        let mut masks = Masks {
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
            ..Masks::default()
        };
        if wide != 0 {
            masks.tail = range_512(block, 0x80, 0xbf);
            masks.find_caseless(|first, last| range_512(block, first, last));
        }
        masks
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn range_512(bytes: __m512i, first: u8, last: u8) -> u64 {
        let above = _mm512_sub_epi8(bytes, _mm512_set1_epi8(first.cast_signed()));
        _mm512_cmple_epu8_mask(above, _mm512_set1_epi8((last - first).cast_signed()))
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
        let halves = (low, high);
        let (low, high) = (half_256(low), half_256(high));
        let mut masks = Masks {
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
            ..Masks::default()
        };
        if masks.wide != 0 {
            masks.tail = wide_range_256(halves, 0x80, 0xbf);
            masks.find_caseless(|first, last| wide_range_256(halves, first, last));
        }
        masks
    }

    /// Bytes in `first..=last`, none of them ASCII.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn wide_range_256((low, high): (__m256i, __m256i), first: u8, last: u8) -> u64 {
        let (first, last) = (_mm256_set1_epi8(first.cast_signed()), _mm256_set1_epi8(last.cast_signed()));
        let outside = |bytes| _mm256_or_si256(_mm256_cmpgt_epi8(first, bytes), _mm256_cmpgt_epi8(bytes, last));
        !(mask_256(outside(low)) | mask_256(outside(high)) << 32)
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
            ..Masks::default()
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
