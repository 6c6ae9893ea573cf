//! Pairs of documents drawn by hash, so that many nearly equal texts do not cost more than others.

use std::ops::Range;

use nddb_dedup::Sharing;
use nddb_verdict::GROUPS;

/// For each group (of the smaller document of a pair): one pair in this many is drawn; powers of two.
pub(super) type Shares = [u64; GROUPS];

/// A limited number of pairs of documents in each group: all pairs, or one in two, one in four and so on, drawn by
/// hash.
///
/// A pair is drawn if the hashes of its documents add up to 0 modulo the share. All pairs are equally likely,
/// independently of each other, so a count of drawn pairs times the share is an unbiased estimate. The drawn pairs
/// among n documents are found by look-up; the other pairs are never formed. So ten thousand pages that differ in one
/// word do not form fifty million pairs, and do not displace pairs of other groups.
pub(super) struct Drawing<'a> {
    most: usize,
    shares: Shares,
    /// Returns the group of a document, and its hash with reversed bits.
    member: &'a dyn Fn(u32) -> (usize, u64),
    pairs: [Vec<u64>; GROUPS],
    /// The documents of the current list by group, with their reversed hashes.
    lists: [Vec<(u64, Sharing)>; GROUPS],
}

impl<'a> Drawing<'a> {
    /// Returns an empty drawing of at most `most` pairs in each group. In each group it begins to draw one pair in as
    /// many as `shares` says.
    pub(super) fn new(most: usize, shares: Shares, member: &'a dyn Fn(u32) -> (usize, u64)) -> Self {
        // A single pair may be drawn whatever the share, so the limit must be at least 1.
        let most = most.max(1);
        Self { most, shares, member, pairs: Default::default(), lists: Default::default() }
    }

    /// Adds the pairs of these documents that may be near. A pair may be added more than once.
    pub(super) fn take(&mut self, documents: &[Sharing], may_be: &dyn Fn(&Sharing, &Sharing) -> bool) {
        let mut lists = std::mem::take(&mut self.lists);
        for &sharing in documents {
            let (group, hash) = (self.member)(sharing.document);
            lists[group].push((hash, sharing));
        }
        // Sorting by reversed hashes puts documents whose hashes have equal low bits together.
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
        // The share may have increased since the look-up.
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

    /// Doubles the share of a group until its pairs are few enough. The result does not depend on the order of the
    /// pairs.
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

    /// Returns the pairs that were drawn, sorted, and the share of each group.
    pub(super) fn finish(mut self) -> (Vec<u64>, Shares) {
        (0..GROUPS).for_each(|group| self.settle(group));
        let mut pairs = self.pairs.concat();
        pairs.sort_unstable();
        (pairs, self.shares)
    }
}

/// Returns the range of list entries whose hash plus this hash is 0 modulo `share`.
fn partners(list: &[(u64, Sharing)], hash: u64, share: u64) -> Range<usize> {
    let least = (hash.reverse_bits().wrapping_neg() & (share - 1)).reverse_bits();
    let most = least | u64::MAX >> share.trailing_zeros();
    list.partition_point(|entry| entry.0 < least)..list.partition_point(|entry| entry.0 <= most)
}

/// Packs two documents into a number, the lesser first.
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

    /// By the definition: forms every pair of every list, and takes the least share that leaves few enough.
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
                // The estimate is within four standard deviations of the number of all pairs.
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
