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
    let before = bytes.get(..at).unwrap_or_default();
    let colon = bytes.get(at) == Some(&b':');
    match before {
        [name @ .., quote @ (b'"' | b'\'')] if colon => {
            let url = matches!(next, b'/' | b':') || next == b'\\' && may_have_slash(bytes, at + 1);
            url || may_be_name(without_backslashes(name)) || *quote == b'\'' && may_have_user(bytes, at, next)
        }
        [.., b'a'..=b'z' | b'A'..=b'Z'] if !colon => may_be_name(before),
        [.., b'a'..=b'z' | b'A'..=b'Z'] if matches!(next, b' ' | b'\n' | b':') => {
            may_be_name(before) || may_have_user(bytes, at, next)
        }
        [name @ .., b' '] if !colon => may_be_name(name) || may_have_type(bytes, at),
        _ => true,
    }
}

/// Whether the last two letters may be those of a name.
fn may_be_name(name: &[u8]) -> bool {
    let Some([before @ (b'a'..=b'z' | b'A'..=b'Z'), last @ (b'a'..=b'z' | b'A'..=b'Z')]) = name.last_chunk() else {
        return true;
    };
    naming::may_end(*before, *last) || is_cookie(*before, *last)
}

/// Without those of a quote that is escaped once or twice.
fn without_backslashes(name: &[u8]) -> &[u8] {
    let name = name.strip_suffix(b"\\").unwrap_or(name);
    name.strip_suffix(b"\\\\").unwrap_or(name)
}

/// Whether a slash may follow backslashes: `https:\/\/`.
fn may_have_slash(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().find(|&&byte| byte != b'\\').is_none_or(|&byte| byte == b'/')
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
        b'.' => {
            let airtable = || at.checked_sub(17).and_then(|start| bytes.get(start..)?.first_chunk()) == Some(b"pat");
            groups || next == b'a' || bytes.get(at + 7).is_none_or(|&byte| byte == b'.') || airtable()
        }
        // `MaxMind`'s keys.
        _ => (next, second) == (b'm', b'm'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assigns(text: &str) -> bool {
        let at = text.rfind(['=', ':']).unwrap_or_default();
        may_assign(text.as_bytes(), at, text.as_bytes().get(at + 1).copied().unwrap_or_default())
    }

    #[test]
    fn names_of_nothing_secret_are_passed() {
        for text in ["\"count\": 1", "{\\\"count\\\":\\\"x", "the count: 1", "count=1", "a count = 1"] {
            assert!(!assigns(text), "{text}");
        }
        for text in [
            "\"password\": 1",
            "\\\"token\\\":\\\"x",
            "Cookie: x",
            "password=x",
            "password for count: x",
            "password: Count = x",
            "비밀번호: x",
            "\"https\":\\/\\/x",
        ] {
            assert!(assigns(text), "{text}");
        }
    }

    #[test]
    fn words_of_no_prefix_are_passed() {
        let joins = |text: &str| {
            let at = text.find(['-', '_', '.']).unwrap_or_default();
            may_join_key(text.as_bytes(), at, text.as_bytes().get(at + 1).copied().unwrap_or_default())
        };
        for text in ["well-known", "is_plain", "file.json text"] {
            assert!(!joins(text), "{text}");
        }
        for text in
            ["sk-abc", "ghp_abc", "SG.abc", "00-1A-2B", "0a1b-us12", "Private-Lines: 1", "x.atlasv1.", "MTA.Gabcde.x"]
        {
            assert!(joins(text), "{text}");
        }
    }
}
