//! `nddb eval`: how well each method agrees with labels.

mod line;
mod review;
mod setting;
mod table;

use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use nddb::Config;
use nddb::detect::eval::{
    Cells, Corpus, CorpusError, Counts, Gold, Half, Intervals, Labels, Returned, bootstrap, splits,
};
use nddb::detect::{Method, PairSummary, Room};
use nddb::sketch::Recipe;

use self::review::Review;
use self::setting::Setting;
use super::create::recipe;
use crate::args::Global;
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result, Told, chain};
use crate::inputs;
use crate::messages::Meter;
use crate::output::Output;
use crate::quantity::counted;
use crate::text_options::{self, TextOptions};

/// Greatest distance that the database of the documents answers: simhash can be run up to it.
const K_MAX: u8 = 7;

/// Compare methods on labelled documents
///
/// Loads the documents into a temporary database, runs each method from its own candidates over ALL of them, and scores
/// the pairs it puts out: a labelled pair counts as found only if the method puts it out. A pair without a label is
/// neither right nor wrong; they are counted, and --review writes some out to be looked at.
///
/// The label file has lines of columns between tabs, the first naming them: id1, id2, label (1, 0, or g for undecided)
/// and perhaps kind.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb eval --docs docs.jsonl.zst --pairs pairs.tsv
  nddb eval --docs docs.jsonl.zst --pairs pairs.tsv --methods simhash:k=0..7,c:c=352..380/4 --half 1
  nddb eval --docs docs.jsonl.zst --pairs pairs.tsv --json | jq '[.method, .params, .f1]'
  nddb eval --docs docs.jsonl.zst --pairs pairs.tsv --methods split --review review.tsv")]
pub(crate) struct Args {
    /// The documents: any input of nddb load, for instance JSON lines with id, url, html or text
    #[arg(long, value_name = "FILE")]
    docs: PathBuf,
    /// The labels
    #[arg(long, value_name = "FILE")]
    pairs: PathBuf,
    /// Which methods, with which thresholds: all, or b,simhash:k=0..7,combined:b=3+c=360
    #[arg(long, value_name = "LIST", default_value = "all")]
    methods: String,
    /// Score only one half of the labels: choose on 1, report on 2
    #[arg(long, value_enum, default_value_t, value_name = "HALF")]
    half: Part,
    /// How pages become sketches
    #[arg(long, default_value = Recipe::NAMES[0], value_name = "NAME")]
    recipe: String,
    /// Write up to 200 pairs without a label for each setting to this file, to be labelled
    #[arg(long, value_name = "FILE")]
    review: Option<PathBuf>,
    /// Decides the draws of the bootstrap and of the pairs for review
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    texts: TextOptions,
}

/// What is scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The half to choose methods and thresholds on
    #[value(name = "1")]
    One,
    /// The half to report
    #[value(name = "2")]
    Two,
    /// All labelled pairs
    #[default]
    All,
}

impl Part {
    fn half(self) -> Option<Half> {
        match self {
            Part::One => Some(Half::One),
            Part::Two => Some(Half::Two),
            Part::All => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Part::One => "1",
            Part::Two => "2",
            Part::All => "all",
        }
    }
}

/// What all settings have in common.
struct Frame<'a> {
    corpus: &'a Corpus,
    gold: &'a Gold,
    labels: &'a Labels,
    selected: Vec<bool>,
    cells: Cells,
    half: Part,
    recipe: String,
    seed: u64,
}

/// A setting and what came of it.
struct Trial<'a> {
    setting: Setting,
    returned: Returned<'a>,
    summary: PairSummary,
    seconds: f64,
    cpu_seconds: f64,
}

pub(super) fn run(args: &Args, global: &Global) -> Result<Code> {
    let settings = setting::parse(&args.methods).map_err(Failure::usage)?;
    let recipe = recipe(&args.recipe)?;
    let labels = read_labels(&args.pairs)?;
    let meter = global.messages().meter("eval");
    let folder = global.temporary_folder()?;
    let mut room = Room { folder: folder.path().into(), ..Room::default() };
    if let Some(bytes) = global.memory_limit {
        room.memory_limit = bytes;
    }
    let config = Config::within(K_MAX)?.recipe(&recipe.label());
    let mut watch = meter.watch(true);
    let database = folder.path().join("documents.nddb");
    let corpus = Corpus::load(&args.docs, &database, &config, &recipe, &room, &mut *watch).map_err(told)?;
    let gold = corpus.gold(&labels)?;
    refuse_strangers(&corpus, &gold, &labels, args)?;
    let selected = gold.selected(args.half.half());
    let cells = Cells::new(&gold, &selected);
    let frame = Frame {
        corpus: &corpus,
        gold: &gold,
        labels: &labels,
        selected,
        cells,
        half: args.half,
        recipe: recipe.label(),
        seed: args.seed,
    };
    let trials = run_all(settings, args, &frame, &room, &meter, global)?;
    if let Some(path) = &args.review {
        write_reviews(path, &frame, &trials)?;
    }
    report(&frame, &trials, global)?;
    for trial in &trials {
        for warning in text_options::warnings(&trial.summary) {
            global.messages().warn(format!("{} {}: {warning}", trial.setting.method, trial.setting.told()));
        }
    }
    warn(&frame, &meter, global);
    Ok(if corpus.skipped().is_empty() { Code::Done } else { Code::SomeSkipped })
}

fn told(error: CorpusError) -> Failure {
    match error {
        CorpusError::Archive(error) => error.into(),
        CorpusError::Store(error) => error.into(),
    }
}

fn read_labels(path: &Path) -> Result<Labels> {
    Labels::read(BufReader::new(inputs::open(path)?)).map_err(|error| {
        let hint = "the first line names the columns, between tabs: id1, id2, label, and perhaps kind";
        Told::new(Code::Failed, format!("{}: {}", path.display(), chain(&error))).hint(hint).into()
    })
}

/// Labels of which no pair is known are labels of something else.
fn refuse_strangers(corpus: &Corpus, gold: &Gold, labels: &Labels, args: &Args) -> Result<()> {
    if !gold.pairs.is_empty() || labels.pairs.is_empty() {
        return Ok(());
    }
    let id = gold.unknown.first().cloned().unwrap_or_default();
    let message =
        format!("{}: no pair is of documents in {} (there is no {id:?})", args.pairs.display(), args.docs.display());
    let hint = match corpus.skipped().first() {
        Some(why) => format!("{}: {why}", args.docs.display()),
        None => "do both files belong together?".into(),
    };
    Err(Told::new(Code::Failed, message).hint(hint).into())
}

/// Runs all settings. Of a list that names all methods those that these documents do not allow are left out and told;
/// one that was asked for by name is an error.
fn run_all<'a>(
    settings: Vec<Setting>,
    args: &Args,
    frame: &Frame<'a>,
    room: &Room,
    meter: &Meter,
    global: &Global,
) -> Result<Vec<Trial<'a>>> {
    let mut trials = Vec::new();
    for mut setting in settings {
        let mut options = setting.options(room);
        args.texts.apply(&mut options);
        setting.verified = options.verify_lcs && !matches!(setting.method, Method::Identity | Method::Lcs);
        let mut watch = meter.watch(true);
        let clock = Clock::start();
        match frame.corpus.run(&options, frame.gold, frame.seed, &mut *watch) {
            Ok((returned, summary)) => {
                let (seconds, cpu_seconds) = (clock.seconds(), clock.cpu_seconds());
                trials.push(Trial { setting, returned, summary, seconds, cpu_seconds });
            }
            Err(error @ nddb::Error::Method { .. }) if !setting.by_name => {
                global.messages().note(format!("left out: {}", chain(&error)));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(trials)
}

impl Frame<'_> {
    /// The figures of all settings: intervals, and differences from the default, or from the first where the default is
    /// not among them.
    fn intervals(&self, trials: &[Trial<'_>]) -> (usize, Vec<Intervals>) {
        let reference = trials.iter().position(|trial| trial.setting.is_default()).unwrap_or(0);
        let found: Vec<&[bool]> = trials.iter().map(|trial| trial.returned.found()).collect();
        (reference, bootstrap(self.gold, &self.cells, &found, reference, self.seed))
    }

    /// All scored pairs, as if none had been found.
    fn counts(&self) -> Counts {
        let none = vec![false; self.gold.pairs.len()];
        splits(self.gold, &self.selected, &none)[0].counts
    }

    fn documents(&self) -> u64 {
        self.corpus.collection().held().documents
    }
}

fn report(frame: &Frame<'_>, trials: &[Trial<'_>], global: &Global) -> Result<()> {
    let (reference, intervals) = if trials.is_empty() { (0, Vec::new()) } else { frame.intervals(trials) };
    let mut output = Output::stdout();
    if global.json {
        for (trial, intervals) in trials.iter().zip(&intervals) {
            output.json(&line::value(frame, trial, &trials[reference], intervals))?;
        }
    } else {
        for line in table::lines(frame, trials, reference, &intervals) {
            output.line(&line)?;
        }
    }
    output.flush()
}

fn write_reviews(path: &Path, frame: &Frame<'_>, trials: &[Trial<'_>]) -> Result<()> {
    let mut review = Review::create(path)?;
    for trial in trials {
        review.write(frame.corpus, &trial.setting, &trial.returned.sample())?;
    }
    review.finish()
}

/// Says what the figures do not show.
fn warn(frame: &Frame<'_>, meter: &Meter, global: &Global) {
    let messages = global.messages();
    for why in frame.corpus.skipped() {
        messages.warn(format!("not loaded: {why}"));
    }
    if frame.gold.left_out > 0 {
        let some: Vec<&str> = frame.gold.unknown.iter().take(3).map(String::as_str).collect();
        messages.warn(format!(
            "{} left out: {} unknown, for instance {}",
            counted(frame.gold.left_out, "pair"),
            counted(frame.gold.unknown.len() as u64, "id"),
            some.join(", ")
        ));
    }
    let repeated = frame.corpus.loaded().repeated;
    if repeated > 0 {
        messages.warn(format!("{} came again under an id: the last one was taken", counted(repeated, "document")));
    }
    meter.finish(&format!(
        "{}, {}, seed {}",
        counted(frame.documents(), "document"),
        counted(frame.counts().labelled(), "labelled pair"),
        frame.seed
    ));
}
