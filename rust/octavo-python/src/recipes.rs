//! Recipes and logs of repairs as plain Python values: `octavo.recipes` carries them out.

use octavo::message;
use octavo::rules::{Change, ChangeKind, Edits, Note, Piece, Recipe};
use pyo3::IntoPyObjectExt;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use crate::counters::Turn;

/// What a recipe counts as in a turn, in characters: 512 are about a millisecond of work.
const RECIPE: usize = 128;

/// A kept message as its number, a composed one as `(role, from, pieces, add_reasoning)`.
pub(crate) fn recipes_to_python<'py>(py: Python<'py>, recipes: &[Recipe]) -> PyResult<Bound<'py, PyList>> {
    let (written, turn) = (PyList::empty(py), Turn::default());
    for recipe in recipes {
        written.append(recipe_to_python(py, recipe)?)?;
        turn.spend(py, RECIPE);
    }
    Ok(written)
}

fn recipe_to_python<'py>(py: Python<'py>, recipe: &Recipe) -> PyResult<Bound<'py, PyAny>> {
    match recipe {
        Recipe::Keep(message) => message.into_bound_py_any(py),
        Recipe::Compose { role, from, pieces, add_reasoning } => {
            let pieces = pieces.iter().map(|piece| piece_to_python(py, *piece)).collect::<PyResult<Vec<_>>>()?;
            (role_name(*role), *from, PyList::new(py, pieces)?, *add_reasoning).into_bound_py_any(py)
        }
    }
}

const fn role_name(role: message::Role) -> &'static str {
    match role {
        message::Role::System => "system",
        message::Role::User => "user",
        message::Role::Assistant => "assistant",
        message::Role::Tool => "tool",
    }
}

fn piece_to_python(py: Python<'_>, piece: Piece) -> PyResult<Bound<'_, PyTuple>> {
    let tag: &Bound<'_, PyString> = match piece {
        Piece::Block { .. } => intern!(py, "block"),
        Piece::NoResult { .. } => intern!(py, "no_result"),
        Piece::Note(Note::Start) => intern!(py, "start"),
        Piece::Note(Note::Continue) => intern!(py, "continue"),
    };
    match piece {
        Piece::Block { message, block, call, edits } => {
            (tag, message, block, edits.made_id, edit_bits(edits), call).into_pyobject(py)
        }
        Piece::NoResult { message, block, made_id } => (tag, message, block, made_id).into_pyobject(py),
        Piece::Note(_) => (tag,).into_pyobject(py),
    }
}

/// The edits beside the made id; `octavo.recipes` names the bits.
fn edit_bits(edits: Edits) -> u16 {
    u16::from(edits.take_id)
        | u16::from(edits.strip_end) << 1
        | u16::from(edits.drop_breakpoint) << 2
        | u16::from(edits.sign) << 3
        | u16::from(edits.shorten_breakpoint) << 4
        | u16::from(edits.mend_result) << 5
        | u16::from(edits.mend_arguments) << 6
        | u16::from(edits.reshape) << 7
        | u16::from(edits.as_text) << 8
        | u16::from(edits.keep_breakpoints) << 9
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
        ChangeKind::ReplacedResult => "replaced_result",
        ChangeKind::ResultToText => "result_to_text",
        ChangeKind::MovedCall => "moved_call",
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
        ChangeKind::ChangedRole => "changed_role",
        ChangeKind::AddedContent => "added_content",
        ChangeKind::Reshaped => "reshaped",
        ChangeKind::MendedArguments => "mended_arguments",
        ChangeKind::MendedId => "mended_id",
        ChangeKind::ShortenedBreakpoint => "shortened_breakpoint",
        ChangeKind::DroppedCallList => "dropped_call_list",
        ChangeKind::FilledResult => "filled_result",
        ChangeKind::DroppedServerCall => "dropped_server_call",
        ChangeKind::DroppedFile => "dropped_file",
        ChangeKind::Told => "told",
    }
}
