//! Keys of providers whose prefix has no separator, or whose mark stands inside: `dapi…`, `EAAC…`, `…-us12`, `…8Q~…`.

use super::key_rules::Alphabet;
use super::keys::{is_varied, key_end};
use super::kind::Kind;
use super::scan::{Found, Scene};
use super::view::{View, is_digit, is_key_byte};

/// The longest prefix of a key that is known by its first digit.
const HEAD: usize = 12;

/// A prefix, the characters after it, and how many of them there are.
struct Bare {
    prefix: &'static str,
    kind: Kind,
    alphabet: Alphabet,
    shortest: usize,
    longest: usize,
}

const fn bare(prefix: &'static str, alphabet: Alphabet, shortest: usize, longest: usize) -> Bare {
    Bare { prefix, kind: Kind::ApiKey, alphabet, shortest, longest }
}

use Alphabet::{Alphanumeric, Encoded, Hexadecimal, Key};

/// Keys in which a digit stands soon: Databricks, Twilio, `NuGet`, `EasyPost`, crates, `OpenShift`, `GitLab`.
const BY_DIGIT: &[Bare] = &[
    bare("dapi", Hexadecimal, 32, 34),
    bare("SK", Hexadecimal, 32, 32),
    bare("oy2", Alphanumeric, 43, 43),
    bare("EZTK", Alphanumeric, 54, 54),
    bare("cio", Alphanumeric, 32, 32),
    bare("sha256~", Key, 43, 60),
    Bare { kind: Kind::GitlabToken, ..bare("GR1348941", Key, 20, 40) },
];
/// Keys with an `A` in the prefix, by where it stands: Atlassian, Bitbucket, Amazon Bedrock, Tencent, Yandex, `JFrog`,
/// Twilio; Facebook and Square; Alibaba, `EasyPost`; references of `JFrog`.
const BY_LETTER: &[(usize, Bare)] = &[
    (0, bare("ATATT3", Encoded, 40, 400)),
    (0, bare("ATCTT3", Encoded, 40, 400)),
    (0, bare("ATBB", Encoded, 28, 40)),
    (0, bare("ABSK", Encoded, 60, 400)),
    (0, bare("AKID", Encoded, 32, 32)),
    (0, bare("AQVN", Encoded, 32, 60)),
    (0, bare("AKCp", Alphanumeric, 60, 100)),
    (0, bare("AC", Hexadecimal, 32, 32)),
    (1, bare("EAA", Key, 50, 400)),
    (2, bare("LTAI", Alphanumeric, 12, 30)),
    (2, bare("EZAK", Alphanumeric, 54, 54)),
    (5, bare("KakaoAK ", Hexadecimal, 32, 32)),
    (10, bare("cmVmdGtuOjA", Alphanumeric, 40, 100)),
];

/// `at` is an `A`.
pub(super) fn by_letter(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let fits = |(place, rule): &&(usize, Bare)| {
        at.checked_sub(*place).is_some_and(|start| view.starts_with(start, rule.prefix))
    };
    let (place, rule) = BY_LETTER.iter().find(fits)?;
    found(scene, at - place, rule)
}

/// `at` is a digit with a letter before it.
pub(super) fn by_digit(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let start = view.run_back(at, HEAD, |byte| byte.is_ascii_alphanumeric());
    // The first letter of a prefix, or that of an escape before it.
    if !matches!(view.at(start), b'd' | b'S' | b'o' | b'E' | b'G' | b'c' | b's' | b'n' | b'r' | b't' | b'u' | b'x') {
        return None;
    }
    let start = view.after_escape(start);
    let rule = BY_DIGIT.iter().find(|rule| view.starts_with(start, rule.prefix))?;
    found(scene, start, rule)
}

fn found(scene: &Scene<'_, '_>, start: usize, rule: &Bare) -> Option<Found> {
    let view = scene.view;
    // Inside of base64 any letters may stand.
    if !view.begins_word(start) || matches!(view.before(start), b'/' | b'+') {
        return None;
    }
    let body = start + rule.prefix.len();
    let end = view.run(body, rule.longest + 1, rule.alphabet.class());
    let judged = view.slice(body..end.min(body + 40));
    // A prefix with a number of seven digits in it is no word.
    let known = rule.kind == Kind::GitlabToken;
    let random = (known || judged.bytes().filter(u8::is_ascii_digit).count() >= 2) && is_varied(judged);
    let fits = (rule.shortest..=rule.longest).contains(&(end - body))
        && random
        && (view.ends_word(end) || rule.alphabet == Encoded);
    fits.then(|| scene.found(rule.kind, start..end, 95))?
}

/// A secret of an application in Azure: three characters, a digit, `Q~`, and thirty-one more; `at` is a digit.
pub(super) fn azure(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let at = (at..at + 4).take_while(|&at| is_digit(view.at(at))).find(|&at| view.at(at + 1) == b'Q')?;
    if view.at(at + 2) != b'~' {
        return None;
    }
    let start = view.run_back(at, 3, is_key_byte);
    let end = view.run(at + 3, 40, |byte| is_key_byte(byte) || matches!(byte, b'~' | b'.'));
    let fits = at - start == 3 && view.begins_word(start) && end - at >= 34;
    fits.then(|| scene.found(Kind::ApiKey, start..end, 95))?
}

/// Google's refresh tokens, `1//0…`; `at` is the first digit.
pub(super) fn google_refresh(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    if view.at(at + 1) != b'/' || !view.starts_with(at, "1//0") || !view.begins_word(at) {
        return None;
    }
    let end = key_end(view, at + 4, Key);
    let judged = view.slice(at + 4..end.min(at + 44));
    (judged.len() >= 30 && is_varied(judged)).then(|| scene.found(Kind::GoogleApiKey, at..end, 95))?
}

/// `MaxMind`, `…_…_mmk`; `at` is the second joint.
pub(super) fn maxmind(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    if view.at(at + 1) != b'm' || !view.starts_with(at, "_mmk") || !view.ends_word(at + 4) {
        return None;
    }
    let body = view.run_back(at, 30, |byte| byte.is_ascii_alphanumeric());
    let start = view.run_back(body.saturating_sub(1), 7, |byte| byte.is_ascii_alphanumeric());
    let fits = at - body == 29 && view.before(body) == b'_' && body - start == 7;
    (fits && view.begins_word(start)).then(|| scene.found(Kind::ApiKey, start..at + 4, 97))?
}

/// Keys of services in Azure, which have the mark `JQQJ9` after 52 letters; `at` is the `J`.
pub(super) fn azure_service(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    if view.at(at + 1) != b'Q' || !view.starts_with(at, "JQQJ9") {
        return None;
    }
    let start = view.run_back(at, 80, |byte| byte.is_ascii_alphanumeric());
    let end = view.run(at, 60, |byte| byte.is_ascii_alphanumeric());
    let end = if view.starts_with(end, "==") { end + 2 } else { end };
    let fits = at - start >= 52 && end - at >= 16 && view.begins_word(start) && view.ends_word(end);
    fits.then(|| scene.found(Kind::ApiKey, start..end, 97))?
}

/// Mailchimp, `…-us12`; `at` is the dash.
pub(super) fn mailchimp(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    if view.at(at + 1) != b'u' || view.at(at + 2) != b's' || !is_digit(view.at(at + 3)) {
        return None;
    }
    let start = view.run_back(at, 33, |byte| byte.is_ascii_hexdigit());
    let end = view.run(at + 3, 3, is_digit);
    (at - start == 32 && view.begins_word(start) && view.ends_word(end))
        .then(|| scene.found(Kind::ApiKey, start..end, 97))?
}

/// Discord's bots, Airtable and Terraform, in which a stop stands after a word of fixed length; `at` is the stop.
pub(super) fn dotted(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    if !view.before(at).is_ascii_alphanumeric() && !matches!(view.before(at), b'_' | b'-') {
        return None;
    }
    discord(scene, at).or_else(|| airtable(scene, at)).or_else(|| terraform(scene, at))
}

/// The user in base64, the time, and the secret: `MTA….Gabcde.…`.
fn discord(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    if view.at(at + 7) != b'.' || view.run(at + 1, 6, is_key_byte) != at + 7 {
        return None;
    }
    let start = view.run_back(at, 29, is_key_byte);
    let end = view.run(at + 8, 45, is_key_byte);
    let fits = (23..=28).contains(&(at - start)) && matches!(view.at(start), b'M' | b'N' | b'O') && end - at >= 8 + 27;
    (fits && view.begins_word(start)).then(|| scene.found(Kind::ApiKey, start..end, 95))?
}

fn airtable(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    if !view.at(at + 1).is_ascii_hexdigit() || !view.at(at + 2).is_ascii_hexdigit() {
        return None;
    }
    let end = view.run(at + 1, 65, |byte| byte.is_ascii_hexdigit());
    if end - at != 65 {
        return None;
    }
    let start = view.run_back(at, 18, |byte| byte.is_ascii_alphanumeric());
    let fits = at - start == 17 && view.starts_with(start, "pat") && view.begins_word(start);
    fits.then(|| scene.found(Kind::ApiKey, start..end, 97))?
}

fn terraform(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    if view.at(at + 1) != b'a' || !view.starts_with(at, ".atlasv1.") {
        return None;
    }
    let start = view.run_back(at, 15, |byte| byte.is_ascii_alphanumeric());
    let end = key_end(view, at + 9, Key);
    let fits = at - start == 14 && end - at >= 9 + 40 && view.begins_word(start);
    fits.then(|| scene.found(Kind::ApiKey, start..end, 97))?
}

/// Whether the old keys of Grafana stand here, JSON in base64; `at` is the `J` of `eyJ`.
pub(super) fn grafana(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    let start = at.checked_sub(2)?;
    if !view.starts_with(at, "JrIjoi") || !view.begins_word(start) || !view.starts_with(start, "ey") {
        return None;
    }
    let end = key_end(view, start, Encoded);
    (end - start >= 60).then(|| scene.found(Kind::ApiKey, start..end, 95))?
}

/// The secret key of 1Password, `A3-…`; `at` is the `A`.
pub(super) fn one_password(view: &View<'_>, at: usize) -> Option<usize> {
    let part = |from: usize, length: usize| {
        let end = view.run(from, length + 1, |byte| byte.is_ascii_uppercase() || is_digit(byte));
        (end == from + length && view.at(end) == b'-').then_some(end + 1)
    };
    let first = part(at + 3, 6)?;
    let second = part(first, 11).or_else(|| part(part(first, 6)?, 5))?;
    let third = part(part(second, 5)?, 5)?;
    let end = view.run(third, 6, |byte| byte.is_ascii_uppercase() || is_digit(byte));
    (end == third + 5).then_some(end)
}
