//! Frequent signs that can begin nothing, told by a few bytes beside them, before a recogniser is asked.
//!
//! Colons, equals signs, dashes and stops are nine in ten of the places at which the scan stops. What is passed here is
//! what each recogniser of the sign would leave after looking at more: `visit` in `scan.rs` has them.

use super::{key_rules, naming};

/// Bytes of a user before a colon, and of a type before `=`, that a recogniser reads.
const BEFORE: usize = 40;

/// Whether the name before a colon or `=` may be a secret's, or the sign belong to a URL, a user or an address. Nearly
/// every sign follows another name, in quotes or plain: two letters of it decide.
pub(super) fn may_assign(bytes: &[u8], at: usize, next: u8) -> bool {
    let Some([third, second, first]) = at.checked_sub(3).and_then(|from| bytes.get(from..at)?.first_chunk()) else {
        return true;
    };
    let is_name = |before: u8, last: u8| {
        let letters = before.is_ascii_alphabetic() && last.is_ascii_alphabetic();
        !letters || naming::may_end(before, last) || is_cookie(before, last)
    };
    let colon = bytes.get(at) == Some(&b':');
    match (first, next) {
        (b'"', _) if colon => matches!(next, b'/' | b'\\') || is_name(*third, *second),
        (_, b' ' | b'\n' | b':') if colon => is_name(*second, *first) || may_have_user(bytes, at, next),
        (b' ', _) if !colon => is_name(*third, *second) || may_have_type(bytes, at),
        _ => colon || is_name(*second, *first),
    }
}

/// Whether `Cookie` may end so.
fn is_cookie(before: u8, last: u8) -> bool {
    before.eq_ignore_ascii_case(&b'i') && last.eq_ignore_ascii_case(&b'e')
}

/// `Password for kim:`, `echo "kim::x" | chpasswd`, and the groups of an address, `fe80::1`.
fn may_have_user(bytes: &[u8], at: usize, next: u8) -> bool {
    let user = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.@'%".contains(byte);
    let before = bytes.get(..at).unwrap_or_default();
    if next == b':' && before.last().is_some_and(u8::is_ascii_hexdigit) {
        return true;
    }
    let mut before = before.iter().rev();
    match before.by_ref().take(BEFORE).find(|byte| !user(byte)) {
        None => true,
        Some(b' ') => matches!(before.next(), Some(b'r' | b'R')),
        Some(border) => next == b':' && matches!(border, b'"' | b'\''),
    }
}

/// `password: str =`.
fn may_have_type(bytes: &[u8], at: usize) -> bool {
    bytes.get(at.saturating_sub(BEFORE)..at).is_none_or(|before| before.contains(&b':'))
}

/// Whether a sign inside of a word may belong to a key, or to a hardware address.
pub(super) fn may_join_key(bytes: &[u8], at: usize, next: u8) -> bool {
    let before = at.checked_sub(2).and_then(|from| bytes.get(from..at)?.first_chunk());
    let (Some(&[before, last]), Some(&second), Some(&sign)) = (before, bytes.get(at + 2), bytes.get(at)) else {
        return true;
    };
    if !last.is_ascii_alphanumeric() || !next.is_ascii_alphanumeric() || key_rules::may_end(sign, before, last) {
        return true;
    }
    let groups = [before, last, next, second].iter().all(u8::is_ascii_hexdigit);
    match sign {
        // Mailchimp's keys, PuTTY's files.
        b'-' => groups || matches!((next, second), (b'u', b's') | (b'L', b'i')),
        // Terraform's keys, Discord's, Airtable's.
        b'.' => groups || next == b'a' || bytes.get(at + 7).is_none_or(|&byte| byte == b'.'),
        _ => false,
    }
}
