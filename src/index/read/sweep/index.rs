//! The index of the queries (Manku 2007, 3.3): built once in memory, then every stored fingerprint is looked up in
//! it.

use nddb_format::Fingerprint;
use nddb_format::fingerprint::low_mask;
use nddb_format::permutation::Table;
use nddb_format::scheme::{K_MAX, Scheme};

use super::prefix::{Prefix, Scratch};
use super::wide::{Plan, Wide};
use crate::within::Within;
use crate::{Error, Result};

/// Maximum number of groups of bits, beyond k, that are tried for a scheme of the queries.
const GROUPS_MAX: u8 = 6;
/// Cost of decoding one fingerprint, of looking it up in one bitmap, and of comparing it with one query, in
/// nanoseconds.
const DECODE_COST: f64 = 3.0;
const LOOK_COST: f64 = 1.0;
const COMPARE_COST: f64 = 5.0;
/// Minimum width of fingerprints that are split into topmost and other bits.
const SPLIT_BITS_MIN: u8 = 32;
/// Approximate number of distinct queries with the same topmost bits, as a power of two.
const UNDER_BITS: u32 = 4;
/// The same if all queries near the topmost bits are collected: least and greatest. With more topmost bits, fewer
/// queries are near each value of them, so look-ups are faster, but fewer fingerprints share it, so tables are built
/// more often. The least is best for 2^12 stored fingerprints per query and more; half as many need one bit more.
/// (Measured with a million queries and 0.1 to 8 billion fingerprints.)
const NEAR_BITS: (u32, u32) = (2, 5);
const NEAR_BITS_SUM: u32 = 2 + 12;
/// To build this number of rows of such tables costs no more than to look up one fingerprint in tables of all queries.
const ROWS_MAX: u64 = 3;

/// The queries, indexed for a sequential pass over the stored fingerprints of one table.
///
/// The queries are in the bit order of that table, so that stored fingerprints are compared as decoded: a
/// permutation changes no distance.
#[derive(Debug)]
pub(crate) struct QueryIndex {
    pub(crate) k: u32,
    /// Distinct queries, permuted, ascending.
    pub(crate) queries: Vec<u64>,
    /// Index in `ordinals` of the first ordinal of each distinct query, then the end.
    starts: Vec<u32>,
    /// Ordinals, by distinct query, ascending.
    ordinals: Vec<u32>,
    /// The tables of the queries, in the order of their scheme.
    pub(crate) prefixes: Vec<Prefix>,
    /// Index of the first query with each value of the topmost bits, if fingerprints are split.
    split: Option<Split>,
    /// The queries by fields, for distances without tables.
    wide: Option<Wide>,
}

/// Fingerprints split into topmost and other bits. If k is 3, a fingerprint within k bits of a query differs in at most
/// one of the topmost bits, or in at most one of the others. The former is found among the few queries with nearly the
/// same topmost bits, the latter by tables of the other bits.
#[derive(Debug)]
struct Split {
    /// Number of other bits.
    shift: u32,
    starts: Vec<u32>,
    /// The differences of topmost bits by their number of bits, 0 to k, if the stored fingerprints are so many that the
    /// queries near each value of the topmost bits are collected.
    near: Vec<Vec<u64>>,
}

impl QueryIndex {
    /// Indexes queries for about `stored` fingerprints in the order of `table`, in about `memory_limit` bytes if
    /// possible.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if the distance is above [`Within::MAX`], if a query is wider than a fingerprint, or if
    /// there are more than 2^32 - 1 queries.
    pub(crate) fn new(
        table: &Table,
        queries: &[Fingerprint],
        within: Within,
        stored: u64,
        memory_limit: u64,
    ) -> Result<Self> {
        check(table.bits(), queries, within)?;
        let mut pairs: Vec<(u64, u32)> =
            (0..).zip(queries).map(|(ordinal, &query)| (table.permute(query).0, ordinal)).collect();
        pairs.sort_unstable();
        let (mut distinct, mut starts) = (Vec::new(), Vec::new());
        for (index, &(query, _)) in pairs.iter().enumerate() {
            if distinct.last() != Some(&query) {
                distinct.push(query);
                starts.push(index as u32);
            }
        }
        starts.push(pairs.len() as u32);
        let ordinals = pairs.into_iter().map(|pair| pair.1).collect();
        if is_wide(table.bits(), within) {
            let plan = Plan::new(table.bits(), within.0, distinct.len(), memory_limit);
            let wide = Some(Wide::new(&plan, within.0, &distinct));
            return Ok(Self {
                k: within.0.into(),
                queries: distinct,
                starts,
                ordinals,
                prefixes: Vec::new(),
                split: None,
                wide,
            });
        }
        let split = Split::new(table.bits(), within.0, &distinct, stored);
        let prefixes = match &split {
            Some(split) if !split.near.is_empty() => Vec::new(),
            None => tables(table.bits(), within.0, &distinct, memory_limit),
            // Two of the topmost bits differ, so at most k - 2 of the others.
            Some(split) => tables(split.shift as u8, within.0 - 2, &distinct, memory_limit),
        };
        Ok(Self { k: within.0.into(), queries: distinct, starts, ordinals, prefixes, split, wide: None })
    }

    /// Returns the queries by fields, if the distance has no tables.
    pub(super) fn wide(&self) -> Option<&Wide> {
        self.wide.as_ref()
    }

    /// Returns the number of tables of the queries.
    pub(crate) fn tables(&self) -> usize {
        self.prefixes.len()
    }

    /// Returns the ordinals of a distinct query, ascending.
    pub(crate) fn ordinals(&self, query: u32) -> &[u32] {
        let query = query as usize;
        &self.ordinals[self.starts[query] as usize..self.starts[query + 1] as usize]
    }

    /// Looks up values in one of the tables: calls `found` with (query, value) for each distinct query within k
    /// bits that no earlier table finds, so that each pair is found once.
    pub(crate) fn meet<E>(
        &self,
        prefix: usize,
        values: &[u64],
        scratch: &mut Scratch,
        found: &mut impl FnMut(u64, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let earlier = &self.prefixes[..prefix];
        self.prefixes[prefix].meet(self.k, values, scratch, &mut |query, value| {
            let difference = query ^ value;
            let is_close = self.split.as_ref().is_some_and(|split| (difference >> split.shift).count_ones() <= 1);
            if is_close || earlier.iter().any(|earlier| earlier.catches(difference)) {
                return Ok(());
            }
            found(query, value)
        })
    }

    /// Returns the number of bits below the topmost ones, if fingerprints are split.
    pub(crate) fn split(&self) -> Option<u32> {
        self.split.as_ref().map(|split| split.shift)
    }

    /// Returns the number of topmost bits.
    pub(crate) fn top_bits(&self) -> u32 {
        self.split.as_ref().map_or(0, |split| (split.starts.len() - 1).trailing_zeros())
    }

    /// Returns whether matches are found by the queries near each value of the topmost bits.
    pub(crate) fn is_dense(&self) -> bool {
        self.split.as_ref().is_some_and(|split| !split.near.is_empty())
    }

    /// Returns the queries whose topmost bits differ from `top` in at most k bits, in lists with this difference.
    pub(crate) fn near(&self, top: u64) -> impl Iterator<Item = (u32, &[u64])> {
        let near = self.split.iter().flat_map(|split| (0..).zip(&split.near));
        near.flat_map(move |(distance, masks)| masks.iter().map(move |mask| (distance, self.under(top ^ mask))))
    }

    /// Returns the topmost bits of a value.
    #[inline]
    pub(crate) fn top(&self, value: u64) -> u64 {
        self.split.as_ref().map_or(0, |split| value >> split.shift)
    }

    /// Returns the distinct queries with these topmost bits.
    pub(crate) fn under(&self, top: u64) -> &[u64] {
        let Some(split) = &self.split else { return &self.queries };
        &self.queries[split.starts[top as usize] as usize..split.starts[top as usize + 1] as usize]
    }

    /// Returns the index of a query among the distinct ones.
    pub(crate) fn index_of(&self, query: u64) -> Option<usize> {
        let start = self.split.as_ref().map_or(0, |split| split.starts[(query >> split.shift) as usize] as usize);
        self.under(self.top(query)).binary_search(&query).ok().map(|index| start + index)
    }
}

impl Split {
    fn new(bits: u8, k: u8, queries: &[u64], stored: u64) -> Option<Self> {
        if !matches!(k, 2 | 3) || bits < SPLIT_BITS_MIN {
            return None;
        }
        let ratio = stored / queries.len().max(1) as u64;
        let ratio_bits = ratio.checked_next_power_of_two().map_or(u64::BITS, u64::ilog2);
        let under = NEAR_BITS_SUM.saturating_sub(ratio_bits).clamp(NEAR_BITS.0, NEAR_BITS.1);
        let top_bits = top_bits(bits, queries.len(), under);
        let near: Vec<Vec<u64>> = (0..=u32::from(k))
            .map(|distance| (0..1 << top_bits).filter(|mask: &u64| mask.count_ones() == distance).collect())
            .collect();
        // The tables of queries near each value of the topmost bits must be made for each.
        let rows = near.iter().map(Vec::len).sum::<usize>() as u64 * queries.len() as u64;
        if rows <= ROWS_MAX.saturating_mul(stored) {
            return Self::at(bits, top_bits, queries, near);
        }
        Self::at(bits, self::top_bits(bits, queries.len(), UNDER_BITS), queries, Vec::new())
    }

    /// Splits fingerprints after their topmost bits.
    fn at(bits: u8, top_bits: u32, queries: &[u64], near: Vec<Vec<u64>>) -> Option<Self> {
        // With fewer, no two of them can differ.
        if top_bits < 2 {
            return None;
        }
        let shift = u32::from(bits) - top_bits;
        let mut starts = Vec::with_capacity((1 << top_bits) + 1);
        for (index, query) in (0..).zip(queries) {
            while starts.len() as u64 <= query >> shift {
                starts.push(index);
            }
        }
        starts.resize((1 << top_bits) + 1, queries.len() as u32);
        Some(Self { shift, starts, near })
    }
}

/// Returns the number of topmost bits that about 2^`under` of `len` queries share.
fn top_bits(bits: u8, len: usize, under: u32) -> u32 {
    len.next_power_of_two().trailing_zeros().saturating_sub(under).min(u32::from(bits / 3))
}

fn check(bits: u8, queries: &[Fingerprint], within: Within) -> Result<()> {
    if within > Within::MAX {
        return Err(Error::OutOfRange { what: "k", requested: within.0.into(), limit: Within::MAX.0.into() });
    }
    if u32::try_from(queries.len()).is_err() {
        let limit = u32::MAX.into();
        return Err(Error::OutOfRange { what: "the number of queries", requested: queries.len() as u64, limit });
    }
    let greatest = low_mask(bits);
    match queries.iter().find(|query| query.0 > greatest) {
        Some(query) => Err(Error::OutOfRange { what: "the fingerprint", requested: query.0, limit: greatest }),
        None => Ok(()),
    }
}

/// Returns whether a distance has no tables.
fn is_wide(bits: u8, within: Within) -> bool {
    within.0 > K_MAX.min(bits - 1)
}

/// Predicts the time to compare `stored` fingerprints with all of `len` queries, in nanoseconds.
pub(crate) fn predicted_ns(bits: u8, within: Within, (len, stored): (usize, u64), memory_limit: u64) -> f64 {
    let (once, each) = if is_wide(bits, within) {
        let plan = Plan::new(bits, within.0, len, memory_limit);
        (plan.once_ns, plan.each_ns)
    } else {
        (0.0, cheapest(bits, within.0, len, memory_limit).0)
    };
    once + (DECODE_COST + each) * stored as f64
}

/// Returns tables of the low `bits` of the queries, by the cheapest scheme.
fn tables(bits: u8, k: u8, queries: &[u64], memory_limit: u64) -> Vec<Prefix> {
    let (_, scheme) = cheapest(bits, k, queries.len(), memory_limit);
    scheme.tables().iter().map(|table| Prefix::new(table, queries)).collect()
}

/// Returns the cheapest scheme of `len` queries, and the cost for one stored fingerprint. More groups of bits make more
/// tables with longer prefixes, which fewer stored fingerprints share with a query.
fn cheapest(bits: u8, k: u8, len: usize, memory_limit: u64) -> (f64, Scheme) {
    // One table without a prefix compares everything with everything.
    let plain = Scheme::new(bits, k, &[], 0).expect("checked bits and k");
    let mut best = (COMPARE_COST * len as f64, plain);
    for groups in k + 1..=(k + GROUPS_MAX).min(bits) {
        let Ok(scheme) = Scheme::new(bits, k, &[groups], 0) else { break };
        let of_each =
            |of: &dyn Fn(u32) -> f64| -> f64 { scheme.tables().iter().map(|table| of(table.prefix().into())).sum() };
        let cost = of_each(&|prefix| LOOK_COST + COMPARE_COST * len as f64 / f64::from(prefix).exp2());
        let size = of_each(&|prefix| Prefix::size(prefix, len) as f64) as u64;
        if cost < best.0 && (size <= memory_limit || groups == k + 1) {
            best = (cost, scheme);
        }
    }
    best
}
