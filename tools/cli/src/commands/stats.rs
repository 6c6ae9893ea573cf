//! `nddb stats`: statistics of a database.

use nddb::{RunStats, SchemeStats, Stats};
use serde_json::{Value, json};

use crate::args::{Database, Global};
use crate::database;
use crate::failure::{Code, Result};
use crate::output::Output;
use crate::quantity::{bytes, counted, grouped};
use crate::table::Table;

/// Print statistics of a database: documents, runs, bytes
///
/// `deleted` counts documents that were deleted but still take space, which `nddb compact` reclaims.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb stats crawl.nddb
  nddb stats crawl.nddb --json | jq .bits_per_fingerprint")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let reader = database::read(&args.database.db)?;
    let stats = reader.view().stats()?;
    let mut output = Output::stdout();
    if global.json {
        output.json(&value(&stats))?;
    } else {
        text(&stats, &mut output)?;
    }
    output.flush()?;
    Ok(Code::Done)
}

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
pub fn value(stats: &Stats) -> Value {
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
        "bits": stats.bits,
        "k": stats.k,
        "generation": stats.generation,
        "commits": stats.commits,
        "next_number": stats.next_number,
    })
}

fn text(stats: &Stats, output: &mut Output) -> Result<()> {
    let mut line = |name: &str, text: String| output.line(&format!("{name:<14} {text}"));
    line("documents", grouped(stats.documents))?;
    if stats.pending > 0 {
        line("pending", grouped(stats.pending))?;
    }
    line("deleted", grouped(stats.deleted))?;
    let memtable = grouped(stats.memtable_fingerprints);
    line("fingerprints", format!("{}, {memtable} of them in no run yet", grouped(stats.fingerprints)))?;
    line("recipe", format!("{}, {} bits, k = {}", stats.recipe, stats.bits, stats.k))?;
    let sizes = &stats.bytes;
    let kinds = [
        ("segments", sizes.segments),
        ("postings", sizes.postings),
        ("key tables", sizes.keys),
        ("summaries", sizes.summaries),
        ("catalog", sizes.catalog),
    ];
    let kinds = kinds.map(|(kind, size)| format!("{kind} {}", bytes(size))).join(", ");
    line("on disk", format!("{} ({kinds})", bytes(sizes.total())))?;
    line("format", format!("{}, generation {}, {}", stats.format, stats.generation, counted(stats.commits, "commit")))?;
    if stats.runs.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&["run", "documents", "fingerprints", "tables", "levels", "bits/fp", "on disk"]);
    for (index, run) in stats.runs.iter().enumerate() {
        let first = run.files.first().and_then(|file| file.bits_per_fingerprint).unwrap_or_default();
        table.row(vec![
            index.to_string(),
            grouped(run.documents),
            grouped(run.fingerprints),
            run.tables.to_string(),
            format!("{:?}", run.levels),
            format!("{first:.2}"),
            bytes(run.bytes),
        ]);
    }
    output.line("")?;
    table.lines().iter().try_for_each(|line| output.line(line))
}
