//! Reconstruction of the deleted set when its file is lost.
//!
//! A deleted number stays deleted for ever, so all evidence of a deletion is reliable: older files, rows of the
//! catalog, and a newer document with the same id. The catalog's count of documents shows whether the evidence is
//! complete.

use std::collections::HashMap;

use nddb_format::record::RangeState;

use super::{Rebuild, beyond_repair};
use crate::disk::dir::FileKind;
use crate::{Error, Result};

/// The visibility of a document: to everybody, or only within a pending batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Seen {
    ByAll,
    ByBatch(u32),
}

impl Rebuild<'_> {
    /// Marks as deleted every document that a newer one of the same id has replaced.
    pub(crate) fn infer_deletions(&mut self) -> Result<()> {
        self.ticker.start("read ids", None, "documents")?;
        let mut pending = Vec::new();
        let ranges = self.catalog.ranges().map_err(|error| beyond_repair(self.dir, error))?;
        for (low, range) in ranges {
            if range.state == RangeState::Pending {
                pending.push((low..range.high, range.batch));
            }
        }
        let seen_by = |number: u64| {
            let after = pending.partition_point(|(range, _)| range.end <= number);
            let batch = pending.get(after).filter(|(range, _)| range.contains(&number));
            batch.map_or(Seen::ByAll, |&(_, batch)| Seen::ByBatch(batch))
        };
        let mut replaced = Vec::new();
        let mut last_id = String::new();
        // Numbers of the id, ascending.
        let mut newest: HashMap<Seen, u64> = HashMap::new();
        let outcome = self.catalog.all_ids(&mut |id, number| {
            if last_id != id {
                last_id.clear();
                last_id.push_str(id);
                newest.clear();
            }
            if !self.state.is_counted(number) {
                return Ok(true);
            }
            let seen = seen_by(number);
            if seen == Seen::ByAll {
                // Also of pending batches: documents that became visible later have replaced them.
                replaced.extend(newest.drain().map(|(_, older)| older));
            }
            replaced.extend(newest.insert(seen, number));
            Ok(true)
        });
        outcome.map_err(|error| beyond_repair(self.dir, error))?;
        self.state.deleted.extend(replaced);
        Ok(())
    }

    /// The error if the count shows more deletions than can be reconstructed.
    pub(crate) fn deletions_missing(&self, counted: u64) -> Error {
        let live = self.state.counters.live;
        let what =
            format!("the deleted set is lost, so it is unknown which {live} of {counted} documents are not deleted");
        let path = match self.manifest.deleted {
            Some(file) => self.dir.path(file.number, FileKind::Deleted),
            None => self.dir.manifest_path(),
        };
        Error::BeyondRepair { path, what }
    }
}
