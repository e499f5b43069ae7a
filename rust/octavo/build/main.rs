//! Build script: lays out the tries of the vocabularies, so that nothing of it has to be done at load.

mod layout;

use std::io::{self, Write};
use std::path::Path;
use std::{env, fs};

const SINGLES: usize = 256;

fn main() -> io::Result<()> {
    writeln!(io::stdout(), "cargo::rerun-if-changed=build\ncargo::rerun-if-changed=data")?;
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
        let (&[low, middle, high], right) = merge.split_first_chunk()?;
        let left = tokens.get(u32::from_le_bytes([low, middle, high, 0]) as usize)?;
        let &[low, middle, high] = right.first_chunk()?;
        let right = tokens.get(u32::from_le_bytes([low, middle, high, 0]) as usize)?;
        tokens.push([left.as_slice(), right.as_slice()].concat());
    }
    Some(tokens)
}
