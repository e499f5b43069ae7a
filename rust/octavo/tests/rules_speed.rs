//! What validation and repair cost, and that the cost grows with the list and not faster.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot go on has failed, and says what it measured"
)]

use std::time::{Duration, Instant};

use octavo::message::{BlockFlags, BlockKind, BlockRow, Format, MessageFlags, MessageRow, Role, Rows};
use octavo::rules::{Mode, Provider, repair};

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

/// The fastest of several runs: what the machine can do when nothing else runs.
fn fastest(provider: Provider, format: Format, rows: Rows<'_>, runs: u32) -> Duration {
    let mode = Mode::new(format);
    let selection: Vec<u32> = (0..u32::try_from(rows.messages.len()).unwrap()).collect();
    let run = || {
        let start = Instant::now();
        std::hint::black_box(repair(provider, &mode, rows, std::hint::black_box(&selection)));
        start.elapsed()
    };
    (0..runs).map(|_| run()).min().unwrap()
}

#[test]
fn cost_grows_with_the_list_and_not_faster() {
    // Every id new, few ids over and over, one message with all the calls; answered and not.
    for (name, small, large) in [
        ("clean", history(500, u64::MAX, 2, true), history(5_000, u64::MAX, 2, true)),
        ("repeated ids", history(500, 3, 2, true), history(5_000, 3, 2, true)),
        ("one id", history(500, 1, 1, false), history(5_000, 1, 1, false)),
        ("parallel", history(1, u64::MAX, 1_000, true), history(1, u64::MAX, 10_000, true)),
        ("parallel, one id", history(1, 1, 1_000, true), history(1, 1, 10_000, true)),
        ("unanswered", history(500, u64::MAX, 2, false), history(5_000, u64::MAX, 2, false)),
    ] {
        for provider in Provider::ALL {
            let time = |(messages, blocks): &(Vec<MessageRow>, Vec<BlockRow>)| {
                // The same rows in every layout: results may stand with the user's text or be messages of their own.
                let of = |format| fastest(provider, format, Rows { messages, blocks }, 5).as_secs_f64();
                of(Format::Anthropic) + of(Format::OpenAi) + of(Format::Responses)
            };
            // Ten times the list in ten times the time, a square in a hundred: fifty is far from both. A busy
            // machine may spoil a measurement, so a second and a third one may still show it.
            let linear = (0..3).any(|_| {
                let (one, ten) = (time(&small), time(&large));
                eprintln!("{name}, {provider:?}: {:.1} us, ten times as long {:.1} us", one * 1e6, ten * 1e6);
                ten < one.max(1e-5) * 50.0
            });
            assert!(linear, "{name}, {provider:?}");
        }
    }
}

#[test]
fn a_clean_window_costs_microseconds() {
    let (messages, blocks) = history(25, u64::MAX, 2, true);
    let rows = Rows { messages: &messages, blocks: &blocks };
    let time = fastest(Provider::Anthropic, Format::Anthropic, rows, 2_000);
    eprintln!("51 messages, 151 blocks, clean: {time:?}");
    // 1.5 us when optimised; the bound is for builds that are not, and for busy machines.
    assert!(time < Duration::from_millis(1), "{time:?}");
}
