//! What is known of each value, gathered from its sightings.

use super::{Ledger, Origin, ValueKind};

/// One value and where it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The value as it was written.
    pub value: &'a str,
    /// What it is.
    pub kind: ValueKind,
    /// What it is called: the keys it stood under, or the word in front of it. Empty where nothing named it.
    pub name: &'a str,
    /// The tool that it was given to, or that gave it. Empty where there was none.
    pub tool: &'a str,
    /// Who brought it in first.
    pub origin: Origin,
    /// The first message that holds it.
    pub first: u32,
    /// The last message that holds it.
    pub last: u32,
    /// How often it was seen.
    pub times: u32,
    /// In how many messages it was an argument of a call.
    pub uses: u32,
    /// The last message in which it was one.
    pub last_use: Option<u32>,
}

/// The sums over one value's sightings.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and all are added up in one pass")]
pub(super) struct Facts {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) times: u32,
    pub(super) uses: u32,
    pub(super) last_use: Option<u32>,
    /// Said by the user.
    pub(super) said: bool,
    /// Stands in a message that is shown.
    pub(super) shown: bool,
    /// Stands in a message that is not shown.
    pub(super) hidden: bool,
    /// Stood under a name that arguments have.
    pub(super) wanted: bool,
    pub(super) origin: Origin,
    pub(super) kind: ValueKind,
    pub(super) name: u32,
    pub(super) tool: u32,
    /// Whether the name is that of an argument.
    pub(super) argument: bool,
}

impl Ledger {
    /// Every value that is kept and may be shown, in the order in which they were first seen.
    pub fn entries(&self) -> Vec<Entry<'_>> {
        let facts = self.facts(&mut |_| true, &[]);
        let entry = |(at, facts): (usize, &Option<Facts>)| {
            let facts = facts.as_ref()?;
            let value = self.values.get(u32::try_from(at).ok()?);
            (!self.is_secret(value)).then(|| self.entry(value, facts))
        };
        facts.iter().enumerate().filter_map(entry).collect()
    }

    pub(super) fn entry<'a>(&'a self, value: &'a str, facts: &Facts) -> Entry<'a> {
        let Facts { first, last, times, uses, last_use, origin, kind, .. } = *facts;
        let (name, tool) = (self.names.get(facts.name), self.names.get(facts.tool));
        Entry { value, kind, name, tool, origin, first, last, times, uses, last_use }
    }

    /// One pass over all sightings. `hidden` says of a message whether it is not shown; `wanted`, of each name, whether
    /// arguments have it.
    pub(super) fn facts(&self, hidden: &mut dyn FnMut(u32) -> bool, wanted: &[bool]) -> Vec<Option<Facts>> {
        let mut facts: Vec<Option<Facts>> = vec![None; self.values.rows.len()];
        for seen in &self.sightings {
            let Some(slot) = facts.get_mut(seen.value as usize) else { continue };
            let hidden = hidden(seen.message);
            let facts = slot.get_or_insert(Facts {
                first: seen.message,
                last: seen.message,
                times: 0,
                uses: 0,
                last_use: None,
                said: false,
                shown: false,
                hidden: false,
                wanted: false,
                origin: seen.origin,
                kind: seen.kind,
                name: seen.name,
                tool: seen.tool,
                argument: seen.argument,
            });
            facts.add(seen, hidden, wanted.get(seen.name as usize).copied().unwrap_or(false));
        }
        facts
    }
}

impl Facts {
    fn add(&mut self, seen: &super::Sighting, hidden: bool, wanted: bool) {
        self.last = seen.message;
        self.times = self.times.saturating_add(seen.times);
        self.said |= seen.origin == Origin::User;
        self.shown |= !hidden;
        self.hidden |= hidden;
        self.wanted |= wanted;
        if seen.argument {
            self.uses = self.uses.saturating_add(1);
            self.last_use = Some(seen.message);
        }
        // The newest name counts, and that of an argument before others.
        if (seen.argument, seen.name != 0) >= (self.argument, self.name != 0) {
            (self.kind, self.name, self.tool, self.argument) = (seen.kind, seen.name, seen.tool, seen.argument);
        }
    }
}
