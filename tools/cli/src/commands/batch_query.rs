//! `nddb batch-query`: many queries at once, by one pass over everything stored.

use std::ffi::OsString;
use std::path::PathBuf;

use nddb::{BatchMatch, Within};
use serde_json::json;

use crate::args::{FromEnvironment, Global};
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result};
use crate::matches::{MEMORY, MatchOutput, write_match};
use crate::output;
use crate::quantity::{counted, duration, grouped};
use crate::{database, inputs, interrupt};

/// Answer a file of queries by one pass over everything stored
///
/// Worth it for a million queries and more. Prints lines of query ordinal (from 0), stored fingerprint,
/// distance and id, separated by tabs and sorted by ordinal, distance and id; in a Parquet file the columns query, fp,
/// distance and id, with the fingerprint as a signed number of 64 bits.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb batch-query [OPTIONS] DB QUERIES.u64le",
    after_help = "\
Examples:
  nddb batch-query crawl.nddb Q.u64le -o near.tsv
  nddb batch-query crawl.nddb Q.u64le -k 2 --threads 8 | cut -f 1 | uniq -c
  nddb batch-query crawl.nddb Q.u64le --format parquet -o near.parquet"
)]
pub(crate) struct Args {
    /// The database, then a file of fingerprints, eight bytes each, least significant first
    #[arg(value_name = "DB QUERIES", required = true, num_args = 1..=2)]
    given: Vec<OsString>,
    #[command(flatten)]
    environment: FromEnvironment,
    #[command(flatten)]
    to: MatchOutput,
    /// Greatest distance, in bits [default: the database's]
    #[arg(short, long)]
    k: Option<u8>,
}

pub(crate) fn run(args: Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let (db, queries) = args.environment.split_one(args.given, "QUERIES")?;
    let queries = inputs::fingerprints(&PathBuf::from(queries))?;
    let reader = database::read(&db)?;
    let view = reader.view();
    let within = Within(args.k.unwrap_or(view.settings().k));
    let mut rows = args.to.rows(true)?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let meter = global.messages().meter("batch-query");
    let mut emit = |found: BatchMatch<'_>| write_match(&mut rows, found);
    let (threads, memory) = (global.threads(), global.memory_limit.unwrap_or(MEMORY));
    let outcome = view.batch_query(&queries, within, threads, memory, &mut *meter.watch(true), &mut emit);
    let done = rows.finish(outcome.map_err(Failure::from))?;
    if global.json && args.to.output.is_some() {
        output::print_json(&json!({
            "queries": queries.len(),
            "matches": done.matches,
            "stored": done.stored,
            "seconds": clock.seconds(),
            "cpu_seconds": clock.cpu_seconds(),
        }))?;
    }
    let took = duration(std::time::Duration::from_secs_f64(clock.seconds()));
    let queries = counted(queries.len() as u64, "query");
    let (stored, matches) = (counted(done.stored, "stored fingerprint"), grouped(done.matches));
    meter.finish(&format!("{queries} against {stored}: {matches} matches in {took}"));
    Ok(Code::Done)
}
