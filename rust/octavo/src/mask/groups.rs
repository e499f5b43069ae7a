//! The groups of a number: runs of digits and what joins them.

use std::ops::Range;

use super::label;
use super::view::{View, is_blank, is_control, is_digit};

/// Groups that are read at most: `+82 (0)10-1234-5678` has five, a card of nineteen digits too.
pub(super) const GROUPS: usize = 6;
/// Digits of a group that are read at most; longer ones are no number of anybody.
pub(super) const RUN: usize = 32;
/// Control characters between two digits that are looked over: one before each digit of text in UTF-16.
const CONTROLS: usize = 3;
/// Blanks at the beginning of a line that goes on with a number.
const INDENT: usize = 8;
/// How a line is broken inside a cell of a table, or in a text inside JSON.
const BREAKS: &[&str] = &["\n", "\r\n", "\r", "<br>", "<br/>", "<br />", "\\n", "\\r\\n"];

/// Letters that are drawn as a dash.
const STROKES: &[&str] = &["一", "ᅳ"];

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
    /// Slash, underscore, tilde, asterisk.
    Other,
    /// What no number is parted by but one that hides: `|`, `=`, `+`, and letters drawn like a dash.
    Sign,
    /// Comma, colon: what parts the items of a list and the fields of a time.
    List,
    /// The end of a line, also as it is written in tables and strings, with a dash before or after it.
    Line,
}

/// A run of digits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) separator: Separator,
    /// Its digits: fewer than its bytes where control characters or blanks stand between them.
    pub(super) digits: usize,
    /// Whether a blank stands between all of its digits: `0 1 0`. Such a number is one only beside a word.
    pub(super) spaced: bool,
}

/// Whether control characters inside of a number are looked over. They part the fields of some formats (`find -print0`,
/// `/proc/…/environ`), so a number is first read without them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Controls {
    /// They end the number.
    End,
    /// They are not seen.
    Unseen,
}

impl Group {
    /// The group whose first digit is at `start`.
    pub(super) fn read(view: &View<'_>, start: usize, separator: Separator, controls: Controls) -> Self {
        let first = view.run(start, RUN, is_digit);
        let mut group = Self { start, end: first, separator, digits: first - start, spaced: false };
        if group.digits == 1 && is_blank(view.at(first)) {
            group.read_spaced(view);
        } else if controls == Controls::Unseen {
            group.read_over_controls(view);
        }
        group
    }

    fn read_over_controls(&mut self, view: &View<'_>) {
        while self.digits < RUN && is_control(view.at(self.end)) {
            let next = after_controls(view, self.end, Controls::Unseen);
            let end = view.run(next, RUN - self.digits, is_digit);
            if end == next {
                return;
            }
            self.digits += end - next;
            self.end = end;
        }
    }

    fn read_spaced(&mut self, view: &View<'_>) {
        // The first digit of a word is the word's, which may become a token.
        let single = |at: usize| is_digit(view.at(at)) && view.ends_word(at + 1);
        while self.digits < RUN && is_blank(view.at(self.end)) && single(self.end + 1) {
            self.digits += 1;
            self.end += 2;
            self.spaced = true;
        }
    }
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
    pub(super) fn read(view: &'v View<'a>, first: Group, hangs_on_word: bool, controls: Controls) -> Self {
        let mut sequence =
            Self { view, groups: [Group::default(); GROUPS], lengths: [0; GROUPS], count: 0, hangs_on_word };
        let mut next = Some(first);
        let slots = sequence.groups.iter_mut().zip(sequence.lengths.iter_mut());
        for (slot, length) in slots {
            let Some(group) = next else { break };
            *slot = group;
            *length = group.digits;
            sequence.count += 1;
            let joined = separator(view, group.end, controls);
            next = joined.map(|(start, separator)| Group::read(view, start, separator, controls));
        }
        sequence
    }

    pub(super) fn groups(&self) -> &[Group] {
        self.groups.get(..self.count).unwrap_or_default()
    }

    /// The digits of groups `skip..skip + count`, as values.
    pub(super) fn digits(&self, skip: usize, count: usize) -> Vec<u8> {
        let groups = self.groups().iter().skip(skip).take(count);
        let bytes = groups.flat_map(|group| self.view.slice(group.start..group.end).bytes());
        bytes.filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect()
    }

    /// Whether the groups `1..count` are all joined by one of these.
    pub(super) fn joined_by(&self, count: usize, separators: &[Separator]) -> bool {
        self.groups().iter().take(count).skip(1).all(|group| separators.contains(&group.separator))
    }

    /// Whether a parenthesis stands before the first digit.
    pub(super) fn is_opened(&self) -> bool {
        self.groups().first().is_some_and(|first| self.view.before(first.start) == b'(')
    }

    /// Whether one of the first `count` groups has a blank between all of its digits.
    pub(super) fn is_spaced(&self, count: usize) -> bool {
        self.groups().iter().take(count).any(|group| group.spaced)
    }

    /// From the first digit to the end of `count` groups, when the number may end there: neither a letter nor a
    /// digit follows, nor a dash or stop with a digit behind it.
    pub(super) fn closed(&self, count: usize) -> Option<Range<usize>> {
        let (first, last) = (self.groups().first()?, self.groups().get(count.checked_sub(1)?)?);
        (label::ends_number(self.view, last.end) && !self.goes_on(last.end)).then_some(first.start..last.end)
    }

    /// Whether a dash or stop joins more digits; but not those of a time or network address, `…-10:30`, `…-00::2`.
    fn goes_on(&self, at: usize) -> bool {
        let view = self.view;
        let joined = matches!(view.at(at), b'-' | b'.') && is_digit(view.at(at + 1));
        joined && (view.at(at) == b'.' || view.at(view.run(at + 1, 4, |byte| byte.is_ascii_hexdigit())) != b':')
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

/// The separator at `at` and where the digits after it begin; at most three blanks on either side.
pub(super) fn separator(view: &View<'_>, at: usize, controls: Controls) -> Option<(usize, Separator)> {
    let middle = gap(view, at, controls);
    let byte = view.at(middle);
    let separator = match byte {
        b'-' => Separator::Dash,
        b'.' => Separator::Dot,
        b'(' | b')' => Separator::Paren,
        b'/' | b'_' | b'~' | b'*' => Separator::Other,
        b',' | b':' => Separator::List,
        b'|' | b'=' | b'+' => Separator::Sign,
        0x80.. => return stroke(view, middle, controls),
        b'\n' | b'\r' | b'<' | b'\\' => return line(view, middle, controls),
        _ if is_digit(byte) && middle > at => {
            let blanks = view.slice(at..middle).bytes().filter(|&byte| is_blank(byte));
            let wide = blanks.clone().count() > 1 || blanks.clone().any(|byte| byte == b'\t');
            return Some((middle, if wide { Separator::Wide } else { Separator::Blank }));
        }
        _ => return None,
    };
    let second = after_controls(view, middle + 1, controls);
    let rest = if view.at(second) == b'-' && matches!(byte, b'-' | b')') { second + 1 } else { middle + 1 };
    // A line may be broken after a dash.
    let start = if byte == b'-' && view.at(rest) == b'\n' { rest + 1 } else { gap(view, rest, controls) };
    if is_digit(view.at(start)) {
        return Some((start, separator));
    }
    (byte == b'-').then(|| line(view, gap(view, rest, controls), controls))?
}

/// A letter that is drawn as a dash: Han one, and the vowel EU alone.
fn stroke(view: &View<'_>, at: usize, controls: Controls) -> Option<(usize, Separator)> {
    let length = STROKES.iter().find(|one| view.starts_with(at, one))?.len();
    let start = gap(view, at + length, controls);
    is_digit(view.at(start)).then_some((start, Separator::Sign))
}

/// The end of at most three blanks, and of control characters around them.
fn gap(view: &View<'_>, at: usize, controls: Controls) -> usize {
    let mut end = after_controls(view, at, controls);
    for _ in 0..3 {
        let next = view.run(end, 1, is_blank);
        if next == end {
            break;
        }
        end = after_controls(view, next, controls);
    }
    end
}

fn after_controls(view: &View<'_>, at: usize, controls: Controls) -> usize {
    if controls == Controls::End { at } else { view.run(at, CONTROLS, is_control) }
}

/// Whether a control character stands in or behind the number that begins here.
pub(super) fn has_controls(view: &View<'_>, start: usize) -> bool {
    if !view.has_controls {
        return false;
    }
    let part =
        |byte| is_control(byte) || is_blank(byte) || matches!(byte, b'(' | b')' | b'*' | b','..=b':' | b'_' | b'~');
    let end = view.run(start, 2 * RUN, part).min(view.len());
    view.slice(start..end).bytes().any(is_control)
}

/// One line break at `at`, and where the digits after it begin; a dash may stand before them.
fn line(view: &View<'_>, at: usize, controls: Controls) -> Option<(usize, Separator)> {
    let mut breaks = BREAKS.iter().filter(|one| one.as_bytes().first() == Some(&view.at(at)));
    let length = breaks.find(|one| view.starts_with_any_case(at, one))?.len();
    let indent = gap(view, view.run(at + length, INDENT, is_blank), controls);
    let dash = view.run(indent, 1, |byte| byte == b'-');
    let start = if dash > indent { gap(view, dash, controls) } else { indent };
    is_digit(view.at(start)).then_some((start, Separator::Line))
}

/// The number that digits write.
pub(super) fn number(digits: impl IntoIterator<Item = u8>) -> u32 {
    digits.into_iter().fold(0, |sum, digit| sum * 10 + u32::from(digit))
}
