//! Calendar dates. No clock is read: the same text has the same findings on every day.

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

/// Whether digits begin with a date `YYYYMMDD` of the 1900s or 2000s, as order numbers and times do.
pub(super) fn leads(digits: &[u8]) -> bool {
    let number = |range: &[u8]| range.iter().fold(0, |sum, &digit| sum * 10 + u32::from(digit));
    let Some((year, rest)) = digits.split_at_checked(4) else { return false };
    let Some((month, rest)) = rest.split_at_checked(2) else { return false };
    let Some((day, _)) = rest.split_at_checked(2) else { return false };
    (1900..2100).contains(&number(year)) && is_valid(number(year), number(month), number(day))
}
