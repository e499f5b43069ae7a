//! Counters for models: text, messages, tools.

use std::sync::Arc;

use octavo::Error;
use octavo::message::Estimated;
use octavo::tokens::CountTokens;
use octavo::tokens::model::profile;
use octavo::tokens::tally::{Parts, Tally};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::counters::{Detaching, Foreign};
use crate::error::{raise, unread};
use crate::format;
use crate::node::{PyNode, Reading};
use crate::profile::{ModelProfile, share};
use crate::text::{truncated, with_text};
use crate::tokens::{Encoding, StreamCounter};

/// A counter for one model. Shared by every transcript that counts alike.
#[pyclass(frozen, module = "octavo._core")]
pub(crate) struct TokenCounter {
    tally: Tally,
    /// A counter of the caller's own, which each reading wraps anew.
    foreign: Option<Py<PyAny>>,
}

/// A tally that starts at nothing, for one reading, and what a counter of the caller's own raises in it.
pub(crate) struct Counting {
    pub(crate) tally: Tally,
    foreign: Option<Arc<Foreign>>,
}

impl Counting {
    /// Raises what a counter of the caller's own raised. After every message that was read.
    pub(crate) fn finish(&self) -> PyResult<()> {
        self.foreign.as_ref().map_or(Ok(()), |foreign| foreign.finish())
    }
}

impl TokenCounter {
    /// The same counter once more.
    pub(crate) fn again(&self, py: Python<'_>) -> Self {
        Self { tally: self.tally.clone(), foreign: self.foreign.as_ref().map(|counter| counter.clone_ref(py)) }
    }

    /// Begins a reading.
    pub(crate) fn begin(&self, py: Python<'_>) -> Counting {
        let Some(counter) = &self.foreign else { return Counting { tally: self.tally.clone(), foreign: None } };
        let foreign = Arc::new(Foreign::new(counter.clone_ref(py)));
        Counting { tally: self.tally.clone().through(|_| Arc::clone(&foreign) as _), foreign: Some(foreign) }
    }

    /// What `work` makes of the counter and the text. Raises what a counter of the caller's own raised.
    pub(crate) fn on_text<T>(
        &self,
        text: &Bound<'_, PyString>,
        work: impl FnOnce(&dyn CountTokens, &str) -> T,
    ) -> PyResult<T> {
        if self.foreign.is_none() {
            return Ok(with_text(text, |text| work(self.tally.counter().as_ref(), text)));
        }
        let counting = self.begin(text.py());
        let answer = with_text(text, |text| work(counting.tally.counter().as_ref(), text));
        counting.finish().map(|()| answer)
    }

    /// Counts one thing that is no message.
    fn on_value<T>(
        &self,
        value: &Bound<'_, PyAny>,
        work: impl FnOnce(&mut Tally, &PyNode<'_, '_>) -> T,
    ) -> PyResult<T> {
        let reading = Reading::new(value.py());
        let mut counting = self.begin(value.py());
        let tokens = work(&mut counting.tally, &reading.node(value));
        reading.finish()?;
        counting.finish().map(|()| tokens)
    }
}

#[pymethods]
impl TokenCounter {
    #[new]
    #[pyo3(signature = (model=None, *, strict=false, counter=None))]
    fn new(py: Python<'_>, model: Option<&str>, strict: bool, counter: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let profile = profile(model, strict).map_err(raise)?;
        let Some(own) = counter else {
            let tally = Tally::new(profile).map_err(raise)?.through(|counter| Arc::new(Detaching(counter)));
            return Ok(Self { tally, foreign: None });
        };
        if let Ok(encoding) = own.cast::<Encoding>() {
            // One of the engine's own is asked without a way through Python.
            let counter = Arc::new(Detaching(encoding.get().counter()));
            return Ok(Self { tally: Tally::with_counter(profile, counter).map_err(raise)?, foreign: None });
        }
        let own = own.clone().unbind();
        let stand_in = Arc::new(Foreign::new(own.clone_ref(py)));
        Ok(Self { tally: Tally::with_counter(profile, stand_in).map_err(raise)?, foreign: Some(own) })
    }

    /// Tokens of a text.
    #[pyo3(signature = (text, /))]
    fn count(&self, text: &Bound<'_, PyString>) -> PyResult<usize> {
        self.on_text(text, |counter, text| counter.count(text))
    }

    /// Tokens of a text, or nothing above the limit.
    fn count_up_to(&self, text: &Bound<'_, PyString>, limit: usize) -> PyResult<Option<usize>> {
        self.on_text(text, |counter, text| counter.count_up_to(text, limit))
    }

    /// The longest beginning within the limit.
    fn truncate<'py>(&self, text: &Bound<'py, PyString>, limit: usize) -> PyResult<Bound<'py, PyString>> {
        let counting = self.begin(text.py());
        let left = truncated(text, |text| counting.tally.counter().truncate(text, limit).len())?;
        counting.finish().map(|()| left)
    }

    /// Counts a text that arrives in parts; nothing for a counter of the caller's own.
    fn stream(&self) -> Option<StreamCounter> {
        self.foreign.is_none().then(|| StreamCounter::of(Arc::clone(self.tally.counter())))
    }

    /// Tokens of one message, with its framing. `index` is its position, for the error.
    #[pyo3(signature = (message, format, index=0))]
    fn count_message(&self, message: &Bound<'_, PyAny>, format: &str, index: usize) -> PyResult<u32> {
        let format = format::parse(format)?;
        let reading = Reading::new(message.py());
        reading.at(index);
        let mut counting = self.begin(message.py());
        let tokens = counting.tally.read(format, index, &reading.node(message));
        reading.finish()?;
        counting.finish()?;
        tokens.map_err(|error| unread(error, message))
    }

    /// Tokens, method and error bound of a whole request.
    #[pyo3(signature = (messages, format, system=None, tools=None))]
    fn count_messages(
        &self,
        messages: &Bound<'_, PyAny>,
        format: &str,
        system: Option<&Bound<'_, PyAny>>,
        tools: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(u64, &'static str, u64)> {
        let format = format::parse(format)?;
        let reading = Reading::new(messages.py());
        let mut counting = self.begin(messages.py());
        system.map(|system| counting.tally.system(&reading.node(system)));
        tools.map(|tools| counting.tally.tools(&reading.node(tools)));
        for (index, message) in messages.try_iter()?.enumerate() {
            let message = message?;
            reading.at(index);
            let read: Result<u32, Error> = counting.tally.read(format, index, &reading.node(&message));
            reading.finish()?;
            counting.finish()?;
            read.map_err(|error| unread(error, &message))?;
        }
        reading.finish()?;
        counting.finish()?;
        let count = counting.tally.counted(true);
        Ok((count.tokens, count.method.name(), count.error_bound))
    }

    /// Tokens of a system prompt that is given apart, of any shape.
    fn count_system(&self, system: &Bound<'_, PyAny>) -> PyResult<u32> {
        self.on_value(system, |tally, system| tally.system(system).tokens)
    }

    /// Tokens of tool definitions of any shape, with the system prompt that they bring.
    fn count_tools(&self, tools: &Bound<'_, PyAny>) -> PyResult<u32> {
        self.on_value(tools, |tally, tools| tally.tools(tools).tokens)
    }

    /// Tokens of a system prompt and of tools, what of each is estimated, and how far that can be off together.
    fn count_frame(&self, system: &Bound<'_, PyAny>, tools: &Bound<'_, PyAny>) -> PyResult<(u32, u32, u64, u64, u64)> {
        let system = self.on_value(system, |tally, system| tally.system(system))?;
        let tools = self.on_value(tools, |tally, tools| tally.tools(tools))?;
        let error = system.estimated.plus(tools.estimated).error;
        Ok((system.tokens, tools.tokens, system.estimated.tokens, tools.estimated.tokens, error))
    }

    /// How a number of tokens of these parts was made, and within how many tokens the true number lies:
    /// tokens of texts, of tools, of what is no text, and how far the last can be off.
    fn certainty(&self, text: u64, tools: u64, estimated: u64, error: u64) -> (&'static str, u64) {
        let (method, bound) =
            self.tally.certainty(Parts { text, tools, estimated: Estimated { tokens: estimated, error } });
        (method.name(), bound)
    }

    /// Tokens that a request has once.
    #[getter]
    fn fixed(&self) -> u32 {
        self.tally.fixed()
    }

    /// How texts are counted: `exact`, `calibrated` or `estimated`.
    #[getter]
    fn method(&self) -> &'static str {
        self.tally.method().name()
    }

    /// How far the count of a text can be off, as a share of it.
    #[getter]
    fn error_bound(&self) -> f64 {
        share(self.tally.text_error())
    }

    /// What the model table says.
    #[getter]
    fn profile(&self) -> ModelProfile {
        self.tally.profile().into()
    }
}
