//! `nddb-lab resolve`: the documents of the fingerprints that scans found.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use nddb::scan::Resolving;
use nddb::{BatchMatch, Fingerprint, Within};
use nddb_cli::frame::{Code, Failure, FromEnvironment, Global, MEMORY, MatchOutput, Result, inputs};
use nddb_jobs::fields::write_match;
use nddb_jobs::{JobError, lists};

/// Look up the documents of the fingerprints that `nddb-lab scan` found
///
/// Reads the lines of all ranges that `nddb-lab scan --list` names, in any order. Prints the lines that `nddb query
/// --format tsv` would print: deleted documents are omitted, and documents that are in no run yet are added.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb-lab resolve [OPTIONS] DB QUERIES.u64le FOUND...",
    after_help = "\
Examples:
  nddb-lab scan crawl.nddb/runs/00000007.seg --queries Q.u64le |
    nddb-lab resolve crawl.nddb Q.u64le -
  nddb-lab scan crawl.nddb --list | while read -r segment first count; do
    nddb-lab scan $segment --offset $first --count $count --queries Q.u64le;
    done > found.tsv; nddb-lab resolve crawl.nddb Q.u64le found.tsv -o near.tsv"
)]
pub(crate) struct Args {
    /// The database, the file of queries of the scans, and the lines of the scans, - for stdin
    #[arg(value_name = "DB QUERIES FOUND", required = true)]
    given: Vec<OsString>,
    #[command(flatten)]
    environment: FromEnvironment,
    #[command(flatten)]
    to: MatchOutput,
    /// Maximum distance, in bits, at most that of the scans [default: the database's]
    #[arg(short, long)]
    k: Option<u8>,
}

const NO_ROW: &str = "not query, fingerprint and distance, as nddb-lab scan prints them";

pub(crate) fn run(mut args: Args, global: &Global) -> Result<Code> {
    let (db, mut given) = args.environment.split(std::mem::take(&mut args.given), "QUERIES")?;
    let queries = inputs::fingerprints(&PathBuf::from(given.remove(0)))?;
    if given.is_empty() {
        return Err(Failure::usage("missing argument: FOUND after QUERIES: the output of scans, - for stdin"));
    }
    let reader = inputs::database(&db)?;
    let view = reader.view();
    let within = Within(args.k.unwrap_or(view.settings().k));
    let mut resolving = Resolving::new(view, global.memory_limit.unwrap_or(MEMORY));
    view.scan_recent(&queries, within, &mut |query, stored, distance| resolving.push(query, stored, distance))?;
    for path in &given {
        each_row(Path::new(path), &queries, &mut |query, stored, distance| {
            if distance <= u32::from(within.0) { resolving.push(query, stored, distance) } else { Ok(()) }
        })?;
    }
    let mut rows = args.to.rows(true, global)?;
    let ids = args.to.ids(view)?;
    let mut emit = |found: BatchMatch| write_match(&mut rows, &ids, &found);
    let outcome = resolving.finish(&mut emit);
    rows.finish(outcome.map_err(Failure::from))?;
    Ok(Code::Done)
}

type RowVisitor<'a> = &'a mut dyn FnMut(u64, Fingerprint, u32) -> nddb::Result<()>;

/// Reads the lines of scans with these queries: ordinal, fingerprint, distance.
fn each_row(path: &Path, queries: &[Fingerprint], row: RowVisitor<'_>) -> Result<()> {
    lists::each_line(path, &mut |number, line| {
        let refuse = |why: &str| {
            let message = format!("{}: line {number}: {why}", path.display());
            JobError::Input { message, advice: None }
        };
        let mut cells = line.split('\t');
        let (Some(query), Some(stored), Some(distance), None) =
            (cells.next(), cells.next(), cells.next(), cells.next())
        else {
            return Err(refuse(NO_ROW));
        };
        let numbers = (query.parse::<u64>().ok(), inputs::hex(stored).ok(), distance.parse::<u32>().ok());
        let (Some(query), Some(stored), Some(distance)) = numbers else { return Err(refuse(NO_ROW)) };
        let asked = usize::try_from(query).ok().and_then(|query| queries.get(query));
        if asked.is_none_or(|asked| (asked.0 ^ stored.0).count_ones() != distance) {
            return Err(refuse("it was found with other queries"));
        }
        Ok(row(query, stored, distance)?)
    })?;
    Ok(())
}
