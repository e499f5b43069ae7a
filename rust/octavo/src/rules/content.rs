//! What a message may hold: no empty texts, and nothing that the end of the list forbids.

use super::{List, Message, Provider, RuleId, Violation};
use crate::message::{BlockFlags, BlockKind, BlockRow, MessageFlags, Role};

pub(super) fn judge(list: &List<'_>, found: &mut Vec<Violation>) {
    if let Some(rule) = list.demands.empty.filter(|_| list.is_own()) {
        // Whoever refuses empty texts refuses empty messages: one walk for both.
        for message in list.messages() {
            judge_emptiness(&message, rule, found);
            list.demands.empty_text.into_iter().for_each(|rule| judge_texts(&message, rule, found));
            judge_results(list, &message, found);
        }
    }
    judge_end(list, found);
}

fn judge_emptiness(message: &Message<'_>, rule: RuleId, found: &mut Vec<Violation>) {
    if message.blocks.is_empty() {
        found.push(message.violation(None, rule));
    } else if message.has(MessageFlags::BLANK_TEXT) {
        let void = message.numbered().filter(|(_, block)| is_void(block));
        found.extend(void.map(|(number, _)| message.violation(Some(number), rule)));
    }
}

/// Texts of white space only are refused like empty ones. A turn with thinking is exempt: it must be
/// replayed as it came, and the provider that gave an empty text takes it back.
fn judge_texts(message: &Message<'_>, rule: RuleId, found: &mut Vec<Violation>) {
    if message.has(MessageFlags::THINKING) || !message.has(MessageFlags::BLANK_TEXT) {
        return;
    }
    let blank = message.numbered().filter(|(_, block)| is_blank(block));
    found.extend(blank.map(|(number, _)| message.violation(Some(number), rule)));
}

/// Texts inside a result: only those without any character are refused there. Output of white space alone was seen
/// to be taken (hermes-agent #55092, measured 2026-09), and is the tool's own.
fn judge_results(list: &List<'_>, message: &Message<'_>, found: &mut Vec<Violation>) {
    if !message.has(MessageFlags::BLANK_TEXT.with(MessageFlags::RESULTS)) {
        return;
    }
    let marked = Some(RuleId::A11).filter(|_| list.provider == Provider::Anthropic);
    for (number, block) in message.numbered().filter(|(_, block)| is_hollow(block)) {
        let rules = [
            list.demands.empty_text.filter(|_| block.flags.has(BlockFlags::EMPTY_INSIDE)),
            marked.filter(|_| block.flags.has(BlockFlags::MARKED_INSIDE)),
            list.demands.silent_error.filter(|_| block.flags.has(BlockFlags::SILENT_ERROR)),
        ];
        found.extend(rules.into_iter().flatten().map(|rule| message.violation(Some(number), rule)));
    }
}

/// Whether a result holds an empty text, or reports an error without a word.
pub(super) fn is_hollow(block: &BlockRow) -> bool {
    block.kind == BlockKind::Result && block.flags.has_any(BlockFlags::HOLLOW_RESULT)
}

/// Whether a block is a text without any visible character.
pub(super) fn is_blank(block: &BlockRow) -> bool {
    block.kind == BlockKind::Text && block.flags.has(BlockFlags::BLANK)
}

/// Whether a block holds nothing at all.
pub(super) fn is_void(block: &BlockRow) -> bool {
    block.kind == BlockKind::Other && block.flags.has(BlockFlags::HOLLOW)
}

/// Whether a block is a text that ends in white space.
pub(super) fn ends_in_space(block: &BlockRow) -> bool {
    block.kind == BlockKind::Text && block.flags.has(BlockFlags::TRAILING_SPACE)
}

/// Whether a block is the server's call, or its answer. A turn that ends in one was paused (`stop_reason`
/// `pause_turn`): it is sent back as it is, and the server goes on with it (platform.claude.com, stop reasons, 2026-11;
/// laravel/ai PR #493).
pub(super) fn is_of_server(block: &BlockRow) -> bool {
    matches!(block.kind, BlockKind::ServerCall | BlockKind::ServerResult)
}

/// An assistant message at the end asks the model to go on from it (prefill).
fn judge_end(list: &List<'_>, found: &mut Vec<Violation>) {
    let Some(newest) = list.last().filter(|message| message.role() == Role::Assistant) else { return };
    if list.provider != Provider::Anthropic || newest.blocks.last().is_some_and(is_of_server) {
        return;
    }
    if list.mode.prefill == Some(false) {
        found.push(newest.violation(None, RuleId::A15));
    } else if let Some((number, _)) = newest.numbered().next_back().filter(|(_, block)| ends_in_space(block)) {
        found.push(newest.violation(Some(number), RuleId::A14));
    }
}
