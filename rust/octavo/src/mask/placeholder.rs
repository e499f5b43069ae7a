//! What stands in the place of a secret: variables, templates, labels, sentences, names of algorithms.

use super::secret_name::sort_of_name;

/// Names of what is done to a secret, and of formats: `암호: AES-256-GCM`, `auth: sha256-rsa2048`.
const ALGORITHMS: &[&str] = &[
    "sha1",
    "sha2",
    "sha3",
    "sha-",
    "sha5",
    "md5",
    "aes",
    "rsa",
    "bcrypt",
    "base64",
    "base32",
    "utf",
    "argon2",
    "pbkdf2",
    "hmac",
    "hs256",
    "rs256",
    "ed25519",
    "x509",
    "oauth",
    "oauth2",
    "http",
    "aws4-hmac",
    "x86",
    "ecdsa",
    "des3",
    "blowfish",
    "chacha20",
    "rc4",
    "ntlm",
    "mschap",
    "wpa",
    "tls1",
    "tlsv1",
    "scram",
];

/// Beginnings of values that stand for a secret.
const PLACEHOLDERS: &[&str] = &[
    "your",
    "my-",
    "my_",
    "example",
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "enter",
    "insert",
    "replace",
    "redacted",
    "masked",
    "hidden",
    "dummy",
    "todo",
    "undefined",
];

/// What a form, a schema or a table of words has in the place of a password.
pub(super) fn is_label(value: &str) -> bool {
    let prompt = value.starts_with(' ') && value.trim_end().ends_with(':');
    let value = value.trim_matches(|byte: char| matches!(byte, ' ' | ':' | '*' | '.' | '?' | '!'));
    // In small letters of any script: `Пароль` is what a form calls it.
    let named = || [value, &value.to_lowercase()].iter().any(|name| sort_of_name(name.as_bytes()).is_some());
    prompt || LABELS.iter().any(|label| value.eq_ignore_ascii_case(label)) || named()
}

const LABELS: &[&str] = &[
    "string",
    "text",
    "null",
    "none",
    "true",
    "false",
    "required",
    "optional",
    "hidden",
    "enabled",
    "disabled",
    "invalid",
    "incorrect",
    "wrong",
    "input",
    "field",
    "value",
    "varchar",
    "char",
    "test",
    "missing",
    "empty",
    "unset",
    "undefined",
    "plain",
    "prompt",
    "label",
    "object",
    "number",
    "boolean",
    "str",
    "bytes",
    "any",
    "unknown",
    "default",
    "password_hash",
    "current-password",
    "new-password",
    "current_password",
    "new_password",
    "sensitive",
    "redacted",
    "filtered",
    "removed",
    "[redacted]",
    "[filtered]",
    "[removed]",
    "[hidden]",
    "[masked]",
];

/// `required|min:8`: what a framework checks of a password.
pub(super) fn is_validation(value: &str) -> bool {
    let rule = |part: &str| {
        let (name, arguments) = part.split_once(':').unwrap_or((part, ""));
        let known = RULES.contains(&name);
        known && arguments.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b',' | b'_' | b'.'))
    };
    value.contains(['|', ':']) && value.split('|').all(rule)
}

/// Rules of validation in Laravel and its like.
const RULES: &[&str] = &[
    "required",
    "nullable",
    "sometimes",
    "bail",
    "string",
    "confirmed",
    "min",
    "max",
    "between",
    "size",
    "regex",
    "required_with",
    "required_without",
    "required_if",
    "same",
    "different",
    "current_password",
    "alpha_num",
];

/// Words that sentences about passwords have and passwords have not.
pub(super) fn is_sentence(value: &str) -> bool {
    let mut words = value.split(' ');
    let english = value.contains(' ') && words.any(|word| WORDS.iter().any(|one| word.eq_ignore_ascii_case(one)));
    english || OTHER_WORDS.iter().any(|word| value.contains(word))
}

const WORDS: &[&str] = &[
    "a",
    "an",
    "the",
    "your",
    "my",
    "is",
    "are",
    "was",
    "be",
    "must",
    "should",
    "can",
    "cannot",
    "may",
    "not",
    "or",
    "to",
    "for",
    "of",
    "in",
    "at",
    "least",
    "password",
    "passwords",
    "characters",
    "please",
    "enter",
    "new",
    "confirm",
    "forgot",
    "reset",
    "change",
    "with",
    "this",
    "that",
    "if",
    "required",
    "invalid",
    "no",
];
const OTHER_WORDS: &[&str] = &[
    "하세요",
    "합니다",
    "입력",
    "하십시오",
    "해주세요",
    "비밀번호",
    "密码",
    "请",
    "ください",
    "パスワ",
    "입니다",
    "자 이상",
];

/// A call or an address that the secret is read from.
pub(super) fn is_code_of_a_secret(value: &str) -> bool {
    let word = value.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')).count();
    let call = word > 2 && value.get(word..).is_some_and(|rest| rest.starts_with('(') && rest.ends_with(')'));
    (value.len() > 2 && value.contains(' ') && value.starts_with('`') && value.ends_with('`'))
        || (call && !value.contains(['!', '@', '#']) && is_template_word(value.get(..word).unwrap_or_default()))
        || value.contains("://")
        || value.starts_with("/run/")
        || value.starts_with("/etc/")
        || value.starts_with("arn:")
        || (value.contains("::") && value.contains(' '))
}

/// An algorithm or format, alone or with its parameters.
pub(super) fn is_algorithm(value: &str) -> bool {
    let after = |name: &&str| value.get(..name.len()).filter(|head| head.eq_ignore_ascii_case(name)).map(str::len);
    let parts = |end| value.get(end..).is_some_and(|rest: &str| rest.split(['-', '_', '.', '/']).all(is_template_word));
    let made = ["hashed", "encrypted", "hashed_", "encrypted_"].iter().filter_map(after).any(|end| {
        value.get(end..).is_some_and(|rest| {
            sort_of_name(rest.trim_end_matches(|byte: char| byte.is_ascii_digit()).as_bytes()).is_some()
        })
    });
    value.len() < 32 && (made || ALGORITHMS.iter().filter_map(after).any(parts))
}

/// Whether the value stands for a secret: a variable, a template, stars, the word `your`.
pub(super) fn is_placeholder(value: &str) -> bool {
    let begins = |start: &&str| value.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    // `changeme123` is what somebody has made of the example.
    let small = value.starts_with(|first: char| first.is_ascii_lowercase());
    let made = |rest: &str| small && rest.len() >= 3 && rest.bytes().all(|byte| byte.is_ascii_digit());
    let stands_for = |start: &&str| {
        begins(start) && value.get(start.len()..).is_some_and(|rest| is_words_and_numbers(rest) && !made(rest))
    };
    is_template(value)
        || ["${", "{{"].iter().any(|open| is_opened(value, open))
        || is_one_letter(value)
        || is_parameter(value)
        || READERS.iter().any(begins)
        || PLACEHOLDERS.iter().any(stands_for)
}

/// Whether a template begins in the value: at its start, or where it is closed as well.
fn is_opened(value: &str, open: &str) -> bool {
    value.find(open).is_some_and(|at| at == 0 || value.get(at..).is_some_and(|rest| rest.contains('}')))
}

/// What a program reads a secret from.
const READERS: &[&str] = &["process.env", "os.environ", "os.getenv", "env.", "..."];

/// `$PASSWORD`, `<your password>`, `%PASSWORD%`, `{password}`, `[password]`, `***`: in the brackets stand words.
fn is_template(value: &str) -> bool {
    let Some(rest) = value.strip_prefix(['$', '<', '{', '%', '*', '[', '(']) else { return false };
    let inner = rest.trim_end_matches(['>', '}', '%', '*', ']', ')', '.', ',', ';']);
    value.starts_with("$(") || value.starts_with("<%") || value.starts_with("{%") || is_words_and_numbers(inner)
}

/// `@Password1`, `:new_password1`: what a statement in SQL is given.
fn is_parameter(value: &str) -> bool {
    let name = value.strip_prefix(['@', ':']).unwrap_or_default();
    let word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    !name.is_empty()
        && word
        && sort_of_name(name.trim_end_matches(|byte: char| byte.is_ascii_digit()).as_bytes()).is_some()
}

/// Words and numbers, joined by what joins names.
fn is_words_and_numbers(value: &str) -> bool {
    value
        .split(|byte: char| !byte.is_alphanumeric() && !matches!(byte, '!' | '@' | '#' | '&' | '+' | '~' | '^'))
        .all(is_template_word)
}

/// Letters, then perhaps digits; digits and letters in turn are random. Capitals alone are a name, too.
fn is_template_word(word: &str) -> bool {
    let letters = word.trim_end_matches(|byte: char| byte.is_ascii_digit());
    let constant = word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    constant || letters.chars().all(char::is_alphabetic)
}

/// `xxxx`, `****`, and eight or more of two characters; `00000000` is a password that people have.
fn is_one_letter(value: &str) -> bool {
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let mut others = value.bytes().map(|byte| byte.to_ascii_lowercase());
    let Some(first) = others.next() else { return true };
    let mut second = None;
    for byte in others.filter(|&byte| byte != first) {
        match second {
            None => second = Some(byte),
            Some(second) if second == byte => {}
            Some(_) => return false,
        }
    }
    second.is_none() || value.len() >= 8
}
