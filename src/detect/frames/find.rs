//! Which blocks are frame: those on at least 5 pages and on a tenth of the pages of a site.

use std::collections::HashMap;

use crate::detect::collection::Collection;
use crate::detect::method::frame_table::FrameTable;
use crate::detect::method::options::{PairOptions, check};
use crate::detect::method::registry::Method;
use crate::detect::method::text_summary::UnreadTexts;
use crate::detect::texts::TextSources;
use crate::sketch::Recipe;
use crate::spill::progress::Progress;
use crate::spill::resources::Resources;
use crate::spill::sort::Sorter;
use crate::spill::ticker::Ticker;
use crate::store::View;
use crate::{Error, Result};
use fixedbitset::FixedBitSet;

/// Least number of pages of a site that a block of its frame stands on.
const PAGES_MIN: u64 = 5;
/// It stands on at least one in this many.
const PAGES_SHARE: u64 = 10;

/// What was read for a frame table, and what it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameSummary {
    /// Sites of the pages that were read.
    pub sites: u64,
    /// Pages that were read.
    pub pages: u64,
    /// Pages whose texts could not be read.
    pub unread: UnreadTexts,
    /// Documents that are of no known site, or have no text.
    pub left_out: u64,
    /// Blocks that are frame, each counted once for each of its sites.
    pub blocks: u64,
    /// Sites that have frame.
    pub framed_sites: u64,
}

/// Returns the frame table of the documents of a collection built from this view: of the live ones, if
/// [`Collection::build`] made it. Their pages are read again from the archives that they were loaded from. A page
/// counts as a page, also if its text is that of others.
///
/// Blocks are counted by an external sort. Memory holds a number for each site, and the table.
///
/// # Errors
/// [`Error::Method`] if the recipe of the database is none of the default verdict's; damage; errors of the disk;
/// [`Error::Cancelled`].
pub fn find_frames(
    view: View<'_>,
    collection: &Collection,
    resources: &Resources,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<(FrameTable, FrameSummary)> {
    check(view, &PairOptions::new(Method::Model))?;
    let label = &view.settings().recipe;
    let recipe = Recipe::of_any_version(label).unwrap_or_default();
    let ticker = Ticker::new(watch);
    let sources = TextSources::new(view, collection, None, resources, &ticker)?;
    let mut wanted = FixedBitSet::with_capacity(collection.len() as usize);
    for ordinal in 0..collection.len() {
        let has_text = collection.row(ordinal).digest.is_some();
        wanted.set(ordinal as usize, has_text && collection.site_hash(ordinal).is_some());
    }
    let mut pages: HashMap<u64, u64> = HashMap::new();
    let mut blocks = Sorter::<2>::new(&resources.folder, resources.memory_limit / 4);
    let unread = sources.each_page(&wanted, resources, &ticker, &mut |ordinal, page| {
        let Some(site) = collection.site_hash(ordinal) else { return Ok(()) };
        *pages.entry(site).or_default() += 1;
        recipe.block_hashes(&page.page()).into_iter().try_for_each(|block| blocks.push([site, block]))
    })?;
    let mut frames = Vec::new();
    let mut end = |[site, block]: [u64; 2], on: u64| {
        if is_frame(on, pages.get(&site).copied().unwrap_or_default()) {
            frames.push((site, block));
        }
    };
    let mut last: Option<([u64; 2], u64)> = None;
    ticker.start("count blocks", None, "")?;
    blocks.finish().each(&mut |rows| {
        for &row in rows {
            match &mut last {
                Some((same, on)) if *same == row => *on += 1,
                _ => {
                    if let Some((row, on)) = last.replace((row, 1)) {
                        end(row, on);
                    }
                }
            }
        }
        ticker.add(0)
    })?;
    if let Some((row, on)) = last {
        end(row, on);
    }
    let summary = FrameSummary {
        sites: pages.len() as u64,
        pages: pages.values().sum(),
        unread,
        left_out: u64::from(collection.len()) - wanted.count_ones(..) as u64,
        blocks: frames.len() as u64,
        framed_sites: frames.chunk_by(|a, b| a.0 == b.0).count() as u64,
    };
    let table = FrameTable::of(label, &frames).map_err(Error::format(&view.dir.catalog()))?;
    Ok((table, summary))
}

/// Returns whether a block on `on` of the `pages` of a site is frame.
fn is_frame(on: u64, pages: u64) -> bool {
    on >= PAGES_MIN && PAGES_SHARE * on >= pages
}
