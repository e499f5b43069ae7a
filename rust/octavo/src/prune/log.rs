//! Logs and what commands print: the beginning, the end, and every region where something went wrong.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Made;
use super::cues::{Severity, severity};
use super::fit::Limit;
use super::pieces::{CLASS, Pieces, rank};

/// The most lines of one region. A longer trace says little more: its last line stands in the next region's cue.
const LONGEST_REGION: usize = 40;

/// Lines at the end that are ranked above all: the exit code, and what was said last before it.
const LAST: usize = 5;

pub(super) fn shorten(text: &str, bound: &Limit<'_>) -> Made {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    Pieces::new(text, bound).best_lines(bound, &ranks(&lines))
}

/// Where something went wrong: the lines from `first` up to `end`.
struct Region {
    first: usize,
    end: usize,
    severity: Severity,
    /// The same was said before, but for numbers.
    repeated: bool,
}

/// Of six units, about four go to errors, and one each to the beginning and the end, as long as there are such;
/// warnings, and errors that only repeat another, come behind the others.
fn ranks(lines: &[&str]) -> Vec<u64> {
    let count = lines.len();
    let spread = |place: usize| rank((12 * place).min(6 * (count - 1 - place)));
    let mut ranks: Vec<u64> = (0..count).map(spread).collect();
    let regions = regions(lines);
    let (first, second): (Vec<_>, Vec<_>) =
        regions.into_iter().partition(|region| region.severity == Severity::Error && !region.repeated);
    lower(&mut ranks, &first, 2);
    lower(&mut ranks, &second, 8);
    for (place, line) in ranks.iter_mut().enumerate() {
        let last = place + LAST >= count || place == 0;
        *line = if last { rank(count - place) } else { line.saturating_add(CLASS) };
    }
    if let Some(first) = ranks.first_mut() {
        *first = 1;
    }
    ranks
}

/// Ranks the lines of regions, the first and the last ones first: a compiler's first error causes the others, a log's
/// last one is the newest.
fn lower(ranks: &mut [u64], regions: &[Region], weight: usize) {
    let mut seen = 0;
    for place in (0..regions.len()).map(|turn| alternate(turn, regions.len())) {
        let Some(region) = regions.get(place) else { continue };
        for line in ranks.iter_mut().take(region.end).skip(region.first) {
            *line = (*line).min(rank(weight * seen));
            seen += 1;
        }
    }
}

/// 0, last, 1, last but one, …
fn alternate(turn: usize, count: usize) -> usize {
    if turn.is_multiple_of(2) { turn / 2 } else { count - 1 - turn / 2 }
}

fn regions(lines: &[&str]) -> Vec<Region> {
    let mut regions: Vec<Region> = Vec::new();
    let mut said = HashSet::new();
    let mut place = 0;
    while let Some(line) = lines.get(place) {
        let severity = severity(line);
        if severity == Severity::None {
            place += 1;
            continue;
        }
        let end = place + 1 + continued(lines, place);
        let repeated = !said.insert(without_numbers(line));
        regions.push(Region { first: place, end, severity, repeated });
        place = end;
    }
    regions
}

/// How many lines after a cue belong to it: indented lines, frames and what points into source; after a Python
/// traceback also the line that names the exception.
fn continued(lines: &[&str], place: usize) -> usize {
    let followers = lines.iter().skip(place + 1).take(LONGEST_REGION);
    let count = followers.take_while(|line| belongs(line)).count();
    let traceback = lines.get(place).is_some_and(|line| line.contains("Traceback (most recent call last)"));
    let named = traceback && lines.get(place + 1 + count).is_some_and(|line| !line.trim().is_empty());
    count + usize::from(named)
}

fn belongs(line: &str) -> bool {
    let content = line.trim();
    if content.is_empty() {
        return false;
    }
    line.starts_with([' ', '\t', '|', '^'])
        || ["at ", "Caused by", "E  ", "-->", "... ", "note:", "help:"].iter().any(|start| line.starts_with(start))
}

/// What a line says apart from its numbers: times, ids and counts differ where the error is the same.
fn without_numbers(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.bytes().filter(|byte| !byte.is_ascii_digit()).for_each(|byte| byte.hash(&mut hasher));
    hasher.finish()
}
