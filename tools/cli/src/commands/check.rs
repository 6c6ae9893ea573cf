//! `nddb check`: reads the whole database and lists all damage.

use std::path::Path;

use nddb::{CheckOptions, CheckReport, FingerprintSet};
use serde_json::json;

use super::set;
use crate::advice;
use crate::args::{Database, Global};
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result};
use crate::interrupt;
use crate::messages::Messages;
use crate::output::Output;
use crate::quantity::{bytes, counted, grouped};

/// Check a database: every checksum, order, count and digest, and the catalog against the runs
///
/// Prints one fault per line, with its file and the next step. The exit code is 0 if the database
/// is sound and 13 if not. It neither locks nor changes the database, so a writer may be running, and records when it
/// ran, for 'nddb stats'.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb check crawl.nddb
  nddb check crawl.nddb --sample-recall 10000     compare answers with those of a full scan")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    /// Run N queries near stored fingerprints, and compare the answers with those of a full scan
    #[arg(long, value_name = "N")]
    sample_recall: Option<u64>,
    /// Seed that selects the queries
    #[arg(long, value_name = "N", default_value_t = 1, requires = "sample_recall")]
    seed: u64,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let messages = global.messages();
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let meter = messages.meter("check");
    let options = CheckOptions { sample_recall: args.sample_recall, seed: args.seed, threads: global.threads() };
    let is_set = FingerprintSet::is_at(&args.database.db);
    let report = if is_set {
        set::refuse(&[("--sample-recall", args.sample_recall.is_some())])?;
        set::check(&args.database.db, &meter, global)?
    } else {
        nddb::check(&args.database.db, &options, &mut *meter.watch(true))?
    };
    report.record(&args.database.db);
    print(&report, global, &messages, &clock)?;
    let asked = report.queries.map_or(String::new(), |queries| {
        format!(", {} asked with {} right", counted(queries, "query"), counted(report.matches, "document"))
    });
    let read =
        format!("{} in {}, {}{asked}", checked(&report, is_set), counted(report.runs, "run"), bytes(report.bytes));
    if report.is_sound() {
        meter.finish(&format!("sound: {read}"));
        return Ok(Code::Done);
    }
    let faults = report.faults.len() as u64 + report.omitted;
    meter.finish(&format!("{} found: {read}", counted(faults, "fault")));
    // Each fault of a set says what to do.
    if !is_set {
        messages.hint(&hint(&report, &args.database.db));
    }
    Ok(Code::Damage)
}

/// Returns what was checked, of a set or of a database.
pub(super) fn checked(report: &CheckReport, is_set: bool) -> String {
    match is_set {
        true => format!("{} of all tables", counted(report.fingerprints, "fingerprint")),
        false => counted(report.documents, "document"),
    }
}

/// Returns the hint for all faults together. A rebuild cannot repair the catalog; it would only make runs from the
/// remains of the catalog.
fn hint(report: &CheckReport, db: &Path) -> String {
    if report.faults.iter().all(|fault| fault.repairable) {
        return format!("'nddb rebuild {}' makes damaged files again from the catalog", db.display());
    }
    "the catalog is damaged, which 'nddb rebuild' cannot repair: restore a backup of the database, or load its \
     documents again into a new one"
        .into()
}

/// Prints faults, and the summary of `--json`.
fn print(report: &CheckReport, global: &Global, messages: &Messages, clock: &Clock) -> Result<()> {
    let mut output = Output::stdout();
    for fault in &report.faults {
        if global.json {
            let file = fault.path.display().to_string();
            // Reference of check: a fault with `--json`
            output.json(&json!({
                "file": file,
                "place": fault.location,
                "what": fault.what,
                "next": advice::next_step(&fault.next), // what to do
                "repairable": fault.repairable, // by `rebuild`
            }))?;
        } else {
            output.line(&advice::fault(fault))?;
        }
    }
    if report.omitted > 0 && !global.json {
        output.line(&format!("and {} more in the same files", grouped(report.omitted)))?;
    }
    if global.json {
        // Reference of check: the object of `--json`
        output.json(&json!({
            "sound": report.is_sound(),
            "faults": report.faults.len(),
            "omitted": report.omitted, // further faults of the same files
            "notes": report.notes,
            "generation": report.generation,
            "runs": report.runs,
            "files": report.files,
            "bytes": report.bytes,
            "fingerprints": report.fingerprints,
            "rows": report.rows,
            "documents": report.documents,
            "queries": report.queries, // of --sample-recall
            "matches": report.matches, // of these queries
            "seconds": clock.seconds(),
            "cpu_seconds": clock.cpu_seconds(),
            "busiest_thread": clock.busiest_thread(),
        }))?;
    }
    output.flush()?;
    for note in &report.notes {
        messages.note(format!("check: {note}"));
    }
    Ok(())
}
