//! Comparison with the clusters of an earlier run.

use std::collections::{BTreeSet, HashSet};
use std::io::BufRead;
use std::path::{Path, PathBuf};

use nddb::detect::{Clusters, Collection};
use nddb_lab::tsv;
use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::inputs;
use crate::output::Output;

/// The clusters of an earlier run.
pub(super) struct Previous {
    path: PathBuf,
    lines: Box<dyn BufRead>,
    kept: Vec<String>,
}

impl Previous {
    /// Opens them before anything is written: the new ones may go to the same folder.
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let path = folder.join("clusters.jsonl");
        let lines = inputs::lines(&path)?;
        let kept = inputs::ids(&folder.join("keep.txt"))?;
        Ok(Self { path, lines, kept })
    }

    /// Writes the ids that the earlier run kept and this one removes, in its order.
    pub(super) fn flipped(&self, mut output: Output, collection: &Collection, made: &Clusters) -> Result<()> {
        let is_removed =
            |id: &str| collection.find(id).is_some_and(|ordinal| made.is_removed(collection.row(ordinal).rank));
        let mut out = Vec::new();
        for id in self.kept.iter().filter(|id| is_removed(id)) {
            tsv::write_id(&mut out, id);
            out.push(b'\n');
        }
        output.write(&out)?;
        output.flush()
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
            let value: Value = serde_json::from_str(&line).map_err(|_| malformed())?;
            let old = value["cluster"].as_str().ok_or_else(malformed)?;
            if is_there(old) {
                continue;
            }
            for member in value["members"].as_array().ok_or_else(malformed)? {
                let member = collection.find(member.as_str().ok_or_else(malformed)?);
                let new = member.map(|member| made.founder(member)).filter(|founder| founders.contains(founder));
                renamed.extend(new.map(|new| (old.to_owned(), collection.row(new).rank)));
            }
        }
        let mut out = b"old\tnew\n".to_vec();
        for (old, new) in renamed {
            tsv::write_id(&mut out, &old);
            out.push(b'\t');
            tsv::write_id(&mut out, collection.id(collection.at_rank(new)));
            out.push(b'\n');
        }
        output.write(&out)?;
        output.flush()
    }
}
