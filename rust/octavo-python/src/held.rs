//! What a transcript holds under its lock: the rows, and the caller's own messages beside them.

use octavo::assemble::Assembler;
use octavo::transcript::Entry;
use pyo3::prelude::*;

use crate::plan::Plan;

/// Messages that have been read, to be taken in all at once.
#[derive(Default)]
pub(crate) struct Batch {
    entries: Vec<Entry>,
    messages: Vec<Py<PyAny>>,
    /// Positions in the batch.
    garbled: Vec<u32>,
}

impl Batch {
    pub(crate) fn push(&mut self, entry: Entry, message: Py<PyAny>, garbled: bool) {
        if garbled && let Ok(at) = u32::try_from(self.entries.len()) {
            self.garbled.push(at);
        }
        self.entries.push(entry);
        self.messages.push(message);
    }
}

pub(crate) struct State {
    pub(crate) assembler: Assembler,
    pub(crate) messages: Vec<Py<PyAny>>,
    /// The messages in which a text holds surrogates, ascending. A list and no flag: hardly any message has one, and a
    /// row has no bit to spare.
    pub(crate) garbled: Vec<u32>,
    /// Whether the messages have decided the format: it will not change any more.
    pub(crate) settled: bool,
    /// Another transcript has taken this one's place: nothing more is taken in.
    pub(crate) retired: bool,
}

impl State {
    pub(crate) fn new(assembler: Assembler, messages: Vec<Py<PyAny>>, garbled: Vec<u32>, settled: bool) -> Self {
        Self { assembler, messages, garbled, settled, retired: false }
    }

    /// All of it, to go its own way.
    pub(crate) fn copy(&self, py: Python<'_>) -> Self {
        Self::new(self.assembler.clone(), copied(py, &self.messages), self.garbled.clone(), self.settled)
    }

    /// The state with so many messages.
    pub(crate) fn truncated(&self, py: Python<'_>, len: u32) -> octavo::Result<Self> {
        let kept = self.messages.get(..len as usize).unwrap_or(&self.messages);
        Ok(Self::new(self.assembler.truncated(len)?, copied(py, kept), self.garbled_before(len), self.settled))
    }

    /// Takes in messages that have been read, all or none; their tokens, or nothing where this transcript is retired. What
    /// is not taken stays with the caller, who drops it when the lock is free: its own code may run then.
    pub(crate) fn take(&mut self, batch: &mut Batch) -> octavo::Result<Option<u64>> {
        if self.retired {
            return Ok(None);
        }
        let there = self.assembler.transcript().len();
        batch.entries.iter().try_for_each(|entry| self.assembler.append(entry))?;
        self.messages.append(&mut batch.messages);
        self.garbled.extend(batch.garbled.iter().map(|at| there.saturating_add(*at)));
        Ok(Some(batch.entries.iter().map(|entry| u64::from(entry.tokens)).sum()))
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
    pub(crate) fn all(&self, py: Python<'_>) -> Batch {
        let rows = self.assembler.transcript();
        let entries = (0..rows.len()).filter_map(|message| rows.entry(message)).collect();
        Batch { entries, messages: copied(py, &self.messages), garbled: self.garbled.clone() }
    }

    /// Of the first `len` messages those in which a text holds surrogates.
    pub(crate) fn garbled_before(&self, len: u32) -> Vec<u32> {
        self.garbled.iter().copied().take_while(|at| *at < len).collect()
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
