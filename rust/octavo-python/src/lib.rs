//! The Python doorway of Octavo: translates arguments and errors, decides nothing.

mod build_info;
mod call;
mod clearing;
mod counters;
mod error;
mod format;
mod held;
mod ledger;
mod mask;
mod model;
mod node;
mod places;
mod plan;
mod profile;
mod prune;
mod reading;
mod recipes;
mod rules;
mod surrogates;
mod text;
mod tokens;
mod transcript;
mod usage;

use pyo3::prelude::*;

/// The compiled engine.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::build_info::{BuildInfo, build_info};
    #[pymodule_export]
    use crate::clearing::{cleared_outputs, output_named, spared};
    #[pymodule_export]
    use crate::ledger::{Ledger, said};
    #[pymodule_export]
    use crate::mask::{Detector, MaskStream, Pattern, canonical, mask_kinds};
    #[pymodule_export]
    use crate::model::TokenCounter;
    #[pymodule_export]
    use crate::node::{fingerprint, is_json, weigh};
    #[pymodule_export]
    use crate::plan::{Plan, allocate};
    #[pymodule_export]
    use crate::profile::{ModelProfile, model_profile};
    #[pymodule_export]
    use crate::prune::{detect_kind, shorten_text};
    #[pymodule_export]
    use crate::rules::{judge_messages, repair_messages, rule_table};
    #[pymodule_export]
    use crate::surrogates::{is_garbled, mended};
    #[pymodule_export]
    use crate::tokens::{Encoding, StreamCounter, limit_cache};
    #[pymodule_export]
    use crate::transcript::Transcript;
    #[pymodule_export]
    use crate::usage::{Anchor, read_usage};
}
