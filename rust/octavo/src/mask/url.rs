//! Passwords in URLs: `scheme://user:password@host`. The password alone is masked, so that the address stays.

use super::kind::Kind;
use super::placeholder::is_placeholder;
use super::scan::{Found, Scene};
use super::view::View;

/// The longest authority that is looked at; longer ones have no password.
const AUTHORITY: usize = 512;

/// `://` in JSON of programs that escape slashes.
const ESCAPED: &str = ":\\/\\/";

/// `at` is the colon of `://`.
pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    if !scene.kinds.contains(Kind::UrlPassword) || !(view.starts_with(at, "://") || view.starts_with(at, ESCAPED)) {
        return None;
    }
    let scheme = view.run_back(at, 32, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'));
    if scheme == at {
        return None;
    }
    let start = at + if view.at(at + 1) == b'/' { 3 } else { ESCAPED.len() };
    let end = authority_end(view, start);
    let text = view.slice(start..end);
    let colon = text.find(':')?;
    let sign = password_end(text, colon)?;
    let password = text.get(colon + 1..sign)?;
    if password.is_empty() || is_placeholder(password) {
        return None;
    }
    scene.found(Kind::UrlPassword, start + colon + 1..start + sign, 95)
}

/// Up to a blank, quote, bracket, or another URL; passwords with other characters are seen whole.
fn authority_end(view: &View<'_>, start: usize) -> usize {
    let mut end = start;
    while end < start + AUTHORITY {
        match view.at(end) {
            0..=b' ' | b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' | b'[' | 0x7F => break,
            b':' if view.starts_with(end, "://") => break,
            _ => end += 1,
        }
    }
    // Never inside a character: an authority that long has no password anyway.
    while view.at(end) & 0xC0 == 0x80 {
        end -= 1;
    }
    end
}

/// Where the `@` after the password stands.
fn password_end(text: &str, colon: usize) -> Option<usize> {
    let path = text.find(['/', '?', '#']).unwrap_or(text.len());
    let authority = text.get(..path)?;
    if let Some(sign) = authority.rfind('@') {
        return (colon < sign).then_some(sign);
    }
    // No `@` before the path: a port, or a password with `/`, `?` or `#` in it that nobody has encoded.
    let port = text.get(colon + 1..path)?;
    if colon > path || port.is_empty() || port.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let sign = text.rfind('@')?;
    let host = text.get(sign + 1..)?;
    let end = host.find(|byte: char| !byte.is_ascii_alphanumeric() && !matches!(byte, '.' | '-')).unwrap_or(host.len());
    let closed =
        host.get(end..)?.chars().next().is_none_or(|byte| matches!(byte, ':' | '/' | '?' | '#' | ',' | ')' | ';'));
    (end > 0 && closed).then_some(sign)
}
