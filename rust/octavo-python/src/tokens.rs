//! Exact tokenizers: the encodings inside the package and any `tokenizer.json`.

use std::cell::Cell;
use std::panic;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

use ::octavo::tokens::{self, CountTokens};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::counters::{Detaching, Turn};
use crate::error::raise;
use crate::text::{truncated, with_text};

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
        py.detach(|| quietly(|| tokens::file(&path))).map(|counter| Self { counter }).map_err(raise)
    }

    #[pyo3(signature = (text, /))]
    fn count(&self, text: &Bound<'_, PyString>) -> usize {
        self.with_text(text, |counter, text| counter.count(text))
    }

    fn count_up_to(&self, text: &Bound<'_, PyString>, limit: usize) -> Option<usize> {
        self.with_text(text, |counter, text| counter.count_up_to(text, limit))
    }

    fn truncate<'py>(&self, text: &Bound<'py, PyString>, limit: usize) -> PyResult<Bound<'py, PyString>> {
        let counter = Detaching(Arc::clone(&self.counter));
        truncated(text, |text| counter.truncate(text, limit).len())
    }

    #[expect(clippy::needless_pass_by_value, reason = "what an argument is extracted into")]
    fn count_batch(&self, py: Python<'_>, texts: Vec<Bound<'_, PyString>>) -> Vec<usize> {
        let turn = Turn::default();
        let spend = |text: &Bound<'_, PyString>| turn.spend(py, text.len().unwrap_or(0));
        texts.iter().inspect(|text| spend(text)).map(|text| self.count(text)).collect()
    }

    fn stream(&self) -> StreamCounter {
        StreamCounter::of(Arc::clone(&self.counter))
    }
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Printing goes on when it is dropped, also where the work unwinds.
struct Loud;

impl Drop for Loud {
    fn drop(&mut self) {
        QUIET.set(false);
    }
}

/// Does work whose panics are caught and told as errors: nothing is printed of them.
///
/// The hook that prints belongs to the whole process, so it is wrapped once and for all, and asks whether the thread
/// that panics is doing such work. Every other panic is printed as before.
fn quietly<T>(work: impl FnOnce() -> T) -> T {
    static WRAPPED: Once = Once::new();
    WRAPPED.call_once(|| {
        let printed = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                printed(panic);
            }
        }));
    });
    QUIET.set(true);
    let _loud = Loud;
    work()
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
    pub(crate) fn of(counter: Arc<dyn CountTokens>) -> Self {
        Self { stream: Mutex::new(tokens::StreamCounter::new(counter)) }
    }

    /// Nothing is left half done when a push panics. It is waited for and held with the interpreter released: a counter
    /// may attach to it and let go of it again meanwhile.
    fn lock(&self) -> MutexGuard<'_, tokens::StreamCounter> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl StreamCounter {
    #[pyo3(signature = (part, /))]
    fn push(&self, part: &Bound<'_, PyString>) {
        let py = part.py();
        with_text(part, |part| py.detach(|| self.lock().push(part)));
    }

    #[getter]
    fn total(&self, py: Python<'_>) -> usize {
        py.detach(|| self.lock().total())
    }

    #[pyo3(signature = (more, /))]
    fn total_with(&self, more: &Bound<'_, PyString>) -> usize {
        let py = more.py();
        with_text(more, |more| py.detach(|| self.lock().total_with(more)))
    }
}
