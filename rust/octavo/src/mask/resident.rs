//! Korean resident (RRN) and foreigner (FRN) registration numbers: `YYMMDD-GHIJKLX`.
//!
//! G says sex and century: 1, 2 the 1900s, 3, 4 the 2000s, 9, 0 the 1800s; 5, 6 and 7, 8 the same for foreigners.
//! X is a check digit, but since 5 October 2020 the last six digits of new numbers are random, so a wrong check
//! digit says nothing; a right one raises the confidence.

use super::context::Window;
use super::date;
use super::groups::number;
use super::kind::Kind;

/// Words beside a resident number.
pub(super) const WORDS: &[&str] =
    &["주민", "외국인", "거소", "생년", "신분증", "실명번호", "rrn", "frn", "resident", "jumin", "ssn", "arc", "birth"];
/// Words beside a number of the same shape that is none.
pub(super) const OTHERS: &[&str] = &[
    "주문",
    "송장",
    "운송장",
    "접수",
    "사건",
    "일련번호",
    "모델",
    "품번",
    "버전",
    "빌드",
    "order",
    "invoice",
    "tracking",
    "serial",
    "build",
    "version",
    "ticket",
    "batch",
    "lot",
    "sku",
    "seed",
    "backup",
];
/// Names of times: milliseconds since 1970 have thirteen digits and, in some months, those of a date and a right check
/// digit.
pub(super) const TIMES: &[&str] = &[
    "ts",
    "time",
    "timestamp",
    "created",
    "updated",
    "epoch",
    "ms",
    "millis",
    "expires",
    "iat",
    "nbf",
    "시각",
    "시간",
    "일시",
];
/// Words that leave no doubt, so that an impossible date is a slip of the pen.
pub(super) const CERTAIN: &[&str] = &[
    "주민번호",
    "주민 번호",
    "주민등록번호",
    "주민등록 번호",
    "외국인등록번호",
    "외국인 등록번호",
    "rrn",
    "frn",
    "jumin",
    "resident number",
    "resident registration",
];

/// Words for the register of companies, which is public. `법인` alone may also be said of a person's employer.
const CORPORATE: &[&str] = &["법인등록", "법인번호", "법인 등록", "법인 번호"];

/// How the two halves of the number are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Joint {
    /// Nothing between them.
    Bare,
    /// A dash.
    Dash,
    /// A blank, dot, slash or the like, which other numbers use as well.
    Other,
}

/// What thirteen digits with this joint are, and how sure that is.
pub(super) fn judge(digits: &[u8], joint: Joint, strict: bool, window: impl FnOnce() -> Window) -> Option<(Kind, u8)> {
    let century = *digits.get(6)?;
    let kind = if matches!(century, 5..=8) { Kind::KrFrn } else { Kind::KrRrn };
    if digits.len() != 13 {
        return None;
    }
    if !valid_date(digits, century) {
        let window = window();
        let certain = window.has_before(CERTAIN) && !window.nearer(OTHERS, WORDS) && !window.nearer(&["법인"], WORDS);
        return certain.then_some((kind, 60));
    }
    let right = check_digit(digits, kind) == digits.last().copied();
    // Nobody born before 1900 is left, so these two need a reason.
    let living = matches!(century, 1..=8);
    let window = window();
    let named = window.has(WORDS);
    if is_another(digits, &window, named, right) || (joint == Joint::Bare && window.nearer(TIMES, WORDS)) {
        return None;
    }
    let confidence = match (joint, named, right) {
        (_, true, true) => 100,
        (Joint::Dash, true, false) => 98,
        (_, true, false) => 90,
        (Joint::Dash, false, true) => 97,
        (Joint::Dash, false, false) if living => 85,
        (Joint::Bare, false, true) if living && !is_time(digits) => 75,
        (Joint::Other, false, true) if living => 70,
        (Joint::Bare, false, false) if strict && living => 40,
        _ => return None,
    };
    Some((kind, confidence))
}

/// A word says that it is another number, and no nearer word says that it is a resident's.
fn is_another(digits: &[u8], window: &Window, named: bool, right: bool) -> bool {
    let corporate = window.nearer(&["법인"], WORDS)
        && (is_corporate(digits) || window.has_before(CORPORATE) || window.ends_within(&["법인"], 4));
    corporate || (window.nearer(OTHERS, WORDS) && !(named && right))
}

/// Whether thirteen digits are milliseconds from March 2011 to May 2033: every number of an error in a log may be one.
fn is_time(digits: &[u8]) -> bool {
    matches!(digits, [1, 3..=9, ..])
}

/// Whether thirteen digits begin with a date of the century that the seventh says.
pub(super) fn is_dated(digits: &[u8]) -> bool {
    digits.get(6).is_some_and(|&century| valid_date(digits, century))
}

fn valid_date(digits: &[u8], century: u8) -> bool {
    let base = match century {
        9 | 0 => 1800,
        1 | 2 | 5 | 6 => 1900,
        _ => 2000,
    };
    let part = |from: usize| number(digits.iter().copied().skip(from).take(2));
    date::is_valid(base + part(0), part(2), part(4))
}

/// Weights 2 to 9, 2 to 5; a foreigner's digit is two more.
fn check_digit(digits: &[u8], kind: Kind) -> Option<u8> {
    let weights = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5];
    let sum: u32 = digits.iter().zip(weights).map(|(&digit, weight)| u32::from(digit) * weight).sum();
    let top = if kind == Kind::KrFrn { 13 } else { 11 };
    u8::try_from((top - sum % 11) % 10).ok()
}

/// Corporate registration numbers are public and of the same shape: weights 1 and 2 in turn.
fn is_corporate(digits: &[u8]) -> bool {
    let sum: u32 = digits.iter().take(12).zip([1, 2].into_iter().cycle()).map(|(&d, w)| u32::from(d) * w).sum();
    digits.last().map(|&last| u32::from(last)) == Some((10 - sum % 10) % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(text: &str) -> Vec<u8> {
        text.bytes().filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect()
    }

    #[test]
    fn check_digits_of_both_formulas() {
        // A foreigner's number passes its own formula only.
        let foreigner = digits("911124-5678906");
        assert_eq!(check_digit(&foreigner, Kind::KrFrn), Some(6));
        assert_ne!(check_digit(&foreigner, Kind::KrRrn), Some(6));
        assert!(is_corporate(&digits("110111-1234569")) && !is_corporate(&digits("110111-1234568")));
    }

    #[test]
    fn the_century_decides_on_leap_days() {
        for (number, valid) in [
            ("000229-3000000", true),
            ("000229-1000000", false),
            ("000229-9000000", false),
            ("040229-4000000", true),
            ("850229-1000000", false),
            ("850431-1000000", false),
            ("851301-1000000", false),
            ("850001-1000000", false),
        ] {
            let digits = digits(number);
            assert_eq!(valid_date(&digits, digits.get(6).copied().unwrap_or(99)), valid, "{number}");
        }
    }
}
