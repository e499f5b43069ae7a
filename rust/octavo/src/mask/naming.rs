//! What the name before a sign names: plain, with its type, in brackets, or in the pair before, `name="password" value=`.

use super::quoted::{QUOTES, before_spelled, ends_with};
use super::secret_name::{self, Sort, sort_of_name};
use super::statement;
use super::view::{View, is_blank};

/// Bytes before the sign in which the name is read.
pub(super) const NAME: usize = 40;
/// Bytes of a type between a name and its value.
const TYPE: usize = 32;
/// Pairs before `value=` that are looked at.
const PAIRS: usize = 3;
/// Bytes of the text in such a pair.
const TEXT: usize = 64;
/// What says that the text after it is a name.
const NAMES: &[&str] = &["name", "key", "id", "type", "header", "variable", "field", "property", "param", "parameter"];

/// What is named, and whether only a value in quotes can be meant.
pub(super) struct Named {
    pub(super) sort: Sort,
    pub(super) quoted_only: bool,
    /// Whether it is the second of two, `ID/PW`, of which the values stand in one, too.
    pub(super) second: bool,
}

/// What the name before the sign at `at` names, if it is a secret's.
pub(super) fn before_sign(view: &View<'_>, at: usize) -> Option<Named> {
    let sure = |sort, second| Named { sort, quoted_only: false, second };
    // Nearly every sign follows another name: its last two letters are looked at before it is read.
    let end = name_end(view, at).filter(|&end| may_end(view.before(end.saturating_sub(1)), view.before(end)));
    let start = end.map(|end| view.run_back(end, NAME, is_name));
    let name = start.zip(end).and_then(|(start, end)| Some((start, view.bytes().get(start..end)?)));
    if let Some((start, name)) = name {
        if let Some(sort) = sort_of_name(name).or_else(|| sort_of_name(statement::without_particle(name)?)) {
            return Some(sure(sort, is_second(view, start)));
        }
        // No other names are looked up in what stands before them.
        let known = matches!(view.before(start + name.len()), b'e' | b'E' | b'g' | b'G');
        let start = if known { view.after_escape(start) } else { start };
        let name = end.and_then(|end| view.bytes().get(start..end)).unwrap_or_default();
        if let Some(sort) = pair(view, start, name).or_else(|| parameter(view, start, name, at)) {
            return Some(sure(sort, false));
        }
    }
    if let Some(sort) = of_whom(view, at) {
        return Some(sure(sort, false));
    }
    annotated(view, at).map(|sort| Named { sort, quoted_only: true, second: false })
}

/// Whether these two letters end a name of `secret_name.rs`, its suffix, a particle, or `value`, `response` and `sig`.
pub(super) fn may_end(before: u8, last: u8) -> bool {
    let (before, last) = (before.to_ascii_lowercase(), last.to_ascii_lowercase());
    let other = match last {
        b'd' => matches!(before, b'o' | b'l' | b'e'),
        b'e' => matches!(before, b'u' | b's'),
        b'g' => matches!(before, b'n' | b'i'),
        b'm' => before == b'r',
        b's' => matches!(before, b'i' | b'a'),
        b't' => before == b's',
        b'v' | b'w' => matches!(before, b'e' | b'/'),
        b'-' | b'0'..=b'9' => true,
        _ => false,
    };
    other || secret_name::may_end(before, last)
}

/// `ID/PW`, `아이디/비밀번호`.
fn is_second(view: &View<'_>, start: usize) -> bool {
    let first = ["id", "user", "username", "login", "account", "아이디", "계정", "账号", "用户名", "ユーザー"];
    view.before(start) == b'/' && first.iter().any(|word| ends_with(view, start - 1, word))
}

/// `Password for kim:`, `A temporary password is generated for root@localhost:`.
fn of_whom(view: &View<'_>, at: usize) -> Option<Sort> {
    if view.at(at) != b':' || !is_blank(view.at(at + 1)) {
        return None;
    }
    let user = view.run_back(at, NAME, |byte| byte.is_ascii_alphanumeric() || b"_-.@'%".contains(&byte));
    if user == at || view.before(user) != b' ' || !ends_with(view, user, " for ") {
        return None;
    }
    let words = view.run_back(user - 5, NAME, |byte| byte.is_ascii_alphabetic() || byte == b' ');
    let words = view.bytes().get(words..user - 5)?;
    let made = [&b" is generated"[..], b" generated", b" is"].iter().find_map(|verb| words.strip_suffix(*verb));
    sort_of_name(made.unwrap_or(words)).filter(|sort| sort.is_chosen())
}

/// The signature of a shared address, `?sig=`, and the answer of a digest, whose names say nothing elsewhere.
fn parameter(view: &View<'_>, start: usize, name: &[u8], at: usize) -> Option<Sort> {
    let short = name.eq_ignore_ascii_case(b"w") && ends_with(view, start, "p/") && view.begins_word(start - 2);
    if short {
        return Some(Sort::Password);
    }
    let signature = name.eq_ignore_ascii_case(b"sig") && matches!(view.before(start), b'&' | b'?' | b';');
    if signature || view.before(at) == b'e' && name.ends_with(b"response") && is_digest(view, at) {
        return Some(Sort::Key);
    }
    None
}

fn is_digest(view: &View<'_>, at: usize) -> bool {
    let line = view.run_back(at, 256, |byte| !matches!(byte, 0 | b'\n'));
    view.bytes().get(line..at).is_some_and(|line| line.windows(7).any(|word| word == b"Digest "))
}

/// What a plain name that ends here, or before quotes, names.
fn plain(view: &View<'_>, at: usize) -> Option<Sort> {
    let end = name_end(view, at)?;
    let start = view.run_back(end, NAME, is_name);
    sort_of_name(view.bytes().get(start..end)?)
}

/// Before blanks, quotes and brackets.
fn name_end(view: &View<'_>, at: usize) -> Option<usize> {
    // Colours may stand between the name, its quote and the sign: `jq` prints them so.
    let blanks = view.skip_sequences_back(view.run_back(at, 4, is_blank));
    match view.before(blanks) {
        b']' => in_brackets(view, at, blanks),
        b')' => before_parenthesis(view, at, blanks),
        b'D' | b'd' if ends_with(view, blanks, "%5d") => Some(blanks - 3),
        _ => {
            let spelled = before_spelled(view, blanks);
            let end = view.run_back(spelled, 2 * QUOTES, |byte| matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'*'));
            Some(view.skip_sequences_back(end))
        }
    }
}

/// `config["password"] =`, `user[password]=`, `password[32] =`.
fn in_brackets(view: &View<'_>, at: usize, end: usize) -> Option<usize> {
    let inside = end - 1;
    let quotes = view.run_back(inside, QUOTES, |byte| matches!(byte, b'"' | b'\'' | b'`' | b'\\'));
    if quotes < inside {
        return Some(quotes);
    }
    let size = view.run_back(inside, 6, |byte| byte.is_ascii_digit());
    if view.before(size) == b'[' {
        return Some(view.run_back(size - 1, 2, is_blank));
    }
    let word = view.run_back(inside, NAME, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'*'));
    // What `aws configure` asks: `AWS Secret Access Key [None]:`.
    if view.at(at) == b':' && view.before(word) == b'[' && view.before(word - 1) == b' ' {
        return Some(word - 2);
    }
    (end == at && view.at(at) == b'=' && view.before(word) == b'[').then_some(inside)
}

/// `비밀번호(신규)`, `Password (prod)`: a remark on the name; in Latin letters without a blank it would be a call.
fn before_parenthesis(view: &View<'_>, at: usize, end: usize) -> Option<usize> {
    let open = view.run_back(end - 1, NAME, |byte| !matches!(byte, 0 | b'(' | b')' | b'\n'));
    let name = view.run_back(open.saturating_sub(1), 2, is_blank);
    let word = || view.slice(open..end - 1).bytes().all(|byte| byte.is_ascii_alphabetic());
    let remark = view.before(name) >= 0x80 || name + 1 < open && view.at(at) == b':' && word();
    (view.before(open) == b'(' && remark).then_some(name)
}

/// `password: str = "…"`: the sign ends a type, before which the name stands.
fn annotated(view: &View<'_>, at: usize) -> Option<Sort> {
    if view.at(at) != b'=' || !is_blank(view.before(at)) {
        return None;
    }
    let colon = view.run_back(at, TYPE, |byte| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'.' | b' ' | b'[' | b']' | b'<' | b'>' | b'|' | b'&' | b'\'' | b'?')
    });
    (view.before(colon) == b':' && view.before(colon - 1) != b':').then(|| plain(view, colon - 1))?
}

/// The name that a pair before gives to `value`: `name="password" value=`, `"password": {"value":`; `start` is where
/// the word before the sign begins.
fn pair(view: &View<'_>, start: usize, name: &[u8]) -> Option<Sort> {
    let value = name.len().checked_sub(5)?;
    let (element, word) = name.split_at_checked(value)?;
    if !word.eq_ignore_ascii_case(b"value") || element.last().is_some_and(u8::is_ascii_alphanumeric) && element != b"n"
    {
        return None;
    }
    let element = element.trim_ascii();
    // `<Password value=`, and `n` is what is left of a line end in a string.
    if !element.is_empty() && element != b"n" {
        return (view.before(start) == b'<').then(|| sort_of_name(element))?;
    }
    let mut at = between(view, start);
    if view.before(at) == b'{' {
        let colon = between(view, at - 1);
        return (view.before(colon) == b':').then(|| plain(view, colon - 1))?;
    }
    for _ in 0..PAIRS {
        let (sort, named, before) = one_pair(view, at)?;
        if named && sort.is_some() {
            return sort;
        }
        at = before;
    }
    None
}

/// What the text of the pair that ends at `end` names, whether the pair gives a name, and where the pair begins.
fn one_pair(view: &View<'_>, end: usize) -> Option<(Option<Sort>, bool, usize)> {
    let close = quotes_back(view, before_spelled(view, end));
    let open = view.after_escape(view.run_back(close, TEXT, |byte| is_name(byte) && byte != b' '));
    let sort = sort_of_name(view.bytes().get(open..close)?);
    let sign = view.run_back(quotes_back(view, before_spelled(view, open)), 4, is_blank);
    if !matches!(view.before(sign), b':' | b'=') {
        return None;
    }
    let word_end = quotes_back(view, before_spelled(view, view.run_back(sign - 1, 4, is_blank)));
    let word = view.after_escape(view.run_back(word_end, 16, |byte| byte.is_ascii_alphanumeric()));
    let named = NAMES.iter().any(|name| view.slice(word..word_end).eq_ignore_ascii_case(name));
    Some((sort, named, between(view, word)))
}

/// Before quotes.
fn quotes_back(view: &View<'_>, end: usize) -> usize {
    view.run_back(end, QUOTES, |byte| matches!(byte, b'"' | b'\'' | b'\\'))
}

/// Before quotes, commas, line ends and blanks.
fn between(view: &View<'_>, end: usize) -> usize {
    let quotes = quotes_back(view, before_spelled(view, end));
    let at = view.run_back(quotes, TEXT, |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b','));
    // The line end of a string in a string.
    let escaped = view.before(at) == b'n' && view.before(at.saturating_sub(1)) == b'\\';
    if escaped { view.run_back(at - 1, QUOTES, |byte| byte == b'\\') } else { at }
}

pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'_' | b'-' | b'.' | b' ')
}
