//! Which values are still likely to be needed once the messages that hold them are not shown.

use std::collections::HashSet;
use std::ops::Range;

use super::entry::Facts;
use super::similarity::Words;
use super::{Ledger, ValueKind};

/// What the next call is about.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// What is asked for: usually the last thing that the user said.
    pub text: &'a str,
    /// Names of arguments that the tools take.
    pub names: &'a [&'a str],
}

/// Points for each sign that a value will be needed. Whole numbers, so that a ranking is the same on every machine.
///
/// The defaults were chosen by step recall (`benches/quality/step_recall.py`) of a pair-safe window and the ledger
/// together within H, on every other recorded conversation: 22 of the airline at H = 1,000 with a quarter of it for the
/// ledger, 4 of Claude Code at H = 8,000 with 15 %. There 97.1 % and 95.8 % of calls are complete (the window alone:
/// 68.6 and 66.2); on the other half, which was held out, 97.7 % and 93.5 % (the window alone: 77.0 and 67.7); on the
/// one of pi, of which nothing was chosen, 99.6 %. Most weights can change by a quarter without a difference of more
/// than two points.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    /// It was an argument of a call.
    pub used: i64,
    /// It was one again, for each time of at most three.
    pub reused: i64,
    /// The user said it.
    pub said: i64,
    /// For each doubling of how often it was seen.
    pub repeated: i64,
    /// Off, for each doubling of how many messages ago it was seen last.
    pub age: i64,
    /// It stood under a name that arguments have.
    pub wanted: i64,
    /// For each word that it or its name shares with the request, of at most three.
    pub similar: i64,
    /// Off, for each 16 bytes.
    pub length: i64,
    /// For what it is, in the order of [`ValueKind::ALL`].
    pub kinds: [i64; 9],
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            used: 60,
            reused: 8,
            said: 15,
            repeated: 5,
            age: 6,
            wanted: 25,
            similar: 10,
            length: 3,
            kinds: [16, 12, 6, 8, 6, 4, 4, 0, -6],
        }
    }
}

/// A value that could be shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) value: u32,
    pub(super) score: i64,
    pub(super) facts: Facts,
}

impl Ledger {
    /// The values of messages in `left_out` that stand in no other message, the most needed first. Ties go to what was
    /// seen last, then to what was seen first.
    pub(super) fn ranked(&self, left_out: &[Range<usize>], request: &Request<'_>, weights: &Weights) -> Vec<Candidate> {
        let mut hidden = Hidden::new(left_out);
        let facts = self.facts(&mut |message| hidden.has(message), &self.wanted(request.names));
        let words = Words::of(request.text);
        let now = u32::try_from(self.starts.len()).unwrap_or(u32::MAX);
        let candidate = |(at, facts): (usize, Option<Facts>)| {
            let facts = facts.filter(|facts| facts.hidden && !facts.shown)?;
            let value = u32::try_from(at).ok()?;
            let text = self.values.get(value);
            let similar = words.shared(text) + words.shared(self.names.get(facts.name));
            let score = score(&facts, text, similar, now, weights);
            (!self.is_secret(text)).then_some(Candidate { value, score, facts })
        };
        let mut ranked: Vec<_> = facts.into_iter().enumerate().filter_map(candidate).collect();
        ranked.sort_by_key(|one| (-one.score, -i64::from(one.facts.last), one.value));
        ranked
    }

    /// Of each name, whether arguments have it: those of calls so far, and those that the tools take.
    fn wanted(&self, names: &[&str]) -> Vec<bool> {
        let mut arguments = vec![false; self.names.rows.len()];
        for seen in self.sightings.iter().filter(|seen| seen.argument) {
            if let Some(argument) = arguments.get_mut(seen.name as usize) {
                *argument = true;
            }
        }
        let known = self.names.rows.iter().zip(&arguments).filter(|(_, argument)| **argument);
        let mut taken: HashSet<&str> = known.map(|(name, _)| stem(&name.text)).collect();
        taken.extend(names.iter().copied().map(stem));
        taken.remove("");
        self.names.rows.iter().map(|name| taken.contains(stem(&name.text))).collect()
    }
}

/// What a name is about: the last of a path without what marks an id or several. `user.reservations` holds what
/// `reservation_id` takes. Where nothing else is left (`payment.id`) it is what stands before.
fn stem(path: &str) -> &str {
    path.rsplit('.').map(bare).find(|name| !name.is_empty()).unwrap_or_default()
}

fn bare(name: &str) -> &str {
    let single = name.strip_suffix('s').filter(|name| name.len() > 2 && !name.ends_with('s')).unwrap_or(name);
    if single == "id" {
        return "";
    }
    ["_id", "Id", "-id"].iter().find_map(|suffix| single.strip_suffix(suffix)).unwrap_or(single)
}

fn score(facts: &Facts, text: &str, similar: i64, now: u32, weights: &Weights) -> i64 {
    let when = |holds: bool, points: i64| if holds { points } else { 0 };
    let kind = weights.kinds.get(facts.kind as usize).copied().unwrap_or(0);
    let age = i64::from(now.saturating_sub(facts.last).max(1).ilog2());
    let repeated = i64::from(facts.times.max(1).ilog2());
    let reused = i64::from(facts.uses.saturating_sub(1).min(3));
    let length = i64::try_from(text.len() / 16).unwrap_or(i64::MAX);
    kind + when(facts.uses > 0, weights.used)
        + when(facts.said, weights.said)
        + when(facts.wanted, weights.wanted)
        + reused * weights.reused
        + repeated * weights.repeated
        + similar.min(3) * weights.similar
        - age * weights.age
        - length * weights.length
}

/// Whether messages, asked about in ascending order, are left out.
struct Hidden {
    ranges: Vec<Range<usize>>,
    at: usize,
}

impl Hidden {
    fn new(left_out: &[Range<usize>]) -> Self {
        let mut ranges: Vec<_> = left_out.iter().filter(|range| !range.is_empty()).cloned().collect();
        ranges.sort_by_key(|range| range.start);
        let mut apart: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match apart.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => apart.push(range),
            }
        }
        Self { ranges: apart, at: 0 }
    }

    fn has(&mut self, message: u32) -> bool {
        let message = message as usize;
        while self.ranges.get(self.at).is_some_and(|range| range.end <= message) {
            self.at += 1;
        }
        self.ranges.get(self.at).is_some_and(|range| range.contains(&message))
    }
}

// The table of points follows the order of the kinds.
const _: () = assert!(ValueKind::ALL.len() == 9 && ValueKind::Value as usize == 8);
