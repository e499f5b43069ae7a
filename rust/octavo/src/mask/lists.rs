//! Tables whose rows stand in brackets: `INSERT INTO t (name, rrn) VALUES (…), (…)`, `{"columns": […], "data": [[…]]}`,
//! and lists with a name, `"accounts": […]`.

use std::sync::Arc;

use super::rows::{Row, bare};
use super::table::{Head, Place, speaks};

/// Words between the head and the rows, or between rows.
const BETWEEN: &[&str] = &["", "values", "data", "rows", "records", "index", "items", "results", "body"];
/// Bytes between two rows.
const GAP: usize = 80;

/// Where a row in brackets is open at the end of a text.
enum Open {
    /// Its bracket stands here.
    At(usize),
    /// The text is all of the same row.
    Before,
    /// The line has no such row.
    Nowhere,
}

/// The column in which the text ends, and the head of the table, when the row that it ends in stands in brackets; `known`
/// is the cell that it begins with.
pub(super) fn column(text: &str, known: Option<&Place>) -> Option<(usize, Arc<Head>)> {
    let known = known.filter(|known| known.listed);
    match open(text) {
        Open::At(at) => {
            let (before, row) = text.split_at_checked(at)?;
            let bracket = row.chars().next()?;
            let column = cells(row.get(1..)?).len() - 1;
            Some((column, head(before, bracket, known)))
        }
        Open::Before => known.map(|place| (place.column + cells(text).len() - 1, Arc::clone(&place.head))),
        Open::Nowhere => None,
    }
}

fn open(text: &str) -> Open {
    let mut depth = 0_usize;
    for (at, one) in text.char_indices().rev() {
        match one {
            ')' | ']' => depth += 1,
            '(' | '[' if depth == 0 => return Open::At(at),
            '(' | '[' => depth -= 1,
            '\n' if depth == 0 && !goes_on(text.get(..at).unwrap_or_default()) => return Open::Nowhere,
            _ => {}
        }
    }
    Open::Before
}

/// Whether the list goes on in the next line.
fn goes_on(line: &str) -> bool {
    line.trim_end().ends_with([',', '[', '('])
}

/// The head of the table before the bracket of a row.
fn head(before: &str, bracket: char, known: Option<&Place>) -> Arc<Head> {
    if let Some(name) = (bracket == '[').then(|| name_of_list(before)).flatten() {
        return Arc::new(Head { cells: vec![name], of_all: true, indented: false });
    }
    let close = if bracket == '(' { ')' } else { ']' };
    let mut rest = before;
    while let Some(end) = end_of_row(rest, close) {
        let inside = rest.get(..end).unwrap_or_default();
        let Some(start) = inside.rfind(['(', '[', ')', ']']) else {
            return known.map_or_else(Arc::default, |place| Arc::clone(&place.head));
        };
        if inside.get(start..).is_none_or(|row| !row.starts_with(bracket)) {
            break;
        }
        let cells = cells(inside.get(start + 1..).unwrap_or_default());
        if Row::of(&cells) == Row::Head {
            return Arc::new(Head::of_cells(&cells));
        }
        rest = inside.get(..start).unwrap_or_default();
    }
    Arc::default()
}

/// `"accounts": [`, `accounts = [`: the name, when it says what numbers are.
fn name_of_list(before: &str) -> Option<String> {
    let name = before.trim_end().strip_suffix([':', '='])?.trim_end();
    let start = name.rfind([',', '{', '(', '[', '\n', ';']).map_or(0, |at| at + 1);
    let name = name.get(start..).map(bare)?;
    // `accountNumbers` are many of an account number.
    [name.trim_end_matches('s'), name.as_str()].into_iter().find(|name| speaks(name)).map(str::to_owned)
}

/// Where the row before ends: nothing but the words of such tables stands between.
fn end_of_row(text: &str, close: char) -> Option<usize> {
    let end = text.rfind(['(', ')', ']']).filter(|&at| text.get(at..).is_some_and(|rest| rest.starts_with(close)))?;
    let gap = text.get(end + 1..)?;
    let word: String = gap.chars().filter(|one| one.is_alphanumeric()).collect();
    (gap.len() <= GAP && BETWEEN.contains(&word.to_ascii_lowercase().as_str())).then_some(end)
}

/// The cells of a row; inside of quotes and brackets nothing parts them.
fn cells(row: &str) -> Vec<&str> {
    let (mut quote, mut depth) = (None, 0_i32);
    row.split(|one: char| {
        match (quote, one) {
            (Some(mark), _) => quote = Some(mark).filter(|&mark| one != mark),
            (None, '"' | '\'') => quote = Some(one),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        one == ',' && quote.is_none() && depth == 0
    })
    .collect()
}
