//! Reads Anthropic Messages.

use super::{
    BlockEnd, BlockFlags, BlockKind, MessageEnd, MessageFlags, Role, Sink, TextKind, arguments, bare_item, id_flags,
    name, opaque, other_block, other_item, role_of, sift, spoken, spread, text_flags, unknown,
};
use crate::error::Result;
use crate::node::{Key, Node, NodeKind};

pub(super) fn read<N: Node, S: Sink>(index: usize, node: &N, sink: &mut S) -> Result<MessageEnd> {
    let mut end = role_of(index, node)?;
    if end.role == Role::Tool && !holds_results(node) {
        // A message of Chat Completions: the result of the call that it names.
        tool_message(node, sink);
        return Ok(end);
    }
    let Some(content) = node.get(Key::Content) else {
        end.flags = end.flags.with(MessageFlags::NO_CONTENT);
        return Ok(end);
    };
    match content.kind() {
        NodeKind::Text => {
            let text = content.text().unwrap_or_default();
            sink.text(TextKind::Speech, &text);
            sink.end_block(BlockEnd { kind: BlockKind::Text, flags: text_flags(&text), id: "" });
            end.flags = end.flags.with(MessageFlags::STRING_CONTENT);
        }
        NodeKind::List | NodeKind::Map => {
            end.flags = end.flags.with(spread::each(&content, &mut |block| read_block(block, sink)));
        }
        _ => {
            other_block(&content, BlockFlags::MALFORMED, sink);
            end.flags = end.flags.with(MessageFlags::MALFORMED);
        }
    }
    Ok(end)
}

fn holds_results<N: Node>(node: &N) -> bool {
    let mut found = false;
    if let Some(content) = node.get(Key::Content) {
        spread::each(&content, &mut |block| {
            let kind = block.get(Key::Type);
            found |= kind.as_ref().and_then(Node::text).is_some_and(|kind| kind == "tool_result");
        });
    }
    found
}

fn tool_message<N: Node, S: Sink>(node: &N, sink: &mut S) {
    content_text(node, TextKind::ToolOutput, sink);
    let id = node.get(Key::ToolCallId).or_else(|| node.get(Key::ToolUseId));
    let id = id.as_ref().and_then(Node::text).unwrap_or_default();
    let flags = result_flags(node, BlockFlags::default()).with(id_flags(&id));
    sink.end_block(BlockEnd { kind: BlockKind::Result, flags, id: &id });
}

fn read_block<N: Node, S: Sink>(block: &N, sink: &mut S) {
    if block.kind() != NodeKind::Map {
        return bare_item(block, sink);
    }
    let flags = cache_flags(block);
    let kind = block.get(Key::Type);
    let kind = kind.as_ref().and_then(Node::text).unwrap_or_default();
    match kind.as_ref() {
        "text" => text_block(block, flags, sink),
        "tool_use" => call(block, BlockKind::Call, flags, sink),
        "tool_result" => result(block, flags, sink),
        "thinking" => thinking(block, flags, sink),
        "redacted_thinking" => {
            opaque(block, Key::Data, sink);
            sink.end_block(BlockEnd {
                kind: BlockKind::RedactedThinking,
                flags: flags.with(BlockFlags::SIGNED),
                id: "",
            });
        }
        "document" => {
            document(block, sink);
            sink.end_block(BlockEnd { kind: BlockKind::Document, flags, id: "" });
        }
        "server_tool_use" | "mcp_tool_use" => call(block, BlockKind::ServerCall, flags, sink),
        "compaction" => {
            content_text(block, TextKind::Speech, sink);
            opaque(block, Key::EncryptedContent, sink);
            sink.end_block(BlockEnd { kind: BlockKind::Compaction, flags, id: "" });
        }
        other if other.ends_with("_tool_result") => server_result(block, flags, sink),
        // A text as other formats write it; data of any other shape is its JSON.
        "" if block.get(Key::Text).is_some() => text_block(block, flags.with(BlockFlags::MALFORMED), sink),
        "" => bare_item(block, sink),
        _ => other_block(block, flags, sink),
    }
}

/// Cache breakpoints: `{"type": "ephemeral", "ttl": "5m" | "1h"}`.
fn cache_flags<N: Node>(block: &N) -> BlockFlags {
    let Some(control) = block.get(Key::CacheControl) else { return BlockFlags::default() };
    let ttl = control.get(Key::Ttl);
    let hour = ttl.as_ref().and_then(Node::text).is_some_and(|ttl| ttl == "1h");
    if hour { BlockFlags::CACHE_1H } else { BlockFlags::CACHE_5M }
}

fn text_block<N: Node, S: Sink>(block: &N, flags: BlockFlags, sink: &mut S) {
    // Its citations are not looked at: what they quote costs nothing when it is sent back (platform.claude.com,
    // citations and web search pages, 2026-11).
    let flags = flags.with(spoken(block.get(Key::Text).as_ref(), sink));
    sink.end_block(BlockEnd { kind: BlockKind::Text, flags, id: "" });
}

fn call<N: Node, S: Sink>(block: &N, kind: BlockKind, flags: BlockFlags, sink: &mut S) {
    let named = name(block, sink);
    let flags = flags.when(kind == BlockKind::Call, named);
    let flags = flags.with(arguments(block.get(Key::Input), NodeKind::Map, sink));
    let id = block.get(Key::Id);
    let id = id.as_ref().and_then(Node::text).unwrap_or_default();
    sink.end_block(BlockEnd { kind, flags: flags.with(id_flags(&id)), id: &id });
}

fn result<N: Node, S: Sink>(block: &N, flags: BlockFlags, sink: &mut S) {
    content_text(block, TextKind::ToolOutput, sink);
    let id = block.get(Key::ToolUseId);
    let id = id.as_ref().and_then(Node::text).unwrap_or_default();
    let flags = result_flags(block, flags).with(id_flags(&id));
    sink.end_block(BlockEnd { kind: BlockKind::Result, flags, id: &id });
}

/// Facts about a result that its content tells.
fn result_flags<N: Node>(block: &N, own: BlockFlags) -> BlockFlags {
    let error = block.get(Key::IsError).as_ref().and_then(Node::boolean) == Some(true);
    let silent = BlockFlags::default().when(error, BlockFlags::SILENT_ERROR);
    let Some(content) = block.get(Key::Content) else { return own.with(silent) };
    match content.kind() {
        NodeKind::Text if content.text().unwrap_or_default().is_empty() => own.with(silent),
        NodeKind::Text => own,
        NodeKind::List => inner_flags(&content, own, silent),
        _ => own.with(BlockFlags::MALFORMED),
    }
}

/// Breakpoints inside a result count like its own (the limit is the request's), but for those of empty texts. What is
/// no block is flagged, and so is an error in which nothing is said (`silent`).
fn inner_flags<N: Node>(content: &N, own: BlockFlags, silent: BlockFlags) -> BlockFlags {
    let mut flags = own.with(silent);
    let mut count = own.breakpoints();
    let laid = spread::each(content, &mut |item| {
        let is_map = item.kind() == NodeKind::Map;
        let inner = if is_map { cache_flags(item) } else { BlockFlags::MALFORMED };
        if is_empty_item(item) {
            flags = flags.with(BlockFlags::EMPTY_INSIDE).when(!is_map, BlockFlags::MALFORMED);
            flags = flags.when(inner.is_breakpoint(), BlockFlags::MARKED_INSIDE);
        } else {
            count = count.saturating_add(inner.breakpoints());
            flags = flags.with(inner).without(BlockFlags::SILENT_ERROR);
        }
    });
    // Lists in the list: what they hold is said, and written as one list.
    let flags = flags.when(laid.has(MessageFlags::MALFORMED), BlockFlags::MALFORMED);
    if count > own.breakpoints() { flags.with_breakpoints(count) } else { flags }
}

/// Whether an item of a result's content is a text, bare or in a block, without any character.
fn is_empty_item<N: Node>(item: &N) -> bool {
    let is_empty = |text: Option<N>| text.is_none_or(|text| text.text().is_some_and(|text| text.is_empty()));
    match item.kind() {
        NodeKind::Null => true,
        NodeKind::Map => is_text_block(item) && is_empty(item.get(Key::Text)),
        _ => item.text().is_some_and(|text| text.is_empty()),
    }
}

fn is_text_block<N: Node>(item: &N) -> bool {
    item.get(Key::Type).as_ref().and_then(Node::text).is_some_and(|kind| kind == "text")
}

fn server_result<N: Node, S: Sink>(block: &N, flags: BlockFlags, sink: &mut S) {
    content_text(block, TextKind::ToolOutput, sink);
    let id = block.get(Key::ToolUseId);
    let id = id.as_ref().and_then(Node::text).unwrap_or_default();
    sink.end_block(BlockEnd { kind: BlockKind::ServerResult, flags, id: &id });
}

/// The content of a result or compaction: a text, or a list of texts, pictures and documents.
pub(super) fn content_text<N: Node, S: Sink>(block: &N, kind: TextKind, sink: &mut S) {
    let Some(content) = block.get(Key::Content) else { return };
    match content.kind() {
        NodeKind::Text => sink.text(kind, &content.text().unwrap_or_default()),
        NodeKind::List => {
            spread::each(&content, &mut |item| result_item(item, kind, sink));
        }
        _ => unknown(&content, sink),
    }
}

fn result_item<N: Node, S: Sink>(item: &N, kind: TextKind, sink: &mut S) {
    if let Some(text) = item.text() {
        return sink.text(kind, &text);
    }
    let type_name = item.get(Key::Type);
    match type_name.as_ref().and_then(Node::text).unwrap_or_default().as_ref() {
        "text" => {
            let text = item.get(Key::Text);
            sink.text(kind, &text.as_ref().and_then(Node::text).unwrap_or_default());
        }
        "document" => document(item, sink),
        _ if opaque(item, Key::EncryptedContent, sink) => found_page(item, sink),
        _ => other_item(item, sink),
    }
}

/// A page that the server's search found: its content is for the provider alone, its title, address and age for all.
fn found_page<N: Node, S: Sink>(item: &N, sink: &mut S) {
    opaque(item, Key::EncryptedIndex, sink);
    item.entries(&mut |name, value| {
        if name != Key::Type.name() && !sift::is_secret(name) {
            sink.text(TextKind::ToolOutput, &value.text().unwrap_or_default());
        }
    });
}

fn thinking<N: Node, S: Sink>(block: &N, flags: BlockFlags, sink: &mut S) {
    let text = block.get(Key::Thinking);
    let text = text.as_ref().and_then(Node::text).unwrap_or_default();
    sink.text(TextKind::Thinking, &text);
    if text.is_empty() {
        // Display was `omitted`: the signature carries the reasoning itself.
        opaque(block, Key::Signature, sink);
    }
    let signed = block.get(Key::Signature).is_some();
    sink.end_block(BlockEnd { kind: BlockKind::Thinking, flags: flags.when(signed, BlockFlags::SIGNED), id: "" });
}

fn document<N: Node, S: Sink>(block: &N, sink: &mut S) {
    for key in [Key::Title, Key::Context] {
        if let Some(text) = block.get(key) {
            sink.text(TextKind::Speech, &text.text().unwrap_or_default());
        }
    }
    let Some(source) = block.get(Key::Source).filter(|source| source.kind() == NodeKind::Map) else {
        return other_item(block, sink);
    };
    let kind = source.get(Key::Type);
    match kind.as_ref().and_then(Node::text).unwrap_or_default().as_ref() {
        "text" => {
            let data = source.get(Key::Data);
            sink.text(TextKind::Speech, &data.as_ref().and_then(Node::text).unwrap_or_default());
        }
        "content" => content_text(&source, TextKind::Speech, sink),
        _ => other_item(block, sink),
    }
}
