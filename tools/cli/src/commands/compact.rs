//! `nddb compact`: merges runs and frees the space of deleted documents; with --tables rewrites runs.

use std::path::Path;

use nddb::{Compacted, CompactionPlan, FingerprintSet};
use serde_json::json;

use super::create::Tables;
use super::set;
use crate::args::{Database, Global};
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result};
use crate::quantity::{bytes, counted};
use crate::{database, interrupt};

/// Merge runs, reclaim the space of deleted documents, or change the tables
///
/// `load`, `add` and `rm` merge runs on their own. Without --all, only adjacent runs of similar size are merged. The
/// runs of a set ('create --set') become one.
///
/// --tables rewrites all runs, and sets the number for future ones. More tables make queries faster and the database
/// larger; `nddb plan` estimates both.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb compact crawl.nddb                         merge what is worth merging
  nddb compact crawl.nddb --all                   everything into one run
  nddb compact crawl.nddb --tables 20             rewrite all runs with 20 tables")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    /// Merge everything into one run, and drop all deleted documents
    #[arg(long)]
    all: bool,
    /// Only print what would be merged
    #[arg(long)]
    dry_run: bool,
    /// Maximum number of tables per run; `auto` chooses for each run by its size
    #[arg(long, value_name = "auto|N", value_parser = Tables::parse, conflicts_with_all = ["all", "dry_run"])]
    tables: Option<Tables>,
}

/// Describes a plan: its runs and documents.
fn describe(plan: &CompactionPlan) -> String {
    counted(plan.runs() as u64, "run")
}

/// Describes how the size changed. A larger run may have more tables, so that queries cost no more than before.
fn change(sum: &Compacted) -> String {
    let (before, after) = (sum.bytes_before, sum.bytes_after);
    match after.cmp(&before) {
        std::cmp::Ordering::Less => format!("{} less than before", bytes(before - after)),
        std::cmp::Ordering::Equal => "as large as before".into(),
        std::cmp::Ordering::Greater => format!("{} more than before, for more tables", bytes(after - before)),
    }
}

/// Adds the figures of another compaction.
fn add(sum: &mut Compacted, one: &Compacted) {
    sum.runs_before += one.runs_before;
    sum.runs_after += one.runs_after;
    sum.bytes_before += one.bytes_before;
    sum.bytes_after += one.bytes_after;
    sum.documents_dropped += one.documents_dropped;
    sum.fingerprints_dropped += one.fingerprints_dropped;
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    if FingerprintSet::is_at(&args.database.db) {
        set::refuse(&[("--tables", args.tables.is_some()), ("--dry-run", args.dry_run)])?;
        return set::compact(&args.database.db, global);
    }
    if let Some(tables) = &args.tables {
        return reshape(&args.database.db, tables, global);
    }
    let mut writer = database::write(&args.database.db, "compact", global)?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let meter = global.messages().meter("compact");
    writer.watch(meter.watch(true));
    let mut sum = Compacted::default();
    let mut merges = 0u64;
    if !args.dry_run {
        writer.flush()?;
    }
    loop {
        let plan = if args.all { writer.plan_full_compaction() } else { writer.plan_compaction() };
        let Some(plan) = plan else { break };
        if args.dry_run {
            global.messages().note(format!("compact: would merge {}", describe(&plan)));
            merges += 1;
            break;
        }
        global.messages().detail(format!("compact: merging {}", describe(&plan)));
        add(&mut sum, &writer.compact(&plan)?);
        merges += 1;
        if args.all {
            break;
        }
        if interrupt::asked() {
            return Err(nddb::Error::Cancelled.into());
        }
    }
    writer.close()?;
    global.summary(
        &meter,
        // Reference of compact: the object of `--json`
        json!({
            "merges": merges,
            "dry_run": args.dry_run,
            "runs_before": sum.runs_before,
            "runs_after": sum.runs_after,
            "bytes_before": sum.bytes_before,
            "bytes_after": sum.bytes_after,
            "documents_dropped": sum.documents_dropped,
            "fingerprints_dropped": sum.fingerprints_dropped,
            "seconds": clock.seconds(),
            "cpu_seconds": clock.cpu_seconds(),
            "busiest_thread": clock.busiest_thread(),
        }),
    )?;
    meter.finish(&match (merges, args.dry_run) {
        (0, _) => "nothing to do".into(),
        (_, true) => "nothing done".into(),
        _ => format!(
            "{} became {}, {}, {} dropped",
            counted(sum.runs_before as u64, "run"),
            sum.runs_after,
            change(&sum),
            counted(sum.documents_dropped, "deleted document"),
        ),
    });
    Ok(Code::Done)
}

/// Rewrites all runs of the database `db` with these tables.
fn reshape(db: &Path, tables: &Tables, global: &Global) -> Result<Code> {
    let mut writer = database::write(db, "compact", global)?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let meter = global.messages().meter("compact");
    writer.watch(meter.watch(true));
    let levels = tables.levels(writer.settings().bits, writer.settings().k);
    let rewritten = writer.reshape(levels.as_deref())?;
    writer.close()?;
    let before: u64 = rewritten.iter().map(|run| run.bytes_before).sum();
    let after: u64 = rewritten.iter().map(|run| run.bytes_after).sum();
    global.summary(
        &meter,
        // Reference of compact: the object of `--json` with `--tables`
        json!({
            "levels": levels,
            "runs": rewritten.len(),
            "bytes_before": before,
            "bytes_after": after,
        }),
    )?;
    let tables = levels.map_or("tables chosen by size".into(), |levels| format!("levels {levels:?}"));
    let runs = counted(rewritten.len() as u64, "run");
    meter.finish(&format!("{tables}; {runs} rewritten, {} before, {} now", bytes(before), bytes(after)));
    Ok(Code::Done)
}
