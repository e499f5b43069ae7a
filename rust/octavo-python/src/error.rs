//! The engine's errors as exceptions of `octavo.errors`.

use octavo::Error;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exception for an engine error: its class, and what it carries beside its message.
#[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` takes")]
pub(crate) fn raise(error: Error) -> PyErr {
    Python::attach(|py| build(py, &error).unwrap_or_else(|failure| failure))
}

fn build(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let attributes = PyDict::new(py);
    let class = match error {
        Error::Message { index, .. } => {
            attributes.set_item("index", index)?;
            "MessageError"
        }
        Error::OutOfRange { name, got, .. } => {
            attributes.set_item("name", name)?;
            attributes.set_item("got", got)?;
            "BudgetError"
        }
        Error::UnknownModel(model) => {
            attributes.set_item("model", model)?;
            "UnknownModelError"
        }
        Error::UnknownEncoding(encoding) => {
            attributes.set_item("encoding", encoding)?;
            "UnknownEncodingError"
        }
        Error::Pattern { .. } => {
            attributes.set_item("name", "pattern")?;
            "MaskingError"
        }
        Error::TokenizerFile { path, .. } => {
            attributes.set_item("path", path)?;
            "TokenizerFileError"
        }
        other => return Ok(PyRuntimeError::new_err(other.to_string())),
    };
    let class = py.import("octavo.errors")?.getattr(class)?;
    Ok(PyErr::from_value(class.call((error.to_string(),), Some(&attributes))?))
}

/// The exception for a message that could not be read: of what stands in its place and is known, it says what to give.
pub(crate) fn unread(error: Error, message: &Bound<'_, PyAny>) -> PyErr {
    let Error::Message { index, .. } = &error else { return raise(error) };
    let py = message.py();
    let known = py.import("octavo.strangers").and_then(|module| module.call_method1("known", (message,)));
    match known.and_then(|reason| reason.extract::<Option<String>>()) {
        Ok(Some(reason)) => unreadable(py, Some(*index), &reason),
        Ok(None) => raise(error),
        Err(failure) => failure,
    }
}

/// A `MessageError` for what only the doorway can see: a Python object that is no data.
pub(crate) fn unreadable(py: Python<'_>, index: Option<usize>, reason: &str) -> PyErr {
    let build = || {
        let said = index.map_or_else(|| reason.to_owned(), |index| format!("message {index}: {reason}"));
        let attributes = PyDict::new(py);
        attributes.set_item("index", index)?;
        let class = py.import("octavo.errors")?.getattr("MessageError")?;
        Ok(PyErr::from_value(class.call((said,), Some(&attributes))?))
    };
    build().unwrap_or_else(|failure: PyErr| failure)
}
