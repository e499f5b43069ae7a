//! Tables in lines: which row is the head, and in which column a line ends.

use std::sync::Arc;

use super::table::{Head, Joint, Place, speaks};

/// Characters of a cell of the head that are read.
const CELL: usize = 40;

/// What a row is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Row {
    /// Names of columns, one of which says what numbers are.
    Head,
    /// Anything else.
    Data,
}

impl Row {
    /// A head has no cell that begins with a digit, nor one that is masked.
    pub(super) fn of(cells: &[&str]) -> Self {
        let value = |cell: &&str| cell.starts_with(|one: char| one.is_ascii_digit()) || cell.contains('\0');
        let is_head =
            !cells.iter().any(|cell| value(&bare(cell).as_str())) && cells.iter().any(|cell| speaks(&bare(cell)));
        if is_head { Self::Head } else { Self::Data }
    }
}

impl Head {
    pub(super) fn of_cells(cells: &[&str]) -> Self {
        Self { cells: cells.iter().map(|cell| bare(cell)).collect(), ..Self::default() }
    }
}

/// What a cell says, without quotes and blanks.
pub(super) fn bare(cell: &str) -> String {
    let padding = |one: char| one.is_whitespace() || matches!(one, '"' | '\'' | '`' | '*');
    cell.trim_matches(padding).chars().take(CELL).collect()
}

/// The column in which a text ends whose cells are parted so, and the head of the table; `whole` when nothing before it
/// was left out, `known` is the cell that it begins with.
pub(super) fn column(text: &str, whole: bool, joint: Joint, known: Option<&Place>) -> Option<(usize, Arc<Head>)> {
    let (before, row) = text.rsplit_once('\n').map_or((None, text), |(before, row)| (Some(before), row));
    let Some(before) = before else {
        let place = known?;
        return Some((place.column + split(row, joint).len() - 1, Arc::clone(&place.head)));
    };
    let mut head = known.map_or_else(Arc::default, |place| Arc::clone(&place.head));
    for (index, line) in before.split('\n').enumerate() {
        // The row that is begun is as long as the others, whatever is not seen of it.
        if index > 0 || (whole && known.is_none()) {
            head = after_line(head, line.trim_end_matches('\r'), joint);
        }
    }
    let column = (split(row, joint).len() - 1).checked_sub(shift(&head, row))?;
    Some((column, head))
}

/// The head of the table after one more line.
fn after_line(head: Arc<Head>, line: &str, joint: Joint) -> Arc<Head> {
    if is_rule(line) {
        return head;
    }
    let cells = split(line, joint);
    let short = joint != Joint::Alone && cells.len() > 1 || joint == Joint::Alone && line.chars().count() <= CELL;
    if short && Row::of(&cells) == Row::Head {
        let indented = joint == Joint::Wide && line.starts_with(' ');
        return Arc::new(Head { indented, ..Head::of_cells(&cells) });
    }
    let value = joint != Joint::Alone || line.starts_with(|one: char| one.is_ascii_digit() || one == '\0');
    if value && cells.len() == head.cells.len() + shift(&head, line) { head } else { Arc::default() }
}

/// Columns before the first one of the head: the numbers of rows that a data frame prints.
fn shift(head: &Head, row: &str) -> usize {
    usize::from(head.indented && !row.starts_with(' '))
}

/// A line between rows: `|---|:-:|`, `+----+`, those of boxes.
fn is_rule(line: &str) -> bool {
    let drawn = |one: char| matches!(one, '-' | '=' | '+' | '|' | ':' | ' ' | '\u{2500}'..='\u{257F}');
    line.contains(['-', '=']) && line.chars().all(drawn)
}

/// The cells of a row; inside of quotes nothing parts them. A quote that is not closed begins a string of which the row
/// is the first line.
fn split(row: &str, joint: Joint) -> Vec<&str> {
    let inside = row.matches('"').count() % 2 == 1;
    let row = if inside { row.rsplit('"').next().unwrap_or(row) } else { row };
    let mark = match joint {
        Joint::Pipe => '|',
        Joint::Tab => '\t',
        Joint::Comma => ',',
        Joint::Semicolon => ';',
        Joint::Wide => return split_wide(row),
        Joint::Alone => return vec![row],
    };
    let mut quoted = false;
    row.split(|one: char| {
        quoted ^= one == '"';
        one == mark && !quoted
    })
    .collect()
}

fn split_wide(row: &str) -> Vec<&str> {
    let mut cells = Vec::new();
    let mut rest = row.trim_start();
    while let Some(at) = rest.find("  ") {
        cells.push(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default().trim_start();
    }
    cells.push(rest);
    cells
}
