//! Secrets of HTTP: `Bearer x` wherever it stands, and the sessions in cookies.

use std::ops::Range;

use super::assignment;
use super::kind::Kind;
use super::quoted::{closed, ends_with, opened};
use super::scan::{Found, Scene};
use super::secret;
use super::secret_name::{Sort, sort_of_name};
use super::view::is_blank;

/// The longest header of cookies that is read.
const COOKIES: usize = 1_024;
/// The longest token that is looked at.
const TOKEN: usize = 256;
/// The shortest one that needs no name before it.
const SHORTEST: usize = 16;
/// Names of sessions in cookies; after what is set before them: `__Host-session`, `ASP.NET_SessionId`.
const SESSIONS: &[&str] =
    &["session", "sessionid", "sessid", "sid", "sess", "session_id", "auth", "jwt", "ticket", "remember_me"];

/// `at` is the `B` of `Bearer`.
pub(super) fn bearer(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    if !view.at(at + 1).eq_ignore_ascii_case(&b'e')
        || !view.starts_with_any_case(at, "bearer ")
        || !view.begins_word(at)
    {
        return None;
    }
    if !scene.kinds.contains(Kind::Secret) {
        return None;
    }
    let start = opened(view, view.run(at + 7, 4, is_blank)).0;
    let end = view.run(start, TOKEN, is_token);
    let end = end - view.slice(start..end).bytes().rev().take_while(|byte| *byte == b'.').count();
    let long = end - start >= SHORTEST && secret::is_secret(view.slice(start..end), Sort::Key, false, true);
    long.then(|| assignment::judged_bearer(scene, start..end))?
}

/// The signs of a token (RFC 6750, `b64token`).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=')
}

/// `at` is the sign after `Cookie` or `Set-Cookie`, or the first of the cookies of `curl -b`.
pub(super) fn cookies(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let quotes = view.run_back(at, 8, |byte| matches!(byte, b' ' | b'"' | b'\'' | b'\\'));
    if !ends_with(view, quotes, "cookie") {
        return None;
    }
    let (start, quote) = opened(view, view.run(at + 1, 4, is_blank));
    let end = quote.and_then(|quote| closed(view, start, quote)).unwrap_or_else(|| view.run(start, COOKIES, is_cookie));
    whole(scene, start..end)
}

/// `curl -b 'name=value'`; `at` is the dash.
pub(super) fn cookie_option(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    if view.at(at + 1) != b'b' || !is_blank(view.at(at + 2)) || !is_blank(view.before(at)) {
        return None;
    }
    let (start, quote) = opened(view, view.run(at + 2, 4, is_blank));
    let end = closed(view, start, quote?)?;
    whole(scene, start..end)
}

/// One finding from the first session to the last: what stands between them goes with it.
fn whole(scene: &Scene<'_, '_>, cookies: Range<usize>) -> Option<Found> {
    if !scene.kinds.contains(Kind::Secret) {
        return None;
    }
    let view = scene.view;
    let mut found: Option<Range<usize>> = None;
    let mut at = cookies.start;
    for cookie in view.slice(cookies).split(';') {
        let start = at + (cookie.len() - cookie.trim_start().len());
        at += cookie.len() + 1;
        let Some((name, value)) = cookie.trim().split_once('=') else { continue };
        let from = start + name.len() + 1;
        if is_session(name, value) && !assignment::has_token(view, &(from..from + value.len())) {
            found = Some(found.map_or(from, |range| range.start)..from + value.len());
        }
    }
    scene.found(Kind::Secret, found?, 80)
}

fn is_session(name: &str, value: &str) -> bool {
    let value = value.trim_matches('"');
    let session = |word: &&str| {
        let start = name.len().checked_sub(word.len());
        start.and_then(|start| name.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(word))
    };
    let named = SESSIONS.iter().any(session) || sort_of_name(name.as_bytes()).is_some();
    let mixed = value.bytes().any(|byte| byte.is_ascii_digit()) && value.bytes().any(|byte| byte.is_ascii_alphabetic());
    named && mixed && value.len() >= 10 && !value.starts_with(['$', '<', '{'])
}

fn is_cookie(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'\\') || byte == b' '
}
