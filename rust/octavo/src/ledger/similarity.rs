//! How much a value has to do with a request: words that both have.

use std::collections::HashSet;

/// Words of a request that are looked at.
const MOST_WORDS: usize = 4096;

/// Letters of the shortest word that says something, in scripts that have spaces.
const SHORTEST: usize = 3;

/// The words of a request.
#[derive(Debug, Default)]
pub(super) struct Words(HashSet<u64>);

impl Words {
    pub(super) fn of(text: &str) -> Self {
        let mut words = HashSet::new();
        each(text, &mut |word| {
            if words.len() < MOST_WORDS {
                words.insert(word);
            }
        });
        Self(words)
    }

    /// How many words of a text are among these, each place counted, at most three.
    pub(super) fn shared(&self, text: &str) -> i64 {
        let mut shared = 0;
        if !self.0.is_empty() {
            each(text, &mut |word| shared += i64::from(self.0.contains(&word)));
        }
        shared.min(3)
    }
}

/// The words of a text: runs of ASCII letters and digits without regard to case; of other scripts every two letters that
/// stand together, since a particle or the next word may follow without a space.
fn each(text: &str, visit: &mut dyn FnMut(u64)) {
    let (mut hash, mut length, mut before) = (FIRST, 0, None);
    for one in text.chars().chain([' ']) {
        if one.is_ascii_alphanumeric() {
            hash = mixed(hash, u64::from(u32::from(one.to_ascii_lowercase())));
            length += 1;
            before = None;
            continue;
        }
        if length >= SHORTEST {
            visit(hash);
        }
        (hash, length) = (FIRST, 0);
        let letter = (!one.is_ascii() && one.is_alphabetic()).then_some(u64::from(u32::from(one)));
        if let (Some(first), Some(second)) = (before, letter) {
            visit(mixed(mixed(FIRST, first), second));
        }
        before = letter;
    }
}

/// Fowler–Noll–Vo: nothing depends on it but speed; who crafts collisions gains a place in a ranking.
const FIRST: u64 = 0xcbf2_9ce4_8422_2325;

const fn mixed(hash: u64, next: u64) -> u64 {
    (hash ^ next).wrapping_mul(0x0100_0000_01b3)
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn words_of_any_script_are_shared() {
        let words = Words::of("Cancel reservation XEWRD9, 부산에서 출발하는");
        assert_eq!(words.shared("xewrd9"), 1);
        assert_eq!(words.shared("부산역"), 1);
        assert_eq!(words.shared("reservation_id XEWRD9 cancel cancel cancel"), 3);
        assert_eq!(words.shared("서울 it"), 0);
        assert_eq!(Words::default().shared("xewrd9"), 0);
    }
}
