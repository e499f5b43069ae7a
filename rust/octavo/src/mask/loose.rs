//! Numbers in groups that nobody gives them, `9 9 1 2 3 1 - 2 0 6 5 1 2 2`, `010/1234/5678`, `4111-1111<br>1111-1111`:
//! only after a word that says what they are, and with the digits of what it says.

use std::ops::Range;

use super::context::Window;
use super::groups::{RUN, Separator, Sequence, number};
use super::kind::Kind;
use super::resident::{self, Joint};
use super::scan::{Found, Scene};
use super::{bank, card, date, documents, phone};

/// How sure the word and the digits are together.
const CONFIDENCE: u8 = 70;

pub(super) fn find(scene: &Scene<'_, '_>, sequence: &Sequence<'_, '_>) -> Option<Found> {
    if sequence.hangs_on_word || sequence.lengths.contains(&RUN) {
        return None;
    }
    (1..=sequence.groups().len()).rev().find_map(|count| {
        let total: usize = sequence.lengths.iter().take(count).sum();
        let loose = count > 1 || sequence.is_spaced(count);
        ((10..=19).contains(&total) && loose).then(|| Reading::of(scene, sequence, count, total)?.find())?
    })
}

/// The first groups of a sequence, read as one number.
struct Reading<'r, 'v, 'a> {
    scene: &'r Scene<'r, 'a>,
    sequence: &'r Sequence<'v, 'a>,
    count: usize,
    total: usize,
    range: Range<usize>,
    digits: Vec<u8>,
}

impl<'r, 'v, 'a> Reading<'r, 'v, 'a> {
    fn of(scene: &'r Scene<'r, 'a>, sequence: &'r Sequence<'v, 'a>, count: usize, total: usize) -> Option<Self> {
        let range = sequence.closed(count)?;
        Some(Self { scene, sequence, count, total, range, digits: sequence.digits(0, count) })
    }

    fn find(&self) -> Option<Found> {
        let kind = self.resident().or_else(|| {
            let judged: [(Kind, bool, &[&str]); 4] = [
                (Kind::KrPhone, self.is_phone(), phone::WORDS),
                (Kind::CreditCard, self.is_card(), card::WORDS),
                (Kind::KrDriverLicense, self.is_license(), documents::LICENSE_WORDS),
                (Kind::KrBankAccount, self.is_account(), bank::WORDS),
            ];
            let fitting: Vec<_> = judged.into_iter().filter(|&(_, fits, _)| fits).collect();
            let window = (!fitting.is_empty()).then(|| self.window())?;
            fitting.into_iter().find(|(kind, _, words)| self.is_named(*kind, words, &window)).map(|(kind, ..)| kind)
        })?;
        self.scene.found(kind, self.range.clone(), CONFIDENCE)
    }

    /// Columns of sums are groups of digits too, so the word for an account stands right before it.
    fn is_named(&self, kind: Kind, words: &[&str], window: &Window) -> bool {
        let column = kind == Kind::KrBankAccount && self.sequence.joined_by(self.count, &[Separator::Blank]);
        if column && !self.sequence.is_spaced(self.count) {
            return window.without_names().directly(words);
        }
        window.has_before(words)
    }

    fn window(&self) -> Window {
        self.scene.window(&self.range)
    }

    fn lengths(&self) -> &[usize] {
        self.sequence.lengths.get(..self.count).unwrap_or_default()
    }

    fn has(&self, separator: Separator) -> bool {
        self.sequence.groups().iter().take(self.count).skip(1).any(|group| group.separator == separator)
    }

    /// Six digits of a date, however written, and seven more.
    fn resident(&self) -> Option<Kind> {
        let halves = self.count == 1
            || self
                .lengths()
                .iter()
                .scan(0, |sum, length| {
                    *sum += length;
                    Some(*sum)
                })
                .any(|sum| sum == 6);
        let year = self.lengths().first() == Some(&4);
        if self.total != 13 || !halves || year || !resident::is_dated(&self.digits) {
            return None;
        }
        let window = self.window();
        let named = window.has_before(resident::WORDS);
        named.then(|| resident::judge(&self.digits, Joint::Other, false, || window).map(|(kind, _)| kind))?
    }

    /// A mobile number in any groups, any other in its own.
    fn is_phone(&self) -> bool {
        // The fields of a time are pairs.
        let time = self.has(Separator::List) && self.lengths().first() == Some(&2);
        let mobile = match *self.digits.as_slice() {
            [0, 1, 0, ..] => self.total == 11,
            [0, 1, 1 | 6..=9, ..] => (10..=11).contains(&self.total),
            _ => false,
        };
        !time && (mobile || phone::has_shape(&self.digits, self.lengths()))
    }

    fn is_card(&self) -> bool {
        !self.has(Separator::List) && card::is_sure(&self.digits)
    }

    fn is_license(&self) -> bool {
        self.total == 12
            && self.sequence.is_spaced(self.count)
            && (11..=28).contains(&number(self.digits.iter().copied().take(2)))
    }

    fn is_account(&self) -> bool {
        use Separator::{Blank, Dash, Dot, Line, Other};
        if !(10..=14).contains(&self.total) || bank::is_another(&self.digits, self.sequence, self.count) {
            return false;
        }
        if bank::is_own_layout(&self.digits, self.sequence.lengths, self.count) {
            return !self.has(Separator::List);
        }
        if self.sequence.is_spaced(self.count) {
            return self.sequence.joined_by(self.count, &[Dash, Blank]);
        }
        // Dates and times are pairs of digits side by side, amounts and years come in ones and twos.
        let pairs = self.lengths().windows(2).any(|two| two.iter().all(|&length| length <= 2));
        let year = date::is_year(&self.digits) && self.lengths().first() == Some(&4);
        let joints = [Dash, Blank, Dot, Other];
        let grouped = self.count > 2 && self.sequence.joined_by(self.count, &joints);
        let broken = self.count > 2 && self.has(Dash) && self.sequence.joined_by(self.count, &[Dash, Line]);
        let long = self.lengths().iter().any(|&length| length > 3) && self.lengths().first() >= Some(&3);
        (grouped || broken) && long && !pairs && !year
    }
}
