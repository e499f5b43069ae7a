//! Digits and what joins them: the groups of a number, and the recogniser that each shape belongs to.

use std::ops::Range;

use super::context::Window;
use super::kind::Kind;
use super::resident::{self, Joint};
use super::scan::{Found, Scene};
use super::view::{View, is_blank, is_digit};
use super::{bank, card, documents, email, iban, keys, label, network, phone};

/// Groups that are read at most: `+82 (0)10-1234-5678` has five, a card of nineteen digits too.
const GROUPS: usize = 6;
/// Digits of a run that are read at most; longer runs are no number of anybody.
const RUN: usize = 32;

/// What stands between two groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Separator {
    /// The first group has none before it.
    #[default]
    None,
    /// One or two dashes, blanks around them.
    Dash,
    /// One blank.
    Blank,
    /// A tab or more than one blank, as between columns.
    Wide,
    /// A full stop.
    Dot,
    /// A parenthesis.
    Paren,
    /// Slash, underscore, comma, colon, tilde, asterisk.
    Other,
}

/// A run of digits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) separator: Separator,
}

/// The groups that begin at a trigger.
pub(super) struct Sequence<'v, 'a> {
    pub(super) view: &'v View<'a>,
    groups: [Group; GROUPS],
    /// Digits of each group, 0 where there is none.
    pub(super) lengths: [usize; GROUPS],
    count: usize,
    /// Whether the digits hang on a word by a dash: `ORD-2026`. Only shapes that are sure of themselves count there.
    pub(super) hangs_on_word: bool,
}

impl<'v, 'a> Sequence<'v, 'a> {
    fn read(view: &'v View<'a>, first: Group, hangs_on_word: bool) -> Self {
        let mut sequence =
            Self { view, groups: [Group::default(); GROUPS], lengths: [0; GROUPS], count: 0, hangs_on_word };
        let mut next = Some(first);
        let slots = sequence.groups.iter_mut().zip(sequence.lengths.iter_mut());
        for (slot, length) in slots {
            let Some(group) = next else { break };
            *slot = group;
            *length = group.end - group.start;
            sequence.count += 1;
            next = after(view, group.end);
        }
        sequence
    }

    pub(super) fn groups(&self) -> &[Group] {
        self.groups.get(..self.count).unwrap_or_default()
    }

    /// The digits of groups `skip..skip + count`, as values.
    pub(super) fn digits(&self, skip: usize, count: usize) -> Vec<u8> {
        let groups = self.groups().iter().skip(skip).take(count);
        groups.flat_map(|group| self.view.slice(group.start..group.end).bytes().map(|byte| byte - b'0')).collect()
    }

    /// Whether the groups `1..count` are all joined by one of these.
    pub(super) fn joined_by(&self, count: usize, separators: &[Separator]) -> bool {
        self.groups().iter().take(count).skip(1).all(|group| separators.contains(&group.separator))
    }

    /// From the first digit to the end of `count` groups, when the number may end there: neither a letter nor a
    /// digit follows, nor a dash or stop with a digit behind it.
    pub(super) fn closed(&self, count: usize) -> Option<Range<usize>> {
        let (first, last) = (self.groups().first()?, self.groups().get(count.checked_sub(1)?)?);
        let goes_on = matches!(self.view.at(last.end), b'-' | b'.') && is_digit(self.view.at(last.end + 1));
        (label::ends_number(self.view, last.end) && !goes_on).then_some(first.start..last.end)
    }

    /// Whether the first `count` groups, joined by blanks or stops, stand in a row of more of their kind: a dump, a
    /// table, a matrix.
    pub(super) fn stands_in_a_row(&self, count: usize) -> bool {
        let groups = self.groups().get(..count).unwrap_or_default();
        let (Some(first), Some(last)) = (groups.first(), groups.last()) else { return false };
        let view = self.view;
        let after = view.run(last.end, 3, is_blank);
        let end = view.run(after, 9, |byte| byte.is_ascii_hexdigit());
        // A cell ends at a blank or line end: whatever else begins with one may be found and become a token. What a
        // number with blanks becomes is still a cell, so that masking twice is masking once.
        let token = view.starts_with(after, "[KR_") || view.starts_with(after, "[CREDIT_CARD");
        let cell = is_cell(view.slice(after..end)) && matches!(view.at(end), b' ' | b'\t' | b'\r' | b'\n' | 0);
        let next = after > last.end && (cell || token);
        let blanks = view.run_back(first.start, 3, is_blank);
        let colon = blanks - view.run_back(blanks, 1, |byte| byte == b':');
        let before = view.run_back(blanks - colon, 9, |byte| byte.is_ascii_hexdigit());
        let previous = blanks < first.start && is_cell(view.slice(before..blanks - colon)) && view.begins_word(before);
        next || previous || view.before(first.start) == b'.'
    }
}

/// Four to eight hexadecimal digits with a decimal one among them: a cell of a table of numbers.
fn is_cell(text: &str) -> bool {
    (4..=8).contains(&text.len()) && text.bytes().any(|byte| byte.is_ascii_digit())
}

/// The group after the one that ends at `end`.
fn after(view: &View<'_>, end: usize) -> Option<Group> {
    let (start, separator) = separator(view, end)?;
    let end = view.run(start, RUN, is_digit);
    Some(Group { start, end, separator })
}

/// The separator at `at` and where the digits after it begin; at most three blanks on either side.
fn separator(view: &View<'_>, at: usize) -> Option<(usize, Separator)> {
    let middle = view.run(at, 3, is_blank);
    let byte = view.at(middle);
    let separator = match byte {
        b'-' => Separator::Dash,
        b'.' => Separator::Dot,
        b'(' | b')' => Separator::Paren,
        b'/' | b'_' | b',' | b':' | b'~' | b'*' => Separator::Other,
        _ if is_digit(byte) && middle > at => {
            let wide = middle > at + 1 || view.at(at) == b'\t';
            return Some((middle, if wide { Separator::Wide } else { Separator::Blank }));
        }
        _ => return None,
    };
    let wide = view.at(middle + 1) == b'-' && matches!(byte, b'-' | b')');
    let rest = middle + 1 + usize::from(wide);
    // A line may be broken after a dash.
    let start = if byte == b'-' && view.at(rest) == b'\n' { rest + 1 } else { view.run(rest, 3, is_blank) };
    is_digit(view.at(start)).then_some((start, separator))
}

/// What the digits at `at` are, and where to go on.
pub(super) fn visit(scene: &Scene<'_, '_>, at: usize) -> (Option<Found>, usize) {
    let view = scene.view;
    let end = view.run(at, RUN, is_digit);
    let before = view.before(at);
    // The digits of `\u0022` are not those of the number after it.
    if let Some(after) = (before.is_ascii_alphanumeric() || before == b'%').then(|| view.inside_code(at)).flatten() {
        return (None, after);
    }
    if (is_digit(before) && !view.ends_escape(at)) || end - at == RUN {
        return (None, end);
    }
    let found = if view.begins_word(at) { numbers(scene, at, end, before) } else { lettered(scene, at, end, before) };
    // The address around a number is more than the number: `01012345678@example.com`.
    (found.map(|found| email::around(scene, &found.range).unwrap_or(found)), end)
}

/// Letters directly before: an account, passport or key whose first digits these are, or a word that names a number.
fn lettered(scene: &Scene<'_, '_>, at: usize, end: usize, before: u8) -> Option<Found> {
    let labelled = || label::begins_number(scene.view, at, end).then(|| numbers(scene, at, end, before))?;
    iban::find(scene, at).or_else(|| documents::passport(scene, at, end)).or_else(labelled)
}

fn numbers(scene: &Scene<'_, '_>, at: usize, end: usize, before: u8) -> Option<Found> {
    let view = scene.view;
    let glued = glue(view, at, before)?;
    if let Some(token) = keys::telegram(scene, at, end) {
        return Some(token);
    }
    let first = Group { start: at, end, separator: Separator::None };
    // Most numbers are short and stand alone, or are times: they are passed here.
    let may_be = match (end - at, separator(view, end)) {
        (9.., _) | (6, Some(_)) => true,
        (1, _) | (_, None | Some((_, Separator::Other))) => false,
        _ => true,
    };
    if !may_be {
        return network::find(scene, at);
    }
    let sequence = Sequence::read(view, first, glued);
    resident_number(scene, &sequence)
        .or_else(|| phone::find(scene, &sequence))
        .or_else(|| card::find(scene, &sequence))
        .or_else(|| documents::driver_license(scene, &sequence))
        .or_else(|| documents::business(scene, &sequence))
        .or_else(|| bank::find(scene, &sequence))
        .or_else(|| network::find(scene, at))
}

/// None when a dash or stop joins the digits to digits before; whether a dash joins them to a word of letters.
fn glue(view: &View<'_>, at: usize, before: u8) -> Option<bool> {
    if before == b'.' {
        return (!is_digit(view.before(at - 1))).then_some(false);
    }
    if before != b'-' || !view.before(at - 1).is_ascii_alphanumeric() {
        return Some(false);
    }
    let word = view.run_back(at - 1, 16, |byte| byte.is_ascii_alphanumeric());
    let digits = view.slice(word..at).bytes().any(|byte| byte.is_ascii_digit());
    (!digits).then_some(true)
}

fn resident_number(scene: &Scene<'_, '_>, sequence: &Sequence<'_, '_>) -> Option<Found> {
    let (count, joint) = match sequence.lengths {
        [13, ..] => (1, bare_joint(sequence)),
        [6, 7, ..] => (2, joint(sequence)),
        _ => return None,
    };
    let mut range = sequence.closed(count)?;
    // The bracket that `850228(1234567)` opens is closed with it.
    let inside = sequence.view.slice(range.clone());
    if inside.contains('(') && !inside.contains(')') && sequence.view.at(range.end) == b')' {
        range.end += 1;
    }
    let digits = sequence.digits(0, count);
    let window = || Window::around(scene.view, scene.past, &range);
    let (kind, confidence) = resident::judge(&digits, joint, scene.strict, window)?;
    scene.found(kind, range, confidence)
}

fn joint(sequence: &Sequence<'_, '_>) -> Joint {
    if sequence.joined_by(2, &[Separator::Dash]) { Joint::Dash } else { Joint::Other }
}

/// A soft hyphen is invisible in one place and a dash in another: after six digits it is the dash.
fn bare_joint(sequence: &Sequence<'_, '_>) -> Joint {
    let dash = sequence.groups().first().is_some_and(|group| sequence.view.soft_hyphen_at(group.start + 6));
    if dash { Joint::Dash } else { Joint::Bare }
}

impl Scene<'_, '_> {
    /// A finding of a kind that is asked for.
    pub(super) fn found(&self, kind: Kind, range: Range<usize>, confidence: u8) -> Option<Found> {
        self.kinds.contains(kind).then_some(Found { kind, range, confidence, open: None })
    }

    /// The words around a candidate.
    pub(super) fn window(&self, range: &Range<usize>) -> Window {
        Window::around(self.view, self.past, range)
    }
}
