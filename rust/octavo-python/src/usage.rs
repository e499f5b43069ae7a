//! What providers report, and what is learnt from it.

use octavo::tokens::calibration::Usage;
use pyo3::prelude::*;

use crate::error::raise;
use crate::node::Reading;

/// Input tokens (cached ones included) and output tokens of a reported usage, of any provider.
#[pyfunction]
pub(crate) fn read_usage(usage: &Bound<'_, PyAny>) -> PyResult<(u64, u64)> {
    let reading = Reading::new(usage.py());
    let read = Usage::read(&reading.node(usage));
    reading.finish()?;
    let usage = read.map_err(raise)?;
    Ok((usage.input, usage.output))
}

/// Reported usage beside the estimate of the same content. `octavo::tokens::calibration` explains it.
#[pyclass(frozen, module = "octavo._core")]
pub(crate) struct Anchor(octavo::tokens::calibration::Anchor);

#[pymethods]
impl Anchor {
    #[new]
    fn new(reported: u64, estimated: u64) -> PyResult<Self> {
        octavo::tokens::calibration::Anchor::new(reported, estimated).map(Self).map_err(raise)
    }

    /// A later report of the same context, grown.
    fn grown(&self, reported: u64, estimated: u64) -> PyResult<Self> {
        self.0.grown(reported, estimated).map(Self).map_err(raise)
    }

    /// Tokens of the anchored content and of a tail after it.
    fn total(&self, tail: u64) -> u64 {
        self.0.total(tail)
    }

    /// Reported tokens per 1,000 estimated ones.
    #[getter]
    fn permille(&self) -> u64 {
        self.0.permille()
    }
}
