//! The arithmetic of a plan: disk, memory and time for a number of documents, by recipe.

use nddb::planner::{self, KeyPrediction, Prediction};

use super::measured::{self, Measured};

/// Bytes of a block of a segment.
const BLOCK: f64 = 1024.0;
/// Documents in the memtable when it becomes a run; used to estimate merges.
const FLUSHED: f64 = 65_536.0;
/// Number of runs of one level that are merged.
const FAN: f64 = 4.0;
/// Reads for the postings of a block with a match: they are in two places.
const POSTINGS_READS: f64 = 2.0;
/// Reads of a summary: its place in the directory, then itself.
const SUMMARY_READS: f64 = 2.0;
/// Room that is left free: of memory for programs, of disks for the file system and runs to come.
const ROOM: f64 = 1.25;

/// What the user says of documents and use.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) documents: u64,
    /// Mean bytes of an id, an address, and a page before compression.
    pub(super) id: u64,
    pub(super) url: u64,
    pub(super) page: u64,
    /// Bytes of sorting while loading.
    pub(super) sorting: u64,
    /// Queries a second.
    pub(super) rate: f64,
    /// Days for loading all documents.
    pub(super) days: f64,
}

/// Bytes on disk by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bytes {
    pub(super) segments: u64,
    pub(super) postings: u64,
    pub(super) keys: u64,
    pub(super) summaries: u64,
    pub(super) catalog: u64,
}

impl Bytes {
    /// Returns the bytes of the runs, which merges rewrite.
    pub(super) fn runs(&self) -> u64 {
        self.segments.saturating_add(self.postings).saturating_add(self.keys).saturating_add(self.summaries)
    }

    pub(super) fn total(&self) -> u64 {
        self.runs().saturating_add(self.catalog)
    }

    /// Returns all bytes and the runs once more: a merge writes the new run before it removes the old ones.
    pub(super) fn while_merging(&self) -> u64 {
        self.total().saturating_add(self.runs())
    }
}

/// The machine for the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Machine {
    pub(super) memory: u64,
    pub(super) disk: u64,
    pub(super) cores: u64,
}

/// Disk, memory and time for the documents of a recipe.
#[derive(Clone, Debug)]
pub(super) struct Estimate {
    pub(super) of: Measured,
    pub(super) bytes: Bytes,
    /// Anonymous memory.
    pub(super) reader: u64,
    pub(super) writer: u64,
    /// Bytes of the indexes; if these are in the page cache, a block or a row takes one read.
    pub(super) indexes: u64,
    pub(super) load_cpu_hours: f64,
    /// Microseconds of the default verdict, with everything in memory and with only the indexes in memory.
    pub(super) verdict_us: f64,
    pub(super) disk_us: f64,
    /// Reads of a query with only the indexes in memory.
    pub(super) reads: f64,
    pub(super) machine: Machine,
}

impl Estimate {
    /// Estimates the documents as one run with the design `tables`; `small` is the prediction for the measured number
    /// of documents.
    pub(super) fn new(of: Measured, wanted: &Wanted, tables: &Prediction, small: &Prediction) -> Self {
        let documents = wanted.documents;
        let per = |bytes: u64| documents.saturating_mul(bytes);
        let id = if of.has_ids() { wanted.id } else { 0 };
        let (url, site) = if of.is_bare() || wanted.url == 0 { (0, 0) } else { (wanted.url, measured::SITE) };
        let names = id + url;
        let catalog = of.catalog + ((id + names + site) as f64 * measured::COMPRESSED) as u64;
        let key_table = planner::plan_keys(of.keys, documents);
        let bytes = Bytes {
            segments: tables.bytes - tables.postings,
            postings: tables.postings,
            keys: key_table.segment.saturating_add(key_table.postings),
            summaries: per(of.summary + names),
            catalog: per(catalog).saturating_add(measured::CATALOG_BASE),
        };
        let blocks = (bytes.segments as f64 + key_table.segment as f64) / BLOCK;
        let cache = measured::CATALOG_CACHE.min(bytes.catalog);
        let reader = (measured::READER_BASE + cache).saturating_add((blocks * measured::DIRECTORY) as u64);
        let writer = reader.saturating_add(wanted.sorting);
        // 16 bytes for each block: 8 for its key in the index, 8 for the rank of its first value in the postings.
        let indexes = blocks * 16.0 + bytes.catalog as f64 * measured::CATALOG_INDEX;

        let page_us = if of.is_bare() { 0.0 } else { wanted.page.saturating_sub(measured::PAGE) as f64 };
        let page_us = page_us / measured::PAGE_SPEED;
        let writes = ((documents as f64 / FLUSHED).log(FAN) + 2.0).max(1.0);
        let load_us = of.load_us + page_us + writes * of.merge_us;
        let load_cpu_hours = documents as f64 * load_us / 3.6e9;

        let (candidates, by_chance) = found(of, &key_table);
        let found = candidates + by_chance;
        let grown = (tables.resident_us - small.resident_us).max(0.0);
        let verdict_us = of.verdict_us + grown + by_chance * measured::CANDIDATE_US;
        let looked_up = of.looked_up as f64;
        let reads = tables.reads + looked_up + found * (POSTINGS_READS + SUMMARY_READS);
        // Blocks are read together, then the postings of what they hold, then one summary after the other.
        let together = looked_up + found * POSTINGS_READS;
        let waits = measured::READ_MORE_US * together + measured::READ_US * (1.0 + found * SUMMARY_READS);
        let memory = reader as f64 + writer as f64 + indexes;
        let machine = Machine {
            memory: power_of_two(memory * ROOM, 4 << 30),
            disk: power_of_two(bytes.while_merging() as f64 * ROOM, 64 << 30),
            cores: power_of_two((load_cpu_hours / (24.0 * wanted.days)).max(wanted.rate * verdict_us / 1e6), 2),
        };
        Self {
            of,
            bytes,
            reader,
            writer,
            indexes: indexes as u64,
            load_cpu_hours,
            verdict_us,
            disk_us: verdict_us + tables.disk_us - tables.resident_us + waits,
            reads,
            machine,
        }
    }

    /// Returns the bytes of a document.
    pub(super) fn each(&self, documents: u64) -> f64 {
        self.bytes.total() as f64 / documents.max(1) as f64
    }
}

/// Returns the true candidates that a query finds, and the documents that its keys find by chance.
fn found(of: Measured, keys: &KeyPrediction) -> (f64, f64) {
    let candidates = if of.looked_up == 0 { 1.0 } else { measured::CANDIDATES };
    (candidates, of.looked_up as f64 * keys.found_by_chance)
}

/// Returns the next power of two, because machines are sold with such sizes.
fn power_of_two(wanted: f64, least: u64) -> u64 {
    (wanted.ceil() as u64).max(least).checked_next_power_of_two().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use nddb::planner::plan;

    use super::*;

    fn estimate(of: Measured, documents: u64) -> Estimate {
        let wanted = Wanted { documents, id: 45, url: 80, page: 100_000, sorting: 512 << 20, rate: 100.0, days: 30.0 };
        let ten = |count| plan(64, 3, count).expect("designs").into_iter().find(|one| one.tables == 10);
        Estimate::new(of, &wanted, &ten(documents).expect("ten"), &ten(measured::DOCUMENTS).expect("ten"))
    }

    #[test]
    fn records_are_most_of_eight_billion_pages_nothing_shrinks_with_their_number_and_no_number_is_too_large() {
        let [bare, ordinals, main] = [0, 1, 2].map(|index| estimate(measured::RECIPES[index], 8_000_000_000));
        let (catalog, summaries) = (main.bytes.catalog, main.bytes.summaries);
        assert!(catalog > summaries && catalog + summaries > main.bytes.total() / 4 * 3, "{main:?}");
        let each = [measured::RECIPES[0].catalog + 45, 8, main.of.catalog + (2 * 45 + 80 + measured::SITE) / 2];
        let catalogs = [bare, ordinals, main].map(|one| one.bytes.catalog);
        assert_eq!(catalogs, each.map(|bytes| bytes * 8_000_000_000 + measured::CATALOG_BASE));
        for of in measured::RECIPES {
            let grown = [0, 1_000, 1_000_000, 8_000_000_000].map(|documents| estimate(of, documents));
            assert!(grown.is_sorted_by(|a, b| a.bytes.total() < b.bytes.total() && a.reader < b.reader), "{grown:?}");
            // Small runs have no filters, so a query reads each of their tables.
            let many = &grown[2..];
            assert!(many.is_sorted_by(|a, b| a.reads <= b.reads), "{grown:?}");
            assert!(many.is_sorted_by(|a, b| a.verdict_us <= b.verdict_us && a.disk_us <= b.disk_us), "{grown:?}");
            assert!(grown.is_sorted_by(|a, b| a.machine.memory <= b.machine.memory), "{grown:?}");
            assert!(grown.iter().all(|one| one.machine.disk > one.bytes.total() && one.disk_us > one.verdict_us));
            let most = estimate(of, 1_000_000_000_000_000_000);
            assert_eq!(most.machine.disk, u64::MAX, "{most:?}");
            assert!([most.load_cpu_hours, most.verdict_us, most.reads].iter().all(|figure| figure.is_finite()));
        }
    }

    #[test]
    fn short_keys_find_strangers_where_there_are_billions() {
        let main = measured::RECIPES[2];
        let by_chance = |documents| found(main, &planner::plan_keys(main.keys, documents)).1;
        assert!(by_chance(1_000_000) < 0.01 && (6.0..8.0).contains(&by_chance(8_000_000_000)));
    }
}
