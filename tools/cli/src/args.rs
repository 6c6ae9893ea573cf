//! Arguments shared by all commands: global options and the path of the database.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgAction, Args};
use nddb::archive::Format;
use nddb_jobs::opened_documents::is_database;
use nddb_jobs::output::{self, Destination, Outputs};
use nddb_jobs::scratch::Scratch;
use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::messages::{Messages, Meter, Style};
use crate::output::print_json;
use crate::{interrupt, quantity};

/// The least memory that commands work with.
const MEMORY_MIN: u64 = 1 << 20;

/// Options that every command takes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Options of all commands")]
pub struct Global {
    /// Number of threads [default: one per processor]
    #[arg(long, global = true, value_name = "N", value_parser = quantity::at_least_one::<NonZeroUsize>)]
    pub threads: Option<NonZeroUsize>,
    /// Memory for sorting and joining, in addition to the catalog's caches and some bytes per document: 512M, 2G; at
    /// least 1M
    #[arg(long, global = true, value_name = "SIZE", value_parser = memory)]
    pub memory_limit: Option<u64>,
    /// Folder for temporary files [default: TMPDIR, or else the system's]
    #[arg(long, global = true, value_name = "FOLDER")]
    pub tmp_dir: Option<PathBuf>,
    /// How long to wait for another writer of the database: 500ms, 30s, 10m, 2h [default: do not wait]
    #[arg(long, global = true, value_name = "TIME", value_parser = quantity::time)]
    pub lock_wait: Option<Duration>,
    /// How to show progress on stderr
    #[arg(long, global = true, value_enum, default_value_t, value_name = "STYLE", hide_possible_values = false)]
    pub progress: Style,
    /// Print summaries as JSON on stdout, or on stderr if the data goes to stdout
    #[arg(long, global = true)]
    pub json: bool,
    /// Print only errors and warnings
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print more messages
    #[arg(short, long, global = true, action = ArgAction::SetTrue)]
    pub verbose: bool,
    /// What the command reads and writes.
    #[arg(skip)]
    pub outputs: Outputs,
}

impl Global {
    /// The writer of stderr that the user wants.
    pub fn messages(&self) -> Messages {
        Messages::new(self.progress, self.quiet, self.verbose)
    }

    /// Prepares the process for a command: sets the user's folder for temporary files, and raises the limit of open
    /// files.
    pub fn prepare(&self) -> Result<()> {
        self.place_temporary_files()?;
        interrupt::survive_file_size_limit().map_err(|error| Failure::failed(format!("a signal: {error}")))?;
        match nddb::raise_open_files() {
            Ok(limit) => self.messages().detail(format!("up to {limit} files may be open")),
            Err(error) => self.messages().warn(format!("the limit on open files cannot be raised: {error}")),
        }
        Ok(())
    }

    fn place_temporary_files(&self) -> Result<()> {
        let Some(folder) = &self.tmp_dir else { return Ok(()) };
        if !folder.is_dir() {
            return Err(Failure::usage(format!("--tmp-dir {}: not a folder", folder.display())));
        }
        // The call fails if the folder is already set.
        tempfile::env::override_temp_dir(folder)
            .map_err(|already| Failure::usage(format!("temporary files are already written to {}", already.display())))
    }

    /// Returns where the output of an option goes; without the option, to stdout.
    pub fn output(&self, option: &str, path: Option<&Path>) -> Result<Destination> {
        path.map_or_else(|| Ok(self.outputs.stdout()), |path| Ok(self.outputs.file(option, path)?))
    }

    /// Returns where a page goes.
    pub fn page(&self, option: &str, path: Option<&Path>) -> Result<Destination> {
        let to = self.output(option, path)?;
        path.map_or(Ok(()), output::check_page)?;
        Ok(to)
    }

    /// Returns where lines of JSON go, which are written in no other format.
    pub(crate) fn json_lines(&self, option: &str, path: Option<&Path>) -> Result<Destination> {
        let to = self.output(option, path)?;
        path.map_or(Ok(()), |path| output::check_format(path, &[Format::Jsonl]))?;
        Ok(to)
    }

    /// Returns where a list of ids goes.
    pub(crate) fn list(&self, option: &str, path: &Path) -> Result<Destination> {
        let to = self.output(option, Some(path))?;
        output::check_list(path)?;
        Ok(to)
    }

    /// Prints the summary of a command, if it is wanted: on stdout, or on stderr if an output of the command goes to
    /// stdout. The last object of `--progress json` has it, too.
    pub fn summary(&self, meter: &Meter, value: Value) -> Result<()> {
        match self.json {
            true if self.outputs.is_stdout_taken() => self.messages().json(&value),
            true => print_json(&value)?,
            false => (),
        }
        meter.set_summary(value);
        Ok(())
    }

    /// Makes a folder for temporary files, which is removed when the returned value is dropped.
    pub fn temporary_folder(&self) -> Result<Scratch> {
        self.temporary_folder_in(&tempfile::env::temp_dir())
    }

    /// Makes a folder for temporary files in another one, as [`Global::temporary_folder`] does.
    pub fn temporary_folder_in(&self, parent: &Path) -> Result<Scratch> {
        Scratch::in_folder(parent).map_err(|error| Failure::writing(&parent.display().to_string(), &error))
    }

    /// Number of threads to work with.
    pub fn threads(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.threads.map_or_else(processors, NonZeroUsize::get)
    }
}

/// The database of a command without other positional arguments.
#[derive(Clone, Debug, Args)]
pub(crate) struct Database {
    /// The database
    #[arg(value_name = "DB", env = "NDDB_DB", hide_env_values = true)]
    pub(crate) db: PathBuf,
}

/// The databases of a command without other positional arguments.
#[derive(Clone, Debug, Args)]
pub(crate) struct Databases {
    /// The database; several are searched as one
    #[arg(value_name = "DB", env = "NDDB_DB", hide_env_values = true, required = true, num_args = 1..)]
    pub(crate) dbs: Vec<PathBuf>,
}

/// The database that `NDDB_DB` names, for commands with further positional arguments.
#[derive(Clone, Debug, Args)]
pub struct FromEnvironment {
    #[arg(long = "db", env = "NDDB_DB", hide = true)]
    db: Option<PathBuf>,
}

impl FromEnvironment {
    /// Separates the database from the other arguments. The user may omit `DB` if the environment names it. A first
    /// argument that is a database is used as `DB` in any case.
    pub fn split(&self, mut given: Vec<OsString>, what: &str) -> Result<(PathBuf, Vec<OsString>)> {
        let db = match &self.db {
            Some(db) if !given.first().is_some_and(|first| is_database(first.as_ref())) => db.clone(),
            None if given.is_empty() => {
                return Err(Failure::usage(format!(
                    "missing argument: DB {what}; or set NDDB_DB to name the database"
                )));
            }
            _ => given.remove(0).into(),
        };
        if given.is_empty() && !what.is_empty() {
            return Err(Failure::usage(format!("missing argument: {what} after the database {}", db.display())));
        }
        Ok((db, given))
    }

    /// The same as [`FromEnvironment::split`], for exactly one argument after the database.
    pub fn split_one(&self, mut given: Vec<OsString>, what: &str) -> Result<(PathBuf, OsString)> {
        if given.len() == 2 {
            let last = given.remove(1);
            return Ok((given.remove(0).into(), last));
        }
        let (db, mut rest) = self.split(given, what)?;
        match rest.len() {
            1 => Ok((db, rest.remove(0))),
            given => Err(Failure::usage(format!("expected one {what}, got {given}"))),
        }
    }
}

/// Arguments that must be text: ids and names.
pub(crate) fn texts(given: Vec<OsString>) -> Result<Vec<String>> {
    let text = |arg: OsString| {
        arg.into_string().map_err(|arg| Failure::usage(format!("not UTF-8: {}", arg.to_string_lossy())))
    };
    given.into_iter().map(text).collect()
}

/// Reads a memory limit. Below the minimum, buffers of fixed size would exceed the limit.
fn memory(text: &str) -> std::result::Result<u64, String> {
    let size = quantity::size(text)?;
    if size < MEMORY_MIN { Err("must be at least 1M".into()) } else { Ok(size) }
}
