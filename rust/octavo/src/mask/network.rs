//! Internet and hardware addresses: only on request.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::kind::Kind;
use super::scan::{Found, Scene};
use super::view::View;

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
    if !view.begins_word(start) || hangs_on(view, start) {
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

/// Whether the word before the colon is none of an address: `addr:2001:db8::1`.
fn is_label(view: &View<'_>, colon: usize) -> bool {
    let start = view.run_back(colon, 16, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let word = view.slice(start..colon);
    !word.is_empty() && (word.len() > 4 || !word.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// A hardware address with dashes, `00-1A-2B-3C-4D-5E` (IEEE 802), whose first dash is at `at`.
pub(super) fn dashes(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    hardware(scene, at, b'-', 2, 6)
}

/// A hardware address with stops, `001A.2B3C.4D5E`, as Cisco writes it; the first stop is at `at`.
pub(super) fn stops(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    hardware(scene, at, b'.', 4, 3)
}

/// `count` groups of so many hexadecimal digits, not all of them decimal: those could be any number.
fn hardware(scene: &Scene<'_, '_>, at: usize, joint: u8, digits: usize, count: usize) -> Option<Found> {
    if !scene.kinds.contains(Kind::MacAddress) {
        return None;
    }
    let view = scene.view;
    let start = view.run_back(at, digits, |byte| byte.is_ascii_hexdigit());
    let end = start + (digits + 1) * count - 1;
    let fits = (start..end).all(|one| {
        let byte = view.at(one);
        if (one - start) % (digits + 1) == digits { byte == joint } else { byte.is_ascii_hexdigit() }
    });
    let goes_on = view.at(end) == joint && view.at(end + 1).is_ascii_hexdigit();
    let alone = view.begins_word(start) && view.before(start) != joint && view.ends_word(end) && !goes_on;
    let lettered = fits && view.slice(start..end).bytes().any(|byte| byte.is_ascii_alphabetic());
    (alone && lettered).then(|| scene.found(Kind::MacAddress, start..end, 85))?
}

/// Whether what begins at `start` goes on something before: as part of a longer address, or joined to a word, which
/// would be read as another number once a token parts it from this.
fn hangs_on(view: &View<'_>, start: usize) -> bool {
    match view.before(start) {
        b':' => !is_label(view, start - 1),
        b'.' => true,
        b'-' => view.before(start - 1).is_ascii_alphanumeric(),
        _ => false,
    }
}
