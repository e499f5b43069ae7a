//! The Python doorway of Octavo: translates arguments and errors, decides nothing.

use pyo3::prelude::*;

/// The compiled engine.
#[pymodule]
mod _core {}
