//! The documents that a clustering removes.

use nddb::detect::{Clusters, Collection, PairOptions, stored_pair};

use super::Removed;

/// Passes on the documents that a clustering removes, in bytewise order of their ids. Memory: 8
/// bytes each.
pub(crate) fn of_clusters(
    collection: &Collection,
    options: &PairOptions,
    made: &Clusters,
    emit: &mut dyn FnMut(&Removed<'_>) -> nddb::Result<()>,
) -> nddb::Result<()> {
    let mut removed = Vec::new();
    made.each(collection, &mut |cluster| {
        for &member in cluster.members {
            let rank = collection.row(member).rank;
            if made.is_removed(rank) {
                removed.push((rank, made.kept_for(member, cluster.kept)));
            }
        }
        Ok(())
    })?;
    removed.sort_unstable();
    for (rank, kept) in removed {
        let member = collection.at_rank(rank);
        let pair = stored_pair(collection, options, kept, member);
        let [id, kept] = [member, kept].map(|ordinal| collection.id(ordinal));
        emit(&Removed::of_pair(id, kept, pair.as_ref(), options.method.name()))?;
    }
    Ok(())
}
