//! The Python doorway of Octavo: translates arguments and errors, decides nothing.

mod build_info;
mod node;

use pyo3::prelude::*;

/// The compiled engine.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::build_info::{BuildInfo, build_info};
}
