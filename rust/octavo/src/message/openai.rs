//! Reads `OpenAI` Chat Completions messages, and the dialects of compatible servers.

use super::media::{Sort, Told};
use super::{
    BlockEnd, BlockFlags, BlockKind, MessageEnd, MessageFlags, Role, Sink, TextKind, anthropic, arguments, attached,
    bare_item, json_in, json_text, media, name, other_block, other_item, reasoning, role_of, spoken, spread,
    text_flags,
};
use crate::error::Result;
use crate::node::{Key, Node, NodeKind};

/// A call in the member `function_call`, which has no id.
const LEGACY: BlockFlags = BlockFlags::NO_ID.with(BlockFlags::IDLESS);

pub(super) fn read<N: Node, S: Sink>(index: usize, node: &N, sink: &mut S) -> Result<MessageEnd> {
    let mut end = role_of(index, node)?;
    // Most messages are a role and a content: ten members need not be asked for then.
    if end.role != Role::Tool && node.length() == Some(2) && node.get(Key::Content).is_some() {
        end.flags = end.flags.with(content(node, sink));
        return Ok(end);
    }
    let mut named = false;
    if let Some(name) = node.get(Key::Name).filter(|_| end.role != Role::Tool) {
        sink.text(TextKind::Name, &name.text().unwrap_or_default());
        named = true;
    }
    end.flags = end.flags.when(named, MessageFlags::NAMED);
    if end.role == Role::Tool {
        end.flags = end.flags.with(tool_result(node, sink));
        return Ok(end);
    }
    end.flags = end.flags.with(beside_content(end.role, node, sink));
    if end.role == Role::Assistant {
        end.flags = end.flags.with(reasoning::read(node, sink));
    }
    end.flags = end.flags.with(content(node, sink));
    if let Some(refusal) = node.get(Key::Refusal) {
        sink.text(TextKind::Speech, &refusal.text().unwrap_or_default());
        sink.end_block(BlockEnd { kind: BlockKind::Text, flags: BlockFlags::default(), id: "" });
    }
    if let Some(calls) = node.get(Key::ToolCalls) {
        end.flags = end.flags.with(tool_calls(&calls, sink));
    }
    if let Some(function) = node.get(Key::FunctionCall) {
        let flags = function_call(&function, sink);
        sink.end_block(BlockEnd { kind: BlockKind::Call, flags: flags.with(LEGACY), id: "" });
    }
    Ok(end)
}

/// Files that are members of the message itself, which belong to no block: an answer that was spoken, and the pictures
/// that `Ollama` takes and `OpenRouter` gives. A spoken answer is said: it is sent back by its id, without content
/// (API reference, Chat Completions, audio guide, 2026-11).
fn beside_content<N: Node, S: Sink>(role: Role, node: &N, sink: &mut S) -> MessageFlags {
    let spoken = node.get(Key::Audio).filter(|_| role == Role::Assistant);
    if let Some(audio) = &spoken {
        media::file(Told::of(Sort::Audio), audio.get(Key::Data).as_ref(), sink);
    }
    if let Some(images) = node.get(Key::Images) {
        images.items(&mut |image| {
            if attached::read(&image, sink).is_none() {
                media::image(Some(&image), "", sink);
            }
        });
    }
    let by_id = spoken.is_some_and(|audio| audio.get(Key::Id).is_some());
    MessageFlags::default().when(by_id, MessageFlags::SPEECH)
}

/// Content of any role but `tool`: a text or a list of parts.
fn content<N: Node, S: Sink>(node: &N, sink: &mut S) -> MessageFlags {
    let Some(content) = node.get(Key::Content) else { return MessageFlags::NO_CONTENT };
    match content.kind() {
        NodeKind::Text => {
            let text = content.text().unwrap_or_default();
            sink.text(TextKind::Speech, &text);
            sink.end_block(BlockEnd { kind: BlockKind::Text, flags: text_flags(&text), id: "" });
            MessageFlags::STRING_CONTENT
        }
        NodeKind::List => spread::each(&content, &mut |part| read_part(part, sink)),
        // A part without its list; an object of no type is data.
        NodeKind::Map if content.get(Key::Type).is_some() => spread::each(&content, &mut |part| read_part(part, sink)),
        _ => {
            other_block(&content, BlockFlags::MALFORMED, sink);
            MessageFlags::MALFORMED
        }
    }
}

fn read_part<N: Node, S: Sink>(part: &N, sink: &mut S) {
    if part.kind() != NodeKind::Map {
        return bare_item(part, sink);
    }
    let kind = part.get(Key::Type);
    match kind.as_ref().and_then(Node::text).unwrap_or_default().as_ref() {
        "text" => {
            let flags = spoken(part.get(Key::Text).as_ref(), sink);
            sink.end_block(BlockEnd { kind: BlockKind::Text, flags, id: "" });
        }
        "refusal" => {
            let text = part.get(Key::Refusal);
            sink.text(TextKind::Speech, &text.as_ref().and_then(Node::text).unwrap_or_default());
            sink.end_block(BlockEnd { kind: BlockKind::Text, flags: BlockFlags::default(), id: "" });
        }
        "tool_result" => foreign_result(part, sink),
        _ => other_block(part, BlockFlags::default(), sink),
    }
}

/// A result as Anthropic writes it, which strayed into this format: it answers its call all the same.
fn foreign_result<N: Node, S: Sink>(part: &N, sink: &mut S) {
    anthropic::content_text(part, TextKind::ToolOutput, sink);
    let id = part.get(Key::ToolUseId);
    let id = id.as_ref().and_then(Node::text).unwrap_or_default();
    let flags = BlockFlags::default().when(id.is_empty(), BlockFlags::NO_ID);
    sink.end_block(BlockEnd { kind: BlockKind::Result, flags, id: &id });
}

/// Calls. Flagged where they are not one list of objects, or an empty one. A lone call is read as a list of it, and a text as the JSON that
/// it is (so databases keep calls). Anything else calls nothing.
fn tool_calls<N: Node, S: Sink>(calls: &N, sink: &mut S) -> MessageFlags {
    let mut odd = false;
    let laid = spread::each(calls, &mut |call| {
        if call.kind() == NodeKind::Map {
            tool_call(call, sink);
        } else {
            odd = true;
            written_calls(call, sink);
        }
    });
    let empty = calls.kind() == NodeKind::List && laid == MessageFlags::NO_CONTENT;
    let odd = odd || laid.has(MessageFlags::MALFORMED);
    MessageFlags::default().when(odd, MessageFlags::MALFORMED).when(empty, MessageFlags::EMPTY_CALLS)
}

fn written_calls<N: Node, S: Sink>(calls: &N, sink: &mut S) {
    let parsed = calls.text().and_then(|text| json_in(&text));
    let Some(parsed) = parsed else { return };
    spread::each(&&parsed, &mut |call| {
        if call.kind() == NodeKind::Map {
            tool_call(call, sink);
        }
    });
}

fn tool_call<N: Node, S: Sink>(call: &N, sink: &mut S) {
    let id = call.get(Key::Id);
    let id = id.as_ref().and_then(Node::text).unwrap_or_default();
    let typed = call.get(Key::Type).as_ref().and_then(Node::text).is_some_and(|kind| !kind.is_empty());
    let mut flags = BlockFlags::default().when(id.is_empty(), BlockFlags::NO_ID).when(!typed, BlockFlags::MALFORMED);
    if let Some(function) = call.get(Key::Function) {
        flags = flags.with(function_call(&function, sink));
    } else if let Some(custom) = call.get(Key::Custom) {
        flags = flags.with(named_text(&custom, Key::Input, sink)).with(BlockFlags::SPECIAL);
    } else {
        flags = flags.with(BlockFlags::MALFORMED);
    }
    sink.end_block(BlockEnd { kind: BlockKind::Call, flags, id: &id });
}

fn function_call<N: Node, S: Sink>(function: &N, sink: &mut S) -> BlockFlags {
    name(function, sink).with(arguments(function.get(Key::Arguments), NodeKind::Text, sink))
}

fn named_text<N: Node, S: Sink>(node: &N, key: Key, sink: &mut S) -> BlockFlags {
    let flags = name(node, sink);
    let text = node.get(key);
    sink.text(TextKind::Arguments, &text.as_ref().and_then(Node::text).unwrap_or_default());
    flags
}

/// A `tool` message is one result block, whatever the shape of its content.
fn tool_result<N: Node, S: Sink>(node: &N, sink: &mut S) -> MessageFlags {
    let mut message = MessageFlags::default();
    match node.get(Key::Content) {
        None => message = message.with(MessageFlags::NO_CONTENT),
        Some(content) => match content.kind() {
            NodeKind::Text => {
                sink.text(TextKind::ToolOutput, &content.text().unwrap_or_default());
                message = message.with(MessageFlags::STRING_CONTENT);
            }
            NodeKind::List => {
                let mut malformed = false;
                let laid = spread::each(&content, &mut |part| {
                    malformed |= is_malformed_part(part);
                    result_part(part, sink);
                });
                message = message.with(laid).when(malformed, MessageFlags::MALFORMED);
            }
            _ => {
                json_text(TextKind::ToolOutput, &content, sink);
                message = message.with(MessageFlags::MALFORMED);
            }
        },
    }
    let id = node.get(Key::ToolCallId);
    let id = id.as_ref().and_then(Node::text).unwrap_or_default();
    let flags = BlockFlags::default().when(id.is_empty(), BlockFlags::NO_ID);
    sink.end_block(BlockEnd { kind: BlockKind::Result, flags, id: &id });
    message
}

/// A part of a result that is no object, or a text part without a text.
fn is_malformed_part<N: Node>(part: &N) -> bool {
    if part.kind() != NodeKind::Map {
        return true;
    }
    let kind = part.get(Key::Type);
    let is_text = kind.as_ref().and_then(Node::text).is_some_and(|kind| kind == "text");
    is_text && part.get(Key::Text).as_ref().and_then(Node::text).is_none()
}

fn result_part<N: Node, S: Sink>(part: &N, sink: &mut S) {
    if let Some(text) = part.text() {
        return sink.text(TextKind::ToolOutput, &text);
    }
    match part.get(Key::Text) {
        Some(text) => sink.text(TextKind::ToolOutput, &text.text().unwrap_or_default()),
        None => other_item(part, sink),
    }
}
