//! Recorded data that lies beside the project, and what a test does where it is absent: `tests/shared_data.py` of the
//! package, in Rust.
//!
//! A folder that was named (`OCTAVO_SHARED`), or that is there, is a promise: a test fails where it lacks what the test
//! reads. Where nothing was named and nothing is there the test says so and is left out.
#![allow(dead_code, unreachable_pub, reason = "each test program uses a part of it")]

use std::io::Write;
use std::path::{Path, PathBuf};

/// A file or folder of the recorded data; nothing where the test is left out, which is said.
pub fn shared(path: &str) -> Option<PathBuf> {
    let named = std::env::var_os("OCTAVO_SHARED").filter(|named| !named.is_empty()).map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    // Past the harness, which shows what a test prints only where it fails.
    found(named.as_deref(), &beside, path).map_err(|absent| writeln!(std::io::stderr(), "LEFT OUT: {absent}")).ok()
}

/// The path in the folder that was named, else in the one beside the project. The error says that there is neither.
pub fn found(named: Option<&Path>, beside: &Path, path: &str) -> Result<PathBuf, String> {
    let root = named.unwrap_or(beside);
    if named.is_none() && !root.exists() {
        return Err(format!("{} is absent: set OCTAVO_SHARED to the folder that has {path}", root.display()));
    }
    let file = root.join(path);
    assert!(file.exists(), "{} is there to be read, and has no {path}", root.display());
    Ok(file)
}
