//! Calendar dates. No clock is read: the same text has the same findings on every day.

use super::groups::number;

/// Whether the Gregorian calendar has this date.
pub(super) fn is_valid(year: u32, month: u32, day: u32) -> bool {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// Whether digits begin with a year of the 1900s or 2000s.
pub(super) fn is_year(digits: &[u8]) -> bool {
    matches!(digits, [1, 9, ..] | [2, 0, ..])
}

/// Whether digits begin with a date `YYYYMMDD` of the 1900s or 2000s, as order numbers and times do.
pub(super) fn leads(digits: &[u8]) -> bool {
    let Some((year, rest)) = digits.split_at_checked(4) else { return false };
    let Some((month, rest)) = rest.split_at_checked(2) else { return false };
    let Some((day, _)) = rest.split_at_checked(2) else { return false };
    let [year, month, day] = [year, month, day].map(|part| number(part.iter().copied()));
    (1900..2100).contains(&year) && is_valid(year, month, day)
}
