//! One table built on the queries (Manku 2007, 3.3): which stored fingerprints share a prefix with one.

use nddb_format::Fingerprint;
use nddb_format::fingerprint::low_mask;
use nddb_format::permutation::Table;

/// Bits of the bitmap for each query, as a power of two: of 64 stored fingerprints that share their
/// prefix with no query, at most one passes.
const SPARSENESS: u32 = 6;

/// Neighbouring bits of a fingerprint and their place in a key.
#[derive(Clone, Copy, Debug)]
struct Part {
    down: u32,
    mask: u64,
    up: u32,
}

impl Part {
    #[inline(always)]
    fn of(self, value: u64) -> u64 {
        (value >> self.down & self.mask) << self.up
    }
}

/// A table T of the paper over the queries. A *key* is the prefix of a fingerprint in it, cut to as many
/// bits as tell the queries apart. A bitmap says which keys occur; *cells*, stretches of the key space
/// with about one query each, lead to the queries.
#[derive(Debug)]
pub(super) struct Prefix {
    /// Bits, in the fingerprint, of the whole prefix.
    mask: u64,
    parts: Vec<Part>,
    /// Bits of a key.
    bits: u32,
    bitmap: Vec<u64>,
    cell_shift: u32,
    /// Where the queries of each cell begin; one more for the end.
    cells: Vec<u32>,
    queries: Vec<u64>,
}

impl Prefix {
    /// Builds the table on distinct queries.
    pub(super) fn new(table: &Table, queries: &[u64]) -> Self {
        let len_bits = queries.len().next_power_of_two().trailing_zeros();
        let bits = u32::from(table.prefix()).min(len_bits + SPARSENESS);
        let cell_bits = bits.min(len_bits);
        let mut made = Self {
            mask: table.prefix_mask(),
            parts: parts(table, bits),
            bits,
            bitmap: vec![0; 1 << bits.saturating_sub(6)],
            cell_shift: bits - cell_bits,
            cells: vec![0; (1 << cell_bits) + 1],
            queries: vec![0; queries.len()],
        };
        for &query in queries {
            let key = made.key(query);
            made.bitmap[(key >> 6) as usize] |= 1 << (key & 63);
            made.cells[(key >> made.cell_shift) as usize] += 1;
        }
        // Counts become ends; filling each cell from its end leaves the starts.
        let mut end = 0;
        for cell in &mut made.cells {
            end += *cell;
            *cell = end;
        }
        for &query in queries.iter().rev() {
            let cell = (made.key(query) >> made.cell_shift) as usize;
            made.cells[cell] -= 1;
            made.queries[made.cells[cell] as usize] = query;
        }
        made
    }

    /// Bytes of a table of `prefix` bits on `len` queries.
    pub(super) fn size(prefix: u32, len: usize) -> u64 {
        let len_bits = len.next_power_of_two().trailing_zeros();
        let bits = prefix.min(len_bits + SPARSENESS);
        (1 << bits >> 3) + (4 << bits.min(len_bits)) + 8 * len as u64
    }

    /// Bytes of the bitmap.
    pub(super) fn bitmap_size(&self) -> usize {
        8 * self.bitmap.len()
    }

    /// Whether two fingerprints that differ in these bits share the prefix.
    #[inline]
    pub(super) fn catches(&self, difference: u64) -> bool {
        difference & self.mask == 0
    }

    #[inline]
    fn key(&self, value: u64) -> u64 {
        self.parts.iter().fold(0, |key, part| key | part.of(value))
    }

    /// Copies those of `values` whose key occurs to the front of `kept`, which is as long as `values`
    /// at least. Returns how many.
    #[inline]
    pub(super) fn select(&self, values: &[u64], kept: &mut [u64]) -> usize {
        match self.parts[..] {
            [a] => self.select_by(values, kept, |value| a.of(value)),
            [a, b] => self.select_by(values, kept, |value| a.of(value) | b.of(value)),
            [a, b, c] => self.select_by(values, kept, |value| a.of(value) | b.of(value) | c.of(value)),
            _ => self.select_by(values, kept, |value| self.key(value)),
        }
    }

    #[inline(always)]
    fn select_by(&self, values: &[u64], kept: &mut [u64], key: impl Fn(u64) -> u64) -> usize {
        let bitmap = &self.bitmap[..];
        let mut len = 0;
        // No branch on what is found: it cannot be foreseen.
        for &value in values {
            let key = key(value);
            kept[len] = value;
            len += (bitmap[(key >> 6) as usize] >> (key & 63) & 1) as usize;
        }
        len
    }

    /// The queries that may share the prefix of `value`.
    #[inline]
    pub(super) fn candidates(&self, value: u64) -> &[u64] {
        let cell = (self.key(value) >> self.cell_shift) as usize;
        &self.queries[self.cells[cell] as usize..self.cells[cell + 1] as usize]
    }
}

/// The bit groups of a table's prefix, cut to its top `bits`.
fn parts(table: &Table, bits: u32) -> Vec<Part> {
    let mut left = bits;
    let mut parts = Vec::new();
    for group in table.groups() {
        let width = u32::from(group.width).min(left);
        if width == 0 {
            break;
        }
        left -= width;
        let down = u32::from(group.low) + u32::from(group.width) - width;
        parts.push(Part { down, mask: low_mask(width as u8), up: left });
    }
    debug_assert_eq!(left, 0, "a prefix is within the groups of its table");
    parts
}

/// The top bits of a value in natural order that a table's prefix begins with.
pub(super) fn lead_of(table: &Table, width: u8) -> (u32, u64) {
    let top = table.permute(Fingerprint(low_mask(table.bits()))).0;
    debug_assert_eq!(top, low_mask(table.bits()), "a permutation keeps all bits");
    let group = table.groups()[0];
    (u32::from(group.low + group.width - width.min(group.width)), low_mask(width.min(group.width)))
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
            let mut kept = vec![0; queries.len()];
            for table in scheme.tables() {
                let prefix = Prefix::new(table, &queries);
                let near: Vec<u64> = queries.iter().map(|query| query ^ !table.prefix_mask() & low_mask(bits)).collect();
                prop_assert_eq!(prefix.select(&near, &mut kept), near.len());
                prop_assert_eq!(&kept, &near);
                for (query, value) in queries.iter().zip(near) {
                    prop_assert!(prefix.candidates(value).contains(query));
                    prop_assert!(prefix.catches(query ^ value));
                }
                prop_assert!(Prefix::size(u32::from(table.prefix()), queries.len()) >= prefix.bitmap_size() as u64 / 8);
            }
        }
    }
}
