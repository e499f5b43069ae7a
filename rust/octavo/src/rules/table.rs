//! The rules as data: what each says, in whose words it is refused, and where that was seen.

use super::Provider::{self, Anthropic, Bedrock, Gemini, OpenAi, Responses};

/// What a rule can be judged from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    /// The messages alone.
    Messages,
    /// The messages and a stated fact about the request, named here.
    Mode(&'static str),
    /// The messages and a stated fact; no change of the messages cures it, so the repair only tells.
    Request(&'static str),
    /// The messages as they were when the provider answered: the repair keeps it by never editing them.
    Original,
    /// Never: the provider says nothing, or the rule is a permission.
    Silent,
}

/// One rule of one or more providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Its id.
    pub id: RuleId,
    /// Its id as text.
    pub name: &'static str,
    /// Whose rule it is.
    pub providers: &'static [Provider],
    /// The rule in plain words; `{id}` stands for the call id of the block to blame.
    pub says: &'static str,
    /// The provider's own error text, or what happens instead.
    pub error: &'static str,
    /// Where the rule was seen.
    pub source: &'static str,
    /// When it was gathered, year and month.
    pub date: &'static str,
    /// What it can be judged from.
    pub judged: Judged,
}

// One list for the enum, the table and the names, so that none can be forgotten.
macro_rules! rules {
    ($($id:ident [$($provider:ident),+] $judged:expr, $says:literal, $error:literal, $source:literal;)+) => {
        /// The id of a rule. The letter names whose document it comes from.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "each id is explained by its row of the table")]
        pub enum RuleId { $($id),+ }

        /// Every rule, in the order of its id.
        pub const RULES: &[Rule] = &[$(Rule {
            id: RuleId::$id,
            name: stringify!($id),
            providers: &[$($provider),+],
            says: $says,
            error: $error,
            source: $source,
            date: "2026-11",
            judged: $judged,
        }),+];

        impl RuleId {
            /// The id as text.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$id => stringify!($id)),+ }
            }

            /// What the rule can be judged from.
            pub const fn judged(self) -> Judged {
                match self { $(Self::$id => $judged),+ }
            }
        }
    };
}

rules! {
    A1 [Anthropic, Bedrock] Judged::Messages,
        "the call {id} has no result in the next message",
        "messages.N: `tool_use` ids were found without `tool_result` blocks immediately after: ID. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        "anthropics/claude-code #2697, Kilo-Org/kilocode #5163";
    A2 [Anthropic, Bedrock] Judged::Messages,
        "the result for {id} answers no call of the message before it",
        "unexpected `tool_use_id` found in `tool_result` blocks: ID. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
        "EchoBird #106";
    A3 [Anthropic, Bedrock] Judged::Messages,
        "the result for {id} stands behind other content: results come first in the message after their calls",
        "messages.N: Did not find 2 `tool_result` block(s) at the beginning of this message. Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks.",
        "language-servers PR #1235; platform.claude.com handle-tool-calls";
    A4 [Anthropic] Judged::Messages,
        "the call {id} has more than one result",
        "messages.N.content.M: each tool_use must have a single result. Found multiple `tool_result` blocks with id: ID",
        "hindsight PR #4250";
    A5 [Anthropic] Judged::Messages,
        "the call id {id} was used before: ids must be unique in the request",
        "messages.N.content.M: `tool_use` ids must be unique",
        "CherryHQ/cherry-studio #14128, claudegram #12";
    A6 [Anthropic] Judged::Original,
        "thinking of the latest assistant message differs from what was sent, or stands elsewhere",
        "messages.N.content.M: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
        "opencode #41738, anthropics/claude-code #24087, openclaw #45558, atomic #1386";
    A7 [Anthropic] Judged::Request("thinking on, a model that wants it"),
        "thinking is on, and this tool loop does not start with thinking: send the request with thinking off",
        "messages.N.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).",
        "opencode #3077, pydantic-ai #2075, haystack-core-integrations #2146";
    A8 [Anthropic] Judged::Mode("thinking off"),
        "thinking is off, and the last assistant turn holds thinking",
        "When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.",
        "forgecode #1853, #1195";
    A9 [Anthropic, Bedrock] Judged::Messages,
        "the first message must be the user's, and user and assistant must alternate",
        "messages: roles must alternate between \"user\" and \"assistant\"",
        "anthropics/skills shared/error-codes.md";
    A10 [Anthropic, Bedrock] Judged::Messages,
        "a text block is empty, or the message has no content",
        "messages: text content blocks must be non-empty",
        "anthropics/claude-code #59812, experiential PR #799";
    A11 [Anthropic] Judged::Messages,
        "an empty text block carries cache_control",
        "messages.N.content.M.text: cache_control cannot be set for empty text blocks",
        "anthropics/claude-code #55302, #50082, dario #1066, hermes PR #1216";
    A12 [Anthropic] Judged::Messages,
        "more than four blocks carry cache_control",
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
        "sub2api #176, zeph PR #1568";
    A13 [Anthropic] Judged::Messages,
        "a one-hour cache breakpoint stands after a five-minute one",
        "rejected by the server",
        "Portkey documentation, mixing rule";
    A14 [Anthropic] Judged::Messages,
        "the assistant text at the end of the list ends in white space",
        "messages: final assistant content cannot end with trailing whitespace",
        "langchain PR #35072, langchain-google PR #1733, goose PR #5967";
    A15 [Anthropic] Judged::Mode("prefill not taken by the model"),
        "this model takes no assistant message at the end of the list",
        "This model does not support assistant message prefill. The conversation must end with a user message.",
        "magic-context #512, opencode-dynamic-context-pruning #520";
    A16 [Anthropic, Gemini, Bedrock] Judged::Messages,
        "a system message cannot stand here: where the model takes one at all, it holds only text and follows the user's",
        "role 'system' is not supported on this model",
        "anthropics/skills shared/prompt-caching.md; platform.claude.com whats-new-claude-4-8; Bedrock and Gemini have no such role";
    A17 [Anthropic] Judged::Silent,
        "thinking is replayed exactly; Fable 5.1 binds it to the exact prefix of the request",
        "silent: the thinking is dropped",
        "anthropics/skills model-migration.md; openclaw PR #137021, #136782";
    A18 [Anthropic] Judged::Request("size and limit given"),
        "the input and the reserve for the answer exceed what the model takes",
        "input length and `max_tokens` exceed context limit / prompt is too long: N tokens > M maximum",
        "recalled, not found at a source";
    A19 [Anthropic, Gemini, Bedrock] Judged::Messages,
        "the role is none that this format has",
        "messages.N.role: Input should be 'user' or 'assistant' / Please use a valid role: user, model.",
        "recalled, not found at a source; googleapis/python-genai and vertex-ai threads";
    A20 [Anthropic, Gemini, Bedrock] Judged::Messages,
        "the arguments of the call {id} are no object",
        "messages.N.content.M.tool_use.input: Input should be a valid dictionary / The format of the value at messages.N.content.M.toolUse.input is invalid. Provide a json object for the field and try again.",
        "recalled, not found at a source";
    A21 [Anthropic, Bedrock] Judged::Messages,
        "the id of the call {id} is missing, or has characters that are refused, or (Bedrock) more than 64",
        "messages.N.content.M.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        "recalled, not found at a source; Bedrock API reference, ToolUseBlock (at most 64 characters)";
    A22 [Anthropic, Bedrock] Judged::Messages,
        "a content block is not of the shape that it should have",
        "messages.N.content.M: Input should be a valid dictionary or object to extract fields from",
        "recalled, not found at a source";
    A23 [Anthropic, Gemini, Bedrock] Judged::Messages,
        "the call {id} stands in a message that is not the assistant's",
        "messages.N: `tool_use` blocks can only be in `assistant` messages",
        "microsoft/agent-framework #4328";
    A24 [Anthropic] Judged::Messages,
        "a thinking block carries cache_control",
        "messages.N.content.M.thinking.cache_control: Extra inputs are not permitted",
        "BerriAI/litellm PR #39815";
    A25 [Anthropic, Bedrock] Judged::Messages,
        "the result for {id} reports an error and says nothing",
        "messages.N.content.M.tool_result: content cannot be empty if `is_error` is true / The content field at messages.N.content.M.toolResult cannot be empty when status value is error.",
        "aws-samples/sample-multi-agent-orchestration-chat-on-agentcore #15; logs of agents in public repositories";
    A26 [Anthropic, Bedrock] Judged::Request("system given"),
        "a text block of the system prompt is empty: send the system prompt without it",
        "system: text content blocks must be non-empty / system.1: cache_control cannot be set for empty text blocks",
        "vellum-ai/vellum-assistant PR #30712; Bedrock API reference, SystemContentBlock (at least one character)";
    A27 [Anthropic, Bedrock] Judged::Messages,
        "the call {id} has no name",
        "messages.N.content.M.tool_use.name: Field required",
        "required in the clients' types (anthropic 2.14, ToolUseBlockParam; Bedrock API reference, ToolUseBlock)";
    A28 [Anthropic] Judged::Messages,
        "the server's call {id} has no result, and the turn is over",
        "messages.N: `web_search` tool use with id `ID` was found without a corresponding `web_search_tool_result` block",
        "platform.claude.com handling-stop-reasons (tool_use beside server tools, pause_turn)";
    A29 [Anthropic, Bedrock] Judged::Messages,
        "an assistant message holds a picture (Bedrock: or a document), which only the user's may",
        "recalled, not found at a source",
        "google/adk-python PR #3286; Bedrock API reference, Message (images and documents only if the role is user)";
    O1 [OpenAi] Judged::Messages,
        "the call {id} has no tool message in the run that follows it",
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'",
        "openclaw PR #3565";
    O2 [OpenAi] Judged::Messages,
        "the tool message for {id} follows no assistant message with calls",
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        "semantic-kernel #12708, autogen PR #3178";
    O3 [OpenAi] Judged::Messages,
        "the tool message for {id} answers none of the calls before it, or answers one twice",
        "tool_call_id does not exist",
        "freebuff PR #1292";
    O4 [OpenAi, Responses] Judged::Messages,
        "a tool result names no call: the member with the call's id is missing",
        "Missing required parameter: 'input[25].call_id'",
        "zeroclaw PR #5457";
    O5 [OpenAi, Responses] Judged::Messages,
        "the role is none that this format has",
        "Invalid value: 'model'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
        "recalled, not found at a source";
    O6 [OpenAi, Responses] Judged::Messages,
        "the arguments of the call {id} are no text",
        "Invalid type for 'messages[N].tool_calls[M].function.arguments': expected a string, but got an object instead.",
        "recalled, not found at a source";
    O7 [OpenAi, Responses] Judged::Messages,
        "the message has no content: it may be empty, and must be there",
        "Invalid value for 'content': expected a string, got null.",
        "recalled, not found at a source";
    O8 [OpenAi, Responses] Judged::Messages,
        "the content is neither a text nor a list of parts",
        "Invalid type for 'messages[N].content': expected one of a string or array of objects, but got an object instead.",
        "recalled, not found at a source";
    O9 [OpenAi, Responses] Judged::Messages,
        "the call {id} stands in a message that is not the assistant's",
        "Unknown parameter: 'messages[N].tool_calls'.",
        "recalled, not found at a source";
    O10 [OpenAi] Judged::Messages,
        "the list of calls is empty: it may be left out, and must not be empty",
        "Invalid 'messages[N].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        "openai/openai-python #2061, openai/openai-node PR #1341, chatboxai/chatbox #2079";
    O11 [OpenAi, Responses] Judged::Messages,
        "the call {id} has no id",
        "Missing required parameter: 'messages[N].tool_calls[M].id'. / Missing required parameter: 'input[N].call_id'.",
        "recalled, not found at a source";
    O12 [OpenAi] Judged::Messages,
        "the call id {id} stands twice in one message",
        "Duplicate value for 'tool_call_id' of 'ID' in message[N]",
        "recalled, not found at a source";
    O13 [OpenAi, Responses] Judged::Messages,
        "the call {id} lacks its type, or the name of its function",
        "Missing required parameter: 'messages[N].tool_calls[M].type'.",
        "langchain-ai/langchain-azure #35; required in the client's types (openai 3.57, tool call and function call params)";
    O14 [Responses] Judged::Messages,
        "the id of the call {id} is longer than 64 characters",
        "Invalid 'input[N].call_id': string too long. Expected a string with maximum length 64, but got a string with length 116 instead.",
        "AnswerDotAI/fastllm #45, decolua/9router #393, orchidfiles/ungate PR #41";
    R1 [Responses] Judged::Messages,
        "the output for {id} answers no call before it, or answers one twice",
        "No tool call found for function call output with call_id X",
        "agno #9372, opengeni PR #61";
    R2 [Responses] Judged::Messages,
        "the call {id} has no output after it",
        "No tool output found for function call X",
        "recalled, not found at a source";
    R3 [Responses] Judged::Messages,
        "a reasoning item stands without the item that it led to",
        "Item 'rs_X' of type 'reasoning' was provided without its required following item",
        "openclaw #19582, #58967; openai-agents";
    R4 [Responses] Judged::Silent,
        "with previous_response_id, an output may stand without its call",
        "none: a permission that R1 honours",
        "agno #9372";
    R5 [Responses] Judged::Silent,
        "a compaction item is opaque; what stands before it may be dropped",
        "none: a permission",
        "developers.openai.com";
    R6 [Responses] Judged::Request("size and limit given"),
        "the input exceeds what the model takes",
        "Your input exceeds the context window of this model.",
        "code context_length_exceeded";
    G1 [Gemini] Judged::Messages,
        "a model turn with calls must follow the user's turn or function responses, and the list starts with the user",
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
        "strands #1749";
    G2 [Gemini] Judged::Mode("a model that wants signatures"),
        "the first call of this step carries no thought signature",
        "Function call is missing a thought_signature in functionCall parts.",
        "octos PR #1897, code_puppy #165, req_llm PR #427";
    G3 [Gemini] Judged::Messages,
        "calls and responses do not match: {id}",
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
        "recalled, not found at a source";
    G4 [Gemini] Judged::Messages,
        "the message has no parts, or one that holds nothing",
        "* GenerateContentRequest.contents[N].parts: contents.parts must not be empty. / parts[M].data: required oneof field 'data' must have one initialized field",
        "recalled, not found at a source";
    B1 [Bedrock] Judged::Messages,
        "the result for {id} is more than the calls of the turn before it",
        "The number of toolResult blocks at messages.N.content exceeds the number of toolUse blocks of previous turn",
        "strands #1435";
    B2 [Bedrock] Judged::Request("no tools defined"),
        "the messages hold calls or results, and the request defines no tools: send toolConfig too",
        "The toolConfig field must be defined when using toolUse and toolResult content blocks",
        "langmem #102, langchain-aws #591, zed PR #48863";
    B3 [Bedrock] Judged::Messages,
        "the first message must be the user's",
        "A conversation must start with a user message",
        "strands PR #2087";
    B4 [Bedrock] Judged::Messages,
        "the call id {id} stands twice in one message",
        "The toolUse blocks at messages.N.content contain duplicate Ids: ID",
        "recalled, not found at a source";
    D1 [OpenAi] Judged::Mode("DeepSeek or Kimi with thinking on"),
        "thinking is on, and this assistant message with calls has no reasoning_content",
        "thinking is enabled but reasoning_content is missing in assistant tool call message at index 3",
        "openclaw #70996, charmbracelet/crush #2696";
}
