//! Interpolation search on the block keys (Manku 2007, 3.2; SPEC 6.5).

use crate::Permuted;

/// Key look-ups beyond those of binary search that interpolation may spend before bisection takes over.
const SLACK: u32 = 4;

/// A search for the first block whose key is not below a target, one key look-up at a time, so that a caller can
/// interleave the searches of many tables and prefetch each key.
///
/// Keys of random fingerprints are found in a few look-ups: the first guess assumes that they are uniform, the next
/// ones correct it by the remaining distance. On other keys bisection takes over, so no search takes more than four
/// look-ups more than binary search.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    target: u64,
    /// Every key before block `low` is below the target; the key of block `high`, if any, is not.
    low: u64,
    high: u64,
    guess: u64,
    /// Look-ups left before bisection must take over to keep the bound.
    left: u32,
    /// Number of blocks, and the number of unused bits above a fingerprint: together they turn a difference of keys
    /// into a number of blocks.
    blocks: u64,
    unused: u32,
    end: u64,
}

/// The next step of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guess {
    /// Look up the key of this block.
    Look(u64),
    /// The search is over: [`Search::found`] has the answer.
    Done,
}

impl Search {
    #[inline]
    pub(super) fn new(target: Permuted, blocks: u64, bits: u8) -> Self {
        let mut search = Self {
            target: target.0,
            low: 0,
            high: blocks,
            guess: 0,
            left: (64 - blocks.leading_zeros()) + SLACK,
            blocks,
            unused: 64 - u32::from(bits),
            end: blocks,
        };
        search.guess = search.blocks_in(target.0);
        search
    }

    /// Returns the number of blocks that an interval of the value space would hold if the keys were uniform.
    #[inline]
    pub(super) fn blocks_in(&self, stretch: u64) -> u64 {
        ((u128::from(stretch << self.unused) * u128::from(self.blocks)) >> 64) as u64
    }

    /// Returns the block to look at next.
    #[inline]
    pub fn next(&self) -> Guess {
        if self.low >= self.high {
            return Guess::Done;
        }
        let open = self.high - self.low;
        if self.left <= 64 - open.leading_zeros() {
            return Guess::Look(self.low + open / 2);
        }
        Guess::Look(self.guess.clamp(self.low, self.high - 1))
    }

    /// Feeds the key of the block that [`Search::next`] returned.
    #[inline]
    pub fn feed(&mut self, block: u64, key: Permuted) {
        self.left = self.left.saturating_sub(1);
        // Overshooting a little closes the bracket from the other side.
        if key.0 < self.target {
            let away = self.blocks_in(self.target - key.0);
            self.low = block + 1;
            self.guess = block + 1 + away + away / 8;
        } else {
            let away = self.blocks_in(key.0 - self.target);
            self.high = block;
            self.guess = block.saturating_sub(1 + away + away / 8);
        }
    }

    /// Returns the block found, once the search is over: `None` if every key is below the target.
    #[inline]
    pub fn found(&self) -> Option<u64> {
        (self.low < self.end).then_some(self.low)
    }
}

/// Blocks for each slot of a [`Directory`].
const BLOCKS_PER_SLOT: u64 = 8;
/// Maximum number of blocks of a slot that are compared one by one; in a larger slot a search is as fast.
const CROWD: usize = 32;

/// A compact copy of the block index in memory: values with the same top bits share a slot of four bytes, and the next
/// 16 bits of each block key are kept. At ten million fingerprints the directories of ten tables fit in a processor's
/// second-level cache. The keys, four times as large, do not, so each look-up of a key would be a cache miss before the
/// block could be fetched. The directory is not stored in any file.
#[derive(Clone)]
pub struct Directory {
    shift: u32,
    /// For each value of the top bits, the first block whose key is not below it; then the number of blocks.
    first: Box<[u32]>,
    /// For each block, the bits of its key after the top ones.
    residues: Box<[u16]>,
}

/// The result of [`Directory::find`]: the first block whose key is not below a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPosition {
    /// The block, or the number of blocks if every key is below the target.
    pub block: u64,
    /// Approximate key of the block before it.
    pub before: u64,
    /// Key of the block, or a lower bound of it.
    pub key: u64,
}

impl std::fmt::Debug for Directory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Directory").field("slots", &(self.first.len() - 1)).finish_non_exhaustive()
    }
}

impl Directory {
    /// Builds the directory of `blocks` ascending keys of `bits` bits. `None` for more blocks than four bytes can
    /// count, as in a file of 4 TB.
    pub(super) fn new(keys: impl Iterator<Item = Permuted>, blocks: u64, bits: u8) -> Option<Self> {
        let blocks = u32::try_from(blocks).ok()?;
        let slot_bits = (u64::from(blocks) / BLOCKS_PER_SLOT).max(2).next_power_of_two().ilog2().min(u32::from(bits));
        let (slots, shift) = (1usize << slot_bits, u32::from(bits) - slot_bits);
        let mut directory = Self { shift, first: Box::default(), residues: Box::default() };
        let mut first = Vec::with_capacity(slots + 1);
        let mut residues = Vec::with_capacity(blocks as usize);
        for (block, key) in (0..).zip(keys) {
            // This block is the first one for every value of the top bits up to its key's.
            let until = ((key.0 >> shift) as usize).min(slots - 1);
            if first.len() <= until {
                first.resize(until + 1, block);
            }
            residues.push(directory.residue(key.0));
        }
        first.resize(slots + 1, blocks);
        (directory.first, directory.residues) = (first.into_boxed_slice(), residues.into_boxed_slice());
        Some(directory)
    }

    #[inline]
    fn residue(&self, value: u64) -> u16 {
        ((value & ((1 << self.shift) - 1)) >> self.shift.saturating_sub(16)) as u16
    }

    #[inline]
    fn slot(&self, value: u64) -> usize {
        ((value >> self.shift) as usize).min(self.first.len() - 2)
    }

    /// Returns the residues that [`Directory::find`] compares: for prefetching.
    #[inline]
    pub fn slot_of(&self, target: Permuted) -> &[u16] {
        let slot = self.slot(target.0);
        self.residues.get(self.first[slot] as usize..self.first[slot + 1] as usize).unwrap_or_default()
    }

    /// Returns the first block whose key is not below `target`, or `None` if the answer requires the full keys.
    #[inline]
    pub fn find(&self, target: Permuted) -> Option<BlockPosition> {
        let residues = self.slot_of(target);
        if residues.len() > CROWD {
            return None;
        }
        let wanted = self.residue(target.0);
        let below = residues.iter().map(|&residue| u16::from(residue < wanted)).sum::<u16>() as usize;
        if residues.get(below) == Some(&wanted) {
            return None;
        }
        let slot = self.slot(target.0);
        let (low, high) = (self.first[slot] as usize, self.first[slot + 1] as usize);
        let block = low + below;
        // A key beyond the next slot is greater than this bound.
        let key = |block: usize, slot: usize| {
            let residue = u64::from(*self.residues.get(block)?) << self.shift.saturating_sub(16);
            Some((slot as u64) << self.shift | residue)
        };
        let before = match (block.checked_sub(1), slot) {
            (None, _) => Some(0),
            (Some(before), slot) if before >= low => key(before, slot),
            (Some(before), slot) => key(before, slot.saturating_sub(1)),
        };
        let own = key(block, slot + usize::from(block == high));
        Some(BlockPosition { block: block as u64, before: before.unwrap_or(0), key: own.unwrap_or(u64::MAX) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn find(keys: &[u64], target: u64, bits: u8) -> (Option<u64>, u32) {
        let mut search = Search::new(Permuted(target), keys.len() as u64, bits);
        let mut looks = 0;
        while let Guess::Look(block) = search.next() {
            search.feed(block, Permuted(keys[block as usize]));
            looks += 1;
            assert!(looks < 200, "it ends");
        }
        (search.found(), looks)
    }

    fn bound(len: usize) -> u32 {
        usize::BITS - len.leading_zeros() + SLACK
    }

    proptest! {
        #[test]
        fn finds_what_binary_search_finds_and_hardly_slower(
            keys in prop::collection::btree_set((any::<u64>(), 0u32..64), 0..300),
            target in any::<u64>(),
            shift in 0u32..64,
        ) {
            let mut keys: Vec<u64> = keys.into_iter().map(|(key, shift)| key >> shift).collect();
            keys.sort_unstable();
            keys.dedup();
            let mut targets = vec![target >> shift, 0, u64::MAX];
            targets.extend(keys.iter().flat_map(|&key| [key, key.wrapping_add(1), key.wrapping_sub(1)]));
            for target in targets {
                let (found, looks) = find(&keys, target, 64);
                let want = keys.partition_point(|&key| key < target);
                prop_assert_eq!(found, (want < keys.len()).then_some(want as u64));
                prop_assert!(looks <= bound(keys.len()), "{} looks at {} keys", looks, keys.len());
                let permuted = || keys.iter().copied().map(Permuted);
                let directory = Directory::new(permuted(), keys.len() as u64, 64).expect("a few blocks");
                if let Some(found) = directory.find(Permuted(target)) {
                    prop_assert_eq!(found.block, want as u64);
                    prop_assert!(keys.get(want).is_none_or(|&key| found.key <= key), "at most the key");
                }
            }
        }
    }

    #[test]
    fn uniform_keys_take_few_looks_and_clustered_ones_no_more_than_binary_search() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            crate::digest::mix(state)
        };
        let mut keys: Vec<u64> = (0..50_000).map(|_| random()).collect();
        keys.sort_unstable();
        let looks: u32 = (0..1000).map(|_| find(&keys, random(), 64).1).sum();
        assert!(looks < 7_000, "{looks} looks for 1,000 targets");
        let mut keys: Vec<u64> = (0..50_000).map(|_| random() >> 40).collect();
        keys.sort_unstable();
        keys.dedup();
        let targets: Vec<u64> = (0..1000).map(|_| random() >> 40).collect();
        assert!(targets.iter().all(|&target| find(&keys, target, 64).1 <= bound(keys.len())));
    }
}
