//! `nddb-lab`: calibration, experiments with the papers' methods, and commands on single files of a database.

mod fit;
mod resolve;
mod scan;
mod segment;
mod tune;

use clap::{Parser, Subcommand};

use super::{cluster, eval, pairs};
use crate::args::Global;
use crate::failure::{Code, Result};
use crate::paper_options::PaperOptions;
use crate::program::Program;

/// Calibrate verdicts, run the papers' methods with other constants, and read single files of an nddb database
///
/// These commands are for developers of a method, readers of the papers, and engines that distribute work. Everything
/// else is a command of nddb.
#[derive(Debug, Parser)]
#[command(name = "nddb-lab", version, max_term_width = 100)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// The commands of `nddb-lab`.
#[derive(Debug, Subcommand)]
enum Command {
    Fit(fit::Args),
    Tune(tune::Args),
    /// `nddb pairs` with options for the constants of the papers
    #[command(after_help = "\
Examples:
  nddb-lab pairs crawl.nddb --method lcs --exhaustive")]
    Pairs(With<pairs::Args>),
    /// `nddb cluster` with options for the constants of the papers
    #[command(after_help = "\
Examples:
  nddb-lab cluster crawl.nddb --method lcs --denominator dice -o clusters")]
    Cluster(With<cluster::Args>),
    /// `nddb eval` with options for the constants of the papers
    #[command(after_help = "\
Examples:
  nddb-lab eval --docs docs.jsonl.zst --pairs pairs.tsv --methods lcs --smallest 3")]
    Eval(With<eval::Args>),
    Segment(segment::Args),
    Scan(scan::Args),
    Resolve(resolve::Args),
}

/// The arguments of a command of `nddb`, and the constants of the papers.
#[derive(Debug, clap::Args)]
struct With<A: clap::Args> {
    #[command(flatten)]
    args: A,
    #[command(flatten)]
    paper: PaperOptions,
}

impl Program for Cli {
    fn run(self) -> Result<Code> {
        let global = &self.global;
        global.prepare()?;
        match self.command {
            Command::Fit(args) => fit::run(&args, global),
            Command::Tune(args) => tune::run(&args, global),
            Command::Pairs(With { args, paper }) => pairs::run(&args.with(paper), global),
            Command::Cluster(With { args, paper }) => cluster::run(&args.with(paper), global),
            Command::Eval(With { args, paper }) => eval::run(&args.with(paper), global),
            Command::Segment(args) => segment::run(&args, global),
            Command::Scan(args) => scan::run(&args),
            Command::Resolve(args) => resolve::run(args, global),
        }
    }
}
