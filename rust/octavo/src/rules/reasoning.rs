//! Reasoning that must stand, must not stand, or must not stand alone.

use super::{List, Message, Provider, RuleId, Violation};
use crate::message::{BlockFlags, BlockKind, BlockRow, MessageFlags, Role};

pub(super) fn judge(list: &List<'_>, found: &mut Vec<Violation>) {
    if !list.is_own() {
        // A conversion leaves out reasoning that the target cannot carry.
        return;
    }
    match list.provider {
        Provider::Anthropic => judge_thinking(list, found),
        Provider::Responses => judge_alone(list, found),
        Provider::Gemini if list.mode.signed_calls => judge_signatures(list, found),
        Provider::OpenAi if wants_reasoning_content(list) => judge_reasoning_content(list, found),
        _ => {}
    }
}

/// Whether a block is reasoning of any kind.
pub(super) fn is_thinking(block: &BlockRow) -> bool {
    block.kind.is_thinking()
}

/// Whether the server wants `reasoning_content` in assistant messages with calls: by its name, or by what it
/// wrote itself. The second is asked of the list that is sent, so that it is the same however the list came about.
pub(super) fn wants_reasoning_content(list: &List<'_>) -> bool {
    match list.mode.reasoning_content {
        Some(wants) => wants && list.mode.thinking != Some(false),
        None => list.mode.thinking == Some(true) && list.messages().any(|message| reasons_aloud(&message)),
    }
}

/// Whether a message carries `reasoning_content` that says something.
fn reasons_aloud(message: &Message<'_>) -> bool {
    let says = |block: &BlockRow| is_thinking(block) && !block.flags.has(BlockFlags::BLANK);
    message.has(MessageFlags::REASONING_CONTENT) && message.blocks.first().is_some_and(says)
}

/// Whether a user's message opens a new turn: it holds something, and no result.
pub(super) fn opens_turn(role: Role, mut blocks: impl Iterator<Item = BlockKind>) -> bool {
    role == Role::User && !blocks.any(|kind| kind == BlockKind::Result)
}

/// The position after the last message that opens a turn: the current turn starts there.
fn current_turn(list: &List<'_>) -> usize {
    let opens = |message: &Message<'_>| message.role() == Role::User && !message.has(MessageFlags::RESULTS);
    list.messages().rev().find(opens).map_or(0, |message| message.position + 1)
}

/// Where the turns start that must be as the provider wants the newest one.
fn judged_from(list: &List<'_>) -> usize {
    if list.mode.every_turn { 0 } else { current_turn(list) }
}

fn assistants<'a>(list: &List<'a>, from: usize) -> impl DoubleEndedIterator<Item = Message<'a>> + use<'a> {
    list.messages().skip(from).filter(|message| message.role() == Role::Assistant)
}

fn judge_thinking(list: &List<'_>, found: &mut Vec<Violation>) {
    match list.mode.thinking {
        Some(true) if list.mode.thinking_first => judge_loop_start(list, found),
        Some(false) => judge_thinking_off(list, found),
        _ => {}
    }
}

/// A tool loop is one turn of the assistant's: its first message must start with thinking.
fn judge_loop_start(list: &List<'_>, found: &mut Vec<Violation>) {
    let from = current_turn(list);
    let Some(first) = assistants(list, from).next() else { return };
    let has_calls = assistants(list, from).any(|message| message.has(MessageFlags::CALLS));
    if has_calls && !first.blocks.first().is_some_and(is_thinking) {
        found.push(first.violation(None, RuleId::A7));
    }
}

/// The last assistant message, and the others of its turn when that turn still runs, hold no thinking.
fn judge_thinking_off(list: &List<'_>, found: &mut Vec<Violation>) {
    let newest = assistants(list, 0).next_back();
    for message in assistants(list, judged_from(list)).chain(newest) {
        let block = message.numbered().find(|(_, block)| is_thinking(block));
        found.extend(block.map(|(number, _)| message.violation(Some(number), RuleId::A8)));
    }
}

/// A reasoning item is followed by another item of the model's that does not itself stand alone.
fn judge_alone(list: &List<'_>, found: &mut Vec<Violation>) {
    let mut followed = false;
    for message in list.messages().rev() {
        let alone = !followed && message.has(MessageFlags::THINKING);
        if alone {
            found.push(message.violation(Some(0), RuleId::R3));
        }
        followed = message.role() == Role::Assistant && !alone;
    }
}

/// Each step of the current turn: the first of its calls carries the signature for all of them.
fn judge_signatures(list: &List<'_>, found: &mut Vec<Violation>) {
    for message in assistants(list, judged_from(list)) {
        let first = message.numbered().find(|(_, block)| block.kind == BlockKind::Call);
        let bare = first.filter(|(_, block)| !block.flags.has(BlockFlags::SIGNED));
        found.extend(bare.map(|(number, _)| message.violation(Some(number), RuleId::G2)));
    }
}

fn judge_reasoning_content(list: &List<'_>, found: &mut Vec<Violation>) {
    let lacking = assistants(list, 0)
        .filter(|message| message.has(MessageFlags::CALLS) && !message.has(MessageFlags::REASONING_CONTENT));
    found.extend(lacking.map(|message| message.violation(None, RuleId::D1)));
}
