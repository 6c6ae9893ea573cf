//! `nddb backup`, and the `restore` and `verify` below it.

mod store;

use std::ffi::OsString;
use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use nddb::{BackupReport, BackupSummary, CheckOptions, FingerprintSet, Retention};
use nddb_remote::{check_writable, is_remote};
use serde_json::json;

use self::store::{Backups, DATABASE};
use super::check::checked;
use crate::advice;
use crate::args::{FromEnvironment, Global};
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result};
use crate::interrupt;
use crate::messages::Meter;
use crate::output::Output;
use crate::quantity::{bytes, counted};

/// Back up a database into a new folder, restore a backup, or verify one
///
/// The backup is the state at one moment, with every commit acknowledged before it; a writer may be running. Files
/// become hard links if the file system allows it: to protect against a broken disk, back up to another one. The folder
/// gets its name when the backup is complete. Files that are new since the last backup in the same folder are compared
/// with their checksums; a damaged database is not backed up.
///
/// If DIR is an existing folder that is no backup, or ends with a slash, the backup is made in it, under the name of
/// the database and the date.
///
/// DIR may be a folder of an object store (s3://, gs://, az://), which then holds all backups of this database. Only
/// files that no earlier backup there has are sent. One command at a time may write there.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb backup [OPTIONS] DB DIR\n       nddb backup <COMMAND>",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  nddb backup crawl.nddb /backups/crawl-monday
  nddb backup crawl.nddb /backups/ --keep 7
  nddb backup verify /backups/crawl-monday
  nddb backup restore /backups/crawl-monday crawl-again.nddb
  nddb backup crawl.nddb s3://backups/crawl --keep 7
  nddb backup restore s3://backups/crawl crawl-again.nddb"
)]
pub(crate) struct Args {
    /// The database, then the folder to create, a folder for backups, or a folder of a store
    #[arg(value_name = "DB DIR", required = true, num_args = 1..=2)]
    given: Vec<OsString>,
    #[command(flatten)]
    environment: FromEnvironment,
    /// Then remove old backups of this database from the same folder, and keep the newest N sound ones
    ///
    /// All contents of the backups that are kept are verified first (in a store: size and tag of each file). Damaged
    /// ones do not count: they go when N newer ones are sound. Backups of other databases stay; a restored database is
    /// another one.
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
/// Every file is compared with the checksums of the backup. The database must not exist yet. It is a new one: --keep of
/// its backups does not remove those of the original. Of a folder of a store the newest backup is restored, or one of
/// its backups/. Restart processes that read an earlier database at the same path.
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
        let (sent, database) = backups.add(&db, &mut *meter.watch(true))?;
        let retention = args.keep.map_or_else(|| Ok(Retention::default()), |keep| backups.keep(keep, database))?;
        let (files, size) = (counted(sent.files, "new file"), bytes(sent.bytes));
        let told = format!("{} in {}: {files}, {size}", documents(&sent.summary, &db), sent.path.display());
        return finish(&told, &sent.summary, &sent.path, args.keep.and(Some(&retention)), global, &meter, &clock);
    }
    let target = place(&db, target)?;
    let watch = &mut *meter.watch(true);
    let (made, retention) = match args.keep {
        None => (nddb::backup(&db, &target, watch)?, None),
        Some(keep) => {
            let (made, retention) = nddb::backup_and_keep(&db, &target, keep, watch)?;
            (made, Some(retention))
        }
    };
    let told = format!("{} in {}", summary(&made, &db), target.display());
    finish(&told, &made, &target, retention.as_ref(), global, &meter, &clock)
}

/// Returns the path of the new backup: DIR, or a dated name in it if it is a folder for backups.
fn place(db: &Path, target: PathBuf) -> Result<PathBuf> {
    let failed = |error| Failure::writing(&target.display().to_string(), &error);
    let names_a_folder = target.as_os_str().as_bytes().ends_with(b"/");
    if names_a_folder && !target.exists() {
        fs::create_dir(&target).map_err(failed)?;
    }
    // A backup, or a database, is in the way, as a file is.
    let is_taken = || ["BACKUP", "MANIFEST", "catalog"].iter().any(|name| target.join(name).exists());
    if !target.is_dir() || is_taken() {
        return Ok(target);
    }
    // A database may be given by a link or as the working directory.
    let db = fs::canonicalize(db).unwrap_or_else(|_| db.to_owned());
    let stem = db.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let date = nddb::archive::format_date(i64::try_from(now).unwrap_or(i64::MAX)).replace(':', "-");
    let name = if stem.is_empty() { date } else { format!("{stem}-{date}") };
    let free = (1..).map(|count| if count == 1 { name.clone() } else { format!("{name}-{count}") });
    let free = free.map(|name| target.join(name)).find(|path| fs::symlink_metadata(path).is_err());
    free.ok_or_else(|| Failure::failed(format!("{}: no name is free", target.display())))
}

/// Tells that a backup was made, and what became of the earlier ones.
fn finish(
    told: &str,
    made: &BackupSummary,
    path: &Path,
    retention: Option<&Retention>,
    global: &Global,
    meter: &Meter,
    clock: &Clock,
) -> Result<Code> {
    let mut told = told.to_owned();
    if let Some(Retention { removed, others, damaged }) = retention {
        let part = |what: &str, paths: &[PathBuf]| {
            if paths.is_empty() { String::new() } else { format!("; {what} {}", listed(paths).join(", ")) }
        };
        told += &part("removed", removed);
        told += &part("damaged and left:", damaged);
        if *others > 0 {
            told += &format!("; left {} of other databases", counted(*others, "backup"));
        }
    }
    meter.finish(&told);
    print(made, path, retention, global, clock)
}

fn listed(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
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
    meter.finish(&format!("{} in {}", summary(&made, &args.db), args.db.display()));
    print(&made, &args.db, None, global, &clock)
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
        let is_set = FingerprintSet::is_at(args.backup.join(DATABASE));
        let checked = report.check.as_ref().map(|check| format!("{} in ", checked(check, is_set)));
        meter.finish(&format!("sound: {}{read}", checked.unwrap_or_default()));
        return Ok(Code::Done);
    }
    meter.finish(&format!("{} found in {read}", counted(faults, "fault")));
    Ok(Code::Damage)
}

fn begin(global: &Global, command: &'static str) -> Result<Meter> {
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    Ok(global.messages().meter(command))
}

fn summary(made: &BackupSummary, db: &Path) -> String {
    let linked = match made.linked {
        0 => String::new(),
        linked => format!(", {} of them as hard links", bytes(linked)),
    };
    format!("{}{linked},", documents(made, db))
}

fn documents(made: &BackupSummary, db: &Path) -> String {
    let unit = if FingerprintSet::is_at(db) { "fingerprint" } else { "document" };
    format!("{}, {}", counted(made.documents, unit), bytes(made.bytes))
}

fn print(
    made: &BackupSummary,
    path: &Path,
    retention: Option<&Retention>,
    global: &Global,
    clock: &Clock,
) -> Result<Code> {
    if global.json {
        let Retention { removed, others, damaged } = retention.cloned().unwrap_or_default();
        // Reference of backup: the object of `--json`, as of `backup restore`
        crate::output::print_json(&json!({
            "documents": made.documents, // of a set the fingerprints of all runs
            "commits": made.commits,
            "generation": made.generation,
            "files": made.files,
            "bytes": made.bytes,
            "linked": made.linked, // bytes of hard links
            "path": path.display().to_string(),
            "removed": listed(&removed), // backups, with --keep
            "damaged": listed(&damaged), // backups
            "others": others, // backups of other databases
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
            // Reference of backup verify: a fault with `--json`
            output.json(&json!({
                "file": file,
                "place": fault.location,
                "what": fault.what,
                "next": advice::next_step(&fault.next), // what to do
            }))?;
        } else {
            output.line(&advice::fault(fault))?;
        }
    }
    let len = faults().count() as u64 + omitted;
    if global.json {
        // Reference of backup verify: the object of `--json`
        output.json(&json!({
            "sound": is_sound,
            "faults": len,
            "files": report.files,
            "bytes": report.bytes,
            "documents": checked.map(|check| check.documents),
            "fingerprints": checked.map(|check| check.fingerprints), // of all tables
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
