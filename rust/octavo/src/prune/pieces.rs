//! A text as lines, long lines in several pieces, and its writing with marks where pieces were left out.

use super::fit::{Limit, Ranked, most};
use super::{LeftOut, Made};

/// A piece of a line: the whole line with its end, where that is not too long.
pub(super) struct Piece {
    start: usize,
    end: usize,
    /// The line, from 0.
    pub(super) line: usize,
    /// Its place among the pieces of its line, and how many there are.
    pub(super) place: usize,
    pub(super) places: usize,
    /// Characters before it.
    before: usize,
}

/// A code block of Markdown: its lines, and how it ends.
pub(super) struct Fenced {
    pub(super) first: usize,
    /// The line that closes it, or the last of the text.
    pub(super) last: usize,
    /// What closes it, without the end of the line.
    pub(super) closer: String,
    /// Characters of `last`, if that closes it; else 0.
    pub(super) own: usize,
}

/// A text in pieces.
pub(super) struct Pieces<'text> {
    text: &'text str,
    pub(super) list: Vec<Piece>,
    characters: usize,
    fenced: Vec<Fenced>,
}

/// Ranks from here on are of another class: within a class, the rank is a place.
pub(super) const CLASS: u64 = 1 << 40;

/// A place as a rank within its class.
pub(super) fn rank(place: usize) -> u64 {
    u64::try_from(place).unwrap_or(CLASS).min(CLASS - 1)
}

/// Two places from the beginning for each from the end: the beginning says what a text is about.
pub(super) fn from_both_ends(place: usize, places: usize) -> u64 {
    let behind = places.saturating_sub(place + 1);
    rank((2 * place).min(4 * behind + 1))
}

impl<'text> Pieces<'text> {
    /// Cuts lines that are longer than `grain` bytes: after a space where one is near, else between characters.
    pub(super) fn new(text: &'text str, bound: &Limit<'_>) -> Self {
        let grain = bound.grain(8, 40, 2048);
        let (mut pieces, mut start, mut characters) = (Vec::new(), 0, 0);
        for (line, content) in text.split_inclusive('\n').enumerate() {
            let first = pieces.len();
            for part in (Cutter { rest: content, grain }) {
                let (place, end) = (pieces.len() - first, start + part.len());
                pieces.push(Piece { start, end, line, place, places: 0, before: characters });
                start = end;
                characters += part.chars().count();
            }
            let places = pieces.len() - first;
            pieces.iter_mut().skip(first).for_each(|piece| piece.places = places);
        }
        Self { text, list: pieces, characters, fenced: Vec::new() }
    }

    /// With code blocks, which are closed where they are cut. The ranks must keep each from its beginning.
    pub(super) fn with_fenced(self, fenced: Vec<Fenced>) -> Self {
        Self { fenced, ..self }
    }

    /// The best ranked pieces that fit, in their order, by the rank of each line: the pieces of a long line are
    /// ranked behind its first.
    pub(super) fn best_lines(&self, bound: &Limit<'_>, lines: &[u64]) -> Made {
        self.best(bound, |_, piece| {
            let within = if piece.places > 1 { from_both_ends(piece.place, piece.places) } else { 0 };
            lines.get(piece.line).copied().unwrap_or(u64::MAX).saturating_add(within)
        })
    }

    /// The best ranked pieces that fit, in their order. The lowest rank is the best; ties go to the earlier.
    pub(super) fn best(&self, bound: &Limit<'_>, mut rank: impl FnMut(usize, &Piece) -> u64) -> Made {
        let mut ranked = Ranked::new(self.list.iter().enumerate().map(|(place, piece)| rank(place, piece)));
        let attempt = |kept: &[usize]| Some(self.written(kept)).filter(|(written, _)| bound.holds(written));
        let (size, made) = most(ranked.len(), |size| attempt(&ranked.best(size)))?;
        // A code block must be kept from its beginning: no piece of one may be passed over.
        if self.fenced.is_empty() { Some(self.filled(&mut ranked, size, made, attempt)) } else { Some(made) }
    }

    /// The next best piece may be a long line; shorter ones behind it can still have room.
    fn filled(
        &self,
        ranked: &mut Ranked,
        size: usize,
        mut made: (String, LeftOut),
        attempt: impl Fn(&[usize]) -> Made,
    ) -> (String, LeftOut) {
        let mut kept = ranked.best(size);
        for next in size + 1..self.list.len().min(size + 1 + FILL) {
            let Some(piece) = ranked.at(next) else { break };
            let at = kept.partition_point(|&before| before < piece);
            kept.insert(at, piece);
            match attempt(&kept) {
                Some(more) => made = more,
                None => drop(kept.remove(at)),
            }
        }
        made
    }

    /// The kept pieces, which are in their order, with a mark for each gap between them.
    fn written(&self, kept: &[usize]) -> (String, LeftOut) {
        let mut writing = Writing { of: self, written: String::new(), left_out: LeftOut::default() };
        let mut next = 0;
        for &place in kept {
            writing.gap(next, place);
            let piece = self.list.get(place);
            writing.written.push_str(piece.map_or("", |piece| self.slice(piece.start, piece.end)));
            next = place + 1;
        }
        writing.gap(next, self.list.len());
        (writing.written, writing.left_out)
    }

    fn slice(&self, start: usize, end: usize) -> &'text str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// The code block that a gap after this line cuts.
    fn cut_block(&self, line: usize) -> Option<&Fenced> {
        let at = self.fenced.partition_point(|block| block.last < line);
        self.fenced.get(at).filter(|block| block.first <= line && !(block.own > 0 && block.last == line))
    }
}

/// How many more units are tried one by one.
const FILL: usize = 6;

/// A text that is being written.
struct Writing<'a, 'text> {
    of: &'a Pieces<'text>,
    written: String,
    left_out: LeftOut,
}

impl Writing<'_, '_> {
    /// Writes the mark for the pieces from `first` up to `end`, or these themselves where they are no longer.
    fn gap(&mut self, first: usize, end: usize) {
        let (Some(from), Some(to)) = (self.of.list.get(first), self.of.list.get(end.wrapping_sub(1))) else {
            return;
        };
        if first >= end {
            return;
        }
        let gap = self.of.slice(from.start, to.end);
        let behind = self.of.list.get(end).map_or(self.of.characters, |piece| piece.before);
        let characters = behind - from.before;
        let block = first.checked_sub(1).and_then(|before| self.of.list.get(before)).map(|piece| piece.line);
        let block = block.and_then(|line| self.of.cut_block(line));
        let whole = from.place == 0 && to.place + 1 == to.places;
        let lines = to.line + 1 - from.line;
        let gap = Gap { text: gap, characters, lines, whole };
        match block {
            Some(block) => self.mark_behind(block, &gap),
            None => self.mark(&gap),
        }
    }

    fn mark(&mut self, gap: &Gap<'_>) {
        let ends_line = gap.text.ends_with('\n');
        if gap.whole {
            let mark = lines_mark(gap.lines, ends_line);
            return self.put(gap, &mark, LeftOut { lines: gap.lines, ..LeftOut::default() });
        }
        // The end of the line stays: what comes behind is another line.
        let characters = gap.characters - usize::from(ends_line);
        let mark = characters_mark(characters, ends_line);
        self.put(gap, &mark, LeftOut { characters, ..LeftOut::default() });
    }

    /// Closes the code block first, so that the mark and what follows stand outside of it. The line that closes it is
    /// the block's own, where it has one, and so is not left out.
    fn mark_behind(&mut self, block: &Fenced, gap: &Gap<'_>) {
        let lines = gap.lines.saturating_sub(usize::from(block.own > 0));
        if gap.whole && lines == 0 {
            return self.written.push_str(gap.text);
        }
        let breaks = !self.written.ends_with('\n');
        self.written.push_str(if breaks { "\n" } else { "" });
        self.written.push_str(&block.closer);
        self.written.push('\n');
        if gap.whole {
            self.written.push_str(&lines_mark(lines, gap.text.ends_with('\n')));
            self.left_out.lines += lines;
            return;
        }
        let ends_line = gap.text.ends_with('\n');
        let broken = breaks && gap.text.contains('\n');
        let characters = gap.characters.saturating_sub(block.own + usize::from(broken) + usize::from(ends_line));
        self.written.push_str(&characters_mark(characters, ends_line));
        self.left_out.characters += characters;
    }

    /// The mark, unless what it stands for is no longer than it.
    fn put(&mut self, gap: &Gap<'_>, mark: &str, left_out: LeftOut) {
        if gap.text.len() <= mark.len() {
            return self.written.push_str(gap.text);
        }
        self.written.push_str(mark);
        self.left_out.lines += left_out.lines;
        self.left_out.characters += left_out.characters;
    }
}

/// What stands between two kept pieces.
struct Gap<'text> {
    text: &'text str,
    characters: usize,
    /// Lines that it touches.
    lines: usize,
    /// Whether these are whole lines.
    whole: bool,
}

fn lines_mark(lines: usize, ends_line: bool) -> String {
    let plural = if lines == 1 { "" } else { "s" };
    format!("[… {lines} line{plural} left out]{}", if ends_line { "\n" } else { "" })
}

/// The mark inside of a line or a string.
pub(super) fn characters_mark(characters: usize, ends_line: bool) -> String {
    let plural = if characters == 1 { "" } else { "s" };
    format!("[… {characters} character{plural} left out]{}", if ends_line { "\n" } else { "" })
}

/// Parts of one line, each of at most `grain` bytes but for what belongs to one character as readers see it.
struct Cutter<'text> {
    rest: &'text str,
    grain: usize,
}

impl<'text> Iterator for Cutter<'text> {
    type Item = &'text str;

    fn next(&mut self) -> Option<&'text str> {
        if self.rest.is_empty() {
            return None;
        }
        // An end of line alone is no piece.
        let end = if self.rest.len() <= self.grain + 2 { self.rest.len() } else { cut_at(self.rest, self.grain) };
        let (part, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        Some(part)
    }
}

/// Where the first part of a line ends: behind the last space of the second half, else at the last character that
/// ends within.
fn cut_at(line: &str, grain: usize) -> usize {
    let most = line.floor_char_boundary(grain);
    let half = line.floor_char_boundary(grain / 2);
    let space = line.get(half..most).and_then(|part| part.rfind(' '));
    let end = space.map_or(most, |space| half + space + 1);
    // Marks that change the character before them stay with it; a few, so that a run of them makes no long piece.
    let joined = line.get(end..).unwrap_or_default().chars().take(8).take_while(|&character| joins(character));
    let end = end + joined.map(char::len_utf8).sum::<usize>();
    if end == 0 { line.chars().next().map_or(line.len(), char::len_utf8) } else { end }
}

/// Whether a character is drawn onto the one before it: combining marks, variation selectors, joiners, skin tones.
fn joins(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36F}' | '\u{200D}' | '\u{20D0}'..='\u{20FF}' | '\u{3099}' | '\u{309A}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FE20}'..='\u{FE2F}' | '\u{1F3FB}'..='\u{1F3FF}')
}
