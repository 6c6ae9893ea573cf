//! `nddb completions`: completion scripts for shells.

use clap_complete::Shell;

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

/// Prints the completion script of `command`, the whole command line.
pub(crate) fn run(args: &Args, mut command: clap::Command) -> Result<Code> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "nddb", &mut script);
    let mut output = Output::stdout();
    output.write(&script)?;
    output.flush()?;
    Ok(Code::Done)
}
