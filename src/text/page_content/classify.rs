//! The classification of a page's blocks: content or frame.

use super::blocks::ContentBlock;

/// Names of frames count if at least this many units are outside of them.
const UNNAMED_UNITS: u64 = 100;

/// A main part that is only named so, or articles without a heading, must be at least one part in this many of a
/// page, or of what stands in no link.
const REGION_SHARE: u64 = 8;
const UNLINKED_SHARE: u64 = 2;

/// Least length of a run of link blocks.
const RUN_MIN: usize = 3;

/// Prose decides a plain text if at least one part in this many is prose.
const PROSE_SHARE: u64 = 16;

/// Least length of a run of lines without prose that is no content.
const LINES_MIN: usize = 24;

/// A run of content of plain text counts if it has at least one part in this many of the prose of the greatest run.
const ISLAND_SHARE: u64 = 4;

/// Number of lines before a line of prose that may be its headings.
pub(super) const LEAD_LINES: usize = 2;

/// Classifies the blocks of a page of markup. Returns whether the page declares its main part.
pub(super) fn markup(blocks: &mut [ContentBlock]) -> bool {
    let open = |block: &ContentBlock| !block.is_title && !block.region.is_frame && !block.region.is_header;
    let unnamed = units(blocks, |block| open(block) && !block.region.is_named_frame);
    let heeds_names = unnamed >= UNNAMED_UNITS;
    let open = |block: &ContentBlock| open(block) && !(heeds_names && block.region.is_named_frame);

    let is_main = |block: &ContentBlock| block.region.is_main;
    let is_named_main = |block: &ContentBlock| block.region.is_named_main;
    let is_article = |block: &ContentBlock| block.region.is_article;
    let share = |region: &dyn Fn(&ContentBlock) -> bool| units(blocks, |block| open(block) && region(block));
    let is_titled = |block: &ContentBlock| block.heading.is_some_and(|heading| heading.rank == 1);
    let unlinked = |region: &dyn Fn(&ContentBlock) -> bool| -> u64 {
        let of_region = blocks.iter().filter(|block| open(block) && region(block));
        of_region.map(|block| u64::from(block.units - block.link_units)).sum()
    };
    let is_enough = |region: &dyn Fn(&ContentBlock) -> bool| {
        let has = |units: u64, all: u64, least: u64| units > 0 && least * units >= all;
        has(share(region), share(&|_| true), REGION_SHARE) || has(unlinked(region), unlinked(&|_| true), UNLINKED_SHARE)
    };
    let region: Option<&dyn Fn(&ContentBlock) -> bool> = if share(&is_main) > 0 {
        Some(&is_main)
    } else if is_enough(&is_named_main) {
        Some(&is_named_main)
    } else if is_enough(&is_article) || share(&|block| is_article(block) && is_titled(block)) > 0 {
        Some(&is_article)
    } else {
        None
    };
    for block in blocks.iter_mut() {
        block.is_content = open(block) && region.is_none_or(|is_in| is_in(block));
    }
    let is_declared = region.is_some();

    let begins = |block: &ContentBlock| {
        block.is_content && (block.is_text() || block.heading.is_some() && (is_declared || !block.is_link()))
    };
    let first = blocks.iter().position(begins).unwrap_or(0);
    for block in &mut blocks[..first] {
        block.is_content &= is_declared && !block.is_link();
    }
    let texts = units(blocks, |block| block.is_content && block.is_text());
    if units(blocks, |block| block.is_content && block.is_link()) < texts {
        drop_link_runs(blocks, is_declared);
        // Links at the end lead to other pages.
        while let Some(block) = blocks.iter_mut().rfind(|block| block.is_content)
            && 5 * block.link_units >= 4 * block.units
        {
            block.is_content = false;
        }
    }
    is_declared
}

/// Returns the total length in units of the blocks that match.
fn units(blocks: &[ContentBlock], of: impl Fn(&ContentBlock) -> bool) -> u64 {
    blocks.iter().filter(|block| of(block)).map(|block| u64::from(block.units)).sum()
}

/// Drops runs of links with their headings: all of them, or only those behind the last text. The blocks after a run
/// behind the last text are dropped with it.
fn drop_link_runs(blocks: &mut [ContentBlock], behind_only: bool) {
    let last = blocks.iter().rposition(|block| block.is_content && block.is_text()).map_or(0, |last| last + 1);
    let mut at = if behind_only { last } else { 0 };
    while at < blocks.len() {
        let ends = |block: &ContentBlock| block.is_content && !block.is_link();
        let end = blocks[at..].iter().position(ends).map_or(blocks.len(), |size| at + size);
        if blocks[at..end].iter().filter(|block| block.is_content).count() >= RUN_MIN {
            let end = if at >= last { blocks.len() } else { end };
            let headings = blocks[..at].iter().rev().take_while(|block| block.heading.is_some()).count();
            blocks[at - headings..end].iter_mut().for_each(|block| block.is_content = false);
        }
        at = end + 1;
    }
}

/// Less than one part in this many of a plain text stands behind the copyright notice that ends its content.
const NOTICE_SHARE: u64 = 4;

/// Drops the lines from the first copyright notice on that little stands behind, and something before.
pub(super) fn drop_notice(blocks: &mut Vec<ContentBlock>) {
    let all = units(blocks, |_| true);
    let mut behind = all;
    let end = blocks.iter().position(|block| {
        let is_first = behind == all;
        behind -= u64::from(block.units);
        block.is_notice && !is_first && NOTICE_SHARE * behind < all
    });
    blocks.truncate(end.unwrap_or(blocks.len()));
}

/// Classifies the lines of plain text.
pub(super) fn lines(blocks: &mut [ContentBlock]) {
    blocks.iter_mut().for_each(|block| block.is_content = true);
    if PROSE_SHARE * units(blocks, ContentBlock::is_prose) < units(blocks, |_| true) {
        return;
    }
    let is_kept = |block: &ContentBlock| block.is_prose() || block.heading.is_some();
    let Some(first) = blocks.iter().position(is_kept) else { return };
    let last = blocks.iter().rposition(is_kept).unwrap_or(first);
    blocks[..first.saturating_sub(LEAD_LINES)].iter_mut().for_each(|block| block.is_content = false);
    blocks[last + 1..].iter_mut().for_each(|block| block.is_content = false);
    let mut at = first;
    while at < last {
        let end = blocks[at..=last].iter().position(is_kept).map_or(last, |size| at + size);
        if end - at >= LINES_MIN {
            blocks[at..end - LEAD_LINES].iter_mut().for_each(|block| block.is_content = false);
        }
        at = end + 1;
    }
    drop_islands(blocks);
}

/// Drops the runs of content with little prose, if there is one with much more.
fn drop_islands(blocks: &mut [ContentBlock]) {
    let prose = |run: &[ContentBlock]| if run[0].is_content { units(run, ContentBlock::is_prose) } else { 0 };
    let runs = || |a: &ContentBlock, b: &ContentBlock| a.is_content == b.is_content;
    let most = blocks.chunk_by(runs()).map(prose).max().unwrap_or(0);
    for run in blocks.chunk_by_mut(runs()).filter(|run| ISLAND_SHARE * prose(run) < most) {
        run.iter_mut().for_each(|block| block.is_content = false);
    }
}
