//! What goes first when a ledger is full.
//!
//! Rule: of each value the first and the last 15 sightings stay; the others are added to the first. Where that does not
//! free a quarter, values go: those that were never an argument nor said by the user first, then those that were; of
//! each of these the ones that were seen last longest ago. Calls are remembered for 256 messages, for their results.

use super::entry::Facts;
use super::texts::{ROW, Texts};
use super::{Ledger, Sighting};

/// Sightings of a value that stay.
const MOST_SIGHTINGS: usize = 16;

/// Messages for which a call is remembered once the ledger is full.
const AWAITED: u32 = 256;

impl Ledger {
    /// Frees a quarter of the room, at message `message`. Takes time in the size of the ledger, and does not come again
    /// before a quarter has been filled.
    pub(super) fn let_go(&mut self, message: u32) {
        self.let_go = Some(message);
        self.thin();
        let goal = self.limit / 4 * 3;
        for calls in self.calls.values_mut() {
            calls.retain(|&(_, at)| message - at < AWAITED);
        }
        self.calls.retain(|_, calls| !calls.is_empty());
        self.bytes = self.weighed();
        if self.bytes > goal {
            let gone = self.least(self.bytes - goal);
            self.rebuild(&gone);
        }
    }

    /// Adds up sightings between the first and the newest ones of each value.
    fn thin(&mut self) {
        let mut left: Vec<usize> = vec![0; self.values.rows.len()];
        for seen in &self.sightings {
            if let Some(left) = left.get_mut(seen.value as usize) {
                *left += 1;
            }
        }
        let mut first: Vec<Option<usize>> = vec![None; self.values.rows.len()];
        let mut kept: Vec<Sighting> = Vec::with_capacity(self.sightings.len());
        for seen in &self.sightings {
            let (Some(left), Some(first)) = (left.get_mut(seen.value as usize), first.get_mut(seen.value as usize))
            else {
                continue;
            };
            let many = *left >= MOST_SIGHTINGS;
            *left -= 1;
            if let Some(earlier) = first.and_then(|first| kept.get_mut(first)).filter(|_| many) {
                earlier.times = earlier.times.saturating_add(seen.times);
            } else {
                first.get_or_insert(kept.len());
                kept.push(*seen);
            }
        }
        self.sightings = kept;
        self.placed();
    }

    /// Values to let go of, for so many bytes.
    fn least(&self, bytes: usize) -> Vec<bool> {
        let facts = self.facts(&mut |_| true, &[]);
        let order = |facts: &Option<Facts>| facts.as_ref().map(|facts| (facts.uses > 0 || facts.said, facts.last));
        let mut all: Vec<(Option<(bool, u32)>, usize)> = facts.iter().map(order).zip(0..).collect();
        all.sort_unstable();
        let mut sightings = vec![0_usize; all.len()];
        for seen in &self.sightings {
            if let Some(sum) = sightings.get_mut(seen.value as usize) {
                *sum += size_of::<Sighting>();
            }
        }
        let mut gone = vec![false; all.len()];
        let mut freed = 0;
        for (_, at) in all {
            if freed >= bytes {
                break;
            }
            let text = self.values.rows.get(at).map_or(0, |kept| kept.text.len() + ROW + size_of::<u32>());
            freed += text + sightings.get(at).copied().unwrap_or(0);
            if let Some(gone) = gone.get_mut(at) {
                *gone = true;
            }
        }
        gone
    }

    /// Builds the rows anew without some values, and without names that nothing has any more.
    fn rebuild(&mut self, gone: &[bool]) {
        let (old_values, old_names) = (std::mem::take(&mut self.values), std::mem::take(&mut self.names));
        self.names.put("", 0);
        let mut sightings = std::mem::take(&mut self.sightings);
        sightings.retain(|seen| gone.get(seen.value as usize) == Some(&false));
        let moved = |texts: &mut Texts, old: &Texts, place: u32| {
            let message = old.rows.get(place as usize).map_or(0, |kept| kept.message);
            texts.put(old.get(place), message).unwrap_or(0)
        };
        for seen in &mut sightings {
            seen.value = moved(&mut self.values, &old_values, seen.value);
            seen.name = moved(&mut self.names, &old_names, seen.name);
            seen.tool = moved(&mut self.names, &old_names, seen.tool);
        }
        self.sightings = sightings;
        self.placed();
        self.bytes = self.weighed();
    }

    /// Finds anew where each message's sightings begin, and each value's newest one.
    pub(super) fn placed(&mut self) {
        self.newest = vec![u32::MAX; self.values.rows.len()];
        for (place, seen) in self.sightings.iter().enumerate() {
            if let Some(newest) = self.newest.get_mut(seen.value as usize) {
                *newest = u32::try_from(place).unwrap_or(u32::MAX);
            }
        }
        let sightings = &self.sightings;
        for (message, start) in self.starts.iter_mut().enumerate() {
            *start = sightings.partition_point(|seen| (seen.message as usize) < message);
        }
    }
}
