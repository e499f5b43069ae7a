//! A folder of recorded data that is wrong or empty fails the tests that read it; one that is absent leaves them out.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod shared_data;

use std::path::{Path, PathBuf};

use shared_data::found;

/// A new folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn what_is_there_is_read() {
    let root = folder("full");
    std::fs::write(root.join("vectors.jsonl"), "{}").unwrap();
    assert_eq!(found(Some(&root), Path::new("/nowhere"), "vectors.jsonl"), Ok(root.join("vectors.jsonl")));
    assert_eq!(found(None, &root, "vectors.jsonl"), Ok(root.join("vectors.jsonl")));
}

#[test]
fn a_folder_that_is_absent_leaves_the_test_out() {
    let said = found(None, Path::new("/nowhere"), "vectors.jsonl").unwrap_err();
    assert_eq!(said, "/nowhere is absent: set OCTAVO_SHARED to the folder that has vectors.jsonl");
}

#[test]
#[should_panic(expected = "/nowhere is there to be read, and has no vectors.jsonl")]
fn a_folder_that_was_named_and_is_not_there_fails() {
    let _ = found(Some(Path::new("/nowhere")), &folder("beside"), "vectors.jsonl");
}

#[test]
#[should_panic(expected = "has no vectors.jsonl")]
fn a_folder_that_was_named_and_is_empty_fails() {
    let _ = found(Some(&folder("empty")), Path::new("/nowhere"), "vectors.jsonl");
}

#[test]
#[should_panic(expected = "has no vectors.jsonl")]
fn a_folder_that_is_there_and_empty_fails() {
    let _ = found(None, &folder("empty"), "vectors.jsonl");
}
