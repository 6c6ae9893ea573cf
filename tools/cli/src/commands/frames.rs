//! `nddb frames`: the blocks of text that stand on many pages of a site.

use std::io::Write;
use std::path::PathBuf;

use nddb::detect::{Collection, FrameSummary, find_frames};
use serde_json::{Value, json};

use super::pairs::resources;
use crate::args::{Database, Global};
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result};
use crate::inputs::Packing;
use crate::output::{self, Published};
use crate::quantity::{counted, duration, grouped};
use crate::{database, interrupt, text_options};

/// Find the frame of sites: blocks of text that stand on many of their pages
///
/// What a generator writes on all pages of a kind, as lists of inherited methods, licences and calls to subscribe, may
/// be most of their content: such pages are alike whatever they are about. A block (a paragraph, a heading, a cell, a
/// line of plain text) is frame if it stands on at least 5 pages of a site and on a tenth of those that can be read.
/// Numbers in it do not count. `nddb pairs` and `nddb cluster` take the table by --frames, and judge what they find
/// once more without the frame of the two sites; `nddb report` and `nddb audit` then tell of that.
///
/// The pages are read again where they were loaded from; nothing in the database changes. Five copies of a page on a
/// small site are frame, too: make the table of all pages that there are. Memory does not grow with the number of
/// blocks; the table has 16 bytes for each that is frame.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb frames crawl.nddb -o crawl.frames
  nddb pairs crawl.nddb --frames crawl.frames -o near.jsonl
  nddb cluster crawl.nddb --frames crawl.frames -o clusters
  nddb segment crawl.frames      what is in the table")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    /// Write the table here: a new file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let path = &args.output;
    if !output::is_nameless(path) && path.exists() {
        return Err(nddb::Error::AlreadyExists { path: path.clone() }.into());
    }
    let reader = database::read(&args.database.db)?;
    let view = reader.view();
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let mut output = Published::create(path, Packing::Plain)?;
    let messages = global.messages();
    let meter = messages.meter("frames");
    let resources = resources(global);
    let collection = Collection::build(view, &resources, &mut *meter.watch(true))?;
    let (table, summary) = find_frames(view, &collection, &resources, &mut *meter.watch(true))?;
    output.write_all(table.as_bytes()).map_err(|error| Failure::unwritten(&error))?;
    output.finish()?;
    if let Some(warning) = text_options::unread_warning(&summary.unread) {
        messages.warn(warning);
    }
    if global.json && !output::is_nameless(path) {
        output::print_json(&value(&summary, table.recipe(), &clock))?;
    }
    let took = duration(std::time::Duration::from_secs_f64(clock.seconds()));
    meter.finish(&format!("{} in {took}", told(&summary)));
    Ok(if summary.unread.total() > 0 { Code::SomeSkipped } else { Code::Done })
}

/// The summary in words.
fn told(summary: &FrameSummary) -> String {
    let mut text = format!("{} of {} read", counted(summary.pages, "page"), counted(summary.sites, "site"));
    text += &format!(", {} not readable", grouped(summary.unread.total()));
    if summary.left_out > 0 {
        text += &format!(", {} without a site or a text", grouped(summary.left_out));
    }
    text + &format!(": {} of frame, on {}", counted(summary.blocks, "block"), counted(summary.framed_sites, "site"))
}

fn value(summary: &FrameSummary, recipe: &str, clock: &Clock) -> Value {
    json!({
        "recipe": recipe,
        "sites": summary.sites,
        "pages": summary.pages,
        "unread": text_options::unread_value(&summary.unread),
        "left_out": summary.left_out,
        "blocks": summary.blocks,
        "framed_sites": summary.framed_sites,
        "seconds": clock.seconds(),
        "cpu_seconds": clock.cpu_seconds(),
    })
}
