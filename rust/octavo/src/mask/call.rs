//! Secrets that are handed over without a sign: to functions, `setPassword("x")`, and in SQL, `IDENTIFIED BY 'x'`,
//! `VALUES ('kim', 'x')`.

use std::ops::Range;

use super::assignment;
use super::kind::Kind;
use super::quoted::{VALUE, closed, ends_with, opened};
use super::scan::{Found, Scene};
use super::secret_name::{Sort, sort_of_name};
use super::view::{View, is_blank};

/// The longest name before a parenthesis.
const NAME: usize = 40;
/// Columns of a table, at most.
const COLUMNS: usize = 24;
/// Bytes before a value in SQL that say what is done.
const STATEMENT: usize = 64;
/// Functions that take a password as it is, and mean no field, label or column.
const SETTERS: &[&str] = &["password", "setpassword", "withpassword", "passwd", "setpasswd"];

/// `at` is a parenthesis.
pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    if !scene.kinds.contains(Kind::Secret) {
        return None;
    }
    let last = view.before(view.run_back(at, 2, is_blank));
    if matches!(last, b'S' | b's') && !is_quote(view.at(at + 1)) || view.at(at + 1) == b'\'' {
        let row = row(scene, at);
        if row.is_some() {
            return row;
        }
    }
    if !is_quote(view.at(at + 1)) && !matches!(view.at(at + 1), b'N' | b'\\') {
        return None;
    }
    let (range, next) = text(view, at + 1)?;
    argument(scene, at, &range)
        .or_else(|| named_argument(scene, &range, next))
        .or_else(|| login(scene, at, next))
        .or_else(|| typed(scene, at, &range))
}

/// `auth=("kim", "x")`, `HTTPBasicAuth("kim", "x")`: the second of two texts.
fn login(scene: &Scene<'_, '_>, at: usize, next: usize) -> Option<Found> {
    let view = scene.view;
    let name = view.run_back(at, 2, |byte| matches!(byte, b'=' | b' '));
    let start = view.run_back(name, NAME, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let known = view.slice(start..name).to_ascii_lowercase().ends_with("auth");
    if !known || view.at(next) != b',' {
        return None;
    }
    let (range, end) = text(view, view.run(next + 1, 8, is_blank))?;
    (view.at(end) == b')').then(|| assignment::judged(scene, range, Sort::Password, false))?
}

/// `find_element(By.ID, "password").send_keys("x")`: what is typed into a field.
fn typed(scene: &Scene<'_, '_>, at: usize, range: &Range<usize>) -> Option<Found> {
    let view = scene.view;
    let call = [".send_keys", ".sendKeys", ".fill", ".type"].iter().find(|call| ends_with(view, at, call))?;
    let close = view.run_back(at - call.len(), 4, |byte| matches!(byte, b')' | b'"' | b'\'' | b'\\' | b']'));
    let name = view.run_back(close, NAME, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'#'));
    let sort = sort_of_name(view.slice(name..close).as_bytes()).filter(|_| view.before(at - call.len()) == b')')?;
    assignment::judged(scene, range.clone(), sort, false)
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// The text in quotes that begins here, and what is after its quote.
fn text(view: &View<'_>, at: usize) -> Option<(Range<usize>, usize)> {
    let (start, quote) = opened(view, at);
    let end = closed(view, start, quote?)?;
    let after = view.run(end, 16, |byte| byte == b'\\');
    Some((start..end, after + 1))
}

/// `setPassword("x")`.
fn argument(scene: &Scene<'_, '_>, at: usize, range: &Range<usize>) -> Option<Found> {
    let view = scene.view;
    let start = view.run_back(at, NAME, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let name = view.slice(start..at);
    let sort = sort_of_name(name.as_bytes()).filter(|&sort| sort != Sort::Pass)?;
    let plain: String = name.chars().filter(|&one| one != '_').collect();
    let setter = SETTERS.iter().any(|setter| plain.eq_ignore_ascii_case(setter));
    assignment::judged(scene, range.clone(), sort, setter)
}

/// `getenv("DB_PASSWORD", "x")`: the first text names the second.
fn named_argument(scene: &Scene<'_, '_>, name: &Range<usize>, next: usize) -> Option<Found> {
    let view = scene.view;
    if view.at(next) != b',' {
        return None;
    }
    // `input[name=password]` is a selector.
    let sort = sort_of_name(view.slice(name.clone()).trim_end_matches([']', '"', '\'']).as_bytes())?;
    let (range, _) = text(view, view.run(next + 1, 8, is_blank))?;
    assignment::judged(scene, range, sort, false)
}

/// `at` is a single quote: that of `IDENTIFIED BY '…'` or `PASSWORD '…'`.
pub(super) fn statement(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let blank = view.run_back(at, 4, is_blank);
    if blank == at || !matches!(view.before(blank), b'Y' | b'y' | b'D' | b'd') || !scene.kinds.contains(Kind::Secret) {
        return None;
    }
    is_identified(view, blank).then_some(())?;
    let (range, _) = text(view, at)?;
    assignment::judged(scene, range, Sort::Password, true)
}

/// Whether the words that end here say that a password follows.
fn is_identified(view: &View<'_>, end: usize) -> bool {
    let words = words_before(view, end);
    let by = words.ends_with(" by") && words.contains("identified");
    let role = ["role ", "user ", "login ", "with ", "encrypted "].iter().any(|word| words.contains(word));
    by || (words.ends_with(" password") && role)
}

/// Whether they are `… user kim identified by`: without quotes around the password more must be said.
pub(super) fn is_identified_user(view: &View<'_>, end: usize) -> bool {
    let words = words_before(view, end);
    words.ends_with("identified by") && (words.contains("user ") || words.contains("grant "))
}

fn words_before(view: &View<'_>, end: usize) -> String {
    let start = view.run_back(end, STATEMENT, |byte| byte.is_ascii_graphic() || byte == b' ');
    view.slice(start..end).to_ascii_lowercase()
}

/// `INSERT INTO users (name, password) VALUES ('kim', 'x')`: the columns before name the values.
fn row(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let end = view.run_back(at, 4, |byte| matches!(byte, b' ' | b'\n' | b'\r'));
    if !ends_with(view, end, "values") {
        return None;
    }
    let word = end - "values".len();
    let close = view.run_back(word, 4, |byte| matches!(byte, b' ' | b'\n' | b'\r'));
    let open = view.run_back(close.checked_sub(1)?, 2 * VALUE, |byte| !matches!(byte, 0 | b'(' | b')'));
    if view.before(close) != b')' || view.before(open) != b'(' {
        return None;
    }
    let plain = |name: &str| sort_of_name(name.trim_matches([' ', '"', '`', '[', ']', '\n', '\r', '\\']).as_bytes());
    let mut columns = view.slice(open..close - 1).split(',').map(plain).take(COLUMNS);
    let index = columns.clone().position(|sort| sort.is_some())?;
    let sort = columns.nth(index)??;
    let mut start = at + 1;
    for _ in 0..index {
        start = value_end(view, start)? + 1;
    }
    let (range, _) = text(view, view.run(start, 8, |byte| matches!(byte, b' ' | b'\n')))?;
    assignment::judged(scene, range, sort, true)
}

/// The comma after the value that begins here.
fn value_end(view: &View<'_>, from: usize) -> Option<usize> {
    let start = view.run(from, 8, |byte| matches!(byte, b' ' | b'\n'));
    let end = match text(view, start) {
        Some((_, after)) => after,
        None => view.run(start, VALUE, |byte| !matches!(byte, 0 | b',' | b'(' | b')' | b'\'' | b'\n')),
    };
    let comma = view.run(end, 4, is_blank);
    (view.at(comma) == b',').then_some(comma)
}
