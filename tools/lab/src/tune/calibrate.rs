//! Calibration of shingle sampling to a required precision.

use crate::sampled::{PAIRS_MAX, RATIOS, Runs, THRESHOLDS, Tally, all_shingles};
use fixedbitset::FixedBitSet;
use nddb::detect::options::TextScope;
use nddb::detect::outcome::UnreadTexts;
use nddb::detect::{Collection, PairOptions, Resources};
use nddb::verdict::{GROUPS, Groups, Ratios, methods::Shingles};
use nddb::{Progress, Result, View};
use nddb_dedup::{ShingleSets, TextSources};
use nddb_index::spill::progress::Ticker;
use xxhash_rust::xxh3::xxh3_64;

use super::choose::{Chosen, GroupFigures, Measured, cells, choose};

/// The half for choosing ratios, and the half for reporting.
const CHOOSE: usize = 0;
const REPORT: usize = 1;

/// The options of the calibration.
#[derive(Clone, Debug, PartialEq)]
pub struct TuneOptions {
    /// Threshold, words of a shingle and stop shingles.
    pub shingles: Shingles,
    /// The part of a page that is compared as its text; by default, that of the recipe.
    pub part: Option<TextScope>,
    /// Memory limit and folder for temporary files.
    pub resources: Resources,
    /// The required precision.
    pub precision: f64,
    /// Greatest number of documents used; if there are more, those with the least hashes are used.
    pub documents: u64,
}

impl Default for TuneOptions {
    fn default() -> Self {
        Self {
            shingles: Shingles::default(),
            part: None,
            resources: Resources::default(),
            precision: 0.85,
            documents: 20_000,
        }
    }
}

/// The figures of a sampling in the half for reporting, as means over its remainders.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The ratios.
    pub ratios: Ratios,
    /// Share of correct pairs among those returned; `None` if nothing is returned.
    pub precision: Option<f64>,
    /// Share of returned pairs among those that all shingles return.
    pub recall: Option<f64>,
    /// Share of shingles that are kept.
    pub shingles: f64,
    /// Precision in each group; `None` if nothing is returned.
    pub by_group: Vec<Option<f64>>,
}

/// The result of the calibration.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Number of documents used: one of each identity set, if it has words.
    pub documents: u64,
    /// The groups of documents for which precision is given.
    pub bounds: Groups,
    /// The figures of each group in the half for choosing ratios.
    pub groups: Vec<GroupFigures>,
    /// Uniform sampling with each of [`RATIOS`].
    pub uniform: Vec<Run>,
    /// The ratios that were chosen.
    pub adaptive: Run,
    /// Index of the coarsest uniform sampling whose precision is at least that of the adaptive sampling.
    pub equal: usize,
    /// Documents whose texts could not be read.
    pub unread: UnreadTexts,
}

/// Calibrates adaptive sampling (Ye et al. 2007, 6) on the documents of a collection built from this view.
///
/// The hashes of their ids divide the documents into two halves; pairs across the halves are left out. On one half
/// every ratio is run with every remainder, and [`choose()`](super::choose()) chooses groups and ratios; the other half
/// is reported. The pairs that all shingles return are the truth.
///
/// In each run and group, at most [`PAIRS_MAX`] pairs that may resemble each other are compared. If there are more, a
/// half, a quarter and so on of them are drawn by hash, all equally likely. Figures are scaled up to all pairs;
/// confidence bounds use the number of pairs compared.
///
/// # Errors
/// Errors of [`pairs`](nddb::detect::pairs).
pub fn calibrate(
    view: View<'_>,
    collection: &Collection,
    options: &TuneOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Calibration> {
    nddb::detect::options::check(view, &PairOptions::new(options.shingles.clone()))?;
    let ticker = Ticker::new(watch);
    let resources = &options.resources;
    let sources = TextSources::new(view, collection, options.part, resources, &ticker)?;
    let wanted = wanted(collection, options.documents);
    let shingles = Shingles { ratios: Ratios::ALL, remainder: 0, ..options.shingles.clone() };
    let sets = ShingleSets::read(&sources, &wanted, &shingles, resources, &ticker)?;
    let halves = Halves::measure(view, collection, (&shingles, resources), &sets, &ticker)?;
    let (chosen, adaptive) = halves.adaptive(options.precision)?;
    let uniform = halves.uniform(&chosen.bounds);
    let equal = coarsest(&uniform, &adaptive);
    let documents = (0..collection.len()).filter(|&ordinal| sets.words(ordinal) > Some(0)).count() as u64;
    let (bounds, groups) = (chosen.bounds, chosen.groups);
    Ok(Calibration { documents, bounds, groups, uniform, adaptive, equal, unread: sets.unread })
}

/// Returns the index of the coarsest uniform sampling whose precision is at least that of another one.
fn coarsest(uniform: &[Run], other: &Run) -> usize {
    uniform.iter().rposition(|run| run.precision >= other.precision).unwrap_or(0)
}

/// The required precisions that are tried: "given precisions ranging from 0.5 to 0.99" (Ye et al. 2007, 6).
pub const PRECISIONS: [f64; 8] = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99];

/// The sampling that is chosen for a required precision at a resemblance (Ye et al. 2007, Figure 4).
#[derive(Clone, Debug, PartialEq)]
pub struct AdaptiveRow {
    /// The resemblance.
    pub threshold: f64,
    /// The required precision.
    pub wanted: f64,
    /// Groups and ratios chosen on one half of the documents, measured on the other.
    pub adaptive: Run,
    /// The coarsest uniform sampling whose precision is at least that of the adaptive one.
    pub uniform: Run,
}

/// Calibrates adaptive sampling of these documents at each of [`THRESHOLDS`] for each of
/// [`PRECISIONS`].
///
/// # Errors
/// Errors of [`pairs`](nddb::detect::pairs).
pub fn adaptive(
    view: View<'_>,
    collection: &Collection,
    documents: &[u32],
    options: &PairOptions,
    shingles: &Shingles,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Vec<AdaptiveRow>> {
    let (resources, ticker) = (&options.resources, Ticker::new(watch));
    let (shingles, sets) = all_shingles(view, collection, documents, options, shingles, &ticker)?;
    let mut rows = Vec::new();
    for threshold in THRESHOLDS {
        let shingles = Shingles { resemblance: threshold, ..shingles.clone() };
        let halves = Halves::measure(view, collection, (&shingles, resources), &sets, &ticker)?;
        let mut last: Option<Run> = None;
        for wanted in PRECISIONS {
            let chosen = choose(&halves.measured, wanted);
            let adaptive = match last.take().filter(|run| run.ratios == chosen.ratios) {
                Some(run) => run,
                None => halves.adaptive(wanted)?.1,
            };
            let mut uniform = halves.uniform(&chosen.bounds);
            let uniform = uniform.swap_remove(coarsest(&uniform, &adaptive));
            last = Some(adaptive.clone());
            rows.push(AdaptiveRow { threshold, wanted, adaptive, uniform });
        }
    }
    Ok(rows)
}

/// Runs with each ratio on both halves of the documents.
struct Halves<'a, 't> {
    runs: Runs<'a, 't>,
    /// The counts for each of [`RATIOS`].
    uniform: Vec<Tally>,
    measured: Measured,
}

impl<'a, 't> Halves<'a, 't> {
    fn measure(
        view: View<'a>,
        collection: &'a Collection,
        (shingles, resources): (&Shingles, &Resources),
        sets: &'a ShingleSets,
        ticker: &'a Ticker<'t>,
    ) -> Result<Self> {
        let cells = cells();
        let of = (shingles.clone(), resources);
        let runs = Runs::new(view, collection, of, sets, (&cells, half), PAIRS_MAX, ticker)?;
        let ratios = RATIOS.iter().filter_map(|&ratio| Ratios::uniform(ratio));
        let uniform: Vec<Tally> = ratios.map(|ratios| runs.tally(ratios)).collect::<Result<_>>()?;
        let mut documents = [0; GROUPS];
        for ordinal in (0..collection.len()).filter(|&ordinal| half(collection, ordinal) == CHOOSE) {
            if let Some(words) = sets.words(ordinal).filter(|&words| words > 0) {
                documents[cells.of(words)] += 1;
            }
        }
        let figures = (0..cells.count()).map(|cell| figures(&uniform, cell, documents[cell])).collect();
        Ok(Self { runs, uniform, measured: Measured { cells, figures } })
    }

    /// Chooses groups and ratios on one half, and measures them on the other.
    fn adaptive(&self, precision: f64) -> Result<(Chosen, Run)> {
        let chosen = choose(&self.measured, precision);
        let tally = self.runs.tally(chosen.ratios)?;
        let run = self.run(chosen.ratios, &tally, &chosen.bounds);
        Ok((chosen, run))
    }

    /// Returns the figures of each uniform sampling in the half for reporting.
    fn uniform(&self, bounds: &Groups) -> Vec<Run> {
        let of =
            |(&ratio, tally): (&u32, &Tally)| self.run(Ratios::uniform(ratio).unwrap_or(Ratios::ALL), tally, bounds);
        RATIOS.iter().zip(&self.uniform).map(of).collect()
    }

    fn run(&self, ratios: Ratios, tally: &Tally, bounds: &Groups) -> Run {
        run(ratios, tally, &self.uniform[0], (&self.measured.cells, bounds))
    }
}

/// Returns the figures of a cell for all ratios, in the half for choosing ratios.
fn figures(uniform: &[Tally], cell: usize, documents: u64) -> GroupFigures {
    let of = |counts: &[[f64; GROUPS]; 2]| counts[CHOOSE][cell];
    let mut made = GroupFigures { documents, shingles: of(&uniform[0].shingles) as u64, ..GroupFigures::default() };
    for (index, tally) in uniform.iter().enumerate() {
        made.returned[index] = of(&tally.returned);
        made.correct[index] = of(&tally.correct);
        made.drawn[index] = of(&tally.drawn);
    }
    made.pairs = made.returned[0] as u64;
    made
}

/// Returns one document of each identity set, at most `documents`.
fn wanted(collection: &Collection, documents: u64) -> FixedBitSet {
    let mut wanted = FixedBitSet::with_capacity(collection.len() as usize);
    let all = || {
        (0..collection.len())
            .filter(|&ordinal| collection.representative(ordinal) == ordinal && !collection.row(ordinal).is_empty)
    };
    let mut least = u64::MAX;
    if all().count() as u64 > documents {
        let mut hashes: Vec<u64> = all().map(|ordinal| hash(collection, ordinal).rotate_left(1)).collect();
        let (_, bound, _) = hashes.select_nth_unstable(documents as usize);
        least = *bound;
    }
    all()
        .filter(|&ordinal| least == u64::MAX || hash(collection, ordinal).rotate_left(1) < least)
        .for_each(|ordinal| wanted.insert(ordinal as usize));
    wanted
}

fn hash(collection: &Collection, ordinal: u32) -> u64 {
    xxh3_64(collection.id(ordinal).as_bytes())
}

/// Returns the half of a document: the lowest bit of the hash by which documents are chosen.
fn half(collection: &Collection, ordinal: u32) -> usize {
    (hash(collection, ordinal) >> 63) as usize
}

/// Returns the figures of the half for reporting. `whole` is the run with all shingles. Counts are given by cell, and a
/// group consists of cells.
fn run(ratios: Ratios, tally: &Tally, whole: &Tally, (cells, groups): (&Groups, &Groups)) -> Run {
    let sum = |of: &[[f64; GROUPS]; 2]| of[REPORT].iter().sum::<f64>();
    let share = |part: f64, of: f64| (of > 0.0).then(|| part / of);
    let (returned, correct) = (sum(&tally.returned), sum(&tally.correct));
    let within = |of: &[[f64; GROUPS]; 2], group: usize| -> f64 {
        (0..cells.count()).filter(|&cell| groups.of(cells.words(cell).0) == group).map(|cell| of[REPORT][cell]).sum()
    };
    let by_group = |group| share(within(&tally.correct, group), within(&tally.returned, group));
    Run {
        ratios,
        precision: share(correct, returned),
        recall: share(correct, sum(&whole.returned)),
        shingles: share(sum(&tally.shingles), sum(&whole.shingles)).unwrap_or(0.0),
        by_group: (0..groups.count()).map(by_group).collect(),
    }
}
