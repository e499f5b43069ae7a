//! Masking on real conversations and tool outputs: each finding there was read and judged, and no other may appear.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot go on has failed, and says what it saw"
)]

mod shared_data;

use std::collections::BTreeMap;
use std::path::Path;

use octavo::mask::{Options, find};
use serde_json::Value;
use shared_data::shared;

/// File, kind, findings, and what they are. All are accepted: invented people of benchmarks, examples of documentation.
/// 23 are telephone numbers under the wrong name: hotels of Beijing, whose area code is that of Korean mobile numbers.
const JUDGED: &[(&str, &str, usize)] = &[
    ("claude_code_spotter.jsonl", "EMAIL", 3),
    ("crosswoz_zh.jsonl", "KR_PHONE", 23),
    ("functionchat_ko.jsonl", "EMAIL", 4),
    ("functionchat_ko.jsonl", "KR_PHONE", 2),
    ("functionchat_ko.jsonl", "SECRET", 4),
    ("openhands.jsonl", "EMAIL", 1),
    ("swe_agent.jsonl", "EMAIL", 3),
    ("tau_airline.jsonl", "EMAIL", 26),
    ("tool_outputs.jsonl", "AWS_ACCESS_KEY", 1),
    ("tool_outputs.jsonl", "EMAIL", 21),
    // The signature of a shared address of S3, which opens the file to everybody who has it.
    ("tool_outputs.jsonl", "SECRET", 1),
];

fn strings<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        Value::Object(members) => members.iter().for_each(|(key, value)| {
            found.push(key);
            strings(value, found);
        }),
        _ => {}
    }
}

/// The findings of a file by kind, and its lines of text.
fn read(path: &Path) -> (BTreeMap<&'static str, usize>, usize) {
    let mut kinds = BTreeMap::new();
    let mut lines = 0;
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        let mut texts = Vec::new();
        strings(&value, &mut texts);
        for text in texts {
            lines += text.lines().count();
            for finding in find(text, &Options::default()) {
                eprintln!("{} {} {:?}", path.display(), finding.kind.name(), text.get(finding.bytes));
                *kinds.entry(finding.kind.name()).or_default() += 1;
            }
        }
    }
    (kinds, lines)
}

#[test]
fn only_what_was_judged_is_found_in_real_text() {
    let mut found = Vec::new();
    let mut lines = 0;
    for folder in ["data/transcripts", "data/text"] {
        let Some(folder) = shared(folder) else { return };
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        for path in files.filter(|path| path.extension().is_some_and(|end| end == "jsonl")) {
            let (kinds, read) = read(&path);
            lines += read;
            let name = path.file_name().and_then(|name| name.to_str()).unwrap().to_owned();
            found.extend(kinds.into_iter().map(|(kind, count)| (name.clone(), kind, count)));
        }
    }
    found.sort();
    eprintln!("{lines} lines");
    assert!(lines > 100_000, "{lines} lines were read");
    let judged: Vec<(String, &str, usize)> =
        JUDGED.iter().map(|&(file, kind, count)| (file.to_owned(), kind, count)).collect();
    assert_eq!(found, judged);
}
