//! Values that a secret's name is given: `password=…`, `"apiKey": "…"`, `Authorization: Bearer …`, `비밀번호: …`.

use std::ops::Range;

use super::bare;
use super::border::{Border, Class, boundary};
use super::expression::{has_types_alone, is_expression};
use super::kind::Kind;
use super::naming::{self, NAME, Named};
use super::quoted::{QUOTES, Quote, VALUE, bare_end, closed, is_bare, opened};
use super::scan::{Found, Scene};
use super::secret;
use super::secret_name::Sort;
use super::statement::marked_end;
use super::view::{View, is_blank};
use super::{jwt, keys, token};

/// `at` is `=` or `:`.
pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    if !scene.kinds.contains(Kind::Secret) {
        return None;
    }
    let view = scene.view;
    let after = sign_end(view, at)?;
    let Named { sort, quoted_only, second } = naming::before_sign(view, at)?;
    let after = if second { second_value(view, after).unwrap_or(after) } else { after };
    given(scene, after, sort, quoted_only)
}

/// Past the user of `ID/PW: kim/x`.
fn second_value(view: &View<'_>, after: usize) -> Option<usize> {
    let user = view.run(skip_blanks(view, after), NAME, |byte| is_bare(byte) && byte != b'/');
    let slash = view.run(user, 2, is_blank);
    (view.at(slash) == b'/').then_some(slash + 1)
}

/// The value after `after`, when it is a secret of this sort.
pub(super) fn given(scene: &Scene<'_, '_>, after: usize, sort: Sort, quoted_only: bool) -> Option<Found> {
    let view = scene.view;
    let Some((range, quoted)) = value(view, after, sort) else { return in_brackets(scene, after, sort) };
    if quoted_only && !quoted {
        return None;
    }
    if let Some(found) = specific(scene, range.start).or_else(|| long_value(scene, after, sort)) {
        return Some(found);
    }
    if !quoted {
        return unquoted(scene, after, range, sort);
    }
    let text = view.slice(range.clone());
    if crosses_string(text) || has_token(view, &range) {
        return None;
    }
    if sort.is_chosen() && secret::is_given(text) && is_certain(view, after, &range, true) {
        return scene.found(Kind::Secret, range, 85);
    }
    let bearer = scheme_end(view, after).is_some();
    let range = without_blanks(range, text);
    secret::is_secret(view.slice(range.clone()), sort, true, bearer).then(|| to_border(scene, range, 75))?
}

/// Without blanks at the ends, which were pasted with the value; not what stands between two texts: `" + x + "`.
fn without_blanks(range: Range<usize>, text: &str) -> Range<usize> {
    let inner = text.trim_matches(' ');
    if inner.starts_with(is_joint) || inner.ends_with(is_joint) {
        return range;
    }
    let start = range.start + (text.len() - text.trim_start_matches(' ').len());
    start..start + inner.len()
}

fn is_joint(one: char) -> bool {
    matches!(one, '+' | ',' | '&' | '|' | ':' | ';' | '(' | ')' | '[' | ']' | '{' | '}' | '%' | '.' | '=' | '<' | '>')
}

/// The same without quotes; `range` ends at the first sign that may end a value.
fn unquoted(scene: &Scene<'_, '_>, after: usize, range: Range<usize>, sort: Sort) -> Option<Found> {
    let view = scene.view;
    let at_once = range.start == after && view.before(after) == b'=';
    if sort == Sort::Pass && !at_once && !follows_user(view, after) {
        return None;
    }
    let whole = range.start..bare::whole_end(view, range.start).max(range.end);
    if has_token(view, &range) || has_token(view, &whole) || is_expression(view, &whole) {
        return None;
    }
    let connection = (sort.is_chosen() && at_once).then(|| connection_end(view, &range)).flatten();
    if bare::meets_token(view, whole.end) {
        let own = view.slice(range.clone());
        let listed = matches!(view.at(range.end), b',' | b';') && !has_types_alone(own) && connection.is_none();
        let secret = listed && secret::is_secret(own, sort, false, false);
        return secret.then(|| to_border(scene, range, 75))?;
    }
    if let Some(end) = connection {
        return judged(scene, range.start..end, sort, true);
    }
    let given = sort.is_chosen() && secret::is_given(view.slice(whole.clone()));
    if given && (is_certain(view, after, &whole, false) || is_line_of_yaml(view, after, &whole)) {
        return scene.found(Kind::Secret, whole, 85);
    }
    let bearer = scheme_end(view, after).is_some();
    let secret = |range: &Range<usize>| secret::is_secret(view.slice(range.clone()), sort, false, bearer);
    // A list may go on behind a secret: `a8F3kd93kfLs02kd,src/x/y.rs`.
    let listed = matches!(view.at(range.end), b',' | b';' | b'&');
    let own = Some(range).filter(|_| listed);
    to_border(scene, [Some(whole), own].into_iter().flatten().find(secret)?, 75)
}

/// `비밀번호: [hunter2Zq9xK]`, alone in its brackets.
fn in_brackets(scene: &Scene<'_, '_>, after: usize, sort: Sort) -> Option<Found> {
    let view = scene.view;
    let open = skip_blanks(view, after);
    let mark = view.at(open);
    if !matches!(mark, b'[' | b'(') || token::end(view, open).is_some() || sort == Sort::Pass {
        return None;
    }
    let end = marked_end(view, open + 1, mark)?;
    let alone = bare::whole_end(view, open) == end + 1;
    let secret = || secret::is_secret(view.slice(open + 1..end), sort, false, false);
    (alone && secret()).then(|| scene.found(Kind::Secret, open + 1..end, 70))?
}

/// `user: kim pass: x`: the verdict of a test has no user before it.
fn follows_user(view: &View<'_>, after: usize) -> bool {
    let line = view.run_back(after, 2 * NAME, |byte| byte.is_ascii_graphic() || byte == b' ');
    let words = view.slice(line..after).to_ascii_lowercase();
    let name = |word: &&str| {
        words
            .match_indices(*word)
            .any(|(at, _)| !words.get(..at).is_some_and(|head| head.ends_with(|one: char| one.is_ascii_alphabetic())))
    };
    ["user:", "user=", "username:", "login:", "id:", "email:"].iter().any(name)
}

/// The value in `range`; to its border when it is longer than what is looked at: a session token is.
fn to_border(scene: &Scene<'_, '_>, range: Range<usize>, confidence: u8) -> Option<Found> {
    let longer = range.len() >= VALUE && is_bare(scene.view.at(range.end));
    let found = scene.found(Kind::Secret, range, confidence)?;
    Some(if longer { found.open(Border::Class(Class::Bare)) } else { found })
}

/// A value in quotes that is longer than what is looked at: judged by its beginning, masked to its quote.
fn long_value(scene: &Scene<'_, '_>, after: usize, sort: Sort) -> Option<Found> {
    let view = scene.view;
    let (start, quote) = opened(view, list_opened(view, skip_blanks(view, after)));
    let start = scheme_at(view, start).unwrap_or(start);
    let Some(Quote::Mark { mark, backslashes }) = quote else { return None };
    let end = boundary(view, view.run(start, VALUE, |byte| !matches!(byte, 0 | b'\n')));
    if end + 4 < start + VALUE || closed(view, start, quote?).is_some() {
        return None;
    }
    let range = start..view.run_back(end, QUOTES, |byte| byte == b'\\');
    let text = view.slice(range.clone());
    let chosen = sort.is_chosen() && secret::is_given(text);
    let secret = chosen || secret::is_secret(text, sort, true, true);
    let found = (secret && !crosses_string(text) && !has_token(view, &range))
        .then(|| scene.found(Kind::Secret, range, 75))??;
    Some(found.open(Border::Quote { mark, backslashes: u8::try_from(backslashes).unwrap_or(u8::MAX) }))
}

/// The value in `range`, whose border is known, when it is a secret of this sort; `certain` when no other value could
/// stand there.
pub(super) fn judged(scene: &Scene<'_, '_>, range: Range<usize>, sort: Sort, certain: bool) -> Option<Found> {
    let view = scene.view;
    if let Some(found) = specific(scene, range.start) {
        return Some(found);
    }
    let text = view.slice(range.clone());
    // The quote may be the end of the string that the command stands in: `"sshpass -p ", 1`.
    let outside = text.trim_start().starts_with([',', ':', ']', '}', ')']);
    if has_token(view, &range) || text.is_empty() || outside || crosses_string(text) {
        return None;
    }
    let chosen = certain && (sort.is_chosen() || sort == Sort::Pass);
    let secret = if chosen { secret::is_given(text) } else { secret::is_secret(text, sort, true, false) };
    secret.then(|| scene.found(Kind::Secret, range, 80))?
}

/// The token after `Bearer`, which has been looked at.
pub(super) fn judged_bearer(scene: &Scene<'_, '_>, range: Range<usize>) -> Option<Found> {
    let view = scene.view;
    if let Some(found) = specific(scene, range.start) {
        return Some(found);
    }
    if has_token(view, &range) || is_call(view, view.slice(range.clone()), range.end) {
        return None;
    }
    to_border(scene, range, 75)
}

/// Where a password in a connection string ends, which may have any sign but `;` in it: `…;Password=p@ss,w(o)rd;…`;
/// or in one of blanks, `user=kim password=x dbname=y`.
fn connection_end(view: &View<'_>, value: &Range<usize>) -> Option<usize> {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b' ');
    let sign = value.start.checked_sub(1)?;
    let name = view.run_back(sign, NAME, word);
    if view.before(name) == b';' {
        let end = view.run(value.start, VALUE, |byte| byte.is_ascii_graphic() && !b";\"'`\\<".contains(&byte));
        return matches!(view.at(end), b';' | b'"' | b'\'' | b'\n' | 0 | b'<' | b'\\' | b' ').then_some(end);
    }
    let next = view.run(value.end, 2, is_blank);
    let other = view.run(next, 16, |byte| byte.is_ascii_lowercase() || byte == b'_');
    (next > value.end && other > next && view.at(other) == b'=' && view.slice(next..other) != "password")
        .then_some(value.end)
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

/// `  POSTGRES_PASSWORD: postgres`, alone on its line: a type would be one of the labels, or in capitals.
fn is_line_of_yaml(view: &View<'_>, after: usize, value: &Range<usize>) -> bool {
    let name = view.run_back(after - 1, NAME, |byte| byte.is_ascii_uppercase() || byte == b'_');
    let line = view.run_back(name, NAME, |byte| is_blank(byte) || byte == b'-');
    let small = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    view.before(after) == b':'
        && value.start > after
        && view.slice(name..after).contains('_')
        && matches!(view.before(line), b'\n' | 0)
        && matches!(view.at(value.end), b'\n' | b'\r' | 0)
        && view.slice(value.clone()).bytes().all(small)
}

/// A value that says itself what it is keeps its own kind.
pub(super) fn specific(scene: &Scene<'_, '_>, start: usize) -> Option<Found> {
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
    brackets.chain([end]).any(|at| token::begins(view, at).is_some())
}

/// The value after the sign, and whether quotes stand around it.
fn value(view: &View<'_>, after: usize, sort: Sort) -> Option<(Range<usize>, bool)> {
    let first = skip_blanks(view, after);
    let first = next_line(view, first).unwrap_or(first);
    let (start, quote) = opened(view, if sort.is_chosen() { list_opened(view, first) } else { first });
    let (start, quote) = match (scheme_at(view, start), quote) {
        // `Bearer "…"` is as common as `"Bearer …"`.
        (Some(next), None) => opened(view, next),
        (Some(next), quote) => (next, quote),
        (None, quote) => (start, quote),
    };
    let closed = quote.and_then(|quote| closed(view, start, quote));
    let end = closed.unwrap_or_else(|| if sort.has_words() { words_end(view, start) } else { bare_end(view, start) });
    (end > start).then_some((start..end, closed.is_some()))
}

/// The first text of a list: `"passwords": ["…"]`.
fn list_opened(view: &View<'_>, at: usize) -> usize {
    if view.at(at) == b'[' && token::end(view, at).is_none() && opened(view, at + 1).1.is_some() { at + 1 } else { at }
}

/// The value alone on the line after its name, as YAML has it with `|`, and people write it.
fn next_line(view: &View<'_>, at: usize) -> Option<usize> {
    let sign =
        if matches!(view.at(at), b'|' | b'>') { view.run(at + 1, 1, |byte| matches!(byte, b'-' | b'+')) } else { at };
    let line = match (view.at(sign), view.at(sign + 1)) {
        (b'\n', _) => sign + 1,
        (b'\r' | b'\\', b'\n' | b'n') => sign + 2,
        _ => return None,
    };
    let start = view.run(line, 32, is_blank);
    let end = bare_end(view, opened(view, start).0);
    // Nothing else stands on that line.
    let last = view.run(end, 4, |byte| matches!(byte, b' ' | b'"' | b'\'' | b'`' | b'\r'));
    (end > start && matches!(view.at(last), b'\n' | b'\\' | 0)).then_some(start)
}

/// The end of words in small letters, one blank between them.
fn words_end(view: &View<'_>, start: usize) -> usize {
    let end = view.run(start, VALUE, |byte| byte.is_ascii_lowercase() || byte == b' ');
    let words = view.slice(start..end).trim_end();
    let bare = bare_end(view, start);
    let masked = token::begins(view, end).is_some();
    if words.split(' ').count() >= 4 && !masked { (start + words.len()).max(bare) } else { bare }
}

/// Blanks, and the stars of `**Password:** value`.
fn skip_blanks(view: &View<'_>, from: usize) -> usize {
    let stars = view.run(from, 2, |byte| byte == b'*');
    let value = if is_blank(view.at(stars)) { stars } else { from };
    let value = view.skip_sequences(view.run(value, 8, is_blank));
    view.run(value, 8, is_blank)
}

/// Schemes of an `Authorization` header.
const SCHEMES: &[&str] =
    &["bearer ", "basic ", "token ", "apikey ", "kakaoak ", "key ", "bot ", "splunk ", "jwt ", "oauth ", "ssws "];

/// Where the scheme of an `Authorization` header ends.
fn scheme_end(view: &View<'_>, after: usize) -> Option<usize> {
    let start = opened(view, skip_blanks(view, after)).0;
    scheme_at(view, start)
}

fn scheme_at(view: &View<'_>, start: usize) -> Option<usize> {
    let scheme = SCHEMES.iter().find(|scheme| view.starts_with_any_case(start, scheme))?;
    Some(view.run(start + scheme.len(), 8, is_blank))
}
