//! The content of a page without its boilerplate (Huang, Wang, Li 3.1), and its whole text.
//!
//! A block is the text between two tags that are not formatting instructions, or a line of plain text. Blocks of markup
//! are classified by a sum of weak evidence (`classify`, `weights`): the block and its neighbours, as in Kohlschuetter,
//! Fankhauser and Nejdl (WSDM 2010) and in Pomikalek (2011), and the position relative to the main container of the
//! page, as in Readability. Plain text is all content, except for a copyright notice at its end.
//!
//! The extraction fails safe. If there are fewer than 20 terms of content, the whole page is content. Text that a page
//! carries and does not show is content where the page shows little beside it (`unseen`). The *whole text* of a page
//! (all blocks that are not links, and all blocks that are content) is sketched beside the content, so that no verdict
//! rests on a small part of a page.
//!
//! A small edit changes the content by a small part: what belongs to the content by a *share* is drawn by its own text.
//!
//! * Lengths are in *units*: one for an ASCII character of a term, two for any other.
//! * Characters without width that shape no letters, such as zero-width spaces, are removed. Terms are compared in
//!   lower case, and without differences that keyboards make ([`folded`](crate::text::folded)). All-digit terms are
//!   *numbers*. Numbers are terms of the content where there are many: none if there are less than a third as many numbers as
//!   words, all if there are more than two thirds. The whole text includes all terms.
//! * The title of a page of markup is the first `title` that has a term and is not part of a drawing. The title of
//!   plain text is its first line, if that is as short as a heading, is not a sentence, and is followed by another
//!   line; a second such line belongs to the title if it has a number, such as a version or a date, and an empty line
//!   follows. Headings are the `h1` to `h3` of the content with all their blocks, and the headings of the highest rank
//!   that are in no boilerplate element and no link. In plain text a heading is a line marked as in Markdown, AsciiDoc
//!   or reStructuredText: one to three `#` or `=` before it, or a line of `=` (first rank), `-` (second), or `~`, `^`,
//!   `"` or `+` (third) below it.

use crate::text::folded::folded;
use crate::text::terms_text::{is_number, text_of};
use crate::text::tokenizer::{Tokenizer, Tokens};
use crate::text::{Page, PageKind};

mod blocks;
mod classify;
mod unseen;
mod weights;

pub(crate) use blocks::ContentBlock;

/// A heading of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heading<'a> {
    /// Its rank, 1 to 3.
    pub rank: u8,
    /// The indexes of its terms among all terms of the page.
    pub indexes: &'a [u32],
}

/// The end of a heading in `heading_terms`, and its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HeadingEnd {
    rank: u8,
    end: usize,
}

/// The terms of a page, and which of them are its content, its title and its headings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageContent {
    tokens: Tokens,
    blocks: Vec<ContentBlock>,
    /// Indexes of the terms of the content that are not numbers, ascending, and of those that are.
    terms: Vec<u32>,
    numbers: Vec<u32>,
    title: Vec<u32>,
    /// Indexes of the terms of all headings, and the end of each heading.
    heading_terms: Vec<u32>,
    headings: Vec<HeadingEnd>,
    units: u64,
    is_whole: bool,
    is_text: bool,
}

impl PageContent {
    /// Returns all terms of the page, those around its content included.
    pub(crate) fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Returns all terms of the page, without the distinction between content and other text.
    pub fn into_tokens(self) -> Tokens {
        self.tokens
    }

    /// Returns the blocks of the page, in their order.
    #[cfg(test)]
    pub(crate) fn blocks(&self) -> &[ContentBlock] {
        &self.blocks
    }

    /// Returns the indexes of the terms of the content among all terms, ascending; numbers are left out.
    #[cfg(test)]
    pub(crate) fn indexes(&self) -> &[u32] {
        &self.terms
    }

    /// Returns the text of the page, followed by the terms of its images.
    pub(crate) fn text(&self) -> &str {
        self.tokens.text()
    }

    /// Returns the blocks of the page with their text.
    pub(crate) fn text_blocks(&self) -> Vec<TextBlock> {
        let mut start = 0;
        let text = |block: &ContentBlock| {
            let range = std::mem::replace(&mut start, block.text_end)..block.text_end;
            let words: Vec<&str> = self.tokens.text().get(range).unwrap_or_default().split_whitespace().collect();
            let kind = match block {
                _ if block.is_title => BlockKind::Title,
                _ if block.is_content => BlockKind::Content,
                _ if block.is_frame => BlockKind::Frame,
                _ if block.is_link() => BlockKind::Links,
                _ => BlockKind::Other,
            };
            TextBlock { text: words.join(" "), kind, is_unseen: block.is_unseen }
        };
        self.blocks.iter().map(text).collect()
    }

    /// Returns whether a letter of the text of the page, given its offset in bytes, stands in its content: in plain text
    /// all do.
    pub(crate) fn is_content(&self, offset: usize) -> bool {
        let block = self.blocks.partition_point(|block| block.text_end <= offset);
        self.is_text || self.is_whole || self.blocks.get(block).is_some_and(|block| block.is_content)
    }

    /// Converts offsets of letters in the text of the page, in bytes, to code points of the [`whole_text`].
    pub(crate) fn whole_characters(&self, offsets: &[usize]) -> Vec<u64> {
        let mut order: Vec<usize> = (0..offsets.len()).collect();
        order.sort_unstable_by_key(|&index| offsets[index]);
        let mut order = order.into_iter().peekable();
        let (mut start, mut count, mut characters) = (0, 0, vec![0; offsets.len()]);
        for block in &self.blocks {
            let range = std::mem::replace(&mut start, block.text_end)..block.text_end;
            let mut is_first = true;
            for word in self.tokens.text().get(range).unwrap_or_default().split_whitespace() {
                // One space between words, and none before the first.
                count += u64::from(!std::mem::replace(&mut is_first, false));
                let begin = word.as_ptr().addr() - self.tokens.text().as_ptr().addr();
                for (at, _) in word.char_indices() {
                    while let Some(index) = order.next_if(|&index| offsets[index] <= begin + at) {
                        characters[index] = count;
                    }
                    count += 1;
                }
            }
            // The end of the line.
            count += 1;
        }
        order.for_each(|index| characters[index] = count);
        characters
    }

    /// Returns the terms of the content in lower case, in their order; numbers are left out.
    pub fn terms(&self) -> impl Iterator<Item = String> + '_ {
        self.lower(&self.terms)
    }

    /// Returns the hashes of [`PageContent::terms`]: XXH3 (64 bits, seed 0).
    pub fn hashes(&self) -> Vec<u64> {
        self.hashes_at(&self.terms)
    }

    /// Returns the hashes of all terms of the content in lower case, numbers included, in their order.
    pub(crate) fn all_hashes(&self) -> impl Iterator<Item = u64> {
        let mut indexes = [&self.terms[..], &self.numbers[..]].concat();
        // Some numbers are among the terms.
        indexes.sort_unstable();
        indexes.dedup();
        indexes.into_iter().map(|index| self.tokens.hashes()[index as usize])
    }

    /// Returns the hashes of the terms of the whole text in lower case, numbers included: all blocks that are not
    /// links, and all blocks that are content.
    pub(crate) fn whole_hashes(&self) -> Vec<u64> {
        let is_shown =
            |block: &&ContentBlock| !block.is_title && !block.is_repeated && (block.is_content || !block.is_link());
        let (spans, hashes, text_size) = (self.tokens.spans(), self.tokens.hashes(), self.tokens.text_size());
        let mut whole = Vec::with_capacity(hashes.len());
        for block in self.blocks.iter().filter(is_shown) {
            let terms = block.indexes.start as usize..block.indexes.end as usize;
            let of_block = spans[terms.clone()].iter().zip(&hashes[terms]);
            whole.extend(of_block.filter(|(span, _)| span.0 < text_size).map(|(_, &hash)| hash));
        }
        whole
    }

    /// Returns the all-digit terms of the content, in their order.
    #[cfg(test)]
    pub(crate) fn numbers(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        self.at(&self.numbers)
    }

    /// Returns the hashes of [`PageContent::numbers`].
    pub(crate) fn number_hashes(&self) -> Vec<u64> {
        self.hashes_at(&self.numbers)
    }

    /// Returns the terms of the title in lower case, numbers included; none where the page has no title.
    pub(crate) fn title(&self) -> impl Iterator<Item = String> + '_ {
        self.lower(&self.title)
    }

    /// Returns the headings of the content, in their order; none is empty.
    pub(crate) fn headings(&self) -> impl ExactSizeIterator<Item = Heading<'_>> + '_ {
        let mut start = 0;
        self.headings.iter().map(move |&HeadingEnd { rank, end }| {
            let indexes = &self.heading_terms[std::mem::replace(&mut start, end)..end];
            Heading { rank, indexes }
        })
    }

    /// Returns terms of the page in lower case, by their indexes.
    pub(crate) fn lower<'a>(&'a self, indexes: &'a [u32]) -> impl Iterator<Item = String> + 'a {
        self.at(indexes).map(folded)
    }

    /// Returns the hashes of terms in lower case, by their indexes: XXH3 (64 bits, seed 0).
    pub(crate) fn hashes_at(&self, indexes: &[u32]) -> Vec<u64> {
        let hashes = self.tokens.hashes();
        indexes.iter().map(|&index| hashes[index as usize]).collect()
    }

    /// Returns the length of the content in units, numbers included.
    #[cfg(test)]
    pub(crate) fn units(&self) -> u64 {
        self.units
    }

    /// Returns whether the whole page counts as its content, because too little is left without its boilerplate.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns whether the page is plain text.
    pub(crate) fn is_text(&self) -> bool {
        self.is_text
    }

    fn at<'a>(&'a self, indexes: &'a [u32]) -> impl ExactSizeIterator<Item = &'a str> + 'a {
        indexes.iter().map(|&index| self.tokens.term(index as usize))
    }

    /// Collects the terms of the blocks that are content.
    fn gather(&mut self) {
        let (tokens, text_size) = (&self.tokens, self.tokens.text_size());
        let spans = tokens.spans();
        for block in self.blocks.iter().filter(|block| block.is_content) {
            self.units += u64::from(block.units);
            for index in block.indexes.clone() {
                // The terms of images come after all text.
                if spans[index as usize].0 >= text_size {
                    continue;
                }
                let of_kind = if is_number(tokens.term(index as usize)) { &mut self.numbers } else { &mut self.terms };
                of_kind.push(index);
            }
        }
        let is_word = |&&index: &&u32| tokens.term(index as usize).contains(char::is_alphanumeric);
        // Counting words stops where there are enough of them.
        let numbers = self.numbers.len();
        let words = self.terms.iter().filter(is_word).take(3 * numbers).count();
        let share = (3.0 * numbers as f64 / f64::max(words as f64, 1.0) - 1.0).clamp(0.0, 1.0);
        if share > 0.0 {
            let is_drawn = |&&index: &&u32| drawn(tokens.hashes()[index as usize]) < share;
            self.terms.extend(self.numbers.iter().filter(is_drawn));
            self.terms.sort_unstable();
        }
    }

    /// Collects the title and the headings of the content.
    fn gather_headings(&mut self) {
        let (tokens, text_size) = (&self.tokens, self.tokens.text_size());
        let spans = tokens.spans();
        let indexes = |block: &ContentBlock| block.indexes.clone().filter(|&index| spans[index as usize].0 < text_size);
        if self.is_text
            && let [first, second, ..] = &self.blocks[..]
            && first.is_title_line()
        {
            self.title.extend(indexes(first));
            if second.is_title_line()
                && second.ends_paragraph
                && indexes(second).any(|index| is_number(tokens.term(index as usize)))
            {
                self.title.extend(indexes(second));
            }
        }
        // The headings of the highest rank name a page, whether they are in its content or above it.
        let is_above =
            |block: &ContentBlock| !block.is_title && !block.is_frame && !block.is_unseen && !block.is_link();
        let of_above = |block: &ContentBlock| block.heading.filter(|_| is_above(block)).map(|heading| heading.rank);
        let highest = self.blocks.iter().filter_map(of_above).min();
        let mut last = None;
        for block in &self.blocks {
            if block.is_title {
                if self.title.is_empty() {
                    self.title.extend(indexes(block));
                }
            } else if let Some(heading) = block.heading
                && (block.is_content || highest == Some(heading.rank) && is_above(block))
            {
                if last.replace(heading.number) != Some(heading.number) {
                    self.headings.push(HeadingEnd { rank: heading.rank, end: self.heading_terms.len() });
                }
                self.heading_terms.extend(indexes(block));
                if let Some(end) = self.headings.last_mut() {
                    end.end = self.heading_terms.len();
                }
            }
        }
        let mut start = 0;
        self.headings.retain(|heading| std::mem::replace(&mut start, heading.end) < heading.end);
    }
}

/// Returns the content of a page.
pub fn page_content(page: &Page<'_>) -> PageContent {
    let mut content = PageContent { is_text: page.kind == PageKind::Text, ..PageContent::default() };
    let (parts, containers) = Tokenizer::new().tokens_and_containers(page, &mut content.tokens);
    let tokens = &content.tokens;
    match page.kind {
        PageKind::Html => {
            content.blocks = blocks::of_markup(tokens, &parts);
            unseen::markup(&mut content.blocks, tokens, &containers);
        }
        PageKind::Text => {
            content.blocks = blocks::of_lines(tokens);
            classify::lines(&mut content.blocks);
        }
    }
    for block in &mut content.blocks {
        block.is_content = block.share >= 1.0 || block.share > 0.0 && draw(tokens, block) < block.share;
    }
    content.gather();
    if content.terms.len() < TERMS_MIN {
        content.is_whole = true;
        (content.units, content.terms, content.numbers) = Default::default();
        content.blocks.iter_mut().for_each(|block| block.is_content = !block.is_repeated);
        content.gather();
    }
    content.gather_headings();
    content
}

/// Returns a number from 0 to 1 that depends on the terms of a block alone: of many blocks, a share of `x` has a number
/// below `x`.
fn draw(tokens: &Tokens, block: &ContentBlock) -> f64 {
    let hashes = &tokens.hashes()[block.indexes.start as usize..block.indexes.end as usize];
    drawn(hashes.iter().fold(0, |sum: u64, &hash| (sum ^ hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// Returns a hash as a number from 0 to 1.
fn drawn(hash: u64) -> f64 {
    (hash >> 11) as f64 / (1u64 << 53) as f64
}

/// Returns the content of a page as a text in lower case: its terms with the text between them, each number as `0`,
/// one line per block and single spaces in it, as in a [`folded_text`](crate::text::folded_text).
pub fn content_text(page: &Page<'_>) -> String {
    let content = page_content(page);
    let spans = content.tokens.spans();
    let begins = content.blocks.iter().map(|block| spans[block.indexes.start as usize].0);
    text_of(&content.tokens, &content.terms, begins, page.kind)
}

/// Returns the words of a page outside links, as hashes: the whole text that the profile sketches.
pub fn whole_words(page: &Page<'_>) -> Vec<u64> {
    page_content(page).whole_hashes()
}

/// A block of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextBlock {
    /// Its text in its own letters, with single spaces.
    pub text: String,
    /// Whether it is content, or the reason why not.
    pub kind: BlockKind,
    /// Whether the page carries it and does not show it: in a template, or for readers without scripts.
    pub is_unseen: bool,
}

/// Whether a block of a page is content, or the reason why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// The block is content.
    Content,
    /// The block is the title.
    Title,
    /// At least half of the block is in links.
    Links,
    /// The block is in navigation, a footer, an aside, a control or a dialog, or is hidden.
    Frame,
    /// The block does not look like content, by its own features, its neighbours and the elements around it.
    Other,
}

/// Returns the blocks of a page, in their order: the content that the default recipe sketches, and the blocks that it
/// leaves out.
///
/// ```
/// use nddb_page::text::{BlockKind, Page, text_blocks};
///
/// let blocks = text_blocks(&Page::html("<title>Foxes</title><nav><a href=/>Home</a></nav><p>Short."));
/// assert_eq!((blocks[0].text.as_str(), blocks[0].kind), ("Foxes", BlockKind::Title));
/// ```
pub fn text_blocks(page: &Page<'_>) -> Vec<TextBlock> {
    page_content(page).text_blocks()
}

/// Returns the whole text of a page, as it is compared: one line per block.
pub fn whole_text(page: &Page<'_>) -> String {
    text_blocks(page).into_iter().map(|block| block.text).collect::<Vec<_>>().join("\n")
}

/// If there are fewer terms of content, the whole page is its content.
const TERMS_MIN: usize = 20;

#[cfg(test)]
mod edit_tests;
#[cfg(test)]
mod tests;
