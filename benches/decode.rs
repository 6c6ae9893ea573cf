//! Decoding a segment from front to back, in memory. Every checksum and the order of entries are verified.
//!
//! `cargo bench --bench decode -- --len 10M [--rounds 9]`
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

mod common;

use common::{NoMore, Options, figure, measure, median, say};
use nddb_format::FormatError;
use nddb_format::scheme::Scheme;
use nddb_format::segment::{Segment, encode};

fn main() {
    let (options, NoMore {}) = Options::read(10_000_000, 0);
    let rounds = options.rounds(9);
    let mut stored = common::fingerprints(options.len, options.seed);
    stored.sort_unstable();
    stored.dedup();
    say(format_args!("{} distinct fingerprints, seed {}", stored.len(), options.seed));
    for (restart, what, goal) in [(32, "R = 32", "270"), (16, "R = 16", ""), (0, "plain", "")] {
        let scheme = Scheme::new(64, 3, &[5], restart).expect("the scheme of ten tables");
        let bytes = encode(&scheme, 0, &stored).expect("sorted fingerprints");
        let segment = Segment::open(&bytes[..]).expect("a sound segment");
        let mut rates = Vec::new();
        for _ in 0..rounds {
            let (mut len, mut sum) = (0u64, 0u64);
            let (outcome, spent) = measure(|| {
                segment.scan(0, u64::MAX, &mut |values: &[u64]| {
                    len += values.len() as u64;
                    sum ^= values[0];
                    Ok::<_, FormatError>(())
                })
            });
            outcome.expect("no damage");
            assert_eq!(len, stored.len() as u64, "all of them, {sum:x}");
            rates.push(len as f64 / spent.cpu.as_secs_f64() / 1e6);
        }
        let goal = if options.test { "" } else { goal };
        figure(&format!("{what}: M entries a CPU second, median"), format_args!("{:.0}", median(&rates)), goal);
        let best = rates.iter().copied().fold(0.0, f64::max);
        figure(&format!("{what}: M entries a CPU second, best round"), format_args!("{best:.0}"), "");
    }
}
