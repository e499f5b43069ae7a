//! Reads Bedrock Converse messages: each block is an object with one member that names its kind.

use super::media::{Sort, Told};
use super::{
    BlockEnd, BlockFlags, BlockKind, MessageEnd, MessageFlags, Sink, TextKind, arguments, bare_item, id_flags,
    json_text, media, name, opaque, role_of, spoken, spread, unknown,
};
use crate::error::Result;
use crate::node::{Key, Node, NodeKind};

pub(super) fn read<N: Node, S: Sink>(index: usize, node: &N, sink: &mut S) -> Result<MessageEnd> {
    let mut end = role_of(index, node)?;
    // Converse takes a list only; a text is what callers of other formats write, and must not get lost.
    let content = node.get(Key::Content);
    let laid = content.map(|content| spread::each(&content, &mut |block| read_block(block, sink)));
    end.flags = end.flags.with(laid.unwrap_or(MessageFlags::NO_CONTENT));
    Ok(end)
}

fn read_block<N: Node, S: Sink>(block: &N, sink: &mut S) {
    if block.kind() != NodeKind::Map {
        return bare_item(block, sink);
    }
    let plain = BlockFlags::default();
    if let Some(text) = block.get(Key::Text) {
        let flags = spoken(Some(&text), sink);
        return sink.end_block(BlockEnd { kind: BlockKind::Text, flags, id: "" });
    }
    if let Some(call) = block.get(Key::ToolUse) {
        let flags = name(&call, sink).with(arguments(call.get(Key::Input), NodeKind::Map, sink));
        return end_paired(&call, BlockKind::Call, flags, sink);
    }
    if let Some(result) = block.get(Key::ToolResult) {
        let content = result.get(Key::Content);
        let odd = content.is_some_and(|content| result_content(&content, sink));
        let flags = silence(&result).when(odd, BlockFlags::MALFORMED);
        return end_paired(&result, BlockKind::Result, flags, sink);
    }
    if let Some(reasoning) = block.get(Key::ReasoningContentCamel) {
        return thinking(&reasoning, sink);
    }
    if block.get(Key::CachePoint).is_some() {
        return sink.end_block(BlockEnd { kind: BlockKind::Marker, flags: BlockFlags::CACHE_5M, id: "" });
    }
    let kind = file(block, sink).map_or(BlockKind::Other, Sort::block);
    if kind == BlockKind::Other {
        wrapped(block, sink);
    }
    sink.end_block(BlockEnd { kind, flags: plain, id: "" });
}

/// `guardContent` holds a text or a picture; everything else is of unknown shape.
fn wrapped<N: Node, S: Sink>(block: &N, sink: &mut S) {
    if let Some(guarded) = block.get(Key::GuardContent) {
        if let Some(text) = media::inner(&guarded, Key::Text, Key::Text) {
            return sink.text(TextKind::Speech, &text.text().unwrap_or_default());
        }
        if file(&guarded, sink).is_some() {
            return;
        }
    }
    unknown(block, sink);
}

/// Flags a result with the status `error` in whose content nothing is said.
fn silence<N: Node>(result: &N) -> BlockFlags {
    let status = result.get(Key::Status);
    if status.as_ref().and_then(Node::text).is_none_or(|status| status != "error") {
        return BlockFlags::default();
    }
    let mut silent = true;
    if let Some(content) = result.get(Key::Content) {
        spread::each(&content, &mut |item| {
            let text = item.get(Key::Text).unwrap_or_else(|| item.clone());
            silent &= text.kind() == NodeKind::Null || text.text().is_some_and(|text| text.is_empty());
        });
    }
    BlockFlags::default().when(silent, BlockFlags::SILENT_ERROR)
}

/// What a result says; whether it is not one list of objects.
fn result_content<N: Node, S: Sink>(content: &N, sink: &mut S) -> bool {
    let mut bare = false;
    let laid = spread::each(content, &mut |item| {
        bare |= item.kind() != NodeKind::Map;
        if let Some(text) = item.text() {
            sink.text(TextKind::ToolOutput, &text);
        } else {
            result_item(item, sink);
        }
    });
    bare || laid.has(MessageFlags::MALFORMED)
}

fn result_item<N: Node, S: Sink>(item: &N, sink: &mut S) {
    if let Some(text) = item.get(Key::Text) {
        return sink.text(TextKind::ToolOutput, &text.text().unwrap_or_default());
    }
    if let Some(json) = item.get(Key::Json) {
        return json_text(TextKind::ToolOutput, &json, sink);
    }
    if file(item, sink).is_none() {
        wrapped(item, sink);
    }
}

/// A block that is a file: its member names what it is.
fn file<N: Node, S: Sink>(block: &N, sink: &mut S) -> Option<Sort> {
    let sorts = [(Key::Image, Sort::Image), (Key::Video, Sort::Video), (Key::Audio, Sort::Audio)];
    for (key, sort) in sorts {
        if let Some(file) = block.get(key) {
            return Some(media::file(Told::of(sort), media::inner(&file, Key::Source, Key::Bytes).as_ref(), sink));
        }
    }
    let held = block.get(Key::Document)?;
    document(&held, sink);
    Some(Sort::Document)
}

/// A document whose source is a text, a list of texts, or a file. Its name and context are for the model too.
fn document<N: Node, S: Sink>(file: &N, sink: &mut S) {
    for key in [Key::Name, Key::Context] {
        if let Some(text) = file.get(key) {
            sink.text(TextKind::Speech, &text.text().unwrap_or_default());
        }
    }
    if let Some(text) = media::inner(file, Key::Source, Key::Text) {
        return sink.text(TextKind::Speech, &text.text().unwrap_or_default());
    }
    if let Some(texts) = media::inner(file, Key::Source, Key::Content) {
        return texts.items(&mut |item| result_item(&item, sink));
    }
    let format = file.get(Key::Format);
    let media_type = format.as_ref().and_then(Node::text).unwrap_or_default();
    let told = Told { media_type: &media_type, ..Told::default() };
    media::file(told, media::inner(file, Key::Source, Key::Bytes).as_ref(), sink);
}

fn thinking<N: Node, S: Sink>(reasoning: &N, sink: &mut S) {
    let Some(readable) = reasoning.get(Key::ReasoningText) else {
        opaque(reasoning, Key::RedactedContent, sink);
        return sink.end_block(BlockEnd { kind: BlockKind::RedactedThinking, flags: BlockFlags::SIGNED, id: "" });
    };
    let text = readable.get(Key::Text);
    let text = text.as_ref().and_then(Node::text).unwrap_or_default();
    sink.text(TextKind::Thinking, &text);
    if text.is_empty() {
        // As in Anthropic's own format: the signature carries the reasoning itself.
        opaque(&readable, Key::Signature, sink);
    }
    let signed = readable.get(Key::Signature).is_some();
    let flags = BlockFlags::default().when(signed, BlockFlags::SIGNED);
    sink.end_block(BlockEnd { kind: BlockKind::Thinking, flags, id: "" });
}

/// The most characters of a `toolUseId` (Bedrock API reference, `ToolUseBlock`, 2026-11). All that it may hold are ASCII.
const LONGEST_ID: usize = 64;

fn end_paired<N: Node, S: Sink>(node: &N, kind: BlockKind, flags: BlockFlags, sink: &mut S) {
    let id = node.get(Key::ToolUseIdCamel);
    let id = id.as_ref().and_then(Node::text).unwrap_or_default();
    let flags = flags.with(id_flags(&id)).when(id.len() > LONGEST_ID, BlockFlags::BAD_ID);
    sink.end_block(BlockEnd { kind, flags, id: &id });
}
