//! Cache breakpoints: where they may stand, and how many.

use super::reasoning::is_thinking;
use super::{List, Provider, RuleId, Violation};
use crate::message::{BlockFlags, BlockKind, BlockRow, MessageFlags};

/// The most blocks of one request that may carry `cache_control` (the provider's error text, 2026-11).
pub(super) const MAX_BREAKPOINTS: u32 = 4;

pub(super) fn judge(list: &List<'_>, found: &mut Vec<Violation>) {
    if list.provider != Provider::Anthropic || !list.is_own() {
        return;
    }
    let mut count = list.mode.breakpoints;
    let mut short = list.mode.short_breakpoints;
    let mut mixed = None;
    let mut excess = None;
    for message in list.messages().filter(|message| message.has(MessageFlags::BREAKPOINT)) {
        for (number, block) in message.numbered().filter(|(_, block)| block.flags.is_breakpoint()) {
            count = count.saturating_add(block.flags.breakpoints());
            let here = |rule| message.violation(Some(number), rule);
            if is_empty_text(block) {
                found.push(here(RuleId::A11));
            }
            if is_thinking(block) {
                found.push(here(RuleId::A24));
            }
            if count > MAX_BREAKPOINTS {
                excess.get_or_insert(here(RuleId::A12));
            }
            if is_hour(block) && (short || is_short(block)) {
                mixed.get_or_insert(here(RuleId::A13));
            }
            short |= is_short(block);
        }
    }
    judge_around(list, found);
    found.extend(excess);
    found.extend(mixed);
}

/// What no change of the messages cures: a violation of a message, but of none of its blocks.
fn judge_around(list: &List<'_>, found: &mut Vec<Violation>) {
    let Some(end) = list.last() else { return };
    let excess = (list.mode.breakpoints > MAX_BREAKPOINTS).then(|| end.violation(None, RuleId::A12));
    let mixed = list.mode.mixed_breakpoints.then(|| end.violation(None, RuleId::A13));
    found.extend(excess.into_iter().chain(mixed));
}

/// Whether a violation is of breakpoints in system or tools.
pub(super) fn is_around(violation: &Violation) -> bool {
    violation.block.is_none() && matches!(violation.rule, RuleId::A12 | RuleId::A13)
}

/// Whether a block is a text without any character.
pub(super) fn is_empty_text(block: &BlockRow) -> bool {
    block.kind == BlockKind::Text && block.flags.has(BlockFlags::EMPTY)
}

/// Whether a block has a breakpoint that lives five minutes.
pub(super) fn is_short(block: &BlockRow) -> bool {
    block.flags.has(BlockFlags::CACHE_5M)
}

/// Whether a block has a breakpoint that lives an hour.
pub(super) fn is_hour(block: &BlockRow) -> bool {
    block.flags.has(BlockFlags::CACHE_1H)
}
