//! Cache breakpoints: where they may stand, and how many.

use super::{List, Provider, RuleId, Violation};
use crate::message::{BlockFlags, BlockKind, BlockRow, MessageFlags};

/// The most blocks of one request that may carry `cache_control` (the provider's error text, 2026-11).
pub(super) const MAX_BREAKPOINTS: u32 = 4;

pub(super) fn judge(list: &List<'_>, found: &mut Vec<Violation>) {
    if list.provider != Provider::Anthropic || !list.is_own() {
        return;
    }
    let mut count = list.mode.breakpoints;
    let mut short = false;
    let mut mixed = None;
    let mut excess = None;
    for message in list.messages().filter(|message| message.has(MessageFlags::BREAKPOINT)) {
        for (number, block) in message.numbered().filter(|(_, block)| block.flags.is_breakpoint()) {
            count = count.saturating_add(1);
            let here = |rule| message.violation(Some(number), rule);
            if is_empty_text(block) {
                found.push(here(RuleId::A11));
            }
            if count > MAX_BREAKPOINTS {
                excess.get_or_insert(here(RuleId::A12));
            }
            let hour = is_hour(block);
            if hour && short {
                mixed.get_or_insert(here(RuleId::A13));
            }
            short |= !hour;
        }
    }
    found.extend(excess);
    found.extend(mixed);
}

/// Whether a block is a text without any character.
pub(super) fn is_empty_text(block: &BlockRow) -> bool {
    block.kind == BlockKind::Text && block.flags.has(BlockFlags::EMPTY)
}

/// Whether a block's breakpoint lives an hour.
pub(super) fn is_hour(block: &BlockRow) -> bool {
    block.flags.has(BlockFlags::CACHE_1H)
}
