//! What sampled runs return, by half of the documents and by group.

use nddb::detect::GROUPS;

/// Pairs, by half and group; means over runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tally {
    /// Pairs returned that were looked at: all of them, or those that were drawn.
    pub(super) drawn: [[f64; GROUPS]; 2],
    /// Pairs returned, by those that were looked at.
    pub(super) returned: [[f64; GROUPS]; 2],
    /// Of these, pairs that the run with all shingles returns.
    pub(super) correct: [[f64; GROUPS]; 2],
    /// Shingles that documents keep.
    pub(super) shingles: [[f64; GROUPS]; 2],
}

impl Tally {
    /// Adds another one, so much of it.
    pub(super) fn add(&mut self, other: &Tally, part: f64) {
        let pairs = [
            (&mut self.drawn, &other.drawn),
            (&mut self.returned, &other.returned),
            (&mut self.correct, &other.correct),
            (&mut self.shingles, &other.shingles),
        ];
        for (sum, more) in pairs {
            let sum = sum.as_flattened_mut().iter_mut();
            sum.zip(more.as_flattened()).for_each(|(sum, more)| *sum += part * more);
        }
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
