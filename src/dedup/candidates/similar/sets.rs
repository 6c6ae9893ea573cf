//! Merging of posting lists to perhaps-similar sets.

use std::collections::HashMap;

use fixedbitset::FixedBitSet;
use nddb_index::Result;
use nddb_index::spill::resources::Resources;
use nddb_verdict::SetOptions;

use super::lists::{Key, Lists, Signed, key};
use crate::text_summary::SetSummary;

/// Perhaps-similar sets.
pub struct Sets {
    lists: Lists,
    /// First row and length of the list of each representative.
    indexes: HashMap<u32, (usize, usize)>,
    /// Representatives in descending order of their keys.
    order: Vec<u32>,
}

impl Sets {
    /// Returns the sets of the documents that `takes` accepts; `site` returns the site of a document.
    pub fn new(
        signed: Signed,
        options: &SetOptions,
        resources: &Resources,
        takes: &dyn Fn(u32) -> bool,
        site: &dyn Fn(u32) -> Option<u32>,
        summary: &mut SetSummary,
    ) -> Result<Self> {
        let lists = Lists::new(signed, options, resources, takes, site, summary)?;
        let mut indexes: HashMap<u32, (usize, usize)> = HashMap::new();
        for (index, [row]) in (0..).zip(lists.rows.iter()) {
            indexes.entry((row >> 32) as u32).or_insert((index, 0)).1 += 1;
        }
        let mut order: Vec<u32> = indexes.keys().copied().collect();
        order.sort_unstable_by_key(|&ordinal| std::cmp::Reverse(key(&lists.weights, ordinal)));
        Ok(Self { lists, indexes, order })
    }

    /// Returns the sort key of a document.
    fn key(&self, ordinal: u32) -> Key {
        key(&self.lists.weights, ordinal)
    }

    /// Returns the members of a list except its representative; empty if the document represents no list.
    fn list(&self, representative: u32) -> impl Iterator<Item = u32> + '_ {
        let (start, len) = self.indexes.get(&representative).copied().unwrap_or_default();
        (start..start + len).map(|index| self.lists.rows.row(index)[0] as u32)
    }

    /// Passes each set to `visit`, its members in descending order of their keys.
    pub fn each(&self, visit: &mut dyn FnMut(&[u32]) -> Result<()>) -> Result<()> {
        let mut merged = FixedBitSet::with_capacity(self.lists.weights.len());
        let mut set: Vec<u32> = Vec::new();
        for &first in &self.order {
            if merged.contains(first as usize) {
                continue;
            }
            merged.insert(first as usize);
            set.clear();
            set.push(first);
            let mut waiting = vec![first];
            while let Some(representative) = waiting.pop() {
                for member in self.list(representative) {
                    set.push(member);
                    if self.indexes.contains_key(&member) && !merged.contains(member as usize) {
                        merged.insert(member as usize);
                        waiting.push(member);
                    }
                }
            }
            set.sort_unstable_by_key(|&ordinal| std::cmp::Reverse(self.key(ordinal)));
            set.dedup();
            visit(&set)?;
        }
        Ok(())
    }
}
