//! The subcommands, one file each.

mod add;
mod batch;
mod batch_query;
mod check;
mod cluster;
mod compact;
mod completions;
mod create;
mod eval;
mod fp;
mod get;
mod load;
mod merge;
mod pairs;
mod plan;
mod query;
mod rebuild;
mod report;
mod reshape;
mod rm;
mod scan;
mod segment;
mod stats;
mod tune;

use clap::Subcommand;

use crate::args::{Cli, Global};
use crate::failure::{Code, Result};

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Create(create::Args),
    Load(load::Args),
    Add(add::Args),
    Query(query::Args),
    BatchQuery(batch_query::Args),
    Get(get::Args),
    Pairs(pairs::Args),
    Cluster(cluster::Args),
    Report(report::Args),
    Rm(rm::Args),
    Stats(stats::Args),
    Check(check::Args),
    Compact(compact::Args),
    Reshape(reshape::Args),
    Rebuild(rebuild::Args),
    Merge(merge::Args),
    Batch(batch::Args),
    Plan(plan::Args),
    Segment(segment::Args),
    Scan(scan::Args),
    Fp(fp::Args),
    Eval(eval::Args),
    Tune(tune::Args),
    Completions(completions::Args),
}

/// Does what the command line says.
pub(crate) fn run(cli: Cli) -> Result<Code> {
    let global: &Global = &cli.global;
    global.place_temporary_files()?;
    match cli.command {
        Command::Create(args) => create::run(&args, global),
        Command::Load(args) => load::run(args, global),
        Command::Add(args) => add::run(&args, global),
        Command::Query(args) => query::run(&args, global),
        Command::BatchQuery(args) => batch_query::run(args, global),
        Command::Pairs(args) => pairs::run(&args, global),
        Command::Cluster(args) => cluster::run(&args, global),
        Command::Report(args) => report::run(&args, global),
        Command::Get(args) => get::run(args, global),
        Command::Rm(args) => rm::run(args, global),
        Command::Stats(args) => stats::run(&args, global),
        Command::Check(args) => check::run(&args, global),
        Command::Compact(args) => compact::run(&args, global),
        Command::Reshape(args) => reshape::run(&args, global),
        Command::Rebuild(args) => rebuild::run(&args, global),
        Command::Merge(args) => merge::run(args, global),
        Command::Batch(args) => batch::run(args, global),
        Command::Plan(args) => plan::run(&args, global),
        Command::Segment(args) => segment::run(&args, global),
        Command::Scan(args) => scan::run(&args),
        Command::Fp(args) => fp::run(&args, global),
        Command::Eval(args) => eval::run(&args, global),
        Command::Tune(args) => tune::run(&args, global),
        Command::Completions(args) => completions::run(&args),
    }
}
