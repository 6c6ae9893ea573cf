//! The blocks of a page: the text between two tags that are not formatting instructions, or a line of plain text.

use std::ops::Range;

use crate::text::containers::TextPlace;
use crate::text::outline::{HeadingPart, OutlinePart};
use crate::text::sentences::units;
use crate::text::short::ShortAscii;
use crate::text::tokenizer::Tokens;

/// Minimum number of words of prose; long names have fewer.
const PROSE_WORDS: u32 = 8;

/// A block of at least this many units is prose, whatever it ends with.
const PROSE_UNITS: u32 = 60;

/// A longer line of plain text is not a heading, whatever the lines around it.
const HEADING_UNITS: u32 = 100;

/// A block of a page: the text between two tags that are not formatting instructions, or a line of plain text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ContentBlock {
    /// The indexes of its terms among all terms of the page.
    pub indexes: Range<u32>,
    /// Its length: the letters and digits of its terms, one unit for an ASCII character and two for any other.
    pub units: u32,
    /// The part of that length that is in links.
    pub link_units: u32,
    /// The block is content.
    pub is_content: bool,
    /// The share of such blocks that are content, 0 to 1.
    pub(super) share: f64,
    /// The text of the block is not shown; and it repeats text of the page.
    pub(super) is_unseen: bool,
    pub(super) is_repeated: bool,
    /// Number of its words, counted up to eight. Words are terms separated by white space; in scripts without spaces,
    /// every term is a word.
    words: u32,
    /// Whether its last character ends a sentence or a part of a sentence.
    pub(super) ends_sentence: bool,
    /// Whether the block is a line of plain text above an empty line.
    pub(super) ends_paragraph: bool,
    /// Whether the block is a line of plain text with a copyright sign.
    pub(super) is_notice: bool,
    /// Its place in a page of markup.
    pub(super) place: TextPlace,
    /// Whether the block belongs to the title.
    pub(super) is_title: bool,
    /// Whether the block is inside a boilerplate element or role.
    pub(super) is_frame: bool,
    /// The heading that contains it.
    pub(super) heading: Option<HeadingPart>,
    /// Offset of its end in the text of the page.
    pub(super) text_end: usize,
}

impl ContentBlock {
    /// Returns whether at least half of the block is in links.
    pub(super) fn is_link(&self) -> bool {
        2 * self.link_units >= self.units
    }

    /// Returns the length of the block outside links.
    pub(super) fn text_units(&self) -> u32 {
        self.units - self.link_units
    }

    /// Returns whether the block is prose: it has several words, mostly outside links, and is long or ends like a
    /// sentence.
    pub(super) fn is_prose(&self) -> bool {
        self.words >= PROSE_WORDS && !self.is_link() && (self.units >= PROSE_UNITS || self.ends_sentence)
    }

    /// Returns whether the block may be a title: it is as short as a heading, and no sentence.
    pub(super) fn is_title_line(&self) -> bool {
        self.units <= HEADING_UNITS && !self.ends_sentence
    }

    /// Adds a term, given the text between it and the term before.
    #[inline]
    fn push<'a>(&mut self, index: u32, size: u32, between: impl FnOnce() -> &'a str) {
        self.indexes.end = index + 1;
        self.units += size;
        if self.words < PROSE_WORDS {
            let between = between();
            self.words += u32::from(between.is_empty() || between.contains(char::is_whitespace));
        }
    }
}

/// Returns the blocks of a page of markup that have a term.
pub(super) fn of_markup(tokens: &Tokens, parts: &[OutlinePart]) -> Vec<ContentBlock> {
    let text = tokens.text();
    let mut blocks: Vec<ContentBlock> = Vec::new();
    let (mut parts, mut part) = (parts.iter(), None::<&OutlinePart>);
    // The end of the text of the last block, and of its last term.
    let (mut begins_block, mut block_end, mut last) = (true, 0, 0);
    for (index, &(start, end)) in (0u32..).zip(tokens.spans()) {
        if start >= tokens.text_size() {
            // The term comes from an image.
            continue;
        }
        while part.is_none_or(|part| part.end <= start) {
            let Some(next) = parts.next() else { break };
            begins_block |= next.begins_block;
            if !begins_block {
                block_end = next.end;
            }
            part = Some(next);
        }
        let Some(part) = part else { continue };
        if std::mem::take(&mut begins_block) {
            end_block(blocks.last_mut(), text, last..block_end);
            blocks.push(ContentBlock {
                indexes: index..index,
                place: part.place,
                is_title: part.is_title,
                heading: part.heading,
                ..ContentBlock::default()
            });
        }
        block_end = part.end;
        let Some(block) = blocks.last_mut() else { continue };
        let size = term_units(text, start, end);
        block.push(index, size, || text.get(last..start).unwrap_or_default());
        block.link_units += if part.is_link { size } else { 0 };
        last = end;
    }
    let rest = parts.take_while(|part| !part.begins_block).last().map_or(block_end, |part| part.end);
    end_block(blocks.last_mut(), text, last..rest);
    blocks
}

/// Ends a block of markup, given the range of the text after its last term.
fn end_block(block: Option<&mut ContentBlock>, text: &str, behind: Range<usize>) {
    if let Some(block) = block {
        block.text_end = behind.end.max(behind.start);
        block.ends_sentence = text.get(behind).is_some_and(|behind| behind.trim_end().ends_with(TEXT_ENDS));
    }
}

/// Returns the lines of plain text that have a term.
pub(super) fn of_lines(tokens: &Tokens) -> Vec<ContentBlock> {
    let text = tokens.text();
    let is_ascii = text.is_ascii();
    let size = |start: usize, end: usize| if is_ascii { (end - start) as u32 } else { term_units(text, start, end) };
    let (mut blocks, mut last): (Vec<ContentBlock>, usize) = Default::default();
    for (index, &(start, end)) in (0u32..).zip(tokens.spans()) {
        // Most terms come after a single space.
        if start == last + 1
            && text.as_bytes()[last] == b' '
            && let Some(block) = blocks.last_mut()
        {
            block.push(index, size(start, end), || " ");
            last = end;
            continue;
        }
        // Terms may overlap.
        let between = text.get(last..start).unwrap_or_default();
        let in_line = between.rsplit(['\n', '\r']).next().unwrap_or_default();
        if blocks.is_empty() || in_line.len() < between.len() {
            end_line(blocks.last_mut(), between, last);
            blocks.push(ContentBlock {
                indexes: index..index,
                heading: rank_before(in_line).map(|rank| HeadingPart { number: index, rank }),
                ..ContentBlock::default()
            });
        }
        let Some(block) = blocks.last_mut() else { continue };
        block.is_notice |= in_line.contains(COPYRIGHT);
        block.push(index, size(start, end), || between);
        last = end;
    }
    end_line(blocks.last_mut(), text.get(last..).unwrap_or_default(), last);
    blocks
}

/// Ends a line, given the text after its last term and the offset at which that text begins. The next line may mark
/// this one as a heading.
fn end_line(block: Option<&mut ContentBlock>, behind: &str, at: usize) {
    let Some(block) = block else { return };
    let mut lines = behind.lines();
    let in_line = lines.next().unwrap_or_default();
    block.text_end = at + in_line.len();
    block.ends_sentence = in_line.trim_end().ends_with(TEXT_ENDS);
    block.is_notice |= in_line.contains(COPYRIGHT);
    block.ends_paragraph = behind.lines().nth(1).is_some_and(|line| line.trim().is_empty());
    if block.units <= HEADING_UNITS
        && block.heading.is_none()
        && let Some(rank) = lines.next().and_then(rank_below)
    {
        block.heading = Some(HeadingPart { number: block.indexes.start, rank });
    }
}

/// Marks that end a block of sentences, or a part of one.
const TEXT_ENDS: [char; 14] = ['.', '!', '?', ':', ';', '"', '”', '…', '。', '！', '？', '：', '；', '»'];

/// The copyright sign: on most pages, a copyright notice begins the boilerplate after the content.
const COPYRIGHT: char = '©';

/// Returns the rank of a heading that is marked before its first term: `# Markdown`, `== AsciiDoc`.
fn rank_before(prefix: &str) -> Option<u8> {
    let marks = prefix.trim_end();
    let is_mark = marks.bytes().all(|byte| byte == b'#') || marks.bytes().all(|byte| byte == b'=');
    (is_mark && prefix.len() > marks.len()).then_some(marks.len()).and_then(|rank| match rank {
        1..=3 => u8::try_from(rank).ok(),
        _ => None,
    })
}

/// Returns the rank of a heading by the line below it, as in Markdown and reStructuredText.
fn rank_below(line: &str) -> Option<u8> {
    let line = line.trim_end();
    let &first = line.as_bytes().first()?;
    let rank = match first {
        b'=' => 1,
        b'-' => 2,
        b'~' | b'^' | b'"' | b'+' => 3,
        _ => return None,
    };
    (line.len() >= 3 && line.bytes().all(|byte| byte == first)).then_some(rank)
}

/// Returns the length of the term in `text[from..to]` in units.
#[inline]
fn term_units(text: &str, from: usize, to: usize) -> u32 {
    let size = match ShortAscii::at(text.as_bytes(), from, to) {
        Some(_) => to - from,
        None => units(&text[from..to]),
    };
    size.try_into().unwrap_or(u32::MAX)
}
