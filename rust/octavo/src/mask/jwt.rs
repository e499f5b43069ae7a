//! JSON web tokens (RFC 7519): segments of base64url, the first of them a JSON object that names an algorithm.

use super::base64::{Alphabet, decode};
use super::border::{Border, Class};
use super::kind::Kind;
use super::scan::{Found, Scene};
use super::view::{View, is_key_byte};

/// The longest header that is decoded: some hold a chain of certificates.
const HEADER: usize = 16_384;
/// The longest header after a dash or underscore, where one could begin at every dash of another.
const INNER: usize = 128;
/// The longest segment after it that is looked at; a longer one is masked to its border without.
const SEGMENT: usize = 4_096;
/// What every header has in it, and what one has that is so long.
const ALGORITHM: &[u8] = b"\"alg\"";
const LONG: &[&[u8]] = &[ALGORITHM, b"\"x5c\"", b"\"jwk\"", b"\"kid\"", b"\"typ\"", b"\"enc\""];

/// `at` is the `J` of `eyJ`, which is `{"` in base64.
pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let start = at.checked_sub(2)?;
    if view.before(at) != b'y' || view.before(at - 1) != b'e' || !view.begins_word(start) {
        return None;
    }
    // After a dash a header could begin at every dash of one: there only short ones are looked for.
    let longest = if matches!(view.before(start), b'-' | b'_') { INNER } else { HEADER };
    let header_end = view.run(at, longest, is_key_byte);
    if header_end == at + HEADER && is_key_byte(view.at(header_end)) {
        let header = decode(view.slice(start..header_end), Alphabet::Url);
        let web_token = header.starts_with(b"{\"") && LONG.iter().any(|name| contains(&header, name));
        let found = web_token.then(|| scene.found(Kind::Jwt, start..header_end, 90))?;
        return found.map(|found| found.open(Border::Class(Class::Dotted)));
    }
    if view.at(header_end) != b'.' {
        return None;
    }
    let header = decode(view.slice(start..header_end), Alphabet::Url);
    if !contains(&header, ALGORITHM) {
        return None;
    }
    let segments = if contains(&header, b"\"enc\"") { 4 } else { 2 };
    let (end, open) = segments_end(view, header_end, segments)?;
    let found = scene.found(Kind::Jwt, start..end, 99)?;
    Some(if open { found.open(Border::Class(Class::Dotted)) } else { found })
}

/// The end of the segments after the header: a payload that is JSON, or a payload and more; and whether they go on.
fn segments_end(view: &View<'_>, header_end: usize, segments: usize) -> Option<(usize, bool)> {
    let mut end = header_end;
    let mut seen = 0;
    while seen < segments && view.at(end) == b'.' {
        let start = end + 1;
        let next = view.run(start, SEGMENT, is_key_byte);
        // The key of an encrypted token may be empty; a full stop at the end of a sentence is none of its own.
        if next == end + 1 && view.at(next) != b'.' {
            break;
        }
        end = next;
        seen += 1;
        if next == start + SEGMENT && is_key_byte(view.at(next)) {
            return Some((end, true));
        }
    }
    let json = view.starts_with(header_end + 1, "eyJ");
    (end > header_end + 8 && (json || seen >= 2)).then_some((end, false))
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}
