//! The class `Federation`: several databases that are asked as one.

use std::path::PathBuf;

use nddb::{Federation, Search, Within};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::arrow::Numbers;
use crate::convert::{self, GivenPage};
use crate::errors::{Fault, Result};
use crate::ids::GivenId;
use crate::judging::Judging;
use crate::parts::{Asked, PinnedParts, ask, checked_k};
use crate::reader::{PyMatch, PyReader, open};
use crate::stream::Stream;
use crate::tables;
use crate::verdict::Answer;

/// Several databases, queried as one that has the documents of all: `Federation(databases)`.
///
/// `databases` are paths or readers with the same recipe, k and width of fingerprints. Each document must be in only
/// one of them, as in the shards of `nddb.spark.shards`. Answers equal those of one database with all documents, in
/// which the documents of earlier databases are older. Raises Mismatch for different settings.
///
/// >>> shards = nddb.Federation(["crawl.nddb"])
/// >>> len(shards), "fox-1" in shards, shards.k
/// (5, True, 3)
#[pyclass(frozen, name = "Federation", module = "nddb")]
pub(crate) struct PyFederation {
    readers: Vec<Py<PyReader>>,
}

impl PyFederation {
    /// Returns the present states of all databases.
    pub(crate) fn pinned(&self, py: Python<'_>) -> Result<PinnedParts> {
        let part = |reader: &Py<PyReader>| {
            let reader = reader.get();
            Ok((reader.path().to_owned(), reader.pinned(py)?))
        };
        Ok(PinnedParts { parts: self.readers.iter().map(part).collect::<Result<_>>()? })
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Federation<'_>, &[String]) -> Result<T> + Send,
    ) -> Result<T> {
        let parts = self.pinned(py)?;
        py.detach(|| work(&parts.federation()?, &parts.names()))
    }
}

#[pymethods]
impl PyFederation {
    #[new]
    fn new(py: Python<'_>, databases: &Bound<'_, PyAny>) -> Result<Self> {
        if databases.extract::<PathBuf>().is_ok() {
            return Err(Fault::value("several databases are wanted: a list of paths or readers"));
        }
        let mut readers = Vec::new();
        for database in databases.try_iter()? {
            let database = database?;
            readers.push(match database.cast::<PyReader>() {
                Ok(reader) => reader.clone().unbind(),
                Err(_) => Py::new(py, open(py, database.extract::<PathBuf>()?)?)?,
            });
        }
        let made = Self { readers };
        made.pinned(py)?.federation()?;
        Ok(made)
    }

    /// The readers, in the order in which they were given.
    #[getter]
    fn readers<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyList>> {
        Ok(PyList::new(py, &self.readers)?)
    }

    /// The default distance of a query, and the greatest one of pairs.
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

    /// Switches all readers to their newest states; returns whether anything has changed.
    ///
    /// >>> nddb.Federation(["crawl.nddb"]).refresh()
    /// False
    fn refresh(&self, py: Python<'_>) -> Result<bool> {
        let mut changed = false;
        for reader in &self.readers {
            changed |= reader.get().refresh(py)?;
        }
        Ok(changed)
    }

    /// Returns the document with an id, as `Reader.get`, with the path of its database as `db`, or None.
    ///
    /// >>> nddb.Federation(["crawl.nddb"]).get("fox-1")["db"].endswith("crawl.nddb")
    /// True
    fn get<'py>(&self, py: Python<'py>, id: GivenId) -> Result<Option<Bound<'py, PyAny>>> {
        let found = self.with(py, |federation, _| {
            let recipe = federation.settings().recipe.clone();
            Ok(id.find(|id| federation.get(id))?.map(|(part, stored)| (part, stored, recipe)))
        })?;
        let Some((part, stored, recipe)) = found else { return Ok(None) };
        let stored = convert::json(py, &nddb_jobs::fields::document(&stored, &recipe))?;
        stored.set_item("db", self.readers[part].get().path().display().to_string())?;
        Ok(Some(stored))
    }

    /// Finds every document within `k` bits of a fingerprint: a list of Match, by distance and id, as `Reader.probe`.
    ///
    /// Of several databases, `db` of a match is the path of the one that it is in.
    ///
    /// >>> nddb.Federation(["crawl.nddb"]).probe(0xff, k=1)
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

    /// Finds the `n` documents nearest to a fingerprint within `k` bits, as `Reader.nearest`.
    ///
    /// Of several databases, `db` of a match is the path of the one that it is in.
    ///
    /// >>> nddb.Federation(["crawl.nddb"]).nearest(0xff, 1)
    /// [<Match "print-1" at 0 bits>]
    #[pyo3(signature = (fingerprint, n, k=16))]
    fn nearest(&self, py: Python<'_>, fingerprint: &Bound<'_, PyAny>, n: usize, k: u8) -> Result<Vec<PyMatch>> {
        let fingerprint = convert::fingerprint(fingerprint)?;
        self.with(py, |federation, names| {
            let found = federation.nearest(fingerprint, n, Within(k))?;
            Ok(found.into_iter().map(|(part, found)| PyMatch::new(found, names.get(part).cloned())).collect())
        })
    }

    /// Finds every document within `k` bits of each of many fingerprints, as `Reader.probe_batch`: the same rows.
    ///
    /// >>> import numpy
    /// >>> queries = numpy.array([0xff, 0xf0], dtype=numpy.uint64)
    /// >>> list(nddb.Federation(["crawl.nddb"]).probe_batch(queries, k=0))
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

    /// Finds the near-duplicates of a page or of a stored document, as `Reader.query`: an Answer.
    ///
    /// Of several databases, `db` of a match is the path of the one that it is in.
    ///
    /// >>> answer = nddb.Federation(["crawl.nddb"]).query(text=fox + " again")
    /// >>> [match.id for match in answer], answer.method, answer.complete
    /// (['fox-1', 'fox-2'], 'model', True)
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

    fn __repr__(&self) -> String {
        format!("<Federation of {} databases>", self.readers.len())
    }

    /// A federation is pickled as the paths of its readers.
    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let paths: Vec<&std::path::Path> = self.readers.iter().map(|reader| reader.get().path()).collect();
        Ok((py.import("nddb")?.getattr("Federation")?, PyTuple::new(py, [paths])?))
    }
}
