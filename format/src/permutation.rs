//! Permutations that move whole groups of bits (Manku 2007, 3.1; SPEC 4.1 and 4.2).

use crate::fingerprint::{Fingerprint, Permuted, check_bits, low_mask};
use crate::{FormatError, Result};

/// Neighbouring bit positions `low .. low + width` that a permutation moves together (the paper's
/// 'block' of bits).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitGroup {
    /// Lowest bit position of the group in a fingerprint.
    pub low: u8,
    /// Number of bits, at least 1.
    pub width: u8,
}

/// One table T of the paper: a permutation of the `bits` bit positions and the number `prefix` of top
/// bits that must match.
///
/// The groups are in the order of the permuted fingerprint, most significant first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    bits: u8,
    prefix: u8,
    groups: Vec<BitGroup>,
    /// The prefix in natural order.
    prefix_mask: u64,
    /// For each group, its bits in a fingerprint and the distance by which they are rotated to the left: three
    /// instructions per group (measured: a third of the time of shifting the groups in one by one).
    turns: Vec<(u64, u32)>,
}

impl Table {
    /// Makes a table from its groups, joining neighbours that stay side by side.
    ///
    /// # Errors
    /// [`FormatError::Scheme`] unless the groups hold each of the `bits` positions exactly once and
    /// `prefix` is at most `bits`.
    pub fn new(bits: u8, prefix: u8, groups: &[BitGroup]) -> Result<Self> {
        check_bits(bits)?;
        if prefix > bits {
            return Err(FormatError::Scheme { rule: "a prefix is at most as wide as the fingerprint" });
        }
        let mut seen = 0u64;
        let mut joined: Vec<BitGroup> = Vec::with_capacity(groups.len().min(64));
        for &group in groups {
            let end = u32::from(group.low) + u32::from(group.width);
            if group.width == 0 || end > u32::from(bits) {
                return Err(FormatError::Scheme { rule: "a bit group lies within the fingerprint" });
            }
            let mask = low_mask(group.width) << group.low;
            if seen & mask != 0 {
                return Err(FormatError::Scheme { rule: "bit groups do not overlap" });
            }
            seen |= mask;
            match joined.last_mut() {
                Some(last) if last.low == group.low + group.width => {
                    *last = BitGroup { low: group.low, width: last.width + group.width };
                }
                _ => joined.push(group),
            }
        }
        if seen != low_mask(bits) {
            return Err(FormatError::Scheme { rule: "bit groups cover the fingerprint" });
        }
        let mut position = u32::from(bits);
        let turns = joined.iter().map(|group| {
            position -= u32::from(group.width);
            (low_mask(group.width) << group.low, (64 + position - u32::from(group.low)) % 64)
        });
        let turns = turns.collect();
        let mut table = Self { bits, prefix, groups: joined, prefix_mask: 0, turns };
        table.prefix_mask = table.unpermute(Permuted(low_mask(bits) & !low_mask(bits - prefix))).0;
        Ok(table)
    }

    /// Width of a fingerprint, in bits.
    pub fn bits(&self) -> u8 {
        self.bits
    }

    /// Number of top bits that a probe matches exactly (p of the paper).
    pub fn prefix(&self) -> u8 {
        self.prefix
    }

    /// The bit groups, most significant first.
    pub fn groups(&self) -> &[BitGroup] {
        &self.groups
    }

    /// Returns whether the permutation moves no bit.
    pub fn is_identity(&self) -> bool {
        self.groups.len() == 1
    }

    /// Permutes a fingerprint into the bit order of this table.
    #[inline]
    pub fn permute(&self, fingerprint: Fingerprint) -> Permuted {
        let turned = self.turns.iter().map(|&(mask, turn)| (fingerprint.0 & mask).rotate_left(turn));
        Permuted(turned.fold(0, |permuted, group| permuted | group))
    }

    /// Restores the natural bit order of a permuted fingerprint.
    #[inline]
    pub fn unpermute(&self, permuted: Permuted) -> Fingerprint {
        let turned = self.turns.iter().map(|&(mask, turn)| permuted.0.rotate_right(turn) & mask);
        Fingerprint(turned.fold(0, |fingerprint, group| fingerprint | group))
    }

    /// Returns the least and the greatest permuted fingerprint that share the top `prefix` bits.
    #[inline]
    pub fn range(&self, permuted: Permuted) -> (Permuted, Permuted) {
        let free = low_mask(self.bits - self.prefix);
        (Permuted(permuted.0 & !free), Permuted(permuted.0 | free))
    }

    /// Returns the mask, in natural order, of the bits that must match.
    #[inline]
    pub fn prefix_mask(&self) -> u64 {
        self.prefix_mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_must_partition_the_fingerprint() {
        let group = |low, width| BitGroup { low, width };
        assert!(Table::new(64, 16, &[group(48, 16), group(0, 48)]).is_ok());
        for (prefix, groups) in [
            (16, vec![group(48, 16)]),
            (16, vec![group(48, 16), group(0, 49)]),
            (16, vec![group(48, 17), group(0, 47)]),
            (65, vec![group(0, 64)]),
            (1, vec![group(0, 0), group(0, 64)]),
            (1, vec![]),
        ] {
            assert!(matches!(Table::new(64, prefix, &groups), Err(FormatError::Scheme { .. })), "{groups:?}");
        }
    }

    #[test]
    fn permuting_moves_groups_and_back() {
        let table = Table::new(
            64,
            28,
            &[
                BitGroup { low: 32, width: 16 },
                BitGroup { low: 0, width: 12 },
                BitGroup { low: 48, width: 16 },
                BitGroup { low: 12, width: 20 },
            ],
        )
        .expect("a partition");
        let print = Fingerprint(0x0123_4567_89ab_cdef);
        let permuted = table.permute(print);
        assert_eq!(permuted.0, 0x4567_def0_1238_9abc);
        assert_eq!(table.unpermute(permuted), print);
        assert_eq!(table.prefix_mask(), 0x0000_ffff_0000_0fff);
        let (low, high) = table.range(permuted);
        assert_eq!((low.0, high.0), (0x4567_def0_0000_0000, 0x4567_deff_ffff_ffff));
    }

    #[test]
    fn neighbouring_groups_are_joined() {
        let table =
            Table::new(8, 4, &[BitGroup { low: 4, width: 4 }, BitGroup { low: 0, width: 4 }]).expect("a partition");
        assert!(table.is_identity());
        assert_eq!(table.permute(Fingerprint(0xa5)).0, 0xa5);
        assert_eq!(table.range(Permuted(0xa5)), (Permuted(0xa0), Permuted(0xaf)));
    }
}
