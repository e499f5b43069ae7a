//! Planning on rows alone, no message read: the next call of a session, and the fold over a whole history.
#![expect(clippy::unwrap_used, reason = "a bench may stop")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use octavo::assemble::Assembler;
use octavo::budget::Marks;
use octavo::message::{BlockFlags, BlockKind, BlockRow, Counted, Estimated, Format, MessageEnd, MessageFlags, Role};
use octavo::plan::Call;
use octavo::rules::{AddedTokens, Mode, Provider};
use octavo::transcript::Entry;
use octavo::window::Limits;

/// Tokens of a message; a window of the budget below holds about 50.
const TOKENS: u32 = 200;
const BUDGET: u64 = 15_400;

fn entry(role: Role, kind: BlockKind, id: u64) -> Entry {
    let end = MessageEnd { role, flags: MessageFlags::default() };
    let blocks = vec![BlockRow { id, tokens: TOKENS, flags: BlockFlags::default(), kind }];
    let (outputs, looks) = (Vec::new(), Vec::new());
    Entry { end, tokens: TOKENS, estimated: Estimated::default(), thinking: Counted::default(), blocks, outputs, looks }
}

/// A question, four calls with their results, an answer, and again.
fn message(at: u64) -> Entry {
    match at % 10 {
        0 => entry(Role::User, BlockKind::Text, 0),
        9 => entry(Role::Assistant, BlockKind::Text, 0),
        step if step % 2 == 1 => entry(Role::Assistant, BlockKind::Call, at),
        _ => entry(Role::Tool, BlockKind::Result, at - 1),
    }
}

fn session(length: u64) -> Assembler {
    let mut assembler = Assembler::new(Format::OpenAi);
    (0..length).for_each(|at| assembler.append(&message(at)).unwrap());
    assembler
}

fn call() -> Call {
    let marks = Marks::new(600, 800, 500).unwrap();
    Call {
        limits: Limits {
            budget: BUDGET,
            fixed: 3,
            beside: 0,
            loop_opening: false,
            stored_calls: false,
            placeholder: 0,
            told: 0,
            basis: 0,
            marks,
            clear: false,
        },
        beside: 0,
        provider: Provider::OpenAi,
        mode: Mode::new(Format::OpenAi),
        added: AddedTokens { result: 10, note: 5, framing: 4 },
    }
}

/// Turns on one copy of a session, so that its length stays what the name says.
const TURNS: u64 = 50;

/// One message more and the plan of the next call; must not depend on the history.
fn turn(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("assemble/turn");
    for length in [100, 1_000, 10_000, 100_000] {
        let mut warm = session(length);
        warm.plan(call());
        group.bench_function(BenchmarkId::from_parameter(length), |bencher| {
            bencher.iter_custom(|turns| {
                let copies = turns.div_ceil(TURNS);
                let total: Duration = (0..copies).map(|_| turns_on(&warm, length)).sum();
                // Whole copies only: as many turns as were asked for is their share.
                Duration::from_nanos(
                    (total.as_nanos() * u128::from(turns) / u128::from(copies * TURNS)).try_into().unwrap(),
                )
            });
        });
    }
    group.finish();
}

/// The time of [`TURNS`] turns. As many go before untimed: a copy's rows have no room left and lie cold, which costs
/// long sessions twice as much as the turn itself.
fn turns_on(warm: &Assembler, length: u64) -> Duration {
    let mut copy = warm.clone();
    let mut turn = |at| {
        copy.append(&message(at)).unwrap();
        black_box(copy.plan(call()));
    };
    (length..length + TURNS).for_each(&mut turn);
    let start = Instant::now();
    (length + TURNS..length + 2 * TURNS).for_each(turn);
    start.elapsed()
}

/// The plan of a session that nobody planned for before: linear.
fn fold(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("assemble/fold");
    for length in [1_000, 4_000, 16_000] {
        let fresh = session(length);
        group.bench_function(BenchmarkId::from_parameter(length), |bencher| {
            bencher.iter_batched(|| fresh.clone(), |mut fresh| fresh.plan(call()), BatchSize::LargeInput);
        });
    }
    group.finish();
}

criterion_group!(benches, turn, fold);
criterion_main!(benches);
