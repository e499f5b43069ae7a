//! Masking against the vectors that stand beside the repository, and the laws that hold for every text.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot go on has failed, and says what it saw"
)]

mod shared_data;

use std::collections::BTreeMap;

use octavo::mask::{Options, Stream, find, masked};
use serde_json::Value;
use shared_data::shared;

fn mask(text: &str) -> String {
    masked(text, &find(text, &Options::default()), |finding| format!("[{}]", finding.kind.name()))
}

fn spans(text: &str) -> Vec<(String, usize, usize)> {
    let characters = |byte: usize| text.get(..byte).unwrap().chars().count();
    find(text, &Options::default())
        .into_iter()
        .map(|one| (one.kind.name().to_owned(), characters(one.bytes.start), characters(one.bytes.end)))
        .collect()
}

#[test]
fn the_vectors_are_masked_as_they_say() {
    let Some(file) = shared("cases/pii_vectors.jsonl") else { return };
    let mut wrong = Vec::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let vector: Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| vector.get(name).and_then(Value::as_str).unwrap().to_owned();
        let wanted: Vec<(String, usize, usize)> = vector
            .get("spans")
            .and_then(Value::as_array)
            .unwrap()
            .iter()
            .map(|span| {
                let number = |name: &str| usize::try_from(span.get(name).and_then(Value::as_u64).unwrap()).unwrap();
                (span.get("type").and_then(Value::as_str).unwrap().to_owned(), number("start"), number("end"))
            })
            .collect();
        let text = field("text");
        if mask(&text) != field("redacted") || spans(&text) != wanted {
            wrong.push(format!("{}: {:?} -> {:?} {:?}", field("id"), text, mask(&text), spans(&text)));
        }
        *seen.entry(field("tier")).or_default() += 1;
    }
    eprintln!("{seen:?}");
    assert!(seen.values().sum::<usize>() >= 100, "{seen:?}");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Every way to cut the vectors in two, and into single characters.
#[test]
fn a_stream_masks_like_the_whole() {
    let Some(file) = shared("cases/pii_vectors.jsonl") else { return };
    let mut cuts = 0;
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let vector: Value = serde_json::from_str(line).unwrap();
        let text = vector.get("text").and_then(Value::as_str).unwrap();
        let whole = mask(text);
        for (at, _) in text.char_indices() {
            let (one, two) = text.split_at(at);
            let mut stream = Stream::new(Options::default());
            let out = stream.push(one) + &stream.push(two) + &stream.finish();
            assert_eq!(out, whole, "{text:?} cut at {at}");
            cuts += 1;
        }
        let mut stream = Stream::new(Options::default());
        let mut out: String = text.chars().map(|one| stream.push(one.encode_utf8(&mut [0; 4]))).collect();
        out += &stream.finish();
        assert_eq!(out, whole, "{text:?} in characters");
    }
    assert!(cuts > 2_000, "{cuts}");
}
