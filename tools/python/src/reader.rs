//! The class `Reader`: a database open for reading.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use nddb::detect::Keep;
use nddb::{Fingerprint, Neighbor, Reader, ShownId};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::convert;
use crate::databases::{Databases, OpenDatabase};
use crate::errors::{Fault, Result};
use crate::federation::PyFederation;
use crate::ids::{GivenId, id_object};
use crate::judging::{self, Judging};
use crate::passages;
use crate::process::reader;
use crate::stream::Stream;
use crate::tables;
use crate::why;

/// A database open for reading: what `nddb.open` returns.
///
/// It answers from one state of the database until `refresh`. Any number of threads may use it. It is pickled as its
/// path, and reopens the database in a forked child.
///
/// >>> db = nddb.open("crawl.nddb")
/// >>> len(db), "fox-1" in db, db.k
/// (5, True, 3)
#[pyclass(frozen, extends = Databases, name = "Reader", module = "nddb")]
pub(crate) struct PyReader {
    pub(crate) database: Arc<OpenDatabase>,
}

/// Opens a database for reading: `open(path) -> Reader`.
///
/// Any number of processes may read while one writes. Raises NotADatabase (also a FileNotFoundError), Newer, and the
/// errors of damage.
///
/// >>> nddb.open("crawl.nddb").recipe
/// 'main/1'
/// >>> nddb.open("nowhere.nddb")
/// Traceback (most recent call last):
///     ...
/// nddb._errors.NotADatabase: ...
#[pyfunction]
pub(crate) fn open(py: Python<'_>, path: PathBuf) -> Result<Py<PyReader>> {
    let database = Arc::new(OpenDatabase::open(py, path)?);
    let made = PyClassInitializer::from(Databases(vec![database.clone()]));
    Ok(Py::new(py, made.add_subclass(PyReader { database }))?)
}

impl PyReader {
    /// Does something that takes no long time, without the GIL.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&Reader) -> Result<T> + Send) -> Result<T> {
        let pinned = self.database.pinned(py)?;
        py.detach(|| work(reader(&pinned)?))
    }
}

#[pymethods]
impl PyReader {
    /// The path of the database.
    #[getter]
    fn path(&self) -> &Path {
        self.database.path()
    }

    /// Closes the database; so does the end of a `with` block. Streams that are being read keep it open.
    ///
    /// >>> with nddb.open("crawl.nddb") as db:
    /// ...     len(db)
    /// 5
    /// >>> db.close()
    fn close(&self, py: Python<'_>) {
        self.database.close(py);
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (kind, value, traceback))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
        traceback: &Bound<'_, PyAny>,
    ) {
        let _ = (kind, value, traceback);
        self.close(py);
    }

    /// Returns the document with an id, as a dictionary with the keys of `nddb get`, or None. Its `fp` is None if the
    /// document has fewer than two tokens.
    ///
    /// An id is a str or an int: 17 and "17" are two ids. A str of digits also finds the int if no such str is stored.
    ///
    /// >>> nddb.open("crawl.nddb").get("fox-1")["url"]
    /// 'https://example.org/fox'
    /// >>> nddb.open("crawl.nddb").get("fox-9") is None
    /// True
    fn get<'py>(&self, py: Python<'py>, id: GivenId) -> Result<Option<Bound<'py, PyAny>>> {
        let value = self.with(py, |reader| {
            let stored = id.find(|id| reader.view().get(id))?;
            Ok(stored.map(|stored| nddb_jobs::fields::document(&stored, &reader.view().settings().recipe)))
        })?;
        Ok(value.map(|value| convert::json(py, &value)).transpose()?)
    }

    /// Returns counts of documents, runs and bytes, as a dictionary with the keys of `nddb stats --json`.
    ///
    /// `work` counts what this reader has done so far: its `queries` and, with the keys of `nddb query --stats`, what
    /// it read for queries and verdicts.
    ///
    /// >>> reader = nddb.open("crawl.nddb")
    /// >>> reader.stats()["documents"]
    /// 5
    /// >>> found = reader.probe(0xff, k=1)
    /// >>> reader.stats()["work"]["queries"]
    /// 1
    fn stats<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let value = self.with(py, |reader| {
            let (stats, work) = (reader.view().stats()?, reader.view().work());
            let mut value = nddb_jobs::fields::stats(&stats);
            value["work"] = nddb_jobs::fields::work(&work);
            value["work"]["queries"] = work.queries.into();
            Ok(value)
        })?;
        Ok(convert::json(py, &value)?)
    }

    /// Returns the passages that all pairs of documents have in common, as a Stream with the columns of
    /// `nddb pairs --parts --format parquet`.
    ///
    /// A row is a passage; `a` is the older document. Options: as `passages`. With `verify` or `why` the texts are read
    /// again. Raises Mismatch if the database has no parts.
    ///
    /// >>> with nddb.Writer("parted.nddb", create=nddb.Config(recipe="main-parts")) as writer:
    /// ...     writer.add("fox", text=fox)
    /// ...     writer.add("quoted", text="he said: " + fox)
    /// 'new'
    /// 'new'
    /// >>> [(row["a"], row["b"]) for row in nddb.open("parted.nddb").passage_pairs()]
    /// [('fox', 'quoted')]
    #[pyo3(signature = (*, min_words=20, min_containment=0.0, verify=false, why=false))]
    fn passage_pairs(
        &self,
        py: Python<'_>,
        min_words: u32,
        min_containment: f64,
        verify: bool,
        why: bool,
    ) -> Result<Stream> {
        let (how, pinned) = (passages::options(min_words, min_containment, verify, why)?, self.database.pinned(py)?);
        passages::need_parts(self.path(), reader(&pinned)?.view())?;
        Ok(passages::pairs(pinned, how))
    }

    /// Finds near-duplicates in other databases for all documents, as `nddb against` does: a Stream with the columns
    /// id, near (the id of the other document), db, rule, and the scores of `clusters`.
    ///
    /// `databases` is a Federation. Rows are sorted by the age of the document, then by nearness; `limit` keeps the
    /// nearest. Other options: as `query`. Raises Mismatch for another recipe.
    ///
    /// >>> db = nddb.open("crawl.nddb")
    /// >>> rows = db.against(nddb.Federation([db]), limit=1)
    /// >>> [(row["id"], row["near"]) for row in rows][:2]
    /// [('fox-1', 'fox-1'), ('fox-2', 'fox-2')]
    #[pyo3(signature = (
        databases, *, method=None, k=None, limit=None, group_limit=None, complete=false, min_probability=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn against(
        &self,
        py: Python<'_>,
        databases: &Bound<'_, PyFederation>,
        method: Option<&str>,
        k: Option<u8>,
        limit: Option<usize>,
        group_limit: Option<usize>,
        complete: bool,
        min_probability: Option<f64>,
    ) -> Result<Stream> {
        let judging = Judging::new(method, k, None, group_limit, complete, min_probability)?;
        let (pinned, parts) = (self.database.pinned(py)?, databases.as_super().get().pinned(py)?);
        let (own, other) = (reader(&pinned)?.view().settings(), parts.federation()?);
        let settings = other.settings();
        if (&own.recipe, own.bits) != (&settings.recipe, settings.bits) {
            let told = format!("fingerprints are of recipe {} and {} bits", own.recipe, own.bits);
            let why = format!("{told}, those of the others of {} and {}", settings.recipe, settings.bits);
            return Err(Fault::Mismatch(why, None));
        }
        let online = judging.online(other.parts()[0])?;
        drop(other);
        Ok(tables::against(pinned, parts, online, limit))
    }

    /// Returns all near-duplicate pairs and groups of equal documents, as a Stream with the columns of
    /// `nddb pairs --format parquet`.
    ///
    /// A group has a row for each member except its founder, with `group` set; `expand` returns all pairs instead.
    /// Other options: as `query`. Raises UnusableMethod if the database does not store what the method compares.
    ///
    /// >>> [(row["a"], row["b"], row["verdict"]) for row in nddb.open("crawl.nddb").pairs()]
    /// [('fox-1', 'fox-2', 'model'), ('print-1', 'print-2', 'hamming')]
    #[pyo3(signature = (
        method=None, verify=None, *, k=None, expand=false, group_limit=None, complete=false, min_probability=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn pairs(
        &self,
        py: Python<'_>,
        method: Option<&str>,
        verify: Option<&str>,
        k: Option<u8>,
        expand: bool,
        group_limit: Option<usize>,
        complete: bool,
        min_probability: Option<f64>,
    ) -> Result<Stream> {
        let judging = Judging::new(method, k, verify, group_limit, complete, min_probability)?;
        let pinned = self.database.pinned(py)?;
        let options = tables::pair_options(reader(&pinned)?, &judging, expand)?;
        Ok(tables::pairs(pinned, options))
    }

    /// Returns the members of all clusters, as a Stream with the columns of `clusters.parquet`: `verdict` is keep or
    /// remove.
    ///
    /// A cluster is a star, named by the id of its oldest document. One of its documents is kept; the others are
    /// removed if they are near to it or to another kept document. `keep` lists rules that select the kept document:
    /// stored (the default), batch, newest, oldest, longest, shortest-url, id. The first rule that distinguishes two
    /// documents decides. `level` limits how much of a removed document may be lost: same, strict or standard (the
    /// default), as in `nddb cluster --help`. `words` is the source of the words from which the loss is computed: auto
    /// (the default), stored, archives, remote or estimate.
    ///
    /// >>> members = nddb.open("crawl.nddb").clusters(keep=["longest"])
    /// >>> sorted(row["id"] for row in members if row["verdict"] == "remove")
    /// ['fox-1', 'print-2']
    #[pyo3(signature = (
        keep=None, *, level=None, words=None, components=false, method=None, verify=None, k=None, group_limit=None,
        complete=false, min_probability=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn clusters(
        &self,
        py: Python<'_>,
        keep: Option<KeepRules>,
        level: Option<&str>,
        words: Option<&str>,
        components: bool,
        method: Option<&str>,
        verify: Option<&str>,
        k: Option<u8>,
        group_limit: Option<usize>,
        complete: bool,
        min_probability: Option<f64>,
    ) -> Result<Stream> {
        let judging = Judging::new(method, k, verify, group_limit, complete, min_probability)?;
        let keep = keep.map_or_else(|| Ok(vec![Keep::Stored]), |rules| kept_by(&rules.names()))?;
        let lost = (judging::level(level)?, judging::words(words)?);
        let pinned = self.database.pinned(py)?;
        let options = tables::cluster_options(reader(&pinned)?, &judging, keep, lost, components)?;
        Ok(tables::clusters(pinned, options))
    }

    /// Explains why two stored documents are near-duplicates or not: a Stream with rows for the verdict, the bounds of
    /// the method, and the evidence of the model.
    ///
    /// Columns: part (verdict, bound, evidence), name, says, value, bound, holds, adds (to the log-odds). Raises
    /// KeyError for an id that is not stored.
    ///
    /// >>> rows = list(nddb.open("crawl.nddb").why("fox-1", "fox-2"))
    /// >>> rows[0]["says"], rows[0]["holds"]
    /// ('About 99% of the text is equal.', True)
    #[pyo3(signature = (a, b, method=None, *, k=None, min_probability=None))]
    fn why(
        &self,
        py: Python<'_>,
        a: GivenId,
        b: GivenId,
        method: Option<&str>,
        k: Option<u8>,
        min_probability: Option<f64>,
    ) -> Result<Stream> {
        let judging = Judging::new(method, k, None, None, false, min_probability)?;
        self.with(py, |reader| {
            let view = reader.view();
            why::why(view, &judging.online(view)?, &a, &b)
        })
    }

    fn __repr__(&self) -> String {
        format!("nddb.open({:?})", self.path().display().to_string())
    }

    /// A reader is pickled as its path.
    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        Ok((py.import("nddb")?.getattr("open")?, PyTuple::new(py, [self.path()])?))
    }
}

/// Names of rules for the kept document: in a list, or as on the command line.
#[derive(FromPyObject)]
enum KeepRules {
    One(String),
    Several(Vec<String>),
}

impl KeepRules {
    fn names(self) -> Vec<String> {
        match self {
            Self::One(names) => names.split(',').map(str::to_owned).collect(),
            Self::Several(names) => names,
        }
    }
}

/// Takes the names of rules for the kept document.
pub(crate) fn kept_by(names: &[String]) -> Result<Vec<Keep>> {
    names.iter().map(|name| name.parse::<Keep>().map_err(|error| Fault::value(error.to_string()))).collect()
}

/// A stored document within the distance of a query: id, distance, fingerprint, url, site, and in a Federation of
/// several databases db (the path of its database).
#[pyclass(frozen, name = "Match", module = "nddb", eq)]
#[derive(PartialEq)]
pub(crate) struct PyMatch {
    id: String,
    #[pyo3(get)]
    distance: u32,
    #[pyo3(get)]
    fingerprint: u64,
    #[pyo3(get)]
    url: Option<String>,
    #[pyo3(get)]
    site: Option<String>,
    #[pyo3(get)]
    db: Option<String>,
}

impl PyMatch {
    pub(crate) fn new(found: Neighbor, db: Option<String>) -> Self {
        let Neighbor { id, distance, fingerprint: Fingerprint(fingerprint), url, site, .. } = found;
        Self { id, distance, fingerprint, url, site, db }
    }
}

/// What a Match is made of.
type MatchFields<'py> = (Bound<'py, PyAny>, u32, u64, Option<String>, Option<String>, Option<String>);

#[pymethods]
impl PyMatch {
    #[new]
    #[pyo3(signature = (id, distance, fingerprint, url=None, site=None, db=None))]
    fn make(
        id: GivenId,
        distance: u32,
        fingerprint: u64,
        url: Option<String>,
        site: Option<String>,
        db: Option<String>,
    ) -> Self {
        Self { id: id.into_stored(), distance, fingerprint, url, site, db }
    }

    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        id_object(py, &self.id)
    }

    /// A match is pickled as its fields.
    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<MatchFields<'py>> {
        let Self { id, distance, fingerprint, url, site, db } = self;
        Ok((id_object(py, id)?, *distance, *fingerprint, url.clone(), site.clone(), db.clone()))
    }

    fn __repr__(&self) -> String {
        format!("<Match {:?} at {} bits>", ShownId(&self.id), self.distance)
    }
}
