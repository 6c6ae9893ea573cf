//! `nddb report`: a page with the documents that would be removed, and the measurements of the papers.

mod numbers;
mod removal_numbers;
mod text_numbers;

use std::path::PathBuf;

use nddb::archive::Format;
use nddb_evaluate::report::{Report, SAMPLE};
use nddb_jobs::output::Destination;

use super::pairs;
use crate::args::{Database, Global};
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result};
use crate::output::Output;
use crate::quantity::{counted, duration};
use crate::{database, interrupt};

/// Report what `cluster` would remove and what would be lost, and measure the database as the papers do
///
/// Writes one self-contained HTML page. It begins with what `nddb cluster` would remove: the number of documents by
/// site, batch, rule and score, the words and bytes that would go, the removals that lose most with the words they lose, the
/// largest clusters, and pages with hardly any content. A part that is folded at first has the measurements of the
/// papers, with plots: the distribution of fingerprints (Manku
/// et al. 2007, Figure 2), the graph of near-duplicates and the clusters by each method that the database supports, the
/// joint distribution of B-similarity and C-similarity and the number of terms that differ (Henzinger 2006), the number
/// of signatures and the window size (Huang et al. 2008), and sampled shingles (Ye et al. 2007). Each plot has its
/// numbers beside it; --json prints them to stdout. For measurements that need labels, use `nddb eval --report`.
///
/// The texts of a sample are read again from where they were loaded; --sample 0 reads none.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb report crawl.nddb -o report.html
  nddb report crawl.nddb --json | jq '.methods[] | {method, pairs, mean_degree}'
  nddb report crawl.nddb --sample 5000 --seed 2 -o another.html")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    /// Write the page to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Approximate number of documents whose texts are read: N drawn at random, and at most N near-duplicates of these
    #[arg(long, value_name = "N", default_value_t = SAMPLE.0)]
    sample: usize,
    /// Seed that selects the documents
    #[arg(long, value_name = "N", default_value_t = SAMPLE.1)]
    seed: u64,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let to = match &args.output {
        None if global.json => None,
        path => Some(global.page("-o", path.as_deref(), &[Format::Html])?),
    };
    let reader = database::read(&args.database.db)?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let messages = global.messages();
    let meter = messages.meter("report");
    let db = args.database.db.display().to_string();
    let sample = (args.sample, args.seed);
    let resources = pairs::resources(global);
    let command = format!("nddb report {db} --sample {} --seed {}", args.sample, args.seed);
    let watch = &mut *meter.watch(true);
    let report = Report::measure(db, reader.view(), None, &resources, sample, global.threads(), watch)?;
    if let Some(to) = &to {
        write(&report, &command, to)?;
    }
    if global.json {
        global.summary(&meter, numbers::value(&report))?;
    }
    if let Some(unread) = report.unread() {
        messages.warn(unread);
        messages.hint("'nddb sources' lists the archives, and tells the database where they were moved");
    }
    let took = duration(std::time::Duration::from_secs_f64(clock.seconds()));
    let documents = counted(report.collection.held().documents, "document");
    meter.finish(&format!("{documents} measured by {} in {took}", counted(report.methods.len() as u64, "method")));
    Ok(Code::Done)
}

/// Writes the page of the report that a command made.
pub(in crate::commands) fn write(report: &Report<'_>, command: &str, to: &Destination) -> Result<()> {
    let page = report.page(command)?;
    let mut output = Output::create(to)?;
    output.write(page.as_bytes())?;
    output.finish()
}
