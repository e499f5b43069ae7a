//! What a transcript holds under its lock: the rows, and the caller's own messages beside them.

use octavo::assemble::Assembler;
use octavo::transcript::Entry;
use pyo3::prelude::*;

use crate::plan::Plan;

pub(crate) struct State {
    pub(crate) assembler: Assembler,
    pub(crate) messages: Vec<Py<PyAny>>,
    /// Whether the messages have decided the format: it will not change any more.
    pub(crate) settled: bool,
    /// Another transcript has taken this one's place: nothing more is taken in.
    pub(crate) retired: bool,
}

impl State {
    pub(crate) fn new(assembler: Assembler, messages: Vec<Py<PyAny>>, settled: bool) -> Self {
        Self { assembler, messages, settled, retired: false }
    }

    /// All of it, to go its own way.
    pub(crate) fn copy(&self, py: Python<'_>) -> Self {
        Self::new(self.assembler.clone(), copied(py, &self.messages), self.settled)
    }

    /// The state with so many messages.
    pub(crate) fn truncated(&self, py: Python<'_>, len: u32) -> octavo::Result<Self> {
        let kept = self.messages.get(..len as usize).unwrap_or(&self.messages);
        Ok(Self::new(self.assembler.truncated(len)?, copied(py, kept), self.settled))
    }

    /// Takes in messages that have been read, all or none; false where this transcript is retired. What is
    /// not taken stays with the caller, who drops it when the lock is free: its own code may run then.
    pub(crate) fn take(&mut self, entries: &[Entry], messages: &mut Vec<Py<PyAny>>) -> octavo::Result<bool> {
        if self.retired {
            return Ok(false);
        }
        entries.iter().try_for_each(|entry| self.assembler.append(entry))?;
        self.messages.append(messages);
        Ok(true)
    }

    /// Nothing more is taken in, provided that there are `len` messages; false where there are others, or where
    /// somebody else was first.
    pub(crate) fn retire(&mut self, len: usize) -> bool {
        let first = !self.retired && self.messages.len() == len;
        self.retired |= first;
        first
    }

    /// Takes in a report of usage; false where retired.
    pub(crate) fn observe(&mut self, at: u32, basis: u64, reported: u64, counted: u64) -> octavo::Result<bool> {
        if !self.retired {
            self.assembler.observe(at, basis, reported, counted)?;
        }
        Ok(!self.retired)
    }

    /// Pins or unpins a message; false where retired.
    pub(crate) fn pin(&mut self, message: u32, pinned: bool) -> bool {
        if !self.retired {
            self.assembler.pin(message, pinned);
        }
        !self.retired
    }

    /// All rows and messages, for another transcript.
    pub(crate) fn entries(&self, py: Python<'_>) -> (Vec<Entry>, Vec<Py<PyAny>>) {
        let rows = self.assembler.transcript();
        ((0..rows.len()).filter_map(|message| rows.entry(message)).collect(), copied(py, &self.messages))
    }

    /// The messages that a plan shows as they are.
    pub(crate) fn shown(&self, py: Python<'_>, plan: &Plan) -> Vec<Py<PyAny>> {
        let spans = plan.ranges().iter();
        let within = spans.filter_map(|span| self.messages.get(span.start as usize..span.end as usize));
        within.flatten().map(|message| message.clone_ref(py)).collect()
    }
}

/// References to the same objects.
pub(crate) fn copied(py: Python<'_>, messages: &[Py<PyAny>]) -> Vec<Py<PyAny>> {
    messages.iter().map(|message| message.clone_ref(py)).collect()
}
