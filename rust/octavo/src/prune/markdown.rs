//! Markdown: headings first, then the first lines of every section. A code block is kept from its beginning, and closed
//! where it is cut, so that the mark and all that follows stand outside of it.

use super::Made;
use super::fit::Limit;
use super::pieces::{CLASS, Fenced, Pieces, rank};

pub(super) fn shorten(text: &str, bound: &Limit<'_>) -> Made {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let fenced = fenced(&lines);
    let ranks = ranks(&lines, &fenced);
    let blocks: Vec<(usize, usize)> = fenced.iter().map(|block| (block.first, block.last)).collect();
    let mut within = 0;
    Pieces::new(text, bound).with_fenced(fenced).best(bound, |_, piece| {
        let at = blocks.partition_point(|&(_, last)| last < piece.line);
        let Some(&(first, _)) = blocks.get(at).filter(|&&(first, _)| first <= piece.line) else {
            return ranks.get(piece.line).copied().unwrap_or(u64::MAX).saturating_add(rank(piece.place));
        };
        // Inside of a block the ranks rise, so that what is kept of it is a beginning.
        within = if piece.line == first && piece.place == 0 { 0 } else { within + 1 };
        ranks.get(first).copied().unwrap_or(u64::MAX).saturating_add(rank(within))
    })
}

/// A rank for every line. A block's other lines follow its first.
fn ranks(lines: &[&str], fenced: &[Fenced]) -> Vec<u64> {
    let mut blocks = fenced.iter().peekable();
    let mut place_in_section = 0;
    let mut ranks = Vec::with_capacity(lines.len());
    for (place, line) in lines.iter().enumerate() {
        while blocks.next_if(|block| block.last < place).is_some() {}
        let inside = blocks.peek().is_some_and(|block| block.first < place);
        if let Some(level) = heading(line).filter(|_| !inside) {
            place_in_section = 0;
            ranks.push(CLASS * level);
            continue;
        }
        place_in_section += usize::from(!line.trim().is_empty());
        let first = place < FIRST || (place + LAST >= lines.len() && !inside && blocks.peek().is_none());
        ranks.push(if first { rank(place) } else { 7 * CLASS + rank(place_in_section) });
    }
    ranks
}

/// Lines that are ranked above the headings.
const FIRST: usize = 2;
const LAST: usize = 2;

/// The level of an ATX heading, behind line numbers or inside of a quote as well.
fn heading(line: &str) -> Option<u64> {
    let content = line.trim_start_matches([' ', '>']);
    let level = content.bytes().take_while(|&byte| byte == b'#').count();
    let behind = content.as_bytes().get(level);
    let is_heading = (1..=6).contains(&level) && behind.is_none_or(u8::is_ascii_whitespace);
    is_heading.then(|| u64::try_from(level).unwrap_or(6))
}

/// The code blocks: `CommonMark` 0.31.2 §4.5, and more. Blocks in lists are found at any indentation, since their content
/// is indented; blocks in quotes end with the quote.
pub(super) fn fenced(lines: &[&str]) -> Vec<Fenced> {
    let mut blocks: Vec<Fenced> = Vec::new();
    let mut open: Option<Opened<'_>> = None;
    for (place, line) in lines.iter().enumerate() {
        let (quote, content) = unquoted(line);
        if let Some(opened) = &open {
            let ended = quote.matches('>').count() < opened.quote.matches('>').count();
            if ended {
                blocks.push(opened.block(place - 1));
            } else if opened.is_closed_by(content) {
                blocks.push(opened.closed_by(place, line));
            } else {
                continue;
            }
            open = None;
            if !ended {
                continue;
            }
        }
        open = Opened::by(quote, content, place).or(open);
    }
    blocks.extend(open.map(|opened| opened.block(lines.len() - 1)));
    blocks
}

/// A block that is being read.
struct Opened<'text> {
    quote: &'text str,
    indent: String,
    fence: &'text str,
    first: usize,
}

impl<'text> Opened<'text> {
    fn by(quote: &'text str, content: &'text str, first: usize) -> Option<Self> {
        let item = item_mark(content);
        let (indent, fence, info) = fence(content.get(item..)?)?;
        let opens = !(fence.starts_with('`') && info.contains('`'));
        opens.then(|| Self { quote, indent: format!("{}{indent}", " ".repeat(item)), fence, first })
    }

    fn is_closed_by(&self, content: &str) -> bool {
        fence(content).is_some_and(|(_, fence, info)| fence.starts_with(self.fence) && info.trim().is_empty())
    }

    /// The block up to `last`, which does not close it.
    fn block(&self, last: usize) -> Fenced {
        Fenced { first: self.first, last, closer: format!("{}{}{}", self.quote, self.indent, self.fence), own: 0 }
    }

    fn closed_by(&self, last: usize, line: &str) -> Fenced {
        let closer = line.strip_suffix('\n').unwrap_or(line).to_owned();
        Fenced { first: self.first, last, closer, own: line.chars().count() }
    }
}

/// The length of a list item's mark with the space around it, where the line begins with one.
fn item_mark(content: &str) -> usize {
    let item = content.trim_start_matches(' ');
    let number = item.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let behind = if number.len() < item.len() {
        number.strip_prefix(". ").or_else(|| number.strip_prefix(") "))
    } else {
        item.strip_prefix("- ").or_else(|| item.strip_prefix("* ")).or_else(|| item.strip_prefix("+ "))
    };
    behind.map_or(0, |behind| content.len() - behind.len())
}

/// A line's marks of a quote, and the rest.
fn unquoted(line: &str) -> (&str, &str) {
    let content = line.trim_start_matches([' ', '>']);
    let marks = line.get(..line.len() - content.len()).unwrap_or_default();
    let end = marks.rfind('>').map_or(0, |at| at + 1 + usize::from(marks.get(at + 1..at + 2) == Some(" ")));
    line.split_at_checked(end).unwrap_or(("", line))
}

/// Indentation, fence and what follows it on the line.
fn fence(content: &str) -> Option<(&str, &str, &str)> {
    let start = content.find(|character: char| !matches!(character, ' ' | '\t'))?;
    let (indent, rest) = content.split_at_checked(start)?;
    let character = rest.chars().next().filter(|&first| matches!(first, '`' | '~'))?;
    let length = rest.len() - rest.trim_start_matches(character).len();
    let (fence, info) = rest.split_at_checked(length)?;
    (length >= 3).then_some((indent, fence, info))
}
