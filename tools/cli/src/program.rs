//! What a program of commands has in common with `nddb`: a command line, the execution of its commands, its version, and
//! what a command line names.

use std::any::TypeId;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::{ArgMatches, CommandFactory, FromArgMatches};
use nddb_jobs::output::Outputs;

use crate::args::Global;
use crate::database::holder;
use crate::failure::{Code, Result};
use crate::topics;

/// A program of commands that share the options of all commands.
pub trait Program: CommandFactory + FromArgMatches {
    /// The command line that is parsed.
    fn command_line() -> clap::Command {
        topics::add(Self::command())
    }

    /// Returns the options of all commands.
    fn global(&self) -> &Global;

    /// Runs the command that was parsed.
    fn run(self) -> Result<Code>;
}

/// The version, the commit if the build names it (`NDDB_COMMIT`, as that of a release does), the optional features, and
/// the instructions that inner loops use here.
pub static VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("NDDB_COMMIT").unwrap_or("local build");
    let cloud = if cfg!(feature = "cloud") { "cloud" } else { "without cloud" };
    let parquet = if cfg!(feature = "parquet") { "parquet" } else { "without parquet" };
    format!("{} ({commit}, {cloud}, {parquet}, {})", env!("CARGO_PKG_VERSION"), nddb_format::cpu::version())
});

/// The arguments that name outputs, which commands register themselves.
const OUTPUTS: [&str; 8] = ["output", "removed", "removed_documents", "report", "skipped", "list", "html", "review"];

/// Registers the files that the arguments of a command name, which must not be its outputs, and describes the command
/// to others.
pub(crate) fn register<P: Program>(given: &ArgMatches, outputs: &Outputs) {
    let (mut command, mut given, mut name) = (P::command_line(), given, String::new());
    while let Some((called, below)) = given.subcommand() {
        let Some(found) = command.find_subcommand(called).cloned() else { break };
        (command, given) = (found, below);
        name = format!("{name} {called}");
    }
    outputs.hold_as(holder(name.trim_start()));
    for argument in command.get_arguments() {
        let kind = argument.get_value_parser().type_id();
        let is_path = kind == TypeId::of::<PathBuf>() || kind == TypeId::of::<OsString>();
        let id = argument.get_id().as_str();
        if !is_path || OUTPUTS.contains(&id) {
            continue;
        }
        let read_as = argument.get_long().map_or_else(|| "an input".to_owned(), |long| format!("the file of --{long}"));
        for value in given.try_get_raw(id).ok().flatten().into_iter().flatten() {
            outputs.reads(&read_as, Path::new(value));
        }
    }
}
