//! Number of pages of a PDF, from a few of its bytes.
//!
//! As the PDF reference (ISO 32000-1, 7.5 and 7.7) lays a file out: a linearised file says it in its first object;
//! else the table at the end leads to the catalogue, and that to the page tree, whose root says it. Where a file
//! has no plain table, its beginning and end are searched for the page tree. What is packed into compressed object
//! streams is not unpacked: the number is unknown then.

use super::media::Data;

/// The first object of a linearised file stands within the first 1,024 bytes, and is short.
const HEAD: usize = 2048;

/// Where the table's place and the trailer are looked for, from the end.
const TAIL: usize = 16 * 1024;

/// Where the page tree is looked for without a table, at the beginning and at the end.
const SEARCHED: usize = 256 * 1024;

/// An object that is looked into: a catalogue, or the root of a page tree with the list of its children.
const OBJECT: usize = 64 * 1024;

/// Older tables and sections of one table that are followed: hostile files chain them without end.
const LINKS: usize = 64;

/// Pages, where the file says so in plain. Looks at 600 KiB at most.
pub(super) fn pages(data: Data<'_>) -> Option<u32> {
    let head = data.part(0, HEAD);
    find(&head, b"%PDF-")?;
    linearised(&head).or_else(|| by_table(data)).or_else(|| searched(data))
}

fn linearised(head: &[u8]) -> Option<u32> {
    let rest = head.get(find(head, b"/Linearized")?..)?;
    number_after(rest.get(..find(rest, b">>")?)?, b"/N")
}

/// Table, catalogue, root of the page tree.
fn by_table(data: Data<'_>) -> Option<u32> {
    let tail = data.part(data.length().saturating_sub(TAIL), TAIL);
    let table = number_after(tail.get(find_last(&tail, b"startxref")?..)?, b"startxref")? as usize;
    let trailer = tail.get(find_last(&tail, b"trailer")?..)?;
    let catalogue = object(data, table, number_after(trailer, b"/Root")?)?;
    let root = object(data, table, number_after(&catalogue, b"/Pages")?)?;
    number_after(&root, b"/Count")
}

/// The object of that number, as far as it is looked at.
fn object(data: Data<'_>, table: usize, wanted: u32) -> Option<Vec<u8>> {
    let part = data.part(place_of(data, table, wanted)?, OBJECT);
    let end = find(&part, b"endobj").unwrap_or(part.len());
    Some(part.get(..end)?.to_vec())
}

/// Where an object stands: sections of 20 bytes an entry, each with the number of its first object; then a trailer,
/// which may lead to an older table.
fn place_of(data: Data<'_>, table: usize, wanted: u32) -> Option<usize> {
    let mut at = table + skip_word(&data.part(table, 16), b"xref")?;
    for _ in 0..LINKS {
        let section = data.part(at, 64);
        if let Some(after) = skip_word(&section, b"trailer") {
            let trailer = data.part(at + after, 1024);
            let older = number_after(trailer.get(..find(&trailer, b"startxref").unwrap_or(trailer.len()))?, b"/Prev")?;
            at = older as usize + skip_word(&data.part(older as usize, 16), b"xref")?;
            continue;
        }
        let (first, length) = number(&section)?;
        let (count, more) = number(section.get(length..)?)?;
        let entries = at + length + more + blanks(section.get(length + more..)?);
        if let Some(position) = wanted.checked_sub(first).filter(|&position| position < count) {
            return Some(number(&data.part(entries + position as usize * 20, 10))?.0 as usize);
        }
        at = entries.checked_add((count as usize).checked_mul(20)?)?;
    }
    None
}

/// The largest count of a page tree's node near the beginning or the end: a root counts all that its children do.
fn searched(data: Data<'_>) -> Option<u32> {
    let end = data.length().saturating_sub(SEARCHED).max(SEARCHED);
    [0, end].into_iter().filter_map(|start| largest_count(&data.part(start, SEARCHED))).max()
}

fn largest_count(part: &[u8]) -> Option<u32> {
    let mut rest = part;
    let mut largest = None;
    while !rest.is_empty() {
        let end = find(rest, b"endobj").map_or(rest.len(), |end| end + 6);
        let (object, after) = rest.split_at_checked(end)?;
        if is_page_tree(object) {
            largest = largest.max(number_after(object, b"/Count"));
        }
        rest = after;
    }
    largest
}

/// Whether the object says `/Type /Pages`.
fn is_page_tree(object: &[u8]) -> bool {
    let mut rest = object;
    while let Some(at) = find(rest, b"/Type") {
        rest = rest.get(at + 5..).unwrap_or_default();
        if rest.get(blanks(rest)..).is_some_and(|value| value.starts_with(b"/Pages")) {
            return true;
        }
    }
    false
}

/// The number that follows the name. A longer name that only begins alike (`/Name` for `/N`) is not it.
fn number_after(text: &[u8], name: &[u8]) -> Option<u32> {
    let mut rest = text;
    while let Some(at) = find(rest, name) {
        rest = rest.get(at + name.len()..)?;
        if rest.first().is_some_and(|&next| is_blank(next))
            && let Some((number, _)) = number(rest)
        {
            return Some(number);
        }
    }
    None
}

/// A number after blanks, and how many bytes both take.
fn number(text: &[u8]) -> Option<(u32, usize)> {
    let start = blanks(text);
    let digits = text.get(start..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let written = str::from_utf8(text.get(start..start + digits)?).ok()?;
    Some((written.parse().ok()?, start + digits))
}

/// How many bytes the word and what is blank around it take, where the text begins with it.
fn skip_word(text: &[u8], word: &[u8]) -> Option<usize> {
    let start = blanks(text);
    let rest = text.get(start..)?.strip_prefix(word)?;
    Some(start + word.len() + blanks(rest))
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| is_blank(byte)).count()
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|window| window == word)
}

fn find_last(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).rposition(|window| window == word)
}

#[cfg(test)]
mod tests {
    use super::pages;
    use crate::message::media::Data;

    /// A file as the reference shows it, with `padding` bytes between the page tree and both ends.
    fn file(count: u32, padding: usize, table: bool) -> Vec<u8> {
        let mut file = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n".to_vec();
        let stream = |file: &mut Vec<u8>| file.extend(std::iter::repeat_n(b'x', padding));
        stream(&mut file);
        let tree = file.len();
        file.extend(format!("2 0 obj\n<< /Type/Pages /Kids [3 0 R] /Count {count} >>\nendobj\n").into_bytes());
        file.extend(b"4 0 obj\n<< /Type /Outlines /Count 9999 >>\nendobj\n");
        stream(&mut file);
        let start = file.len();
        if table {
            file.extend(b"xref\n0 1\n0000000000 65535 f \n1 2\n0000000009 00000 n \n");
            file.extend(format!("{tree:010} 00000 n \ntrailer\n<< /Size 3 /Root 1 0 R >>\n").into_bytes());
            file.extend(format!("startxref\n{start}\n%%EOF\n").into_bytes());
        }
        file
    }

    #[test]
    fn the_page_tree_is_found() {
        for (padding, table) in [(0, true), (0, false), (3_000_000, true)] {
            assert_eq!(pages(Data::Bytes(&file(300, padding, table))), Some(300), "{padding} {table}");
        }
        assert_eq!(pages(Data::Bytes(&file(300, 3_000_000, false))), None);
    }

    #[test]
    fn a_linearised_file_says_it_first() {
        let file = b"%PDF-1.7\n9 0 obj\n<< /Linearized 1 /L 54321 /H [ 1 2 ] /Name 3 /O 11 /E 5 /N 300 /T 9 >>\nendobj";
        assert_eq!(pages(Data::Bytes(file)), Some(300));
    }

    #[test]
    fn what_is_broken_ends() {
        let chained =
            b"%PDF-1.4\nxref\n0 1\n0000000000 65535 f \ntrailer << /Root 7 0 R /Prev 9 >>\nstartxref\n9\n%%EOF";
        let rest =
            [&b"%PDF-"[..], b"", b"PK", b"%PDF-1.4 startxref 99999999999999", b"%PDF-1.4 obj obj endobj obj /Type"];
        for file in rest.into_iter().chain([&chained[..]]) {
            assert_eq!(pages(Data::Bytes(file)), None, "{}", String::from_utf8_lossy(file));
        }
    }
}
