//! Reads and counts one message into the rows that a transcript keeps.

mod outputs;

use self::outputs::Outputs;
use crate::error::Result;
use crate::ledger::{Extractor, MessageValues};
use crate::message::{
    BlockEnd, BlockFlags, BlockKind, BlockRow, Counted, Estimated, Format, Media, MessageEnd, Sink, TextKind, read,
};
use crate::node::Node;
use crate::tokens::tally::Tally;
use crate::transcript::{Entry, block_row, flags_of};

/// Gathers the blocks of one message while a reader walks it.
struct Builder<'a> {
    tally: &'a mut Tally,
    blocks: Vec<BlockRow>,
    estimated: Estimated,
    thinking: Counted,
    outputs: Outputs,
    scratch: String,
}

impl Sink for Builder<'_> {
    fn text(&mut self, kind: TextKind, text: &str) {
        let before = self.tally.block_so_far();
        self.tally.text(kind, text);
        self.outputs.text(kind, text, self.tally.block_so_far().saturating_sub(before));
    }

    fn unstated(&mut self, text: &str) {
        self.tally.unstated(text);
        self.outputs.other();
    }

    fn media(&mut self, media: Media<'_>) {
        self.tally.media(media);
        self.outputs.other();
    }

    fn end_block(&mut self, end: BlockEnd<'_>) {
        let count = self.tally.take_block(end.kind);
        let mut row = block_row(&end, count.tokens);
        self.outputs.end_block(&row, self.blocks.len(), self.tally.counter());
        if !count.estimated.is_none() {
            row.flags = row.flags.with(BlockFlags::ESTIMATED);
            self.estimated = self.estimated.plus(count.estimated);
        }
        self.thinking = self.thinking.plus(self.tally.stripped(end.kind, count));
        self.blocks.push(row);
    }

    fn scratch(&mut self) -> String {
        std::mem::take(&mut self.scratch)
    }

    fn give_back(&mut self, scratch: String) {
        self.scratch = scratch;
    }
}

/// Tells two sinks the same.
struct Both<'a, A, B>(&'a mut A, &'a mut B);

impl<A: Sink, B: Sink> Sink for Both<'_, A, B> {
    fn text(&mut self, kind: TextKind, text: &str) {
        self.0.text(kind, text);
        self.1.text(kind, text);
    }

    fn unstated(&mut self, text: &str) {
        self.0.unstated(text);
        self.1.unstated(text);
    }

    fn media(&mut self, media: Media<'_>) {
        self.0.media(media);
        self.1.media(media);
    }

    fn end_block(&mut self, end: BlockEnd<'_>) {
        self.0.end_block(end);
        self.1.end_block(end);
    }

    fn scratch(&mut self) -> String {
        self.0.scratch()
    }

    fn give_back(&mut self, scratch: String) {
        self.0.give_back(scratch);
    }
}

impl<'a> Builder<'a> {
    fn new(format: Format, tally: &'a mut Tally) -> Self {
        Self {
            tally,
            outputs: Outputs::new(format),
            blocks: Vec::with_capacity(2),
            estimated: Estimated::default(),
            thinking: Counted::default(),
            scratch: String::new(),
        }
    }

    fn finish(self, mut end: MessageEnd) -> Entry {
        let Builder { tally, blocks, mut estimated, thinking, outputs, .. } = self;
        let (outputs, looks) = outputs.finish();
        end.flags = flags_of(end.flags, &blocks);
        // What stands outside a block (a participant's name, an answer that was spoken) belongs to the framing.
        let outside = tally.take_block(BlockKind::Other);
        estimated = estimated.plus(outside.estimated);
        let framing = tally.message(end.role, end.flags);
        let content = blocks.iter().fold(0_u32, |sum, block| sum.saturating_add(block.tokens));
        let tokens = content.saturating_add(outside.tokens).saturating_add(framing);
        Entry { end, tokens, estimated, thinking, blocks, outputs, looks }
    }
}

/// Reads one message and counts it. `index` is its position, for the error.
///
/// # Errors
/// As [`read`]: there is no message here at all.
pub fn read_entry<N: Node>(format: Format, index: usize, node: &N, tally: &mut Tally) -> Result<Entry> {
    let mut builder = Builder::new(format, tally);
    let end = read(format, index, node, &mut builder)?;
    Ok(builder.finish(end))
}

/// The same, with the values that the message holds: one walk for both.
///
/// # Errors
/// As [`read`]: there is no message here at all.
pub fn read_entry_and_values<N: Node>(
    format: Format,
    index: usize,
    node: &N,
    tally: &mut Tally,
) -> Result<(Entry, MessageValues)> {
    let (mut builder, mut extractor) = (Builder::new(format, tally), Extractor::default());
    let end = read(format, index, node, &mut Both(&mut builder, &mut extractor))?;
    Ok((builder.finish(end), extractor.finish(end.role)))
}
