//! Outputs of tools that a placeholder could stand for: what that saves, and what repeats or supersedes them.
//!
//! Sparse: most messages have none. Running sums over them make what is saved in any range of messages a search.

use std::collections::HashMap;
use std::ops::Range;

use super::{Transcript, last_where};
use crate::message::cleared::reference;
use crate::message::{BlockKind, BlockRow, Format, MessageFlags, MessageRow, Role};
use crate::transcript::Opening;

/// A result whose content a placeholder could stand for, as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Output {
    /// Its number among the message's blocks.
    pub block: u32,
    /// Tokens of its content.
    pub tokens: u32,
    /// Of those, what is left once the placeholder stands there.
    pub saving: u32,
    /// Hash of its content.
    pub content: u64,
}

/// A call that only looks at something: another with the same key shows it as it is by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Hash of the call's id.
    pub id: u64,
    /// Hash of the function's name and the arguments.
    pub key: u64,
}

/// An output of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputRow {
    /// Its message.
    pub message: u32,
    /// Its number among the message's blocks.
    pub block: u32,
    /// What this output and all before it save, in tokens.
    sum: u64,
    /// Hash of its content.
    pub content: u64,
    /// Tokens of its content.
    pub tokens: u32,
    /// What a placeholder saves.
    pub saving: u32,
    /// The message whose output repeats or supersedes it first; `u32::MAX` where there is none.
    pub replaced_at: u32,
}

impl OutputRow {
    /// Whether a newer one took its place before there were `end` messages.
    pub const fn is_replaced(&self, end: u32) -> bool {
        self.replaced_at < end
    }
}

/// The outputs of one conversation, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Outputs {
    rows: Vec<OutputRow>,
    /// Calls that only look, with their message.
    looks: Vec<(u32, Look)>,
    /// By hash of the content, or by key of the look: the newest.
    newest: HashMap<u64, u32>,
}

impl Outputs {
    fn push(&mut self, message: u32, output: &Output, look: Option<u64>) {
        let Ok(at) = u32::try_from(self.rows.len()) else { return };
        for key in [Some(output.content), look].into_iter().flatten() {
            let older = self.newest.insert(key, at).and_then(|older| self.rows.get_mut(older as usize));
            if let Some(older) = older {
                older.replaced_at = older.replaced_at.min(message);
            }
        }
        let sum = self.rows.last().map_or(0, |last| last.sum).saturating_add(u64::from(output.saving));
        let Output { block, tokens, saving, content } = *output;
        self.rows.push(OutputRow { message, block, sum, content, tokens, saving, replaced_at: u32::MAX });
    }

    fn saved_before(&self, message: u32) -> u64 {
        last_where(&self.rows, |row| row.message < message).map_or(0, |row| row.sum)
    }

    fn within(&self, start: u32, end: u32) -> Range<usize> {
        let first = self.rows.partition_point(|row| row.message < start);
        first..self.rows.partition_point(|row| row.message < end).max(first)
    }

    fn looks_in(&self, start: u32, end: u32) -> &[(u32, Look)] {
        let first = self.looks.partition_point(|look| look.0 < start);
        let last = self.looks.partition_point(|look| look.0 < end);
        self.looks.get(first..last).unwrap_or_default()
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.rows.as_slice())
            + size_of_val(self.looks.as_slice())
            + self.newest.len() * size_of::<(u64, u32)>()
    }
}

impl Transcript {
    /// Takes in what of a message's outputs may be cleared, once the message has its place: results of the newest
    /// exchange's own calls. A result without a call, or one that came late, is a word of its own.
    pub(super) fn take_outputs(
        &mut self,
        sender: &MessageRow,
        blocks: &[BlockRow],
        outputs: &[Output],
        looks: &[Look],
    ) {
        let message = self.len();
        self.outputs.looks.extend(looks.iter().map(|look| (message, *look)));
        let exchange = self.exchange_count().saturating_sub(1);
        let start = self.start_of(exchange);
        let own = self.exchanges.last().is_some_and(|last| last.opening == Opening::Calls);
        let odd = sender.flags.has_any(MessageFlags::MALFORMED.with(MessageFlags::FOREIGN_ROLE));
        // A result that strayed into a message of Chat's user stands nowhere that a copy could put another.
        let strayed = self.format == Format::OpenAi && sender.role != Role::Tool;
        if !own || odd || strayed || sender.role == Role::Assistant {
            return;
        }
        for output in outputs {
            let Some(row) = blocks.get(output.block as usize) else { continue };
            if row.kind != BlockKind::Result || self.called.get(&row.id) != Some(&exchange) {
                continue;
            }
            let look = self.outputs.looks_in(start, message).iter().rev().find(|look| look.1.id == row.id);
            let key = look.map(|look| look.1.key);
            self.outputs.push(message, output, key);
        }
    }

    /// What placeholders for all outputs of the messages in `start..end` would save, in tokens. O(log outputs).
    pub fn savings_in(&self, start: u32, end: u32) -> u64 {
        self.outputs.saved_before(end).saturating_sub(self.outputs.saved_before(start))
    }

    /// The outputs of the messages in `start..end`, with the number of the first. O(log outputs).
    pub fn outputs_in(&self, start: u32, end: u32) -> (usize, &[OutputRow]) {
        let within = self.outputs.within(start, end);
        (within.start, self.outputs.rows.get(within).unwrap_or_default())
    }

    /// An output by its number.
    pub fn output(&self, at: u32) -> Option<&OutputRow> {
        self.outputs.rows.get(at as usize)
    }

    /// What names an output.
    pub fn reference_of(&self, row: &OutputRow) -> String {
        let block = self.rows().blocks_of(row.message).get(row.block as usize);
        reference(block.map_or(0, |block| block.id), row.content)
    }

    /// The newest output of that name. O(outputs): asked for when a model wants one back.
    pub fn output_named(&self, name: &str) -> Option<&OutputRow> {
        self.outputs.rows.iter().rev().find(|row| self.reference_of(row) == name)
    }

    /// Whether the output that replaced one has the same content, and is no newer look at the same thing.
    pub fn is_repeated(&self, row: &OutputRow) -> bool {
        let newer = self.outputs_in(row.replaced_at, row.replaced_at.saturating_add(1)).1;
        newer.iter().any(|newer| newer.content == row.content)
    }

    /// What of a message [`Self::take_outputs`] took in, as it was read.
    pub(super) fn outputs_of(&self, message: u32) -> (Vec<Output>, Vec<Look>) {
        let after = message.saturating_add(1);
        let as_read =
            |row: &OutputRow| Output { block: row.block, tokens: row.tokens, saving: row.saving, content: row.content };
        let outputs = self.outputs_in(message, after).1.iter().map(as_read).collect();
        (outputs, self.outputs.looks_in(message, after).iter().map(|look| look.1).collect())
    }
}
