//! Precision and recall by Hamming distance (Manku et al. 2007, 4).

use nddb_dedup::Collection;
use nddb_evaluate::eval::{Gold, Label};

use super::ratio;

/// Number of possible distances between fingerprints: 0 to 64.
pub const DISTANCES: usize = 65;

/// Counts of labelled pairs at one Hamming distance, and figures up to that distance.
///
/// Manku et al. drew an equal number of pairs at each distance. In a label file the numbers differ from distance to
/// distance, but not as they do in the collection. So `weighted` figures weight each labelled pair by the number of
/// pairs of the whole collection at its distance, divided by the number of labelled pairs at that distance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AtDistance {
    /// The distance.
    pub distance: u32,
    /// Labelled pairs at exactly this distance: correct, incorrect, undecided.
    pub labelled: [u64; 3],
    /// Pairs of the collection at exactly this distance.
    pub pairs: u64,
    /// Correct / (correct + incorrect), at exactly this distance.
    pub precision_at: Option<f64>,
    /// Share of all correct pairs that are at exactly this distance.
    pub recall_at: Option<f64>,
    /// Correct / (correct + incorrect), up to this distance: the precision of simhash with this k.
    pub precision: Option<f64>,
    /// Share of all correct pairs that are within this distance: the recall of simhash with this k.
    pub recall: Option<f64>,
    /// Precision up to this distance, weighted by the pairs of the collection; `None` if a distance up to this one has
    /// pairs but no label.
    pub weighted_precision: Option<f64>,
    /// Recall up to this distance, relative to the correct pairs within all examined distances, with the same weights.
    pub weighted_recall: Option<f64>,
}

/// Counts labelled pairs, given by their distance and label, at distances 0 to `most`. `pairs` has the number of pairs
/// of the collection at each distance.
pub fn by_distance(
    labelled: impl IntoIterator<Item = (u32, Label)>,
    pairs: &[u64; DISTANCES],
    most: u32,
) -> Vec<AtDistance> {
    let mut counts = [[0u64; 3]; DISTANCES];
    for (distance, label) in labelled {
        counts[distance as usize][label as usize] += 1;
    }
    let correct: u64 = counts.iter().map(|counts| counts[0]).sum();
    let shown = &counts[..=most as usize];
    // The share of correct pairs at a distance, by the labels, and the corresponding number of pairs of the collection.
    let share = |counts: &[u64; 3]| ratio(counts[0], counts[0] + counts[1]);
    let likely = |distance: usize| match pairs[distance] {
        0 => Some(0.0),
        pairs => share(&counts[distance]).map(|share| share * pairs as f64),
    };
    let all_likely: Option<f64> = (0..shown.len()).map(likely).sum();
    let mut sums = [0u64; 3];
    let (mut right, mut seen) = (Some(0.0), 0);
    let lines = shown.iter().enumerate().map(|(distance, at)| {
        sums.iter_mut().zip(at).for_each(|(sum, count)| *sum += count);
        right = right.zip(likely(distance)).map(|(right, likely)| right + likely);
        seen += pairs[distance];
        AtDistance {
            distance: distance as u32,
            labelled: *at,
            pairs: pairs[distance],
            precision_at: share(at),
            recall_at: ratio(at[0], correct),
            precision: share(&sums),
            recall: ratio(sums[0], correct),
            weighted_precision: right.filter(|_| seen > 0).map(|right| right / seen as f64),
            weighted_recall: right.zip(all_likely).filter(|(_, all)| *all > 0.0).map(|(right, all)| right / all),
        }
    });
    lines.collect()
}

/// Returns the distances of the selected labelled pairs with their labels, and the number of all pairs of the
/// collection at each distance. Counting compares every two fingerprints, so these numbers are zeros if the collection
/// has more than `most` fingerprints. Documents without a fingerprint have no distances.
pub fn distances_of(
    collection: &Collection,
    gold: &Gold,
    selected: &[bool],
    most: usize,
) -> (Vec<(u32, Label)>, [u64; DISTANCES]) {
    let fingerprint = |ordinal: u32| collection.row(ordinal).fingerprint.map(|fingerprint| fingerprint.0);
    let all: Vec<u64> = (0..collection.len()).filter_map(fingerprint).collect();
    let labelled = gold.pairs.iter().zip(selected).filter(|(_, selected)| **selected);
    let labelled = labelled.filter_map(|(pair, _)| {
        let (a, b) = fingerprint(pair.a).zip(fingerprint(pair.b))?;
        Some(((a ^ b).count_ones(), pair.label))
    });
    (labelled.collect(), distances(if all.len() <= most { &all } else { &[] }))
}

/// Counts all pairs of fingerprints by distance, by comparing every two.
fn distances(fingerprints: &[u64]) -> [u64; DISTANCES] {
    let mut counts = [0; DISTANCES];
    for (index, one) in fingerprints.iter().enumerate() {
        for other in &fingerprints[index + 1..] {
            counts[(one ^ other).count_ones() as usize] += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use Label::{Correct, Incorrect, Undecided};

    #[test]
    fn distances_of_three_fingerprints() {
        let counts = distances(&[0, 1, 7]);
        assert_eq!(&counts[..4], [0, 1, 1, 1]);
        assert_eq!(counts.iter().sum::<u64>(), 3);
        assert_eq!(distances(&[0, u64::MAX])[64], 1);
        assert_eq!(distances(&[5]).iter().sum::<u64>(), 0);
    }

    #[test]
    fn figures_at_and_up_to_each_distance() {
        // At 0: 2 correct. At 1: 1 correct, 1 incorrect, 1 undecided. At 3: 1 correct, 3 incorrect. At 40: 1 correct.
        let labelled = [
            (0, Correct),
            (0, Correct),
            (1, Correct),
            (1, Incorrect),
            (1, Undecided),
            (3, Correct),
            (3, Incorrect),
            (3, Incorrect),
            (3, Incorrect),
            (40, Correct),
        ];
        let mut pairs = [0; DISTANCES];
        pairs[..4].copy_from_slice(&[10, 20, 0, 100]);
        let lines = by_distance(labelled, &pairs, 3);
        assert_eq!(lines.len(), 4);
        let of = |figure: fn(&AtDistance) -> Option<f64>| lines.iter().map(figure).collect::<Vec<_>>();
        assert_eq!(of(|line| line.precision_at), [Some(1.0), Some(0.5), None, Some(0.25)]);
        assert_eq!(of(|line| line.recall_at), [Some(0.4), Some(0.2), Some(0.0), Some(0.2)]);
        assert_eq!(of(|line| line.precision), [Some(1.0), Some(0.75), Some(0.75), Some(0.5)]);
        assert_eq!(of(|line| line.recall), [Some(0.4), Some(0.6), Some(0.6), Some(0.8)]);
        // 10 pairs all correct, 20 half, 100 a quarter: 10, 20, 20, 45 correct of 10, 30, 30, 130 pairs.
        let near = |a: Option<f64>, b: f64| a.is_some_and(|a| (a - b).abs() < 1e-12);
        for (line, (precision, recall)) in lines.iter().zip([
            (1.0, 10.0 / 45.0),
            (20.0 / 30.0, 20.0 / 45.0),
            (20.0 / 30.0, 20.0 / 45.0),
            (45.0 / 130.0, 1.0),
        ]) {
            assert!(near(line.weighted_precision, precision), "{line:?}");
            assert!(near(line.weighted_recall, recall), "{line:?}");
        }
        assert_eq!(lines[1].labelled, [1, 1, 1]);
    }

    #[test]
    fn pairs_of_which_no_label_tells_leave_the_weighted_figures_unknown() {
        let mut pairs = [0; DISTANCES];
        pairs[..2].copy_from_slice(&[1, 5]);
        let lines = by_distance([(0, Correct)], &pairs, 1);
        assert_eq!((lines[0].weighted_precision, lines[0].weighted_recall), (Some(1.0), None));
        assert_eq!((lines[1].weighted_precision, lines[1].precision), (None, Some(1.0)));
    }
}
