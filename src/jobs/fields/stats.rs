//! The statistics of a database, as JSON.

use std::time::SystemTime;

use nddb_index::{RunStats, SchemeStats, Stats, Work};
use nddb_page::sketch::Recipe;
use serde_json::{Value, json};

/// Returns the bits per fingerprint of each table, over all runs that have the table.
fn bits_per_fingerprint(schemes: &[SchemeStats]) -> Vec<f64> {
    let tables = schemes.iter().map(|scheme| scheme.tables).max().unwrap_or(0);
    let each = |table: usize| {
        let with = schemes.iter().filter_map(|scheme| {
            let bits = scheme.bits_per_fingerprint.get(table)?;
            Some((bits * scheme.fingerprints as f64, scheme.fingerprints as f64))
        });
        let (bits, prints) = with.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        bits / prints
    };
    (0..tables).map(each).map(round).collect()
}

fn round(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// Statistics as JSON.
pub fn stats(stats: &Stats) -> Value {
    let run = |run: &RunStats| {
        let files = run.files.iter().map(|file| {
            let each = file.bits_per_fingerprint.map(round);
            json!({"name": file.name, "bytes": file.bytes, "bits_per_fingerprint": each})
        });
        json!({
            "low": run.low,
            "high": run.high,
            "documents": run.documents,
            "fingerprints": run.fingerprints,
            "levels": run.levels,
            "tables": run.tables,
            "restart": run.restart,
            "bytes": run.bytes,
            "files": files.collect::<Vec<_>>(),
        })
    };
    let scheme = |scheme: &SchemeStats| {
        json!({
            "levels": scheme.levels,
            "restart": scheme.restart,
            "tables": scheme.tables,
            "runs": scheme.runs,
            "fingerprints": scheme.fingerprints,
            "bits_per_fingerprint": scheme.bits_per_fingerprint.iter().copied().map(round).collect::<Vec<_>>(),
        })
    };
    json!({
        "documents": stats.documents,
        "pending": stats.pending,
        "deleted": stats.deleted,
        "fingerprints": stats.fingerprints,
        "memtable": {"documents": stats.memtable_documents, "fingerprints": stats.memtable_fingerprints},
        "runs": stats.runs.iter().map(run).collect::<Vec<_>>(),
        "schemes": stats.schemes.iter().map(scheme).collect::<Vec<_>>(),
        "bits_per_fingerprint": bits_per_fingerprint(&stats.schemes),
        "bytes": {
            "segments": stats.bytes.segments,
            "postings": stats.bytes.postings,
            "keys": stats.bytes.keys,
            "summaries": stats.bytes.summaries,
            "deleted": stats.bytes.deleted,
            "catalog": stats.bytes.catalog,
            "manifest": stats.bytes.manifest,
            "total": stats.bytes.total(),
        },
        "format": stats.format,
        "recipe": stats.recipe,
        "kind": Recipe::kind_of_label(&stats.recipe).name(),
        "bits": stats.bits,
        "k": stats.k,
        "generation": stats.generation,
        "commits": stats.commits,
        "committed": stats.committed.and_then(seconds),
        "published": stats.published.and_then(seconds),
        "checked": stats.checked.map(|check| {
            json!({"time": seconds(check.time), "generation": check.generation, "faults": check.faults})
        }),
        "next_number": stats.next_number,
    })
}

/// Returns a time as seconds since 1970.
pub fn seconds(time: SystemTime) -> Option<u64> {
    time.duration_since(SystemTime::UNIX_EPOCH).ok().map(|since| since.as_secs())
}

/// The work of queries as JSON, without their number.
pub fn work(work: &Work) -> Value {
    // Reference of query: the object of `--stats`, on stderr
    json!({
        "probes": work.probes, // prefixes looked up in tables
        "excluded": work.excluded, // of these, prefixes that a filter excluded
        "blocks": work.blocks, // decoded
        "bytes": work.bytes(), // of these blocks
        "entries": work.entries, // decoded
        "from_disk": work.from_disk, // blocks that were not in memory
    })
}
