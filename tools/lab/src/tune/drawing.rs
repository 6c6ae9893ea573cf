//! Pairs of documents drawn by hash, so that near-equal texts cost no more than others.

use std::ops::Range;

use nddb::detect::GROUPS;
use nddb_dedup::Sharing;

/// One pair in so many, for each group of the smaller document; powers of two.
pub(super) type Shares = [u64; GROUPS];

/// Pairs of documents, no more than so many in each group: all of them, or one in two is drawn, one in four and so on.
///
/// A pair is drawn if the hashes of the two add up to 0 modulo the share. Each pair is as likely to be drawn as any
/// other, and independently of any other one: what is counted of them, times the share, is without bias. Those that are
/// drawn among n documents are looked up, the others are never made. So ten thousand pages that differ in a word do not
/// give fifty million pairs, and take nothing from the pages of other groups.
pub(super) struct Drawing<'a> {
    most: usize,
    shares: Shares,
    /// The group of a document, and a hash of it, its bits reversed.
    member: &'a dyn Fn(u32) -> (usize, u64),
    pairs: [Vec<u64>; GROUPS],
    /// The documents at hand, with the reversed hash of each.
    lists: [Vec<(u64, Sharing)>; GROUPS],
}

impl<'a> Drawing<'a> {
    /// Draws at most so many pairs in each group, and no more than these shares of them.
    pub(super) fn new(most: usize, shares: Shares, member: &'a dyn Fn(u32) -> (usize, u64)) -> Self {
        // One pair alone may be drawn whatever the share.
        let most = most.max(1);
        Self { most, shares, member, pairs: Default::default(), lists: Default::default() }
    }

    /// Takes the pairs of these documents that may be near. A pair may come more than once.
    pub(super) fn take(&mut self, documents: &[Sharing], may_be: &dyn Fn(&Sharing, &Sharing) -> bool) {
        let mut lists = std::mem::take(&mut self.lists);
        for &sharing in documents {
            let (group, hash) = (self.member)(sharing.document);
            lists[group].push((hash, sharing));
        }
        // Documents whose hashes end alike stand together.
        lists.iter_mut().for_each(|list| list.sort_unstable());
        for group in 0..GROUPS {
            for (hash, a) in &lists[group] {
                for (other, list) in lists.iter().enumerate().skip(group).filter(|(_, list)| !list.is_empty()) {
                    for (_, b) in &list[partners(list, *hash, self.shares[group])] {
                        if (other != group || a.document < b.document) && may_be(a, b) {
                            self.push(group, a.document, b.document);
                        }
                    }
                }
            }
        }
        lists.iter_mut().for_each(Vec::clear);
        self.lists = lists;
    }

    fn push(&mut self, group: usize, a: u32, b: u32) {
        let pair = both(a, b);
        // Fewer may be drawn by now than when the two were looked up.
        if self.is_drawn(pair, self.shares[group]) {
            self.pairs[group].push(pair);
            if self.pairs[group].len() > 2 * self.most {
                self.settle(group);
            }
        }
    }

    fn is_drawn(&self, pair: u64, share: u64) -> bool {
        let [a, b] = [(pair >> 32) as u32, pair as u32].map(|ordinal| (self.member)(ordinal).1.reverse_bits());
        a.wrapping_add(b).is_multiple_of(share)
    }

    /// Draws fewer pairs of a group until they are few enough. The order in which pairs came makes no difference.
    fn settle(&mut self, group: usize) {
        let mut pairs = std::mem::take(&mut self.pairs[group]);
        pairs.sort_unstable();
        pairs.dedup();
        while pairs.len() > self.most {
            self.shares[group] *= 2;
            pairs.retain(|&pair| self.is_drawn(pair, self.shares[group]));
        }
        self.pairs[group] = pairs;
    }

    /// The pairs that were drawn, sorted, and which share of all pairs they are.
    pub(super) fn finish(mut self) -> (Vec<u64>, Shares) {
        (0..GROUPS).for_each(|group| self.settle(group));
        let mut pairs = self.pairs.concat();
        pairs.sort_unstable();
        (pairs, self.shares)
    }
}

/// Where those stand in a list whose hashes give 0 together with this one, modulo a power of two.
fn partners(list: &[(u64, Sharing)], hash: u64, share: u64) -> Range<usize> {
    let least = (hash.reverse_bits().wrapping_neg() & (share - 1)).reverse_bits();
    let most = least | u64::MAX >> share.trailing_zeros();
    list.partition_point(|entry| entry.0 < least)..list.partition_point(|entry| entry.0 <= most)
}

/// Two documents, the lesser first.
pub(super) fn both(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

#[cfg(test)]
mod tests {
    use nddb_page::sketch::split_mix;

    use super::*;

    fn member(ordinal: u32) -> (usize, u64) {
        (ordinal as usize % 3, split_mix(9, ordinal.into()).reverse_bits())
    }

    fn drawn(most: usize, lists: &[Vec<Sharing>]) -> (Vec<u64>, Shares) {
        let mut drawing = Drawing::new(most, [1; GROUPS], &member);
        lists.iter().for_each(|list| drawing.take(list, &|a, b| (a.document ^ b.document) % 7 != 0));
        drawing.finish()
    }

    /// Every pair of every list, and of these the least share that leaves few enough.
    #[test]
    fn it_draws_what_a_look_at_all_pairs_draws() {
        let list = |from: u32, len: u32, step: usize| {
            let sharing = |document| Sharing { document, len: 1, is_coarse: true };
            (from..from + len).step_by(step).map(sharing).collect()
        };
        let mut lists: Vec<Vec<Sharing>> = vec![list(0, 900, 1), list(100, 300, 2), list(2000, 5, 1), Vec::new()];
        for most in [1, 10, 1000, 50_000, usize::MAX / 4] {
            let mut all: Vec<u64> = Vec::new();
            for list in &lists {
                for (index, a) in list.iter().map(|it| it.document).enumerate() {
                    let others = list[index + 1..].iter().map(|it| it.document);
                    all.extend(others.filter(|b| (a ^ b) % 7 != 0).map(|b| both(a, b)));
                }
            }
            all.sort_unstable();
            all.dedup();
            let mut wanted = Vec::new();
            for group in 0..3 {
                let of_group = |share: u64| {
                    let ends = |pair: u64| [(pair >> 32) as u32, pair as u32].map(member);
                    let in_group = all.iter().copied().filter(|&pair| ends(pair)[0].0.min(ends(pair)[1].0) == group);
                    let sum = |pair| ends(pair).iter().fold(0u64, |sum, it| sum.wrapping_add(it.1.reverse_bits()));
                    in_group.filter(|&pair| sum(pair) % share == 0).collect::<Vec<u64>>()
                };
                let (pairs, shares) = drawn(most, &lists);
                assert!(of_group(shares[group]).len() <= most);
                assert!(shares[group] == 1 || of_group(shares[group] / 2).len() > most, "no fewer than need be");
                wanted.extend(of_group(shares[group]));
                // Within four standard deviations of all that there are.
                let (of_all, share) = (of_group(1), shares[group] as f64);
                let drawn = pairs.iter().filter(|pair| of_all.binary_search(pair).is_ok()).count() as f64;
                let len = of_all.len() as f64;
                assert!((drawn * share - len).abs() <= 4.0 * (len * (share - 1.0)).sqrt(), "{most}: {drawn} of {len}");
            }
            wanted.sort_unstable();
            assert_eq!(drawn(most, &lists).0, wanted, "most {most}");
            lists.rotate_left(1);
            assert_eq!(drawn(most, &lists).0, wanted, "whatever the order");
        }
    }
}
