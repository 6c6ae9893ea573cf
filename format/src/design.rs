//! The design of schemes: the fewest tables that reach a given minimum prefix, and the longest minimum prefix that a
//! given number of tables allows (Manku 2007, 3.1.2).
//!
//! The paper answers with a recursion over fractional widths, X(f, k, d), which is [`tables_in_theory`]. But groups
//! consist of whole bits: with five groups of 64 bits, a table matches 25.6 bits in theory and 25 in fact. So the
//! search below tries the same choices of levels and tracks the bits that the worst table of the real [`Scheme`]
//! matches.

use std::cmp::Reverse;

use crate::Result;
use crate::scheme::{LEVELS_MAX, Scheme, TABLES_MAX, choices};

/// The levels of a scheme, and the tables and prefix that result (Manku 2007, 3.1.1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Design {
    /// Number of groups of each level, as [`Scheme::new`] takes them.
    pub levels: Vec<u8>,
    /// Number of tables.
    pub tables: usize,
    /// The least prefix of a table, with whole bits.
    pub prefix_min: u8,
}

impl Design {
    /// The design that always exists: one table without a prefix, whose probe reads everything.
    fn everything() -> Self {
        Self { levels: Vec::new(), tables: 1, prefix_min: 0 }
    }

    /// Makes the scheme of this design, given the `bits` and `k` of the search that found it.
    ///
    /// # Errors
    /// Errors of [`Scheme::new`].
    pub fn scheme(&self, bits: u8, k: u8, restart: u16) -> Result<Scheme> {
        Scheme::new(bits, k, &self.levels, restart)
    }
}

/// Returns the Pareto-optimal designs of at most `tables_max` tables: each has a longer prefix than all designs with
/// fewer tables (Manku 2007, 3.1.2, both questions at once).
///
/// They ascend by tables and by prefix. The first is the design without levels, with one table and prefix 0, unless one
/// table matches everything (k = 0). Of equal designs, the one with fewer levels is kept.
pub fn designs(bits: u8, k: u8, tables_max: usize) -> Vec<Design> {
    let mut found = Vec::new();
    let search = DesignSearch { bits, k, tables_max: tables_max.min(TABLES_MAX) };
    search.run(Design::everything(), Rest { least: bits, greatest: bits }, &mut found);
    found.sort_by_key(|design| (design.tables, Reverse(design.prefix_min), design.levels.len()));
    let mut longest = None;
    found.retain(|design| {
        let longer = longest < Some(design.prefix_min);
        longest = longest.max(Some(design.prefix_min));
        longer
    });
    found
}

/// Returns the design of the fewest tables that all match at least `prefix_min` bits: X(f, k, d) of the
/// paper, with whole bits (Manku 2007, 3.1.2).
///
/// `None` if no scheme of at most 512 tables has a prefix of that length: with k > 0 some bits are always left
/// after it.
pub fn fewest_tables(bits: u8, k: u8, prefix_min: u8) -> Option<Design> {
    designs(bits, k, TABLES_MAX).into_iter().find(|design| design.prefix_min >= prefix_min)
}

/// Returns the design of at most `tables_max` tables (at least one) whose least prefix is the greatest, and of these
/// the one with the fewest tables: the inverse question (Manku 2007, 3.1.2).
pub fn greatest_prefix(bits: u8, k: u8, tables_max: usize) -> Design {
    designs(bits, k, tables_max).pop().unwrap_or_else(Design::everything)
}

/// Returns the number of tables by the paper's own recursion, in fractions of bits (Manku 2007, 3.1.2):
/// X(f, k, d) is 1 if d <= tau, and else the least C(r, k) X(f k / r, k, d - (r - k) f / r) of all r > k.
///
/// `d` is the logarithm of the number of fingerprints, and tau = d - `prefix_min` with this outermost d: the
/// recursion stops when the bits matched reach `prefix_min`. (The paper's strict '<' would require more.) `None` if
/// no design within the limits of a [`Scheme`] reaches it.
pub fn tables_in_theory(bits: u8, k: u8, d: f64, prefix_min: f64) -> Option<usize> {
    fewest(f64::from(bits), k, d, d - prefix_min, TABLES_MAX, LEVELS_MAX)
}

fn fewest(bits: f64, k: u8, d: f64, tau: f64, tables_max: usize, levels: usize) -> Option<usize> {
    // Thirds and fifths of a bit do not add up exactly.
    const SLACK: f64 = 1e-9;
    if d <= tau + SLACK {
        return Some(1);
    }
    let (levels, most) = (levels.checked_sub(1)?, (bits + SLACK) as u8);
    (k.saturating_add(1)..=most)
        .map(|groups| (f64::from(groups), choices(groups.into(), k.into())))
        .take_while(|&(_, tables)| tables <= tables_max)
        .filter_map(|(groups, tables)| {
            let rest = bits * f64::from(k) / groups;
            Some(tables * fewest(rest, k, d - (bits - rest), tau, tables_max / tables, levels)?)
        })
        .min()
}

/// The number of bits left after the prefix, over all tables: the least and the greatest.
#[derive(Clone, Copy)]
struct Rest {
    least: u8,
    greatest: u8,
}

impl Rest {
    /// Returns the number of bits left after one more level. The level cuts the bits into `groups` groups, as equal as
    /// whole bits allow, of which the k narrowest (or the k widest) remain. Both results grow with the number of bits
    /// that are cut, so the least rest comes from the least number of bits, and the greatest from the greatest.
    fn cut(self, groups: u8, k: u8) -> Self {
        let narrow = |bits: u8| k * (bits / groups);
        Self {
            least: narrow(self.least) + (self.least % groups).saturating_sub(groups - k),
            greatest: narrow(self.greatest) + (self.greatest % groups).min(k),
        }
    }
}

/// The search through all lists of levels.
struct DesignSearch {
    bits: u8,
    k: u8,
    tables_max: usize,
}

impl DesignSearch {
    /// Appends `design`, which leaves `rest`, and all designs that begin with its levels.
    fn run(&self, design: Design, rest: Rest, found: &mut Vec<Design>) {
        for groups in self.k.saturating_add(1)..=rest.least {
            let tables = design.tables.saturating_mul(choices(groups.into(), self.k.into()));
            // More groups make more tables.
            if tables > self.tables_max || design.levels.len() == LEVELS_MAX {
                break;
            }
            let rest = rest.cut(groups, self.k);
            let levels = [&design.levels[..], &[groups]].concat();
            self.run(Design { levels, tables, prefix_min: self.bits - rest.greatest }, rest, found);
        }
        found.push(design);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::permutation::Table;
    use crate::scheme::K_MAX;

    fn every_bits_and_k() -> impl Iterator<Item = (u8, u8)> {
        (8..=64).flat_map(|bits| (0..=K_MAX.min(bits - 1)).map(move |k| (bits, k)))
    }

    fn prefix_masks(scheme: &Scheme) -> Vec<u64> {
        scheme.tables().iter().map(Table::prefix_mask).collect()
    }

    /// Returns a mask of at most `left` bits of `allowed` that no table catches, if there is one: a mask with a bit
    /// in the prefix of each table.
    fn escape(prefixes: &[u64], allowed: u64, left: u8) -> Option<u64> {
        let allowed_of = |prefix: &u64| prefix & allowed;
        let Some(narrowest) = prefixes.iter().map(allowed_of).min_by_key(|prefix| prefix.count_ones()) else {
            return Some(0);
        };
        // Prefixes without a common bit each take one bit of the mask.
        let (mut seen, mut apart) = (0, 0);
        for prefix in prefixes.iter().map(allowed_of).filter(|&prefix| prefix != 0) {
            if prefix & seen == 0 {
                (seen, apart) = (seen | prefix, apart + 1);
            }
        }
        if apart > left {
            return None;
        }
        let mut allowed = allowed;
        (0..64).map(|position| 1 << position).filter(|bit| narrowest & bit != 0).find_map(|bit| {
            allowed &= !bit;
            let missed: Vec<u64> = prefixes.iter().copied().filter(|prefix| prefix & bit == 0).collect();
            Some(bit | escape(&missed, allowed, left.checked_sub(1)?)?)
        })
    }

    /// Like [`escape`], for all masks of at most `k` of `bits` bits. Positions in the prefixes of the same tables
    /// have the same effect, so one of them stands for all.
    fn uncaught(prefixes: &[u64], bits: u8, k: u8) -> Option<u64> {
        let mut kinds = BTreeSet::new();
        let mut is_new = |position: &u8| kinds.insert(prefixes.iter().map(|p| p >> position & 1).collect::<Vec<_>>());
        let spokesmen = (0..bits).filter(|position| is_new(position)).fold(0, |all, position| all | 1 << position);
        escape(prefixes, spokesmen, k)
    }

    /// Every mask of at most `k` of `bits` bits, the empty one first.
    fn masks(bits: u8, k: u8) -> Vec<u64> {
        let (mut all, mut from) = (vec![0u64], 0);
        for _ in 0..k {
            let until = all.len();
            for index in from..until {
                let (mask, above) = (all[index], (64 - all[index].leading_zeros()) as u8);
                all.extend((above..bits).map(|position| mask | 1 << position));
            }
            from = until;
        }
        all
    }

    #[test]
    fn the_paper_has_four_designs_for_64_bits_and_three_differences() {
        for (prefix, tables, levels) in [(16, 4, &[4][..]), (25, 10, &[5]), (28, 16, &[4, 4]), (31, 20, &[6])] {
            let design = Design { levels: levels.to_vec(), tables, prefix_min: prefix };
            assert_eq!(fewest_tables(64, 3, prefix), Some(design.clone()));
            assert_eq!(greatest_prefix(64, 3, tables), design);
            assert_eq!(tables_in_theory(64, 3, 34.0, f64::from(prefix)), Some(tables));
        }
        assert_eq!(greatest_prefix(64, 3, 3), Design::everything());
    }

    #[test]
    fn theory_has_fractions_of_bits_that_no_table_has() {
        // Five groups: 2 of 12.8 bits in theory, 13 + 12 in fact. Six: 3 of 10.67, and 11 + 10 + 10.
        for (prefix, theory, fact) in [(25.6, 10, 16), (26.0, 16, 16), (32.0, 20, 35), (36.5, 35, 56)] {
            assert_eq!(tables_in_theory(64, 3, 34.0, prefix), Some(theory), "{prefix}");
            assert_eq!(tables_in_theory(64, 3, 23.5, prefix), Some(theory), "d cancels out: {prefix}");
            assert_eq!(fewest_tables(64, 3, prefix.ceil() as u8).map(|design| design.tables), Some(fact), "{prefix}");
        }
        for (bits, k) in [(8, 7), (13, 2), (24, 1), (32, 0), (48, 5), (63, 4), (64, 3)] {
            for design in designs(bits, k, TABLES_MAX) {
                let theory = tables_in_theory(bits, k, 40.0, f64::from(design.prefix_min));
                assert!(theory.is_some_and(|tables| tables <= design.tables), "f={bits} k={k} {design:?} {theory:?}");
            }
        }
    }

    #[test]
    fn every_width_and_distance_has_a_front_of_designs_that_are_what_they_say() {
        for (bits, k) in every_bits_and_k() {
            let front = designs(bits, k, TABLES_MAX);
            assert_eq!(front[0].tables, 1);
            assert!(front.is_sorted_by(|a, b| a.tables < b.tables && a.prefix_min < b.prefix_min));
            for design in &front {
                let scheme = design.scheme(bits, k, 32).expect("a scheme within the limits");
                assert_eq!((scheme.tables().len(), scheme.prefix_min()), (design.tables, design.prefix_min));
                assert_eq!(fewest_tables(bits, k, design.prefix_min).as_ref(), Some(design));
                assert_eq!(&greatest_prefix(bits, k, design.tables), design);
            }
            assert_eq!(greatest_prefix(bits, k, 0).tables, 1);
            assert_eq!(fewest_tables(bits, k, bits).is_some(), k == 0, "f={bits} k={k}");
        }
    }

    #[test]
    fn no_list_of_levels_is_better_than_the_front() {
        for bits in [8, 9, 13, 16] {
            for k in 0..=K_MAX.min(bits - 1) {
                let front = designs(bits, k, TABLES_MAX);
                let mut lists = vec![vec![]];
                while let Some(levels) = lists.pop() {
                    let Ok(scheme) = Scheme::new(bits, k, &levels, 0) else { continue };
                    let (tables, prefix) = (scheme.tables().len(), scheme.prefix_min());
                    let as_good = |design: &Design| design.tables <= tables && design.prefix_min >= prefix;
                    assert!(front.iter().any(as_good), "f={bits} k={k} {levels:?}");
                    lists.extend((k + 1..=bits).map(|groups| [&levels[..], &[groups]].concat()));
                }
            }
        }
    }

    /// The exhaustive proof, for every mask of at most k bits at every width and distance: a mask that
    /// escapes all tables has a bit in each prefix, and `escape` looks for one to the end. (The masks
    /// themselves are up to 700 million.)
    #[test]
    fn every_mask_is_caught_by_every_design_of_every_front() {
        for (bits, k) in every_bits_and_k() {
            for design in designs(bits, k, TABLES_MAX) {
                let scheme = design.scheme(bits, k, 0).expect("a scheme within the limits");
                assert_eq!(uncaught(&prefix_masks(&scheme), bits, k), None, "f={bits} k={k} {design:?}");
            }
        }
    }

    #[test]
    fn masks_taken_one_by_one_are_caught_too() {
        assert_eq!(masks(64, 3).len(), 1 + 43_744);
        for (bits, k) in [8, 9, 16, 24, 32, 48, 64].into_iter().flat_map(|bits| (0..=K_MAX).map(move |k| (bits, k))) {
            let combinations = (0..k).fold(1u64, |c, i| c * u64::from(bits - i) / u64::from(i + 1));
            if combinations > 50_000 {
                continue;
            }
            let masks = masks(bits, k);
            for design in designs(bits, k, 64) {
                let prefixes = prefix_masks(&design.scheme(bits, k, 0).expect("a scheme within the limits"));
                let caught = |mask: &u64| prefixes.iter().any(|prefix| prefix & mask == 0);
                assert!(masks.iter().all(caught), "f={bits} k={k} {design:?}");
            }
        }
    }

    #[test]
    fn without_any_one_of_its_tables_a_design_misses_a_mask() {
        for design in designs(64, 3, 64).iter().filter(|design| design.tables > 1) {
            let prefixes = prefix_masks(&design.scheme(64, 3, 0).expect("a scheme"));
            for without in 0..prefixes.len() {
                let others = [&prefixes[..without], &prefixes[without + 1..]].concat();
                let mask = uncaught(&others, 64, 3).expect("a mask that only this table catches");
                assert!(mask.count_ones() <= 3, "{mask:x}");
                assert!(others.iter().all(|prefix| prefix & mask != 0) && prefixes[without] & mask == 0);
            }
        }
    }
}
