//! The documents that a clustering removes.

use nddb::detect::{Clusters, Collection, PairOptions, stored_pair};

use super::Removed;

/// Passes on the documents that a clustering removes, in bytewise order of their ids. Memory: 12
/// bytes for each one in a cluster.
pub(crate) fn of_clusters(
    collection: &Collection,
    options: &PairOptions,
    made: &Clusters,
    emit: &mut dyn FnMut(&Removed<'_>) -> nddb::Result<()>,
) -> nddb::Result<()> {
    let mut removed = Vec::new();
    let is_removed = |ordinal: u32| made.is_removed(collection.row(ordinal).rank);
    made.each(collection, &mut |cluster| {
        for &member in cluster.members.iter().filter(|&&member| is_removed(member)) {
            // A list may remove the document, too, because of which this one is removed.
            let kept = Some(made.kept_for(member, cluster.kept)).filter(|&kept| !is_removed(kept));
            removed.push((collection.row(member).rank, kept));
        }
        Ok(())
    })?;
    removed.sort_unstable();
    let mut clustered = removed.into_iter().peekable();
    for rank in 0..collection.len() {
        let member = collection.at_rank(rank);
        let kept = clustered.next_if(|&(of, _)| of == rank).and_then(|(_, kept)| kept);
        if !made.is_removed(rank) || collection.row(member).is_deleted {
            continue;
        }
        let Some(kept) = kept else {
            emit(&Removed::listed(collection.id(member)))?;
            continue;
        };
        let pair = stored_pair(collection, options, kept, member);
        let [id, kept] = [member, kept].map(|ordinal| collection.id(ordinal));
        emit(&Removed::of_pair(id, kept, pair.as_ref(), options.method.name()))?;
    }
    Ok(())
}
