//! `nddb-lab tune`: calibration of shingle sampling on the user's documents.

use std::path::PathBuf;

use nddb::archive::Options;
use nddb::detect::Collection;
use nddb::detect::options::TextScope;
use nddb::sketch::Recipe;
use nddb::verdict::methods::Shingles;
use nddb::{Config, View};
use nddb_cli::frame::{
    Code, Failure, Global, Output, Result, TextTable, inputs, interrupt,
    parameters::{self, Parameters},
    recipe, resources, text_part, texts,
};
use nddb_evaluate::eval::{Corpus, CorpusError};
use nddb_jobs::quantity::{decimal, group_words};
use nddb_lab::sampled::{PAIRS_MAX, RATIOS};
use nddb_lab::tune::{Calibration, PAIRS_MIN, Run, TuneOptions, calibrate};
use serde_json::{Value, json};

use nddb_jobs::quantity::{counted, grouped};

/// Distance of the temporary database of documents from a file.
const K: u8 = 3;

/// Calibrate shingle sampling on your own documents
///
/// Finds the sampling ratios of shingles that keep a given precision. The groups of documents by number of words and the
/// ratio of each group are chosen on one half of the documents, and evaluated on the other half beside one ratio for
/// all. Texts are read again from where they were loaded.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb-lab tune crawl.nddb
  nddb-lab tune documents.jsonl.zst --set shingles.resemblance=0.6 --precision 0.8
  nddb pairs crawl.nddb --method shingles --set ratios=4,512:8,2048:32")]
pub(crate) struct Args {
    /// A database, or a file of documents: any input of nddb load
    #[arg(value_name = "DB", env = "NDDB_DB", hide_env_values = true)]
    input: PathBuf,
    /// The precision to keep: the share of pairs with that resemblance among all pairs that a sample returns
    #[arg(long, value_name = "SHARE", default_value_t = 0.85, value_parser = share)]
    precision: f64,
    /// Which text of a page is compared: all of it, or its main content [default: that of the recipe]
    #[arg(long = "text", value_parser = text_part(), value_name = "PART")]
    part: Option<TextScope>,
    #[command(flatten)]
    parameters: Parameters,
    /// Maximum number of documents whose shingles are read
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    documents: u64,
}

fn share(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value.filter(|value| *value > 0.0 && *value <= 1.0).ok_or_else(|| "a number above 0, and at most 1".into())
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    if !inputs::is_file(&args.input) {
        let reader = inputs::database(&args.input)?;
        let meter = global.messages().meter("tune");
        let collection = Collection::build(reader.view(), &resources(global), &mut *meter.watch(true))?;
        return tune(args, global, reader.view(), &collection);
    }
    let folder = global.temporary_folder()?;
    let recipe = recipe(Recipe::BASES[0])?;
    let config = Config::within(K)?.recipe(&recipe.label());
    let meter = global.messages().meter("tune");
    let database = folder.path().join("documents.nddb");
    let input = (args.input.as_path(), &Options::default());
    let corpus = Corpus::load(input, &database, &config, &recipe, &resources(global), &mut *meter.watch(true));
    let corpus = corpus.map_err(|error| match error {
        CorpusError::Archive(error) => Failure::from(error),
        CorpusError::Store(error) => error.into(),
    })?;
    for why in corpus.skipped() {
        global.messages().warn(format!("not loaded: {why}"));
    }
    tune(args, global, corpus.view(), corpus.collection())
}

fn tune(args: &Args, global: &Global, view: View<'_>, collection: &Collection) -> Result<Code> {
    let messages = global.messages();
    let meter = messages.meter("tune");
    let mut options = TuneOptions {
        part: args.part,
        resources: resources(global),
        precision: args.precision,
        documents: args.documents,
        ..TuneOptions::default()
    };
    args.parameters.apply(&mut [&mut options.shingles])?;
    let calibration = calibrate(view, collection, &options, &mut *meter.watch(true))?;
    let unread = texts::unread_warning(&calibration.unread);
    if let Some(warning) = &unread {
        messages.warn(warning);
    }
    let mut output = Output::stdout();
    if global.json {
        output.json(&value(args, &options.shingles, &calibration))?;
    } else {
        for line in sampling(args, &options.shingles, &calibration) {
            output.line(&line)?;
        }
    }
    output.flush()?;
    meter.finish(&counted(calibration.documents, "document"));
    Ok(if unread.is_some() { Code::SomeSkipped } else { Code::Done })
}

fn part(value: Option<f64>) -> String {
    decimal(value, 4)
}

fn sampling(args: &Args, shingles: &Shingles, made: &Calibration) -> Vec<String> {
    let mut lines = vec![format!(
        "{}; pairs of resemblance {}, shingles of {} words; precision to be kept: {}",
        counted(made.documents, "document"),
        shingles.resemblance,
        shingles.words,
        args.precision
    )];
    lines.push(String::new());
    lines.push("chosen on one half of the documents; precision at 1/n, and in brackets the pairs returned".into());
    let mut titles = vec!["words".to_owned(), "documents".into(), "shingles".into(), "pairs".into(), "ratio".into()];
    titles.extend(RATIOS[1..].iter().map(|ratio| format!("1/{ratio}")));
    let mut table = TextTable::new(&titles.iter().map(String::as_str).collect::<Vec<_>>());
    for (group, figures) in made.groups.iter().enumerate() {
        let mut row = vec![
            group_words(&made.bounds, group),
            grouped(figures.documents),
            grouped(figures.shingles),
            grouped(figures.pairs),
        ];
        row.push(format!("1/{}", figures.ratio(args.precision)));
        row.extend((1..RATIOS.len()).map(|index| {
            let returned = figures.returned[index];
            let precision = (returned > 0.0).then(|| figures.correct[index] / returned);
            format!("{} ({returned:.0})", part(precision))
        }));
        table.row(row);
    }
    lines.extend(table.lines());
    if made.groups.iter().any(|figures| figures.drawn != figures.returned) {
        lines.push(format!(
            "runs with more than {} in a group: so many were drawn by hash and compared; counts are scaled up to all",
            counted(PAIRS_MAX as u64, "pair")
        ));
    }
    if let [group] = &made.groups[..]
        && (group.pairs as f64) < PAIRS_MIN
    {
        lines.push(format!(
            "too few pairs to choose a ratio (at least {PAIRS_MIN}): take more --documents or a lower resemblance"
        ));
    }
    lines.push(String::new());
    lines.push("reported on the other half".into());
    let mut table = TextTable::new(&["sampling", "shingles kept", "precision", "recall"]);
    let row = |name: String, run: &Run| {
        vec![name, format!("{:.2}%", 100.0 * run.shingles), part(run.precision), part(run.recall)]
    };
    for (run, ratio) in made.uniform.iter().zip(RATIOS) {
        table.row(row(format!("uniform 1/{ratio}"), run));
    }
    table.row(row("adaptive".into(), &made.adaptive));
    lines.extend(table.lines());
    let (adaptive, equal) = (&made.adaptive, &made.uniform[made.equal]);
    lines.push(String::new());
    // Without pairs the precision is undefined.
    if adaptive.precision.is_some() {
        lines.push(format!(
            "at a precision of {} uniform sampling keeps {:.2}% of the shingles (1/{}), adaptive {:.2}%",
            part(adaptive.precision),
            100.0 * equal.shingles,
            RATIOS[made.equal],
            100.0 * adaptive.shingles
        ));
    }
    let mut table = TextTable::new(&["words", "uniform 1/16", "adaptive"]);
    for group in 0..made.bounds.count() {
        let [uniform, adaptive] = [&made.uniform[4], adaptive].map(|run| part(run.by_group[group]));
        table.row(vec![group_words(&made.bounds, group), uniform, adaptive]);
    }
    lines.push("precision by the words of the smaller document".into());
    lines.extend(table.lines());
    lines.push(command(args, shingles, &made.adaptive));
    lines
}

/// Returns the command that finds pairs by the same adaptive sampling.
fn command(args: &Args, shingles: &Shingles, adaptive: &Run) -> String {
    let db = if inputs::is_file(&args.input) { "DB".into() } else { args.input.display().to_string() };
    let part = args.part.map_or_else(String::new, |part| format!(" --text {}", part.name()));
    let chosen = Shingles { ratios: adaptive.ratios, ..shingles.clone() };
    format!("nddb pairs {db} --method shingles{}{part}", parameters::options(&chosen))
}

fn value(args: &Args, shingles: &Shingles, made: &Calibration) -> Value {
    let run = |run: &Run| {
        json!({
            "ratios": run.ratios.to_string(),
            "precision": run.precision,
            "recall": run.recall,
            "shingles": run.shingles,
            "by_group": run.by_group,
        })
    };
    let groups = made.groups.iter().enumerate().map(|(group, figures)| {
        json!({
            "words": group_words(&made.bounds, group),
            "documents": figures.documents,
            "shingles": figures.shingles,
            "pairs": figures.pairs,
            "returned": figures.returned,
            "correct": figures.correct,
            "drawn": figures.drawn,
            "ratio": figures.ratio(args.precision),
        })
    });
    json!({
        "documents": made.documents,
        "resemblance": shingles.resemblance,
        "precision": args.precision,
        "shingle_words": shingles.words,
        "groups": groups.collect::<Vec<_>>(),
        "ratios": made.adaptive.ratios.to_string(),
        "command": command(args, shingles, &made.adaptive),
        "uniform": made.uniform.iter().map(run).collect::<Vec<_>>(),
        "adaptive": run(&made.adaptive),
        "equal": RATIOS[made.equal],
    })
}
