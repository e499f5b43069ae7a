//! Build script: lays out the tries of the vocabularies, so that nothing of it has to be done at load.
#![expect(clippy::print_stdout, reason = "the way a build script talks to cargo")]

mod layout;

use std::path::Path;
use std::{env, fs, io};

const SINGLES: usize = 256;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=data");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    for name in ["o200k_base", "cl100k_base"] {
        let packed = fs::read(format!("data/{name}.vocabulary"))?;
        let tokens = spelling(&packed).ok_or_else(|| io::Error::other(format!("{name}.vocabulary is damaged")))?;
        fs::write(Path::new(&out).join(format!("{name}.trie")), layout::trie(&tokens))?;
    }
    Ok(())
}

/// The bytes of every token of a packed vocabulary (`data/pack_vocabulary.py`).
fn spelling(packed: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (singles, merges) = packed.split_at_checked(SINGLES)?;
    let mut tokens: Vec<Vec<u8>> = singles.iter().map(|&byte| vec![byte]).collect();
    for merge in merges.chunks(6) {
        let (left, right) = merge.split_at_checked(3)?;
        let (left, right) = (id(left)?, id(right)?);
        tokens.push([tokens.get(left)?.as_slice(), tokens.get(right)?.as_slice()].concat());
    }
    Some(tokens)
}

/// A token's id of three bytes, the lowest first.
fn id(bytes: &[u8]) -> Option<usize> {
    let &[low, middle, high] = bytes else { return None };
    Some(u32::from_le_bytes([low, middle, high, 0]) as usize)
}
