//! `nddb against`: which documents of one collection are near to another.

use std::path::PathBuf;

use nddb::View;
use nddb::archive::Format;
use nddb_jobs::output::Destination;
use nddb_jobs::tsv;
use serde_json::json;

use super::asking::Asking;
use super::judged::Judged;
use super::outside::Outside;
use super::parts::Parts;
use crate::args::Global;
use crate::clock::Clock;
use crate::database;
use crate::failure::{Code, Result};
use crate::inputs::is_database;
use crate::judging::JudgingArgs;
use crate::output::Output;
use crate::quantity::{counted, duration, grouped};

/// List which documents of one collection are near-duplicates of documents of others
///
/// A is a database, or a file or folder of documents; so is each B. Files are loaded into temporary databases, by the
/// recipe of the database among A and B, or else by the default one. Prints one JSON object for each document of A with
/// a match in B, as 'nddb query' does: use it to find test sets in training data, or the pages of a new crawl in all
/// earlier ones. Nothing is stored or removed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb against crawl.nddb test-set.jsonl --list leaked.txt     which documents occur in the test set
  nddb filter crawl.nddb pages.jsonl -o clean/ --remove leaked.txt
  nddb against new.jsonl january.nddb february.nddb --limit 1  what is in an earlier crawl already
  nddb against crawl.nddb test-set.jsonl --set model.probability=0.8")]
pub(crate) struct Args {
    /// The documents that are looked up: a database, a file or a folder
    #[arg(value_name = "A")]
    a: PathBuf,
    /// Where they are looked up: databases, files or folders
    #[arg(value_name = "B", required = true, num_args = 1..)]
    b: Vec<PathBuf>,
    /// Write the ids of these documents of A here, one per line, as 'nddb filter --remove' and 'nddb rm --ids-from' read
    /// them
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// By fingerprints within K bits alone
    #[arg(short, long)]
    k: Option<u8>,
    /// Print at most N matches per document: the nearest, then the oldest
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    how: JudgingArgs,
    /// Add the scores with their thresholds, and the tokens that differ if both pages can be read again
    #[arg(long)]
    why: bool,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let (databases, files): (Vec<PathBuf>, Vec<PathBuf>) = args.b.iter().cloned().partition(|path| is_database(path));
    let readers = databases.iter().map(|path| database::read(path)).collect::<Result<Vec<_>>>()?;
    let like = readers.first().map(|reader| reader.view().settings().clone());
    let a = Outside::open(std::slice::from_ref(&args.a), like.as_ref(), global)?;
    let loaded = match files.is_empty() {
        true => None,
        false => Some(Outside::open(&files, Some(a.view().settings()), global)?),
    };
    let names: Vec<PathBuf> = databases.into_iter().chain(files.first().cloned()).collect();
    let readers: Vec<_> = readers.iter().chain(loaded.as_ref().map(Outside::reader)).collect();
    let parts = &Parts::new(&names, &readers)?;
    let to = global.page("-o", args.output.as_deref(), &[Format::Jsonl])?;
    let list = args.list.as_deref().map(|path| global.page("--list", Some(path), &[Format::Html])).transpose()?;
    let judged = Judged {
        parts,
        online: args.how.online(parts.federation.parts()[0], args.k)?,
        limit: args.limit,
        why: args.why,
        outside: Some(a.view()),
        only_matched: true,
    };
    let mut asking = Asking::new(&judged, global.threads(), Output::create(&to)?);
    asking.ask_outside(a.view())?;
    let (documents, sum) = asking.finish()?;
    if let Some(to) = &list {
        write_list(to, &sum.matched, a.view())?;
    }
    let (near, seconds) = (sum.matched.len() as u64, clock.seconds());
    let meter = global.messages().meter("against");
    let summary = json!({"documents": documents, "near": near, "matches": sum.matches, "seconds": seconds});
    global.summary(&meter, summary)?;
    let took = duration(std::time::Duration::from_secs_f64(seconds));
    let of = counted(documents as u64, "document");
    let summary = format!("{} of {of} of {} near in {took}", grouped(near), args.a.display());
    meter.finish(&summary);
    Ok(loaded.map(|loaded| loaded.code()).filter(|code| *code != Code::Done).unwrap_or(a.code()))
}

/// Writes ids of documents, one per line.
fn write_list(to: &Destination, ids: &[String], documents: View<'_>) -> Result<()> {
    let mut output = Output::create(to)?;
    let mut line = Vec::new();
    for id in ids {
        line.clear();
        tsv::write_id(&mut line, id, documents.has_namesake(id)?);
        line.push(b'\n');
        output.write(&line)?;
    }
    output.finish()
}
