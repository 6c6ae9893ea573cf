//! Whether what a crash left is what was acknowledged: nothing lost, nothing that never was, nothing twice, and nothing
//! to be repaired.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use nddb::{CheckOptions, Document, Error, Fingerprint, Reader, View, Writer};
use nddb_format::manifest::Manifest;

use crate::support::steps::{answer_line, expected_line};
use crate::support::{Model, Random};
use crate::workload::{Deed, Workload, backup, database, restored};

/// How far a workload came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    /// The number of deeds that were acknowledged.
    pub(crate) done: usize,
    /// Whether the next one had begun.
    pub(crate) begun: bool,
}

/// Says what is wrong.
pub(crate) type Verdict<T = ()> = Result<T, String>;

impl Workload {
    /// Returns the states in which the database may be.
    fn possible(&self, reached: Reached) -> Vec<Model> {
        let before = &self.models[reached.done];
        let mut all = vec![before.clone()];
        if let Some(deed) = self.deeds.get(reached.done).filter(|_| reached.begun) {
            all.extend(deed.imagine_parts(before));
        }
        all
    }

    /// Judges what a crash left, before and after it is opened for writing, as the operator does who opens it.
    pub(crate) fn judge(&self, root: &Path, reached: Reached, random: &mut Random) -> Verdict {
        self.judge_backups(root, reached, random)?;
        let path = database(root);
        if reached.done == 0 {
            return judge_creation(&path);
        }
        judge_database(&path, &self.possible(reached), random)
    }

    /// Judges the backups and what was restored from them.
    fn judge_backups(&self, root: &Path, reached: Reached, random: &mut Random) -> Verdict {
        let end = reached.done + usize::from(reached.begun);
        for (index, deed) in self.deeds.iter().enumerate().take(end) {
            let is_done = index < reached.done;
            let (path, state) = match deed {
                Deed::Backup(number) => (backup(root, *number), &self.models[index]),
                Deed::Restore(number) => match self.backup_before(index) {
                    Some(made) => (restored(root, *number), &self.models[made]),
                    None => continue,
                },
                _ => continue,
            };
            if !path.exists() {
                if is_done {
                    return Err(format!("{} is lost", path.display()));
                }
                continue;
            }
            if matches!(deed, Deed::Restore(_)) {
                is_sound(&path, "restored")?;
                let reader = Reader::open(&path).map_err(|error| format!("restored: {error:?}"))?;
                is_one_of(&reader.view(), std::slice::from_ref(state), random)?;
                continue;
            }
            let report = nddb::verify_backup(&path, &CheckOptions::default(), &mut |_| true);
            let report = report.map_err(|error| format!("backup: {error:?}"))?;
            if !report.is_sound() {
                return Err(format!("a backup is damaged: {report:#?}"));
            }
            let again = root.join("again");
            let restored = nddb::restore(&path, &again, &mut |_| true);
            restored.map_err(|error| format!("the backup cannot be restored: {error:?}"))?;
            let outcome = Reader::open(&again)
                .map_err(|error| format!("restored: {error:?}"))
                .and_then(|reader| is_one_of(&reader.view(), std::slice::from_ref(state), random));
            fs::remove_dir_all(&again).expect("it can be removed");
            outcome.map_err(|why| format!("a backup: {why}"))?;
        }
        Ok(())
    }
}

/// Judges a database that must be in one of these states.
pub(crate) fn judge_database(path: &Path, possible: &[Model], random: &mut Random) -> Verdict {
    is_sound(path, "as the crash left it")?;
    let reader = Reader::open(path).map_err(|error| format!("a reader cannot open it: {error:?}"))?;
    let found = is_one_of(&reader.view(), possible, random)?;
    drop(reader);
    let before = named(path)?;
    let writer = Writer::open(path).map_err(|error| format!("a writer cannot open it: {error:?}"))?;
    is_one_of(&writer.view(), std::slice::from_ref(&found), random)
        .map_err(|why| format!("opened for writing: {why}"))?;
    no_remains(path, &before)?;
    if random.percent(20) {
        goes_on(writer, &found)?;
    } else {
        drop(writer);
    }
    is_sound(path, "opened for writing")
}

/// Judges a database whose creation was not acknowledged: it is none, or it is empty.
fn judge_creation(path: &Path) -> Verdict {
    match Reader::open(path) {
        Ok(reader) => {
            let documents = reader.view().stats().map_err(|error| format!("{error:?}"))?.documents;
            if documents > 0 {
                return Err(format!("a new database has {documents} documents"));
            }
            is_sound(path, "created")
        }
        Err(Error::NotADatabase { .. } | Error::Missing { .. } | Error::Catalog { .. }) => Ok(()),
        Err(error) => Err(format!("a database in the making: {error:?}")),
    }
}

/// Fails if the check of a database finds anything.
pub(crate) fn is_sound(path: &Path, when: &str) -> Verdict {
    let report = nddb::check(path, &CheckOptions::default(), &mut |_| true);
    let report = report.map_err(|error| format!("{when}: it cannot be checked: {error:?}"))?;
    if report.is_sound() { Ok(()) } else { Err(format!("{when}: {:#?}", report.faults)) }
}

/// Returns the one of these states that a view shows.
pub(crate) fn is_one_of(view: &View<'_>, states: &[Model], random: &mut Random) -> Verdict<Model> {
    let seed = random.next();
    let failed = |error: Error| format!("a query fails: {error:?}");
    let line = answer_line(view, seed).map_err(failed)?;
    let stats = view.stats().map_err(failed)?;
    let mut batches = view.batches().map_err(failed)?;
    batches.sort_by(|a, b| a.0.cmp(&b.0));
    let batches: Vec<_> = batches.into_iter().map(|(name, batch, len)| (name, batch.state, len)).collect();
    for state in states {
        let truth = state.truth();
        let counts = (truth.documents.len() as u64, state.pending());
        if counts == (stats.documents, stats.pending)
            && batches == state.batches()
            && line == expected_line(&truth, seed)
        {
            return Ok(state.clone());
        }
    }
    let wanted = expected_line(&states[0].truth(), seed);
    let (got, wanted): (BTreeSet<&str>, BTreeSet<&str>) = (line.split(';').collect(), wanted.split(';').collect());
    let (more, less): (Vec<_>, Vec<_>) = (got.difference(&wanted).collect(), wanted.difference(&got).collect());
    Err(format!(
        "{} documents and {} pending, batches {batches:?}: none of {} possible states. Of the first, {less:?} is \
         missing, and {more:?} is instead",
        stats.documents,
        stats.pending,
        states.len()
    ))
}

/// Returns the numbers of the files that the manifest of a database names.
pub(crate) fn named(path: &Path) -> Verdict<BTreeSet<String>> {
    let bytes = fs::read(path.join("MANIFEST")).map_err(|error| error.to_string())?;
    let manifest = Manifest::decode(&bytes).map_err(|error| error.to_string())?;
    Ok(manifest.files().map(|file| format!("{:08x}", file.number)).collect())
}

/// Fails if there are files that a database that was just opened for writing does not need. Those that its manifest
/// named before are left for a while, because readers may need them.
pub(crate) fn no_remains(path: &Path, before: &BTreeSet<String>) -> Verdict {
    let named = &named(path)? | before;
    for entry in fs::read_dir(path.join("runs")).map_err(|error| error.to_string())? {
        let name = entry.map_err(|error| error.to_string())?.file_name().to_string_lossy().into_owned();
        if !named.contains(name.split('.').next().unwrap_or_default()) {
            return Err(format!("runs/{name} is left, and no manifest names it"));
        }
    }
    for name in ["tmp", "MANIFEST.tmp"] {
        if path.join(name).exists() {
            return Err(format!("{name} is left"));
        }
    }
    Ok(())
}

/// Fails unless a writer goes on from a state.
fn goes_on(mut writer: Writer, state: &Model) -> Verdict {
    let document = Document::bare("afterwards", Fingerprint(7)).map_err(|error| error.to_string())?;
    let outcome = writer
        .insert(document)
        .and_then(|_| writer.flush())
        .and_then(|()| writer.commit())
        .and_then(|()| writer.flush())
        .and_then(|()| Ok(writer.view().stats()?.documents));
    let documents = outcome.map_err(|error| format!("it cannot be written to: {error:?}"))?;
    if documents != state.truth().documents.len() as u64 + 1 {
        return Err(format!("{documents} documents after one more"));
    }
    writer.close().map_err(|error| format!("it cannot be closed: {error:?}"))
}
