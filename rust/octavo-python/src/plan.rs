//! A plan's doorway: numbers and positions.

use pyo3::prelude::*;

use crate::transcript::Transcript;

/// What is sent in one call.
#[pyclass(frozen, module = "octavo._core")]
pub struct Plan {
    plan: octavo::plan::Plan,
}

impl Plan {
    pub fn new(plan: octavo::plan::Plan) -> Self {
        Self { plan }
    }
}

#[pymethods]
impl Plan {
    /// The shown messages, in order, as ranges that do not touch.
    #[getter]
    fn spans(&self) -> Vec<(u32, u32)> {
        self.plan.spans.iter().map(|span| (span.start, span.end)).collect()
    }

    /// How many messages there were.
    #[getter]
    fn end(&self) -> u32 {
        self.plan.window.end
    }

    /// How many system messages lead.
    #[getter]
    fn leading(&self) -> u32 {
        self.plan.window.leading
    }

    /// Tokens of fixed parts and shown messages, in the transcript's own count.
    #[getter]
    fn tokens(&self) -> u64 {
        self.plan.tokens()
    }

    /// Tokens left for volatile content, in the transcript's own count.
    #[getter]
    fn left(&self) -> u64 {
        self.plan.left()
    }

    /// Whether the cut moved at this call.
    #[getter]
    fn moved(&self) -> bool {
        self.plan.window.moved
    }

    /// Whether the history has passed the soft mark.
    #[getter]
    fn past_soft(&self) -> bool {
        self.plan.past_soft()
    }

    /// The provider's tokens for a number of the transcript's own.
    fn reported(&self, tokens: u64) -> u64 {
        self.plan.scale.to_reported(tokens)
    }

    /// Whether a ratio learnt from usage is in force.
    #[getter]
    fn anchored(&self) -> bool {
        self.plan.scale != octavo::budget::Scale::default()
    }

    /// Every message in runs: (start, end, reason).
    fn verdicts(&self, transcript: &Transcript) -> Vec<(u32, u32, &'static str)> {
        let state = transcript.state();
        let verdicts = self.plan.verdicts(state.transcript());
        verdicts.into_iter().map(|verdict| (verdict.span.start, verdict.span.end, verdict.reason.name())).collect()
    }

    /// What the call before sent as well: (messages, tokens), or `None` for a first call.
    fn shared_prefix(&self, transcript: &Transcript) -> Option<(u32, u64)> {
        let shared = self.plan.shared_prefix(transcript.state().transcript())?;
        Some((shared.messages, shared.tokens))
    }
}
