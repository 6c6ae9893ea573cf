//! `nddb sources`: the archives that documents were loaded from.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use nddb::archive::{self, ArchiveError, path_of, text_of};
use nddb::format::Archive;
use serde_json::json;

use crate::args::{Database, FromEnvironment, Global};
use crate::failure::{Code, Failure, Result};
use crate::output::{self, Output};
use crate::quantity::{bytes, counted};
use crate::{database, table};

/// List the archives that documents were loaded from, or record where they were moved
///
/// The database keeps no texts: show, text, report and methods that compare texts read them again from these files.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb sources ls crawl.nddb
  nddb sources move crawl.nddb /data/2025 /archive/crawls/2025
  nddb sources move crawl.nddb /data/2025 s3://crawls/2025")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the archives, with size, documents and state
    ///
    /// The state is: found; missing; refused (it may not be read); changed (another file is at the path, or the archive
    /// was modified); or partial (no load has read it to its end).
    Ls(Database),
    /// Tell the database that a file, or all files of a folder, were moved
    ///
    /// Changes only archives that are found at the new path with the same size and first and last bytes. The exit code
    /// is 3 if only some were changed, and 1 if none was.
    #[command(override_usage = "nddb sources move [OPTIONS] DB OLD NEW")]
    Move(MoveArgs),
}

/// Two paths.
#[derive(Debug, clap::Args)]
struct MoveArgs {
    /// The database, then the old path and the new one, of a file or a folder
    #[arg(value_name = "DB OLD NEW", required = true, num_args = 2..=3)]
    given: Vec<OsString>,
    #[command(flatten)]
    environment: FromEnvironment,
    /// Only print what would be changed
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: Args, global: &Global) -> Result<Code> {
    match args.what {
        Action::Ls(database) => list(&database, global),
        Action::Move(moved) => r#move(moved, global),
    }
}

fn list(database: &Database, global: &Global) -> Result<Code> {
    let reader = database::read(&database.db)?;
    let mut output = Output::stdout();
    let mut table = table::TextTable::new(&["documents", "size", "state", "path"]);
    for (number, archive) in reader.view().archives()? {
        let state = state(&archive, &path_of(&archive.path));
        if global.json {
            // Reference of sources ls: a line for each archive with `--json`
            output.json(&json!({
                "path": archive.path,
                "number": number,
                "size": archive.size,
                "documents": archive.documents,
                "state": state,
            }))?;
        } else {
            table.row(vec![archive.documents.to_string(), bytes(archive.size), state.into(), archive.path]);
        }
    }
    if !global.json {
        for line in table.lines() {
            output.line(&line)?;
        }
    }
    output.flush()?;
    Ok(Code::Done)
}

/// Returns the state of an archive that is expected at this path.
fn state(archive: &Archive, path: &Path) -> &'static str {
    match archive::identity(path) {
        Err(ArchiveError::Io { source, .. }) if source.kind() == io::ErrorKind::PermissionDenied => "refused",
        Err(_) => "missing",
        Ok(found) if !found.is_of(archive) => "changed",
        Ok(found) if !found.is_unmodified(archive) => "changed",
        Ok(_) if !archive.finished => "partial",
        Ok(_) => "found",
    }
}

fn r#move(args: MoveArgs, global: &Global) -> Result<Code> {
    let (db, given) = args.environment.split(args.given, "OLD NEW")?;
    let [old, new] = <[OsString; 2]>::try_from(given)
        .map_err(|given| Failure::usage(format!("expected OLD and NEW after the database, got {}", given.len())))?;
    let absolute = |path: OsString| {
        let path = PathBuf::from(path);
        archive::absolute(&path).map_err(|error| Failure::reading(&path, &error))
    };
    let (old, new) = (absolute(old)?, absolute(new)?);
    let archives = database::read(&db)?.view().archives()?;
    let (mut paths, mut lost) = (Vec::new(), 0_u64);
    for (number, archive) in &archives {
        let Some(path) = moved(&path_of(&archive.path), &old, &new) else { continue };
        let why = match archive::identity(&path) {
            Ok(found) if found.is_of(archive) => {
                paths.push((*number, text_of(&path)));
                continue;
            }
            Ok(_) => "another file",
            Err(_) => "not found",
        };
        global.messages().warn(format!("{}: {why}, left as it is", path.display()));
        lost += 1;
    }
    if paths.is_empty() && lost == 0 {
        let message = format!("{}: no document was loaded from there", old.display());
        return Err(Failure::failed(message));
    }
    if !args.dry_run && !paths.is_empty() {
        let mut writer = database::write(&db, "sources move", global)?;
        writer.move_archives(&paths)?;
        writer.close()?;
    }
    if global.json {
        // Reference of sources move: the object of `--json`
        output::print_json(&json!({
            "moved": paths.len(), // archives
            "left": lost, // files that were not changed
            "dry_run": args.dry_run,
        }))?;
    }
    let would = if args.dry_run { "would be " } else { "" };
    let count = counted(paths.len() as u64, "archive");
    global.messages().note(format!("sources move: {count} {would}moved to {}, {lost} left", new.display()));
    Ok(match (paths.len(), lost) {
        (_, 0) => Code::Done,
        (0, _) => Code::Failed,
        _ => Code::SomeSkipped,
    })
}

/// Returns the path of a file after `old` was moved to `new`; `None` if the file is neither `old` nor below it.
fn moved(path: &Path, old: &Path, new: &Path) -> Option<PathBuf> {
    let below = path.strip_prefix(old).ok()?;
    Some(if below.as_os_str().is_empty() { new.to_owned() } else { new.join(below) })
}
