//! The Python doorway of Octavo: translates arguments and errors, decides nothing.

mod node;

use pyo3::prelude::*;

mod tokens;

/// The compiled engine.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::tokens::Encoding;
}
