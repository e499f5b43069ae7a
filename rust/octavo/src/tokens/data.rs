//! The constants of counting, which are data: each carries where it comes from and when it was read.
//!
//! The files of `data/` are inside the package and parsed once. A unit test fails when one does not
//! parse, so that the error here is never met in a build that was tested.

use std::sync::LazyLock;

use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// A data file that is parsed when it is first asked for.
pub(super) type Parsed<T> = LazyLock<Result<T>>;

/// Parses one of the data files inside the package.
pub(super) fn parse<T: DeserializeOwned>(file: &'static str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| Error::Data { file, reason: error.to_string() })
}

/// The parsed file, or the error that parsing it gave.
pub(super) fn parsed<T>(file: &'static Parsed<T>) -> Result<&'static T> {
    LazyLock::force(file).as_ref().map_err(Clone::clone)
}

/// `amount` times `permille` per 1,000, rounded half up: the one way that ratios are applied.
pub(super) fn scale(amount: u64, permille: u64) -> u64 {
    // A 128-bit division costs as much as counting ten words; real numbers of tokens never need it.
    if let Some(product) = amount.checked_mul(permille).and_then(|product| product.checked_add(500)) {
        return product / 1000;
    }
    u64::try_from((u128::from(amount) * u128::from(permille) + 500) / 1000).unwrap_or(u64::MAX)
}

/// Tokens as a row keeps them: a single block or message never reaches the bound.
pub(super) fn to_row(tokens: u64) -> u32 {
    u32::try_from(tokens).unwrap_or(u32::MAX)
}
