//! Reads Gemini `contents`: a role (`user`, `model`) and `parts`. Calls have names, often no ids.
//!
//! Members have two spellings: the API's (`functionCall`) and that of its Python client (`function_call`), which
//! takes both in dicts and has the second in its objects. A part may even mix them.

use super::media::{Sort, Told};
use super::{
    BlockEnd, BlockFlags, BlockKind, MessageEnd, MessageFlags, Role, Sink, TextKind, arguments, json_text, media,
    opaque, other_block, other_item, role_of, spread, text_flags, unknown,
};
use crate::error::Result;
use crate::node::{Key, Node, NodeKind};

/// A member's name as the API spells it, then as the Python client does.
type Spellings = [Key; 2];

const FUNCTION_CALL: Spellings = [Key::FunctionCallCamel, Key::FunctionCall];
const FUNCTION_RESPONSE: Spellings = [Key::FunctionResponse, Key::FunctionResponseSnake];
const THOUGHT_SIGNATURE: Spellings = [Key::ThoughtSignature, Key::ThoughtSignatureSnake];
const INLINE_DATA: Spellings = [Key::InlineData, Key::InlineDataSnake];
const FILE_DATA: Spellings = [Key::FileDataCamel, Key::FileData];
const MIME_TYPE: Spellings = [Key::MimeType, Key::MimeTypeSnake];
const FILE_URI: Spellings = [Key::FileUriCamel, Key::FileUri];

/// The member in whichever spelling it has.
fn either<N: Node>(node: &N, spellings: Spellings) -> Option<N> {
    spellings.into_iter().find_map(|key| node.get(key))
}

pub(super) fn read<N: Node, S: Sink>(index: usize, node: &N, sink: &mut S) -> Result<MessageEnd> {
    // `contents` given without a role is a user's, as the API has it.
    let mut end = match node.get(Key::Role) {
        Some(_) => role_of(index, node)?,
        // An object of another library: nothing of it would be read.
        None if node.get(Key::Type).is_some() && node.get(Key::Parts).is_none() => role_of(index, node)?,
        None => MessageEnd { role: Role::User, flags: MessageFlags::default() },
    };
    if end.role == Role::Tool {
        // Older clients send function responses under the role `function`; the API reads it as the user's turn.
        end.role = Role::User;
    }
    // A lone part, and a text as one, are what the API or its client takes: nothing is out of shape.
    let mut laid = MessageFlags::NO_CONTENT;
    if let Some(parts) = node.get(Key::Parts) {
        laid = spread::each(&parts, &mut |part| read_part(part, sink));
    }
    end.flags = end.flags.when(laid.has(MessageFlags::NO_CONTENT), MessageFlags::NO_CONTENT);
    Ok(end)
}

/// A part holds one thing. Of a call and a response in one, it is the response: read as a call it would take the tool's
/// output with it into a turn of the model's.
fn read_part<N: Node, S: Sink>(part: &N, sink: &mut S) {
    if let Some(text) = part.text() {
        sink.text(TextKind::Speech, &text);
        return sink.end_block(BlockEnd { kind: BlockKind::Text, flags: text_flags(&text), id: "" });
    }
    let signed = THOUGHT_SIGNATURE.iter().any(|&key| opaque(part, key, sink));
    let flags = BlockFlags::default().when(signed, BlockFlags::SIGNED);
    let response = either(part, FUNCTION_RESPONSE);
    if let Some(call) = either(part, FUNCTION_CALL).filter(|_| response.is_none()) {
        let name = call.get(Key::Name);
        sink.text(TextKind::Name, &name.as_ref().and_then(Node::text).unwrap_or_default());
        // A call without arguments leaves them out.
        let args = call.get(Key::Args);
        let flags = args.map_or(flags, |args| flags.with(arguments(Some(args), NodeKind::Map, sink)));
        return end_paired(&call, BlockKind::Call, flags, sink);
    }
    if let Some(response) = response {
        let name = response.get(Key::Name);
        sink.text(TextKind::Name, &name.as_ref().and_then(Node::text).unwrap_or_default());
        if let Some(value) = response.get(Key::Response) {
            json_text(TextKind::ToolOutput, &value, sink);
        }
        if let Some(parts) = response.get(Key::Parts) {
            parts.items(&mut |part| result_part(&part, sink));
        }
        return end_paired(&response, BlockKind::Result, flags, sink);
    }
    if let Some(text) = part.get(Key::Text).filter(|text| text.kind() == NodeKind::Text) {
        return text_part(part, &text.text().unwrap_or_default(), flags, sink);
    }
    if let Some(sort) = file(part, sink) {
        return sink.end_block(BlockEnd { kind: sort.block(), flags, id: "" });
    }
    other_part(part, flags, sink);
}

/// A part of a function's response: a file, as a rule.
fn result_part<N: Node, S: Sink>(part: &N, sink: &mut S) {
    if file(part, sink).is_some() {
        return;
    }
    match part.get(Key::Text) {
        Some(text) => sink.text(TextKind::ToolOutput, &text.text().unwrap_or_default()),
        None => other_item(part, sink),
    }
}

/// Whether a part has no member: no object, or one of nulls, which the API reads as not given.
fn is_hollow<N: Node>(part: &N) -> bool {
    let mut hollow = matches!(part.kind(), NodeKind::Map | NodeKind::Null);
    part.entries(&mut |_, value| hollow &= value.kind() == NodeKind::Null);
    hollow
}

/// A part of another kind (executable code, its result…): counted as its JSON, but for the signature, which is
/// the provider's own and no text, and has been told.
fn other_part<N: Node, S: Sink>(part: &N, flags: BlockFlags, sink: &mut S) {
    if is_hollow(part) {
        return sink.end_block(BlockEnd { kind: BlockKind::Other, flags: BlockFlags::HOLLOW, id: "" });
    }
    if !flags.has(BlockFlags::SIGNED) {
        return other_block(part, flags, sink);
    }
    part.entries(&mut |name, value| {
        if THOUGHT_SIGNATURE.iter().all(|key| key.name() != name) {
            sink.text(TextKind::Name, name);
            unknown(&value, sink);
        }
    });
    sink.end_block(BlockEnd { kind: BlockKind::Other, flags, id: "" });
}

fn text_part<N: Node, S: Sink>(part: &N, text: &str, flags: BlockFlags, sink: &mut S) {
    let thought = part.get(Key::Thought).and_then(|value| value.boolean()).unwrap_or(false);
    if thought {
        sink.text(TextKind::Thinking, text);
        return sink.end_block(BlockEnd { kind: BlockKind::Thinking, flags, id: "" });
    }
    sink.text(TextKind::Speech, text);
    sink.end_block(BlockEnd { kind: BlockKind::Text, flags: flags.with(text_flags(text)), id: "" });
}

/// A part that is a file: its data, or the address of one that the provider holds.
fn file<N: Node, S: Sink>(part: &N, sink: &mut S) -> Option<Sort> {
    let held = either(part, INLINE_DATA).or_else(|| either(part, FILE_DATA))?;
    let mime = either(&held, MIME_TYPE);
    let media_type = mime.as_ref().and_then(Node::text).unwrap_or_default();
    // A film is given by its address alone.
    let address = either(&held, FILE_URI);
    let is_film = address.as_ref().and_then(Node::text).is_some_and(|address| address.contains("youtu"));
    let sort = Some(Sort::Video).filter(|_| media_type.is_empty() && is_film);
    Some(media::file(Told { sort, media_type: &media_type, ..Told::default() }, held.get(Key::Data).as_ref(), sink))
}

/// Without an id, a call and its response are paired by the function's name.
fn end_paired<N: Node, S: Sink>(node: &N, kind: BlockKind, flags: BlockFlags, sink: &mut S) {
    let id = node.get(Key::Id);
    let id = id.as_ref().and_then(Node::text).unwrap_or_default();
    if !id.is_empty() {
        return sink.end_block(BlockEnd { kind, flags, id: &id });
    }
    let name = node.get(Key::Name);
    let name = name.as_ref().and_then(Node::text).unwrap_or_default();
    sink.end_block(BlockEnd { kind, flags: flags.with(BlockFlags::NO_ID), id: &name });
}
