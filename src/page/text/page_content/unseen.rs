//! The text that a page carries and does not show: for readers without scripts, and for scripts.
//!
//! Most of it repeats what the page shows, and does not count. What is new belongs to the whole text. Where the page
//! shows little beside it, it is content like text that is shown: an empty frame of an application is the same for all
//! of its pages.

use std::collections::HashSet;

use super::blocks::ContentBlock;
use super::classify;
use crate::text::containers::Container;
use crate::text::tokenizer::Tokens;

/// Number of successive terms by which a text is recognised.
const SHINGLE: usize = 3;

/// A block repeats text of the page if at least this share of its shingles does.
const REPEATED: f64 = 0.7;

/// Lengths in units: beside a content of the first length unseen text counts in full, beside the second if it is longer,
/// beside the third not at all.
const FRAME: f64 = 400.0;
const BRIEF: f64 = 600.0;
const LONG: f64 = 1500.0;

/// Sets the shares of all blocks of a page of markup.
pub(super) fn markup(blocks: &mut [ContentBlock], tokens: &Tokens, containers: &[Container]) {
    classify::mark(blocks, containers);
    classify::markup(blocks, containers, |block| !block.is_unseen);
    if !blocks.iter().any(|block| block.is_unseen) {
        return;
    }
    mark_repeated(blocks, tokens);
    let units = |of: &dyn Fn(&ContentBlock) -> f64| -> f64 {
        blocks.iter().map(|block| of(block) * f64::from(block.text_units())).sum()
    };
    let unseen = units(&|block| if block.is_unseen && !block.is_repeated { 1.0 } else { 0.0 });
    let seen = units(&|block| block.share);
    // All of it counts where the content that is shown is brief and less than a third of it; nothing where the content is
    // as long, or long enough for an article.
    let less = (1.5 - 1.5 * seen / f64::max(unseen, 1.0)).clamp(0.0, 1.0);
    // A page of a few lines may be the frame of an application: beside it, a tenth as much counts whatever it looks like.
    let shown: f64 = blocks.iter().filter(|block| !block.is_unseen).map(|block| f64::from(block.units)).sum();
    let frame = ((BRIEF - shown) / (BRIEF - FRAME)).min(20.0 * unseen / shown.max(1.0) - 1.0).clamp(0.0, 1.0);
    let less = less.max(frame);
    let weight = less * ((LONG - seen) / (LONG - BRIEF)).clamp(0.0, 1.0);
    if weight > 0.0 && unseen > 0.0 {
        let of_seen: Vec<f64> = blocks.iter().map(|block| block.share).collect();
        classify::markup(blocks, containers, |block| !block.is_repeated);
        for (block, share) in blocks.iter_mut().zip(of_seen) {
            // What is shown is content or not, whatever else the page carries.
            block.share = match block.is_unseen {
                true if block.is_repeated => 0.0,
                true => frame.max(weight * block.share),
                false => share,
            };
        }
    }
}

/// Marks the unseen blocks that repeat the text before them or the text that is shown.
fn mark_repeated(blocks: &mut [ContentBlock], tokens: &Tokens) {
    let hashes = tokens.hashes();
    let terms = |block: &ContentBlock| &hashes[block.indexes.start as usize..block.indexes.end as usize];
    let mut known: HashSet<&[u64]> = HashSet::new();
    let of = |block: &ContentBlock| terms(block).windows(SHINGLE.min(terms(block).len()).max(1));
    for block in blocks.iter().filter(|block| !block.is_unseen) {
        known.extend(terms(block).windows(1).chain(terms(block).windows(2)).chain(terms(block).windows(SHINGLE)));
    }
    for block in blocks.iter_mut().filter(|block| block.is_unseen) {
        let (all, found) =
            of(block).fold((0, 0), |(all, found), one| (all + 1, found + usize::from(known.contains(one))));
        block.is_repeated = found as f64 >= REPEATED * f64::from(all);
        known.extend(of(block));
    }
}
