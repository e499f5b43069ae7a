//! From a transcript to a plan: the only module that knows the others.

use crate::error::Result;
use crate::message::Format;
use crate::plan::{Call, Plan, Reported};
use crate::transcript::{Entry, Transcript};
use crate::window::{Limits, Reports, View, Window};

/// How many views are kept: one for each set of limits in use. The oldest is folded anew when asked for.
const VIEWS: usize = 4;

/// How often a window is made smaller for what its repair adds.
const REPAIR_ROUNDS: usize = 4;

/// When a call is made.
#[derive(Debug, Clone, Copy)]
struct Moment {
    /// How many messages there are before it.
    end: u32,
    /// Reports for calls with fewer messages than this are known by then.
    known: u32,
}

/// A transcript with what has been decided about it.
#[derive(Debug, Clone)]
pub struct Assembler {
    transcript: Transcript,
    reports: Reports,
    /// Most recently used last.
    views: Vec<View>,
}

impl Assembler {
    /// Starts with an empty transcript of messages in `format`.
    pub fn new(format: Format) -> Self {
        Self { transcript: Transcript::new(format), reports: Reports::default(), views: Vec::new() }
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
        self.transcript.pin(message, pinned)
    }

    /// Takes in what the provider reported for the call before which there were `at` messages, and what was
    /// counted for the same content. What lies before them in reports is kept, so that a constant that the
    /// count cannot see (a proxy's system prompt) is told from a ratio, also across system prompts.
    ///
    /// # Errors
    /// As [`Reports::add`]: a report or count of nothing.
    pub fn observe(&mut self, at: u32, basis: u64, reported: u64, counted: u64) -> Result<()> {
        let forgot = self.reports.add(at, basis, reported, counted)?;
        let transcript = &self.transcript;
        // A view that is kept must be the one that would be folded anew.
        self.views.retain(|view| !forgot && view.folded_to(transcript) <= at);
        Ok(())
    }

    /// Plans one call made with all messages.
    pub fn plan(&mut self, call: Call) -> Plan {
        let view = self.folded(call);
        let moment = self.next();
        let plan = self.fitting(&view, call, moment, self.first(&view, moment));
        self.views.push(view);
        plan
    }

    /// The same where no more than `most` messages of the history are shown; `None` where there are more, which take
    /// their time when they must be repaired.
    pub fn plan_within(&mut self, call: Call, most: u32) -> Option<Plan> {
        let moment = self.next();
        self.plan_at(call, moment, most)
    }

    /// Plans the past call before message `end`, had it had these limits, as it was planned then; in the same way as
    /// [`Self::plan_within`]. `None` as well where no call was made there.
    pub fn plan_past(&mut self, call: Call, end: u32, most: u32) -> Option<Plan> {
        let calls = self.transcript.calls();
        let until = calls.binary_search(&end).ok()?.saturating_add(1);
        let moment = Moment { end, known: end };
        if until == calls.len() {
            return self.plan_at(call, moment, most);
        }
        // Views are folded further.
        let limits = call.limits_with_tail();
        let mut view = View::new(Limits { basis: self.reports.folded_by(limits.basis), ..limits });
        view.fold(&self.transcript, calls.get(..until)?, &self.reports);
        self.fitting_within(&view, call, moment, most)
    }

    fn plan_at(&mut self, call: Call, moment: Moment, most: u32) -> Option<Plan> {
        let view = self.folded(call);
        let plan = self.fitting_within(&view, call, moment, most);
        self.views.push(view);
        plan
    }

    fn fitting_within(&self, view: &View, call: Call, moment: Moment, most: u32) -> Option<Plan> {
        let window = self.first(view, moment);
        let few = window.end.saturating_sub(self.transcript.start_of(window.cut)) <= most;
        few.then(|| self.fitting(view, call, moment, window))
    }

    /// The call that is made with all messages; made again, it knows what was reported for it.
    fn next(&self) -> Moment {
        let end = self.transcript.len();
        Moment { end, known: end.saturating_add(1) }
    }

    fn first(&self, view: &View, moment: Moment) -> Window {
        view.window(&self.transcript, &self.reports, (moment.end, moment.known), 0)
    }

    fn folded(&mut self, call: Call) -> View {
        let limits = call.limits_with_tail();
        let mut view = self.view(Limits { basis: self.reports.folded_by(limits.basis), ..limits });
        view.fold(&self.transcript, self.transcript.calls(), &self.reports);
        view
    }

    /// A plan that fits with its repairs, where one can: what a repair adds is known only when the window
    /// is, and a smaller window may need another repair.
    fn fitting(&self, view: &View, call: Call, moment: Moment, first: Window) -> Plan {
        let transcript = &self.transcript;
        let reported = moment.known.checked_sub(1).and_then(|at| self.reports.reported_by(call.limits.basis, at));
        let anchor = reported.map_or_else(Default::default, |found| found.anchor);
        let previous = view.last_call(transcript);
        let planned = |window: Window| {
            let reported = reported.map(|found| Reported {
                at: found.at,
                basis: found.basis,
                whole: found.at > 0 && view.holds(transcript, found.at, &window),
            });
            Plan::new(transcript, call, (anchor, reported), window, previous)
        };
        let mut extra = 0_u64;
        let mut best = planned(first);
        for _ in 1..REPAIR_ROUNDS {
            let most = anchor.within(call.limits.budget);
            let beside = call.beside.saturating_add(best.window.told);
            let over = best.tokens().saturating_add(beside).saturating_sub(most);
            if over == 0 {
                break;
            }
            extra = extra.saturating_add(over).max(u64::try_from(best.repaired).unwrap_or(0));
            let smaller = planned(view.window(transcript, &self.reports, (moment.end, moment.known), extra));
            if smaller.tokens() >= best.tokens() {
                break;
            }
            best = smaller;
        }
        best
    }

    /// Takes over what callers said of the same messages when they were read in another format.
    pub fn inherit(&mut self, other: &Self) {
        self.transcript.inherit_pins(&other.transcript);
        self.reports.clone_from(&other.reports);
        self.views.clear();
    }

    /// The state as it was when there were `len` messages. O(len).
    ///
    /// # Errors
    /// As [`Transcript::append`].
    pub fn truncated(&self, len: u32) -> Result<Self> {
        let mut reports = self.reports.clone();
        reports.truncate(len);
        // Views hang on nothing but that: they are folded anew when they are asked for.
        Ok(Self { transcript: self.transcript.truncated(len)?, reports, views: Vec::new() })
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
