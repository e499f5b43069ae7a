//! Unified diffs: the headers of files and hunks first, then changed lines of every hunk, then what is around them.

use super::Made;
use super::fit::Limit;
use super::pieces::{CLASS, Pieces, rank};

/// Lines before the first file that are ranked with the headers: the commit and its subject.
const PREFACE: usize = 6;

pub(super) fn shorten(text: &str, bound: &Limit<'_>) -> Made {
    Pieces::new(text, bound).best_lines(bound, &ranks(text))
}

fn ranks(text: &str) -> Vec<u64> {
    let mut reading = Reading::default();
    text.split_inclusive('\n').enumerate().map(|(place, line)| reading.rank(place, line)).collect()
}

#[derive(Default)]
struct Reading {
    /// Whether a hunk is being read.
    hunk: bool,
    seen_file: bool,
    changed: usize,
    around: usize,
}

impl Reading {
    fn rank(&mut self, place: usize, line: &str) -> u64 {
        if line.starts_with("@@ ") {
            (self.hunk, self.changed, self.around) = (true, 0, 0);
            return CLASS;
        }
        if is_file_header(line, self.hunk) {
            (self.hunk, self.seen_file) = (false, true);
            return 0;
        }
        if !self.hunk {
            let preface = !self.seen_file && place < PREFACE;
            return if preface { 0 } else { 4 * CLASS + rank(place) };
        }
        // Each hunk's first changes come before any hunk's second ones.
        let (class, count) = if line.starts_with(['+', '-']) { (2, &mut self.changed) } else { (3, &mut self.around) };
        *count += 1;
        class * CLASS + rank(*count)
    }
}

/// Inside of a hunk a removed line may begin with `-- `, and shows as `--- `.
fn is_file_header(line: &str, in_hunk: bool) -> bool {
    let named = ["diff ", "Index: ", "rename ", "new file mode", "deleted file mode", "Binary files ", "similarity "];
    named.iter().any(|start| line.starts_with(start))
        || (!in_hunk && ["--- ", "+++ "].iter().any(|start| line.starts_with(start)))
        || (in_hunk && line.starts_with("--- a/"))
        || (in_hunk && line.starts_with("+++ b/"))
}
