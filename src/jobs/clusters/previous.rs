//! Comparison with the clusters of an earlier run.

use std::collections::{BTreeSet, HashSet};
use std::io::BufRead;
use std::path::{Path, PathBuf};

use nddb_dedup::{Clusters, Collection};
use serde_json::Value;

use super::ListFile;
use crate::error::{JobError, Result};
use crate::named_id::NamedId;
use crate::rows::write_id;
use crate::{json, lists, tsv};

/// The clusters of an earlier run.
pub struct PreviousClusters {
    path: PathBuf,
    lines: Box<dyn BufRead>,
    keep: PathBuf,
    named: Vec<NamedId>,
}

impl PreviousClusters {
    /// Opens the lists of a folder before anything is written: the new ones may go to the same folder.
    ///
    /// # Errors
    /// `clusters.jsonl` or `keep.txt` cannot be read.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join("clusters.jsonl");
        let lines = lists::lines(&path)?;
        let keep = folder.join("keep.txt");
        let named = lists::ids(&keep)?;
        Ok(Self { path, lines, keep, named })
    }

    /// Returns the documents that the earlier run kept and that are there, in its order.
    pub(super) fn kept(&self, collection: &Collection) -> Result<Vec<u32>> {
        let mut kept = Vec::new();
        for named in &self.named {
            let id = named.find(&mut |id| Ok(collection.find(id).is_some()));
            let id = id.map_err(|source| JobError::Listed { list: self.keep.clone(), source })?;
            kept.extend(id.and_then(|id| collection.find(&id)));
        }
        Ok(kept)
    }

    /// Writes the ids of these kept documents that this run removes.
    pub(super) fn flipped(mut file: ListFile, kept: &[u32], collection: &Collection, made: &Clusters) -> Result<()> {
        let mut out = Vec::new();
        for &ordinal in kept.iter().filter(|&&ordinal| made.is_removed(collection.row(ordinal).rank)) {
            write_id(&mut out, collection, ordinal);
            out.push(b'\n');
        }
        file.write(&out)?;
        file.finish(Ok(()))
    }

    /// Writes a line for each earlier cluster whose id no cluster has now, and each cluster that one of its
    /// documents is in: the old id and the new one, sorted.
    pub(super) fn renamed(self, mut file: ListFile, collection: &Collection, made: &Clusters) -> Result<()> {
        let mut founders = HashSet::new();
        made.each(collection, &mut |cluster| {
            founders.insert(cluster.founder);
            Ok(())
        })?;
        let is_there = |id: &str| collection.find(id).is_some_and(|ordinal| founders.contains(&ordinal));
        let mut renamed: BTreeSet<(String, u32)> = BTreeSet::new();
        for (number, line) in self.lines.lines().enumerate() {
            let malformed = || JobError::input(format!("{}:{}: not a cluster", self.path.display(), number + 1));
            let line = line.map_err(|error| JobError::reading(&self.path, &error))?;
            let mut value: Value = serde_json::from_str(&line).map_err(|_| malformed())?;
            let old = json::id_of(value["cluster"].take()).map_err(|_| malformed())?;
            if is_there(&old) {
                continue;
            }
            for member in value["members"].as_array_mut().ok_or_else(malformed)? {
                let member = collection.find(&json::id_of(member.take()).map_err(|_| malformed())?);
                let new = member.map(|member| made.founder(member)).filter(|founder| founders.contains(founder));
                renamed.extend(new.map(|new| (old.clone(), collection.row(new).rank)));
            }
        }
        let mut out = b"old\tnew\n".to_vec();
        for (old, new) in renamed {
            tsv::write_id(&mut out, &old, collection.has_namesake(&old));
            out.push(b'\t');
            write_id(&mut out, collection, collection.at_rank(new));
            out.push(b'\n');
        }
        file.write(&out)?;
        file.finish(Ok(()))
    }
}
