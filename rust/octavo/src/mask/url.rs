//! Passwords in URLs: `scheme://user:password@host`. The password alone is masked, so that the address stays; or a
//! token in the place of the user.

use std::ops::Range;

use super::assignment;
use super::kind::Kind;
use super::placeholder::is_placeholder;
use super::quoted::ends_with;
use super::scan::{Found, Scene};
use super::secret;
use super::secret_name::Sort;
use super::token;
use super::view::View;

/// The longest authority that is looked at: passwords may be web tokens. It ends at the next `://`, so that this is
/// linear in the text.
const AUTHORITY: usize = 8_192;
/// Bytes of a password that has blanks, quotes or brackets in it.
const RAW: usize = 96;
/// The shortest token that stands where the user does.
const TOKEN: usize = 16;
/// Passwords beside a user that is a token.
const NO_PASSWORDS: &[&str] = &["", "x-oauth-basic", "x", "api_token"];

/// `at` is a colon: that of `://`, or the one before the password of an address without scheme.
pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    if !scene.kinds.contains(Kind::UrlPassword) {
        return None;
    }
    let Some(start) = authority_start(view, at) else { return without_scheme(scene, at) };
    let scheme = view.run_back(at, 32, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'));
    if scheme == at {
        return None;
    }
    let end = authority_end(view, start);
    let text = view.slice(start..end);
    if token::begins(view, end).is_some() && is_masked(text, meets_address(view, end)) {
        return None;
    }
    let found = match text.find(':').and_then(|colon| Some((colon, password_end(text, colon)?))) {
        Some((colon, sign)) => user_token(text, colon, sign).unwrap_or(colon + 1..sign),
        None => bare_token(text).or_else(|| raw_password(view, start, text))?,
    };
    let password = view.slice(start + found.start..start + found.end);
    // One letter stands for nothing here: `u:p@h1,h2`.
    let placeholder = password.len() > 1 && is_placeholder(password);
    if password.is_empty() || placeholder || has_token(view, start + found.start, password) {
        return None;
    }
    let known = (found.start == 0).then(|| assignment::specific(scene, start)).flatten();
    known.or_else(|| scene.found(Kind::UrlPassword, start + found.start..start + found.end, 95))
}

/// Whether what a token ends was read with what the token took the place of: the password is masked, `x@host:`, or the
/// `@` before the host was in the address, `user:p@ss/`.
fn is_masked(text: &str, address: bool) -> bool {
    let path = text.find(['/', '?', '#']).unwrap_or(text.len());
    let host = text.get(..path).and_then(|authority| authority.get(authority.rfind('@')?..));
    text.ends_with(':') || address && host.is_some_and(|host| !is_whole_host(host))
}

/// Whether an address was masked in what goes on at `end`; other tokens may stand before it.
fn meets_address(view: &View<'_>, end: usize) -> bool {
    let next = |at: &usize| Some(authority_end(view, token::begins(view, *at)?));
    std::iter::successors(Some(end), next).take(4).any(|at| view.starts_with(at, "[EMAIL"))
}

/// Past `://`, also with the backslashes of JSON before each slash.
fn authority_start(view: &View<'_>, at: usize) -> Option<usize> {
    let first = view.run(at + 1, 8, |byte| byte == b'\\');
    if view.at(first) != b'/' {
        return None;
    }
    let second = view.run(first + 1, 8, |byte| byte == b'\\');
    (view.at(second) == b'/').then_some(second + 1)
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
        let later = || later_host(text, path).filter(|_| !authority.get(sign..).is_some_and(is_whole_host));
        return (colon < sign).then(|| later().unwrap_or(sign));
    }
    // No `@` before the path: a port, or a password with `/`, `?` or `#` in it that nobody has encoded.
    let port = text.get(colon + 1..path)?;
    if colon > path || port.is_empty() || port.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let sign = text.rfind('@')?;
    is_closed(text.get(sign + 1..)?).then_some(sign)
}

/// Whether a host begins here, and ends as one.
fn is_closed(host: &str) -> bool {
    let end = host.find(|byte: char| !byte.is_ascii_alphanumeric() && !matches!(byte, '.' | '-')).unwrap_or(host.len());
    let after = host.get(end..).and_then(|rest| rest.chars().next());
    end > 0 && after.is_none_or(|byte| matches!(byte, ':' | '/' | '?' | '#' | ',' | ')' | ';'))
}

/// Whether what follows the `@` can be nothing but a host: it has a stop or a port.
fn is_whole_host(host: &str) -> bool {
    host.contains(['.', ':']) || host == "@localhost"
}

/// The `@` after a password with a slash and another `@` in it.
fn later_host(text: &str, path: usize) -> Option<usize> {
    let sign = text.rfind('@').filter(|&sign| sign > path)?;
    let host = text.get(sign + 1..)?;
    let name = host.split(['/', '?', '#']).next()?;
    (is_closed(host) && name.contains('.')).then_some(sign)
}

/// The token in the place of the user, where the password is none: `https://token:x-oauth-basic@host`.
fn user_token(text: &str, colon: usize, sign: usize) -> Option<Range<usize>> {
    let none = NO_PASSWORDS.contains(&text.get(colon + 1..sign)?);
    (none && is_token(text.get(..colon)?)).then_some(0..sign)
}

/// A token with no colon after it: `https://token@host`. Up to the first `@`, since an address may follow that becomes
/// a token and so ends the authority.
fn bare_token(text: &str) -> Option<Range<usize>> {
    let path = text.find(['/', '?', '#']).unwrap_or(text.len());
    let sign = text.get(..path)?.find('@')?;
    let user = text.get(..sign)?;
    (!user.contains(':') && is_token(user)).then_some(0..sign)
}

fn is_token(user: &str) -> bool {
    user.len() >= TOKEN
        && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        && secret::is_secret(user, Sort::Key, false, false)
}

/// A password with quotes, brackets or blanks in it; `text` ends at the first of them.
fn raw_password(view: &View<'_>, start: usize, text: &str) -> Option<Range<usize>> {
    let colon = text.find(':')?;
    let begun = text.get(colon + 1..)?;
    let border = view.at(start + text.len());
    let port = !begun.is_empty() && begun.bytes().all(|byte| byte.is_ascii_digit());
    let user = text.get(..colon)?;
    if text.contains(['/', '?', '#', '@']) || port || (begun.is_empty() && border != b'[') || user.contains('.') {
        return None;
    }
    let mut at = start + text.len();
    while at < start + text.len() + RAW {
        match view.at(at) {
            0..=0x1F | b'\\' | 0x7F.. => return None,
            b'[' if token::end(view, at).is_some() => return None,
            b'@' => break,
            b'"' | b'\'' | b'`' | b'>' | b' '
                if matches!(view.at(at + 1), b',' | b':' | b']' | b'}' | b')' | b'"' | b'\'' | b' ') =>
            {
                return None;
            }
            b':' if view.starts_with(at, "://") => return None,
            _ => at += 1,
        }
    }
    let end = view.run(at + 1, RAW, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
    let closed = matches!(view.at(end), 0..=b' ' | b':' | b'/' | b'?' | b'#' | b',' | b')' | b';' | b'"' | b'\'' | b'\\' | 0x80..);
    (view.at(at) == b'@' && end > at + 1 && closed).then_some(colon + 1..at - start)
}

/// Whether a token stands in the password.
fn has_token(view: &View<'_>, start: usize, password: &str) -> bool {
    password.match_indices('[').any(|(at, _)| token::end(view, start + at).is_some())
}

/// `//kim:x@host`, `kim:x@tcp(host)`, `jdbc:oracle:thin:kim/x@host`; `at` is the colon.
fn without_scheme(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    // Most colons are followed by a blank, or stand behind a quote.
    if matches!(view.at(at + 1), b' ' | b'\n' | b'"' | b':') || !view.before(at).is_ascii_alphanumeric() {
        return None;
    }
    let colon = if is_oracle(view, at) {
        view.run(at + 1, 64, |byte| byte.is_ascii_alphanumeric() || byte == b'_')
    } else {
        at
    };
    let user = view.run_back(at, 64, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    let slashes = ends_with(view, user, "//") && !matches!(view.before(user - 2), b':' | b'/' | b'\\');
    if colon == at && user == at || colon > at && view.at(colon) != b'/' {
        return None;
    }
    let end = view.run(colon + 1, 128, |byte| byte.is_ascii_graphic() && !b"@/\"'`<>\\".contains(&byte));
    let host = view.at(end + 1).is_ascii_alphanumeric() || view.starts_with(end + 1, "//");
    let known = slashes || colon > at || view.starts_with(end + 1, "tcp(") || view.starts_with(end + 1, "unix(");
    let password = view.slice(colon + 1..end);
    if view.at(end) != b'@'
        || !host
        || !known
        || password.is_empty()
        || is_placeholder(password)
        || has_token(view, colon + 1, password)
    {
        return None;
    }
    scene.found(Kind::UrlPassword, colon + 1..end, 90)
}

fn is_oracle(view: &View<'_>, at: usize) -> bool {
    ends_with(view, at, "oracle:thin") || ends_with(view, at, "oracle:oci")
}
