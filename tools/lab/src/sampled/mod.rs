//! Accuracy of sampled shingles relative to all shingles (Ye et al. 2007, 4.2 to 4.4).

mod drawing;
mod runs;
#[cfg(test)]
mod tests;

use fixedbitset::FixedBitSet;
use nddb_dedup::{Collection, PairOptions, ShingleSets, TextSources, UnreadTexts, in_order};
use nddb_index::spill::progress::Ticker;
use nddb_index::{Error, Progress, Result, View};
use nddb_verdict::methods::Shingles;
use nddb_verdict::{GROUPS, Groups, Ratios};

pub use runs::{PAIRS_MAX, Runs, Tally};

/// The ratios that are tried, n of 1/n (Ye et al. 2007, 4.4 and 6).
pub const RATIOS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// The thresholds of resemblance that are tried.
pub const THRESHOLDS: [f64; 7] = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95];

/// The results of sampled shingles for a sample of documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// Number of words of each document, in descending order.
    pub words: Vec<u32>,
    /// Number of documents in each group by number of words.
    pub documents: [u64; GROUPS],
    /// Number of their shingles.
    pub shingles: [u64; GROUPS],
    /// The result for each of [`THRESHOLDS`].
    pub steps: Vec<AtThreshold>,
    /// Documents whose texts could not be read.
    pub unread: UnreadTexts,
}

/// Numbers of pairs with at least one resemblance, by the group of the smaller document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtThreshold {
    /// The resemblance.
    pub threshold: f64,
    /// Number of pairs that are returned if no shingle is left out: the truth for the samples.
    pub pairs: [u64; GROUPS],
    /// Number of pairs that each of [`RATIOS`] returns, as a mean over its remainders.
    pub returned: [[f64; GROUPS]; RATIOS.len()],
    /// Of these, pairs that all shingles return.
    pub correct: [[f64; GROUPS]; RATIOS.len()],
    /// The precision of each of [`RATIOS`]: the mean over its trials.
    pub trials: [Trials; RATIOS.len()],
}

impl AtThreshold {
    /// The precision of the ratio with this index, in a group of documents or in all of them: the mean of the
    /// precisions of its trials, of those that return a pair.
    pub fn precision(&self, ratio: usize, group: Option<usize>) -> Option<f64> {
        self.trials[ratio].mean(group)
    }

    /// The recall of the ratio with this index, in a group of documents or in all of them. As all trials have the same
    /// pairs to find, this is the mean of the recalls of its trials, too.
    pub fn recall(&self, ratio: usize, group: Option<usize>) -> Option<f64> {
        share(of(&self.correct[ratio], group), of(&self.pairs.map(|pairs| pairs as f64), group))
    }
}

/// Precisions of trials: runs with one ratio and each of its remainders. The paper computes "the average performance of
/// all n trials" (Ye et al. 2007, 4.4).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trials {
    /// The sum of the precisions in each group, and in all documents, and the number of trials that return a pair.
    sums: [(f64, u32); GROUPS + 1],
}

impl Trials {
    /// Adds the returned pairs of a trial and the correct ones of these, by group.
    fn add(&mut self, returned: &[f64; GROUPS], correct: &[f64; GROUPS]) {
        for (index, (sum, trials)) in self.sums.iter_mut().enumerate() {
            let group = (index < GROUPS).then_some(index);
            if let Some(precision) = share(of(correct, group), of(returned, group)) {
                (*sum, *trials) = (*sum + precision, *trials + 1);
            }
        }
    }

    fn mean(&self, group: Option<usize>) -> Option<f64> {
        let (sum, trials) = self.sums[group.unwrap_or(GROUPS)];
        share(sum, trials.into())
    }
}

fn of(groups: &[f64; GROUPS], group: Option<usize>) -> f64 {
    group.map_or_else(|| groups.iter().sum(), |group| groups[group])
}

fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// Runs every ratio with every remainder over these documents, at every threshold. Precision and recall are relative to
/// the pairs that all shingles return, as means over the trials of a ratio, one for each remainder. In each run and
/// group, at most [`PAIRS_MAX`] pairs are compared, drawn by hash, and counts are scaled up to all pairs.
///
/// A run at the lowest threshold returns the pairs of all other thresholds, too, with their resemblances. So if no
/// pairs need to be drawn, one run per ratio and remainder gives the results for all thresholds. Runs use `threads`
/// threads.
///
/// # Errors
/// Errors of [`pairs`](nddb_dedup::pairs).
pub fn sampled(
    view: View<'_>,
    collection: &Collection,
    documents: &[u32],
    options: &PairOptions,
    shingles: &Shingles,
    threads: usize,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Sampled> {
    let (resources, ticker) = (&options.resources, Ticker::new(watch));
    let (shingles, sets) = all_shingles(view, collection, documents, options, shingles, &ticker)?;
    let mut made = Sampled {
        words: Vec::new(),
        documents: [0; GROUPS],
        shingles: [0; GROUPS],
        steps: Vec::new(),
        unread: sets.unread,
    };
    for &ordinal in documents {
        if let Some(words) = sets.words(ordinal).filter(|&words| words > 0) {
            made.words.push(u32::try_from(words).unwrap_or(u32::MAX));
            made.documents[Groups::PAPER.of(words)] += 1;
            made.shingles[Groups::PAPER.of(words)] += sets.hashes(ordinal).count() as u64;
        }
    }
    made.words.sort_unstable_by(|a, b| b.cmp(a));
    let runs_at = |threshold: f64| {
        let shingles = Shingles { resemblance: threshold, ..shingles.clone() };
        Runs::new(view, collection, (shingles, resources), &sets, (&Groups::PAPER, |_, _| 0), PAIRS_MAX, &ticker)
    };
    if let Some(steps) = at_once(&runs_at(THRESHOLDS[0])?, threads, &ticker)? {
        made.steps = steps;
        return Ok(made);
    }
    for threshold in THRESHOLDS {
        let runs = runs_at(threshold)?;
        let (mut returned, mut correct) = ([[0.0; GROUPS]; RATIOS.len()], [[0.0; GROUPS]; RATIOS.len()]);
        let mut trials = [Trials::default(); RATIOS.len()];
        for (index, ratio) in RATIOS.into_iter().enumerate() {
            let mut each = |tally: &Tally| trials[index].add(&tally.returned[0], &tally.correct[0]);
            let tally = runs.tally_of(Ratios::uniform(ratio).unwrap_or(Ratios::ALL), &mut each)?;
            (returned[index], correct[index]) = (tally.returned[0], tally.correct[0]);
        }
        let pairs = returned[0].map(|pairs| pairs as u64);
        made.steps.push(AtThreshold { threshold, pairs, returned, correct, trials });
    }
    Ok(made)
}

/// Counts the pairs for all thresholds from runs at the lowest one; `None` if a run has more pairs than it compares.
fn at_once(runs: &Runs<'_, '_>, threads: usize, ticker: &Ticker<'_>) -> Result<Option<Vec<AtThreshold>>> {
    let Some(truth) = runs.run(Ratios::ALL, 0)? else { return Ok(None) };
    let resemblance_of = |pair: u64| {
        let found = truth.binary_search_by_key(&pair, |found| found.pair);
        found.map_or(0.0, |index| truth[index].resemblance)
    };
    let mut jobs = (0..RATIOS.len()).flat_map(|index| (0..RATIOS[index]).map(move |remainder| (index, remainder)));
    ticker.start("sampled shingles", Some(RATIOS.iter().copied().map(u64::from).sum()), "runs")?;
    let empty = |threshold| AtThreshold {
        threshold,
        pairs: [0; GROUPS],
        returned: [[0.0; GROUPS]; RATIOS.len()],
        correct: [[0.0; GROUPS]; RATIOS.len()],
        trials: [Trials::default(); RATIOS.len()],
    };
    let (mut steps, mut is_whole) = (THRESHOLDS.map(empty), true);
    let run = |(index, remainder): (usize, u32)| {
        let ratios = Ratios::uniform(RATIOS[index]).unwrap_or(Ratios::ALL);
        (index, runs.run(ratios, remainder))
    };
    in_order(
        threads,
        || jobs.next(),
        run,
        |(index, found)| {
            let Some(found) = found? else {
                is_whole = false;
                return Err(Error::Cancelled);
            };
            let part = 1.0 / f64::from(RATIOS[index]);
            for step in &mut steps {
                let (mut returned, mut correct) = ([0.0; GROUPS], [0.0; GROUPS]);
                for pair in found.iter().filter(|pair| pair.resemblance >= step.threshold) {
                    returned[pair.group] += 1.0;
                    correct[pair.group] += f64::from(u8::from(resemblance_of(pair.pair) >= step.threshold));
                }
                step.trials[index].add(&returned, &correct);
                for group in 0..GROUPS {
                    step.returned[index][group] += part * returned[group];
                    step.correct[index][group] += part * correct[group];
                }
            }
            ticker.add(1)
        },
    )
    .or_else(|error| if is_whole { Err(error) } else { Ok(()) })?;
    if !is_whole {
        return Ok(None);
    }
    for step in &mut steps {
        step.pairs = step.returned[0].map(|pairs| pairs as u64);
    }
    Ok(Some(steps.to_vec()))
}

/// Reads all shingles of documents, from which samples are taken. Returns the shingles and the method that keeps all.
pub fn all_shingles(
    view: View<'_>,
    collection: &Collection,
    documents: &[u32],
    options: &PairOptions,
    shingles: &Shingles,
    ticker: &Ticker<'_>,
) -> Result<(Shingles, ShingleSets)> {
    let mut wanted = FixedBitSet::with_capacity(collection.len() as usize);
    documents.iter().for_each(|&ordinal| wanted.insert(ordinal as usize));
    let sources = TextSources::new(view, collection, options.part, &options.resources, ticker)?;
    let shingles = Shingles { ratios: Ratios::ALL, remainder: 0, ..shingles.clone() };
    let sets = ShingleSets::read(&sources, &wanted, &shingles, &options.resources, ticker)?;
    Ok((shingles, sets))
}
