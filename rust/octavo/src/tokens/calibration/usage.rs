//! Reads the usage that a provider reports with its answer.

use crate::error::{Error, Result};
use crate::node::{Key, Node};

/// Tokens of one call, as the provider counted them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Everything that was sent, read from a cache or not.
    pub input: u64,
    /// Everything that was generated, reasoning included.
    pub output: u64,
}

/// Names of the numbers of one provider. What is listed is added up; the first is needed.
struct Names {
    input: &'static [Key],
    output: &'static [Key],
}

/// In the order in which they are tried: `OpenAI` Chat (cached tokens are part of `prompt_tokens`);
/// Anthropic and `OpenAI` Responses (Anthropic's `input_tokens` leaves out what a cache served or stored,
/// Responses' does not and has no such members); Gemini as the API and as its Python SDK spell it; Bedrock.
const NAMES: &[Names] = &[
    Names { input: &[Key::PromptTokens], output: &[Key::CompletionTokens] },
    Names {
        input: &[Key::InputTokens, Key::CacheReadInputTokens, Key::CacheCreationInputTokens],
        output: &[Key::OutputTokens],
    },
    Names {
        input: &[Key::PromptTokenCount, Key::ToolUsePromptTokenCount],
        output: &[Key::CandidatesTokenCount, Key::ThoughtsTokenCount],
    },
    Names {
        input: &[Key::PromptTokenCountSnake, Key::ToolUsePromptTokenCountSnake],
        output: &[Key::CandidatesTokenCountSnake, Key::ThoughtsTokenCountSnake],
    },
    Names {
        input: &[Key::InputTokensCamel, Key::CacheReadInputTokensCamel, Key::CacheWriteInputTokensCamel],
        output: &[Key::OutputTokensCamel],
    },
];

/// Where a whole answer holds its usage.
const HOLDERS: &[Key] = &[Key::Usage, Key::UsageMetadata, Key::UsageMetadataCamel];

impl Usage {
    /// Reads a usage object of any provider, or a whole answer that holds one.
    pub fn read<N: Node>(node: &N) -> Result<Self> {
        let inner = HOLDERS.iter().find_map(|&key| node.get(key));
        let node = inner.as_ref().unwrap_or(node);
        let found = NAMES.iter().find_map(|names| {
            let (first, _) = names.input.split_first()?;
            tokens(node, *first)?;
            Some(Self { input: sum(node, names.input), output: sum(node, names.output) })
        });
        found.filter(|usage| usage.input > 0).ok_or_else(|| Error::OutOfRange {
            name: "usage",
            expected: "an object with the input tokens that a provider reported, at least 1",
            got: format!("{} without them", node.kind().name()),
        })
    }
}

fn sum<N: Node>(node: &N, keys: &[Key]) -> u64 {
    keys.iter().filter_map(|&key| tokens(node, key)).fold(0, u64::saturating_add)
}

/// A number of tokens; negative, fractional and absurd values are not one.
fn tokens<N: Node>(node: &N, key: Key) -> Option<u64> {
    let value = node.get(key)?.number()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked before")]
    ((0.0..=1e15).contains(&value) && value.fract() == 0.0).then_some(value as u64)
}
