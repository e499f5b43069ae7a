//! Passwords that a sentence states: `비밀번호는 hunter2입니다`, `the password is hunter2`, `密码是abc12345`.
//!
//! There is no sign between name and value, so the value must have letters and digits mixed.

use super::assignment;
use super::kind::Kind;
use super::placeholder::{is_algorithm, is_placeholder};
use super::scan::{Found, Scene};
use super::secret::{self, Sort};
use super::view::{View, is_blank};

/// Letters before the first digit of the value, at most.
const HEAD: usize = 24;
/// Bytes before the value in which the name is read.
const NAME: usize = 48;

/// `at` is the first digit of a number.
pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let start = view.run_back(at, HEAD, |byte| byte.is_ascii_alphabetic());
    let name = view.run_back(start, 2, is_blank);
    let last = view.before(name);
    let states = last >= 0x80 || (name < start && matches!(last, b's' | b'S'));
    if !states || !scene.kinds.contains(Kind::Secret) || view.before(start).is_ascii_alphanumeric() {
        return None;
    }
    let sort = sort_of_statement(view, name)?;
    let range = start..assignment::bare_end(view, start);
    let value = view.slice(range.clone());
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let mixed = letters && !is_word(value) && !is_placeholder(value) && !is_algorithm(value);
    let other = assignment::is_call(view, value, range.end) || assignment::has_token(view, &range);
    (mixed && !other && secret::is_secret(value, sort, false, false)).then(|| scene.found(Kind::Secret, range, 70))?
}

/// What the words before the value name, when they say that it follows.
fn sort_of_statement(view: &View<'_>, end: usize) -> Option<Sort> {
    let start = view
        .run_back(end, NAME, |byte| byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'-' | b'_' | b' '));
    let bytes = view.bytes().get(start..end)?;
    let name = without_particle(bytes).unwrap_or(bytes);
    // A name in Latin letters needs the verb: `password x2y3` may be a list of words.
    let verb = name.len() < bytes.len();
    (verb || name.last().is_some_and(|byte| *byte >= 0x80)).then(|| secret::sort_of_name(name))?
}

/// Subject particles of Korean and Japanese, and copulas.
const PARTICLES: &[&str] = &["는", "은", "가", "이", "です", "是", "为", "為", "は", "が", " is", " was"];

/// The words before a particle or verb at their end.
pub(super) fn without_particle(words: &[u8]) -> Option<&[u8]> {
    if !matches!(words.last()?, b's' | b'S' | 0x80..) {
        return None;
    }
    PARTICLES.iter().find_map(|particle| ends_with(words, particle))
}

fn ends_with<'b>(bytes: &'b [u8], particle: &str) -> Option<&'b [u8]> {
    let at = bytes.len().checked_sub(particle.len())?;
    let (head, tail) = bytes.split_at_checked(at)?;
    tail.eq_ignore_ascii_case(particle.as_bytes()).then_some(head)
}

/// `8characters`, `2FA`, `20th`: a number with a word or unit.
fn is_word(value: &str) -> bool {
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && value.bytes().skip(digits).all(|byte| byte.is_ascii_alphabetic())
}
