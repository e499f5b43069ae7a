//! Tokens that took the place of findings: `[KR_RRN]`, `[KR_RRN:9f3a…]`. Nothing inside one is found again.

use super::view::{View, is_digit};

/// The longest name of a kind, also of a kind that a caller defines.
const NAME: usize = 48;
/// The longest pseudonym: a whole SHA-512 in hexadecimal.
const PSEUDONYM: usize = 128;
/// The shortest pseudonym that is one: 64 bits.
const SHORTEST_PSEUDONYM: usize = 16;

/// The end of the token that begins at `at`, where one does.
pub(super) fn begins(view: &View<'_>, at: usize) -> Option<usize> {
    end(view, at).filter(|_| view.at(at) == b'[')
}

/// The end of the token that begins with the `[` at `at`.
pub(super) fn end(view: &View<'_>, at: usize) -> Option<usize> {
    if !view.at(at + 1).is_ascii_uppercase() {
        return None;
    }
    let name = view.run(at + 1, NAME, |byte| byte.is_ascii_uppercase() || is_digit(byte) || byte == b'_');
    match view.at(name) {
        b']' if name > at + 2 => Some(name + 1),
        b':' => payload(view, name + 1).filter(|&end| view.at(end) == b']').map(|end| end + 1),
        _ => None,
    }
}

/// The end of a pseudonym, of a number, or of `tag:number`; digits alone that could be somebody's number are none.
fn payload(view: &View<'_>, from: usize) -> Option<usize> {
    let end = view.run(from, PSEUDONYM, |byte| is_digit(byte) || byte.is_ascii_lowercase());
    let digits = view.run(from, PSEUDONYM, is_digit) == end;
    if view.at(end) == b':' && !digits {
        let number = view.run(end + 1, 9, is_digit);
        return (number > end + 1).then_some(number);
    }
    let length = end - from;
    // One pseudonym of two thousand has digits alone; with a zero before them they are nobody's card.
    let pseudonym = length >= SHORTEST_PSEUDONYM && view.at(from) == b'0';
    let named = if digits { (1..=7).contains(&length) || pseudonym } else { length >= SHORTEST_PSEUDONYM };
    named.then_some(end)
}
