//! Internet and hardware addresses: only on request.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::kind::Kind;
use super::scan::{Found, Scene};

/// The longest IPv6 address in text.
const LONGEST: usize = 45;

/// An IPv4 address whose first digit is at `at`.
pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    if !scene.kinds.contains(Kind::IpAddress) {
        return None;
    }
    let view = scene.view;
    let end = view.run(at, 16, |byte| byte.is_ascii_digit() || byte == b'.');
    let text = view.slice(at..end).trim_end_matches('.');
    let end = at + text.len();
    (text.parse::<Ipv4Addr>().is_ok() && view.ends_word(end)).then(|| scene.found(Kind::IpAddress, at..end, 80))?
}

/// A hardware or IPv6 address whose first colon is at `at`.
pub(super) fn colons(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    if !scene.kinds.contains(Kind::IpAddress) && !scene.kinds.contains(Kind::MacAddress) {
        return None;
    }
    let view = scene.view;
    let start = view.run_back(at, 4, |byte| byte.is_ascii_hexdigit());
    if !view.begins_word(start) || hangs_on(scene, start) {
        return None;
    }
    let end = view.run(start, LONGEST, |byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.'));
    // A value that begins behind the last colon would take what belongs to the address, and give it back as a token.
    if view.at(end) == b'[' && matches!(view.before(end), b'.' | b':') {
        return None;
    }
    let text = view.slice(start..end).trim_end_matches(['.', ':']);
    let end = start + text.len();
    let pairs = text.split(':').all(|pair| pair.len() == 2 && pair.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if !view.ends_word(end) {
        None
    } else if pairs && text.len() == 17 {
        scene.found(Kind::MacAddress, start..end, 85)
    } else if text.len() > 4 && text.parse::<Ipv6Addr>().is_ok() {
        scene.found(Kind::IpAddress, start..end, 80)
    } else {
        None
    }
}

/// Whether what begins at `start` goes on something before: as part of a longer address, or joined to a word, which
/// would be read as another number once a token parts it from this.
fn hangs_on(scene: &Scene<'_, '_>, start: usize) -> bool {
    match scene.view.before(start) {
        b':' | b'.' => true,
        b'-' => scene.view.before(start - 1).is_ascii_alphanumeric(),
        _ => false,
    }
}
