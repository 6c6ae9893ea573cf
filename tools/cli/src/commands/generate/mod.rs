//! `nddb generate`: manual pages and completion scripts, for those who package or install the command.

mod completions;
mod man;

use crate::args::Global;
use crate::failure::{Code, Result};

/// Generate manual pages, or a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb generate man man/man1 && man -l man/man1/nddb-load.1
  nddb generate man ~/.local/share/man/man1
  nddb generate completions bash > ~/.local/share/bash-completion/completions/nddb
  nddb generate completions zsh > ~/.zfunc/_nddb
  nddb generate completions fish > ~/.config/fish/completions/nddb.fish")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Man(man::Args),
    Completions(completions::Args),
}

/// Generates the files for `nddb`.
pub(crate) fn run(args: &Args, nddb: clap::Command, global: &Global) -> Result<Code> {
    match &args.what {
        What::Man(args) => man::run(args, nddb, global),
        What::Completions(args) => completions::run(args, nddb),
    }
}
