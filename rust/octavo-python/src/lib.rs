//! The Python doorway of Octavo: translates arguments and errors, decides nothing.

mod build_info;
mod error;
mod format;
mod model;
mod node;
mod tokens;

use pyo3::prelude::*;

/// The compiled engine.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::build_info::{BuildInfo, build_info};
    #[pymodule_export]
    use crate::model::{Anchor, ModelProfile, TokenCounter, read_usage};
    #[pymodule_export]
    use crate::tokens::Encoding;
}
