//! Korean telephone numbers of persons.
//!
//! Areas after the national numbering plan: 010 and the older 011, 016 to 019 mobile; 02 Seoul; 031 to 064 regions;
//! 070 internet; 0502 to 0508 safe numbers. Not personal, and not found: 080, 1588 and other numbers of companies.

use super::groups::{Separator, Sequence};
use super::kind::Kind;
use super::scan::{Found, Scene};
use super::view::is_digit;

pub(super) const WORDS: &[&str] = &[
    "전화",
    "연락처",
    "휴대",
    "핸드폰",
    "폰",
    "팩스",
    "문자",
    "☎",
    "tel",
    "phone",
    "mobile",
    "cell",
    "contact",
    "fax",
    "hp",
    "call",
    "sms",
];

/// What the first digits say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Area {
    digits: usize,
    mobile: bool,
}

/// How the country was said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Country {
    /// Not at all: the number begins with 0.
    Home,
    /// `+82`, `0082`.
    Abroad,
    /// `82` without a sign: only mobile numbers with dashes, or beside a word.
    Unsigned,
    /// No country and no zero either, `10-1234-5678`: only beside a word.
    Cut,
}

pub(super) fn find(scene: &Scene<'_, '_>, sequence: &Sequence<'_, '_>) -> Option<Found> {
    let (country, skip) = country(sequence)?;
    // Times and dates begin with 0 and 10 as well: the second group tells, before anything is copied.
    let may_be = match (country, sequence.lengths) {
        (Country::Cut, lengths) => matches!(lengths, [_, 3 | 4, 4, ..] | [10, ..]),
        (Country::Home, lengths) => matches!(lengths, [2..=4, 3..=8, ..] | [7, 4, ..] | [9..=32, ..]),
        _ => true,
    };
    if !may_be {
        return None;
    }
    // The longest reading first: what is left over must not be seen.
    (1..=3).rev().find_map(|count| reading(scene, sequence, country, skip, count))
}

/// How the country is said, and how many groups that takes.
fn country(sequence: &Sequence<'_, '_>) -> Option<(Country, usize)> {
    let view = sequence.view;
    let first = sequence.groups().first()?;
    let text = view.slice(first.start..first.end);
    let zero = sequence.groups().get(1).is_some_and(|group| view.slice(group.start..group.end) == "0");
    let groups = 1 + usize::from(zero);
    let plus = view.before(first.start) == b'+';
    match text {
        "82" if plus => Some((Country::Abroad, groups)),
        "82" => Some((Country::Unsigned, groups)),
        "0082" => Some((Country::Abroad, groups)),
        "10" => Some((Country::Cut, 0)),
        _ if text.starts_with("0082") => Some((Country::Abroad, 0)),
        _ if text.starts_with("82") && (text.len() >= 10 || plus) => {
            Some((if plus { Country::Abroad } else { Country::Unsigned }, 0))
        }
        _ if text.starts_with('0') => Some((Country::Home, 0)),
        // As a number in JSON it has lost its zero.
        _ if text.starts_with("10") && text.len() == 10 => Some((Country::Cut, 0)),
        _ => None,
    }
}

fn reading(
    scene: &Scene<'_, '_>,
    sequence: &Sequence<'_, '_>,
    country: Country,
    skip: usize,
    count: usize,
) -> Option<Found> {
    let lengths: Vec<usize> = sequence.lengths.iter().copied().skip(skip).take(count).collect();
    let (digits, lengths) = national(sequence.digits(skip, count), lengths, country, skip);
    let area = area(&digits)?;
    if !fits(area, &lengths, digits.len()) || !separators_fit(sequence, skip + count) {
        return None;
    }
    let range = whole(sequence, skip + count)?;
    let short = digits.len() == 10 && digits.starts_with(&[0, 1, 0]);
    let dashed = sequence.joined_by(count, &[Separator::Dash, Separator::Paren]);
    // A dump has rows of groups after its offset, `0100016 0045 …`.
    let dump = matches!(sequence.lengths, [7, 4, ..]) || sequence.stands_in_a_row(skip + count);
    let row = (area.digits == 4 || dump) && !dashed;
    let sure = !short && !row && is_sure(sequence, country, area, skip, count);
    if country == Country::Cut && count == 1 && !scene.window(&range).directly(WORDS) {
        return None;
    }
    if !sure && !is_on_card(sequence, count) && !scene.window(&range).has(WORDS) {
        return None;
    }
    scene.found(Kind::KrPhone, range, if sure { 92 } else { 80 })
}

/// `T 02.1234.5678`, `F. 02-1234-5678`: the letters of business cards, before three groups.
fn is_on_card(sequence: &Sequence<'_, '_>, count: usize) -> bool {
    let (view, Some(first)) = (sequence.view, sequence.groups().first()) else { return false };
    let blanks = view.run_back(first.start, 2, |byte| matches!(byte, b' ' | b'\t'));
    let letter = view.run_back(blanks, 1, |byte| matches!(byte, b'.' | b':'));
    let named = matches!(view.before(letter), b'T' | b'M' | b'F' | b'H' | b'P' | b'C') && letter > 0;
    let alone = named && view.begins_word(letter - 1) && !matches!(view.before(letter - 1), b'.' | b'_' | b'-');
    alone && count == 3 && first.start > letter && sequence.joined_by(count, &[Separator::Dot, Separator::Dash])
}

/// The digits and groups as they are dialled at home: country off, zero on.
fn national(mut digits: Vec<u8>, mut lengths: Vec<usize>, country: Country, skip: usize) -> (Vec<u8>, Vec<usize>) {
    let compact = matches!(country, Country::Abroad | Country::Unsigned) && skip == 0;
    let dialled = if digits.starts_with(&[0, 0]) { 4 } else { 2 };
    if compact {
        digits.drain(..dialled.min(digits.len()));
    }
    let zero = country != Country::Home && digits.first() != Some(&0);
    if zero {
        digits.insert(0, 0);
    }
    if let Some(first) = lengths.first_mut() {
        *first = first.saturating_sub(dialled * usize::from(compact)) + usize::from(zero);
    }
    (digits, lengths)
}

/// The area of a number of the right length.
fn area(digits: &[u8]) -> Option<Area> {
    let total = digits.len();
    let (area, mobile, shortest, longest) = match digits {
        // Ten digits after 010 are one too few: only beside a word.
        [0, 1, 0 | 1 | 6..=9, ..] => (3, true, 10, 11),
        [0, 7, 0, ..] => (3, true, 11, 11),
        [0, 2, ..] => (2, false, 9, 10),
        [0, 5, 0, 2..=8, ..] => (4, true, 11, 12),
        [0, 3 | 5, 1..=3, ..] | [0, 4 | 6, 1..=4, ..] | [0, 5, 4 | 5, ..] => (3, false, 10, 11),
        _ => return None,
    };
    (shortest..=longest).contains(&total).then_some(Area { digits: area, mobile })
}

/// Whether the groups are those in which such numbers are written.
fn fits(area: Area, lengths: &[usize], total: usize) -> bool {
    match *lengths {
        [_] => true,
        [first, last] => first == area.digits || (area.mobile && last == 4),
        [first, _, last] => first == area.digits && last == 4 && total > 8,
        _ => false,
    }
}

/// Whether digits in these groups are those of a telephone number.
pub(super) fn has_shape(digits: &[u8], lengths: &[usize]) -> bool {
    lengths.len() > 1 && area(digits).is_some_and(|area| fits(area, lengths, digits.len()))
}

fn separators_fit(sequence: &Sequence<'_, '_>, count: usize) -> bool {
    use Separator::{Blank, Dash, Dot, Paren, Wide};
    sequence.groups().len() >= count && sequence.joined_by(count, &[Dash, Blank, Wide, Dot, Paren])
}

/// Whether the spelling alone says that it is a telephone number.
fn is_sure(sequence: &Sequence<'_, '_>, country: Country, area: Area, skip: usize, count: usize) -> bool {
    use Separator::{Dash, Paren};
    let bracketed = sequence.joined_by(2, &[Paren]) && sequence.is_opened();
    let dashed = count == 3 && (bracketed || sequence.joined_by(skip + count, &[Dash, Paren]));
    let bare_mobile = area.mobile && area.digits == 3;
    match country {
        Country::Home => dashed || (bare_mobile && !is_old_and_bare(sequence, count)) || (area.mobile && count == 3),
        Country::Abroad => true,
        Country::Unsigned => dashed && area.mobile,
        Country::Cut => false,
    }
}

/// Ten digits from 011 to 019 in one piece are too few to be sure.
fn is_old_and_bare(sequence: &Sequence<'_, '_>, count: usize) -> bool {
    count == 1 && sequence.lengths.first() != Some(&11)
}

/// With the plus sign and the parenthesis that belong to it.
fn whole(sequence: &Sequence<'_, '_>, count: usize) -> Option<std::ops::Range<usize>> {
    let view = sequence.view;
    let mut range = sequence.closed(count)?;
    if view.before(range.start) == b'+' {
        range.start -= 1;
    }
    let opened = view.before(range.start) == b'(';
    let closes = view.slice(range.clone()).contains(')');
    if opened && closes && !is_digit(view.before(range.start - 1)) {
        range.start -= 1;
    }
    Some(range)
}
