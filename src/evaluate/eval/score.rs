//! Precision, recall and F1 for all pairs and for parts of them.

use super::gold::Gold;
use super::label::Label;

/// Counts of labelled pairs by label and by whether a method returned them (Henzinger 2006, 3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairs that were returned: correct, incorrect, undecided.
    pub found: [u64; 3],
    /// Pairs that were not returned: correct, incorrect, undecided.
    pub missed: [u64; 3],
}

impl Counts {
    /// Counts a pair.
    pub fn add(&mut self, label: Label, found: bool) {
        let counts = if found { &mut self.found } else { &mut self.missed };
        counts[label as usize] += 1;
    }

    /// Precision as the papers print it: correct / returned, where undecided pairs count as returned. Pairs without a
    /// label do not count. `None` if nothing was returned.
    pub fn precision_of_returned(&self) -> Option<f64> {
        ratio(self.found[0], self.found.iter().sum())
    }

    /// Precision among the decided: correct / (correct + incorrect). `None` if neither was returned.
    pub fn precision(&self) -> Option<f64> {
        ratio(self.found[0], self.found[0] + self.found[1])
    }

    /// Recall: the share of the correct pairs that were returned. `None` if there are no correct pairs.
    pub fn recall(&self) -> Option<f64> {
        ratio(self.found[0], self.correct())
    }

    /// The harmonic mean of precision (among the decided) and recall; zero if no correct pair was returned, `None` if
    /// nothing was returned and nothing is correct.
    pub fn f1(&self) -> Option<f64> {
        ratio(2 * self.found[0], self.found[0] + self.found[1] + self.correct())
    }

    /// Correct pairs.
    pub fn correct(&self) -> u64 {
        self.found[0] + self.missed[0]
    }

    /// All pairs with a label.
    pub fn labelled(&self) -> u64 {
        self.found.iter().chain(&self.missed).sum()
    }

    /// The prevalence of positives: correct / (correct + incorrect) over all labelled pairs.
    pub fn prevalence(&self) -> Option<f64> {
        ratio(self.correct(), self.correct() + self.found[1] + self.missed[1])
    }
}

pub(super) fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The counts of a part of the labelled pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The property that divides the pairs: `all`, `site`, `domain` (registrable domain) or `kind`.
    pub by: &'static str,
    /// The part: `same`, `different`, `unknown`, or the kind.
    pub part: String,
    /// Its counts.
    pub counts: Counts,
}

/// Counts all selected pairs, then the pairs on one site and on different sites (by both rules for sites), then the
/// pairs of each kind. Parts without pairs are left out, except the first.
pub fn splits(gold: &Gold, selected: &[bool], found: &[bool]) -> Vec<Split> {
    let mut splits = vec![count("all", "all", gold, selected, found, |_| true)];
    for (rule, by) in ["site", "domain"].into_iter().enumerate() {
        for (part, same) in [("same", Some(true)), ("different", Some(false)), ("unknown", None)] {
            splits.push(count(by, part, gold, selected, found, |index| gold.pairs[index].same_site[rule] == same));
        }
    }
    for (number, kind) in (0..).zip(&gold.kinds) {
        splits.push(count("kind", kind, gold, selected, found, |index| gold.pairs[index].kind == Some(number)));
    }
    splits.retain(|split| split.by == "all" || split.counts.labelled() > 0);
    splits
}

fn count(
    by: &'static str,
    part: &str,
    gold: &Gold,
    selected: &[bool],
    found: &[bool],
    is_in: impl Fn(usize) -> bool,
) -> Split {
    let mut counts = Counts::default();
    for index in (0..gold.pairs.len()).filter(|&index| selected[index] && is_in(index)) {
        counts.add(gold.pairs[index].label, found[index]);
    }
    Split { by, part: part.to_owned(), counts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::gold::tests::gold;

    #[test]
    fn figures_are_those_of_the_definitions() {
        // Returned: 6 correct, 2 incorrect, 4 undecided; missed: 3 correct, 5 incorrect.
        let counts = Counts { found: [6, 2, 4], missed: [3, 5, 0] };
        assert_eq!(counts.precision(), Some(6.0 / 8.0));
        assert_eq!(counts.precision_of_returned(), Some(6.0 / 12.0));
        assert_eq!(counts.recall(), Some(6.0 / 9.0));
        let (precision, recall) = (0.75, 6.0 / 9.0);
        let harmonic: f64 = 2.0 * precision * recall / (precision + recall);
        assert!(counts.f1().is_some_and(|f1| (f1 - harmonic).abs() < 1e-12));
        assert_eq!(counts.prevalence(), Some(9.0 / 16.0));
        assert_eq!((counts.correct(), counts.labelled()), (9, 20));
    }

    #[test]
    fn what_is_divided_by_nothing_is_not_known() {
        let none = Counts::default();
        assert_eq!([none.precision(), none.precision_of_returned(), none.recall(), none.f1()], [None; 4]);
        let nothing_found = Counts { found: [0; 3], missed: [2, 1, 0] };
        assert_eq!((nothing_found.precision(), nothing_found.recall()), (None, Some(0.0)));
        assert_eq!(nothing_found.f1(), Some(0.0));
        let undecided = Counts { found: [0, 0, 3], missed: [0; 3] };
        assert_eq!((undecided.precision(), undecided.precision_of_returned()), (None, Some(0.0)));
    }

    #[test]
    fn parts_are_by_both_site_rules_and_by_kind() {
        let ids = ["www.bbc.co.uk/a", "bbc.co.uk/b", "itv.co.uk/c", "lone"];
        let pairs = "www.bbc.co.uk/a\tbbc.co.uk/b\t1\tx\nbbc.co.uk/b\titv.co.uk/c\t0\ty\nlone\tbbc.co.uk/b\tg\t\n";
        let gold = gold(&ids, pairs);
        let splits = splits(&gold, &[true; 3], &[true, true, false]);
        let parts: Vec<(&str, &str, [u64; 3], [u64; 3])> =
            splits.iter().map(|split| (split.by, &split.part[..], split.counts.found, split.counts.missed)).collect();
        let (none, one) = ([0; 3], |index| std::array::from_fn(|label| u64::from(label == index)));
        let expected = [
            ("all", "all", [1, 1, 0], one(2)),
            ("site", "same", one(1), none),
            ("site", "different", one(0), none),
            ("site", "unknown", none, one(2)),
            ("domain", "same", one(0), none),
            ("domain", "different", one(1), none),
            ("domain", "unknown", none, one(2)),
            ("kind", "x", one(0), none),
            ("kind", "y", one(1), none),
        ];
        assert_eq!(parts, expected);
        let chosen = crate::eval::score::splits(&gold, &[false, true, false], &[true; 3]);
        assert_eq!(chosen[0].counts.found, [0, 1, 0]);
        assert_eq!(chosen.len(), 4, "empty parts are left out");
    }
}
