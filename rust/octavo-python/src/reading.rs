//! One reading of Python objects: the interned keys, what goes wrong on the way, and where the walk must stop.

use std::cell::{Cell, RefCell};

use octavo::node::Key;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

use crate::counters::Turn;
use crate::error::unreadable;

/// Containers inside containers. Python's own `json` refuses at about 1,000; the engine's recursion ends here.
const DEEPEST: usize = 256;

/// Values in one reading: about 1 s of work. Only a value that holds itself many times over (a list of two
/// references to a list of two references…) has more, and would never end.
const MOST_VALUES: u32 = 10_000_000;

/// What visiting one value costs, in characters of text: about as long as counting so many.
const VALUE: usize = 16;

static KEYS: PyOnceLock<Vec<Py<PyString>>> = PyOnceLock::new();

/// One reading. The first thing that goes wrong ends it: nothing more is visited then.
pub(crate) struct Reading {
    keys: &'static [Py<PyString>],
    failure: RefCell<Option<PyErr>>,
    /// Addresses of the containers that are being walked, outermost first. They are alive: each is borrowed
    /// by the frame that walks it.
    path: RefCell<Vec<usize>>,
    values: Cell<u32>,
    turn: Turn,
    index: Cell<Option<usize>>,
    garbled: Cell<bool>,
}

impl Reading {
    /// Prepares a reading; the keys are interned once per process.
    pub(crate) fn new(py: Python<'_>) -> Self {
        let keys =
            KEYS.get_or_init(py, || Key::ALL.iter().map(|key| PyString::intern(py, key.name()).unbind()).collect());
        let (failure, path) = (RefCell::new(None), RefCell::default());
        Self {
            keys,
            failure,
            path,
            values: Cell::new(0),
            turn: Turn::default(),
            index: Cell::new(None),
            garbled: Cell::new(false),
        }
    }

    /// Says which message is read from here on, for errors.
    pub(crate) fn at(&self, index: usize) {
        self.index.set(Some(index));
    }

    /// A text holds surrogates.
    pub(crate) fn note_garbled(&self) {
        self.garbled.set(true);
    }

    /// Whether a text held surrogates since this was asked last.
    pub(crate) fn take_garbled(&self) -> bool {
        self.garbled.take()
    }

    /// The name of a member, interned.
    pub(crate) fn key(&self, key: Key) -> Option<&'static Py<PyString>> {
        self.keys.get(key as usize)
    }

    /// Raises what went wrong while something was read: an exception of the object's own code comes before
    /// what the engine made of the half that it saw.
    pub(crate) fn finish(&self) -> PyResult<()> {
        self.failure.borrow_mut().take().map_or(Ok(()), Err)
    }

    /// Keeps the first exception.
    pub(crate) fn fail(&self, error: PyErr) {
        self.failure.borrow_mut().get_or_insert(error);
    }

    /// Keeps a `MessageError` as the first exception.
    pub(crate) fn refuse(&self, py: Python<'_>, reason: &str) {
        self.fail(unreadable(py, self.index.get(), reason));
    }

    /// Whether something went wrong.
    pub(crate) fn failed(&self) -> bool {
        self.failure.borrow().is_some()
    }

    /// Calls `walk` inside a container, unless the container is being walked already or lies too deep.
    pub(crate) fn inside(&self, container: &Bound<'_, PyAny>, walk: impl FnOnce()) {
        let address = container.as_ptr().addr();
        let stop = {
            let path = self.path.borrow();
            if path.contains(&address) {
                Some("it contains itself")
            } else {
                (path.len() >= DEEPEST).then_some("it is nested more than 256 levels deep")
            }
        };
        if let Some(reason) = stop {
            return self.refuse(container.py(), reason);
        }
        self.path.borrow_mut().push(address);
        walk();
        self.path.borrow_mut().pop();
    }

    /// So many characters are worked on.
    pub(crate) fn spend(&self, py: Python<'_>, characters: usize) {
        self.turn.spend(py, characters);
    }

    /// Counts one more value; whether it may be visited.
    pub(crate) fn step(&self, py: Python<'_>) -> bool {
        let values = self.values.get().saturating_add(1);
        self.values.set(values);
        self.spend(py, VALUE);
        if values > MOST_VALUES {
            self.refuse(py, "it holds more than 10,000,000 values");
        }
        !self.failed()
    }
}
