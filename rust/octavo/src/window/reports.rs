//! What providers reported, call by call, and which report a call goes by.

use crate::error::Result;
use crate::tokens::calibration::Anchor;

/// How many reports are kept. Then the older half is forgotten: who rewinds over more goes on with the oldest kept.
const MOST: usize = 1024;

/// How many reports back one is looked for that is more like the call than the newest: beyond it the newest says more.
const BACK: usize = 64;

/// The lower half of a basis; the upper half is its mode.
const TEXTS: u64 = 0xFFFF_FFFF;

/// What the provider reported for one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observation {
    /// How many messages the call had before it.
    pub at: u32,
    /// What stood around the history: the call's [`super::Limits::basis`].
    pub basis: u64,
    /// What was reported against what was estimated, and what was learnt by then.
    pub anchor: Anchor,
}

/// The reports of one conversation, in order of the call.
#[derive(Debug, Clone, Default)]
pub struct Reports(Vec<Observation>);

impl Reports {
    /// Takes in a report, and learns from what it differs by from the one before that is most like it. True where older
    /// ones were forgotten for it: what calls long ago went by is then another report.
    ///
    /// # Errors
    /// As [`Anchor::new`]: a report or count of nothing.
    pub fn add(&mut self, at: u32, basis: u64, reported: u64, counted: u64) -> Result<bool> {
        let known = self.before(at);
        let anchor = match (known.last(), closest(known, basis)) {
            (Some(newest), Some(like)) => newest.anchor.grown_from(like.anchor, reported, counted)?,
            _ => Anchor::new(reported, counted)?,
        };
        let (after, end) = (known.len(), self.0.partition_point(|known| known.at <= at));
        let observation = Observation { at, basis, anchor };
        match self.0.get_mut(after..end).and_then(|same| same.iter_mut().find(|known| known.basis == basis)) {
            Some(same) => *same = observation,
            None => self.0.insert(end, observation),
        }
        let full = self.0.len() > MOST;
        if full {
            self.0.drain(..MOST / 2);
            // It stands for those that are gone.
            self.0.iter_mut().take(1).for_each(|oldest| oldest.at = 0);
        }
        Ok(full)
    }

    /// Forgets what was reported for calls that had more than `len` messages before them.
    pub fn truncate(&mut self, len: u32) {
        self.0.retain(|observation| observation.at <= len);
    }

    /// A basis that is the same for all calls that no report says the same of: they go by the same reports.
    pub fn folded_by(&self, basis: u64) -> u64 {
        if self.0.iter().rev().any(|known| known.basis == basis) { basis } else { basis | TEXTS }
    }

    /// What a call with `call` messages before it goes by, beside what was reported for another with as many: the
    /// newest of the same basis, or else of the same mode (tools, thinking), or else of any.
    pub(crate) fn anchor_at(&self, basis: u64, call: u32) -> Anchor {
        closest(self.before(call), basis).map_or_else(Anchor::default, |found| found.anchor)
    }

    /// The same with what was reported for this call, too, where it is made again.
    pub(crate) fn reported_by(&self, basis: u64, end: u32) -> Option<&Observation> {
        closest(self.before(end.saturating_add(1)), basis)
    }

    /// The number of messages from which on a call finds another report than one with `call` messages.
    pub(super) fn next_after(&self, call: u32) -> Option<u32> {
        self.0.get(self.before(call).len()).map(|observation| observation.at.saturating_add(1))
    }

    fn before(&self, call: u32) -> &[Observation] {
        let end = self.0.partition_point(|observation| observation.at < call);
        self.0.get(..end).unwrap_or_default()
    }
}

fn closest(known: &[Observation], basis: u64) -> Option<&Observation> {
    let recent = || known.iter().rev().take(BACK);
    let same = recent().find(|found| found.basis == basis);
    same.or_else(|| recent().find(|found| found.basis & !TEXTS == basis & !TEXTS)).or_else(|| known.last())
}

#[cfg(test)]
mod tests {
    use super::{BACK, MOST, Reports};
    use crate::error::Result;

    const MODE: u64 = 1 << 32;

    #[test]
    fn a_call_goes_by_the_report_that_is_most_like_it() -> Result<()> {
        let mut reports = Reports::default();
        for (at, basis, reported) in [(1, MODE | 7, 1100), (2, MODE | 8, 1200), (3, 9, 1300)] {
            reports.add(at, basis, reported, 1000)?;
        }
        let found = |basis| reports.reported_by(basis, 9).map(|found| found.at);
        assert_eq!(
            (found(MODE | 7), found(MODE | 6), found(9), found(8), found(MODE << 1)),
            (Some(1), Some(2), Some(3), Some(3), Some(3))
        );
        assert_eq!(reports.reported_by(9, 2).map(|found| found.at), Some(2));
        assert!(reports.reported_by(9, 0).is_none());
        Ok(())
    }

    #[test]
    fn an_old_report_gives_way_to_newer_ones_that_are_less_alike() -> Result<()> {
        let mut reports = Reports::default();
        reports.add(1, 7, 1000, 1000)?;
        for at in (2..).take(BACK) {
            assert_eq!(reports.reported_by(7, at).map(|found| found.at), Some(1));
            reports.add(at, u64::from(at) << 8, 1000, 1000)?;
        }
        assert_eq!(reports.reported_by(7, 1000).map(|found| found.at as usize), Some(BACK + 1));
        Ok(())
    }

    #[test]
    fn what_is_kept_is_bounded_and_the_oldest_stands_for_the_rest() -> Result<()> {
        let mut reports = Reports::default();
        for at in 1..5000 {
            reports.add(at, u64::from(at), u64::from(2 * at), u64::from(at))?;
            assert!(reports.0.len() <= MOST);
        }
        assert_eq!(reports.reported_by(0, 4999).map(|found| found.at), Some(4999));
        assert!(reports.anchor_at(0, 3).estimated() > 3000);
        Ok(())
    }
}
