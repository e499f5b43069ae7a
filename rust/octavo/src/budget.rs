//! Budgets: how many tokens there are, what part of them can shrink, and when shrinking is due.

use crate::error::{Error, Result};

/// One in a thousand: the unit of [`Marks`].
const PER_MILLE: u64 = 1000;

/// When shrinking starts and where it goes, in thousandths of the room.
///
/// The *room* is what can shrink: the budget less the fixed parts (system, tools, framing). Marks are
/// taken of the room, not of the whole budget: a system prompt of 80 % of the budget would otherwise
/// put every call over the high mark and leave nothing to go down to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Marks {
    /// From here on a summary in the background is worth starting.
    pub soft: u32,
    /// Above this, shrinking is due.
    pub high: u32,
    /// Shrinking goes down to this, so that the next calls keep their prefix.
    pub low: u32,
}

impl Default for Marks {
    /// 60 %, 80 % and 50 % of the room.
    fn default() -> Self {
        Self { soft: 600, high: 800, low: 500 }
    }
}

impl Marks {
    /// Marks in thousandths.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `0 < low ≤ soft ≤ high ≤ 1000` and `low < high`.
    pub fn new(soft: u32, high: u32, low: u32) -> Result<Self> {
        if low == 0 || low > soft || soft > high || high > 1000 || low == high {
            let got = format!("low={low}, soft={soft}, high={high}");
            return Err(Error::OutOfRange {
                name: "marks",
                expected: "0 < low <= soft <= high <= 1000 with low < high",
                got,
            });
        }
        Ok(Self { soft, high, low })
    }
}

/// A room is rounded down to the largest power of two within this part of it.
const ROOM_PARTS: u64 = 32;

/// The room that the marks are taken of: rounded down by at most a 32nd, so that limits which differ by a few tokens
/// (a clock in the system prompt, a reserve that varies) make the same cuts.
///
/// Of 15 budgets between 2,500 and 9,000 a constant one broke the prefix at 28 of 700 calls, one that varied by up to
/// 60 tokens at 65, and at 173 without this. A 16th gave 63; an epoch made of the budget changes nothing.
pub fn even(room: u64) -> u64 {
    let step = 1_u64 << (room / ROOM_PARTS).max(1).ilog2();
    room - room % step
}

/// `part` thousandths of `whole`, rounded down.
pub fn share(whole: u64, part: u32) -> u64 {
    let exact = u128::from(whole) * u128::from(part) / u128::from(PER_MILLE);
    u64::try_from(exact).unwrap_or(u64::MAX)
}

/// A part of the context that asks for tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// The most it would take.
    pub tokens: u64,
    /// Set aside for it before anybody gets more than that.
    pub min: u64,
    /// Below this it is not worth having: it gets nothing.
    pub least: u64,
    /// Higher is served first; equals in the order given.
    pub priority: i32,
}

/// Shares out `available` tokens among `requests` in two rounds, each by priority: first the minima, then as
/// much as each asks for. One that cannot have its minimum, or not as much as it is worth having, gets nothing
/// and leaves the tokens to the others.
///
/// In one round, whoever comes first could take all, and the minima of the others would be set aside in vain.
pub fn allocate(requests: &[Request], available: u64) -> Vec<u64> {
    let mut order: Vec<(usize, &Request)> = requests.iter().enumerate().collect();
    // Stable: equal priorities stay in the caller's order.
    order.sort_by_key(|(_, request)| std::cmp::Reverse(request.priority));
    let mut left = available;
    let mut served: Vec<(usize, &Request, u64)> = Vec::with_capacity(order.len());
    for (at, request) in order {
        let min = request.min.min(request.tokens);
        if min <= left {
            left -= min;
            served.push((at, request, min));
        }
    }
    let mut granted = vec![0; requests.len()];
    for (at, request, min) in served {
        left += min;
        let most = request.tokens.min(left);
        if let Some(grant) = granted.get_mut(at).filter(|_| most >= request.least.min(request.tokens)) {
            *grant = most;
            left -= most;
        }
    }
    granted
}

#[cfg(test)]
mod tests {
    use super::{Marks, Request, allocate, even, share};

    #[test]
    fn marks_must_be_in_order() {
        assert!(Marks::new(600, 800, 500).is_ok());
        for (soft, high, low) in [(600, 800, 0), (400, 800, 500), (900, 800, 500), (600, 1001, 500), (500, 500, 500)] {
            assert!(Marks::new(soft, high, low).is_err(), "{soft} {high} {low}");
        }
    }

    #[test]
    fn a_room_is_rounded_down_by_at_most_a_32nd() {
        for room in (0..5000).chain([u64::MAX - 1, u64::MAX]) {
            let rounded = even(room);
            assert!(rounded <= room && room - rounded <= room / 32 && even(rounded) == rounded, "{room}");
        }
        assert!((3456..3520).all(|room| even(room) == 3456) && even(3520) == 3520);
    }

    #[test]
    fn shares_do_not_overflow() {
        assert_eq!(share(1000, 800), 800);
        assert_eq!(share(u64::MAX, 1000), u64::MAX);
    }

    /// A request whose minimum is also what it is worth having with.
    fn ask(tokens: u64, min: u64, priority: i32) -> Request {
        Request { tokens, min, least: min, priority }
    }

    #[test]
    fn priority_is_served_first_and_minima_hold() {
        let requests = [ask(100, 50, 0), ask(80, 80, 5), ask(30, 0, 1)];
        assert_eq!(allocate(&requests, 300), vec![100, 80, 30]);
        assert_eq!(allocate(&requests, 200), vec![90, 80, 30]);
        assert_eq!(allocate(&requests, 150), vec![50, 80, 20]);
        assert_eq!(allocate(&requests, 110), vec![0, 80, 30]);
        assert_eq!(allocate(&requests, 70), vec![50, 0, 20]);
        assert_eq!(allocate(&requests, 0), vec![0, 0, 0]);
    }

    #[test]
    fn no_minimum_is_taken_by_who_comes_first() {
        let requests = [ask(300, 30, 0), ask(300, 30, 1), ask(300, 30, 2), ask(300, 30, 3)];
        assert_eq!(allocate(&requests, 182), vec![30, 30, 30, 92]);
        assert_eq!(allocate(&requests, 100), vec![0, 30, 30, 40]);
        assert_eq!(allocate(&requests, 29), vec![0, 0, 0, 0]);
    }

    #[test]
    fn what_is_not_worth_having_is_left_to_the_others() {
        let worth = |tokens, least, priority| Request { tokens, min: 0, least, priority };
        assert_eq!(allocate(&[worth(8, 5, 0), worth(300, 12, 1)], 9), vec![8, 0]);
        assert_eq!(allocate(&[worth(8, 5, 0), worth(300, 12, 1)], 12), vec![0, 12]);
        // What is shorter than that is whole.
        assert_eq!(allocate(&[worth(3, 5, 0)], 3), vec![3]);
    }
}
