//! Validation and repair: messages in, violations or recipes out. What a recipe says is carried out in
//! Python, where the messages are.

use octavo::message::{self, BlockEnd, BlockRow, Format, Media, MessageRow, Rows, Sink, TextKind};
use octavo::rules::{Mode, Provider, Size, repair, validate};
use octavo::transcript::{block_row, flags_of};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::error::unread;
use crate::format;
use crate::node::Reading;
use crate::recipes::{changes_to_python, recipes_to_python};

/// What is known about a request, as `octavo.validity.Mode` holds it.
#[derive(FromPyObject)]
#[expect(clippy::struct_excessive_bools, reason = "each is one independent fact about the request")]
pub(crate) struct ModeArgument {
    provider: String,
    format: String,
    thinking: Option<bool>,
    previous_response: bool,
    prefill: Option<bool>,
    system_messages: Option<bool>,
    has_tools: Option<bool>,
    thinking_first: bool,
    signed_calls: bool,
    reasoning_content: Option<bool>,
    every_turn: bool,
    breakpoints: u32,
    short_breakpoints: bool,
    mixed_breakpoints: bool,
    empty_system: bool,
    size: Option<(u64, u64)>,
}

impl ModeArgument {
    pub(crate) fn read(&self) -> PyResult<(Provider, Mode)> {
        let mode = Mode {
            format: format::parse(&self.format)?,
            thinking: self.thinking,
            previous_response: self.previous_response,
            prefill: self.prefill,
            system_messages: self.system_messages,
            has_tools: self.has_tools,
            thinking_first: self.thinking_first,
            signed_calls: self.signed_calls,
            reasoning_content: self.reasoning_content,
            every_turn: self.every_turn,
            breakpoints: self.breakpoints,
            short_breakpoints: self.short_breakpoints,
            mixed_breakpoints: self.mixed_breakpoints,
            empty_system: self.empty_system,
            size: self.size.map(|(tokens, limit)| Size { tokens, limit }),
        };
        Ok((provider_named(&self.provider)?, mode))
    }
}

/// The provider of that name. Python has checked the name with a better error; this is the last line.
pub(crate) fn provider_named(name: &str) -> PyResult<Provider> {
    let found = Provider::ALL.into_iter().find(|provider| provider.name() == name);
    found.ok_or_else(|| PyValueError::new_err(format!("unknown provider {name:?}")))
}

/// `(index, block or None, rule)` for every rule that the messages break.
#[pyfunction]
pub(crate) fn judge_messages(
    py: Python<'_>,
    messages: &Bound<'_, PyList>,
    mode: &Bound<'_, PyAny>,
) -> PyResult<Vec<(u32, Option<u32>, &'static str)>> {
    let (provider, mode) = mode.extract::<ModeArgument>()?.read()?;
    let read = ReadMessages::read(py, messages, mode.format)?;
    let found = validate(provider, &mode, read.rows(), &read.all());
    Ok(found.into_iter().map(|found| (found.index, found.block, found.rule.name())).collect())
}

/// `(recipes, changes)`, or `None` when the messages are valid.
#[pyfunction]
pub(crate) fn repair_messages<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyList>,
    mode: &Bound<'py, PyAny>,
) -> PyResult<Option<(Bound<'py, PyList>, Bound<'py, PyList>)>> {
    let (provider, mode) = mode.extract::<ModeArgument>()?.read()?;
    let read = ReadMessages::read(py, messages, mode.format)?;
    let Some(repair) = repair(provider, &mode, read.rows(), &read.all()) else { return Ok(None) };
    Ok(Some((recipes_to_python(py, &repair.messages)?, changes_to_python(py, &repair.log)?)))
}

/// `(id, providers, words, error, source, date)`.
type RuleRow = (&'static str, Vec<&'static str>, &'static str, &'static str, &'static str, &'static str);

/// Every row of the table of rules.
#[pyfunction]
pub(crate) fn rule_table() -> Vec<RuleRow> {
    let row = |rule: &octavo::rules::Rule| {
        let providers = rule.providers.iter().map(|provider| provider.name()).collect();
        (rule.name, providers, rule.says, rule.error, rule.source, rule.date)
    };
    octavo::rules::RULES.iter().map(row).collect()
}

/// Messages as rows, not counted: rules ask for no tokens.
#[derive(Default)]
struct ReadMessages {
    messages: Vec<MessageRow>,
    blocks: Vec<BlockRow>,
    scratch: String,
}

impl ReadMessages {
    fn read(py: Python<'_>, messages: &Bound<'_, PyList>, format: Format) -> PyResult<Self> {
        let reading = Reading::new(py);
        let mut read = Self::default();
        for (index, message) in messages.iter().enumerate() {
            let first = read.blocks.len();
            reading.at(index);
            let end = message::read(format, index, &reading.node(&message), &mut read);
            reading.finish()?;
            let end = end.map_err(|error| unread(error, &message))?;
            let blocks = read.blocks.get(first..).unwrap_or_default();
            let flags = flags_of(end.flags, blocks);
            let row = MessageRow {
                first_block: u32::try_from(first)?,
                blocks: u32::try_from(blocks.len())?,
                tokens: 0,
                flags,
                role: end.role,
            };
            read.messages.push(row);
        }
        reading.finish()?;
        Ok(read)
    }

    fn rows(&self) -> Rows<'_> {
        Rows { messages: &self.messages, blocks: &self.blocks }
    }

    fn all(&self) -> Vec<u32> {
        (0..).take(self.messages.len()).collect()
    }
}

impl Sink for ReadMessages {
    fn text(&mut self, _kind: TextKind, _text: &str) {}

    fn media(&mut self, _media: Media<'_>) {}

    fn end_block(&mut self, end: BlockEnd<'_>) {
        self.blocks.push(block_row(&end, 0));
    }

    fn scratch(&mut self) -> String {
        std::mem::take(&mut self.scratch)
    }

    fn give_back(&mut self, scratch: String) {
        self.scratch = scratch;
    }
}
