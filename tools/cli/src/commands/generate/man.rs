//! `nddb generate man`: manual pages.

use std::path::{Path, PathBuf};

use nddb_jobs::output::OutputFolder;

use crate::args::Global;
use crate::failure::{Code, Failure, Result};
use crate::output::Output;
use crate::quantity::counted;

/// Write manual pages into a folder: nddb.1, and one for each command
///
/// Each page has the text of --help.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder; it is created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes the pages of this command line.
pub(super) fn run(args: &Args, mut command: clap::Command, global: &Global) -> Result<Code> {
    let folder = global.outputs.folder("DIR", &args.folder)?;
    command.build();
    write(&folder, &command)?;
    global.messages().note(format!("man: {} in {}", counted(count(&command), "page"), args.folder.display()));
    Ok(Code::Done)
}

/// Writes the page of a command, and those of all below it.
fn write(folder: &OutputFolder, command: &clap::Command) -> Result<()> {
    let page = clap_mangen::Man::new(command.clone());
    let mut output = Output::create(&folder.file(Path::new(&page.get_filename()))?)?;
    page.render(&mut output).map_err(|error| Failure::unwritten(&error))?;
    output.finish()?;
    command.get_subcommands().filter(|command| !command.is_hide_set()).try_for_each(|below| write(folder, below))
}

/// Number of a command and all below it.
fn count(command: &clap::Command) -> u64 {
    1 + command.get_subcommands().filter(|command| !command.is_hide_set()).map(count).sum::<u64>()
}
