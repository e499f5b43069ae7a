//! Private keys in PEM: from `-----BEGIN` to `-----END`, and when the end is missing, as far as the body goes.

use super::border::Border;
use super::kind::Kind;
use super::scan::{Found, Scene};
use super::token;
use super::view::View;

/// Bytes after the first line in which the last line is looked for; an RSA key of 16,384 bits has 12,000.
pub(super) const BLOCK: usize = 32_768;
/// Lines such as `Proc-Type:` before the body, at most.
const HEADERS: usize = 4;
/// Bytes without such a line after which a header was only mentioned. Headers of a block, and a note on lines that
/// were left out, are shorter; a stream holds a mentioned header no longer.
pub(super) const WORDS: usize = 512;
/// What looks like a token and is the level of a line of a log, which may stand between those of a key.
const LEVELS: &[&str] = &["[ERROR]", "[WARN]", "[WARNING]", "[INFO]", "[DEBUG]", "[TRACE]", "[FATAL]", "[NOTICE]"];
/// The shortest run of base64 that is a line of a key and no word.
pub(super) const LINE: usize = 16;

/// `at` is the first of the dashes: five of PEM, four of SSH2 (RFC 4716).
pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let begin = match view.at(at + 4) {
        b'-' if view.starts_with(at, "-----BEGIN ") => at + 11,
        b' ' if view.starts_with(at, "---- BEGIN SSH2 ") => at + 16,
        _ => return None,
    };
    let start = label_end(view, begin)?;
    if !view.slice(at..start).contains("PRIVATE KEY") {
        return None;
    }
    let end = block_end(view, start).or_else(|| body_end(view, start))?;
    let found = scene.found(Kind::PrivateKey, at..end, 99)?;
    // Not the end of the key, but of what is looked at.
    Some(if end >= start + BLOCK { found.open(Border::Block) } else { found })
}

/// The end of a label and the five dashes after it.
fn label_end(view: &View<'_>, from: usize) -> Option<usize> {
    let end = view.run(from, 64, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    let dashes = view.run(end, 5, |byte| byte == b'-');
    (dashes - end >= 4).then_some(dashes)
}

/// The end of the line that ends a block, of which the first dash stands here.
pub(super) fn end_line(view: &View<'_>, at: usize) -> Option<usize> {
    match view.at(at + 4) {
        b'-' if view.starts_with(at, "-----END ") => label_end(view, at + 9),
        b' ' if view.starts_with(at, "---- END ") => label_end(view, at + 9),
        _ => None,
    }
}

/// The end of the whole block, when it is closed and has a key in it: an example that says `...` has none.
fn block_end(view: &View<'_>, start: usize) -> Option<usize> {
    let (mut at, mut run, mut longest, mut body) = (start, 0, 0, start);
    while at < start + BLOCK {
        if let Some(end) = view.sequence_end(at) {
            (at, run) = (end, 0);
            continue;
        }
        match view.at(at) {
            0 => return None,
            b'[' if token::end(view, at).is_some_and(|end| !LEVELS.contains(&view.slice(at..end))) => return None,
            b'"' if closes_string(view, at) => return None,
            b'-' if end_line(view, at).is_some() => return end_line(view, at).filter(|_| longest >= LINE),
            b'-' if view.starts_with(at, "-----BEGIN ") => return None,
            byte => run = if is_base64(byte) { run + 1 } else { 0 },
        }
        longest = longest.max(run);
        at += 1;
        if run >= LINE {
            body = at;
        } else if at - body > WORDS {
            return None;
        }
    }
    None
}

/// The end of the last line of a body that was cut off.
fn body_end(view: &View<'_>, start: usize) -> Option<usize> {
    let mut end = None;
    let (mut at, mut headers) = (start, 0);
    while at < start + BLOCK && headers < HEADERS {
        let from = between(view, at);
        let to = view.run(from, BLOCK, is_base64);
        let line = view.slice(from..to);
        // What the text was cut in may be letters alone.
        let cut = || !line.is_empty() && view.at(to) == 0 && to == view.len();
        if line.len() >= LINE || (end.is_some() && (is_short_line(view, from, to) || cut())) {
            end = Some(to);
            at = to;
        } else if is_header(view, from) {
            headers += 1;
            at = view.run(to, 128, |byte| !matches!(byte, b'\n' | b'\\' | b'"'));
        } else {
            break;
        }
    }
    end
}

/// Whether the last line of a key stands here, which is shorter than the others.
pub(super) fn is_short_line(view: &View<'_>, from: usize, to: usize) -> bool {
    is_rest(view.slice(from..to)) && ends_line(view, to)
}

/// Whether a short line may end here: `2026-05-21` begins another one.
fn ends_line(view: &View<'_>, at: usize) -> bool {
    !view.at(at).is_ascii_graphic() || b"\"'\\`,<>)]}".contains(&view.at(at)) || end_line(view, at).is_some()
}

/// Line ends, also as the escapes of a string, and the quotes and signs around lines in source code.
pub(super) fn between(view: &View<'_>, from: usize) -> usize {
    let mut at = from;
    while at < from + 64 {
        if let Some(end) = view.sequence_end(at) {
            at = end;
            continue;
        }
        match view.at(at) {
            b'"' if closes_string(view, at) => break,
            b'\\' if matches!(view.at(at + 1), b'n' | b'r' | b't' | b'\\' | b'\n') => at += 2,
            b'\n' | b'\r' | b'\t' | b' ' | b'"' | b'\'' | b',' | b'>' | b'#' | b'|' | b'*' => at += 1,
            _ => break,
        }
    }
    at
}

/// Whether the quote ends a value of JSON: a key goes on over quotes in source code, never into the next value.
fn closes_string(view: &View<'_>, at: usize) -> bool {
    let next = view.run(at + 1, 256, |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    // After an even number of backslashes, each of which is one that is escaped, it is the string's own quote.
    let plain = (at - view.run_back(at, 32, |byte| byte == b'\\')).is_multiple_of(2);
    matches!(view.at(next), b',' | b':' | b']' | b'}' | 0) && plain && !list_goes_on(view, next)
}

/// Whether the next string of a list is the next line of the key, as in notebooks: `["-----BEGIN …\\n", "MIIE…\\n", …]`.
fn list_goes_on(view: &View<'_>, comma: usize) -> bool {
    let quote = view.run(comma + 1, 64, |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    if view.at(comma) != b',' || view.at(quote) != b'"' {
        return false;
    }
    let end = view.run(quote + 1, 256, is_base64);
    // A whole line of a key, or the last line, which a newline and the end of the block follow.
    let last = view.starts_with(end, "\\n\"") && end > quote + 1 && is_rest(view.slice(quote + 1..end));
    if view.starts_with(quote + 1, "-----END ") {
        return label_end(view, quote + 10).is_some_and(|end| !is_name(view, end));
    }
    (end - quote > 40 || last) && !is_name(view, end)
}

/// Whether the string that ends here is the name of the next value: a key never goes on into one.
fn is_name(view: &View<'_>, end: usize) -> bool {
    let close = if view.starts_with(end, "\\n") { end + 2 } else { end };
    let next = view.run(close + 1, 64, |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    view.at(close) != b'"' || view.at(next) == b':'
}

/// A short last line: not a word of ordinary text.
pub(super) fn is_rest(line: &str) -> bool {
    let odd = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'/' | b'=');
    line.bytes().any(odd) || line.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
}

/// `Proc-Type: 4,ENCRYPTED` and its like, before the body.
fn is_header(view: &View<'_>, at: usize) -> bool {
    ["Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Subject:"].iter().any(|header| view.starts_with(at, header))
}

pub(super) const fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
