//! What is kept of a message and of its blocks: who speaks, what they are, and the facts that rules ask for.

use std::hash::{Hash as _, Hasher as _};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// `system` or `developer`.
    System,
    /// `user`.
    User,
    /// `assistant` or `model`.
    Assistant,
    /// `tool`, or a Responses item that carries a call's output.
    Tool,
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BlockKind {
    /// Text of any role, refusals included.
    Text,
    /// A picture.
    Image,
    /// A PDF or other file.
    Document,
    /// Sound.
    Audio,
    /// Moving pictures.
    Video,
    /// Readable reasoning that belongs to the turn it stands in.
    Thinking,
    /// Reasoning that only the provider can read.
    RedactedThinking,
    /// A call that the caller must answer.
    Call,
    /// The answer to a call.
    Result,
    /// A call that the provider's server answers itself.
    ServerCall,
    /// The provider's own answer to its call.
    ServerResult,
    /// A provider-bound summary of what came before.
    Compaction,
    /// A pointer to something that the provider holds.
    Reference,
    /// A marker without content, such as Bedrock's `cachePoint`.
    Marker,
    /// A block of a kind that this version does not know: passed through, counted as its JSON.
    Other,
}

impl BlockKind {
    /// Whether it is reasoning of any kind.
    #[must_use]
    pub const fn is_thinking(self) -> bool {
        matches!(self, Self::Thinking | Self::RedactedThinking)
    }
}

// The operations of a set of facts, for blocks and for messages alike.
macro_rules! facts {
    ($flags:ident) => {
        impl $flags {
            /// Whether all of `other`'s facts hold.
            pub const fn has(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }

            /// Both sets of facts together.
            #[must_use]
            pub const fn with(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }

            /// `other` added when `holds`.
            #[must_use]
            pub const fn when(self, holds: bool, other: Self) -> Self {
                if holds { self.with(other) } else { self }
            }

            /// The facts without `other`'s.
            #[must_use]
            pub const fn without(self, other: Self) -> Self {
                Self(self.0 & !other.0)
            }

            /// Whether one of `other`'s facts holds.
            pub const fn has_any(self, other: Self) -> bool {
                self.0 & other.0 != 0
            }
        }
    };
}

facts!(BlockFlags);
facts!(MessageFlags);

/// Facts about a block that rules ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct BlockFlags(pub u16);

impl BlockFlags {
    /// A text block without any character.
    pub const EMPTY: Self = Self(1);
    /// A text block of white space only (which includes [`Self::EMPTY`]).
    pub const BLANK: Self = Self(1 << 1);
    /// The text ends in white space.
    pub const TRAILING_SPACE: Self = Self(1 << 2);
    /// A cache breakpoint of five minutes, or of no stated life.
    pub const CACHE_5M: Self = Self(1 << 3);
    /// A cache breakpoint of one hour.
    pub const CACHE_1H: Self = Self(1 << 4);
    /// Carries a provider's signature (`signature`, `thoughtSignature`, encrypted reasoning).
    pub const SIGNED: Self = Self(1 << 5);
    /// A call or result without an id of its own; [`BlockRow::id`] then comes from the name.
    pub const NO_ID: Self = Self(1 << 6);
    /// Some of its tokens are estimated whatever counts the texts: media, or what only the provider can read.
    pub const ESTIMATED: Self = Self(1 << 7);
    /// A call whose arguments are missing, or not what the format has: an object, or JSON text in `OpenAI`'s.
    pub const BAD_ARGUMENTS: Self = Self(1 << 8);
    /// A block that is not of its stated shape (a bare string in a content list, a null text…), or a call that lacks
    /// its name or its type.
    pub const MALFORMED: Self = Self(1 << 9);
    /// A call or result of a kind other than a plain function (custom tool, shell, approval…).
    pub const SPECIAL: Self = Self(1 << 10);
    /// A reference whose item may be a call. The bit is that of a special call: no block is both.
    pub const MAY_CALL: Self = Self::SPECIAL;
    /// A call that asks for a person's consent (`mcp_approval_request`): it may wait without an answer.
    pub const CONFIRMATION: Self = Self(1 << 11);
    /// A call id with characters that the format's provider refuses, or with too many.
    pub const BAD_ID: Self = Self(1 << 12);
    /// A result whose content holds an empty text. This bit and the two below are those of a text block's own:
    /// all are taken, and no block is both.
    pub const EMPTY_INSIDE: Self = Self::EMPTY;
    /// A result whose content holds an empty text with a cache breakpoint, which is not counted: no repair leaves it there.
    pub const MARKED_INSIDE: Self = Self::BLANK;
    /// A result that reports an error and says nothing.
    pub const SILENT_ERROR: Self = Self::TRAILING_SPACE;
    /// What a result can lack inside.
    pub const HOLLOW_RESULT: Self = Self::EMPTY_INSIDE.with(Self::MARKED_INSIDE).with(Self::SILENT_ERROR);
    /// A call of a kind that has no ids (`function_call` of older Chat clients). The bit is that of an empty text: all
    /// are taken, and no block is both.
    pub const IDLESS: Self = Self::EMPTY;
    /// A part of another kind that holds nothing at all. The bits are those of an empty text.
    pub const HOLLOW: Self = Self::EMPTY.with(Self::BLANK);
    /// Where the number of breakpoints stands, when they are several: three bits.
    const BREAKPOINTS_AT: u32 = 13;
    /// The most breakpoints that are told apart. No provider takes as many, so that more are as wrong.
    const MOST_BREAKPOINTS: u32 = 7;

    /// Whether the block carries a cache breakpoint of any life.
    pub const fn is_breakpoint(self) -> bool {
        self.has_any(Self::CACHE_5M.with(Self::CACHE_1H))
    }

    /// How many cache breakpoints the block and its content carry, up to seven.
    pub const fn breakpoints(self) -> u32 {
        let stated = (self.0 >> Self::BREAKPOINTS_AT) as u32;
        if stated == 0 { self.is_breakpoint() as u32 } else { stated }
    }

    /// With the number of breakpoints that the block and its content carry.
    #[must_use]
    pub fn with_breakpoints(self, count: u32) -> Self {
        let stated = u16::try_from(count.min(Self::MOST_BREAKPOINTS)).unwrap_or_default();
        Self(
            self.without_breakpoints().0
                | (self.0 & (Self::CACHE_5M.0 | Self::CACHE_1H.0))
                | stated << Self::BREAKPOINTS_AT,
        )
    }

    /// Without any breakpoint.
    #[must_use]
    pub const fn without_breakpoints(self) -> Self {
        Self(self.0 & ((1 << Self::BREAKPOINTS_AT) - 1)).without(Self::CACHE_5M.with(Self::CACHE_1H))
    }
}

/// Facts about a message that rules ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct MessageFlags(pub u16);

impl MessageFlags {
    /// The content is a text, not a list of blocks.
    pub const STRING_CONTENT: Self = Self(1);
    /// There is no content at all: the member is missing, null or an empty list.
    pub const NO_CONTENT: Self = Self(1 << 1);
    /// Carries `reasoning_content` (`DeepSeek` and Kimi style).
    pub const REASONING_CONTENT: Self = Self(1 << 2);
    /// Holds at least one thinking block: never edited inside.
    pub const THINKING: Self = Self(1 << 3);
    /// Holds at least one call that the caller must answer.
    pub const CALLS: Self = Self(1 << 4);
    /// Holds at least one result.
    pub const RESULTS: Self = Self(1 << 5);
    /// Has a `name`.
    pub const NAMED: Self = Self(1 << 6);
    /// Something in it is not of its stated shape.
    pub const MALFORMED: Self = Self(1 << 7);
    /// Holds something other than results (text, media…).
    pub const SPEECH: Self = Self(1 << 8);
    /// A `developer` message (role [`Role::System`]).
    pub const DEVELOPER: Self = Self(1 << 9);
    /// Holds a text of white space only, or of nothing; or a result that lacks something inside.
    pub const BLANK_TEXT: Self = Self(1 << 10);
    /// Holds a cache breakpoint.
    pub const BREAKPOINT: Self = Self(1 << 11);
    /// The role is spelt `model`, as Gemini has it.
    pub const MODEL: Self = Self(1 << 12);
    /// The role is none that the format has: `tool` among Anthropic messages, `model` among Chat messages…
    pub const FOREIGN_ROLE: Self = Self(1 << 13);
    /// Holds a call without id, or with an id or arguments that the provider may refuse.
    pub const ODD_CALL: Self = Self(1 << 14);
    /// There is a list of calls, and it is empty.
    pub const EMPTY_CALLS: Self = Self(1 << 15);
    /// Holds a call of the server's. The bit is that of an empty list of calls: all are taken, only Chat has such lists, and
    /// no calls of the server's.
    pub const SERVER_CALLS: Self = Self::EMPTY_CALLS;
}

impl MessageFlags {
    /// Whether a message with them begins a turn: the user says something, beside results or alone.
    #[must_use]
    pub const fn begins_turn(self, role: Role) -> bool {
        matches!(role, Role::User) && self.has(Self::SPEECH)
    }

    /// What one of its blocks says about the whole message.
    #[must_use]
    pub const fn of_block(block: &BlockRow) -> Self {
        let of_kind = match block.kind {
            BlockKind::Thinking | BlockKind::RedactedThinking => Self::THINKING,
            BlockKind::Call => Self::CALLS,
            BlockKind::Result => Self::RESULTS,
            BlockKind::ServerCall => Self::SPEECH.with(Self::SERVER_CALLS),
            BlockKind::Marker => Self(0),
            _ => Self::SPEECH,
        };
        let blank = match block.kind {
            BlockKind::Text | BlockKind::Other => block.flags.has(BlockFlags::BLANK),
            BlockKind::Result => block.flags.has_any(BlockFlags::HOLLOW_RESULT),
            _ => false,
        };
        let odd = BlockFlags::BAD_ARGUMENTS.with(BlockFlags::BAD_ID).with(BlockFlags::NO_ID);
        of_kind
            .when(matches!(block.kind, BlockKind::Call) && block.flags.has_any(odd), Self::ODD_CALL)
            .when(block.flags.has(BlockFlags::MALFORMED), Self::MALFORMED)
            .when(blank, Self::BLANK_TEXT)
            .when(block.flags.is_breakpoint(), Self::BREAKPOINT)
    }
}

/// A block as numbers: 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockRow {
    /// Hash of the call id that a call or result carries, 0 for other kinds (see [`id_hash`]).
    pub id: u64,
    /// Tokens of the block's content.
    pub tokens: u32,
    /// Facts that rules ask for.
    pub flags: BlockFlags,
    /// What it is.
    pub kind: BlockKind,
}

/// A message as numbers: 16 bytes beside its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageRow {
    /// Index of its first block in the list of all blocks.
    pub first_block: u32,
    /// How many blocks it has.
    pub blocks: u32,
    /// Tokens of its blocks and of the framing around it.
    pub tokens: u32,
    /// Facts that rules ask for.
    pub flags: MessageFlags,
    /// Who speaks.
    pub role: Role,
}

/// Messages as numbers: every message's row, and the blocks of all of them.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// One row a message.
    pub messages: &'a [MessageRow],
    /// The blocks of all messages, in order.
    pub blocks: &'a [BlockRow],
}

impl<'a> Rows<'a> {
    /// The blocks of one message; empty when there is no such message.
    pub fn blocks_of(&self, message: u32) -> &'a [BlockRow] {
        self.messages.get(message as usize).and_then(|row| self.blocks_in(row)).unwrap_or_default()
    }

    fn blocks_in(&self, row: &MessageRow) -> Option<&'a [BlockRow]> {
        let first = row.first_block as usize;
        self.blocks.get(first..first.checked_add(row.blocks as usize)?)
    }
}

/// Hash of a call id (or of a function name where the format has no ids). Never 0.
///
/// `SipHash` with a fixed key: equal ids are found without keeping their text.
pub fn id_hash(id: &str) -> u64 {
    #[expect(deprecated, reason = "the one std hasher whose algorithm and key are fixed")]
    let mut hasher = std::hash::SipHasher::new();
    id.hash(&mut hasher);
    hasher.finish().max(1)
}
