//! Texts with surrogates, which no client can encode: found here, so that U+FFFD is sent in their place.

use octavo::node::{Node, NodeKind};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyDictMethods, PyList, PyListMethods, PyString};

use crate::node::{PyNode, Reading};
use crate::text::{SHORT, borrow_noting};

/// The text with every surrogate pair as its character and every lone surrogate as U+FFFD; the same object where
/// there are none.
#[pyfunction]
pub(crate) fn mended<'py>(text: &Bound<'py, PyString>) -> Bound<'py, PyString> {
    let mut garbled = false;
    let read = borrow_noting(text, || garbled = true);
    if garbled { PyString::new(text.py(), &read) } else { text.clone() }
}

/// Whether a text somewhere in a value, or the name of a member, holds surrogates.
#[pyfunction]
pub(crate) fn is_garbled(value: &Bound<'_, PyAny>) -> bool {
    let reading = Reading::new(value.py());
    look_through(&reading.node(value));
    // What cannot be walked to its end is told by whoever reads it.
    reading.take_garbled()
}

fn look_through(node: &PyNode<'_, '_>) {
    match node.kind() {
        NodeKind::Text => drop(node.text()),
        NodeKind::List => node.items(&mut |item| look_through(&item)),
        NodeKind::Map if node.bytes().is_none() => node.entries(&mut |_, item| look_through(&item)),
        _ => {}
    }
}

/// Members that are looked over in one message, and how deep: one that holds itself would have no end.
const LOOKED_OVER: u32 = 4096;
const LOOKED_INTO: u32 = 32;

/// Whether a short text in a message holds surrogates: names, ids and signatures, which reading leaves unread. What is
/// longer and no ASCII is read, and so are the names of arguments. A message of a role and a text has nothing else, and
/// is not looked over; of others it takes a fifth of the time of reading them.
pub(crate) fn is_garbled_unread(message: &Bound<'_, PyAny>) -> bool {
    let Ok(members) = message.cast_exact::<PyDict>() else { return false };
    let content = members.get_item(intern!(message.py(), "content"));
    let is_plain =
        members.len() == 2 && matches!(content, Ok(Some(content)) if content.is_exact_instance_of::<PyString>());
    let mut left = LOOKED_OVER;
    !is_plain && look_over(message, LOOKED_INTO, &mut left)
}

fn look_over(value: &Bound<'_, PyAny>, deep: u32, left: &mut u32) -> bool {
    if deep == 0 || *left == 0 {
        return false;
    }
    *left -= 1;
    if let Ok(text) = value.cast_exact::<PyString>() {
        return text.len().is_ok_and(|length| length <= SHORT) && text.to_str().is_err();
    }
    if let Ok(members) = value.cast_exact::<PyDict>() {
        return members.iter().any(|(_, item)| look_over(&item, deep - 1, left));
    }
    value.cast_exact::<PyList>().is_ok_and(|list| list.iter().any(|item| look_over(&item, deep - 1, left)))
}
