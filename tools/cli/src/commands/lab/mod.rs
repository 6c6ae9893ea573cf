//! `nddb lab`: what developers of a verdict need.

mod fit;

use crate::args::Global;
use crate::failure::{Code, Result};

/// Fit the default verdict to labelled pairs
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Fit(fit::Args),
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    match &args.command {
        Command::Fit(args) => fit::run(args, global),
    }
}
