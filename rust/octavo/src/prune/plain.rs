//! Text of no known structure: its beginning and its end.

use super::Made;
use super::fit::Limit;
use super::pieces::{Pieces, from_both_ends};

pub(super) fn shorten(text: &str, bound: &Limit<'_>) -> Made {
    let pieces = Pieces::new(text, bound);
    let places = pieces.list.len();
    pieces.best(bound, |place, _| from_both_ends(place, places))
}
