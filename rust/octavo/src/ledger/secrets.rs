//! Secrets that were seen, by hash: not one may enter, nor a longer value that holds one.

use super::texts::hash;

/// A secret shorter than this is looked for as a whole value only: `test` or `1234` stands in many a path.
const SHORTEST_PART: usize = 6;

/// Tells the hash of what may stand inside a longer value from that of a whole value.
const PART: u64 = 0x9e37_79b9_7f4a_7c15;

/// What is remembered of a secret: its hash, and where it can be told inside a longer value, that of its inner part.
pub(super) fn hashes(secret: &str) -> impl Iterator<Item = u64> {
    let inner = inner(secret);
    let part = is_telling(inner).then(|| hash(inner) ^ PART);
    std::iter::once(hash(secret)).chain(part)
}

/// Whether a value is a secret or holds one as a part, as far as `is_known` says.
pub(super) fn holds(value: &str, is_known: impl Fn(u64) -> bool) -> bool {
    is_known(hash(value)) || parts(value).any(|part| is_telling(part) && is_known(hash(part) ^ PART))
}

/// Where a secret may stand in a value: between blanks, between the marks of paths, addresses and lists, and from mark to
/// mark.
fn parts(value: &str) -> impl Iterator<Item = &str> {
    let words = value.split_whitespace();
    let fields = value.split(|one: char| one.is_whitespace() || (one.is_ascii_punctuation() && !is_joiner(one)));
    let runs = value.split(|one: char| !one.is_alphanumeric());
    words.map(inner).chain(fields.map(inner)).chain(runs)
}

/// Without the marks around it, which may be a sentence's.
fn inner(text: &str) -> &str {
    text.trim_matches(|one: char| !one.is_alphanumeric())
}

const fn is_joiner(one: char) -> bool {
    matches!(one, '-' | '_' | '.' | '+' | '!' | '$' | '%' | '^' | '*' | '~' | '#')
}

/// Whether nobody writes it by chance: letters with digits or marks, or both cases, or long.
fn is_telling(part: &str) -> bool {
    if part.len() < SHORTEST_PART {
        return false;
    }
    let has = |kind: fn(&u8) -> bool| part.as_bytes().iter().any(kind);
    let inside = part.as_bytes().get(1..).unwrap_or_default();
    let mixed = has(u8::is_ascii_digit) || has(u8::is_ascii_punctuation) || inside.iter().any(u8::is_ascii_uppercase);
    part.len() >= 2 * SHORTEST_PART || mixed && part.bytes().any(|byte| !byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{hashes, holds};

    fn enters(secret: &str, value: &str) -> bool {
        let known: Vec<u64> = hashes(secret).collect();
        !holds(value, |hash| known.contains(&hash))
    }

    #[test]
    fn no_longer_value_holds_a_secret() {
        for (secret, value) in [
            ("wq7Lm-24Zt9x", "login bob wq7Lm-24Zt9x"),
            ("wq7Lm-24Zt9x", "https://h.com/u/wq7Lm-24Zt9x/a"),
            ("Hunter22x9", "/srv/Hunter22x9/log.txt"),
            ("Hunter22x9", "Hunter22x9,"),
            ("Hunter-22_x9!", "Hunter-22_x9"),
            ("pa/ss;wd12", "login bob pa/ss;wd12."),
            ("비밀1234번호", "--pw=비밀1234번호"),
        ] {
            assert!(!enters(secret, value), "{secret} in {value}");
        }
    }

    #[test]
    fn a_word_or_number_hides_nothing_but_itself() {
        for (secret, value) in [("test", "/srv/test/log.txt"), ("123456", "order 123456"), ("secret", "src/secret.rs")]
        {
            assert!(enters(secret, value) && !enters(secret, secret), "{secret} in {value}");
        }
    }
}
