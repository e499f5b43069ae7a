//! What validation and repair cost, and that the cost grows with the list and not faster.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod timing;

use octavo::message::{BlockFlags, BlockKind, BlockRow, Format, MessageFlags, MessageRow, Role, Rows};
use octavo::rules::{Mode, Provider, repair};
use timing::{PATIENCE, assert_grows_with_size, assert_within, spent};

fn history(turns: u64, ids: u64, calls: u64, answered: bool) -> (Vec<MessageRow>, Vec<BlockRow>) {
    let mut messages = Vec::new();
    let mut blocks: Vec<BlockRow> = Vec::new();
    let mut push = |role, made: Vec<BlockRow>| {
        let flags = made.iter().fold(MessageFlags(0), |flags, block| flags.with(MessageFlags::of_block(block)));
        let first_block = u32::try_from(blocks.len()).unwrap();
        messages.push(MessageRow { first_block, blocks: u32::try_from(made.len()).unwrap(), tokens: 1, flags, role });
        blocks.extend(made);
    };
    let block = |kind, id| BlockRow { id, tokens: 1, flags: BlockFlags(0), kind };
    push(Role::User, vec![block(BlockKind::Text, 0)]);
    for turn in 0..turns {
        let id = |call: u64| 1 + (turn * calls + call) % ids;
        let text = std::iter::once(block(BlockKind::Text, 0));
        push(Role::Assistant, text.chain((0..calls).map(|call| block(BlockKind::Call, id(call)))).collect());
        let answers = (0..calls).rev().filter(|_| answered).map(|call| block(BlockKind::Result, id(call)));
        push(Role::User, answers.chain(std::iter::once(block(BlockKind::Text, 0))).collect());
    }
    (messages, blocks)
}

fn repaired(provider: Provider, format: Format, rows: Rows<'_>) {
    let selection: Vec<u32> = (0..u32::try_from(rows.messages.len()).unwrap()).collect();
    std::hint::black_box(repair(provider, &Mode::new(format), rows, std::hint::black_box(&selection)));
}

/// A history of so many turns, or of so many calls in one turn.
type Grown = fn(u64) -> (Vec<MessageRow>, Vec<BlockRow>);

#[test]
fn cost_grows_with_the_list_and_not_faster() {
    // Every id new, few ids over and over, one message with all the calls; answered and not.
    let histories: [(&str, Grown); 6] = [
        ("clean", |turns| history(turns, u64::MAX, 2, true)),
        ("repeated ids", |turns| history(turns, 3, 2, true)),
        ("one id", |turns| history(turns, 1, 1, false)),
        ("parallel", |calls| history(1, u64::MAX, 2 * calls, true)),
        ("parallel, one id", |calls| history(1, 1, 2 * calls, true)),
        ("unanswered", |turns| history(turns, u64::MAX, 2, false)),
    ];
    for (name, grown) in histories {
        for provider in Provider::ALL {
            assert_grows_with_size(
                &format!("{name}, {provider:?}"),
                500,
                |size| grown(u64::try_from(size).unwrap()),
                |(messages, blocks)| {
                    // The same rows in every layout: results may stand with the user's text or be messages of their own.
                    for format in [Format::Anthropic, Format::OpenAi, Format::Responses] {
                        repaired(provider, format, Rows { messages, blocks });
                    }
                },
                PATIENCE,
            );
        }
    }
}

#[test]
fn a_clean_window_costs_microseconds() {
    let (messages, blocks) = history(25, u64::MAX, 2, true);
    let rows = Rows { messages: &messages, blocks: &blocks };
    // 1.5 us when optimised; the bound is for builds that are not.
    assert_within("51 messages, 151 blocks, clean", 1e-3, || {
        spent(|| repaired(Provider::Anthropic, Format::Anthropic, rows))
    });
}
