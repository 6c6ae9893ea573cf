//! `nddb query`: what is stored near a fingerprint, a page or a document.

mod asking;
mod judged;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use nddb::text::PageKind;
use nddb::{Document, Fingerprint, View, Within};
use nddb_format::fingerprint::low_mask;
use serde_json::json;

use self::asking::{Answers, Asked, Asking, Query};
use self::judged::Judged;
use crate::args::{Database, Global};
use crate::clock::Clock;
use crate::database;
use crate::failure::{Code, Failure, Result, Told};
use crate::inputs::{self, PageFile};
use crate::judging::How;
use crate::output::Output;

/// Find the near-duplicates of fingerprints, pages and documents
///
/// Prints one JSON object a query, in the order of the queries. `count` is the number of all matches, also
/// of those that --limit leaves out. With -q the exit code is 1 if nothing is found.
///
/// Of a fingerprint, and of anything with -k, the matches are everything stored within k bits. Of a page or a stored
/// document they are those of a method, each with what is known of it and the rule that decided: identical ones
/// first, then the most similar, then the oldest.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb query crawl.nddb --fp 00d1f2a3b4c5e697
  nddb query crawl.nddb --html page.html -k 2 --limit 5
  nddb query crawl.nddb --id doc-1 doc-2          what is like these documents, they among it
  nddb query crawl.nddb --fp-file Q.u64le --stats > answers.jsonl
  nddb query crawl.nddb --all --limit 5           everything against everything
  nddb query crawl.nddb --html page.html --url http://example.org/ --why
  nddb query crawl.nddb --html page.html --url http://example.org/ --method split --verify lcs
  curl -s https://example.org/ | nddb query crawl.nddb --html - -q && echo seen")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    #[command(flatten)]
    what: What,
    /// Everything within so many bits [default: the database's k]
    #[arg(short, long)]
    k: Option<u8>,
    /// Print so many matches of each query, the nearest and oldest
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Leave ids out, and print document numbers
    #[arg(long, value_enum, default_value_t, value_name = "WHICH", conflicts_with_all = ["method", "verify"])]
    ids: Ids,
    /// Ask one query at a time, and print a JSON line of times and work on stderr
    #[arg(long, conflicts_with_all = ["method", "verify"])]
    stats: bool,
    #[command(flatten)]
    how: How,
    /// Address of the page, for its site
    #[arg(long)]
    url: Option<String>,
    /// Add the numbers against their thresholds, and the tokens that differ if the match's page can be read again
    #[arg(long, conflicts_with_all = ["stats", "ids"])]
    why: bool,
}

/// What to look for: one of these.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct What {
    /// Fingerprints of 16 hex digits
    #[arg(long, num_args = 1.., value_name = "HEX", value_parser = inputs::hex)]
    fp: Vec<Fingerprint>,
    /// Fingerprints of stored documents
    #[arg(long, num_args = 1.., value_name = "ID")]
    id: Vec<String>,
    /// Plain text, - for stdin
    #[arg(long, num_args = 1.., value_name = "FILE")]
    text: Vec<PathBuf>,
    /// An HTML page, - for stdin
    #[arg(long, num_args = 1.., value_name = "FILE")]
    html: Vec<PathBuf>,
    /// A file of fingerprints, eight bytes each, least significant first
    #[arg(long, value_name = "FILE.u64le")]
    fp_file: Option<PathBuf>,
    /// All stored documents, one after the other
    #[arg(long)]
    all: bool,
}

/// Whether document numbers become ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Ids {
    /// Ids, addresses and sites
    #[default]
    All,
    /// Document numbers alone
    None,
}

impl Args {
    /// Whether fingerprints alone are looked at: they are given, or something is asked for that only these have.
    fn is_bare(&self) -> bool {
        let given = !self.what.fp.is_empty() || self.what.fp_file.is_some();
        let only = self.k.is_some() || self.stats || self.ids == Ids::None;
        (given || only) && self.how.method.is_none() && self.how.verify.is_none() && !self.why
    }
}

pub(super) fn run(args: &Args, global: &Global) -> Result<Code> {
    let reader = database::read(&args.database.db)?;
    let view = reader.view();
    if !args.is_bare() {
        let online = args.how.online(view, args.k)?;
        let (limit, why, url) = (args.limit, args.why, args.url.as_deref());
        let judged = Judged { view, online, limit, why, url, threads: global.threads() };
        let (matches, code) = judged.run(&args.what, global)?;
        return Ok(if global.quiet && matches == 0 { Code::Failed } else { code });
    }
    let asking = Asking {
        view,
        within: Within(args.k.unwrap_or(view.settings().k)),
        limit: args.limit,
        ids: args.ids,
        one_by_one: args.stats,
        // Times of queries that compete for memory would say little.
        threads: if args.stats && global.threads.is_none() { 1 } else { global.threads() },
    };
    check_k(asking.within, view)?;
    let (queries, mut code) = queries(&args.what, view, global)?;
    let clock = Clock::start();
    let mut asked = Asked { output: Output::stdout(), queries: 0, sum: Answers::default() };
    if args.what.all {
        asking.ask_all(&mut asked)?;
    } else {
        asking.ask(&queries, &mut asked)?;
    }
    asked.output.flush()?;
    if args.stats {
        report(&mut asked.sum, asked.queries, &clock, global);
    }
    if global.quiet && asked.sum.matches == 0 {
        code = Code::Failed;
    }
    Ok(code)
}

fn check_k(within: Within, view: View<'_>) -> Result<()> {
    let most = view.settings().k;
    if within.0 > most {
        let message = format!("k is {}, this database answers up to {most}", within.0);
        let hint = "for a greater distance make another database with 'nddb create --k', and load it again";
        return Err(Told::new(Code::Usage, message).hint(hint).into());
    }
    Ok(())
}

/// Collects the queries that the user names.
fn queries(what: &What, view: View<'_>, global: &Global) -> Result<(Vec<Query>, Code)> {
    let mut code = Code::Done;
    let mut queries: Vec<Query> = what.fp.iter().copied().map(Query::Near).collect();
    if let Some(path) = &what.fp_file {
        queries.extend(inputs::fingerprints(path)?.into_iter().map(Query::Near));
    }
    let prints = queries.iter().filter_map(|query| if let Query::Near(print) = query { Some(*print) } else { None });
    check_width(prints, view)?;
    for id in &what.id {
        queries.push(match view.get(id)? {
            Some(stored) => Query::of(&stored),
            None => {
                global.messages().warn(format!("no document '{id}'"));
                code = Code::Failed;
                Query::Missing
            }
        });
    }
    let texts = what.text.iter().map(|path| (path, PageKind::Text));
    let pages = what.html.iter().map(|path| (path, PageKind::Html));
    for (path, kind) in texts.chain(pages) {
        queries.push(page(path, kind, view)?);
    }
    Ok((queries, code))
}

/// Refuses fingerprints that the database cannot hold.
fn check_width(queries: impl Iterator<Item = Fingerprint>, view: View<'_>) -> Result<()> {
    let bits = view.settings().bits;
    match queries.enumerate().find(|(_, fingerprint)| fingerprint.0 > low_mask(bits)) {
        Some((place, fingerprint)) => {
            Err(Failure::usage(format!("query {place}, {fingerprint}, is wider than the database's {bits} bits")))
        }
        None => Ok(()),
    }
}

/// The fingerprint of a page by the database's recipe.
fn page(path: &Path, kind: PageKind, view: View<'_>) -> Result<Query> {
    let recipe = database::recipe(view.settings())?;
    let file = PageFile::read(path, Some(kind))?;
    let document = Document::from_page("query", &file.page(), &recipe)?;
    let fingerprint = Fingerprint(document.fingerprint().0 & low_mask(view.settings().bits));
    Ok(if document.is_unprinted() { Query::Unprinted(fingerprint) } else { Query::Near(fingerprint) })
}

/// Prints the line of `--stats`.
fn report(sum: &mut Answers, queries: usize, clock: &Clock, global: &Global) {
    let times = &mut sum.nanoseconds;
    times.sort_unstable();
    // The least time that so many percent of the queries did not exceed.
    let percentile = |percent: usize| match times.len() {
        0 => 0.0,
        len => times[(len * percent).div_ceil(100) - 1] as f64 / 1000.0,
    };
    global.messages().json(&json!({
        "queries": queries,
        "matches": sum.matches,
        "seconds": clock.seconds(),
        "cpu_seconds": clock.cpu_seconds(),
        "p50_us": percentile(50),
        "p99_us": percentile(99),
        "probes": sum.work.probes,
        "blocks": sum.work.blocks,
        "entries": sum.work.entries,
    }));
}
