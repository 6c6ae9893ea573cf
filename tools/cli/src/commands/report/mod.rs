//! `nddb report`: a page with the documents that would be removed.

mod numbers;

use std::path::PathBuf;

use nddb_evaluate::report::Report;
use nddb_jobs::output::Destination;

use super::pairs;
use crate::args::{Database, Global};
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result};
use crate::output::Output;
use crate::quantity::{counted, duration, grouped};
use crate::{database, interrupt};

/// Report what `cluster` would remove, from which sites, and what would be lost
///
/// Writes one self-contained HTML page for the owner of the pages: how many documents would go, by site and folder; the
/// removals that lose most and the doubtful ones, with the words that differ and why the other copy is kept; the
/// largest clusters; pages with hardly any content; and the list of removals, to be saved. --json prints the numbers.
///
/// The texts that are shown are read again from where they were loaded, unless the database keeps words.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb report crawl.nddb -o report.html
  nddb report crawl.nddb --json | jq '.removals.sites[] | select(.removed > 0)'")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    /// Write the page to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let to = match &args.output {
        None if global.json => None,
        path => Some(global.page("-o", path.as_deref())?),
    };
    let reader = database::read(&args.database.db)?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let messages = global.messages();
    let meter = messages.meter("report");
    let db = args.database.db.display().to_string();
    let resources = pairs::resources(global);
    let report = Report::measure(db.clone(), reader.view(), None, &resources, &mut *meter.watch(true))?;
    let next = [
        format!("nddb cluster {db} -o clusters"),
        format!("nddb filter {db} INPUT -o kept/ --clusters clusters"),
        format!("nddb audit {db} -o audit.html"),
    ];
    if let Some(to) = &to {
        write(&report, (&format!("nddb report {db}"), &next), to)?;
    }
    if global.json {
        global.summary(&meter, numbers::value(&report))?;
    }
    if let Some(unread) = report.unread() {
        messages.warn(unread);
        messages.hint("'nddb sources' lists the archives, and tells the database where they were moved");
    }
    let took = duration(std::time::Duration::from_secs_f64(clock.seconds()));
    let (documents, removed) = (counted(report.overview.documents, "document"), grouped(report.overview.removed));
    meter.finish(&format!("{documents}, {removed} to be removed, in {took}"));
    Ok(Code::Done)
}

/// Writes the page of the report that a command made.
pub(in crate::commands) fn write(
    report: &Report<'_>,
    (command, next): (&str, &[String]),
    to: &Destination,
) -> Result<()> {
    let page = report.page(command, next)?;
    let mut output = Output::create(to)?;
    output.write(page.as_bytes())?;
    output.finish()
}
