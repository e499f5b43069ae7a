//! Splitting 64 bytes of ASCII at once: which of them start a pretoken, as arithmetic on bit masks.
//!
//! A block begins where a pretoken begins, so nothing before it matters. What lies behind its end, or behind
//! its first byte that is not ASCII, is unknown: the ends that could depend on it are left out, and the scalar
//! reference (`split`) takes over wherever no end is known. Equality with it is tested on generated text.
#![expect(clippy::inline_always, reason = "a part of the counting loop, compiled for the instructions of its caller")]

use super::character::{CASELESS, LOWER, OTHER, UPPER, class_at};
use super::split::{Cl100k, O200k, Split, contraction};

/// One bit a byte for each class. The bytes of a wide character have the class of the character, or are in `wide` and in
/// nothing else.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(super) struct Masks {
    pub(super) lower: u64,
    pub(super) upper: u64,
    /// Letters without case that are found by their bytes: Hangul and the main block of Chinese characters.
    pub(super) caseless: u64,
    pub(super) digit: u64,
    /// `' '`
    pub(super) space: u64,
    /// `\t`, `\v`, `\f`
    pub(super) blank: u64,
    pub(super) newline: u64,
    /// Everything else: punctuation, symbols and controls, `/` and `'` included.
    pub(super) other: u64,
    pub(super) slash: u64,
    pub(super) quote: u64,
    /// Bytes of wide characters behind their first.
    pub(super) tail: u64,
    /// Wide characters of any other class, those that the end of the block cuts, and bytes that follow nothing.
    pub(super) wide: u64,
}

impl Masks {
    /// Each mask as `change` makes it.
    #[inline]
    pub(super) fn map(self, change: impl Fn(u64) -> u64) -> Self {
        Self {
            lower: change(self.lower),
            upper: change(self.upper),
            caseless: change(self.caseless),
            digit: change(self.digit),
            space: change(self.space),
            blank: change(self.blank),
            newline: change(self.newline),
            other: change(self.other),
            slash: change(self.slash),
            quote: change(self.quote),
            tail: change(self.tail),
            wide: change(self.wide),
        }
    }

    #[inline]
    fn letters(&self) -> u64 {
        self.lower | self.upper | self.caseless
    }

    #[inline]
    fn whitespace(&self) -> u64 {
        self.space | self.blank | self.newline
    }
}

/// The block that is being split: 64 bytes of `text` from `at` on, or what is left of it.
pub(super) struct Block<'text> {
    pub(super) text: &'text [u8],
    pub(super) at: usize,
    pub(super) masks: Masks,
}

/// What a pattern says about a block.
pub(super) struct Starts {
    /// Bytes that start a pretoken.
    pub(super) starts: u64,
    /// Bytes from which on the pattern does what this arithmetic does not follow.
    pub(super) irregular: u64,
}

/// A split pattern that also knows its arithmetic on blocks.
pub(super) trait SplitBlocks: Split {
    fn starts(block: &Block<'_>) -> Starts;
}

impl SplitBlocks for O200k {
    #[inline(always)]
    fn starts(block: &Block<'_>) -> Starts {
        o200k(block)
    }
}

impl SplitBlocks for Cl100k {
    #[inline(always)]
    fn starts(block: &Block<'_>) -> Starts {
        cl100k(block)
    }
}

/// Bit `i` of the result is an end, `i` bytes behind the beginning of the block, of a pretoken; each of those
/// pretokens begins where the one before it ends. 0 when not even the first end is certain.
#[inline(always)]
pub(super) fn ends<S: SplitBlocks>(block: Block<'_>) -> u64 {
    if block.masks.tail | block.masks.wide != 0 {
        return wide_ends::<S>(block);
    }
    // Said once more as constants: most blocks are ASCII, and what is known to be 0 is not computed.
    certain_ends::<S>(Block { masks: Masks { caseless: 0, tail: 0, wide: 0, ..block.masks }, ..block })
}

#[inline(never)]
fn wide_ends<S: SplitBlocks>(mut block: Block<'_>) -> u64 {
    resolve(&mut block);
    certain_ends::<S>(block)
}

#[inline(always)]
fn certain_ends<S: SplitBlocks>(mut block: Block<'_>) -> u64 {
    let left = block.text.len() - block.at;
    let known = block.masks.wide.trailing_zeros().min(u32::try_from(left).unwrap_or(64));
    let below = low_bits(known);
    block.masks = block.masks.map(|mask| mask & below);
    let last_run = 64 - (block.masks.whitespace() | !below).leading_ones();
    let Starts { starts, irregular } = S::starts(&block);
    let complete = known as usize == left && known < 64;
    let certain = if !complete {
        // Contractions look two bytes ahead, and a run of whitespace goes by what follows it.
        last_run.min(known.saturating_sub(3))
    } else if last_run < known {
        last_run
    } else {
        return (starts & below | 1 << known) & low_bits(irregular.trailing_zeros()) & !1;
    };
    starts & low_bits(certain + 1) & low_bits(irregular.trailing_zeros()) & !1
}

/// Gives wide characters their class by looking them up, up to the first that the arithmetic has no class for: numbers,
/// whitespace, marks.
#[inline]
fn resolve(block: &mut Block<'_>) {
    let masks = &mut block.masks;
    while masks.wide != 0 {
        let at = masks.wide.trailing_zeros();
        let (class, width) = class_at(block.text, block.at + at as usize);
        let end = at + u32::try_from(width).unwrap_or(64);
        let mask = match class {
            UPPER => &mut masks.upper,
            LOWER => &mut masks.lower,
            CASELESS => &mut masks.caseless,
            OTHER => &mut masks.other,
            _ => return,
        };
        if end > 64 {
            return;
        }
        let bytes = low_bits(end) & !low_bits(at);
        *mask |= bytes;
        masks.wide &= !bytes;
    }
}

/// The `count` lowest bits.
#[inline]
fn low_bits(count: u32) -> u64 {
    1u64.checked_shl(count).map_or(u64::MAX, |bit| bit.wrapping_sub(1))
}

/// From each of `seeds` on to the end of its run in `mask`. A seed lies in the run.
#[inline]
fn flood(seeds: u64, mask: u64) -> u64 {
    mask & !mask.wrapping_add(seeds)
}

/// The runs of `mask` that end at one of `seeds`.
fn flood_back(seeds: u64, mut mask: u64) -> u64 {
    let mut flooded = seeds;
    for step in [1, 2, 4, 8, 16, 32] {
        flooded |= mask & (flooded >> step);
        mask &= mask >> step;
    }
    flooded
}

/// Starts by `[^\s\p{L}\p{N}]`, whitespace and digits, which the patterns have in common; and the symbols
/// among them, whose first one takes the letters that follow.
#[inline(always)]
fn common(masks: &Masks, symbols: u64) -> (u64, u64) {
    let attached = flood(masks.newline & (masks.other << 1), masks.newline);
    let starts = symbol_starts(masks, symbols) | whitespace_starts(masks, attached) | digit_starts(masks.digit);
    (starts, attached)
}

/// First bytes of runs of symbols that do not go with a space before them.
#[inline(always)]
fn symbol_starts(masks: &Masks, symbols: u64) -> u64 {
    symbols & !(symbols << 1) & !(masks.space << 1)
}

/// What follows a run of symbols of more than one character, or one behind a space: there a word starts anew.
#[inline(always)]
fn after_symbols(masks: &Masks, symbols: u64) -> u64 {
    let first = symbol_starts(masks, symbols);
    // All bytes of the first character.
    let first = if masks.tail == 0 { first } else { flood(first, first | symbols & masks.tail) };
    (symbols & !first) << 1
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+`; `attached` are the newlines that symbols before them have taken.
#[inline(always)]
fn whitespace_starts(masks: &Masks, attached: u64) -> u64 {
    let blanks = masks.space | masks.blank;
    let whitespace = (blanks | masks.newline) & !attached;
    let first = whitespace & !(whitespace << 1);
    let before_newline = blanks & (masks.newline >> 1);
    // Indentation that follows a newline starts anew, unless another newline takes it along.
    let mut indents = blanks & (masks.newline << 1);
    if before_newline != 0 {
        indents &= !flood_back(before_newline, blanks);
    }
    // The last blank before a word goes with the word.
    let last = blanks & ((masks.letters() | masks.digit | masks.other) >> 1);
    first | indents | last
}

/// `\p{N}{1,3}`
#[inline]
fn digit_starts(digits: u64) -> u64 {
    let mut starts = digits & !(digits << 1);
    let inner = digits & (digits << 1) & (digits << 2) & (digits << 3);
    let mut found = starts;
    loop {
        found = (found << 3) & inner;
        if found == 0 {
            return starts;
        }
        starts |= found;
    }
}

/// `o200k_base`
#[inline(always)]
fn o200k(block: &Block<'_>) -> Starts {
    let masks = &block.masks;
    let letters = masks.letters();
    let Contractions { quotes, bodies, ends } = if masks.quote & (letters << 1) == 0 {
        Contractions::default()
    } else {
        contractions_after_letters(block, masks.quote & (letters << 1))
    };
    let symbols = masks.other & !quotes;
    let (common, attached) = common(masks, symbols);
    let after_other = (masks.digit | masks.newline) << 1;
    let words = letters & (after_other | after_symbols(masks, symbols)) | masks.upper & (masks.lower << 1);
    // Whether a word ends between a letter without case and a capital depends on what follows and what came before.
    let irregular = masks.slash & (attached << 1) | masks.upper & (masks.caseless << 1);
    Starts { starts: (common | words) & !bodies | ends, irregular }
}

/// `cl100k_base`
#[inline(always)]
fn cl100k(block: &Block<'_>) -> Starts {
    let masks = &block.masks;
    let (common, _) = common(masks, masks.other);
    let symbol_starts = symbol_starts(masks, masks.other);
    let after_other = (masks.digit | masks.newline) << 1;
    let words = masks.letters() & (after_other | after_symbols(masks, masks.other));
    let mut starts = common | words;
    let mut quotes = masks.quote & symbol_starts;
    while quotes != 0 {
        let at = quotes.trailing_zeros();
        quotes &= quotes - 1;
        if let length @ 1.. = contraction(block.text, block.at + at as usize) {
            starts |= 1u64.checked_shl(at + u32::try_from(length).unwrap_or(0)).unwrap_or(0);
        }
    }
    Starts { starts, irregular: 0 }
}

/// `'s` and its like behind a word, in `o200k_base` a part of the word.
#[derive(Default)]
struct Contractions {
    quotes: u64,
    bodies: u64,
    ends: u64,
}

#[cold]
fn contractions_after_letters(block: &Block<'_>, mut candidates: u64) -> Contractions {
    let mut found = Contractions::default();
    let mut last_end = 64;
    while candidates != 0 {
        let at = candidates.trailing_zeros();
        candidates &= candidates - 1;
        let length = u32::try_from(contraction(block.text, block.at + at as usize)).unwrap_or(0);
        // Right behind a contraction a quote starts the next pretoken.
        if length > 0 && at != last_end {
            last_end = at + length;
            found.quotes |= 1 << at;
            found.bodies |= low_bits(last_end) & !low_bits(at);
            found.ends |= 1u64.checked_shl(last_end).unwrap_or(0);
        }
    }
    found
}
