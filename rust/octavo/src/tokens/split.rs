//! Splitting text into pretokens without a regex: the scalar reference.
//!
//! Each encoding has a published pattern (`tiktoken_ext/openai_public.py`); `end` answers where the pretoken
//! that starts at a position ends. Every character belongs to some pretoken, so the next starts there.

use super::character::{CASELESS, LOWER, MARK, NEWLINE, NUMBER, OTHER, SPACE, UPPER, class_at};

/// The split pattern of an encoding.
pub(super) trait Split: Send + Sync + 'static {
    /// End of the pretoken that starts at `at`, a character boundary before the end of `text` (valid UTF-8).
    /// Always greater than `at`. Reads on at most to the end of the run of one class behind the pretoken.
    fn end(text: &[u8], at: usize) -> usize;
}

/// `o200k_base`.
pub(super) struct O200k;

/// `cl100k_base`.
pub(super) struct Cl100k;

impl Split for O200k {
    fn end(text: &[u8], at: usize) -> usize {
        let (class, width) = class_at(text, at);
        let next = at + width;
        let word = match class {
            UPPER | LOWER | CASELESS => cased_word(text, at).or_else(|| upper_word(text, at)),
            MARK => cased_word(text, next).or_else(|| cased_word(text, at)),
            OTHER | SPACE => cased_word(text, next).or_else(|| upper_word(text, next)),
            _ => None,
        };
        if let Some(end) = word {
            return end + contraction(text, end);
        }
        match class {
            NUMBER => number(text, at),
            SPACE | NEWLINE => spaced_symbols(text, at, next, b"\r\n/").unwrap_or_else(|| whitespace(text, at, false)),
            _ => symbols(text, at, b"\r\n/"),
        }
    }
}

impl Split for Cl100k {
    fn end(text: &[u8], at: usize) -> usize {
        let (class, width) = class_at(text, at);
        let next = at + width;
        let short = contraction(text, at);
        if short > 0 {
            return at + short;
        }
        let letters = UPPER | LOWER | CASELESS;
        if class & letters != 0 {
            return run(text, next, letters);
        }
        if class & (OTHER | SPACE | MARK) != 0 && class_at(text, next).0 & letters != 0 {
            return run(text, next, letters);
        }
        match class {
            NUMBER => number(text, at),
            SPACE | NEWLINE => spaced_symbols(text, at, next, b"\r\n").unwrap_or_else(|| whitespace(text, at, true)),
            _ => symbols(text, at, b"\r\n"),
        }
    }
}

/// End of the run of characters whose class is in `classes`.
fn run(text: &[u8], mut at: usize, classes: u8) -> usize {
    loop {
        let (class, width) = class_at(text, at);
        if class & classes == 0 {
            return at;
        }
        at += width;
    }
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`
///
/// Letters without case and marks are in both classes. When no lower-case letter follows the first run, the
/// pattern backtracks to the last of them: behind it only upper-case letters are left, which the second
/// class does not take.
fn cased_word(text: &[u8], mut at: usize) -> Option<usize> {
    let mut last_caseless = None;
    loop {
        let (class, width) = class_at(text, at);
        match class {
            UPPER => at += width,
            CASELESS | MARK => {
                at += width;
                last_caseless = Some(at);
            }
            LOWER => return Some(run(text, at, LOWER | CASELESS | MARK)),
            _ => return last_caseless,
        }
    }
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*`, tried only where `cased_word` has failed:
/// what is left is a run of upper-case letters.
fn upper_word(text: &[u8], at: usize) -> Option<usize> {
    let end = run(text, at, UPPER);
    (end > at).then_some(end)
}

/// Bytes of `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at `at`, or 0. Case folding also equates `ſ` (U+017F) with `s`.
pub(super) fn contraction(text: &[u8], at: usize) -> usize {
    let Some([b'\'', rest @ ..]) = text.get(at..) else { return 0 };
    match rest {
        [b's' | b'S' | b't' | b'T' | b'm' | b'M' | b'd' | b'D', ..] => 2,
        [b'r' | b'R' | b'v' | b'V', b'e' | b'E', ..] | [b'l' | b'L', b'l' | b'L', ..] | [0xc5, 0xbf, ..] => 3,
        _ => 0,
    }
}

/// `\p{N}{1,3}`
fn number(text: &[u8], at: usize) -> usize {
    (0..3).fold(at, |end, _| match class_at(text, end) {
        (NUMBER, width) => end + width,
        _ => end,
    })
}

/// ` ?[^\s\p{L}\p{N}]+[\r\n/]*` from its space on.
fn spaced_symbols(text: &[u8], at: usize, next: usize, trailing: &[u8]) -> Option<usize> {
    let spaced = text.get(at) == Some(&b' ') && class_at(text, next).0 & (OTHER | MARK) != 0;
    spaced.then(|| symbols(text, next, trailing))
}

/// `[^\s\p{L}\p{N}]+[\r\n/]*`; `trailing` is the last class.
fn symbols(text: &[u8], at: usize, trailing: &[u8]) -> usize {
    let end = run(text, at, OTHER | MARK);
    let tail = text.get(end..).unwrap_or_default();
    end + tail.iter().take_while(|byte| trailing.contains(byte)).count()
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+`, and with `end_first` the `\s++$` that `cl100k_base` tries before them.
fn whitespace(text: &[u8], start: usize, end_first: bool) -> usize {
    let (mut at, mut last, mut newline) = (start, start, None);
    loop {
        let (class, width) = class_at(text, at);
        if class & (SPACE | NEWLINE) == 0 {
            break;
        }
        last = at;
        at += width;
        if class == NEWLINE {
            newline = Some(at);
        }
    }
    let whole = at == text.len();
    match newline {
        Some(end) if !(whole && end_first) => end,
        _ if whole || last == start => at,
        _ => last,
    }
}
