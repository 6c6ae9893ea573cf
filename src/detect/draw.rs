//! Pairs drawn at random from more than are kept.

use std::collections::BinaryHeap;

use crate::sketch::split_mix;

/// Pairs of documents drawn at random: those whose hash with a seed is least. Every set of so many is as likely as any
/// other, whatever the order in which pairs come.
#[derive(Clone, Debug)]
pub struct Draw {
    seed: u64,
    most: usize,
    /// The pairs of least hash, the greatest of them on top.
    drawn: BinaryHeap<(u64, u32, u32)>,
}

impl Draw {
    /// Draws at most so many pairs.
    pub fn new(most: usize, seed: u64) -> Self {
        Self { seed, most, drawn: BinaryHeap::new() }
    }

    /// Takes a pair of documents, in either order, to draw from. Each must come once.
    pub fn push(&mut self, a: u32, b: u32) {
        let (a, b) = (a.min(b), a.max(b));
        let hash = split_mix(self.seed, u64::from(a) << 32 | u64::from(b));
        if self.drawn.len() < self.most {
            self.drawn.push((hash, a, b));
        } else if self.drawn.peek().is_some_and(|greatest| (hash, a, b) < *greatest) {
            self.drawn.pop();
            self.drawn.push((hash, a, b));
        }
    }

    /// The pairs that were drawn, sorted, the lesser document first.
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
