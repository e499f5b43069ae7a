//! The measuring of time itself: what is too slow fails, what is merely disturbed does not.

mod timing;

use std::hint::black_box;
use std::time::Duration;

use timing::{PATIENCE, ROUNDS, assert_at_most, assert_grows_with_size, assert_within, spent};

fn numbers(size: usize) -> Vec<usize> {
    (0..size).collect()
}

fn in_proportion(given: &[usize]) {
    black_box(given.iter().map(|number| black_box(number * 3)).max());
}

/// Each number is looked for among all that were seen.
fn in_a_square(given: &[usize]) {
    let mut seen: Vec<usize> = Vec::new();
    for number in given {
        if !black_box(&seen).contains(number) {
            seen.push(*number);
        }
    }
}

/// Measurements that were written down; the last one again and again.
fn saying(measured: &[f64]) -> impl FnMut() -> f64 {
    let mut left = measured.iter().copied();
    let last = measured.last().copied().unwrap_or_default();
    move || left.next().unwrap_or(last)
}

#[test]
fn what_grows_with_the_size_passes() {
    assert_grows_with_size("proportion", 50_000, numbers, |given| in_proportion(given), PATIENCE);
}

#[test]
#[should_panic(expected = "more than 8 times")]
fn what_grows_with_its_square_fails() {
    assert_grows_with_size("square", 1_000, numbers, |given| in_a_square(given), Duration::from_millis(500));
}

#[test]
fn a_disturbed_round_spoils_nothing() {
    assert_at_most("disturbed", 8.0, saying(&[1.0]), saying(&[50.0, 9.0, 20.0, 60.0, 4.0]), PATIENCE);
}

#[test]
#[should_panic(expected = "in 3 rounds: 16.00 times")]
fn the_first_round_alone_proves_nothing() {
    // A disturbance of the small size would let a square through.
    assert_at_most("once", 8.0, saying(&[5.0, 1.0]), saying(&[16.0]), Duration::ZERO);
}

#[test]
fn several_rounds_are_run_though_there_is_no_patience() {
    let mut rounds = 0;
    let small = || {
        rounds += 1;
        1.0
    };
    assert_at_most("rounds", 8.0, small, saying(&[4.0]), Duration::ZERO);
    assert!(rounds == ROUNDS && ROUNDS >= 3, "{rounds}");
}

#[test]
#[should_panic(expected = "nothing was measured")]
fn an_empty_measurement_is_none() {
    assert_at_most("empty", 8.0, saying(&[0.0]), saying(&[0.0]), PATIENCE);
}

#[test]
fn a_bound_that_is_met_once_is_met() {
    assert_within("once", 0.1, saying(&[0.5, 0.2, 0.1]));
}

#[test]
#[should_panic(expected = "none took at most 100 ms, but 300.000 ms, 200.000 ms, 200.000 ms")]
fn a_bound_that_is_never_met_fails_and_says_what_was_seen() {
    assert_within("never", 0.1, saying(&[0.3, 0.2]));
}

#[test]
#[should_panic(expected = "none took at most 0.1 ms")]
fn slow_code_fails() {
    assert_within("slow", 1e-4, || spent(|| in_a_square(&numbers(5_000))));
}

#[cfg(unix)]
#[test]
fn time_in_which_others_work_is_not_spent() {
    assert_within("asleep", 0.01, || spent(|| std::thread::sleep(Duration::from_millis(50))));
}
