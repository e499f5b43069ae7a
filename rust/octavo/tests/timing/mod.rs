//! How tests measure time, on machines that do other things as well: `tests/timing.py` of the package, in Rust.
//!
//! What else runs only ever adds to a measurement. So a bound that was met once is met, and one that was missed says
//! nothing yet: the measurement goes on until the bound is met or patience ends, and only then the test fails, saying
//! what it saw. Two sizes lie a factor of four apart: what grows with the size takes four times as long then, what grows
//! with its square sixteen times, and a bound of eight is far from both.
#![allow(dead_code, unreachable_pub, reason = "each test program uses a part of it")]
#![allow(clippy::print_stderr, reason = "says what it measured")]

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How many times larger the larger size is.
pub const FACTOR: usize = 4;
/// Most times as long that it may take: half way between what is linear and what is a square, as factors go.
pub const BOUND: f64 = 8.0;
/// Rounds that are run in any case: the least of one round is a single measurement.
pub const ROUNDS: usize = 3;
/// Time after which a bound that was never met is missed.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// Times that an absolute bound may be missed before it is.
const TRIES: usize = 15;
/// Time between two tries, in which what disturbed the first may end.
const PAUSE: Duration = Duration::from_millis(100);

/// Seconds for which a processor worked for this thread meanwhile: what others do, other tests too, is no part of them.
pub fn spent(work: impl FnOnce()) -> f64 {
    let started = clock();
    work();
    clock().saturating_sub(started).as_secs_f64()
}

#[cfg(unix)]
fn clock() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or_default())
}

/// Where the system has no such clock, the time that passes: the bounds are met later on a busy machine.
#[cfg(not(unix))]
fn clock() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

/// The time of the work grows with the size, and not with its square. Building is not measured.
pub fn assert_grows_with_size<Given>(
    name: &str,
    small: usize,
    build: impl Fn(usize) -> Given,
    work: impl Fn(&Given),
    patience: Duration,
) {
    let (one, many) = (build(small), build(FACTOR * small));
    let time = |given: &Given| spent(|| work(black_box(given)));
    assert_at_most(name, BOUND, || time(&one), || time(&many), patience);
}

/// The one measurement is at most so many times the other: the least of each, of rounds in which both are taken.
pub fn assert_at_most(
    name: &str,
    times: f64,
    mut small: impl FnMut() -> f64,
    mut large: impl FnMut() -> f64,
    patience: Duration,
) {
    let started = Instant::now();
    let (mut least, mut most) = (f64::INFINITY, f64::INFINITY);
    for round in 1.. {
        (least, most) = (least.min(small()), most.min(large()));
        assert!(least > 0.0, "{name}: nothing was measured");
        let seen = format!(
            "{name}: {:.3} ms and {:.3} ms at the least, in {round} rounds: {:.2} times",
            most * 1e3,
            least * 1e3,
            most / least
        );
        if round >= ROUNDS && most <= times * least {
            eprintln!("{seen}");
            return;
        }
        assert!(round < ROUNDS || started.elapsed() < patience, "{seen}: more than {times} times");
    }
}

/// One of several measurements is at most so many seconds.
pub fn assert_within(name: &str, limit: f64, mut measure: impl FnMut() -> f64) {
    let mut seen = Vec::new();
    for _ in 0..TRIES {
        let took = measure();
        assert!(took > 0.0, "{name}: nothing was measured");
        seen.push(format!("{:.3} ms", took * 1e3));
        if took <= limit {
            eprintln!("{name}: {}", seen.join(", "));
            return;
        }
        std::thread::sleep(PAUSE);
    }
    assert!(seen.is_empty(), "{name}: none took at most {} ms, but {}", limit * 1e3, seen.join(", "));
}
