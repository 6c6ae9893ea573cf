//! Output lines of groups.

use fixedbitset::FixedBitSet;
use nddb_index::Result;
use nddb_index::spill::resources::Resources;
use nddb_index::spill::sort::Sorter;

use crate::collection::Collection;
use crate::collection::classes::Classes;
use crate::pair::{Cut, Group, Kind, Line, PairSummary};

/// The data from which group lines are made.
pub(crate) struct Groups<'a> {
    pub(crate) collection: &'a Collection,
    pub(crate) classes: &'a Classes,
    /// Documents that could not be verified against the founder of their hot group; `None` without verification.
    pub(crate) unverified: Option<&'a FixedBitSet>,
    /// Group limit, in members: a larger group is flagged.
    pub(crate) limit: usize,
    pub(crate) resources: &'a Resources,
}

impl Groups<'_> {
    /// Passes the lines of all groups to `emit`, sorted by kind, then bytewise by the id of the founder.
    pub(crate) fn emit(
        &self,
        cuts: &[Cut],
        summary: &mut PairSummary,
        emit: &mut dyn FnMut(Line<'_>) -> Result<()>,
    ) -> Result<()> {
        let Self { collection, classes, .. } = *self;
        let all = || 0..collection.len();
        let is_one = |ordinal: u32| collection.representative(ordinal) == ordinal;
        let identity = all().map(|ordinal| (collection.representative(ordinal), ordinal));
        let hot = all().filter(|&ordinal| is_one(ordinal)).map(|ordinal| (classes.leader(ordinal), ordinal));
        let mut first_empty = None;
        let empty = all().filter(|&ordinal| collection.row(ordinal).is_empty);
        let empty = empty.map(|ordinal| (*first_empty.get_or_insert(ordinal), ordinal));
        let mut count = |group: Group<'_>| {
            match group.kind {
                Kind::Identity => summary.identity_groups += 1,
                Kind::Hot => summary.hot_groups += 1,
                Kind::Star => summary.stars += 1,
                Kind::Empty => (),
            }
            summary.flagged += u64::from(group.flagged);
            summary.unverified_members += group.unverified;
            emit(Line::Group(group))
        };
        self.each(Kind::Identity, identity, &mut count)?;
        self.each(Kind::Hot, hot, &mut count)?;
        let mut stars: Vec<(u32, &Cut)> = cuts.iter().map(|cut| (collection.row(cut.founder).rank, cut)).collect();
        stars.sort_unstable();
        for (_, cut) in stars {
            let (founder, len) = (cut.founder, cut.len);
            count(Group { kind: Kind::Star, founder, members: &[], len, flagged: true, unverified: 0 })?;
        }
        self.each(Kind::Empty, empty, &mut count)
    }

    /// Passes on the groups of at least two documents, given the founder of each document.
    fn each(
        &self,
        kind: Kind,
        documents: impl Iterator<Item = (u32, u32)>,
        emit: &mut dyn FnMut(Group<'_>) -> Result<()>,
    ) -> Result<()> {
        let Self { collection, limit, resources, .. } = *self;
        let mut sorter = Sorter::<1>::new(&resources.folder, resources.memory_limit / 2);
        let rank = |ordinal: u32| u64::from(collection.row(ordinal).rank);
        for (founder, member) in documents.filter(|(founder, member)| founder != member) {
            sorter.push([rank(founder) << 32 | rank(member)])?;
        }
        let mut end = |founder: u32, members: &mut Vec<u32>| {
            let index = members.partition_point(|&member| rank(member) < rank(founder));
            members.insert(index, founder);
            let len = members.len() as u64;
            let unread =
                |&&member: &&u32| self.unverified.is_some_and(|unverified| unverified.contains(member as usize));
            let unverified = if kind == Kind::Hot { members.iter().filter(unread).count() as u64 } else { 0 };
            emit(Group { kind, founder, members, len, flagged: len > limit as u64, unverified })
        };
        let (mut last, mut members) = (None, Vec::new());
        sorter.finish().each(&mut |rows| {
            for [row] in rows {
                let founder = collection.at_rank((row >> 32) as u32);
                if let Some(last) = last.replace(founder).filter(|&last| last != founder) {
                    end(last, &mut members)?;
                    members.clear();
                }
                members.push(collection.at_rank(*row as u32));
            }
            Ok(())
        })?;
        last.map_or(Ok(()), |last| end(last, &mut members))
    }
}
