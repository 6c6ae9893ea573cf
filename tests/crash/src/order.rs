//! The order of storage calls: what an acknowledgement and a publication need is durable before them, and what is
//! removed is needed no more (ARCHITECTURE.md, "How the state on disk changes").

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nddb_format::manifest::Manifest;

use crate::disk::{Disk, Entry};
use crate::judge::Verdict;
use crate::trace::Event;
use crate::workload::{Deed, Workload, database};

/// The grace of a file that is no longer named.
const GRACE: Duration = Duration::from_secs(5);

/// Checks the calls of a workload.
pub(crate) struct Order<'a> {
    workload: &'a Workload,
    path: PathBuf,
    /// The deed in progress.
    deed: Option<usize>,
    /// The run files that a published manifest has named, and since when the last one does not.
    named: BTreeMap<PathBuf, Option<Instant>>,
}

impl<'a> Order<'a> {
    /// Returns a checker for a workload in a folder, given without links.
    pub(crate) fn new(workload: &'a Workload, root: &Path) -> Self {
        Self { workload, path: database(root), deed: None, named: BTreeMap::new() }
    }

    /// Checks a call before it is made on the disk.
    pub(crate) fn before(&mut self, disk: &Disk, when: Instant, event: &Event) -> Verdict {
        match event {
            Event::Begin(deed) => self.deed = Some(*deed),
            Event::Done(deed) => self.acknowledged(disk, *deed)?,
            Event::Rename(from, to) if *to == self.path.join("MANIFEST") => self.published(disk, when, from)?,
            Event::Rename(from, to) if to.parent() == self.path.parent() => {
                for (path, entry) in disk.names_below(from).filter(|(path, _)| path != from && !path.ends_with("LOCK"))
                {
                    is_durable(disk, path, entry, "a folder gets its name")?;
                }
            }
            Event::Remove(path) if path.parent() == Some(&self.path.join("runs")) => self.removed(disk, when, path)?,
            _ => (),
        }
        Ok(())
    }

    /// Checks, when a deed is acknowledged, that all logs of RocksDB and the manifest are durable.
    fn acknowledged(&self, disk: &Disk, deed: usize) -> Verdict {
        if matches!(self.workload.deeds[deed], Deed::Backup(_) | Deed::Restore(_)) {
            return Ok(());
        }
        for (path, entry) in disk.names_below(&self.path.join("catalog")) {
            if path.extension().is_some_and(|end| end == "log") {
                is_durable(disk, path, entry, "a deed is acknowledged")?;
            }
        }
        let manifest = self.path.join("MANIFEST");
        is_durable(disk, &manifest, Entry::File(0), "a deed is acknowledged")
    }

    /// Checks, when a manifest is published, that its contents and the files that it names are durable.
    fn published(&mut self, disk: &Disk, when: Instant, from: &Path) -> Verdict {
        if disk.not_durable(from) == Some("has contents that are not durable") {
            return Err("a manifest is published before its contents are durable".into());
        }
        let named = self.files_of(&disk.contents(from).unwrap_or_default())?;
        for path in &named {
            is_durable(disk, path, Entry::File(0), "a manifest names it")?;
        }
        for (path, since) in &mut self.named {
            if !named.contains(path) {
                since.get_or_insert(when);
            }
        }
        self.named.extend(named.into_iter().map(|path| (path, None)));
        Ok(())
    }

    /// Checks, when a file is removed, that the durable manifest does not name it and that the grace period is over.
    fn removed(&self, disk: &Disk, when: Instant, path: &Path) -> Verdict {
        let Some(since) = self.named.get(path) else { return Ok(()) };
        let on_disk = disk.durable_contents(&self.path.join("MANIFEST")).unwrap_or_default();
        if self.files_of(&on_disk)?.contains(&path.to_owned()) {
            return Err(format!("{} is removed, and the manifest on disk names it", path.display()));
        }
        // Who closes a database, opens it or rebuilds its runs does not wait.
        let waits = match self.deed.map(|deed| self.workload.deeds[deed]) {
            Some(Deed::Step(step)) => !step.ends_the_writer(),
            _ => false,
        };
        if waits && since.is_none_or(|since| when - since < GRACE) {
            return Err(format!("{} is removed before its grace is over", path.display()));
        }
        Ok(())
    }

    fn files_of(&self, manifest: &[u8]) -> Result<Vec<PathBuf>, String> {
        let manifest = Manifest::decode(manifest).map_err(|error| format!("MANIFEST: {error}"))?;
        let mut files = Vec::new();
        let mut add = |number: u64, end: &str| files.push(self.path.join(format!("runs/{number:08x}.{end}")));
        for run in &manifest.runs {
            run.segments.iter().for_each(|file| add(file.number, "seg"));
            add(run.postings.number, "post");
            if let Some(keys) = &run.keys {
                add(keys.segment.number, "seg");
                add(keys.postings.number, "post");
            }
            run.summaries.iter().for_each(|file| add(file.number, "sum"));
        }
        manifest.deleted.iter().for_each(|file| add(file.number, "del"));
        Ok(files)
    }
}

fn is_durable(disk: &Disk, path: &Path, entry: Entry, when: &str) -> Verdict {
    let wrong = disk.not_durable(path).filter(|what| entry != Entry::Folder || !what.contains("contents"));
    wrong.map_or(Ok(()), |what| Err(format!("{when}: {} {what}", path.display())))
}
