//! Measurements per document and recipe by `benches/plan.py`. To update them, run it again and copy its columns here.

/// Number of documents in the measurement.
pub(super) const DOCUMENTS: u64 = 19_200;
/// Fixed bytes of the catalog of a database.
pub(super) const CATALOG_BASE: u64 = 387 << 10;
/// Bytes of the site of a document that has an address.
pub(super) const SITE: u64 = 15;
/// Bytes of a generated page.
pub(super) const PAGE: u64 = 1_500;
/// Bytes of HTML per CPU microsecond, from a compressed archive to sketches: `cargo bench --bench ingest -- --warc
/// FILE`.
pub(super) const PAGE_SPEED: f64 = 213.0;
/// Candidates of a page without those near by chance: 1.3 to 8.9 on labelled sets, `nddb eval`.
pub(super) const CANDIDATES: f64 = 4.0;
/// Microseconds of reading the summary of a candidate from memory and comparing it.
pub(super) const CANDIDATE_US: f64 = 2.0;
/// Compressed size of an id, an address and a site in the catalog, as a share of their size.
pub(super) const COMPRESSED: f64 = 0.5;
/// Microseconds of a read from a solid-state disk, and of each additional concurrent read.
pub(super) const READ_US: f64 = 100.0;
pub(super) const READ_MORE_US: f64 = 8.0;
/// Anonymous memory of a reader of a small database, without the cache of the catalog.
pub(super) const READER_BASE: u64 = 22 << 20;
/// Bytes of the full cache of the catalog.
pub(super) const CATALOG_CACHE: u64 = 96 << 20;
/// Bytes of the directory of a segment in memory, for each block.
pub(super) const DIRECTORY: f64 = 2.75;
/// Share of the catalog's index in its size: an entry of about 6 bytes for each block of 9 to 36 KB on disk.
pub(super) const CATALOG_INDEX: f64 = 0.0003;

/// Cost of a document with recipes that store the same data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    /// Names of the recipes.
    pub(super) recipe: &'static str,
    /// Bytes in the catalog, without ids, address and site.
    pub(super) catalog: u64,
    /// Bytes of a summary and its entry in the directory, without id and address. It is 0 for consecutive ids: then
    /// there are no summaries, and no ids in the catalog. Otherwise an id is stored three times: in the row that finds
    /// it, in the record and in the summary.
    pub(super) summary: u64,
    /// Number of keys.
    pub(super) keys: u64,
    /// Number of keys that the default verdict looks up; 0 if only fingerprints decide.
    pub(super) looked_up: u64,
    /// CPU microseconds of loading a generated page, and of merging a document once.
    pub(super) load_us: f64,
    pub(super) merge_us: f64,
    /// CPU microseconds of the default verdict, with everything in memory.
    pub(super) verdict_us: f64,
}

impl Measured {
    /// Whether documents are only fingerprints.
    pub(super) fn is_bare(&self) -> bool {
        self.keys == 0
    }

    /// Whether ids have rows of their own.
    pub(super) fn has_ids(&self) -> bool {
        self.summary > 0
    }
}

/// All recipes, after fingerprints alone; `--psl` and `--phrases` change no bytes.
pub(super) const RECIPES: [Measured; 9] = [
    row("bare", (2, 16), 0, 0, (2.0, 0.8), 4.7),
    row("ordinals", (8, 0), 0, 0, (1.0, 0.7), 5.1),
    row("main", (363, 294), 32, 31, (33.4, 6.4), 15.4),
    row("main-c", (363, 390), 59, 31, (36.3, 11.0), 16.4),
    row("main-offline", (315, 294), 1, 0, (29.7, 2.7), 6.6),
    row("main-parts", (635, 294), 76, 31, (46.5, 13.2), 15.4),
    row("web", (201, 218), 16, 0, (25.5, 5.8), 8.0),
    row("web-c", (201, 218), 28, 0, (25.7, 7.6), 7.7),
    row("conventions", (15, 38), 1, 0, (150.8, 2.6), 5.6),
];

const fn row(
    recipe: &'static str,
    (catalog, summary): (u64, u64),
    keys: u64,
    looked_up: u64,
    (load_us, merge_us): (f64, f64),
    verdict_us: f64,
) -> Measured {
    Measured { recipe, catalog, summary, keys, looked_up, load_us, merge_us, verdict_us }
}
