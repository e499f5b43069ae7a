//! A message of a repaired list in the making.

use super::reasoning::{is_thinking, opens_turn};
use super::recipe::{Edits, Note, Piece, Recipe};
use super::shape::lacks_content;
use super::{List, Message, Provider};
use crate::message::{BlockFlags, BlockKind, BlockRow, MessageFlags, MessageRow, Role};

/// A piece with the row of the block that it is made from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) piece: Piece,
    pub(super) row: BlockRow,
}

/// A message of the repaired list.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) role: Role,
    /// The message that it continues.
    pub(super) from: Option<u32>,
    pub(super) parts: Vec<Part>,
    pub(super) flags: MessageFlags,
    pub(super) add_reasoning: bool,
}

impl Draft {
    pub(super) fn note(note: Note) -> Self {
        let row = BlockRow { id: 0, tokens: 0, flags: BlockFlags::default(), kind: BlockKind::Text };
        let parts = vec![Part { piece: Piece::Note(note), row }];
        Self { role: Role::User, from: None, parts, flags: MessageFlags::SPEECH, add_reasoning: false }
    }

    pub(super) fn of(message: &Message<'_>, parts: Vec<Part>) -> Self {
        let thinks = parts.iter().any(|part| is_thinking(&part.row));
        let flags = message.row.flags.without(MessageFlags::THINKING).when(thinks, MessageFlags::THINKING);
        Self { role: message.role(), from: Some(message.index), parts, flags, add_reasoning: false }
    }

    /// Whether it holds reasoning, so that nothing in it may be edited.
    pub(super) fn is_bound(&self, provider: Provider) -> bool {
        // Gemini ties signatures to parts; what is signed is not merged either.
        let signed = provider == Provider::Gemini;
        self.parts.iter().any(|part| is_thinking(&part.row) || (signed && part.row.flags.has(BlockFlags::SIGNED)))
    }

    pub(super) fn holds_thinking(&self) -> bool {
        self.parts.iter().any(|part| is_thinking(&part.row))
    }

    /// Whether a block of it is not taken as it stands in the input.
    pub(super) fn is_edited(&self) -> bool {
        self.parts.iter().any(|part| matches!(part.piece, Piece::Block { edits, .. } if edits != Edits::default()))
    }

    pub(super) fn has(&self, kind: BlockKind) -> bool {
        self.parts.iter().any(|part| part.row.kind == kind)
    }

    pub(super) fn opens_turn(&self) -> bool {
        opens_turn(self.role, self.parts.iter().map(|part| part.row.kind))
    }

    /// The message of the input that a change to it concerns.
    pub(super) fn origin(&self) -> u32 {
        let of_part = self.parts.iter().find_map(|part| match part.piece {
            Piece::Block { message, .. } | Piece::NoResult { message, .. } => Some(message),
            Piece::Note(_) => None,
        });
        self.from.or(of_part).unwrap_or(0)
    }

    /// The recipe: the very same message where all of it, and nothing else, is in it.
    pub(super) fn into_recipe(self, list: &List<'_>) -> Recipe {
        match self.from.filter(|&from| self.is_untouched(list, from)) {
            Some(from) => Recipe::Keep(from),
            None => Recipe::Compose {
                role: self.role,
                from: self.from,
                pieces: self.parts.into_iter().map(|part| part.piece).collect(),
                add_reasoning: self.add_reasoning,
            },
        }
    }

    fn is_untouched(&self, list: &List<'_>, from: u32) -> bool {
        let same_role = list.rows.messages.get(from as usize).is_some_and(|row| {
            row.role == self.role && !row.flags.has(MessageFlags::FOREIGN_ROLE) && !must_remake(list, row)
        });
        let whole = self.parts.len() == list.rows.blocks_of(from).len();
        let numbers = (0_u32..).zip(&self.parts);
        let is_same = |(number, part): (u32, &Part)| {
            matches!(part.piece, Piece::Block { message, block, edits, .. }
                if message == from && block == number && edits == Edits::default())
        };
        same_role && whole && !self.add_reasoning && numbers.into_iter().all(is_same)
    }
}

/// Whether a message must be made anew for what none of its blocks tells.
fn must_remake(list: &List<'_>, row: &MessageRow) -> bool {
    let lacks = list.written.content.is_some() && lacks_content(row.role, row.flags);
    let malformed = list.written.shape.is_some() && row.flags.has(MessageFlags::MALFORMED);
    let hollow = list.written.call_list.is_some() && row.flags.has(MessageFlags::EMPTY_CALLS);
    lacks || malformed || hollow
}
