//! The laws of cleared outputs, on generated histories: counted truly, decided rarely, the same for whoever folds.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod histories;

use histories::{Turn, call, filled, messages, turn};
use octavo::assemble::Assembler;
use octavo::message::{BlockKind, Format};
use octavo::plan::{Call, Plan};
use octavo::transcript::{Entry, Output, Transcript};
use octavo::window::{Limits, Why};
use proptest::prelude::*;
use proptest::test_runner::Config;

/// What a placeholder takes here.
const PLACEHOLDER: u32 = 20;

/// The messages of the turns, of which each long result could be cleared; some say the same.
fn with_outputs(turns: &[Turn]) -> Vec<Entry> {
    let mut entries = messages(turns);
    for entry in &mut entries {
        let results = (0..).zip(&entry.blocks).filter(|(_, block)| block.kind == BlockKind::Result);
        let long = results.filter(|(_, block)| block.tokens > 4 * PLACEHOLDER);
        let output = |(number, tokens): (u32, u32)| Output {
            block: number,
            tokens,
            saving: tokens - PLACEHOLDER,
            content: u64::from(tokens / 16 % 24) + 1,
        };
        entry.outputs = long.map(|(number, block)| output((number, block.tokens))).collect();
    }
    entries
}

fn clearing(budget: u64, told: u64) -> Call {
    let plain = call(budget, 0, 0);
    Call { limits: Limits { clear: true, told, ..plain.limits }, ..plain }
}

/// What is cleared, as messages with their blocks.
fn cleared(transcript: &Transcript, plan: &Plan) -> Vec<(u32, u32)> {
    let rows = plan.window.cleared_in(transcript, 0, plan.window.end);
    rows.iter().map(|row| (row.message, row.block)).collect()
}

/// Recomputes the tokens of what is shown, one message at a time.
fn recount(transcript: &Transcript, plan: &Plan) -> u64 {
    let gone = cleared(transcript, plan);
    let saved = |message: u32| {
        let rows = transcript.outputs_in(message, message + 1).1;
        rows.iter().filter(|row| gone.contains(&(row.message, row.block))).map(|row| u64::from(row.saving)).sum::<u64>()
    };
    plan.spans.iter().cloned().flatten().map(|at| transcript.tokens_in(at, at + 1) - saved(at)).sum()
}

fn steps(entries: &[Entry], call: Call, mut look: impl FnMut(&mut Assembler, u32, Plan)) {
    let mut assembler = Assembler::new(Format::OpenAi);
    for (end, entry) in (1..).zip(entries) {
        assembler.append(entry).unwrap();
        let plan = assembler.plan(call);
        look(&mut assembler, end, plan);
    }
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

    #[test]
    fn what_is_cleared_is_shown_and_counted(
        turns in prop::collection::vec(turn(), 1..100), budget in 0_u64..12_000, told in prop_oneof![Just(0), 0_u64..800],
        pins in prop::collection::vec(0_u32..200, 0..3),
    ) {
        let mut assembler = filled(&with_outputs(&turns));
        for pin in pins {
            assembler.pin(pin, true);
        }
        let plan = assembler.plan(clearing(budget, told));
        let transcript = assembler.transcript();
        prop_assert_eq!(plan.leading + plan.window.tokens, recount(transcript, &plan));
        let sums: u64 = plan.spans.iter().map(|span| plan.window.tokens_in(transcript, span.start, span.end)).sum();
        prop_assert_eq!(plan.leading + plan.window.tokens, sums);
        let gone = cleared(transcript, &plan);
        prop_assert!(gone.windows(2).all(|pair| pair[0] < pair[1]), "in order, each once");
        let newest = u32::try_from(transcript.exchanges().len()).unwrap().saturating_sub(2);
        let pinned: Vec<u32> = transcript.pins().iter().map(|pin| pin.exchange).collect();
        for &(message, _) in &gone {
            let exchange = transcript.exchange_of(message);
            prop_assert!(plan.spans.iter().any(|span| span.contains(&message)), "what is cleared is shown");
            prop_assert!(exchange >= plan.window.cut && exchange < newest, "nothing of what stays or is new is cleared");
            prop_assert!(!pinned.contains(&exchange), "what is pinned is not cleared");
        }
        let (_, left_out) = plan.window.left_out(transcript);
        prop_assert!(left_out.windows(2).all(|pair| pair[0].end <= pair[1].start), "told in order, each once: {left_out:?}");
        prop_assert!(gone.iter().all(|(message, _)| left_out.iter().any(|span| span.contains(message))));
    }

    #[test]
    fn whoever_folds_clears_the_same(turns in prop::collection::vec(turn(), 1..60), budget in 0_u64..9000, told in 0_u64..500) {
        let entries = with_outputs(&turns);
        let call = clearing(budget, told);
        steps(&entries, call, |stepped, end, plan| {
            let mut whole = filled(&entries[..end as usize]);
            assert_eq!(&whole.plan(call), &plan);
            let mut back = stepped.truncated(end / 2).unwrap();
            assert_eq!(back.plan(call), filled(&entries[..(end / 2) as usize]).plan(call), "back at {}", end / 2);
        });
    }

    #[test]
    fn without_it_outputs_make_no_difference(turns in prop::collection::vec(turn(), 1..80), budget in 0_u64..9000) {
        let (with, without) = (with_outputs(&turns), messages(&turns));
        let plan = filled(&with).plan(call(budget, 0, 0));
        prop_assert_eq!(plan, filled(&without).plan(call(budget, 0, 0)));
    }
}

/// A question, then calls that each bring something long of their own.
fn long_loop(steps: u32) -> Vec<Entry> {
    let mut turns = vec![Turn::User(50)];
    turns.extend((0..steps).map(|step| Turn::Calls(20, vec![Some(400 + 16 * (step % 24))])));
    with_outputs(&turns)
}

#[test]
fn what_is_cleared_changes_only_to_make_room() {
    let (mut before, mut changed, mut same, mut poor): (Option<Plan>, u32, u32, u32) = (None, 0, 0, 0);
    steps(&long_loop(200), clearing(8000, 0), |assembler, _, plan| {
        let transcript = assembler.transcript();
        if let Some(before) = before.take() {
            if cleared(transcript, &before) == cleared(transcript, &plan) && before.window.cut == plan.window.cut {
                same += 1;
            } else {
                changed += 1;
                poor += u32::from(plan.window.tokens + 1000 > before.window.tokens);
            }
        }
        before = Some(plan);
    });
    assert!(changed > 5 && same > 8 * changed, "{changed} changes, {same} calls without");
    // What begins an epoch is decided anew, due or not: 126,000 tokens are two of them.
    assert!(poor <= 2, "{poor} changes that made no room");
}

#[test]
fn outputs_go_before_exchanges() {
    let (mut first, mut left) = (None, None);
    steps(&long_loop(300), clearing(8000, 0), |assembler, end, plan| {
        let gone = cleared(assembler.transcript(), &plan);
        first = first.or((!gone.is_empty()).then_some(end));
        left = left.or((plan.spans.len() > 1).then_some(end));
        assert!(left.is_none() || first.is_some());
    });
    assert!(first.unwrap() + 8 < left.unwrap(), "cleared at {first:?}, left out at {left:?}");
}

#[test]
fn what_is_repeated_goes_first() {
    let mut entries = long_loop(20);
    for entry in entries.iter_mut().filter(|entry| !entry.outputs.is_empty()) {
        let repeats = entry.outputs[0].tokens < 400 + 16 * 10;
        entry.outputs[0].content = if repeats { 1 } else { 100 + u64::from(entry.outputs[0].tokens) };
    }
    let mut whys = Vec::new();
    steps(&entries, clearing(8000, 0), |assembler, _, plan| {
        if whys.is_empty() {
            let transcript = assembler.transcript();
            let rows = plan.window.cleared_in(transcript, 0, plan.window.end);
            whys = rows.iter().map(|row| plan.window.why(transcript, row)).collect();
        }
    });
    assert_eq!(whys, vec![Why::Repeated; 9]);
}

#[test]
fn rows_stay_small() {
    let assembler = filled(&long_loop(2000));
    let transcript = assembler.transcript();
    assert!(
        transcript.bytes() <= 128 * transcript.len() as usize,
        "{}",
        transcript.bytes() / transcript.len() as usize
    );
}
