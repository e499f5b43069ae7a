//! Words that are written against a number without a blank, `Tel010-1234-5678`, `VISA4111…`, `…5678ext`: they name it
//! and do not hide it. Any other letter may be part of a code.

use super::view::{View, is_digit};

/// The longest word that is looked at.
const LONGEST: usize = 12;

/// Words before a number.
const BEFORE: &[&str] = &[
    "tel",
    "telephone",
    "phone",
    "mobile",
    "mob",
    "cell",
    "hp",
    "fax",
    "sms",
    "call",
    "contact",
    "rrn",
    "frn",
    "ssn",
    "jumin",
    "visa",
    "master",
    "mastercard",
    "amex",
    "jcb",
    "card",
    "account",
    "acct",
    "no",
    "num",
    "number",
];
/// Letters that stand for `mobile`, `telephone`, `fax` and `handphone`: only before digits with dashes.
const LETTERS: &[&str] = &["m", "t", "f", "h", "p", "c"];
/// Words after a number.
const AFTER: &[&str] =
    &["ext", "extension", "tel", "phone", "mobile", "hp", "fax", "exp", "cvc", "cvv", "email", "mail"];

/// Whether the letters before the digits `at..end` are a word that names a number.
pub(super) fn begins_number(view: &View<'_>, at: usize, end: usize) -> bool {
    let start = view.after_escape(view.run_back(at, LONGEST, |byte| byte.is_ascii_alphabetic()));
    let word = view.slice(start..at).to_ascii_lowercase();
    let dashed = view.at(end) == b'-' && is_digit(view.at(end + 1));
    // After a stop or sign it is the end of an address, which must not become one when the number is gone.
    let free = view.begins_word(start) && !matches!(view.before(start), b'.' | b'@' | b'_' | b'-' | b'%' | b'+');
    free && (BEFORE.contains(&word.as_str()) || (dashed && LETTERS.contains(&word.as_str())))
}

/// Whether a number may end here: no letter or digit follows, or a word that names what comes next.
pub(super) fn ends_number(view: &View<'_>, at: usize) -> bool {
    if view.ends_word(at) {
        return true;
    }
    let end = view.run(at, LONGEST, |byte| byte.is_ascii_alphabetic());
    end > at && AFTER.contains(&view.slice(at..end).to_ascii_lowercase().as_str())
}
