//! Words near a number that say what it is.

use std::ops::Range;

use super::names;
use super::view::View;

/// Characters before a candidate in which a word counts.
const BEFORE: usize = 30;
/// Characters after a candidate in which a word counts: `110123456789 (신한)`.
const AFTER: usize = 16;
/// Findings and tokens before a candidate that a word is seen across. With a bound on the length of a token this
/// bounds what a stream keeps.
const ACROSS: usize = 8;
/// Characters more when the window begins inside a name: `resident_registration_number` is read whole.
const NAME: usize = 24;
/// What stands between a word and its number, particles and all.
const SAID: &[&str] =
    &["번호", "번호는", "번호로", "은", "는", "로", "으로", "은행", "뱅크", "no", "num", "number", "to", "is"];
/// Bytes of a window: thirty characters of at most four bytes, and the rest of a name.
const BYTES: usize = 4 * BEFORE + NAME;

/// The text around a candidate, in lower case. A finding or token counts as one character, so that the window is
/// the same when the text before has been masked.
pub(super) struct Window {
    before: Words,
    after: Words,
    /// Which pairs of bytes stand in either, by a hash: most words are ruled out by their first pair.
    pairs: [u64; 4],
}

impl Window {
    /// `past` are the findings and tokens before the candidate, in order.
    pub(super) fn around(view: &View<'_>, past: &[Range<usize>], candidate: &Range<usize>) -> Self {
        Self::of(&before(view.bytes(), past, candidate.start), &after(view, candidate.end))
    }

    /// A number of which nothing is known but what stands over it.
    pub(super) fn under(head: &str) -> Self {
        Self::of(&format!("{head} "), "")
    }

    fn of(before: &str, after: &str) -> Self {
        let (before, after) = (Words::new(before), Words::new(after));
        let mut pairs = [0; 4];
        for pair in before.text.as_bytes().windows(2).chain(after.text.as_bytes().windows(2)) {
            if let Some(word) = pairs.get_mut(place(pair).0) {
                *word |= place(pair).1;
            }
        }
        Self { before, after, pairs }
    }

    /// Whether one of the words stands before or after.
    pub(super) fn has(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.last(word).is_some() || self.is_after(word))
    }

    /// Whether one of the words stands before.
    pub(super) fn has_before(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.last(word).is_some())
    }

    /// Whether what follows, after blanks, begins with one of the words.
    pub(super) fn goes_on_with(&self, words: &[&str]) -> bool {
        let after = self.after.text.trim_start();
        words.iter().any(|word| after.starts_with(word))
    }

    /// Whether the nearest of `these` stands nearer before the candidate than the nearest of `others`.
    pub(super) fn nearer(&self, these: &[&str], others: &[&str]) -> bool {
        let nearest = |words: &[&str]| words.iter().filter_map(|word| self.last(word)).max();
        nearest(these) > nearest(others)
    }

    /// Whether one of the words ends at most `bytes` before the candidate.
    pub(super) fn ends_within(&self, words: &[&str], bytes: usize) -> bool {
        words.iter().filter_map(|word| self.last(word)).any(|end| end + bytes >= self.before.text.len())
    }

    /// Whether one of the words stands right before the candidate, with no more between than what says that a number
    /// follows.
    pub(super) fn directly(&self, words: &[&str]) -> bool {
        let between = |end: usize| self.before.text.get(end..).is_some_and(is_said_of_number);
        words.iter().filter_map(|word| self.last(word)).any(between)
    }

    /// The same without names of files and of things: `bank/a.c`, `account.py`, `account_balance`.
    pub(super) fn without_names(&self) -> Self {
        Self::of(&names::left_out(&self.before.original), &names::left_out(&self.after.original))
    }

    /// Where the word ends, the last time it stands before the candidate.
    fn last(&self, word: &str) -> Option<usize> {
        self.may_have(word).then(|| self.before.last(word.as_bytes()))?
    }

    fn is_after(&self, word: &str) -> bool {
        self.may_have(word) && self.after.last(word.as_bytes()).is_some()
    }

    fn may_have(&self, word: &str) -> bool {
        let (index, bit) = place(word.as_bytes());
        self.pairs.get(index).is_some_and(|word| word & bit != 0)
    }
}

/// Text in lower case, and where a word may begin inside a row of letters: at the humps of `accountNumber`.
struct Words {
    original: String,
    text: String,
    humps: Vec<usize>,
}

impl Words {
    fn new(original: &str) -> Self {
        let mut humps = Vec::new();
        for (at, three) in original.as_bytes().windows(3).enumerate() {
            // `accountNumber`, `RRNumber` is left alone, `HTTPNumber` splits before its last capital.
            match three {
                [one, two, _] if one.is_ascii_lowercase() && two.is_ascii_uppercase() => humps.push(at + 1),
                [one, two, three]
                    if one.is_ascii_uppercase() && two.is_ascii_uppercase() && three.is_ascii_lowercase() =>
                {
                    humps.push(at + 1);
                }
                // The letter of an escape is no word's: `\ncard`.
                [b'\\', b'n' | b'r' | b't', _] => humps.push(at + 2),
                _ => {}
            }
        }
        Self { original: original.to_owned(), text: original.to_ascii_lowercase(), humps }
    }

    /// Where the word ends, the last time it stands alone. A loop over first bytes: the searcher of the standard
    /// library prepares itself for longer texts, which took an eighth of the whole pass.
    fn last(&self, word: &[u8]) -> Option<usize> {
        let first = *word.first()?;
        let text = self.text.as_bytes();
        // Korean words have no edges, so only ASCII ones are looked at.
        let edge = |at: usize, byte: Option<&u8>| {
            !first.is_ascii() || byte.is_none_or(|byte| !byte.is_ascii_alphabetic()) || self.humps.contains(&at)
        };
        let stands_at = |at: usize| {
            let (before, rest) = text.split_at_checked(at)?;
            let end = at + spelled(rest, word)?;
            (edge(at, before.last()) && edge(end, text.get(end))).then_some(end)
        };
        let starts = text.iter().enumerate().rev().filter(|&(_, &byte)| byte == first);
        starts.map(|(at, _)| at).find_map(stands_at)
    }
}

/// Whether a text before a number says nothing but that it is one: `번호는 `, `": "`, ` no. `, `", "number": "`.
fn is_said_of_number(text: &str) -> bool {
    let words = text.split(|one: char| !one.is_alphanumeric()).filter(|word| !word.is_empty());
    text.len() <= BEFORE && words.into_iter().all(|word| SAID.contains(&word))
}

/// The length of the word at the beginning of a text. A blank in it may be written `_` or `-`, or not at all, as in
/// names: `account_number`, `accountNumber`.
fn spelled(text: &[u8], word: &[u8]) -> Option<usize> {
    let mut rest = text;
    for &letter in word {
        let tail = rest.split_first();
        match (letter, tail) {
            (b' ', Some((b' ' | b'_' | b'-', tail))) => rest = tail,
            (b' ', _) => {}
            (_, Some((&byte, tail))) if byte == letter => rest = tail,
            _ => return None,
        }
    }
    Some(text.len() - rest.len())
}

/// Which word and bit of a set the first two bytes have.
fn place(bytes: &[u8]) -> (usize, u64) {
    let [first, second, ..] = bytes else { return (0, 0) };
    let hash = first.wrapping_mul(31).wrapping_add(second.wrapping_mul(7));
    (usize::from(hash >> 6), 1 << (hash & 63))
}

fn before(bytes: &[u8], past: &[Range<usize>], candidate: usize) -> String {
    let mut backwards: Vec<u8> = Vec::with_capacity(BYTES);
    let mut past = past.iter().rev();
    let mut wall = past.next();
    let (mut at, mut characters, mut crossed) = (candidate, 0, 0);
    let letter = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    while crossed < ACROSS && at > 0 {
        let inside_name = characters < BEFORE + NAME && letter(bytes.get(at)) && letter(bytes.get(at - 1));
        if characters >= BEFORE && !inside_name {
            break;
        }
        if let Some(range) = wall.filter(|range| at <= range.end) {
            at = range.start.min(at);
            backwards.push(0);
            wall = past.next();
            characters += 1;
            crossed += 1;
            continue;
        }
        at -= 1;
        let byte = bytes.get(at).copied().unwrap_or(0);
        backwards.push(byte);
        // A character is counted at its first byte, where going backwards ends it.
        characters += usize::from(byte & 0xC0 != 0x80);
    }
    backwards.reverse();
    String::from_utf8(backwards).unwrap_or_default()
}

/// Stops at whatever may begin another finding or the token of one, so that masking never widens the window.
fn after(view: &View<'_>, from: usize) -> String {
    let mut window = Vec::new();
    let (mut at, mut characters) = (from, 0);
    while characters <= AFTER {
        let byte = view.at(at);
        if matches!(byte, 0 | b'@' | b'[' | b'=' | b'\n' | b'0'..=b'9') {
            break;
        }
        characters += usize::from(byte & 0xC0 != 0x80);
        window.push(byte);
        at += 1;
    }
    let whole = String::from_utf8_lossy(&window);
    whole.trim_end_matches('\u{FFFD}').to_owned()
}
