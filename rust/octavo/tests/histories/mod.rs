//! Generated conversations, as rows.
#![allow(dead_code, unreachable_pub, reason = "each test program uses a part of it")]

use octavo::assemble::Assembler;
use octavo::budget::Marks;
use octavo::message::{BlockFlags, BlockKind, BlockRow, Counted, Estimated, Format, MessageEnd, MessageFlags, Role};
use octavo::plan::Call;
use octavo::rules::{AddedTokens, Mode, Provider};
use octavo::transcript::Entry;
use octavo::window::Limits;
use proptest::prelude::*;

/// What happens next in a generated conversation.
#[derive(Debug, Clone)]
pub enum Turn {
    System(u32),
    User(u32),
    Reply(u32),
    /// Calls with the tokens of each result; `None` is a result that never comes.
    Calls(u32, Vec<Option<u32>>),
    /// A result for a call of that many exchanges ago, or for none.
    Late(u32, u32),
}

pub fn turn() -> impl Strategy<Value = Turn> {
    turn_of(prop_oneof![4 => 1_u32..200, 1 => 200_u32..3000])
}

pub fn turn_of(tokens: impl Strategy<Value = u32> + Clone) -> impl Strategy<Value = Turn> {
    prop_oneof![
        1 => tokens.clone().prop_map(Turn::System),
        4 => tokens.clone().prop_map(Turn::User),
        4 => tokens.clone().prop_map(Turn::Reply),
        6 => (tokens.clone(), prop::collection::vec(prop::option::weighted(0.95, tokens.clone()), 1..4))
            .prop_map(|(own, results)| Turn::Calls(own, results)),
        1 => (tokens, 0_u32..40).prop_map(|(own, back)| Turn::Late(own, back)),
    ]
}

pub fn block(kind: BlockKind, id: u64, tokens: u32) -> BlockRow {
    BlockRow { id, tokens, flags: BlockFlags::default(), kind }
}

pub fn entry(role: Role, blocks: Vec<BlockRow>) -> Entry {
    let end = MessageEnd { role, flags: MessageFlags::default() };
    Entry {
        end,
        tokens: blocks.iter().map(|block| block.tokens).sum(),
        estimated: Estimated::default(),
        thinking: Counted::default(),
        blocks,
        outputs: Vec::new(),
        looks: Vec::new(),
    }
}

/// Writes the turns as Chat Completions messages: each result is a message of its own.
pub fn messages(turns: &[Turn]) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        let id = |call: usize| 1 + (at as u64) * 10 + call as u64;
        match turn {
            Turn::System(tokens) => entries.push(entry(Role::System, vec![block(BlockKind::Text, 0, *tokens)])),
            Turn::User(tokens) => entries.push(entry(Role::User, vec![block(BlockKind::Text, 0, *tokens)])),
            Turn::Reply(tokens) => entries.push(entry(Role::Assistant, vec![block(BlockKind::Text, 0, *tokens)])),
            Turn::Calls(own, results) => {
                let calls = (0..results.len()).map(|call| block(BlockKind::Call, id(call), *own)).collect();
                entries.push(entry(Role::Assistant, calls));
                for (call, tokens) in results.iter().enumerate().filter_map(|(call, tokens)| Some((call, (*tokens)?))) {
                    entries.push(entry(Role::Tool, vec![block(BlockKind::Result, id(call), tokens)]));
                }
            }
            Turn::Late(tokens, back) => {
                let answered = 1 + (at as u64).saturating_sub(u64::from(*back)) * 10;
                entries.push(entry(Role::Tool, vec![block(BlockKind::Result, answered, *tokens)]));
            }
        }
    }
    entries
}

pub fn call(budget: u64, fixed: u64, beside: u64) -> Call {
    let limits = Limits {
        budget,
        fixed,
        beside: 0,
        loop_opening: false,
        stored_calls: false,
        placeholder: 0,
        told: 0,
        basis: 0,
        marks: Marks::default(),
        clear: false,
    };
    let added = AddedTokens { result: 20, note: 10, framing: 4 };
    Call { limits, beside, provider: Provider::OpenAi, mode: Mode::new(Format::OpenAi), added }
}

pub fn filled(entries: &[Entry]) -> Assembler {
    let mut assembler = Assembler::new(Format::OpenAi);
    for entry in entries {
        assert!(assembler.append(entry).is_ok());
    }
    assembler
}
