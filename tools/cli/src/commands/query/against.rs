//! `nddb against`: which documents of one collection are near to another.

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;

use nddb::{Config, Reader};
use nddb_format::record::other_kind;
use nddb_jobs::output::Destination;
use nddb_jobs::temporary;
use nddb_jobs::tsv;
use serde_json::json;

use super::asking::{Answers, Asking};
use super::judged::Judged;
use super::outside::Outside;
use super::passages::{self, InParts, PassageArgs, Reading};
use super::texts::Texts;
use crate::args::Global;
use crate::clock::Clock;
use crate::database::{self, Parts};
use crate::failure::{Code, Result};
use crate::inputs::is_database;
use crate::judging::JudgingArgs;
use crate::output::Output;
use crate::quantity::{counted, duration, grouped};

/// List which documents of one collection are near-duplicates of documents of others, or contain parts of them
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
    let (databases, files): (Vec<PathBuf>, Vec<PathBuf>) = args.b.iter().cloned().partition(|path| is_database(path));
    let readers = databases.iter().map(|path| database::read(path)).collect::<Result<Vec<_>>>()?;
    if args.passages.parts {
        return in_parts(args, (&databases, &readers), &files, global);
    }
    let like = readers.first().map(|reader| reader.view().settings().clone());
    let a = Outside::open(std::slice::from_ref(&args.a), like.as_ref(), global)?;
    let loaded = match files.is_empty() {
        true => None,
        false => Some(Outside::open(&files, Some(a.view().settings()), global)?),
    };
    let names: Vec<PathBuf> = databases.into_iter().chain(files.first().cloned()).collect();
    let readers: Vec<_> = readers.iter().chain(loaded.as_ref().map(Outside::reader)).collect();
    let parts = &Parts::new(&names, &readers)?;
    let (to, list) = outputs(args, global)?;
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
    let found = asking.finish()?;
    if let Some(to) = &list {
        write_list(to, &found.1.matched, &|id| Ok(a.view().has_namesake(id)?))?;
    }
    finish(args, found, ("near", "near, compared whole (--parts finds passages)"), &clock, global)?;
    Ok(worse(loaded.as_ref(), a.code()))
}

/// Returns the place of the answers, and that of the list of ids, if it is wanted.
fn outputs(args: &Args, global: &Global) -> Result<(Destination, Option<Destination>)> {
    let list = args.list.as_deref().map(|path| global.list("--list", path)).transpose()?;
    Ok((global.json_lines("-o", args.output.as_deref())?, list))
}

/// Lists the documents of A with passages in common with documents of B.
fn in_parts(
    args: &Args,
    (paths, readers): (&[PathBuf], &[Reader]),
    files: &[PathBuf],
    global: &Global,
) -> Result<Code> {
    let clock = Clock::start();
    args.passages.refuse(args.how.given_for_methods(), &[(args.k.is_some(), "-k")])?;
    let mut databases = passages::with_parts(paths.iter().zip(readers.iter().map(Reader::view)))?;
    let a = is_database(&args.a).then(|| database::read(&args.a)).transpose()?;
    if let Some(a) = &a {
        passages::refuse_without_parts(&args.a, a.view().settings())?;
    }
    let given = if a.is_some() { &[][..] } else { std::slice::from_ref(&args.a) };
    let inputs = passages::inputs(given, global)?;
    let (to, list) = outputs(args, global)?;
    let loaded = match files.is_empty() {
        true => None,
        false => {
            Some(Outside::open_by(files, &Config::within(temporary::K)?.recipe(&passages::whole().label()), global)?)
        }
    };
    let name = files.first().filter(|_| !databases.is_empty()).map(|path| path.display().to_string());
    databases.extend(loaded.as_ref().map(|loaded| (name, loaded.view())));
    if let [(name, _), (Some(_), _)] = &mut databases[..] {
        name.get_or_insert_with(|| paths[0].display().to_string());
    }
    let texts = a.as_ref().map_or_else(|| Texts::of(&inputs), |a| Texts::Of(a.view()));
    let (how, reading) = (args.passages, Reading { verify: args.how.verify.is_some(), why: args.why });
    let too_short = AtomicU64::default();
    let limit = args.limit;
    let in_parts = InParts { databases, how, limit, reading, only_matched: true, texts, too_short };
    let mut asking = Asking::new(&in_parts, global.threads(), Output::create(&to)?);
    let (mut code, mut may_have_namesakes) = (Code::Done, false);
    match (&a, &inputs) {
        (Some(a), _) => asking.ask_outside(a.view())?,
        (None, Some(inputs)) => {
            (code, may_have_namesakes) = passages::ask_inputs(inputs, &mut asking, global)?;
        }
        (None, None) => {}
    }
    let found = asking.finish()?;
    let of_b = loaded.as_ref().and_then(Outside::report).map_or(0, |report| report.without_parts);
    warn_of_short([in_parts.too_short.into_inner(), of_b], args, global);
    if let Some(to) = &list {
        let has_namesake = |id: &str| match &a {
            Some(a) => Ok(a.view().has_namesake(id)?),
            None => Ok(may_have_namesakes && other_kind(id).is_some()),
        };
        write_list(to, &found.1.matched, &has_namesake)?;
    }
    finish(args, found, ("with_passages", "with passages in common"), &clock, global)?;
    Ok(worse(loaded.as_ref(), code))
}

/// Warns of documents of too few words to have a part: nothing says whether they stand in others.
fn warn_of_short([of_a, of_b]: [u64; 2], args: &Args, global: &Global) {
    let named = [(of_a, args.a.display().to_string()), (of_b, "B".to_owned())];
    for (count, of) in named.into_iter().filter(|(count, _)| *count > 0) {
        let documents = counted(count, "document");
        let warning = format!("{documents} of {of} not compared, for fewer than five words: search for them as texts");
        global.messages().warn(warning);
    }
}

/// Prints the summary; `what` is the name of the number of documents found, and the end of the sentence that says it.
fn finish(
    args: &Args,
    (documents, found): (usize, Answers),
    what: (&'static str, &str),
    clock: &Clock,
    global: &Global,
) -> Result<()> {
    let (count, matches, seconds) = (found.matched.len() as u64, found.matches, clock.seconds());
    let meter = global.messages().meter("against");
    // Reference of against: the object of `--json`; documents with a match are `near`, with `--parts` `with_passages`
    let summary = json!({
        "documents": documents,
        what.0: count,
        "matches": matches,
        "seconds": seconds,
    });
    global.summary(&meter, summary)?;
    let took = duration(std::time::Duration::from_secs_f64(seconds));
    let of = counted(documents as u64, "document");
    let summary = format!("{} of {of} of {} {} in {took}", grouped(count), args.a.display(), what.1);
    meter.finish(&summary);
    Ok(())
}

/// Returns the code of the documents of B that were loaded, if some were skipped, else another.
fn worse(loaded: Option<&Outside>, other: Code) -> Code {
    loaded.map(|loaded| loaded.code()).filter(|code| *code != Code::Done).unwrap_or(other)
}

/// Writes ids of documents, one per line; `has_namesake` tells the ids that look like another one.
fn write_list(to: &Destination, ids: &[String], has_namesake: &dyn Fn(&str) -> Result<bool>) -> Result<()> {
    let mut output = Output::create(to)?;
    let mut line = Vec::new();
    for id in ids {
        line.clear();
        tsv::write_id(&mut line, id, has_namesake(id)?);
        line.push(b'\n');
        output.write(&line)?;
    }
    output.finish()
}
