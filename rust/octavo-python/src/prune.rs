//! Shortening of texts by their structure.

use std::borrow::Cow;

use octavo::prune::{Kind, LeftOut, shorten};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::counters::apart;
use crate::model::TokenCounter;

/// Text, tokens, kind, and what was left out: tokens, lines, items, keys, characters.
type Answer<'py> = (Bound<'py, PyString>, usize, &'static str, (usize, usize, usize, usize, usize));

/// Shortens a text. `octavo._core.pyi` documents it. An unknown kind is none: Python has refused it.
#[pyfunction]
pub(crate) fn shorten_text<'py>(
    text: &Bound<'py, PyString>,
    max_tokens: usize,
    counter: &TokenCounter,
    kind: Option<&str>,
) -> PyResult<Answer<'py>> {
    let py = text.py();
    let kind = kind.and_then(Kind::from_name);
    let (made, tokens, kind, left_out) = counter.on_text(text, |counter, text| {
        apart(text.len(), || {
            let shortened = shorten(text, max_tokens, counter, kind);
            let made = match shortened.text {
                // What may be half a character is written as it is counted, and looked at below.
                Cow::Borrowed(seen) => seen.contains(char::REPLACEMENT_CHARACTER).then(|| seen.to_owned()),
                Cow::Owned(made) => Some(made),
            };
            (made, shortened.tokens, shortened.kind, shortened.left_out)
        })
    })?;
    let made = made.map(|made| PyString::new(py, &made));
    // A text that fits is the caller's own object, unless it has lone surrogates, which nobody can send.
    let made = match made {
        Some(made) if !made.as_any().eq(text)? => made,
        _ => text.clone(),
    };
    let LeftOut { tokens: fewer, lines, items, keys, characters } = left_out;
    Ok((made, tokens, kind.name(), (fewer, lines, items, keys, characters)))
}

/// Says what a text is. `octavo._core.pyi` documents it.
#[pyfunction]
#[pyo3(signature = (text, /))]
pub(crate) fn detect_kind(text: &Bound<'_, PyString>) -> &'static str {
    crate::text::with_text(text, |text| apart(text.len(), || octavo::prune::detect(text))).name()
}
