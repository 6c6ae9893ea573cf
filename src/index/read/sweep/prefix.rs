//! A table of the queries (Manku 2007, 3.3): finds the queries that share a prefix with a stored fingerprint.

use nddb_format::fingerprint::low_mask;
use nddb_format::permutation::Table;

/// Bits of the bitmap per query, as a power of two: at most one in 64 stored fingerprints whose prefix no query shares
/// passes.
const SPARSENESS: u32 = 6;

/// Maximum number of bits of a key.
const KEY_BITS_MAX: u32 = 32;

/// Neighbouring bits of a fingerprint that become part of a key.
#[derive(Clone, Copy, Debug)]
struct BitRange {
    down: u32,
    mask: u64,
}

impl BitRange {
    #[inline(always)]
    fn of(self, value: u64) -> u64 {
        value >> self.down & self.mask
    }
}

/// The values that are looked up together, with intermediate results.
#[derive(Debug)]
pub(crate) struct Scratch {
    keys: Vec<u32>,
    kept: Vec<u32>,
    cells: Vec<(u32, u32)>,
}

impl Scratch {
    /// Returns memory for up to `len` values at a time.
    pub(crate) fn new(len: usize) -> Self {
        Self { keys: vec![0; len], kept: vec![0; len], cells: vec![(0, 0); len] }
    }
}

/// A table T of the paper over the queries. A *key* is the prefix of a fingerprint, cut to enough bits to
/// distinguish the queries. A bitmap contains the keys that occur; *cells*, ranges of the key space with about one
/// query each, give the queries.
#[derive(Debug)]
pub(crate) struct Prefix {
    /// Mask of the whole prefix in the fingerprint.
    mask: u64,
    parts: Vec<BitRange>,
    bitmap: Vec<u64>,
    cell_shift: u32,
    /// Index of the first query of each cell, then the end.
    cells: Vec<u32>,
    queries: Vec<u64>,
}

impl Prefix {
    /// Builds the table of distinct queries.
    pub(crate) fn new(table: &Table, queries: &[u64]) -> Self {
        let len_bits = queries.len().next_power_of_two().trailing_zeros();
        let bits = key_bits(table.prefix().into(), queries.len());
        let cell_bits = bits.min(len_bits);
        let mut prefix = Self {
            mask: table.prefix_mask(),
            parts: parts(table, bits),
            bitmap: vec![0; 1 << bits.saturating_sub(6)],
            cell_shift: bits - cell_bits,
            cells: vec![0; (1 << cell_bits) + 1],
            queries: vec![0; queries.len()],
        };
        for &query in queries {
            let key = prefix.key(query);
            prefix.bitmap[(key >> 6) as usize] |= 1 << (key & 63);
            prefix.cells[(key >> prefix.cell_shift) as usize] += 1;
        }
        // Counts become ends; filling each cell from its end leaves the starts.
        let mut end = 0;
        for cell in &mut prefix.cells {
            end += *cell;
            *cell = end;
        }
        for &query in queries.iter().rev() {
            let cell = (prefix.key(query) >> prefix.cell_shift) as usize;
            prefix.cells[cell] -= 1;
            prefix.queries[prefix.cells[cell] as usize] = query;
        }
        prefix
    }

    /// Returns the bytes of a table of `prefix` bits of `len` queries.
    pub(crate) fn size(prefix: u32, len: usize) -> u64 {
        let len_bits = len.next_power_of_two().trailing_zeros();
        let bits = key_bits(prefix, len);
        (1 << bits >> 3) + (4 << bits.min(len_bits)) + 8 * len as u64
    }

    /// Returns whether two fingerprints that differ in these bits share the prefix.
    #[inline]
    pub(crate) fn catches(&self, difference: u64) -> bool {
        difference & self.mask == 0
    }

    #[inline]
    fn key(&self, value: u64) -> u64 {
        self.parts.iter().fold(0, |key, part| key | part.of(value))
    }

    /// Calls `found` with (query, value) for each query that shares the prefix of one of `values` and is within `k`
    /// bits of it; there may be as many values as the [`Scratch`] allows.
    ///
    /// In three steps of independent loads, so that none waits for another: the bitmap selects the values, the
    /// cells give their queries, and these are compared.
    pub(crate) fn meet<E>(
        &self,
        k: u32,
        values: &[u64],
        scratch: &mut Scratch,
        found: &mut impl FnMut(u64, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let Scratch { keys, kept, cells } = scratch;
        let keys = &mut keys[..values.len()];
        match self.parts[..] {
            [a] => keys.iter_mut().zip(values).for_each(|(key, &value)| *key = a.of(value) as u32),
            [a, b] => keys.iter_mut().zip(values).for_each(|(key, &value)| *key = (a.of(value) | b.of(value)) as u32),
            _ => keys.iter_mut().zip(values).for_each(|(key, &value)| *key = self.key(value) as u32),
        }
        let kept = self.select(keys, kept);
        let cells = &mut cells[..kept.len()];
        for (cell, &index) in cells.iter_mut().zip(kept) {
            let number = (keys[index as usize] >> self.cell_shift) as usize;
            *cell = (self.cells[number], self.cells[number + 1]);
        }
        for (&(start, end), &index) in cells.iter().zip(kept) {
            let value = values[index as usize];
            for &query in &self.queries[start as usize..end as usize] {
                let difference = query ^ value;
                if self.catches(difference) & (difference.count_ones() <= k) {
                    found(query, value)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the indexes of the keys that occur, written into `kept`, which is at least as long as `keys`.
    #[inline]
    fn select<'a>(&self, keys: &[u32], kept: &'a mut [u32]) -> &'a [u32] {
        let bitmap = &self.bitmap[..];
        let mut len = 0;
        // No branch on the look-up's result: it is unpredictable.
        for (index, &key) in keys.iter().enumerate() {
            kept[len] = index as u32;
            len += (bitmap[(key >> 6) as usize] >> (key & 63) & 1) as usize;
        }
        &kept[..len]
    }
}

/// Returns the bits of a key for a prefix over `len` queries.
fn key_bits(prefix: u32, len: usize) -> u32 {
    let len_bits = len.next_power_of_two().trailing_zeros();
    prefix.min(len_bits + SPARSENESS).min(KEY_BITS_MAX)
}

/// Returns the bit groups of a table's prefix, cut to its top `bits`.
fn parts(table: &Table, bits: u32) -> Vec<BitRange> {
    let mut left = bits;
    let mut parts = Vec::new();
    for group in table.groups() {
        let width = u32::from(group.width).min(left);
        if width == 0 {
            break;
        }
        left -= width;
        let down = u32::from(group.low) + u32::from(group.width) - width;
        // The groups keep their order, so all move down.
        parts.push(BitRange { down: down - left, mask: low_mask(width as u8) << left });
    }
    debug_assert_eq!(left, 0, "a prefix is within the groups of its table");
    parts
}

#[cfg(test)]
mod tests {
    use nddb_format::scheme::Scheme;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_shares_a_prefix_with_a_query_is_selected_and_finds_it(
            bits in 8u8..=64, k in 0u8..=7, more in 0u8..3, values in prop::collection::vec(any::<u64>(), 1..100),
        ) {
            let k = k.min(bits - 1);
            let scheme = Scheme::new(bits, k, &[(k + 1 + more).min(bits)], 0).expect("a scheme");
            let mut queries: Vec<u64> = values.iter().map(|value| value & low_mask(bits)).collect();
            queries.sort_unstable();
            queries.dedup();
            let mut scratch = Scratch::new(queries.len());
            for table in scheme.tables() {
                let prefix = Prefix::new(table, &queries);
                let free = !table.prefix_mask() & low_mask(bits);
                let near: Vec<u64> = queries.iter().map(|query| query ^ free).collect();
                let mut met = Vec::new();
                prefix.meet(64, &near, &mut scratch, &mut |query, value| {
                    met.push((value, query));
                    Ok::<_, ()>(())
                }).expect("no error");
                met.sort_unstable();
                let shares = |value: u64| queries.iter().filter(move |&query| (query ^ value) & !free == 0);
                let mut want: Vec<(u64, u64)> =
                    near.iter().flat_map(|&value| shares(value).map(move |&query| (value, query))).collect();
                want.sort_unstable();
                prop_assert_eq!(met, want);
                prop_assert!(Prefix::size(u32::from(table.prefix()), queries.len()) >= 8 * queries.len() as u64);
            }
        }
    }
}
