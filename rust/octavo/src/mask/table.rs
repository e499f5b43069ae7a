//! Tables: the head of a column says what every number below it is, however many rows lie between.
//!
//! A row is a line (CSV, TSV, Markdown, what databases and data frames print), or a list in brackets (the rows of
//! `INSERT`, of JSON). The pass keeps the cell that it was asked about last, with the head of its table: the next one is
//! found by reading on from there, so each byte of a table is read once, and a stream needs no text of rows before.

use std::ops::Range;
use std::sync::Arc;

use super::context::Window;
use super::view::{View, is_blank};
use super::{bank, card, documents, lists, phone, resident, rows};

/// Bytes before a cell in which its row, and the head of a table that is not known, are looked for.
const REACH: usize = 1_200;
/// Findings and tokens in them.
const ACROSS: usize = 12;
/// Quotes around a cell, with their backslashes.
const QUOTES: usize = 8;
/// Blanks that pad a cell.
const PADDING: usize = 64;

/// What parts the cells of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Joint {
    Pipe,
    Tab,
    Comma,
    Semicolon,
    /// Two blanks or more.
    Wide,
    /// Nothing: each row has one cell.
    Alone,
}

/// The head of a table.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Head {
    /// What its cells say; none where no head was found.
    pub(super) cells: Vec<String>,
    /// Whether its first cell stands over every column: the name of a list.
    pub(super) of_all: bool,
    /// Whether it is indented, over rows that begin with their number.
    pub(super) indented: bool,
}

/// A cell, and the head of the table in which it stands.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Where the cell begins, quotes and all.
    pub(super) at: usize,
    pub(super) joint: Joint,
    /// Whether the row stands in brackets.
    pub(super) listed: bool,
    /// The column, as the head counts them.
    pub(super) column: usize,
    pub(super) head: Arc<Head>,
}

impl Place {
    /// The cell of a number, when it stands alone in it; `known` are cells before, of which the first that fits is
    /// read on from.
    pub(super) fn of(
        view: &View<'_>,
        past: &[Range<usize>],
        known: &[Option<&Self>],
        number: &Range<usize>,
    ) -> Option<Self> {
        let (at, joint) = cell(view, number)?;
        let known = known.iter().copied().flatten().find(|known| known.joint == joint && known.at <= at);
        let (text, whole) = text_before(view.bytes(), past, known.map_or(0, |known| known.at), at);
        let known = known.filter(|_| whole);
        let listed = if joint == Joint::Comma { lists::column(&text, known) } else { None };
        let (listed, found) = match listed {
            Some(found) => (true, Some(found)),
            None => (false, rows::column(&text, whole, joint, known.filter(|known| !known.listed))),
        };
        let (column, head) = found?;
        Some(Self { at, joint, listed, column, head })
    }

    /// What stands over the cell, where it says what numbers are.
    pub(super) fn head(&self) -> Option<&str> {
        let column = if self.head.of_all { 0 } else { self.column };
        self.head.cells.get(column).map(String::as_str).filter(|cell| speaks(cell))
    }
}

/// Whether a cell has a word in it that says what numbers are, or are not.
pub(super) fn speaks(cell: &str) -> bool {
    let words = [
        bank::WORDS,
        bank::GROUPED_WORDS,
        bank::OTHERS,
        resident::WORDS,
        resident::OTHERS,
        resident::TIMES,
        phone::WORDS,
        card::WORDS,
        documents::LICENSE_WORDS,
        documents::PASSPORT_WORDS,
    ];
    let window = Window::under(cell);
    words.iter().any(|words| window.has(words))
}

/// What stands beside a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Edge {
    Joint(Joint),
    /// The row begins or ends.
    Line,
    /// So does a row in brackets.
    Bracket,
}

/// Where the cell of a number begins, and what parts the cells, when the number is alone in it.
fn cell(view: &View<'_>, number: &Range<usize>) -> Option<(usize, Joint)> {
    let (at, left) = left(view, number.start)?;
    let joint = match (left, right(view, number.end)?) {
        (Edge::Line, Edge::Line) => Joint::Alone,
        (Edge::Line | Edge::Bracket, Edge::Line | Edge::Bracket) => Joint::Comma,
        (Edge::Joint(one), Edge::Joint(other)) if one != other => return None,
        (Edge::Joint(joint), _) | (_, Edge::Joint(joint)) => joint,
    };
    Some((at, joint))
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`' | b'\\')
}

/// Where the cell begins whose text begins at `text`, and what stands before it.
fn left(view: &View<'_>, text: usize) -> Option<(usize, Edge)> {
    let at = view.run_back(text, QUOTES, is_quote);
    let padding = view.run_back(at, PADDING, is_blank);
    let tab = view.slice(padding..at).contains('\t');
    let escape = view.before(padding.saturating_sub(1)) == b'\\';
    let edge = match view.before(padding) {
        b'|' => Edge::Joint(Joint::Pipe),
        _ if tab => Edge::Joint(Joint::Tab),
        b',' => Edge::Joint(Joint::Comma),
        b';' => Edge::Joint(Joint::Semicolon),
        b'(' | b'[' => Edge::Bracket,
        b'\n' | b'\r' => before_line(view, padding),
        b'n' if escape => Edge::Line,
        b't' if escape => Edge::Joint(Joint::Tab),
        0 if padding == 0 => Edge::Line,
        _ if at >= padding + 2 => Edge::Joint(Joint::Wide),
        _ => return None,
    };
    Some((at, edge))
}

/// A line that begins here; JSON may have each cell on a line of its own.
fn before_line(view: &View<'_>, at: usize) -> Edge {
    let end = view.run_back(at, PADDING, |byte| is_blank(byte) || matches!(byte, b'\n' | b'\r'));
    match view.before(end) {
        b',' => Edge::Joint(Joint::Comma),
        b'[' | b'(' => Edge::Bracket,
        _ => Edge::Line,
    }
}

fn right(view: &View<'_>, text: usize) -> Option<Edge> {
    let slashes = view.run(text, QUOTES, |byte| byte == b'\\');
    let at = if matches!(view.at(slashes), b'"' | b'\'' | b'`') { slashes + 1 } else { text };
    let padding = view.run(at, PADDING, is_blank);
    let escape = || view.at(view.run(padding, QUOTES, |byte| byte == b'\\'));
    Some(match view.at(padding) {
        b'|' => Edge::Joint(Joint::Pipe),
        _ if view.slice(at..padding.min(view.len())).contains('\t') => Edge::Joint(Joint::Tab),
        b',' => Edge::Joint(Joint::Comma),
        b';' => Edge::Joint(Joint::Semicolon),
        b')' | b']' => Edge::Bracket,
        b'\n' | b'\r' | 0 => Edge::Line,
        b'\\' if escape() == b't' => Edge::Joint(Joint::Tab),
        b'\\' if matches!(escape(), b'n' | b'r') => Edge::Line,
        _ if padding >= at + 2 => Edge::Joint(Joint::Wide),
        _ => return None,
    })
}

/// The text before a cell, from `from` on or as much of it as is read, and whether that is all. A finding or token is
/// one byte, 0, so that masked text is read as it was; escapes are what they stand for.
fn text_before(bytes: &[u8], past: &[Range<usize>], from: usize, cell: usize) -> (String, bool) {
    let mut backwards: Vec<u8> = Vec::new();
    let mut past = past.iter().rev();
    let mut wall = past.next();
    let (mut at, mut crossed) = (cell, 0);
    while at > from && backwards.len() < REACH && crossed < ACROSS {
        if let Some(range) = wall.filter(|range| at <= range.end) {
            at = range.start.min(at);
            backwards.push(0);
            wall = past.next();
            crossed += 1;
            continue;
        }
        at -= 1;
        backwards.push(bytes.get(at).copied().unwrap_or(0));
    }
    backwards.reverse();
    (String::from_utf8_lossy(&unescaped(&backwards)).into_owned(), at <= from)
}

/// Line ends, tabs and quotes of strings in strings, as they are outside.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut slashes = 0;
    for &byte in text {
        let stands = match byte {
            b'n' if slashes > 0 => b'\n',
            b't' if slashes > 0 => b'\t',
            b'r' if slashes > 0 => b'\r',
            _ => byte,
        };
        if byte == b'\\' {
            slashes += 1;
            continue;
        }
        slashes = 0;
        plain.push(stands);
    }
    plain
}
