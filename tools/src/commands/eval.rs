//! `nddb eval`: how well each method agrees with labels.

mod documents;
mod figures;
mod line;
mod page;
mod review;
mod setting;
mod table;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use nddb::detect::eval::{Cells, Corpus, Counts, Gold, Half, Intervals, Labels, Returned, bootstrap, splits};
use nddb::detect::{Method, PairSummary, Room};
use nddb::sketch::Recipe;

use self::documents::{load, read_labels, refuse_strangers};
use self::figures::Figures;
use self::review::Review;
use self::setting::Setting;
use super::create::recipe;
use crate::args::Global;
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result, chain};
use crate::messages::Meter;
use crate::output::Output;
use crate::quantity::counted;
use crate::text_options::{self, TextOptions};

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
  nddb eval --docs docs.jsonl.zst --pairs pairs.tsv --methods split --review review.tsv
  nddb eval --docs docs.jsonl.zst --pairs pairs.tsv --report eval.html")]
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
    /// How pages become sketches: one recipe or several, between commas, to be compared
    #[arg(long, default_value = Recipe::NAMES[0], value_name = "LIST", value_delimiter = ',')]
    recipe: Vec<String>,
    /// Write up to 200 pairs without a label for each setting to this file, to be labelled
    #[arg(long, value_name = "FILE")]
    review: Option<PathBuf>,
    /// Write a page with plots to this file: methods, and precision by similarity, by slope and by distance
    ///
    /// It needs nothing else. All its numbers stand in it, and in the objects of --json: `by_similarity` of b and c, `by_r`
    /// of combined, `slopes` of lcs, `distances` of simhash. Slopes are only measured for a page.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
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

/// The documents, sketched by one recipe.
struct Set {
    recipe: Recipe,
    corpus: Corpus,
    gold: Gold,
}

/// What all settings have in common.
struct Frame<'a> {
    /// Of each recipe; their labelled pairs stand in the same order.
    sets: &'a [Set],
    labels: &'a Labels,
    selected: Vec<bool>,
    cells: Cells,
    half: Part,
    seed: u64,
}

/// A setting and what came of it.
struct Trial<'a> {
    set: &'a Set,
    setting: Setting,
    returned: Returned<'a>,
    summary: PairSummary,
    seconds: f64,
    cpu_seconds: f64,
}

pub(super) fn run(args: &Args, global: &Global) -> Result<Code> {
    let settings = setting::parse(&args.methods).map_err(Failure::usage)?;
    args.texts.check(&settings.iter().map(|setting| setting.method).collect::<Vec<Method>>())?;
    let recipes = args.recipe.iter().map(|name| recipe(name)).collect::<Result<Vec<Recipe>>>()?;
    let labels = read_labels(&args.pairs)?;
    let meter = global.messages().meter("eval");
    let folder = global.temporary_folder()?;
    let mut room = Room { folder: folder.path().into(), ..Room::default() };
    if let Some(bytes) = global.memory_limit {
        room.memory_limit = bytes;
    }
    let mut sets = Vec::new();
    for recipe in recipes {
        let set = load(args, recipe, &labels, &room, &meter)?;
        refuse_strangers(&set, &labels, args)?;
        sets.push(set);
    }
    let selected = sets[0].gold.selected(args.half.half());
    let cells = Cells::new(&sets[0].gold, &selected);
    let frame = Frame { sets: &sets, labels: &labels, selected, cells, half: args.half, seed: args.seed };
    let trials = run_all(&settings, args, &frame, &room, &meter, global)?;
    if let Some(path) = &args.review {
        write_reviews(path, &trials)?;
    }
    let figures = figures::measure(&frame, args, &room, &meter)?;
    report(&frame, &trials, &figures, args, global)?;
    for trial in &trials {
        for warning in text_options::warnings(&trial.summary) {
            global.messages().warn(format!("{} {}: {warning}", trial.setting.method, trial.setting.told()));
        }
        if trial.summary.stars > 0 && !trial.setting.method.needs_text() {
            let keys = counted(trial.summary.stars, "key");
            global.messages().warn(format!(
                "{} {}: {keys} shared by more documents than are compared: there may be more pairs without a label",
                trial.setting.method,
                trial.setting.told()
            ));
        }
    }
    warn(&frame, &meter, global);
    let unread = trials.iter().any(|trial| text_options::code(&trial.summary) == Code::SomeSkipped);
    Ok(if unread || !frame.first().corpus.skipped().is_empty() { Code::SomeSkipped } else { Code::Done })
}

/// Runs all settings. Of a list that names all methods those that these documents do not allow are left out and told;
/// one that was asked for by name is an error.
fn run_all<'a>(
    settings: &[Setting],
    args: &Args,
    frame: &Frame<'a>,
    room: &Room,
    meter: &Meter,
    global: &Global,
) -> Result<Vec<Trial<'a>>> {
    let mut trials = Vec::new();
    for (set, setting) in frame.sets.iter().flat_map(|set| settings.iter().map(move |setting| (set, setting))) {
        let mut setting = setting.clone();
        let mut options = setting.options(room);
        args.texts.apply(&mut options);
        setting.verified = options.verify_lcs && !matches!(setting.method, Method::Identity | Method::Lcs);
        let clock = Clock::start();
        match set.corpus.run(&options, &set.gold, frame.seed, &mut *meter.watch(true)) {
            Ok((returned, summary)) => {
                let (seconds, cpu_seconds) = (clock.seconds(), clock.cpu_seconds());
                trials.push(Trial { set, setting, returned, summary, seconds, cpu_seconds });
            }
            Err(error @ nddb::Error::Method { .. }) if !setting.by_name => {
                global.messages().note(format!("left out: {}", chain(&error)));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(trials)
}

impl Trial<'_> {
    /// Whether it is what `add` and `query` do in a database that was made without saying how.
    fn is_default(&self) -> bool {
        self.set.recipe == Recipe::default() && self.setting.is_default()
    }

    /// Recipe, method and thresholds.
    fn told(&self) -> String {
        format!("{} {} {}", self.set.recipe, self.setting.method, self.setting.told()).trim_end().to_owned()
    }
}

impl Frame<'_> {
    /// The documents by the first recipe: all others hold the same ones.
    fn first(&self) -> &Set {
        &self.sets[0]
    }

    /// The figures of all settings: intervals, and differences from the default, or from the first where the default is
    /// not among them.
    fn intervals(&self, trials: &[Trial<'_>]) -> (usize, Vec<Intervals>) {
        let reference = trials.iter().position(Trial::is_default).unwrap_or(0);
        let found: Vec<&[bool]> = trials.iter().map(|trial| trial.returned.found()).collect();
        (reference, bootstrap(&self.first().gold, &self.cells, &found, reference, self.seed))
    }

    /// All scored pairs, as if none had been found.
    fn counts(&self) -> Counts {
        let gold = &self.first().gold;
        let none = vec![false; gold.pairs.len()];
        splits(gold, &self.selected, &none)[0].counts
    }

    fn documents(&self) -> u64 {
        self.first().corpus.collection().held().documents
    }
}

fn report(
    frame: &Frame<'_>,
    trials: &[Trial<'_>],
    figures: &[Figures<'_>],
    args: &Args,
    global: &Global,
) -> Result<()> {
    let (reference, intervals) = if trials.is_empty() { (0, Vec::new()) } else { frame.intervals(trials) };
    if let Some(path) = &args.report {
        let page = page::page(frame, trials, &intervals, figures, args)?;
        let mut output = Output::chosen(Some(path))?;
        output.write(page.as_bytes())?;
        output.flush()?;
    }
    let mut output = Output::stdout();
    if global.json {
        for (trial, intervals) in trials.iter().zip(&intervals) {
            let figures = figures::of(figures, trial.set);
            output.json(&line::value(frame, trial, &trials[reference], intervals, figures))?;
        }
    } else {
        for line in table::lines(frame, trials, reference, &intervals) {
            output.line(&line)?;
        }
    }
    output.flush()
}

fn write_reviews(path: &Path, trials: &[Trial<'_>]) -> Result<()> {
    let mut review = Review::create(path)?;
    for trial in trials {
        review.write(&trial.set.corpus, &trial.told(), &trial.returned.sample())?;
    }
    review.finish()
}

/// Says what the figures do not show.
fn warn(frame: &Frame<'_>, meter: &Meter, global: &Global) {
    let messages = global.messages();
    for why in frame.first().corpus.skipped() {
        messages.warn(format!("not loaded: {why}"));
    }
    if frame.first().gold.left_out > 0 {
        let some: Vec<&str> = frame.first().gold.unknown.iter().take(3).map(String::as_str).collect();
        messages.warn(format!(
            "{} left out: {} unknown, for instance {}",
            counted(frame.first().gold.left_out, "pair"),
            counted(frame.first().gold.unknown.len() as u64, "id"),
            some.join(", ")
        ));
    }
    let repeated = frame.first().corpus.loaded().repeated;
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
