//! Reads and counts one message into the rows that a transcript keeps.

use crate::error::Result;
use crate::message::{
    BlockEnd, BlockFlags, BlockKind, BlockRow, Counted, Estimated, Format, Media, Sink, TextKind, read,
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
    scratch: String,
}

impl Sink for Builder<'_> {
    fn text(&mut self, kind: TextKind, text: &str) {
        self.tally.text(kind, text);
    }

    fn unstated(&mut self, text: &str) {
        self.tally.unstated(text);
    }

    fn media(&mut self, media: Media<'_>) {
        self.tally.media(media);
    }

    fn end_block(&mut self, end: BlockEnd<'_>) {
        let count = self.tally.take_block(end.kind);
        let mut row = block_row(&end, count.tokens);
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

/// Reads one message and counts it. `index` is its position, for the error.
///
/// # Errors
/// As [`read`]: there is no message here at all.
pub fn read_entry<N: Node>(format: Format, index: usize, node: &N, tally: &mut Tally) -> Result<Entry> {
    let mut builder = Builder {
        tally,
        blocks: Vec::with_capacity(2),
        estimated: Estimated::default(),
        thinking: Counted::default(),
        scratch: String::new(),
    };
    let mut end = read(format, index, node, &mut builder)?;
    let Builder { tally, blocks, mut estimated, thinking, .. } = builder;
    end.flags = flags_of(end.flags, &blocks);
    // What stands outside a block (a participant's name, an answer that was spoken) belongs to the framing.
    let outside = tally.take_block(BlockKind::Other);
    estimated = estimated.plus(outside.estimated);
    let framing = tally.message(end.role, end.flags);
    let content = blocks.iter().fold(0_u32, |sum, block| sum.saturating_add(block.tokens));
    let tokens = content.saturating_add(outside.tokens).saturating_add(framing);
    Ok(Entry { end, tokens, estimated, thinking, blocks })
}
