//! `nddb eval`: precision and recall of each method on labelled pairs.

mod args;
pub(crate) mod documents;
mod line;
mod review;
mod setting;
mod table;
mod trial;

use nddb::archive;
use nddb::detect::Resources;
use nddb::detect::options::Verification;
use nddb::sketch::Recipe;
use nddb::verdict::{Method, methods::Lcs};
use nddb_evaluate::eval::{Cells, EvalPage, Intervals, MethodFigures, RecipeFigures, splits};
use nddb_jobs::output::Destination;

pub(crate) use self::args::Args;
use self::documents::{load, read_labels, refuse_strangers};
use self::line::Compared;
use self::review::Review;
use self::setting::Setting;
use self::trial::{Figures, Frame, Trial, figures_of};
use super::create::recipe;
use crate::args::Global;
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result, chain};
use crate::messages::Meter;
use crate::output::Output;
use crate::quantity::counted;
use crate::text_options;

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let mut settings = setting::parse(&args.methods).map_err(Failure::usage)?;
    let mut lcs = Lcs::default();
    let mut methods: Vec<&mut dyn Method> = Vec::new();
    for setting in &mut settings {
        methods.push(&mut *setting.method);
    }
    if args.texts.verifies() {
        methods.push(&mut lcs);
    }
    args.parameters.apply(&mut methods)?;
    let recipes = args.recipe.iter().map(|name| recipe(name)).collect::<Result<Vec<Recipe>>>()?;
    let labels = read_labels(&args.pairs)?;
    let documents = archive::expand(&[&args.docs], archive::Format::Auto)?;
    global.outputs.reads_inputs(&documents.located);
    let review = args.review.as_deref().map(|path| global.output("--review", Some(path))).transpose()?;
    let page = args.report.as_deref().map(|path| global.page("--report", Some(path))).transpose()?;
    let meter = global.messages().meter("eval");
    let folder = global.temporary_folder()?;
    let mut resources = Resources { folder: folder.path().into(), ..Resources::default() };
    if let Some(bytes) = global.memory_limit {
        resources.memory_limit = bytes;
    }
    let mut sets = Vec::new();
    for recipe in recipes {
        let set = load(args, recipe, &labels, &resources, &meter)?;
        refuse_strangers(&set, &labels, args)?;
        sets.push(set);
    }
    let selected = sets[0].gold.selected(args.half.half());
    let cells = Cells::new(&sets[0].gold, &selected);
    let frame = Frame { sets: &sets, labels: &labels, selected, cells, half: args.half, seed: args.seed };
    let trials = run_all(&settings, &lcs, args, &frame, &resources, &meter, global)?;
    if let Some(to) = &review {
        write_reviews(to, &trials)?;
    }
    let figures = trial::measure(&frame, args)?;
    report(&frame, &trials, &figures, args, page.as_ref(), global)?;
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

/// Runs all settings. If these documents do not allow a method, the method is omitted with a note where it comes from
/// `all`, and is an error where the user named it.
fn run_all<'a>(
    settings: &[Setting],
    lcs: &Lcs,
    args: &Args,
    frame: &Frame<'a>,
    resources: &Resources,
    meter: &Meter,
    global: &Global,
) -> Result<Vec<Trial<'a>>> {
    let mut trials = Vec::new();
    for (set, setting) in frame.sets.iter().flat_map(|set| settings.iter().map(move |setting| (set, setting))) {
        let mut setting = setting.clone();
        let mut options = setting.options(resources);
        let methods: Vec<&dyn Method> = settings.iter().map(|setting| &*setting.method).collect();
        args.texts.apply(&methods, &mut options)?;
        options.verify = options.verify.map(|verification| Verification { lcs: lcs.clone(), ..verification });
        if !setting.method.is_identity() && setting.method.name() != lcs.name() {
            setting.verify = options.verify.as_ref().map(Verification::name);
        }
        let clock = Clock::start();
        match set.corpus.run(&options, &set.gold, frame.seed, &mut *meter.watch(true)) {
            Ok((mut returned, summary)) => {
                if let Some(level) = setting.level {
                    returned.restrict(|a, b| set.corpus.is_removable(a, b, level))?;
                }
                let (seconds, cpu_seconds) = (clock.seconds(), clock.cpu_seconds());
                let recall_of_candidates = set.corpus.recall_of_candidates(&options, &set.gold, &frame.selected);
                trials.push(Trial { set, setting, returned, summary, recall_of_candidates, seconds, cpu_seconds });
            }
            Err(error @ nddb::Error::Method { .. }) if !setting.by_name => {
                global.messages().note(format!("left out: {}", chain(&error)));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(trials)
}

fn report(
    frame: &Frame<'_>,
    trials: &[Trial<'_>],
    figures: &[Figures<'_>],
    args: &Args,
    to: Option<&Destination>,
    global: &Global,
) -> Result<()> {
    let (reference, intervals) = if trials.is_empty() { (0, Vec::new()) } else { frame.intervals(trials) };
    if let Some(to) = to {
        let page = page(frame, trials, &intervals, figures, args).html()?;
        let mut output = Output::create(to)?;
        output.write(page.as_bytes())?;
        output.finish()?;
    }
    let mut output = Output::stdout();
    if global.json {
        for (trial, intervals) in trials.iter().zip(&intervals) {
            let figures = figures_of(figures, trial.set);
            let is_hamming =
                |other: &&Trial<'_>| other.setting.method.is_by_distance() && other.set.recipe == trial.set.recipe;
            let compared = Compared { reference: &trials[reference], hamming: trials.iter().find(is_hamming) };
            output.json(&line::value(frame, trial, &compared, intervals, figures))?;
        }
    } else {
        for line in table::lines(frame, trials, reference, &intervals) {
            output.line(&line)?;
        }
    }
    output.flush()
}

/// Returns the content of the evaluation's page.
fn page<'a>(
    frame: &Frame<'_>,
    trials: &[Trial<'_>],
    intervals: &[Intervals],
    figures: &'a [Figures<'_>],
    args: &Args,
) -> EvalPage<'a> {
    let several = frame.sets.len() > 1;
    let method = |(trial, intervals): (&Trial<'_>, &Intervals)| {
        let name = format!("{} {}", trial.setting.method, trial.setting.told()).trim_end().to_owned();
        MethodFigures {
            name: if several { format!("{} {name}", trial.set.recipe.name()) } else { name },
            is_default: trial.is_default(),
            counts: splits(&trial.set.gold, &frame.selected, trial.returned.found())[0].counts,
            intervals: *intervals,
            pairs: trial.returned.pairs(),
        }
    };
    let recipe = |figures: &'a Figures<'_>| RecipeFigures {
        recipe: figures.set.recipe.to_string(),
        probabilities: figures.probabilities.as_ref(),
    };
    EvalPage {
        docs: args.docs.display().to_string(),
        labels: args.pairs.display().to_string(),
        head: table::head(frame),
        counts: frame.counts(),
        methods: trials.iter().zip(intervals).map(method).collect(),
        recipes: figures.iter().map(recipe).collect(),
    }
}

fn write_reviews(to: &Destination, trials: &[Trial<'_>]) -> Result<()> {
    let mut review = Review::create(to)?;
    for trial in trials {
        review.write(&trial.set.corpus, &trial.told(), &trial.returned.sample())?;
    }
    review.finish()
}

/// Prints warnings about the limits of the figures.
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
        messages.warn(format!("{} repeated an id: the last one was used", counted(repeated, "document")));
    }
    meter.finish(&format!(
        "{}, {}, seed {}",
        counted(frame.documents(), "document"),
        counted(frame.counts().labelled(), "labelled pair"),
        frame.seed
    ));
}
