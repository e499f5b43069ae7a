//! Whether messages, calls and blocks are of the shape that their format has, whoever the provider is.

use super::{List, Message, RuleId, Violation};
use crate::message::{BlockFlags, BlockKind, BlockRow, MessageFlags, Role};

/// What a message's own flags say when something in it may be out of shape: most messages are left at one look.
const ODD: MessageFlags = MessageFlags::FOREIGN_ROLE
    .with(MessageFlags::MALFORMED)
    .with(MessageFlags::ODD_CALL)
    .with(MessageFlags::EMPTY_CALLS)
    .with(MessageFlags::NO_CONTENT);

pub(super) fn judge(list: &List<'_>, found: &mut Vec<Violation>) {
    for message in list.messages().filter(|message| message.row.flags.has_any(ODD)) {
        if message.has(MessageFlags::FOREIGN_ROLE) {
            found.push(message.violation(None, list.written.role));
        }
        judge_content(list, &message, found);
        judge_blocks(list, &message, found);
    }
}

fn judge_content(list: &List<'_>, message: &Message<'_>, found: &mut Vec<Violation>) {
    let missing = list.written.content.filter(|_| lacks_content(message.role(), message.row.flags));
    let call_list = list.written.call_list.filter(|_| message.has(MessageFlags::EMPTY_CALLS));
    found.extend(missing.into_iter().chain(call_list).map(|rule| message.violation(None, rule)));
    // What is not told of a block is told of the message: the content of a tool message is no block.
    let Some(rule) = list.written.shape.filter(|_| message.has(MessageFlags::MALFORMED)) else { return };
    if !message.blocks.iter().any(|block| block.flags.has(BlockFlags::MALFORMED)) {
        found.push(message.violation(None, rule));
    }
}

fn judge_blocks(list: &List<'_>, message: &Message<'_>, found: &mut Vec<Violation>) {
    for (number, block) in message.numbered() {
        let rules = [
            list.written.arguments.filter(|_| has_bad_arguments(block)),
            list.written.id_of(block),
            list.written.shape_of(block),
        ];
        found.extend(rules.into_iter().flatten().map(|rule: RuleId| message.violation(Some(number), rule)));
    }
}

/// Whether a message says nothing at all, though its role must. An assistant that calls or refuses need not.
pub(super) const fn lacks_content(role: Role, flags: MessageFlags) -> bool {
    let says = matches!(role, Role::Assistant) && flags.has_any(MessageFlags::SPEECH.with(MessageFlags::CALLS));
    flags.has(MessageFlags::NO_CONTENT) && !says
}

/// Whether a call's arguments are not what the format has.
pub(super) fn has_bad_arguments(block: &BlockRow) -> bool {
    block.kind == BlockKind::Call && block.flags.has(BlockFlags::BAD_ARGUMENTS)
}

/// Whether a call has no id, or one that the provider refuses. Some kinds have none, and the id of a question for
/// consent is the server's.
pub(super) fn wants_id(block: &BlockRow) -> bool {
    let exempt = BlockFlags::IDLESS.with(BlockFlags::CONFIRMATION);
    let lacking = BlockFlags::NO_ID.with(BlockFlags::BAD_ID);
    block.kind == BlockKind::Call && block.flags.has_any(lacking) && !block.flags.has_any(exempt)
}
