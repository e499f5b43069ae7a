//! Where a finding goes on that is longer than what is looked at to tell that it is one: it is masked to its border,
//! however far that is, and a stream need not hold it.
//!
//! The border of a value is found without looking back, from any place between its lines or bytes: so it is the same
//! however a text is cut, and each byte is read once.

use super::pem;
use super::view::View;

/// What ends a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Border {
    /// The first byte that is not of the key's alphabet.
    Class(Class),
    /// A quotation mark that has so many backslashes before it, or a line end.
    Quote { mark: u8, backslashes: u8 },
    /// The line that ends the block, or the first that is none of a key.
    Block,
}

/// Bytes of a value without quotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Letters and digits.
    Alphanumeric,
    /// Letters, digits, `_`, `-`.
    Key,
    /// The same and `.`: web tokens as well.
    Dotted,
    /// Base64 in every spelling.
    Encoded,
    /// What may stand in a value without quotes.
    Bare,
}

impl Class {
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Key => super::view::is_key_byte(byte),
            Self::Dotted => super::view::is_key_byte(byte) || byte == b'.',
            Self::Encoded => byte.is_ascii_alphanumeric() || b"_-+/=%.~@$".contains(&byte),
            Self::Bare => super::quoted::is_bare(byte),
        }
    }
}

impl Border {
    /// How far the finding goes from `at`, and whether its border is there; without `last` more text may come.
    pub(super) fn reach(self, view: &View<'_>, at: usize, last: bool) -> (usize, bool) {
        match self {
            Self::Class(class) => class_end(view, at, class, last),
            Self::Quote { mark, backslashes } => quote_end(view, at, mark, usize::from(backslashes), last),
            Self::Block => block_end(view, at, last),
        }
    }
}

/// All but the last byte while more may come: what is not seen behind it belongs to the value or not.
fn class_end(view: &View<'_>, at: usize, class: Class, last: bool) -> (usize, bool) {
    let rest = view.bytes().get(at..).unwrap_or_default();
    let end = at + rest.iter().position(|&byte| !class.has(byte)).unwrap_or(rest.len());
    if end < view.len() || last { (end, true) } else { (end.saturating_sub(1).max(at), false) }
}

fn quote_end(view: &View<'_>, from: usize, mark: u8, backslashes: usize, last: bool) -> (usize, bool) {
    let rest = view.bytes().get(from..).unwrap_or_default();
    let mut done = 0;
    while let Some(found) =
        rest.get(done..).and_then(|rest| rest.iter().position(|&byte| matches!(byte, b'\\' | b'\n') || byte == mark))
    {
        let at = from + done + found;
        let run = rest.get(done + found..).unwrap_or_default().iter().take_while(|&&byte| byte == b'\\').count();
        match rest.get(done + found + run) {
            None if !last => return (at, false),
            Some(&byte) if byte == mark && !super::quoted::holds(backslashes, run) => {
                return (at + run - super::quoted::own(backslashes, run), true);
            }
            Some(b'\n') => return (at + run, true),
            _ => done += found + run + 1,
        }
    }
    let end = view.len();
    if last { (end, true) } else { (boundary(view, end.saturating_sub(1).max(from)), false) }
}

/// The start of the character that this byte is in.
pub(super) fn boundary(view: &View<'_>, mut at: usize) -> usize {
    while view.bytes().get(at).is_some_and(|byte| byte & 0xC0 == 0x80) {
        at -= 1;
    }
    at
}

/// Whole lines of the key, and the line that ends it.
fn block_end(view: &View<'_>, from: usize, last: bool) -> (usize, bool) {
    let mut end = from;
    loop {
        let start = pem::between(view, end);
        let rest = view.bytes().get(start..).unwrap_or_default();
        let line = rest.iter().take_while(|&&byte| pem::is_base64(byte)).count();
        // The line, or the one that ends the block, may not have come whole.
        if start + line + 80 >= view.len() && !last {
            return (end, false);
        }
        if let Some(end) = pem::end_line(view, start) {
            return (end, true);
        }
        let whole = line >= pem::LINE || line > 0 && pem::is_short_line(view, start, start + line);
        if !whole {
            return (end, true);
        }
        end = start + line;
    }
}
