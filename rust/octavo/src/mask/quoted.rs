//! Where a value begins and ends: quotes at any depth of JSON in JSON and in every spelling, triple quotes, calls around
//! a text, and values without quotes.

use super::view::View;

/// The longest value that is looked at to tell whether it is a secret.
pub(super) const VALUE: usize = 256;
/// Backslashes before a quote, at most: four levels of JSON in JSON.
pub(super) const QUOTES: usize = 16;
/// Letters before a quote that say how the text is written: `b"…"`, `N'…'`, `@"…"`.
const PREFIXES: &[u8] = b"brfuNL@";
/// Quotes as HTML, JSON of careful programs, and URLs spell them.
const SPELLED: &[&str] = &[
    "&quot;", "&apos;", "&#34;", "&#39;", "&#039;", "&#x22;", "&#x27;", "\\u0022", "\\u0027", "\\x22", "\\x27", "%22",
    "%27",
];
/// What a text is turned into a secret by, before its parenthesis.
const WRAPPERS: &[&str] = &[
    "String::from(",
    "SecretStr(",
    "SecretString::from(",
    "SecretString::new(",
    "Secret::new(",
    "Secret(",
    "new String(",
    "String(",
    "Some(",
    "crypt(",
    "PASSWORD(",
    "str(",
];

/// A quotation mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Quote {
    /// The mark itself, with backslashes before it: one for a string in a string, three for a string in that.
    Mark { mark: u8, backslashes: usize },
    /// Spelled out.
    Spelled(&'static str),
}

/// Whether a mark after `backslashes` of them stands inside a string whose own has `own`: escaped once more.
pub(super) fn holds(own: usize, backslashes: usize) -> bool {
    backslashes % (2 * own + 2) == 2 * own + 1
}

/// How many of so many backslashes belong to a mark that ends the string, or one that it stands in; the others are the
/// value's, in pairs, and go with it.
pub(super) fn own(of_string: usize, backslashes: usize) -> usize {
    let mut own = of_string;
    while own > 0 && backslashes % (2 * own + 2) != own {
        own = (own - 1) / 2;
    }
    own
}

/// Past an opening quote, with the letter or call that some languages put before it.
pub(super) fn opened(view: &View<'_>, at: usize) -> (usize, Option<Quote>) {
    let wrapper = WRAPPERS.iter().find(|wrapper| view.starts_with(at, wrapper)).map_or(0, |wrapper| wrapper.len());
    let at_text = at + wrapper;
    let letter = usize::from(PREFIXES.contains(&view.at(at_text)));
    let found = mark_at(view, at_text).or_else(|| (letter > 0).then(|| mark_at(view, at_text + letter))?);
    found.map_or((at, None), |(start, quote)| (start, Some(quote)))
}

/// The quote that stands here, and what is after it; after three of them the text begins.
fn mark_at(view: &View<'_>, at: usize) -> Option<(usize, Quote)> {
    let end = view.run(at, QUOTES, |byte| byte == b'\\');
    let mark = view.at(end);
    if matches!(mark, b'"' | b'\'' | b'`') {
        let triple = end == at && view.at(end + 1) == mark && view.at(end + 2) == mark;
        let start = if triple { end + 3 } else { end + 1 };
        return Some((start, Quote::Mark { mark, backslashes: end - at }));
    }
    if !matches!(view.at(at), b'&' | b'\\' | b'%') {
        return None;
    }
    let one = end.saturating_sub(1).max(at);
    let spelled =
        |spelling: &&&str| view.starts_with_any_case(if spelling.starts_with('\\') { one } else { at }, spelling);
    let spelling = SPELLED.iter().find(spelled)?;
    let start = if spelling.starts_with('\\') { one } else { at };
    Some((start + spelling.len(), Quote::Spelled(spelling)))
}

/// Where the closing quote stands, with its backslashes, on the same line.
pub(super) fn closed(view: &View<'_>, start: usize, quote: Quote) -> Option<usize> {
    match quote {
        Quote::Mark { mark, backslashes } => mark_closed(view, start, mark, backslashes),
        Quote::Spelled(spelling) => (start..start + VALUE)
            .take_while(|&at| !matches!(view.at(at), 0 | b'\n'))
            .find(|&at| view.starts_with_any_case(at, spelling))
            .map(|at| view.run_back(at, QUOTES, |byte| byte == b'\\').max(start)),
    }
}

fn mark_closed(view: &View<'_>, start: usize, mark: u8, backslashes: usize) -> Option<usize> {
    let mut at = start;
    while at < start + VALUE {
        let end = view.run(at, VALUE, |byte| byte == b'\\');
        match view.at(end) {
            0 | b'\n' => return None,
            byte if byte == mark && !holds(backslashes, end - at) => return Some(end - own(backslashes, end - at)),
            _ => at = end + 1,
        }
    }
    None
}

/// Whether the word ends here, in any case, and is in sight.
pub(super) fn ends_with(view: &View<'_>, end: usize, word: &str) -> bool {
    let mut at = end;
    word.bytes().rev().all(|byte| {
        let same = view.before(at).eq_ignore_ascii_case(&byte);
        at = at.saturating_sub(1);
        same
    })
}

/// Before a quote that is spelled out and ends here.
pub(super) fn before_spelled(view: &View<'_>, end: usize) -> usize {
    if !matches!(view.before(end), b';' | b'2' | b'7') {
        return end;
    }
    let spelled = SPELLED.iter().find(|spelling| ends_with(view, end, spelling)).map_or(0, |spelling| spelling.len());
    view.run_back(end - spelled, if spelled > 0 { QUOTES } else { 0 }, |byte| byte == b'\\')
}

/// The end of a value without quotes: a blank, bracket, comma, quote, line end, or anything but ASCII.
pub(super) fn bare_end(view: &View<'_>, start: usize) -> usize {
    let end = view.run(start, VALUE, is_bare);
    end - view.slice(start..end).bytes().rev().take_while(|byte| matches!(byte, b'.' | b':' | b'?')).count()
}

/// Whether a byte goes on with a value without quotes.
pub(super) fn is_bare(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b",;&|<>)]}([\"'`\\".contains(&byte)
}
