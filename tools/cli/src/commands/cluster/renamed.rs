//! Comparison with the clusters of an earlier run.

use std::collections::{BTreeSet, HashSet};
use std::io::BufRead;
use std::path::{Path, PathBuf};

use nddb::detect::{Clusters, Collection};
use nddb_jobs::rows::write_id;
use nddb_jobs::{NamedId, json, lists, tsv};
use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::output::Output;

/// The clusters of an earlier run.
pub(super) struct Previous {
    path: PathBuf,
    lines: Box<dyn BufRead>,
    keep: PathBuf,
    named: Vec<NamedId>,
}

impl Previous {
    /// Opens them before anything is written: the new ones may go to the same folder.
    pub(super) fn open(folder: &Path) -> Result<Self> {
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
            let id = id.map_err(|error| Failure::from(error).about(&self.keep))?;
            kept.extend(id.and_then(|id| collection.find(&id)));
        }
        Ok(kept)
    }

    /// Writes the ids of these kept documents that this run removes.
    pub(super) fn flipped(mut output: Output, kept: &[u32], collection: &Collection, made: &Clusters) -> Result<()> {
        let mut out = Vec::new();
        for &ordinal in kept.iter().filter(|&&ordinal| made.is_removed(collection.row(ordinal).rank)) {
            write_id(&mut out, collection, ordinal);
            out.push(b'\n');
        }
        output.write(&out)?;
        output.finish()
    }

    /// Writes a line for each earlier cluster whose id no cluster has now, and each cluster that one of its
    /// documents is in: the old id and the new one, sorted.
    pub(super) fn renamed(self, mut output: Output, collection: &Collection, made: &Clusters) -> Result<()> {
        let mut founders = HashSet::new();
        made.each(collection, &mut |cluster| {
            founders.insert(cluster.founder);
            Ok(())
        })?;
        let is_there = |id: &str| collection.find(id).is_some_and(|ordinal| founders.contains(&ordinal));
        let mut renamed: BTreeSet<(String, u32)> = BTreeSet::new();
        for (number, line) in self.lines.lines().enumerate() {
            let malformed = || Failure::failed(format!("{}:{}: not a cluster", self.path.display(), number + 1));
            let line = line.map_err(|error| Failure::reading(&self.path, &error))?;
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
        output.write(&out)?;
        output.finish()
    }
}
