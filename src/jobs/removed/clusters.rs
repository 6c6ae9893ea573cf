//! The documents that a clustering removes.

use nddb_dedup::{Clusters, Collection, PairOptions, stored_pair};
use nddb_index::View;

use super::Removed;
use super::origins::Origins;

/// Passes on the members of clusters that are removed, each with the document that is kept in its place, by ordinal.
pub(super) fn each_removed(
    collection: &Collection,
    made: &Clusters,
    emit: &mut dyn FnMut(u32, Option<u32>) -> nddb_index::Result<()>,
) -> nddb_index::Result<()> {
    let is_removed = |ordinal: u32| made.is_removed(collection.row(ordinal).rank);
    made.each(collection, &mut |cluster| {
        cluster.members.iter().filter(|&&member| is_removed(member)).try_for_each(|&member| {
            // A list may remove the document, too, because of which this one is removed.
            emit(member, Some(made.kept_for(member, cluster.kept)).filter(|&kept| !is_removed(kept)))
        })
    })
}

/// Passes on the documents that a clustering removes, in bytewise order of their ids, with their origins if a view is
/// given. Memory: 12 bytes for each document in a cluster, and 56 for each origin.
///
/// # Errors
/// Damage of the database; errors of the disk; whatever `emit` returns.
pub fn of_clusters(
    collection: &Collection,
    options: &PairOptions,
    made: &Clusters,
    origins: Option<View<'_>>,
    emit: &mut dyn FnMut(&Removed<'_>) -> nddb_index::Result<()>,
) -> nddb_index::Result<()> {
    let mut removed = Vec::new();
    each_removed(collection, made, &mut |member, kept| {
        removed.push((collection.row(member).rank, kept));
        Ok(())
    })?;
    removed.sort_unstable();
    let goes = |rank: u32| made.is_removed(rank) && !collection.row(collection.at_rank(rank)).is_deleted;
    let number = |rank: u32| collection.row(collection.at_rank(rank)).number;
    let numbers = || (0..collection.len()).filter(|&rank| goes(rank)).map(number).collect();
    let origins = origins.map(|view| Origins::read(view, numbers(), options.resources.threads)).transpose()?;
    let mut clustered = removed.into_iter().peekable();
    for rank in 0..collection.len() {
        let kept = clustered.next_if(|&(of, _)| of == rank).and_then(|(_, kept)| kept);
        if !goes(rank) {
            continue;
        }
        let member = collection.at_rank(rank);
        let id = collection.id(member);
        let found = match kept {
            None => Removed::listed(id),
            Some(kept) => {
                let pair = stored_pair(collection, options, kept, member);
                let loss = (made.loss(member), made.least_level(member));
                Removed::of_pair(id, collection.id(kept), pair.as_ref(), loss, options.method.name())
            }
        };
        let origin = origins.as_ref().map(|origins| origins.of(number(rank)));
        emit(&found.at(origin.unwrap_or_default()))?;
    }
    Ok(())
}
