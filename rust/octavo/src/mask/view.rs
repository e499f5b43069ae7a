//! What a recogniser sees: the normal form, from the end of the last finding on, to where the text is known.

use std::cell::Cell;
use std::ops::Range;

/// Bytes before a trigger that a recogniser may look at: the longest local part of an address, a name with its
/// quotes, and the rows of a table up to its head with twelve tokens in them. A stream keeps at least so much.
pub(super) const LOOK_BACK: usize = 4_096;

/// The text in its normal form, with two edges: nothing before `floor` is seen, and asking for a byte after the
/// last one is remembered, because more text could change the answer.
pub(super) struct View<'a> {
    text: &'a str,
    soft_hyphens: &'a [usize],
    floor: usize,
    asked_past_end: Cell<bool>,
    /// Whether a control character stands anywhere: in most texts none does, and numbers need not be read twice.
    pub(super) has_controls: bool,
}

impl<'a> View<'a> {
    pub(super) fn new(text: &'a str, soft_hyphens: &'a [usize]) -> Self {
        // In blocks without an early end, which the compiler makes wide.
        let any = |block: &[u8]| block.iter().fold(false, |any, &byte| any | is_control(byte));
        let has_controls = text.as_bytes().chunks(64).any(any);
        Self { text, soft_hyphens, floor: 0, asked_past_end: Cell::new(false), has_controls }
    }

    /// Nothing before this byte is seen from now on: it belongs to a finding, or to a token that replaced one.
    pub(super) fn raise_floor(&mut self, floor: usize) {
        self.floor = floor;
    }

    /// Whether some of the eight bytes before are out of sight: a look at the bytes themselves would see them.
    pub(super) fn is_near_floor(&self, at: usize) -> bool {
        at < self.floor + 8 && self.floor > 0
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether anybody asked for a byte after the last one since the last call.
    pub(super) fn take_asked_past_end(&self) -> bool {
        self.asked_past_end.replace(false)
    }

    /// The byte, or 0 after the end: no class of bytes contains 0.
    pub(super) fn at(&self, at: usize) -> u8 {
        let Some(&byte) = self.text.as_bytes().get(at) else {
            self.asked_past_end.set(true);
            return 0;
        };
        byte
    }

    /// The byte before, or 0 where nothing is seen.
    pub(super) fn before(&self, at: usize) -> u8 {
        if at <= self.floor {
            return 0;
        }
        at.checked_sub(1).and_then(|before| self.text.as_bytes().get(before)).copied().unwrap_or(0)
    }

    /// The character that begins here; none after the last one.
    pub(super) fn character_at(&self, at: usize) -> Option<char> {
        // Asked for by its byte, so that it is remembered where the text ends.
        if self.at(at) < 0x80 {
            return Some(char::from(self.at(at))).filter(|_| at < self.text.len());
        }
        self.text.get(at..)?.chars().next()
    }

    /// The character that ends here, where it is seen.
    pub(super) fn character_before(&self, at: usize) -> Option<char> {
        self.text.get(self.floor..at)?.chars().next_back()
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    pub(super) fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// Whether `word` stands here.
    pub(super) fn starts_with(&self, at: usize, word: &str) -> bool {
        word.bytes().zip(at..).all(|(byte, at)| self.at(at) == byte)
    }

    /// Whether `word` stands here in any case; `word` is in lower case.
    pub(super) fn starts_with_any_case(&self, at: usize, word: &str) -> bool {
        word.bytes().zip(at..).all(|(byte, at)| self.at(at).to_ascii_lowercase() == byte)
    }

    /// The end of the bytes of a class from `from` on, at most `limit` bytes.
    pub(super) fn run(&self, from: usize, limit: usize, class: fn(u8) -> bool) -> usize {
        let mut end = from;
        while end < from + limit && class(self.at(end)) {
            end += 1;
        }
        end
    }

    /// The start of the bytes of a class up to `to`, at most `limit` bytes.
    pub(super) fn run_back(&self, to: usize, limit: usize, class: fn(u8) -> bool) -> usize {
        let mut start = to;
        while to - start < limit && class(self.before(start)) {
            start -= 1;
        }
        start
    }

    /// Whether a soft hyphen was left out before this byte.
    pub(super) fn soft_hyphen_at(&self, at: usize) -> bool {
        self.soft_hyphens.binary_search(&at).is_ok()
    }

    /// Whether an ASCII word may begin here. A Korean syllable or Han character before never hides anything, an
    /// ASCII letter or digit does. The letter of an escape (`\n`, a colour) is no letter.
    pub(super) fn begins_word(&self, at: usize) -> bool {
        !self.before(at).is_ascii_alphanumeric() || self.ends_escape(at)
    }

    /// Whether an ASCII word may end here.
    pub(super) fn ends_word(&self, at: usize) -> bool {
        !self.at(at).is_ascii_alphanumeric()
    }
}

/// ASCII digits.
pub(super) fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

/// Letters, digits, `_` and `-`: the alphabet of most keys, and of base64 in URLs.
pub(super) const fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// A control character that neither ends a line nor stands for a blank nor begins an escape. NUL is one, and is what
/// stands after the end of the text as well.
pub(super) fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=0x08 | 0x0E..=0x1A | 0x7F)
}

/// Space or tab, and what stands for one: vertical tab, form feed, the separators of ASCII.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C | 0x1C..=0x1F)
}
