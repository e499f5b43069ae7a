//! Text as it is read: invisible characters gone, every digit, dash and space in its ASCII form, and the way back.
//!
//! Each character is judged alone, without its neighbours, but for letters that are written in parts (Hangul and kana in
//! NFD), which are put together. As long as no such letter is parted, the normal form of two pieces is the two normal
//! forms one after the other, which is what makes streaming exact: a stream holds back the word that its text ends in,
//! and a letter takes as many bytes in the normal form whether all of its parts have come or the first alone. Nor may an
//! escape that spells a letter be parted, `spelled.rs`.

use std::borrow::Cow;
use std::ops::Range;

use super::compose;
use super::spelled::{self, Spelled};
use super::unicode::{Meaning, may_stand_for_another, meaning};

/// Where the normal form stops running beside the original.
#[derive(Clone, Copy, Debug)]
struct Bend {
    /// Byte in the normal form.
    normal: usize,
    /// The byte of the original that stands there.
    original: usize,
    /// Bytes of the original that the first bytes of the normal form stand for together.
    width: usize,
    /// How many those are.
    bytes: usize,
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
        let mut spelled = spelled::next(text, 0);
        while let Some(other) = next_other(text, done, &mut spelled) {
            if done == 0 {
                copied.reserve(text.len());
            }
            copied.push_str(text.get(done..other.at).unwrap_or_default());
            done = other.at + other.width;
            normal.bend(&mut copied, &other);
        }
        if done > 0 {
            copied.push_str(text.get(done..).unwrap_or_default());
            normal.text = Cow::Owned(copied);
        }
        normal
    }

    fn bend(&mut self, copied: &mut String, &Other { at, width, shown }: &Other) {
        // Characters side by side need one bend each, not a second one for the text between them.
        let side_by_side = |bend: &mut Bend| bend.normal == copied.len() && bend.original == at;
        self.bends.pop_if(side_by_side);
        match shown {
            Shown::As(character) => {
                self.bends.push(Bend { normal: copied.len(), original: at, width, bytes: character.len_utf8() });
                copied.push(character);
            }
            Shown::SoftHyphen => self.soft_hyphens.push(copied.len()),
            Shown::Nothing => {}
        }
        self.bends.push(Bend { normal: copied.len(), original: at + width, width: 1, bytes: 1 });
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
            Some(bend) if at < bend.normal + bend.bytes => (bend.original, bend.width),
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

/// A character, or the parts of a letter, that is shown as something else.
struct Other {
    at: usize,
    width: usize,
    shown: Shown,
}

#[derive(Clone, Copy)]
enum Shown {
    As(char),
    SoftHyphen,
    Nothing,
}

/// The next one at or after `from`; `spelled` is the next letter that is spelled out.
fn next_other(text: &str, from: usize, spelled: &mut Option<Spelled>) -> Option<Other> {
    let Some(next) = *spelled else { return next_written(text, from) };
    if let Some(other) = next_written(text.get(..next.at)?, from) {
        return Some(other);
    }
    *spelled = spelled::next(text, next.at + next.width);
    Some(Other { at: next.at, width: next.width, shown: shown(next.letter).unwrap_or(Shown::As(next.letter)) })
}

/// The same among the characters that are written as they are.
fn next_written(text: &str, mut from: usize) -> Option<Other> {
    loop {
        let rest = text.as_bytes().get(from..)?;
        let at = from + skip_plain(rest)?;
        let rest = text.get(at..)?;
        let character = rest.chars().next()?;
        let width = character.len_utf8();
        if let Some(shown) = shown(character) {
            return Some(Other { at, width, shown });
        }
        if let Some((letter, width)) = compose::letter(rest) {
            return Some(Other { at, width, shown: Shown::As(letter) });
        }
        from = at + width;
    }
}

/// What a character is shown as, where it is not itself.
fn shown(character: char) -> Option<Shown> {
    match meaning(character) {
        Meaning::Ascii(byte) => Some(Shown::As(char::from(byte))),
        Meaning::Nothing if character == '\u{AD}' => Some(Shown::SoftHyphen),
        Meaning::Nothing => Some(Shown::Nothing),
        Meaning::Same => None,
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
