//! Masking while the text arrives: what is given out is what masking the whole would give.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::key_body;
use super::normal::Normal;
use super::scan::{Found, Scanner, may_end_key_line};
use super::spelled;
use super::table::Place;
use super::view::{LOOK_BACK, View, is_blank};
use super::{Finding, Options, Policy, masked};

/// Bytes before the place that the pass has reached in which a finding may still begin: the longest local part of
/// an address, or prefix of a key.
const MAY_BEGIN: usize = 96;
/// A held-back text of at least this many bytes is read again only when it has grown by an eighth: so a long key
/// that arrives byte by byte costs its length times a constant.
const LONG: usize = 2_048;

/// A piece of the text as it came, with what was found in it.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// The findings, in bytes of this piece.
    pub found: Vec<Finding>,
}

impl Piece {
    fn masked(&self) -> String {
        let token = |found: &Finding| if found.goes_on() { String::new() } else { found.kind.token() };
        masked(&self.text, &self.found, token)
    }
}

/// How much there is, never what: the text is not masked.
impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Piece").field("bytes", &self.text.len()).field("findings", &self.found.len()).finish()
    }
}

/// Masks a text that comes in pieces. The pieces given out, joined, are the masked whole, however it is cut.
///
/// Held back is the word that the text ends in and whatever could still become a finding: usually less than a
/// hundred bytes, at most the longest block of a private key (32 KiB) and what surrounds it; characters that are not
/// seen come on top, as many as stand in it. A secret that is longer than that is not held: its rest comes as findings
/// that go on with it, [`Finding::goes_on`], of which nothing is given out. Of what was given out the last 4,096 bytes
/// are kept in the normal form, so that no number of characters that are not seen hides a word of context.
pub struct Stream {
    options: Options,
    /// The text that is not given out, and before it as much as a recogniser may look back at.
    text: String,
    /// Bytes of `text` that are given out.
    given: usize,
    /// Bytes of `text` that are in the normal form.
    normal: usize,
    /// Where the pass stands, in bytes of `text`.
    scanner: Scanner,
    /// Findings that are not given out, in bytes of `text`.
    found: Vec<Found>,
    /// The first byte at which a finding may still begin.
    safe: usize,
    /// The length that `text` must reach before it is read again.
    wanted: usize,
}

impl Stream {
    /// A stream that has seen nothing.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            text: String::new(),
            given: 0,
            normal: 0,
            scanner: Scanner::default(),
            found: Vec::new(),
            safe: 0,
            wanted: 0,
        }
    }

    /// Takes the next piece; gives the masked text that no later piece can change.
    pub fn push(&mut self, chunk: &str) -> String {
        self.advance(chunk).masked()
    }

    /// The rest of the masked text.
    pub fn finish(self) -> String {
        self.rest().masked()
    }

    /// Takes the next piece; gives the text that no later piece can change, with what was found in it.
    pub fn advance(&mut self, chunk: &str) -> Piece {
        self.text.push_str(chunk);
        if self.text.len() < self.wanted {
            return Piece::default();
        }
        self.read(false);
        let piece = self.give(self.safe);
        self.forget();
        piece
    }

    /// The rest of the text, with what was found in it.
    pub fn rest(mut self) -> Piece {
        self.read(true);
        self.give(self.text.len())
    }

    /// Runs the pass over what is new.
    fn read(&mut self, last: bool) {
        let unfinished = if last { 0 } else { spelled::unfinished(&self.text) };
        let text = self.text.get(..self.text.len() - unfinished).unwrap_or_default();
        let normal = Normal::new(text);
        let mut view = View::new(&normal.text, &normal.soft_hyphens);
        let into = |range: &Range<usize>| normal.in_normal(range.start)..normal.in_normal(range.end);
        let mut scanner = Scanner {
            at: normal.in_normal(self.scanner.at),
            past: self.scanner.past.iter().map(into).collect(),
            ahead: self.scanner.ahead.take().map(|found| Found { range: into(&found.range), ..found }),
            open: self.scanner.open,
            table: self.scanner.table.take().map(|place| Place { at: normal.in_normal(place.at), ..place }),
        };
        view.raise_floor(scanner.past.last().map_or(0, |range| range.end));
        let mut found = Vec::new();
        scanner.run(&mut view, self.options.kinds, self.options.policy == Policy::Strict, last, &mut found);
        let back = |range: &Range<usize>| normal.original(range);
        self.found.extend(found.into_iter().map(|found| Found { range: back(&found.range), ..found }));
        join(&mut self.found, self.given);
        // What was given out before its end showed what it was (a key without its beginning) is masked from here on.
        self.found.retain(|found| found.range.end > self.given);
        self.found.iter_mut().for_each(|found| found.range.start = found.range.start.max(self.given));
        // What goes on with a finding begins where that ended, with characters that are not seen between.
        let open = scanner.open.and(scanner.past.last()).map(|range| back(range).end);
        self.safe = open.unwrap_or_else(|| normal.original(&safe_range(&scanner, &view)).start.min(text.len()));
        self.scanner = Scanner {
            at: normal.original(&(scanner.at..scanner.at)).start,
            past: scanner.past.iter().map(back).collect(),
            ahead: scanner.ahead.map(|found| Found { range: back(&found.range), ..found }),
            open: scanner.open,
            table: scanner.table.map(|place| Place { at: normal.original(&(place.at..place.at)).start, ..place }),
        };
        let held = self.text.len() - self.scanner.at.min(self.text.len());
        self.wanted = if held < LONG { 0 } else { self.text.len() + held / 8 };
    }

    /// Gives out up to `end`.
    fn give(&mut self, end: usize) -> Piece {
        let start = self.given;
        let ready = self.found.iter().take_while(|found| found.range.end <= end).count();
        let given: Vec<Found> = self.found.drain(..ready).collect();
        self.given = start.max(end);
        let text = self.text.get(start..self.given).unwrap_or_default().to_owned();
        given.iter().rev().for_each(|found| self.cover(found));
        let finding = |found: Found| Finding {
            kind: found.kind,
            bytes: found.range.start - start..found.range.end - start,
            confidence: found.confidence,
        };
        Piece { text, found: given.into_iter().map(finding).collect() }
    }

    /// Puts a plain token where a finding was: what is kept to look back at is bounded, and holds no secret longer
    /// than it must. To a recogniser a token and the finding that it replaced are the same.
    fn cover(&mut self, found: &Found) {
        let token = if found.confidence == 0 { String::new() } else { found.kind.token() };
        let (old, new) = (found.range.end, found.range.start + token.len());
        self.text.replace_range(found.range.clone(), &token);
        self.move_places(|at| if at >= old { at - old + new } else { at });
    }

    /// Puts what was given out and read into the normal form: it is only looked back at, and a recogniser sees no
    /// other text. Counted in original bytes, a thousand characters that are not seen would push a word out of sight.
    fn normalise(&mut self) {
        let (start, end) = (self.normal, self.given.min(self.scanner.at));
        let Some(part) = self.text.get(start..end).map(str::to_owned) else { return };
        let normal = Normal::new(&part);
        self.normal = end;
        if let Cow::Owned(shown) = &normal.text {
            self.move_places(|at| match at {
                _ if at >= end => at - end + start + shown.len(),
                _ if at > start => start + normal.in_normal(at - start),
                _ => at,
            });
            self.text.replace_range(start..end, shown);
        }
    }

    /// Drops what nothing can look back at any more.
    fn forget(&mut self) {
        self.normalise();
        let mut keep = self.given.min(self.scanner.at).saturating_sub(LOOK_BACK);
        // A finding or token counts as one character of context, so it stays whole or goes whole.
        keep = self.scanner.past.iter().find(|range| range.end > keep).map_or(keep, |range| range.start.min(keep));
        while !self.text.is_char_boundary(keep) {
            keep -= 1;
        }
        // Not at every piece, so that moving the rest costs little for each byte.
        if keep < LOOK_BACK / 4 {
            return;
        }
        self.text.drain(..keep);
        self.scanner.past.retain(|range| range.start >= keep);
        self.move_places(|at| at.saturating_sub(keep));
    }

    /// Everything that is a place in `text` moves with it.
    fn move_places(&mut self, place: impl Fn(usize) -> usize) {
        let moved = |range: &mut Range<usize>| *range = place(range.start)..place(range.end);
        self.given = place(self.given);
        self.normal = place(self.normal);
        self.safe = place(self.safe);
        self.wanted = place(self.wanted);
        self.scanner.at = place(self.scanner.at);
        self.scanner.past.iter_mut().for_each(moved);
        self.found.iter_mut().for_each(|found| moved(&mut found.range));
        self.scanner.ahead.iter_mut().for_each(|found| moved(&mut found.range));
        self.scanner.table.iter_mut().for_each(|cell| cell.at = place(cell.at));
    }
}

/// How much it holds, never what: a stream is a field of things that are logged.
impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = self.text.len() - self.given.min(self.text.len());
        f.debug_struct("Stream").field("options", &self.options).field("held_bytes", &held).finish_non_exhaustive()
    }
}

/// What goes on with a finding begins where that ended.
fn join(found: &mut [Found], given: usize) {
    let mut end = given;
    for found in found {
        if found.confidence == 0 {
            found.range.start = end;
        }
        end = found.range.end;
    }
}

/// The empty range, in the normal form, before which no finding can begin any more.
fn safe_range(scanner: &Scanner, view: &View<'_>) -> Range<usize> {
    // A line end is waited at for a key on the line after it: the line before is over, unless it may be one of a key.
    let over = view.bytes().get(scanner.at) == Some(&b'\n') && !may_end_key_line(view.bytes(), scanner.at);
    let at = scanner.at + usize::from(over);
    let word = view.run_back(at, MAY_BEGIN, may_stand_in_a_beginning);
    let ahead = scanner.ahead.as_ref().map_or(usize::MAX, |found| found.range.start);
    // Base64 has a sign more than a word: a key may be known by its end alone.
    let line = if over { at } else { key_body::line_before(view, at).start };
    let mut safe = before_letter(view, word).min(line).min(ahead);
    while view.bytes().get(safe).is_some_and(|byte| byte & 0xC0 == 0x80) {
        safe += 1;
    }
    safe..safe
}

/// Before the letter of a passport that a blank parts from its digits.
fn before_letter(view: &View<'_>, at: usize) -> usize {
    match at.checked_sub(2) {
        Some(letter) if is_blank(view.before(at)) && view.before(at - 1).is_ascii_alphabetic() => letter,
        _ => at,
    }
}

/// Whether a finding that begins before the place that is reached may have this byte in it: part of a word, or a
/// character that is not seen.
fn may_stand_in_a_beginning(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || b"._%+-(:'&!@#$^*~,{}".contains(&byte)
}
