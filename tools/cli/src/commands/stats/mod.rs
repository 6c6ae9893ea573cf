//! `nddb stats`: statistics of a database.

mod prometheus;

use std::path::PathBuf;
use std::time::SystemTime;

use clap::ValueEnum;
use nddb::sketch::Recipe;
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
  nddb stats crawl.nddb --json | jq .bits_per_fingerprint
  nddb stats crawl.nddb --format prometheus -o crawl.prom")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    /// How to write them [default: text, or json with --json]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
    /// The file to write, in place of an earlier one and at once [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// How statistics are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines and a table of the runs
    Text,
    /// An object
    Json,
    /// Prometheus's text format, for the node exporter's folder of text files
    Prometheus,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let to = global.output("-o", args.output.as_deref())?;
    let reader = database::read(&args.database.db)?;
    let stats = reader.view().stats()?;
    let mut out = Vec::new();
    match args.format.unwrap_or(if global.json { Format::Json } else { Format::Text }) {
        Format::Text => text(&stats, &mut out),
        Format::Json => crate::json::line(&mut out, &value(&stats)),
        Format::Prometheus => prometheus::write(&stats, &args.database.db, &mut out),
    }
    let mut output = Output::create(&to)?;
    output.write(&out)?;
    output.finish()?;
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

/// Seconds since 1970.
fn seconds(time: SystemTime) -> Option<u64> {
    time.duration_since(SystemTime::UNIX_EPOCH).ok().map(|since| since.as_secs())
}

/// How long ago something was.
fn ago(time: Option<SystemTime>) -> String {
    let Some(since) = time.and_then(|time| SystemTime::now().duration_since(time).ok()) else {
        return "unknown".into();
    };
    let (since, unit) = match since.as_secs() {
        seconds @ 0..120 => (seconds, "s"),
        seconds @ 120..7200 => (seconds / 60, "min"),
        seconds @ 7200..172_800 => (seconds / 3600, "hours"),
        seconds => (seconds / 86_400, "days"),
    };
    format!("{since} {unit} ago")
}

fn text(stats: &Stats, out: &mut Vec<u8>) {
    let mut line = |name: &str, text: String| out.extend_from_slice(format!("{name:<14} {text}\n").as_bytes());
    line("documents", grouped(stats.documents));
    if stats.pending > 0 {
        line("pending", grouped(stats.pending));
    }
    line("deleted", grouped(stats.deleted));
    let memtable = grouped(stats.memtable_fingerprints);
    line("fingerprints", format!("{}, {memtable} of them in no run yet", grouped(stats.fingerprints)));
    line("recipe", format!("{}, {} bits, k = {}", stats.recipe, stats.bits, stats.k));
    let kind = Recipe::kind_of_label(&stats.recipe);
    line("kind", format!("{kind}: {}", kind.help()));
    let sizes = &stats.bytes;
    let kinds = [
        ("segments", sizes.segments),
        ("postings", sizes.postings),
        ("key tables", sizes.keys),
        ("summaries", sizes.summaries),
        ("catalog", sizes.catalog),
    ];
    let kinds = kinds.map(|(kind, size)| format!("{kind} {}", bytes(size))).join(", ");
    line("on disk", format!("{} ({kinds})", bytes(sizes.total())));
    line("format", format!("{}, generation {}, {}", stats.format, stats.generation, counted(stats.commits, "commit")));
    line("last written", format!("catalog {}, runs {}", ago(stats.committed), ago(stats.published)));
    line(
        "last checked",
        stats.checked.map_or("never, as far as known".into(), |check| {
            let found = if check.faults == 0 { "sound".into() } else { counted(check.faults, "fault") };
            format!("{}: {found} (generation {})", ago(Some(check.time)), check.generation)
        }),
    );
    if stats.runs.is_empty() {
        return;
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
    for line in [String::new()].into_iter().chain(table.lines()) {
        out.extend_from_slice(line.as_bytes());
        out.push(b'\n');
    }
}
