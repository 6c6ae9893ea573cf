//! Blocks told apart by their wording, and a content without some of them.
//!
//! The blocks are those that are content or of a heading. The words of a block are its terms in lower case; numbers are
//! left out, as from the content. Its hash is XXH3 (64 bits, seed 0) of the hashes of its words, 8 bytes each,
//! little-endian. A block of numbers alone has none.
//!
//! Without a block its words are neither content nor of a heading. Its numbers remain, for they are what differs
//! between blocks of one wording: dates, prices, versions. The title names a page whatever else does, and remains as
//! it is.

use xxhash_rust::xxh3::xxh3_64;

use super::PageContent;
use crate::text::content::is_number;

impl PageContent {
    /// Passes the blocks of the content and its headings that have a word to `visit`: the indexes of the words among
    /// all terms of the page, and the hash.
    fn each_worded(&self, visit: &mut dyn FnMut(&[u32], u64)) {
        let (spans, text_size) = (self.tokens.spans(), self.tokens.text_size());
        // The terms of images are behind all text.
        let is_word = |index: usize| spans[index].0 < text_size && !is_number(self.tokens.term(index));
        let mut words = Vec::new();
        for block in &self.blocks {
            // A heading may stand outside of the content.
            if block.is_content || self.heading_terms.binary_search(&block.indexes.start).is_ok() {
                words.clear();
                words.extend(block.indexes.clone().filter(|&index| is_word(index as usize)));
                if !words.is_empty() {
                    let bytes: Vec<u8> = self.hashes_at(&words).iter().flat_map(|hash| hash.to_le_bytes()).collect();
                    visit(&words, xxh3_64(&bytes));
                }
            }
        }
    }

    /// Returns the hashes of the blocks of the content and its headings, ascending, each once.
    pub(crate) fn block_hashes(&self) -> Vec<u64> {
        let mut hashes = Vec::new();
        self.each_worded(&mut |_, hash| hashes.push(hash));
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    }

    /// Returns the content without the words of the blocks whose hashes `is_dropped` accepts.
    pub(crate) fn without(mut self, is_dropped: &dyn Fn(u64) -> bool) -> Self {
        let mut dropped = Vec::new();
        self.each_worded(&mut |words, hash| {
            if is_dropped(hash) {
                dropped.extend_from_slice(words);
            }
        });
        // Blocks stand in the order of their terms.
        let is_left = |index: &u32| dropped.binary_search(index).is_err();
        self.terms.retain(is_left);
        let (mut start, mut left) = (0, Vec::new());
        self.headings.retain_mut(|heading| {
            let (begin, terms) = (left.len(), std::mem::replace(&mut start, heading.end)..heading.end);
            left.extend(self.heading_terms[terms].iter().copied().filter(is_left));
            heading.end = left.len();
            begin < heading.end
        });
        self.heading_terms = left;
        self
    }
}
