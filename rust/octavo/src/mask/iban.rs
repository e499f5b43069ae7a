//! International bank account numbers (ISO 13616): country, length and the check digits modulo 97.

use super::iban_layouts::{fits, layout};
use super::kind::Kind;
use super::scan::{Found, Scene};
use super::view::{View, is_blank};

/// Characters before that tell base64.
const AROUND: usize = 16;

/// `at` is the first of the two check digits; the country's letters stand before it.
pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let start = view.run_back(at, 2, |byte| byte.is_ascii_alphabetic());
    if at - start != 2 || !view.begins_word(start) {
        return None;
    }
    let country = view.slice(start..at).to_ascii_uppercase();
    let layout = layout(country.as_bytes())?;
    let length = 4 + layout.iter().map(|&(length, _)| length).sum::<usize>();
    let (end, compact) = read(scene, start, length)?;
    let own = compact.get(2..4)?.iter().all(u8::is_ascii_digit) && fits(layout, compact.get(4..)?);
    let alone = is_of_one_case(view.slice(start..end)) && !is_inside_base64(view, start);
    (view.ends_word(end) && own && alone && is_right(&compact)).then(|| scene.found(Kind::Iban, start..end, 99))?
}

/// An account is written in capitals or not; in base64 the cases are mixed.
fn is_of_one_case(text: &str) -> bool {
    !(text.bytes().any(|byte| byte.is_ascii_lowercase()) && text.bytes().any(|byte| byte.is_ascii_uppercase()))
}

/// Whether what stands before is the beginning of a longer value in base64: a long piece with both cases. What stands
/// after is not asked: it may become a token.
fn is_inside_base64(view: &View<'_>, start: usize) -> bool {
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let before = view.slice(view.run_back(start, AROUND, base64)..start);
    before.len() == AROUND && !is_of_one_case(before)
}

/// The end of `length` letters and digits, blanks, dashes, stops or a line's end between groups of four, and those
/// characters.
fn read(scene: &Scene<'_, '_>, start: usize, length: usize) -> Option<(usize, Vec<u8>)> {
    let view = scene.view;
    let mut compact = Vec::with_capacity(length);
    let mut at = start;
    while compact.len() < length {
        let byte = view.at(at);
        if byte.is_ascii_alphanumeric() {
            compact.push(byte.to_ascii_uppercase());
        } else if compact.len() % 4 == 0 && parts(view.at(at), view.at(at + 1)) {
            at = view.run(at, 4, |byte| is_blank(byte) || matches!(byte, b'\n' | b'\r')).max(at + 1);
            continue;
        } else {
            return None;
        }
        at += 1;
    }
    Some((at, compact))
}

/// Whether these two bytes stand between groups: a dash or stop alone, blanks and ends of lines also in numbers.
fn parts(byte: u8, next: u8) -> bool {
    let space = |byte: u8| is_blank(byte) || matches!(byte, b'\n' | b'\r');
    match byte {
        b'-' | b'.' => next.is_ascii_alphanumeric(),
        _ => space(byte) && (space(next) || next.is_ascii_alphanumeric()),
    }
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
