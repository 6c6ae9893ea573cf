//! What a command line names: its files must not be outputs of the command, too.

use std::any::TypeId;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use nddb_jobs::output::Outputs;

use crate::database::holder;
use crate::program::Program;

/// The arguments that name outputs, which commands register themselves.
const OUTPUTS: [&str; 8] = ["output", "removed", "removed_documents", "report", "skipped", "list", "html", "review"];

/// Registers the files that the arguments of a command name, and describes the command to others.
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
