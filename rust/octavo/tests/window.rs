//! The laws of the window, on generated histories: what is kept, in what order, and that the cut sticks.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod histories;
mod timing;

use histories::{Turn, block, call, entry, filled, messages, turn};
use octavo::assemble::Assembler;
use octavo::message::{BlockFlags, BlockKind, BlockRow, Format, Role};
use octavo::plan::{Call, Plan};
use octavo::rules::{ChangeKind, Mode, Provider};
use octavo::transcript::{Entry, Transcript};
use octavo::window::Limits;
use proptest::prelude::*;
use proptest::test_runner::Config;
use timing::{PATIENCE, assert_grows_with_size};

fn shown(plan: &Plan) -> Vec<u32> {
    plan.spans.iter().cloned().flatten().collect()
}

/// The exchanges that no budget takes away.
fn must_stay(transcript: &Transcript) -> Vec<u32> {
    let end = transcript.len();
    let newest = u32::try_from(transcript.exchanges().len()).unwrap() - 1;
    let mut must: Vec<u32> =
        transcript.task_before(end).iter().chain(transcript.request_before(end)).copied().collect();
    must.extend(transcript.prompt_before(end).map(|prompt| transcript.exchange_of(prompt)));
    must.extend(transcript.obligations(end).chain(transcript.answered_late(0, end)));
    must.push(newest);
    must
}

/// Recomputes the tokens of what is shown, one message at a time.
fn recount(transcript: &Transcript, plan: &Plan) -> u64 {
    shown(plan).iter().map(|&message| transcript.tokens_in(message, message + 1)).sum()
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

    #[test]
    fn a_window_obeys_its_laws(
        turns in prop::collection::vec(turn(), 1..120), budget in 0_u64..20_000, fixed in 0_u64..4000, beside in 0_u64..3000,
    ) {
        let entries = messages(&turns);
        let mut assembler = filled(&entries);
        let plan = assembler.plan(call(budget, fixed, beside));
        let transcript = assembler.transcript();
        let kept = shown(&plan);

        prop_assert!(kept.windows(2).all(|pair| pair[0] < pair[1]), "order is kept and nothing is shown twice");
        prop_assert_eq!(kept.last().copied(), Some(transcript.len() - 1), "the newest message is shown");
        prop_assert_eq!(plan.leading + plan.window.tokens, recount(transcript, &plan));
        prop_assert!((0..transcript.leading()).all(|message| kept.contains(&message)));
        for exchange in 0..transcript.exchanges().len() {
            let span = transcript.span_of(u32::try_from(exchange).unwrap(), transcript.len());
            let there = span.clone().filter(|message| kept.contains(message)).count();
            prop_assert!(there == 0 || there == span.len(), "an exchange is kept or dropped whole");
        }
        let task = transcript.task_before(transcript.len());
        for &said in task.first().into_iter().chain(task.last()) {
            prop_assert!(kept.contains(&transcript.start_of(said)), "the task is kept");
        }
        for open in octavo::window::obligations(transcript, transcript.len(), plan.window.room) {
            prop_assert!(kept.contains(&transcript.start_of(open)), "what may still be answered is kept");
        }
        // Over only because of what must stay: nothing else is left to drop.
        if plan.tokens() + beside > budget {
            let must = must_stay(transcript);
            prop_assert!(kept.iter().all(|&message| {
                message < transcript.leading() || must.contains(&transcript.exchange_of(message))
            }), "over the budget with something left to drop: {must:?} of {kept:?}");
        }
        let told: Vec<u32> = plan.verdicts(transcript).iter().filter(|verdict| verdict.reason.is_kept())
            .flat_map(|verdict| verdict.span.clone()).collect();
        prop_assert_eq!(told, kept);
    }

    #[test]
    fn feeding_step_by_step_is_the_same_as_all_at_once(
        turns in prop::collection::vec(turn(), 1..80), budget in 500_u64..12_000, usage in prop::option::of(500_u64..3000),
    ) {
        let entries = messages(&turns);
        let mut fed = Assembler::new(Format::OpenAi);
        let mut whole = Assembler::new(Format::OpenAi);
        for entry in &entries {
            let before = fed.plan(call(budget, 300, 0));
            prop_assert_eq!(before.window.end, fed.transcript().len());
            fed.append(entry).unwrap();
        }
        if let Some(reported) = usage {
            let at = fed.transcript().len() / 2;
            for assembler in [&mut fed, &mut whole] {
                assembler.observe(at, 0, reported, 1000).unwrap();
            }
        }
        for entry in &entries {
            whole.append(entry).unwrap();
        }
        prop_assert_eq!(fed.plan(call(budget, 300, 0)), whole.plan(call(budget, 300, 0)));
    }

    #[test]
    fn nothing_moves_before_the_high_mark(turns in prop::collection::vec(turn(), 1..120), budget in 1000_u64..12_000) {
        // A late result takes the place of the error result that stood for it: a change with a reason.
        let turns: Vec<Turn> = turns.into_iter().filter(|turn| !matches!(turn, Turn::Late(..))).collect();
        let mut assembler = Assembler::new(Format::OpenAi);
        let (mut looked, mut before) = (0, None);
        for entry in messages(&turns) {
            if entry.end.role == Role::Assistant {
                let plan = assembler.plan(call(budget, 300, 0));
                if let Some(before) = &before {
                    looked += 1;
                    let whole = plan.shared_with(assembler.transcript(), before).whole;
                    prop_assert!(whole || plan.moved_since(Some(before)), "the prefix changed, but not what is shown");
                }
                before = Some(plan);
            }
            assembler.append(&entry).unwrap();
        }
        prop_assert!(looked > 0 || turns.len() < 60);
    }

    #[test]
    fn a_rewound_transcript_is_as_it_was(turns in prop::collection::vec(turn(), 2..80), budget in 1000_u64..8000, keep in 0.0..1.0) {
        let entries = messages(&turns);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a share of a short list")]
        let kept = (entries.len() as f64 * keep) as usize;
        let whole = filled(&entries);
        let mut rewound = whole.truncated(u32::try_from(kept).unwrap()).unwrap();
        let mut fresh = filled(&entries[..kept]);
        prop_assert_eq!(rewound.plan(call(budget, 0, 0)), fresh.plan(call(budget, 0, 0)));
    }
}

#[test]
fn a_pinned_message_stays_and_comes_back() {
    let turns: Vec<Turn> = (0..60).map(|at| if at % 2 == 0 { Turn::User(100) } else { Turn::Reply(100) }).collect();
    let mut assembler = filled(&messages(&turns));
    assert!(!shown(&assembler.plan(call(2000, 0, 0))).contains(&10));
    assert!(assembler.pin(10, true));
    assert!(shown(&assembler.plan(call(2000, 0, 0))).contains(&10));
    assert!(assembler.pin(10, false));
    assert!(!shown(&assembler.plan(call(2000, 0, 0))).contains(&10));
    assert!(!assembler.pin(60, true));
}

#[test]
fn rows_are_small() {
    let turns: Vec<Turn> = (0..1000).map(|_| Turn::Calls(20, vec![Some(100), Some(100)])).collect();
    let assembler = filled(&messages(&turns));
    let transcript = assembler.transcript();
    assert!(
        transcript.bytes() <= 128 * transcript.len() as usize,
        "{} bytes a message",
        transcript.bytes() / transcript.len() as usize
    );
}

#[test]
fn many_parallel_calls_are_linear() {
    let turns = |count| vec![Turn::Calls(1, (0..5).map(|_| Some(1)).collect()); count];
    let planned = |entries: &Vec<Entry>| {
        std::hint::black_box(filled(entries).plan(call(1000, 0, 0)));
    };
    assert_grows_with_size("parallel calls", 5_000, |count| messages(&turns(count)), planned, PATIENCE);
}

#[test]
fn results_that_are_lost_all_the_time_do_not_block_the_window() {
    // Of two parallel calls one result is lost, in each of forty turns.
    let mut turns = vec![Turn::User(50)];
    turns.extend((0..40).map(|_| Turn::Calls(100, vec![Some(100), None])));
    let mut assembler = filled(&messages(&turns));
    let plan = assembler.plan(call(2000, 0, 0));
    assert!(plan.tokens() <= 2000, "{} tokens", plan.tokens());

    // Of single calls none is answered, and the user goes on each time.
    let mut turns = vec![Turn::User(50)];
    turns.extend((0..40).flat_map(|_| [Turn::Calls(100, vec![None]), Turn::User(20)]));
    let mut assembler = filled(&messages(&turns));
    let plan = assembler.plan(call(2000, 0, 0));
    assert!(plan.tokens() <= 2000, "{} tokens", plan.tokens());
}

#[test]
fn room_for_the_tail_does_not_make_the_cut_slide() {
    let turns: Vec<Turn> = (0..200).map(|at| if at % 2 == 0 { Turn::User(60) } else { Turn::Reply(60) }).collect();
    let mut assembler = Assembler::new(Format::OpenAi);
    let (mut moves, mut calls, mut before) = (0, 0, None);
    for (at, entry) in messages(&turns).iter().enumerate() {
        if at % 2 == 1 {
            let beside = 1000 + (at as u64 % 7);
            let plan = assembler.plan(call(4000, 0, beside));
            assert!(plan.tokens() + beside <= 4000);
            calls += 1;
            moves += u32::from(plan.moved_since(before.as_ref()));
            before = Some(plan);
        }
        assembler.append(entry).unwrap();
    }
    assert!(calls == 100 && moves <= calls / 7, "{moves} moves in {calls} calls");
}

#[test]
fn a_pin_taken_off_later_holds_again_after_going_back() {
    let turns: Vec<Turn> = (0..60).map(|at| if at % 2 == 0 { Turn::User(100) } else { Turn::Reply(100) }).collect();
    let entries = messages(&turns);
    let mut assembler = filled(&entries[..50]);
    assembler.pin(10, true);
    let before = shown(&assembler.plan(call(2000, 0, 0)));
    assert!(before.contains(&10));
    for entry in &entries[50..] {
        assembler.append(entry).unwrap();
    }
    assembler.pin(10, false);
    let mut rewound = assembler.truncated(50).unwrap();
    assert_eq!(shown(&rewound.plan(call(2000, 0, 0))), before);
}

#[test]
fn usage_of_another_basis_corrects_as_well_and_says_so() {
    let turns: Vec<Turn> = (0..20).map(|at| if at % 2 == 0 { Turn::User(100) } else { Turn::Reply(100) }).collect();
    let mut assembler = filled(&messages(&turns));
    assembler.observe(10, 7, 3000, 1000).unwrap();
    let of_basis = |basis| {
        let plain = call(100_000, 0, 0);
        Call { limits: Limits { basis, ..plain.limits }, ..plain }
    };
    for basis in [7, 8, 8 << 32] {
        let plan = assembler.plan(of_basis(basis));
        assert_eq!(plan.anchor.at(plan.tokens()), 6000);
        let reported = plan.reported.unwrap();
        assert_eq!((reported.at, reported.basis, reported.whole), (10, 7, true));
        assert_eq!(plan.added(assembler.transcript()), 1000);
    }
    // A report of the very basis counts before a newer one of another.
    assembler.observe(12, 8, 9000, 1200).unwrap();
    let found = |basis, assembler: &mut Assembler| assembler.plan(of_basis(basis)).reported.unwrap().at;
    assert_eq!((found(7, &mut assembler), found(8, &mut assembler), found(9, &mut assembler)), (10, 12, 12));
}

#[test]
fn a_call_for_approval_stays_however_long_the_talk_goes_on() {
    let mut approval = block(BlockKind::Call, 999, 50);
    approval.flags = BlockFlags::CONFIRMATION;
    let mut entries = messages(&[Turn::User(50)]);
    entries.push(entry(Role::Assistant, vec![approval]));
    entries.extend(messages(&(0..20).flat_map(|_| [Turn::User(200), Turn::Reply(200)]).collect::<Vec<_>>()));
    let mut assembler = filled(&entries);
    let kept = shown(&assembler.plan(call(1500, 0, 0)));
    assert!(kept.contains(&1) && !kept.contains(&3), "{kept:?}");
    assembler.append(&entry(Role::Tool, vec![block(BlockKind::Result, 999, 5)])).unwrap();
    let kept = shown(&assembler.plan(call(1500, 0, 0)));
    assert!(kept.contains(&1), "the call stays with its late answer: {kept:?}");
}

/// What a plan's repair does.
fn log_of(plan: &Plan) -> Vec<ChangeKind> {
    plan.repair.iter().flat_map(|repair| &repair.log).map(|change| change.kind).collect()
}

#[test]
fn messages_that_wait_for_lost_results_can_be_cut() {
    let lost = |at: u64| entry(Role::Assistant, vec![block(BlockKind::Call, 1000 + at, 20)]);
    let said = |_: u64| entry(Role::User, vec![block(BlockKind::Text, 0, 20)]);
    let system = |_: u64| entry(Role::System, vec![block(BlockKind::Text, 0, 20)]);
    let repeated = |_: u64| entry(Role::Tool, vec![block(BlockKind::Result, 7, 20)]);
    let strange = |at: u64| entry(Role::Tool, vec![block(BlockKind::Result, 1000 + at, 20)]);
    for next in [&lost as &dyn Fn(u64) -> Entry, &said, &system, &repeated, &strange] {
        let mut entries = messages(&[Turn::User(50)]);
        entries.push(entry(Role::Assistant, vec![block(BlockKind::Call, 7, 20), block(BlockKind::Call, 8, 20)]));
        entries.extend((0..30_000).map(next));
        let mut assembler = filled(&entries);
        let plan = assembler.plan(call(2000, 0, 0));
        assert!(plan.tokens() <= 2000, "{} tokens", plan.tokens());
        let transcript = assembler.transcript();
        let longest = (0..u32::try_from(transcript.exchanges().len()).unwrap())
            .map(|exchange| transcript.span_of(exchange, transcript.len()).len());
        assert!(longest.max().unwrap() <= 33);
    }
}

#[test]
fn items_of_one_turn_stay_together() {
    let mut assembler = Assembler::new(Format::Responses);
    assembler.append(&entry(Role::User, vec![block(BlockKind::Text, 0, 5)])).unwrap();
    for at in 0..100 {
        assembler.append(&entry(Role::Assistant, vec![block(BlockKind::Call, 10 + at, 5)])).unwrap();
    }
    assert_eq!(assembler.transcript().exchanges().len(), 2);
}

#[test]
fn a_late_result_brings_its_call_back_however_late() {
    for turns in [5, 40, 200] {
        let mut entries = messages(&[Turn::User(50)]);
        entries.push(entry(Role::Assistant, vec![block(BlockKind::Call, 999, 50)]));
        entries.extend(messages(&(0..turns).flat_map(|_| [Turn::User(100), Turn::Reply(100)]).collect::<Vec<_>>()));
        entries.push(entry(Role::Tool, vec![block(BlockKind::Result, 999, 5)]));
        let result = u32::try_from(entries.len()).unwrap() - 1;
        let mut assembler = filled(&entries);
        let plan = assembler.plan(call(1500, 0, 0));
        assert!(shown(&plan).contains(&1) && shown(&plan).contains(&result), "{turns}: {:?}", shown(&plan));
        assert!(!log_of(&plan).contains(&ChangeKind::DroppedResult), "{turns}: {:?}", plan.repair);
        assert!(log_of(&plan).contains(&ChangeKind::MovedResult));
    }
}

#[test]
fn a_later_word_on_a_call_that_was_cut_is_told() {
    let mut entries = messages(&[Turn::User(50)]);
    entries.push(entry(Role::Assistant, vec![block(BlockKind::Call, 999, 50)]));
    entries.push(entry(Role::Tool, vec![block(BlockKind::Result, 999, 5)]));
    entries.extend(messages(&(0..60).flat_map(|_| [Turn::User(100), Turn::Reply(100)]).collect::<Vec<_>>()));
    let mut assembler = filled(&entries);
    assert!(!shown(&assembler.plan(call(1500, 0, 0))).contains(&1));
    assembler.append(&entry(Role::Tool, vec![block(BlockKind::Result, 999, 5)])).unwrap();
    let plan = assembler.plan(call(1500, 0, 0));
    assert_eq!(log_of(&plan), [ChangeKind::ResultToText]);
    assert!(plan.tokens() <= 1500);
}

#[test]
fn a_result_that_stands_before_its_call_stays_with_it() {
    // Every result of a long loop is written before its call: wherever the cut falls, none is lost.
    let mut assembler = filled(&messages(&[Turn::User(50)]));
    let mut cuts = Vec::new();
    for at in 0..100 {
        assembler.append(&entry(Role::Tool, vec![block(BlockKind::Result, 10 + at, 40)])).unwrap();
        assembler.append(&entry(Role::Assistant, vec![block(BlockKind::Call, 10 + at, 40)])).unwrap();
        let plan = assembler.plan(call(1500, 0, 0));
        cuts.push(plan.window.cut);
        assert!(plan.tokens() <= 1500);
        assert!(log_of(&plan).iter().all(|kind| *kind == ChangeKind::MovedResult), "{:?}", plan.repair);
    }
    cuts.dedup();
    assert!(cuts.len() > 3, "{cuts:?}");
}

#[test]
fn a_call_leaves_with_its_late_result() {
    let mut entries = messages(&[Turn::User(50)]);
    entries.push(entry(Role::Assistant, vec![block(BlockKind::Call, 999, 50)]));
    entries.extend(messages(&[Turn::User(10), Turn::Reply(10)]));
    entries.push(entry(Role::Tool, vec![block(BlockKind::Result, 999, 50)]));
    entries.extend(messages(&(0..60).flat_map(|_| [Turn::User(100), Turn::Reply(100)]).collect::<Vec<_>>()));
    let mut assembler = filled(&entries);
    let plan = assembler.plan(call(1500, 0, 0));
    assert!(plan.repair.is_none() && !shown(&plan).contains(&1), "{:?}", shown(&plan));
}

#[test]
fn a_name_without_id_is_answered_by_the_oldest_call() {
    let named = |kind| BlockRow { flags: BlockFlags::NO_ID, ..block(kind, 77, 10) };
    let mut assembler = Assembler::new(Format::Gemini);
    let user = || entry(Role::User, vec![block(BlockKind::Text, 0, 10)]);
    for next in [
        user(),
        entry(Role::Assistant, vec![named(BlockKind::Call)]),
        user(),
        entry(Role::Assistant, vec![named(BlockKind::Call)]),
        user(),
        entry(Role::Assistant, vec![block(BlockKind::Text, 0, 10)]),
        entry(Role::User, vec![named(BlockKind::Result)]),
    ] {
        assembler.append(&next).unwrap();
    }
    let transcript = assembler.transcript();
    let waiting: Vec<u32> = transcript.exchanges().iter().map(|exchange| exchange.unanswered).collect();
    assert_eq!(waiting, [0, 0, 1, 0, 0]);
    let plan = assembler.plan(Call { provider: Provider::Gemini, mode: Mode::new(Format::Gemini), ..call(1500, 0, 0) });
    let moved = plan.repair.unwrap().log.into_iter().find(|change| change.kind == ChangeKind::MovedResult);
    assert_eq!(moved.unwrap().message, 6);
}
