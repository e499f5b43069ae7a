//! Which values are secrets, and no examples, variables or words.

use super::base64::{Alphabet, decode, sextet};
use super::expression::is_member;
use super::placeholder::{is_algorithm, is_code_of_a_secret, is_label, is_placeholder, is_sentence, is_validation};
use super::random::is_random;
use super::secret_name::{Sort, sort_of_name};

/// Whether the value is a secret.
pub(super) fn is_secret(value: &str, sort: Sort, quoted: bool, bearer: bool) -> bool {
    if sort.has_words() && is_phrase(value) {
        return true;
    }
    if is_placeholder(value) || is_code(value, quoted) || is_algorithm(value) || is_validation(value) {
        return false;
    }
    match sort {
        Sort::Mnemonic => false,
        Sort::Password | Sort::Phrase => {
            (is_password(value, quoted) || is_encoded_text(value) || is_scrambled(value) || is_made(value))
                && !is_object_identifier(value)
                && (quoted || !(is_constant(value) || value.starts_with("__")))
        }
        Sort::Pass => is_password(value, quoted) && !is_version(value),
        Sort::Pin => is_pin(value, quoted),
        Sort::Key | Sort::Login if bearer => is_key(value, 8) || is_base64(value),
        Sort::Login => (is_key(value, 12) || is_base64(value)) && !is_constant(value),
        Sort::Secret => {
            (is_key(value, 10) || is_short_secret(value) || is_made(value)) && !is_constant(value) && !is_address(value)
        }
        Sort::Key => (is_key(value, 12) || is_made(value)) && !is_constant(value) && !is_address(value),
        Sort::LooseKey => {
            value.len() >= 20 && (is_key(value, 20) && entropy(value) >= 3.0 || is_made(value)) && !is_constant(value)
        }
    }
}

/// Whether a value under the name of a password is one, when the name and the border of the value are certain: all but
/// what stands for a password, labels, and sentences about passwords.
pub(super) fn is_given(value: &str) -> bool {
    let length = value.chars().count();
    let object = value.matches('.').count() >= 2 && is_version(value);
    length >= 4
        && !object
        && !is_directory(value)
        && !is_placeholder(value)
        && !is_code_of_a_secret(value)
        && !is_label(value)
        && !is_validation(value)
        && !is_sentence(value)
}

/// What a machine has made, of few digits or none, and no name of a secret: `JWTBearerToken`.
fn is_made(value: &str) -> bool {
    is_random(value) && sort_of_name(value.as_bytes()).is_none()
}

/// `DOT11_DIALOG_TOKEN`, `WBEM_128BITS`, `crate::__u32`: names in a program.
fn is_constant(value: &str) -> bool {
    let name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let letters = value.bytes().filter(u8::is_ascii_uppercase).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    value.contains("::") || (value.contains('_') && value.bytes().all(name) && letters > 2 * digits)
}

/// `/srv/app`, `~/app`: what `PWD` holds, and a file that a secret is read from.
fn is_directory(value: &str) -> bool {
    let path =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-' | b'~' | b'@' | b'+');
    value.starts_with(['/', '~']) && value.bytes().all(path)
}

/// The address of a contract, which is public.
fn is_address(value: &str) -> bool {
    value.len() == 42 && value.starts_with("0x") && value.bytes().skip(2).all(|byte| byte.is_ascii_hexdigit())
}

/// A call, a path, a URL, a member: what a program reads the secret from.
fn is_code(value: &str, quoted: bool) -> bool {
    // A password may have any sign: a call or a template is one only where it is written out.
    let made = is_code_of_a_secret(value) || names_in_braces(value);
    made || value.contains(' ') || value.contains("://") || is_path(value) || (!quoted && is_member(value, false))
}

/// `{prefix}-{key}`, `{}`: a text that a program fills in.
fn names_in_braces(value: &str) -> bool {
    let name = |inside: &str| {
        inside.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
            && !inside.starts_with(|first: char| first.is_ascii_digit())
    };
    value.split('{').skip(1).any(|rest| {
        let inside = rest.split_once('}').map(|(inside, _)| inside.split(['!', ':']).next().unwrap_or_default());
        inside.is_some_and(name)
    })
}

/// `/run/secrets/db1`, `./x2`, and no `/Zq9x#2`.
fn is_path(value: &str) -> bool {
    (value.starts_with(['/', '~', '.', '\\']) && value.bytes().all(is_of_path))
        || value.contains("/secrets/")
        || value.matches('/').count() > 2 && value.contains('.')
}

fn is_of_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-' | b'~' | b'@' | b'+' | b'\\' | b':')
}

fn is_password(value: &str, quoted: bool) -> bool {
    let has = |class: fn(u8) -> bool| value.bytes().any(class);
    let letter = has(|byte| byte.is_ascii_alphabetic());
    let digit = has(|byte| byte.is_ascii_digit());
    let sign = has(|byte| matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'~' | b'+'));
    let length = value.chars().count();
    match (letter, digit, sign) {
        (true, true, _) => length >= 6,
        (_, _, true) => length >= 8 || (quoted && length >= 6),
        (false, true, false) => (6..=20).contains(&length) && !is_date(value),
        _ => false,
    }
}

/// `2026-05-21`.
fn is_date(value: &str) -> bool {
    let lengths: Vec<usize> = value.split(['-', '.', '/']).map(str::len).collect();
    matches!(lengths.as_slice(), [4, 1..=2, 1..=2] | [1..=2, 1..=2, 4])
}

/// Four to twelve digits, or letters among them.
fn is_pin(value: &str, quoted: bool) -> bool {
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    if digits { (4..=12).contains(&value.len()) } else { quoted && is_password(value, true) && !is_version(value) }
}

/// Four or more words in small letters: `correct horse battery staple`.
fn is_phrase(value: &str) -> bool {
    let word = |word: &str| (2..=12).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
    value.split(' ').count() >= 4 && value.split(' ').all(word) && !is_sentence(value)
}

/// `1.2.840.113549.1.9.7`, which is one of a schema.
fn is_object_identifier(value: &str) -> bool {
    value.matches('.').count() >= 2 && is_version(value)
}

/// `1.302103`.
fn is_version(value: &str) -> bool {
    value.contains('.') && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Long enough, letters and digits mixed, and no words with numbers between them.
fn is_key(value: &str, shortest: usize) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let alphabet = value.bytes().all(|byte| byte.is_ascii_graphic());
    value.len() >= shortest && digits >= 2 && letters >= 2 && alphabet && !is_words(value) && entropy(value) >= 2.7
}

/// Ten letters of both cases and a digit inside: the secrets of Naver.
fn is_short_secret(value: &str) -> bool {
    let inside = value.get(1..value.len().saturating_sub(1)).unwrap_or_default();
    let count = |class: fn(&u8) -> bool| inside.bytes().filter(class).count();
    let digits = count(u8::is_ascii_digit);
    let humps = value.as_bytes().windows(2).filter(|pair| pair.iter().all(u8::is_ascii_uppercase)).count();
    value.len() >= 10
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && count(u8::is_ascii_lowercase) >= 2
        && digits >= 1
        && humps >= 1
}

/// Letters of both cases in no order of words: `user:password` in base64 may have no digit.
fn is_base64(value: &str) -> bool {
    let upper = value.bytes().skip(1).filter(u8::is_ascii_uppercase).count();
    let lower = value.bytes().filter(u8::is_ascii_lowercase).count();
    value.len() >= 12
        && upper >= 3
        && lower >= 2
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'=')
}

/// Twelve letters or more of both cases in turn, in which no word is: `QwErTyUiOpAs`.
fn is_scrambled(value: &str) -> bool {
    let bytes = value.as_bytes();
    let turns = bytes
        .windows(2)
        .filter(|two| matches!(two, [one, two] if one.is_ascii_lowercase() && two.is_ascii_uppercase()));
    let words = bytes.chunk_by(|_, next| next.is_ascii_lowercase()).any(|word| word.len() > 4);
    bytes.len() >= 12 && bytes.iter().all(u8::is_ascii_alphabetic) && turns.count() >= 3 && !words
}

/// A text in base64, as Kubernetes holds secrets: it may be letters alone, but few words decode to what can be read.
fn is_encoded_text(value: &str) -> bool {
    let body = value.trim_end_matches('=');
    if value.len() < 12 || !value.len().is_multiple_of(4) || value.len() - body.len() > 2 {
        return false;
    }
    body.bytes().all(|byte| sextet(byte, Alphabet::Plain).is_some())
        && decode(body, Alphabet::Plain).iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n'))
}

/// `claude-3-5-sonnet-20241022`: each part letters alone or digits alone.
fn is_words(value: &str) -> bool {
    value.split(['_', '-', '.', '/', ':', ' ']).all(|part| {
        part.bytes().all(|byte| byte.is_ascii_digit()) || part.bytes().all(|byte| byte.is_ascii_alphabetic())
    })
}

/// Shannon entropy of the bytes, bits a byte.
fn entropy(value: &str) -> f64 {
    let mut bytes: Vec<u8> = value.bytes().collect();
    bytes.sort_unstable();
    let total = f64::from(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    bytes
        .chunk_by(|one, two| one == two)
        .map(|same| f64::from(u32::try_from(same.len()).unwrap_or(u32::MAX)) / total)
        .map(|share| -share * share.log2())
        .sum()
}
