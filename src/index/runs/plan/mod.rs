//! The plan of a probe: which prefixes of which tables of a run to read, to find everything within K bits (Manku 2007,
//! 3.1; Norouzi, Punjani, Fleet 2012).
//!
//! A difference of at most K bits belongs to one table: at each level, to the one that leads with the groups that have
//! the fewest of these bits ([`Scheme::table_of`]). Tables and the errors in their leading groups form a tree, in which
//! each difference follows one path. At every node a plan either ends, and reads all values with the prefixes so far,
//! or goes on to the next groups, whichever is predicted to be cheaper. So each difference is found by one entry. If K
//! is at most k, no leading group has an error, and the entries are the tables of the paper.

use std::ops::{Range, RangeInclusive};

use nddb_format::fingerprint::low_mask;
use nddb_format::scheme::{Scheme, choices};

use super::planner::cost;
use crate::Result;

/// Maximum number of nodes that are examined; after that, every path ends where it is.
const NODES_MAX: usize = 1 << 12;
/// Number of entries decoded before a range, from the restart point before it.
const ENTRIES_BEFORE: f64 = 20.0;

/// Neighbouring leading bits of a table, and how many of them may differ.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LeadingBits {
    /// Number of bits after these.
    down: u32,
    width: u32,
    errors: RangeInclusive<u32>,
}

/// Prefixes to read in the first of some tables, which all lead with the same groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The tables whose differences these prefixes find.
    tables: Range<usize>,
    /// The groups with errors.
    groups: Vec<LeadingBits>,
    /// Mask of the bits after the prefix.
    free: u64,
}

/// The prefixes that find everything within a distance in one run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) entries: Vec<Entry>,
    /// Predicted time of a probe in memory.
    pub(crate) nanoseconds: f64,
}

impl Entry {
    /// Returns the table to read.
    #[inline]
    pub(crate) fn table(&self) -> usize {
        self.tables.start
    }

    /// Returns whether this entry, if it finds a fingerprint with this difference, is the one that reports it.
    pub(crate) fn reports(&self, scheme: &Scheme, difference: u64) -> bool {
        self.tables.contains(&scheme.table_of(difference))
    }

    /// Passes the least and the greatest value with each prefix, for a query in the bit order of the table.
    #[inline]
    pub(crate) fn each(&self, query: u64, visit: &mut impl FnMut(u64, u64) -> Result<()>) -> Result<()> {
        flip(&self.groups, query, &mut |value| visit(value & !self.free, value | self.free))
    }
}

/// Passes the value with every choice of differing bits.
fn flip(groups: &[LeadingBits], value: u64, visit: &mut impl FnMut(u64) -> Result<()>) -> Result<()> {
    let Some((group, rest)) = groups.split_first() else { return visit(value) };
    for errors in group.errors.clone() {
        let mut bits = low_mask(errors as u8);
        while bits <= low_mask(group.width as u8) {
            flip(rest, value ^ bits << group.down, visit)?;
            // The next number with as many bits.
            let Some(carried) = bits.checked_add(bits & bits.wrapping_neg()).filter(|_| errors > 0) else { break };
            bits = carried | (carried ^ bits).checked_shr(2 + bits.trailing_zeros()).unwrap_or(0);
        }
    }
    Ok(())
}

impl LeadingBits {
    /// Returns the number of choices of differing bits.
    fn choices(&self) -> f64 {
        self.errors.clone().map(|errors| choices(self.width as usize, errors as usize) as f64).sum()
    }
}

impl Plan {
    /// Makes the cheapest plan for a run of `stored` fingerprints; `has_filter` tells of which tables.
    pub(crate) fn new(scheme: &Scheme, within: u32, stored: u64, has_filter: &dyn Fn(usize) -> bool) -> Self {
        let mut planner = Planner { scheme, stored: stored as f64, has_filter, nodes: 0 };
        let mut root = Node { tables: 0..scheme.tables().len(), budget: within, ..Node::default() };
        let mut entries = Vec::new();
        if within == 0 {
            // All bits of the fingerprint are known.
            root.groups.push(planner.group(&root, scheme.bits().into(), 0..=0));
            root.level = scheme.levels().len();
        }
        let nanoseconds = planner.best(&root, &mut entries);
        Self { entries, nanoseconds }
    }
}

/// A node of the tree: the tables that lead with some groups, and the errors in these.
#[derive(Clone, Default)]
struct Node {
    tables: Range<usize>,
    groups: Vec<LeadingBits>,
    level: usize,
    /// The part that the level cuts.
    part: usize,
    /// Greatest number of errors in this part.
    budget: u32,
    /// The groups chosen at this level, and their errors.
    chosen: Vec<(u32, usize)>,
}

struct Planner<'a> {
    scheme: &'a Scheme,
    stored: f64,
    has_filter: &'a dyn Fn(usize) -> bool,
    nodes: usize,
}

impl Planner<'_> {
    /// Appends the cheapest entries for all differences that reach a node. Returns their cost.
    fn best(&mut self, node: &Node, entries: &mut Vec<Entry>) -> f64 {
        self.nodes += 1;
        let (whole, start, k) = (self.cost(node), entries.len(), usize::from(self.scheme.k()));
        if node.level == self.scheme.levels().len() || self.nodes > NODES_MAX {
            entries.push(self.end(node));
            return whole;
        }
        let masks = self.scheme.groups(node.level, node.part);
        let left = masks.len() - k - node.chosen.len();
        let next = node.chosen.last().map_or(0, |&(_, group)| group + 1);
        let below = node.tables.len() / choices(masks.len() - next, left);
        let (mut sum, mut table) = (0.0, node.tables.start);
        for group in next..=masks.len() - left {
            let width = masks[group].count_ones();
            let tables = table..table + below * choices(masks.len() - group - 1, left - 1);
            table = tables.end;
            let (from, mut exact, mut most) = (entries.len(), 0.0, 0);
            for errors in 0..=width.min(node.budget) {
                let mut child = Node { tables: tables.clone(), ..node.clone() };
                child.groups.push(self.group(node, width, errors..=errors));
                child.chosen.push((errors, group));
                if !child.is_possible(masks, k) {
                    continue;
                }
                if left == 1 {
                    child.complete(self.scheme);
                }
                exact += self.best(&child, entries);
                most = errors;
            }
            sum += match self.shortened(node, tables, width, most) {
                Some((entry, cost)) if cost < exact => {
                    entries.truncate(from);
                    entries.push(entry);
                    cost
                }
                _ => exact,
            };
            if sum >= whole {
                entries.truncate(start);
                entries.push(self.end(node));
                return whole;
            }
        }
        sum
    }

    /// Returns the cheapest entry that reads the first bits of the next group with up to `most` errors, and its cost.
    fn shortened(&self, node: &Node, tables: Range<usize>, width: u32, most: u32) -> Option<(Entry, f64)> {
        let of_width = |bits: u32| {
            let mut ball = Node { tables: tables.clone(), ..node.clone() };
            ball.groups.push(self.group(node, bits, 0..=most.min(bits)));
            (self.end(&ball), self.cost(&ball))
        };
        // Without errors, the whole group is as cheap.
        (1..width).filter(|_| most > 0).map(of_width).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Returns the number of bits after the groups of a node.
    fn free(&self, node: &Node) -> u32 {
        node.groups.last().map_or(self.scheme.bits().into(), |group| group.down)
    }

    /// Returns the group of `width` bits after those of a node.
    fn group(&self, node: &Node, width: u32, errors: RangeInclusive<u32>) -> LeadingBits {
        LeadingBits { down: self.free(node) - width, width, errors }
    }

    /// Returns the entry of a path that ends at a node.
    fn end(&self, node: &Node) -> Entry {
        let free = low_mask(self.free(node) as u8);
        let with_errors = node.groups.iter().filter(|group| *group.errors.end() > 0);
        Entry { tables: node.tables.clone(), groups: with_errors.cloned().collect(), free }
    }

    /// Returns the predicted time in nanoseconds to read all values with the prefixes of a node.
    fn cost(&self, node: &Node) -> f64 {
        let prefixes: f64 = node.groups.iter().map(LeadingBits::choices).product();
        let prefix = u32::from(self.scheme.bits()) - self.free(node);
        let entries = self.stored * (-f64::from(prefix)).exp2();
        let step = if prefix > 0 { cost::ENTRY_NS } else { cost::SCAN_NS };
        let found = cost::MISS_NS + cost::STEP_NS * ENTRIES_BEFORE;
        let table = node.tables.start;
        let look_up = if prefix == u32::from(self.scheme.tables()[table].prefix()) && (self.has_filter)(table) {
            cost::FILTER_NS - (-entries).exp_m1() * found
        } else {
            found
        };
        prefixes * (look_up + step * entries)
    }
}

impl Node {
    /// Returns whether a difference may reach the node: the groups that are not chosen have at least as many errors as
    /// each chosen one, and more than a later one. Until all are chosen, this is a lower bound.
    fn is_possible(&self, masks: &[u64], k: usize) -> bool {
        let Some(&(most, last)) = self.chosen.iter().max() else { return true };
        let sum: u32 = self.chosen.iter().map(|&(errors, _)| errors).sum();
        if self.chosen.len() + k < masks.len() {
            return sum + most * k as u32 <= self.budget;
        }
        let others = (0..masks.len()).filter(|group| self.chosen.iter().all(|(_, chosen)| chosen != group));
        let mut least = others.map(|group| (most + u32::from(group < last), masks[group].count_ones()));
        least
            .try_fold(sum, |sum, (errors, width)| (errors <= width).then_some(sum + errors))
            .is_some_and(|sum| sum <= self.budget)
    }

    /// Moves to the next level, once all groups of this one are chosen.
    fn complete(&mut self, scheme: &Scheme) {
        let chosen: Vec<usize> = self.chosen.iter().map(|&(_, group)| group).collect();
        self.part = scheme.part_of(self.level, self.part, &chosen);
        self.level += 1;
        self.budget -= self.chosen.drain(..).map(|(errors, _)| errors).sum::<u32>();
    }
}

#[cfg(test)]
mod tests;
