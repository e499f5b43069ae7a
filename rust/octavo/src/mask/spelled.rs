//! Letters that are spelled out as escapes of JSON, `\ube44\ubc00\ubc88\ud638`: so Python's `json.dumps` writes whatever is
//! not ASCII, and careful programs the signs that HTML could take for its own.
//!
//! Only letters, digits and the signs inside of values are read as what they stand for. Quotes, line ends and whatever
//! else ends a value stay escapes, which `escape.rs` knows: text that is masked in a string must leave it one.

use super::compose;

/// Backslashes before the letter: text in JSON in JSON has a run of them. Four levels have fifteen.
const BACKSLASHES: usize = 16;
/// What each escape has.
const MARK: &str = "\\u";

/// A letter that is spelled out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spelled {
    /// Where its backslashes begin.
    pub(super) at: usize,
    /// Bytes that spell it, with those of its parts where it is written in parts.
    pub(super) width: usize,
    pub(super) letter: char,
}

/// The first letter that is spelled out at or after `from`.
pub(super) fn next(text: &str, from: usize) -> Option<Spelled> {
    let bytes = text.as_bytes();
    let mut from = from;
    // Most texts have none, and that is a wide look. Stopping at each backslash took a tenth of the whole pass on JSON.
    if !text.get(from..)?.contains(MARK) {
        return None;
    }
    loop {
        let mark = from + text.get(from..)?.find(MARK)?;
        let before = bytes.get(from..mark).unwrap_or_default();
        let at = mark - before.iter().rev().take(BACKSLASHES).take_while(|&&byte| byte == b'\\').count();
        if let Some((width, letter)) = letter(bytes, at) {
            return Some(whole(bytes, Spelled { at, width, letter }));
        }
        from = mark + MARK.len();
    }
}

/// How much of the text's end may be the beginning of an escape, or of a pair of them: a stream waits for the rest.
pub(super) fn unfinished(text: &str) -> usize {
    let bytes = text.as_bytes();
    let tail = |end: usize| {
        let bytes = bytes.get(..end).unwrap_or_default();
        let digits = bytes.iter().rev().take(4).take_while(|byte| byte.is_ascii_hexdigit()).count();
        let mark = end.checked_sub(digits + 1).filter(|&mark| bytes.get(mark) == Some(&b'u'));
        let run = |to: usize| {
            let before = bytes.get(..to).unwrap_or_default();
            before.iter().rev().take(BACKSLASHES + 1).take_while(|&&byte| byte == b'\\').count()
        };
        let length = match mark {
            Some(mark) if run(mark) > 0 => end - mark + run(mark),
            _ => run(end),
        };
        let whole = mark.is_some() && digits == 4 && length > 5;
        (length, whole)
    };
    let (length, whole) = tail(bytes.len());
    let leads = |at: usize| unit(bytes, at).is_some_and(|(_, unit)| (0xD800..0xDC00).contains(&unit));
    if whole {
        return if leads(bytes.len() - length) { length } else { 0 };
    }
    let (before, lead) = tail(bytes.len() - length);
    if lead && leads(bytes.len() - length - before) { length + before } else { length }
}

fn backslashes(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&byte| byte == b'\\').count()
}

/// The width and the number of one escape: a unit of UTF-16.
fn unit(bytes: &[u8], at: usize) -> Option<(usize, u32)> {
    let rest = bytes.get(at..)?;
    let slashes = backslashes(rest.get(..rest.len().min(BACKSLASHES + 1))?);
    let [b'u', digits @ ..] = rest.get(slashes..)?.first_chunk::<5>()? else { return None };
    let value = digits.iter().try_fold(0, |sum, &byte| Some(sum * 16 + char::from(byte).to_digit(16)?))?;
    (1..=BACKSLASHES).contains(&slashes).then_some((slashes + 5, value))
}

/// The width and the letter of one escape, or of two that are one letter in UTF-16.
fn letter(bytes: &[u8], at: usize) -> Option<(usize, char)> {
    let (width, value) = unit(bytes, at)?;
    if let Some(letter) = char::from_u32(value) {
        let inside = letter.is_ascii_alphanumeric() || matches!(letter, '@' | '+' | '-' | '.' | '_');
        return (inside || value >= 0x80).then_some((width, letter));
    }
    let (second, low) = unit(bytes, at + width)?;
    let pair = char::decode_utf16([value, low].into_iter().filter_map(|unit| u16::try_from(unit).ok())).next()?.ok()?;
    Some((width + second, pair))
}

/// The letter with its parts, where it is one of several: Hangul and kana in NFD.
fn whole(bytes: &[u8], first: Spelled) -> Spelled {
    if !compose::begins_letter(first.letter) {
        return first;
    }
    let (mut parts, mut ends, mut at) = (String::from(first.letter), vec![first.width], first.at + first.width);
    while ends.len() < 3
        && let Some((width, letter)) = letter(bytes, at)
    {
        at += width;
        parts.push(letter);
        ends.push(at - first.at);
    }
    let Some((letter, length)) = compose::letter(&parts) else { return first };
    // Each part takes three bytes.
    let width = ends.get(length / 3 - 1).copied().unwrap_or(first.width);
    Spelled { at: first.at, width, letter }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(usize, usize, char)> {
        next(text, 0).map(|one| (one.at, one.width, one.letter))
    }

    #[test]
    fn letters_are_read_and_borders_are_left() {
        assert_eq!(read(r"a\ube44"), Some((1, 6, '비')));
        assert_eq!(read(r"\n\\\\uBC00"), Some((2, 9, '밀')));
        assert_eq!(read(r"\ud835\udfd7x"), Some((0, 12, '𝟗')));
        assert_eq!(read(r"\u1107\u1175\u11AFx"), Some((0, 18, '빌')));
        assert_eq!(read(r"\u1107x"), Some((0, 6, '\u{1107}')));
        assert_eq!(read(r"pass\u0077ord"), Some((4, 6, 'w')));
        for text in [r"\u0022", r"\u000a", r"\u001b", r"\u00", r"u0041", r"\ud835x", r"\udfd7", r"\n", "", r"\\\\"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&format!("{}u0041", "\\".repeat(17))), None);
    }

    #[test]
    fn what_may_go_on_is_known() {
        for (text, length) in [
            (r"a\", 1),
            (r"a\\u", 3),
            (r"a\u00", 4),
            (r"a\u004", 5),
            (r"a\u0041", 0),
            (r"a\u00412", 0),
            (r"a\ud835", 6),
            (r"a\ud835\ud", 9),
            (r"a\ud835\udfd7", 0),
            (r"a\ubc00\u", 2),
            ("au00", 0),
            ("", 0),
        ] {
            assert_eq!(unfinished(text), length, "{text}");
        }
    }
}
