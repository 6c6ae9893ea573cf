//! What a clustering says of documents: which are removed, and the cluster of each.

use std::path::Path;

use nddb_format::record::digits_of;
use serde::Deserialize;

use crate::error::{JobError, Result};
use crate::json;
use crate::lists::{self, UnknownIds};
use crate::named_id::{NamedId, hash, other_forms};
use crate::removed::Place;

/// A document to be removed, and what became of the rows with its id.
struct ListedDocument {
    hash: u128,
    /// It is the text of these digits or their number: the database has neither any more.
    is_either: bool,
    /// The database has the id in no other form, so that rows may have it in each.
    fits_forms: bool,
    /// `None` if it is not known.
    place: Option<Place>,
    /// Rows with the id, if they were counted.
    rows: u64,
    is_found: bool,
    /// A row with the id was removed.
    is_removed: bool,
    /// A row with the id was kept.
    is_kept: bool,
}

impl ListedDocument {
    fn new(id: &str, place: Option<Place>) -> Self {
        Self {
            hash: hash(id),
            is_either: false,
            fits_forms: false,
            place,
            rows: 0,
            is_found: false,
            is_removed: false,
            is_kept: false,
        }
    }
}

/// What becomes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is not on the list.
    Kept,
    /// Its id is on the list, and another row was judged, or nobody knows which.
    Spared,
    Removed,
}

/// The documents to remove. Memory: 96 bytes each.
pub(crate) struct RemoveList {
    /// By the hashes of their ids, ascending.
    all: Vec<ListedDocument>,
    /// Places with the index of their document, ascending.
    by_place: Vec<(Place, u32)>,
    /// The ids that the database does not have.
    unknown: UnknownIds,
}

impl RemoveList {
    /// Reads a list as `nddb cluster` writes it. `look` says which id a name stands for in the database, and where its
    /// document stands.
    pub(super) fn read(path: &Path, look: &mut Look<'_>) -> Result<Self> {
        let mut list = Self::empty();
        lists::each_id(path, &mut |named| {
            let Looked { id, fits_forms, place } =
                look(&named).map_err(|source| JobError::Listed { list: path.into(), source })?;
            if id.is_none() {
                list.unknown.add(named.as_id());
            }
            let is_either = id.is_none() && matches!(named, NamedId::Digits(_));
            let listed = ListedDocument::new(id.as_deref().unwrap_or(named.as_id()), place);
            list.all.push(ListedDocument { is_either, fits_forms, ..listed });
            Ok(())
        })?;
        Ok(list.sorted())
    }

    /// Returns a list of nothing, to which documents are added by [`RemoveList::add`]; [`RemoveList::sorted`] ends it.
    pub(crate) fn empty() -> Self {
        Self { all: Vec::new(), by_place: Vec::new(), unknown: UnknownIds::default() }
    }

    /// Adds a document.
    pub(crate) fn add(&mut self, id: &str, place: Option<Place>) {
        self.all.push(ListedDocument::new(id, place));
    }

    /// Returns the list, ready to decide.
    pub(crate) fn sorted(mut self) -> Self {
        let all = &mut self.all;
        all.sort_unstable_by_key(|listed| (listed.hash, !listed.is_either));
        all.dedup_by_key(|listed| listed.hash);
        let places = (0..).zip(&*all).filter_map(|(index, listed)| Some((listed.place?, index)));
        self.by_place = places.collect();
        self.by_place.sort_unstable();
        self
    }

    /// Returns whether a document that is named so was removed from an input.
    pub(super) fn is_removed(&self, named: &str) -> bool {
        self.index(named).is_some_and(|index| self.all[index].is_removed)
    }

    /// FilterCounts a row with this id, if the id is on the list.
    pub(super) fn count(&mut self, id: &str) {
        if let Some(index) = self.index(id) {
            self.all[index].rows += 1;
        }
    }

    /// Decides about a row: its id, if it has one, and of an archive of the database what its place would be called
    /// there. Where the place of both is known it decides; else the id, of which there must be one row alone.
    pub(super) fn decide(&mut self, id: Option<&str>, places: Option<&[Place]>) -> Fate {
        let named = id.and_then(|id| self.index(id));
        let standing = places.into_iter().flatten().find_map(|place| {
            let index = self.by_place.binary_search_by_key(place, |(place, _)| *place).ok()?;
            Some(self.by_place[index].1 as usize)
        });
        let standing = standing.filter(|standing| id.is_none() || named == Some(*standing));
        let Some(index) = standing.or(named) else { return Fate::Kept };
        let listed = &mut self.all[index];
        listed.is_found = true;
        let is_judged = match (places, listed.place) {
            (Some(_), Some(_)) => standing.is_some(),
            _ => listed.rows == 1,
        };
        if is_judged {
            listed.is_removed = true;
            Fate::Removed
        } else {
            listed.is_kept = true;
            Fate::Spared
        }
    }

    /// Returns whether a record of the document with this id is removed with it; `None` if no row with the id was met,
    /// and the id is on the list.
    pub(super) fn takes_related(&self, id: &str) -> Option<bool> {
        let Some(index) = self.index(id) else { return Some(false) };
        let listed = &self.all[index];
        listed.is_found.then_some(listed.is_removed && !listed.is_kept)
    }

    /// Returns whether a document has no known place: then rows have to be counted.
    pub(super) fn lacks_places(&self) -> bool {
        self.by_place.len() < self.all.len()
    }

    /// Returns the number of ids.
    pub(super) fn len(&self) -> u64 {
        self.all.len() as u64
    }

    /// Returns the number of ids that rows had.
    pub(super) fn found(&self) -> u64 {
        self.all.iter().filter(|listed| listed.is_found).count() as u64
    }

    /// Returns the ids if the database has none of them and rows were counted that have none of them, either.
    pub(super) fn nothing(&self) -> Option<&UnknownIds> {
        let is_nothing = self.unknown.count() > 0
            && self.unknown.count() >= self.len()
            && self.by_place.is_empty()
            && self.all.iter().all(|listed| listed.rows == 0);
        is_nothing.then_some(&self.unknown)
    }

    fn index(&self, id: &str) -> Option<usize> {
        let find = |id: &str| self.all.binary_search_by_key(&hash(id), |listed| listed.hash).ok();
        find(id)
            .or_else(|| find(digits_of(id)?).filter(|&index| self.all[index].is_either))
            .or_else(|| other_forms(id).iter().find_map(|form| find(form)).filter(|&index| self.all[index].fits_forms))
    }
}

/// Callback that says which document a name stands for.
pub(super) type Look<'a> = dyn FnMut(&NamedId) -> nddb_index::Result<Looked> + 'a;

/// The document that a name stands for.
#[derive(Debug, Default)]
pub(super) struct Looked {
    /// Its id, if the database has it.
    pub(super) id: Option<String>,
    /// Whether the database has the id in no other form.
    pub(super) fits_forms: bool,
    /// Its place, if that is known.
    pub(super) place: Option<Place>,
}

/// Where the documents of `remove.txt` stand, from `remove.tsv` beside it.
#[derive(Default)]
pub(super) struct Places(Vec<(u128, Option<Place>)>);

impl Places {
    /// Adds a line of the table; [`Places::sorted`] ends it.
    pub(super) fn add(&mut self, named: &NamedId, place: Option<Place>) {
        self.0.push((hash(named.as_id()), place));
    }

    pub(super) fn sorted(mut self) -> Self {
        self.0.sort_unstable_by_key(|(id, _)| *id);
        self
    }

    /// Returns where a document stands that both lists name so.
    pub(super) fn of(&self, named: &NamedId) -> Option<Place> {
        let index = self.0.binary_search_by_key(&hash(named.as_id()), |(id, _)| *id).ok()?;
        self.0[index].1
    }
}

/// The clusters of documents. Memory: 32 bytes a document, and the ids of the clusters.
#[derive(Default)]
pub(super) struct Clusters {
    /// Hashes of the ids of members, ascending, with the index of their cluster.
    members: Vec<(u128, u32)>,
    clusters: Vec<Cluster>,
}

/// A cluster.
#[derive(Deserialize)]
pub(super) struct Cluster {
    /// The id of its founder.
    #[serde(rename = "cluster", deserialize_with = "json::read_id")]
    pub(super) id: String,
    /// Number of its members.
    pub(super) size: u64,
}

/// A line of `clusters.jsonl`.
#[derive(Deserialize)]
struct ClusterMembers {
    #[serde(flatten)]
    cluster: Cluster,
    members: Vec<Member>,
}

#[derive(Deserialize)]
struct Member(#[serde(deserialize_with = "json::read_id")] String);

impl Clusters {
    /// Reads the clusters that `nddb cluster` writes.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let mut read = Self::default();
        lists::each_line(path, &mut |number, line| {
            let line: ClusterMembers = serde_json::from_str(line).map_err(|error| {
                JobError::input(format!("{}: line {number} is no line of clusters.jsonl: {error}", path.display()))
            })?;
            let index = u32::try_from(read.clusters.len())
                .map_err(|_| JobError::input(format!("{}: more than 2^32 clusters", path.display())))?;
            read.members.extend(line.members.iter().map(|Member(id)| (hash(id), index)));
            read.clusters.push(line.cluster);
            Ok(())
        })?;
        read.members.sort_unstable();
        Ok(read)
    }

    /// Returns the index of the cluster of a document with this hash; `None` if it is in none.
    pub(super) fn index(&self, hash: u128) -> Option<u32> {
        let index = self.members.binary_search_by_key(&hash, |member| member.0).ok()?;
        Some(self.members[index].1)
    }

    /// Returns the cluster of an index.
    pub(super) fn get(&self, index: u32) -> &Cluster {
        &self.clusters[index as usize]
    }
}

#[cfg(test)]
mod tests {
    use nddb_format::record::number_id;

    use super::*;

    fn place(archive: u32, offset: u64) -> Place {
        Place { archive, offset, inner: 0 }
    }

    fn list(ids: &str) -> RemoveList {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("remove.txt");
        std::fs::write(&path, ids).expect("written");
        let is_stored = |id: &str| !id.starts_with("gone") && !id.starts_with('9');
        let mut look = |named: &NamedId| {
            let id = named.as_id();
            let place = (id != "nowhere").then(|| place(1, id.len() as u64));
            Ok(Looked { id: is_stored(id).then(|| id.to_owned()), fits_forms: !id.ends_with('f'), place })
        };
        RemoveList::read(&path, &mut look).expect("a list")
    }

    #[test]
    fn the_place_decides_where_it_is_known() {
        let mut list = list("a\nbb\nnowhere\n");
        assert!(list.lacks_places());
        assert_eq!(list.decide(Some("a"), Some(&[place(2, 1)])), Fate::Spared, "another file");
        assert_eq!(list.decide(Some("a"), Some(&[place(3, 1), place(1, 1)])), Fate::Removed);
        assert_eq!(list.decide(Some("x"), Some(&[place(1, 2)])), Fate::Kept, "another row stands there now");
        assert_eq!(list.decide(None, Some(&[place(1, 2)])), Fate::Removed, "ids are places");
        assert_eq!((list.found(), list.len()), (2, 3));
        assert_eq!((list.takes_related("a"), list.takes_related("bb")), (Some(false), Some(true)));
        assert_eq!((list.takes_related("x"), list.takes_related("nowhere")), (Some(false), None));
    }

    #[test]
    fn digits_of_a_deleted_document_are_a_number_or_a_text() {
        let fate = |list: &mut RemoveList, id: &str| list.decide(Some(id), None);
        for ids in [[&*number_id(9), "9"], ["9", &*number_id(9)]] {
            let mut list = list("9\n7\n\\#8\n");
            list.count(ids[0]);
            assert_eq!(fate(&mut list, ids[0]), Fate::Removed, "it is the only row");
            list.count(ids[1]);
            assert_eq!(ids.map(|id| fate(&mut list, id)), [Fate::Spared; 2], "one of two rows");
            assert_eq!([number_id(7), "8".into()].map(|id| fate(&mut list, &id)), [Fate::Kept; 2], "of the other kind");
        }
    }

    #[test]
    fn the_id_of_a_record_is_one_id_in_each_form_unless_several_are_stored() {
        let [alone, of_two] = ["8c9c07ee-6a87-4e43-8c5d-2e0a8e1b7f11", "8c9c07ee-6a87-4e43-8c5d-2e0a8e1b7f1f"];
        let mut list = list(&format!("<urn:uuid:{alone}>\nurn:uuid:{of_two}\n"));
        let forms = |uuid: &str| [uuid.to_owned(), format!("urn:uuid:{uuid}"), format!("<urn:uuid:{uuid}>")];
        let mut fates = |uuid| {
            forms(uuid).map(|id| {
                list.all.iter_mut().for_each(|listed| listed.rows = 1);
                list.decide(Some(&id), None)
            })
        };
        assert_eq!(fates(alone), [Fate::Removed; 3]);
        assert_eq!(fates(of_two), [Fate::Kept, Fate::Removed, Fate::Kept]);
    }

    #[test]
    fn a_list_of_which_nothing_is_stored_or_found_is_told() {
        let of = |ids: &str, row: &str| {
            let mut list = list(ids);
            list.all.iter_mut().for_each(|listed| listed.place = None);
            list.by_place.clear();
            list.count(row);
            list.nothing().map(UnknownIds::named)
        };
        assert_eq!(of("gone1\ngone2\ngone3\ngone4\n", "a").as_deref(), Some("'gone1', 'gone2', 'gone3', ..."));
        assert_eq!((of("gone1\ngone2\n", "gone2"), of("gone1\na\n", "x"), of("", "x")), (None, None, None));
    }

    #[test]
    fn an_id_decides_if_it_is_of_one_row() {
        let mut list = list("a\nbb\nnowhere\n");
        ["a", "bb", "bb", "nowhere"].into_iter().for_each(|id| list.count(id));
        let removed = |list: &mut RemoveList, id, places| list.decide(Some(id), places) == Fate::Removed;
        assert!(removed(&mut list, "a", None) && !removed(&mut list, "bb", None));
        assert!(removed(&mut list, "nowhere", Some(&[place(1, 7)])), "of a file that is known");
    }
}
