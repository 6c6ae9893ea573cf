//! Comparison of the pairs returned by a method with the labels.

use std::collections::BTreeSet;

use nddb_index::Result;
use nddb_page::sketch::split_mix;

use super::gold::Gold;
use crate::pair_counts::PairBlock;
use crate::sampling::Draw;

/// Number of pairs without a label that are drawn for review.
pub const SAMPLE: usize = 200;

/// Number of attempts to draw a pair that has no label and has not been drawn yet.
const TRIES: usize = 10_000;

/// The pairs that a method returned.
#[derive(Clone, Debug)]
pub struct Returned<'a> {
    gold: &'a Gold,
    found: Vec<bool>,
    pairs: u64,
    unlabelled: u64,
    /// A sample of the pairs without a label.
    sample: Draw,
}

impl<'a> Returned<'a> {
    /// Returns an empty set of pairs.
    pub fn new(gold: &'a Gold, seed: u64) -> Self {
        let found = vec![false; gold.pairs.len()];
        Self { gold, found, pairs: 0, unlabelled: 0, sample: Draw::new(SAMPLE, seed) }
    }

    /// Adds a pair of documents, in either order. Each pair must be added once.
    pub fn push(&mut self, a: u32, b: u32) {
        self.pairs += 1;
        if let Some(index) = self.gold.find(a, b) {
            self.found[index] = true;
            return;
        }
        self.unlabelled += 1;
        self.sample.push(a, b);
    }

    /// Adds a block of pairs. The requested pairs of the block are [`Gold::pairs`].
    pub(super) fn push_block(&mut self, block: &PairBlock<'_>) {
        block.asked.iter().for_each(|&index| self.found[index] = true);
        let unlabelled = block.pairs().saturating_sub(block.asked.len() as u64);
        self.pairs += block.pairs();
        self.unlabelled += unlabelled;
        let (first, second) = block.draw([0, 0]);
        let seed = split_mix(block.pairs(), u64::from(first) << 32 | u64::from(second));
        let (gold, mut drawn) = (self.gold, BTreeSet::new());
        self.sample.push_many(unlabelled, seed, &mut |random| {
            // `None` if nearly all pairs of the block have labels or were drawn.
            (0..TRIES).find_map(|_| {
                let (a, b) = block.draw([random(), random()]);
                (gold.find(a, b).is_none() && drawn.insert((a.min(b), a.max(b)))).then_some((a, b))
            })
        });
    }

    /// Takes back the labelled pairs of which this is not true.
    ///
    /// # Errors
    /// Those of `holds`.
    pub fn restrict(&mut self, mut holds: impl FnMut(u32, u32) -> Result<bool>) -> Result<()> {
        for (pair, found) in self.gold.pairs.iter().zip(&mut self.found).filter(|(_, found)| **found) {
            *found = holds(pair.a, pair.b)?;
        }
        Ok(())
    }

    /// Whether the pair at each index of [`Gold::pairs`] was returned.
    pub fn found(&self) -> &[bool] {
        &self.found
    }

    /// Number of pairs returned.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// Of these, pairs without a label, which may be right or wrong.
    pub fn unlabelled(&self) -> u64 {
        self.unlabelled
    }

    /// Up to [`SAMPLE`] pairs drawn from those without a label, by ordinals.
    pub fn sample(&self) -> Vec<(u32, u32)> {
        self.sample.pairs()
    }
}

#[cfg(test)]
mod tests {
    use nddb_page::sketch::split_mix;

    use super::*;
    use crate::eval::gold::tests::gold;

    #[test]
    fn a_pair_without_a_label_is_counted_and_not_judged() {
        let gold = gold(&["a", "b", "c", "d"], "a\tb\t1\t\nc\tb\t0\t\n");
        let mut returned = Returned::new(&gold, 1);
        for (a, b) in [(1, 0), (0, 2), (3, 2)] {
            returned.push(a, b);
        }
        assert_eq!((returned.found(), returned.pairs(), returned.unlabelled()), (&[true, false][..], 3, 2));
        assert_eq!(returned.sample(), [(0, 2), (2, 3)]);
    }

    /// If two thousand pairs come in one block and two thousand one by one, about half of the sample are of each kind.
    #[test]
    fn a_crowd_is_drawn_from_as_if_it_were_listed() {
        let ids: Vec<String> = (0..200).map(|id| id.to_string()).collect();
        let gold = gold(&ids.iter().map(String::as_str).collect::<Vec<_>>(), "0\t1\t1\t\n150\t151\t0\t\n");
        let block: Vec<u32> = (0..64).collect();
        let mut of_crowd = 0;
        for seed in 0..20 {
            let mut returned = Returned::new(&gold, seed);
            let single = (100..164).flat_map(|a| (a + 1..164).map(move |b| (a, b)));
            single.for_each(|(a, b)| returned.push(a, b));
            returned.push_block(&PairBlock { a: &block, b: &[], asked: &[0] });
            assert_eq!((returned.found(), returned.pairs(), returned.unlabelled()), (&[true; 2][..], 4032, 4030));
            let sample = returned.sample();
            assert_eq!(sample.len(), SAMPLE);
            assert!(sample.iter().all(|&(a, b)| a < b && (b < 64 || a > 99) && gold.find(a, b).is_none()));
            assert!(sample.windows(2).all(|two| two[0] < two[1]), "each once");
            of_crowd += sample.iter().filter(|&&(_, b)| b < 64).count();
        }
        // 4,000 draws: 2,000 within four times 31.6, the standard deviation.
        assert!((2000 - 127..=2000 + 127).contains(&of_crowd), "{of_crowd}");
    }

    #[test]
    fn the_sample_depends_on_the_seed_and_not_on_the_order() {
        let gold = Gold::default();
        let all: Vec<(u32, u32)> = (0..100).flat_map(|a| (a + 1..100).map(move |b| (a, b))).collect();
        let sample = |seed, pairs: &mut dyn Iterator<Item = &(u32, u32)>| {
            let mut returned = Returned::new(&gold, seed);
            pairs.for_each(|&(a, b)| returned.push(a, b));
            assert_eq!(returned.unlabelled(), all.len() as u64);
            returned.sample()
        };
        let forth = sample(7, &mut all.iter());
        assert_eq!(forth.len(), SAMPLE);
        assert_eq!(forth, sample(7, &mut all.iter().rev()));
        assert_ne!(forth, sample(8, &mut all.iter()));
        // By the definition: the pairs with the least hashes.
        let mut hashed: Vec<(u64, u32, u32)> =
            all.iter().map(|&(a, b)| (split_mix(7, u64::from(a) << 32 | u64::from(b)), a, b)).collect();
        hashed.sort_unstable();
        let mut plain: Vec<(u32, u32)> = hashed[..SAMPLE].iter().map(|&(_, a, b)| (a, b)).collect();
        plain.sort_unstable();
        assert_eq!(forth, plain);
    }
}
