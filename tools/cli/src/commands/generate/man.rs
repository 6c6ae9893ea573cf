//! `nddb generate man`: manual pages.

use std::path::PathBuf;

use crate::args::Global;
use crate::failure::{Code, Failure, Result};
use crate::output;
use crate::quantity::counted;

/// Write manual pages into a folder: nddb.1, nddb-lab.1, and one for each of their commands
///
/// Each page has the text of --help.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder; it is created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes the pages of these command lines.
pub(super) fn run(args: &Args, commands: &[clap::Command], global: &Global) -> Result<Code> {
    let failed = |error| Failure::writing(&args.folder.display().to_string(), &error);
    output::make_folder(&args.folder)?;
    for command in commands {
        clap_mangen::generate_to(command.clone(), &args.folder).map_err(failed)?;
    }
    let pages = commands.iter().map(count).sum();
    global.messages().note(format!("man: {} in {}", counted(pages, "page"), args.folder.display()));
    Ok(Code::Done)
}

/// Number of a command and all below it.
fn count(command: &clap::Command) -> u64 {
    1 + command.get_subcommands().filter(|command| !command.is_hide_set()).map(count).sum::<u64>()
}
