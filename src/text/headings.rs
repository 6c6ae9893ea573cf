//! What a page says it is about: its title and its first heading.
//!
//! Two pages of one site that show different things say so there, whatever else they share ("the main item of the
//! page was different", Henzinger 2006, 3.1). As specified here:
//!
//! * The title is the first `title` of the page that has a term, and is not of a drawing.
//! * The heading is the first block in an `h1` or `h2` that has a term and is outside of what goes around
//!   the content; where none is outside, the first of all.
//! * Their terms are looked at in lower case, each run of digits as one `0`, each term once and in no order: `Terms of use -
//!   Example` and `Example: terms of use` agree.

use std::collections::BTreeSet;

use xxhash_rust::xxh3::xxh3_64;

use crate::text::outline::{Part, Role};

/// Title and first heading of a page, as hashes: XXH3 (64 bits, seed 0) of those of their terms, 8 bytes
/// each, little-endian, ascending and without repetition. Each is 0 where the page has none, and plain text has
/// neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Headings {
    /// The title.
    pub title: u64,
    /// The first heading.
    pub heading: u64,
}

impl Headings {
    /// Returns whether either agrees with that of another page; `None` if neither is known of both.
    pub fn agree(&self, other: &Headings) -> Option<bool> {
        let both = [(self.title, other.title), (self.heading, other.heading)];
        let mut known = both.iter().filter(|(a, b)| *a != 0 && *b != 0).peekable();
        known.peek()?;
        Some(known.any(|(a, b)| a == b))
    }
}

/// Places of terms that stand in one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Block {
    number: usize,
    places: Vec<u32>,
}

impl Block {
    /// Takes a term unless it belongs to a later block than those before it.
    fn push(&mut self, number: usize, place: u32) {
        if self.places.is_empty() {
            self.number = number;
        }
        if self.number == number {
            self.places.push(place);
        }
    }

    fn hash<'a>(&self, term: impl Fn(u32) -> &'a str) -> u64 {
        let hash = |&place: &u32| xxh3_64(masked(term(place)).as_bytes());
        let terms: BTreeSet<u64> = self.places.iter().map(hash).collect();
        let bytes: Vec<u8> = terms.into_iter().flat_map(u64::to_le_bytes).collect();
        if bytes.is_empty() { 0 } else { xxh3_64(&bytes) }
    }
}

/// The places of the terms of title and headings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeadingPlaces {
    title: Block,
    heading: Block,
    around: Block,
}

impl HeadingPlaces {
    /// Takes a term of a part of the page, if it is of interest; `block` is the number of the part's block.
    #[inline]
    pub(crate) fn push(&mut self, part: &Part, block: usize, place: u32) {
        match part.role {
            Role::Other => (),
            Role::Title => self.title.push(block, place),
            Role::Heading if part.is_around => self.around.push(block, place),
            Role::Heading => self.heading.push(block, place),
        }
    }

    /// Returns the hashes, given the terms.
    pub(crate) fn hashes<'a>(&self, term: impl Fn(u32) -> &'a str) -> Headings {
        let heading = if self.heading.places.is_empty() { &self.around } else { &self.heading };
        Headings { title: self.title.hash(&term), heading: heading.hash(&term) }
    }
}

/// Returns a term in lower case, with each run of digits as one `0`.
fn masked(term: &str) -> String {
    let mut out = String::with_capacity(term.len());
    let mut in_number = false;
    for c in term.to_lowercase().chars() {
        let is_digit = c.is_numeric();
        if !is_digit || !in_number {
            out.push(if is_digit { '0' } else { c });
        }
        in_number = is_digit;
    }
    out
}

#[cfg(test)]
mod tests;
