//! One message as numbers, and the readers that turn a provider's message into them.
//!
//! A reader walks a [`Node`] and tells a [`Sink`] what it sees: texts to be counted, media, and the end
//! of each block. Nothing of the text is kept; what remains is a [`MessageRow`] and its [`BlockRow`]s.

mod anthropic;
mod attached;
mod base64;
mod bedrock;
pub mod cleared;
mod estimated;
mod film;
mod gemini;
mod image_size;
mod media;
mod openai;
mod pdf;
mod reasoning;
mod responses;
mod row;
mod sift;
mod spread;
mod wave;

use crate::error::{Error, Result};
use crate::node::{Key, Node, NodeKind};

pub use estimated::{Counted, Estimated};
pub use row::{BlockFlags, BlockKind, BlockRow, MessageFlags, MessageRow, Role, Rows, id_hash};

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

impl Format {
    /// Whether user and assistant alternate, so that messages of one role in a row are one message to the provider.
    pub const fn alternates(self) -> bool {
        matches!(self, Self::Anthropic | Self::Gemini | Self::Bedrock)
    }
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
    /// Moving pictures, with their sound; seconds where they could be told.
    Video {
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
    /// A text whose content the model will read, in a form that its provider does not publish: here its JSON. The
    /// count of it is an estimate.
    fn unstated(&mut self, text: &str) {
        self.text(TextKind::Json, text);
    }
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
        return Err(Error::Message {
            index,
            reason: format!("expected an object with a role, got {}", node.kind().name()),
        });
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

/// The value that a text holds as JSON. Whoever reads such a text besides the engine asks it first, so that both see the
/// same.
pub fn json_in(text: &str) -> Option<serde_json::Value> {
    serde_json::from_str(text).ok()
}

/// Counts data that the model reads as its compact JSON.
fn json_text<N: Node, S: Sink>(kind: TextKind, node: &N, sink: &mut S) {
    sift::data(node, sink, |sink, json| sink.text(kind, json));
}

/// Counts what is of unknown shape: files in it as files, the rest as its JSON.
fn unknown<N: Node, S: Sink>(node: &N, sink: &mut S) {
    sift::json(node, sink, S::unstated);
}

/// Reads what is no message (a part of a system prompt, a tool of the provider's own) as a value of unknown shape.
pub(crate) fn read_unknown<N: Node, S: Sink>(node: &N, sink: &mut S) {
    unknown(node, sink);
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

/// Counts the name of what is called. A call without one is flagged: every format requires it.
fn name<N: Node, S: Sink>(node: &N, sink: &mut S) -> BlockFlags {
    let name = node.get(Key::Name);
    let name = name.as_ref().and_then(Node::text).unwrap_or_default();
    sink.text(TextKind::Name, &name);
    BlockFlags::default().when(name.is_empty(), BlockFlags::MALFORMED)
}

/// Facts about a call id, which Anthropic and Bedrock want of these characters alone: "String should match pattern
/// '^[a-zA-Z0-9_-]+$'" (the provider's error text, 2026-11).
fn id_flags(id: &str) -> BlockFlags {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    BlockFlags::default().when(id.is_empty(), BlockFlags::NO_ID).when(!id.bytes().all(plain), BlockFlags::BAD_ID)
}

/// A block that this reader has no word for: a file of another dialect, or one of a kind that this version does not
/// know, which is counted as its JSON and kept as it is.
fn other_block<N: Node, S: Sink>(node: &N, flags: BlockFlags, sink: &mut S) {
    let kind = attached::read(node, sink).map_or(BlockKind::Other, media::Sort::block);
    if kind == BlockKind::Other {
        unknown(node, sink);
    }
    sink.end_block(BlockEnd { kind, flags, id: "" });
}

/// An item of a result's content that is no text: a file of any dialect, or something of unknown shape.
fn other_item<N: Node, S: Sink>(item: &N, sink: &mut S) {
    if attached::read(item, sink).is_none() {
        unknown(item, sink);
    }
}

/// A content list's item that is a bare string, a number or null instead of a block.
fn bare_item<N: Node, S: Sink>(node: &N, sink: &mut S) {
    let flags = spoken(Some(node), sink).with(BlockFlags::MALFORMED);
    sink.end_block(BlockEnd { kind: BlockKind::Text, flags, id: "" });
}

/// Counts what stands in a text's place, and tells facts about it. What is no text is its JSON, nothing is an empty
/// text; both are flagged.
fn spoken<N: Node, S: Sink>(value: Option<&N>, sink: &mut S) -> BlockFlags {
    let Some(value) = value.filter(|value| value.kind() != NodeKind::Null) else {
        return text_flags("").with(BlockFlags::MALFORMED);
    };
    if let Some(text) = value.text() {
        sink.text(TextKind::Speech, &text);
        return text_flags(&text);
    }
    json_text(TextKind::Speech, value, sink);
    BlockFlags::MALFORMED
}

/// A member that only the provider can read: told by its length.
fn opaque<N: Node, S: Sink>(node: &N, key: Key, sink: &mut S) -> bool {
    node.get(key).is_some_and(|value| opaque_value(&value, sink))
}

fn opaque_value<N: Node, S: Sink>(value: &N, sink: &mut S) -> bool {
    let characters = match (value.text(), value.bytes()) {
        (Some(text), _) => text.len(),
        (_, Some(bytes)) => base64::characters(bytes.len()),
        _ => return false,
    };
    if characters > 0 {
        sink.media(Media::Opaque { characters });
    }
    characters > 0
}
