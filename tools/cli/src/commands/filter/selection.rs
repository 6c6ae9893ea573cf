//! Which documents of an input are removed, and what was passed on.

use std::path::PathBuf;

use nddb::archive::Position;
use nddb_jobs::removed::Place;

use super::lists::{Fate, RemoveList};
use super::notes::Notes;

/// Which documents are removed, and what is added to rows.
pub(in crate::commands) struct Selection {
    pub(in crate::commands) list: RemoveList,
    /// Where the list was read, for messages.
    pub(super) list_path: PathBuf,
    pub(super) notes: Notes,
    /// Rows that would be removed stay where they are: what is added to them tells it.
    pub(super) annotates: bool,
    /// The archives of the database that the input is; empty if it is none.
    pub(super) here: Vec<u32>,
    /// The archives of the database whose documents have their address as id.
    pub(super) named_by_url: Vec<u32>,
    /// Rows are only counted.
    pub(super) counts: bool,
}

impl Selection {
    /// Selects by a list.
    pub(in crate::commands) fn new(list: RemoveList) -> Self {
        let (notes, here, named_by_url) = (Notes::default(), Vec::new(), Vec::new());
        Self { list, list_path: PathBuf::new(), notes, annotates: false, here, named_by_url, counts: false }
    }

    /// Decides about a row with this id, at this position as the library tells it.
    pub(super) fn decide(&mut self, id: Option<&str>, position: Option<Position>) -> Fate {
        if self.counts {
            id.iter().for_each(|id| self.list.count(id));
            return Fate::Kept;
        }
        let place = |Position { offset, inner, .. }: Position| {
            let of = move |&archive| Place { archive, offset, inner };
            self.here.iter().map(of).collect::<Vec<_>>()
        };
        let places = position.filter(|_| !self.here.is_empty()).map(place);
        self.list.decide(id, places.as_deref())
    }

    /// Returns whether a row goes to the output of removed ones.
    pub(super) fn leaves(&self, fate: Fate) -> bool {
        fate == Fate::Removed && !self.annotates
    }
}

/// What was passed on.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::commands) struct Counts {
    /// Documents with an id.
    pub(in crate::commands) rows: u64,
    pub(in crate::commands) removed: u64,
    /// Documents that are kept because their id alone is on the list.
    pub(in crate::commands) spared: u64,
    /// Records of any kind, where the input has records.
    pub(super) records: u64,
    /// Records that are no documents and belong to removed ones.
    pub(in crate::commands) related: u64,
    /// Lines and records without an id, or unreadable: kept.
    pub(in crate::commands) without_id: u64,
    /// Bytes read.
    pub(in crate::commands) bytes: u64,
    /// Records were compressed anew.
    pub(super) repacked: bool,
}

impl Counts {
    pub(super) fn add(&mut self, fate: Fate) {
        self.rows += 1;
        self.removed += u64::from(fate == Fate::Removed);
        self.spared += u64::from(fate == Fate::Spared);
    }

    pub(super) fn join(&mut self, other: &Counts) {
        self.rows += other.rows;
        self.removed += other.removed;
        self.spared += other.spared;
        self.records += other.records;
        self.related += other.related;
        self.without_id += other.without_id;
        self.bytes += other.bytes;
        self.repacked |= other.repacked;
    }
}
