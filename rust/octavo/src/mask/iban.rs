//! International bank account numbers (ISO 13616): country, length and the check digits modulo 97.

use super::kind::Kind;
use super::scan::{Found, Scene};
use super::view::is_blank;

/// Length by country, from the SWIFT registry of IBAN formats, release 99.
const LENGTHS: &[(&[u8; 2], usize)] = &[
    (b"AD", 24),
    (b"AE", 23),
    (b"AL", 28),
    (b"AT", 20),
    (b"AZ", 28),
    (b"BA", 20),
    (b"BE", 16),
    (b"BG", 22),
    (b"BH", 22),
    (b"BI", 27),
    (b"BR", 29),
    (b"BY", 28),
    (b"CH", 21),
    (b"CR", 22),
    (b"CY", 28),
    (b"CZ", 24),
    (b"DE", 22),
    (b"DJ", 27),
    (b"DK", 18),
    (b"DO", 28),
    (b"EE", 20),
    (b"EG", 29),
    (b"ES", 24),
    (b"FI", 18),
    (b"FK", 18),
    (b"FO", 18),
    (b"FR", 27),
    (b"GB", 22),
    (b"GE", 22),
    (b"GI", 23),
    (b"GL", 18),
    (b"GR", 27),
    (b"GT", 28),
    (b"HN", 28),
    (b"HR", 21),
    (b"HU", 28),
    (b"IE", 22),
    (b"IL", 23),
    (b"IQ", 23),
    (b"IS", 26),
    (b"IT", 27),
    (b"JO", 30),
    (b"KW", 30),
    (b"KZ", 20),
    (b"LB", 28),
    (b"LC", 32),
    (b"LI", 21),
    (b"LT", 20),
    (b"LU", 20),
    (b"LV", 21),
    (b"LY", 25),
    (b"MC", 27),
    (b"MD", 24),
    (b"ME", 22),
    (b"MK", 19),
    (b"MN", 20),
    (b"MR", 27),
    (b"MT", 31),
    (b"MU", 30),
    (b"NI", 28),
    (b"NL", 18),
    (b"NO", 15),
    (b"OM", 23),
    (b"PK", 24),
    (b"PL", 28),
    (b"PS", 29),
    (b"PT", 25),
    (b"QA", 29),
    (b"RO", 24),
    (b"RS", 22),
    (b"RU", 33),
    (b"SA", 24),
    (b"SC", 31),
    (b"SD", 18),
    (b"SE", 24),
    (b"SI", 19),
    (b"SK", 24),
    (b"SM", 27),
    (b"SO", 23),
    (b"ST", 25),
    (b"SV", 28),
    (b"TL", 23),
    (b"TN", 24),
    (b"TR", 26),
    (b"UA", 29),
    (b"VA", 22),
    (b"VG", 24),
    (b"XK", 20),
    (b"YE", 30),
];

/// `at` is the first of the two check digits; the country's letters stand before it.
pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let start = view.run_back(at, 2, |byte| byte.is_ascii_alphabetic());
    if at - start != 2 || !view.begins_word(start) {
        return None;
    }
    let country = view.slice(start..at).to_ascii_uppercase();
    let (_, length) = LENGTHS.iter().find(|(name, _)| name.as_slice() == country.as_bytes())?;
    let (end, compact) = read(scene, start, *length)?;
    (view.ends_word(end) && is_right(&compact)).then(|| scene.found(Kind::Iban, start..end, 99))?
}

/// The end of `length` letters and digits, single blanks or dashes between groups of four, and those characters.
fn read(scene: &Scene<'_, '_>, start: usize, length: usize) -> Option<(usize, Vec<u8>)> {
    let view = scene.view;
    let mut compact = Vec::with_capacity(length);
    let mut at = start;
    while compact.len() < length {
        let byte = view.at(at);
        if byte.is_ascii_alphanumeric() {
            compact.push(byte.to_ascii_uppercase());
        } else if !((is_blank(byte) || byte == b'-')
            && compact.len() % 4 == 0
            && view.at(at + 1).is_ascii_alphanumeric())
        {
            return None;
        }
        at += 1;
    }
    Some((at, compact))
}

/// Country and check digits moved to the end, letters as 10 to 35: the remainder by 97 is 1.
fn is_right(compact: &[u8]) -> bool {
    let (head, rest) = compact.split_at(4.min(compact.len()));
    let remainder = rest.iter().chain(head).fold(0_u32, |remainder, &byte| {
        let value = char::from(byte).to_digit(36).unwrap_or(0);
        (remainder * if value > 9 { 100 } else { 10 } + value) % 97
    });
    remainder == 1
}
