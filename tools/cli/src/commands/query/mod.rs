//! `nddb query`: stored near-duplicates of a fingerprint, a page or a document.

mod bare;
mod of_set;
mod one_pass;
mod queries;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use nddb::archive::{self, Inputs};
use nddb::{FingerprintSet, Reader, Within};
use nddb_jobs::answers::{
    self, Answering, Answers, Asking, InParts, Judged, NamedFederation, Noticed, PassageTexts, Texts, ask_inputs,
};
use nddb_jobs::opened_documents::{FileLoading, OpenedDocuments, is_database};
use serde_json::{Value, json};

use self::bare::{AnswerIds, Bare};
use self::one_pass::Format;
use self::queries::QueryInputs;
use crate::args::{Databases, Global};
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result, Told};
use crate::judging::JudgingArgs;
use crate::output::Output;
use crate::passage_options::PassageArgs;
use crate::quantity::grouped;
use crate::{database, interrupt, loading};

/// Find the near-duplicates of fingerprints, pages and documents
///
/// Prints one JSON object per query, in the order of the queries. `count` is the number of all matches, including
/// those that --limit omits. With -q, the exit code is 1 if nothing is found.
///
/// For a fingerprint, and for any query with -k, the matches are all documents within k bits, with --nearest the N
/// nearest of them. k may exceed that of the database, at a greater cost: --stats prints the predicted time of a query
/// beside its real time and work, and --max-cost bounds it. For a page or a stored document, they are the
/// near-duplicates by a method, with scores: identical documents first, then by similarity, then by age.
///
/// Several databases with the same recipe, k and width are searched as one; `db` names the database of each match.
///
/// For a million fingerprints or more, use --fp-file with --format tsv or parquet: all queries are answered together,
/// with one row per match: ordinal of the query (from 0), fp, distance and id.
///
/// Of a set ('create --set'), the matches are fingerprints.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb query crawl.nddb --fp 00d1f2a3b4c5e697
  nddb query crawl.nddb --fp 00d1f2a3b4c5e697 --nearest 10 -k 12
  nddb query crawl.nddb --id doc-1 doc-2          near-duplicates of these documents
  nddb query crawl.nddb --fp-file Q.u64le --format tsv -o near.tsv
  nddb query crawl.nddb --docs new.jsonl          of each of these, which are not stored
  nddb query parted.nddb --text text.txt --parts  the documents with passages in common
  curl -s https://example.org/ | nddb query crawl.nddb --html - -q && echo seen")]
pub(crate) struct Args {
    #[command(flatten)]
    databases: Databases,
    #[command(flatten)]
    what: QueryInputs,
    /// Return everything within K bits, at most 16 [default: the database's k; with --nearest 16]
    #[arg(short, long)]
    k: Option<u8>,
    /// Return the N nearest documents within K bits; of those at one distance, the oldest
    #[arg(long, value_name = "N", conflicts_with_all = ["limit", "ids", "method", "verify", "why"])]
    nearest: Option<usize>,
    /// Refuse queries by distance that are predicted to take more than MS milliseconds each
    #[arg(long, value_name = "MS")]
    max_cost: Option<f64>,
    /// Print at most N matches per query: the nearest, then the oldest
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Print ids, or document numbers only
    #[arg(long, value_enum, default_value_t, value_name = "WHICH", conflicts_with_all = ["method", "verify"])]
    ids: AnswerIds,
    /// Run one query at a time, and print a JSON line on stderr: times, the predicted time, prefixes looked up, blocks
    /// and bytes read, and how many of the blocks came from disk
    #[arg(long, conflicts_with_all = ["method", "verify"])]
    stats: bool,
    /// How to write answers [default: as the name of --output ends, else jsonl]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    passages: PassageArgs,
    #[command(flatten)]
    how: JudgingArgs,
    /// URL of the page of --text or --html, which determines its site
    #[arg(long, conflicts_with_all = ["fp", "id", "fp_file", "all", "docs"])]
    url: Option<String>,
    /// Add the scores with their thresholds, and the tokens that differ if the match's page can be read again
    #[arg(long, conflicts_with_all = ["stats", "ids"])]
    why: bool,
}

impl Args {
    /// Whether the query compares only fingerprints: the queries are fingerprints, or an option applies only to these.
    fn is_bare(&self) -> bool {
        let given = !self.what.fp.is_empty() || self.what.fp_file.is_some();
        let only = self.k.is_some()
            || self.stats
            || self.ids == AnswerIds::None
            || self.nearest.is_some()
            || self.max_cost.is_some();
        (given || only) && self.how.method.is_none() && self.how.verify.is_none() && !self.why
    }

    /// Returns a given option that has no effect if only fingerprints are compared.
    fn unused(&self) -> Option<&'static str> {
        self.how.given().or(self.url.is_some().then_some("--url"))
    }

    /// Returns a given option that cannot be used with a row per match.
    fn unused_by_rows(&self) -> Option<&'static str> {
        let given = [
            ("--method", self.how.method.is_some()),
            ("--verify", self.how.verify.is_some()),
            ("--why", self.why),
            ("--stats", self.stats),
            ("--limit", self.limit.is_some()),
            ("--nearest", self.nearest.is_some()),
            ("--max-cost", self.max_cost.is_some()),
            ("--ids", self.ids == AnswerIds::None),
            ("several databases", self.databases.dbs.len() > 1),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let dbs = &args.databases.dbs;
    if dbs.iter().any(FingerprintSet::is_at) {
        return of_set::run(args, global);
    }
    let format = Format::of(args.output.as_deref(), args.format)?;
    if format.rows().is_some()
        && let Some(what) = args.unused_by_rows()
    {
        return Err(Failure::usage(format!("--format tsv, csv and parquet cannot be combined with {what}")));
    }
    let readers = dbs.iter().map(|path| database::read(path)).collect::<Result<Vec<_>>>()?;
    if args.passages.parts {
        return in_parts((args, format), &readers, global);
    }
    let parts = &NamedFederation::new(dbs, &readers.iter().collect::<Vec<_>>())?;
    if format.rows().is_none() {
        warn_of_one_table(dbs, parts, global)?;
    }
    let docs = &args.what.docs;
    let mut code = Code::Done;
    let outside = if docs.is_empty() {
        None
    } else {
        let open =
            |files: &mut FileLoading<'_>| Ok(OpenedDocuments::open(docs, Some(parts.federation.settings()), files)?);
        Some(loading::with_files(global, &mut || code = Code::SomeSkipped, open)?)
    };
    let outside = &outside.map(|outside| (outside, code));
    if format.rows().is_none() && !args.is_bare() {
        let judged = Judged {
            parts,
            online: args.how.online(parts.federation.parts()[0], args.k)?,
            limit: args.limit,
            why: args.why,
            outside: outside.as_ref().map(|(outside, _)| outside.view()),
            only_matched: false,
        };
        return ask((args, format), &judged, (parts, outside), global.threads(), global);
    }
    if let Some(name) = args.unused() {
        let message = format!("{name} does not apply to queries by distance alone: add --method, or omit {name}");
        return Err(Failure::usage(message));
    }
    let within = within(args, parts);
    check_cost(args, parts, within)?;
    if let Some(format) = format.rows() {
        return one_pass::run(
            args.what.fp_file.as_deref(),
            (format, args.output.as_deref()),
            parts.federation.parts()[0],
            within,
            global,
        );
    }
    let Args { limit, nearest, ids, stats: one_by_one, .. } = *args;
    let bare = Bare { parts, within, limit: limit.or(nearest), nearest, ids, one_by_one };
    // The times of queries that compete for memory would mean little.
    let threads = if args.stats && global.threads.is_none() { 1 } else { global.threads() };
    ask((args, format), &bare, (parts, outside), threads, global)
}

/// Answers queries by passages in common.
fn in_parts((args, format): (&Args, Format), readers: &[Reader], global: &Global) -> Result<Code> {
    let dbs = &args.databases.dbs;
    let given = [
        (format.rows().is_some(), "--format tsv, csv and parquet"),
        (args.k.is_some(), "-k"),
        (args.nearest.is_some(), "--nearest"),
        (args.max_cost.is_some(), "--max-cost"),
        (args.stats, "--stats"),
        (args.ids == AnswerIds::None, "--ids"),
        (!args.what.fp.is_empty() || args.what.fp_file.is_some(), "a fingerprint"),
    ];
    args.passages.refuse(args.how.given_for_methods(), &given)?;
    let databases = answers::with_parts(dbs.iter().map(PathBuf::as_path).zip(readers.iter().map(Reader::view)))?;
    let parts = NamedFederation::new(dbs, &readers.iter().collect::<Vec<_>>())?;
    let (queries, mut code) = queries::collect(&args.what, args.url.as_deref(), &parts.federation, global)?;
    let inputs = inputs(&args.what.docs, global)?;
    let texts = Texts::of(&inputs);
    let in_parts = InParts {
        databases,
        how: args.passages.options(PassageTexts { verify: args.how.verify.is_some(), why: args.why }),
        limit: args.limit,
        only_matched: false,
        texts,
        too_short: AtomicU64::default(),
    };
    let output = Output::create(&global.output("-o", args.output.as_deref().or(silent(global)))?)?;
    let mut output = if format == Format::Table { output.tabled() } else { output };
    let mut emit = |answers: &Answers| output.emit(&answers.lines);
    let mut asking = Asking::new(&in_parts, global.threads(), &interrupt::asked, &mut emit);
    let outcome = match &inputs {
        Some(inputs) => {
            interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
            code = Code::Done;
            let noticed = &mut |noticed: Noticed<'_>| {
                code = Code::SomeSkipped;
                loading::noticed(&noticed, &global.messages());
            };
            ask_inputs(inputs, &mut asking, noticed, &interrupt::asked).map(drop)
        }
        None if args.what.all => asking.ask_all(&parts.federation),
        None => asking.ask(&queries),
    };
    let (_, sum) = asking.done();
    output.finish_after(outcome.map_err(Failure::from))?;
    Ok(if global.quiet && sum.matches == 0 { Code::Failed } else { code })
}

/// Returns the inputs of paths of files and folders, if there are any.
fn inputs(paths: &[PathBuf], global: &Global) -> Result<Option<Inputs>> {
    if paths.is_empty() {
        return Ok(None);
    }
    if paths.iter().any(|path| is_database(path)) {
        return Err(Failure::usage("--docs with --parts takes files and folders: use 'nddb against' for a database"));
    }
    let inputs = archive::expand(paths, archive::Format::Auto)?;
    global.outputs.reads_inputs(&inputs.located);
    Ok(Some(inputs))
}

/// Number of fingerprints that a query compares without a word.
const COMPARED_QUIETLY: u64 = 1_000_000;

/// Warns of databases of one table, which is for batches alone: it has no prefix that a query could look up.
fn warn_of_one_table(dbs: &[PathBuf], parts: &NamedFederation<'_>, global: &Global) -> Result<()> {
    for (path, view) in dbs.iter().zip(parts.federation.parts()) {
        if view.settings().levels != Some(Vec::new()) {
            continue;
        }
        let runs = view.stats()?.runs;
        let compared: u64 = runs.iter().map(|run| run.fingerprints).sum();
        if compared > COMPARED_QUIETLY {
            let (path, compared) = (path.display(), grouped(compared));
            let messages = global.messages();
            messages.warn(format!("{path} has one table, for batches: each query reads all {compared} fingerprints"));
            messages.hint(
                "ask many at once, with --fp-file and --format tsv or parquet; 'nddb compact --tables' adds tables",
            );
        }
    }
    Ok(())
}

/// Runs all queries of the user, and prints the answers.
fn ask<A: Answering>(
    (args, format): (&Args, Format),
    answering: &A,
    (parts, outside): (&NamedFederation<'_>, &Option<(OpenedDocuments, Code)>),
    threads: usize,
    global: &Global,
) -> Result<Code> {
    let (queries, mut code) = queries::collect(&args.what, args.url.as_deref(), &parts.federation, global)?;
    let clock = Clock::start();
    let output = Output::create(&global.output("-o", args.output.as_deref().or(silent(global)))?)?;
    let mut output = if format == Format::Table { output.tabled() } else { output };
    let mut emit = |answers: &Answers| output.emit(&answers.lines);
    let mut asking = Asking::new(answering, threads, &interrupt::asked, &mut emit);
    let outcome = match outside {
        Some((outside, loaded)) => {
            code = *loaded;
            asking.ask_outside(outside.view())
        }
        None if args.what.all => asking.ask_all(&parts.federation),
        None => asking.ask(&queries),
    };
    let (queries, mut sum) = asking.done();
    output.finish_after(outcome.map_err(Failure::from))?;
    if args.stats {
        report(&mut sum, queries, parts.federation.predicted_ns(within(args, parts)), &clock, global);
    }
    Ok(if global.quiet && sum.matches == 0 { Code::Failed } else { code })
}

/// Returns where answers go that are not wanted: with -q and no file the exit code is the answer, as of grep.
fn silent(global: &Global) -> Option<&'static Path> {
    global.quiet.then_some(Path::new("/dev/null"))
}

/// Returns the distance within which fingerprints are found.
fn within(args: &Args, parts: &NamedFederation<'_>) -> Within {
    let usual = if args.nearest.is_some() { Within::MAX.0 } else { parts.federation.settings().k };
    Within(args.k.unwrap_or(usual))
}

/// Refuses a distance that no query reaches, and queries that cost more than the user allows.
fn check_cost(args: &Args, parts: &NamedFederation<'_>, within: Within) -> Result<()> {
    if within > Within::MAX {
        let (within, most) = (within.0, Within::MAX.0);
        let message = format!("-k {within} is above {most}, the greatest distance of a query");
        return Err(Told::new(Code::Usage, message).hint(format!("give -k {most} or less")).into());
    }
    let (cost, most) = (parts.federation.predicted_ns(within) / 1e6, args.max_cost.unwrap_or(f64::INFINITY));
    if cost > most {
        let message =
            format!("a query within {} bits is predicted to take {cost:.3} ms, --max-cost is {most}", within.0);
        let hint = "give a smaller -k or a greater --max-cost; many queries together cost less, with --fp-file and \
                    --format tsv or parquet";
        return Err(Told::new(Code::Usage, message).hint(hint).into());
    }
    Ok(())
}

/// Prints the line of `--stats`.
fn report(sum: &mut Answers, queries: u64, predicted_ns: f64, clock: &Clock, global: &Global) {
    let times = &mut sum.nanoseconds;
    times.sort_unstable();
    // The least time that this percentage of the queries did not exceed.
    let percentile = |percent: usize| match times.len() {
        0 => 0.0,
        len => times[(len * percent).div_ceil(100) - 1] as f64 / 1000.0,
    };
    // Reference of query: the object of `--stats`, on stderr
    let mut line = json!({
        "queries": queries,
        "matches": sum.matches,
        "seconds": clock.seconds(),
        "cpu_seconds": clock.cpu_seconds(),
        "p50_us": percentile(50), // half of the queries took at most this, on the clock
        "p99_us": percentile(99), // 99 of 100
        "predicted_us": (predicted_ns / 10.0).round() / 100.0, // what the planner expects of a query
    });
    if let (Some(line), Value::Object(work)) = (line.as_object_mut(), nddb_jobs::fields::work(&sum.work)) {
        line.extend(work);
    }
    global.messages().json(&line);
}
