//! The Python doorway of Octavo: translates arguments and errors, decides nothing.

mod node;
mod rules;

use pyo3::prelude::*;

/// The compiled engine.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::rules::{judge_messages, repair_messages, rule_table};
}
