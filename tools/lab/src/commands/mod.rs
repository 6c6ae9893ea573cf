//! `nddb-lab`: calibration, trials of the papers' methods, and commands on single files of a database.

mod features;
mod fit;
mod paper;
mod resolve;
mod scan;
mod segment;
mod tune;

use clap::{Parser, Subcommand};
use nddb_cli::frame::{Code, Global, Program, Result};

/// Calibrate verdicts, try the papers' methods, and read single files of an nddb database
///
/// These commands are for developers of a method, readers of the papers, and engines that distribute work. Everything
/// else is a command of nddb.
#[derive(Debug, Parser)]
#[command(name = "nddb-lab", version = nddb_cli::frame::VERSION.as_str(), max_term_width = 100)]
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
    Paper(paper::Args),
    Frequencies(features::frequencies::Args),
    Simhash(features::simhash::Args),
    Segment(segment::Args),
    Scan(scan::Args),
    Resolve(resolve::Args),
}

impl Program for Cli {
    fn global(&self) -> &Global {
        &self.global
    }

    fn run(self) -> Result<Code> {
        let global = &self.global;
        global.prepare()?;
        match self.command {
            Command::Fit(args) => fit::run(&args, global),
            Command::Tune(args) => tune::run(&args, global),
            Command::Paper(args) => paper::run(&args, global),
            Command::Frequencies(args) => features::frequencies::run(&args, global),
            Command::Simhash(args) => features::simhash::run(&args, global),
            Command::Segment(args) => segment::run(&args, global),
            Command::Scan(args) => scan::run(&args, global),
            Command::Resolve(args) => resolve::run(args, global),
        }
    }
}
