//! What a clustering says of documents: which are removed, and the cluster of each.

use std::io::BufRead;
use std::path::Path;

use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_128;

use crate::failure::{Failure, Result};
use crate::inputs;

/// The ids to remove. Memory: 17 bytes an id.
pub(super) struct RemoveList {
    /// Hashes of the ids, ascending.
    hashes: Vec<u128>,
    is_found: Vec<bool>,
}

impl RemoveList {
    /// Reads a list as `nddb cluster` writes it.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let mut hashes = Vec::new();
        inputs::each_id(path, &mut |id| {
            hashes.push(hash(&id));
            Ok(())
        })?;
        hashes.sort_unstable();
        hashes.dedup();
        let is_found = vec![false; hashes.len()];
        Ok(Self { hashes, is_found })
    }

    /// Returns whether a document is to be removed, and remembers that it was found.
    pub(super) fn takes(&mut self, id: &str) -> bool {
        match self.hashes.binary_search(&hash(id)) {
            Ok(index) => {
                self.is_found[index] = true;
                true
            }
            Err(_) => false,
        }
    }

    /// Returns whether a document is to be removed.
    pub(super) fn has(&self, id: &str) -> bool {
        self.hashes.binary_search(&hash(id)).is_ok()
    }

    /// Returns the number of ids.
    pub(super) fn len(&self) -> u64 {
        self.hashes.len() as u64
    }

    /// Returns the number of ids that were asked for.
    pub(super) fn found(&self) -> u64 {
        self.is_found.iter().filter(|found| **found).count() as u64
    }
}

/// The clusters of documents. Memory: 32 bytes a document, and the ids of the clusters.
pub(super) struct Clusters {
    /// Hashes of the ids of members, ascending, with the index of their cluster.
    members: Vec<(u128, u32)>,
    clusters: Vec<Cluster>,
}

/// A cluster.
#[derive(Deserialize)]
pub(super) struct Cluster {
    /// The id of its founder.
    #[serde(rename = "cluster")]
    pub(super) id: String,
    /// Number of its members.
    pub(super) size: u64,
}

/// A line of `clusters.jsonl`.
#[derive(Deserialize)]
struct Line {
    #[serde(flatten)]
    cluster: Cluster,
    members: Vec<String>,
}

impl Clusters {
    /// Reads the clusters that `nddb cluster` writes.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let mut read = Self { members: Vec::new(), clusters: Vec::new() };
        for (number, line) in (1..).zip(inputs::lines(path)?.lines()) {
            let line = line.map_err(|error| Failure::reading(path, &error))?;
            let line: Line = serde_json::from_str(&line).map_err(|error| {
                Failure::failed(format!("{}: line {number} is no line of clusters.jsonl: {error}", path.display()))
            })?;
            let index = u32::try_from(read.clusters.len())
                .map_err(|_| Failure::failed(format!("{}: more than 2^32 clusters", path.display())))?;
            read.members.extend(line.members.iter().map(|id| (hash(id), index)));
            read.clusters.push(line.cluster);
        }
        read.members.sort_unstable();
        Ok(read)
    }

    /// Returns the cluster of a document; `None` if it is in none.
    pub(super) fn of(&self, id: &str) -> Option<&Cluster> {
        let index = self.members.binary_search_by_key(&hash(id), |member| member.0).ok()?;
        self.clusters.get(self.members[index].1 as usize)
    }
}

/// 128 bits distinguish more ids than there are documents.
fn hash(id: &str) -> u128 {
    xxh3_128(id.as_bytes())
}
