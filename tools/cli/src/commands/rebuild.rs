//! `nddb rebuild`: rebuilds damaged or missing files.

use nddb::{FingerprintSet, RebuildOptions, RebuildWhat, Rebuilt};
use serde_json::json;

use super::set;
use crate::args::{Database, Global};
use crate::failure::{Code, Failure, Result, Told};
use crate::quantity::counted;
use crate::{database, interrupt};

/// Rebuild damaged or missing files after `nddb check` has found damage
///
/// Segments are rebuilt from their sibling tables; postings, key tables, summaries, runs and MANIFEST from the catalog.
/// The catalog itself cannot be rebuilt: if it is damaged, or all tables of a run of a set are, the exit code is 13;
/// then restore a backup, or load the archives into a new database.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb check crawl.nddb || nddb rebuild crawl.nddb")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    /// Rebuild all runs from the catalog, including sound ones
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    if FingerprintSet::is_at(&args.database.db) {
        set::refuse(&[("--all", args.all)])?;
        return set::rebuild(&args.database.db, global);
    }
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let meter = global.messages().meter("rebuild");
    let mut options = RebuildOptions {
        what: if args.all { RebuildWhat::All } else { RebuildWhat::Damaged },
        holder: database::holder("rebuild"),
        lock_wait: global.lock_wait.unwrap_or_default(),
        threads: global.threads(),
        ..RebuildOptions::default()
    };
    if let Some(bytes) = global.memory_limit {
        options.memory_limit = bytes;
    }
    let rebuilt = nddb::rebuild(&args.database.db, &options, &mut *meter.watch(true))?;
    global.summary(
        &meter,
        // Reference of rebuild: the object of `--json`
        json!({
            "changed": rebuilt.is_changed(),
            "generation": rebuilt.generation,
            "runs_kept": rebuilt.runs_kept,
            "segments": rebuilt.segments,
            "postings": rebuilt.postings,
            "key_tables": rebuilt.key_tables,
            "summaries": rebuilt.summaries,
            "runs": rebuilt.runs,
            "documents": rebuilt.documents,
            "fingerprints": rebuilt.fingerprints,
            "runs_dropped": rebuilt.runs_dropped,
            "manifest": rebuilt.manifest,
            "deletions": rebuilt.deletions,
            "commits_lost": rebuilt.commits_lost,
            "sorted_file": rebuilt.sorted_file,
            "counter": rebuilt.counter,
            "unreadable": rebuilt.unreadable, // why the catalog cannot be read
        }),
    )?;
    if rebuilt.commits_lost > 0 {
        let lost = counted(rebuilt.commits_lost, "commit");
        global.messages().warn(format!("the catalog has lost {lost}: their documents are gone, load them again"));
    }
    meter.finish(&summary(&rebuilt));
    if let Some(why) = &rebuilt.unreadable {
        let db = args.database.db.display();
        let message = format!("{db}: the catalog is damaged, which cannot be repaired from the database itself: {why}");
        return Err(Told::new(Code::Damage, message).hint(BRINGS_BACK).into());
    }
    Ok(Code::Done)
}

/// The hint against damage of the catalog.
const BRINGS_BACK: &str = "restore a backup of the database, or load its documents again into a new one; until then, what can be read is right";

fn summary(rebuilt: &Rebuilt) -> String {
    if !rebuilt.is_changed() {
        let runs = counted(rebuilt.runs_kept, "run");
        return if rebuilt.unreadable.is_some() {
            format!("runs: nothing to do, {runs} kept")
        } else {
            format!("nothing to do, {runs} sound")
        };
    }
    let made = [
        (rebuilt.segments, "segment"),
        (rebuilt.postings, "postings file"),
        (rebuilt.key_tables, "key table"),
        (rebuilt.summaries, "file of summaries"),
        (rebuilt.runs, "run"),
        (rebuilt.manifest.into(), "MANIFEST"),
        (rebuilt.deletions.into(), "deleted set"),
        (rebuilt.sorted_file.into(), "sorted file of the catalog"),
        (rebuilt.counter.into(), "count of documents"),
    ];
    let made: Vec<String> =
        made.iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(*count, what)).collect();
    let made = if made.is_empty() { "nothing".into() } else { made.join(", ") };
    let kept = counted(rebuilt.runs_kept, "run");
    let dropped = rebuilt.runs_dropped;
    let dropped = if dropped > 0 { format!(", {} dropped", counted(dropped, "run")) } else { String::new() };
    format!("made again: {made}; {kept} kept{dropped}")
}
