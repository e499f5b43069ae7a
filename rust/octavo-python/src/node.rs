//! Python objects as the engine's [`Node`]: dicts, lists and strings are read in place, other mappings,
//! Pydantic models and SDK objects by their members. Nothing is converted first.

use std::borrow::Cow;

use octavo::node::{Key, MAX_DEPTH, Node, NodeKind, write_json};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBoolMethods, PyByteArray, PyBytes, PyDict, PyDictMethods, PyFloat, PyInt, PyList, PyMapping,
    PyMemoryView, PyModule, PyString, PyTuple, PyType,
};

use crate::counters::apart;
pub(crate) use crate::reading::Reading;
use crate::text::{borrow_noting, borrow_text};

impl Reading {
    /// The object as a node of this reading.
    pub(crate) fn node<'a, 'py>(&'a self, value: &Bound<'py, PyAny>) -> PyNode<'a, 'py> {
        PyNode { value: value.clone(), reading: self }
    }
}

/// A Python object that is being read.
#[derive(Clone)]
pub(crate) struct PyNode<'a, 'py> {
    value: Bound<'py, PyAny>,
    reading: &'a Reading,
}

impl<'py> PyNode<'_, 'py> {
    fn member(&self, key: Key) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = self.value.py();
        let Some(name) = self.reading.key(key) else { return Ok(None) };
        let name = name.bind(py);
        if let Ok(dict) = self.value.cast::<PyDict>() {
            return dict.get_item(name);
        }
        if let Ok(mapping) = self.value.cast::<PyMapping>() {
            return if mapping.contains(name)? { mapping.get_item(name).map(Some) } else { Ok(None) };
        }
        self.value.getattr_opt(name)
    }

    fn members(&self) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (py, value) = (self.value.py(), &self.value);
        if value.cast::<PyMapping>().is_ok() {
            return value.call_method0(intern!(py, "items")).map(Some);
        }
        if value.is_instance_of::<PyType>() || value.is_instance_of::<PyModule>() {
            // They have members without end, and none that a provider would take.
            self.reading.refuse(py, &format!("it holds a {}, which is no data", value.get_type().name()?));
            return Ok(None);
        }
        let members = match value.getattr_opt(intern!(py, "model_dump"))? {
            Some(dump) if dump.is_callable() => dump.call0()?,
            _ => match value.getattr_opt(intern!(py, "__dict__"))? {
                Some(members) => members,
                None => return Ok(None),
            },
        };
        if members.cast::<PyMapping>().is_err() {
            self.reading.refuse(py, "its model_dump() gives no mapping");
            return Ok(None);
        }
        members.call_method0(intern!(py, "items")).map(Some)
    }

    fn visit_each(&self, values: impl Iterator<Item = Bound<'py, PyAny>>, visit: &mut dyn FnMut(Self)) {
        self.reading.inside(&self.value, || {
            let values = values.take_while(|value| self.reading.step(value.py()));
            values.for_each(|value| visit(Self { value, reading: self.reading }));
        });
    }

    fn visit_members(&self, visit: &mut dyn FnMut(&str, Self)) -> PyResult<()> {
        let Some(members) = self.members()? else { return Ok(()) };
        for pair in members.try_iter()? {
            let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair?.extract()?;
            let key = key.str()?;
            if !self.reading.step(value.py()) {
                break;
            }
            visit(&borrow_noting(&key, || self.reading.note_garbled()), Self { value, reading: self.reading });
        }
        Ok(())
    }
}

impl Node for PyNode<'_, '_> {
    fn kind(&self) -> NodeKind {
        let value = &self.value;
        if value.is_instance_of::<PyString>() {
            NodeKind::Text
        } else if value.is_instance_of::<PyDict>() {
            NodeKind::Map
        } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            NodeKind::List
        } else if value.is_none() {
            NodeKind::Null
        } else if value.is_instance_of::<PyBool>() {
            NodeKind::Bool
        } else if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
            NodeKind::Number
        } else {
            NodeKind::Map
        }
    }

    fn text(&self) -> Option<Cow<'_, str>> {
        let text = self.value.cast::<PyString>().ok()?;
        self.reading.spend(text.py(), text.len().unwrap_or(0));
        Some(borrow_noting(text, || self.reading.note_garbled()))
    }

    fn bytes(&self) -> Option<Cow<'_, [u8]>> {
        let value = &self.value;
        if value.is_instance_of::<PyDict>() {
            return None;
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Some(Cow::Borrowed(bytes.as_bytes()));
        }
        // What may change while it is read is copied.
        if let Ok(bytes) = value.cast::<PyByteArray>() {
            return Some(Cow::Owned(bytes.to_vec()));
        }
        if !value.is_instance_of::<PyMemoryView>() {
            return None;
        }
        let copied = value.call_method0(intern!(value.py(), "tobytes"));
        copied.and_then(|bytes| Ok(bytes.cast::<PyBytes>()?.as_bytes().to_vec())).map_or_else(
            |error| {
                self.reading.fail(error);
                None
            },
            |bytes| Some(Cow::Owned(bytes)),
        )
    }

    fn boolean(&self) -> Option<bool> {
        self.value.cast::<PyBool>().ok().map(PyBoolMethods::is_true)
    }

    fn number(&self) -> Option<f64> {
        (self.kind() == NodeKind::Number).then(|| self.value.extract().ok()).flatten()
    }

    fn get(&self, key: Key) -> Option<Self> {
        if self.reading.failed() {
            return None;
        }
        match self.member(key) {
            Ok(Some(value)) if !value.is_none() => Some(Self { value, reading: self.reading }),
            Ok(_) => None,
            Err(error) => {
                self.reading.fail(error);
                None
            }
        }
    }

    fn length(&self) -> Option<usize> {
        self.value.cast_exact::<PyDict>().ok().map(PyDictMethods::len)
    }

    fn items(&self, visit: &mut dyn FnMut(Self)) {
        if let Ok(list) = self.value.cast::<PyList>() {
            self.visit_each(list.iter(), visit);
        } else if let Ok(tuple) = self.value.cast::<PyTuple>() {
            self.visit_each(tuple.iter(), visit);
        }
    }

    fn entries(&self, visit: &mut dyn FnMut(&str, Self)) {
        self.reading.inside(&self.value, || {
            if let Err(error) = self.visit_members(visit) {
                self.reading.fail(error);
            }
        });
    }

    fn write_number(&self, out: &mut String) {
        match self.value.str() {
            Ok(text) => out.push_str(&borrow_text(&text)),
            // Python writes no integer of more than 4,300 digits unless it is told to.
            Err(_) if self.value.is_exact_instance_of::<PyInt>() => {
                self.reading.refuse(self.value.py(), "it holds a number with too many digits");
            }
            Err(error) => self.reading.fail(error),
        }
    }
}

/// A number that changes when anything in a value does, however deep: tells whether it must be counted anew.
#[pyfunction]
pub(crate) fn fingerprint(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    let reading = Reading::new(value.py());
    let mut written = String::new();
    write_json(&reading.node(value), &mut written);
    reading.finish()?;
    if reading.take_garbled() {
        // Not the same as with the U+FFFD that is read in their place: what has surrogates is not sent as it is.
        written.push(char::REPLACEMENT_CHARACTER);
    }
    Ok(apart(written.len(), || octavo::message::id_hash(&written)))
}

/// Whether the engine reads a text as JSON.
#[pyfunction]
pub(crate) fn is_json(text: &Bound<'_, PyString>) -> bool {
    octavo::message::json_in(&borrow_text(text)).is_some()
}

/// Characters of all texts in a value, looked at only until there are more than `limit`.
#[pyfunction]
pub(crate) fn weigh(value: &Bound<'_, PyAny>, limit: usize) -> usize {
    let mut weight = 0;
    add_weight(value, limit, 0, &mut weight);
    weight
}

fn add_weight(value: &Bound<'_, PyAny>, limit: usize, depth: usize, weight: &mut usize) {
    if *weight > limit || depth > MAX_DEPTH {
        return;
    }
    // A container costs a little too, so that many empty ones are not taken for nothing.
    *weight += 1;
    if let Ok(text) = value.cast::<PyString>() {
        *weight += text.len().unwrap_or(0);
    } else if let Ok(dict) = value.cast::<PyDict>() {
        dict.values().iter().for_each(|item| add_weight(&item, limit, depth + 1, weight));
    } else if let Ok(list) = value.cast::<PyList>() {
        list.iter().for_each(|item| add_weight(&item, limit, depth + 1, weight));
    } else if let Ok(tuple) = value.cast::<PyTuple>() {
        tuple.iter().for_each(|item| add_weight(&item, limit, depth + 1, weight));
    } else if let Ok(members) = value.getattr("__dict__") {
        add_weight(&members, limit, depth + 1, weight);
    }
}
