//! Values that a secret's name is given: `password=…`, `"apiKey": "…"`, `Authorization: Bearer …`, `비밀번호: …`.

use std::ops::Range;

use super::kind::Kind;
use super::scan::{Found, Scene};
use super::secret::{self, Sort};
use super::view::{View, is_blank};
use super::{jwt, keys, statement, token};

/// Bytes before the sign in which the name is read.
const NAME: usize = 40;
/// The longest value.
const VALUE: usize = 256;

/// What of a longer one is masked, so that a stream need not wait for ever.
const LONGEST: usize = 16 * 1024;
/// Backslashes before a quote, at most: four levels of JSON in JSON.
const QUOTES: usize = 16;

/// `at` is `=` or `:`.
pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    if !scene.kinds.contains(Kind::Secret) {
        return None;
    }
    let view = scene.view;
    let after = sign_end(view, at)?;
    given(scene, after, sort_of_name(view, at)?)
}

/// `--password hunter2` on a command line; `at` is the first dash.
pub(super) fn option(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    if !scene.kinds.contains(Kind::Secret) || !view.starts_with(at, "--") || view.before(at) == b'-' {
        return None;
    }
    let end = view.run(at + 2, NAME, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if !is_blank(view.at(end)) {
        return None;
    }
    given(scene, end, secret::sort_of_name(view.bytes().get(at..end)?)?)
}

/// The value after `after`, when it is a secret of this sort.
fn given(scene: &Scene<'_, '_>, after: usize, sort: Sort) -> Option<Found> {
    let view = scene.view;
    let (range, quoted) = value(view, after)?;
    if let Some(found) = specific(scene, range.start) {
        return Some(found);
    }
    let text = view.slice(range.clone());
    let at_once = range.start == after && view.before(after) == b'=';
    if sort == Sort::Pass && !quoted && !at_once {
        return None;
    }
    if is_call(view, text, range.end) || crosses_string(text) || has_token(view, &range) {
        return None;
    }
    if sort == Sort::Password && secret::is_given(text) && is_certain(view, after, &range, quoted) {
        return scene.found(Kind::Secret, range, 85);
    }
    let bearer = scheme_end(view, after).is_some();
    if !secret::is_secret(text, sort, quoted, bearer) && (quoted || sort != Sort::Password) {
        return None;
    }
    let longer = range.start..if quoted || sort != Sort::Password { range.end } else { goes_on(view, range.end) };
    let range =
        [longer, range].into_iter().find(|range| secret::is_secret(view.slice(range.clone()), sort, quoted, bearer));
    let range = range?;
    // A session token is longer than what is looked at to tell that it is one.
    let end = if range.len() >= VALUE { view.run(range.end, LONGEST, is_bare) } else { range.end };
    scene.found(Kind::Secret, range.start..end, 75)
}

/// Whether the name and the border of the value are certain: both in quotes as in JSON, the value in quotes after a
/// sign, a number in JSON, or a line of an environment file.
fn is_certain(view: &View<'_>, after: usize, value: &Range<usize>, quoted: bool) -> bool {
    let sign = view.run_back(after, 2, |byte| matches!(byte, b':' | b'=' | b'>'));
    let name = view.run_back(sign, 4, is_blank);
    let number = view.slice(value.clone()).bytes().all(|byte| byte.is_ascii_digit());
    let capitals = view.slice(view.run_back(name, 5, |byte| byte.is_ascii_alphabetic())..name);
    let environment = value.start == after && view.before(after) == b'=' && sign == name;
    let capital = !capitals.is_empty() && capitals.bytes().all(|byte| byte.is_ascii_uppercase());
    // The quote may end the string that the name stands in: `["password:", 1, "b"]`.
    let text = view.slice(value.clone());
    let between =
        text.starts_with([',', ']', '}', ')', ':', ';', ' ']) || text.ends_with([',', '[', '{', '(', ':', ' ']);
    (quoted && sign < after && !between) || (matches!(view.before(name), b'"') && number) || (environment && capital)
}

/// Where a password without quotes ends that has signs in it which end other values: `Tr0ub4dor&3`, `Zq9x;hunter2`.
/// It ends where another name is given its value, at a tag, and before what could be masked by itself.
fn goes_on(view: &View<'_>, end: usize) -> usize {
    let mut end = end;
    for _ in 0..4 {
        let next = end + 1;
        if !matches!(view.at(end), b',' | b';' | b'&' | b'|' | b'<' | b'\'') || !view.at(next).is_ascii_alphanumeric() {
            break;
        }
        let word = view.run(next, NAME, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        let entity = view.at(end) == b'&' && view.at(word) == b';';
        let tag = view.at(end) == b'<' && matches!(view.at(word), b'>' | b'/' | b' ');
        let last = bare_end(view, next);
        if entity || tag || matches!(view.at(word), b'=' | b':') || matches!(view.at(last), b'[' | b'(' | b'"') {
            break;
        }
        end = last;
    }
    end
}

/// A value that says itself what it is keeps its own kind.
fn specific(scene: &Scene<'_, '_>, start: usize) -> Option<Found> {
    let view = scene.view;
    let separator = view.run(start, 12, |byte| byte.is_ascii_alphanumeric());
    let key = keys::find(scene, separator).filter(|found| found.range.start == start);
    key.or_else(|| keys::capital(scene, start))
        .or_else(|| keys::telegram(scene, start, separator))
        .or_else(|| jwt::find(scene, start + 2))
}

/// Where the value may begin: `:=` and `=>` are signs as well, `==` and `::` are none.
fn sign_end(view: &View<'_>, at: usize) -> Option<usize> {
    let (before, sign, next) = (view.before(at), view.at(at), view.at(at + 1));
    match (sign, next) {
        (b'=', b'=') | (b':', b':') => None,
        (b'=', b'>') | (b':', b'=') => Some(at + 2),
        _ if matches!(before, b'=' | b'!' | b'<' | b'>' | b':') => None,
        _ => Some(at + 1),
    }
}

/// Whether a quote of the other sort inside the value ends the string around it: `"DB_PASS='", "it's"`.
fn crosses_string(value: &str) -> bool {
    let ends = |at: usize| value.get(at + 1..).is_some_and(|rest| rest.trim_start().starts_with([',', ':', ']', '}']));
    value.starts_with('"') || value.match_indices('"').any(|(at, _)| ends(at))
}

/// `decrypt2(…)`, `config2[…]`: a name that a bracket follows.
pub(super) fn is_call(view: &View<'_>, value: &str, end: usize) -> bool {
    let name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let end = view.run(end, VALUE, |byte| matches!(byte, b'.' | b':' | b'?'));
    matches!(view.at(end), b'(' | b'[') && value.bytes().all(name)
}

/// A value in which something has been masked, or that ends at a token, is not judged again by what is left of it.
pub(super) fn has_token(view: &View<'_>, range: &Range<usize>) -> bool {
    let end = view.run(range.end, VALUE, |byte| matches!(byte, b'.' | b':' | b'?'));
    let brackets = view.slice(range.clone()).match_indices('[').map(|(at, _)| range.start + at);
    brackets.chain([end]).any(|at| view.at(at) == b'[' && token::end(view, at).is_some())
}

/// What the name before the sign names, if it is a secret's.
fn sort_of_name(view: &View<'_>, at: usize) -> Option<Sort> {
    // Colours may stand between the name, its quote and the sign: `jq` prints them so.
    let blanks = view.skip_sequences_back(view.run_back(at, 4, is_blank));
    let end = view.run_back(blanks, 2 * QUOTES, |byte| matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'*' | b']'));
    if end < blanks && view.slice(end..blanks).starts_with(']') {
        return None;
    }
    let end = view.skip_sequences_back(end);
    let start = view.run_back(end, NAME, is_name);
    let name = view.bytes().get(start..end)?;
    secret::sort_of_name(name).or_else(|| secret::sort_of_name(statement::without_particle(name)?))
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'_' | b'-' | b'.' | b' ')
}

/// The value after the sign, and whether quotes stand around it.
fn value(view: &View<'_>, after: usize) -> Option<(Range<usize>, bool)> {
    let (start, quote) = opened(view, skip_blanks(view, after));
    let (start, quote) = match (scheme_at(view, start), quote) {
        // `Bearer "…"` is as common as `"Bearer …"`.
        (Some(next), None) => opened(view, next),
        (Some(next), quote) => (next, quote),
        (None, quote) => (start, quote),
    };
    let closed = quote.and_then(|quote| closed(view, start, quote));
    let end = closed.unwrap_or_else(|| bare_end(view, start));
    (end > start).then_some((start..end, closed.is_some()))
}

/// Blanks, and the stars of `**Password:** value`.
fn skip_blanks(view: &View<'_>, from: usize) -> usize {
    let stars = view.run(from, 2, |byte| byte == b'*');
    let value = if is_blank(view.at(stars)) { stars } else { from };
    let value = view.skip_sequences(view.run(value, 8, is_blank));
    view.run(value, 8, is_blank)
}

/// Where the scheme of an `Authorization` header ends.
fn scheme_end(view: &View<'_>, after: usize) -> Option<usize> {
    let start = opened(view, skip_blanks(view, after)).0;
    scheme_at(view, start)
}

fn scheme_at(view: &View<'_>, start: usize) -> Option<usize> {
    let scheme = ["bearer ", "basic ", "token "].iter().find(|scheme| view.starts_with_any_case(start, scheme))?;
    Some(view.run(start + scheme.len(), 8, is_blank))
}

/// A quotation mark.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Quote {
    mark: u8,
    /// Backslashes before it: one for a string in a string, three for a string in that.
    backslashes: usize,
}

impl Quote {
    /// Whether the mark after so many backslashes stands inside the string, escaped once more than its own.
    fn holds(self, backslashes: usize) -> bool {
        backslashes % (2 * self.backslashes + 2) == 2 * self.backslashes + 1
    }

    /// How many of so many backslashes belong to a mark that ends the string, or one that it stands in; the others are
    /// the value's, in pairs, and go with it.
    fn own(self, backslashes: usize) -> usize {
        let mut own = self.backslashes;
        while own > 0 && backslashes % (2 * own + 2) != own {
            own = (own - 1) / 2;
        }
        own
    }
}

/// Past an opening quote, with the letter that some languages put before it.
fn opened(view: &View<'_>, at: usize) -> (usize, Option<Quote>) {
    let letter = usize::from(matches!(view.at(at), b'b' | b'r' | b'f' | b'u' | b'@'));
    for at in [at, at + letter] {
        let end = view.run(at, QUOTES, |byte| byte == b'\\');
        let mark = view.at(end);
        if matches!(mark, b'"' | b'\'' | b'`') {
            return (end + 1, Some(Quote { mark, backslashes: end - at }));
        }
    }
    (at, None)
}

/// Where the closing quote stands, with its backslashes, on the same line.
fn closed(view: &View<'_>, start: usize, quote: Quote) -> Option<usize> {
    let mut at = start;
    while at < start + VALUE {
        let end = view.run(at, VALUE, |byte| byte == b'\\');
        match view.at(end) {
            0 | b'\n' => return None,
            mark if mark == quote.mark && !quote.holds(end - at) => return Some(end - quote.own(end - at)),
            _ => at = end + 1,
        }
    }
    None
}

/// The end of a value without quotes: a blank, bracket, comma, quote, line end, or anything but ASCII.
pub(super) fn bare_end(view: &View<'_>, start: usize) -> usize {
    let end = view.run(start, VALUE, is_bare);
    end - view.slice(start..end).bytes().rev().take_while(|byte| matches!(byte, b'.' | b':' | b'?')).count()
}

/// Whether a byte goes on with a value without quotes.
fn is_bare(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b",;&|<>)]}([\"'`\\".contains(&byte)
}
