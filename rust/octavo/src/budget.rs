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

/// `part` thousandths of `whole`, rounded down.
pub fn share(whole: u64, part: u32) -> u64 {
    let exact = u128::from(whole) * u128::from(part) / u128::from(PER_MILLE);
    u64::try_from(exact).unwrap_or(u64::MAX)
}

/// A part of the context that asks for tokens beside the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// What it would take whole.
    pub tokens: u64,
    /// Below this it is not worth having: it gets nothing.
    pub min: u64,
    /// More than this it never gets.
    pub max: u64,
    /// Higher is served first; equals in the order given.
    pub priority: i32,
}

/// Shares out `available` tokens among `requests`: by priority, each as much as it asks for, up to its
/// maximum; one that cannot have its minimum gets nothing and leaves the tokens to the others.
pub fn allocate(requests: &[Request], available: u64) -> Vec<u64> {
    let mut order: Vec<usize> = (0..requests.len()).collect();
    // Stable: equal priorities stay in the caller's order.
    order.sort_by_key(|&at| std::cmp::Reverse(requests.get(at).map_or(0, |request| request.priority)));
    let mut granted = vec![0; requests.len()];
    let mut left = available;
    for at in order {
        let (Some(request), Some(grant)) = (requests.get(at), granted.get_mut(at)) else { continue };
        let most = request.tokens.min(request.max).min(left);
        if most > 0 && most >= request.min.min(request.tokens) {
            *grant = most;
            left -= most;
        }
    }
    granted
}

#[cfg(test)]
mod tests {
    use super::{Marks, Request, allocate, share};

    #[test]
    fn marks_must_be_in_order() {
        assert!(Marks::new(600, 800, 500).is_ok());
        for (soft, high, low) in [(600, 800, 0), (400, 800, 500), (900, 800, 500), (600, 1001, 500), (500, 500, 500)] {
            assert!(Marks::new(soft, high, low).is_err(), "{soft} {high} {low}");
        }
    }

    #[test]
    fn shares_do_not_overflow() {
        assert_eq!(share(1000, 800), 800);
        assert_eq!(share(u64::MAX, 1000), u64::MAX);
    }

    #[test]
    fn priority_is_served_first_and_minima_hold() {
        let ask = |tokens, min, max, priority| Request { tokens, min, max, priority };
        let requests = [ask(100, 50, 1000, 0), ask(80, 80, 1000, 5), ask(500, 0, 30, 1)];
        assert_eq!(allocate(&requests, 200), vec![90, 80, 30]);
        assert_eq!(allocate(&requests, 150), vec![0, 80, 30]);
        assert_eq!(allocate(&requests, 60), vec![0, 0, 30]);
        assert_eq!(allocate(&requests, 0), vec![0, 0, 0]);
    }
}
