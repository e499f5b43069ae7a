//! What a call is asked for with, as numbers.

use octavo::budget::Marks;
use octavo::plan::Call;
use octavo::rules::{AddedTokens, Provider};
use octavo::window::Limits;
use pyo3::prelude::*;

use crate::error::raise;
use crate::rules::ModeArgument;

/// Budget, fixed tokens, tokens kept free for the tail, basis, tokens of a placeholder result, tokens for what is told of
/// messages that were left out.
pub(crate) type Numbers = (u64, u64, u64, u64, u64, u64, bool);

/// The marks in thousandths, or what a placeholder result, a note and an empty message cost.
pub(crate) type Three = (u32, u32, u32);

/// A call from the numbers that `Transcript::plan` is given.
pub(crate) fn call_of(
    (budget, fixed, beside, basis, placeholder, told, clear): Numbers,
    (soft, high, low): Three,
    mode: &Bound<'_, PyAny>,
    (result, note, framing): Three,
) -> PyResult<Call> {
    let marks = Marks::new(soft, high, low).map_err(raise)?;
    let (provider, mode) = mode.extract::<ModeArgument>()?.read()?;
    let loop_opening = mode.thinking != Some(false) && mode.thinking_first && provider == Provider::Anthropic;
    let stored_calls = mode.previous_response && provider == Provider::Responses;
    let limits =
        Limits { budget, fixed, beside: 0, loop_opening, stored_calls, placeholder, told, basis, marks, clear };
    Ok(Call { limits, beside, provider, mode, added: AddedTokens { result, note, framing } })
}
