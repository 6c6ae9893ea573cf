//! Precision and recall as means over documents (Huang et al. 2008, 4).

use std::collections::BTreeMap;

use super::gold::Gold;
use super::label::Label;
use super::score::ratio;

/// For each document, the numbers of correct and incorrect pairs that a method returned.
fn by_document(gold: &Gold, selected: &[bool], found: &[bool]) -> BTreeMap<u32, [u64; 2]> {
    let mut documents: BTreeMap<u32, [u64; 2]> = BTreeMap::new();
    for (index, pair) in gold.pairs.iter().enumerate().filter(|(index, _)| selected[*index] && found[*index]) {
        let place = match gold.pairs[index].label {
            Label::Correct => 0,
            Label::Incorrect => 1,
            Label::Undecided => continue,
        };
        for ordinal in [pair.a, pair.b] {
            documents.entry(ordinal).or_default()[place] += 1;
        }
    }
    documents
}

/// Precision as the paper defines it, for each document with near-duplicates: "the ratio of the number of
/// true-positives to the total number of near-duplicates of this document announced by the algorithm. The average ratio
/// is considered as precision." Undecided pairs and pairs without a label are left out.
pub fn mean_precision(gold: &Gold, selected: &[bool], found: &[bool]) -> Option<f64> {
    mean(by_document(gold, selected, found).values().map(|[right, wrong]| *right as f64 / (right + wrong) as f64))
}

/// Recall relative to that of another method, which the paper sets to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RelativeRecall {
    /// The number of correct pairs of the method, divided by that of the other method.
    pub in_all: Option<f64>,
    /// The mean over documents: "for each sampled document we compute the ratio between the true-positives detected by
    /// our algorithm and that detected by simhash". Documents for which the other method finds no correct pair have no
    /// ratio.
    pub mean: Option<f64>,
    /// Number of documents with a ratio.
    pub documents: u64,
}

/// Compares the correct pairs of a method with those of another one.
pub fn relative_recall(gold: &Gold, selected: &[bool], found: &[bool], other: &[bool]) -> RelativeRecall {
    let (ours, theirs) = (by_document(gold, selected, found), by_document(gold, selected, other));
    let right = |of: &BTreeMap<u32, [u64; 2]>| of.values().map(|[right, _]| right).sum::<u64>();
    let with = || theirs.iter().filter(|(_, [right, _])| *right > 0);
    let ratios = with().map(|(ordinal, [right, _])| {
        let ours = ours.get(ordinal).map_or(0, |[right, _]| *right);
        ours as f64 / *right as f64
    });
    RelativeRecall { in_all: ratio(right(&ours), right(&theirs)), mean: mean(ratios), documents: with().count() as u64 }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u64), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::gold::tests::gold;

    #[test]
    fn figures_are_means_over_documents() {
        let gold = gold(&["a", "b", "c", "d"], "a\tb\t1\t\na\tc\t0\t\nc\td\t1\t\nb\td\tg\t\n");
        let all = [true; 4];
        // Correct are: of the pairs of a, one of two; of b, one of one (the undecided pair is left out); of c, one of
        // two; of d, one of one.
        assert_eq!(mean_precision(&gold, &all, &all), Some(0.75));
        assert_eq!(mean_precision(&gold, &[true, true, false, true], &all), Some((0.5 + 1.0 + 0.0) / 3.0));
        assert_eq!(mean_precision(&gold, &all, &[false; 4]), None);
        let relative = relative_recall(&gold, &all, &all, &[true, true, false, false]);
        // For a and b, the other method finds one correct pair, as this one does; for c, it finds an incorrect pair,
        // for d none.
        assert_eq!(relative, RelativeRecall { in_all: Some(2.0), mean: Some(1.0), documents: 2 });
        let none = relative_recall(&gold, &all, &[false; 4], &all);
        assert_eq!(none, RelativeRecall { in_all: Some(0.0), mean: Some(0.0), documents: 4 });
        assert_eq!(relative_recall(&gold, &all, &all, &[false; 4]), RelativeRecall::default());
    }
}
