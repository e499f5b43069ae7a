//! What each provider demands, as the rules that a fault would break.

use super::shape::wants_id;
use super::{Provider, RuleId};
use crate::message::{BlockFlags, BlockKind, BlockRow, Format};

/// How a format lays calls and results out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Results are blocks of the user message after the calls (Anthropic, Gemini, Bedrock).
    Packed,
    /// Each result is a message of its own, in the run after the assistant message (Chat Completions).
    Flat,
    /// Calls and results are items of their own; a turn is a run of items (Responses).
    Items,
}

impl Layout {
    pub(super) const fn of(format: Format) -> Self {
        match format {
            Format::Anthropic | Format::Gemini | Format::Bedrock => Self::Packed,
            Format::OpenAi => Self::Flat,
            Format::Responses => Self::Items,
        }
    }
}

/// The rule that each kind of fault breaks; `None` where the provider does not mind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Demands {
    /// A call without result.
    pub(super) unanswered: RuleId,
    /// A result that follows no calls at all.
    pub(super) orphan: RuleId,
    /// A result among others that answers none of the calls.
    pub(super) unknown: RuleId,
    /// A second result for one call.
    pub(super) repeated: RuleId,
    /// A result without the id that it needs, matched by its place only.
    pub(super) missing_id: Option<RuleId>,
    /// A result behind other content.
    pub(super) results_first: Option<RuleId>,
    /// A call id that was used before.
    pub(super) unique_ids: Option<RuleId>,
    /// A call id that an earlier call of the same turn has, where ids may come back in other turns.
    pub(super) turn_ids: Option<RuleId>,
    /// A list that the assistant opens.
    pub(super) first_user: Option<RuleId>,
    /// Two messages of one role in a row.
    pub(super) alternate: Option<RuleId>,
    /// A message with calls right after another of the assistant's.
    pub(super) calls_after_user: Option<RuleId>,
    /// A `system` message out of place.
    pub(super) system: Option<RuleId>,
    /// A message without content, which goes.
    pub(super) empty: Option<RuleId>,
    /// An empty text.
    pub(super) empty_text: Option<RuleId>,
    /// Calls or results in a request without tools.
    pub(super) needs_tools: Option<RuleId>,
    /// A request too large.
    pub(super) size: Option<RuleId>,
    /// A role that the format does not have.
    pub(super) role: RuleId,
    /// A call in a message that is not the assistant's.
    pub(super) caller: RuleId,
    /// Arguments of a call that are not what the format has.
    pub(super) arguments: Option<RuleId>,
    /// A call without id, or with one that is refused.
    pub(super) call_id: Option<RuleId>,
    /// Content that is not of the shape that it should have.
    pub(super) shape: Option<RuleId>,
    /// A call without its name, or without its type where it must have one.
    pub(super) call_shape: Option<RuleId>,
    /// A call id that is refused for its length, where none else is.
    pub(super) long_id: Option<RuleId>,
    /// No content at all, where there must be some, be it empty.
    pub(super) content: Option<RuleId>,
    /// An empty list of calls.
    pub(super) call_list: Option<RuleId>,
    /// A result that reports an error and says nothing.
    pub(super) silent_error: Option<RuleId>,
    /// An empty text in the system prompt.
    pub(super) empty_system: Option<RuleId>,
    /// A call of the server's without its result.
    pub(super) server_call: Option<RuleId>,
    /// A picture or file in an assistant message.
    pub(super) own_file: Option<RuleId>,
}

const ANTHROPIC: Demands = Demands {
    unanswered: RuleId::A1,
    orphan: RuleId::A2,
    unknown: RuleId::A2,
    repeated: RuleId::A4,
    missing_id: Some(RuleId::A2),
    results_first: Some(RuleId::A3),
    unique_ids: Some(RuleId::A5),
    turn_ids: None,
    first_user: Some(RuleId::A9),
    alternate: Some(RuleId::A9),
    calls_after_user: None,
    system: Some(RuleId::A16),
    empty: Some(RuleId::A10),
    empty_text: Some(RuleId::A10),
    needs_tools: None,
    size: Some(RuleId::A18),
    role: RuleId::A19,
    caller: RuleId::A23,
    arguments: Some(RuleId::A20),
    call_id: Some(RuleId::A21),
    shape: Some(RuleId::A22),
    call_shape: Some(RuleId::A27),
    long_id: None,
    content: None,
    call_list: None,
    silent_error: Some(RuleId::A25),
    empty_system: Some(RuleId::A26),
    server_call: Some(RuleId::A28),
    own_file: Some(RuleId::A29),
};

const OPENAI: Demands = Demands {
    unanswered: RuleId::O1,
    orphan: RuleId::O2,
    unknown: RuleId::O3,
    repeated: RuleId::O3,
    missing_id: Some(RuleId::O4),
    results_first: None,
    unique_ids: None,
    turn_ids: Some(RuleId::O12),
    first_user: None,
    alternate: None,
    calls_after_user: None,
    system: None,
    empty: None,
    empty_text: None,
    needs_tools: None,
    size: None,
    role: RuleId::O5,
    caller: RuleId::O9,
    arguments: Some(RuleId::O6),
    call_id: Some(RuleId::O11),
    shape: Some(RuleId::O8),
    call_shape: Some(RuleId::O13),
    long_id: None,
    content: Some(RuleId::O7),
    call_list: Some(RuleId::O10),
    silent_error: None,
    empty_system: None,
    server_call: None,
    own_file: None,
};

const RESPONSES: Demands = Demands {
    unanswered: RuleId::R2,
    orphan: RuleId::R1,
    unknown: RuleId::R1,
    repeated: RuleId::R1,
    call_list: None,
    long_id: Some(RuleId::O14),
    // A turn is several items, and nobody has seen the server mind.
    turn_ids: None,
    size: Some(RuleId::R6),
    ..OPENAI
};

// Gemini pairs by name and number: ids are optional, and text may stand before the responses.
const GEMINI: Demands = Demands {
    unanswered: RuleId::G3,
    orphan: RuleId::G3,
    unknown: RuleId::G3,
    repeated: RuleId::G3,
    missing_id: None,
    turn_ids: None,
    first_user: Some(RuleId::G1),
    calls_after_user: Some(RuleId::G1),
    system: Some(RuleId::A16),
    empty: Some(RuleId::G4),
    role: RuleId::A19,
    caller: RuleId::A23,
    arguments: Some(RuleId::A20),
    call_id: None,
    shape: None,
    call_shape: None,
    content: None,
    call_list: None,
    ..OPENAI
};

// Claude behind Converse: Anthropic's rules of order, Bedrock's own count of results.
const BEDROCK: Demands = Demands {
    orphan: RuleId::B1,
    unknown: RuleId::B1,
    repeated: RuleId::B1,
    unique_ids: None,
    turn_ids: Some(RuleId::B4),
    first_user: Some(RuleId::B3),
    needs_tools: Some(RuleId::B2),
    size: None,
    server_call: None,
    ..ANTHROPIC
};

impl Demands {
    /// The rule that a block's shape breaks.
    pub(super) fn shape_of(&self, block: &BlockRow) -> Option<RuleId> {
        let rule = if block.kind == BlockKind::Call { self.call_shape } else { self.shape };
        rule.filter(|_| block.flags.has(BlockFlags::MALFORMED))
    }

    /// The rule that a call's id breaks.
    pub(super) fn id_of(&self, block: &BlockRow) -> Option<RuleId> {
        let long = self.long_id.filter(|_| !block.flags.has(BlockFlags::NO_ID));
        long.or(self.call_id).filter(|_| wants_id(block))
    }

    pub(super) const fn of(provider: Provider) -> &'static Self {
        match provider {
            Provider::Anthropic => &ANTHROPIC,
            Provider::OpenAi => &OPENAI,
            Provider::Responses => &RESPONSES,
            Provider::Gemini => &GEMINI,
            Provider::Bedrock => &BEDROCK,
        }
    }
}
