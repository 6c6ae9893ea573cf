//! `nddb backup`, and the `restore` and `verify` below it.

mod store;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use nddb::{BackupReport, BackupSummary, CheckOptions};
use nddb_remote::{check_writable, is_remote};
use serde_json::json;

use self::store::Backups;
use crate::args::{FromEnvironment, Global};
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result};
use crate::interrupt;
use crate::messages::Meter;
use crate::output::Output;
use crate::quantity::{bytes, counted};

/// Back up a database into a new folder, restore a backup, or verify one
///
/// The backup is the state at one moment, with every commit acknowledged before it; a writer may be running. Immutable
/// files become hard links if the file system allows it, so a backup on the same disk takes little time and space. To
/// protect against a broken disk, back up to another one. The folder gets its name when the backup is complete:
/// any folder of that name can be restored.
///
/// DIR may be a folder of an object store (s3://, gs://, az://), which then holds all backups of this database, numbered
/// from backups/00000001. Only files that no earlier backup has are sent. One command at a time may write there.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb backup [OPTIONS] DB DIR\n       nddb backup <COMMAND>",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  nddb backup crawl.nddb /backups/crawl-monday
  nddb backup crawl.nddb /backups/crawl-$(date +%F) --keep 7
  nddb backup verify /backups/crawl-monday
  nddb backup restore /backups/crawl-monday crawl-again.nddb
  nddb backup crawl.nddb s3://backups/crawl --keep 7
  nddb backup restore s3://backups/crawl crawl-again.nddb"
)]
pub(crate) struct Args {
    /// The database, then the folder to create, or a folder of a store
    #[arg(value_name = "DB DIR", required = true, num_args = 1..=2)]
    given: Vec<OsString>,
    #[command(flatten)]
    environment: FromEnvironment,
    /// Then remove all backups of this database in the same folder but the newest N
    ///
    /// Backups of other databases, incomplete ones and all other files stay.
    #[arg(long, value_name = "N")]
    keep: Option<NonZeroUsize>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Restore(RestoreArgs),
    Verify(VerifyArgs),
}

/// Make a new database from a backup
///
/// Every file is compared with the checksums of the backup. The database must not exist yet; it appears when it is
/// complete. The backup is not changed. Of a folder of a store it is the newest backup, or one of its backups/.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb backup restore /backups/crawl-monday crawl-again.nddb
  mv crawl.nddb crawl-broken.nddb && nddb backup restore /backups/crawl-monday crawl.nddb
  nddb backup restore s3://backups/crawl/backups/00000007 crawl-again.nddb")]
struct RestoreArgs {
    /// The backup, a folder, also of a store
    #[arg(value_name = "DIR")]
    backup: PathBuf,
    /// The database to create
    #[arg(value_name = "DB")]
    db: PathBuf,
}

/// Verify a backup: the checksum of every file, then the database in it as `nddb check` does
///
/// Prints one fault per line. The exit code is 0 if the backup is sound and 13 otherwise. Of a backup in a store only
/// the files are compared; to check the database, too, restore it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb backup verify /backups/crawl-monday
  nddb backup verify /backups/crawl-monday --sample-recall 10000
  nddb backup verify s3://backups/crawl")]
struct VerifyArgs {
    /// The backup, a folder, also of a store
    #[arg(value_name = "DIR")]
    backup: PathBuf,
    /// Run N queries near stored fingerprints, and compare the answers with those of a full scan
    #[arg(long, value_name = "N")]
    sample_recall: Option<u64>,
}

pub(crate) fn run(args: Args, global: &Global) -> Result<Code> {
    match &args.command {
        Some(Command::Restore(args)) => restore(args, global),
        Some(Command::Verify(args)) => verify(args, global),
        None => back_up(args, global),
    }
}

fn back_up(args: Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let (db, target) = args.environment.split_one(args.given, "DIR")?;
    let meter = begin(global, "backup")?;
    let target = PathBuf::from(target);
    if is_remote(&target) {
        check_writable(&target).map_err(|error| Failure::writing(&target.display().to_string(), &error))?;
        let mut backups = Backups::list(&target)?;
        let sent = backups.add(&db, &mut *meter.watch(true))?;
        let removed = args.keep.map_or_else(|| Ok(Vec::new()), |keep| backups.keep(keep))?;
        let (files, size) = (counted(sent.files, "new file"), bytes(sent.bytes));
        let told = format!("{} in {}: {files}, {size}", documents(&sent.summary), sent.path.display());
        return finish(&told, &sent.summary, &removed, global, &meter, &clock);
    }
    let made = nddb::backup(&db, &target, &mut *meter.watch(true))?;
    let removed = args.keep.map_or_else(|| Ok(Vec::new()), |keep| nddb::remove_old_backups(&target, keep))?;
    finish(&format!("{} in {}", summary(&made), target.display()), &made, &removed, global, &meter, &clock)
}

/// Tells that a backup was made, and which ones were removed.
fn finish(
    told: &str,
    made: &BackupSummary,
    removed: &[PathBuf],
    global: &Global,
    meter: &Meter,
    clock: &Clock,
) -> Result<Code> {
    let names: Vec<String> = removed.iter().map(|backup| backup.display().to_string()).collect();
    let old = if names.is_empty() { String::new() } else { format!("; removed {}", names.join(", ")) };
    meter.finish(&format!("{told}{old}"));
    print(made, &names, global, clock)
}

fn restore(args: &RestoreArgs, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let meter = begin(global, "backup restore")?;
    let watch = &mut *meter.watch(true);
    let made = if is_remote(&args.backup) {
        let (backups, number) = Backups::find(&args.backup)?;
        backups.restore(number, &args.db, watch)?
    } else {
        nddb::restore(&args.backup, &args.db, watch)?
    };
    meter.finish(&format!("{} in {}", summary(&made), args.db.display()));
    print(&made, &[], global, &clock)
}

fn verify(args: &VerifyArgs, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let meter = begin(global, "backup verify")?;
    let options =
        CheckOptions { sample_recall: args.sample_recall, threads: global.threads(), ..CheckOptions::default() };
    let report = if is_remote(&args.backup) {
        if args.sample_recall.is_some() {
            return Err(Failure::usage("--sample-recall needs a database: restore the backup, and run 'nddb check'"));
        }
        let (backups, number) = Backups::find(&args.backup)?;
        let (faults, files, bytes) = backups.verify(number, &mut *meter.watch(true))?;
        BackupReport { faults, files, bytes, check: None }
    } else {
        nddb::verify_backup(&args.backup, &options, &mut *meter.watch(true))?
    };
    let is_sound = if is_remote(&args.backup) { report.faults.is_empty() } else { report.is_sound() };
    let faults = print_faults(&report, is_sound, global, &clock)?;
    let read = format!("{}, {}", counted(report.files, "file"), bytes(report.bytes));
    if is_sound {
        let documents = report.check.as_ref().map(|check| format!("{} in ", counted(check.documents, "document")));
        meter.finish(&format!("sound: {}{read}", documents.unwrap_or_default()));
        return Ok(Code::Done);
    }
    meter.finish(&format!("{} found in {read}", counted(faults, "fault")));
    Ok(Code::Damage)
}

fn begin(global: &Global, command: &'static str) -> Result<Meter> {
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    Ok(global.messages().meter(command))
}

fn summary(made: &BackupSummary) -> String {
    let linked = match made.linked {
        0 => String::new(),
        linked => format!(", {} of them as hard links", bytes(linked)),
    };
    format!("{}{linked},", documents(made))
}

fn documents(made: &BackupSummary) -> String {
    format!("{}, {}", counted(made.documents, "document"), bytes(made.bytes))
}

fn print(made: &BackupSummary, removed: &[String], global: &Global, clock: &Clock) -> Result<Code> {
    if global.json {
        crate::output::print_json(&json!({
            "documents": made.documents,
            "commits": made.commits,
            "generation": made.generation,
            "files": made.files,
            "bytes": made.bytes,
            "linked": made.linked,
            "removed": removed,
            "seconds": clock.seconds(),
        }))?;
    }
    Ok(Code::Done)
}

/// Prints the faults, and the summary of `--json`. Returns their number.
fn print_faults(report: &BackupReport, is_sound: bool, global: &Global, clock: &Clock) -> Result<u64> {
    let checked = report.check.as_ref();
    let omitted = checked.map_or(0, |check| check.omitted);
    let mut output = Output::stdout();
    let faults = || report.faults.iter().chain(checked.into_iter().flat_map(|check| &check.faults));
    for fault in faults() {
        if global.json {
            let file = fault.path.display().to_string();
            output.json(&json!({"file": file, "place": fault.location, "what": fault.what, "next": fault.next}))?;
        } else {
            output.line(&fault.to_string())?;
        }
    }
    let len = faults().count() as u64 + omitted;
    if global.json {
        output.json(&json!({
            "sound": is_sound,
            "faults": len,
            "files": report.files,
            "bytes": report.bytes,
            "documents": checked.map(|check| check.documents),
            "generation": checked.and_then(|check| check.generation),
            "queries": checked.and_then(|check| check.queries),
            "seconds": clock.seconds(),
        }))?;
    } else if omitted > 0 {
        output.line(&format!("and {} in the same files", counted(omitted, "more fault")))?;
    }
    output.flush()?;
    Ok(len)
}
