//! Batch mode: many queries against a sequential pass over table 0 of one run, on one thread.
//!
//! `cargo bench --bench batch -- --len 100M --queries 1M [--rounds 3] [--within 3]`
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

mod common;

use clap::Args;
use common::{Options, figure, measure, median, say};
use nddb::scan::scan_segment;
use nddb::{Fingerprint, Within};
use nddb_format::FormatError;
use nddb_format::scheme::Scheme;
use nddb_format::segment::{Segment, encode};

#[derive(Args)]
struct More {
    /// The distance.
    #[arg(long, default_value_t = 3)]
    within: u8,
}

fn main() {
    let (options, more) = Options::read::<More>(100_000_000, 1_000_000);
    let within = Within(more.within);
    let rounds = options.rounds(3);
    let mut stored = common::fingerprints(options.len, options.seed);
    let queries = common::queries(&stored, options.queries, options.seed);
    let queries: Vec<Fingerprint> = queries.into_iter().map(Fingerprint).collect();
    stored.sort_unstable();
    stored.dedup();
    let scheme = Scheme::new(64, 3, &[5], 32).expect("the scheme of ten tables");
    let bytes = encode(&scheme, 0, &stored).expect("sorted fingerprints");
    let folder = options.folder();
    let path = folder.path().join("table0.seg");
    std::fs::write(&path, &bytes).expect("a file");
    let len = stored.len();
    drop(stored);
    say(format_args!(
        "{} queries against {len} distinct fingerprints, k = {}, seed {}",
        queries.len(),
        within.0,
        options.seed
    ));

    let segment = Segment::open(&bytes[..]).expect("a sound segment");
    let (mut decoding, mut whole, mut index) = (Vec::new(), Vec::new(), Vec::new());
    let mut matches = 0u64;
    for _ in 0..rounds {
        let mut sum = 0u64;
        let (_, spent) = measure(|| {
            segment.scan(0, u64::MAX, &mut |values: &[u64]| {
                sum = sum.wrapping_add(values.len() as u64);
                Ok::<_, FormatError>(())
            })
        });
        assert_eq!(sum, len as u64, "everything is decoded");
        decoding.push(spent.cpu.as_secs_f64());
        matches = 0;
        let mut found = |_, _, _| {
            matches += 1;
            Ok(())
        };
        let (read, spent) = measure(|| scan_segment(&path, None, &queries, within, &mut found).expect("a scan"));
        assert_eq!(read, len as u64, "everything is passed");
        whole.push(spent.cpu.as_secs_f64());
        // One block only, so that nearly all of the time is spent on the index of the queries.
        let one = Some((0, 1));
        let (_, spent) = measure(|| scan_segment(&path, one, &queries, within, &mut |_, _, _| Ok(())).expect("a scan"));
        index.push(spent.cpu.as_secs_f64());
    }
    let (decoding, whole, index) = (median(&decoding), median(&whole), median(&index));
    let rate = |seconds: f64| format!("{:.1}", len as f64 / seconds / 1e6);
    figure("stored fingerprints, M per CPU s, index included", rate(whole), if len > 90_000_000 { "30" } else { "" });
    figure("without building the index", rate(whole - index), "");
    figure("decoding alone", rate(decoding), "");
    figure("building the index on the queries, CPU s", format_args!("{index:.2}"), "");
    figure("matches", matches, "");
}
