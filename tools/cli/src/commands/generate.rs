//! `nddb generate`: manual pages and completion scripts, for those who package or install the command.

use std::path::{Path, PathBuf};

use clap_complete::Shell;
use nddb_jobs::output::OutputFolder;

use crate::args::Global;
use crate::failure::{Code, Failure, Result};
use crate::output::Output;
use crate::quantity::counted;

/// Generate manual pages, or a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb generate man man/man1 && man -l man/man1/nddb-load.1
  nddb generate completions bash > ~/.local/share/bash-completion/completions/nddb")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Man(ManArgs),
    Completions(CompletionsArgs),
}

/// Generates the files for `nddb`.
pub(crate) fn run(args: &Args, nddb: clap::Command, global: &Global) -> Result<Code> {
    match &args.what {
        What::Man(args) => man(args, nddb, global),
        What::Completions(args) => completions(args, nddb),
    }
}

/// Write manual pages into a folder: nddb.1, and one for each command
///
/// Each page has the text of --help.
#[derive(Debug, clap::Args)]
struct ManArgs {
    /// The folder; it is created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes the manual pages of this command line.
fn man(args: &ManArgs, mut command: clap::Command, global: &Global) -> Result<Code> {
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

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Prints the completion script of `command`, the whole command line.
fn completions(args: &CompletionsArgs, mut command: clap::Command) -> Result<Code> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "nddb", &mut script);
    let mut output = Output::stdout();
    output.write(&script)?;
    output.flush()?;
    Ok(Code::Done)
}
