//! E-mail addresses.

use std::ops::Range;

use super::kind::Kind;
use super::scan::{Found, Scene};
use super::view::View;

/// The longest local part and domain (RFC 5321).
const LOCAL: usize = 64;
const DOMAIN: usize = 255;

/// Last labels that are file names and no domains: `icon@2x.png`.
const FILES: &[&str] = &[
    "png",
    "jpg",
    "jpeg",
    "gif",
    "svg",
    "webp",
    "ico",
    "css",
    "js",
    "mjs",
    "cjs",
    "jsx",
    "ts",
    "tsx",
    "json",
    "html",
    "htm",
    "yaml",
    "yml",
    "toml",
    "exe",
    "dll",
    "txt",
    "log",
    "xml",
    "lock",
    "tgz",
    "gz",
    "whl",
    "jar",
    "vue",
    "java",
    "go",
    "service",
    "socket",
    "mount",
    "automount",
    "timer",
    "target",
    "slice",
    "scope",
    "swap",
    "utf",
    "zip",
    "tar",
    "cpp",
];
/// Files only directly after the `@`: as the last of more labels they are countries.
const SOURCES: &[&str] = &["py", "rs", "sh", "md", "pl"];
/// Last labels of most addresses: what follows one is another word.
const COMMON: &[&str] = &["com", "net", "org", "edu", "gov", "io", "kr", "jp", "cn", "dev", "ai", "de", "uk"];

pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let range = address(scene.view, at)?;
    scene.found(Kind::Email, range, 96)
}

/// The address of which a number is only a piece of the local part.
pub(super) fn around(scene: &Scene<'_, '_>, number: &Range<usize>) -> Option<Found> {
    let view = scene.view;
    let at = view.run(number.end, LOCAL, is_local);
    if view.at(at) != b'@' {
        return None;
    }
    let range = address(view, at).filter(|address| address.start <= number.start)?;
    scene.found(Kind::Email, range, 96)
}

fn address(view: &View<'_>, at: usize) -> Option<Range<usize>> {
    let start = local_start(view, at)?;
    let end = domain_end(view, at + 1)?;
    let local = view.slice(start..at);
    // `git@github.com:owner/repository` names a place, not a person.
    let place = local == "git" || is_version(view.slice(at + 1..end));
    (!place).then_some(start..end)
}

fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-')
}

fn local_start(view: &View<'_>, at: usize) -> Option<usize> {
    let start = view.run_back(at, LOCAL, is_local);
    if is_local(view.before(start)) || view.before(at) == b'.' {
        return None;
    }
    // An escape before the address is none of it: `\nkim@example.com` inside a JSON string.
    let start = view.after_escape(start);
    let signs = view.run(start, LOCAL, |byte| matches!(byte, b'.' | b'-' | b'+' | b'%'));
    (signs < at).then_some(signs)
}

/// The end of the longest domain here: labels and a last one of letters alone. A file or a call is none.
fn domain_end(view: &View<'_>, from: usize) -> Option<usize> {
    let mut found = None;
    let mut sure = false;
    let mut start = from;
    while start < from + DOMAIN {
        let end = view.run(start, 63, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if end == start || view.at(start) == b'-' {
            break;
        }
        let letters = view.run(start, 63, |byte| byte.is_ascii_alphabetic());
        let label = view.slice(start..letters);
        let last = start > from && letters > start && view.ends_word(letters);
        let file = is_file(label) || is_source(view.slice(from..letters)) || is_call(view, letters);
        let other = file && !is_one_of(COMMON, label);
        if last && other && !sure {
            return None;
        }
        if (last && letters - start >= 2 && !other) || is_punycode(view.slice(start..end)) {
            found = Some(if last { letters } else { end });
            sure = is_one_of(COMMON, label);
        }
        if view.at(end) != b'.' {
            break;
        }
        start = end + 1;
    }
    found
}

/// Whether the parenthesis at `at` is that of a call, and does not begin a telephone number: `(02) 123-4567`.
fn is_call(view: &View<'_>, at: usize) -> bool {
    view.at(at) == b'(' && (!view.at(at + 1).is_ascii_digit() || !view.at(at + 2).is_ascii_digit())
}

fn is_one_of(labels: &[&str], label: &str) -> bool {
    labels.iter().any(|one| label.eq_ignore_ascii_case(one))
}

fn is_file(label: &str) -> bool {
    is_one_of(FILES, label)
}

/// `bar.py`, but not `empresa.com.py`.
fn is_source(domain: &str) -> bool {
    domain.split_once('.').is_some_and(|(_, last)| is_one_of(SOURCES, last))
}

fn is_punycode(label: &str) -> bool {
    label.len() > 4 && label.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("xn--"))
}

/// `package@1.2.3-beta.dev`: two numbers at the beginning are a version.
fn is_version(domain: &str) -> bool {
    let mut labels = domain.split('.');
    let number =
        |label: Option<&str>| label.is_some_and(|label| label.starts_with(|first: char| first.is_ascii_digit()));
    number(labels.next()) && number(labels.next())
}
