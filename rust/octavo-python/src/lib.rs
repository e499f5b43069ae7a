//! The Python doorway of Octavo: translates arguments and errors, decides nothing.

mod node;

use pyo3::prelude::*;

/// The compiled engine.
#[pymodule]
mod _core {}
