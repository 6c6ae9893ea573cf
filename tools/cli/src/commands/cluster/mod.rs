//! `nddb cluster`: clusters, with the documents to keep and to remove.

mod overrules;

use std::path::PathBuf;

use nddb::View;
use nddb::detect::{ClusterOptions, ClusterSummary, Collection, PairOptions};
use nddb_jobs::clusters::{ClusterLists, PreviousClusters, WrittenClusters};
use nddb_jobs::fields::{Described, WantedDocuments, cluster_line, want_members};
use serde_json::{Value, json};

use self::overrules::OverruleArgs;
use super::pairs::{self, MethodArgs};
use crate::args::{Database, Global};
use crate::clock::Clock;
use crate::described::{PairFormat, WithArgs};
use crate::failure::{Code, Failure, Result};
use crate::level_option::{self, LevelOption};
use crate::output::Output;
use crate::quantity::{counted, duration, grouped};
use crate::{database, interrupt, text_options};

/// Cluster near-duplicates, and list what to keep and what to remove
///
/// A cluster is a star: all members are near-duplicates of its founder, the oldest document, whose id names the
/// cluster. One document of each cluster is kept, and the near-duplicates of that one are removed. The other members
/// are clustered again, until every removed document is a near-duplicate of one that is kept.
///
/// Documents are processed in the order of loads. A near-duplicate of several founders joins the most similar one, so
/// clusters do not chain, and later documents do not move earlier ones. A document whose text cannot be read stays, and
/// the exit code is 3.
///
/// Without -o the lines of clusters.jsonl are printed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb cluster crawl.nddb -o clusters
  nddb cluster crawl.nddb --method split -o june --previous may
  nddb rm crawl.nddb --ids-from clusters/remove.txt")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    #[command(flatten)]
    level: LevelOption,
    /// Connected components of the graph of pairs, instead of stars
    #[arg(long)]
    components: bool,
    /// Write files into this folder, which is created if it does not exist, and remove those of an earlier run
    ///
    /// clusters.jsonl: a line for each cluster; clusters.tsv: one for each member; pairs.jsonl, as of 'nddb pairs';
    /// keep.txt and remove.txt: the ids of all documents, each in one of the two; remove.tsv: why and for which
    /// document each of remove.txt goes, what is lost, and its place; summary.json: the object of --json, and the
    /// lines, bytes and checksum of each file.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// How the pairs are written; with parquet the members of clusters, too, in clusters.parquet
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", requires = "output")]
    format: PairFormat,
    #[command(flatten)]
    with: WithArgs,
    /// The folder of an earlier run: renamed.tsv says what became of clusters whose ids are gone, flipped.txt lists
    /// what that run kept and this one removes
    #[arg(long, value_name = "DIR", requires = "output")]
    previous: Option<PathBuf>,
    #[command(flatten)]
    overrules: OverruleArgs,
    // The last one: options after it would stand under its heading.
    #[command(flatten)]
    how: MethodArgs,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let reader = database::read(&args.database.db)?;
    let view = reader.view();
    let pairs = args.how.options(view, global)?;
    nddb::detect::options::check(view, &pairs)?;
    let mut options = args.level.apply(ClusterOptions { components: args.components, ..ClusterOptions::new(pairs) });
    let (with, format) = (args.with.wanted(), args.format.lines(&args.with.wanted())?);
    let previous = args.previous.as_deref().map(PreviousClusters::open).transpose()?;
    let lists = args.output.as_ref().map(|folder| ClusterLists::open(&global.outputs, "-o", folder)).transpose()?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let messages = global.messages();
    let meter = messages.meter("cluster");
    let collection = Collection::with_deleted(view, &options.pairs.resources, &mut *meter.watch(true))?;
    options.pairs.settle(collection.held());
    options.overrules = args.overrules.find(view, &collection, global)?;
    let mut watch = meter.watch(true);
    let watch = &mut *watch;
    let (summary, unread) = match lists {
        Some(mut lists) => {
            let describe = &|summary: &ClusterSummary| describe(args, view, &options, summary);
            lists.with = &with;
            lists.describe = describe;
            (lists.format, lists.previous) = (format, previous);
            let WrittenClusters { summary, unread } = lists.write(view, &collection, &options, watch)?;
            (summary, unread)
        }
        None => {
            let to = global.output("-o", None)?;
            let made = nddb::detect::cluster(view, &collection, &options, watch, &mut |_| Ok(()))?;
            let mut wanted = WantedDocuments::none(&collection);
            want_members(&mut wanted, &collection, &made)?;
            let read = || Described::read(view, &collection, &options.pairs.resources, (&with[..], &wanted), watch);
            let described = (!with.is_empty()).then(read).transpose()?;
            let (mut output, mut out) = (Output::create(&to)?, Vec::new());
            let outcome = made.each(&collection, &mut |cluster| {
                out.clear();
                cluster_line(&mut out, &collection, cluster, described.as_ref());
                output.emit(&out)
            });
            output.finish_after(outcome.map_err(Failure::from))?;
            (made.summary, described.map(|described| *described.unread()).unwrap_or_default())
        }
    };
    text_options::unread_warning(&unread).into_iter().for_each(|warning| messages.warn(warning));
    if summary.pairs.unsketched > 0 {
        messages.warn(pairs::unsketched(&options.pairs, &summary.pairs));
    }
    text_options::warnings(&summary.pairs).into_iter().for_each(|warning| messages.warn(warning));
    level_option::warnings(&summary).into_iter().for_each(|warning| messages.warn(warning));
    let mut value = describe(args, view, &options, &summary);
    value["seconds"] = clock.seconds().into();
    value["cpu_seconds"] = clock.cpu_seconds().into();
    value["busiest_thread"] = clock.busiest_thread().into();
    global.summary(&meter, value)?;
    let took = duration(std::time::Duration::from_secs_f64(clock.seconds()));
    meter.finish(&format!("{} in {took}", told(&summary)));
    Ok(if summary.unread.total() > 0 { Code::SomeSkipped } else { text_options::code(&summary.pairs) })
}

fn told(summary: &ClusterSummary) -> String {
    let documents = summary.kept + summary.removed;
    let mut text = format!(
        "{}: keep {}, remove {} ({:.1}%); {} of {}",
        counted(documents, "document"),
        grouped(summary.kept),
        grouped(summary.removed),
        100.0 * summary.removed as f64 / documents.max(1) as f64,
        counted(summary.clusters, "cluster"),
        counted(summary.clustered, "document"),
    );
    for (count, told) in [
        (summary.apart, grouped(summary.apart) + " members not near the kept document"),
        (summary.undecided, grouped(summary.undecided) + " of these not compared, because there are too many"),
        (summary.spared, counted(summary.spared, "near-duplicate") + " kept"),
        (summary.thin, counted(summary.thin, "cluster") + " of pages with hardly any content"),
        (summary.oversized, grouped(summary.oversized) + " oversized"),
        (summary.single_site, grouped(summary.single_site) + " within a single site"),
    ] {
        if count > 0 {
            text += &format!(", {told}");
        }
    }
    text
}

/// What was clustered, how, and what came of it: the same for the same input.
fn describe(args: &Args, view: View<'_>, options: &ClusterOptions, summary: &ClusterSummary) -> Value {
    let pairs: &PairOptions = &options.pairs;
    // Reference of cluster: the object of `--json`; then the times
    json!({
        "input": {
            "db": args.database.db.display().to_string(),
            "generation": view.generation(),
            "complete_to": view.complete_to(),
        },
        "recipe": view.settings().recipe,
        "versions": {"nddb": env!("CARGO_PKG_VERSION"), "format": nddb_format::fields::FORMAT},
        "keep": args.level.order(),
        "level": options.level.name(),
        "words": summary.words.name(), // where they came from
        // documents whose words could not be read, by reason
        "words_unread": text_options::unread_value(&summary.unread),
        "unverified": summary.unverified, // removals whose loss was estimated
        "components": options.components,
        "pairs": pairs::value(view, pairs, &summary.pairs), // the object of `pairs`
        "clusters": summary.clusters,
        "clustered": summary.clustered, // documents of clusters
        "largest": summary.largest, // members
        "oversized": summary.oversized, // clusters of more than --group-limit
        "single_site": summary.single_site, // clusters
        "thin": summary.thin, // clusters whose kept page is thin
        "in_thin": summary.in_thin, // documents of these
        "spared": summary.spared, // documents that stay although they are near the kept one
        "apart": summary.apart, // members that are not near the kept document
        "removed_again": summary.removed_again, // in further rounds
        "undecided": summary.undecided, // pairs that were not compared
        "founder_deleted": summary.founder_deleted, // clusters
        "kept": summary.kept,
        "removed": summary.removed,
    })
}
