#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

use super::{FILE, Method, Profile, TABLE, Thinking, profile};
use crate::error::Error;
use crate::message::Format;
use crate::tokens::calibration::ErrorBound;
use crate::tokens::data::parsed;

fn row(name: &str) -> &'static Profile {
    profile(Some(name), true).unwrap()
}

#[test]
fn the_data_is_whole() {
    let table = parsed(&TABLE).unwrap();
    assert!(table.profiles.len() > 80, "{FILE} has {} rows", table.profiles.len());
    let providers = ["anthropic", "openai", "gemini", "bedrock"];
    for one in table.profiles.iter().chain([&table.fallback]) {
        assert!(providers.contains(&one.provider.as_str()), "{}: {}", one.prefix, one.provider);
        assert!(one.counter().is_ok(), "{}: no encoding {}", one.prefix, one.encoding);
        assert_eq!(one.method == Method::Exact, one.bound == ErrorBound::EXACT, "{}", one.prefix);
        assert_eq!(table.profiles.iter().filter(|other| other.prefix == one.prefix).count(), usize::from(one.known));
    }
}

#[test]
fn every_constant_has_source_and_date() {
    fn stated(value: &serde_json::Value) -> bool {
        ["source", "date"]
            .iter()
            .all(|key| value.get(key).and_then(|text| text.as_str()).is_some_and(|text| !text.is_empty()))
    }
    let files = [
        (include_str!("../../../data/models.json"), "groups"),
        (include_str!("../../../data/framing.json"), "sets"),
        (include_str!("../../../data/images.json"), "rules"),
        (include_str!("../../../data/calibration.json"), "sets"),
    ];
    for (text, list) in files {
        let file: serde_json::Value = serde_json::from_str(text).unwrap();
        let rows = file.get(list).unwrap().as_array().unwrap();
        assert!(rows.len() >= 3);
        for row in rows {
            assert!(stated(row), "{list}: {row}");
        }
    }
}

#[test]
fn hosts_and_spellings_lead_to_the_same_row() {
    let spellings = [
        "claude-opus-4-6",
        "Claude-Opus-4.6",
        "anthropic/claude-opus-4.6",
        "openrouter/anthropic/claude-opus-4.6:thinking",
        "us.anthropic.claude-opus-4-6-20260205-v1:0",
        "bedrock/global.anthropic.claude-opus-4-6-v1:0",
        "vertex_ai/claude-opus-4-6@20260205",
        "claude-opus-4-6-latest",
        "claude-opus-4-6[1m]",
        " claude_opus_4_6 ",
    ];
    for name in spellings {
        assert_eq!(row(name).prefix, "claude-opus-4-6", "{name}");
    }
    assert_eq!(row("models/gemini-2.5-pro").prefix, "gemini-2-5-pro");
    assert_eq!(row("ft:gpt-4o-mini-2024-07-18:acme::abc").prefix, "gpt-4o-mini");
    assert_eq!(row("meta-llama/Llama-3.1-8B-Instruct").prefix, "llama-3-1");
    assert_eq!(row("llama3:8b").prefix, "llama");
    assert_eq!(row("us.amazon.nova-pro-v1:0").format, Format::Bedrock);
}

#[test]
fn the_longest_beginning_wins_and_ends_at_a_part() {
    let cases = [
        ("gpt-4", "gpt-4", "cl100k_base"),
        ("gpt-4-0613", "gpt-4", "cl100k_base"),
        ("gpt-4-1106-preview", "gpt-4-1106", "cl100k_base"),
        ("gpt-4.1-mini-2025-04-14", "gpt-4-1-mini", "o200k_base"),
        ("gpt-4o-2024-08-06", "gpt-4o", "o200k_base"),
        ("gpt-3.5-turbo", "gpt-3-5", "cl100k_base"),
        ("gpt-35-turbo", "gpt-35", "cl100k_base"),
        ("gpt-5.6", "gpt-5-6", "o200k_base"),
        ("o3-mini", "o3", "o200k_base"),
        ("gpt-oss-120b", "gpt-oss", "o200k_base"),
        ("claude-sonnet-4-20250514", "claude-sonnet-4", "o200k_base"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5", "o200k_base"),
    ];
    for (name, prefix, encoding) in cases {
        assert_eq!((row(name).prefix.as_str(), row(name).encoding.as_str()), (prefix, encoding), "{name}");
    }
}

#[test]
fn what_providers_do_differs_by_model() {
    assert_eq!(row("claude-sonnet-4-5").thinking, Thinking::Stripped);
    assert_eq!(row("claude-opus-4-5").thinking, Thinking::Kept);
    assert!(row("claude-opus-4-5").prefill && !row("claude-opus-4-6").prefill && !row("claude-sonnet-5-5").prefill);
    assert_eq!(row("claude-opus-4-7").tool_prompt, [675, 804]);
    assert_eq!(row("claude-haiku-4-5").window, Some(200_000));
    assert_eq!(row("gpt-4o").method, Method::Exact);
    assert_eq!(row("gemini-3-pro").method, Method::Calibrated);
    assert_eq!(row("qwen3-32b").method, Method::Estimated);
}

#[test]
fn an_unknown_name_gets_the_fallback_or_a_typed_error() {
    for name in ["house-model-7", "", "/", "o", "opus", "gp", "::", "."] {
        let found = profile(Some(name), false).unwrap();
        assert!(!found.known && found.method == Method::Estimated, "{name}");
        assert_eq!(found.encoding, "o200k_base");
        assert_eq!(profile(Some(name), true), Err(Error::UnknownModel(name.to_owned())));
    }
    assert!(!profile(None, true).unwrap().known);
}
