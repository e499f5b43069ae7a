//! Encodings: exact token counts of texts.

use std::sync::Arc;

use ::octavo::tokens;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// An exact tokenizer, shared by everybody who asks for the same name.
#[pyclass(frozen, module = "octavo._core")]
pub(crate) struct Encoding {
    counter: Arc<dyn tokens::CountTokens>,
}

#[pymethods]
impl Encoding {
    #[new]
    fn new(name: &str) -> PyResult<Self> {
        let counter = tokens::encoding(name).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { counter })
    }

    fn count(&self, text: &str) -> usize {
        self.counter.count(text)
    }
}
