//! What a program computes a secret from, where no quotes stand: calls, members, types, templates.
//!
//! `get_password(user1)` and `Zq9x(hunter2A` differ in their words: those of programs are letters with perhaps a number
//! behind, and a call is closed or goes on after a blank.

use std::ops::Range;

use super::secret_name::sort_of_name;
use super::view::{View, is_blank};

/// What programs keep values in.
const HOLDERS: &[&str] = &[
    "self", "this", "config", "settings", "env", "process", "os", "args", "options", "opts", "ctx", "context",
    "request", "req", "res", "data", "props", "state", "form", "params", "cfg", "conf", "app", "module", "super",
    "crate", "std", "obj", "item", "event", "body", "input", "values", "session", "np", "torch", "types", "proto",
    "math", "window",
];
/// Numbers that end the names of types: `int64`, `float32`, `u8`.
const SIZES: &[&str] = &["8", "16", "32", "64", "128", "256", "512"];

/// Numbers inside of names: `b64decode`, `sha256sum`, `X509Name`, `ApiGatewayV2Authorizer`.
const NUMBERED: &[&str] = &[
    "64", "32", "16", "256", "512", "509", "128", "md5", "sha1", "v1", "v2", "v3", "v4", "s3", "ec2", "k8s", "i18n",
    "oauth2", "utf8",
];

/// Whether the text in `range`, which goes to its border, is an expression of a program.
pub(super) fn is_expression(view: &View<'_>, range: &Range<usize>) -> bool {
    let text = view.slice(range.clone());
    let head = text.len() - text.trim_start_matches(is_of_path).len();
    let (path, rest) = text.split_at_checked(head).unwrap_or_default();
    if has_types_alone(text) {
        return true;
    }
    match rest.as_bytes().first() {
        None => {
            let called = matches!(view.at(range.end), b'(' | b'[') && !is_mixed(path);
            called || is_member(path, is_assigned(view, range.start))
        }
        Some(b'(' | b'[' | b'{' | b'<') if !path.is_empty() => is_call(view, path, rest, range.end),
        Some(b'!') => {
            path.len() > 2
                && ["!(", "![", "!{"].iter().any(|open| rest.starts_with(open))
                && !has_signs(rest.get(2..).unwrap_or_default())
        }
        Some(b'[') => !rest.ends_with(']') || rest.contains([';', ',']),
        _ => false,
    }
}

fn is_of_path(one: char) -> bool {
    one.is_ascii_alphanumeric() || matches!(one, '_' | '.' | ':')
}

/// `password = …` as programs write it, with blanks around the sign.
fn is_assigned(view: &View<'_>, start: usize) -> bool {
    let sign = view.run_back(start, 4, is_blank);
    sign < start && view.before(sign) == b'=' && is_blank(view.before(sign - 1))
}

/// `path(…`: closed, or going on behind a blank or line end.
fn is_call(view: &View<'_>, path: &str, rest: &str, end: usize) -> bool {
    let Some((open, inside)) = rest.split_at_checked(1) else { return false };
    let close = match open {
        "(" => ')',
        "[" => ']',
        "{" => '}',
        _ => '>',
    };
    let signs = has_signs(inside);
    let opens = matches!(view.at(end), b'(' | b'[' | b'{') && matches!(view.at(end + 1), b'"' | b'\'');
    let quoted = opens || inside.contains(['"', '\'']);
    if quoted
        || !signs
            && inside.starts_with(['`', '$', '&', '*', '{', '[', '('])
            && !is_mixed(path)
            && !arguments_are_mixed(inside)
    {
        return true;
    }
    let Some((arguments, after)) = inside.rsplit_once(close) else {
        let more = view.at(end) == b',' || operator_follows(view, end);
        return !is_mixed(path) && (inside.is_empty() || more) && !signs && !arguments_are_mixed(inside);
    };
    let goes_on = after.is_empty()
        || after
            .starts_with(['.', '[', '(', ',', ';', ':', '?', ')', '}', ']', '/', '-', '<', '>', '|', '&', '=', '+']);
    goes_on && !signs && !(is_mixed(path) && arguments_are_mixed(arguments))
}

/// Whether the expression goes on behind a blank: `f(x + 1)`, `f(x if y)`.
fn operator_follows(view: &View<'_>, end: usize) -> bool {
    let word = view.run(end, 4, is_blank);
    let close = view.run(word, 8, |byte| byte.is_ascii_lowercase() || b"+-*/%=<>&|?)".contains(&byte));
    let operator = view.slice(word..close);
    let known = ["if", "else", "await"].contains(&operator);
    word > end && is_blank(view.at(close)) && (known || operator.bytes().all(|byte| byte.is_ascii_punctuation()))
}

/// Signs that passwords have and arguments seldom.
fn has_signs(text: &str) -> bool {
    text.contains(['!', '@', '#', '%', '^', '~'])
}

fn arguments_are_mixed(arguments: &str) -> bool {
    words(arguments).any(is_mixed)
}

/// The words of names that are joined in any way.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|one: char| !one.is_ascii_alphanumeric())
}

/// A digit inside, with letters after it: `Zq9x`.
fn is_mixed(text: &str) -> bool {
    words(text).filter(|word| !NUMBERED.iter().any(|known| has_word(word, known))).any(|word| {
        let letters = word.trim_end_matches(|one: char| one.is_ascii_digit());
        letters.bytes().any(|byte| byte.is_ascii_digit())
    })
}

fn has_word(text: &str, word: &str) -> bool {
    text.as_bytes().windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

/// `config.password2`, `hashlib.sha256`: names joined by stops, and no `john.smith1985`.
pub(super) fn is_member(value: &str, assigned: bool) -> bool {
    let name = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && part.len() < 20
    };
    let parts = || value.split('.').flat_map(|part| part.split("::"));
    if !(value.contains('.') || value.contains("::")) || !parts().all(name) {
        return false;
    }
    let holder = parts().next().is_some_and(|first| HOLDERS.contains(&first));
    let named = parts().any(|part| part.contains('_') || sort_of_name(part.as_bytes()).is_some());
    let last = parts().last().unwrap_or_default();
    holder
        || named
        || has_size(last)
        || value.contains("::")
        || if assigned { !is_mixed(value) } else { !is_personal(last) }
}

/// `smith1985`: two or more digits at the end, or digits inside.
fn is_personal(word: &str) -> bool {
    let letters = word.trim_end_matches(|one: char| one.is_ascii_digit());
    word.len() - letters.len() >= 2 || is_mixed(word)
}

fn has_size(word: &str) -> bool {
    let letters = word.trim_end_matches(|one: char| one.is_ascii_digit());
    word.get(letters.len()..).is_some_and(|digits| SIZES.contains(&digits))
}

/// Whether each word with a digit in it is the name of a type: `Option<[u8;32]>`, `np.int64`.
pub(super) fn has_types_alone(text: &str) -> bool {
    let mut typed = text
        .split(|one: char| !one.is_ascii_alphanumeric())
        .filter(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
        .peekable();
    let signs = has_signs(text) || text.contains('+');
    typed.peek().is_some()
        && !signs
        && text.contains(['.', '<', '[', '(', '|', ':'])
        && typed.all(|word| {
            is_type(word) || word.bytes().all(|byte| byte.is_ascii_digit()) && text.contains(['>', ']', ')'])
        })
}

fn is_type(word: &str) -> bool {
    let letters = word.trim_end_matches(|one: char| one.is_ascii_digit());
    let known =
        ["u", "i", "f", "int", "uint", "float", "bytes", "Int", "Float", "complex", "UInt", "string", "Utf", "utf"];
    known.contains(&letters) && has_size(word)
}
