//! The transcript's doorway: reads Python messages into rows and hands out plans.

use std::sync::{Mutex, MutexGuard, PoisonError};

use octavo::assemble::Assembler;
use octavo::budget::Marks;
use octavo::entry::read_entry;
use octavo::message::Format;
use octavo::plan::Call;
use octavo::rules::AddedTokens;
use octavo::transcript::Entry;
use octavo::window::Limits;
use pyo3::prelude::*;

use crate::error::raise;
use crate::model::TokenCounter;
use crate::node::Reading;
use crate::plan::Plan;
use crate::rules::ModeArgument;

/// One conversation as rows. The messages themselves stay with the caller.
///
/// The lock is held for arithmetic only: messages are read before it is taken, and nothing under it
/// runs Python code or waits.
#[pyclass(frozen, module = "octavo._core")]
pub(crate) struct Transcript {
    state: Mutex<Assembler>,
    counter: TokenCounter,
    format: Format,
}

impl Transcript {
    pub(crate) fn state(&self) -> MutexGuard<'_, Assembler> {
        // Arithmetic that panicked has not changed the rows: they are pushed last.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn like(&self, state: Assembler) -> Self {
        Self { state: Mutex::new(state), counter: self.counter.clone(), format: self.format }
    }
}

#[pymethods]
impl Transcript {
    #[new]
    fn new(format: &str, counter: &TokenCounter) -> PyResult<Self> {
        let format = crate::format::parse(format)?;
        Ok(Self { state: Mutex::new(Assembler::new(format)), counter: counter.clone(), format })
    }

    /// Reads, counts and appends one message; its tokens.
    #[pyo3(signature = (message, /))]
    fn append(&self, message: &Bound<'_, PyAny>) -> PyResult<u32> {
        let reading = Reading::new(message.py());
        let mut tally = self.counter.tally();
        let index = self.state().transcript().len() as usize;
        reading.at(index);
        let entry = read_entry(self.format, index, &reading.node(message), &mut tally);
        reading.finish()?;
        self.counter.finish()?;
        let entry = entry.map_err(raise)?;
        self.state().append(&entry).map_err(raise)?;
        Ok(entry.tokens)
    }

    /// Reads, counts and appends messages, all of them or none; their tokens.
    #[pyo3(signature = (messages, /))]
    fn extend(&self, messages: &Bound<'_, PyAny>) -> PyResult<u64> {
        let reading = Reading::new(messages.py());
        let mut tally = self.counter.tally();
        let first = self.state().transcript().len() as usize;
        let mut entries: Vec<Entry> = Vec::new();
        for (at, message) in messages.try_iter()?.enumerate() {
            let message = message?;
            reading.at(first + at);
            let entry = read_entry(self.format, first + at, &reading.node(&message), &mut tally);
            // Asked after every message, so that nothing of a failed reading is left for the next one to raise.
            reading.finish()?;
            self.counter.finish()?;
            entries.push(entry.map_err(raise)?);
        }
        let mut state = self.state();
        entries.iter().try_for_each(|entry| state.append(entry)).map_err(raise)?;
        Ok(entries.iter().map(|entry| u64::from(entry.tokens)).sum())
    }

    /// Plans a call made with all messages. `added` is what a placeholder result, a note and an empty
    /// message cost.
    fn plan(
        &self,
        budget: u64,
        fixed: u64,
        beside: u64,
        marks: (u32, u32, u32),
        mode: &Bound<'_, PyAny>,
        added: (u32, u32, u32),
    ) -> PyResult<Plan> {
        let marks = Marks::new(marks.0, marks.1, marks.2).map_err(raise)?;
        let (provider, mode) = mode.extract::<ModeArgument>()?.read()?;
        let added = AddedTokens { result: added.0, note: added.1, framing: added.2 };
        let call = Call { limits: Limits { budget, fixed, marks }, beside, provider, mode, added };
        Ok(Plan::new(self.state().plan(call)))
    }

    /// Takes in what the provider reported for the call before which there were `at` messages.
    fn observe(&self, at: u32, reported: u64, counted: u64) -> PyResult<()> {
        self.state().observe(at, reported, counted).map_err(raise)
    }

    /// Never drop the exchange of a message (or drop it again). False when there is no such message.
    fn pin(&self, message: u32, pinned: bool) -> bool {
        self.state().pin(message, pinned)
    }

    /// Appends what another transcript of the same format and counter has read and counted.
    #[pyo3(signature = (other, /))]
    fn take_in(&self, other: &Self) -> PyResult<()> {
        // Copied first: two locks are never held at once.
        let fresh = other.state().transcript().clone();
        let mut state = self.state();
        (0..fresh.len())
            .filter_map(|message| fresh.entry(message))
            .try_for_each(|entry| state.append(&entry))
            .map_err(raise)
    }

    /// The transcript as it was with so many messages.
    fn truncated(&self, len: u32) -> PyResult<Self> {
        let state = self.state().truncated(len).map_err(raise)?;
        Ok(self.like(state))
    }

    /// A transcript that goes its own way from here.
    fn fork(&self) -> Self {
        let state = self.state().clone();
        self.like(state)
    }

    /// Tokens of the messages in `start..end`, framing included. O(1).
    fn tokens_in(&self, start: u32, end: u32) -> u64 {
        self.state().transcript().tokens_in(start, end)
    }

    /// Tokens of all messages, framing included. O(1).
    #[getter]
    fn tokens(&self) -> u64 {
        self.state().transcript().tokens()
    }

    /// Bytes that the rows take.
    #[getter]
    fn row_bytes(&self) -> usize {
        self.state().transcript().bytes()
    }

    fn __len__(&self) -> usize {
        self.state().transcript().len() as usize
    }
}
