//! `nddb man`: manual pages.

use std::path::PathBuf;

use crate::args::Global;
use crate::failure::{Code, Failure, Result};
use crate::output;
use crate::quantity::counted;

/// Write manual pages into a folder: nddb.1, and one for each command
///
/// They say what --help says.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb man man/man1 && man -l man/man1/nddb-load.1
  nddb man ~/.local/share/man/man1                where man looks for them")]
pub(crate) struct Args {
    /// The folder, which is made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes the pages of `command`, the whole command line.
pub(crate) fn run(args: &Args, command: clap::Command, global: &Global) -> Result<Code> {
    let failed = |error| Failure::writing(&args.folder.display().to_string(), &error);
    output::make_folder(&args.folder)?;
    clap_mangen::generate_to(command.clone(), &args.folder).map_err(failed)?;
    let pages = count(&command);
    global.messages().note(format!("man: {} in {}", counted(pages, "page"), args.folder.display()));
    Ok(Code::Done)
}

/// Number of a command and all below it.
fn count(command: &clap::Command) -> u64 {
    1 + command.get_subcommands().filter(|command| !command.is_hide_set()).map(count).sum::<u64>()
}
