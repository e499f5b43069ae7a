//! Private keys of which the beginning is not there: the last lines and `-----END`, as `tail` prints them; and those of
//! `PuTTY`, which have no such line.

use std::ops::Range;

use super::kind::Kind;
use super::pem::{BLOCK, LINE, between, end_line, is_base64, is_rest};
use super::quoted::ends_with;
use super::scan::{Found, Scene};
use super::view::{View, is_digit};

/// The shortest whole line of a key, and the longest.
const WHOLE: usize = 40;
const LONGEST: usize = 96;
/// Lines of a key of `PuTTY`, at most.
const LINES: usize = 512;

/// `at` is a line end, or the backslash of one in a string.
pub(super) fn tail(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let next = match (view.at(at), view.at(at + 1)) {
        (b'\n', _) => at + 1,
        (b'\\', b'n' | b'r' | b'\\') => between(view, at),
        _ => return None,
    };
    // The first line of a tail may be where the text begins, or behind a quote, where no line end stands before it.
    let start = first_line(view, at).or_else(|| whole_line(view, next))?;
    if follows_line(view, start) {
        return None;
    }
    let end = end_of_tail(view, start)?;
    view.slice(start..end).contains("PRIVATE KEY").then(|| scene.found(Kind::PrivateKey, start..end, 97))?
}

/// The line of base64 that ends here, where no line stands before it.
fn first_line(view: &View<'_>, end: usize) -> Option<usize> {
    let line = line_before(view, end);
    let start = view.after_escape(line.start);
    (line.end - start.min(line.end) >= WHOLE).then_some(start)
}

/// What may be the line of a key that ends here, without its line end: a stream holds it back until that is known.
pub(super) fn line_before(view: &View<'_>, end: usize) -> Range<usize> {
    let end = if view.before(end) == b'\r' { end - 1 } else { end };
    let start = view.run_back(end, LONGEST, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    start..end
}

/// The line of base64 that begins here.
fn whole_line(view: &View<'_>, start: usize) -> Option<usize> {
    let end = view.run(start, LONGEST, is_base64);
    let closed = matches!(view.at(end), b'\n' | b'\r' | b'\\');
    (end - start >= WHOLE && closed).then_some(start)
}

/// Whether another line of base64 stands before: then the tail began there, or none did.
fn follows_line(view: &View<'_>, start: usize) -> bool {
    let end = view.run_back(start, 8, |byte| matches!(byte, b'\n' | b'\r' | b'\\'));
    let escape = view.before(start) == b'n' && view.before(start - 1) == b'\\';
    let end = if escape { view.run_back(start - 1, 8, |byte| byte == b'\\') } else { end };
    end < start && end - view.run_back(end, WHOLE, is_base64) >= WHOLE
}

/// The end of the last line, when nothing but lines of a key stand before it.
fn end_of_tail(view: &View<'_>, start: usize) -> Option<usize> {
    let mut at = start;
    while at < start + BLOCK {
        if view.at(at) == b'-' {
            return end_line(view, at);
        }
        let to = view.run(at, LONGEST, is_base64);
        if to == at || to - at < LINE && !is_rest(view.slice(at..to)) && view.at(at) != b'=' {
            return None;
        }
        at = between(view, to);
        if at == to {
            return None;
        }
    }
    None
}

/// The lines after `Private-Lines: 14`; `at` is the dash.
pub(super) fn putty(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    if view.at(at + 1) != b'L' || !view.starts_with(at, "-Lines: ") || !ends_with(view, at, "Private") {
        return None;
    }
    let number = view.run(at + 8, 4, is_digit);
    let lines: usize = view.slice(at + 8..number).parse().ok()?;
    let start = between(view, number);
    let (mut at, mut end) = (start, start);
    for _ in 0..lines.min(LINES) {
        let to = view.run(at, LONGEST, is_base64);
        if to == at {
            break;
        }
        end = to;
        at = between(view, to);
    }
    (end - start >= LINE).then(|| scene.found(Kind::PrivateKey, start..end, 97))?
}
