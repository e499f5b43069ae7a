//! Validation and repair: messages in, violations or recipes out. What a recipe says is carried out in
//! Python, where the messages are.

use octavo::message::{self, BlockEnd, BlockRow, Format, Media, MessageFlags, MessageRow, Rows, Sink, TextKind};
use octavo::rules::{Change, ChangeKind, Edits, Mode, Note, Piece, Provider, Recipe, Size, repair, validate};
use octavo::transcript::block_row;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use crate::node::Reading;

/// What is known about a request, as `octavo.validity.Mode` holds it.
#[derive(FromPyObject)]
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
    reasoning_content: bool,
    breakpoints: u32,
    size: Option<(u64, u64)>,
}

impl ModeArgument {
    pub(crate) fn read(&self) -> PyResult<(Provider, Mode)> {
        let mode = Mode {
            format: provider_named(&self.format)?.format(),
            thinking: self.thinking,
            previous_response: self.previous_response,
            prefill: self.prefill,
            system_messages: self.system_messages,
            has_tools: self.has_tools,
            thinking_first: self.thinking_first,
            signed_calls: self.signed_calls,
            reasoning_content: self.reasoning_content,
            breakpoints: self.breakpoints,
            size: self.size.map(|(tokens, limit)| Size { tokens, limit }),
        };
        Ok((provider_named(&self.provider)?, mode))
    }
}

/// Providers and formats share their names: each provider has a format of its own.
fn provider_named(name: &str) -> PyResult<Provider> {
    let found = Provider::ALL.into_iter().find(|provider| provider.name() == name);
    found.ok_or_else(|| PyValueError::new_err(format!("unknown provider or format {name:?}")))
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

/// `(id, providers, words, error, source, date)` of every rule.
#[pyfunction]
pub(crate) fn rule_table()
-> Vec<(&'static str, Vec<&'static str>, &'static str, &'static str, &'static str, &'static str)> {
    let row = |rule: &octavo::rules::Rule| {
        let providers = rule.providers.iter().map(|provider| provider.name()).collect();
        (rule.name, providers, rule.says, rule.error, rule.source, rule.date)
    };
    octavo::rules::RULES.iter().map(row).collect()
}

/// A kept message as its number, a composed one as `(role, from, pieces, add_reasoning)`.
pub(crate) fn recipes_to_python<'py>(py: Python<'py>, recipes: &[Recipe]) -> PyResult<Bound<'py, PyList>> {
    let written = recipes.iter().map(|recipe| match recipe {
        Recipe::Keep(message) => message.into_bound_py_any(py),
        Recipe::Compose { role, from, pieces, add_reasoning } => {
            let pieces = pieces.iter().map(|piece| piece_to_python(py, *piece)).collect::<PyResult<Vec<_>>>()?;
            (role_name(*role), *from, PyList::new(py, pieces)?, *add_reasoning).into_bound_py_any(py)
        }
    });
    PyList::new(py, written.collect::<PyResult<Vec<_>>>()?)
}

const fn role_name(role: message::Role) -> &'static str {
    match role {
        message::Role::System => "system",
        message::Role::User => "user",
        message::Role::Assistant => "assistant",
        message::Role::Tool => "tool",
    }
}

fn piece_to_python<'py>(py: Python<'py>, piece: Piece) -> PyResult<Bound<'py, PyTuple>> {
    let tag: &Bound<'_, PyString> = match piece {
        Piece::Block { .. } => intern!(py, "block"),
        Piece::NoResult { .. } => intern!(py, "no_result"),
        Piece::Note(Note::Start) => intern!(py, "start"),
        Piece::Note(Note::Continue) => intern!(py, "continue"),
    };
    match piece {
        Piece::Block { message, block, call, edits } => {
            (tag, message, block, edits.copy, edit_bits(edits), call).into_pyobject(py)
        }
        Piece::NoResult { message, block, copy } => (tag, message, block, copy).into_pyobject(py),
        Piece::Note(_) => (tag,).into_pyobject(py),
    }
}

/// The edits beside the number of a copied id; `octavo.recipe` names the bits.
fn edit_bits(edits: Edits) -> u8 {
    u8::from(edits.take_id)
        | u8::from(edits.strip_end) << 1
        | u8::from(edits.drop_breakpoint) << 2
        | u8::from(edits.sign) << 3
}

/// `(kind, message, block or None, rule)` for every change.
pub(crate) fn changes_to_python<'py>(py: Python<'py>, changes: &[Change]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(
        py,
        changes.iter().map(|change| (kind_name(change.kind), change.message, change.block, change.rule.name())),
    )
}

const fn kind_name(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::MovedResult => "moved_result",
        ChangeKind::DroppedResult => "dropped_result",
        ChangeKind::DroppedRepeat => "dropped_repeat",
        ChangeKind::AddedResult => "added_result",
        ChangeKind::AddedPendingResult => "added_pending_result",
        ChangeKind::GaveId => "gave_id",
        ChangeKind::DroppedText => "dropped_text",
        ChangeKind::DroppedMessage => "dropped_message",
        ChangeKind::Merged => "merged",
        ChangeKind::Opened => "opened",
        ChangeKind::Parted => "parted",
        ChangeKind::Continued => "continued",
        ChangeKind::Renamed => "renamed",
        ChangeKind::DroppedThinking => "dropped_thinking",
        ChangeKind::StrippedSpace => "stripped_space",
        ChangeKind::DroppedBreakpoint => "dropped_breakpoint",
        ChangeKind::SystemToUser => "system_to_user",
        ChangeKind::DroppedReasoning => "dropped_reasoning",
        ChangeKind::Signed => "signed",
        ChangeKind::AddedReasoning => "added_reasoning",
        ChangeKind::Told => "told",
    }
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
            let end = message::read(format, index, &reading.node(&message), &mut read)
                .map_err(|error| message_error(py, index, &error))?;
            let blocks = read.blocks.get(first..).unwrap_or_default();
            let flags = blocks.iter().fold(end.flags, |flags, block| flags.with(MessageFlags::of_block(block)));
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

/// `octavo.errors.MessageError` with the position; the import's own error where that fails.
fn message_error(py: Python<'_>, index: usize, error: &octavo::Error) -> PyErr {
    let raised = py.import(intern!(py, "octavo.errors")).and_then(|errors| {
        let kind = errors.getattr(intern!(py, "MessageError"))?;
        let raised = kind.call1((error.to_string(),))?;
        raised.setattr(intern!(py, "index"), index)?;
        Ok(raised)
    });
    raised.map_or_else(|failure| failure, PyErr::from_value)
}
