//! Which names are those of secrets, and which values are secrets and no examples, variables or words.

use super::placeholder::{is_algorithm, is_code_of_a_secret, is_label, is_placeholder, is_sentence};

/// What a name says about the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    /// A person has chosen it: six characters of two sorts are enough.
    Password,
    /// `pass`, which is the verdict of a test more often than a password: one is given in quotes, or with `=` at once.
    Pass,
    /// A machine has made it: long and without pattern.
    Key,
}

/// Names by their last byte, without `_`, `-`, `.` and blanks. Nearly every sign in a text follows another name, so
/// this is asked often: three comparisons at most decide on an ASCII name, and nothing is allocated.
fn names(last: u8) -> (&'static [&'static str], &'static [&'static str]) {
    match last {
        b'd' => (&["password", "passwd", "pwd", "wachtwoord"], &[]),
        b'e' => (&["passphrase", "passcode", "motdepasse"], &[]),
        b't' => (&["passwort", "kennwort"], &["secret"]),
        b'a' => (&["contraseña", "senha"], &[]),
        b'n' => (&[], &["token", "authorization"]),
        b'y' => (&[], KEYS),
        b'l' => (&[], &["credential"]),
        b's' => (&[], &["credentials"]),
        0x80.. => (OTHER_PASSWORDS, OTHER_KEYS),
        _ => (&[], &[]),
    }
}

const KEYS: &[&str] = &[
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "authkey",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "accountkey",
];
/// In Korean, Chinese and Japanese; in the normal form a long vowel mark is a dash, and dashes are not seen.
const OTHER_PASSWORDS: &[&str] =
    &["비밀번호", "비번", "암호", "패스워드", "密码", "密碼", "口令", "パスワド", "暗証番号", "пароль", "mậtkhẩu"];
const OTHER_KEYS: &[&str] =
    &["토큰", "인증키", "api키", "비밀키", "시크릿", "시크릿키", "보안키", "액세스키", "접근키", "トクン"];
/// What has a password: `DB_PASS` and `userpass` name one, `first_pass` and `two-pass` a round.
const ACCOUNTS: &[&str] = &[
    "db", "user", "mail", "smtp", "imap", "ftp", "admin", "root", "sql", "redis", "http", "login", "my", "ssh", "key",
    "store", "proxy", "ldap", "pg", "postgres", "mongo", "rabbitmq", "wifi", "sudo", "basic", "rpc", "mqtt",
];
/// Names that end like a key's and say where a list goes on.
const POSITIONS: &[&str] = &["pagetoken", "nexttoken", "continuationtoken", "synctoken", "cursortoken"];

/// What `name` names. Case, dashes, underscores, stops and blanks in it are not seen.
pub(super) fn sort_of_name(name: &[u8]) -> Option<Sort> {
    sort_of_plain_name(name).or_else(|| sort_of_plain_name(without_suffix(name)?))
}

/// `PASSWORD2`, `DB_PASSWORD_PROD`, `API_KEY_PROD`: the name without the number or the place it is for.
fn without_suffix(name: &[u8]) -> Option<&[u8]> {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 {
        let (head, _) = name.split_at_checked(name.len().saturating_sub(digits))?;
        let head = if let [rest @ .., b'_' | b'-'] = head { rest } else { head };
        return (digits <= 2).then_some(head);
    }
    let end = |suffix: &&str| {
        let (head, tail) = name.split_at_checked(name.len().checked_sub(suffix.len())?)?;
        tail.eq_ignore_ascii_case(suffix.as_bytes()).then_some(head)
    };
    // Most names end otherwise: one look at the last byte decides.
    let may_end = matches!(name.last()?.to_ascii_lowercase(), b'd' | b'v' | b't' | b'g' | b'm' | b'w');
    may_end.then(|| SUFFIXES.iter().find_map(end))?
}

const SUFFIXES: &[&str] = &["_prod", "_dev", "_test", "_staging", "_confirm", "_old", "_new"];

fn sort_of_plain_name(name: &[u8]) -> Option<Sort> {
    let (passwords, keys) = names(name.last()?.to_ascii_lowercase());
    let ends = |names: &[&str]| names.iter().any(|one| ends_loosely(name, one.as_bytes()));
    if ends(passwords) || ACCOUNTS.iter().any(|account| ends_with_account(name, account)) {
        Some(Sort::Password)
    } else if ends_with_word(name, b"pass") {
        Some(Sort::Pass)
    } else if (ends(keys) && !ends(POSITIONS)) || ends_with_word(name, b"auth") {
        Some(Sort::Key)
    } else {
        None
    }
}

/// Whether the name ends with the word, when what joins words is not seen.
fn ends_loosely(name: &[u8], word: &[u8]) -> bool {
    let mut letters = name.iter().rev().filter(|byte| !matches!(byte, b'_' | b'-' | b'.' | b' '));
    word.iter().rev().all(|byte| letters.next().is_some_and(|letter| letter.eq_ignore_ascii_case(byte)))
}

/// `DB_PASS`, `userpass`.
fn ends_with_account(name: &[u8], account: &str) -> bool {
    let Some((head, tail)) = name.split_at_checked(name.len().saturating_sub(4)) else { return false };
    let head = if let [rest @ .., b'_' | b'-' | b'.'] = head { rest } else { head };
    let starts = head.len().saturating_sub(account.len());
    tail.eq_ignore_ascii_case(b"pass")
        && head.get(starts..).is_some_and(|end| end.eq_ignore_ascii_case(account.as_bytes()))
}

/// `DB_PASS` ends with the word, `bypass` does not.
fn ends_with_word(name: &[u8], word: &[u8]) -> bool {
    let Some((head, tail)) = name.split_at_checked(name.len().saturating_sub(word.len())) else { return false };
    tail.eq_ignore_ascii_case(word) && !head.last().is_some_and(u8::is_ascii_alphanumeric)
}

/// Whether the value is a secret.
pub(super) fn is_secret(value: &str, sort: Sort, quoted: bool, bearer: bool) -> bool {
    if is_placeholder(value) || is_code(value, quoted) || is_algorithm(value) {
        return false;
    }
    match sort {
        Sort::Password => is_password(value, quoted),
        Sort::Pass => is_password(value, quoted) && !is_version(value),
        Sort::Key if bearer => is_key(value, 8) || is_base64(value),
        Sort::Key => is_key(value, 12) && !is_constant(value) && !is_address(value),
    }
}

/// Whether a value under the name of a password is one, when the name and the border of the value are certain: all but
/// what stands for a password, labels, and sentences about passwords.
pub(super) fn is_given(value: &str) -> bool {
    let length = value.chars().count();
    length >= 4 && !is_placeholder(value) && !is_code_of_a_secret(value) && !is_label(value) && !is_sentence(value)
}

/// `DOT11_DIALOG_TOKEN`, `WBEM_128BITS`, `crate::__u32`: names in a program.
fn is_constant(value: &str) -> bool {
    let name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let letters = value.bytes().filter(u8::is_ascii_uppercase).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    value.contains("::") || (value.contains('_') && value.bytes().all(name) && letters > 2 * digits)
}

/// The address of a contract, which is public.
fn is_address(value: &str) -> bool {
    value.len() == 42 && value.starts_with("0x") && value.bytes().skip(2).all(|byte| byte.is_ascii_hexdigit())
}

/// A call, a path, a URL, a member: what a program reads the secret from.
fn is_code(value: &str, quoted: bool) -> bool {
    let path = value.starts_with(['/', '~', '.', '\\']) || value.matches('/').count() > 2 && value.contains('.');
    value.contains(['(', ' ', '{']) || value.contains("://") || path || (!quoted && is_member(value))
}

/// `config.password2`: names joined by stops.
fn is_member(value: &str) -> bool {
    let name = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && part.len() < 20
    };
    value.contains('.') && value.split('.').all(name)
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
        (false, true, false) => (6..=20).contains(&length),
        _ => false,
    }
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

/// Letters of both cases in no order of words: `user:password` in base64 may have no digit.
fn is_base64(value: &str) -> bool {
    let upper = value.bytes().skip(1).filter(u8::is_ascii_uppercase).count();
    let lower = value.bytes().filter(u8::is_ascii_lowercase).count();
    value.len() >= 12
        && upper >= 3
        && lower >= 2
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'=')
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
