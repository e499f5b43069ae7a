//! What stands in the place of a tool output that was cleared.

use std::hash::{Hash as _, Hasher as _};

use super::Format;

/// Letters of a reference, five bits each, without those that are taken for others (Crockford's base 32).
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// So many of them: 40 bits, which no two outputs of a conversation share by chance.
const LENGTH: u32 = 8;

/// The reference of an output: the same wherever this content answers this call.
pub fn reference(call: u64, content: u64) -> String {
    #[expect(deprecated, reason = "the one std hasher whose algorithm and key are fixed")]
    let mut hasher = std::hash::SipHasher::new();
    (call, content).hash(&mut hasher);
    let bits = hasher.finish();
    let letter = |at: u32| LETTERS.get((bits >> (5 * at) & 31) as usize).map_or('0', |&letter| char::from(letter));
    (0..LENGTH).map(letter).collect()
}

/// What the model reads instead of an output of so many tokens: not how to get it back, since whether there is a tool
/// for that is the caller's affair, and its description says it.
pub fn placeholder(tokens: u32, reference: &str) -> String {
    format!("[output left out: {} tokens; ref {reference}]", grouped(tokens))
}

/// The placeholder as it is counted in a format: Gemini's results are objects.
pub fn counted_as(format: Format, placeholder: &str) -> String {
    match format {
        Format::Gemini => format!("{{\"output\":\"{placeholder}\"}}"),
        _ => placeholder.to_owned(),
    }
}

fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::{grouped, placeholder, reference};

    #[test]
    fn a_reference_tells_call_and_content_apart_and_is_stable() {
        assert_eq!(reference(1, 2), reference(1, 2));
        assert_ne!(reference(1, 2), reference(2, 1));
        assert_eq!(reference(1, 2).len(), 8);
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([7, 999, 1000, 1_234_567].map(grouped), ["7", "999", "1,000", "1,234,567"]);
        assert_eq!(placeholder(1234, "k3f9"), "[output left out: 1,234 tokens; ref k3f9]");
    }
}
