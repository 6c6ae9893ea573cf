//! Distribution of cluster sizes.

use std::collections::BTreeMap;

use nddb_dedup::{ClusterOptions, ClusterSummary, Collection, cluster};
use nddb_index::{Progress, Result, View};

/// Counts of star clusters by size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Number of clusters by their number of live documents, at least two. Documents without text form no cluster.
    pub clusters: BTreeMap<u64, u64>,
    /// Totals of the clustering.
    pub summary: ClusterSummary,
}

/// Clusters the documents of a collection, made by [`Collection::with_deleted`], and counts the clusters.
///
/// # Errors
/// Errors of [`cluster`].
pub fn sizes(
    view: View<'_>,
    collection: &Collection,
    options: &ClusterOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Sizes> {
    let made = cluster(view, collection, options, watch, &mut |_| Ok(()))?;
    let mut sizes = Sizes { clusters: BTreeMap::new(), summary: made.summary };
    made.each(collection, &mut |cluster| {
        if !cluster.empty {
            *sizes.clusters.entry(cluster.members.len() as u64).or_default() += 1;
        }
        Ok(())
    })?;
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use nddb_dedup::support::{database, named, options, pages};

    use super::*;

    #[test]
    fn every_clustered_document_is_counted_once() {
        let (folder, pages) = (tempfile::tempdir().expect("a folder"), pages(400, 1));
        let reader = database(folder.path(), &pages).expect("a database");
        for method in ["hamming", "b"] {
            let options = ClusterOptions::new(options(named(method)));
            let all = Collection::with_deleted(reader.view(), &options.pairs.resources, &mut |_| true).expect("read");
            let found = sizes(reader.view(), &all, &options, &mut |_| true).expect("measured");
            let made = cluster(reader.view(), &all, &options, &mut |_| true, &mut |_| Ok(())).expect("clustered");
            let mut want: BTreeMap<u64, u64> = BTreeMap::new();
            for founder in 0..all.len() {
                let size = (0..all.len()).filter(|&member| made.founder(member) == founder).count() as u64;
                if size > 1 && !all.row(founder).is_empty {
                    *want.entry(size).or_default() += 1;
                }
            }
            assert_eq!(found.clusters, want, "{method}");
            assert!(want.len() > 3 && found.summary == made.summary, "{method}");
        }
    }
}
