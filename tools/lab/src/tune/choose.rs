//! Choice of groups of documents and of their sampling ratios, from the results of runs with each ratio.

use crate::sampled::RATIOS;
use nddb::verdict::{GROUPS, Groups, Ratios};

/// Number of words at which the second cell begins; each further cell begins at twice the number.
const FIRST_WORDS: usize = 64;
/// Least number of pairs, by all shingles, in a group.
pub const PAIRS_MIN: f64 = 100.0;

/// The results of runs with each ratio for a group of documents, in the half for choosing ratios.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroupFigures {
    /// Documents.
    pub documents: u64,
    /// Number of their shingles.
    pub shingles: u64,
    /// Number of pairs, by all shingles, whose smaller document is in the group.
    pub pairs: u64,
    /// Number of pairs that each of [`RATIOS`] returns, as a mean over its remainders.
    pub returned: [f64; 6],
    /// Of these, pairs that all shingles return.
    pub correct: [f64; 6],
    /// Number of returned pairs that were compared. If there are more than [`PAIRS_MAX`](crate::sampled::PAIRS_MAX), a part of
    /// them is drawn by hash.
    pub drawn: [f64; 6],
}

impl GroupFigures {
    fn add(&mut self, other: &Self) {
        self.documents += other.documents;
        self.shingles += other.shingles;
        self.pairs += other.pairs;
        for index in 0..RATIOS.len() {
            self.returned[index] += other.returned[index];
            self.correct[index] += other.correct[index];
            self.drawn[index] += other.drawn[index];
        }
    }

    /// Returns the coarsest ratio that keeps a precision, by the lower 95% bound of one run. One run counts, because
    /// runs with other remainders return almost the same pairs. Ratio 1 always keeps the precision, because all
    /// shingles are the truth.
    pub fn ratio(&self, precision: f64) -> u32 {
        let keeps = |index: usize| {
            let (returned, drawn) = (self.returned[index], self.drawn[index]);
            returned > 0.0 && lower_bound(drawn * self.correct[index] / returned, drawn) >= precision
        };
        let coarsest = (0..RATIOS.len()).rev().find(|&index| keeps(index));
        coarsest.map_or(1, |index| RATIOS[index])
    }
}

/// Precision of samples in each cell of documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The cells, which are combined to groups.
    pub cells: Groups,
    /// The figures of each cell.
    pub figures: Vec<GroupFigures>,
}

/// Groups of documents with their ratios.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The groups, which have enough pairs.
    pub bounds: Groups,
    /// The figures of each group.
    pub groups: Vec<GroupFigures>,
    /// The ratios of the groups.
    pub ratios: Ratios,
}

/// Returns the cells for counting documents by number of words: [0, 64), [64, 128), [128, 256) and so on. Cells double
/// because twice the words with twice the ratio give a sample of the same size.
pub fn cells() -> Groups {
    let from: Vec<usize> = (0..GROUPS - 1).map(|cell| FIRST_WORDS << cell).collect();
    Groups::from(&from).unwrap_or(Groups::PAPER)
}

/// Chooses groups and ratios: "we minimize the sampling ratio [..], subjected to given precisions", and "the optimal
/// sampling ratios and group divisions can be estimated by experiments on [..] a subset sampled from the dataset we
/// want to examine" (Ye et al. 2007, 6).
///
/// Beginning with the shortest documents, cells are joined until a group has 100 pairs; cells left at the end belong to
/// the last group. So every group has at least 100 pairs, if there are that many in all.
pub fn choose(measured: &Measured, precision: f64) -> Chosen {
    let mut starts: Vec<usize> = Vec::new();
    let mut groups: Vec<GroupFigures> = Vec::new();
    let mut left: f64 = measured.figures.iter().map(|figures| figures.drawn[0]).sum();
    for (cell, figures) in measured.figures.iter().enumerate() {
        match groups.last_mut() {
            Some(last) if last.drawn[0] < PAIRS_MIN || left < PAIRS_MIN => last.add(figures),
            _ => {
                starts.push(measured.cells.words(cell).0);
                groups.push(*figures);
            }
        }
        left -= figures.drawn[0];
    }
    let bounds = Groups::from(starts.get(1..).unwrap_or_default()).unwrap_or(measured.cells);
    let ratios: Vec<u32> = groups.iter().map(|figures| figures.ratio(precision)).collect();
    Chosen { bounds, groups, ratios: Ratios::new(&bounds, &ratios).unwrap_or(Ratios::ALL) }
}

/// Returns the lower bound, with one-sided confidence of 95%, of a share for which `correct` of `all` were observed
/// (Wilson's score interval); 0 if nothing was observed.
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
