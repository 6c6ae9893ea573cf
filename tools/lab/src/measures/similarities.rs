//! Correlation of B-similarity and C-similarity (Henzinger 2006, correlation, and the combined algorithm).

use nddb_dedup::{Collection, PairJob, PairOptions};
use nddb_index::{Progress, Result, View};
use nddb_verdict::methods::Identity;

/// Number of values of B-similarity.
const B_LEN: usize = 7;
/// Number of values of C-similarity.
const C_LEN: usize = 385;

/// Counts of pairs by both similarities: "the C-similarity of each pair in a random sample of B-similar pairs", and
/// "the B-similarity for a random sample of C-similar pairs" (Henzinger 2006, correlation). Here all pairs are used
/// instead of a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Number of pairs examined.
    pub pairs: u64,
    /// Number of pairs without the other similarity, because a document lacks the sketch.
    pub unknown: u64,
    /// Number of keys that too many documents share: only the pairs with the first of these documents are counted.
    pub cut: u64,
    counts: Vec<u64>,
}

impl Grid {
    fn new() -> Self {
        Self { pairs: 0, unknown: 0, cut: 0, counts: vec![0; B_LEN * C_LEN] }
    }

    fn add(&mut self, b: Option<u32>, c: Option<u32>) {
        self.pairs += 1;
        match b.zip(c) {
            Some((b, c)) => self.counts[b as usize * C_LEN + c as usize] += 1,
            None => self.unknown += 1,
        }
    }

    /// Pairs with this B-similarity, 0 to 6, and this C-similarity, 0 to 384.
    pub fn pairs_at(&self, b: u32, c: u32) -> u64 {
        self.counts[b as usize * C_LEN + c as usize]
    }

    /// Pairs with this B-similarity.
    pub fn with_b(&self, b: u32) -> u64 {
        (0..C_LEN as u32).map(|c| self.pairs_at(b, c)).sum()
    }

    /// Pairs with this C-similarity.
    pub fn with_c(&self, c: u32) -> u64 {
        (0..B_LEN as u32).map(|b| self.pairs_at(b, c)).sum()
    }

    /// Number of pairs with at least this C-similarity. If the pairs are B-similar, these are the pairs that the
    /// combined algorithm of Henzinger 2006 keeps at this threshold.
    pub fn from_c(&self, least: u32) -> u64 {
        (least..C_LEN as u32).map(|c| self.with_c(c)).sum()
    }

    /// Average C-similarity of the pairs with this B-similarity, if there are any.
    pub fn mean_c(&self, b: u32) -> Option<f64> {
        let sum: u64 = (0..C_LEN as u32).map(|c| u64::from(c) * self.pairs_at(b, c)).sum();
        mean(sum, self.with_b(b))
    }

    /// Average B-similarity of the pairs with a C-similarity in this range, if there are any.
    pub fn mean_b(&self, range: std::ops::RangeInclusive<u32>) -> Option<f64> {
        let (sum, len) = range.fold((0, 0), |(sum, len), c| {
            let of = |b: u32| u64::from(b) * self.pairs_at(b, c);
            (sum + (0..B_LEN as u32).map(of).sum::<u64>(), len + self.with_c(c))
        });
        mean(sum, len)
    }

    /// Pearson's coefficient of correlation of the two similarities over these pairs; `None` if one of them does not
    /// vary.
    pub fn correlation(&self) -> Option<f64> {
        let (mut len, mut x, mut y, mut xx, mut yy, mut xy) = (0i128, 0, 0, 0, 0, 0);
        for b in 0..B_LEN as u32 {
            for c in 0..C_LEN as u32 {
                let (count, b, c) = (i128::from(self.pairs_at(b, c)), i128::from(b), i128::from(c));
                len += count;
                x += count * b;
                y += count * c;
                xx += count * b * b;
                yy += count * c * c;
                xy += count * b * c;
            }
        }
        let (dx, dy) = (len * xx - x * x, len * yy - y * y);
        (dx > 0 && dy > 0).then(|| (len * xy - x * y) as f64 / ((dx as f64).sqrt() * (dy as f64).sqrt()))
    }
}

fn mean(sum: u64, len: u64) -> Option<f64> {
    (len > 0).then(|| sum as f64 / len as f64)
}

/// Measures the similarities of all pairs that a method, b or c, finds among documents with different texts, and passes
/// each pair to `visit`.
///
/// # Errors
/// Errors of [`nddb_dedup::pairs`].
pub fn similarities(
    view: View<'_>,
    collection: &Collection,
    options: &PairOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    visit: &mut dyn FnMut(u32, u32),
) -> Result<Grid> {
    let options = PairOptions { expand: false, ..options.clone() };
    // Documents with equal sketches are pairs here, too.
    let found = PairJob::between(&Identity::default(), view, collection, &options, watch)?;
    let mut grid = Grid::new();
    grid.cut = found.cuts.len() as u64;
    found.each(collection, &options, watch, &mut |pair| {
        grid.add(pair.measures.count("b_sim"), pair.measures.count("c_sim"));
        visit(pair.a, pair.b);
        Ok(())
    })?;
    Ok(grid)
}

#[cfg(test)]
mod tests {
    use nddb_dedup::support::{collection, completed, database, options, pages};

    use super::*;

    /// Every pair of documents with different texts, from the sketches themselves.
    #[test]
    fn it_counts_what_comparing_everything_counts() {
        for (seed, method) in [(1, "b"), (2, "c"), (3, "b"), (4, "c")] {
            let (folder, mut pages) = (tempfile::tempdir().expect("a folder"), pages(800, seed));
            for page in pages.iter_mut().step_by(9) {
                let record = &mut page.record;
                *if method == "b" { &mut record.projection } else { &mut record.supershingles } = None;
            }
            let reader = database(folder.path(), &pages).expect("a database");
            let options = options(completed(method, true));
            let all = collection(&reader, &options.resources);
            let mut visited = Vec::new();
            let visit = &mut |a: u32, b: u32| visited.push((a.min(b), a.max(b)));
            let found = similarities(reader.view(), &all, &options, &mut |_| true, visit).expect("measured");
            visited.sort_unstable();
            visited.dedup();
            assert_eq!(visited.len() as u64, found.pairs, "each pair is visited once");
            let mut want = Grid::new();
            let mut values: Vec<(f64, f64)> = Vec::new();
            let text = |index: usize| (pages[index].record.digest, index);
            for (index, x) in pages.iter().enumerate() {
                let is_copy =
                    |page: usize| (0..page).any(|before| text(before).0.is_some() && text(before).0 == text(page).0);
                for (behind, y) in pages.iter().enumerate().skip(index + 1) {
                    if is_copy(index) || is_copy(behind) {
                        continue;
                    }
                    let b = x.record.supershingles.zip(y.record.supershingles);
                    let b = b.map(|(x, y)| (0..6).filter(|&at| x[at] == y[at]).count() as u32);
                    let c = x.record.projection.zip(y.record.projection);
                    let c = c.map(|(x, y)| 384 - (0..6).map(|at| (x[at] ^ y[at]).count_ones()).sum::<u32>());
                    let near = if method == "b" { b >= Some(2) } else { c >= Some(372) };
                    if near {
                        want.add(b, c);
                        values.extend(b.zip(c).map(|(b, c)| (f64::from(b), f64::from(c))));
                    }
                }
            }
            assert_eq!(found, want, "{method}, seed {seed}");
            assert!(found.pairs > 20 && found.unknown > 0, "{method}, seed {seed}: {}", found.pairs);
            let len = values.len() as f64;
            let mean = |of: &dyn Fn(&(f64, f64)) -> f64| values.iter().map(of).sum::<f64>() / len;
            let (x, y) = (mean(&|value| value.0), mean(&|value| value.1));
            let covariance = mean(&|value| (value.0 - x) * (value.1 - y));
            let spread = mean(&|value| (value.0 - x).powi(2)).sqrt() * mean(&|value| (value.1 - y).powi(2)).sqrt();
            assert!((found.correlation().expect("both vary") - covariance / spread).abs() < 1e-9);
            for b in 0..7 {
                let of: Vec<f64> = values.iter().filter(|value| value.0 == f64::from(b)).map(|value| value.1).collect();
                let want = (!of.is_empty()).then(|| of.iter().sum::<f64>() / of.len() as f64);
                assert_eq!((found.with_b(b), found.mean_c(b)), (of.len() as u64, want));
            }
            for least in [0, 355, 372, 384] {
                let reached = values.iter().filter(|value| value.1 >= f64::from(least));
                let (len, sum) = reached.fold((0u64, 0.0), |so_far, value| (so_far.0 + 1, so_far.1 + value.0));
                assert_eq!(found.from_c(least), len);
                assert_eq!(found.mean_b(least..=384), (len > 0).then(|| sum / len as f64));
            }
        }
    }

    #[test]
    fn without_pairs_nothing_is_claimed() {
        let grid = Grid::new();
        assert_eq!((grid.correlation(), grid.mean_c(2), grid.mean_b(372..=384), grid.from_c(0)), (None, None, None, 0));
    }
}
