//! Groups of fingerprints with equal leading bits, and the pairs in them.

use nddb_format::Fingerprint;
use nddb_format::design::fewest_tables;
use nddb_format::fingerprint::low_mask;
use nddb_format::permutation::Table;
use nddb_format::scheme::Scheme;

use crate::Result;
use crate::within::Within;

/// Maximum number of members of a group that are compared pairwise.
const PLAIN_LEN: usize = 128;
/// Width in bits below which a group is compared pairwise whatever its size.
const PLAIN_BITS: u8 = 10;

/// Receives pairs of fingerprints.
type Emit<'a> = dyn FnMut(u64, u64) -> Result<()> + 'a;

/// The current group of a pass over a table: values with the same leading bits.
pub(crate) struct PrefixGroup<'a> {
    table: &'a Table,
    k: u32,
    /// Mask of the bits after the prefix.
    free: u64,
    /// Prefix masks of the tables before this one, in the bit order of this table.
    earlier: Vec<u64>,
    values: Vec<u64>,
}

impl<'a> PrefixGroup<'a> {
    /// Returns an empty group for the table `ordinal` of a scheme.
    pub(crate) fn new(scheme: &'a Scheme, ordinal: usize, within: Within) -> Self {
        let table = &scheme.tables()[ordinal];
        let free = low_mask(table.bits() - table.prefix());
        Self { table, k: within.0.into(), free, earlier: earlier(scheme, ordinal), values: Vec::new() }
    }

    /// Adds the next values, ascending.
    pub(crate) fn push(&mut self, values: &[u64], emit: &mut Emit<'_>) -> Result<()> {
        for &value in values {
            if self.values.first().is_some_and(|first| (first ^ value) & !self.free != 0) {
                self.finish(emit)?;
            }
            self.values.push(value);
        }
        Ok(())
    }

    /// Ends a group.
    pub(crate) fn finish(&mut self, emit: &mut Emit<'_>) -> Result<()> {
        if self.values.len() > 1 {
            let (table, earlier) = (self.table, &self.earlier);
            let natural = |value| table.unpermute(nddb_format::Permuted(value)).0;
            join(&self.values, self.free.count_ones() as u8, self.k, &mut |a, b| {
                if is_first(earlier, a ^ b) { emit(natural(a), natural(b)) } else { Ok(()) }
            })?;
        }
        self.values.clear();
        Ok(())
    }
}

/// Returns the prefix masks of the tables before this one, in the bit order of this table.
fn earlier(scheme: &Scheme, ordinal: usize) -> Vec<u64> {
    let table = &scheme.tables()[ordinal];
    let prefixes = scheme.tables()[..ordinal].iter().map(Table::prefix_mask);
    prefixes.map(|mask| table.permute(Fingerprint(mask)).0).collect()
}

/// Returns whether no earlier table finds a pair that differs in these bits.
#[inline]
fn is_first(earlier: &[u64], different: u64) -> bool {
    earlier.iter().all(|mask| mask & different != 0)
}

/// Finds the pairs within k bits among distinct values that differ only in their lowest `bits` bits.
///
/// A few values are compared pairwise. For many, separate tables are built over the bits in which they differ, so that
/// clusters of fingerprints, such as pages of one template, cost little more than others.
fn join(values: &[u64], bits: u8, k: u32, emit: &mut Emit<'_>) -> Result<()> {
    let scheme = if values.len() <= PLAIN_LEN || bits < PLAIN_BITS { None } else { scheme(values.len(), bits, k) };
    let Some(scheme) = scheme else {
        for (index, &a) in values.iter().enumerate() {
            for &b in &values[index + 1..] {
                if (a ^ b).count_ones() <= k {
                    emit(a, b)?;
                }
            }
        }
        return Ok(());
    };
    let low = low_mask(bits);
    let high = values.first().map_or(0, |value| value & !low);
    for (ordinal, table) in scheme.tables().iter().enumerate() {
        let mut permuted: Vec<u64> = values.iter().map(|value| table.permute(Fingerprint(value & low)).0).collect();
        permuted.sort_unstable();
        let earlier = earlier(&scheme, ordinal);
        let rest = bits - table.prefix();
        let natural = |value| high | table.unpermute(nddb_format::Permuted(value)).0;
        for group in permuted.chunk_by(|a, b| (a ^ b) & !low_mask(rest) == 0).filter(|group| group.len() > 1) {
            join(group, rest, k, &mut |a, b| {
                if is_first(&earlier, a ^ b) { emit(natural(a), natural(b)) } else { Ok(()) }
            })?;
        }
    }
    Ok(())
}

/// Returns a scheme whose tables leave groups of a few dozen values, if there is one.
fn scheme(len: usize, bits: u8, k: u32) -> Option<Scheme> {
    let wanted = (len.ilog2() as u8).saturating_sub(5).clamp(1, bits / 2);
    let k = k as u8;
    let design = (1..=wanted).rev().find_map(|prefix| fewest_tables(bits, k, prefix).filter(|it| it.tables <= 64))?;
    design.scheme(bits, k, 0).ok().filter(|scheme| scheme.prefix_min() > 0)
}
