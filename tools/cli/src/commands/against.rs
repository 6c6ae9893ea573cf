//! `nddb against`: which documents of one collection are near to another.

use std::cell::Cell;
use std::path::PathBuf;

use nddb_jobs::against::{Against, AgainstSummary, AgainstWatch};
use nddb_jobs::answers::PassageTexts;
use serde_json::json;

use crate::args::Global;
use crate::clock::Clock;
use crate::failure::{Code, Result};
use crate::judging::JudgingArgs;
use crate::loading;
use crate::output::Output;
use crate::passage_options::PassageArgs;
use crate::quantity::{counted, duration, grouped};

/// List documents of one collection that are near-duplicates of others, or contain parts of them
///
/// A is a database, or a file or folder of documents; so is each B. Files are loaded into temporary databases, by the
/// recipe of the database among A and B, or else by the default one. Prints one JSON object for each document of A with
/// a match in B, as 'nddb query' does. Nothing is stored or removed.
///
/// Whole documents are compared. To find what stands inside of longer documents, such as the questions of a test set in
/// training data, use --parts; it also finds texts with one word in ten changed. The documents of A are then read once
/// and not loaded.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb against pages.jsonl test-set.jsonl --parts --list leaked.txt  which contain parts of it
  nddb filter crawl.nddb pages.jsonl -o clean/ --remove leaked.txt
  nddb against new.jsonl january.nddb february.nddb --limit 1  what is in an earlier crawl already")]
pub(crate) struct Args {
    /// The documents that are looked up: a database, a file or a folder
    #[arg(value_name = "A")]
    a: PathBuf,
    /// Where they are looked up: databases, files or folders
    #[arg(value_name = "B", required = true, num_args = 1..)]
    b: Vec<PathBuf>,
    /// Write the ids of these documents of A here, as 'nddb filter --remove' and 'nddb rm --ids-from' read them
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
    passages: PassageArgs,
    #[command(flatten)]
    how: JudgingArgs,
    /// Add the scores with their thresholds, and the tokens that differ if both pages can be read again; with --parts
    /// the texts of the passages
    #[arg(long)]
    why: bool,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    if args.passages.parts {
        args.passages.refuse(args.how.given_for_methods(), &[(args.k.is_some(), "-k")])?;
    }
    let reading = PassageTexts { verify: args.how.verify.is_some(), why: args.why };
    let against = Against {
        parts: args.passages.parts.then(|| args.passages.options(reading)),
        limit: args.limit,
        why: args.why,
        ..Against::new(&args.a, &args.b)
    };
    let list = args.list.as_deref().map(|path| global.list("--list", path)).transpose()?;
    let mut output = Output::create(&global.json_lines("-o", args.output.as_deref())?)?;
    let (messages, code) = (global.messages(), Cell::new(Code::Done));
    let worse = || code.set(Code::SomeSkipped);
    let outcome = loading::with_files(global, &mut || worse(), |files| {
        let watch = AgainstWatch {
            files,
            noticed: &mut |noticed| {
                worse();
                loading::noticed(&noticed, &messages);
            },
            emit: &mut |lines| output.emit(lines),
        };
        against.run(list.as_ref(), &|view| args.how.online(view, args.k), watch)
    });
    let found = output.finish_after(outcome)?;
    tell(args, &found, &clock, global)?;
    Ok(code.get())
}

/// Prints the summary, and warns of documents of too few words to have a part: nothing says whether they stand in
/// others.
fn tell(args: &Args, found: &AgainstSummary, clock: &Clock, global: &Global) -> Result<()> {
    let named = [args.a.display().to_string(), "B".to_owned()];
    for (count, of) in found.too_short.into_iter().zip(named).filter(|(count, _)| *count > 0) {
        let documents = counted(count, "document");
        let warning = format!("{documents} of {of} not compared, for fewer than five words: search for them as texts");
        global.messages().warn(warning);
    }
    // The name of the number of documents found, and the end of the sentence that says it.
    let (name, what) = match args.passages.parts {
        true => ("with_passages", "with passages in common"),
        false => ("near", "near, compared whole (--parts finds passages)"),
    };
    let (meter, seconds) = (global.messages().meter("against"), clock.seconds());
    // Reference of against: the object of `--json`; documents with a match are `near`, with `--parts` `with_passages`
    let summary = json!({
        "documents": found.documents,
        name: found.matched,
        "matches": found.matches,
        "seconds": seconds,
    });
    global.summary(&meter, summary)?;
    let took = duration(std::time::Duration::from_secs_f64(seconds));
    let of = counted(found.documents, "document");
    meter.finish(&format!("{} of {of} of {} {what} in {took}", grouped(found.matched), args.a.display()));
    Ok(())
}
