//! `nddb lab`: tools for developers of a method: fitting, and the constants of the papers.

mod fit;

use super::{cluster, eval, pairs};
use crate::args::Global;
use crate::failure::{Code, Result};
use crate::paper_options::PaperOptions;

/// Fit the default verdict to labelled pairs, and run methods with other constants than the papers'
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Fit(fit::Args),
    /// `nddb pairs` with options for the constants of the papers
    #[command(after_help = "\
Examples:
  nddb lab pairs crawl.nddb --method lcs --exhaustive")]
    Pairs(With<pairs::Args>),
    /// `nddb cluster` with options for the constants of the papers
    #[command(after_help = "\
Examples:
  nddb lab cluster crawl.nddb --method lcs --denominator dice -o clusters")]
    Cluster(With<cluster::Args>),
    /// `nddb eval` with options for the constants of the papers
    #[command(after_help = "\
Examples:
  nddb lab eval --docs docs.jsonl.zst --pairs pairs.tsv --methods lcs --smallest 3")]
    Eval(With<eval::Args>),
}

/// A command, and the constants that it takes besides.
#[derive(Debug, clap::Args)]
struct With<A: clap::Args> {
    #[command(flatten)]
    args: A,
    #[command(flatten)]
    paper: PaperOptions,
}

pub(crate) fn run(args: Args, global: &Global) -> Result<Code> {
    match args.command {
        Command::Fit(args) => fit::run(&args, global),
        Command::Pairs(With { args, paper }) => pairs::run(&args.with(paper), global),
        Command::Cluster(With { args, paper }) => cluster::run(&args.with(paper), global),
        Command::Eval(With { args, paper }) => eval::run(&args.with(paper), global),
    }
}
