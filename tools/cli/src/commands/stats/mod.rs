//! `nddb stats`: statistics of a database.

mod prometheus;

use std::path::PathBuf;
use std::time::SystemTime;

use clap::ValueEnum;
use nddb::sketch::Recipe;
use nddb::{FingerprintSet, Stats};
use nddb_jobs::{fields, json};

use super::set;
use crate::args::{Database, Global};
use crate::database;
use crate::failure::{Code, Result};
use crate::output::Output;
use crate::quantity::{bytes, counted, grouped};
use crate::table::TextTable;

/// Print statistics of a database: documents, runs, bytes
///
/// `deleted` counts documents that were deleted but still take space, which `nddb compact` reclaims.
///
/// The work of queries is counted by the process that answers them, and not stored: 'nddb query --stats' prints it; of a
/// server in Python it is `reader.stats()["work"]`, of one in Rust `View::work`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb stats crawl.nddb
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
    if FingerprintSet::is_at(&args.database.db) {
        set::refuse(&[("--format prometheus", args.format == Some(Format::Prometheus))])?;
        let as_json = args.format.map_or(global.json, |format| format == Format::Json);
        return set::stats(&args.database.db, Output::create(&to)?, as_json);
    }
    let reader = database::read(&args.database.db)?;
    let stats = reader.view().stats()?;
    let mut out = Vec::new();
    match args.format.unwrap_or(if global.json { Format::Json } else { Format::Text }) {
        Format::Text => text(&stats, &mut out),
        Format::Json => json::line(&mut out, &fields::stats(&stats)),
        Format::Prometheus => prometheus::write(&stats, &args.database.db, &mut out),
    }
    let mut output = Output::create(&to)?;
    output.write(&out)?;
    output.finish()?;
    Ok(Code::Done)
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
    let mut table = TextTable::new(&["run", "documents", "fingerprints", "tables", "levels", "bits/fp", "on disk"]);
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
