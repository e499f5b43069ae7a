//! JSON web tokens (RFC 7519): segments of base64url, the first of them a JSON object that names an algorithm.

use super::kind::Kind;
use super::scan::{Found, Scene};
use super::view::{View, is_key_byte};

/// The longest header that is decoded.
const HEADER: usize = 1_024;
/// The longest segment after it; what is longer is cut there.
const SEGMENT: usize = 16_384;

/// `at` is the `J` of `eyJ`, which is `{"` in base64.
pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let start = at.checked_sub(2)?;
    if view.before(at) != b'y' || view.before(at - 1) != b'e' || !view.begins_word(start) {
        return None;
    }
    // After a dash a header could begin at every dash of one: there only short ones are looked for.
    let longest = if matches!(view.before(start), b'-' | b'_') { HEADER / 8 } else { HEADER };
    let header_end = view.run(at, longest, is_key_byte);
    if view.at(header_end) != b'.' {
        return None;
    }
    let header = decode(view.slice(start..header_end));
    if !contains(&header, b"\"alg\"") {
        return None;
    }
    let segments = if contains(&header, b"\"enc\"") { 4 } else { 2 };
    let end = segments_end(view, header_end, segments)?;
    scene.found(Kind::Jwt, start..end, 99)
}

/// The end of the segments after the header: a payload that is JSON, or a payload and more.
fn segments_end(view: &View<'_>, header_end: usize, segments: usize) -> Option<usize> {
    let mut end = header_end;
    let mut seen = 0;
    while seen < segments && view.at(end) == b'.' {
        let next = view.run(end + 1, SEGMENT, is_key_byte);
        // The key of an encrypted token may be empty; a full stop at the end of a sentence is none of its own.
        if next == end + 1 && view.at(next) != b'.' {
            break;
        }
        end = next;
        seen += 1;
    }
    let json = view.starts_with(header_end + 1, "eyJ");
    (end > header_end + 8 && (json || seen >= 2)).then_some(end)
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}

/// The bytes of base64url, as far as it goes.
fn decode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes() {
        let Some(value) = sextet(byte) else { break };
        bits = (bits << 6 | u32::from(value)) & 0xFFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.extend(u8::try_from(bits >> count & 0xFF));
        }
    }
    bytes
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'-' => Some(62),
        b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn the_header_is_decoded() {
        assert_eq!(decode("eyJhbGciOiJIUzI1NiJ9"), br#"{"alg":"HS256"}"#);
    }
}
