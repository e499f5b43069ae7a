//! What a repaired list is made of: numbers only, carried out where the messages are.

use super::RuleId;
use crate::message::{BlockFlags, BlockKind, BlockRow, MessageFlags, MessageRow, Role, Rows, id_hash};

/// A fixed text that a repair may add, said by the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Note {
    /// The conversation does not start here: stands before an assistant message that would open the list.
    Start,
    /// The model may go on: stands after an assistant message that may not end the list, and between two
    /// that may not be merged.
    Continue,
}

/// What changes in a block that is otherwise taken as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is one independent edit")]
pub struct Edits {
    /// The call gets an id that is made from its place, at this try (see [`made_id`]); 0 leaves its id alone. Results
    /// follow their call.
    pub made_id: u32,
    /// The result takes the id of its call.
    pub take_id: bool,
    /// White space at the end of the text goes.
    pub strip_end: bool,
    /// The cache breakpoints of the block and of its content go, but for the newest [`Self::keep_breakpoints`].
    pub drop_breakpoint: bool,
    /// How many breakpoints stay where others go, at most four: what stands last in a result, and its own.
    pub keep_breakpoints: u8,
    /// The call gets the documented stand-in for a thought signature.
    pub sign: bool,
    /// Cache breakpoints of an hour become ones of five minutes.
    pub shorten_breakpoint: bool,
    /// The call's arguments become what the format has.
    pub mend_arguments: bool,
    /// The block is written in the shape that the format has.
    pub reshape: bool,
    /// The result is told as a text of the user's, since its call has a result that was sent already.
    pub as_text: bool,
    /// Empty texts inside the result leave, and an error that says nothing says so.
    pub mend_result: bool,
}

impl Edits {
    /// The same without those of cache breakpoints.
    const fn unmarked(self) -> Self {
        Self { drop_breakpoint: false, keep_breakpoints: 0, shorten_breakpoint: false, ..self }
    }
}

/// One block of a composed message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Piece {
    /// A block of the input.
    Block {
        /// Its message.
        message: u32,
        /// Its number in the message.
        block: u32,
        /// For a result: message and number of the call that it answers.
        call: Option<(u32, u32)>,
        /// What changes in it.
        edits: Edits,
    },
    /// A marked error result for a call that has none.
    NoResult {
        /// The call's message.
        message: u32,
        /// The call's number in it.
        block: u32,
        /// At which try the call got a made id; 0 for none.
        made_id: u32,
    },
    /// A fixed text.
    Note(Note),
}

/// One message of a repaired list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipe {
    /// This message of the input, the very same object.
    Keep(u32),
    /// A new message.
    Compose {
        /// Who speaks.
        role: Role,
        /// The message whose other members (name, id…) it takes over.
        from: Option<u32>,
        /// Its blocks.
        pieces: Vec<Piece>,
        /// It gets a blank `reasoning_content`, as `DeepSeek` and Kimi want it.
        add_reasoning: bool,
    },
}

impl Recipe {
    /// Whether two recipes for the same rows make the same message but for its cache breakpoints, which a provider
    /// does not cache: that the oldest goes where a newer one comes changes nothing of the prefix.
    pub fn is_cached_as(&self, other: &Self, rows: Rows<'_>) -> bool {
        self == other
            || match (self, other) {
                (Self::Keep(message), Self::Compose { .. }) => other.only_unmarks(*message, rows),
                (Self::Compose { .. }, Self::Keep(message)) => self.only_unmarks(*message, rows),
                _ => self.unmarked() == other.unmarked(),
            }
    }

    /// The same with the breakpoints as they were.
    fn unmarked(&self) -> Self {
        let mut same = self.clone();
        if let Self::Compose { pieces, .. } = &mut same {
            pieces.iter_mut().for_each(Piece::unmark);
        }
        same
    }

    /// Whether it makes this message as it is, but for breakpoints.
    fn only_unmarks(&self, whole: u32, rows: Rows<'_>) -> bool {
        let Self::Compose { role, from, pieces, add_reasoning } = self else { return false };
        let of_it = rows.messages.get(whole as usize).is_some_and(|row| row.role == *role) && *from == Some(whole);
        let all = pieces.len() == rows.blocks_of(whole).len();
        of_it && all && !add_reasoning && (0..).zip(pieces).all(|(block, piece)| piece.only_unmarks(whole, block))
    }
}

impl Piece {
    /// The message that a block of the input is of.
    pub const fn message(&self) -> Option<u32> {
        match self {
            Self::Block { message, .. } => Some(*message),
            Self::NoResult { .. } | Self::Note(_) => None,
        }
    }

    fn unmark(&mut self) {
        if let Self::Block { edits, .. } = self {
            *edits = edits.unmarked();
        }
    }

    fn only_unmarks(&self, whole: u32, place: u32) -> bool {
        let Self::Block { message, block, edits, .. } = *self else { return false };
        (message, block) == (whole, place) && edits.unmarked() == Edits::default()
    }
}

/// What a repair did at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// A result moved next to its call, or to the front of its message.
    MovedResult,
    /// A result without call left.
    DroppedResult,
    /// A result left for a later one of the same call, which took its place.
    ReplacedResult,
    /// A later result of a call whose result the model has read became a text of the user's.
    ResultToText,
    /// A call in a message that is not the assistant's became the assistant's.
    MovedCall,
    /// A call got a placeholder result.
    AddedResult,
    /// A call at the end of the list, whose result may still come, got a placeholder result.
    AddedPendingResult,
    /// A result got the id of its call.
    GaveId,
    /// A text block without visible characters left.
    DroppedText,
    /// A message that held nothing (any more) left.
    DroppedMessage,
    /// A message was merged into the one before it.
    Merged,
    /// A note was put before the first message.
    Opened,
    /// A note was put before this message, to part it from the one before.
    Parted,
    /// A note was put after the last message.
    Continued,
    /// A call and its result got a new id.
    Renamed,
    /// All thinking of an assistant message left.
    DroppedThinking,
    /// White space at the end of the last text left.
    StrippedSpace,
    /// A cache breakpoint left.
    DroppedBreakpoint,
    /// A system message became the user's.
    SystemToUser,
    /// A reasoning item left.
    DroppedReasoning,
    /// A call got the stand-in for a thought signature.
    Signed,
    /// An assistant message got a blank `reasoning_content`.
    AddedReasoning,
    /// A message got the name that the format has for its role.
    ChangedRole,
    /// A message without content got an empty one.
    AddedContent,
    /// Content got the shape that the format has.
    Reshaped,
    /// Arguments of a call became what the format has.
    MendedArguments,
    /// A call and its result got an id that the provider takes.
    MendedId,
    /// A cache breakpoint of an hour became one of five minutes.
    ShortenedBreakpoint,
    /// An empty list of calls left its message.
    DroppedCallList,
    /// A result that reports an error without a word got one.
    FilledResult,
    /// A call of the server's that has no result left.
    DroppedServerCall,
    /// A picture or file left the assistant's message.
    DroppedFile,
    /// Nothing in the messages can cure it: the request must change.
    Told,
}

/// One entry of a repair's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Change {
    /// What was done.
    pub kind: ChangeKind,
    /// The message of the input that it concerns.
    pub message: u32,
    /// The block of it, where one is concerned.
    pub block: Option<u32>,
    /// The rule that asked for it.
    pub rule: RuleId,
}

/// Tokens of the texts that a repair may add.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AddedTokens {
    /// A placeholder result.
    pub result: u32,
    /// A note.
    pub note: u32,
    /// The framing of a message that is all new.
    pub framing: u32,
}

/// A repaired list as rows, to be counted and judged again without being carried out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RepairedRows {
    /// One row a message.
    pub messages: Vec<MessageRow>,
    /// The blocks of all messages.
    pub blocks: Vec<BlockRow>,
}

impl RepairedRows {
    /// The rows, borrowed.
    pub fn rows(&self) -> Rows<'_> {
        Rows { messages: &self.messages, blocks: &self.blocks }
    }

    fn push(&mut self, row: MessageRow, blocks: impl Iterator<Item = BlockRow>) {
        let first = self.blocks.len();
        self.blocks.extend(blocks);
        // A repaired list has at most one block more for each block of the input, which u32 counts.
        let count = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        let blocks = count(self.blocks.len() - first);
        self.messages.push(MessageRow { first_block: count(first), blocks, ..row });
    }
}

/// The rows of the list that `recipes` make of `rows`.
pub fn repaired_rows(rows: Rows<'_>, recipes: &[Recipe], added: AddedTokens) -> RepairedRows {
    let mut repaired = RepairedRows::default();
    for recipe in recipes {
        match recipe {
            Recipe::Keep(message) => {
                if let Some(row) = rows.messages.get(*message as usize) {
                    repaired.push(*row, rows.blocks_of(*message).iter().copied());
                }
            }
            Recipe::Compose { role, from, pieces, add_reasoning } => {
                let source = from.and_then(|from| rows.messages.get(from as usize).map(|row| (from, row)));
                let framing = source.map_or(added.framing, |(from, row)| framing(rows, from, row));
                let blocks: Vec<BlockRow> = pieces.iter().map(|piece| piece_row(rows, piece, added)).collect();
                let tokens = blocks.iter().fold(framing, |sum, block| sum.saturating_add(block.tokens));
                let kept = source.map_or(MessageFlags(0), |(_, row)| carried(row.flags));
                let flags = blocks.iter().fold(kept, |flags, block| flags.with(MessageFlags::of_block(block)));
                let flags = flags.when(*add_reasoning, MessageFlags::REASONING_CONTENT);
                repaired.push(MessageRow { first_block: 0, blocks: 0, tokens, flags, role: *role }, blocks.into_iter());
            }
        }
    }
    repaired
}

fn framing(rows: Rows<'_>, message: u32, row: &MessageRow) -> u32 {
    let blocks = rows.blocks_of(message).iter().fold(0_u32, |sum, block| sum.saturating_add(block.tokens));
    row.tokens.saturating_sub(blocks)
}

/// Facts about a message that its blocks do not tell and that a composed message takes over.
fn carried(flags: MessageFlags) -> MessageFlags {
    MessageFlags(flags.0 & (MessageFlags::REASONING_CONTENT.0 | MessageFlags::NAMED.0 | MessageFlags::DEVELOPER.0))
}

fn piece_row(rows: Rows<'_>, piece: &Piece, added: AddedTokens) -> BlockRow {
    let blank = BlockRow { id: 0, tokens: 0, flags: BlockFlags::default(), kind: BlockKind::Other };
    let find = |message, block: u32| rows.blocks_of(message).get(block as usize).copied().unwrap_or(blank);
    match *piece {
        Piece::Block { message, block, call, edits } => {
            let mut row = find(message, block);
            if edits.mend_result && row.flags.has(BlockFlags::SILENT_ERROR) {
                // What it will say is about as long as a placeholder.
                row.tokens = row.tokens.saturating_add(added.result);
            }
            let row = edited(row, edits);
            if edits.as_text {
                return told_row(&row, added.note);
            }
            let follows = edits.take_id || edits.made_id > 0;
            let at = call.filter(|_| follows).unwrap_or((message, block));
            BlockRow { id: final_id(&find(at.0, at.1), at, edits.made_id), ..row }
        }
        Piece::NoResult { message, block, made_id } => {
            let call = find(message, block);
            let no_id = call.flags.has(BlockFlags::NO_ID) && made_id == 0;
            let flags = BlockFlags::default().when(no_id, BlockFlags::NO_ID);
            let id = final_id(&call, (message, block), made_id);
            BlockRow { id, tokens: added.result, flags, kind: BlockKind::Result }
        }
        Piece::Note(_) => BlockRow { tokens: added.note, kind: BlockKind::Text, ..blank },
    }
}

/// The row of a result that is told as a text: `extra` tokens stand around what it says.
pub(super) fn told_row(result: &BlockRow, extra: u32) -> BlockRow {
    let flags = BlockFlags::default().when(result.flags.has(BlockFlags::ESTIMATED), BlockFlags::ESTIMATED);
    BlockRow { id: 0, tokens: result.tokens.saturating_add(extra), flags, kind: BlockKind::Text }
}

fn edited(mut row: BlockRow, edits: Edits) -> BlockRow {
    let cures = [
        (edits.take_id || edits.made_id > 0, BlockFlags::NO_ID),
        (edits.made_id > 0, BlockFlags::BAD_ID),
        (edits.strip_end, BlockFlags::TRAILING_SPACE),
        (edits.shorten_breakpoint, BlockFlags::CACHE_1H),
        (edits.mend_arguments, BlockFlags::BAD_ARGUMENTS),
        (edits.reshape, BlockFlags::MALFORMED),
        (edits.mend_result, BlockFlags::HOLLOW_RESULT),
    ];
    for (_, cured) in cures.into_iter().filter(|(done, _)| *done) {
        row.flags = row.flags.without(cured);
    }
    row.flags = row.flags.when(edits.sign, BlockFlags::SIGNED).when(edits.shorten_breakpoint, BlockFlags::CACHE_5M);
    if edits.drop_breakpoint {
        row.flags = match edits.keep_breakpoints {
            0 => row.flags.without_breakpoints(),
            kept => row.flags.with_breakpoints(kept.into()),
        };
    }
    row
}

/// The id that is made for the call at a place (message and block of the input): `call_12_0`, and with another try
/// `call_12_0_2`. `octavo.recipes.shape` writes the same text.
///
/// A message's number never changes in a transcript, so that the name does not either, whatever comes later; and no
/// text of another message must be read to make it. All providers take it: letters, digits and `_`, at most 36
/// characters.
pub fn made_id(message: u32, block: u32, attempt: u32) -> String {
    if attempt > 1 { format!("call_{message}_{block}_{attempt}") } else { format!("call_{message}_{block}") }
}

/// The hash of the id that a call at this place ends up with.
fn final_id(call: &BlockRow, at: (u32, u32), attempt: u32) -> u64 {
    if attempt == 0 { call.id } else { id_hash(&made_id(at.0, at.1, attempt)) }
}

#[cfg(test)]
mod tests {
    use super::{Edits, Piece, Recipe};
    use crate::message::{BlockFlags, BlockKind, BlockRow, MessageFlags, MessageRow, Role, Rows};

    fn composed(role: Role, edits: &[Edits]) -> Recipe {
        let piece = |(block, edits): (u32, &Edits)| Piece::Block { message: 0, block, call: None, edits: *edits };
        Recipe::Compose { role, from: Some(0), pieces: (0..).zip(edits).map(piece).collect(), add_reasoning: false }
    }

    #[test]
    fn only_breakpoints_are_no_part_of_what_is_cached() {
        let blocks = [BlockRow { id: 0, tokens: 1, flags: BlockFlags::default(), kind: BlockKind::Text }; 2];
        let message =
            MessageRow { first_block: 0, blocks: 2, tokens: 2, flags: MessageFlags::default(), role: Role::User };
        let rows = Rows { messages: &[message], blocks: &blocks };
        let (whole, unmarked) = (Edits::default(), Edits { drop_breakpoint: true, ..Edits::default() });
        let shorter = Edits { shorten_breakpoint: true, ..Edits::default() };
        let stripped = Edits { strip_end: true, ..unmarked };
        let kept = Recipe::Keep(0);
        for same in [[unmarked, whole], [unmarked, unmarked], [whole, shorter]] {
            let same = composed(Role::User, &same);
            assert!(kept.is_cached_as(&same, rows) && same.is_cached_as(&kept, rows), "{same:?}");
            assert!(same.is_cached_as(&composed(Role::User, &[whole, whole]), rows), "{same:?}");
        }
        let other = [
            composed(Role::User, &[unmarked, stripped]),
            composed(Role::User, &[unmarked]),
            composed(Role::Assistant, &[unmarked, whole]),
            Recipe::Keep(1),
        ];
        for other in other {
            assert!(!kept.is_cached_as(&other, rows) && !other.is_cached_as(&kept, rows), "{other:?}");
            assert!(!other.is_cached_as(&composed(Role::User, &[unmarked, whole]), rows), "{other:?}");
        }
    }
}
