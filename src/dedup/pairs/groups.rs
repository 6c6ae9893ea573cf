//! Groups of documents, in the order of output lines.

use nddb_index::Result;

use super::PairJob;
use crate::by_founder::ByFounder;
use crate::collection::Collection;
use crate::options::PairOptions;
use crate::pair::{Cut, Group, GroupKind, PairSummary};

/// Returns all groups of the documents among which pairs were found, sorted by kind, then bytewise by the id of the
/// founder; there are none with `expand`.
pub(super) fn groups<'a>(
    found: &PairJob,
    collection: &'a Collection,
    options: &'a PairOptions,
) -> Result<impl Iterator<Item = Group> + use<'a>> {
    let documents = || (0..collection.len()).filter(|_| !options.expand);
    let of_kind = |kind, documents: &mut dyn Iterator<Item = _>| of_kind(kind, documents, collection, options);
    let identity = &mut documents().map(|ordinal| (collection.representative(ordinal), ordinal));
    let identity = of_kind(GroupKind::Identity, identity)?;
    let is_one = |ordinal: &u32| collection.representative(*ordinal) == *ordinal;
    let hot = &mut documents().filter(is_one).map(|ordinal| (found.classes.leader(ordinal), ordinal));
    let hot = of_kind(GroupKind::Hot, hot)?;
    let mut first = None;
    let empty = documents().filter(|&ordinal| collection.row(ordinal).is_empty);
    let empty = of_kind(GroupKind::Empty, &mut empty.map(|ordinal| (*first.get_or_insert(ordinal), ordinal)))?;
    let unverified = found.unverified.clone();
    let hot = hot.map(move |group| {
        let is_unread = |&&member: &&u32| unverified.as_ref().is_some_and(|all| all.contains(member as usize));
        Group { unverified: group.members.iter().filter(is_unread).count() as u64, ..group }
    });
    let mut cuts: Vec<_> = found.cuts.iter().filter(|_| !options.expand).collect();
    cuts.sort_unstable_by_key(|cut| (collection.row(cut.founder).rank, *cut));
    let star = |&&Cut { founder, len, .. }: &&Cut| Group {
        kind: GroupKind::Star,
        founder,
        members: Vec::new(),
        len,
        flagged: true,
        unverified: 0,
    };
    let stars: Vec<Group> = cuts.iter().map(star).collect();
    Ok(identity.chain(hot).chain(stars).chain(empty))
}

/// Returns the groups of at least two documents, given the founder of each document.
fn of_kind<'a>(
    kind: GroupKind,
    documents: &mut dyn Iterator<Item = (u32, u32)>,
    collection: &'a Collection,
    options: &'a PairOptions,
) -> Result<impl Iterator<Item = Group> + use<'a>> {
    let mut groups = ByFounder::new(collection, &options.resources, 6);
    documents
        .filter(|(founder, member)| founder != member)
        .try_for_each(|(founder, member)| groups.push(founder, member))?;
    let limit = options.group_limit as u64;
    Ok(groups.finish()?.map(move |(founder, mut members)| {
        let rank = |ordinal: u32| collection.row(ordinal).rank;
        let index = members.partition_point(|&member| rank(member) < rank(founder));
        members.insert(index, founder);
        let len = members.len() as u64;
        Group { kind, founder, members, len, flagged: len > limit, unverified: 0 }
    }))
}

impl PairSummary {
    /// Counts a group.
    pub(super) fn count(&mut self, group: &Group) {
        match group.kind {
            GroupKind::Identity => self.identity_groups += 1,
            GroupKind::Hot => self.hot_groups += 1,
            GroupKind::Star => self.stars += 1,
            GroupKind::Empty => (),
        }
        self.flagged += u64::from(group.flagged);
        self.unverified_members += group.unverified;
    }
}
