//! The transcript's doorway: reads Python messages into rows and hands out plans.

use std::sync::{Mutex, MutexGuard, PoisonError};

use octavo::assemble::Assembler;
use octavo::entry::read_entry;
use octavo::message::Format;
use pyo3::exceptions::PyIndexError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::call::{Numbers, Three, call_of};
use crate::error::{raise, unread};
use crate::held::{Batch, State, copied};
use crate::model::{Counting, TokenCounter};
use crate::node::Reading;
use crate::plan::{MOST_ATTACHED, Plan};
use crate::surrogates::is_garbled_unread;

/// One conversation: rows for the engine, and the caller's own messages beside them.
///
/// The lock is held for arithmetic and for copying references: messages are read before it is taken, and
/// nothing under it runs Python code, waits, or lets another thread run. So it can neither be waited for by
/// Python code that holds something else, nor be held by a thread that a fork leaves behind.
#[pyclass(frozen, module = "octavo._core")]
pub(crate) struct Transcript {
    state: Mutex<State>,
    counter: TokenCounter,
    format: Format,
}

impl Transcript {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        // Arithmetic that panicked has not changed the rows: they are pushed last.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in messages that have been read; their tokens. Exceptions are made when the lock is free.
    fn take(&self, mut batch: Batch) -> PyResult<Option<u64>> {
        let taken = self.state().take(&mut batch);
        taken.map_err(raise)
    }

    /// Works on the rows.
    pub(crate) fn with_rows<T>(&self, work: impl FnOnce(&octavo::transcript::Transcript) -> T) -> T {
        work(self.state().assembler.transcript())
    }

    fn like(&self, py: Python<'_>, state: State) -> Self {
        Self { state: Mutex::new(state), counter: self.counter.again(py), format: self.format }
    }

    /// Reads and counts one message at a position, for the error.
    fn read(
        &self,
        reading: &Reading,
        counting: &mut Counting,
        index: usize,
        message: &Bound<'_, PyAny>,
        batch: &mut Batch,
    ) -> PyResult<()> {
        reading.at(index);
        let entry = read_entry(self.format, index, &reading.node(message), &mut counting.tally);
        reading.finish()?;
        counting.finish()?;
        let garbled = reading.take_garbled() || is_garbled_unread(message);
        batch.push(entry.map_err(|error| unread(error, message))?, message.clone().unbind(), garbled);
        Ok(())
    }
}

#[pymethods]
impl Transcript {
    #[new]
    #[pyo3(signature = (format, counter, settled=false))]
    fn new(py: Python<'_>, format: &str, counter: &TokenCounter, settled: bool) -> PyResult<Self> {
        let format = crate::format::parse(format)?;
        let state = State::new(Assembler::new(format), Vec::new(), Vec::new(), settled);
        Ok(Self { state: Mutex::new(state), counter: counter.again(py), format })
    }

    /// Reads, counts and takes in one message; its tokens, or nothing where this transcript is retired.
    #[pyo3(signature = (message, /))]
    fn append(&self, message: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
        let (py, mut batch) = (message.py(), Batch::default());
        self.read(&Reading::new(py), &mut self.counter.begin(py), self.__len__(), message, &mut batch)?;
        self.take(batch)
    }

    /// The same for messages, all or none. `first` is the position of the first one, for the error; the end by default.
    #[pyo3(signature = (messages, /, first=None))]
    fn extend(&self, messages: &Bound<'_, PyAny>, first: Option<usize>) -> PyResult<Option<u64>> {
        let (reading, mut counting) = (Reading::new(messages.py()), self.counter.begin(messages.py()));
        let (first, mut batch) = (first.unwrap_or_else(|| self.__len__()), Batch::default());
        for (at, message) in messages.try_iter()?.enumerate() {
            self.read(&reading, &mut counting, first.saturating_add(at), &message?, &mut batch)?;
        }
        self.take(batch)
    }

    /// Takes in what another transcript of the same format and counter has read; false where retired.
    #[pyo3(signature = (other, /))]
    fn take_in(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        // Copied first: two locks are never held at once.
        let batch = other.state().all(py);
        Ok(self.take(batch)?.is_some())
    }

    /// The format will not change any more.
    fn settle(&self) {
        self.state().settled = true;
    }

    /// Nothing more is taken in, provided that there are `len` messages; false where there are others, or
    /// where somebody else was first.
    fn retire(&self, len: usize) -> bool {
        self.state().retire(len)
    }

    /// Takes over pins and usage of the same messages read in another format.
    #[pyo3(signature = (other, /))]
    fn inherit(&self, other: &Self) {
        let theirs = other.state().assembler.clone();
        self.state().assembler.inherit(&theirs);
    }

    /// The messages that a plan shows as they are, in order, in a new list.
    #[pyo3(signature = (plan, /))]
    fn shown<'py>(&self, py: Python<'py>, plan: &Plan) -> PyResult<Bound<'py, PyList>> {
        let shown = self.state().shown(py, plan);
        PyList::new(py, shown)
    }

    /// All messages, in a new list.
    fn messages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let all = copied(py, &self.state().messages);
        PyList::new(py, all)
    }

    fn __getitem__(&self, py: Python<'_>, index: usize) -> PyResult<Py<PyAny>> {
        let found = self.state().messages.get(index).map(|message| message.clone_ref(py));
        found.ok_or_else(|| PyIndexError::new_err(index))
    }

    /// The name of the format that the messages are read in.
    #[getter]
    fn format(&self) -> &'static str {
        crate::format::name(self.format)
    }

    /// Whether the format will not change any more.
    #[getter]
    fn settled(&self) -> bool {
        self.state().settled
    }

    /// Plans a call made with all messages; where much is shown, on a copy and with other threads let in.
    fn plan(&self, limits: Numbers, marks: Three, mode: &Bound<'_, PyAny>, added: Three) -> PyResult<Plan> {
        if let Some(plan) = self.plan_small(limits, marks, mode, added)? {
            return Ok(plan);
        }
        let call = call_of(limits, marks, mode, added)?;
        // No lock is held while others run: a fork could leave it behind.
        let mut apart = self.state().assembler.clone();
        Ok(Plan::new(mode.py().detach(|| apart.plan(call))))
    }

    /// The same where little is shown; nothing where much is.
    fn plan_small(
        &self,
        limits: Numbers,
        marks: Three,
        mode: &Bound<'_, PyAny>,
        added: Three,
    ) -> PyResult<Option<Plan>> {
        let call = call_of(limits, marks, mode, added)?;
        Ok(self.state().assembler.plan_within(call, MOST_ATTACHED).map(Plan::new))
    }

    /// Takes in what the provider reported for the call before which there were `at` messages; false where this
    /// transcript is retired.
    fn observe(&self, at: u32, basis: u64, reported: u64, counted: u64) -> PyResult<bool> {
        let taken = self.state().observe(at, basis, reported, counted);
        taken.map_err(raise)
    }

    /// Never drop the exchange of a message (or drop it again); false where this transcript is retired.
    fn pin(&self, message: u32, pinned: bool) -> bool {
        self.state().pin(message, pinned)
    }

    /// The transcript as it was with so many messages.
    fn truncated(&self, py: Python<'_>, len: u32) -> PyResult<Self> {
        let shorter = self.state().truncated(py, len);
        Ok(self.like(py, shorter.map_err(raise)?))
    }

    /// A transcript that goes its own way from here.
    fn fork(&self, py: Python<'_>) -> Self {
        let same = self.state().copy(py);
        self.like(py, same)
    }

    /// The messages in which a text holds surrogates, ascending: hardly ever any.
    #[getter]
    fn garbled(&self) -> Vec<u32> {
        self.state().garbled.clone()
    }

    /// Tokens of the messages in `start..end`, framing included. O(1).
    fn tokens_in(&self, start: u32, end: u32) -> u64 {
        self.with_rows(|rows| rows.tokens_in(start, end))
    }

    /// What is no text among the tokens of the messages in `start..end`, and how far it can be off.
    fn estimated_in(&self, start: u32, end: u32) -> (u64, u64) {
        let estimated = self.with_rows(|rows| rows.estimated_in(start, end));
        (estimated.tokens, estimated.error)
    }

    /// Tokens of all messages as they count at the next call, framing included. O(1), or O(log messages) for models
    /// that do not keep thinking.
    #[getter]
    fn tokens(&self) -> u64 {
        self.with_rows(|rows| rows.tokens_at(0, rows.len(), rows.turn_before(rows.len())))
    }

    /// Bytes that the rows take.
    #[getter]
    fn row_bytes(&self) -> usize {
        self.with_rows(octavo::transcript::Transcript::bytes)
    }

    fn __len__(&self) -> usize {
        self.state().messages.len()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // A collection never starts under the lock, since nothing is allocated from Python there.
        let Ok(state) = self.state.try_lock() else { return Ok(()) };
        state.messages.iter().try_for_each(|message| visit.call(message))
    }

    fn __clear__(&self) {
        let messages = std::mem::take(&mut self.state().messages);
        // Dropped after the lock is free: a message's own code may run.
        drop(messages);
    }
}
