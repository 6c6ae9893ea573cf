//! Sketches of documents without the frame of their sites, computed from their pages.

use std::collections::HashMap;

use crate::Result;
use crate::archive::PageEntry;
use crate::detect::collection::Collection;
use crate::detect::method::evidence::Evidence;
use crate::detect::method::frame_table::FrameTable;
use crate::detect::method::pair::Verified;
use crate::detect::method::text_summary::UnreadTexts;
use crate::detect::texts::TextSources;
use crate::sketch::{MIN_VALUES, PROFILE_SIZE, Profile, Recipe};
use crate::spill::mapped_rows::{MappedRows, MappedRowsWriter};
use crate::spill::resources::Resources;
use crate::spill::ticker::Ticker;
use fixedbitset::FixedBitSet;

/// Words of a row: the bytes of min-values and the profile.
const ROW: usize = (MIN_VALUES + PROFILE_SIZE).div_ceil(8);
/// Bytes of memory for a document that was looked up.
const LOOKED_UP: u64 = 1 << 9;

/// What the default verdict compares of a page; `None` if too little is left of its content without frame.
type Rest = Option<([u8; MIN_VALUES], Profile)>;

/// Sketches without frame, in a temporary file.
pub(crate) struct FramelessSketches {
    sources: TextSources,
    table: FrameTable,
    recipe: Recipe,
    /// Ordinals of the documents whose pages were read, ascending, and where their rows are.
    ordinals: Vec<(u32, u32)>,
    /// The rows, as pages were read; zeros if too little is left.
    rows: MappedRows<ROW>,
    /// Documents whose pages could not be read.
    pub(crate) unread: UnreadTexts,
    looked_up_max: usize,
}

impl FramelessSketches {
    /// Reads the pages of the requested documents, and keeps their sketches.
    pub(crate) fn read(
        sources: TextSources,
        table: &FrameTable,
        collection: &Collection,
        wanted: &FixedBitSet,
        resources: &Resources,
        ticker: &Ticker<'_>,
    ) -> Result<Self> {
        let recipe = Recipe::of_any_version(table.recipe()).unwrap_or_default();
        let (mut ordinals, mut rows) = (Vec::new(), MappedRowsWriter::<ROW>::new(&resources.folder)?);
        let unread = sources.each_page(wanted, resources, ticker, &mut |ordinal, page| {
            // No more than there are ordinals.
            ordinals.push((ordinal, ordinals.len() as u32));
            rows.push(&encode(&rest_of(&recipe, table, collection, ordinal, &page)))
        })?;
        ordinals.sort_unstable();
        let (table, rows) = (table.clone(), rows.finish()?);
        let looked_up_max = usize::try_from(resources.memory_limit / 4 / LOOKED_UP).unwrap_or(usize::MAX);
        Ok(Self { sources, table, recipe, ordinals, rows, unread, looked_up_max })
    }

    /// Returns the place where the pages are, to read others.
    pub(crate) fn into_sources(self) -> TextSources {
        self.sources
    }

    /// Returns the sketches of a document whose page was read.
    fn kept(&self, ordinal: u32) -> Option<Rest> {
        let index = self.ordinals.binary_search_by_key(&ordinal, |(ordinal, _)| *ordinal).ok()?;
        Some(decode(&self.rows.row(self.ordinals[index].1 as usize)))
    }
}

/// Returns the sketches of a page without the frame of its site.
fn rest_of(recipe: &Recipe, table: &FrameTable, collection: &Collection, ordinal: u32, page: &PageEntry) -> Rest {
    let site = collection.site_hash(ordinal);
    recipe.sketch_without(&page.page(), &|block| site.is_some_and(|site| table.contains(site, block)))
}

fn encode(rest: &Rest) -> [u64; ROW] {
    let mut words = [[0; 8]; ROW];
    if let Some((min_bytes, profile)) = rest {
        let bytes = words.as_flattened_mut();
        bytes[..MIN_VALUES].copy_from_slice(min_bytes);
        bytes[MIN_VALUES..][..PROFILE_SIZE].copy_from_slice(&profile.to_bytes());
    }
    words.map(u64::from_le_bytes)
}

fn decode(words: &[u64; ROW]) -> Rest {
    let words = words.map(u64::to_le_bytes);
    let (min_bytes, bytes) = words.as_flattened().split_first_chunk()?;
    let profile = Profile::from_bytes(bytes.first_chunk()?);
    // A content has a term at least.
    (profile.terms > 0).then_some((*min_bytes, profile))
}

/// Evidence of pairs without the frame of their sites.
pub(crate) struct Frameless<'a> {
    collection: &'a Collection,
    sketches: &'a FramelessSketches,
    /// Documents whose pages were not read by the pass.
    looked_up: HashMap<u32, Option<Rest>>,
}

impl<'a> Frameless<'a> {
    pub(crate) fn new(collection: &'a Collection, sketches: &'a FramelessSketches) -> Self {
        Self { collection, sketches, looked_up: HashMap::new() }
    }

    /// Puts what the two pages are alike by without frame in the place of what they are alike by as a whole, and
    /// returns what can be said of the pair if it is near by that. Nothing is changed if a page cannot be read, or if
    /// too little is left of either: of a page that has many copies all is frame.
    pub(crate) fn look(&mut self, a: u32, b: u32, evidence: &mut Evidence) -> Verified {
        let (Some(x), Some(y)) = (self.rest(a), self.rest(b)) else { return Verified::FramesUnread };
        let (Some(x), Some(y)) = (x, y) else { return Verified::Near("frames: too little left") };
        let known = |ordinal: u32, (min_bytes, profile): ([u8; MIN_VALUES], Profile)| {
            let mut known = self.collection.known(ordinal);
            (known.min_bytes, known.profile) = (Some(min_bytes), Some(profile));
            known
        };
        *evidence = known(a, x).evidence(&known(b, y));
        Verified::Near("frames")
    }

    /// Returns the sketches of a document; `None` if its page cannot be read.
    fn rest(&mut self, ordinal: u32) -> Option<Rest> {
        let sketches = self.sketches;
        if let Some(rest) = sketches.kept(ordinal) {
            return Some(rest);
        }
        if self.looked_up.len() > sketches.looked_up_max {
            self.looked_up.clear();
        }
        let FramelessSketches { sources, table, recipe, .. } = sketches;
        let look_up = || Some(rest_of(recipe, table, self.collection, ordinal, &sources.page(ordinal)?));
        self.looked_up.entry(ordinal).or_insert_with(look_up).clone()
    }
}
