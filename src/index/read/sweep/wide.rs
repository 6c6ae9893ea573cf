//! Matching within more bits than the tables of a scheme serve: fields of which some bits may differ.
//!
//! Fingerprints are cut into four fields. Each field i has a number of bits r_i, and r_0 + 1 + ... + r_3 + 1 = k + 1.
//! So of two fingerprints within k bits, one field differs in at most r_i bits: else k + 1 bits differed. (The
//! pigeonhole principle of multi-index hashing: Norouzi, Punjani, Fleet, *Fast Search in Hamming Space with Multi-Index
//! Hashing*, CVPR 2012.) Each query is listed under all values of a field within some bits of its own, as many as
//! memory allows, and a stored fingerprint looks up the values within the rest of r_i bits of its own.

use nddb_format::cpu::{self, Compute};
use nddb_format::fingerprint::low_mask;

use crate::prefetch::prefetch;

/// Number of fields.
const FIELDS: u32 = 4;
/// Maximum number of bits of a field.
const FIELD_BITS_MAX: u32 = 16;
/// Time of one look-up, of comparing one query, and of listing one query, in nanoseconds.
const LOOK_NS: f64 = 3.0;
const COMPARE_NS: f64 = 0.7;
const LIST_NS: f64 = 6.0;
/// Maximum number of bytes of all lists: with more, each look-up waits for memory longer than it compares.
const LISTS_MAX: u64 = 1 << 30;
/// Number of values by which the list of a look-up is prefetched before it is compared, and of cache lines of it; the
/// processor reads on by itself.
const AHEAD: usize = 6;
const LINES: usize = 4;
/// Number of queries of a cache line.
const PER_LINE: usize = 8;
/// Bytes of a listed query.
const LISTED_SIZE: u64 = 8;

/// How fingerprints of one width are compared within k bits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    fields: Vec<FieldPlan>,
    /// Time to list all queries, and time for one stored fingerprint, in nanoseconds.
    pub(super) once_ns: f64,
    pub(super) each_ns: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FieldPlan {
    down: u32,
    bits: u32,
    /// Number of bits of the field that may differ.
    most: u32,
    /// Of these, the number by which queries are listed.
    listed: u32,
}

/// Returns the number of values within `most` bits of a value of `bits` bits.
fn near(bits: u32, most: u32) -> u64 {
    (0..=most.min(bits)).map(|ones| (0..ones).fold(1, |ways, i| ways * u64::from(bits - i) / u64::from(i + 1))).sum()
}

impl Plan {
    /// Returns the plan for `len` queries whose lists take at most about `memory_limit` bytes.
    pub(super) fn new(bits: u8, k: u8, len: usize, memory_limit: u64) -> Self {
        let (bits, k, mut down) = (u32::from(bits), u32::from(k), 0);
        let mut fields: Vec<FieldPlan> = (0..FIELDS)
            .map(|field| {
                // The first fields are the ones that may differ in more bits.
                let width = (bits / FIELDS + u32::from(field < bits % FIELDS)).min(FIELD_BITS_MAX);
                let most = (k + 1) / FIELDS + u32::from(field < (k + 1) % FIELDS) - 1;
                down += width;
                FieldPlan { down: down - width, bits: width, most, listed: most }
            })
            .collect();
        let listed = |field: &FieldPlan| near(field.bits, field.listed) * len as u64;
        // The longest lists are shortened first.
        let most = memory_limit.min(LISTS_MAX) / LISTED_SIZE;
        while fields.iter().map(listed).sum::<u64>() > most {
            match fields.iter_mut().filter(|field| field.listed > 0).max_by_key(|field| listed(field)) {
                Some(field) => field.listed -= 1,
                None => break,
            }
        }
        let of_field = |field: &FieldPlan| {
            let looks = near(field.bits, field.most - field.listed) as f64;
            looks * (LOOK_NS + COMPARE_NS * listed(field) as f64 / f64::from(field.bits).exp2())
        };
        let once_ns = LIST_NS * fields.iter().map(listed).sum::<u64>() as f64;
        Self { once_ns, each_ns: fields.iter().map(of_field).sum(), fields }
    }
}

/// The queries, listed by each of their fields.
#[derive(Debug)]
pub(super) struct Wide {
    k: u32,
    fields: Vec<Field>,
}

#[derive(Debug)]
struct Field {
    plan: FieldPlan,
    /// Differences to the values that a stored fingerprint looks up.
    looks: Vec<u64>,
    /// Index of the first query of each value, then the end.
    starts: Vec<u32>,
    queries: Vec<u64>,
}

impl Wide {
    /// Lists distinct queries.
    pub(super) fn new(plan: &Plan, k: u8, queries: &[u64]) -> Self {
        Self { k: k.into(), fields: plan.fields.iter().map(|&plan| Field::new(plan, queries)).collect() }
    }

    /// Calls `found` with (query, value) for each query within k bits of one of `values`, each pair once.
    pub(super) fn meet<E>(
        &self,
        values: &[u64],
        met: &mut Vec<(u64, u64)>,
        found: &mut impl FnMut(u64, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        for (ordinal, field) in self.fields.iter().enumerate() {
            let earlier = &self.fields[..ordinal];
            for &look in &field.looks {
                met.clear();
                cpu::run(Meet { field, look, k: self.k, values, met });
                for &(query, value) in &*met {
                    let difference = query ^ value;
                    if field.is_looked_up_by(look, difference) && !earlier.iter().any(|field| field.catches(difference))
                    {
                        found(query, value)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Field {
    fn new(plan: FieldPlan, queries: &[u64]) -> Self {
        let within = |most: u32| (0..1u64 << plan.bits).filter(move |mask| mask.count_ones() <= most);
        let lists: Vec<u64> = within(plan.listed).collect();
        let mut field =
            Self { plan, looks: within(plan.most - plan.listed).collect(), starts: Vec::new(), queries: Vec::new() };
        // Counts of their values become ends; filling each list from its end leaves the starts.
        let mut starts = vec![0u32; (1 << plan.bits) + 1];
        let keys = |query: u64| lists.iter().map(move |mask| (field_of(plan, query) ^ mask) as usize);
        queries.iter().flat_map(|&query| keys(query)).for_each(|key| starts[key] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        field.queries = vec![0; end as usize];
        for &query in queries.iter().rev() {
            for key in keys(query) {
                starts[key] -= 1;
                field.queries[starts[key] as usize] = query;
            }
        }
        field.starts = starts;
        field
    }

    /// Returns whether two fingerprints with this difference are found by the field.
    fn catches(&self, difference: u64) -> bool {
        field_of(self.plan, difference).count_ones() <= self.plan.most
    }

    /// Returns whether this is the one look-up that is to find a query with this difference: that of the lowest bits
    /// beyond those by which it is listed.
    fn is_looked_up_by(&self, look: u64, difference: u64) -> bool {
        let difference = field_of(self.plan, difference);
        let beyond = difference.count_ones().saturating_sub(self.plan.listed);
        let rest = (0..beyond).fold(difference, |rest, _| rest & rest.wrapping_sub(1));
        difference ^ rest == look
    }
}

#[inline(always)]
fn field_of(plan: FieldPlan, value: u64) -> u64 {
    value >> (plan.down & 63) & low_mask(plan.bits as u8)
}

/// The comparison of the queries of one look-up with each value; those within k bits are added to `met`.
struct Meet<'a> {
    field: &'a Field,
    look: u64,
    k: u32,
    values: &'a [u64],
    met: &'a mut Vec<(u64, u64)>,
}

impl Compute for Meet<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self) {
        let Self { field: Field { plan, starts, queries, .. }, look, k, values, met } = self;
        let key_of = |value: u64| (field_of(*plan, value) ^ look) as usize;
        for (position, &value) in values.iter().enumerate() {
            if let Some(&ahead) = values.get(position + AHEAD) {
                let first = starts[key_of(ahead)] as usize;
                (0..LINES).for_each(|line| prefetch(queries, first + line * PER_LINE));
            }
            let key = key_of(value);
            for &query in &queries[starts[key] as usize..starts[key + 1] as usize] {
                if (query ^ value).count_ones() <= k {
                    met.push((query, value));
                }
            }
        }
    }
}
