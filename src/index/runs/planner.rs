//! The planner: the scheme of a run, chosen by width, distance and number of documents, from the cost of a query
//! and the size of the tables (Manku 2007, 3.1.1 to 3.2).
//!
//! Pure: it imports only the format, and reads no files. Predictions are for fingerprints drawn uniformly; clusters of
//! near-duplicates compress a little better.

pub(crate) use crate::config::RESTART;
use nddb_format::block::{BLOCK_SIZE, FIRST};
use nddb_format::design::{Design, designs};
use nddb_format::filter::{Filter, FilterKind};
use nddb_format::keys::KEY_BITS;
use nddb_format::pages::checksums_size;
use nddb_format::scheme::Scheme;
use nddb_format::{FormatError, huffman, postings, segment};

/// Costs of a machine: the only figures of the cost model that do not follow from the format. The benches measure
/// them; they affect which scheme is chosen, never the answers.
pub(crate) mod cost {
    /// Finding and fetching the block of one table in memory, with all tables of a query in flight together: the share
    /// of the search of the block keys, and the first touch of the block. (It would be 900 for one table after the
    /// other.) This and the next constant are measured by probes of ten tables and of four (`--levels 4`) in
    /// `benches/probe`.
    pub(crate) const MISS_NS: f64 = 360.0;
    /// Looking up one filter, with all filters of a query in flight together.
    pub(crate) const FILTER_NS: f64 = 60.0;
    /// Decoding one entry.
    pub(crate) const STEP_NS: f64 = 5.2;
    /// Decoding one entry of the ranges of many prefixes, with its share of the begin of blocks.
    pub(crate) const ENTRY_NS: f64 = 8.0;
    /// Decoding one entry of a whole table.
    pub(crate) const SCAN_NS: f64 = 4.5;
    /// Reading a block from a solid-state disk.
    pub(crate) const READ_NS: f64 = 100_000.0;
    /// Each further read that is in flight together with the first.
    pub(crate) const READ_MORE_NS: f64 = 8_000.0;
    /// Reading the block after one that is read.
    pub(crate) const READ_NEXT_NS: f64 = 1_000.0;
}

/// Share of absent prefixes that pass a Bloom filter.
const BLOOM_MISTAKES: f64 = 0.012;
/// Maximum number of tables of a run, by default.
pub(crate) const TABLES_MAX: usize = 10;
/// Maximum number of tables of the designs that [`plan`] shows.
const PLAN_TABLES_MAX: usize = 64;

/// Limits on the space of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Maximum number of tables.
    pub tables_max: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { tables_max: TABLES_MAX }
    }
}

/// Predicted size and cost of a design (Manku 2007, Example 3.1, with figures).
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Number of groups of each level.
    pub levels: Vec<u8>,
    /// Number of tables.
    pub tables: usize,
    /// The least prefix of a table.
    pub prefix_min: u8,
    /// Bits of a segment for each distinct fingerprint, the whole file with its filter included.
    pub bits_per_fingerprint: f64,
    /// Bytes on disk: the segments of all tables, and the postings.
    pub bytes: u64,
    /// The part of these bytes that are postings.
    pub postings: u64,
    /// Number of fingerprints that share the prefix of a query in one table, at most 2^(d - p) on average.
    pub candidates_per_probe: f64,
    /// Number of blocks that a query reads.
    pub reads: f64,
    /// Microseconds of a query if the run is in memory.
    pub resident_us: f64,
    /// Microseconds of a query if only the filters and the block indexes are in memory.
    pub disk_us: f64,
}

/// Predicted size of a key table (SPEC 8.6).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyPrediction {
    /// Bytes of the segment.
    pub segment: u64,
    /// Bytes of the postings.
    pub postings: u64,
    /// Number of documents that a look-up of one key finds by chance, because stored keys are short.
    pub found_by_chance: f64,
}

/// Predicts size and cost of `design` for `documents` fingerprints of `bits` bits, compressed with restart interval
/// `restart` (0: the paper's plain blocks).
///
/// A query costs t (filter + o (miss + step s) + step 2^(d - p)), where s is the number of entries decoded before the
/// range of the prefix: R/2 and the restart points compared, or half a block without them; and o is the share of tables
/// whose filter does not exclude the range (1 without filters, whose cost is then 0).
pub(crate) fn predict(bits: u8, k: u8, restart: u16, documents: u64, design: &Design) -> Prediction {
    let packing = Packing::new(bits, restart, documents.max(1));
    let tables = design.tables as f64;
    let candidates = packing.distinct * (-f64::from(design.prefix_min)).exp2();
    let filters = Filters::new(bits, k, packing.distinct, design);
    let before = packing.entries_before(restart);
    let scanned = if filters.entered < tables {
        filters.entered * before + tables * candidates
    } else {
        tables * (before + candidates).min(packing.distinct)
    };
    let resident = filters.len as f64 * cost::FILTER_NS + filters.entered * cost::MISS_NS + cost::STEP_NS * scanned;
    let reads = cost::READ_NS + (filters.entered - 1.0).max(0.0) * cost::READ_MORE_NS;
    let blocks_behind = (candidates / packing.entries).min(packing.blocks as f64 - 1.0);
    let disk = reads + tables * blocks_behind * cost::READ_NEXT_NS;
    let segment = segment::file_size(packing.blocks, filters.size / design.tables as u64).unwrap_or(u64::MAX);
    let postings = postings_size(&packing, documents.max(1), documents.max(1));
    Prediction {
        levels: design.levels.clone(),
        tables: design.tables,
        prefix_min: design.prefix_min,
        bits_per_fingerprint: segment as f64 * 8.0 / packing.distinct,
        bytes: segment.saturating_mul(design.tables as u64).saturating_add(postings),
        postings,
        candidates_per_probe: candidates,
        reads: filters.entered + tables * blocks_behind,
        resident_us: resident / 1000.0,
        disk_us: (resident + disk) / 1000.0,
    }
}

/// Returns the scheme for a run of `documents` fingerprints: among the designs within the budget, the one whose queries
/// in memory are predicted to be fastest; small runs get few tables.
///
/// # Errors
/// [`FormatError::Scheme`] if no scheme has this width and distance.
pub fn choose(bits: u8, k: u8, documents: u64, budget: Budget) -> Result<Scheme, FormatError> {
    let predicted = predict_all(bits, k, documents, budget.tables_max)?;
    let fastest = predicted.iter().min_by(|a, b| a.resident_us.total_cmp(&b.resident_us));
    Scheme::new(bits, k, fastest.map_or(&[], |prediction| &prediction.levels), RESTART)
}

/// Returns the scheme of a run of `documents` fingerprints with these settings: that of the fixed levels, or the
/// planner's.
///
/// # Errors
/// [`FormatError::Scheme`] if no scheme has this width, distance and levels.
pub(crate) fn scheme_of_run(
    (bits, k, restart): (u8, u8, u16),
    levels: Option<&[u8]>,
    documents: u64,
) -> Result<Scheme, FormatError> {
    match levels {
        Some(levels) => Scheme::new(bits, k, levels, restart),
        None => Scheme::new(bits, k, choose(bits, k, documents, Budget::default())?.levels(), restart),
    }
}

/// Predicts all Pareto-optimal designs, from one table to 64: the user's choice between space and time (Manku 2007,
/// 3.1.2).
///
/// # Errors
/// Errors of [`choose`].
pub fn plan(bits: u8, k: u8, documents: u64) -> Result<Vec<Prediction>, FormatError> {
    predict_all(bits, k, documents, PLAN_TABLES_MAX)
}

fn predict_all(bits: u8, k: u8, documents: u64, tables_max: usize) -> Result<Vec<Prediction>, FormatError> {
    Scheme::new(bits, k, &[], RESTART)?;
    Ok(designs(bits, k, tables_max).iter().map(|design| predict(bits, k, RESTART, documents, design)).collect())
}

/// Predicts the key table of a run of `documents` documents with `keys` keys each, all different.
#[must_use]
pub fn plan_keys(keys: u64, documents: u64) -> KeyPrediction {
    let pairs = documents.saturating_mul(keys);
    if pairs == 0 {
        return KeyPrediction::default();
    }
    let packing = Packing::new(KEY_BITS, RESTART, pairs);
    let filter = Filter::of(KEY_BITS, 0, 0, packing.distinct.round() as u64).map_or(0, |filter| filter.size());
    KeyPrediction {
        segment: segment::file_size(packing.blocks, filter).unwrap_or(u64::MAX),
        postings: postings_size(&packing, pairs, documents),
        found_by_chance: pairs as f64 * (-f64::from(KEY_BITS)).exp2(),
    }
}

/// Returns the bytes of postings: ranks of blocks, then for each pair of value and document its number in the run and a
/// flag, and for every 64 values a directory entry.
fn postings_size(packing: &Packing, pairs: u64, documents: u64) -> u64 {
    let width = u64::from(64 - (documents - 1).leading_zeros());
    let directory = (packing.distinct.round() as u64).div_ceil(postings::GROUP_LEN);
    let body = 8 * (packing.blocks + directory) + pairs.saturating_mul(width + 1).div_ceil(8);
    body + checksums_size(body) + (postings::HEADER_SIZE + postings::FOOTER_SIZE) as u64
}

/// The filters of a run of uniform fingerprints.
struct Filters {
    /// Number of tables with a filter.
    len: usize,
    /// Their bytes.
    size: u64,
    /// Mean number of tables that a query reads: those without a filter, and those whose filter lets it pass.
    entered: f64,
}

impl Filters {
    fn new(bits: u8, k: u8, distinct: f64, design: &Design) -> Self {
        let mut filters = Self { len: 0, size: 0, entered: 0.0 };
        let scheme = design.scheme(bits, k, 0);
        for table in scheme.iter().flat_map(Scheme::tables) {
            let possible = f64::from(table.prefix()).exp2();
            let occurring = -(-distinct / possible).exp_m1() * possible;
            let Some(filter) = Filter::of(bits, k, table.prefix(), occurring.round() as u64) else {
                filters.entered += 1.0;
                continue;
            };
            let by_mistake = if filter.kind() == FilterKind::Bloom { BLOOM_MISTAKES } else { 0.0 };
            filters.len += 1;
            filters.size += filter.size();
            filters.entered += (occurring / possible).max(by_mistake);
        }
        filters
    }
}

/// How uniform fingerprints fill the blocks of a segment (Manku 2007, 3.2).
struct Packing {
    /// Number of distinct fingerprints: less than documents if the width is small.
    distinct: f64,
    /// Mean number of entries in a full block, but never more than `distinct`.
    entries: f64,
    /// Blocks of a segment.
    blocks: u64,
}

impl Packing {
    fn new(bits: u8, restart: u16, documents: u64) -> Self {
        let (space, drawn) = (f64::from(bits).exp2(), documents as f64);
        let distinct = -(-drawn / space).exp_m1() * space;
        let code = Entries::new(bits, drawn);
        let entries = code.packed(restart, space / distinct);
        let blocks = (distinct / entries).ceil().max(1.0);
        Self { distinct, entries: entries.min(distinct), blocks: blocks as u64 }
    }

    /// Returns the mean number of entries that a probe decodes before its range: half of those between two restart
    /// points and half of the restart points, or half of all.
    fn entries_before(&self, restart: u16) -> f64 {
        match f64::from(restart) {
            restart if (1.0..self.entries).contains(&restart) => (restart + self.entries / restart) / 2.0,
            _ => self.entries / 2.0,
        }
    }
}

/// The expected Huffman code of a segment's fingerprints.
struct Entries {
    /// Bits of an entry whose highest difference is at h: code word and the h bits below.
    sizes: Vec<f64>,
    /// Mean over the entries coded against their predecessors.
    mean: f64,
}

impl Entries {
    /// In a table of `drawn` random fingerprints, two neighbours first differ at bit h once for each aligned interval
    /// of 2^(h+1) values that has fingerprints in both halves. A half of 2^h values is empty with probability
    /// exp(-drawn 2^h / 2^f). The code follows from these expected counts.
    fn new(bits: u8, drawn: f64) -> Self {
        let bits = i32::from(bits);
        let counts: Vec<f64> = (0..bits)
            .map(|h| {
                let occupied = -(-drawn * f64::from(h - bits).exp2()).exp_m1();
                occupied * occupied * f64::from(bits - 1 - h).exp2()
            })
            .collect();
        let lengths = huffman::lengths(&counts.iter().map(|&count| count.round() as u64).collect::<Vec<_>>());
        let sizes: Vec<f64> = (0u8..).zip(lengths).take(counts.len()).map(|(h, n)| f64::from(h + n)).collect();
        let sum: f64 = counts.iter().sum();
        let mean: f64 = counts.iter().zip(&sizes).map(|(count, size)| count * size / sum).sum();
        // No code word is shorter than a bit.
        Self { sizes, mean: mean.max(1.0) }
    }

    /// Returns the mean bits of an entry that is coded relative to an entry `distance` values away. An aligned interval
    /// of 2^(h+1) values contains both entries with probability 1 - distance / 2^(h+1).
    fn against(&self, distance: f64) -> f64 {
        let mut within = 0.0;
        let mut sum = 0.0;
        for (h, size) in (1i32..).zip(&self.sizes) {
            let all = h as usize == self.sizes.len();
            let wider = if all { 1.0 } else { (1.0 - distance / f64::from(h).exp2()).max(0.0) };
            sum += (wider - within) * size;
            within = wider;
        }
        sum
    }

    /// Returns the mean number of entries of a block whose neighbours are `gap` values apart, packed as by the encoder,
    /// with entries of mean size.
    fn packed(&self, restart: u16, gap: f64) -> f64 {
        let mut left = ((BLOCK_SIZE - FIRST.end()) * 8) as f64;
        let mut entries = 1.0;
        loop {
            let at_restart = restart != 0 && entries % f64::from(restart) == 0.0;
            let size = if at_restart { self.against(entries * gap) + 16.0 } else { self.mean };
            if size > left {
                // A block may end anywhere within an entry, so half an entry is lost on average.
                return (entries + left / size - 0.5).max(1.0);
            }
            left -= size;
            entries += 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use nddb_format::design::greatest_prefix;
    use nddb_format::digest::mix;

    use super::*;

    const COUNTS: [u64; 11] =
        [0, 1, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 8_000_000_000, 1_000_000_000_000];

    fn near(value: f64, wanted: f64, share: f64) -> bool {
        (value / wanted - 1.0).abs() <= share
    }

    #[test]
    fn the_bits_of_a_real_segment_are_predicted() {
        for (bits, restart, drawn, share) in [
            (64, 0, 100_000, 0.001),
            (64, 32, 100_000, 0.001),
            (64, 2, 10_000, 0.001),
            (64, 32, 1_000, 0.01),
            (64, 32, 1, 0.001),
            (32, 16, 100_000, 0.005),
            (20, 32, 500_000, 0.03),
            (16, 32, 40_000, 0.06),
        ] {
            let design = greatest_prefix(bits, 3, TABLES_MAX);
            let scheme = design.scheme(bits, 3, restart).expect("a scheme");
            let mut sorted: Vec<u64> =
                (1..=drawn).map(|i: u64| mix(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> (64 - bits)).collect();
            sorted.sort_unstable();
            sorted.dedup();
            let size = segment::encode(&scheme, 0, &sorted).expect("sorted fingerprints").len();
            let real = size as f64 * 8.0 / sorted.len() as f64;
            let predicted = predict(bits, 3, restart, drawn, &design).bits_per_fingerprint;
            assert!(near(predicted, real, share), "f={bits} R={restart} n={drawn}: {predicted} for {real}");
        }
    }

    #[test]
    fn ten_million_weigh_and_cost_what_they_do() {
        let ten = greatest_prefix(64, 3, 10);
        // Measured numbers of entries decoded per query in ten tables: 920, 190 and 126.
        for (restart, bits, decoded) in [(0, 45.08, 920.0), (32, 45.89, 190.0), (16, 46.83, 126.0)] {
            let predicted = predict(64, 3, restart, 10_000_000, &ten);
            // Four of the ten filters have 2^25 bits, and six have 2^26.
            let filters = (4.0 * 25f64.exp2() + 6.0 * 26f64.exp2()) / 10e7;
            assert!(near(predicted.bits_per_fingerprint, bits + filters, 0.001), "R={restart} {predicted:?}");
            // On average 1.9 tables are entered, in which candidates are decoded in addition to the entries before
            // them.
            assert!(near(predicted.reads, 1.88, 0.01), "{predicted:?}");
            let steps = predicted.resident_us * 1000.0 - 10.0 * cost::FILTER_NS - predicted.reads * cost::MISS_NS;
            let before = steps / cost::STEP_NS - 10.0 * predicted.candidates_per_probe;
            assert!(near(before / predicted.reads, decoded / 10.0, 0.12), "R={restart} {before}");
        }
    }

    /// The key tables measured by `benches/plan.py` are smaller if near copies share keys.
    #[test]
    fn key_tables_are_predicted_and_grow_with_their_keys() {
        let weights = [16, 28, 40, 52].map(|keys| {
            let predicted = plan_keys(keys, 19_200);
            (predicted.segment + predicted.postings) as f64 / 19_200.0
        });
        for (weight, measured) in weights.iter().zip([107.5, 180.4, 233.3, 303.5]) {
            assert!((measured * 0.99..measured * 1.2).contains(weight), "{weights:?}");
        }
        assert_eq!(plan_keys(0, 5), KeyPrediction::default());
        assert!(near(plan_keys(40, 8_000_000_000).found_by_chance, 0.291, 0.01));
    }

    #[test]
    fn the_paper_s_example_of_eight_billion() {
        let plan = plan(64, 3, 8_000_000_000).expect("designs");
        for (tables, prefix, candidates) in [(4, 16, 122_070.0), (10, 25, 238.4), (16, 28, 29.8), (20, 31, 3.7)] {
            let design = plan.iter().find(|prediction| prediction.tables == tables).expect("the paper's design");
            assert_eq!(design.prefix_min, prefix);
            assert!(near(design.candidates_per_probe, candidates, 0.01), "{design:?}");
            // The paper: fingerprints shrink to about half.
            assert!((0.5..0.6).contains(&(design.bits_per_fingerprint / 64.0)), "{design:?}");
        }
        let chosen = choose(64, 3, 8_000_000_000, Budget { tables_max: 64 }).expect("a scheme");
        assert_eq!(chosen.tables().len(), 20);
    }

    #[test]
    fn small_runs_get_few_tables_and_large_ones_ten() {
        for (documents, tables) in
            [(0, 1), (100, 1), (1_000, 4), (2_000, 4), (100_000, 10), (10_000_000, 10), (100_000_000, 10)]
        {
            let scheme = choose(64, 3, documents, Budget::default()).expect("a scheme");
            assert_eq!((scheme.tables().len(), scheme.restart()), (tables, RESTART), "{documents}");
        }
        assert!(choose(64, 8, 1_000, Budget::default()).is_err() && plan(7, 3, 1_000).is_err());
    }

    #[test]
    fn more_tables_weigh_more_and_leave_fewer_candidates() {
        for documents in COUNTS {
            for pair in plan(64, 3, documents).expect("designs").windows(2) {
                assert!(pair[0].tables < pair[1].tables && pair[0].bytes < pair[1].bytes, "{pair:?}");
                assert!(pair[0].candidates_per_probe > pair[1].candidates_per_probe, "{pair:?}");
            }
        }
    }

    #[test]
    fn more_documents_weigh_more_cost_more_and_never_get_fewer_tables() {
        for (bits, k) in [(64, 3), (64, 0), (64, 7), (32, 2), (24, 3)] {
            for design in designs(bits, k, TABLES_MAX) {
                let predicted = COUNTS.map(|documents| predict(bits, k, RESTART, documents, &design));
                assert!(predicted.is_sorted_by(|a, b| a.bytes <= b.bytes), "f={bits} k={k} {predicted:?}");
                // With filters, queries cost less than queries of fewer documents without filters.
                let (few, many) = predicted.split_at(4);
                let costs_more = |a: &Prediction, b: &Prediction| a.resident_us <= b.resident_us;
                assert!(few.is_sorted_by(costs_more) && many.is_sorted_by(costs_more), "f={bits} k={k} {predicted:?}");
                assert!(predicted.iter().all(|one| one.disk_us > one.resident_us), "f={bits} k={k} {predicted:?}");
            }
            let tables = COUNTS.map(|n| choose(bits, k, n, Budget::default()).expect("a scheme").tables().len());
            // At a width of 32 bits most prefixes occur earlier, and without filters fewer tables are faster.
            let ascend = tables.is_sorted() || bits < 64;
            assert!(ascend && tables.iter().all(|&tables| tables <= TABLES_MAX), "f={bits} k={k} {tables:?}");
        }
    }

    #[test]
    fn every_width_distance_and_count_has_a_scheme_and_finite_figures() {
        for (bits, k) in (8..=64).flat_map(|bits| (0..=7.min(bits - 1)).map(move |k| (bits, k))) {
            for documents in [0, 1, 300, 1 << 20, u64::MAX] {
                let scheme = choose(bits, k, documents, Budget::default()).expect("a scheme");
                assert!(scheme.tables().len() <= TABLES_MAX && (scheme.bits(), scheme.k()) == (bits, k));
                for one in plan(bits, k, documents).expect("designs") {
                    let figures = [one.bits_per_fingerprint, one.candidates_per_probe, one.resident_us, one.disk_us];
                    assert!(figures.iter().all(|figure| figure.is_finite() && *figure >= 0.0), "{one:?}");
                }
            }
        }
    }
}
