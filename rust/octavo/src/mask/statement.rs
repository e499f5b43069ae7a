//! Passwords that a sentence states: `비밀번호는 hunter2입니다`, `the password is hunter2`, `密码是abc12345`.
//!
//! There is no sign between name and value, so the value must have letters and digits mixed.

use super::assignment;
use super::bare;
use super::call;
use super::expression::is_expression;
use super::kind::Kind;
use super::placeholder::{is_algorithm, is_placeholder};
use super::quoted::ends_with;
use super::scan::{Found, Scene};
use super::secret;
use super::secret_name::{Sort, sort_of_name};
use super::view::{View, is_blank};

/// Letters before the first digit of the value, at most.
const HEAD: usize = 24;
/// Bytes before the value in which the name is read.
const NAME: usize = 48;

/// `at` is the first digit of a number.
pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let letters = view.run_back(at, HEAD, |byte| byte.is_ascii_alphabetic());
    let start = match view.before(letters) {
        // Signs inside a value: not where the value is in a stream's text that may be given out already.
        b'-' | b'_' | b'.' | b'%' | b'+' if letters < at && view.before(letters - 1).is_ascii_alphabetic() => {
            view.run_back(letters, HEAD, is_value)
        }
        _ => letters,
    };
    let open = usize::from(matches!(view.before(start), b'"' | b'\'' | b'`'));
    let name = view.run_back(start - open, 2, is_blank);
    if view.before(start).is_ascii_alphanumeric() || !scene.kinds.contains(Kind::Secret) {
        return None;
    }
    let sort = if open == 0 && (view.before(name) >= 0x80 || (name < start && matches!(view.before(name), b's' | b'S')))
    {
        sort_of_statement(view, name).or_else(|| sort_of_command(view, name, start))?
    } else {
        sort_of_command(view, name, start - open)?
    };
    let range = start..bare::whole_end(view, start);
    let value = view.slice(range.clone());
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let mixed = letters && !is_word(value) && !is_placeholder(value) && !is_algorithm(value);
    let token = assignment::has_token(view, &range) || bare::meets_token(view, range.end);
    let other = token || is_expression(view, &range);
    (mixed && !other && secret::is_secret(value, sort, false, false)).then(|| scene.found(Kind::Secret, range, 70))?
}

fn is_value(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'%' | b'+')
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
const PARTICLES: &[&str] = &["는", "은", "가", "이", "です", "是", "为", "為", "は", "が", " is", " was"];

/// The words before a particle or verb at their end.
pub(super) fn without_particle(words: &[u8]) -> Option<&[u8]> {
    if !matches!(words.last()?, b's' | b'S' | 0x80..) {
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
