//! HTML as its text: headings, list items, table cells and links as Markdown writes them; scripts and styles go.
//!
//! A scanner that goes once over the text and never back, so that broken markup takes no longer than any. What is
//! left open takes the rest, as in a browser.

mod entities;

use super::fit::Limit;
use super::{LeftOut, Made, markdown};
use entities::decoded;

/// Elements whose content nobody reads.
const HIDDEN: &[&str] = &["script", "style", "noscript", "template", "svg", "iframe", "object", "select"];
/// Elements that stand on lines of their own.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tbody",
    "tfoot",
    "thead",
    "title",
    "tr",
    "ul",
];
/// Addresses that are longer hold data, not a place.
const LONGEST_LINK: usize = 500;

/// The outer nothing: no reader would see anything. The inner one: nothing of it fits.
pub(super) fn shorten(text: &str, bound: &Limit<'_>) -> Option<Made> {
    let text = to_text(text);
    if text.is_empty() {
        return None;
    }
    if bound.holds(&text) {
        return Some(Some((text, LeftOut::default())));
    }
    Some(markdown::shorten(&text, bound))
}

/// What a reader sees.
pub(super) fn to_text(html: &str) -> String {
    let mut page = Page { rest: html, written: String::with_capacity(html.len() / 4), ..Page::default() };
    while !page.rest.is_empty() {
        page.step();
    }
    page.end_link();
    page.written.truncate(page.written.trim_end().len());
    page.written
}

#[derive(Default)]
struct Page<'text> {
    rest: &'text str,
    written: String,
    /// Space is due before the next word.
    space: bool,
    /// Inside of `pre`, where space counts.
    verbatim: usize,
    /// Where the text of the link begins that is being read, and its address.
    link: Option<(usize, &'text str)>,
}

impl<'text> Page<'text> {
    /// Reads the text up to the next tag, or a tag.
    fn step(&mut self) {
        let end = self.rest.find('<').unwrap_or(self.rest.len());
        if end > 0 {
            let (text, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
            self.rest = rest;
            return self.text(text);
        }
        if self.rest.starts_with("<!--") {
            return self.skip_past("-->");
        }
        match self.rest.as_bytes().get(1) {
            Some(next) if next.is_ascii_alphabetic() || *next == b'/' => self.tag(),
            Some(b'!' | b'?') => self.skip_past(">"),
            _ => {
                self.text("<");
                self.rest = self.rest.get(1..).unwrap_or_default();
            }
        }
    }

    fn skip_past(&mut self, end: &str) {
        self.rest = self.rest.find(end).and_then(|at| self.rest.get(at + end.len()..)).unwrap_or_default();
    }

    fn tag(&mut self) {
        let end = tag_end(self.rest);
        let (tag, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        let inner = tag.trim_start_matches('<');
        let (closes, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
        let name_end = inner.find(|next: char| !next.is_ascii_alphanumeric()).unwrap_or(inner.len());
        let (name, attributes) = inner.split_at_checked(name_end).unwrap_or((inner, ""));
        let name = name.get(..name.len().min(16)).unwrap_or_default().to_ascii_lowercase();
        if HIDDEN.contains(&name.as_str()) {
            if !closes && !tag.ends_with("/>") {
                self.hide(&name);
            }
            return;
        }
        self.element(&name, closes, attributes);
    }

    /// Skips to the end tag of an element that is not read.
    fn hide(&mut self, name: &str) {
        while let Some(at) = self.rest.find("</") {
            self.rest = self.rest.get(at + 2..).unwrap_or_default();
            let found = self.rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
            if found {
                return self.skip_past(">");
            }
        }
        self.rest = "";
    }

    fn element(&mut self, name: &str, closes: bool, attributes: &'text str) {
        match name {
            "a" => {
                self.end_link();
                self.link = attribute(attributes, "href").filter(|_| !closes).map(|href| (self.written.len(), href));
            }
            "td" | "th" if !closes && !self.written.is_empty() && !self.written.ends_with('\n') => self.word(" | "),
            "pre" => {
                self.line();
                self.verbatim = if closes { self.verbatim.saturating_sub(1) } else { self.verbatim + 1 };
            }
            "li" if !closes => self.begin("- "),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if !closes => {
                let level = name.bytes().last().map_or(1, |digit| usize::from(digit - b'0'));
                self.begin(&format!("{} ", "#".repeat(level)));
            }
            "img" => {
                if let Some(alt) = attribute(attributes, "alt").filter(|alt| !alt.trim().is_empty()) {
                    self.text(alt);
                }
            }
            _ if BLOCKS.contains(&name) => self.line(),
            _ => {}
        }
    }

    /// Ends the line, if there is anything on it.
    fn line(&mut self) {
        self.space = false;
        self.written.truncate(self.written.trim_end_matches(' ').len());
        if !self.written.is_empty() && !self.written.ends_with('\n') {
            self.written.push('\n');
        }
    }

    fn begin(&mut self, mark: &str) {
        self.line();
        // A list item or heading in a list item goes on its line.
        if self.written.ends_with("\n- \n") {
            self.written.truncate(self.written.len() - 1);
        }
        self.written.push_str(mark);
    }

    fn text(&mut self, text: &str) {
        let text = decoded(text);
        if self.verbatim > 0 {
            self.space = false;
            return self.written.push_str(&text);
        }
        self.space |= text.starts_with(char::is_whitespace);
        for word in text.split_whitespace() {
            self.word(word);
            self.space = true;
        }
        self.space = self.space && (text.is_empty() || text.ends_with(char::is_whitespace));
    }

    fn word(&mut self, word: &str) {
        if std::mem::take(&mut self.space) && !self.written.is_empty() && !self.written.ends_with([' ', '\n']) {
            self.written.push(' ');
        }
        self.written.push_str(word);
    }

    /// Writes what was read since the link began as a link, if it is one that leads somewhere.
    fn end_link(&mut self) {
        let Some((start, href)) = self.link.take() else { return };
        let href = href.trim();
        let leads = !(href.is_empty() || href.starts_with('#') || href.len() > LONGEST_LINK);
        let leads = leads && !["javascript:", "data:"].iter().any(|scheme| href.starts_with(scheme));
        let start = start.min(self.written.len());
        let shown = self.written.get(start..).unwrap_or_default();
        let text = shown.trim();
        if !leads || text.is_empty() || text.contains('\n') {
            return;
        }
        let before = shown.len() - shown.trim_start().len();
        let link = format!("[{text}]({})", decoded(href));
        self.written.truncate(start + before);
        self.written.push_str(&link);
    }
}

/// Where a tag ends: behind the next `>` that stands in no quotes.
fn tag_end(tag: &str) -> usize {
    let mut quote = None;
    let mut before = b'<';
    for (place, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return place + 1,
            // A quote opens a value only behind `=`: a stray one in a name does not take the rest of the page.
            (None, b'"' | b'\'') if before == b'=' => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    tag.len()
}

/// The value of an attribute, undecoded.
fn attribute<'text>(attributes: &'text str, name: &str) -> Option<&'text str> {
    let mut rest = attributes;
    loop {
        rest = rest.trim_start_matches(|next: char| next.is_whitespace() || next == '/');
        let end = rest.find(|next: char| next.is_whitespace() || matches!(next, '=' | '>')).unwrap_or(rest.len());
        let (found, behind) = rest.split_at_checked(end)?;
        let behind = behind.trim_start();
        let Some(value) = behind.strip_prefix('=').map(str::trim_start) else {
            if found.is_empty() || behind.is_empty() {
                return None;
            }
            rest = behind;
            continue;
        };
        let quote = value.chars().next().filter(|&first| matches!(first, '"' | '\''));
        let inner = quote.map_or(value, |_| value.get(1..).unwrap_or_default());
        let end = match quote {
            Some(quote) => inner.find(quote),
            None => inner.find(|next: char| next.is_whitespace() || next == '>'),
        };
        let (value, behind) = inner.split_at_checked(end.unwrap_or(inner.len()))?;
        if found.eq_ignore_ascii_case(name) {
            return Some(value);
        }
        rest = quote.map_or(behind, |_| behind.get(1..).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::to_text;

    #[test]
    fn what_a_reader_sees() {
        let cases = [
            ("<h2>Title</h2><p>One <b>two</b>&nbsp;&amp; three", "## Title\nOne two & three"),
            ("<script>if (a < b) { '</p>' }</script>x<STYLE>p{}</Style>y", "xy"),
            ("<ul><li>a<li><a href='/b'> b </a></ul>", "- a\n- [b](/b)"),
            ("<a href=\"javascript:void(0)\">no</a> <a href='#top'>top</a>", "no top"),
            ("<table><tr><td>1<td>2</tr><tr><td>3</table>", "1 | 2\n3"),
            ("<pre>a\n  b</pre>c", "a\n  b\nc"),
            ("a < b &#xAC00; &unknown; <!-- gone --> z", "a < b 가 &unknown; z"),
            ("<p title='a > b'>x</p><p", "x"),
            ("x <script>never closed", "x"),
        ];
        for (html, text) in cases {
            assert_eq!(to_text(html), text, "{html}");
        }
    }
}
