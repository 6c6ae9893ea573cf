//! The copies in the clusters of a database, and in the list of what a clustering removes.

use std::path::Path;

use nddb_dedup::{Clusters, Collection};
use nddb_index::View;

use super::clusters::each_removed;
use super::list::RemoveTsv;
use crate::copies::Copies;
use crate::error::Result;
use crate::named_id::{NamedId, hash, resolved};

/// Counts the copies in clusters of a collection of this view; documents are named by their ordinals.
///
/// # Errors
/// Damage of the database; errors of the disk.
pub fn copies_of_clusters(view: View<'_>, collection: &Collection, made: &Clusters) -> nddb_index::Result<Copies<u32>> {
    let mut copies = Copies::new(view)?;
    let batch = |ordinal: u32| collection.row(ordinal).batch;
    each_removed(collection, made, &mut |removed, kept| {
        copies.remove(removed);
        kept.map_or(Ok(()), |kept| copies.add(kept, batch(removed), || Ok(batch(kept))))
    })?;
    Ok(copies.sorted())
}

/// Counts the copies in the folder that `nddb cluster` wrote about this database; documents are named by the
/// [hashes](hash) of their ids.
///
/// # Errors
/// As [`RemoveTsv::read`].
pub(crate) fn copies_of_folder(folder: &Path, view: View<'_>) -> Result<Copies<u128>> {
    let mut copies = Copies::new(view)?;
    RemoveTsv::read(&folder.join("remove.tsv"), &mut |named, because, _| {
        add_copy(&mut copies, &named, because.kept, view)
    })?;
    Ok(copies.sorted())
}

/// Counts a document that a clustering removes, in favour of the one in a cell of its table.
pub(crate) fn add_copy(copies: &mut Copies<u128>, named: &NamedId, kept: Option<&str>, view: View<'_>) -> Result<()> {
    let batch = |id: &str| Ok(view.get(id)?.and_then(|stored| stored.record.batch));
    let removed = resolved(named, view)?;
    copies.remove(hash(&removed));
    let Some(kept) = kept.and_then(NamedId::of_cell) else { return Ok(()) };
    let kept = resolved(&kept, view)?;
    copies.add(hash(&kept), batch(&removed)?, || batch(&kept))
}
