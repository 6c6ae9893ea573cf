//! Keys and cache lines that a search of a block index reads.

use std::collections::BTreeSet;

use nddb::Fingerprint;
use nddb_format::scheme::Scheme;
use nddb_format::segment::{Guess, Segment, encode};

use super::{Options, figure, say};

/// Bytes of a cache line.
const LINE: usize = 64;

/// What searches read, in all.
#[derive(Default)]
struct Read {
    keys: usize,
    lines: usize,
}

impl Read {
    /// Adds a search that compared the keys of these blocks; a line has eight keys.
    fn add(&mut self, blocks: &[u64]) {
        self.keys += blocks.len();
        self.lines += blocks.iter().map(|block| block / (LINE as u64 / 8)).collect::<BTreeSet<u64>>().len();
    }

    fn print(&self, what: &str, searches: usize) {
        let each = |number: usize| number as f64 / searches as f64;
        let value = format!("{:.2}; {:.2}", each(self.keys), each(self.lines));
        figure(&format!("{what}: keys looked at; cache lines, a search"), value, "");
    }
}

/// Prints what a search of the block index of the first table reads, by bisection, by interpolation (Manku et al. 2007,
/// 3.2) and by the directory in memory, whose undecided searches interpolate. A query makes a search for each table.
pub fn print(stored: &[u64], queries: &[Fingerprint], options: &Options) {
    let mut sorted = stored.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let scheme = Scheme::new(64, 3, options.levels.as_deref().unwrap_or(&[5]), 32).expect("a scheme");
    let bytes = encode(&scheme, 0, &sorted).expect("sorted fingerprints");
    drop(sorted);
    let segment = Segment::open(&bytes[..]).expect("a sound segment");
    let directory = segment.directory().expect("few enough blocks");
    say(format_args!("a block index of {} keys", segment.block_len()));
    let [mut bisected, mut interpolated, mut by_directory] = [(); 3].map(|()| Read::default());
    let mut undecided = 0;
    for query in queries {
        let table = &scheme.tables()[0];
        let target = table.range(table.permute(*query)).0;
        let mut looks = Vec::new();
        let (mut low, mut high) = (0, segment.block_len());
        while low < high {
            let block = low + (high - low) / 2;
            looks.push(block);
            if segment.key(block) < target { low = block + 1 } else { high = block }
        }
        bisected.add(&looks);
        looks.clear();
        let mut search = segment.search(target);
        while let Guess::Look(block) = search.next() {
            looks.push(block);
            search.feed(block, segment.key(block));
        }
        assert_eq!(search.found().unwrap_or(segment.block_len()), low, "both find the same block");
        interpolated.add(&looks);
        // A line of the slots, and those of the 16-bit parts of keys.
        let residues = directory.slot_of(target).as_ptr_range();
        by_directory.lines += 1 + (residues.end as usize).div_ceil(LINE) - residues.start as usize / LINE;
        match directory.find(target) {
            Some(found) => assert_eq!(found.block, low, "the directory finds the same block"),
            None => {
                undecided += 1;
                by_directory.add(&looks);
            }
        }
    }
    bisected.print("bisection", queries.len());
    interpolated.print("interpolation", queries.len());
    by_directory.print("directory", queries.len());
    let share = undecided as f64 / queries.len() as f64;
    figure("searches that the directory leaves to interpolation", format_args!("{share:.4}"), "");
}
