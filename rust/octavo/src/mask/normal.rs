//! Text as it is read: invisible characters gone, every digit, dash and space in its ASCII form, and the way back.
//!
//! Each character is judged alone, without its neighbours: the normal form of two pieces is the two normal forms
//! one after the other, which is what makes streaming exact.

use std::borrow::Cow;
use std::ops::Range;

use super::unicode::{Meaning, may_stand_for_another, meaning};

/// Where the normal form stops running beside the original.
#[derive(Clone, Copy, Debug)]
struct Bend {
    /// Byte in the normal form.
    normal: usize,
    /// The byte of the original that stands there.
    original: usize,
    /// Bytes of the original that the first byte of the normal form stands for.
    width: usize,
}

/// The normal form of a text, with the map back to it.
pub(super) struct Normal<'a> {
    pub(super) text: Cow<'a, str>,
    bends: Vec<Bend>,
    /// Where soft hyphens were left out: they are invisible *and* dashes, see `resident.rs`.
    pub(super) soft_hyphens: Vec<usize>,
}

impl<'a> Normal<'a> {
    /// Copies nothing when every character stands for itself.
    pub(super) fn new(text: &'a str) -> Self {
        let mut normal = Self { text: Cow::Borrowed(text), bends: Vec::new(), soft_hyphens: Vec::new() };
        let mut copied = String::new();
        let mut done = 0;
        while let Some((at, character, meant)) = next_other(text, done) {
            if done == 0 {
                copied.reserve(text.len());
            }
            copied.push_str(text.get(done..at).unwrap_or_default());
            done = at + character.len_utf8();
            normal.bend(&mut copied, at, character, meant);
        }
        if done > 0 {
            copied.push_str(text.get(done..).unwrap_or_default());
            normal.text = Cow::Owned(copied);
        }
        normal
    }

    fn bend(&mut self, copied: &mut String, at: usize, character: char, meant: Meaning) {
        let width = character.len_utf8();
        // Characters side by side need one bend each, not a second one for the text between them.
        let side_by_side = |bend: &mut Bend| bend.normal == copied.len() && bend.original == at;
        self.bends.pop_if(side_by_side);
        match meant {
            Meaning::Ascii(byte) => {
                self.bends.push(Bend { normal: copied.len(), original: at, width });
                copied.push(char::from(byte));
            }
            _ if character == '\u{AD}' => self.soft_hyphens.push(copied.len()),
            _ => {}
        }
        self.bends.push(Bend { normal: copied.len(), original: at + width, width: 1 });
    }

    /// The bytes of the original that a range of the normal form stands for, without invisible characters around.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.place(range.start).0;
        let end = range.end.checked_sub(1).map_or(start, |last| {
            let (original, width) = self.place(last);
            original + width
        });
        start..end.max(start)
    }

    /// Where a byte of the normal form stands in the original, and how many bytes wide.
    fn place(&self, at: usize) -> (usize, usize) {
        let after = self.bends.partition_point(|bend| bend.normal <= at);
        match after.checked_sub(1).and_then(|index| self.bends.get(index)) {
            None => (at, 1),
            Some(bend) if bend.normal == at => (bend.original, bend.width),
            Some(bend) => (bend.original + (at - bend.normal), 1),
        }
    }

    /// The first byte of the normal form that stands for `original` or something after it.
    pub(super) fn in_normal(&self, original: usize) -> usize {
        let after = self.bends.partition_point(|bend| bend.original <= original);
        let before = after.checked_sub(1).and_then(|index| self.bends.get(index));
        let straight = before.map_or(original, |bend| bend.normal + (original - bend.original));
        // Between characters that are not seen the text stands still.
        self.bends.get(after).map_or(straight, |next| straight.min(next.normal))
    }
}

/// The next character at or after `from` that stands for something else.
fn next_other(text: &str, mut from: usize) -> Option<(usize, char, Meaning)> {
    loop {
        let rest = text.as_bytes().get(from..)?;
        let at = from + skip_plain(rest)?;
        let character = text.get(at..)?.chars().next()?;
        match meaning(character) {
            Meaning::Same => from = at + character.len_utf8(),
            meant => return Some((at, character, meant)),
        }
    }
}

/// Bytes before the first lead byte that may matter. ASCII is tested in blocks, which the compiler makes wide.
fn skip_plain(bytes: &[u8]) -> Option<usize> {
    let mut done = 0;
    for block in bytes.chunks(64) {
        if !block.is_ascii()
            && let Some(at) = block.iter().position(|&byte| may_stand_for_another(byte))
        {
            return Some(done + at);
        }
        done += block.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_borrowed() {
        for text in ["", "plain", "한글과 漢字", "이모지는 아니다"] {
            let normal = Normal::new(text);
            assert!(matches!(normal.text, Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn the_map_leads_back() {
        let text = "가\u{200B}１\u{200B}２–3\u{AD}4 𝟗나";
        let normal = Normal::new(text);
        assert_eq!(normal.text, "가12-34 9나");
        let back = |range: Range<usize>| text.get(normal.original(&range)).unwrap_or("?");
        assert_eq!(back(3..4), "１");
        assert_eq!(back(3..5), "１\u{200B}２");
        assert_eq!(back(5..6), "–");
        assert_eq!(back(6..8), "3\u{AD}4");
        assert_eq!(back(9..10), "𝟗");
        assert_eq!(back(0..3), "가");
        assert_eq!(back(10..13), "나");
        assert_eq!(normal.soft_hyphens, [7]);
        let hidden = Normal::new("a\u{200B}\u{200B}1");
        assert_eq!((0..=8).map(|at| hidden.in_normal(at)).collect::<Vec<_>>(), [0, 1, 1, 1, 1, 1, 1, 1, 2]);
    }
}
