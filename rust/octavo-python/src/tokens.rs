//! Exact tokenizers: the encodings inside the package and any `tokenizer.json`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::octavo::tokens::{self, CountTokens};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::counters::Turn;
use crate::error::raise;
use crate::text::with_text;

/// Texts from this many bytes on are counted with the interpreter released. A starting value, not a measured one.
const DETACH: usize = 64 * 1024;

/// An exact tokenizer. `octavo._core.pyi` documents the methods.
#[pyclass(frozen, module = "octavo._core")]
pub(crate) struct Encoding {
    counter: Arc<dyn CountTokens>,
}

impl Encoding {
    /// The counter itself.
    pub(crate) fn counter(&self) -> Arc<dyn CountTokens> {
        Arc::clone(&self.counter)
    }

    /// What `work` makes of the counter and the text, with the interpreter released for a long one.
    fn with_text<T: Send>(
        &self,
        text: &Bound<'_, PyString>,
        work: impl Fn(&dyn CountTokens, &str) -> T + Send + Sync,
    ) -> T {
        let (py, counter) = (text.py(), &*self.counter);
        with_text(
            text,
            |text| if text.len() < DETACH { work(counter, text) } else { py.detach(|| work(counter, text)) },
        )
    }
}

#[pymethods]
impl Encoding {
    #[new]
    fn new(name: &str) -> PyResult<Self> {
        tokens::encoding(name).map(|counter| Self { counter }).map_err(raise)
    }

    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 extracts paths by value")]
    fn from_file(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| tokens::file(&path)).map(|counter| Self { counter }).map_err(raise)
    }

    #[pyo3(signature = (text, /))]
    fn count(&self, text: &Bound<'_, PyString>) -> usize {
        self.with_text(text, |counter, text| counter.count(text))
    }

    fn count_up_to(&self, text: &Bound<'_, PyString>, limit: usize) -> Option<usize> {
        self.with_text(text, |counter, text| counter.count_up_to(text, limit))
    }

    fn truncate(&self, text: &Bound<'_, PyString>, limit: usize) -> String {
        self.with_text(text, |counter, text| counter.truncate(text, limit).to_owned())
    }

    #[expect(clippy::needless_pass_by_value, reason = "what an argument is extracted into")]
    fn count_batch(&self, py: Python<'_>, texts: Vec<Bound<'_, PyString>>) -> Vec<usize> {
        let turn = Turn::default();
        let spend = |text: &Bound<'_, PyString>| turn.spend(py, text.len().unwrap_or(0));
        texts.iter().inspect(|text| spend(text)).map(|text| self.count(text)).collect()
    }

    fn stream(&self) -> StreamCounter {
        StreamCounter { stream: Mutex::new(tokens::StreamCounter::new(self.counter.clone())) }
    }
}

/// Sets the bound of the encodings' memory of counts. `octavo._core.pyi` documents it.
#[pyfunction]
pub(crate) fn limit_cache(bytes: usize) -> PyResult<()> {
    tokens::limit_cache(bytes).map_err(raise)
}

/// Counts a text that arrives in parts. `octavo._core.pyi` documents the methods.
#[pyclass(frozen, module = "octavo._core")]
pub(crate) struct StreamCounter {
    stream: Mutex<tokens::StreamCounter>,
}

impl StreamCounter {
    /// Nothing is left half done when a push panics, and nothing in here calls Python while the lock is held.
    fn lock(&self) -> MutexGuard<'_, tokens::StreamCounter> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl StreamCounter {
    #[pyo3(signature = (part, /))]
    fn push(&self, part: &Bound<'_, PyString>) {
        with_text(part, |part| self.lock().push(part));
    }

    #[getter]
    fn total(&self) -> usize {
        self.lock().total()
    }
}
