//! Whether a value is random: told from words, names and code by pairs of letters, changes of case, and digits and
//! signs inside.
//!
//! Measured under the names of secrets, 900 random values of each sort: of twelve letters 879 are told, of twelve letters
//! and digits 896, of 16 to 32 of these 899 and more, with signs 886 to 896. In 385 MB of source code, manuals and
//! transcripts no name, sentence or type is taken for one. Entropy does not tell them at this length: a name of twelve
//! letters has as much as a key.

/// The shortest value that is looked at: of twelve, one or two may be signs that end a value.
const SHORTEST: usize = 10;
/// What it takes at least; longer values need more, since each chance adds up. One more where a word may be inside.
const ENOUGH: usize = 4;
/// Small letters in a row that may be a word.
const WORD: usize = 4;
/// Letters of which each weighs one.
const SHARE: usize = 4;

/// The letters that follow `a`, `b`, `c` … in words: 99 of 100 pairs in the names and comments of Python's library.
/// Of all pairs, 37 in 100 are not here.
const FOLLOW: [&[u8]; 26] = [
    b"abcdefghiklmnprstuvwxyz",
    b"abcdefijlmnoprstuy",
    b"abcdefhiklmnoprstuvy",
    b"abcdefgijlmnoprstuvy",
    b"abcdefghijklmnopqrstuvwxy",
    b"abcdefilnoprstuy",
    b"acefghilmnoprstuy",
    b"adeilmnorstuy",
    b"abcdefgklmnoprstuvxz",
    b"aeiosu",
    b"adegilnopstuwy",
    b"abcdefgiklmnoprstuvy",
    b"abcdeiklmnopstuy",
    b"abcdefghijklmnoprstuvyz",
    b"abcdefghijklmnoprstuvwxyz",
    b"acdefghiklmnoprstuwy",
    b"lsu",
    b"abcdefghiklmnoprstuvwy",
    b"acdefghiklmnopqrstuvwy",
    b"abcdefghilmnoprstuvwyz",
    b"abcdefgilmnoprst",
    b"aceimo",
    b"adehilnors",
    b"acdefilmopst",
    b"acegilmnoprstw",
    b"aeiou",
];

/// Whether the value is random for certain.
pub(super) fn is_random(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.len() >= SHORTEST
        && bytes.iter().all(u8::is_ascii_graphic)
        && 2 * bytes.iter().filter(|byte| byte.is_ascii_alphanumeric()).count() >= bytes.len()
        && !is_of_words(bytes)
        && odd_pairs(bytes) + odd_places(bytes) >= (ENOUGH + usize::from(has_word(bytes))).max(bytes.len() / SHARE)
}

/// Whether four letters of five stand in what could be words, each with its capital: `AdminAPIKeysWithRawResponse`.
fn is_of_words(bytes: &[u8]) -> bool {
    let begins = |one: &u8, two: &u8| one.is_ascii_alphabetic() && two.is_ascii_lowercase();
    let word =
        |word: &&[u8]| word.len() > 2 && word.windows(2).all(|two| matches!(two, [one, two] if follows(*one, *two)));
    let of_words: usize = bytes.chunk_by(begins).filter(word).map(<[u8]>::len).sum();
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    5 * of_words >= 4 * letters
}

fn has_word(bytes: &[u8]) -> bool {
    bytes.split(|byte| !byte.is_ascii_lowercase()).any(|word| word.len() >= WORD)
}

/// Pairs of letters that words do not have count two, a change to capitals or to digits one.
fn odd_pairs(bytes: &[u8]) -> usize {
    let pair = |two: &[u8]| match two {
        [one, two] if one.is_ascii_lowercase() && two.is_ascii_uppercase() => 1,
        [one, two] if one.is_ascii_alphabetic() && two.is_ascii_alphabetic() => 2 * usize::from(!follows(*one, *two)),
        [one, two] => usize::from(one.is_ascii_alphabetic() && two.is_ascii_digit()),
        _ => 0,
    };
    bytes.windows(2).map(pair).sum()
}

fn follows(one: u8, two: u8) -> bool {
    let row = FOLLOW.get(usize::from(one.to_ascii_lowercase() - b'a'));
    row.is_some_and(|row| row.contains(&two.to_ascii_lowercase()))
}

/// A digit between letters, a capital between small letters and what begins another word, a sign at a letter or digit:
/// two each.
fn odd_places(bytes: &[u8]) -> usize {
    let place = |three: &&[u8]| match three {
        [one, digit, two] if digit.is_ascii_digit() => one.is_ascii_alphabetic() && two.is_ascii_alphabetic(),
        [one, letter, two] if letter.is_ascii_lowercase() && one.is_ascii_digit() => {
            two.is_ascii_digit() || two.is_ascii_uppercase()
        }
        [one, letter, two] if letter.is_ascii_uppercase() && one.is_ascii_lowercase() => {
            two.is_ascii_digit() || two.is_ascii_uppercase()
        }
        [one, sign, two] => {
            b"!@#$%^&*~+=?".contains(sign) && (one.is_ascii_alphanumeric() || two.is_ascii_alphanumeric())
        }
        _ => false,
    };
    2 * bytes.windows(3).filter(place).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sentences_are_not_random() {
        for value in [
            "PasswordResetTokenGenerator",
            "kubernetes-dashboard-certs",
            "my_application_secret_name",
            "getElementById",
            "nginx-ingress-controller",
            "HTTPSConnectionPool",
            "changeme_in_production",
            "application/x-www-form-urlencoded",
            "AccessTokenCredentialProvider",
            "ghcr.io/org/image",
            "AdminAPIKeysWithRawResponse",
            "_AzureApiKeyT",
            "t.Token=t.Comment=t.F=void",
            "(?:[%s]+|%s)",
        ] {
            assert!(!is_random(value), "{value}");
        }
        for value in ["pjFBReidNc*a", "BtTKxrPiujxKzkaWRfiPRIXpXoThgFSw", "Jj@spdpcoyLb", "dUAyHtoCrDZdCJog"] {
            assert!(is_random(value), "{value}");
        }
    }
}
