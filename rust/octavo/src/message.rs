//! One message as numbers, and the readers that turn a provider's message into them.
//!
//! A reader walks a [`Node`] and tells a [`Sink`] what it sees: texts to be counted, media, and the end
//! of each block. Nothing of the text is kept; what remains is a [`MessageRow`] and its [`BlockRow`]s.

mod anthropic;
mod base64;
mod bedrock;
mod estimated;
mod gemini;
mod image_size;
mod media;
mod openai;
mod pdf;
mod responses;
mod wave;

use std::hash::{Hash as _, Hasher as _};

use crate::error::{Error, Result};
use crate::node::{Key, Node, NodeKind};

pub use estimated::Estimated;

/// The shape that messages are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Anthropic Messages.
    Anthropic,
    /// `OpenAI` Chat Completions.
    OpenAi,
    /// `OpenAI` Responses items.
    Responses,
    /// Gemini `contents`.
    Gemini,
    /// Bedrock Converse.
    Bedrock,
}

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
    /// A block that is not of its stated shape (a bare string in a content list, a null text…).
    pub const MALFORMED: Self = Self(1 << 9);
    /// A call or result of a kind other than a plain function (custom tool, shell, approval…).
    pub const SPECIAL: Self = Self(1 << 10);
    /// A call that asks for a person's consent (`mcp_approval_request`): it may wait without an answer.
    pub const CONFIRMATION: Self = Self(1 << 11);
    /// A call id with characters that the format's provider refuses.
    pub const BAD_ID: Self = Self(1 << 12);
    /// Where the number of breakpoints stands, when they are several: three bits.
    const BREAKPOINTS_AT: u32 = 13;
    /// The most breakpoints that are told apart. No provider takes as many, so that more are as wrong.
    const MOST_BREAKPOINTS: u32 = 7;

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
    /// Holds a text of white space only, or of nothing.
    pub const BLANK_TEXT: Self = Self(1 << 10);
    /// Holds a cache breakpoint.
    pub const BREAKPOINT: Self = Self(1 << 11);
    /// The role is spelt `model`, as Gemini has it.
    pub const MODEL: Self = Self(1 << 12);
    /// The role is none that the format has: `tool` among Anthropic messages, `model` among Chat messages…
    pub const FOREIGN_ROLE: Self = Self(1 << 13);
    /// Holds a call without id, or with an id or arguments that the provider may refuse.
    pub const ODD_CALL: Self = Self(1 << 14);

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

    /// Whether one of `other`'s facts holds.
    pub const fn has_any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl MessageFlags {
    /// What one of its blocks says about the whole message.
    #[must_use]
    pub const fn of_block(block: &BlockRow) -> Self {
        let of_kind = match block.kind {
            BlockKind::Thinking | BlockKind::RedactedThinking => Self::THINKING,
            BlockKind::Call => Self::CALLS,
            BlockKind::Result => Self::RESULTS,
            BlockKind::Marker => Self(0),
            _ => Self::SPEECH,
        };
        let blank = matches!(block.kind, BlockKind::Text) && block.flags.has(BlockFlags::BLANK);
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

/// What a text is, for counters whose ratio depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// What somebody said.
    Speech,
    /// Arguments of a call, as JSON text.
    Arguments,
    /// Output of a tool.
    ToolOutput,
    /// Reasoning.
    Thinking,
    /// A name (of a function, a participant, a file).
    Name,
    /// The JSON of a block of unknown kind.
    Json,
}

/// What is no text, by what decides its tokens. Media never by the length of their base64.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Media<'a> {
    /// A picture.
    Image {
        /// Width and height in pixels where they are stated or could be read from the data's header.
        size: Option<(u32, u32)>,
        /// The `detail` that was asked for (`low`, `high`, `auto`, `original`), or empty.
        detail: &'a str,
    },
    /// A PDF or other file; pages where they could be told.
    Document {
        /// Number of pages, where known.
        pages: Option<u32>,
    },
    /// Sound; seconds where they could be told.
    Audio {
        /// Length in seconds, where known.
        seconds: Option<f64>,
    },
    /// Something that only the provider can read (encrypted reasoning, a compaction). Its length is all that is
    /// known of it.
    Opaque {
        /// Characters of its base64.
        characters: usize,
    },
}

/// The end of a block, as a reader tells it.
#[derive(Debug, Clone, Copy)]
pub struct BlockEnd<'a> {
    /// What it was.
    pub kind: BlockKind,
    /// Facts about it.
    pub flags: BlockFlags,
    /// The id that pairs a call with its result; empty for other kinds.
    pub id: &'a str,
}

/// Receives what a reader sees, in order. Texts and media belong to the block that ends next.
pub trait Sink {
    /// A text that the model will read.
    fn text(&mut self, kind: TextKind, text: &str);
    /// Media that the model will see or hear.
    fn media(&mut self, media: Media<'_>);
    /// The block is complete.
    fn end_block(&mut self, end: BlockEnd<'_>);
    /// Room for JSON that must be written out before it can be counted. Reused between calls.
    fn scratch(&mut self) -> String;
    /// Gives the room back.
    fn give_back(&mut self, scratch: String);
}

/// What is known of a message when it has been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageEnd {
    /// Who speaks.
    pub role: Role,
    /// Facts about the message that cannot be told from its blocks.
    pub flags: MessageFlags,
}

/// Reads one message of `format` into `sink`. `index` is its position, for the error.
///
/// Lenient where histories are broken in known ways (null content, arguments already parsed, bare
/// strings among blocks): what can be read is read and flagged. An error means that there is no
/// message here at all.
pub fn read<N: Node, S: Sink>(format: Format, index: usize, node: &N, sink: &mut S) -> Result<MessageEnd> {
    if node.kind() != NodeKind::Map {
        return Err(Error::Message { index, reason: format!("expected an object with a role, got {:?}", node.kind()) });
    }
    let mut end = match format {
        Format::Anthropic => anthropic::read(index, node, sink),
        Format::OpenAi => openai::read(index, node, sink),
        Format::Responses => responses::read(index, node, sink),
        Format::Gemini => gemini::read(index, node, sink),
        Format::Bedrock => bedrock::read(index, node, sink),
    }?;
    end.flags = end.flags.when(is_foreign(format, end), MessageFlags::FOREIGN_ROLE);
    Ok(end)
}

/// Whether a role is spelt as the format does not spell it. Responses items say so where they have a role at all.
fn is_foreign(format: Format, end: MessageEnd) -> bool {
    let model = end.flags.has(MessageFlags::MODEL);
    match format {
        Format::Gemini => end.role == Role::Assistant && !model,
        Format::Anthropic | Format::Bedrock => model || end.role == Role::Tool,
        Format::OpenAi | Format::Responses => model,
    }
}

/// Reads the role of a message that must have one.
fn role_of<N: Node>(index: usize, node: &N) -> Result<MessageEnd> {
    let Some(value) = node.get(Key::Role) else {
        return Err(Error::Message { index, reason: "it has no role".into() });
    };
    let name = value.text().unwrap_or_default();
    let (role, flags) = match name.as_ref() {
        "user" => (Role::User, MessageFlags::default()),
        "assistant" => (Role::Assistant, MessageFlags::default()),
        "model" => (Role::Assistant, MessageFlags::MODEL),
        "tool" | "function" => (Role::Tool, MessageFlags::default()),
        "system" => (Role::System, MessageFlags::default()),
        "developer" => (Role::System, MessageFlags::DEVELOPER),
        other => return Err(Error::Message { index, reason: format!("unknown role {other:?}") }),
    };
    Ok(MessageEnd { role, flags })
}

/// Facts about a text that stands in a text block.
fn text_flags(text: &str) -> BlockFlags {
    BlockFlags::default()
        .when(text.is_empty(), BlockFlags::EMPTY)
        .when(text.chars().all(char::is_whitespace), BlockFlags::BLANK)
        .when(text.ends_with(char::is_whitespace), BlockFlags::TRAILING_SPACE)
}

/// Counts a node as its compact JSON.
fn json_text<N: Node, S: Sink>(kind: TextKind, node: &N, sink: &mut S) {
    let mut scratch = sink.scratch();
    scratch.clear();
    crate::node::write_json(node, &mut scratch);
    sink.text(kind, &scratch);
    sink.give_back(scratch);
}

/// Arguments of a call: a text as it is, anything else as its JSON. Flagged where they are not what the format
/// has: an object, or a text of JSON.
fn arguments<N: Node, S: Sink>(node: Option<N>, has: NodeKind, sink: &mut S) -> BlockFlags {
    let Some(node) = node else { return BlockFlags::BAD_ARGUMENTS };
    match node.text() {
        Some(text) => sink.text(TextKind::Arguments, &text),
        None => json_text(TextKind::Arguments, &node, sink),
    }
    BlockFlags::default().when(node.kind() != has, BlockFlags::BAD_ARGUMENTS)
}

/// Facts about a call id, which Anthropic and Bedrock want of these characters alone: "String should match pattern
/// '^[a-zA-Z0-9_-]+$'" (the provider's error text, 2026-11).
fn id_flags(id: &str) -> BlockFlags {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    BlockFlags::default().when(id.is_empty(), BlockFlags::NO_ID).when(!id.bytes().all(plain), BlockFlags::BAD_ID)
}

/// A block of a kind that this version does not know: counted as its JSON, kept as it is.
fn other_block<N: Node, S: Sink>(node: &N, flags: BlockFlags, sink: &mut S) {
    json_text(TextKind::Json, node, sink);
    sink.end_block(BlockEnd { kind: BlockKind::Other, flags, id: "" });
}

/// A content list's item that is a bare string or null instead of a block.
fn bare_item<N: Node, S: Sink>(node: &N, sink: &mut S) {
    let text = node.text().unwrap_or_default();
    sink.text(TextKind::Speech, &text);
    let flags = text_flags(&text).with(BlockFlags::MALFORMED);
    sink.end_block(BlockEnd { kind: BlockKind::Text, flags, id: "" });
}

/// A member that only the provider can read: told by its length.
fn opaque<N: Node, S: Sink>(node: &N, key: Key, sink: &mut S) -> bool {
    let Some(value) = node.get(key) else { return false };
    let characters = match (value.text(), value.bytes()) {
        (Some(text), _) => text.len(),
        (_, Some(bytes)) => bytes.len().div_ceil(3).saturating_mul(4),
        _ => return false,
    };
    if characters > 0 {
        sink.media(Media::Opaque { characters });
    }
    characters > 0
}
