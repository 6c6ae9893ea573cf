//! Intervals by bootstrap over sites.

use std::collections::BTreeMap;
use std::fmt;

use nddb_page::sketch::split_mix;

use super::gold::Gold;
use super::label::Label;

/// Number of draws of a bootstrap.
pub const DRAWS: usize = 10_000;

/// Labelled pairs by their sites: the only data about them that a draw of sites needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// Number of sites.
    sites: u32,
    /// Two sites, the lesser first, and the pairs between them.
    cells: Vec<([u32; 2], Vec<usize>)>,
}

impl Cells {
    /// Collects the selected pairs that are labelled correct or incorrect.
    pub fn new(gold: &Gold, selected: &[bool]) -> Self {
        let mut numbers = BTreeMap::new();
        let mut cells: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
        for (index, pair) in gold.pairs.iter().enumerate() {
            if selected[index] && pair.label != Label::Undecided {
                let [a, b] = pair.sites.map(|site| {
                    let next = numbers.len() as u32;
                    *numbers.entry(site).or_insert(next)
                });
                cells.entry([a.min(b), a.max(b)]).or_default().push(index);
            }
        }
        Self { sites: numbers.len() as u32, cells: cells.into_iter().collect() }
    }

    /// Number of sites from which draws are made.
    pub fn sites(&self) -> u32 {
        self.sites
    }

    /// For each cell: the numbers of correct pairs found, incorrect pairs found, and correct pairs missed.
    fn count(&self, gold: &Gold, found: &[bool]) -> Vec<[f64; 3]> {
        let of = |indexes: &Vec<usize>| {
            let mut counts = [0.0; 3];
            for &index in indexes {
                match (gold.pairs[index].label, found[index]) {
                    (Label::Correct, true) => counts[0] += 1.0,
                    (Label::Incorrect, true) => counts[1] += 1.0,
                    (Label::Correct, false) => counts[2] += 1.0,
                    _ => {}
                }
            }
            counts
        };
        self.cells.iter().map(|(_, indexes)| of(indexes)).collect()
    }
}

/// The middle 95% of the values of all draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// 2.5% of the draws are less.
    pub low: f64,
    /// 2.5% of the draws are more.
    pub high: f64,
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} to {:.3}", self.low, self.high)
    }
}

/// Intervals of the figures of one method; `None` if no draw has the figure, or if there is only one site.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Intervals {
    /// Precision among the decided pairs.
    pub precision: Option<Interval>,
    /// Recall.
    pub recall: Option<Interval>,
    /// F1.
    pub f1: Option<Interval>,
    /// Precision of this method minus that of the reference, draw by draw.
    pub precision_difference: Option<Interval>,
    /// The same difference of the recall.
    pub recall_difference: Option<Interval>,
    /// The same difference of F1.
    pub f1_difference: Option<Interval>,
}

/// Draws sites with replacement, as many as there are, [`DRAWS`] times, and returns the intervals of each method. A
/// method is given by the labelled pairs that it found; differences are to the method at index `reference`.
///
/// Pairs of one site are similar, so sites must be drawn, not pairs; otherwise the intervals would be far too narrow. A
/// pair within a site counts as often as the site was drawn; a pair between two sites counts the product of both
/// numbers. All methods use the same draws, so their differences are paired. If a figure would be divided by zero in a
/// draw, the draw is left out for that figure.
pub fn bootstrap(gold: &Gold, cells: &Cells, found: &[&[bool]], reference: usize, seed: u64) -> Vec<Intervals> {
    bootstrap_of(gold, cells, found, reference, seed, DRAWS)
}

fn bootstrap_of(
    gold: &Gold,
    cells: &Cells,
    found: &[&[bool]],
    reference: usize,
    seed: u64,
    draws: usize,
) -> Vec<Intervals> {
    if cells.sites < 2 {
        return vec![Intervals::default(); found.len()];
    }
    let counts: Vec<Vec<[f64; 3]>> = found.iter().map(|found| cells.count(gold, found)).collect();
    let mut figures: Vec<Vec<[f64; 3]>> = vec![Vec::with_capacity(draws); found.len()];
    let mut times = vec![0.0; cells.sites as usize];
    let mut weights = vec![0.0; cells.cells.len()];
    for draw in 0..draws {
        times.fill(0.0);
        for index in 0..u64::from(cells.sites) {
            let number = split_mix(seed, draw as u64 * u64::from(cells.sites) + index);
            // The upper half of the product is practically uniform for so few sites.
            times[((u128::from(number) * u128::from(cells.sites)) >> 64) as usize] += 1.0;
        }
        for (weight, ([a, b], _)) in weights.iter_mut().zip(&cells.cells) {
            *weight = times[*a as usize] * if a == b { 1.0 } else { times[*b as usize] };
        }
        for (counts, figures) in counts.iter().zip(&mut figures) {
            figures.push(drawn(counts, &weights));
        }
    }
    let of = |figures: &[[f64; 3]], index: usize| interval(figures.iter().map(|figure| figure[index]));
    let less = |figures: &[[f64; 3]], index: usize, reference: &[[f64; 3]]| {
        interval(figures.iter().zip(reference).map(|(figure, other)| figure[index] - other[index]))
    };
    let reference = &figures[reference];
    let intervals = figures.iter().map(|figures| Intervals {
        precision: of(figures, 0),
        recall: of(figures, 1),
        f1: of(figures, 2),
        precision_difference: less(figures, 0, reference),
        recall_difference: less(figures, 1, reference),
        f1_difference: less(figures, 2, reference),
    });
    intervals.collect()
}

/// Precision, recall and F1 of one draw; NaN if divided by zero.
fn drawn(counts: &[[f64; 3]], weights: &[f64]) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for (counts, weight) in counts.iter().zip(weights) {
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count * weight);
    }
    let [right, wrong, missed] = sums;
    [right / (right + wrong), right / (right + missed), 2.0 * right / (2.0 * right + wrong + missed)]
}

/// The values at ranks 2.5% and 97.5%, rounded up (the nearest-rank method), without NaN.
fn interval(values: impl Iterator<Item = f64>) -> Option<Interval> {
    let mut values: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
    values.sort_unstable_by(f64::total_cmp);
    let rank = |share: f64| values.get(((share * values.len() as f64).ceil() as usize).max(1) - 1).copied();
    Some(Interval { low: rank(0.025)?, high: rank(0.975)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::gold::tests::gold;
    use crate::eval::score::splits;

    #[test]
    fn an_interval_is_read_off_at_its_ranks() {
        // The values are 1 to 1000: ranks 25 and 975.
        let values = (1..=1000).rev().map(f64::from).chain([f64::NAN]);
        assert_eq!(interval(values), Some(Interval { low: 25.0, high: 975.0 }));
        assert_eq!(interval([4.0].into_iter()), Some(Interval { low: 4.0, high: 4.0 }));
        assert_eq!(interval([f64::NAN].into_iter()), None);
    }

    /// Pairs of three sites, within each site and between two of them; one pair is undecided.
    fn small() -> Gold {
        let ids = ["x.a/1", "x.a/2", "x.a/3", "x.b/1", "x.b/2", "x.c/1", "x.c/2"].map(|id| id.replace("x.", ""));
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let pairs =
            "a/1\ta/2\t1\t\na/1\ta/3\t0\t\na/2\ta/3\t1\t\nb/1\tb/2\t1\t\nc/1\tc/2\t0\t\na/1\tb/1\t0\t\nb/1\tc/1\tg\t\n";
        gold(&ids, pairs)
    }

    /// The plain definition: repeat the pairs of each drawn site, count them, and take the figures of the counts.
    #[test]
    fn a_draw_is_what_counting_repeated_pairs_gives() {
        let gold = small();
        let found = [true, true, false, true, false, true, true];
        let (draws, seed) = (50, 3);
        let cells = Cells::new(&gold, &[true; 7]);
        assert_eq!(cells.sites(), 3);
        let quick = bootstrap_of(&gold, &cells, &[&found], 0, seed, draws);
        // Sites are numbered in the order of the pairs: a, b, c.
        let number = |site: u32| ["a", "b", "c"].iter().position(|name| *name == gold.sites[site as usize]);
        let mut plain = [Vec::new(), Vec::new(), Vec::new()];
        for draw in 0..draws as u64 {
            let drawn: Vec<usize> =
                (0..3).map(|index| ((u128::from(split_mix(seed, 3 * draw + index)) * 3) >> 64) as usize).collect();
            let (mut right, mut wrong, mut missed) = (0u32, 0u32, 0u32);
            for (pair, found) in gold.pairs.iter().zip(found) {
                let [a, b] = pair.sites.map(|site| number(site).expect("one of three"));
                let times = |site: usize| drawn.iter().filter(|drawn| **drawn == site).count() as u32;
                let times = if a == b { times(a) } else { times(a) * times(b) };
                match pair.label {
                    Label::Correct if found => right += times,
                    Label::Correct => missed += times,
                    Label::Incorrect if found => wrong += times,
                    _ => {}
                }
            }
            let mut push = |index: usize, part: u32, whole: u32| {
                if whole > 0 {
                    plain[index].push(f64::from(part) / f64::from(whole));
                }
            };
            push(0, right, right + wrong);
            push(1, right, right + missed);
            push(2, 2 * right, 2 * right + wrong + missed);
        }
        let [precision, recall, f1] = plain.map(|values| interval(values.into_iter()));
        assert_eq!((quick[0].precision, quick[0].recall, quick[0].f1), (precision, recall, f1));
    }

    #[test]
    fn differences_are_paired() {
        let gold = small();
        let cells = Cells::new(&gold, &[true; 7]);
        let (good, bad) =
            ([true, false, true, true, false, false, false], [true, true, false, true, false, true, false]);
        let both = bootstrap(&gold, &cells, &[&good, &bad], 0, 1);
        let same = Some(Interval { low: 0.0, high: 0.0 });
        assert_eq!((both[0].f1_difference, both[0].precision_difference), (same, same));
        // The good method is right in every draw, so the difference is 1 minus the figure of the bad method.
        assert_eq!(both[0].f1, Some(Interval { low: 1.0, high: 1.0 }));
        let (bad, difference) = (both[1].f1.expect("drawn"), both[1].f1_difference.expect("drawn"));
        assert!((difference.low - (bad.low - 1.0)).abs() < 1e-12 && (difference.high - (bad.high - 1.0)).abs() < 1e-12);
        // The same seed gives the same draws, another seed gives other draws.
        assert_eq!(bootstrap(&gold, &cells, &[&good, &[true; 7]], 0, 1)[0], both[0]);
    }

    /// With many similar sites, the interval equals that of the normal approximation.
    #[test]
    fn the_interval_is_as_wide_as_theory_says() {
        let ids: Vec<String> = (0..400).flat_map(|site| [format!("s{site}/a"), format!("s{site}/b")]).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let pairs: String = ids.chunks(2).map(|pair| format!("{}\t{}\t1\t\n", pair[0], pair[1])).collect();
        let gold = gold(&ids, &pairs);
        let found: Vec<bool> = (0..400).map(|index| index % 4 != 0).collect();
        let selected = vec![true; 400];
        let interval = bootstrap(&gold, &Cells::new(&gold, &selected), &[&found], 0, 5)[0].recall.expect("drawn");
        assert_eq!(splits(&gold, &selected, &found)[0].counts.recall(), Some(0.75));
        // 1.96 * sqrt(.75 * .25 / 400) = .0424; ten thousand draws of 400 put the ends within .005 (seed 5).
        assert!((interval.low - (0.75 - 0.0424)).abs() < 0.005, "{interval:?}");
        assert!((interval.high - (0.75 + 0.0424)).abs() < 0.005, "{interval:?}");
    }

    #[test]
    fn one_site_has_no_interval() {
        let gold = gold(&["a/1", "a/2"], "a/1\ta/2\t1\t\n");
        let cells = Cells::new(&gold, &[true]);
        assert_eq!(cells.sites(), 1);
        assert_eq!(bootstrap(&gold, &cells, &[&[true]], 0, 1), [Intervals::default()]);
    }
}
