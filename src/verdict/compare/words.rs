//! The share of the words of the longer of two texts that the other text lacks.

use super::lcs::Myers;

/// Greatest number of words of a compared text: the table of two longer texts would take more than 150 MB.
const WORDS_MAX: usize = 1 << 15;

/// Compares words, one pair after the other, and reuses its memory.
#[derive(Clone, Debug, Default)]
pub struct WordComparer(Myers);

impl WordComparer {
    /// Returns the share of the words of the longer text, by their hashes, that are not in the longest common
    /// subsequence, 0 to 1; `None` if there are more than 32,768 in either.
    pub fn difference(&mut self, a: &[u64], b: &[u64]) -> Option<f64> {
        let many = a.len().max(b.len());
        if many > WORDS_MAX {
            return None;
        }
        let edits = self.0.distance(a, b, usize::MAX)?;
        let common = (a.len() + b.len() - edits) / 2;
        Some((many - common) as f64 / many.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use nddb_test_support::Random;

    use super::*;
    use crate::compare::lcs::plain::longest_common_subsequence;

    #[test]
    fn the_difference_is_what_the_longer_text_has_beyond_the_common_subsequence() {
        let mut words = WordComparer::default();
        for seed in 0..200 {
            let mut random = Random(seed);
            let mut text = || (0..random.index(40)).map(|_| random.below(6)).collect::<Vec<u64>>();
            let (a, b) = (text(), text());
            let many = a.len().max(b.len());
            let lacking = many - longest_common_subsequence(&a, &b).len();
            let expected = lacking as f64 / many.max(1) as f64;
            assert_eq!(words.difference(&a, &b), Some(expected), "seed {seed}");
        }
    }

    #[test]
    fn texts_of_very_many_words_are_not_compared() {
        let long = vec![7; WORDS_MAX + 1];
        assert_eq!(WordComparer::default().difference(&long, &[7]), None);
        assert_eq!(WordComparer::default().difference(&long[1..], &long[1..]), Some(0.0));
    }
}
