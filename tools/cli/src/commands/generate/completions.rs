//! `nddb generate completions`: completion scripts for shells.

use clap_complete::Shell;

use crate::failure::{Code, Result};
use crate::output::Output;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

/// Prints the completion script of `command`, the whole command line.
pub(super) fn run(args: &Args, mut command: clap::Command) -> Result<Code> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "nddb", &mut script);
    let mut output = Output::stdout();
    output.write(&script)?;
    output.flush()?;
    Ok(Code::Done)
}
