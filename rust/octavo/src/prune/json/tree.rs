//! JSON as a flat list of nodes with their places in the text. Nothing is decoded and nothing recurses.

/// Deeper containers are read over and kept or left out whole. Parsers that recurse give up at about a thousand.
const MAX_DEPTH: usize = 128;

/// What is deeper than this is no JSON that anybody could read.
const MOST_OPEN: usize = 10_000;

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Object,
    Array,
    Text,
    /// A number, `true`, `false`, `null`; `NaN` and the infinities, which Python writes, are let through.
    Other,
}

/// One value.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) shape: Shape,
    /// Where its key stands, quotes included; empty for an element of an array.
    pub(super) key: (usize, usize),
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) parent: usize,
    /// Its place in its parent.
    pub(super) place: usize,
    /// How many values it holds itself.
    pub(super) children: usize,
    /// Whether its values are not nodes: it is small, or deep.
    pub(super) whole: bool,
}

/// The nodes of a JSON object or array, parents before children; nothing where the text is no such JSON.
/// Containers of at most `grain` bytes are one node.
pub(super) fn scan(text: &str, grain: usize) -> Option<Vec<Node>> {
    let mut scanner = Scanner { text, at: 0, grain, nodes: Vec::new(), open: Vec::new() };
    scanner.space();
    if !matches!(scanner.peek(), Some(b'{' | b'[')) {
        return None;
    }
    scanner.document()?;
    scanner.space();
    (scanner.at == text.len()).then_some(scanner.nodes)
}

/// A container that is not closed yet.
struct Open {
    object: bool,
    /// Its node; none below the depth that is looked at.
    node: Option<usize>,
    children: usize,
}

struct Scanner<'text> {
    text: &'text str,
    at: usize,
    grain: usize,
    nodes: Vec<Node>,
    open: Vec<Open>,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    /// Reads values until all containers are closed.
    fn document(&mut self) -> Option<()> {
        self.value((0, 0))?;
        while let Some(open) = self.open.last() {
            let (object, empty) = (open.object, open.children == 0);
            self.space();
            if self.peek() == Some(if object { b'}' } else { b']' }) {
                self.close();
                continue;
            }
            if !empty {
                self.take(b',')?;
                self.space();
            }
            let key = if object { self.key()? } else { (0, 0) };
            self.value(key)?;
        }
        Some(())
    }

    fn key(&mut self) -> Option<(usize, usize)> {
        let start = self.at;
        self.string()?;
        let key = (start, self.at);
        self.space();
        self.take(b':')?;
        self.space();
        Some(key)
    }

    /// Reads a scalar, or the beginning of a container.
    fn value(&mut self, key: (usize, usize)) -> Option<()> {
        let start = self.at;
        let shape = match self.peek()? {
            b'{' => Shape::Object,
            b'[' => Shape::Array,
            b'"' => Shape::Text,
            _ => Shape::Other,
        };
        let node = self.push(shape, key);
        match shape {
            Shape::Object | Shape::Array => {
                if self.open.len() >= MOST_OPEN {
                    return None;
                }
                self.at += 1;
                self.open.push(Open { object: shape == Shape::Object, node, children: 0 });
                return Some(());
            }
            Shape::Text => self.string()?,
            Shape::Other => self.word()?,
        }
        let end = self.at;
        if let Some(node) = node.and_then(|node| self.nodes.get_mut(node)) {
            (node.start, node.end) = (start, end);
        }
        Some(())
    }

    /// A node for the value that begins here, if its parent has one and is not too deep.
    fn push(&mut self, shape: Shape, key: (usize, usize)) -> Option<usize> {
        let depth = self.open.len();
        let (mut parent, mut place) = (0, 0);
        if let Some(open) = self.open.last_mut() {
            place = open.children;
            open.children += 1;
            parent = open.node?;
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let (start, whole) = (self.at, depth == MAX_DEPTH || matches!(shape, Shape::Text | Shape::Other));
        self.nodes.push(Node { shape, key, start, end: start, parent, place, children: 0, whole });
        Some(self.nodes.len() - 1)
    }

    fn close(&mut self) {
        self.at += 1;
        let (at, grain) = (self.at, self.grain);
        let Some(open) = self.open.pop() else { return };
        let Some(place) = open.node else { return };
        let Some(node) = self.nodes.get_mut(place) else { return };
        (node.end, node.children) = (at, open.children);
        if place > 0 && at - node.start <= grain {
            node.whole = true;
            self.nodes.truncate(place + 1);
        }
    }

    fn string(&mut self) -> Option<()> {
        self.take(b'"')?;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.escape()?,
                0..0x20 => return None,
                _ => self.at += 1,
            }
        }
        self.take(b'"')
    }

    fn escape(&mut self) -> Option<()> {
        let code = self.text.as_bytes().get(self.at + 1)?;
        let length = match code {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
            b'u' => 6,
            _ => return None,
        };
        let digits = self.text.as_bytes().get(self.at + 2..self.at + length)?;
        digits.iter().all(u8::is_ascii_hexdigit).then(|| self.at += length)
    }

    fn word(&mut self) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        let end = rest.find(|byte: char| !(byte.is_ascii_alphanumeric() || matches!(byte, '+' | '-' | '.')));
        let word = rest.get(..end.unwrap_or(rest.len()))?;
        let literal = matches!(word, "true" | "false" | "null" | "NaN" | "Infinity" | "-Infinity");
        (literal || is_number(word)).then(|| self.at += word.len())
    }
}

/// RFC 8259 §6.
fn is_number(word: &str) -> bool {
    let word = word.strip_prefix('-').unwrap_or(word);
    let (mantissa, exponent) = word.split_once(['e', 'E']).map_or((word, None), |(left, right)| (left, Some(right)));
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(left, right)| (left, Some(right)));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|part| digits(part.strip_prefix(['+', '-']).unwrap_or(part)))
}

/// JSON without the space between its parts. Only for a text that [`scan`] accepts.
pub(super) fn minify(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let quote = rest.find('"').unwrap_or(rest.len());
        let (between, string) = rest.split_at_checked(quote).unwrap_or((rest, ""));
        written.extend(between.split([' ', '\t', '\n', '\r']));
        let (string, behind) = string.split_at_checked(string_end(string)).unwrap_or((string, ""));
        written.push_str(string);
        rest = behind;
    }
    written
}

fn string_end(string: &str) -> usize {
    let mut escaped = false;
    for (place, byte) in string.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return place + 1,
            _ => {}
        }
    }
    string.len()
}

#[cfg(test)]
mod tests {
    use super::{minify, scan};

    #[test]
    fn what_parses_is_what_serde_parses() {
        let texts = [
            "{}",
            "[]",
            " [1] ",
            "[1,]",
            "[,1]",
            "{\"a\":1}",
            "{\"a\"}",
            "{a:1}",
            "[01]",
            "[1.]",
            "[-0.5e+3]",
            "[.5]",
            "[\"\\u12g4\"]",
            "[\"\\ud83d\\ude42\"]",
            "[\"\\x\"]",
            "[\"\n\"]",
            "[tru]",
            "[1 2]",
            "[[]",
            "[]]",
            "[}",
            "{]",
            "[1]x",
            "{\"a\":{\"b\":[null,true,false]}}",
            "[\"a\"\"b\"]",
            "[1e5,1E5,1e]",
            "[- 1]",
            "[+1]",
            "[\"\\",
        ];
        for text in texts {
            let expected = serde_json::from_str::<serde_json::Value>(text).is_ok();
            assert_eq!(scan(text, 0).is_some(), expected, "{text}");
        }
    }

    #[test]
    fn depth_is_only_a_number() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let nodes = scan(&deep, 0).unwrap_or_default();
        assert_eq!(nodes.len(), 129);
        assert_eq!(nodes.first().map(|node| node.children), Some(1));
        assert!(scan(&format!("[{deep}]"), 0).is_none());
    }

    #[test]
    fn only_space_between_parts_goes() {
        assert_eq!(minify("{ \"a b\" : [ 1 ,\n\t\"\\\" x\" ] }"), r#"{"a b":[1,"\" x"]}"#);
    }
}
