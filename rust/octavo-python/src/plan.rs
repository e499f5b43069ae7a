//! A plan's doorway: numbers and positions.

use std::ops::Range;

use octavo::budget::Request;
use octavo::plan::Reason;
use octavo::rules::Recipe;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::call::{Numbers, Three, call_of};
use crate::recipes::{changes_to_python, recipes_to_python};
use crate::transcript::Transcript;

/// So many shown messages are planned with the interpreter's lock held: at most about 10 ms.
pub(crate) const MOST_ATTACHED: u32 = 4096;

/// Shares out tokens among `(tokens, min, least, priority)`: what each is granted.
#[pyfunction]
pub(crate) fn allocate(requests: Vec<(u64, u64, u64, i32)>, available: u64) -> Vec<u64> {
    let asked = requests.into_iter().map(|(tokens, min, least, priority)| Request { tokens, min, least, priority });
    octavo::budget::allocate(&asked.collect::<Vec<_>>(), available)
}

/// A call, the messages that were left out there as ranges, and a message of the user's.
type LeftOut = (u32, Vec<(u32, u32)>, Option<u32>);

/// What is sent in one call.
#[pyclass(frozen, module = "octavo._core")]
pub(crate) struct Plan {
    pub(crate) plan: octavo::plan::Plan,
}

impl Plan {
    pub(crate) fn new(plan: octavo::plan::Plan) -> Self {
        Self { plan }
    }

    /// The shown messages, as ranges that do not touch.
    pub(crate) fn ranges(&self) -> &[Range<u32>] {
        &self.plan.spans
    }
}

#[pymethods]
impl Plan {
    /// The shown messages, in order, as ranges that do not touch.
    #[getter]
    fn spans(&self) -> Vec<(u32, u32)> {
        self.plan.spans.iter().map(|span| (span.start, span.end)).collect()
    }

    /// Tokens kept for what is told of messages that were left out.
    #[getter]
    fn told(&self) -> u64 {
        self.plan.window.told
    }

    /// What tells the last cut from every other of the same conversation under the same limits, or nothing.
    #[getter]
    fn cut_key(&self) -> Option<(u32, u32, u64)> {
        self.plan.window.cut_key()
    }

    /// The call at which the history was last cut, as the number of messages before it; the messages that were left out
    /// there, as ranges; and what the user had said last. Nothing is left out where it never was cut.
    #[pyo3(signature = (transcript, /))]
    fn left_out(&self, transcript: &Transcript) -> LeftOut {
        transcript.with_rows(|rows| {
            let (at, spans) = self.plan.window.left_out(rows);
            (at, spans.into_iter().map(|span| (span.start, span.end)).collect(), rows.prompt_before(at))
        })
    }

    /// The shown messages made valid, or `None` when they are: see `octavo.recipes`.
    #[getter]
    fn recipes<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        self.plan.repair.as_ref().map(|repair| recipes_to_python(py, &repair.messages)).transpose()
    }

    /// Whether the shown messages must be made valid.
    #[getter]
    fn repaired(&self) -> bool {
        self.plan.repair.is_some()
    }

    /// What the repair did: `(kind, message, block or None, rule)`.
    #[getter]
    fn changes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        changes_to_python(py, self.plan.repair.as_ref().map_or(&[], |repair| repair.log.as_slice()))
    }

    /// The messages of the conversation that are sent as they are, though others had to be edited.
    #[getter]
    fn untouched(&self) -> Option<Vec<u32>> {
        let recipes = &self.plan.repair.as_ref()?.messages;
        Some(
            recipes
                .iter()
                .filter_map(|recipe| if let Recipe::Keep(index) = recipe { Some(*index) } else { None })
                .collect(),
        )
    }

    /// Tokens of the messages that are sent as they are, and what the provider takes out of the others.
    fn kept_tokens(&self, transcript: &Transcript) -> (u64, u64) {
        transcript.with_rows(|rows| self.plan.kept_tokens(rows))
    }

    /// What the provider takes out of what is sent once the user speaks before the last `behind` messages of it.
    fn stripped_by_speech(&self, transcript: &Transcript, behind: usize) -> u64 {
        transcript.with_rows(|rows| self.plan.stripped_by_speech(rows, behind))
    }

    /// Tokens of the messages in `start..end` as they count at this call, framing included.
    fn tokens_in(&self, transcript: &Transcript, start: u32, end: u32) -> u64 {
        transcript.with_rows(|rows| self.plan.window.tokens_in(rows, start, end))
    }

    /// The messages that the next cut would leave out, as ranges that do not touch.
    fn leaving(&self, transcript: &Transcript) -> Vec<(u32, u32)> {
        let leaving = transcript.with_rows(|rows| self.plan.leaving(rows));
        leaving.into_iter().map(|span| (span.start, span.end)).collect()
    }

    /// How many messages there were.
    #[getter]
    fn end(&self) -> u32 {
        self.plan.window.end
    }

    /// How many messages there were at the last call that the model has answered, or `None`.
    #[getter]
    fn previous_end(&self) -> Option<u32> {
        self.plan.previous
    }

    /// What the last call that the model had answered by then shows, planned anew for these limits; nothing for a first
    /// call.
    fn before(
        &self,
        transcript: &Transcript,
        limits: Numbers,
        marks: Three,
        mode: &Bound<'_, PyAny>,
        added: Three,
    ) -> PyResult<Option<Self>> {
        let Some(end) = self.previous_end() else { return Ok(None) };
        let call = call_of(limits, marks, mode, added)?;
        if let Some(plan) = transcript.state().assembler.plan_past(call, end, MOST_ATTACHED) {
            return Ok(Some(Self::new(plan)));
        }
        let mut apart = transcript.state().assembler.clone();
        Ok(mode.py().detach(|| apart.plan_past(call, end, u32::MAX)).map(Self::new))
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

    /// Whether the model has answered the call since: the message that follows is its own.
    fn answered(&self, transcript: &Transcript) -> bool {
        transcript.with_rows(|rows| self.plan.answered(rows))
    }

    /// Whether other messages are shown of those that an earlier plan could show; without one, whether any is left
    /// out.
    #[pyo3(signature = (previous, /))]
    fn moved_since(&self, previous: Option<&Self>) -> bool {
        self.plan.moved_since(previous.map(|previous| &previous.plan))
    }

    /// Whether the history has passed the soft mark.
    #[getter]
    fn past_soft(&self) -> bool {
        self.plan.past_soft()
    }

    /// The provider's tokens for a number of the transcript's own.
    fn reported(&self, tokens: u64) -> u64 {
        self.plan.anchor.at(tokens)
    }

    /// What is no text among the tokens of the messages that are sent, and how far it can be off.
    fn estimated(&self, transcript: &Transcript) -> (u64, u64) {
        let estimated = transcript.with_rows(|rows| self.plan.estimated(rows, 0));
        (estimated.tokens, estimated.error)
    }

    /// The basis of the report that this call goes by, and whether all messages that it covers are sent as they were
    /// then; `None` without a report.
    #[getter]
    fn reported_for(&self) -> Option<(u64, bool)> {
        self.plan.reported.map(|reported| (reported.basis, reported.whole))
    }

    /// What was counted for the report, how far off counts were when reports came in, and how far the ratio can be off
    /// per 1,000 tokens of difference, for a counter that is off by `claimed` per 1,000.
    fn learnt(&self, claimed: u64) -> (u64, u64, u64) {
        let anchor = self.plan.anchor;
        (anchor.estimated(), anchor.missed(), anchor.doubt(claimed))
    }

    /// Tokens of what is sent that came after the report, of all reasoning that is sent, counted or not; and what is no
    /// text among the tokens of messages that the report does not cover, and how far it can be off.
    fn since_report(&self, transcript: &Transcript) -> (u64, u64, (u64, u64)) {
        let from = self.plan.reported.filter(|reported| reported.whole).map_or(0, |reported| reported.at);
        transcript.with_rows(|rows| {
            let fresh = self.plan.estimated(rows, from);
            (self.plan.added(rows), self.plan.thinking(rows), (fresh.tokens, fresh.error))
        })
    }

    /// Every message in runs: (start, end, reason).
    fn verdicts(&self, transcript: &Transcript) -> Vec<(u32, u32, &'static str)> {
        let verdicts = transcript.with_rows(|rows| self.plan.verdicts(rows));
        verdicts.into_iter().map(|verdict| (verdict.span.start, verdict.span.end, verdict.reason.name())).collect()
    }

    /// What a plan that was made before on the same transcript sent as well: the tokens of each message that both
    /// send first, cache breakpoints aside.
    fn shared_with(&self, transcript: &Transcript, previous: &Self) -> Vec<u64> {
        transcript.with_rows(|rows| self.plan.shared_with(rows, &previous.plan)).tokens
    }

    /// What cannot be left out: (reason, tokens); what a repair added is `repairs`.
    fn pinned(&self, transcript: &Transcript) -> Vec<(&'static str, u64)> {
        let pinned = transcript.with_rows(|rows| self.plan.pinned(rows));
        pinned.into_iter().map(|(reason, tokens)| (reason.map_or("repairs", Reason::name), tokens)).collect()
    }
}
