//! The doorway of cleared outputs: which they are, and where the one stands that a model asks for.

use octavo::message::cleared::placeholder;
use octavo::window::Why;
use pyo3::prelude::*;

use crate::plan::Plan;
use crate::transcript::Transcript;

/// Message, block, what stands there instead, tokens that it saves, why, and the message that replaced it.
type ClearedOutput = (u32, u32, String, u32, &'static str, Option<u32>);

/// The outputs that a plan clears, in order.
#[pyfunction]
#[pyo3(signature = (plan, transcript, /))]
pub(crate) fn cleared_outputs(plan: &Plan, transcript: &Transcript) -> Vec<ClearedOutput> {
    let window = &plan.plan.window;
    transcript.with_rows(|rows| {
        let cleared = window.cleared_in(rows, 0, window.end);
        let told = cleared.into_iter().map(|output| {
            let why = window.why(rows, output);
            let by = (why != Why::Old).then_some(output.replaced_at);
            let text = placeholder(output.tokens, &rows.reference_of(output));
            (output.message, output.block, text, output.saving, why.name(), by)
        });
        told.collect()
    })
}

/// Message and block of the output that a reference names, or nothing.
#[pyfunction]
#[pyo3(signature = (transcript, reference, /))]
pub(crate) fn output_named(transcript: &Transcript, reference: &str) -> Option<(u32, u32)> {
    transcript.with_rows(|rows| rows.output_named(reference).map(|row| (row.message, row.block)))
}

/// Exchanges that are pinned, of which a plan clears nothing; nothing where it clears no output at all.
#[pyfunction]
#[pyo3(signature = (plan, /))]
pub(crate) fn spared(plan: &Plan) -> Option<Vec<u32>> {
    let window = &plan.plan.window;
    window.decided.as_ref().filter(|cut| !cut.cleared.is_none()).map(|_| window.spared.clone())
}
