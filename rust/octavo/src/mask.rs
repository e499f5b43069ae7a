//! Personal data and secrets: found in one pass over the text, in any script.
//!
//! A table of bytes finds the few places that could matter; a recogniser looks at bounded text around each. None of
//! them is a regular expression: time grows with the text and with nothing else. Only patterns of the caller's own are
//! (`pattern.rs`), which bounds what they may cost. Text is read in a normal form
//! (`normal.rs`) in which full-width digits, other dashes and invisible characters hide nothing, and findings are
//! ranges of the text as it was given.
//!
//! Names of persons and postal addresses are not found: they have no form, and need a model.

mod assignment;
mod bank;
mod bare;
mod bare_keys;
mod base64;
mod border;
mod call;
mod card;
mod command_line;
mod compose;
mod context;
mod date;
mod digits;
mod documents;
mod domain;
mod email;
mod escape;
mod expression;
mod groups;
mod guard;
mod header;
mod iban;
mod iban_layouts;
mod jwt;
mod key_body;
mod key_rules;
mod keys;
mod kind;
mod label;
mod lists;
mod loose;
mod markup;
mod names;
mod naming;
mod network;
mod normal;
mod pattern;
mod pem;
mod phone;
mod placeholder;
mod quoted;
mod random;
mod resident;
mod rows;
mod scan;
mod secret;
mod secret_name;
mod spelled;
mod statement;
mod stream;
mod table;
mod token;
mod trigger;
mod unicode;
mod url;
mod view;

use std::borrow::Cow;
use std::net::IpAddr;
use std::ops::Range;

pub use kind::{Kind, KindSet};
pub use pattern::Pattern;
pub use stream::{Piece, Stream};

use normal::Normal;
use scan::Scanner;
use view::View;

/// How much doubt is enough to mask.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Policy {
    /// Thirteen digits without a dash are masked when the check digit or a word near them says what they are.
    #[default]
    Balanced,
    /// Thirteen digits without a dash are masked when they begin with a valid date.
    Strict,
}

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {
    /// The kinds that are found. The default leaves out public and technical ones.
    pub kinds: KindSet,
    /// How much doubt is enough.
    pub policy: Policy,
}

/// One piece of personal data or secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// Bytes of the text that was given, on character boundaries.
    pub bytes: Range<usize>,
    /// How sure it is, 1 to 100; 0 for what goes on with the finding before, in a stream.
    pub confidence: u8,
}

impl Finding {
    /// Whether this is the rest of the finding before, for which no token stands: a stream gives a secret that is longer
    /// than it can hold in several.
    pub const fn goes_on(&self) -> bool {
        self.confidence == 0
    }
}

/// All findings, sorted, none inside or across another.
pub fn find(text: &str, options: &Options) -> Vec<Finding> {
    let normal = Normal::new(text);
    let mut view = View::new(&normal.text, &normal.soft_hyphens);
    let mut found = Vec::new();
    Scanner::default().run(&mut view, options.kinds, options.policy == Policy::Strict, true, &mut found);
    let finding = |found: scan::Found| Finding {
        kind: found.kind,
        bytes: normal.original(&found.range),
        confidence: found.confidence,
    };
    found.into_iter().map(finding).collect()
}

/// The text as it is read: digits, dashes and spaces in ASCII, invisible characters gone. Borrowed when it is so.
pub fn normalised(text: &str) -> Cow<'_, str> {
    Normal::new(text).text
}

/// One spelling for all spellings of a value: what a pseudonym is made of.
///
/// Numbers are their digits alone, telephone numbers without the country, addresses in lower case and their shortest
/// form, passwords in URLs without percent-encoding.
pub fn canonical(kind: Kind, value: &str) -> String {
    let text = normalised(value);
    match kind {
        Kind::KrPhone => domestic(&digits_of(&text)),
        Kind::KrRrn | Kind::KrFrn | Kind::KrBankAccount | Kind::KrBrn | Kind::KrDriverLicense | Kind::CreditCard => {
            digits_of(&text)
        }
        Kind::Email => text.to_lowercase(),
        Kind::IpAddress => internet_address(&text),
        Kind::MacAddress => text.chars().filter(char::is_ascii_hexdigit).map(|one| one.to_ascii_lowercase()).collect(),
        Kind::UrlPassword => percent_decoded(&text),
        Kind::Iban | Kind::KrPassport => {
            text.chars().filter(char::is_ascii_alphanumeric).map(|one| one.to_ascii_uppercase()).collect()
        }
        _ => text.into_owned(),
    }
}

fn digits_of(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// The shortest spelling (RFC 5952) without the zone; an IPv4 address mapped into IPv6 is itself.
fn internet_address(text: &str) -> String {
    text.parse::<IpAddr>().map_or_else(|_| text.to_lowercase(), |address| address.to_canonical().to_string())
}

/// What a part of a URL stands for (RFC 3986, 2.1); left as it is where that is no UTF-8.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = after.first_chunk().filter(|_| byte == b'%').and_then(|two| hexadecimal(*two));
        bytes.push(escaped.unwrap_or(byte));
        rest = if escaped.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn hexadecimal(digits: [u8; 2]) -> Option<u8> {
    let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
    u8::try_from(high? * 16 + low?).ok()
}

/// `821012345678`, `00821012345678`, `8201012345678` and `1012345678` are `01012345678`.
fn domestic(digits: &str) -> String {
    let abroad = digits.strip_prefix("0082").or_else(|| digits.strip_prefix("82"));
    let local = abroad.unwrap_or(digits);
    format!("0{}", local.strip_prefix('0').unwrap_or(local))
}

/// The text with a token in the place of each finding. Findings must be sorted and apart, as [`find`] gives them;
/// one that is not inside the text or not on a character boundary is left out.
pub fn masked(text: &str, findings: &[Finding], mut token: impl FnMut(&Finding) -> String) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut done = 0;
    for finding in findings {
        let Some(before) = text.get(done..finding.bytes.start) else { continue };
        if text.get(finding.bytes.clone()).is_none() {
            continue;
        }
        masked.push_str(before);
        masked.push_str(&token(finding));
        done = finding.bytes.end;
    }
    masked.push_str(text.get(done..).unwrap_or_default());
    masked
}
