//! One way to read a JSON-like value, whoever owns it.
//!
//! The message readers of [`crate::message`] are written once against [`Node`]. `serde_json::Value`
//! implements it here (the command line, tests and fuzzing use it); the Python doorway implements it
//! for Python objects, so that their strings are borrowed in place and nothing is converted first.

use std::borrow::Cow;

/// What kind of value a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// `null`, `None`, or a value of a kind that JSON does not have.
    Null,
    /// `true` or `false`.
    Bool,
    /// An integer or a float.
    Number,
    /// A text.
    Text,
    /// A list (or tuple).
    List,
    /// A mapping with text keys, or an object with named attributes.
    Map,
}

impl NodeKind {
    /// What it is called in errors.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::Text => "a text",
            Self::List => "a list",
            Self::Map => "an object",
        }
    }
}

// A closed set of names, so that a foreign owner (Python) can keep one interned key for each.
macro_rules! keys {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// A member name that the message readers ask for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "each variant is the name it stands for")]
        pub enum Key { $($variant),+ }

        impl Key {
            /// Every key, in the order of its number.
            pub const ALL: &[Key] = &[$(Key::$variant),+];

            /// The name as it stands in a message.
            pub const fn name(self) -> &'static str {
                match self { $(Key::$variant => $name),+ }
            }
        }
    };
}

keys! {
    Role = "role", Content = "content", Type = "type", Text = "text", Name = "name", Id = "id",
    ToolUseId = "tool_use_id", Input = "input", IsError = "is_error", Source = "source", MediaType = "media_type",
    Data = "data", Url = "url", CacheControl = "cache_control", Ttl = "ttl", Thinking = "thinking",
    Signature = "signature", ToolCalls = "tool_calls", ToolCallId = "tool_call_id", Function = "function",
    Arguments = "arguments", FunctionCall = "function_call", ReasoningContent = "reasoning_content",
    Refusal = "refusal", ImageUrl = "image_url", Detail = "detail", InputAudio = "input_audio", File = "file",
    FileData = "file_data", FileId = "file_id", CallId = "call_id", Output = "output", Summary = "summary",
    EncryptedContent = "encrypted_content", RedactedContent = "redactedContent", Result = "result", Parts = "parts", FunctionCallCamel = "functionCall",
    FunctionResponse = "functionResponse", Args = "args", Response = "response", Thought = "thought",
    ThoughtSignature = "thoughtSignature", InlineData = "inlineData", MimeType = "mimeType", FileDataCamel = "fileData",
    ToolUse = "toolUse", ToolResult = "toolResult", ToolUseIdCamel = "toolUseId", Status = "status", Image = "image",
    Document = "document", ReasoningContentCamel = "reasoningContent", ReasoningText = "reasoningText",
    CachePoint = "cachePoint", Json = "json", Bytes = "bytes", Format = "format", Width = "width", Height = "height",
    Custom = "custom", ApprovalRequestId = "approval_request_id", Title = "title", Context = "context",
    Description = "description", Parameters = "parameters", InputSchema = "input_schema", Query = "query",
    Phase = "phase", Annotations = "annotations", Audio = "audio", Transcript = "transcript",
    ToolSpec = "toolSpec", InputSchemaCamel = "inputSchema", Tools = "tools", FunctionDeclarations = "functionDeclarations",
    FunctionDeclarationsSnake = "function_declarations", ParametersJsonSchema = "parametersJsonSchema",
    Properties = "properties", Items = "items", Enum = "enum",
    Usage = "usage", UsageMetadata = "usage_metadata", UsageMetadataCamel = "usageMetadata",
    PromptTokens = "prompt_tokens", CompletionTokens = "completion_tokens", InputTokens = "input_tokens",
    OutputTokens = "output_tokens", CacheReadInputTokens = "cache_read_input_tokens",
    CacheCreationInputTokens = "cache_creation_input_tokens", PromptTokenCount = "promptTokenCount",
    ToolUsePromptTokenCount = "toolUsePromptTokenCount", CandidatesTokenCount = "candidatesTokenCount",
    ThoughtsTokenCount = "thoughtsTokenCount", PromptTokenCountSnake = "prompt_token_count",
    ToolUsePromptTokenCountSnake = "tool_use_prompt_token_count", CandidatesTokenCountSnake = "candidates_token_count",
    ThoughtsTokenCountSnake = "thoughts_token_count", InputTokensCamel = "inputTokens",
    OutputTokensCamel = "outputTokens", CacheReadInputTokensCamel = "cacheReadInputTokens",
    CacheWriteInputTokensCamel = "cacheWriteInputTokens",
    FunctionResponseSnake = "function_response", ThoughtSignatureSnake = "thought_signature",
    InlineDataSnake = "inline_data", MimeTypeSnake = "mime_type",
    ParametersJsonSchemaSnake = "parameters_json_schema",
    Base64 = "base64", VideoUrl = "video_url", AudioUrl = "audio_url", DocumentUrl = "document_url", FileUrl = "file_url",
    FileUri = "file_uri", FileUriCamel = "fileUri", MediaTypeCamel = "mediaType", Video = "video", Uri = "uri",
    InputVideo = "input_video", ImageFile = "image_file", Images = "images", Reasoning = "reasoning", ReasoningDetails = "reasoning_details",
    ThinkingBlocks = "thinking_blocks", EncryptedIndex = "encrypted_index", GuardContent = "guardContent",
    RevisedPrompt = "revised_prompt", Required = "required",
}

/// A JSON-like value that is borrowed, never retained.
pub trait Node: Clone {
    /// What this value is.
    fn kind(&self) -> NodeKind;

    /// The text, when this is one. A lone surrogate arrives as U+FFFD (the one text policy).
    fn text(&self) -> Option<Cow<'_, str>>;

    /// The bytes, when this is a string of bytes: JSON has none, but clients of some providers take them.
    fn bytes(&self) -> Option<Cow<'_, [u8]>> {
        None
    }

    /// The truth value, when this is one.
    fn boolean(&self) -> Option<bool>;

    /// The value as a float, when this is a number.
    fn number(&self) -> Option<f64>;

    /// The member called `key`, when this is a map that has it and its value is not null.
    fn get(&self, key: Key) -> Option<Self>;

    /// How many members there are, when this is a map that can tell at once.
    fn length(&self) -> Option<usize> {
        None
    }

    /// Calls `visit` for each item, in order, when this is a list.
    fn items(&self, visit: &mut dyn FnMut(Self));

    /// Calls `visit` for each key and value, in order, when this is a map.
    fn entries(&self, visit: &mut dyn FnMut(&str, Self));

    /// Writes a number as Python's `json.dumps` would.
    fn write_number(&self, out: &mut String);
}

/// Deeper nesting than this is written as `null`: a hostile value must not exhaust the stack.
/// Python's own `json` refuses at about 1,000.
pub const MAX_DEPTH: usize = 128;

/// Writes `node` as compact JSON (no spaces, text not escaped to ASCII, keys in their own order):
/// what a provider's client sends for tool arguments given as an object.
pub fn write_json<N: Node>(node: &N, out: &mut String) {
    write_value(node, "", out, 0, &mut |_, _, _| false);
}

/// As [`write_json`], with an empty text in the place of every value that `leave_out` takes. It is told the name of
/// the member (that of the list, for a list's items; nothing for `node` itself), the kind of the value, and the value.
pub fn write_json_without<N: Node>(node: &N, out: &mut String, leave_out: &mut LeaveOut<'_, N>) {
    write_value(node, "", out, 0, leave_out);
}

/// Whether a value stays out of JSON.
pub type LeaveOut<'a, N> = dyn FnMut(&str, NodeKind, &N) -> bool + 'a;

fn write_value<N: Node>(node: &N, name: &str, out: &mut String, depth: usize, leave_out: &mut LeaveOut<'_, N>) {
    let kind = node.kind();
    if leave_out(name, kind, node) {
        return out.push_str("\"\"");
    }
    match kind {
        NodeKind::Null => out.push_str("null"),
        NodeKind::Bool => out.push_str(if node.boolean().unwrap_or(false) { "true" } else { "false" }),
        NodeKind::Number => node.write_number(out),
        NodeKind::Text => write_text(&node.text().unwrap_or_default(), out),
        _ if depth >= MAX_DEPTH => out.push_str("null"),
        NodeKind::List => {
            out.push('[');
            let mut first = true;
            node.items(&mut |item| {
                separate(out, &mut first);
                write_value(&item, name, out, depth + 1, leave_out);
            });
            out.push(']');
        }
        NodeKind::Map => {
            out.push('{');
            let mut first = true;
            node.entries(&mut |key, value| {
                separate(out, &mut first);
                write_text(key, out);
                out.push(':');
                write_value(&value, key, out, depth + 1, leave_out);
            });
            out.push('}');
        }
    }
}

fn separate(out: &mut String, first: &mut bool) {
    if !std::mem::take(first) {
        out.push(',');
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    let mut clean = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        // `at` is the place of an ASCII byte, so both cuts are on character boundaries.
        out.push_str(text.get(clean..at).unwrap_or_default());
        write_escape(byte, out);
        clean = at + 1;
    }
    out.push_str(text.get(clean..).unwrap_or_default());
    out.push('"');
}

fn write_escape(byte: u8, out: &mut String) {
    use std::fmt::Write as _;
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        b'\n' => out.push_str("\\n"),
        b'\r' => out.push_str("\\r"),
        b'\t' => out.push_str("\\t"),
        0x08 => out.push_str("\\b"),
        0x0c => out.push_str("\\f"),
        // Writing to a String cannot fail.
        other => _ = write!(out, "\\u{other:04x}"),
    }
}

impl Node for &serde_json::Value {
    fn kind(&self) -> NodeKind {
        match self {
            serde_json::Value::Null => NodeKind::Null,
            serde_json::Value::Bool(_) => NodeKind::Bool,
            serde_json::Value::Number(_) => NodeKind::Number,
            serde_json::Value::String(_) => NodeKind::Text,
            serde_json::Value::Array(_) => NodeKind::List,
            serde_json::Value::Object(_) => NodeKind::Map,
        }
    }

    fn text(&self) -> Option<Cow<'_, str>> {
        self.as_str().map(Cow::Borrowed)
    }

    fn boolean(&self) -> Option<bool> {
        self.as_bool()
    }

    fn number(&self) -> Option<f64> {
        self.as_f64()
    }

    fn get(&self, key: Key) -> Option<Self> {
        self.as_object()?.get(key.name()).filter(|value| !value.is_null())
    }

    fn length(&self) -> Option<usize> {
        self.as_object().map(serde_json::Map::len)
    }

    fn items(&self, visit: &mut dyn FnMut(Self)) {
        self.as_array().into_iter().flatten().for_each(visit);
    }

    fn entries(&self, visit: &mut dyn FnMut(&str, Self)) {
        for (key, value) in self.as_object().into_iter().flatten() {
            visit(key, value);
        }
    }

    fn write_number(&self, out: &mut String) {
        use std::fmt::Write as _;
        // Writing to a String cannot fail.
        _ = write!(out, "{self}");
    }
}

#[cfg(test)]
mod tests {
    use super::write_json;
    use serde_json::json;

    fn written(value: &serde_json::Value) -> String {
        let mut out = String::new();
        write_json(&value, &mut out);
        out
    }

    #[test]
    fn json_is_compact_and_parses_back() {
        let value = json!({"a": [1, 2.5, null, true], "키": "줄\n\"q\" \\ \u{1}", "e": {}, "l": []});
        assert_eq!(
            written(&value),
            "{\"a\":[1,2.5,null,true],\"키\":\"줄\\n\\\"q\\\" \\\\ \\u0001\",\"e\":{},\"l\":[]}"
        );
        assert_eq!(serde_json::from_str::<serde_json::Value>(&written(&value)).ok(), Some(value));
    }

    #[test]
    fn deep_nesting_ends_in_null() {
        let mut value = json!(1);
        for _ in 0..600 {
            value = json!([value]);
        }
        assert!(written(&value).contains("null"));
    }
}
