//! `nddb audit`: a page to judge removals by hand, and the scores of the answers.

mod scored;

use std::path::PathBuf;

use nddb_evaluate::audit::{Audit, Drawing};
use nddb_jobs::quantity::unread_reasons;
use serde_json::json;

use super::pairs;
use crate::args::Global;
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result, Told};
use crate::output::Output;
use crate::quantity::{counted, duration};
use crate::text_options::unread_value;
use crate::{database, interrupt};

/// Judge a sample of the removals of `cluster` by hand, and estimate the share that is correct
///
/// Writes one self-contained HTML page that shows pairs side by side with the words that differ. It asks whether both
/// pages have the same text, whether anything is lost that is worth keeping, and whether the kept page is as good. It
/// stores the answers in the browser, and downloads them as a label file, which `nddb eval --pairs` can read, too. The
/// sample is of all removals by `nddb cluster` with its defaults, with more pairs where the score is uncertain. A fifth
/// of the pairs are controls: near-duplicates that stay, and pairs just below the threshold. Some pairs occur twice, to
/// measure consistency.
///
/// --distances K draws other pairs: of different texts whose fingerprints differ in 1 to K bits, as many at each
/// distance (Manku et al. 2007, 4.1). --score then gives the share that is right at each distance. K may exceed the k
/// of the database: if this has more than 100,000 different fingerprints, so many are then compared, and the pairs of
/// all are estimated.
///
/// --score prints the share of all removals that is correct by these answers, with 95% intervals: in total, and by
/// rule, score, sites, cluster size and stratum.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb audit crawl.nddb -o audit.html
  nddb audit crawl.nddb --distances 10 --sample 500 -o distances.html
  nddb audit --score labels-5d1c8e0b7a3f2964.tsv")]
pub(crate) struct Args {
    /// The database, a folder
    #[arg(value_name = "DB", env = "NDDB_DB", hide_env_values = true, required_unless_present = "score")]
    db: Option<PathBuf>,
    /// Write the page to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Questions on the page, including the pairs that occur twice
    #[arg(long, value_name = "N", default_value = "400", value_parser = clap::value_parser!(u32).range(1..))]
    sample: u32,
    /// Seed that selects the pairs and their order
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Draw as many pairs at each distance of 1 to so many bits, at most 16, instead of removals
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    distances: Option<u32>,
    /// Ask for the kind of each difference, too, with the kinds of Henzinger 2006
    #[arg(long)]
    kinds: bool,
    /// Score the answers in this file, instead of making a page
    #[arg(long, value_name = "LABELS", conflicts_with_all = ["output", "sample", "seed", "distances", "kinds"])]
    score: Option<PathBuf>,
}

/// Commands that read the labels of a page, each with what it does.
const READ_LABELS: [[&str; 2]; 2] = [
    ["nddb audit --score LABELS.tsv", "says how many removals are right"],
    ["nddb eval --docs DOCS --pairs LABELS.tsv", "compares methods by them"],
];

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    if let Some(labels) = &args.score {
        return scored::run(labels, global);
    }
    let clock = Clock::start();
    let db = args.db.as_deref().ok_or_else(|| Failure::usage("no database is named: give DB, or set NDDB_DB"))?;
    let to = match &args.output {
        None if global.json => None,
        path => Some(global.page("-o", path.as_deref())?),
    };
    let reader = database::read(db)?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let messages = global.messages();
    let meter = messages.meter("audit");
    let name = db.display().to_string();
    let sample = (args.sample as usize, args.seed);
    let drawing = args.distances.map_or(Drawing::Removals, Drawing::Distances);
    let (resources, watch) = (pairs::resources(global), &mut *meter.watch(true));
    let audit = Audit::draw(name, reader.view(), &resources, drawing, sample, watch)?;
    if audit.pairs.is_empty() {
        return Err(nothing(&audit));
    }
    if let Some(to) = &to {
        let mut output = Output::create(to)?;
        output.write(audit.page(args.kinds, &READ_LABELS).as_bytes())?;
        output.finish()?;
    }
    let strata = audit.strata.iter().map(|drawn| {
        let it = &drawn.stratum;
        json!({
            "kind": it.kind.name(),
            "rule": it.rule,
            "score": it.score,
            "sites": it.sites,
            "cluster": it.cluster,
            "pairs": drawn.pairs,
            "drawn": drawn.drawn,
        })
    });
    global.summary(
        &meter,
        // Reference of audit: the object of `--json`
        json!({
            "audit": audit.id(), // its name
            "method": audit.method,
            "documents": audit.documents,
            "removals": audit.removals(),
            "questions": audit.order.len(),
            "pairs": audit.pairs.len(),
            "left_out": audit.left_out, // pairs with a text that cannot be read
            "unread": unread_value(&audit.unread),
            "seed": audit.seed,
            "strata": strata.collect::<Vec<_>>(), // `kind`, `rule`, `score`, `sites`, `cluster`, `pairs`, `drawn`
        }),
    )?;
    if audit.left_out > 0 {
        messages.warn(format!(
            "{} left out, because a text could not be read: {}",
            counted(audit.left_out, "pair"),
            unread_reasons(&audit.unread)
        ));
    }
    let took = duration(std::time::Duration::from_secs_f64(clock.seconds()));
    let next = args.output.as_ref().map_or_else(String::new, |path| format!("; open {} in a browser", path.display()));
    meter.finish(&format!(
        "{} about {} of {} in {took}{next}",
        counted(audit.order.len() as u64, "question"),
        counted(audit.pairs.len() as u64, "pair"),
        counted(audit.removals(), if args.distances.is_some() { "pair" } else { "removal" }),
    ));
    Ok(if audit.left_out > 0 { Code::SomeSkipped } else { Code::Done })
}

/// Returns the error that there is nothing to judge, with the reason and a hint.
fn nothing(audit: &Audit) -> Failure {
    if audit.left_out > 0 {
        let message = format!("{}: no text could be read: {}", audit.db, unread_reasons(&audit.unread));
        let hint = "texts are read where `nddb load` found them: put the archives back, unchanged";
        return Told::new(Code::Failed, message).hint(hint).into();
    }
    let why = match audit.drawing {
        Drawing::Removals => "cluster would remove no document".to_owned(),
        Drawing::Distances(most) => format!("no pair of different texts is within {most} bits"),
    };
    let message = format!("{}: nothing to judge: {why}", audit.db);
    Told::new(Code::Failed, message).hint(format!("see what there is: nddb report {} -o report.html", audit.db)).into()
}
