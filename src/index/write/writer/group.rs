//! The changes staged for the next commit and the documents they replace, with look-ups that treat them as committed.

use std::collections::{HashMap, HashSet};

use nddb_format::Fingerprint;
use nddb_format::record::{Print, Settings};
use roaring::RoaringTreemap;

use crate::catalog::DocumentKeys;
use crate::document::Document;
use crate::read::probe::Match;
use crate::read::scope::Staging;
use crate::read::view::Stored;
use crate::runs::memtable::{Keys, Memtable};
use crate::within::Within;

/// A document staged for the next commit.
pub(super) struct Staged {
    pub(super) number: u64,
    pub(super) id: String,
    pub(super) print: Print,
    pub(super) document: Document,
    pub(super) keys: DocumentKeys,
    pub(super) replaces: Replaced,
}

/// The committed documents that a staged one replaces.
#[derive(Debug, Default)]
pub(super) struct Replaced {
    /// Those that the commit deletes.
    deleted: Vec<u64>,
    /// Those that are deleted when the pending batch is committed.
    pending: Vec<u64>,
}

/// The contents of the next commit.
pub(super) struct CommitGroup {
    pub(super) documents: Vec<Staged>,
    /// Index in `documents` of each staged id.
    by_id: HashMap<String, usize>,
    /// Staged documents by fingerprint, for insert-if-new.
    pub(super) memtable: Memtable,
    /// Staged documents by other keys, for insert-if-new; abandoned documents included.
    keys: Keys,
    /// Number of staged documents in `keys`.
    indexed: usize,
    /// Staged numbers that were staged again or deleted: abandoned.
    pub(super) abandoned: HashSet<u64>,
    /// Committed numbers that the commit deletes.
    pub(super) deleted: RoaringTreemap,
    /// Committed numbers that are deleted when the pending batch is committed.
    pub(super) replaced: RoaringTreemap,
}

/// The committed documents with one id that are not deleted.
#[derive(Debug, Default)]
pub(crate) struct SameId {
    /// The visible document.
    pub(super) visible: Option<u64>,
    /// The documents of the current pending batch.
    pub(super) own: Vec<u64>,
    /// The documents of other pending batches.
    pub(super) others: Vec<u64>,
}

impl SameId {
    /// Returns the visible document.
    pub(super) fn visible(&self) -> Option<u64> {
        self.visible
    }

    /// Returns a result with only a visible document.
    pub(crate) fn visible_one(number: u64) -> Self {
        Self { visible: Some(number), ..Self::default() }
    }

    /// Returns whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.visible.is_none() && self.own.is_empty() && self.others.is_empty()
    }

    /// Returns the document with which a new one is compared.
    pub(crate) fn current(&self) -> Option<u64> {
        self.own.last().copied().or(self.visible)
    }

    /// Adds the documents that a new one replaces. Those that are deleted at once are added to `deleted`, and those
    /// that are deleted when the pending batch is committed to `replaced`. Documents of other pending batches with this
    /// id count as older.
    pub(crate) fn replace(&self, pending: bool, deleted: &mut impl Extend<u64>, replaced: &mut impl Extend<u64>) {
        deleted.extend(self.own.iter().copied());
        let rest = self.others.iter().copied().chain(self.visible);
        if pending { replaced.extend(rest) } else { deleted.extend(rest) }
    }
}

impl CommitGroup {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            documents: Vec::new(),
            by_id: HashMap::new(),
            memtable: Memtable::new(settings.bits, settings.k),
            keys: Keys::default(),
            indexed: 0,
            abandoned: HashSet::new(),
            deleted: RoaringTreemap::new(),
            replaced: RoaringTreemap::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.documents.is_empty() && self.deleted.is_empty()
    }

    /// Returns the staged document with this id.
    pub(super) fn get(&self, id: &str) -> Option<&Staged> {
        self.by_id.get(id).map(|&index| &self.documents[index])
    }

    /// Abandons the staged document with this id. Returns what it replaces, which stays marked.
    pub(super) fn abandon(&mut self, id: &str) -> Option<Replaced> {
        let staged = &mut self.documents[self.by_id.remove(id)?];
        self.abandoned.insert(staged.number);
        Some(std::mem::take(&mut staged.replaces))
    }

    /// Marks the committed documents that a new one replaces.
    pub(super) fn mark(&mut self, known: &SameId, pending: bool) -> Replaced {
        let mut replaced = Replaced::default();
        known.replace(pending, &mut replaced.deleted, &mut replaced.pending);
        self.deleted.extend(replaced.deleted.iter().copied());
        self.replaced.extend(replaced.pending.iter().copied());
        replaced
    }

    /// Takes back what [`CommitGroup::mark`] has marked.
    pub(super) fn unmark(&mut self, replaced: &Replaced) {
        replaced.deleted.iter().for_each(|&number| _ = self.deleted.remove(number));
        replaced.pending.iter().for_each(|&number| _ = self.replaced.remove(number));
    }

    /// Stages a document under the next number.
    pub(super) fn push(&mut self, staged: Staged) {
        if !staged.print.unprinted {
            self.memtable.insert(staged.print.fingerprint, staged.number);
        }
        self.by_id.insert(staged.id.clone(), self.documents.len());
        self.documents.push(staged);
    }

    /// Updates the keys up to the last staged document; called only when they are looked up.
    pub(super) fn index(&mut self) {
        for staged in &self.documents[self.indexed..] {
            staged.keys.stored().for_each(|key| self.keys.insert(key, staged.number));
        }
        self.indexed = self.documents.len();
    }

    /// Returns the index of a number among the staged documents, whose numbers are consecutive.
    fn index_of(&self, number: u64) -> Option<usize> {
        let index = usize::try_from(number.checked_sub(self.documents.first()?.number)?).ok()?;
        (index < self.documents.len()).then_some(index)
    }
}

impl Staging for CommitGroup {
    fn sharing(&self, key: u64, visit: &mut dyn FnMut(u64) -> bool) {
        let _ = self.keys.numbers(key).all(visit);
    }

    fn near(&self, fingerprint: Fingerprint, within: Within, most: usize, matches: &mut Vec<Match>) -> u64 {
        let mut more = 0;
        self.memtable.probe(fingerprint.0, u32::from(within.0), |print, numbers| {
            let distance = (print ^ fingerprint.0).count_ones();
            let mut rest = numbers.iter();
            let kept = rest.by_ref().copied().filter(|&number| self.keeps(number)).take(most);
            matches.extend(kept.map(|number| Match { distance, number, fingerprint: Fingerprint(print) }));
            more += rest.len() as u64;
        });
        more
    }

    fn keeps(&self, number: u64) -> bool {
        self.index_of(number).is_some() && !self.abandoned.contains(&number)
    }

    fn deletes(&self, number: u64) -> bool {
        self.deleted.contains(number)
    }

    fn deleted_len(&self) -> usize {
        self.deleted.len() as usize
    }

    fn stored(&self, number: u64) -> Option<Stored> {
        let staged = &self.documents[self.index_of(number)?];
        let (fingerprint, unprinted) = (Fingerprint(staged.print.fingerprint), staged.print.unprinted);
        Some(Stored { number, fingerprint, unprinted, record: staged.document.record.clone() })
    }
}
