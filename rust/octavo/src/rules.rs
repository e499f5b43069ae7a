//! What makes a list of messages valid for its provider, and how a broken list is repaired.
//!
//! The rules are rows of one table ([`RULES`]). What is judged is a *selection* of a transcript's rows:
//! the list that would be sent. Calls and results are paired by position and exchange, never by a set of
//! ids over the whole history, because many servers repeat ids between turns, legally.
//!
//! A list may stand in another format than its provider's own (Chat Completions messages that a gateway
//! sends to Claude). Then only the facts that survive a conversion are judged: pairs, who speaks first,
//! unique ids and how the list ends, and whether it is in the shape of the format that it stands in. The provider's
//! own rules about blocks wait for the converted list.

mod breakpoints;
mod content;
mod demands;
mod draft;
mod given_back;
mod ids;
mod layer;
mod matching;
mod mend;
mod order;
mod pairing;
mod pairs;
mod reasoning;
mod recipe;
mod repair;
mod shape;
mod table;

pub use recipe::{AddedTokens, Change, ChangeKind, Edits, Note, Piece, Recipe, RepairedRows, made_id, repaired_rows};
pub use repair::{Repair, repair};
pub use table::{Judged, RULES, Rule, RuleId};

use crate::message::{BlockRow, Format, MessageFlags, MessageRow, Role, Rows};
use demands::Demands;

/// Whose rules a list must obey.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    /// Anthropic Messages.
    Anthropic,
    /// `OpenAI` Chat Completions, and the servers that speak it.
    OpenAi,
    /// `OpenAI` Responses.
    Responses,
    /// Gemini `generateContent`.
    Gemini,
    /// Bedrock Converse.
    Bedrock,
}

impl Provider {
    /// Every provider.
    pub const ALL: [Self; 5] = [Self::Anthropic, Self::OpenAi, Self::Responses, Self::Gemini, Self::Bedrock];

    /// The name that callers use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Responses => "openai-responses",
            Self::Gemini => "gemini",
            Self::Bedrock => "bedrock",
        }
    }

    /// The provider whose own format this is.
    const fn of(format: Format) -> Self {
        match format {
            Format::Anthropic => Self::Anthropic,
            Format::OpenAi => Self::OpenAi,
            Format::Responses => Self::Responses,
            Format::Gemini => Self::Gemini,
            Format::Bedrock => Self::Bedrock,
        }
    }

    /// The format that the provider itself takes.
    pub const fn format(self) -> Format {
        match self {
            Self::Anthropic => Format::Anthropic,
            Self::OpenAi => Format::OpenAi,
            Self::Responses => Format::Responses,
            Self::Gemini => Format::Gemini,
            Self::Bedrock => Format::Bedrock,
        }
    }
}

/// Input tokens of a request and what the model takes, for the rules about size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Tokens of the whole input plus the reserve for the answer.
    pub tokens: u64,
    /// The most that the model takes.
    pub limit: u64,
}

/// What must be known about a request, beside its messages, to judge them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one independent fact about the request")]
pub struct Mode {
    /// The shape that the messages are written in.
    pub format: Format,
    /// Whether thinking is on; `None` when it was not said, and nothing that depends on it is judged.
    pub thinking: Option<bool>,
    /// Whether the request continues a stored response (`previous_response_id`).
    pub previous_response: bool,
    /// Whether the model takes an assistant message at the end; `None`: unknown, not judged.
    pub prefill: Option<bool>,
    /// Whether the model takes `system` messages amid the others; `None`: unknown, only their place is judged.
    pub system_messages: Option<bool>,
    /// Whether the request defines tools; `None`: unknown, not judged.
    pub has_tools: Option<bool>,
    /// Whether a tool loop must open with thinking while it is on (older Claude models).
    pub thinking_first: bool,
    /// Whether calls of the current turn must carry a signature (Gemini 3).
    pub signed_calls: bool,
    /// Whether assistant messages with calls must carry `reasoning_content` (`DeepSeek` and Kimi) unless thinking
    /// is off. `None`: with thinking on, they must where another assistant message of the list carries it.
    pub reasoning_content: Option<bool>,
    /// Whether what the provider wants of the newest turn (no thinking while it is off, signed calls) is done to every
    /// turn. The provider takes the rest as it is; but a message that is edited while it stands in the newest turn
    /// and given back later breaks the cached prefix at each turn.
    pub every_turn: bool,
    /// Cache breakpoints outside the messages (in system and tools), which count towards the limit.
    pub breakpoints: u32,
    /// Whether one of them lives five minutes: then none of an hour may follow.
    pub short_breakpoints: bool,
    /// Whether one of an hour follows one of five minutes among them already.
    pub mixed_breakpoints: bool,
    /// Whether the system prompt holds an empty text block.
    pub empty_system: bool,
    /// The size of the request, where it is known.
    pub size: Option<Size>,
}

impl Mode {
    /// Nothing known but the format.
    pub const fn new(format: Format) -> Self {
        Self {
            format,
            thinking: None,
            previous_response: false,
            prefill: None,
            system_messages: None,
            has_tools: None,
            thinking_first: true,
            signed_calls: false,
            reasoning_content: Some(false),
            every_turn: false,
            breakpoints: 0,
            short_breakpoints: false,
            mixed_breakpoints: false,
            empty_system: false,
            size: None,
        }
    }
}

/// One broken rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Violation {
    /// The message, as an index into the rows (not into the selection).
    pub index: u32,
    /// The block within it, where one is to blame.
    pub block: Option<u32>,
    /// The rule.
    pub rule: RuleId,
}

/// A list that is being judged: a selection of rows, the provider's demands and the request's mode.
#[derive(Clone, Copy)]
struct List<'a> {
    rows: Rows<'a>,
    selection: &'a [u32],
    provider: Provider,
    demands: &'static Demands,
    /// Of the provider whose format the list stands in: what is out of shape there can be neither sent nor converted.
    written: &'static Demands,
    mode: &'a Mode,
}

impl<'a> List<'a> {
    fn new(provider: Provider, mode: &'a Mode, rows: Rows<'a>, selection: &'a [u32]) -> Self {
        let written = Demands::of(Provider::of(mode.format));
        Self { rows, selection, provider, demands: Demands::of(provider), written, mode }
    }

    /// The messages in order: position in the list, index in the rows, and the row.
    fn messages(&self) -> impl DoubleEndedIterator<Item = Message<'a>> + ExactSizeIterator + use<'a> {
        let (rows, items) = (self.rows, self.has_items());
        self.selection.iter().enumerate().map(move |(position, &index)| Message::new(rows, items, position, index))
    }

    /// The messages from `start` on. Not `messages().skip(…)`, which walks over what it skips: asked for each turn of
    /// a list, that is a square.
    fn messages_from(&self, start: usize) -> impl Iterator<Item = Message<'a>> + use<'a> {
        let (rows, items) = (self.rows, self.has_items());
        let rest = self.selection.get(start..).unwrap_or_default();
        (start..).zip(rest).map(move |(position, &index)| Message::new(rows, items, position, index))
    }

    fn at(&self, position: usize) -> Option<Message<'a>> {
        let items = self.has_items();
        self.selection.get(position).map(|&index| Message::new(self.rows, items, position, index))
    }

    fn last(&self) -> Option<Message<'a>> {
        self.at(self.selection.len().checked_sub(1)?)
    }

    /// Whether each result is an item of its own, of nobody's message.
    fn has_items(&self) -> bool {
        self.mode.format == Format::Responses
    }

    /// Whether the list stands in the provider's own format.
    fn is_own(&self) -> bool {
        self.provider.format() == self.mode.format
    }
}

/// One message of a list that is being judged.
#[derive(Clone, Copy)]
struct Message<'a> {
    position: usize,
    index: u32,
    row: MessageRow,
    blocks: &'a [BlockRow],
}

/// What stands for a message that the rows do not have: nothing, said by nobody who matters to a rule.
const MISSING: MessageRow =
    MessageRow { first_block: 0, blocks: 0, tokens: 0, flags: MessageFlags(0), role: Role::System };

fn holds_results(row: &MessageRow) -> bool {
    row.flags.has(MessageFlags::RESULTS)
}

impl<'a> Message<'a> {
    fn new(rows: Rows<'a>, items: bool, position: usize, index: u32) -> Self {
        let mut row = rows.messages.get(index as usize).copied().unwrap_or(MISSING);
        if row.role == Role::Tool && row.flags.has(MessageFlags::FOREIGN_ROLE) && !(items && holds_results(&row)) {
            // Where the format has no such role, results are the user's, and so it is judged but for its name.
            row.role = Role::User;
        }
        Self { position, index, row, blocks: rows.blocks_of(index) }
    }

    fn role(&self) -> Role {
        self.row.role
    }

    /// What its blocks say about it, told when it was appended: most rules then look at no block.
    fn has(&self, flags: MessageFlags) -> bool {
        self.row.flags.has(flags)
    }

    /// The blocks with their numbers.
    fn numbered(&self) -> impl DoubleEndedIterator<Item = (u32, &'a BlockRow)> + use<'a> {
        // A message never has more than u32::MAX blocks: its row counts them in a u32.
        let count = u32::try_from(self.blocks.len()).unwrap_or(u32::MAX);
        (0..count).zip(self.blocks)
    }

    fn violation(&self, block: Option<u32>, rule: RuleId) -> Violation {
        Violation { index: self.index, block, rule }
    }
}

/// Every rule that the selected messages break, in order of position, block and rule.
///
/// `selection` holds indices of messages, ascending: the list that would be sent. Linear in the selected
/// blocks (ids are sorted where a provider wants them unique); a clean list allocates two small buffers.
pub fn validate(provider: Provider, mode: &Mode, rows: Rows<'_>, selection: &[u32]) -> Vec<Violation> {
    let list = List::new(provider, mode, rows, selection);
    let mut found = Vec::new();
    pairing::judge(&list, &mut found);
    order::judge(&list, &mut found);
    shape::judge(&list, &mut found);
    content::judge(&list, &mut found);
    breakpoints::judge(&list, &mut found);
    reasoning::judge(&list, &mut found);
    given_back::judge(&list, &mut found);
    judge_request(&list, &mut found);
    found.sort_unstable();
    found.dedup();
    found
}

/// The rules that no change of the messages can meet.
fn judge_request(list: &List<'_>, found: &mut Vec<Violation>) {
    let Some(newest) = list.last() else { return };
    let large = list.mode.size.is_some_and(|size| size.tokens > size.limit);
    let size = list.demands.size.filter(|_| large);
    // The system prompt stands beside the list: in whatever format that is, the provider reads it as it is.
    let system = list.demands.empty_system.filter(|_| list.mode.empty_system);
    found.extend(size.into_iter().chain(system).map(|rule| newest.violation(None, rule)));
}
