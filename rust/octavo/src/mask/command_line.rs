//! Secrets on command lines: `--password x`, `-u user:x`, `mysql -px`.

use super::assignment;
use super::kind::Kind;
use super::naming::NAME;
use super::placeholder::is_placeholder;
use super::quoted::{Quote, closed, ends_with, opened};
use super::scan::{Found, Scene};
use super::secret;
use super::secret_name::{Sort, sort_of_name};
use super::view::{View, is_blank};

/// Bytes before an option in which the command stands.
const COMMAND: usize = 160;
/// The longest value of a short option.
const VALUE: usize = 128;

/// How a short option is given its secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `-px`, with nothing between.
    Attached,
    /// `-p x` or `-px`.
    Either,
    /// `-u user:x`; the password alone is masked.
    Login,
    /// `-U user%x`.
    Percent,
}

/// Words that a command has in it, all of them, the letter of its option, and its form.
const OPTIONS: &[(&[&str], u8, Form)] = &[
    (&["mysql"], b'p', Form::Attached),
    (&["mariadb"], b'p', Form::Attached),
    (&["sshpass"], b'p', Form::Either),
    (&["login"], b'p', Form::Either),
    (&["mongo"], b'p', Form::Either),
    (&["redis-cli"], b'a', Form::Either),
    (&["ldap"], b'w', Form::Either),
    (&["sqlcmd"], b'P', Form::Either),
    (&["bcp "], b'P', Form::Either),
    (&["zip "], b'P', Form::Either),
    (&["7z"], b'p', Form::Attached),
    (&["ipmitool"], b'P', Form::Either),
    (&["mosquitto_"], b'P', Form::Either),
    (&["curl"], b'u', Form::Login),
    (&["curl"], b'U', Form::Login),
    (&["http "], b'a', Form::Login),
    (&["https "], b'a', Form::Login),
    (&["svn "], b'p', Form::Either),
    (&["smbclient"], b'U', Form::Percent),
    (&["rpcclient"], b'U', Form::Percent),
    (&["net rpc"], b'U', Form::Percent),
];
/// Options that are given a user and a password.
const LOGINS: &[&str] = &["--user", "--proxy-user", "--auth", "--credentials", "--creds", "--basic-auth"];

/// `at` is a dash.
pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    if !scene.kinds.contains(Kind::Secret) || view.at(at + 1) == b' ' || is_word(view.before(at)) {
        return None;
    }
    if view.at(at + 1) == b'-' { long(scene, at) } else { short(scene, at).or_else(|| single(scene, at)) }
}

/// `echo "kim:x" | chpasswd`; `at` is the colon.
pub(super) fn piped(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let user = view.run_back(at, NAME, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    let quote = view.before(user);
    if user == at || !matches!(quote, b'"' | b'\'') || !ends_with(view, user - 1, "echo ") {
        return None;
    }
    let (start, end) =
        (at + 1, view.run(at + 1, VALUE, |byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'')));
    let pipe = view.run(end + 1, 4, |byte| is_blank(byte) || byte == b'|');
    let command = if view.starts_with(pipe, "sudo ") { pipe + 5 } else { pipe };
    let piped = view.at(end) == quote && view.starts_with(command, "chpasswd");
    piped.then(|| assignment::judged(scene, start..end, Sort::Password, true))?
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'=')
}

/// `--password x`, `--user kim:x`, `--user=kim:x`.
fn long(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let end = view.run(at + 2, NAME, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let name = view.slice(at..end);
    let listed = next_item(view, end);
    if LOGINS.contains(&name) && (is_blank(view.at(end)) || view.at(end) == b'=' || listed.is_some()) {
        return login(scene, listed.unwrap_or(end + 1), b':', is_client(view, at));
    }
    if !is_blank(view.at(end)) && listed.is_none() {
        return None;
    }
    let sort = sort_of_name(name.as_bytes())?;
    assignment::given(scene, listed.unwrap_or(end), if sort == Sort::Pass { Sort::Password } else { sort }, false)
}

/// Past the comma after an option in a list of arguments: `["--password", "x"]`.
fn next_item(view: &View<'_>, end: usize) -> Option<usize> {
    let quote = view.run(end, 8, |byte| byte == b'\\');
    let close = view.at(quote);
    let comma = view.run(quote + 1, 4, is_blank);
    let listed = matches!(close, b'"' | b'\'') && view.at(comma) == b',';
    let item = view.run(comma + 1, 64, |byte| is_blank(byte) || matches!(byte, b'\n' | b'\r'));
    (listed && opened(view, item).1.is_some()).then_some(item)
}

/// `-storepass x`, `-passin pass:x`.
fn single(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    if !is_blank(view.before(at)) {
        return None;
    }
    let end = view.run(at + 1, NAME, |byte| byte.is_ascii_alphabetic());
    let name = view.slice(at + 1..end);
    if !is_blank(view.at(end)) {
        return None;
    }
    let value = view.run(end, 4, is_blank);
    if matches!(name, "passin" | "passout" | "pass") {
        return view.starts_with(value, "pass:").then(|| assignment::given(scene, value + 5, Sort::Password, false))?;
    }
    let known = name.len() >= 5 && (sort_of_name(name.as_bytes())? == Sort::Password || name.ends_with("pass"));
    known.then(|| assignment::given(scene, end, Sort::Password, false))?
}

/// `-u kim:x`, `-px`, and in a list of arguments: `["-u", "kim:x"]`, `["-px"]`.
fn short(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let letter = view.at(at + 1);
    let listed = matches!(view.before(at), b'"' | b'\'');
    if !OPTIONS.iter().any(|&(_, option, _)| option == letter) || !(is_blank(view.before(at)) || listed) {
        return None;
    }
    let start = view.run_back(at, COMMAND, |byte| !matches!(byte, 0 | b'\n' | b';' | b'|'));
    let line = view.bytes().get(start..at)?;
    let has = |word: &&str| line.windows(word.len()).any(|window| window == word.as_bytes());
    let &(_, _, form) = OPTIONS.iter().find(|(words, option, _)| *option == letter && words.iter().all(has))?;
    let next = if listed { next_item(view, at + 2) } else { None };
    let value = next.unwrap_or_else(|| view.run(at + 2, 4, is_blank));
    match form {
        Form::Attached if value > at + 2 => None,
        Form::Login => login(scene, value, b':', true),
        Form::Percent => login(scene, value, b'%', true),
        Form::Attached | Form::Either => password(scene, value),
    }
}

/// Whether a command that logs in over the web stands before.
fn is_client(view: &View<'_>, at: usize) -> bool {
    let start = view.run_back(at, COMMAND, |byte| !matches!(byte, 0 | b'\n' | b';' | b'|'));
    let line = view.bytes().get(start..at).unwrap_or_default();
    ["curl", "wget", "http"].iter().any(|word| line.windows(word.len()).any(|window| window == word.as_bytes()))
}

/// Where a value of a command line ends, and where it begins.
fn value(view: &View<'_>, at: usize) -> (usize, usize) {
    let (start, quote) = opened(view, at);
    let closes = quote.and_then(|quote| closed(view, start, quote));
    let inside = closes.filter(|&end| quote.is_some_and(is_double) || !leaves_string(view.slice(start..end)));
    let end = inside.unwrap_or_else(|| {
        view.run(start, VALUE, |byte| {
            byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b';' | b'|' | b'<' | b'>' | b')')
        })
    });
    (start, end)
}

const fn is_double(quote: Quote) -> bool {
    matches!(quote, Quote::Mark { mark: b'"', .. })
}

/// Whether what seems to stand between two quotes goes on in another string of JSON: the first closed a command that
/// was quoted itself, ``"`curl -u`", "a`"``.
fn leaves_string(text: &str) -> bool {
    let ends = |two: &[u8]| matches!(two, [b'"', b',' | b':' | b'}' | b']']);
    text.starts_with(['"', '\\', ' ', ',']) || text.as_bytes().windows(2).any(ends)
}

fn password(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let (start, end) = value(scene.view, at);
    // `-p 8080`, `-p -h host`.
    let text = scene.view.slice(start..end);
    let other = text.starts_with(['-', '$', '<', '[']) || text.len() < 4;
    (!other).then(|| assignment::judged(scene, start..end, Sort::Password, true))?
}

/// The password after the user; `certain` when no numbers of user and group can be meant.
fn login(scene: &Scene<'_, '_>, at: usize, sign: u8, certain: bool) -> Option<Found> {
    let view = scene.view;
    let (start, end) = value(view, at);
    let text = view.slice(start..end);
    let colon = text.bytes().position(|byte| byte == sign)?;
    let word = text.get(colon + 1..)?;
    if colon == 0 || word.starts_with(['$', '<', '/']) || is_placeholder(word) {
        return None;
    }
    // `&[EMAIL:d2e6…]`, whatever stands before it: behind the sign is no password.
    if assignment::has_token(view, &(start..end)) {
        return None;
    }
    let known = certain
        || secret::is_secret(word, Sort::Password, false, false) && word.bytes().any(|byte| byte.is_ascii_alphabetic());
    known.then(|| assignment::judged(scene, start + colon + 1..end, Sort::Password, true))?
}
