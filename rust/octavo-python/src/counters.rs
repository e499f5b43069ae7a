//! Counters as the doorway hands them to the engine: one that lets other threads run, one that the caller wrote.

use std::cell::Cell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use octavo::tokens::CountTokens;
use pyo3::intern;
use pyo3::prelude::*;

/// Texts above this are worked on without the interpreter's lock: counting them takes about half a
/// millisecond, below which getting the lock back can cost more than it gives. What many smaller ones take is
/// [`Turn`]'s business.
const DETACH_BYTES: usize = 64 * 1024;

/// After so many characters of small texts the clock is looked at: that is one to three milliseconds of work.
const TURN: usize = 64 * 1024;

/// Other threads are let in no sooner than after this. A thread that waits asks for its turn after five milliseconds
/// in which the interpreter's lock was not given up (`sys.getswitchinterval`), and only then is waited for. Giving it up
/// more often wakes the waiting thread each time too late, and it never asks: gaps of 60 to 90 ms, at a release for
/// each 64 Ki characters.
const WAITED: Duration = Duration::from_millis(6);

/// How much one thread has done since it last let others in. An event loop must not wait for the whole of a list
/// of many small texts, none of which is worth a release of its own. A release that nobody waits for takes about
/// 0.1 µs.
#[derive(Default)]
pub(crate) struct Turn {
    characters: Cell<usize>,
    since: Cell<Option<Instant>>,
}

impl Turn {
    /// So many characters are worked on.
    pub(crate) fn spend(&self, py: Python<'_>, characters: usize) {
        let spent = self.characters.get().saturating_add(characters);
        if spent < TURN {
            return self.characters.set(spent);
        }
        self.characters.set(0);
        let now = Instant::now();
        let since = self.since.get();
        if since.is_none_or(|since| now.duration_since(since) >= WAITED) {
            // What came before the first look is not known to be long.
            if since.is_some() {
                py.detach(|| ());
            }
            self.since.set(Some(Instant::now()));
        }
    }
}

/// Does work on a text of so many bytes, without the interpreter's lock where it is long.
pub(crate) fn apart<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes <= DETACH_BYTES {
        return work();
    }
    // Called with the interpreter attached or not: attaching is cheap where it is.
    Python::attach(|py| py.detach(work))
}

/// A counter that lets other threads run while it counts a long text.
pub(crate) struct Detaching(pub(crate) Arc<dyn CountTokens>);

impl CountTokens for Detaching {
    fn count(&self, text: &str) -> usize {
        apart(text.len(), || self.0.count(text))
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        apart(text.len(), || self.0.count_up_to(text, limit))
    }

    fn truncate<'text>(&self, text: &'text str, limit: usize) -> &'text str {
        apart(text.len(), || self.0.truncate(text, limit))
    }

    fn settled(&self, text: &str) -> usize {
        self.0.settled(text)
    }
}

/// A counter that the caller wrote, for one reading. What it raises ends the counting and is raised when the
/// reading is over; it belongs to the reading, so that no other thread's is taken for broken.
pub(crate) struct Foreign {
    counter: Py<PyAny>,
    failure: Mutex<Option<PyErr>>,
}

impl Foreign {
    pub(crate) fn new(counter: Py<PyAny>) -> Self {
        Self { counter, failure: Mutex::new(None) }
    }

    /// Raises what the counter raised.
    pub(crate) fn finish(&self) -> PyResult<()> {
        self.failure().take().map_or(Ok(()), Err)
    }

    fn failure(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, text: &str) -> PyResult<usize> {
        Python::attach(|py| self.counter.bind(py).call_method1(intern!(py, "count"), (text,))?.extract())
    }
}

impl CountTokens for Foreign {
    fn count(&self, text: &str) -> usize {
        if self.failure().is_some() {
            return 0;
        }
        // The lock is not held while Python runs.
        self.ask(text).unwrap_or_else(|error| {
            self.failure().get_or_insert(error);
            0
        })
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        Some(self.count(text)).filter(|&tokens| tokens <= limit)
    }

    /// By halving: the longest one where a longer text never has fewer tokens, which is all that is known of a
    /// counter that the caller wrote. The answer has been counted.
    fn truncate<'text>(&self, text: &'text str, limit: usize) -> &'text str {
        let fits = |end: usize| self.count(text.get(..end).unwrap_or_default()) <= limit;
        if fits(text.len()) {
            return text;
        }
        let (mut within, mut over) = (0, text.len());
        while let Some(middle) = between(text, within, over) {
            if fits(middle) { within = middle } else { over = middle }
        }
        text.get(..within).unwrap_or_default()
    }
}

/// A place between two characters in the middle of `from..to`; nothing where there is none inside.
fn between(text: &str, from: usize, to: usize) -> Option<usize> {
    let middle = text.floor_char_boundary(from.midpoint(to));
    let middle = if middle > from { middle } else { text.ceil_char_boundary(from + 1) };
    (middle < to).then_some(middle)
}
