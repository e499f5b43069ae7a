//! Counters as the doorway hands them to the engine: one that lets other threads run, one that the caller wrote.

use std::sync::{Arc, Mutex, PoisonError};

use octavo::tokens::CountTokens;
use pyo3::intern;
use pyo3::prelude::*;

/// Texts above this are counted without the interpreter's lock: counting them takes about half a
/// millisecond, below which getting the lock back can cost more than it gives.
const DETACH_BYTES: usize = 64 * 1024;

/// A counter that lets other threads run while it counts a long text.
pub(crate) struct Detaching(pub(crate) Arc<dyn CountTokens>);

impl Detaching {
    fn run<T: Send>(&self, text: &str, work: impl FnOnce(&dyn CountTokens) -> T + Send) -> T {
        let counter = self.0.as_ref();
        if text.len() <= DETACH_BYTES {
            return work(counter);
        }
        // Called with the interpreter attached or not: attaching is cheap where it is.
        Python::attach(|py| py.detach(|| work(counter)))
    }
}

impl CountTokens for Detaching {
    fn count(&self, text: &str) -> usize {
        self.run(text, |counter| counter.count(text))
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        self.run(text, |counter| counter.count_up_to(text, limit))
    }

    fn truncate<'text>(&self, text: &'text str, limit: usize) -> &'text str {
        self.run(text, |counter| counter.truncate(text, limit))
    }
}

/// A counter that the caller wrote. What it raises is kept and raised when the reading is over.
pub(crate) struct Foreign {
    counter: Py<PyAny>,
    failure: Mutex<Option<PyErr>>,
}

impl Foreign {
    pub(crate) fn new(counter: Py<PyAny>) -> Self {
        Self { counter, failure: Mutex::new(None) }
    }

    /// Raises what the counter raised since the last call.
    pub(crate) fn finish(&self) -> PyResult<()> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    fn fail(&self, error: PyErr) -> usize {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        0
    }
}

impl CountTokens for Foreign {
    fn count(&self, text: &str) -> usize {
        let counted =
            Python::attach(|py| self.counter.bind(py).call_method1(intern!(py, "count"), (text,))?.extract::<usize>());
        counted.unwrap_or_else(|error| self.fail(error))
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        Some(self.count(text)).filter(|&tokens| tokens <= limit)
    }

    fn truncate<'text>(&self, text: &'text str, limit: usize) -> &'text str {
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let within = ends.partition_point(|&end| self.count(text.get(..end).unwrap_or_default()) <= limit);
        let end = within.checked_sub(1).and_then(|last| ends.get(last)).copied().unwrap_or_default();
        text.get(..end).unwrap_or_default()
    }
}
