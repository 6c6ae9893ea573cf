//! The command line of `nddb`: top-level arguments and dispatch to subcommands.

use std::fmt::Write;

use clap::{CommandFactory, Parser, Subcommand};

use crate::args::Global;
use crate::commands::{
    add, against, audit, backup, batch, check, cluster, compact, create, dedup, eval, export, filter, fp, generate,
    get, load, merge, pairs, plan, query, rebuild, report, revisits, rm, show, sources, stats, text,
};
use crate::failure::{Code, Result};
use crate::program::{Program, VERSION};
use crate::topics;

const EXAMPLES: &str = "\
Examples:
  nddb dedup pages.jsonl -o kept.jsonl            copy files without their near-duplicates
  nddb create crawl.nddb                          create a database
  nddb load crawl.nddb CC-MAIN-*.warc.gz          load documents from archives
  nddb query crawl.nddb --html page.html          find near-duplicates of this page
  nddb stats crawl.nddb                           print what it contains
  nddb check crawl.nddb                           verify all checksums and counts

NDDB_DB may name the database: export NDDB_DB=crawl.nddb; nddb stats

Exit codes:
  0 done                       10 no such database
  1 failed; query -q: nothing  11 locked by another writer
  2 wrong usage                12 format or recipe mismatch
  3 done, some inputs skipped  13 damage found
                               14 over a memory or disk limit
                              130 interrupted; 'load' run again resumes

Manual pages and shell completions: nddb generate --help";

/// The groups of commands in the help, with the commands in order.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Commands for documents", &["create", "load", "add", "get", "show", "export", "rm", "batch", "sources", "merge"]),
    (
        "Commands for duplicates",
        &["dedup", "query", "against", "pairs", "cluster", "filter", "revisits", "report", "audit", "eval"],
    ),
    ("Commands for upkeep", &["stats", "check", "compact", "rebuild", "backup", "plan"]),
    ("Commands for single pages", &["fp", "text"]),
];

/// Find near-duplicate documents: a persistent index of 64-bit fingerprints, with all matches within k bits
///
/// A database is a folder. Any number of processes can query it while one writes to it. Data goes to stdout, one JSON
/// object per line; progress and messages go to stderr.
#[derive(Debug, Parser)]
#[command(name = "nddb", version = VERSION.as_str(), max_term_width = 100)]
#[command(after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands of `nddb`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Create(create::Args),
    Load(load::Args),
    Add(add::Args),
    Query(query::Args),
    Against(against::Args),
    Get(get::Args),
    Show(show::Args),
    #[command(visible_alias = "list")]
    Export(export::Args),
    Pairs(pairs::Args),
    Cluster(cluster::Args),
    Filter(filter::Args),
    Revisits(revisits::Args),
    Dedup(dedup::Args),
    Report(report::Args),
    Audit(audit::Args),
    #[command(visible_alias = "delete")]
    Rm(rm::Args),
    #[command(visible_alias = "info")]
    Stats(stats::Args),
    Check(check::Args),
    Compact(compact::Args),
    Rebuild(rebuild::Args),
    Backup(backup::Args),
    Merge(merge::Args),
    Batch(batch::Args),
    Sources(sources::Args),
    Plan(plan::Args),
    Fp(fp::Args),
    Text(text::Args),
    Eval(eval::Args),
    #[command(hide = true)]
    Generate(generate::Args),
}

impl Program for Cli {
    fn command_line() -> clap::Command {
        let command = topics::add(Self::command());
        let template = help_template(&command);
        command.help_template(template)
    }

    fn global(&self) -> &Global {
        &self.global
    }

    fn run(self) -> Result<Code> {
        let global = &self.global;
        global.prepare()?;
        match self.command {
            Command::Create(args) => create::run(&args, global),
            Command::Load(args) => load::run(args, global),
            Command::Add(args) => add::run(&args, global),
            Command::Query(args) => query::run(&args, global),
            Command::Against(args) => against::run(&args, global),
            Command::Pairs(args) => pairs::run(&args, global),
            Command::Cluster(args) => cluster::run(&args, global),
            Command::Filter(args) => filter::run(args, global),
            Command::Revisits(args) => revisits::run(args, global),
            Command::Dedup(args) => dedup::run(args, global),
            Command::Report(args) => report::run(&args, global),
            Command::Audit(args) => audit::run(&args, global),
            Command::Show(args) => show::run(args, global),
            Command::Get(args) => get::run(args, global),
            Command::Export(args) => export::run(&args, global),
            Command::Rm(args) => rm::run(args, global),
            Command::Stats(args) => stats::run(&args, global),
            Command::Check(args) => check::run(&args, global),
            Command::Compact(args) => compact::run(&args, global),
            Command::Rebuild(args) => rebuild::run(&args, global),
            Command::Backup(args) => backup::run(args, global),
            Command::Merge(args) => merge::run(args, global),
            Command::Batch(args) => batch::run(args, global),
            Command::Sources(args) => sources::run(args, global),
            Command::Plan(args) => plan::run(&args, global),
            Command::Fp(args) => fp::run(&args, global),
            Command::Text(args) => text::run(&args, global),
            Command::Eval(args) => eval::run(&args, global),
            Command::Generate(args) => generate::run(&args, Self::command_line(), global),
        }
    }
}

/// The layout of the help, with the commands in groups; clap has no such groups.
fn help_template(command: &clap::Command) -> String {
    const BOLD: &str = "\u{1b}[1m";
    const HEADING: &str = "\u{1b}[1m\u{1b}[4m";
    const PLAIN: &str = "\u{1b}[0m";
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n\n");
    for (heading, names) in GROUPS {
        let _ = writeln!(text, "{HEADING}{heading}:{PLAIN}");
        for command in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let _ = write!(text, "  {BOLD}{:<8}{PLAIN} ", command.get_name());
            let _ = write!(text, "{}", command.get_about().unwrap_or_default());
            for alias in command.get_visible_aliases() {
                let _ = write!(text, " [also: {alias}]");
            }
            text.push('\n');
        }
        text.push('\n');
    }
    text + HEADING + "Options of all commands:" + PLAIN + " nddb help options{after-help}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_that_is_not_hidden_is_in_one_group_of_the_help() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        grouped.sort_unstable();
        let command = Cli::command();
        let mut all: Vec<&str> =
            command.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name).collect();
        all.sort_unstable();
        assert_eq!(grouped, all);
        assert!(all.len() < 29, "{}", all.len());
    }
}
