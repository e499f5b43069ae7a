//! Places in a text as Python, UTF-8 and UTF-16 count.

use octavo::mask::Finding;

/// Kind, then start and end in code points, bytes and UTF-16 units, then confidence.
pub(crate) type Span = (&'static str, usize, usize, usize, usize, usize, usize, u8);

/// Findings with their places as Python, UTF-8 and UTF-16 count. They are sorted: one pass over the text.
pub(crate) fn spans(text: &str, found: &[Finding]) -> Vec<Span> {
    let mut at = Place::default();
    found
        .iter()
        .map(|one| {
            let start = at.forward(text, one.bytes.start);
            let end = at.forward(text, one.bytes.end);
            let kind = one.kind.name();
            (kind, start.points, end.points, start.bytes, end.bytes, start.units, end.units, one.confidence)
        })
        .collect()
}

/// One place in a text, as each encoding counts it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Place {
    pub(crate) points: usize,
    bytes: usize,
    units: usize,
}

impl Place {
    /// The place at byte `to`, which is not before this one.
    pub(crate) fn forward(&mut self, text: &str, to: usize) -> Self {
        for letter in text.get(self.bytes..to).unwrap_or_default().chars() {
            self.points += 1;
            self.units += letter.len_utf16();
        }
        self.bytes = to;
        *self
    }
}
