//! Calibration of shingle sampling to a required precision.

use fixedbitset::FixedBitSet;
use nddb::detect::methods::{Cosine, Lcs, Shingles};
use nddb::detect::{Collection, GROUPS, Groups, Method, PairOptions, Ratios, Resources, TextScope, UnreadTexts};
use nddb::{Progress, Result, View};
use nddb_dedup::{ShingleSets, TextSources};
use nddb_index::spill::ticker::Ticker;
use xxhash_rust::xxh3::xxh3_64;

use super::choose::{Chosen, GroupFigures, Measured, cells, choose};
use super::runs::{PAIRS_MAX, Runs, Tally};
use super::sampled::{THRESHOLDS, all_shingles};

/// The ratios that are tried, n of 1/n (Ye et al. 2007, 4.4 and 6).
pub const RATIOS: [u32; 6] = [1, 2, 4, 8, 16, 32];
/// The half to choose on, and the half to report.
const CHOOSE: usize = 0;
const REPORT: usize = 1;

/// How sampling is calibrated.
#[derive(Clone, Debug, PartialEq)]
pub struct TuneOptions {
    /// Threshold, words of a shingle and stop shingles.
    pub shingles: Shingles,
    /// Methods that are tried on edits, besides shingles and simhash.
    pub lcs: Lcs,
    /// The same.
    pub cosine: Cosine,
    /// Methods that compare sketches, tried on edits.
    pub sketches: Vec<Box<dyn Method>>,
    /// k, the distance of simhash with which the database is judged.
    pub k: u32,
    /// The part of a page that is compared as its text; by default, that of the recipe.
    pub part: Option<TextScope>,
    /// Memory limit and folder for temporary files.
    pub resources: Resources,
    /// The precision to be kept.
    pub precision: f64,
    /// Most documents that are looked at; of more, those of least hash.
    pub documents: u64,
}

fn named(name: &str) -> Box<dyn Method> {
    name.parse().expect("the name of a method")
}

impl TuneOptions {
    /// Returns all methods that are tried, whose parameters can be set.
    pub fn methods(&mut self) -> Vec<&mut dyn Method> {
        let Self { shingles, lcs, cosine, sketches, .. } = self;
        let mut all: Vec<&mut dyn Method> = vec![shingles, lcs, cosine];
        for method in sketches {
            all.push(&mut **method);
        }
        all
    }
}

impl Default for TuneOptions {
    fn default() -> Self {
        Self {
            shingles: Shingles::default(),
            lcs: Lcs::default(),
            cosine: Cosine::default(),
            sketches: ["identity", "b", "c", "combined", "min-hash", "model"].map(named).into(),
            k: 3,
            part: None,
            resources: Resources::default(),
            precision: 0.85,
            documents: 20_000,
        }
    }
}

/// A sampling, in the half that is reported; means over its remainders.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The ratios.
    pub ratios: Ratios,
    /// Correct pairs of those returned; none where nothing is returned.
    pub precision: Option<f64>,
    /// Returned pairs of those that all shingles return.
    pub recall: Option<f64>,
    /// Kept shingles of all.
    pub shingles: f64,
    /// Precision in each group; none where nothing is returned.
    pub by_group: Vec<Option<f64>>,
}

/// What came of the calibration.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Documents looked at: one of each identity set, those that have words.
    pub documents: u64,
    /// The groups of documents, by which precision is given.
    pub bounds: Groups,
    /// Each group, in the half on which ratios are chosen.
    pub groups: Vec<GroupFigures>,
    /// One ratio for all, each of [`RATIOS`].
    pub uniform: Vec<Run>,
    /// The ratios that were chosen.
    pub adaptive: Run,
    /// Of uniform samplings, the index of the coarsest whose precision is that of the adaptive one, or more.
    pub equal: usize,
    /// Documents whose texts could not be read.
    pub unread: UnreadTexts,
}

/// Calibrates adaptive sampling (Ye et al. 2007, 6) on the documents of a collection, which was built
/// from this view.
///
/// The documents are halved by the hash of their ids. On one half every ratio is run with every remainder; pairs
/// across the halves are left out. What all shingles return is the truth. Groups and ratios are chosen by
/// [`choose()`](super::choose()); the other half is reported.
///
/// Of a run and group no more than [`PAIRS_MAX`] pairs that may resemble each other are looked at: of more, a half, a
/// quarter and so on, drawn by hash, each as likely as any other. Figures are scaled up to all of them, and the bound is
/// that of the pairs that were looked at.
///
/// # Errors
/// As [`pairs`](nddb::detect::pairs).
pub fn calibrate(
    view: View<'_>,
    collection: &Collection,
    options: &TuneOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Calibration> {
    nddb::detect::check(view, &PairOptions::new(options.shingles.clone()))?;
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

/// Of uniform samplings, the index of the coarsest whose precision is that of another one, or more.
fn coarsest(uniform: &[Run], other: &Run) -> usize {
    uniform.iter().rposition(|run| run.precision >= other.precision).unwrap_or(0)
}

/// Precisions that are to be kept: "given precisions ranging from 0.5 to 0.99" (Ye et al. 2007, 6).
pub const PRECISIONS: [f64; 8] = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99];

/// What adaptive sampling keeps where a precision is to be kept at a resemblance (Ye et al. 2007, Figure 4).
#[derive(Clone, Debug, PartialEq)]
pub struct AdaptiveRow {
    /// The resemblance.
    pub threshold: f64,
    /// The precision to be kept.
    pub wanted: f64,
    /// Groups and ratios chosen on one half of the documents, measured on the other.
    pub adaptive: Run,
    /// The coarsest uniform sampling whose precision is that of the adaptive one, or more.
    pub uniform: Run,
}

/// Calibrates adaptive sampling of these documents at each of [`THRESHOLDS`](super::THRESHOLDS) for each of
/// [`PRECISIONS`].
///
/// # Errors
/// As [`pairs`](nddb::detect::pairs).
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

/// Runs with each ratio, of both halves of the documents.
struct Halves<'a, 't> {
    runs: Runs<'a, 't>,
    /// Of each of [`RATIOS`].
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

    /// Each uniform sampling, on the half that is reported.
    fn uniform(&self, bounds: &Groups) -> Vec<Run> {
        let of =
            |(&ratio, tally): (&u32, &Tally)| self.run(Ratios::uniform(ratio).unwrap_or(Ratios::ALL), tally, bounds);
        RATIOS.iter().zip(&self.uniform).map(of).collect()
    }

    fn run(&self, ratios: Ratios, tally: &Tally, bounds: &Groups) -> Run {
        run(ratios, tally, &self.uniform[0], (&self.measured.cells, bounds))
    }
}

/// What runs of all ratios return of a cell, in the half on which ratios are chosen.
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

/// One document of each identity set, no more than so many.
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

/// The half of a document. The bit that decides has the least weight among those that the documents are chosen by.
fn half(collection: &Collection, ordinal: u32) -> usize {
    (hash(collection, ordinal) >> 63) as usize
}

/// The figures of the half that is reported; `whole` is the run with all shingles. Counts are of cells, and a group is
/// made of cells.
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
