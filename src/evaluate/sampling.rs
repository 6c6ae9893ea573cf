//! Random sampling of pairs from a stream.

use std::collections::BinaryHeap;

use nddb_page::sketch::split_mix;

/// A function that chooses a pair by random numbers.
type Pick<'a> = dyn FnMut(&mut dyn FnMut() -> u64) -> Option<(u32, u32)> + 'a;

/// A random sample of pairs of documents: the pairs whose hashes with a seed are least. All sets of this size are
/// equally likely, in whatever order pairs are added.
#[derive(Clone, Debug)]
pub struct Draw {
    seed: u64,
    most: usize,
    /// The pairs with the least hashes, the greatest of these on top.
    drawn: BinaryHeap<(u64, u32, u32)>,
}

impl Draw {
    /// Returns an empty sample of at most `most` pairs.
    pub fn new(most: usize, seed: u64) -> Self {
        Self { seed, most, drawn: BinaryHeap::new() }
    }

    /// Adds a pair of documents, in either order, to those from which pairs are drawn. Each pair must be added once.
    pub fn push(&mut self, a: u32, b: u32) {
        let (a, b) = (a.min(b), a.max(b));
        self.offer(split_mix(self.seed, u64::from(a) << 32 | u64::from(b)), a, b);
    }

    /// Adds `pairs` pairs at once. `pick` returns random pairs of them, no pair twice, and `None` when there are no
    /// more; it gets random numbers that also depend on `seed`.
    ///
    /// The least hashes of n pairs are distributed as the least of n random numbers, so they are generated in ascending
    /// order: with n numbers left after x, the next is 1 - (1 - x) * v^(1/n), for a random v between 0 and 1.
    pub(crate) fn push_many(&mut self, pairs: u64, seed: u64, pick: &mut Pick<'_>) {
        let seed = split_mix(self.seed, seed);
        let mut index = 0;
        let mut random = || {
            index += 1;
            split_mix(seed, index)
        };
        let mut share = 0.0f64;
        for left in (1..=pairs).rev().take(self.most) {
            let number = (random() >> 11) as f64 / (1u64 << 53) as f64;
            share = 1.0 - (1.0 - share) * number.powf(1.0 / left as f64);
            let hash = (share * u64::MAX as f64) as u64;
            if self.drawn.len() == self.most && self.drawn.peek().is_some_and(|greatest| hash > greatest.0) {
                return;
            }
            let Some((a, b)) = pick(&mut random) else { return };
            self.offer(hash, a.min(b), a.max(b));
        }
    }

    fn offer(&mut self, hash: u64, a: u32, b: u32) {
        if self.drawn.len() < self.most {
            self.drawn.push((hash, a, b));
        } else if self.drawn.peek().is_some_and(|greatest| (hash, a, b) < *greatest) {
            self.drawn.pop();
            self.drawn.push((hash, a, b));
        }
    }

    /// Returns the pairs that were drawn, sorted, each with the lesser document first.
    pub fn pairs(&self) -> Vec<(u32, u32)> {
        let mut pairs: Vec<(u32, u32)> = self.drawn.iter().map(|&(_, a, b)| (a, b)).collect();
        pairs.sort_unstable();
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pairs_of_least_hash_are_drawn_whatever_their_order() {
        let all: Vec<(u32, u32)> = (0..60).flat_map(|a| (a + 1..60).map(move |b| (a, b))).collect();
        for most in [0, 1, 200, all.len(), 2 * all.len()] {
            let drawn = |seed, pairs: &mut dyn Iterator<Item = (u32, u32)>| {
                let mut draw = Draw::new(most, seed);
                pairs.for_each(|(a, b)| draw.push(a, b));
                draw.pairs()
            };
            let forth = drawn(7, &mut all.iter().copied());
            assert_eq!(forth, drawn(7, &mut all.iter().rev().map(|&(a, b)| (b, a))), "most {most}");
            let mut hashed: Vec<(u64, u32, u32)> =
                all.iter().map(|&(a, b)| (split_mix(7, u64::from(a) << 32 | u64::from(b)), a, b)).collect();
            hashed.sort_unstable();
            let mut plain: Vec<(u32, u32)> = hashed.iter().take(most).map(|&(_, a, b)| (a, b)).collect();
            plain.sort_unstable();
            assert_eq!(forth, plain, "most {most}");
        }
    }
}
