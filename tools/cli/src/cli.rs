//! The command line: top-level arguments and dispatch to subcommands.

use clap::{CommandFactory, Parser, Subcommand};

use crate::args::Global;
use crate::commands::{
    add, audit, backup, batch, batch_query, check, cluster, compact, completions, create, eval, export, filter, fp,
    get, lab, load, ls, man, merge, pairs, plan, query, rebuild, report, reshape, resolve, rm, scan, segment, show,
    stats, text, tune,
};
use crate::failure::{Code, Result};

const EXAMPLES: &str = "\
Examples:
  nddb create crawl.nddb                          make a database
  nddb load crawl.nddb CC-MAIN-*.warc.gz          fill it from an archive
  nddb query crawl.nddb --html page.html          what is stored that looks like this page?
  nddb stats crawl.nddb                           what is in it
  nddb check crawl.nddb                           is it sound?

The database may also be named by the environment: export NDDB_DB=crawl.nddb; nddb stats

Exit codes:
  0 done                       10 no such database
  1 failed; query -q: nothing  11 locked by another writer
  2 wrong usage                12 format or recipe mismatch
  3 done, some inputs skipped  13 damage found
                               14 over a memory or disk limit
                              130 interrupted, the same command goes on";

/// Finds near-duplicate documents: a persistent index of 64-bit fingerprints, complete within k bits
///
/// A database is a folder. It is made once, filled from crawl archives or fingerprints, and asked by any
/// number of processes while one writes to it. Data goes to stdout, one JSON object a line; progress and
/// messages go to stderr.
#[derive(Debug, Parser)]
#[command(name = "nddb", version, max_term_width = 100)]
#[command(after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Create(create::Args),
    Load(load::Args),
    Add(add::Args),
    Query(query::Args),
    BatchQuery(batch_query::Args),
    Get(get::Args),
    Show(show::Args),
    Ls(ls::Args),
    Export(export::Args),
    Pairs(pairs::Args),
    Cluster(cluster::Args),
    Filter(filter::Args),
    Report(report::Args),
    Audit(audit::Args),
    Rm(rm::Args),
    Stats(stats::Args),
    Check(check::Args),
    Compact(compact::Args),
    Reshape(reshape::Args),
    Rebuild(rebuild::Args),
    Backup(backup::Args),
    Restore(backup::RestoreArgs),
    VerifyBackup(backup::VerifyArgs),
    Merge(merge::Args),
    Batch(batch::Args),
    Plan(plan::Args),
    Segment(segment::Args),
    Scan(scan::Args),
    Resolve(resolve::Args),
    Fp(fp::Args),
    Text(text::Args),
    Eval(eval::Args),
    Lab(lab::Args),
    Tune(tune::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Does what the command line says.
pub(crate) fn run(cli: Cli) -> Result<Code> {
    let global = &cli.global;
    global.place_temporary_files()?;
    match nddb::raise_open_files() {
        Ok(limit) => global.messages().detail(format!("up to {limit} files may be open")),
        Err(error) => global.messages().warn(format!("the limit of open files cannot be raised: {error}")),
    }
    match cli.command {
        Command::Create(args) => create::run(&args, global),
        Command::Load(args) => load::run(args, global),
        Command::Add(args) => add::run(&args, global),
        Command::Query(args) => query::run(&args, global),
        Command::BatchQuery(args) => batch_query::run(args, global),
        Command::Pairs(args) => pairs::run(&args, global),
        Command::Cluster(args) => cluster::run(&args, global),
        Command::Filter(args) => filter::run(args, global),
        Command::Report(args) => report::run(&args, global),
        Command::Audit(args) => audit::run(&args, global),
        Command::Show(args) => show::run(args, global),
        Command::Get(args) => get::run(args, global),
        Command::Ls(args) => ls::run(&args, global),
        Command::Export(args) => export::run(&args, global),
        Command::Rm(args) => rm::run(args, global),
        Command::Stats(args) => stats::run(&args, global),
        Command::Check(args) => check::run(&args, global),
        Command::Compact(args) => compact::run(&args, global),
        Command::Reshape(args) => reshape::run(&args, global),
        Command::Rebuild(args) => rebuild::run(&args, global),
        Command::Backup(args) => backup::run(args, global),
        Command::Restore(args) => backup::restore(&args, global),
        Command::VerifyBackup(args) => backup::verify(&args, global),
        Command::Merge(args) => merge::run(args, global),
        Command::Batch(args) => batch::run(args, global),
        Command::Plan(args) => plan::run(&args, global),
        Command::Segment(args) => segment::run(&args, global),
        Command::Scan(args) => scan::run(&args),
        Command::Resolve(args) => resolve::run(args, global),
        Command::Fp(args) => fp::run(&args, global),
        Command::Text(args) => text::run(&args, global),
        Command::Lab(args) => lab::run(args, global),
        Command::Eval(args) => eval::run(&args, global),
        Command::Tune(args) => tune::run(&args, global),
        Command::Completions(args) => completions::run(&args, Cli::command()),
        Command::Man(args) => man::run(&args, Cli::command(), global),
    }
}
