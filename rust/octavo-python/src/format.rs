//! Format names, as Python writes them.

use octavo::message::Format;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The format of that name. Python has checked the name with a better error; this is the last line.
pub(crate) fn parse(name: &str) -> PyResult<Format> {
    match name {
        "anthropic" => Ok(Format::Anthropic),
        "openai" => Ok(Format::OpenAi),
        "openai-responses" => Ok(Format::Responses),
        "gemini" => Ok(Format::Gemini),
        "bedrock" => Ok(Format::Bedrock),
        other => Err(PyValueError::new_err(format!("unknown format {other:?}"))),
    }
}

/// The name of a format, as Python writes it.
pub(crate) fn name(format: Format) -> &'static str {
    match format {
        Format::Anthropic => "anthropic",
        Format::OpenAi => "openai",
        Format::Responses => "openai-responses",
        Format::Gemini => "gemini",
        Format::Bedrock => "bedrock",
    }
}
