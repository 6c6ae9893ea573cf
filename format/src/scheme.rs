//! Schemes: the t tables that together find every fingerprint within k bits (Manku 2007, 3.1; SPEC 4.3).

use crate::fingerprint::check_bits;
use crate::permutation::{BitGroup, Table};
use crate::{FormatError, Result};

/// Greatest k of a database.
pub const K_MAX: u8 = 7;
/// Maximum number of tables of a scheme.
pub const TABLES_MAX: usize = 512;
/// Maximum number of levels of a design.
pub const LEVELS_MAX: usize = 4;
/// Largest restart interval: with 0, the paper's plain layout.
pub const RESTART_MAX: u16 = 4096;

/// A set of tables such that any two fingerprints within `k` bits agree on the prefix of some table.
///
/// A scheme is named by its *levels*: level r cuts the remaining bits into r groups, as equal as whole bits allow and
/// the wider ones first, and makes a table for every choice of r - k of them; the bits of the other k groups remain for
/// the next level. Any k differing bits are in at most k groups of each level, so some table has all of them after its
/// prefix.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scheme {
    bits: u8,
    k: u8,
    restart: u16,
    levels: Vec<u8>,
    tables: Vec<Table>,
    /// For each level, the masks of the groups of every part that it cuts.
    groups: Vec<Vec<u64>>,
}

impl Scheme {
    /// Makes the scheme of `levels` for `bits`-bit fingerprints and distances up to `k`, with a restart
    /// point at every `restart`-th entry of a block (0: none).
    ///
    /// Without levels, the scheme is one table without a prefix: every probe reads everything.
    ///
    /// # Errors
    /// [`FormatError::Scheme`] if a parameter is out of range, a level has no more than k groups or
    /// more groups than bits, or there would be more than 512 tables.
    pub fn new(bits: u8, k: u8, levels: &[u8], restart: u16) -> Result<Self> {
        check_bits(bits)?;
        let refuse = |rule| Err(FormatError::Scheme { rule });
        if k > K_MAX || k >= bits {
            return refuse("k is at most 7 and less than the bits of a fingerprint");
        }
        if restart > RESTART_MAX || restart == 1 {
            return refuse("the restart interval is 0 or 2 to 4096");
        }
        if levels.len() > LEVELS_MAX {
            return refuse("a scheme has at most 4 levels");
        }
        let everything = Split { chosen: Vec::new(), prefix: 0, rest: (0..bits).rev().collect() };
        let (mut parts, mut masks) = (vec![everything], Vec::new());
        for &groups in levels {
            if groups <= k {
                return refuse("a level has more than k groups");
            }
            let (mut next, mut of_level) = (Vec::new(), Vec::new());
            for part in &parts {
                if usize::from(groups) > part.rest.len() {
                    return refuse("a level has no more groups than bits are left");
                }
                let cut = part.cut(groups);
                part.split(&cut, k, &mut next)?;
                let mask = |group: &&[u8]| group.iter().fold(0, |mask, position| mask | 1 << position);
                of_level.extend(cut.iter().map(mask));
            }
            masks.push(of_level);
            parts = next;
        }
        let tables = parts.iter().map(|part| part.table(bits)).collect::<Result<Vec<_>>>()?;
        Ok(Self { bits, k, restart, levels: levels.to_vec(), tables, groups: masks })
    }

    /// Width of a fingerprint, in bits (f of the paper).
    pub fn bits(&self) -> u8 {
        self.bits
    }

    /// The greatest distance that probes of this scheme answer completely.
    pub fn k(&self) -> u8 {
        self.k
    }

    /// Restart interval R of the blocks; 0 for the paper's plain layout.
    pub fn restart(&self) -> u16 {
        self.restart
    }

    /// Number of groups of each level.
    pub fn levels(&self) -> &[u8] {
        &self.levels
    }

    /// The tables. Table 0 moves no bit.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// The least prefix of a table.
    pub fn prefix_min(&self) -> u8 {
        self.tables.iter().map(Table::prefix).min().unwrap_or(0)
    }

    /// Returns the masks of the groups into which a level cuts one of the parts that the levels before it leave, in
    /// natural bit order. [`Scheme::part_of`] numbers the parts; after the last level they are the tables.
    #[inline]
    pub fn groups(&self, level: usize, part: usize) -> &[u64] {
        let groups = usize::from(self.levels[level]);
        &self.groups[level][part * groups..(part + 1) * groups]
    }

    /// Returns the table to which fingerprints that differ in these bits belong: at each level, its prefix has the
    /// groups with the fewest of these bits; of groups with equally many, the first ones. So if at most k bits differ,
    /// none of them is in its prefix.
    pub fn table_of(&self, difference: u64) -> usize {
        (0..self.levels.len()).fold(0, |part, level| {
            let masks = self.groups(level, part);
            let mut order: Vec<(u32, usize)> =
                masks.iter().enumerate().map(|(group, mask)| ((mask & difference).count_ones(), group)).collect();
            order.sort_unstable();
            let mut chosen: Vec<usize> = order[..masks.len() - usize::from(self.k)].iter().map(|one| one.1).collect();
            chosen.sort_unstable();
            self.part_of(level, part, &chosen)
        })
    }

    /// Returns the part that is left if a level cuts `part` and these groups of it are chosen, ascending.
    pub fn part_of(&self, level: usize, part: usize, chosen: &[usize]) -> usize {
        let (groups, mut left) = (usize::from(self.levels[level]), chosen.len());
        let mut choice = part * choices(groups, left);
        for group in 0..groups {
            if left > 0 && chosen[chosen.len() - left] == group {
                left -= 1;
            } else if left > 0 {
                // All choices that have this group come first.
                choice += choices(groups - group - 1, left - 1);
            }
        }
        choice
    }
}

/// Returns the number of ways to choose `chosen` of `groups` groups.
pub fn choices(groups: usize, chosen: usize) -> usize {
    (0..chosen.min(groups - chosen)).fold(1usize, |c, i| c.saturating_mul(groups - i) / (i + 1))
}

/// A table under construction: bit positions, most significant first.
struct Split {
    chosen: Vec<u8>,
    prefix: u8,
    rest: Vec<u8>,
}

impl Split {
    /// Cuts the remaining bits into groups.
    fn cut(&self, groups: u8) -> Vec<&[u8]> {
        let groups = usize::from(groups);
        let (width, wider) = (self.rest.len() / groups, self.rest.len() % groups);
        let (wide, narrow) = self.rest.split_at(wider * (width + 1));
        wide.chunks(width + 1).chain(narrow.chunks(width)).collect()
    }

    /// Appends a split for every choice of all but `k` of these groups, the choices in lexicographic order (so the
    /// first chooses the topmost groups and moves nothing).
    fn split(&self, cut: &[&[u8]], k: u8, out: &mut Vec<Split>) -> Result<()> {
        let (groups, choose) = (cut.len(), cut.len() - usize::from(k));
        let mut choice: Vec<usize> = (0..choose).collect();
        loop {
            let mut chosen = self.chosen.clone();
            let mut rest = Vec::new();
            for (group, bits) in cut.iter().enumerate() {
                if choice.contains(&group) { chosen.extend(*bits) } else { rest.extend(*bits) }
            }
            let prefix = u8::try_from(chosen.len()).unwrap_or(u8::MAX);
            out.push(Split { chosen, prefix, rest });
            if out.len() > TABLES_MAX {
                return Err(FormatError::Scheme { rule: "a scheme has at most 512 tables" });
            }
            // The next choice: advance the last group that can still move, restart those after it.
            let Some(last) = (0..choose).rev().find(|&last| choice[last] < groups - choose + last) else {
                return Ok(());
            };
            choice[last] += 1;
            for later in last + 1..choose {
                choice[later] = choice[later - 1] + 1;
            }
        }
    }

    fn table(&self, bits: u8) -> Result<Table> {
        let order: Vec<BitGroup> =
            self.chosen.iter().chain(&self.rest).map(|&position| BitGroup { low: position, width: 1 }).collect();
        Table::new(bits, self.prefix, &order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standard(levels: &[u8]) -> Scheme {
        Scheme::new(64, 3, levels, 32).expect("a standard scheme")
    }

    /// Every non-empty mask of at most `k` of `bits` bits.
    fn masks(bits: u8, k: u8) -> Vec<u64> {
        let mut all: Vec<u64> = vec![0];
        let mut from = 0;
        for _ in 0..k {
            let until = all.len();
            for index in from..until {
                let mask = all[index];
                let start = (64 - mask.leading_zeros()) as u8;
                all.extend((start..bits).map(|position| mask | 1 << position));
            }
            from = until;
        }
        all.split_off(1)
    }

    #[test]
    fn the_four_designs_of_the_paper_have_its_tables_and_prefixes() {
        for (levels, tables, least, greatest) in
            [(&[6][..], 20, 31, 33), (&[4, 4], 16, 28, 28), (&[5], 10, 25, 26), (&[4], 4, 16, 16)]
        {
            let scheme = standard(levels);
            assert_eq!(scheme.tables().len(), tables);
            assert_eq!(scheme.prefix_min(), least);
            assert_eq!(scheme.tables().iter().map(Table::prefix).max(), Some(greatest));
            assert!(scheme.tables()[0].is_identity());
        }
    }

    /// Returns whether the prefix of the table to which these bits belong has none of them.
    fn catches(scheme: &Scheme, mask: u64) -> bool {
        let first = scheme.tables().iter().position(|table| table.prefix_mask() & mask == 0);
        first.is_some_and(|first| scheme.table_of(mask) == first)
    }

    #[test]
    fn every_mask_of_at_most_three_bits_is_caught_by_each_standard_scheme() {
        let masks = masks(64, 3);
        assert_eq!(masks.len(), 43_744);
        for levels in [&[6][..], &[4, 4], &[5], &[4], &[]] {
            let scheme = standard(levels);
            let missed: Vec<_> = masks.iter().filter(|&&mask| !catches(&scheme, mask)).collect();
            assert!(missed.is_empty(), "{levels:?} misses {missed:x?}");
        }
    }

    #[test]
    fn every_mask_is_caught_for_small_fingerprints() {
        for bits in [8u8, 9, 13, 16] {
            for k in 0..=K_MAX.min(bits - 1) {
                let masks = masks(bits, k);
                for groups in k + 1..=(k + 3).min(bits) {
                    let scheme = Scheme::new(bits, k, &[groups], 0).expect("enough bits");
                    assert!(masks.iter().all(|&mask| catches(&scheme, mask)), "f={bits} k={k} groups={groups}");
                    assert!(scheme.tables()[0].is_identity());
                }
            }
        }
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        for (bits, k, levels, restart) in [
            (7, 3, &[4][..], 0),
            (65, 3, &[4], 0),
            (64, 8, &[9], 0),
            (8, 7, &[9], 0),
            (64, 3, &[3], 0),
            (64, 3, &[4, 4, 4, 4, 4], 0),
            (64, 3, &[4], 1),
            (64, 3, &[4], 4097),
            (64, 7, &[64], 0),
        ] {
            assert!(Scheme::new(bits, k, levels, restart).is_err(), "{bits} {k} {levels:?} {restart}");
        }
    }
}
