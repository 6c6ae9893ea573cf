//! A file of query fingerprints, answered by one pass over all stored fingerprints.

use std::path::Path;

use clap::ValueEnum;
use nddb::archive;
use nddb::{Resources, View, Within};
use nddb_jobs::fields::{match_columns, write_match};
use nddb_jobs::output::format_of;
use nddb_jobs::rows::{IdCells, RowFormat};
use serde_json::json;

use super::silent;
use crate::args::Global;
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result};
use crate::matches::MEMORY;
use crate::quantity::{counted, duration, grouped};
use crate::{inputs, interrupt, output};

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One JSON object per query
    Jsonl,
    /// One line per match, columns separated by tabs
    Tsv,
    /// One line per match, columns separated by commas
    Csv,
    /// A Parquet file with one row per match, compressed with zstd
    Parquet,
    /// A table per query, for people
    Table,
}

impl Format {
    /// Returns the format of answers: that of `--format`, or of the name of the file.
    pub(super) fn of(path: Option<&Path>, given: Option<Self>) -> Result<Self> {
        let endings = [
            (archive::Format::Jsonl, Self::Jsonl),
            (archive::Format::Tsv, Self::Tsv),
            (archive::Format::Csv, Self::Csv),
            (archive::Format::Parquet, Self::Parquet),
            // .txt
            (archive::Format::Html, Self::Table),
        ];
        Ok(format_of(path.unwrap_or(Path::new("-")), given, &endings, Self::Jsonl)?)
    }

    /// The format of rows, if there is a row per match.
    pub(super) fn rows(self) -> Option<RowFormat> {
        match self {
            Self::Jsonl | Self::Table => None,
            Self::Tsv => Some(RowFormat::Tsv),
            Self::Csv => Some(RowFormat::Csv),
            Self::Parquet => Some(RowFormat::Parquet),
        }
    }
}

/// What a batch is granted.
pub(super) fn batch_resources(global: &Global) -> Resources {
    let memory_limit = global.memory_limit.unwrap_or(MEMORY);
    Resources { memory_limit, threads: global.threads(), ..Resources::default() }
}

/// Answers the queries of a file of fingerprints, with a row for each match in the order of query, distance and id.
pub(super) fn run(
    path: Option<&Path>,
    (format, file): (RowFormat, Option<&Path>),
    view: View<'_>,
    within: Within,
    global: &Global,
) -> Result<Code> {
    let clock = Clock::start();
    let Some(path) = path else {
        return Err(Failure::usage("--format tsv, csv and parquet are for --fp-file: give a file of fingerprints"));
    };
    let queries = inputs::fingerprints(path)?;
    let mut rows = output::rows(format, &global.output("-o", file.or(silent(global)))?, match_columns(true))?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let meter = global.messages().meter("query");
    let ids = IdCells::new(view, format)?;
    let (mut stored, mut matches) = (0, 0u64);
    let mut write = || {
        let found = view.batch_query(&queries, within, &batch_resources(global), Some(&mut *meter.watch(true)))?;
        stored = found.stored();
        for found in found {
            matches += 1;
            write_match(&mut rows, &ids, &found?)?;
        }
        Ok(())
    };
    let outcome: Result<()> = write();
    rows.finish(outcome)?;
    // Reference of query: the object of `--json`, with `--fp-file` and a table
    let summary = json!({
        "queries": queries.len(),
        "matches": matches,
        "stored": stored, // fingerprints read
        "seconds": clock.seconds(),
        "cpu_seconds": clock.cpu_seconds(),
    });
    global.summary(&meter, summary)?;
    let took = duration(std::time::Duration::from_secs_f64(clock.seconds()));
    let queries = counted(queries.len() as u64, "query");
    let against = counted(stored, "stored fingerprint");
    meter.finish(&format!("{queries} against {against}: {} matches in {took}", grouped(matches)));
    Ok(if global.quiet && matches == 0 { Code::Failed } else { Code::Done })
}
