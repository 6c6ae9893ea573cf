//! Which documents of an input are removed, and what was passed on.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::path::PathBuf;

use nddb_archive::Position;
use nddb_index::{Progress, View};

use super::cut::Cutter;
use super::notes::{FilterField, Notes};
use super::remove_list::{Fate, Looked, RemoveList};
use crate::error::{JobError, Result};
use crate::lists::{self, ListDoubt};
use crate::named_id::{NamedId, other_forms};
use crate::removed::Place;

/// Where it is said which documents are removed.
#[derive(Clone, Debug, Default)]
pub struct RemovalLists {
    /// The folder that `nddb cluster -o` wrote.
    pub clusters: Option<PathBuf>,
    /// Ids of documents, one per line, instead of `remove.txt` of that folder.
    pub remove: Option<PathBuf>,
}

impl RemovalLists {
    /// Returns the path of a file of the folder, if there is one.
    pub(super) fn in_folder(&self, name: &str) -> Option<PathBuf> {
        self.clusters.as_ref().map(|folder| folder.join(name))
    }

    /// Returns the list of ids.
    fn list(&self) -> Result<PathBuf> {
        let list = self.remove.clone().or_else(|| self.in_folder("remove.txt"));
        list.ok_or_else(|| JobError::options("neither a folder of clusters nor a list of ids is given"))
    }
}

/// Which documents are removed, and what is added to rows.
pub(crate) struct Selection<'a> {
    pub(super) list: RemoveList,
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
    /// Cuts the texts of rows that are kept.
    pub(super) cutter: Option<Cutter<'a>>,
}

impl Selection<'_> {
    /// Selects by a list.
    pub(crate) fn new(list: RemoveList) -> Self {
        let (notes, here, named_by_url) = (Notes::default(), Vec::new(), Vec::new());
        Self {
            list,
            list_path: PathBuf::new(),
            notes,
            annotates: false,
            here,
            named_by_url,
            counts: false,
            cutter: None,
        }
    }

    /// Selects by the lists of a clustering, or by a list of ids of documents of this view.
    pub(super) fn read(
        from: &RemovalLists,
        fields: &[FilterField],
        view: View<'_>,
        tell: &mut Tell<'_>,
    ) -> Result<Self> {
        let list_path = from.list()?;
        let others = [from.in_folder("remove.tsv"), from.in_folder("clusters.jsonl")].into_iter().flatten();
        for path in [list_path.clone()].into_iter().chain(others.filter(|path| path.exists())) {
            if let Some(doubt) = lists::check(&path)? {
                tell(FilterNote::List { path, doubt });
            }
        }
        if let Some(folder) = from.clusters.as_ref().filter(|folder| !folder.join("summary.json").exists()) {
            tell(FilterNote::NoSummary(folder.clone()));
        }
        // A document may have been deleted since it was judged.
        let (notes, places) = match &from.clusters {
            Some(folder) => Notes::read(folder, fields, view)?,
            None => Default::default(),
        };
        // Of each archive, whether the first document of the list has its address as id.
        let mut by_url = BTreeMap::new();
        let mut look = |named: &NamedId| {
            let id = named.find(&mut |id| view.contains(id))?;
            let place = match (&places, &id) {
                (Some(places), _) => places.of(named),
                (None, Some(id)) => Place::of(view, id)?,
                (None, None) => None,
            };
            if let (Some(id), Some(place)) = (&id, place)
                && let Entry::Vacant(entry) = by_url.entry(place.archive)
            {
                entry.insert(view.get(id)?.is_some_and(|stored| stored.record.url.as_ref() == Some(id)));
            }
            let forms = other_forms(id.as_deref().unwrap_or(named.as_id()));
            let fits_forms =
                !forms.iter().map(|form| view.contains(form)).collect::<nddb_index::Result<Vec<_>>>()?.contains(&true);
            Ok(Looked { id, fits_forms, place })
        };
        let list = RemoveList::read(&list_path, &mut look)?;
        let named_by_url = by_url.into_iter().filter_map(|(archive, is_url)| is_url.then_some(archive)).collect();
        Ok(Self { named_by_url, list_path, notes, ..Self::new(list) })
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

    /// Returns where the text of a row is cut that goes to the output of kept ones; `text` reads it.
    pub(super) fn cuts<'t>(
        &mut self,
        id: Option<&str>,
        text: impl FnOnce() -> Option<Cow<'t, str>>,
    ) -> Result<Vec<Range<usize>>> {
        match &mut self.cutter {
            Some(cutter) if !self.counts => cutter.ranges(id, text().as_deref()),
            _ => Ok(Vec::new()),
        }
    }

    /// Returns whether a row goes to the output of removed ones.
    pub(super) fn leaves(&self, fate: Fate) -> bool {
        fate == Fate::Removed && !self.annotates
    }
}

/// What was passed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterCounts {
    /// Documents with an id.
    pub rows: u64,
    /// Documents that are removed.
    pub removed: u64,
    /// Documents that are kept because their id alone is on the list.
    pub spared: u64,
    /// Records of any kind, where the input has records.
    pub(super) records: u64,
    /// Records that are no documents and belong to removed ones.
    pub related: u64,
    /// Lines and records without an id, or unreadable: kept.
    pub without_id: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Records were compressed anew.
    pub(super) repacked: bool,
}

impl FilterCounts {
    pub(super) fn add(&mut self, fate: Fate) {
        self.rows += 1;
        self.removed += u64::from(fate == Fate::Removed);
        self.spared += u64::from(fate == Fate::Spared);
    }

    pub(super) fn join(&mut self, other: &FilterCounts) {
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

/// Called from time to time; returning `false` cancels the work.
pub(super) type Watching<'a> = dyn FnMut(&Progress) -> bool + Send + 'a;

/// Called with what is noticed.
pub(crate) type Tell<'a> = dyn FnMut(FilterNote) + 'a;

/// Something that is noticed while files are filtered, and stops nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterNote {
    /// This number of files in folders is passed over: hidden, or of no format that is asked for.
    PassedOver(u64),
    /// A list is used, but there is a doubt about it.
    List {
        /// The list.
        path: PathBuf,
        /// The doubt.
        doubt: ListDoubt,
    },
    /// This folder of clusters has no summary, so that it is not known whether its lists are whole.
    NoSummary(PathBuf),
    /// This input was changed since it was loaded: its rows are found by id alone.
    Changed(PathBuf),
    /// This number of documents has the id of an earlier one: all are named by file and row instead.
    NamedByPlace(u64),
    /// Compressed members of this input hold several records: each record was compressed anew.
    Repacked(PathBuf),
}
