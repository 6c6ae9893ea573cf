//! Matching by topmost bits: queries that agree with a stored fingerprint in all topmost bits except at most one.
//!
//! Stored fingerprints come sorted: thousands in a row share their topmost bits. Few queries (a hundred of a million)
//! agree with these bits in all positions, or in all but one, so small tables of these queries stay in the first-level
//! cache.

use super::index::QueryIndex;

/// Maximum number of bits of a key.
const KEY_BITS_MAX: u32 = 12;
/// Up to this many fingerprints are compared with each query without building tables.
const PLAIN_LEN: usize = 8;
const NONE: u32 = u32::MAX;

/// A group of bits below the topmost ones: values within k bits of each other agree in one of k + 1 groups.
struct GroupTable {
    down: u32,
    mask: u64,
    /// Bitmap of the keys that occur.
    bitmap: Vec<u64>,
    /// The last query with each key that occurs; the earlier ones are linked in `next`.
    heads: Vec<u32>,
    next: Vec<u32>,
}

/// Tables of the queries close to the current topmost bits.
pub(crate) struct Close {
    shift: u32,
    groups: Vec<GroupTable>,
    /// The topmost bits to which `queries` are close, and whether the groups contain them.
    top: Option<u64>,
    built: bool,
    queries: Vec<u64>,
    kept: Vec<u32>,
}

impl Close {
    /// Returns empty tables for up to `len` values at a time, with `shift` bits below the topmost ones.
    pub(crate) fn new(shift: u32, k: u32, len: usize) -> Self {
        let parts = k + 1;
        let mut low = 0;
        let groups = (0..parts).map(|part| {
            let width = shift / parts + u32::from(part < shift % parts);
            let bits = width.min(KEY_BITS_MAX);
            let down = low + width - bits;
            low += width;
            let bitmap = vec![0; 1 << bits.saturating_sub(6)];
            GroupTable { down, mask: (1 << bits) - 1, bitmap, heads: vec![NONE; 1 << bits], next: Vec::new() }
        });
        Self { shift, groups: groups.collect(), top: None, built: false, queries: Vec::new(), kept: vec![0; len] }
    }

    /// Calls `found` with (query, value) for each query within k bits of one of `values`, which have the same
    /// topmost bits, if it differs in at most one of these.
    pub(crate) fn meet<E>(
        &mut self,
        index: &QueryIndex,
        values: &[u64],
        found: &mut impl FnMut(u64, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(first) = values.first() else { return Ok(()) };
        self.turn_to(index, index.top(*first));
        if !self.built && values.len() <= PLAIN_LEN {
            return within(index.k, &self.queries, values, found);
        }
        self.build();
        for group in 0..self.groups.len() {
            let (earlier, rest) = self.groups.split_at(group);
            let group = &rest[0];
            for &position in group.select(values, &mut self.kept) {
                let value = values[position as usize];
                let mut next = group.heads[group.key(value)];
                while next != NONE {
                    let query = self.queries[next as usize];
                    next = group.next[next as usize];
                    let difference = query ^ value;
                    if difference.count_ones() <= index.k && !earlier.iter().any(|group| group.catches(difference)) {
                        found(query, value)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Collects the queries close to these topmost bits.
    fn turn_to(&mut self, index: &QueryIndex, top: u64) {
        if self.top.replace(top) == Some(top) {
            return;
        }
        self.built = false;
        self.queries.clear();
        self.queries.extend_from_slice(index.under(top));
        for bit in 0..index.top_bits() {
            self.queries.extend_from_slice(index.under(top ^ 1 << bit));
        }
        debug_assert!(self.queries.iter().all(|query| (query >> self.shift ^ top).count_ones() <= 1));
    }

    fn build(&mut self) {
        if std::mem::replace(&mut self.built, true) {
            return;
        }
        for group in &mut self.groups {
            group.build(&self.queries);
        }
    }
}

impl GroupTable {
    #[inline(always)]
    fn key(&self, value: u64) -> usize {
        (value >> self.down & self.mask) as usize
    }

    #[inline]
    fn catches(&self, difference: u64) -> bool {
        difference >> self.down & self.mask == 0
    }

    fn build(&mut self, queries: &[u64]) {
        self.bitmap.fill(0);
        self.next.clear();
        for (position, &query) in (0..).zip(queries) {
            let key = self.key(query);
            let (word, bit) = (&mut self.bitmap[key >> 6], 1 << (key & 63));
            // Heads of keys that do not occur are left over from other queries.
            self.next.push(if *word & bit == 0 { NONE } else { self.heads[key] });
            self.heads[key] = position;
            *word |= bit;
        }
    }

    /// Returns the indexes of the values whose key occurs.
    #[inline(never)]
    fn select<'a>(&self, values: &[u64], kept: &'a mut [u32]) -> &'a [u32] {
        let (down, mask, bitmap) = (self.down, self.mask, &self.bitmap[..]);
        let mut len = 0;
        // No branch on the look-up's result: it is unpredictable.
        for (position, &value) in values.iter().enumerate() {
            let key = value >> down & mask;
            kept[len] = position as u32;
            len += (bitmap[(key >> 6) as usize] >> (key & 63) & 1) as usize;
        }
        &kept[..len]
    }
}

/// The definition: every query against every value.
pub(crate) fn within<E>(
    k: u32,
    queries: &[u64],
    values: &[u64],
    found: &mut impl FnMut(u64, u64) -> Result<(), E>,
) -> Result<(), E> {
    for &value in values {
        for &query in queries {
            if (query ^ value).count_ones() <= k {
                found(query, value)?;
            }
        }
    }
    Ok(())
}
