//! What a reader and a federation have in common: one database or several, which are asked as one.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nddb::{Federation, Reader, Search, Within};
use pyo3::prelude::*;

use crate::arrow::Numbers;
use crate::convert::{self, GivenPage};
use crate::errors::{Fault, Result};
use crate::ids::GivenId;
use crate::judging::Judging;
use crate::parts::{Asked, PinnedParts, ask, checked_k};
use crate::passages;
use crate::process::{Owned, Pinned};
use crate::reader::PyMatch;
use crate::stream::Stream;
use crate::tables;
use crate::verdict::Answer;

/// A database that is open for reading, in one state until it is refreshed.
pub(crate) struct OpenDatabase {
    path: PathBuf,
    /// Locked only with the GIL held and never while waiting, so that no lock is held when a process forks.
    state: Mutex<DatabaseState>,
}

#[derive(Clone)]
enum DatabaseState {
    Open(Pinned),
    /// A thread refreshes it.
    Refreshing,
    Closed,
}

impl OpenDatabase {
    /// Opens a database.
    pub(crate) fn open(py: Python<'_>, path: PathBuf) -> Result<Self> {
        let path = std::path::absolute(path).map_err(PyErr::from)?;
        let reader = py.detach(|| Reader::open(&path))?;
        Ok(Self { path, state: Mutex::new(DatabaseState::Open(Arc::new(Owned::new(reader)))) })
    }

    /// The path of the database.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the present state; opens the database again in a forked child.
    pub(crate) fn pinned(&self, py: Python<'_>) -> Result<Pinned> {
        loop {
            let state = self.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
            match state {
                DatabaseState::Open(pinned) if pinned.is_ours() => return Ok(pinned),
                // Not even a thread that refreshes it exists in the child.
                DatabaseState::Open(_) => return self.reopen(py),
                DatabaseState::Refreshing => py.detach(|| std::thread::sleep(Duration::from_micros(100))),
                DatabaseState::Closed => return Err(Fault::value("this database is closed")),
            }
        }
    }

    fn reopen(&self, py: Python<'_>) -> Result<Pinned> {
        let pinned = Arc::new(Owned::new(py.detach(|| Reader::open(&self.path))?));
        self.put(DatabaseState::Open(pinned.clone()));
        Ok(pinned)
    }

    /// Replaces the state, unless it is closed; returns the former one.
    fn put(&self, state: DatabaseState) -> DatabaseState {
        let mut held = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*held, DatabaseState::Closed) { DatabaseState::Closed } else { std::mem::replace(&mut held, state) }
    }

    /// Switches to the newest state; returns whether anything has changed.
    fn refresh(&self, py: Python<'_>) -> Result<bool> {
        let before = self.pinned(py)?;
        let DatabaseState::Open(mut held) = self.put(DatabaseState::Refreshing) else {
            // Another thread is at it, or has closed it.
            return self.pinned(py).map(|after| !Arc::ptr_eq(&before, &after));
        };
        drop(before);
        let (held, outcome) = py.detach(|| {
            let outcome = match Arc::get_mut(&mut held).and_then(Owned::get_mut) {
                Some(reader) => reader.refresh(),
                // Work on the old state is under way, which keeps it.
                None => Reader::open(&self.path).map(|reader| {
                    let before = held.get().map(|reader| (reader.view().generation(), reader.view().complete_to()));
                    let after = (reader.view().generation(), reader.view().complete_to());
                    held = Arc::new(Owned::new(reader));
                    before != Some(after)
                }),
            };
            (held, outcome)
        });
        self.put(DatabaseState::Open(held));
        Ok(outcome?)
    }

    /// Closes the database.
    pub(crate) fn close(&self, py: Python<'_>) {
        let held = self.put(DatabaseState::Closed);
        py.detach(|| drop(held));
    }
}

/// The base of `Reader` and `Federation`: one database, or several queried as one.
#[pyclass(frozen, subclass, name = "_Databases", module = "nddb._native")]
pub(crate) struct Databases(pub(crate) Vec<Arc<OpenDatabase>>);

impl Databases {
    /// Returns the present states of all databases.
    pub(crate) fn pinned(&self, py: Python<'_>) -> Result<PinnedParts> {
        let part = |database: &Arc<OpenDatabase>| Ok((database.path.clone(), database.pinned(py)?));
        Ok(PinnedParts { parts: self.0.iter().map(part).collect::<Result<_>>()? })
    }

    /// Does something that takes no long time, without the GIL.
    pub(crate) fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Federation<'_>, &[String]) -> Result<T> + Send,
    ) -> Result<T> {
        let parts = self.pinned(py)?;
        py.detach(|| work(&parts.federation()?, &parts.names()))
    }
}

#[pymethods]
impl Databases {
    /// The default distance of queries, and the greatest distance of pairs.
    #[getter]
    fn k(&self, py: Python<'_>) -> Result<u8> {
        self.with(py, |federation, _| Ok(federation.settings().k))
    }

    /// Bits of a fingerprint.
    #[getter]
    fn bits(&self, py: Python<'_>) -> Result<u8> {
        self.with(py, |federation, _| Ok(federation.settings().bits))
    }

    /// Label of the recipe.
    #[getter]
    fn recipe(&self, py: Python<'_>) -> Result<String> {
        self.with(py, |federation, _| Ok(federation.settings().recipe.clone()))
    }

    /// Switches to the newest state of each database; returns whether anything has changed.
    ///
    /// A stream that is being read keeps its state.
    ///
    /// >>> db = nddb.open("crawl.nddb")
    /// >>> db.refresh()
    /// False
    fn refresh(&self, py: Python<'_>) -> Result<bool> {
        let mut changed = false;
        for database in &self.0 {
            changed |= database.refresh(py)?;
        }
        Ok(changed)
    }

    /// Finds every document within `k` bits of a fingerprint: a list of Match, sorted by distance and id.
    ///
    /// `fingerprint` is an integer, signed or not, or 16 hex digits. `k` defaults to that of the database; greater
    /// values, up to 16, cost more. `limit` keeps the nearest matches. Raises OutOfRange (also a ValueError) for a `k`
    /// above 16.
    ///
    /// In a Federation of several databases, `db` of a match is the path of its database.
    ///
    /// >>> nddb.open("crawl.nddb").probe(0xff, k=1)
    /// [<Match "print-1" at 0 bits>, <Match "print-2" at 1 bits>]
    #[pyo3(signature = (fingerprint, k=None, *, limit=None))]
    fn probe(
        &self,
        py: Python<'_>,
        fingerprint: &Bound<'_, PyAny>,
        k: Option<u8>,
        limit: Option<usize>,
    ) -> Result<Vec<PyMatch>> {
        let fingerprint = convert::fingerprint(fingerprint)?;
        self.with(py, |federation, names| {
            let within = Within(k.unwrap_or(federation.settings().k));
            let found = federation.find(&[fingerprint], Search::within(within).limit(limit))?;
            let matches = found.into_iter().flat_map(|answer| answer.matches);
            Ok(matches.map(|(part, found)| PyMatch::new(found, names.get(part).cloned())).collect())
        })
    }

    /// Finds the `n` documents nearest to a fingerprint within `k` bits: a list of Match, sorted by distance and id.
    ///
    /// At equal distances, older documents are preferred. `k` is at most 16.
    ///
    /// In a Federation of several databases, `db` of a match is the path of its database.
    ///
    /// >>> nddb.open("crawl.nddb").nearest(0xff, 1)
    /// [<Match "print-1" at 0 bits>]
    #[pyo3(signature = (fingerprint, n, k=16))]
    fn nearest(&self, py: Python<'_>, fingerprint: &Bound<'_, PyAny>, n: usize, k: u8) -> Result<Vec<PyMatch>> {
        let fingerprint = convert::fingerprint(fingerprint)?;
        self.with(py, |federation, names| {
            let found = federation.nearest(fingerprint, n, Within(k))?;
            Ok(found.into_iter().map(|(part, found)| PyMatch::new(found, names.get(part).cloned())).collect())
        })
    }

    /// Finds, for each fingerprint, every document within `k` bits: a Stream with the columns query, fp, distance, id.
    ///
    /// `fingerprints` is a one-dimensional array of 64-bit integers, through the buffer protocol or Arrow, and is not
    /// copied. `query` is the index of the fingerprint. Rows are sorted by query, distance and id. `k` is as for
    /// `probe`.
    ///
    /// >>> import numpy
    /// >>> queries = numpy.array([0xff, 0xf0], dtype=numpy.uint64)
    /// >>> list(nddb.open("crawl.nddb").probe_batch(queries, k=0))
    /// [{'query': 0, 'fp': 255, 'distance': 0, 'id': 'print-1'}]
    #[pyo3(signature = (fingerprints, k=None, *, threads=None))]
    fn probe_batch(
        &self,
        py: Python<'_>,
        fingerprints: &Bound<'_, PyAny>,
        k: Option<u8>,
        threads: Option<usize>,
    ) -> Result<Stream> {
        let (numbers, parts) = (Numbers::take(fingerprints)?, self.pinned(py)?);
        let within = checked_k(k, parts.federation()?.settings().k)?;
        Ok(tables::matches(parts, numbers, within, threads))
    }

    /// Finds the near-duplicates of a page or of a stored document: an Answer, a sequence of NearDuplicate.
    ///
    /// Give one of `text`, `html` (each str or bytes), `id` and `fingerprint`; `url` is the address of the page,
    /// `charset` the encoding of bytes. `method`: as `nddb query`; the default is that of the recipe. `k` applies to
    /// hamming, `min_probability` to model. `verify="lcs"` compares the texts of all matches, "same-site" only of
    /// matches on the same site. Raises KeyError if the id is not stored, UnusableMethod if the database does not store
    /// what the method compares.
    ///
    /// In a Federation of several databases, `db` of a match is the path of its database.
    ///
    /// >>> answer = nddb.open("crawl.nddb").query(text=fox + " again")
    /// >>> [match.id for match in answer], answer.method, answer.complete
    /// (['fox-1', 'fox-2'], 'model', True)
    /// >>> answer[0].scores["agreement"] > 60
    /// True
    #[pyo3(signature = (
        *, text=None, html=None, id=None, fingerprint=None, url=None, charset=None, method=None, k=None, verify=None,
        limit=None, group_limit=None, complete=false, min_probability=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn query(
        &self,
        py: Python<'_>,
        text: Option<&Bound<'_, PyAny>>,
        html: Option<&Bound<'_, PyAny>>,
        id: Option<GivenId>,
        fingerprint: Option<&Bound<'_, PyAny>>,
        url: Option<String>,
        charset: Option<String>,
        method: Option<&str>,
        k: Option<u8>,
        verify: Option<&str>,
        limit: Option<usize>,
        group_limit: Option<usize>,
        complete: bool,
        min_probability: Option<f64>,
    ) -> Result<Answer> {
        let page = GivenPage::take(text, html, url, charset)?;
        let print = fingerprint.map(convert::fingerprint).transpose()?;
        let judging = Judging::new(method, k, verify, group_limit, complete, min_probability)?;
        let (method, found, names) = self.with(py, |federation, names| {
            let (method, found) = ask(federation, Asked { page, id, print }, &judging)?;
            Ok((method, found, names.to_vec()))
        })?;
        Answer::new(py, method, &found, &names, limit)
    }

    /// Finds the documents that have passages in common with a text, in databases made with `--parts` (the recipe
    /// `main-parts`): a list of dictionaries, those with the most words in common first.
    ///
    /// Give one of `text`, `html` and `id`; `url` and `charset` as for `query`. The dictionaries have the fields of
    /// `nddb query --parts`: id, url, site, words (in common), longest (successive words), query_contained and
    /// match_contained (the shares of the words of each that are in common), and passages: dictionaries of query and
    /// match (the first word, and the one behind the last, from 0), words and longest. A passage has at least
    /// `min_words` words, or is a whole document; of one of the two documents at least the share `min_containment` is
    /// in common. With `verify` passages have exact ends and the share of equal words, with `why` their texts. `limit`
    /// keeps those with the most words.
    ///
    /// The list has `words` (of the text), `total` (of matches, also beyond `limit`), `complete`, and `frequent`: how
    /// many parts of the text begin no passage, because too many texts of a database have them. Raises KeyError if the
    /// id is not stored, Mismatch if a database has no parts.
    ///
    /// Of a Federation of several databases, `db` of a match is the path of the one that it is in.
    ///
    /// >>> parted = nddb.Writer("parted.nddb", create=nddb.Config(recipe="main-parts"))
    /// >>> _ = parted.add("fox", text=fox)
    /// >>> parted.close()
    /// >>> [found["id"] for found in nddb.open("parted.nddb").passages(text="see: " + fox + " again")]
    /// ['fox']
    #[pyo3(signature = (
        *, text=None, html=None, id=None, url=None, charset=None, min_words=20, min_containment=0.0, verify=false,
        why=false, limit=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn passages<'py>(
        &self,
        py: Python<'py>,
        text: Option<&Bound<'py, PyAny>>,
        html: Option<&Bound<'py, PyAny>>,
        id: Option<GivenId>,
        url: Option<String>,
        charset: Option<String>,
        min_words: u32,
        min_containment: f64,
        verify: bool,
        why: bool,
        limit: Option<usize>,
    ) -> Result<Bound<'py, PyAny>> {
        let page = GivenPage::take(text, html, url, charset)?;
        let how = passages::options(min_words, min_containment, verify, why)?;
        let parts = self.pinned(py)?;
        let line = py.detach(|| passages::find(&parts, (page.as_ref(), id.as_ref()), how, limit))?;
        Ok(py.import("nddb._passages")?.getattr("Passages")?.call1((convert::json(py, &line)?,))?)
    }

    fn __len__(&self, py: Python<'_>) -> Result<usize> {
        self.with(py, |federation, _| {
            let mut documents = 0;
            for part in federation.parts() {
                documents += part.stats()?.documents as usize;
            }
            Ok(documents)
        })
    }

    fn __contains__(&self, py: Python<'_>, id: GivenId) -> Result<bool> {
        self.with(py, |federation, _| {
            let found = id.find(|id| Ok(federation.contains(id)?.then_some(())))?;
            Ok(found.is_some())
        })
    }
}
