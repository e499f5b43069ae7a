//! E-mail addresses, in any script (RFC 5321, RFC 6531).
//!
//! Korean, Chinese and Japanese are written without blanks, so a word before an address and a particle behind it are
//! glued to it: letters of those scripts belong to a local part only where it ends in one, and behind an ASCII name
//! of a top domain they are another word.

use std::ops::Range;

use super::domain::{self, is_label};
use super::kind::Kind;
use super::quoted::ends_with;
use super::scan::{Found, Scene};
use super::token;
use super::view::{View, is_blank};

/// The longest local part, in bytes (RFC 5321).
const LOCAL: usize = 64;
/// Fields of a message that name messages and parts of them, and nobody (RFC 5322, 3.6.4; RFC 2045, 7).
const MESSAGE_FIELDS: &[&str] = &["message-id", "in-reply-to", "references", "content-id", "resent-message-id"];

pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let range = address(scene.view, at)?;
    scene.found(Kind::Email, range, 96)
}

/// The address of which a number is only a piece of the local part.
pub(super) fn around(scene: &Scene<'_, '_>, number: &Range<usize>) -> Option<Found> {
    let view = scene.view;
    let at = view.run(number.end, LOCAL, is_local);
    if view.at(at) != b'@' {
        return None;
    }
    let range = address(view, at).filter(|address| address.start <= number.start)?;
    scene.found(Kind::Email, range, 96)
}

fn address(view: &View<'_>, at: usize) -> Option<Range<usize>> {
    let start = group_start(view, at).or_else(|| local_start(view, at))?;
    let local = view.slice(start..at);
    let end = domain::end(view, at + 1, !local.is_ascii())?;
    // `kim@naver.com@example.com`: what a gateway makes of an address.
    let end =
        Some(end).filter(|&end| view.at(end) == b'@').and_then(|at| domain::end(view, at + 1, false)).unwrap_or(end);
    // `kim@example.com-[KR_RRN]`: what the token took the place of was another label's.
    if view.at(end) == b'-' && token::begins(view, end + 1).is_some() {
        return None;
    }
    // Who logs in at a host is none's address (RFC 3986, 3.2); `mailto:` has no host.
    if view.before(start) == b'/' && ends_with(view, start, "://") && !ends_with(view, start, "mailto://") {
        return None;
    }
    // Telephones of Japan had names that end in a stop.
    if view.before(at) == b'.' && !view.slice(at..end).ends_with(".ne.jp") {
        return None;
    }
    // `git@github.com:owner/repository` names a place, not a person.
    let other = local == "git" || is_version(view.slice(at + 1..end)) || is_message_id(view, start, end);
    (!other).then_some(start..end)
}

/// `{kim,lee}@example.com`: where the group begins.
fn group_start(view: &View<'_>, at: usize) -> Option<usize> {
    let close = at.checked_sub(1).filter(|_| view.before(at) == b'}')?;
    let first = view.run_back(close, LOCAL, |byte| is_local(byte) || byte == b',');
    let names = view.slice(first..close);
    (view.before(first) == b'{' && names.contains(',') && !names.contains(",,")).then(|| first - 1)
}

fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-')
}

fn local_start(view: &View<'_>, at: usize) -> Option<usize> {
    let before = view.before(at);
    let start = if before >= 0x80 { foreign_start(view, at)? } else { western_start(view, at) };
    if at - start > LOCAL || (is_local(view.before(start)) && before < 0x80) {
        return None;
    }
    // An escape before the address is none of it: `\nkim@example.com` inside a JSON string.
    let start = view.after_escape(start);
    let signs = view.run(start, LOCAL, |byte| matches!(byte, b'.' | b'-' | b'+' | b'%' | b'&' | b'\''));
    (signs < at).then_some(signs)
}

/// The start of a local part of ASCII and letters of Latin with accents. An apostrophe or ampersand may stand inside:
/// `o'brien`, `kim&lee`.
fn western_start(view: &View<'_>, at: usize) -> usize {
    let mut start = at;
    loop {
        let run = view.run_back(start, (LOCAL + 1).saturating_sub(at - start), is_local);
        let accent = view.character_before(run).filter(|&one| is_latin(one));
        start = match (view.before(run), accent) {
            (_, Some(one)) => run - one.len_utf8(),
            (b'\'' | b'&', _) if joins_names(view, run) => run - 1,
            _ => return run,
        };
        if at - start > LOCAL {
            return start;
        }
    }
}

/// Whether the sign before `at` stands between two letters and does not begin a string: `b'kim@example.com'`.
fn joins_names(view: &View<'_>, at: usize) -> bool {
    let word = view.run_back(at - 1, 3, |byte| byte.is_ascii_alphanumeric());
    let name = view.slice(word..at - 1);
    let prefix = ["b", "r", "u", "f", "t", "br", "rb", "fr", "rf"].iter().any(|one| name.eq_ignore_ascii_case(one));
    let quote = view.before(at) == b'\'';
    !name.is_empty() && view.at(at).is_ascii_alphabetic() && !(quote && prefix)
}

/// The start of a local part that ends in a letter outside ASCII: all letters before it, of whatever script.
fn foreign_start(view: &View<'_>, at: usize) -> Option<usize> {
    let last = view.character_before(at)?;
    if is_latin(last) {
        return Some(western_start(view, at));
    }
    let mut start = at;
    while let Some(one) = view.character_before(start).filter(|&one| is_local_character(one)) {
        start -= one.len_utf8();
        if at - start > LOCAL {
            return None;
        }
    }
    (start < at).then_some(start)
}

fn is_local_character(one: char) -> bool {
    u8::try_from(one).map_or_else(|_| one.is_alphanumeric(), |byte| is_local(byte) || is_latin(one))
}

/// A letter of Latin with an accent, as one character.
fn is_latin(one: char) -> bool {
    matches!(one, '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}') && one.is_alphabetic()
}

/// `package@1.2.3-beta.dev`: two numbers at the beginning are a version.
fn is_version(domain: &str) -> bool {
    let mut labels = domain.split('.');
    let number =
        |label: Option<&str>| label.is_some_and(|label| label.starts_with(|first: char| first.is_ascii_digit()));
    number(labels.next()) && number(labels.next())
}

/// `Message-ID: <20240521.123@kernel.org>`: in brackets, directly after the name of such a field. Further ones in a
/// row of references are taken for addresses: the field's name may be any number of lines before them.
fn is_message_id(view: &View<'_>, start: usize, end: usize) -> bool {
    let open =
        view.run_back(start, LOCAL, |byte| is_label(byte) || matches!(byte, b'.' | b'=' | b'+' | b'$' | b'_' | b'%'));
    if view.before(open) != b'<' || view.at(end) != b'>' {
        return false;
    }
    let colon = view.run_back(open - 1, 3, is_blank);
    let name = view.run_back(colon.saturating_sub(1), 20, |byte| byte.is_ascii_alphabetic() || byte == b'-');
    view.before(colon) == b':'
        && MESSAGE_FIELDS.iter().any(|field| view.slice(name..colon - 1).eq_ignore_ascii_case(field))
}
