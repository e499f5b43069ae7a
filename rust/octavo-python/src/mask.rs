//! Masking: options read once, texts with lone surrogates, streams, patterns of the caller's.

use std::sync::{Mutex, MutexGuard, PoisonError};

use octavo::mask::{self, Finding, Kind, Options, Policy};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice, PyString};

use crate::error::raise;
use crate::places::{Place, Span, spans};
use crate::text::{Points, points};

/// From this many bytes on the interpreter is released: below, getting it back can cost more than it gives.
const DETACH: usize = 64 * 1024;

/// Finds by one set of options. `octavo._core.pyi` documents the methods.
#[pyclass(frozen, module = "octavo._core")]
pub(crate) struct Detector {
    options: Options,
}

#[pymethods]
impl Detector {
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "what an argument is extracted into")]
    fn new(kinds: Vec<String>, strict: bool) -> PyResult<Self> {
        let known = |name: &String| {
            Kind::from_name(name).ok_or_else(|| PyValueError::new_err(format!("unknown kind {name:?}")))
        };
        let kinds = kinds.iter().map(known).collect::<PyResult<_>>()?;
        Ok(Self { options: Options { kinds, policy: if strict { Policy::Strict } else { Policy::Balanced } } })
    }

    #[pyo3(signature = (text, /))]
    fn find(&self, text: &Bound<'_, PyString>) -> PyResult<Vec<Span>> {
        let points = points(text)?;
        Ok(apart(text.py(), points.text.len(), || spans(&points.text, &self.found(&points.text))))
    }

    #[pyo3(signature = (texts, /))]
    #[expect(clippy::needless_pass_by_value, reason = "what an argument is extracted into")]
    fn find_all(&self, texts: Vec<Bound<'_, PyString>>) -> PyResult<Vec<Vec<Span>>> {
        let found = |points: &Points<'_>| spans(&points.text, &self.found(&points.text));
        Ok(each(&texts, found)?.into_iter().map(|(spans, _)| spans).collect())
    }

    #[pyo3(signature = (text, /))]
    fn mask<'py>(&self, text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
        let points = points(text)?;
        let masked = apart(text.py(), points.text.len(), || self.masked(&points));
        masked.into_python(text)
    }

    #[pyo3(signature = (texts, /))]
    #[expect(clippy::needless_pass_by_value, reason = "what an argument is extracted into")]
    fn mask_all<'py>(&self, texts: Vec<Bound<'py, PyString>>) -> PyResult<Vec<Bound<'py, PyString>>> {
        let masked = each(&texts, |points| self.masked(points))?;
        masked.into_iter().map(|(masked, text)| masked.into_python(text)).collect()
    }

    fn stream(&self) -> MaskStream {
        MaskStream { stream: Mutex::new(Some(mask::Stream::new(self.options))) }
    }
}

impl Detector {
    fn found(&self, text: &str) -> Vec<Finding> {
        mask::find(text, &self.options)
    }

    fn masked(&self, points: &Points<'_>) -> Masked {
        let found = self.found(&points.text);
        match (found.is_empty(), points.halves) {
            (true, _) => Masked::Unchanged,
            (false, true) => Masked::Halves(spans(&points.text, &found)),
            (false, false) => Masked::Text(mask::masked(&points.text, &found, |found| found.kind.token())),
        }
    }
}

/// What became of a text.
enum Masked {
    /// Nothing was found: the same object goes back.
    Unchanged,
    Text(String),
    /// There are lone surrogates in it, which Rust cannot hold: it is put together from Python's own pieces.
    Halves(Vec<Span>),
}

impl Masked {
    fn into_python<'py>(self, text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
        match self {
            Self::Unchanged => Ok(text.clone()),
            Self::Text(masked) => Ok(PyString::new(text.py(), &masked)),
            Self::Halves(spans) => pieces(text, &spans),
        }
    }
}

fn pieces<'py>(text: &Bound<'py, PyString>, spans: &[Span]) -> PyResult<Bound<'py, PyString>> {
    let py = text.py();
    let parts = PyList::empty(py);
    let mut at = 0;
    for &(kind, start, end, ..) in spans {
        parts.append(part(text, at, start)?)?;
        parts.append(format!("[{kind}]"))?;
        at = end;
    }
    parts.append(part(text, at, text.len()?)?)?;
    Ok(PyString::new(py, "").call_method1(intern!(py, "join"), (parts,))?.cast_into()?)
}

fn part<'py>(text: &Bound<'py, PyString>, start: usize, end: usize) -> PyResult<Bound<'py, PyAny>> {
    text.get_item(PySlice::new(text.py(), isize::try_from(start)?, isize::try_from(end)?, 1))
}

/// Does work on so many bytes, with the interpreter released where they are many.
fn apart<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes < DETACH { work() } else { py.detach(work) }
}

/// Does work on each text, in one go without the interpreter where they are long together.
fn each<'a, 'py, T: Send>(
    texts: &'a [Bound<'py, PyString>],
    work: impl Fn(&Points<'_>) -> T + Send + Sync,
) -> PyResult<Vec<(T, &'a Bound<'py, PyString>)>> {
    let Some(first) = texts.first() else { return Ok(Vec::new()) };
    let all = texts.iter().map(points).collect::<PyResult<Vec<_>>>()?;
    let bytes = all.iter().map(|points| points.text.len()).sum();
    let done: Vec<T> = apart(first.py(), bytes, || all.iter().map(work).collect());
    Ok(done.into_iter().zip(texts).collect())
}

/// Every kind with whether it is found when none is asked for. `octavo._core.pyi` documents it.
#[pyfunction]
pub(crate) fn mask_kinds() -> Vec<(&'static str, bool)> {
    Kind::ALL.iter().map(|kind| (kind.name(), kind.on_by_default())).collect()
}

/// The spelling that all spellings of a value share. `octavo._core.pyi` documents it.
#[pyfunction]
pub(crate) fn canonical(kind: &str, value: &Bound<'_, PyString>) -> PyResult<String> {
    let value = points(value)?;
    Ok(Kind::from_name(kind)
        .map_or_else(|| mask::normalised(&value.text).into_owned(), |kind| mask::canonical(kind, &value.text)))
}

/// A regular expression of the caller's. `octavo._core.pyi` documents the methods.
#[pyclass(frozen, module = "octavo._core")]
pub(crate) struct Pattern {
    pattern: mask::Pattern,
}

#[pymethods]
impl Pattern {
    #[new]
    fn new(pattern: &str) -> PyResult<Self> {
        mask::Pattern::new(pattern).map(|pattern| Self { pattern }).map_err(raise)
    }

    #[pyo3(signature = (text, /))]
    fn find(&self, text: &Bound<'_, PyString>) -> PyResult<Vec<(usize, usize)>> {
        let points = points(text)?;
        Ok(apart(text.py(), points.text.len(), || {
            let mut at = Place::default();
            let mut point = |byte| at.forward(&points.text, byte).points;
            self.pattern.find(&points.text).into_iter().map(|found| (point(found.start), point(found.end))).collect()
        }))
    }
}

/// Settles a text that arrives in parts. `octavo._core.pyi` documents the methods.
#[pyclass(frozen, module = "octavo._core")]
pub(crate) struct MaskStream {
    /// Nothing once it was finished.
    stream: Mutex<Option<mask::Stream>>,
}

impl MaskStream {
    /// Nothing in here calls Python while the lock is held.
    fn lock(&self) -> MutexGuard<'_, Option<mask::Stream>> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl MaskStream {
    #[pyo3(signature = (chunk, /))]
    fn push(&self, chunk: &Bound<'_, PyString>) -> PyResult<Option<(usize, Vec<Span>)>> {
        let points = points(chunk)?;
        let advance = || self.lock().as_mut().map(|stream| settled(&stream.advance(&points.text)));
        Ok(apart(chunk.py(), points.text.len(), advance))
    }

    fn finish(&self) -> Option<(usize, Vec<Span>)> {
        self.lock().take().map(|stream| settled(&stream.rest()))
    }
}

/// How many code points are settled beyond those that were before, and what was found in them.
fn settled(piece: &mask::Piece) -> (usize, Vec<Span>) {
    (piece.text.chars().count(), spans(&piece.text, &piece.found))
}
