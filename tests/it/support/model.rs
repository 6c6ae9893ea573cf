//! The expected contents of a database, as plain maps.

use std::collections::{BTreeMap, BTreeSet};

use nddb::Outcome;
use nddb_format::record::BatchState as State;

use super::Truth;

/// A document without its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    /// The fingerprint; `None` for one of fewer than two tokens.
    pub(crate) print: Option<u64>,
    /// The site it was fetched from.
    pub(crate) site: Option<String>,
}

/// A version of a document. Versions are numbered in order of insertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) order: u64,
    pub(crate) content: Content,
    pub(crate) batch: Option<String>,
    /// The version belongs to the group that is not committed yet.
    pub(crate) staged: bool,
}

/// The batch of new documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) name: String,
    pub(crate) pending: bool,
}

/// A database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Model {
    next: u64,
    pub(crate) visible: BTreeMap<String, Version>,
    /// The documents of pending batches, by batch and id.
    hidden: BTreeMap<(String, String), Version>,
    /// The versions that are deleted when a pending batch is committed.
    replaced: BTreeMap<String, BTreeSet<u64>>,
    batches: BTreeMap<String, State>,
    label: Option<Label>,
}

impl Model {
    /// Returns the contents visible to readers.
    pub(crate) fn truth(&self) -> Truth {
        let documents = self.visible.iter().map(|(id, version)| (id.clone(), version.content.print)).collect();
        Truth { documents }
    }

    /// Returns the number of documents in pending batches.
    pub(crate) fn pending(&self) -> u64 {
        self.hidden.len() as u64
    }

    /// Returns all batches with their states and the number of their documents.
    pub(crate) fn batches(&self) -> Vec<(String, State, u64)> {
        let held = |name: &str| {
            let visible = self.visible.values().filter(|version| version.batch.as_deref() == Some(name)).count();
            visible + self.hidden.keys().filter(|(batch, _)| batch == name).count()
        };
        self.batches.iter().map(|(name, &state)| (name.clone(), state, held(name) as u64)).collect()
    }

    /// Sets the batch of later documents; `None` for none. Returns whether that is possible.
    pub(crate) fn label(&mut self, label: Option<&Label>) -> bool {
        let fits = label.is_none_or(|label| {
            let state = if label.pending { State::Pending } else { State::Open };
            self.batches.get(&label.name).is_none_or(|&known| known == state)
        });
        if fits {
            self.label = label.cloned();
        }
        fits
    }

    /// Records the batch, whatever becomes of its documents.
    pub(crate) fn note_batch(&mut self) {
        if let Some(Label { name, pending }) = self.label.clone() {
            self.batches.insert(name, if pending { State::Pending } else { State::Open });
        }
    }

    pub(crate) fn insert(&mut self, id: &str, content: Content) -> Outcome {
        let pending = self.label.clone().filter(|label| label.pending).map(|label| label.name);
        let own = pending.as_ref().and_then(|name| self.hidden.get(&(name.clone(), id.to_owned())));
        let current = own.or(self.visible.get(id));
        if current.is_some_and(|version| version.content == content) {
            return Outcome::Unchanged;
        }
        let outcome = if current.is_some() { Outcome::Replaced } else { Outcome::New };
        let batch = self.label.as_ref().map(|label| label.name.clone());
        let version = Version { order: self.next, content, batch, staged: true };
        self.next += 1;
        match pending {
            Some(name) => {
                let others = self.hidden.iter().filter(|((batch, other), _)| other == id && *batch != name);
                let replaced: Vec<u64> = others.map(|(_, version)| version.order).collect();
                let visible = self.visible.get(id).map(|version| version.order);
                self.replaced.entry(name.clone()).or_default().extend(replaced.into_iter().chain(visible));
                self.hidden.insert((name, id.to_owned()), version);
            }
            None => {
                self.hidden.retain(|(_, other), _| other != id);
                self.visible.insert(id.to_owned(), version);
            }
        }
        self.note_batch();
        outcome
    }

    /// Returns the id of the nearest and oldest document that prevents a new one.
    pub(crate) fn nearest(&self, id: &str, print: u64, within: u8) -> Option<(String, u32)> {
        let own = self.label.as_ref().filter(|label| label.pending).map(|label| &label.name);
        let staged = self.hidden.iter().filter(|((batch, _), version)| Some(batch) == own && version.staged);
        let staged = staged.map(|((_, id), version)| (id, version));
        let near =
            self.visible.iter().chain(staged).filter(|(other, _)| *other != id).filter_map(|(other, version)| {
                let distance = (version.content.print? ^ print).count_ones();
                (distance <= within.into()).then_some((distance, version.order, other))
            });
        near.min().map(|(distance, _, id)| (id.clone(), distance))
    }

    pub(crate) fn delete(&mut self, id: &str) -> bool {
        let pending = self.label.clone().filter(|label| label.pending).map(|label| (label.name, id.to_owned()));
        let staged = pending.filter(|key| self.hidden.get(key).is_some_and(|version| version.staged));
        let given_up = staged.and_then(|key| self.hidden.remove(&key));
        self.visible.remove(id).is_some() | given_up.is_some()
    }

    pub(crate) fn commit(&mut self) {
        self.visible.values_mut().chain(self.hidden.values_mut()).for_each(|version| version.staged = false);
    }

    pub(crate) fn delete_site(&mut self, site: &str) -> u64 {
        let before = self.visible.len();
        self.visible.retain(|_, version| version.content.site.as_deref() != Some(site));
        (before - self.visible.len()) as u64
    }

    /// Returns `None` if the deletion is refused.
    pub(crate) fn delete_batch(&mut self, name: &str) -> Option<u64> {
        self.batches.get(name).filter(|&&state| state != State::Pending)?;
        let before = self.visible.len();
        self.visible.retain(|_, version| version.batch.as_deref() != Some(name));
        Some((before - self.visible.len()) as u64)
    }

    fn end_of_pending(&mut self, name: &str, state: State) -> Option<Vec<(String, Version)>> {
        self.batches.get(name).filter(|&&state| state == State::Pending)?;
        if self.label.as_ref().is_some_and(|label| label.name == name) {
            self.label = None;
        }
        self.batches.insert(name.to_owned(), state);
        let keys: Vec<(String, String)> = self.hidden.keys().filter(|(batch, _)| batch == name).cloned().collect();
        Some(keys.into_iter().filter_map(|key| self.hidden.remove(&key).map(|version| (key.1, version))).collect())
    }

    /// Returns `None` if the commit is refused.
    pub(crate) fn commit_batch(&mut self, name: &str) -> Option<u64> {
        let versions = self.end_of_pending(name, State::Open)?;
        let replaced = self.replaced.remove(name).unwrap_or_default();
        self.visible.retain(|_, version| !replaced.contains(&version.order));
        self.hidden.retain(|_, version| !replaced.contains(&version.order));
        let len = versions.len() as u64;
        for (id, version) in versions {
            let before = self.visible.insert(id, version);
            assert_eq!(before, None, "a pending batch remembers what it replaces");
        }
        Some(len)
    }

    /// Returns `None` if the cancellation is refused.
    pub(crate) fn cancel_batch(&mut self, name: &str) -> Option<u64> {
        let versions = self.end_of_pending(name, State::Cancelled)?;
        self.replaced.remove(name);
        Some(versions.len() as u64)
    }

    /// Merges the visible documents of another database. Returns `None` if that is refused.
    pub(crate) fn merge(&mut self, other: &Model) -> Option<(u64, u64)> {
        self.label = None;
        let open = other.batches.iter().filter(|&(_, &state)| state == State::Open);
        for (name, _) in open.clone() {
            self.batches.get(name).is_none_or(|&state| state == State::Open).then_some(())?;
        }
        self.batches.extend(open.map(|(name, &state)| (name.clone(), state)));
        let mut incoming: Vec<(&String, &Version)> = other.visible.iter().collect();
        incoming.sort_by_key(|(_, version)| version.order);
        let (mut documents, mut replaced) = (0, 0);
        for (id, version) in incoming {
            let outcome = self.insert(id, version.content.clone());
            documents += u64::from(outcome != Outcome::Unchanged);
            replaced += u64::from(outcome == Outcome::Replaced);
            if let Some(stored) = self.visible.get_mut(id).filter(|_| outcome != Outcome::Unchanged) {
                stored.batch.clone_from(&version.batch);
            }
        }
        self.commit();
        Some((documents, replaced))
    }
}
