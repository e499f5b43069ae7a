//! What the model table says, as Python reads it.

use octavo::tokens::model::{Profile, Thinking, profile};
use pyo3::prelude::*;

use crate::error::raise;
use crate::format;

/// What the model table says of a name.
#[pyclass(frozen, module = "octavo._core", get_all)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts that the table states, each with its name")]
pub(crate) struct ModelProfile {
    prefix: &'static str,
    known: bool,
    provider: &'static str,
    format: &'static str,
    encoding: &'static str,
    method: &'static str,
    window: Option<u32>,
    prefill: bool,
    system_messages: Option<bool>,
    thinking_first: bool,
    signed_calls: bool,
    reasoning_content: bool,
    keeps_thinking: bool,
    cache_minimum: Option<u32>,
    tool_prompt: (u32, u32),
    error_bound: f64,
}

/// A number of thousandths as a share.
#[expect(clippy::cast_precision_loss, reason = "a share of at most a few thousand")]
pub(crate) fn share(permille: u64) -> f64 {
    permille as f64 / 1000.0
}

impl From<&'static Profile> for ModelProfile {
    fn from(profile: &'static Profile) -> Self {
        let [free_choice, forced] = profile.tool_prompt;
        Self {
            prefix: &profile.prefix,
            known: profile.known,
            provider: &profile.provider,
            format: format::name(profile.format),
            encoding: &profile.encoding,
            method: profile.method.name(),
            window: profile.window,
            prefill: profile.prefill,
            system_messages: profile.system_messages,
            thinking_first: profile.thinking_first,
            signed_calls: profile.signed_calls,
            reasoning_content: profile.reasoning_content,
            keeps_thinking: profile.thinking == Thinking::Kept,
            cache_minimum: profile.cache_minimum,
            tool_prompt: (free_choice, forced),
            error_bound: share(profile.bound.document),
        }
    }
}

/// What the model table says of a name; its fallback where no row matches.
#[pyfunction]
pub(crate) fn model_profile(model: &str) -> PyResult<ModelProfile> {
    profile(Some(model), false).map(ModelProfile::from).map_err(raise)
}
