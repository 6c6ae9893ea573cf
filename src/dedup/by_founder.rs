//! Documents by the founder of their group or cluster.

use std::path::PathBuf;

use nddb_index::Result;
use nddb_index::spill::resources::Resources;
use nddb_index::spill::sort::Sorter;

use crate::collection::Collection;

/// Collects the members of groups.
pub(crate) struct ByFounder<'a> {
    collection: &'a Collection,
    sorter: Sorter<1>,
    folder: PathBuf,
}

impl<'a> ByFounder<'a> {
    /// Returns groups without members. Sorting takes one of so many `shares` of the memory limit.
    pub(crate) fn new(collection: &'a Collection, resources: &Resources, shares: u64) -> Self {
        let sorter = Sorter::new(&resources.folder, resources.memory_limit / shares);
        Self { collection, sorter, folder: resources.folder.clone() }
    }

    /// Adds a member to the group of a founder, both by ordinal.
    pub(crate) fn push(&mut self, founder: u32, member: u32) -> Result<()> {
        let rank = |ordinal: u32| u64::from(self.collection.row(ordinal).rank);
        self.sorter.push([rank(founder) << 32 | rank(member)])
    }

    /// Returns each founder with its members, by ordinal, in bytewise order of their ids.
    pub(crate) fn finish(self) -> Result<impl Iterator<Item = (u32, Vec<u32>)> + use<'a>> {
        let (collection, mut index) = (self.collection, 0);
        let rows = self.sorter.finish().indexed(&self.folder)?;
        Ok(std::iter::from_fn(move || {
            let founder = rows.get(index)?[0] >> 32;
            let mut members = Vec::new();
            while let Some([row]) = rows.get(index).filter(|[row]| row >> 32 == founder) {
                members.push(collection.at_rank(row as u32));
                index += 1;
            }
            Some((collection.at_rank(founder as u32), members))
        }))
    }
}
