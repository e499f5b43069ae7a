//! Python strings as UTF-8.
//!
//! `CPython` gives the UTF-8 form of an ASCII string for nothing. Of any other it makes one and keeps it until the string
//! dies: a Korean message would take 2.2 times the memory from its first count on. So that form is taken only of short
//! strings; of long ones a copy is made and freed, which costs 0.3 to 0.6 ns a byte each time.

use std::borrow::Cow;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyString};

/// Strings up to this many characters are short: roles, ids, names and brief messages. What is kept of one is at most
/// 1 KiB, less than the dict around a message; not making it anew halves the time of counting 90 characters of Korean
/// (0.33 us instead of 0.61), and asking whether a string is ASCII would be a tenth of the time of a short count.
pub(crate) const SHORT: usize = 256;

/// What `work` makes of the text.
///
/// A surrogate pair is its character, a lone surrogate U+FFFD (the one text policy).
pub(crate) fn with_text<T>(text: &Bound<'_, PyString>, work: impl FnOnce(&str) -> T) -> T {
    if is_free(text) {
        return match text.to_str() {
            Ok(text) => work(text),
            Err(_) => work(&repair_surrogates(text)),
        };
    }
    match text.encode_utf8() {
        Ok(bytes) => match str::from_utf8(bytes.as_bytes()) {
            Ok(text) => work(text),
            Err(_) => work(&String::from_utf8_lossy(bytes.as_bytes())),
        },
        Err(_) => work(&repair_surrogates(text)),
    }
}

/// The same, for where the text is needed for longer: borrowed where that is free, else a copy.
pub(crate) fn borrow_text<'a>(text: &'a Bound<'_, PyString>) -> Cow<'a, str> {
    borrow_noting(text, || ())
}

/// The same, which says so where the text holds surrogates: what is sent as it is no client can encode. A text without
/// them is not looked at for it.
pub(crate) fn borrow_noting<'a>(text: &'a Bound<'_, PyString>, garbled: impl FnOnce()) -> Cow<'a, str> {
    if is_free(text) {
        return text.to_str().map_or_else(
            |_| {
                garbled();
                Cow::Owned(repair_surrogates(text))
            },
            Cow::Borrowed,
        );
    }
    let Ok(bytes) = text.encode_utf8() else {
        garbled();
        return Cow::Owned(repair_surrogates(text));
    };
    Cow::Owned(String::from_utf8_lossy(bytes.as_bytes()).into_owned())
}

/// A text whose characters are the code points of the Python string, one for one.
pub(crate) struct Points<'a> {
    pub(crate) text: Cow<'a, str>,
    /// Whether there are lone surrogates in the string: each is U+FFFD here, even in pairs. That is as long as what it
    /// stands for: one code point, three bytes (as Python's `surrogatepass` writes it), one unit of UTF-16.
    pub(crate) halves: bool,
}

/// The string for work whose answer are places in it.
pub(crate) fn points<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Points<'a>> {
    if is_free(text)
        && let Ok(text) = text.to_str()
    {
        return Ok(Points { text: Cow::Borrowed(text), halves: false });
    }
    if let Ok(bytes) = text.encode_utf8()
        && let Ok(text) = str::from_utf8(bytes.as_bytes())
    {
        return Ok(Points { text: Cow::Owned(text.to_owned()), halves: false });
    }
    let encoded = text.call_method1(intern!(text.py(), "encode"), ("utf-8", "surrogatepass"))?;
    let text = halves_replaced(encoded.extract::<Vec<u8>>()?)?;
    Ok(Points { text: Cow::Owned(text), halves: true })
}

/// UTF-8 has no other sequence that begins with 0xED and goes on with 0xA0 or more.
fn halves_replaced(mut bytes: Vec<u8>) -> PyResult<String> {
    let mut rest = bytes.as_mut_slice();
    while let Some(at) = rest.iter().position(|&byte| byte == 0xED) {
        let Some([first, second, third, after @ ..]) = rest.get_mut(at..) else { break };
        if *second >= 0xA0 {
            [*first, *second, *third] = [0xEF, 0xBF, 0xBD];
        }
        rest = after;
    }
    Ok(String::from_utf8(bytes)?)
}

/// The beginning of a text that `cut` leaves of it, in bytes of what it is given: cut from the caller's own string, which
/// may hold surrogates, and that very object where all of it is left.
pub(crate) fn truncated<'py>(
    text: &Bound<'py, PyString>,
    cut: impl FnOnce(&str) -> usize,
) -> PyResult<Bound<'py, PyString>> {
    let mut garbled = false;
    let read = borrow_noting(text, || garbled = true);
    let left = cut(&read);
    let Some(left) = read.get(..left).filter(|left| left.len() < read.len()) else { return Ok(text.clone()) };
    if !garbled {
        return Ok(PyString::new(text.py(), left));
    }
    let points = isize::try_from(points_of(text, left.chars().count())?)?;
    Ok(text.as_any().get_item(PySlice::new(text.py(), 0, points, 1))?.cast_into::<PyString>()?)
}

/// How many code points of the string are so many characters: a surrogate pair is one, and two code points.
fn points_of(text: &Bound<'_, PyString>, characters: usize) -> PyResult<usize> {
    let encoded = text.call_method1(intern!(text.py(), "encode"), ("utf-32-le", "surrogatepass"))?;
    let bytes = encoded.extract::<Vec<u8>>()?;
    let mut units = bytes.chunks_exact(4).filter_map(|unit| Some(u32::from_le_bytes(unit.try_into().ok()?))).peekable();
    let mut points = 0;
    for _ in 0..characters {
        let Some(unit) = units.next() else { break };
        points += 1;
        if (0xd800..0xdc00).contains(&unit) && units.next_if(|next| (0xdc00..0xe000).contains(next)).is_some() {
            points += 1;
        }
    }
    Ok(points)
}

/// Whether `CPython` has the UTF-8 form already or may keep it.
fn is_free(text: &Bound<'_, PyString>) -> bool {
    text.len().is_ok_and(|length| length <= SHORT) || is_ascii(text)
}

fn is_ascii(text: &Bound<'_, PyString>) -> bool {
    let py = text.py();
    text.call_method0(intern!(py, "isascii")).and_then(|answer| answer.is_truthy()).unwrap_or(false)
}

/// Goes through UTF-16, where a surrogate pair is one character, and replaces what stands alone.
fn repair_surrogates(text: &Bound<'_, PyString>) -> String {
    let encoded = text.call_method1(intern!(text.py(), "encode"), ("utf-16-le", "surrogatepass"));
    let Ok(bytes) = encoded.and_then(|bytes| bytes.extract::<Vec<u8>>()) else { return String::new() };
    let units = bytes.chunks_exact(2).filter_map(|pair| Some(u16::from_le_bytes(pair.try_into().ok()?)));
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}
