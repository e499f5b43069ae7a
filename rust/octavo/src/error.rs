//! What can go wrong in the engine. The doorway turns each variant into one Python exception.

use thiserror::Error;

/// Every error of the engine. Each names what was wrong and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A message cannot be read at all: it is not an object, or has no known role.
    #[error("message {index}: {reason}")]
    Message {
        /// Position in the list that was given, from 0.
        index: usize,
        /// What is wrong with it, in plain words.
        reason: String,
    },
    /// A number that must lie in a range does not.
    #[error("{name} must be {expected}, got {got}")]
    OutOfRange {
        /// The parameter's name.
        name: &'static str,
        /// The range it must lie in, in words.
        expected: &'static str,
        /// What was given.
        got: String,
    },
    /// A model name is not in the table and the caller asked for exact names only.
    #[error("unknown model {0:?}: it is not in the model table")]
    UnknownModel(String),
    /// An encoding name is not one of those inside the package.
    #[error(
        "unknown encoding {0:?}: the package carries o200k_base and cl100k_base; give the path of a tokenizer.json for another"
    )]
    UnknownEncoding(String),
    /// A regular expression of the caller's cannot be used.
    #[error("pattern cannot be used: {reason}")]
    Pattern {
        /// What is wrong with it, as the parser of patterns says it.
        reason: String,
    },
    /// A `tokenizer.json` cannot be used.
    #[error("tokenizer file {path}: {reason}")]
    TokenizerFile {
        /// The path that was given.
        path: String,
        /// Why it cannot be used.
        reason: String,
    },
    /// A data file inside the package does not fit what reads it.
    #[error("data file {file}: {reason}")]
    Data {
        /// The file's name.
        file: &'static str,
        /// What does not fit.
        reason: String,
    },
    /// A vocabulary inside the package is damaged.
    #[error("vocabulary {name}: {reason}")]
    Vocabulary {
        /// The encoding's name.
        name: &'static str,
        /// What does not fit.
        reason: &'static str,
    },
}

/// `Result` with the engine's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;
