//! `nddb query`: stored near-duplicates of a fingerprint, a page or a document.

mod asking;
mod bare;
mod judged;
mod parts;
mod queries;

use nddb::Within;
use serde_json::json;

use self::asking::{Answering, Answers, Asking};
use self::bare::{Bare, Ids};
use self::judged::Judged;
use self::parts::Parts;
use self::queries::QueryInputs;
use crate::args::{Databases, Global};
use crate::clock::Clock;
use crate::database;
use crate::failure::{Code, Failure, Result, Told};
use crate::judging::JudgingArgs;

/// Find the near-duplicates of fingerprints, pages and documents
///
/// Prints one JSON object a query, in the order of the queries. `count` is the number of all matches, also
/// of those that --limit leaves out. With -q the exit code is 1 if nothing is found.
///
/// Of a fingerprint, and of anything with -k, the matches are everything stored within k bits. Of a page or a stored
/// document they are those of a method, each with what is known of it and the rule that decided: identical ones
/// first, then the most similar, then the oldest. Of a stored document (--id, --all) they are the others.
///
/// Several databases of the same recipe, k and width are asked as one: the answers are those of one database that holds
/// what all do, the documents of an earlier one being older, and `db` names the database of each match.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb query crawl.nddb --fp 00d1f2a3b4c5e697
  nddb query crawl.nddb --html page.html -k 2 --limit 5
  nddb query crawl.nddb --id doc-1 doc-2          what is like these documents
  nddb query crawl.nddb --fp-file Q.u64le --stats > answers.jsonl
  nddb query crawl.nddb --all --limit 5           everything against everything
  nddb query crawl.nddb --html page.html --url http://example.org/ --why
  nddb query shards/*.nddb --fp 00d1f2a3b4c5e697  several databases as one
  nddb query crawl.nddb --html page.html --url http://example.org/ --method split --verify lcs
  curl -s https://example.org/ | nddb query crawl.nddb --html - -q && echo seen")]
pub(crate) struct Args {
    #[command(flatten)]
    databases: Databases,
    #[command(flatten)]
    what: QueryInputs,
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
    how: JudgingArgs,
    /// Address of the page of --text or --html, for its site
    #[arg(long, conflicts_with_all = ["fp", "id", "fp_file", "all"])]
    url: Option<String>,
    /// Add the numbers against their thresholds, and the tokens that differ if the match's page can be read again
    #[arg(long, conflicts_with_all = ["stats", "ids"])]
    why: bool,
}

impl Args {
    /// Whether fingerprints alone are looked at: they are given, or something is asked for that only these have.
    fn is_bare(&self) -> bool {
        let given = !self.what.fp.is_empty() || self.what.fp_file.is_some();
        let only = self.k.is_some() || self.stats || self.ids == Ids::None;
        (given || only) && self.how.method.is_none() && self.how.verify.is_none() && !self.why
    }

    /// An option that was given and means nothing where fingerprints alone are looked at.
    fn unused(&self) -> Option<&'static str> {
        self.how.given().or(self.url.is_some().then_some("--url"))
    }
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let dbs = &args.databases.dbs;
    let readers = dbs.iter().map(|path| database::read(path)).collect::<Result<Vec<_>>>()?;
    let parts = &Parts::new(dbs, &readers)?;
    if !args.is_bare() {
        let online = args.how.online(parts.federation.parts()[0], args.k)?;
        return ask(args, &Judged { parts, online, limit: args.limit, why: args.why }, parts, global.threads(), global);
    }
    if let Some(name) = args.unused() {
        let message = format!("{name} says nothing about what is within k bits: name a --method, or leave it out");
        return Err(Failure::usage(message));
    }
    let bare = Bare {
        parts,
        within: Within(args.k.unwrap_or(parts.federation.settings().k)),
        limit: args.limit,
        ids: args.ids,
        one_by_one: args.stats,
    };
    check_k(bare.within, parts.federation.settings().k)?;
    // Times of queries that compete for memory would say little.
    let threads = if args.stats && global.threads.is_none() { 1 } else { global.threads() };
    ask(args, &bare, parts, threads, global)
}

/// Asks all queries that the user names, and prints the answers.
fn ask<A: Answering>(args: &Args, answering: &A, parts: &Parts<'_>, threads: usize, global: &Global) -> Result<Code> {
    let (queries, code) = queries::collect(&args.what, args.url.as_deref(), &parts.federation, global)?;
    let clock = Clock::start();
    let mut asking = Asking::new(answering, threads);
    if args.what.all {
        asking.ask_all(&parts.federation)?;
    } else {
        asking.ask(&queries)?;
    }
    let (queries, mut sum) = asking.finish()?;
    if args.stats {
        report(&mut sum, queries, &clock, global);
    }
    Ok(if global.quiet && sum.matches == 0 { Code::Failed } else { code })
}

fn check_k(within: Within, most: u8) -> Result<()> {
    if within.0 > most {
        let message = format!("k is {}, this database answers up to {most}", within.0);
        let hint = "for a greater distance make another database with 'nddb create --k', and load it again";
        return Err(Told::new(Code::Usage, message).hint(hint).into());
    }
    Ok(())
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
