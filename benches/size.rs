//! Bits of a segment per distinct fingerprint (the whole file without its filter), against the lower bound of any code
//! for a random set of n fingerprints: log2(C(2^64, n)) / n.
//!
//! `cargo bench --bench size -- --len 10M`
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

mod common;

use common::{NoMore, Options, figure, say};
use nddb_format::Fingerprint;
use nddb_format::pages::checksums_size;
use nddb_format::scheme::Scheme;
use nddb_format::segment::{Segment, encode};

/// Returns log2(C(2^64, n)) / n by Stirling's formula. For a thousand fingerprints or more, the error is below a
/// millionth of a bit.
fn limit(len: usize) -> f64 {
    let n = len as f64;
    let ln = n * (64.0 * 2f64.ln() - n.ln() + 1.0) - (2.0 * std::f64::consts::PI * n).ln() / 2.0;
    ln / n / 2f64.ln()
}

fn main() {
    let (options, NoMore {}) = Options::read(10_000_000, 0);
    for (data, mut stored) in [
        ("clustered", common::fingerprints(options.len, options.seed)),
        ("uniform", common::uniform(options.len, options.seed)),
    ] {
        stored.sort_unstable();
        stored.dedup();
        let limit = limit(stored.len());
        say(format_args!(
            "{data}: {} distinct fingerprints, limit {limit:.2} bits, seed {}",
            stored.len(),
            options.seed
        ));
        for (restart, name, goal) in [(0, "plain", "1.060"), (32, "R = 32", "1.080"), (16, "R = 16", "")] {
            let scheme = Scheme::new(64, 3, &[5], restart).expect("the scheme of ten tables");
            // The first table, which keeps the order of fingerprints, and the last, whose order differs most.
            for ordinal in [0, scheme.tables().len() - 1] {
                let table = &scheme.tables()[ordinal];
                let mut permuted: Vec<u64> = stored.iter().map(|&print| table.permute(Fingerprint(print)).0).collect();
                permuted.sort_unstable();
                let bytes = encode(&scheme, ordinal, &permuted).expect("sorted fingerprints");
                let segment = Segment::open(&bytes[..]).expect("a segment");
                let filter = segment.filter_bytes().len() as u64;
                let filter = (filter + checksums_size(filter)) as f64 * 8.0 / stored.len() as f64;
                let bits = bytes.len() as f64 * 8.0 / stored.len() as f64 - filter;
                let goal = if options.test { "" } else { goal };
                let what =
                    format!("{data}, {name}, table {ordinal}: {bits:.2} bits (filter {filter:.2}), of the limit");
                figure(&what, format_args!("{:.3}", bits / limit), goal);
            }
        }
    }
}
