//! Digits: the recogniser that each shape of a number belongs to.

use std::ops::Range;

use super::context::Window;
use super::groups::{Controls, Group, RUN, Separator, Sequence, has_controls, separator};
use super::kind::Kind;
use super::resident::{self, Joint};
use super::scan::{Found, Scene};
use super::table::Place;
use super::view::{View, is_digit};
use super::{bank, card, documents, email, iban, keys, label, loose, network, phone};

/// Digits of the shortest number that is found: a telephone in Seoul.
const SHORTEST: usize = 9;

/// What the digits at `at` are, and where to go on.
pub(super) fn visit(scene: &Scene<'_, '_>, at: usize) -> (Option<Found>, usize) {
    let view = scene.view;
    let end = view.run(at, RUN, is_digit);
    let before = view.before(at);
    // A card as it is read from its stripe (ISO/IEC 7813): `%B4111…^`.
    if view.at(end) == b'^' && before == b'B' && view.before(at - 1) == b'%' {
        return (numbers(scene, at, end, b' '), end);
    }
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
    let bot = || at.checked_sub(4).filter(|&slash| scene.view.starts_with(slash, "/bot"));
    let telegram = || bot().and_then(|_| keys::telegram(scene, at, end));
    iban::find(scene, at).or_else(|| documents::passport(scene, at, end)).or_else(telegram).or_else(labelled)
}

fn numbers(scene: &Scene<'_, '_>, at: usize, end: usize, before: u8) -> Option<Found> {
    let view = scene.view;
    let glued = glue(view, at, before)?;
    if let Some(token) = keys::telegram(scene, at, end) {
        return Some(token);
    }
    let read = |controls| shaped(scene, Group::read(view, at, Separator::None, controls), glued, controls);
    let plain = read(Controls::End);
    // An account may be as long as it likes: what goes on behind a control character may be the rest of it.
    let whole = plain.as_ref().is_some_and(|found| found.kind != Kind::KrBankAccount);
    let over = (!whole && has_controls(view, at)).then(|| read(Controls::Unseen)).flatten();
    over.or(plain).or_else(|| documents::parted_passport(scene, at, end)).or_else(|| network::find(scene, at))
}

/// What has the shape of the groups that begin with this one.
fn shaped(scene: &Scene<'_, '_>, first: Group, glued: bool, controls: Controls) -> Option<Found> {
    // A long row of single digits is no number, and must not be read anew from each of them.
    if !may_be_long(scene.view, &first, controls) || (first.spaced && first.digits == RUN) {
        return None;
    }
    let sequence = Sequence::read(scene.view, first, glued, controls);
    // Dates and times, before each recogniser looks at them.
    if sequence.lengths.iter().sum::<usize>() < SHORTEST {
        return None;
    }
    if first.spaced {
        return loose::find(scene, &sequence);
    }
    resident_number(scene, &sequence)
        .or_else(|| short_resident_number(scene, &sequence))
        .or_else(|| phone::find(scene, &sequence))
        .or_else(|| card::find(scene, &sequence))
        .or_else(|| documents::driver_license(scene, &sequence))
        .or_else(|| documents::business(scene, &sequence))
        .or_else(|| bank::find(scene, &sequence))
        .or_else(|| loose::find(scene, &sequence))
}

/// Most numbers are short and stand alone, or are times, dates and items of lists: they are passed here.
fn may_be_long(view: &View<'_>, first: &Group, controls: Controls) -> bool {
    use Separator::{Line, List, Other, Sign};
    let lead = (view.at(first.start), view.at(first.start + 1));
    match (first.digits, separator(view, first.end, controls)) {
        // What joins times and dates joins a telephone number, a card or an account only beside a word.
        (2..=4, Some((_, List))) => lead == (b'0', b'1'),
        (9.., _) | (6, Some(_)) | (2..=4, Some((_, Other | Line))) => true,
        (1, _) | (_, None | Some((_, List | Other | Line | Sign))) => false,
        _ => true,
    }
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
        [6, 7, ..] if !sequence.joined_by(2, &[Separator::Line]) => (2, joint(sequence)),
        _ => return None,
    };
    let mut range = sequence.closed(count)?;
    // The bracket that `850228(1234567)` opens is closed with it.
    let inside = sequence.view.slice(range.clone());
    if inside.contains('(') && !inside.contains(')') && sequence.view.at(range.end) == b')' {
        range.end += 1;
    }
    let digits = sequence.digits(0, count);
    let window = || scene.window(&range);
    let (kind, confidence) = resident::judge(&digits, joint, scene.strict, window)?;
    scene.found(kind, range, confidence)
}

/// A number in JSON that has lost the zero of its year: `"rrn": 501011234567`.
fn short_resident_number(scene: &Scene<'_, '_>, sequence: &Sequence<'_, '_>) -> Option<Found> {
    let range = Some(sequence).filter(|sequence| sequence.lengths.first() == Some(&12))?.closed(1)?;
    let mut digits = sequence.digits(0, 1);
    digits.insert(0, 0);
    let named = resident::is_dated(&digits) && scene.window(&range).directly(resident::CERTAIN);
    let window = || scene.window(&range);
    let (kind, _) = named.then(|| resident::judge(&digits, Joint::Other, false, window))??;
    scene.found(kind, range, 70)
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

    /// The words around a candidate; in a table, those over its column.
    pub(super) fn window(&self, range: &Range<usize>) -> Window {
        self.column(range).unwrap_or_else(|| Window::around(self.view, self.past, range))
    }

    /// What the head of its column says about a number.
    fn column(&self, number: &Range<usize>) -> Option<Window> {
        let looked_at = self.cell.take();
        let place = Place::of(self.view, self.past, &[looked_at.as_deref(), self.table], number);
        let column = place.as_ref().and_then(Place::head).map(Window::under);
        self.cell.set(place.map(Box::new).or(looked_at));
        column
    }
}
