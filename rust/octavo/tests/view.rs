//! The fold of cuts: whoever folds it gets the same, and it costs the same however long the conversation is.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod histories;
mod timing;

use histories::{Turn, call, filled, messages, turn_of};
use octavo::assemble::Assembler;
use octavo::message::{Format, Role};
use octavo::transcript::Entry;
use proptest::prelude::*;
use proptest::test_runner::Config;
use timing::{PATIENCE, assert_at_most, spent};

/// The same turns with nothing to repair: what a repair adds may force a smaller window than the fold decides.
fn answered(turns: Vec<Turn>) -> Vec<Turn> {
    let answered = |turn| match turn {
        Turn::Calls(own, results) => Turn::Calls(own, results.into_iter().map(|tokens| tokens.or(Some(5))).collect()),
        Turn::Late(tokens, _) => Turn::User(tokens),
        other => other,
    };
    turns.into_iter().map(answered).collect()
}

/// Every few messages of the assistant's hold thinking that is taken out of earlier turns.
fn with_thinking(mut entries: Vec<Entry>, seed: u64) -> Vec<Entry> {
    for (at, entry) in entries.iter_mut().enumerate() {
        if seed.is_multiple_of(2) && entry.end.role == Role::Assistant && (at as u64 ^ seed).is_multiple_of(3) {
            entry.thinking.tokens = 25;
            entry.tokens += 25;
        }
    }
    entries
}

/// What a caller may do after message `at`: report the usage of the call that it answers, pin an early message, let
/// it go.
fn happen(assembler: &mut Assembler, at: u32, answers: bool, seed: u64) {
    let dice = u64::from(at).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(20) ^ seed;
    let early = u32::try_from(dice % 3).unwrap().min(at);
    match dice % 23 {
        0..=3 if answers && at > 0 => {
            // Of this system prompt, of another, and of other tools.
            let basis = [0, 0, 5, 1 << 32].into_iter().nth(usize::try_from(dice % 4).unwrap()).unwrap();
            assembler.observe(at, basis, 120 + dice % 60, 150).unwrap();
        }
        4..=6 => assert!(assembler.pin(early, true)),
        7..=9 => assert!(assembler.pin(early, false)),
        _ => {}
    }
}

proptest! {
    // Each case folds a thousand views.
    #![proptest_config(Config { failure_persistence: None, cases: 12, max_shrink_iters: 16, ..Config::default() })]

    #[test]
    fn a_view_folded_anew_is_the_same_through_epochs_usage_pins_and_thinking(
        turns in prop::collection::vec(turn_of(1_u32..12), 400..450), budget in 180_u64..280, seed in any::<u64>(),
    ) {
        let entries = with_thinking(messages(&answered(turns)), seed);
        let mut fed = Assembler::new(Format::OpenAi);
        let mut decided = None;
        for (at, entry) in entries.iter().enumerate() {
            let called = entry.end.role == Role::Assistant && at > 0 && entries[at - 1].end.role != Role::Assistant;
            if called {
                decided = Some(fed.plan(call(budget, 100, 0)).window);
            }
            fed.append(entry).unwrap();
            let plan = fed.plan(call(budget, 100, 0));
            // Whatever is said later, each call is planned again as it was sent, if it was within the room: what more was
            // let go where even the newest is too much is no decision that lasts.
            let again = plan.previous.and_then(|end| fed.plan_past(call(budget, 100, 0), end, u32::MAX));
            let previous = again.map(|plan| plan.window);
            let within = previous.as_ref().is_none_or(|window| window.tokens <= window.room);
            prop_assert!(!within || decided.is_none() || previous == decided, "{:?} {:?}", previous, decided);
            happen(&mut fed, u32::try_from(at).unwrap(), called, seed);
            if at % 7 == 0 {
                // The views of a copy are folded anew.
                let mut fresh = fed.truncated(u32::MAX).unwrap();
                prop_assert_eq!(fed.plan(call(budget, 100, 0)), fresh.plan(call(budget, 100, 0)));
            }
        }
        prop_assert!(fed.transcript().tokens() > 16 * (budget - 100), "no second epoch was looked at");
    }
}

#[test]
fn a_view_folded_anew_costs_the_same_however_long_the_history() {
    let entries = messages(&vec![Turn::Calls(20, vec![Some(180)]); 50_000]);
    let planning = |length: usize| {
        let (mut assembler, mut budget) = (filled(&entries[..length]), 10_000);
        move || {
            budget += 1;
            spent(|| {
                std::hint::black_box(assembler.plan(call(budget, 0, 0)));
            })
        }
    };
    assert_at_most("100,000 messages beside 4,000", 4.0, planning(4000), planning(100_000), PATIENCE);
}

#[test]
fn an_epoch_moves_the_cut_once_more_than_is_due() {
    let entries = messages(&vec![Turn::Calls(20, vec![Some(80)]); 5000]);
    let mut assembler = Assembler::new(Format::OpenAi);
    let (mut moves, mut calls, mut before) = (0_u64, 0_u64, None);
    for entry in &entries {
        if entry.end.role == Role::Assistant {
            calls += 1;
            let plan = assembler.plan(call(10_000, 0, 0));
            moves += u64::from(plan.moved_since(before.as_ref()));
            before = Some(plan);
        }
        assembler.append(entry).unwrap();
    }
    // 500,000 tokens, of which each cut drops 3,000 and not much more than a grid of 1,024; four epochs of 131,072.
    assert!(calls == 5000 && (500_000 / 4_400..500_000 / 3_000 + 8).contains(&moves), "{moves} moves");
}

#[test]
fn a_view_folded_anew_is_the_same_when_reports_are_forgotten() {
    // Much at the start, where reports are high: the cut that is made then stands until they are forgotten.
    let tokens = |at| if at < 600 { 30 } else { 1 };
    let turn = |at| if at % 2 == 0 { Turn::User(tokens(at)) } else { Turn::Reply(tokens(at)) };
    let mut fed = Assembler::new(Format::OpenAi);
    let mut cuts = Vec::new();
    for (at, entry) in (0_u32..).zip(&messages(&(0..2200).map(turn).collect::<Vec<_>>())) {
        if at % 2 == 1 {
            let plan = fed.plan(call(20_000, 100, 0));
            let reported = plan.tokens() * if at < 1000 { 13 } else { 10 } / 10;
            fed.observe(at, u64::from(at % 3), reported, plan.tokens()).unwrap();
            cuts.push(plan.window.cut);
            if at > 2000 {
                let mut fresh = fed.truncated(u32::MAX).unwrap();
                assert_eq!(fed.plan(call(20_000, 100, 0)), fresh.plan(call(20_000, 100, 0)), "{at}");
            }
        }
        fed.append(entry).unwrap();
    }
    cuts.dedup();
    assert!(cuts.len() > 1, "nothing was cut");
}

#[test]
fn limits_that_vary_by_a_few_tokens_share_their_cuts() {
    let dice = |at: u64, bits: u32| at.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) >> (64 - bits);
    let turn = |at: u64| Turn::Calls(15, vec![Some(5 + u32::try_from(dice(at + 7, 7)).unwrap())]);
    let entries = messages(&(0..700).map(turn).collect::<Vec<Turn>>());
    let breaks = |varies: bool| {
        let (mut assembler, mut before, mut moves) = (Assembler::new(Format::OpenAi), None, 0_u64);
        for (at, entry) in (0_u64..).zip(&entries) {
            if entry.end.role == Role::Assistant {
                let fixed = if varies { dice(at, 6) } else { 0 };
                let plan = assembler.plan(call(3517, fixed, 0));
                moves += u64::from(before.is_some() && plan.moved_since(before.as_ref()));
                before = Some(plan);
            }
            assembler.append(entry).unwrap();
        }
        moves
    };
    let (constant, varied) = (breaks(false), breaks(true));
    assert!(constant > 20 && varied <= constant + 2, "{constant} with one limit, {varied} with sixty");
}
