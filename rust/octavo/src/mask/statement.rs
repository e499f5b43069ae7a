//! Passwords that a sentence states: `비밀번호는 hunter2입니다`, `the password is hunter2`, `密码是abc12345`.
//!
//! There is no sign between name and value, so the value must have letters and digits mixed.

use super::assignment;
use super::bare;
use super::call;
use super::expression::is_expression;
use super::kind::Kind;
use super::placeholder::{is_algorithm, is_placeholder};
use super::quoted::{VALUE, ends_with};
use super::scan::{Found, Scene};
use super::secret;
use super::secret_name::{Sort, sort_of_name};
use super::view::{View, is_blank};

/// Letters before the first digit of the value, at most.
const HEAD: usize = 24;
/// Bytes before the value in which the name is read.
const NAME: usize = 48;

/// `at` is the first digit of a number.
///
/// Nearly every number stands behind other words and has no letters: both are looked at before anything is read.
pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let start = view.run_back(at, HEAD, is_value);
    if start == at && is_plain_number(view, at) {
        return None;
    }
    let mark = Some(view.before(start)).filter(|byte| matches!(byte, b'"' | b'\'' | b'`' | b'(' | b'['));
    let begin = start - usize::from(mark.is_some());
    let name = view.run_back(begin, 2, is_blank);
    if !may_end_words(view.before(name))
        || view.before(start).is_ascii_alphanumeric()
        || !scene.kinds.contains(Kind::Secret)
    {
        return None;
    }
    let Stated { sort, only_strong } = sort_before(view, name, begin, mark)?;
    let range = match mark {
        Some(mark) => start..marked_end(view, start, mark)?,
        None => start..bare::whole_end(view, start),
    };
    let value = view.slice(range.clone());
    if only_strong && !is_strong(value) && !(value.contains(is_sign) && ends_with(view, name, "pw")) {
        return None;
    }
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let mixed = letters && !is_word(value) && !is_placeholder(value) && !is_algorithm(value);
    let token = assignment::has_token(view, &range) || bare::meets_token(view, range.end);
    let other = token || mark.is_none() && is_expression(view, &range);
    (mixed && !other && secret::is_secret(value, sort, false, false)).then(|| scene.found(Kind::Secret, range, 70))?
}

/// What the words before a value name.
struct Stated {
    sort: Sort,
    /// Whether they might be any words: the value must be one for certain.
    only_strong: bool,
}

/// Signs that may stand before the first digit of a value.
fn is_value(byte: u8) -> bool {
    byte.is_ascii_alphabetic()
        || matches!(byte, b'-' | b'_' | b'.' | b'%' | b'+' | b'~' | b',')
        || is_sign(char::from(byte))
}

fn is_sign(one: char) -> bool {
    matches!(one, '!' | '@' | '#' | '$' | '^' | '&' | '*')
}

/// Digits, and what stands in numbers, dates and times.
fn is_plain_number(view: &View<'_>, at: usize) -> bool {
    let end = view.run(at, HEAD, |byte| matches!(byte, b'0'..=b'9' | b'.' | b',' | b':' | b'/' | b'-'));
    !matches!(view.at(end), b'a'..=b'z' | b'A'..=b'Z' | b'!' | b'@' | b'#' | b'$' | b'^' | b'&' | b'*' | b'%' | b'+' | b'~' | b'_')
}

/// Whether words that name a value may end so: a letter of a name, a verb, a sign between.
fn may_end_words(last: u8) -> bool {
    matches!(last.to_ascii_lowercase(), b'd' | b'y' | b's' | b'h' | b'n' | b't' | b'e' | b'k' | b'w' | b'o')
        || matches!(last, b'|' | b'>' | b'?' | b'-' | 0x80..)
}

/// Where the quote or bracket closes that stands before the value.
pub(super) fn marked_end(view: &View<'_>, start: usize, mark: u8) -> Option<usize> {
    let close = match mark {
        b'(' => b')',
        b'[' => b']',
        _ => mark,
    };
    let end = view.run(start, VALUE, |byte| byte.is_ascii_graphic() && !b"\"'`()[]".contains(&byte));
    (view.at(end) == close).then_some(end)
}

/// What the words before the value name: `begin` is where its quote or bracket stands, or it itself.
fn sort_before(view: &View<'_>, name: usize, begin: usize, mark: Option<u8>) -> Option<Stated> {
    let last = view.before(name);
    let sure = |sort| Stated { sort, only_strong: false };
    let bracket = matches!(mark, Some(b'(' | b'['));
    if last == b'-' && name < begin && is_blank(view.before(name - 1)) {
        let name = view.run_back(name - 1, 2, is_blank);
        return (view.before(name) >= 0x80).then(|| sort_of_statement(view, name))?.map(sure);
    }
    if last >= 0x80 || (name < begin && matches!(last, b's' | b'S' | b'o') && !bracket) {
        return sort_of_statement(view, name).or_else(|| sort_of_command(view, name, begin)).map(sure);
    }
    if bracket {
        return None;
    }
    if mark.is_some() && (ends_with(view, name, "||") || ends_with(view, name, "??")) {
        return sort_of_fallback(view, name - 2).map(sure);
    }
    let words = || (name < begin).then(|| sort_of_words(view, name))?;
    let only_strong = mark.is_none();
    let command = sort_of_command(view, name, begin).map(sure);
    command.or_else(|| words().map(|sort| Stated { sort, only_strong }))
}

/// `process.env.DB_PASSWORD || "x"`: what is taken when nothing else is there.
fn sort_of_fallback(view: &View<'_>, sign: usize) -> Option<Sort> {
    let end = view.run_back(sign, 2, is_blank);
    let start = view.run_back(end, NAME, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    sort_of_name(view.slice(start..end).as_bytes())
}

/// `the password "x"`, `API key x`: the words directly before, of a value that nobody can take for a word.
fn sort_of_words(view: &View<'_>, end: usize) -> Option<Sort> {
    let last = view.before(end).to_ascii_lowercase();
    if !matches!(last, b'd' | b'y' | b'n' | b't' | b'e' | b'w') {
        return None;
    }
    let start = view.run_back(end, NAME, |byte| byte.is_ascii_alphabetic() || byte == b' ');
    let words = view.slice(start..end).trim_start();
    let key = words.get(words.len().saturating_sub(2)..).is_some_and(|word| word.eq_ignore_ascii_case("pw"));
    let joined = matches!(view.before(start), b'_' | b'-' | b'.' | b'/');
    (!joined || key).then(|| sort_of_name(words.as_bytes()))?
}

/// Letters of both cases and digits in turn, four times or more: `hunter2Zq9xK`.
fn is_strong(value: &str) -> bool {
    let turns = value.as_bytes().windows(2).filter(|two| {
        matches!(two, [one, two] if one.is_ascii_digit() != two.is_ascii_digit() && one.is_ascii_alphanumeric() && two.is_ascii_alphanumeric())
    });
    let has = |class: fn(&u8) -> bool| value.bytes().any(|byte| class(&byte));
    value.len() >= 10 && turns.count() >= 4 && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
}

/// What the words before the value name, when they say that it follows.
fn sort_of_statement(view: &View<'_>, end: usize) -> Option<Sort> {
    let start = view
        .run_back(end, NAME, |byte| byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'-' | b'_' | b' '));
    let bytes = view.bytes().get(start..end)?;
    let name = without_particle(bytes).unwrap_or(bytes);
    // A name in Latin letters needs the verb: `password x2y3` may be a list of words.
    let verb = name.len() < bytes.len();
    (verb || name.last().is_some_and(|byte| *byte >= 0x80)).then(|| sort_of_name(name))?
}

/// What the words of a command or table name, which has no verb: `login kim password x`, `ENV DB_PASSWORD x`,
/// `IDENTIFIED BY x`, `| password | x |`, `password -> x`.
fn sort_of_command(view: &View<'_>, end: usize, start: usize) -> Option<Sort> {
    let last = view.before(end);
    // The last letters of names of secrets, and of the words that are looked for.
    let may_end = matches!(last.to_ascii_lowercase(), b'd' | b'y' | b's' | b'h' | b'n' | b't' | b'e' | b'k' | b'w');
    if end == start || !(may_end || matches!(last, b'|' | b'>' | 0x80..)) {
        return None;
    }
    if matches!(last, b'|' | b'>' | 0x80..) {
        return sort_of_cell(view, end, last);
    }
    let word = view.run_back(end, NAME, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let name = view.slice(word..end);
    if name.eq_ignore_ascii_case("by") {
        return call::is_identified_user(view, end).then_some(Sort::Password);
    }
    if matches!(name, "requirepass" | "masterauth") {
        return Some(Sort::Password);
    }
    let sort = sort_of_name(name.as_bytes())?;
    let verb_end = view.run_back(word, 4, is_space);
    let verb = view.run_back(verb_end, NAME, |byte| byte.is_ascii_graphic());
    let before = view.run_back(verb, 4, is_space);
    let command = matches!(view.slice(verb..verb_end), "ENV" | "ARG" | "export" | "set" | "setx" | "setenv" | "secret");
    let compound = command && name.contains(['_', '-']);
    let login = name == "password" && verb > before && ends_with(view, before, "login");
    (compound || login).then_some(sort)
}

/// The cell before, or the name before an arrow.
fn sort_of_cell(view: &View<'_>, end: usize, last: u8) -> Option<Sort> {
    let sign = match last {
        b'|' => end - 1,
        b'>' if ends_with(view, end, " ->") => end - 2,
        0x80.. if ends_with(view, end, "→") => end - "→".len(),
        _ => return None,
    };
    let cell = view.run_back(sign, NAME, |byte| is_blank(byte) || matches!(byte, b'*' | b'`'));
    let name = view.run_back(cell, NAME, |byte| {
        byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'_' | b'-' | b' ')
    });
    let first = view.before(view.run_back(name, 2, |byte| matches!(byte, b'*' | b'`')));
    let bordered = last != b'|' || first == b'|';
    (bordered && cell > name).then(|| sort_of_name(view.bytes().get(name..cell)?))?
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

/// Subject particles of Korean and Japanese, and copulas.
const PARTICLES: &[&str] = &[
    "는",
    "은",
    "가",
    "이",
    "를",
    "을",
    "です",
    "是",
    "为",
    "為",
    "は",
    "が",
    " is",
    " was",
    " has been set to",
    " is set to",
    " was set to",
    " set to",
    " reset to",
    " changed to",
];

/// The words before a particle or verb at their end.
pub(super) fn without_particle(words: &[u8]) -> Option<&[u8]> {
    if !matches!(words.last()?, b's' | b'S' | b'o' | 0x80..) {
        return None;
    }
    PARTICLES.iter().find_map(|particle| head_before(words, particle))
}

fn head_before<'b>(bytes: &'b [u8], particle: &str) -> Option<&'b [u8]> {
    let at = bytes.len().checked_sub(particle.len())?;
    let (head, tail) = bytes.split_at_checked(at)?;
    tail.eq_ignore_ascii_case(particle.as_bytes()).then_some(head)
}

/// `8characters`, `2FA`, `20th`: a number with a word or unit.
fn is_word(value: &str) -> bool {
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && value.bytes().skip(digits).all(|byte| byte.is_ascii_alphabetic())
}
