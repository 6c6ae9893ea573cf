//! Calibration of shingle sampling to a required precision.

use fixedbitset::FixedBitSet;
use nddb::detect::methods::{Cosine, Lcs, Shingles};
use nddb::detect::{Collection, GROUPS, Method, PairOptions, Ratios, Resources, TextScope, UnreadTexts};
use nddb::{Progress, Result, View};
use nddb_dedup::{ShingleSets, TextSources};
use nddb_index::spill::ticker::Ticker;
use xxhash_rust::xxh3::xxh3_64;

use super::runs::{PAIRS_MAX, Runs, Tally};

/// The ratios that are tried, n of 1/n (Ye et al. 2007, 4.4).
pub const RATIOS: [u32; 6] = [1, 2, 4, 8, 16, 32];
/// Returned pairs, over all remainders of a ratio, without which it is not accepted.
const RETURNED_MIN: f64 = 100.0;
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

/// A group of documents, in the half on which ratios are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroupFigures {
    /// Documents.
    pub documents: u64,
    /// Shingles of these.
    pub shingles: u64,
    /// Pairs whose smaller document is in the group, with all shingles.
    pub pairs: u64,
    /// Pairs that each of [`RATIOS`] returns, the mean over its remainders.
    pub returned: [f64; 6],
    /// Of these, pairs that all shingles return.
    pub correct: [f64; 6],
    /// Pairs that were looked at, of those returned: fewer if there are more than [`PAIRS_MAX`], drawn by hash.
    pub drawn: [f64; 6],
    /// The ratio that was chosen.
    pub ratio: u32,
}

/// A sampling, in the half that is reported; means over its remainders.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    pub by_group: [Option<f64>; GROUPS],
}

/// What came of the calibration.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Documents looked at: one of each identity set, those that have words.
    pub documents: u64,
    /// Each group, in the half on which ratios are chosen.
    pub groups: [GroupFigures; GROUPS],
    /// The ratios that were chosen.
    pub ratios: Ratios,
    /// One ratio for all, each of [`RATIOS`].
    pub uniform: Vec<Run>,
    /// The ratios that were chosen.
    pub adaptive: Run,
    /// Of uniform samplings, the index of the coarsest whose precision is that of the adaptive one, or more.
    pub equal: usize,
    /// Documents whose texts could not be read.
    pub unread: UnreadTexts,
}

/// Calibrates adaptive sampling (Ye et al. 2007, 4.4) on the documents of a collection, which was built
/// from this view.
///
/// The documents are halved by the hash of their ids. On one half every ratio is run with every remainder; pairs
/// across the halves are left out. What all shingles return is the truth. A group of documents takes the coarsest ratio
/// whose precision, over the pairs whose smaller document is in the group, is at least the one to be kept by its lower
/// 95% bound, with at least 100 pairs returned by its runs together; else all shingles. The bound is that of one run,
/// for runs with other remainders return much the same pairs. The other half is reported.
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
    let runs = Runs::new(view, collection, (shingles, resources), &sets, half, PAIRS_MAX, &ticker)?;
    let uniform: Vec<Tally> = RATIOS
        .iter()
        .filter_map(|&ratio| Ratios::uniform(ratio))
        .map(|ratios| runs.tally(ratios))
        .collect::<Result<_>>()?;
    let mut groups = [GroupFigures::default(); GROUPS];
    let mut ratios = [1; GROUPS];
    for (group, figures) in groups.iter_mut().enumerate() {
        figures.shingles = uniform[0].shingles[CHOOSE][group] as u64;
        figures.pairs = uniform[0].returned[CHOOSE][group] as u64;
        for (index, (&ratio, tally)) in RATIOS.iter().zip(&uniform).enumerate() {
            let [returned, correct, drawn] =
                [&tally.returned, &tally.correct, &tally.drawn].map(|counts| counts[CHOOSE][group]);
            (figures.returned[index], figures.correct[index], figures.drawn[index]) = (returned, correct, drawn);
            let seen = if returned > 0.0 { drawn * correct / returned } else { 0.0 };
            if drawn * f64::from(ratio) >= RETURNED_MIN && lower_bound(seen, drawn) >= options.precision {
                ratios[group] = ratio;
            }
        }
        figures.ratio = ratios[group];
    }
    let mut documents = 0;
    for ordinal in 0..collection.len() {
        if let Some(words) = sets.words(ordinal).filter(|&words| words > 0) {
            documents += 1;
            groups[Ratios::group(words)].documents += u64::from(half(collection, ordinal) == CHOOSE);
        }
    }
    let ratios = Ratios::new(ratios).unwrap_or(Ratios::ALL);
    let whole = uniform[0];
    let adaptive = run(ratios, &runs.tally(ratios)?, &whole);
    let uniform: Vec<Run> = RATIOS
        .iter()
        .zip(&uniform)
        .map(|(&ratio, tally)| run(Ratios::uniform(ratio).unwrap_or(Ratios::ALL), tally, &whole))
        .collect();
    let equal = uniform.iter().rposition(|run| run.precision >= adaptive.precision).unwrap_or(0);
    Ok(Calibration { documents, groups, ratios, uniform, adaptive, equal, unread: sets.unread })
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

/// The figures of the half that is reported; `whole` is the run with all shingles.
fn run(ratios: Ratios, tally: &Tally, whole: &Tally) -> Run {
    let sum = |of: &[[f64; GROUPS]; 2]| of[REPORT].iter().sum::<f64>();
    let share = |part: f64, of: f64| (of > 0.0).then(|| part / of);
    let (returned, correct) = (sum(&tally.returned), sum(&tally.correct));
    Run {
        ratios,
        precision: share(correct, returned),
        recall: share(correct, sum(&whole.returned)),
        shingles: share(sum(&tally.shingles), sum(&whole.shingles)).unwrap_or(0.0),
        by_group: std::array::from_fn(|group| share(tally.correct[REPORT][group], tally.returned[REPORT][group])),
    }
}

/// The lower bound of a share of which `correct` of `all` were seen, with one-sided confidence of 95% (Wilson's score
/// interval); 0 where nothing was seen.
pub fn lower_bound(correct: f64, all: f64) -> f64 {
    /// The 95% quantile of the normal distribution.
    const Z: f64 = 1.644_853_626_951_472_2;
    if all <= 0.0 {
        return 0.0;
    }
    let (share, square) = (correct / all, Z * Z);
    let middle = share + square / (2.0 * all);
    let width = Z * (share * (1.0 - share) / all + square / (4.0 * all * all)).sqrt();
    ((middle - width) / (1.0 + square / all)).clamp(0.0, 1.0)
}
