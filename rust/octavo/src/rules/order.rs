//! Who may speak after whom.

use super::demands::Layout;
use super::{List, Message, Provider, Violation};
use crate::message::{BlockKind, MessageFlags, Role};

pub(super) fn judge(list: &List<'_>, found: &mut Vec<Violation>) {
    judge_opening(list, found);
    if Layout::of(list.mode.format) != Layout::Packed {
        // A conversion merges what stands side by side, and takes system messages out.
        return;
    }
    let mut previous: Option<Message<'_>> = None;
    for message in list.messages() {
        match message.role() {
            Role::System => judge_system(list, previous, &message, found),
            role if previous.is_some_and(|previous| previous.role() == role) => judge_repeat(list, &message, found),
            _ => {}
        }
        previous = Some(message);
    }
}

fn judge_opening(list: &List<'_>, found: &mut Vec<Violation>) {
    let Some(rule) = list.demands.first_user else { return };
    let first = list.messages().find(|message| message.role() != Role::System);
    found.extend(first.filter(|first| first.role() == Role::Assistant).map(|first| first.violation(None, rule)));
}

fn judge_repeat(list: &List<'_>, message: &Message<'_>, found: &mut Vec<Violation>) {
    found.extend(list.demands.alternate.map(|rule| message.violation(None, rule)));
    let calls = message.role() == Role::Assistant && message.has(MessageFlags::CALLS);
    found.extend(list.demands.calls_after_user.filter(|_| calls).map(|rule| message.violation(None, rule)));
}

fn judge_system(list: &List<'_>, previous: Option<Message<'_>>, message: &Message<'_>, found: &mut Vec<Violation>) {
    let Some(rule) = list.demands.system else { return };
    // No format with blocks has the role `developer`.
    let only_text = message.blocks.iter().all(|block| block.kind == BlockKind::Text);
    let follows = previous.is_some_and(|previous| may_precede_system(previous.role(), previous.blocks.last()));
    let named = !message.has(MessageFlags::DEVELOPER);
    if !(takes_system(list) && only_text && follows && named) {
        found.push(message.violation(None, rule));
    }
}

/// Whether the provider takes `system` messages amid the others at all.
pub(super) fn takes_system(list: &List<'_>) -> bool {
    list.provider == Provider::Anthropic && list.is_own() && list.mode.system_messages != Some(false)
}

/// A system message follows the user's, or an assistant message that ends in a server tool's result.
pub(super) fn may_precede_system(role: Role, last: Option<&crate::message::BlockRow>) -> bool {
    role == Role::User || (role == Role::Assistant && last.is_some_and(|block| block.kind == BlockKind::ServerResult))
}
