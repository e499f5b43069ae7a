//! Payment cards: the issuer's range with its lengths, and the Luhn digit (ISO/IEC 7812).

use super::groups::{Separator, Sequence, number};
use super::kind::Kind;
use super::scan::{Found, Scene};

pub(super) const WORDS: &[&str] = &["카드", "결제", "card", "visa", "mastercard", "amex", "pan", "卡", "カ-ド"];

pub(super) fn find(scene: &Scene<'_, '_>, sequence: &Sequence<'_, '_>) -> Option<Found> {
    let counts: &[usize] = match sequence.lengths {
        [4, 4, 4, 4, 3, ..] => &[5, 4],
        [4, 4, 4, 4, ..] => &[4],
        [4, 6, 4 | 5, ..] => &[3],
        [13..=19, ..] => &[1],
        _ => return None,
    };
    counts.iter().find_map(|&count| reading(scene, sequence, count))
}

/// The first `count` groups as a card.
fn reading(scene: &Scene<'_, '_>, sequence: &Sequence<'_, '_>, count: usize) -> Option<Found> {
    let range = sequence.closed(count)?;
    let digits = sequence.digits(0, count);
    if !sequence.joined_by(count, &[Separator::Blank, Separator::Dash, Separator::Dot]) || !luhn(&digits) {
        return None;
    }
    let dashed = count == 1 || sequence.joined_by(count, &[Separator::Dash]);
    if !dashed && (sequence.stands_in_a_row(count) || is_counted(sequence, count)) && !scene.window(&range).has(WORDS) {
        return None;
    }
    let confidence = match issuer(&digits)? {
        Issuer::Known if count > 1 => 97,
        // Ids of 16 digits are common, those in an issuer's range with the right last digit are not.
        Issuer::Known if matches!(digits.len(), 15 | 16) => 90,
        _ if scene.window(&range).has(WORDS) => 92,
        _ => return None,
    };
    scene.found(Kind::CreditCard, range, confidence)
}

/// `3000 3001 3002 3003`: each group a little more than the one before.
fn is_counted(sequence: &Sequence<'_, '_>, count: usize) -> bool {
    let groups: Vec<u32> = (0..count).map(|skip| number(sequence.digits(skip, 1))).collect();
    groups.windows(2).all(|pair| matches!(*pair, [one, two] if two > one && two - one <= 100))
}

/// Whether an issuer uses the range with this length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Issuer {
    Known,
    /// Ranges that are used, but wide: Maestro, and the cards of Korea alone that begin with 9.
    Wide,
}

fn issuer(digits: &[u8]) -> Option<Issuer> {
    let lead = number(digits.iter().copied().take(6));
    let lengths: &[usize] = match lead {
        400_000..=499_999 => &[13, 16, 19],
        510_000..=559_999 | 222_100..=272_099 => &[16],
        340_000..=349_999 | 370_000..=379_999 => &[15],
        300_000..=305_999 | 309_500..=309_599 | 360_000..=369_999 | 380_000..=399_999 => &[14, 16],
        601_100..=601_199 | 644_000..=659_999 | 620_000..=629_999 | 810_000..=817_199 | 352_800..=358_999 => {
            &[16, 17, 18, 19]
        }
        _ => &[],
    };
    let wide = match lead {
        500_000..=509_999 | 560_000..=699_999 => true,
        900_000..=999_999 => digits.len() == 16,
        _ => false,
    };
    if lengths.contains(&digits.len()) { Some(Issuer::Known) } else { wide.then_some(Issuer::Wide) }
}

/// Whether digits, however they are grouped, are a card of a known issuer.
pub(super) fn is_sure(digits: &[u8]) -> bool {
    luhn(digits) && issuer(digits) == Some(Issuer::Known)
}

fn luhn(digits: &[u8]) -> bool {
    let double = |digit: u8| if digit > 4 { 2 * digit - 9 } else { 2 * digit };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, &digit)| u32::from(if place % 2 == 1 { double(digit) } else { digit }))
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luhn_sees_one_wrong_digit_and_a_transposition() {
        let digits = |text: &str| text.bytes().map(|byte| byte - b'0').collect::<Vec<u8>>();
        assert!(luhn(&digits("4111111111111111")) && luhn(&digits("378282246310005")));
        assert!(!luhn(&digits("4111111111111112")) && !luhn(&digits("1411111111111111")));
    }
}
