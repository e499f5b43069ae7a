//! The ledger's doorway: reads Python messages into values and writes sections.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use octavo::ledger::{Extractor, Request, Section};
use octavo::mask::Pattern;
use octavo::message::{BlockEnd, Media, Sink, TextKind, read};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::counters::apart;
use crate::error::{raise, unread};
use crate::format;
use crate::model::TokenCounter;
use crate::reading::Reading;

/// Value, kind, name, tool, origin, first, last, times, uses, last use.
type Row = (String, &'static str, String, String, &'static str, u32, u32, u32, u32, Option<u32>);

/// The values of one conversation. `octavo._core.pyi` documents the methods.
///
/// The lock is held for work on rows: messages are read before it is taken, and counters are asked when it is free.
#[pyclass(frozen, module = "octavo._core")]
pub(crate) struct Ledger {
    state: Mutex<octavo::ledger::Ledger>,
}

/// Lets other threads run while a long text is read.
struct Detaching(Extractor);

impl Sink for Detaching {
    fn text(&mut self, kind: TextKind, text: &str) {
        apart(text.len(), || self.0.text(kind, text));
    }

    fn media(&mut self, media: Media<'_>) {
        self.0.media(media);
    }

    fn end_block(&mut self, end: BlockEnd<'_>) {
        self.0.end_block(end);
    }

    fn scratch(&mut self) -> String {
        self.0.scratch()
    }

    fn give_back(&mut self, scratch: String) {
        self.0.give_back(scratch);
    }
}

/// What is said in a message, as far as it is looked at.
#[derive(Default)]
struct Said {
    text: String,
    scratch: String,
}

/// Bytes that are looked at: the words of a request that values are likened to.
const MOST_SAID: usize = 4096;

impl Sink for Said {
    fn text(&mut self, kind: TextKind, text: &str) {
        if kind == TextKind::Speech && self.text.len() < MOST_SAID {
            let room = MOST_SAID - self.text.len();
            self.text.extend(text.char_indices().take_while(|(at, _)| *at < room).map(|(_, char)| char));
            self.text.push('\n');
        }
    }

    fn media(&mut self, _: Media<'_>) {}

    fn end_block(&mut self, _: BlockEnd<'_>) {}

    fn scratch(&mut self) -> String {
        std::mem::take(&mut self.scratch)
    }

    fn give_back(&mut self, scratch: String) {
        self.scratch = scratch;
    }
}

/// What is said in a message, to about 4,096 bytes: no arguments, output or reasoning.
#[pyfunction]
#[pyo3(signature = (message, format, /))]
pub(crate) fn said(message: &Bound<'_, PyAny>, format: &str) -> PyResult<String> {
    let format = format::parse(format)?;
    let reading = Reading::new(message.py());
    let mut sink = Said::default();
    let read = read(format, 0, &reading.node(message), &mut sink);
    reading.finish()?;
    read.map_err(|error| unread(error, message))?;
    Ok(sink.text)
}

impl Ledger {
    fn state(&self) -> MutexGuard<'_, octavo::ledger::Ledger> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Ledger {
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "what an argument is extracted into")]
    fn new(deny: Vec<String>, max_bytes: usize) -> PyResult<Self> {
        let deny = deny.iter().map(|pattern| Pattern::new(pattern)).collect::<Result<_, _>>().map_err(raise)?;
        Ok(Self { state: Mutex::new(octavo::ledger::Ledger::new(max_bytes, deny)) })
    }

    #[pyo3(signature = (message, /, format))]
    fn append(&self, message: &Bound<'_, PyAny>, format: &str) -> PyResult<()> {
        let (format, index) = (format::parse(format)?, self.__len__());
        let reading = Reading::new(message.py());
        reading.at(index);
        let mut sink = Detaching(Extractor::default());
        let end = read(format, index, &reading.node(message), &mut sink);
        reading.finish()?;
        let values = sink.0.finish(end.map_err(|error| unread(error, message))?.role);
        self.state().push(&values);
        Ok(())
    }

    #[pyo3(signature = (to, /))]
    fn truncate(&self, to: usize) -> bool {
        self.state().truncate(to)
    }

    fn fork(&self) -> Self {
        let same = self.state().clone();
        Self { state: Mutex::new(same) }
    }

    fn entries(&self) -> Vec<Row> {
        let state = self.state();
        let row = |entry: octavo::ledger::Entry<'_>| {
            let (value, name, tool) = (entry.value.to_owned(), entry.name.to_owned(), entry.tool.to_owned());
            let (kind, origin) = (entry.kind.name(), entry.origin.name());
            (value, kind, name, tool, origin, entry.first, entry.last, entry.times, entry.uses, entry.last_use)
        };
        state.entries().into_iter().map(row).collect()
    }

    /// Text, tokens, values shown, values without room.
    #[expect(clippy::needless_pass_by_value, reason = "what an argument is extracted into")]
    fn render(
        &self,
        left_out: Vec<(usize, usize)>,
        request: &Bound<'_, PyString>,
        names: Vec<String>,
        max_tokens: usize,
        counter: &TokenCounter,
    ) -> PyResult<(String, usize, usize, usize)> {
        let left_out: Vec<Range<usize>> = left_out.into_iter().map(|(start, end)| start..end).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let draft = crate::text::with_text(request, |text| {
            self.state().draft(&left_out, &Request { text, names: &names }, max_tokens)
        });
        let empty = PyString::new(request.py(), "");
        let Section { text, tokens, shown, left } =
            counter.on_text(&empty, |counter, _| draft.section(max_tokens, counter))?;
        Ok((text, tokens, shown, left))
    }

    #[getter]
    fn values(&self) -> usize {
        self.state().values()
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.state().bytes()
    }

    fn __len__(&self) -> usize {
        self.state().len()
    }
}
