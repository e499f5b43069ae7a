//! From a transcript to a plan: the only module that knows the others.

use crate::error::Result;
use crate::message::Format;
use crate::plan::{Call, Plan};
use crate::tokens::calibration::Anchor;
use crate::transcript::{Entry, Transcript};
use crate::window::{Limits, Observation, View, anchor_at};

/// How many views are kept: one for each set of limits in use. The oldest is folded anew when asked for.
const VIEWS: usize = 4;

/// How often a window is made smaller for what its repair adds.
const REPAIR_ROUNDS: usize = 4;

/// A transcript with what has been decided about it.
#[derive(Debug, Clone)]
pub struct Assembler {
    transcript: Transcript,
    observations: Vec<Observation>,
    /// Most recently used last.
    views: Vec<View>,
}

impl Assembler {
    /// Starts with an empty transcript of messages in `format`.
    pub fn new(format: Format) -> Self {
        Self { transcript: Transcript::new(format), observations: Vec::new(), views: Vec::new() }
    }

    /// The messages as numbers.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Appends one message.
    ///
    /// # Errors
    /// As [`Transcript::append`].
    pub fn append(&mut self, entry: &Entry) -> Result<()> {
        self.transcript.append(entry)
    }

    /// Never drop the exchange that `message` belongs to (or drop it again). False when there is none.
    pub fn pin(&mut self, message: u32, pinned: bool) -> bool {
        let known = self.transcript.pin(message, pinned);
        if known && !pinned {
            // The pin may have shaped earlier cuts.
            self.views.clear();
        }
        known
    }

    /// Takes in what the provider reported for the call before which there were `at` messages, and what was
    /// counted for the same content. What lies before them in reports is kept, so that a constant that the
    /// count cannot see (a proxy's system prompt) is told from a ratio.
    ///
    /// # Errors
    /// As [`Anchor::new`]: a report or count of nothing.
    pub fn observe(&mut self, at: u32, reported: u64, counted: u64) -> Result<()> {
        let after = self.observations.partition_point(|known| known.at < at);
        let before = after.checked_sub(1).and_then(|last| self.observations.get(last));
        let anchor = match before {
            Some(earlier) => earlier.anchor.grown(reported, counted)?,
            None => Anchor::new(reported, counted)?,
        };
        match self.observations.get_mut(after) {
            Some(known) if known.at == at => known.anchor = anchor,
            _ => self.observations.insert(after, Observation { at, anchor }),
        }
        let transcript = &self.transcript;
        self.views.retain(|view| view.folded_to(transcript) <= at);
        Ok(())
    }

    /// Plans one call made with all messages.
    pub fn plan(&mut self, call: Call) -> Plan {
        let mut view = self.view(call.limits);
        view.fold(&self.transcript, &self.observations);
        let plan = self.fitting(&view, call);
        self.views.push(view);
        plan
    }

    /// A plan that fits with its repairs, where one can: what a repair adds is known only when the window
    /// is, and a smaller window may need another repair.
    fn fitting(&self, view: &View, call: Call) -> Plan {
        let transcript = &self.transcript;
        let anchor = anchor_at(&self.observations, transcript.len());
        let previous = view.previous(transcript, &self.observations);
        let mut beside = call.beside;
        let mut best: Option<Plan> = None;
        for _ in 0..REPAIR_ROUNDS {
            let window = view.window(transcript, &self.observations, beside);
            if best.as_ref().is_some_and(|plan| plan.window.spans(transcript) == window.spans(transcript)) {
                break;
            }
            let plan = Plan::new(transcript, call, anchor, window, previous.clone());
            let added = u64::try_from(plan.repaired).unwrap_or(0);
            let over = plan.tokens().saturating_add(call.beside).saturating_sub(anchor.within(call.limits.budget));
            let better = best.as_ref().is_none_or(|known| plan.tokens() < known.tokens());
            if better {
                best = Some(plan);
            }
            if over == 0 {
                break;
            }
            beside = beside.saturating_add(over).max(call.beside.saturating_add(added));
        }
        best.unwrap_or_else(|| {
            let window = view.window(transcript, &self.observations, beside);
            Plan::new(transcript, call, anchor, window, previous)
        })
    }

    /// The state as it was when there were `len` messages. O(len).
    ///
    /// # Errors
    /// As [`Transcript::append`].
    pub fn truncated(&self, len: u32) -> Result<Self> {
        let observations = self.observations.iter().copied().filter(|observation| observation.at <= len).collect();
        Ok(Self { transcript: self.transcript.truncated(len)?, observations, views: Vec::new() })
    }

    fn view(&mut self, limits: Limits) -> View {
        if let Some(at) = self.views.iter().position(|view| view.limits() == limits) {
            return self.views.remove(at);
        }
        if self.views.len() >= VIEWS {
            self.views.remove(0);
        }
        View::new(limits)
    }
}
