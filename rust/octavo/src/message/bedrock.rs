//! Reads Bedrock Converse messages: each block is an object with one member that names its kind.

use super::{
    BlockEnd, BlockFlags, BlockKind, MessageEnd, MessageFlags, Sink, TextKind, arguments, bare_item, id_flags,
    json_text, media, opaque, other_block, role_of, text_flags,
};
use crate::error::Result;
use crate::node::{Key, Node, NodeKind};

pub(super) fn read<N: Node, S: Sink>(index: usize, node: &N, sink: &mut S) -> Result<MessageEnd> {
    let mut end = role_of(index, node)?;
    let mut empty = true;
    if let Some(content) = node.get(Key::Content) {
        // Converse takes a list only; a text is what callers of other formats write, and must not get lost.
        if content.kind() == NodeKind::Text {
            empty = false;
            bare_item(&content, sink);
        }
        content.items(&mut |block| {
            empty = false;
            read_block(&block, sink);
        });
    }
    end.flags = end.flags.when(empty, MessageFlags::NO_CONTENT);
    Ok(end)
}

fn read_block<N: Node, S: Sink>(block: &N, sink: &mut S) {
    if block.kind() != NodeKind::Map {
        return bare_item(block, sink);
    }
    let plain = BlockFlags::default();
    if let Some(text) = block.get(Key::Text) {
        let text = text.text().unwrap_or_default();
        sink.text(TextKind::Speech, &text);
        return sink.end_block(BlockEnd { kind: BlockKind::Text, flags: text_flags(&text), id: "" });
    }
    if let Some(call) = block.get(Key::ToolUse) {
        let name = call.get(Key::Name);
        sink.text(TextKind::Name, &name.as_ref().and_then(Node::text).unwrap_or_default());
        let flags = arguments(call.get(Key::Input), NodeKind::Map, sink);
        return end_paired(&call, BlockKind::Call, flags, sink);
    }
    if let Some(result) = block.get(Key::ToolResult) {
        if let Some(content) = result.get(Key::Content) {
            content.items(&mut |item| result_item(&item, sink));
        }
        return end_paired(&result, BlockKind::Result, silence(&result), sink);
    }
    if let Some(reasoning) = block.get(Key::ReasoningContentCamel) {
        return thinking(&reasoning, sink);
    }
    if block.get(Key::CachePoint).is_some() {
        return sink.end_block(BlockEnd { kind: BlockKind::Marker, flags: BlockFlags::CACHE_5M, id: "" });
    }
    if let Some(image) = block.get(Key::Image) {
        picture(&image, sink);
        return sink.end_block(BlockEnd { kind: BlockKind::Image, flags: plain, id: "" });
    }
    if let Some(file) = block.get(Key::Document) {
        document(&file, sink);
        return sink.end_block(BlockEnd { kind: BlockKind::Document, flags: plain, id: "" });
    }
    other_block(block, plain, sink);
}

/// Flags a result with the status `error` in whose content nothing is said.
fn silence<N: Node>(result: &N) -> BlockFlags {
    let status = result.get(Key::Status);
    if status.as_ref().and_then(Node::text).is_none_or(|status| status != "error") {
        return BlockFlags::default();
    }
    let mut silent = true;
    if let Some(content) = result.get(Key::Content) {
        silent = content.kind() == NodeKind::List;
        content.items(&mut |item| {
            let text = item.get(Key::Text);
            silent &= text.as_ref().and_then(Node::text).is_some_and(|text| text.is_empty());
        });
    }
    BlockFlags::default().when(silent, BlockFlags::SILENT_ERROR)
}

fn result_item<N: Node, S: Sink>(item: &N, sink: &mut S) {
    if let Some(text) = item.get(Key::Text) {
        return sink.text(TextKind::ToolOutput, &text.text().unwrap_or_default());
    }
    if let Some(json) = item.get(Key::Json) {
        return json_text(TextKind::ToolOutput, &json, sink);
    }
    if let Some(image) = item.get(Key::Image) {
        return picture(&image, sink);
    }
    if let Some(file) = item.get(Key::Document) {
        return document(&file, sink);
    }
    json_text(TextKind::Json, item, sink);
}

fn picture<N: Node, S: Sink>(image: &N, sink: &mut S) {
    media::image(media::inner(image, Key::Source, Key::Bytes).as_ref(), "", sink);
}

/// A document whose source is a text, a list of texts, or a file.
fn document<N: Node, S: Sink>(file: &N, sink: &mut S) {
    if let Some(text) = media::inner(file, Key::Source, Key::Text) {
        return sink.text(TextKind::Speech, &text.text().unwrap_or_default());
    }
    if let Some(texts) = media::inner(file, Key::Source, Key::Content) {
        return texts.items(&mut |item| result_item(&item, sink));
    }
    media::document(media::inner(file, Key::Source, Key::Bytes).as_ref(), sink);
}

fn thinking<N: Node, S: Sink>(reasoning: &N, sink: &mut S) {
    let Some(readable) = reasoning.get(Key::ReasoningText) else {
        opaque(reasoning, Key::RedactedContent, sink);
        return sink.end_block(BlockEnd { kind: BlockKind::RedactedThinking, flags: BlockFlags::SIGNED, id: "" });
    };
    let text = readable.get(Key::Text);
    sink.text(TextKind::Thinking, &text.as_ref().and_then(Node::text).unwrap_or_default());
    let signed = readable.get(Key::Signature).is_some();
    let flags = BlockFlags::default().when(signed, BlockFlags::SIGNED);
    sink.end_block(BlockEnd { kind: BlockKind::Thinking, flags, id: "" });
}

fn end_paired<N: Node, S: Sink>(node: &N, kind: BlockKind, flags: BlockFlags, sink: &mut S) {
    let id = node.get(Key::ToolUseIdCamel);
    let id = id.as_ref().and_then(Node::text).unwrap_or_default();
    sink.end_block(BlockEnd { kind, flags: flags.with(id_flags(&id)), id: &id });
}
