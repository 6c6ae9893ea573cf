//! `nddb completions`: completion scripts for shells.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::failure::{Code, Result};
use crate::output::Output;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb completions bash > ~/.local/share/bash-completion/completions/nddb
  nddb completions zsh > ~/.zfunc/_nddb
  nddb completions fish > ~/.config/fish/completions/nddb.fish")]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &Args) -> Result<Code> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "nddb", &mut script);
    let mut output = Output::stdout();
    output.write(&script)?;
    output.flush()?;
    Ok(Code::Done)
}
