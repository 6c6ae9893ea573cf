//! Which documents of an input are removed, and what was passed on.

use super::lists::{Cluster, Clusters, RemoveList};

/// Which documents are removed, and the clusters if they are asked for.
pub(super) struct Selection {
    pub(super) list: RemoveList,
    pub(super) clusters: Option<Clusters>,
}

impl Selection {
    pub(super) fn takes(&mut self, id: &str) -> bool {
        self.list.takes(id)
    }

    /// Whether a document is removed; it is not counted as found.
    pub(super) fn has(&self, id: &str) -> bool {
        self.list.has(id)
    }

    pub(super) fn cluster_of(&self, id: &str) -> Option<&Cluster> {
        self.clusters.as_ref().and_then(|clusters| clusters.of(id))
    }
}

/// What was passed on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Documents with an id.
    pub(super) rows: u64,
    pub(super) removed: u64,
    /// Records of any kind, where the input has records.
    pub(super) records: u64,
    /// Records that are no documents and belong to removed ones.
    pub(super) related: u64,
    /// Lines and records without an id, or unreadable: kept.
    pub(super) without_id: u64,
    /// Bytes read.
    pub(super) bytes: u64,
    /// Records were compressed anew.
    pub(super) repacked: bool,
}

impl Counts {
    pub(super) fn add(&mut self, is_removed: bool) {
        self.rows += 1;
        self.removed += u64::from(is_removed);
    }

    pub(super) fn join(&mut self, other: &Counts) {
        self.rows += other.rows;
        self.removed += other.removed;
        self.records += other.records;
        self.related += other.related;
        self.without_id += other.without_id;
        self.bytes += other.bytes;
        self.repacked |= other.repacked;
    }
}
