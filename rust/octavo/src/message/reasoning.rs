//! Reasoning in assistant messages of Chat Completions, which servers and routers put into four members.
//!
//! `reasoning_content` (`DeepSeek`, `vLLM`, `LiteLLM`), `reasoning` (`OpenRouter`, Groq), `thinking_blocks` (`LiteLLM`:
//! Anthropic's blocks) and `reasoning_details` (`OpenRouter`: texts, summaries, encrypted data). Often two of them say
//! the same, and the provider is given it once: a member whose words all stand in another one is not counted again.

use super::{BlockEnd, BlockFlags, BlockKind, MessageFlags, Sink, TextKind, opaque_value, text_flags};
use crate::message::id_hash;
use crate::node::{Key, Node, NodeKind};

/// The members, in the order in which the first that there is stands for all of them.
const MEMBERS: [Key; 4] = [Key::ReasoningContent, Key::Reasoning, Key::ThinkingBlocks, Key::ReasoningDetails];

/// Members of a list's item that hold words.
const WORDS: [Key; 3] = [Key::Text, Key::Thinking, Key::Summary];

/// Reads all reasoning of a message as one block, which the first of its members stands for.
pub(super) fn read<N: Node, S: Sink>(node: &N, sink: &mut S) -> MessageFlags {
    let mut members = MEMBERS.iter().filter_map(|&key| node.get(key));
    let Some(first) = members.next() else { return MessageFlags::default() };
    let flags = match members.next() {
        None => alone(&first, sink),
        Some(second) => together(&[first, second].into_iter().chain(members).collect::<Vec<_>>(), sink),
    };
    let own = node.get(Key::ReasoningContent);
    // Whether a server reasons aloud is asked of this member alone.
    let flags = own
        .as_ref()
        .and_then(Node::text)
        .map_or(flags, |text| flags.without(BlockFlags::BLANK).with(text_flags(&text)));
    sink.end_block(BlockEnd { kind: BlockKind::Thinking, flags, id: "" });
    MessageFlags::default().when(own.is_some(), MessageFlags::REASONING_CONTENT)
}

/// The one member that there is: nothing to compare it with.
fn alone<N: Node, S: Sink>(member: &N, sink: &mut S) -> BlockFlags {
    if let Some(text) = member.text() {
        sink.text(TextKind::Thinking, &text);
        return text_flags(&text);
    }
    together(std::slice::from_ref(member), sink)
}

/// What one member says.
#[derive(Default)]
struct Said {
    texts: Vec<String>,
    /// All texts without white space, which members join differently.
    squeezed: String,
}

fn together<N: Node, S: Sink>(members: &[N], sink: &mut S) -> BlockFlags {
    let mut secrets = Vec::new();
    let mut said: Vec<Said> = members.iter().map(|member| said_in(member, &mut secrets, sink)).collect();
    // The longest first, so that a part never counts before the whole; as they stand where they are alike.
    said.sort_by_key(|one| std::cmp::Reverse(one.squeezed.len()));
    let mut counted: Vec<String> = Vec::new();
    for Said { texts, squeezed } in said {
        if counted.iter().any(|before| before.contains(&squeezed)) {
            continue;
        }
        for text in &texts {
            sink.text(TextKind::Thinking, text);
        }
        counted.push(squeezed);
    }
    let blank = counted.iter().all(String::is_empty);
    BlockFlags::default().when(blank, BlockFlags::BLANK).when(!secrets.is_empty(), BlockFlags::SIGNED)
}

/// The words of a member: a text, a list of blocks or details, or one of them. What is encrypted is told at once, the
/// first time that it is seen.
fn said_in<N: Node, S: Sink>(member: &N, secrets: &mut Vec<u64>, sink: &mut S) -> Said {
    let mut said = Said::default();
    match member.kind() {
        NodeKind::List => member.items(&mut |item| detail(&item, &mut said, secrets, sink)),
        _ => detail(member, &mut said, secrets, sink),
    }
    said
}

fn detail<N: Node, S: Sink>(item: &N, said: &mut Said, secrets: &mut Vec<u64>, sink: &mut S) {
    if let Some(text) = item.text() {
        return say(&text, said);
    }
    let before = said.texts.len();
    for value in WORDS.iter().filter_map(|&key| item.get(key)) {
        say(&value.text().unwrap_or_default(), said);
    }
    // As in Anthropic's own blocks: a signature carries the reasoning where no words stand beside it.
    let silent = said.texts.len() == before;
    let secret = item.get(Key::Data).or_else(|| item.get(Key::Signature).filter(|_| silent));
    let Some(secret) = secret else { return };
    let hash = id_hash(&secret.text().unwrap_or_default());
    if !secrets.contains(&hash) && opaque_value(&secret, sink) {
        secrets.push(hash);
    }
}

fn say(text: &str, said: &mut Said) {
    if !text.is_empty() {
        said.squeezed.extend(text.chars().filter(|character| !character.is_whitespace()));
        said.texts.push(text.to_owned());
    }
}
