//! Keys of providers, known by their prefix.
//!
//! A prefix with its alphabet and shortest length, never an exact length: what follows a key in prose is a particle,
//! a full stop or a bracket, and providers lengthen their keys. Formats after the providers' own pages on secret
//! scanning. Whether a body is a key is decided on its first bytes, so that what comes after it changes nothing.

use super::bare_keys;
use super::border::{Border, Class};
use super::key_rules::{Alphabet, Body, Rule, rules};
use super::kind::Kind;
use super::scan::{Found, Scene};
use super::view::{View, is_digit, is_key_byte};

/// The longest word before the first separator of a prefix.
const HEAD: usize = 12;
/// What of a key is looked at: a longer one is masked to its border without.
const LONGEST: usize = 4_096;
/// The first bytes of a body, on which it is judged.
const JUDGED: usize = 40;
/// The length from which letters are no word.
const LONG_WORD: usize = 32;
/// Words of examples that stand in the place of a key.
const EXAMPLES: &[&str] = &[
    "your", "my", "here", "key", "keys", "token", "tokens", "secret", "api", "insert", "replace", "goes", "the",
    "with", "name", "value", "fake", "dummy", "sample", "test", "redacted", "changeme", "bot",
];
/// Those that are long enough to be told inside of other letters.
const JOINED: &[&str] =
    &["example", "placeholder", "yourapikey", "yourkey", "yourtoken", "apikeyhere", "tokenhere", "xxxxxx"];

/// `at` is the separator that ends the first word of the prefix: `sk-`, `ghp_`, `SG.`.
pub(super) fn find(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    // Most separators end a sentence or join words that are in no prefix.
    if !is_key_byte(view.at(at + 1)) || !view.before(at).is_ascii_alphanumeric() {
        return None;
    }
    let (start, head) = head(view, at)?;
    let rule = rules(view.at(at), head).iter().find(|rule| view.starts_with(at + 1, rule.rest))?;
    if !is_key(view, at, rule) {
        return None;
    }
    let end = key_end(view, body(at, rule), rule.alphabet);
    let found = scene.found(rule.kind, if rule.whole { start } else { body(at, rule) }..end, 97)?;
    Some(if end - body(at, rule) >= LONGEST { found.open(Border::Class(rule.alphabet.border())) } else { found })
}

/// The word before the separator, when an ASCII word begins there.
fn head<'a>(view: &View<'a>, at: usize) -> Option<(usize, &'a str)> {
    let start = view.after_escape(view.run_back(at, HEAD, |byte| byte.is_ascii_alphanumeric()));
    view.begins_word(start).then(|| (start, view.slice(start..at)))
}

fn body(at: usize, rule: &Rule) -> usize {
    at + 1 + rule.rest.len()
}

/// The end of a key whose body begins at `body`.
pub(super) fn key_end(view: &View<'_>, body: usize, alphabet: Alphabet) -> usize {
    let end = view.run(body, LONGEST, alphabet.class());
    if end == body + LONGEST {
        return end;
    }
    // A stop at the end of a sentence is no part of a key that has stops inside.
    end - view.slice(body..end).bytes().rev().take_while(|byte| matches!(byte, b'.' | b'/')).count()
}

fn is_key(view: &View<'_>, at: usize, rule: &Rule) -> bool {
    let start = body(at, rule);
    let judged = view.slice(start..view.run(start, JUDGED.max(rule.shortest), rule.alphabet.class()));
    judged.len() >= rule.shortest && is_varied(judged) && is_body(judged, rule.body)
}

/// Whether the first bytes of a body are those of a key, and no words.
fn is_body(judged: &str, body: Body) -> bool {
    let has = |class: fn(&u8) -> bool| judged.bytes().any(|byte| class(&byte));
    let digit = has(u8::is_ascii_digit);
    match body {
        Body::Any => true,
        Body::Letters => digit || !is_example(judged),
        Body::Digit => digit || (has_long_word(judged) && !is_example(judged)),
        Body::Mixed => digit && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase),
    }
}

fn words(judged: &str) -> impl Iterator<Item = &str> {
    judged.split(|one: char| !one.is_ascii_alphanumeric())
}

/// Letters that no joint parts, longer than any name in a program or of a page.
fn has_long_word(judged: &str) -> bool {
    words(judged).any(|word| word.len() >= LONG_WORD)
}

/// `your-api-key-here`: words that examples have, each by itself or, for those that no key has by chance, run together.
fn is_example(judged: &str) -> bool {
    let small = judged.to_ascii_lowercase();
    words(&small).any(|word| EXAMPLES.contains(&word)) || JOINED.iter().any(|word| small.contains(word))
}

/// `xxxxxxxx` and `********` stand for a key and are none.
pub(super) fn is_varied(text: &str) -> bool {
    let mut seen: Vec<u8> = Vec::with_capacity(4);
    for byte in text.bytes() {
        if seen.len() < 4 && !seen.contains(&byte) {
            seen.push(byte);
        }
    }
    seen.len() >= 4
}

/// `AKIA…` and `AIza…`, which have no separator; `at` is the `A`.
pub(super) fn capital(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    match view.at(at + 1) {
        b'K' | b'S' | b'B' | b'C' => aws(scene, at).or_else(|| bare_keys::by_letter(scene, at)),
        b'T' | b'Q' | b'A' => bare_keys::by_letter(scene, at),
        b'3' if view.at(at + 2) == b'-' && view.begins_word(at) => {
            bare_keys::one_password(view, at).and_then(|end| scene.found(Kind::ApiKey, at..end, 97))
        }
        b'I' if view.before(at) == b'T' => bare_keys::by_letter(scene, at),
        _ if matches!(view.before(at), b'Z' | b'j') => bare_keys::by_letter(scene, at),
        b'I' if view.starts_with(at, "AIza") && view.begins_word(at) => {
            let end = view.run(at + 4, LONGEST, is_key_byte);
            let judged = view.slice(at + 4..end.min(at + 39));
            (judged.len() == 35 && is_varied(judged)).then(|| scene.found(Kind::GoogleApiKey, at..end, 97))?
        }
        _ => None,
    }
}

fn aws(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let prefix = ["AKIA", "ASIA", "ABIA", "ACCA"].iter().any(|prefix| view.starts_with(at, prefix));
    if !prefix || !view.begins_word(at) {
        return None;
    }
    let end = view.run(at + 4, 17, |byte| byte.is_ascii_uppercase() || is_digit(byte));
    let fits = end == at + 20 && view.ends_word(end) && is_varied(view.slice(at + 4..end));
    fits.then(|| scene.found(Kind::AwsAccessKey, at..end, 97))?
}

/// The token of a Telegram bot, `123456789:AA…`; `at..end` are the digits.
pub(super) fn telegram(scene: &Scene<'_, '_>, at: usize, end: usize) -> Option<Found> {
    let view = scene.view;
    let digits = view.slice(at..end).bytes().all(|byte| byte.is_ascii_digit());
    if !(8..=10).contains(&(end - at)) || !digits || !view.starts_with(end, ":AA") {
        return None;
    }
    let last = view.run(end + 1, 40, is_key_byte);
    (last - end > 33).then(|| scene.found(Kind::ApiKey, at..last, 95))?
}

impl Alphabet {
    /// Of a key that is longer than any key: what can stand in it.
    fn border(self) -> Class {
        match self {
            Self::Hexadecimal | Self::Alphanumeric => Class::Alphanumeric,
            Self::Key => Class::Key,
            Self::Dotted => Class::Dotted,
            _ => Class::Encoded,
        }
    }

    pub(super) fn class(self) -> fn(u8) -> bool {
        match self {
            Self::Hexadecimal => |byte| byte.is_ascii_hexdigit(),
            Self::Dollar => |byte| is_key_byte(byte) || byte == b'$',
            Self::Hook => |byte| is_key_byte(byte) || matches!(byte, b'/' | b'@'),
            Self::Alphanumeric => |byte| byte.is_ascii_alphanumeric(),
            Self::Key => is_key_byte,
            Self::Dotted => |byte| is_key_byte(byte) || byte == b'.',
            Self::Encoded => |byte| is_key_byte(byte) || matches!(byte, b'+' | b'/' | b'=' | b'%'),
            Self::Path => |byte| is_key_byte(byte) || byte == b'/',
        }
    }
}
