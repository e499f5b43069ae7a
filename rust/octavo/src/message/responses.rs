//! Reads `OpenAI` Responses items. Each item is one message here; a model's turn is several of them.

use super::{
    BlockEnd, BlockFlags, BlockKind, MessageEnd, MessageFlags, Role, Sink, TextKind, arguments, bare_item, json_text,
    media, name, opaque, other_block, other_item, role_of, spoken, spread, text_flags, unknown,
};
use crate::error::Result;
use crate::node::{Key, Node, NodeKind};

pub(super) fn read<N: Node, S: Sink>(index: usize, node: &N, sink: &mut S) -> Result<MessageEnd> {
    let kind = node.get(Key::Type);
    let kind = kind.as_ref().and_then(Node::text).unwrap_or_default();
    let plain = |role| MessageEnd { role, flags: MessageFlags::default() };
    match kind.as_ref() {
        // A reference is the one item whose type may be left out (API reference, Responses, input, 2026-11).
        "" if is_reference(node) => {
            reference(node, sink);
            Ok(plain(Role::Assistant))
        }
        // The easy input form has a role and no type. LangChain's messages have a type and no role, and are refused: read
        // as items of a later version, every conversion would leave them out.
        "" | "message" | "human" | "ai" | "system" | "tool" | "function" | "chat" | "remove" => {
            message(index, node, sink)
        }
        kind if kind.ends_with("MessageChunk") => message(index, node, sink),
        "function_call" => {
            let flags = name(node, sink).with(arguments(node.get(Key::Arguments), NodeKind::Text, sink));
            end_paired(node, BlockKind::Call, Key::CallId, flags, sink);
            Ok(plain(Role::Assistant))
        }
        "custom_tool_call" => {
            let flags = name(node, sink).with(BlockFlags::SPECIAL);
            let input = node.get(Key::Input);
            sink.text(TextKind::Arguments, &input.as_ref().and_then(Node::text).unwrap_or_default());
            end_paired(node, BlockKind::Call, Key::CallId, flags, sink);
            Ok(plain(Role::Assistant))
        }
        "function_call_output" | "custom_tool_call_output" => {
            output(node, sink);
            let flags = BlockFlags::default()
                .when(kind.starts_with('c'), BlockFlags::SPECIAL)
                .when(!is_said(node.get(Key::Output)), BlockFlags::MALFORMED);
            end_paired(node, BlockKind::Result, Key::CallId, flags, sink);
            Ok(plain(Role::Tool))
        }
        "computer_call" | "local_shell_call" | "shell_call" | "apply_patch_call" => {
            json_text(TextKind::Arguments, node, sink);
            end_paired(node, BlockKind::Call, Key::CallId, BlockFlags::SPECIAL, sink);
            Ok(plain(Role::Assistant))
        }
        "local_shell_call_output" => {
            output(node, sink);
            // It names its call by `id`: the client's type has no `call_id` (openai 3.57), though users write one.
            let key = if node.get(Key::CallId).is_some() { Key::CallId } else { Key::Id };
            end_paired(node, BlockKind::Result, key, BlockFlags::SPECIAL, sink);
            Ok(plain(Role::Tool))
        }
        "computer_call_output" | "shell_call_output" | "apply_patch_call_output" => {
            output(node, sink);
            end_paired(node, BlockKind::Result, Key::CallId, BlockFlags::SPECIAL, sink);
            Ok(plain(Role::Tool))
        }
        "mcp_approval_request" => {
            json_text(TextKind::Arguments, node, sink);
            let flags = BlockFlags::SPECIAL.with(BlockFlags::CONFIRMATION);
            end_paired(node, BlockKind::Call, Key::Id, flags, sink);
            Ok(plain(Role::Assistant))
        }
        "mcp_approval_response" => {
            end_paired(node, BlockKind::Result, Key::ApprovalRequestId, BlockFlags::SPECIAL, sink);
            Ok(plain(Role::Tool))
        }
        "reasoning" => {
            reasoning(node, sink);
            Ok(plain(Role::Assistant))
        }
        "compaction" => {
            opaque(node, Key::EncryptedContent, sink);
            sink.end_block(BlockEnd { kind: BlockKind::Compaction, flags: BlockFlags::SIGNED, id: "" });
            Ok(plain(Role::Assistant))
        }
        "item_reference" => {
            reference(node, sink);
            Ok(plain(Role::Assistant))
        }
        "image_generation_call" => {
            if let Some(prompt) = node.get(Key::RevisedPrompt) {
                sink.text(TextKind::Speech, &prompt.text().unwrap_or_default());
            }
            media::image(node.get(Key::Result).as_ref(), "", sink);
            sink.end_block(BlockEnd { kind: BlockKind::ServerCall, flags: BlockFlags::default(), id: "" });
            Ok(plain(Role::Assistant))
        }
        // Calls that the server answers itself: web_search_call, file_search_call, mcp_call and their kin.
        other if other.ends_with("_call") || other == "mcp_list_tools" => {
            unknown(node, sink);
            sink.end_block(BlockEnd { kind: BlockKind::ServerCall, flags: BlockFlags::default(), id: "" });
            Ok(plain(Role::Assistant))
        }
        _ => {
            other_block(node, BlockFlags::default(), sink);
            Ok(node.get(Key::Role).map_or(Ok(plain(Role::Assistant)), |_| role_of(index, node))?)
        }
    }
}

fn is_reference<N: Node>(node: &N) -> bool {
    let has = |key| node.get(key).is_some();
    node.get(Key::Id).as_ref().and_then(Node::text).is_some() && !has(Key::Role) && !has(Key::Content)
}

/// Beginnings of ids of items that are no calls which the caller answers: messages, reasoning, what the server calls
/// itself, compactions. Ids begin so in the examples of the API reference (2026-11).
const NO_CALLS: [&str; 9] = ["msg_", "rs_", "ws_", "fs_", "ig_", "ci_", "mcp_", "mcpl_", "cmp_"];

fn reference<N: Node, S: Sink>(node: &N, sink: &mut S) {
    let id = node.get(Key::Id);
    let id = id.as_ref().and_then(Node::text).unwrap_or_default();
    let may_call = !NO_CALLS.iter().any(|start| id.starts_with(start));
    let flags = BlockFlags::default().when(may_call, BlockFlags::MAY_CALL);
    sink.end_block(BlockEnd { kind: BlockKind::Reference, flags, id: "" });
}

fn message<N: Node, S: Sink>(index: usize, node: &N, sink: &mut S) -> Result<MessageEnd> {
    let mut end = role_of(index, node)?;
    // A type of no text, or one that another library's messages have beside their role.
    let mistyped = node.get(Key::Type).is_some_and(|kind| !matches!(kind.text().as_deref(), Some("" | "message")));
    end.flags =
        end.flags.when(end.role == Role::Tool, MessageFlags::FOREIGN_ROLE).when(mistyped, MessageFlags::MALFORMED);
    if end.role == Role::Tool && node.get(Key::ToolCallId).is_some() {
        // A message of Chat Completions: the output of the call that it names.
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
        // A part without its list; an object of no type is data.
        kind if kind == NodeKind::List || kind == NodeKind::Map && content.get(Key::Type).is_some() => {
            end.flags = end.flags.with(spread::each(&content, &mut |part| read_part(end.role, part, sink)));
        }
        _ => {
            other_block(&content, BlockFlags::MALFORMED, sink);
            end.flags = end.flags.with(MessageFlags::MALFORMED);
        }
    }
    Ok(end)
}

fn tool_message<N: Node, S: Sink>(node: &N, sink: &mut S) {
    said_by_tool(node.get(Key::Content), sink);
    end_paired(node, BlockKind::Result, Key::ToolCallId, BlockFlags::default(), sink);
}

fn read_part<N: Node, S: Sink>(role: Role, part: &N, sink: &mut S) {
    if part.kind() != NodeKind::Map {
        return bare_item(part, sink);
    }
    let kind = part.get(Key::Type);
    match kind.as_ref().and_then(Node::text).unwrap_or_default().as_ref() {
        kind @ ("input_text" | "output_text" | "text" | "refusal") => {
            // "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'."
            let own = if role == Role::Assistant { kind.starts_with(['o', 'r']) } else { kind.starts_with('i') };
            let said = if kind == "refusal" { [Key::Refusal, Key::Text] } else { [Key::Text, Key::Refusal] };
            let flags = BlockFlags::default().when(!own, BlockFlags::MALFORMED);
            // A refusal of another name than its own is written anew.
            let flags = flags.when(kind == "refusal" && part.get(Key::Refusal).is_none(), BlockFlags::MALFORMED);
            text_part(part, said, flags, sink);
        }
        _ => other_block(part, BlockFlags::default(), sink),
    }
}

/// Its text stands in the first of the two members that is there.
fn text_part<N: Node, S: Sink>(part: &N, said: [Key; 2], flags: BlockFlags, sink: &mut S) {
    let value = said.iter().find_map(|&key| part.get(key));
    let flags = flags.with(spoken(value.as_ref(), sink));
    sink.end_block(BlockEnd { kind: BlockKind::Text, flags, id: "" });
}

/// Whether an output is a text or a list of parts.
fn is_said<N: Node>(output: Option<N>) -> bool {
    let Some(output) = output else { return false };
    let mut said = matches!(output.kind(), NodeKind::Text | NodeKind::List);
    output.items(&mut |part| said &= part.kind() == NodeKind::Map);
    said
}

/// Output of a call: a text, a list of parts, or one part (a screenshot).
fn output<N: Node, S: Sink>(node: &N, sink: &mut S) {
    said_by_tool(node.get(Key::Output), sink);
}

fn said_by_tool<N: Node, S: Sink>(output: Option<N>, sink: &mut S) {
    let Some(output) = output else { return };
    match output.kind() {
        NodeKind::Text => sink.text(TextKind::ToolOutput, &output.text().unwrap_or_default()),
        NodeKind::List => {
            spread::each(&output, &mut |part| output_part(part, sink));
        }
        NodeKind::Map => output_part(&output, sink),
        _ => json_text(TextKind::ToolOutput, &output, sink),
    }
}

fn output_part<N: Node, S: Sink>(part: &N, sink: &mut S) {
    if let Some(text) = part.text() {
        return sink.text(TextKind::ToolOutput, &text);
    }
    match part.get(Key::Text) {
        Some(text) => sink.text(TextKind::ToolOutput, &text.text().unwrap_or_default()),
        None => other_item(part, sink),
    }
}

/// Reasoning: its summary is readable, its `encrypted_content` only for the provider.
fn reasoning<N: Node, S: Sink>(node: &N, sink: &mut S) {
    for key in [Key::Summary, Key::Content] {
        if let Some(parts) = node.get(key) {
            parts.items(&mut |part| {
                let text = part.get(Key::Text);
                sink.text(TextKind::Thinking, &text.as_ref().and_then(Node::text).unwrap_or_default());
            });
        }
    }
    let signed = opaque(node, Key::EncryptedContent, sink);
    let flags = BlockFlags::default().when(signed, BlockFlags::SIGNED);
    sink.end_block(BlockEnd { kind: BlockKind::Thinking, flags, id: "" });
}

/// The most characters of a `call_id`: "Expected a string with maximum length 64" (`AnswerDotAI/fastllm` #45, 2026-06;
/// `orchidfiles/ungate` PR #41, 2026-08, which found no other demand on it).
const LONGEST_ID: usize = 64;

fn end_paired<N: Node, S: Sink>(node: &N, kind: BlockKind, key: Key, flags: BlockFlags, sink: &mut S) {
    let id = node.get(key);
    let id = id.as_ref().and_then(Node::text).unwrap_or_default();
    let long = kind == BlockKind::Call && id.chars().nth(LONGEST_ID).is_some();
    let flags = flags.when(id.is_empty(), BlockFlags::NO_ID).when(long, BlockFlags::BAD_ID);
    sink.end_block(BlockEnd { kind, flags, id: &id });
}
