//! The title and the first heading of a page.
//!
//! Two pages of one site that show different items say so there, whatever else they share ("the main item of the
//! page was different", Henzinger 2006, 3.1). As specified here:
//!
//! * The title is the first `title` of the page that has a term, and is not of a drawing.
//! * The heading is the first block in an `h1` or `h2` that has a term and is in the content: not in an element
//!   around it, and not all of it in links, as the name of a site is. Where there is none, the first of all.
//! * Their terms are a set, in lower case, each run of digits as one `0`: `Terms of use - Example` and `Example:
//!   terms of use` agree.

use std::collections::BTreeSet;

use xxhash_rust::xxh3::xxh3_64;

use crate::text::numbers::numbers_masked;
use crate::text::outline::{OutlinePart, Role};

/// Title and first heading of a page, as hashes: XXH3 (64 bits, seed 0) of the hashes of their terms, 8 bytes each,
/// little-endian, ascending and without repetition. Each is 0 where the page has none, and plain text has neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Headings {
    /// The title.
    pub title: u64,
    /// The first heading.
    pub heading: u64,
}

impl Headings {
    /// Returns whether either agrees with that of another page; `None` if neither is known for both pages.
    pub(crate) fn agree(&self, other: &Headings) -> Option<bool> {
        let both = [(self.title, other.title), (self.heading, other.heading)];
        let mut known = both.iter().filter(|(a, b)| *a != 0 && *b != 0).peekable();
        known.peek()?;
        Some(known.any(|(a, b)| a == b))
    }
}

/// Indexes of the terms of one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Block {
    number: usize,
    indexes: Vec<u32>,
    /// Some of it is in the content, and in no link.
    is_content: bool,
}

/// The indexes of the terms of title and headings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeadingTerms {
    title: Block,
    /// The first heading of the content, and the first of all others.
    heading: Block,
    other: Block,
    /// The current heading.
    last: Block,
}

impl HeadingTerms {
    /// Records a term of a part of the page, if the part is a title or heading; `block` is the ordinal of the
    /// part's block.
    #[inline]
    pub(crate) fn push(&mut self, part: &OutlinePart, block: usize, index: u32) {
        match part.role {
            Role::Other => (),
            Role::Title => {
                if self.title.indexes.is_empty() {
                    self.title.number = block;
                }
                if self.title.number == block {
                    self.title.indexes.push(index);
                }
            }
            Role::Heading => {
                if self.last.number != block {
                    self.settle();
                    self.last.number = block;
                }
                self.last.indexes.push(index);
                self.last.is_content |= !part.is_around && !part.is_link;
            }
        }
    }

    /// Ends the current heading; called at the end of the page as well.
    pub(crate) fn settle(&mut self) {
        let last = std::mem::take(&mut self.last);
        let first = if last.is_content { &mut self.heading } else { &mut self.other };
        if first.indexes.is_empty() {
            *first = last;
        }
    }

    /// Returns the hashes, given a term by its index.
    pub(crate) fn hashes<'a>(&self, term: impl Fn(u32) -> &'a str) -> Headings {
        let heading = if self.heading.indexes.is_empty() { &self.other } else { &self.heading };
        let hash = |block: &Block| {
            let terms: BTreeSet<u64> =
                block.indexes.iter().map(|&index| xxh3_64(masked(term(index)).as_bytes())).collect();
            let bytes: Vec<u8> = terms.into_iter().flat_map(u64::to_le_bytes).collect();
            if bytes.is_empty() { 0 } else { xxh3_64(&bytes) }
        };
        Headings { title: hash(&self.title), heading: hash(heading) }
    }
}

/// Returns a term in lower case, with each run of digits as one `0`.
fn masked(term: &str) -> String {
    numbers_masked(term.to_lowercase().chars()).collect()
}

#[cfg(test)]
mod tests;
