//! Walks JSON without parsing it into anything: every scalar with the path of its keys.
//!
//! Lenient, because tool output is: what is no JSON ends the walk, and the caller reads the rest as any text.

use std::ops::Range;

/// Deeper than this nothing is walked: a hostile text must not make paths of any length.
const DEEPEST: usize = 64;

/// A key of more bytes is no name; its place in the path stays empty.
const LONGEST_KEY: usize = 64;

/// One thing that a walk came by. Ranges are bytes of the text, those of texts without their quotes.
pub(super) enum Step {
    /// The name of a member. Its path ends with it.
    Key(Range<usize>),
    /// A text, as it is written (escapes not undone).
    Text(Range<usize>),
    /// A number.
    Number(Range<usize>),
}

/// Where a walk is.
struct Walk<'text> {
    text: &'text str,
    at: usize,
    path: String,
    /// Length of the path outside of each container that is open.
    open: Vec<usize>,
}

/// Tells every key and scalar in order, with the path of its keys (`flights.date`; lists add nothing).
///
/// Gives where the walk ended: the length of the text, if all of it is JSON.
pub(super) fn walk(text: &str, visit: &mut dyn FnMut(&str, Step)) -> usize {
    let mut walk = Walk { text, at: 0, path: String::new(), open: Vec::new() };
    while walk.step(visit) {}
    walk.at
}

/// Whether a text is worth a walk.
pub(super) fn is_likely(text: &str) -> bool {
    let mut bytes = text.bytes().filter(|byte| !byte.is_ascii_whitespace());
    match (bytes.next(), bytes.next()) {
        (Some(b'{'), Some(second)) => matches!(second, b'"' | b'}'),
        (Some(b'['), Some(second)) => matches!(second, b'"' | b'{' | b'[' | b']' | b'-' | b'0'..=b'9'),
        _ => false,
    }
}

impl Walk<'_> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn step(&mut self, visit: &mut dyn FnMut(&str, Step)) -> bool {
        let Some(byte) = self.byte() else { return false };
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' | b',' | b':' => self.at += 1,
            b'{' | b'[' => return self.enter(),
            b'}' | b']' => return self.leave(),
            b'"' => return self.text(visit),
            b'-' | b'0'..=b'9' => self.number(visit),
            b't' | b'f' | b'n' => return self.literal(),
            _ => return false,
        }
        true
    }

    fn enter(&mut self) -> bool {
        let room = self.open.len() < DEEPEST;
        if room {
            self.open.push(self.path.len());
            self.at += 1;
        }
        room
    }

    fn leave(&mut self) -> bool {
        let outside = self.open.pop();
        self.at += usize::from(outside.is_some());
        self.path.truncate(outside.unwrap_or_default());
        outside.is_some()
    }

    fn literal(&mut self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let found = ["true", "false", "null"].into_iter().find(|word| rest.starts_with(word));
        self.at += found.map_or(0, str::len);
        found.is_some()
    }

    fn number(&mut self, visit: &mut dyn FnMut(&str, Step)) {
        let start = self.at;
        while matches!(self.byte(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        visit(&self.path, Step::Number(start..self.at));
    }

    fn text(&mut self, visit: &mut dyn FnMut(&str, Step)) -> bool {
        let start = self.at + 1;
        let Some(length) = closing(self.text.as_bytes().get(start..).unwrap_or_default()) else { return false };
        let range = start..start + length;
        self.at = range.end + 1;
        if self.is_key() {
            self.name(&range);
            visit(&self.path, Step::Key(range));
        } else {
            visit(&self.path, Step::Text(range));
        }
        true
    }

    /// Whether a colon follows.
    fn is_key(&self) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
    }

    fn name(&mut self, range: &Range<usize>) {
        let outside = self.open.last().copied().unwrap_or_default();
        self.path.truncate(outside);
        let key = self.text.get(range.clone()).unwrap_or_default();
        if key.len() <= LONGEST_KEY {
            if outside > 0 {
                self.path.push('.');
            }
            self.path.push_str(key);
        }
    }
}

/// Bytes up to the quote that ends a text.
fn closing(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        if bytes.get(at) == Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// A text of JSON as it is read: escapes undone, a lone surrogate U+FFFD. Only texts with a backslash need it.
pub(super) fn unescaped(raw: &str, out: &mut String) {
    out.clear();
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        rest = escape(after, out);
    }
    out.push_str(rest);
}

/// Writes what an escape stands for; what follows it.
fn escape<'text>(after: &'text str, out: &mut String) -> &'text str {
    let mut characters = after.chars();
    let plain = match characters.next() {
        Some('n') => '\n',
        Some('t') => '\t',
        Some('r') => '\r',
        Some('b') => '\u{8}',
        Some('f') => '\u{c}',
        Some('u') => return code_point(characters.as_str(), out),
        Some(other) => other,
        None => return "",
    };
    out.push(plain);
    characters.as_str()
}

fn code_point<'text>(after: &'text str, out: &mut String) -> &'text str {
    let Some((high, rest)) = unit(after) else {
        out.push(char::REPLACEMENT_CHARACTER);
        return after;
    };
    let low = rest.strip_prefix("\\u").and_then(unit).filter(|(low, _)| (0xdc00..0xe000).contains(low));
    if let (0xd800..0xdc00, Some((low, rest))) = (high, low) {
        let both = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        out.push(char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER));
        return rest;
    }
    out.push(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
    rest
}

fn unit(text: &str) -> Option<(u32, &str)> {
    let digits = text.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    Some((u32::from_str_radix(digits, 16).ok()?, text.get(4..)?))
}

#[cfg(test)]
mod tests {
    use super::{Step, is_likely, unescaped, walk};

    fn walked(text: &str) -> (Vec<String>, usize) {
        let mut seen = Vec::new();
        let end = walk(text, &mut |path, step| {
            let (what, range) = match step {
                Step::Key(range) => ("key", range),
                Step::Text(range) => ("text", range),
                Step::Number(range) => ("number", range),
            };
            seen.push(format!("{what} {path}={}", text.get(range).unwrap_or_default()));
        });
        (seen, end)
    }

    #[test]
    fn scalars_come_with_their_path() {
        let text = "{\"a\": {\"b\": [1.5, \"x\\\"y\"]}, \"c\": true, \"d\": \"z\"}";
        let (seen, end) = walked(text);
        assert_eq!(
            seen,
            ["key a=a", "key a.b=b", "number a.b=1.5", "text a.b=x\\\"y", "key c=c", "key d=d", "text d=z"]
        );
        assert_eq!(end, text.len());
    }

    #[test]
    fn what_is_no_json_ends_the_walk() {
        assert_eq!(walked("[INFO] started").1, 1);
        assert_eq!(walked("{\"a\": \"open").1, 6);
        assert!(walked(&"[".repeat(500)).1 < 500);
        assert!(is_likely(" { \"a\": 1}") && !is_likely("[INFO]") && !is_likely("{x}"));
    }

    #[test]
    fn escapes_are_undone() {
        let mut out = String::new();
        unescaped("a\\n\\u00e9\\ud83d\\ude42\\ud83dx\\\\", &mut out);
        assert_eq!(out, "a\né🙂\u{fffd}x\\");
        unescaped("\\u12", &mut out);
        assert_eq!(out, "\u{fffd}12");
    }
}
