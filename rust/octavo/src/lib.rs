//! The engine of Octavo: which messages go into a model call, in what form, within how many tokens.
//!
//! Everything here works on numbers. Text is borrowed to be counted and never kept; what the engine
//! answers are positions in the caller's own list.

pub mod assemble;
pub mod budget;
pub mod entry;
pub mod error;
pub mod ledger;
pub mod mask;
pub mod message;
pub mod node;
pub mod plan;
pub mod prune;
pub mod rules;
pub mod tokens;
pub mod transcript;
pub mod window;

pub use error::{Error, Result};
