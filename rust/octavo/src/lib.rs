//! The engine of Octavo: which messages go into a model call, in what form, within how many tokens.
//!
//! Planning works on numbers: text is borrowed to be counted, and what the engine answers are positions in the
//! caller's own list. Some things keep pieces of text, all of them bounded: the memory of counts, which holds the words
//! of counted texts for the whole process (6 MiB an encoding; [`tokens::limit_cache`] sets it, before an encoding is
//! loaded), the one of the `tokenizers` crate (10,000 words a file and thread), and a [`ledger::Ledger`], which holds
//! values (8 MiB, or what it is made with). A stream holds what is not decided yet.

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
