//! Matching very many stored fingerprints: all queries near the current topmost bits, in small tables.
//!
//! Of eight billion sorted fingerprints, thirty thousand in a row share their 18 topmost bits. Of a million queries,
//! 3,800 can be within 3 bits of any of these, and most of them differ so much in the topmost bits that they must agree
//! in nearly all others. So tables that stay in the second-level cache find all matches, and it pays to build them for
//! each value of the topmost bits.

use nddb_format::cpu::{self, Compute};

use super::close::within;
use super::index::QueryIndex;

/// Number of fields of the bits below the topmost ones.
const FIELDS: usize = 3;
/// Maximum number of bits of a key of each field: lower fields have the keys of more queries.
const KEY_BITS_MAX: [u32; FIELDS] = [15, 17, 20];
/// Number of words of a bitmap of keys.
const WORDS: usize = 1 << (KEY_BITS_MAX[FIELDS - 1] - 6);
/// Maximum number of bits that choose a chain of a field.
const CHAIN_BITS_MAX: u32 = 13;
/// Up to this many fingerprints are compared with each query without building tables.
const PLAIN_LEN: usize = 8;
/// Number of fingerprints that are looked up together.
const LOOK_LEN: usize = 1024;
const NONE: u32 = u32::MAX;

/// A query in the chain of one of its keys.
struct Link {
    query: u64,
    key: u32,
    next: u32,
}

/// Some of the bits below the topmost ones. The fields have each of these once, in descending order.
struct Field {
    down: u32,
    mask: u64,
    /// Bitmap of the keys that occur.
    bitmap: Box<[u64; WORDS]>,
    /// The last link of each chain; the earlier ones follow.
    chains: Vec<u32>,
    links: Vec<Link>,
}

/// Tables of the queries near the current topmost bits.
pub(crate) struct Near {
    fields: [Field; FIELDS],
    /// The topmost bits of the current fingerprints, and whether the fields have the queries near them.
    top: Option<u64>,
    built: bool,
    kept: Vec<u32>,
}

impl Near {
    /// Returns empty tables, with `shift` bits below the topmost ones.
    pub(crate) fn new(shift: u32) -> Self {
        let (middle, low) = (shift / 3, shift * 2 / 5);
        let widths = [shift - low - middle, middle, low];
        let mut end = shift;
        let fields = std::array::from_fn(|field| {
            end -= widths[field];
            Field::new(end, widths[field].min(KEY_BITS_MAX[field]))
        });
        Self { fields, top: None, built: false, kept: vec![0; LOOK_LEN] }
    }

    /// Calls `found` with (query, value) for each query within k bits of one of `values`, which have the same topmost
    /// bits, if it is near these.
    pub(crate) fn meet<E>(
        &mut self,
        index: &QueryIndex,
        values: &[u64],
        found: &mut impl FnMut(u64, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(first) = values.first() else { return Ok(()) };
        let top = index.top(*first);
        if self.top.replace(top) != Some(top) {
            self.built = false;
        }
        if !self.built && values.len() <= PLAIN_LEN {
            return index.near(top).try_for_each(|(_, queries)| within(index.k, queries, values, found));
        }
        if !std::mem::replace(&mut self.built, true) {
            self.build(index, top);
        }
        values.chunks(LOOK_LEN).try_for_each(|values| self.look_up(index, values, found))
    }

    fn build(&mut self, index: &QueryIndex, top: u64) {
        for field in &mut self.fields {
            field.clear();
        }
        for (distance, queries) in index.near(top) {
            let rest = index.k - distance;
            for (ordinal, field) in self.fields.iter_mut().enumerate() {
                match flips(ordinal, rest) {
                    None => (),
                    Some(0) => queries.iter().for_each(|&query| field.add(query, field.key(query))),
                    Some(_) => queries.iter().for_each(|&query| field.add_near(query)),
                }
            }
        }
    }

    fn look_up<E>(
        &mut self,
        index: &QueryIndex,
        values: &[u64],
        found: &mut impl FnMut(u64, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let shift = index.split().unwrap_or(0);
        let fields = &self.fields;
        for &position in select(fields, values, &mut self.kept) {
            let value = values[position as usize];
            for (ordinal, field) in fields.iter().enumerate() {
                for query in field.sharing(value) {
                    let difference = query ^ value;
                    if difference.count_ones() > index.k {
                        continue;
                    }
                    let rest = index.k - (difference >> shift).count_ones();
                    let earlier = &fields[..ordinal];
                    if !earlier.iter().enumerate().any(|(ordinal, field)| field.catches(difference, ordinal, rest)) {
                        found(query, value)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns in how many bits of this field a query may differ from a fingerprint that it finds, if at most `rest` of the
/// bits below the topmost ones differ. With at most two, one of rest + 1 fields has none of them; with at most five,
/// one of three fields has at most one of them. `None` if the other fields find all.
fn flips(field: usize, rest: u32) -> Option<u32> {
    (field + rest as usize + 1 >= FIELDS).then_some(rest / FIELDS as u32)
}

impl Field {
    fn new(down: u32, bits: u32) -> Self {
        Self {
            down,
            mask: (1 << bits) - 1,
            bitmap: vec![0; WORDS].try_into().expect("as many words"),
            chains: vec![NONE; 1 << bits.min(CHAIN_BITS_MAX)],
            links: Vec::new(),
        }
    }

    #[inline(always)]
    fn key(&self, value: u64) -> u64 {
        value >> self.down & self.mask
    }

    #[inline(always)]
    fn has(&self, key: u64) -> u64 {
        self.bitmap[(key >> 6) as usize % WORDS] >> (key & 63) & 1
    }

    fn catches(&self, difference: u64, ordinal: usize, rest: u32) -> bool {
        flips(ordinal, rest).is_some_and(|flips| self.key(difference).count_ones() <= flips)
    }

    fn clear(&mut self) {
        self.bitmap[..=(self.mask >> 6) as usize].fill(0);
        self.chains.fill(NONE);
        self.links.clear();
    }

    #[inline(always)]
    fn add(&mut self, query: u64, key: u64) {
        self.bitmap[(key >> 6) as usize % WORDS] |= 1 << (key & 63);
        let chain = key as usize & (self.chains.len() - 1);
        let next = std::mem::replace(&mut self.chains[chain], self.links.len() as u32);
        self.links.push(Link { query, key: key as u32, next });
    }

    /// Adds a query under its key and each that differs from it in one bit.
    fn add_near(&mut self, query: u64) {
        let key = self.key(query);
        self.add(query, key);
        for bit in 0..self.mask.count_ones() {
            self.add(query, key ^ 1 << bit);
        }
    }

    /// Returns the queries that have the key of `value`.
    #[inline]
    fn sharing(&self, value: u64) -> impl Iterator<Item = u64> {
        let key = self.key(value);
        let mut next = if self.has(key) == 1 { self.chains[key as usize & (self.chains.len() - 1)] } else { NONE };
        std::iter::from_fn(move || {
            while next != NONE {
                let link = &self.links[next as usize];
                next = link.next;
                if u64::from(link.key) == key {
                    return Some(link.query);
                }
            }
            None
        })
    }
}

/// Returns the indexes of the values of which a field has the key.
fn select<'a>(fields: &[Field; FIELDS], values: &[u64], kept: &'a mut [u32]) -> &'a [u32] {
    let len = cpu::run(Select { fields, values, kept: &mut *kept });
    &kept[..len]
}

/// The computation of [`select`]: writes the indexes into `kept` and returns their number.
struct Select<'a> {
    fields: &'a [Field; FIELDS],
    values: &'a [u64],
    kept: &'a mut [u32],
}

impl Compute for Select<'_> {
    type Output = usize;

    #[inline(always)]
    fn compute(self) -> usize {
        let [a, b, c] = self.fields.each_ref().map(|field| (field.down, field.mask, &*field.bitmap));
        let has = |(down, mask, bitmap): (u32, u64, &[u64; WORDS]), value: u64| {
            let key = value >> (down & 63) & mask;
            bitmap[(key >> 6) as usize % WORDS] >> (key & 63)
        };
        let kept = &mut self.kept[..self.values.len()];
        let mut len = 0;
        // No branch on the look-up's result: it is unpredictable.
        for (position, &value) in self.values.iter().enumerate() {
            kept[len] = position as u32;
            len += ((has(a, value) | has(b, value) | has(c, value)) & 1) as usize;
        }
        len
    }
}
