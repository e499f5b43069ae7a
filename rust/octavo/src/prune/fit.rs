//! The limit that a text is shortened to, and the search for the most that stays within it.

use crate::tokens::CountTokens;

/// At most so many tokens, and no longer than the text that was given.
pub(super) struct Limit<'a> {
    counter: &'a dyn CountTokens,
    tokens: usize,
    bytes: usize,
    characters: usize,
}

impl<'a> Limit<'a> {
    pub(super) fn new(counter: &'a dyn CountTokens, tokens: usize, text: &str) -> Self {
        Self { counter, tokens, bytes: text.len(), characters: text.chars().count() }
    }

    /// Whether the text, as it stands, may be the answer.
    pub(super) fn holds(&self, text: &str) -> bool {
        text.len() <= self.bytes
            && text.chars().count() <= self.characters
            && self.counter.count_up_to(text, self.tokens).is_some()
    }

    /// About `share` of the limit in bytes, at four bytes a token: what one unit may take. Only a grain; nothing
    /// depends on how many bytes a token really has.
    pub(super) fn grain(&self, share: usize, least: usize, most: usize) -> usize {
        (self.tokens.saturating_mul(4) / share.max(1)).clamp(least, most)
    }
}

/// Units by rank, sorted only as far as they are asked for: few of a long text ever are, and so its time stays linear.
pub(super) struct Ranked {
    order: Vec<(u64, usize)>,
    sorted: usize,
}

/// So many are sorted at once at least.
const SORTED: usize = 4096;

impl Ranked {
    /// The unit at each place has the rank that stands there. The lowest is the best; ties go to the earlier.
    pub(super) fn new(ranks: impl Iterator<Item = u64>) -> Self {
        Self { order: ranks.enumerate().map(|(place, rank)| (rank, place)).collect(), sorted: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// The unit of that rank among all, the best first.
    pub(super) fn at(&mut self, place: usize) -> Option<usize> {
        self.sort(place + 1);
        self.order.get(place).map(|&(_, unit)| unit)
    }

    /// The best so many units, in the order of the text.
    pub(super) fn best(&mut self, size: usize) -> Vec<usize> {
        self.sort(size);
        let mut units: Vec<usize> = self.order.iter().take(size).map(|&(_, unit)| unit).collect();
        units.sort_unstable();
        units
    }

    fn sort(&mut self, size: usize) {
        if size <= self.sorted {
            return;
        }
        let size = size.max(SORTED).max(2 * self.sorted).min(self.order.len());
        let Some(rest) = self.order.get_mut(self.sorted..) else { return };
        let more = size - self.sorted;
        if more < rest.len() {
            rest.select_nth_unstable(more);
        }
        if let Some(next) = rest.get_mut(..more) {
            next.sort_unstable();
        }
        self.sorted = size;
    }
}

/// The greatest size up to `total` for which `attempt` succeeds, and what it made.
///
/// Sizes are doubled and then halved, so that no attempt is made of more than about twice of what fits, however long
/// the text is. Where a larger size can succeed after a smaller one failed (another counter, a mark that goes
/// away), a size that succeeds is found, not always the greatest.
pub(super) fn most<T>(total: usize, mut attempt: impl FnMut(usize) -> Option<T>) -> Option<(usize, T)> {
    let mut best = None;
    let (mut within, mut over) = (0, total.saturating_add(1));
    let mut size = 1.min(total);
    while let Some(made) = attempt(size) {
        best = Some((size, made));
        within = size;
        if size == total {
            return best;
        }
        size = size.saturating_mul(2).min(total);
    }
    over = over.min(size);
    while over - within > 1 {
        let middle = within.midpoint(over);
        match attempt(middle) {
            Some(made) => {
                best = Some((middle, made));
                within = middle;
            }
            None => over = middle,
        }
    }
    best.or_else(|| attempt(0).map(|made| (0, made)))
}

#[cfg(test)]
mod tests {
    use super::{Ranked, most};

    #[test]
    fn the_best_come_first_however_far_is_asked() {
        let ranks: Vec<u64> = (0..20_000).map(|place: u64| place * 7919 % 1009).collect();
        let mut expected: Vec<(u64, usize)> = ranks.iter().enumerate().map(|(place, &rank)| (rank, place)).collect();
        expected.sort_unstable();
        let mut ranked = Ranked::new(ranks.into_iter());
        for size in [1, 4000, 5000, 12_000, 20_000, 30_000] {
            let mut best: Vec<usize> = expected.iter().take(size).map(|&(_, place)| place).collect();
            best.sort_unstable();
            assert_eq!(ranked.best(size), best, "{size}");
        }
        assert_eq!(ranked.at(77), expected.get(77).map(|&(_, place)| place));
    }

    #[test]
    fn the_greatest_size_is_found_with_few_attempts() {
        for total in [0, 1, 2, 3, 7, 100, 1 << 20] {
            for fits in [0, 1, 2, 3, 50, 99, 100, 5000, 1 << 20] {
                let mut attempts = 0;
                let found = most(total, |size| {
                    attempts += 1;
                    (size <= fits).then_some(size)
                });
                assert_eq!(found, Some((fits.min(total), fits.min(total))), "{fits} of {total}");
                assert!(attempts <= 44, "{attempts}");
            }
        }
    }

    #[test]
    fn nothing_is_found_where_nothing_fits() {
        assert_eq!(most(100, |_| None::<()>), None);
    }
}
